"""Answers that are kept between runs."""

from dataclasses import replace

from sqlalchemy.orm import Session, sessionmaker

from db.http_cache import HttpCache
from tests.pull_builders import A_TIME
from tracker.upstream import CachedAnswer

ANSWER = CachedAnswer(
    url="https://api.example.com/repos/octo/engine/pulls?per_page=1",
    etag='W/"1"',
    last_modified=None,
    link='<https://api.example.com/repositories/42/pulls?per_page=1&page=2>; rel="next"',
    body=b'[\x00\xff"not only text"]',
    fetched_at=A_TIME,
)


def test_an_answer_is_read_as_it_was_kept(sessions: sessionmaker[Session]) -> None:
    cache = HttpCache(sessions)
    cache.write("key", ANSWER)
    assert cache.read("key") == ANSWER


def test_a_newer_answer_takes_the_place_of_the_one_before(sessions: sessionmaker[Session]) -> None:
    cache = HttpCache(sessions)
    newer = replace(ANSWER, etag=None, last_modified="Mon, 06 May 2024 12:00:00 GMT", link=None, body=b"[]")
    cache.write("key", ANSWER)
    cache.write("key", newer)
    assert HttpCache(sessions).read("key") == newer


def test_what_was_not_kept_is_none(sessions: sessionmaker[Session]) -> None:
    cache = HttpCache(sessions)
    cache.write("key", ANSWER)
    assert cache.read("another") is None
