import io
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Never

import pytest

from jobs.log import Redaction, set_up_logging
from tracker.settings import Secret, Settings

HIDDEN = Settings(
    github_token=Secret("hunter2-token"),
    mail_key=Secret("hunter2-mail-key-hunter2"),
    github_app_key=Secret("-----BEGIN-----\nhunter2line1\nhunter2line2\n-----END-----"),
)


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)


def fail(message: str) -> Never:
    raise ValueError(message)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_time_and_a_sentence() -> None:
    stream = Terminal()
    set_up_logging(Settings(), stream)
    logging.getLogger("tracker.jobs").info("%s: ok", "crawl", extra={"fields": {"n": 1}})
    logging.getLogger("tracker.jobs").warning("of two\nlines")
    first, second = stream.getvalue().splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d crawl: ok", first)
    assert re.fullmatch(r"\d\d:\d\d:\d\d warning: of two lines", second)


def test_anything_else_gets_one_json_object_a_line() -> None:
    stream = io.StringIO()
    set_up_logging(Settings(), stream)
    logging.getLogger("tracker.jobs").info("%s: ok", "crawl", extra={"fields": {"counts": {"commits": 2}}})
    document = json.loads(stream.getvalue())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", document.pop("time"))
    assert document == {
        "level": "info",
        "logger": "tracker.jobs",
        "message": "crawl: ok",
        "counts": {"commits": 2},
    }


def test_a_traceback_stays_on_the_line_of_its_event() -> None:
    stream = io.StringIO()
    set_up_logging(Settings(), stream)
    try:
        fail("broken")
    except ValueError:
        logging.getLogger("x").exception("it failed")
    (line,) = stream.getvalue().splitlines()
    assert "ValueError: broken" in json.loads(line)["traceback"]


@pytest.mark.parametrize("log_format", ["human", "json"])
def test_no_secret_reaches_the_log(log_format: str) -> None:
    stream = io.StringIO()
    set_up_logging(replace(HIDDEN, log_format=log_format), stream)
    log = logging.getLogger("x")
    log.info("token %s", "hunter2-token", extra={"fields": {"key": "hunter2-mail-key-hunter2"}})
    log.info("key line hunter2line2 and %r and %s", HIDDEN, HIDDEN.github_token)
    try:
        fail("https://me:hunter2@host refused hunter2-token")
    except ValueError:
        log.exception("clone failed")
    log.info("Authorization: bearer hunter2hunter2hunter2 and ghp_hunter2hunter2hunter2")
    assert "hunter2" not in stream.getvalue()
    assert len(stream.getvalue()) > 100


def test_redaction_leaves_other_text_alone() -> None:
    text = "basic authentication of https://host/path@1 with a bearer was refused"
    assert Redaction()(text) == text


def test_short_values_are_no_secrets_to_search_for() -> None:
    assert Redaction([Secret("a")])("a banana") == "a banana"


def test_debug_is_only_logged_when_asked_for() -> None:
    stream = io.StringIO()
    set_up_logging(Settings(), stream)
    logging.getLogger("tracker.x").debug("detail")
    assert stream.getvalue() == ""
    set_up_logging(Settings(log_level="debug"), stream)
    logging.getLogger("tracker.x").debug("detail")
    assert "detail" in stream.getvalue()


def test_other_libraries_chatter_is_not_logged() -> None:
    stream = io.StringIO()
    set_up_logging(Settings(), stream)
    logging.getLogger("httpx").info("HTTP Request: GET ...")
    logging.getLogger("apscheduler.scheduler").info("Added job")
    logging.getLogger("apscheduler.scheduler").warning("maximum number of running instances reached")
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
    assert len(stream.getvalue().splitlines()) == 1


def test_the_folder_of_the_log_is_not_touched(tmp_path: Path) -> None:
    set_up_logging(Settings(var_folder=tmp_path / "var"), io.StringIO())
    assert list(tmp_path.iterdir()) == []


def test_the_secret_of_webhooks_is_taken_out_too() -> None:
    redact = Redaction.of(Settings(webhook_secret=Secret("0123456789abcdef")))
    assert redact("signed with 0123456789abcdef") == "signed with ***"
