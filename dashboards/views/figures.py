"""Charts of one repository: a name and a filter -> the drawing's data, its words, and the table beside it.

Every figure says the same thing three times: as a drawing, as one sentence for who cannot see it, and as a table.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dashboards import wording
from dashboards.charts import Bars, Lines, Size, Spec, bars_spec, lines_spec
from dashboards.filters import SeriesQuery
from dashboards.headline import compares_with_constructs
from dashboards.problems import NothingThere
from dashboards.reading import Reading
from dashboards.series import LET_IN, OTHERS, OUTWARD, STAYED, came_in, in_periods, largest, stayed
from dashboards.themes import Theme
from dashboards.views.figure_words import decouplers_sentence, flow_sentence, lines_sentence, shown_value
from dashboards.views.series import (
    ADOPTION_BY,
    STOCK_BY,
    adoption_of,
    flow_of,
    neutrality_of,
    stock_of,
    unread_weeks_of,
    with_gaps,
)
from dashboards.views.trends import decoupling_shares_of
from db.commit_pages import UNKNOWN
from db.releases import read_releases
from tracker.sites import Area

_LINES = 6
_TABLE_ROWS = 12
_NOTHING_YET = "Nothing was read yet, so there is nothing to draw."
_NO_NEUTRALITY = "Neutral constructs stand for no one vendor’s sites: neutrality means nothing under this filter."


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One chart with its words; `drawing` is None where there is nothing to draw yet."""

    name: str
    title: str
    sentence: str
    """What the chart shows, for who cannot see it."""
    drawing: Lines | Bars | None
    absent: str = _NOTHING_YET
    """Why there is no drawing, where there is none."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """The table beside the chart: its last values at the ends of years, or its last periods; newest first."""

    def spec(self, theme: Theme, size: Size, *, interactive: bool = False) -> Spec:
        """Return the Vega-Lite spec.

        Raises:
            NothingThere: nothing was read yet.
        """
        match self.drawing:
            case Lines() as lines:
                return lines_spec(lines, theme=theme, size=size, interactive=interactive)
            case Bars() as bars:
                return bars_spec(bars, theme=theme, size=size, interactive=interactive)
        raise NothingThere(f"{self.absent} See /runs for what the crawl is doing")


def figure(reading: Reading, name: str, query: SeriesQuery, theme: Theme) -> Figure:
    """Return a figure by name.

    Raises:
        NothingThere: there is no such chart.
    """
    if name not in FIGURES:
        raise NothingThere(f"there is no chart {name!r}; there are {', '.join(sorted(FIGURES))}")
    return FIGURES[name](reading, query, theme)


def with_releases(reading: Reading, found: Figure, query: SeriesQuery) -> Figure:
    """Return a figure whose lines are marked with the releases of their weeks; only who draws one needs them."""
    lines = found.drawing
    if not isinstance(lines, Lines):
        return found
    releases = reading.remember(
        ("releases", query.repository), lambda: read_releases(reading.session, query.repository)
    )
    end = lines.weeks[-1] + timedelta(weeks=1)
    marks = tuple((one.at.date(), one.name) for one in releases if lines.weeks[0] <= one.at.date() < end)
    return replace(found, drawing=replace(lines, marks=marks))


def _stock(reading: Reading, query: SeriesQuery, theme: Theme) -> Figure:
    series = stock_of(reading, query)
    by = query.by or "vendor"
    values: Mapping[str, tuple[float | None, ...]] = largest(series.closing, _LINES)
    values = with_gaps(values, series.weeks, unread_weeks_of(reading, query))
    lines = _lines(series.weeks, values, _titles(reading, by), _palette(by, theme, values), theme, "sites")
    return Figure(
        name="stock",
        title=f"Vendor-specific sites in {query.territory} code, by {by}",
        sentence=lines_sentence(lines, f"Sites in {query.territory} code of {query.repository} by {by}"),
        drawing=lines if series.weeks else None,
        columns=("week from", *(lines.titles[key] for key in values)),
        rows=_year_ends(lines),
    )


def _adoption(reading: Reading, query: SeriesQuery, theme: Theme) -> Figure:
    series = adoption_of(reading, query)
    by = query.by or "area"
    values: Mapping[str, tuple[float | None, ...]] = largest(series.closing, _LINES)
    values = with_gaps(values, series.weeks, unread_weeks_of(reading, query))
    lines = _lines(series.weeks, values, {}, _palette(by, theme, values), theme, "neutral constructs")
    return Figure(
        name="adoption",
        title=f"Vendor-neutral constructs in {query.territory} code, by {by}",
        sentence=lines_sentence(lines, f"Neutral constructs in {query.territory} code of {query.repository} by {by}"),
        drawing=lines if series.weeks else None,
        columns=("week from", *values),
        rows=_year_ends(lines),
    )


def _neutrality(reading: Reading, query: SeriesQuery, theme: Theme) -> Figure:
    series = neutrality_of(reading, query)
    values = {area: shares for area, shares in series.shares.items() if any(share is not None for share in shares)}
    values = with_gaps(values, series.weeks, unread_weeks_of(reading, query))
    lines = _lines(series.weeks, values, {}, _palette("area", theme, values), theme, "neutrality", is_share=True)
    return Figure(
        name="neutrality",
        title="Share of neutral constructs among neutral constructs and vendor-specific sites, by area",
        sentence=lines_sentence(lines, f"Neutrality of {query.repository} by area"),
        absent=_NOTHING_YET if compares_with_constructs(query) else _NO_NEUTRALITY,
        drawing=lines if series.weeks else None,
        columns=("week from", *values),
        rows=_year_ends(lines),
    )


def _flow(reading: Reading, query: SeriesQuery, theme: Theme) -> Figure:
    series = flow_of(reading, query)
    came = in_periods(series.weeks, came_in(series))
    went = in_periods(series.weeks, {key: series.removed.get(key, (0,) * len(series.weeks)) for key in OUTWARD})
    staying = stayed(series)
    stayed_sums = in_periods(series.weeks, {STAYED: staying}).sums if any(staying) else {}
    bars = Bars(
        starts=came.starts,
        period=came.name,
        inward={**came.sums, **stayed_sums},
        outward={key: sums for key, sums in went.sums.items() if any(sums)},
        colours={**theme.mechanisms, LET_IN: theme.let_in, STAYED: theme.other},
        unit=f"sites a {came.name}",
    )
    return Figure(
        name="flow",
        title=f"Sites that came into {query.territory} code and went out of it, by {came.name}",
        sentence=flow_sentence(bars, query.repository),
        drawing=bars if series.weeks else None,
        columns=(f"{came.name} from", *bars.inward, *bars.outward, "net"),
        rows=_last_periods(bars),
    )


def _decouplers(reading: Reading, query: SeriesQuery, theme: Theme) -> Figure:
    years = decoupling_shares_of(reading, query).sites
    counts = {number: {name: share.count for name, share in year.shares.items()} for number, year in enumerate(years)}
    totals: Counter[str] = Counter()
    for of_year in counts.values():
        totals.update(of_year)
    shown = [name for name, _ in sorted(totals.items(), key=lambda one: (-one[1], one[0]))[:_LINES]]
    came = {name: tuple(counts[number].get(name, 0) for number in counts) for name in shown}
    rest = tuple(sum(n for name, n in counts[number].items() if name not in shown) for number in counts)
    came |= {OTHERS: rest} if any(rest) else {}
    came[UNKNOWN] = tuple(year.unknown for year in years)
    bars = Bars(
        starts=tuple(year.period for year in years),
        period="year",
        inward=came,
        outward={},
        colours={UNKNOWN: theme.other, OTHERS: theme.soft} | _of_organisations(shown, theme),
        unit="sites a year",
        keyed_by="organisation",
    )
    return Figure(
        name="decouplers",
        title="Sites decoupled, by the organisation of the commits’ authors",
        sentence=decouplers_sentence(bars, query.repository),
        drawing=bars if years else None,
        columns=("year from", *came, "all"),
        rows=tuple(
            (
                year.period.isoformat(),
                *(wording.number(values[number]) for values in came.values()),
                wording.number(year.n),
            )
            for number, year in reversed(list(enumerate(years)))
        ),
    )


def _of_organisations(names: Sequence[str], theme: Theme) -> dict[str, str]:
    """An organisation that is a vendor has its colour; the others take areas' colours, but for the grey of tests."""
    free = iter([colour for area, colour in theme.areas.items() if area != Area.TEST.value])
    return {name: theme.vendors.get(name) or next(free, theme.other) for name in names}


