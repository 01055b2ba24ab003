"""Fields of JSON as facts need them, and what is refused with its path."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from tracker.errors import PayloadError
from tracker.sources.json_objects import JsonObject, storable


def an_object(value: object) -> JsonObject:
    return JsonObject({"field": value}, "answer")


def test_nul_and_half_a_surrogate_pair_become_the_replacement_character() -> None:
    assert (
        storable("a\0b\ud83dc\udca9")
        == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c\N{REPLACEMENT CHARACTER}"
    )


def test_emoji_and_right_to_left_text_stay_as_they_are() -> None:
    assert storable("🎉 שלום") == "🎉 שלום"


@pytest.mark.parametrize("value", [7, 7.0])
def test_a_whole_number_may_come_as_a_float(value: object) -> None:
    assert an_object(value).whole("field") == 7


@pytest.mark.parametrize("value", [None, "7", True, 7.5, -1, 2**31, float("nan"), float("inf"), [7], {}])
def test_what_is_no_whole_number_of_an_integer_column_is_refused(value: object) -> None:
    with pytest.raises(PayloadError, match=r"answer\.field"):
        an_object(value).whole("field")


def test_an_identifier_may_have_63_bits_and_not_more() -> None:
    assert an_object(2**63 - 1).identifier("field") == 2**63 - 1
    with pytest.raises(PayloadError):
        an_object(2**63).identifier("field")


def test_a_time_becomes_utc_without_fractions() -> None:
    assert an_object("2024-05-06T14:00:00.987+02:00").time("field") == datetime(2024, 5, 6, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "yesterday",
        "2024-05-06",
        "2024-05-06T14:00:00",
        "2024-13-06T14:00:00Z",
        "0001-01-01T00:00:00+14:00",
        1714996800,
        None,
    ],
)
def test_what_is_no_time_with_a_zone_is_refused(value: object) -> None:
    with pytest.raises(PayloadError):
        an_object(value).time("field")


def test_what_may_be_absent_is_none_when_it_is_absent_or_null() -> None:
    assert JsonObject({}, "answer").text_or_none("field") is None
    assert an_object(None).time_or_none("field") is None
    assert an_object(None).inner_or_none("field") is None


def test_what_may_be_absent_is_still_refused_in_another_form() -> None:
    with pytest.raises(PayloadError):
        an_object(5).text_or_none("field")


def test_a_null_list_is_empty_unless_it_must_be_given() -> None:
    assert an_object(None).items("field") == []
    with pytest.raises(PayloadError):
        an_object(None).items_given("field")


def test_null_items_of_a_list_keep_their_place() -> None:
    assert an_object([{"a": 1}, None]).items("field") == [({"a": 1}, "answer.field[0]"), (None, "answer.field[1]")]
    assert [item.path for item in an_object([None, {"a": 1}]).objects("field")] == ["answer.field[1]"]


@pytest.mark.parametrize("read", [JsonObject.text, JsonObject.flag, JsonObject.inner, JsonObject.items_given])
def test_each_reader_names_the_path_of_what_it_refuses(read: Callable[[JsonObject, str], object]) -> None:
    with pytest.raises(PayloadError, match=r"answer\.field"):
        read(an_object(3.5), "field")


def test_a_text_longer_than_its_column_is_refused() -> None:
    assert an_object("x" * 30).text("field", longest=30) == "x" * 30
    with pytest.raises(PayloadError):
        an_object("x" * 31).text("field", longest=30)


def test_what_is_no_object_is_refused() -> None:
    with pytest.raises(PayloadError, match="answer"):
        JsonObject([], "answer")


def test_a_complaint_quotes_no_more_than_200_signs() -> None:
    with pytest.raises(PayloadError) as caught:
        an_object("x" * 10_000).whole("field")
    assert len(str(caught.value)) < 300
