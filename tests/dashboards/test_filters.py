from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboards.filters import (
    CommitQuery,
    PeriodQuery,
    PullQuery,
    SeriesQuery,
    Vocabulary,
    commit_query,
    drawing_query,
    no_parameters,
    period_query,
    pull_query,
    row_limit,
    series_query,
)
from dashboards.parameters import PageKey, address_with, decode_key, encode_key, next_address
from dashboards.problems import BadParameter
from db.commit_pages import CommitFilter
from db.pulls import PullFilter
from tracker.reception import PullState
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict

WORDS = Vocabulary(
    repositories=("pytorch/pytorch", "deepspeedai/DeepSpeed"), vendors=("nvidia", "amd"), organisations=("meta",)
)


def test_no_parameters_restrict_nothing() -> None:
    assert commit_query([], WORDS) == CommitQuery(wanted=CommitFilter(), page=PageKey(before=None, limit=50))
    assert pull_query([], WORDS) == PullQuery(wanted=PullFilter(), page=PageKey(before=None, limit=50))
    assert period_query([], WORDS) == PeriodQuery(repository=None, since=None, until=None)


def test_every_parameter_of_commits_is_read() -> None:
    given = [
        ("repository", "pytorch/pytorch"),
        ("vendor", "amd"),
        ("area", "test"),
        ("verdict", "vendor-internal"),
        ("mechanism", "retired"),
        ("organisation", "unknown"),
        ("text", " stream "),
        ("since", "2020-01-06"),
        ("until", "2020-01-31"),
        ("pull", "7"),
        ("limit", "9"),
        ("before", encode_key("a key")),
    ]
    assert commit_query(given, WORDS) == CommitQuery(
        wanted=CommitFilter(
            repository="pytorch/pytorch",
            vendor="amd",
            area=Area.TEST,
            verdict=Verdict.VENDOR_INTERNAL,
            mechanism=Mechanism.RETIRED,
            organisation="unknown",
            text="stream",
            since=datetime(2020, 1, 6, tzinfo=UTC),
            until=datetime(2020, 2, 1, tzinfo=UTC),
            pull=7,
        ),
        page=PageKey(before="a key", limit=9),
    )


def test_every_parameter_of_pull_requests_is_read() -> None:
    given = [("state", "landed"), ("author", "ada"), ("text", "x"), ("number", "12"), ("until", "2020-01-06")]
    assert pull_query(given, WORDS).wanted == PullFilter(
        state=PullState.LANDED, author="ada", text="x", number=12, until=datetime(2020, 1, 7, tzinfo=UTC)
    )


def test_case_of_chosen_words_does_not_matter() -> None:
    assert commit_query([("repository", "DeepSpeedAI/deepspeed")], WORDS).wanted.repository == "deepspeedai/DeepSpeed"


def test_a_form_field_left_blank_is_no_filter() -> None:
    assert commit_query([("vendor", ""), ("text", "  "), ("since", "")], WORDS) == CommitQuery()


@pytest.mark.parametrize(
    ("name", "value", "valid"),
    [
        ("vendor", "groqq", WORDS.vendors),
        ("repository", "o/n", WORDS.repositories),
        ("area", "kernel", tuple(Area)),
        ("verdict", "good", tuple(Verdict)),
        ("organisation", "acme", ("meta", "unknown")),
        ("color", "red", ("repository", "vendor")),
    ],
)
def test_a_word_that_is_none_is_refused_with_those_that_are(name: str, value: str, valid: tuple[str, ...]) -> None:
    with pytest.raises(BadParameter) as refused:
        commit_query([(name, value)], WORDS)
    assert refused.value.name == name
    assert refused.value.valid[: len(valid)] == valid
    assert value in str(refused.value)


def test_mechanisms_that_are_not_judged_are_no_filter() -> None:
    with pytest.raises(BadParameter, match="generalised"):
        commit_query([("mechanism", "baseline")], WORDS)


@pytest.mark.parametrize("day", ["2020-1-6x", "06.01.2020", "2020-13-01", "yesterday", "2020-02-30"])
def test_what_is_no_date_is_refused(day: str) -> None:
    with pytest.raises(BadParameter, match="2026-01-31"):
        commit_query([("since", day)], WORDS)


def test_a_period_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(BadParameter, match="lies before since=2020-02-01"):
        period_query([("since", "2020-02-01"), ("until", "2020-01-31")], WORDS)


