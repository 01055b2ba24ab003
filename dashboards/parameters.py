"""The parameters of one query string, read one by one: choices, dates, numbers, texts, and keys of pages.

A parameter that nobody knows, a repeated one and a value that is none of the valid ones are refused, with the valid
ones listed: a filter that is ignored in silence gives a wrong number. An empty value (a form field left blank) is no
filter.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlencode

from dashboards.problems import BadParameter

Kind = TypeVar("Kind", bound=StrEnum)

DEFAULT_LIMIT = 50
LARGEST_LIMIT = 500
LARGEST_NUMBER = 2**31 - 1
"""Of a pull request; more does not fit the database's column."""
_LONGEST_TEXT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class PageKey:
    """Which part of a long list is asked for."""

    before: str | None = None
    """Key of the last row already seen, as the database gave it."""
    limit: int = DEFAULT_LIMIT


class Query:
    """The parameters of one request, each read once; the names that may be given are said beforehand."""

    def __init__(self, parameters: Iterable[tuple[str, str]], *, known: Sequence[str]) -> None:
        self._values: dict[str, str] = {}
        for name, value in parameters:
            if name not in known:
                raise BadParameter(name, value, "no such parameter here", tuple(known))
            if name in self._values:
                raise BadParameter(name, value, "given more than once")
            if value.strip():
                self._values[name] = value.strip()

    def choice(self, name: str, valid: Sequence[str]) -> str | None:
        """Return the value, which must be one of the valid ones; case is ignored."""
        value = self._values.get(name)
        if value is None:
            return None
        folded = {choice.lower(): choice for choice in valid}
        if value.lower() not in folded:
            raise BadParameter(name, value, "none of the values it can have", tuple(valid) or ("none yet",))
        return folded[value.lower()]

    def kind(self, name: str, kinds: type[Kind], valid: Sequence[Kind] | None = None) -> Kind | None:
        """Return the value as a member of an enumeration."""
        found = self.choice(name, [kind.value for kind in (valid if valid is not None else list(kinds))])
        return kinds(found) if found is not None else None

    def text(self, name: str) -> str | None:
        """Return free text of at most 200 signs."""
        value = self._values.get(name)
        if value is not None and len(value) > _LONGEST_TEXT:
            raise BadParameter(name, value, f"longer than {_LONGEST_TEXT} signs")
        if value is not None and "\x00" in value:
            raise BadParameter(name, value, "holds a NUL sign, which no text in the database has")
        return value

    def number(self, name: str, *, least: int, most: int) -> int | None:
        """Return a whole number within bounds."""
        value = self._values.get(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit()) or len(value) > 12 or not least <= int(value) <= most:
            raise BadParameter(name, value, f"no whole number from {least} to {most}")
        return int(value)

    def day(self, name: str) -> date | None:
        """Return a calendar day written as 2026-01-31."""
        value = self._values.get(name)
        if value is None:
            return None
        try:
            return datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC).date()
        except ValueError as error:
            raise BadParameter(name, value, "no date such as 2026-01-31") from error

    def flag(self, name: str) -> bool:
        """Return whether the parameter says yes."""
        return self.choice(name, ("yes", "no")) == "yes"

    def page(self) -> PageKey:
        """Return the part of a list: `limit`, and `before`, which is opaque to callers."""
        before = self._values.get("before")
        limit = self.number("limit", least=1, most=LARGEST_LIMIT)
        key = decode_key(before) if before is not None else None
        return PageKey(before=key, limit=limit if limit is not None else DEFAULT_LIMIT)


def is_slug(text: str) -> bool:
    """Return whether a text can be a repository's owner/name."""
    return re.fullmatch(r"[\w.-]{1,100}/[\w.-]{1,100}", text, re.ASCII) is not None


def next_address(path: str, parameters: Iterable[tuple[str, str]], key: str | None) -> str | None:
    """Return the address of the part after this one, filters kept; None when this is the last."""
    if key is None:
        return None
    kept = [(name, value) for name, value in parameters if name != "before" and value]
    return f"{path}?{urlencode([*kept, ('before', encode_key(key))])}"


def address_with(path: str, parameters: Mapping[str, str], **changes: str | None) -> str:
    """Return an address with some parameters set, or with None taken away; the place in a list is dropped."""
    kept = {name: value for name, value in parameters.items() if name != "before"} | changes
    text = urlencode([(name, value) for name, value in kept.items() if value])
    return f"{path}?{text}" if text else path


def encode_key(key: str) -> str:
    """Return the opaque form of a key of the database."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def decode_key(value: str) -> str:
    """Return the key of the database; raises `BadParameter` for what `encode_key` never made."""
    try:
        return base64.b64decode(value + "=" * (-len(value) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise BadParameter("before", value, "no key of a page; follow next_url as it was given") from error
