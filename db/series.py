"""Sums of weekly flows and lines, by any combination of place, vendor, construct, organisation and mechanism.

A commit dated before the first or behind the last week of its repository's line counts in that week, as everywhere. One
statement for flows and one for lines, whatever the number of repositories.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Select, String, case, func, select, type_coerce
from sqlalchemy.orm import Session

from db.flow_cells import UNKNOWN
from db.overview import read_extents
from db.tables import RepositoryRow, WeeklyFlowRow, WeeklyLinesRow
from tracker.measures import CellSum, Key, LineSum
from tracker.rollup import week_of
from tracker.sites import Area, Construct, Mechanism, Territory

NVIDIA = "nvidia"


class Dimension(StrEnum):
    """What a series can be restricted to, and broken down by."""

    REPOSITORY = "repository"
    TERRITORY = "territory"
    AREA = "area"
    SUBSYSTEM = "subsystem"
    VENDOR = "vendor"
    CONSTRUCT = "construct"
    ORGANISATION = "organisation"
    """Of the commits' authors; of flows alone."""
    MECHANISM = "mechanism"
    """Of flows of sites alone."""


_OF_PLACES = (Dimension.REPOSITORY, Dimension.TERRITORY, Dimension.AREA, Dimension.SUBSYSTEM)
"""What lines have as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesFilter:
    """Which weekly flows are added up, and by what; None lets all pass."""

    repositories: tuple[str, ...]
    """Slugs."""
    by: tuple[Dimension, ...] = ()
    """Each once."""
    territory: Territory | None = Territory.NEUTRAL
    area: Area | None = None
    subsystem: str | None = None
    vendor: str | None = None
    construct: Construct | None = None
    organisation: str | None = None
    """`UNKNOWN` is a value of its own."""
    mechanism: Mechanism | None = None
    names: bool = False
    """Whether names that merely contain a vendor's word are sites; they are where their construct is asked for."""

    def uses(self, *dimensions: Dimension) -> bool:
        """Return whether the series is restricted to a value of one of these, or broken down by it."""
        return any(dimension in self.by or getattr(self, dimension.value, None) is not None for dimension in dimensions)


@dataclass(frozen=True, slots=True)
class LineOfWeeks:
    """From which week to which a repository's line was read."""

    first: date
    last: date


def read_lines_of_weeks(session: Session, slugs: tuple[str, ...]) -> Mapping[str, LineOfWeeks]:
    """Return the weeks of repositories, by slug; one of which nothing was read is absent."""
    return {
        extent.repository: LineOfWeeks(min(week_of(extent.first_at), week_of(extent.last_at)), week_of(extent.last_at))
        for extent in read_extents(session)
        if extent.repository in slugs and extent.first_at is not None and extent.last_at is not None
    }


def read_cell_sums(session: Session, wanted: SeriesFilter) -> Iterator[CellSum]:
    """Yield the sums of sites, and of neutral constructs, by week and key; several may be of one week and key."""
    lines = read_lines_of_weeks(session, wanted.repositories)
    neutral = WeeklyFlowRow.construct == Construct.NEUTRAL
    name = WeeklyFlowRow.construct == Construct.NAME
    baseline = WeeklyFlowRow.mechanism == Mechanism.BASELINE
    added, removed = WeeklyFlowRow.added, WeeklyFlowRow.removed
    keys = [_column(dimension) for dimension in wanted.by]
    flags = [case((flag, 1), else_=0) for flag in (neutral, name, WeeklyFlowRow.vendor == NVIDIA)]
    numbers = (
        func.sum(case((baseline, added - removed), else_=0)),
        *(
            func.sum(case((baseline, 0), else_=number))
            for number in (added, removed, WeeklyFlowRow.net_added, WeeklyFlowRow.net_removed)
        ),
    )
    groups = [
        RepositoryRow.slug,
        WeeklyFlowRow.week,
        *(flag.label(f"flag_{at}") for at, flag in enumerate(flags)),
        *keys,
    ]
    query: Select[*tuple[Any, ...]] = (
        select(*groups, *numbers)
        .join(RepositoryRow, RepositoryRow.id == WeeklyFlowRow.repository_id)
        .where(RepositoryRow.slug.in_(lines), *_conditions(wanted))
        .group_by(*groups)
    )
    names_count = wanted.names or wanted.construct is Construct.NAME or Dimension.CONSTRUCT in wanted.by
    for slug, week, is_neutral, is_name, is_nvidia, *rest in session.execute(query):
        words, sums = rest[: len(keys)], [int(number) for number in rest[len(keys) :]]
        yield CellSum(
            week=_within(lines[slug], week),
            key=_key(wanted, slug, words),
            is_neutral=bool(is_neutral),
            is_headline=names_count or not is_name,
            is_nvidia=bool(is_nvidia),
            found=sums[0],
            added=sums[1],
            removed=sums[2],
            net_added=sums[3],
            net_removed=sums[4],
        )


