from hypothesis import given
from hypothesis import strategies as st

from tracker.classify.quoting import LONGEST_QUOTE, Line, quote, quote_at


def test_a_line_is_quoted_without_its_end_and_with_where_the_site_stands() -> None:
    assert quote("a.py", 3, b"    x.cuda()  \r", (5, 10)) == Line(
        path="a.py", number=3, text="    x.cuda()", span=(5, 10)
    )


def test_a_line_of_the_longest_length_is_quoted_whole() -> None:
    line = b"x" * LONGEST_QUOTE
    assert quote("a.py", 1, line, None) == Line(path="a.py", number=1, text=line.decode())


def test_a_longer_line_is_cut_and_says_so() -> None:
    found = quote("a.py", 1, b"cuda" + b"x" * LONGEST_QUOTE, (0, 4))
    assert found.text == "cuda" + "x" * (LONGEST_QUOTE - 4)
    assert (found.span, found.cut_before, found.cut_after) == ((0, 4), False, True)


def test_of_a_line_whose_site_stands_far_behind_its_beginning_the_part_around_it_is_quoted() -> None:
    found = quote("a.py", 1, b"x" * 1_000 + b"cuda" + b"y" * 1_000, (1_000, 1_004))
    assert found.span is not None
    assert found.text[found.span[0] : found.span[1]] == "cuda"
    assert (len(found.text), found.cut_before, found.cut_after) == (LONGEST_QUOTE, True, True)


def test_a_site_at_the_end_of_a_long_line_ends_the_quote() -> None:
    found = quote("a.py", 1, b"x" * 1_000 + b"cuda", (1_000, 1_004))
    assert found.text.endswith("xcuda")
    assert (found.cut_before, found.cut_after) == (True, False)


def test_signs_of_several_bytes_are_counted_as_one_and_not_cut_through() -> None:
    found = quote("a.py", 1, ("é" * 300 + "cuda").encode(), (600, 604))
    assert found.span is not None
    assert found.text[found.span[0] : found.span[1]] == "cuda"
    assert set(found.text) == {"é", *"cuda"}


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert quote("a.py", 1, b"\xff cuda", (2, 6)) == Line(
        path="a.py", number=1, text="\N{REPLACEMENT CHARACTER} cuda", span=(2, 6)
    )


def test_a_line_is_found_in_its_file_by_where_the_site_stands() -> None:
    content = b"first\nx.cuda()\nlast"
    assert quote_at("a.py", 2, content, (7, 12)) == Line(path="a.py", number=2, text="x.cuda()", span=(1, 6))
    assert quote_at("a.py", 3, content, (15, 19)) == Line(path="a.py", number=3, text="last", span=(0, 4))


def test_a_site_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert quote_at("a.py", 1, b"torch.\\\ncuda", (0, 12)).span == (0, 7)


@given(st.binary(max_size=1_000), st.integers(0, 1_100), st.integers(0, 300))
def test_no_bytes_and_no_span_break_a_quote(line: bytes, start: int, length: int) -> None:
    found = quote("a.py", 1, line, (start, start + length))
    assert len(found.text) <= LONGEST_QUOTE
    if found.span is not None:
        assert 0 <= found.span[0] < found.span[1] <= len(found.text)
