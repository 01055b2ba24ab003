"""Weekly cells of one repository, read once for all the series that a page draws from them.

A page shows dozens of series of the same cells: by vendor, by area, by vendor within each area. They are read in one
statement, and added up here.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, NamedTuple, assert_never

from sqlalchemy import Select, String, select, type_coerce
from sqlalchemy.orm import Session

from db.remembered import once, remember
from db.tables import RepositoryRow, WeeklyCellRow
from tracker.rollup import Flow
from tracker.sites import Area, Construct, Mechanism, Territory

Kind = tuple[str, str, str, str]
"""Area, subsystem, vendor and construct, as words."""


class By(StrEnum):
    """What a series is broken down by."""

    VENDOR = "vendor"
    AREA = "area"
    SUBSYSTEM = "subsystem"
    CONSTRUCT = "construct"
    TERRITORY = "territory"
    MECHANISM = "mechanism"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFilter:
    """Which cells of one repository a series adds up; None lets all pass."""

    repository: str
    """Slug."""
    territory: Territory | None = Territory.NEUTRAL
    vendor: str | None = None
    area: Area | None = None
    subsystem: str | None = None
    construct: Construct | None = None
    """None: every construct but the neutral ones. Coupling and adoption are two series and never added together."""
    names: bool = True
    """Without them, identifiers that merely contain a vendor's word are left out, unless they are asked for."""


class CellFlow(NamedTuple):
    """What came and went in one week in one cell; a tuple, for a page makes tens of thousands of them."""

    week: date
    territory: str
    mechanism: str
    added: int
    removed: int


def read_cell_flows(
    session: Session, repository: str, territory: Territory | None
) -> Mapping[Kind, tuple[CellFlow, ...]]:
    """Return the cells of one territory, or of all, by what they hold."""
    return once(session, _key(repository, territory), lambda: _read(session, [repository], territory)[repository])


def read_all_cell_flows(session: Session, repositories: Collection[str], territory: Territory | None) -> None:
    """Read the cells of several repositories in one statement, for `read_cell_flows` to return without another."""
    for repository, found in _read(session, repositories, territory).items():
        remember(session, _key(repository, territory), found)


def add_up(found: Mapping[Kind, tuple[CellFlow, ...]], wanted: CellFilter, by: By) -> list[Flow]:
    """Add the cells that pass up by week and key; what stood there when reading began is told apart from what came."""
    sums: defaultdict[tuple[date, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    baseline = Mechanism.BASELINE.value
    for kind, cells in found.items():
        if not _passes(wanted, kind):
            continue
        key = _key_of_kind(by, kind)
        for cell in cells:
            total = sums[cell.week, key if key is not None else _key_of_cell(by, cell)]
            if cell.mechanism == baseline:
                total[0] += cell.added - cell.removed
            else:
                total[1] += cell.added
                total[2] += cell.removed
    return [
        Flow(week=week, key=key, found=stood, added=added, removed=removed)
        for (week, key), (stood, added, removed) in sums.items()
    ]


def _key_of_kind(by: By, kind: Kind) -> str | None:
    """None: it is not the kind that decides, but each cell."""
    area, subsystem, vendor, construct = kind
    match by:
        case By.VENDOR:
            return vendor
        case By.AREA:
            return area
        case By.SUBSYSTEM:
            return subsystem
        case By.CONSTRUCT:
            return construct
        case By.TERRITORY | By.MECHANISM:
            return None
        case _:
            assert_never(by)


def _key_of_cell(by: By, cell: CellFlow) -> str:
    return cell.territory if by is By.TERRITORY else cell.mechanism


def _passes(wanted: CellFilter, kind: Kind) -> bool:
    area, subsystem, vendor, construct = kind
    if wanted.construct is None:
        left_out = (Construct.NEUTRAL,) if wanted.names else (Construct.NEUTRAL, Construct.NAME)
        if construct in left_out:
            return False
    given = (wanted.area, wanted.subsystem, wanted.vendor, wanted.construct)
    pairs = zip(given, (area, subsystem, vendor, construct), strict=True)
    return all(value is None or value == word for value, word in pairs)


def _key(repository: str, territory: Territory | None) -> tuple[object, ...]:
    return "cells", repository, territory


def _read(
    session: Session, repositories: Collection[str], territory: Territory | None
) -> dict[str, dict[Kind, tuple[CellFlow, ...]]]:
    words = (
        WeeklyCellRow.area,
        WeeklyCellRow.subsystem,
        WeeklyCellRow.vendor,
        WeeklyCellRow.construct,
        WeeklyCellRow.territory,
        WeeklyCellRow.mechanism,
    )
    # As plain text: making a member of a kind of each would take longer than reading them.
    plain = (type_coerce(column, String) for column in words)
    columns = (RepositoryRow.slug, *plain, WeeklyCellRow.week, WeeklyCellRow.added, WeeklyCellRow.removed)
    query: Select[*tuple[Any, ...]] = select(*columns).join(
        RepositoryRow, RepositoryRow.id == WeeklyCellRow.repository_id
    )
    query = query.where(RepositoryRow.slug.in_(repositories))
    if territory is not None:
        query = query.where(WeeklyCellRow.territory == territory)
    found: dict[str, defaultdict[Kind, list[CellFlow]]] = {slug: defaultdict(list) for slug in repositories}
    for slug, area, subsystem, vendor, construct, stands, mechanism, week, added, removed in session.execute(query):
        found[slug][area, subsystem, vendor, construct].append(CellFlow(week, stands, mechanism, added, removed))
    return {slug: {kind: tuple(cells) for kind, cells in kinds.items()} for slug, kinds in found.items()}
