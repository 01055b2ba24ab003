"""A query string -> typed filters: the one place that pages, JSON twins, CSV and charts share.

A parameter that nobody knows, a repeated one and a value that is none of the valid ones are refused, with the valid
ones listed: a filter that is ignored in silence gives a wrong number. An empty value (a form field left blank) is no
filter.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TypeVar
from urllib.parse import urlencode

from dashboards.problems import BadParameter
from tracker.reception import PullState
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict

Kind = TypeVar("Kind", bound=StrEnum)

DEFAULT_LIMIT = 50
LARGEST_LIMIT = 500
_LONGEST_TEXT = 200
JUDGED_MECHANISMS = tuple(
    mechanism for mechanism in Mechanism if mechanism not in (Mechanism.OUTSIDE, Mechanism.BASELINE)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The valid values that the database and the ruleset decide."""

    repositories: tuple[str, ...]
    """Slugs under watch."""
    vendors: tuple[str, ...]
    organisations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageKey:
    """Which part of a long list is asked for."""

    before: str | None = None
    """Key of the last row already seen, as the database gave it."""
    limit: int = DEFAULT_LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitQuery:
    """What a list of commits is restricted to; None does not restrict."""

    repository: str | None = None
    vendor: str | None = None
    area: Area | None = None
    verdict: Verdict | None = None
    mechanism: Mechanism | None = None
    organisation: str | None = None
    text: str | None = None
    since: datetime | None = None
    """Committed at or after."""
    until: datetime | None = None
    """Committed before."""
    pull: int | None = None
    page: PageKey = field(default_factory=PageKey)


@dataclass(frozen=True, slots=True, kw_only=True)
class PullQuery:
    """What a list of pull requests is restricted to."""

    repository: str | None = None
    state: PullState | None = None
    author: str | None = None
    text: str | None = None
    since: datetime | None = None
    """Created at or after."""
    until: datetime | None = None
    """Created before."""
    page: PageKey = field(default_factory=PageKey)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesQuery:
    """Which series of one repository is asked for."""

    repository: str
    by: str | None = None
    territory: Territory = Territory.NEUTRAL
    vendor: str | None = None
    area: Area | None = None
    construct: Construct | None = None
    since: date | None = None
    """First day of interest."""
    until: date | None = None
    """First day of no interest."""
    names: bool = False
    """Whether sites of construct `name` (identifiers that merely contain a vendor word) are counted too."""


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


COMMIT_PARAMETERS = (
    "repository",
    "vendor",
    "area",
    "verdict",
    "mechanism",
    "organisation",
    "text",
    "since",
    "until",
    "pull",
    "before",
    "limit",
)
PULL_PARAMETERS = ("repository", "state", "author", "text", "since", "until", "before", "limit")
SERIES_PARAMETERS = ("repository", "by", "territory", "vendor", "area", "construct", "since", "until", "names")
LIMIT_PARAMETERS = ("limit",)
REPOSITORY_PARAMETERS = ("repository",)


def commit_query(parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> CommitQuery:
    """Return the filter of a list of commits.

    Raises:
        BadParameter: something in the query string cannot be used.
    """
    query = Query(parameters, known=COMMIT_PARAMETERS)
    since, until = _period(query)
    return CommitQuery(
        repository=query.choice("repository", vocabulary.repositories),
        vendor=query.choice("vendor", vocabulary.vendors),
        area=query.kind("area", Area),
        verdict=query.kind("verdict", Verdict),
        mechanism=query.kind("mechanism", Mechanism, JUDGED_MECHANISMS),
        organisation=query.choice("organisation", vocabulary.organisations),
        text=query.text("text"),
        since=_midnight(since),
        until=_midnight(until),
        pull=query.number("pull", least=1, most=2**31 - 1),
        page=query.page(),
    )


def pull_query(parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> PullQuery:
    """Return the filter of a list of pull requests; raises as `commit_query`."""
    query = Query(parameters, known=PULL_PARAMETERS)
    since, until = _period(query)
    return PullQuery(
        repository=query.choice("repository", vocabulary.repositories),
        state=query.kind("state", PullState),
        author=query.text("author"),
        text=query.text("text"),
        since=_midnight(since),
        until=_midnight(until),
        page=query.page(),
    )


def series_query(
    parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary, *, by: Sequence[str] = ()
) -> SeriesQuery:
    """Return which series is asked for, of the first repository where none is named; raises as `commit_query`.

    Args:
        by: what this series can be broken down by; the parameter is refused where there is no choice.
    """
    known = [name for name in SERIES_PARAMETERS if by or name != "by"]
    query = Query(parameters, known=known)
    since, until = _period(query)
    return SeriesQuery(
        repository=query.choice("repository", vocabulary.repositories) or next(iter(vocabulary.repositories), ""),
        by=query.choice("by", by),
        territory=query.kind("territory", Territory) or Territory.NEUTRAL,
        vendor=query.choice("vendor", vocabulary.vendors),
        area=query.kind("area", Area),
        construct=query.kind("construct", Construct),
        since=since,
        until=until,
        names=query.flag("names"),
    )


def row_limit(parameters: Iterable[tuple[str, str]]) -> int:
    """Return how many rows of an unpaged list are wanted."""
    return Query(parameters, known=LIMIT_PARAMETERS).page().limit


def no_parameters(parameters: Iterable[tuple[str, str]]) -> None:
    """Refuse any parameter."""
    Query(parameters, known=())


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


def _period(query: Query) -> tuple[date | None, date | None]:
    """First day, and the day after the last: `until` as people write it includes its day."""
    since, until = query.day("since"), query.day("until")
    if since is not None and until is not None and until < since:
        raise BadParameter("until", until.isoformat(), f"lies before since={since.isoformat()}")
    if until is None or until == date.max:
        return since, None
    return since, until + timedelta(days=1)


def _midnight(day: date | None) -> datetime | None:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) if day is not None else None
