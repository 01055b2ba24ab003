"""Facts -> JSON values and CSV text, the same for every twin: times in UTC, kinds by value, unknown as null."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from dashboards.wording import csv_cell


def plain(value: object) -> object:
    """Return a fact as JSON values; a dataclass becomes an object with its fields in order.

    Raises:
        TypeError: a value is of no known kind, which is a mistake of ours and not of the data.
    """
    match value:
        case StrEnum():
            return value.value
        case None | bool() | int() | float() | str():
            return value
        case datetime() | date():
            return utc_text(value) if isinstance(value, datetime) else value.isoformat()
        case Mapping():
            return {str(plain(key)): plain(item) for key, item in value.items()}
        case Sequence() | set() | frozenset():
            return [plain(item) for item in value]
        case _ if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def utc_text(at: datetime) -> str:
    """Return an RFC 3339 time in UTC, with a fraction only where there is one."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as RFC 4180 text with a header; lists are joined by spaces, formulas are made harmless."""
    sink = io.StringIO()
    writer = csv.writer(sink)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return sink.getvalue()


def _cell(value: object) -> str:
    flat = plain(value)
    if isinstance(flat, list):
        return csv_cell(" ".join(str(item) for item in flat))
    if isinstance(flat, dict):
        return csv_cell(" ".join(f"{key}:{item}" for key, item in flat.items()))
    if isinstance(flat, bool):
        return "true" if flat else "false"
    return csv_cell(flat)