def read_line_sums(session: Session, wanted: SeriesFilter) -> dict[tuple[date, Key], int]:
    """Return by how many lines each week changed each place; keys hold what of the series' keys places have."""
    lines = read_lines_of_weeks(session, wanted.repositories)
    keys: list[ColumnElement[str]] = [
        type_coerce(getattr(WeeklyLinesRow, dimension.value), String)
        for dimension in wanted.by
        if dimension in _OF_PLACES and dimension is not Dimension.REPOSITORY
    ]
    change = func.sum(WeeklyLinesRow.found + WeeklyLinesRow.added - WeeklyLinesRow.removed)
    query: Select[*tuple[Any, ...]] = (
        select(RepositoryRow.slug, WeeklyLinesRow.week, change, *keys)
        .join(RepositoryRow, RepositoryRow.id == WeeklyLinesRow.repository_id)
        .where(RepositoryRow.slug.in_(lines))
        .group_by(RepositoryRow.slug, WeeklyLinesRow.week, *keys)
    )
    for column, value in (
        (WeeklyLinesRow.territory, wanted.territory),
        (WeeklyLinesRow.area, wanted.area),
        (WeeklyLinesRow.subsystem, wanted.subsystem),
    ):
        if value is not None:
            query = query.where(column == value)
    found: dict[tuple[date, Key], int] = {}
    for slug, week, number, *words in session.execute(query):
        place = iter(words)
        key = tuple(
            slug if dimension is Dimension.REPOSITORY else next(place)
            for dimension in wanted.by
            if dimension in _OF_PLACES
        )
        at = (_within(lines[slug], week), key)
        found[at] = found.get(at, 0) + int(number)
    return found


def lines_by_key(wanted: SeriesFilter, keys: set[Key], by_place: Mapping[tuple[date, Key], int]) -> Iterator[LineSum]:
    """Give each key of a series the lines of its place: keys that differ in vendors or constructs alone share them."""
    kept = [index for index, dimension in enumerate(wanted.by) if dimension in _OF_PLACES]
    holders: dict[Key, list[Key]] = {}
    for key in keys:
        holders.setdefault(tuple(key[index] for index in kept), []).append(key)
    for (week, place), change in by_place.items():
        for key in holders.get(place, ()):
            yield LineSum(week=week, key=key, change=change)


def _column(dimension: Dimension) -> ColumnElement[str]:
    """As plain text: making a member of a kind of each would take longer than reading them."""
    column = RepositoryRow.slug if dimension is Dimension.REPOSITORY else getattr(WeeklyFlowRow, dimension.value)
    return type_coerce(column, String).label(f"by_{dimension.value}")


def _conditions(wanted: SeriesFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    for column, value in (
        (WeeklyFlowRow.territory, wanted.territory),
        (WeeklyFlowRow.area, wanted.area),
        (WeeklyFlowRow.subsystem, wanted.subsystem),
        (WeeklyFlowRow.vendor, wanted.vendor),
        (WeeklyFlowRow.construct, wanted.construct),
        (WeeklyFlowRow.organisation, wanted.organisation),
        (WeeklyFlowRow.mechanism, wanted.mechanism),
    ):
        if value is not None:
            conditions.append(column == value)
    if wanted.uses(Dimension.MECHANISM, Dimension.ORGANISATION):
        conditions.append(WeeklyFlowRow.mechanism != Mechanism.BASELINE)
    if wanted.uses(Dimension.VENDOR, Dimension.CONSTRUCT, Dimension.MECHANISM):
        conditions.append(WeeklyFlowRow.construct != Construct.NEUTRAL)
    return conditions


def _key(wanted: SeriesFilter, slug: str, words: list[str]) -> Key:
    return tuple(
        slug
        if dimension is Dimension.REPOSITORY
        else word
        if word or dimension is not Dimension.ORGANISATION
        else "unknown"
        for dimension, word in zip(wanted.by, words, strict=True)
    )


def _within(line: LineOfWeeks, week: date) -> date:
    return min(max(week, line.first), line.last)


__all__ = [
    "UNKNOWN",
    "Dimension",
    "LineOfWeeks",
    "SeriesFilter",
    "lines_by_key",
    "read_cell_sums",
    "read_line_sums",
    "read_lines_of_weeks",
]