BREAKDOWNS: Mapping[str, tuple[str, ...]] = {
    "stock": STOCK_BY,
    "adoption": ADOPTION_BY,
    "flow": (),
    "neutrality": (),
    "decouplers": (),
}
"""By name of the chart: what it can be broken down by."""
FIGURES: Mapping[str, Callable[[Reading, SeriesQuery, Theme], Figure]] = {
    "stock": _stock,
    "adoption": _adoption,
    "flow": _flow,
    "neutrality": _neutrality,
    "decouplers": _decouplers,
}


def _lines(  # noqa: PLR0913 - one argument for each part of the drawing
    weeks: tuple[date, ...],
    values: Mapping[str, tuple[float | None, ...]],
    titles: Mapping[str, str],
    palette: Mapping[str, str],
    theme: Theme,
    unit: str,
    *,
    is_share: bool = False,
) -> Lines:
    return Lines(
        weeks=weeks,
        values=values,
        titles={key: titles.get(key, key) for key in values},
        colours={key: palette.get(key, theme.other) for key in values},
        unit=unit,
        is_share=is_share,
    )


def _titles(reading: Reading, by: str) -> Mapping[str, str]:
    if by != "vendor":
        return {}
    return {vendor.name: vendor.title for vendor in reading.dashboard.ruleset.vendors} | {OTHERS: "others"}


def _palette(by: str, theme: Theme, keys: Mapping[str, object]) -> Mapping[str, str]:
    """Vendors, areas and mechanisms have colours of their own; other keys take areas' colours in their order."""
    match by:
        case "vendor":
            return theme.vendors
        case "area":
            return theme.areas
        case "mechanism":
            return theme.mechanisms
    named = [key for key in keys if key != OTHERS]
    return dict(zip(named, theme.areas.values(), strict=False))


def _year_ends(lines: Lines) -> tuple[tuple[str, ...], ...]:
    """The last week, and the last of each year before, newest first."""
    ends = [
        index
        for index, week in enumerate(lines.weeks)
        if index == len(lines.weeks) - 1 or (week + timedelta(weeks=1)).year > week.year
    ]
    return tuple(
        (lines.weeks[index].isoformat(), *(shown_value(values[index], lines) for values in lines.values.values()))
        for index in reversed(ends)
    )


def _last_periods(bars: Bars) -> tuple[tuple[str, ...], ...]:
    rows = []
    for index in range(len(bars.starts) - 1, max(len(bars.starts) - 1 - _TABLE_ROWS, -1), -1):
        came = [values[index] for values in bars.inward.values()]
        went = [-values[index] for values in bars.outward.values()]
        numbers = [wording.signed(number) for number in (*came, *went, sum(came) + sum(went))]
        rows.append((bars.starts[index].isoformat(), *numbers))
    return tuple(rows)
