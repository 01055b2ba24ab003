"""Where the two crawls of pull requests stopped, as JSON in the cursor table.

The backfill walks by time of creation and keeps GitHub's own cursor. The increments walk by time of update and keep a
time: GitHub has no "since" for pull requests, and its cursors are not made to be kept for weeks.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from tracker.sources.github_queries import LARGEST_PAGE

BACKFILL = "pulls-backfill"
UPDATES = "pulls-updates"
OVERLAP = timedelta(minutes=10)
"""How far behind the watermark an increment begins: one server may show an update later than another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillCursor:
    after: str | None = None
    """GitHub's cursor; None: at the beginning."""
    size: int = LARGEST_PAGE
    """Of the next page."""
    done: bool = False
    watermark: datetime | None = None
    """What was updated last when the backfill began: increments have to begin there. None: there was nothing."""

    def to_json(self) -> str:
        return json.dumps(
            {"after": self.after, "size": self.size, "done": self.done, "watermark": _text(self.watermark)},
            sort_keys=True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatesCursor:
    watermark: datetime | None
    """Everything updated before is stored; a time of GitHub's, never of this machine."""
    size: int = LARGEST_PAGE
    newest: tuple[int, datetime] | None = None
    """Number and time of update of what was updated last when an increment last read to the end; None: it did not."""
    settled: bool = False
    """That increment read so late after `newest` that no older update can have appeared behind it since."""

    def to_json(self) -> str:
        newest = [self.newest[0], _text(self.newest[1])] if self.newest is not None else None
        return json.dumps(
            {
                "watermark": _text(self.watermark),
                "size": self.size,
                "newest": newest,
                "settled": self.settled,
            },
            sort_keys=True,
        )


def parse_backfill(text: str | None) -> BackfillCursor | None:
    """Return what `to_json` wrote; None for None."""
    if text is None:
        return None
    value = json.loads(text)
    return BackfillCursor(
        after=value["after"], size=value["size"], done=value["done"], watermark=_time(value["watermark"])
    )


def parse_updates(text: str | None) -> UpdatesCursor | None:
    """Return what `to_json` wrote; None for None."""
    if text is None:
        return None
    value = json.loads(text)
    newest = value["newest"]
    return UpdatesCursor(
        watermark=_time(value["watermark"]),
        size=value["size"],
        newest=(newest[0], datetime.fromisoformat(newest[1])) if newest is not None else None,
        settled=value["settled"],
    )


def _text(at: datetime | None) -> str | None:
    return at.isoformat() if at is not None else None


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text is not None else None
