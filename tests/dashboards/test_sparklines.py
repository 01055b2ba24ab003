from dashboards.sparklines import balance, sparkline


def test_a_line_of_values_ends_in_a_mark() -> None:
    drawn = sparkline((0, 10))
    assert '<path d="M0.0 22.0L120.0 2.0"/>' in drawn
    assert '<circle cx="120" cy="2.0" r="2"/>' in drawn


def test_an_unknown_value_is_a_gap() -> None:
    assert '<path d="M0.0 12.0M120.0 2.0"/>' in sparkline((1, None, 2))


def test_a_long_history_is_thinned_and_keeps_its_end() -> None:
    drawn = sparkline(tuple(range(600)))
    assert drawn.count("L") + drawn.count("M") <= 61
    assert 'cy="2.0"' in drawn


def test_nothing_known_draws_nothing_and_zeros_draw_a_flat_line() -> None:
    assert sparkline(()) == ""
    assert sparkline((None, None)) == ""
    assert 'class="spark none"' in sparkline((0, 0, 0))


def test_a_balance_divides_one_bar() -> None:
    assert '<rect class="r" x="50.00" y="0" width="25.00" height="10"/>' in balance(2, 1, 1)
    assert balance(0, 0, 0) == ""
