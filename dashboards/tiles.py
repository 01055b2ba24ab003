"""The tiles under the headline: one number each, with what it means and which weeks it covers. Pure.

What tiles say of a stock and of the flow behind it is one sum: what came, what was let in, what went, and what moved or
was edited add up to the change of the stock. A tile that means nothing under a filter is left out.
"""

from dataclasses import dataclass
from datetime import timedelta

from dashboards import wording
from dashboards.filters import SeriesQuery
from dashboards.headline import Headline, window_words
from dashboards.parameters import address_with
from dashboards.series import WEEKS_A_YEAR
from dashboards.stock_links import sites_address
from tracker.sites import Construct, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One number with its name and what it means."""

    title: str
    value: str
    note: str
    address: str | None = None
    """What it counts, one by one."""


def tiles_of(facts: Headline, query: SeriesQuery) -> tuple[Tile, ...]:
    """Return the tiles that mean something for what is asked."""
    window = window_words(facts, query)
    tiles = [_stock(facts, query, window)]
    if facts.neutral_constructs is not None and facts.neutral_constructs_before is not None:
        change = wording.signed(facts.neutral_constructs - facts.neutral_constructs_before)
        tiles.append(
            Tile(
                title="neutral constructs",
                value=wording.number(facts.neutral_constructs),
                note=f"{change} {window}",
                address=sites_address(query, construct=Construct.NEUTRAL),
            )
        )
        tiles.append(
            Tile(
                title="neutrality",
                value=wording.percent(facts.neutrality, digits=1),
                note="neutral constructs among them and the sites",
            )
        )
    tiles.append(_net(facts))
    if facts.decoupling_commits is not None:
        tiles.append(
            Tile(
                title="decoupling commits",
                value=wording.number(facts.decoupling_commits),
                note=f"{window}, against {wording.number(facts.coupling_commits)} coupling",
                address=_commits(facts, query),
            )
        )
    return tuple(tiles)


def _stock(facts: Headline, query: SeriesQuery, window: str) -> Tile:
    noun = "neutral constructs" if query.construct is Construct.NEUTRAL else "sites"
    return Tile(
        title=f"{noun} in {query.territory.replace('_', ' ')} code",
        value=wording.number(facts.sites),
        note=f"{wording.signed(facts.net)} {window}",
        address=sites_address(query),
    )


def _commits(facts: Headline, query: SeriesQuery) -> str:
    """The list of the commits that the window counts."""
    until = query.until - timedelta(days=1) if query.until is not None else None
    return address_with(
        "/commits",
        {"repository": query.repository},
        verdict=Verdict.DECOUPLING,
        vendor=query.vendor,
        area=query.area,
        net="yes",
        since=facts.window_from.isoformat(),
        until=until.isoformat() if until is not None else None,
    )


def _net(facts: Headline) -> Tile:
    parts = [
        f"{wording.signed(count)} {name}"
        for count, name, always in (
            (facts.came, "in", True),
            (facts.let_in, "let in", False),
            (-facts.went, "out", True),
            (facts.staying, "moved or edited", False),
        )
        if count or always
    ]
    weeks = wording.plural(facts.window_weeks, "week")
    title = "net of a year" if facts.window_weeks == WEEKS_A_YEAR else f"net of {weeks}"
    return Tile(title=title, value=wording.signed(facts.net), note=", ".join(parts))
