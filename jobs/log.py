"""Sets logging up for a process: one line an event, readable on a terminal, JSON lines otherwise, without secrets.

A log call gives a whole sentence, and beside it `extra={"fields": {...}}` for machines: only JSON lines show those.
"""

import json
import logging
import re
import sys
import traceback
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TextIO

from tracker.settings import Secret, Settings

LEVEL_SIGNS = {logging.WARNING: "warning: ", logging.ERROR: "error: ", logging.CRITICAL: "error: "}
QUIET_LOGGERS = {
    "apscheduler": logging.ERROR,  # it warns each time that a long crawl is still running at its next turn
    "stamina": logging.ERROR,  # it warns of each of the quick retries within one run
    **dict.fromkeys(("alembic", "httpx", "httpcore", "uvicorn", "urllib3", "github"), logging.WARNING),
}
"""From which level on what other libraries log is an event for us."""

_ADDRESS_PASSWORD = re.compile(r"(://[^/:@\s]*):[^@/\s]+@")
_TOKEN = re.compile(
    r"\b(?:gh[opsu]_|github_pat_|ghr_)[A-Za-z0-9_]{16,}|(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{16,}"
)


class Redaction:
    """Takes secrets out of texts: those it was told of, and what looks like a GitHub token or a URL's password."""

    def __init__(self, secrets: Iterable[Secret | None] = ()) -> None:
        texts = {secret.reveal() for secret in secrets if secret is not None}
        # A key file has several lines, and each may come alone.
        self._texts = sorted({line for text in texts for line in (text, *text.splitlines()) if len(line) >= 6}, key=len)

    @classmethod
    def of(cls, settings: Settings) -> "Redaction":
        return cls((settings.github_token, settings.github_app_key, settings.mail_key, settings.webhook_secret))

    def __call__(self, text: str) -> str:
        """Return the text with *** in the place of each secret."""
        for secret in reversed(self._texts):
            text = text.replace(secret, "***")
        return _TOKEN.sub("***", _ADDRESS_PASSWORD.sub(r"\1:***@", text))


class HumanFormatter(logging.Formatter):
    """`10:46:41 sentence`, with warning or error said; a traceback follows in the lines below it."""

    def __init__(self, redact: Redaction) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).astimezone()
        line = f"{at:%H:%M:%S} {LEVEL_SIGNS.get(record.levelno, '')}{_one_line(record.getMessage())}"
        return self._redact(line + ("\n" + _traceback(record) if record.exc_info else ""))


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, the event's own fields, traceback."""

    def __init__(self, redact: Redaction) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        document: dict[str, object] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        document |= getattr(record, "fields", {})
        if record.exc_info:
            document["traceback"] = _traceback(record)
        return self._redact(json.dumps(document, ensure_ascii=False, default=str))


def set_up_logging(settings: Settings, stream: TextIO | None = None, *, level: str | None = None) -> None:
    """Send every logger's events to one stream, standard error unless another is given; may be called again.

    Args:
        level: instead of the one in the settings.
    """
    stream = stream or sys.stderr
    human = settings.log_format == "human" or (settings.log_format == "auto" and stream.isatty())
    redact = Redaction.of(settings)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(HumanFormatter(redact) if human else JsonFormatter(redact))
    least = getattr(logging, (level or settings.log_level).upper())
    logging.basicConfig(handlers=[handler], level=least, force=True)
    logging.captureWarnings(True)
    for name, quiet_level in QUIET_LOGGERS.items():
        logging.getLogger(name).setLevel(logging.DEBUG if least == logging.DEBUG else quiet_level)


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def _traceback(record: logging.LogRecord) -> str:
    kind, error, trace = record.exc_info if isinstance(record.exc_info, tuple) else (None, None, None)
    return "".join(traceback.format_exception(kind, error, trace)).rstrip()
