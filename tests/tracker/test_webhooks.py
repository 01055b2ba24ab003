"""Deliveries of webhooks: the signature over the bytes as they came, and the little that a signed one is believed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.webhooks import EVENTS, Delivery, NotADelivery, is_signed, parse_delivery

SECRET = "It's a Secret to Everybody"
HELLO = b"Hello, World!"
SIGNATURE = b"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
"""GitHub's own example, https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries."""
DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


def payload(about: str = "pull_request", **changes: object) -> bytes:
    return json.dumps({about: {"number": 7}, "repository": {"full_name": "octo/engine"}} | changes).encode()


def test_the_example_of_githubs_documentation_is_signed() -> None:
    assert is_signed(HELLO, SIGNATURE, SECRET)


@pytest.mark.parametrize(
    ("body", "signature", "secret"),
    [
        pytest.param(HELLO, SIGNATURE, "another secret", id="another secret"),
        pytest.param(HELLO + b" ", SIGNATURE, SECRET, id="a body with one byte more"),
        pytest.param(b"", SIGNATURE, SECRET, id="no body"),
        pytest.param(HELLO, b"", SECRET, id="no signature"),
        pytest.param(HELLO, b"sha256=", SECRET, id="an empty signature"),
        pytest.param(HELLO, SIGNATURE[:-1], SECRET, id="all but one digit"),
        pytest.param(HELLO, SIGNATURE.upper(), SECRET, id="capitals"),
        pytest.param(HELLO, SIGNATURE.removeprefix(b"sha256="), SECRET, id="no prefix"),
        pytest.param(HELLO, b"sha1=" + SIGNATURE[7:47], SECRET, id="the older algorithm"),
        pytest.param(HELLO, SIGNATURE + b"\n", SECRET, id="a newline behind it"),
        pytest.param(HELLO, SIGNATURE + b", " + SIGNATURE, SECRET, id="two in one"),
        pytest.param(HELLO, b"\xff" * 71, SECRET, id="no text"),
    ],
)
def test_anything_else_is_not(body: bytes, signature: bytes, secret: str) -> None:
    assert not is_signed(body, signature, secret)


@given(body=st.binary(max_size=50), signature=st.binary(max_size=90))
def test_no_guess_is_right(body: bytes, signature: bytes) -> None:
    assert not is_signed(body, signature, SECRET) or (body, signature) == (HELLO, SIGNATURE)


@pytest.mark.parametrize("event", sorted(EVENTS - {"issue_comment"}))
def test_a_delivery_about_a_pull_request_names_it(event: str) -> None:
    assert parse_delivery(event, DELIVERY, payload()) == Delivery(
        id=DELIVERY, event=event, repository="octo/engine", number=7
    )


def test_a_comment_is_about_a_pull_request_only_where_it_says_so() -> None:
    on_pull = payload("issue", issue={"number": 7, "pull_request": {"url": "x"}})
    found = parse_delivery("issue_comment", DELIVERY, on_pull)
    assert found == Delivery(id=DELIVERY, event="issue_comment", repository="octo/engine", number=7)
    assert parse_delivery("issue_comment", DELIVERY, payload("issue")) is None


@pytest.mark.parametrize("event", ["ping", "push", "star", "", "PULL_REQUEST", "pull_request\n"])
def test_other_events_say_nothing_and_are_not_even_read(event: str) -> None:
    assert parse_delivery(event, DELIVERY, b"\xff not json") is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"payload=%7B%7D",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        payload(pull_request=None),
        payload(pull_request=[]),
        payload(pull_request={}),
        payload(pull_request={"number": "7"}),
        payload(pull_request={"number": True}),
        payload(pull_request={"number": 7.0}),
        payload(pull_request={"number": 0}),
        payload(pull_request={"number": -7}),
        payload(pull_request={"number": 2**31}),
        payload(repository=None),
        payload(repository={}),
        payload(repository={"full_name": 5}),
        payload(repository={"full_name": "octo"}),
        payload(repository={"full_name": "octo/engine/../x"}),
        payload(repository={"full_name": "octo/engine' OR 1=1"}),
        payload(repository={"full_name": "o" * 101 + "/n"}),
    ],
)
def test_a_body_of_another_form_is_refused(body: bytes) -> None:
    with pytest.raises(NotADelivery):
        parse_delivery("pull_request", DELIVERY, body)


@pytest.mark.parametrize("delivery", ["", "short", "a" * 101, "a b c d e f g", "'; DROP TABLE x", DELIVERY + "\n"])
def test_a_delivery_without_an_id_of_its_own_is_refused(delivery: str) -> None:
    with pytest.raises(NotADelivery, match="X-GitHub-Delivery"):
        parse_delivery("pull_request", delivery, payload())
