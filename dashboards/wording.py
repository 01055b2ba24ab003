"""Numbers, times and hostile text as people read them: thousands, signed changes, durations, visible control signs.

Pure functions, registered as template filters by `dashboards.app`. Unknown is the word "unknown", never zero or blank.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

UNKNOWN = "unknown"
_MINUS = "\N{MINUS SIGN}"
_LONGEST_TEXT = 2_000
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def number(value: float | None) -> str:
    """Return a whole number with thin thousands separators, or the word unknown."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", _MINUS)


def signed(value: float | None) -> str:
    """Return a change with its sign; no change is 0 without one."""
    if value is None:
        return UNKNOWN
    return f"+{number(value)}" if value > 0 else number(value)


def percent(share: float | None, *, digits: int = 0) -> str:
    """Return a share of 0..1 in percent; a share that rounds to 0 without being 0 is said to be less than 1."""
    if share is None:
        return UNKNOWN
    if 0 < share < 10**-digits / 200:
        return f"<{10**-digits:.{digits}f}%"
    return f"{share * 100:.{digits}f}%".replace("-", _MINUS)


def change(before: float | None, after: float | None) -> str:
    """Say how a number changed, in percent of what it was: "8% fewer", "51% more", "as many"."""
    if before is None or after is None:
        return "change unknown"
    if before == after:
        return "as many"
    if before == 0:
        return f"{number(after)} more"
    ratio = (after - before) / before
    return f"{percent(abs(ratio), digits=0 if abs(ratio) >= 0.1 else 1)} {'more' if ratio > 0 else 'fewer'}"


def day(at: datetime | None) -> str:
    """Return the UTC date."""
    return f"{at:%Y-%m-%d}" if at is not None else UNKNOWN


def moment(at: datetime | None) -> str:
    """Return date and time to the minute, UTC."""
    return f"{at:%Y-%m-%d %H:%M}\N{NO-BREAK SPACE}UTC" if at is not None else UNKNOWN


def hours(count: float | None) -> str:
    """Return a number of hours as a length of time."""
    return duration(timedelta(hours=count)) if count is not None else UNKNOWN


def duration(span: timedelta | None) -> str:
    """Return a length of time in its two largest units: 3 d 4 h, 2 h 5 min, 7 s."""
    if span is None:
        return UNKNOWN
    seconds = max(round(span.total_seconds()), 0)
    if seconds < 60:
        return f"{seconds} s"
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if days:
        return f"{days} d {hours % 24} h" if days < 14 and hours % 24 else f"{days} d"
    if hours:
        return f"{hours} h {minutes % 60} min" if minutes % 60 else f"{hours} h"
    return f"{minutes} min"


def times_each(lines: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return each line number once, in order, with how often it occurs."""
    return tuple(sorted(Counter(lines).items()))


def short_sha(sha: str | None) -> str:
    """Return the first ten digits, as people quote them."""
    return sha[:10] if sha else UNKNOWN


def visible(text: str | None) -> str:
    """Return text with control, bidirectional and zero-width signs written out as <U+202E>, cut to 2,000 signs.

    A commit's subject may hold any of them; a page must not be reordered, broken or misled by it.
    """
    if text is None:
        return UNKNOWN
    shown = _INVISIBLE.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)
    return shown if len(shown) <= _LONGEST_TEXT else f"{shown[:_LONGEST_TEXT]} …"


def csv_cell(value: object) -> str:
    """Return a cell that no spreadsheet runs as a formula: text that begins like one gets a leading apostrophe."""
    if value is None:
        return ""
    if isinstance(value, str):
        text = visible(value)
        return f"'{text}" if text.startswith(_FORMULA_STARTS) or _is_wide_formula(text) else text
    return str(value)


def _is_wide_formula(text: str) -> bool:
    """Full-width forms of the same signs start formulas in some spreadsheets as well."""
    return unicodedata.normalize("NFKC", text[:1]) in _FORMULA_STARTS if text else False


def plural(count: float | None, one: str, many: str | None = None) -> str:
    """Return a number with its noun in the right form."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"
