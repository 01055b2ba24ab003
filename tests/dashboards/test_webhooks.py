"""Deliveries of webhooks over HTTP, as an attacker would try them: nothing unsigned is looked into or written."""

import hmac
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import Engine, text

from dashboards.app import create_app
from dashboards.webhooks import ADDRESS, WebhookReceiver
from db import schema
from db.base import open_database, session_factory
from db.dirty_pulls import Marked, mark_dirty, read_dirty_pulls
from jobs import receive_webhooks
from tests.builders import A_DAY
from tests.dashboards.conftest import Ask
from tests.dashboards.serving import asked
from tests.stored import SLUG, a_repository
from tracker.ruleset import Ruleset
from tracker.settings import Secret, Settings
from tracker.webhooks import MOST_BYTES, Delivery

SECRET = "0123456789abcdef0123456789abcdef"
BODY = json.dumps({"pull_request": {"number": 7}, "repository": {"full_name": SLUG}}).encode()
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


def sign(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest()


def headers(body: bytes = BODY, changes: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    given = {
        "content-type": "application/json",
        "x-github-event": "pull_request",
        "x-github-delivery": GUID,
        "x-hub-signature-256": sign(body),
    }
    return {name: value for name, value in (given | dict(changes)).items() if value}


class Hook:
    """The served application, and what it marked."""

    def __init__(self, client: httpx.Client, engine: Engine, repository: int) -> None:
        self.client = client
        self._engine = engine
        self._repository = repository

    def post(self, body: bytes = BODY, changes: dict[str, str] | None = None) -> httpx.Response:
        return self.client.post(ADDRESS, content=body, headers=headers(body, changes or {}))

    def marked(self) -> list[int]:
        with session_factory(self._engine)() as session:
            return [one.number for one in read_dirty_pulls(session, self._repository, 99)]


@pytest.fixture
def hook(engine: Engine, settings: Settings, shipped_ruleset: Ruleset) -> Iterator[Hook]:
    sessions = session_factory(engine)
    with sessions.begin() as session:
        repository = a_repository(session)

    def mark(delivery: Delivery) -> Marked:
        with sessions.begin() as session:
            return mark_dirty(session, delivery, A_DAY)

    reading = open_database(engine.url.render_as_string(hide_password=False), read_only=True)
    receiver = WebhookReceiver(secret=Secret(SECRET), mark=mark, seconds_to_send=1.0)
    app = create_app(settings, reading, ruleset=shipped_ruleset, receiver=receiver)
    with asked(app) as client:
        yield Hook(client, engine, repository)
    reading.dispose()


def test_a_signed_delivery_marks_its_pull_request(hook: Hook) -> None:
    answer = hook.post()
    assert (answer.status_code, answer.json()["outcome"]) == (202, "marked")
    assert hook.marked() == [7]


def test_a_delivery_that_comes_again_is_taken_and_changes_nothing(hook: Hook) -> None:
    hook.post()
    answer = hook.post()
    assert (answer.status_code, answer.json()["outcome"]) == (202, "replayed")
    assert hook.marked() == [7]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"x-hub-signature-256": ""}, id="none"),
        pytest.param({"x-hub-signature-256": sign(BODY, "wrong secret of the attacker")}, id="by another secret"),
        pytest.param({"x-hub-signature-256": sign(BODY + b" ")}, id="of another body"),
        pytest.param({"x-hub-signature-256": "sha256=" + "0" * 64}, id="zeros"),
        pytest.param({"x-hub-signature-256": sign(BODY).upper()}, id="in capitals"),
        pytest.param(
            {
                "x-hub-signature-256": "",
                "x-hub-signature": "sha1=" + hmac.new(SECRET.encode(), BODY, "sha1").hexdigest(),
            },
            id="by the older header",
        ),
    ],
)
def test_a_wrong_signature_is_401_and_says_nothing_of_the_right_one(hook: Hook, changes: dict[str, str]) -> None:
    answer = hook.post(BODY, changes)
    assert (answer.status_code, answer.json()["outcome"]) == (401, "refused")
    assert sign(BODY)[7:] not in answer.text
    assert hook.marked() == []


def test_two_signatures_are_none(hook: Hook) -> None:
    given = [*headers().items(), ("x-hub-signature-256", sign(BODY))]
    assert hook.client.post(ADDRESS, content=BODY, headers=given).status_code == 401


def test_an_unsigned_body_is_not_looked_into(hook: Hook) -> None:
    for body in (b"[" * 100_000, b"\xff", b"", b"{"):
        answer = hook.post(body, {"x-hub-signature-256": "sha256=" + "0" * 64})
        assert answer.status_code == 401