def test_the_last_day_of_the_calendar_ends_nothing() -> None:
    assert period_query([("until", "9999-12-31")], WORDS).until is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pull", "0"),
        ("pull", "-1"),
        ("pull", "1e3"),
        ("pull", "٣"),
        ("pull", "9" * 40),
        ("limit", "501"),
        ("limit", "0"),
    ],
)
def test_numbers_outside_their_bounds_are_refused(name: str, value: str) -> None:
    with pytest.raises(BadParameter, match="no whole number from 1 to"):
        commit_query([(name, value)], WORDS)


@pytest.mark.parametrize("text", ["x" * 201, "a\x00b"])
def test_text_that_no_subject_holds_is_refused(text: str) -> None:
    with pytest.raises(BadParameter):
        commit_query([("text", text)], WORDS)


def test_a_parameter_given_twice_is_refused() -> None:
    with pytest.raises(BadParameter, match="more than once"):
        commit_query([("vendor", "amd"), ("vendor", "nvidia")], WORDS)


@pytest.mark.parametrize("key", ["%%%", "é", "a", "_w"])
def test_a_key_that_was_never_given_is_refused(key: str) -> None:
    with pytest.raises(BadParameter, match="follow next_url"):
        commit_query([("before", key)], WORDS)


@given(st.text(max_size=60))
def test_a_key_comes_back_as_it_was(key: str) -> None:
    try:
        encoded = encode_key(key)
    except UnicodeEncodeError:
        return
    assert decode_key(encoded) == key
    assert encoded.isascii()


def test_a_series_is_of_the_first_repository_and_of_neutral_code_unless_said_otherwise() -> None:
    assert series_query([], WORDS) == SeriesQuery(repository="pytorch/pytorch")
    given = [("territory", "vendor"), ("construct", "guard"), ("by", "area"), ("names", "yes"), ("since", "2020-01-06")]
    assert series_query(given, WORDS, by=("vendor", "area")) == SeriesQuery(
        repository="pytorch/pytorch",
        by="area",
        territory=Territory.VENDOR,
        construct=Construct.GUARD,
        since=date(2020, 1, 6),
        names=True,
    )


def test_without_any_repository_a_series_is_of_none() -> None:
    assert series_query([], Vocabulary(repositories=(), vendors=(), organisations=())).repository == ""


def test_a_series_that_cannot_be_broken_down_knows_no_by() -> None:
    with pytest.raises(BadParameter, match="no such parameter"):
        series_query([("by", "vendor")], WORDS)
    with pytest.raises(BadParameter, match="vendor, area"):
        series_query([("by", "path")], WORDS, by=("vendor", "area"))


def test_a_drawing_has_a_theme_and_a_size_beside_its_series() -> None:
    themes, sizes = ("light", "dark"), ("wide", "narrow")
    given = [("theme", "dark"), ("size", "narrow"), ("vendor", "amd")]
    assert drawing_query(given, WORDS, by=(), themes=themes, sizes=sizes) == (
        SeriesQuery(repository="pytorch/pytorch", vendor="amd"),
        "dark",
        "narrow",
    )
    assert drawing_query([], WORDS, by=(), themes=themes, sizes=sizes)[1:] == ("light", "wide")


def test_a_list_that_is_not_paged_takes_a_limit_alone() -> None:
    assert (row_limit([]), row_limit([("limit", "3")])) == (50, 3)
    with pytest.raises(BadParameter):
        row_limit([("before", "x")])


def test_where_nothing_can_be_asked_nothing_is_taken() -> None:
    no_parameters([])
    with pytest.raises(BadParameter, match="no such parameter"):
        no_parameters([("x", "1")])


def test_the_next_address_keeps_filters_and_replaces_the_key() -> None:
    given = [("text", "a&b"), ("before", "old"), ("vendor", "")]
    assert next_address("/commits", given, "key") == f"/commits?text=a%26b&before={encode_key('key')}"
    assert next_address("/commits", given, None) is None


def test_an_address_with_a_change_begins_at_the_first_page() -> None:
    assert address_with("/commits", {"vendor": "amd", "before": "x"}, area="test") == "/commits?vendor=amd&area=test"
    assert address_with("/commits", {"vendor": "amd"}, vendor=None) == "/commits"