@pytest.mark.parametrize("event", ["ping", "push", "star", "unheard_of", ""])
def test_an_event_that_is_unknown_is_202_and_ignored(hook: Hook, event: str) -> None:
    answer = hook.post(BODY, {"x-github-event": event})
    assert (answer.status_code, answer.json()["outcome"]) == (202, "ignored")
    assert hook.marked() == []


def test_a_repository_that_is_not_under_watch_is_told_apart_and_marks_nothing(hook: Hook) -> None:
    body = BODY.replace(SLUG.encode(), b"o/unknown")
    assert (hook.post(body).status_code, hook.post(body).json()["outcome"]) == (202, "unwatched")


@pytest.mark.parametrize(
    "body", [b"payload=%7B%7D", b"{}", b"[" * 100_000, BODY.replace(b"7", b"0"), BODY.replace(b"7", b"99999999999")]
)
def test_a_signed_body_of_another_form_is_400(hook: Hook, body: bytes) -> None:
    answer = hook.post(body)
    assert (answer.status_code, answer.json()["outcome"]) == (400, "refused")
    assert hook.marked() == []


def test_a_delivery_without_an_id_is_400(hook: Hook) -> None:
    assert hook.post(BODY, {"x-github-delivery": ""}).status_code == 400


def test_a_body_that_is_too_large_is_413_by_its_own_word_and_by_count(hook: Hook) -> None:
    large = BODY + b" " * MOST_BYTES

    def pieces() -> Iterator[bytes]:
        yield from (large[start : start + 65536] for start in range(0, len(large), 65536))

    assert hook.post(large).status_code == 413
    # Without a length, in chunks, the bytes themselves are counted.
    assert hook.client.post(ADDRESS, content=pieces(), headers=headers(large)).status_code == 413
    assert hook.marked() == []


def test_the_largest_body_is_taken(hook: Hook) -> None:
    body = BODY + b" " * (MOST_BYTES - len(BODY))
    assert hook.post(body).status_code == 202


def test_a_sender_who_dawdles_is_turned_away_and_holds_up_nobody(hook: Hook) -> None:
    address = urlsplit(str(hook.client.base_url))
    with socket.create_connection((address.hostname, address.port), timeout=20) as slow:
        head = f"POST {ADDRESS} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{{"
        slow.sendall(head.encode())
        assert hook.post().status_code == 202
        assert b" 408 " in slow.recv(4096).partition(b"\r\n")[0]


def test_many_at_once_that_are_one_delivery_mark_once(hook: Hook) -> None:
    outcomes: list[str] = []
    threads = [threading.Thread(target=lambda: outcomes.append(hook.post().json()["outcome"])) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["marked", *["replayed"] * 5]
    assert hook.marked() == [7]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
def test_nothing_but_a_post_is_answered(hook: Hook, method: str) -> None:
    assert hook.client.request(method, ADDRESS).status_code == 405


def test_a_database_that_another_writes_to_for_long_is_503_and_holds_up_no_page(
    tmp_path: Path, settings: Settings, shipped_ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receive_webhooks, "SECONDS_OF_PATIENCE", 0.05)
    url = f"sqlite:///{tmp_path}/tracker.db"
    writing = open_database(url)
    schema.upgrade(writing)
    sessions = session_factory(writing)
    with sessions.begin() as session:
        a_repository(session)
    reading = open_database(url, read_only=True)
    given = replace(settings, database_url=url, webhook_secret=Secret(SECRET))
    with receive_webhooks.webhook_receiver(given) as receiver:
        app = create_app(settings, reading, ruleset=shipped_ruleset, receiver=receiver)
        with asked(app) as client, sessions.begin() as other:
            other.execute(text("SELECT 1"))
            answers = [client.post(ADDRESS, content=BODY, headers=headers()) for _ in range(3)]
            assert [(answer.status_code, answer.json()["outcome"]) for answer in answers] == [(503, "refused")] * 3
            assert client.get("/runs").status_code == 200
        with asked(app) as client:
            assert client.post(ADDRESS, content=BODY, headers=headers()).status_code == 202
    reading.dispose()
    writing.dispose()


def test_answers_carry_the_headers_of_every_other_answer(hook: Hook) -> None:
    answer = hook.post()
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_without_a_secret_there_is_no_such_address(engine: Engine, ask: Ask) -> None:
    client = ask(engine)
    assert client.post(ADDRESS, content=BODY, headers=headers()).status_code == 404
    assert client.post("/pulls", content=BODY, headers=headers()).status_code == 405
