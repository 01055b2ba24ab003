"""The overview of one repository: the answer, the series, the latest commits, and how far the data can be trusted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta

from dashboards import wording
from dashboards.filters import SeriesQuery, series_query
from dashboards.headline import (
    Headline,
    Sentence,
    compares_with_commits,
    compares_with_constructs,
    further_sentences,
    headline,
    main_sentence,
)
from dashboards.parameters import address_with
from dashboards.reading import Reading
from dashboards.series import WEEKS_A_YEAR
from dashboards.themes import LIGHT
from dashboards.tiles import Tile, tiles_of
from dashboards.trend_words import projection_sentence, trend_sentence
from dashboards.views.alerts import stored_alerts
from dashboards.views.commits import latest
from dashboards.views.figures import Figure, figure
from dashboards.views.pulls import largest_proposals, pulls_were_read
from dashboards.views.runs import CRAWL_COMMITS, CRAWL_PULLS, CrawlState, evaluated_at, job_states
from dashboards.views.series import adoption_of, flow_of, stock_of
from dashboards.views.trends import trends_of
from dashboards.views.vendors import VendorRow, vendor_rows
from db.commit_pages import CommitFilter, CommitSummary
from db.pulls import PullSummary
from db.verdict_sums import read_verdict_sums
from tracker.alerting import Alert, AlertState
from tracker.sites import Construct, Verdict

_LATEST = 6
_VENDORS = 6
_EMPTY_SECONDS = 15
_FRESH_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One line that a reader must see first."""

    kind: str
    """bad, warn or good."""
    text: str
    address: str | None = None
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewView:
    """Everything on the overview."""

    repository: str | None
    query: SeriesQuery
    parameters: Mapping[str, str]
    """Of the series, for the figures' addresses."""
    notices: tuple[Notice, ...]
    freshness: tuple[CrawlState, ...]
    """Of the crawl of commits, by repository."""
    pulls_crawls: Mapping[str, CrawlState]
    """Of the crawl of pull requests, by repository; absent: it never ran."""
    alerts: tuple[Alert, ...]
    alerts_evaluated_at: datetime | None
    empty_title: str = ""
    empty_lines: tuple[str, ...] = ()
    headline: Headline | None = None
    main_sentence: Sentence = ()
    further_sentences: tuple[Sentence, ...] = ()
    tiles: tuple[Tile, ...] = ()
    stock: Figure | None = None
    stock_note: str = ""
    adoption: Figure | None = None
    flow: Figure | None = None
    vendors: tuple[VendorRow, ...] = ()
    latest_decoupling: tuple[CommitSummary, ...] | None = ()
    """Those that stand, beyond mere names; None: commits cannot be told by what is asked for; likewise below."""
    latest_coupling: tuple[CommitSummary, ...] | None = ()
    proposals: tuple[PullSummary, ...] | None = None
    """The open pull requests that would change most sites, largest first; None: pull requests were never read."""
    fresh_seconds: int = field(default=_FRESH_SECONDS)


def view_overview(reading: Reading) -> OverviewView:
    """Return the overview of the repository asked for, or of the first.

    Raises:
        BadParameter: something in the query string cannot be used.
    """
    query = series_query(reading.parameters, reading.vocabulary)
    states = tuple(state for state in job_states(reading) if state.job == CRAWL_COMMITS)
    alerts = tuple(alert for alert in stored_alerts(reading) if alert.state is not AlertState.INACTIVE)
    facts = headline_of(reading, query)
    if facts is None:
        return _empty(reading, query, states, alerts)
    titles = {vendor.name: vendor.title for vendor in reading.dashboard.ruleset.vendors}
    latest_decoupling, latest_coupling = _latest(reading, query)
    return OverviewView(
        repository=query.repository,
        query=query,
        parameters=_parameters(reading, query),
        notices=_notices(query, states),
        freshness=states,
        pulls_crawls=_pulls_crawls(reading),
        alerts=alerts,
        alerts_evaluated_at=evaluated_at(reading),
        headline=facts,
        main_sentence=main_sentence(facts, query, titles),
        further_sentences=(*further_sentences(facts, query, titles), *_trend_sentences(reading, query)),
        tiles=tiles_of(facts, query),
        stock=figure(reading, "stock", query, LIGHT),
        stock_note=_stock_note(reading, query),
        adoption=figure(reading, "adoption", query, LIGHT) if compares_with_constructs(query) else None,
        flow=figure(reading, "flow", query, LIGHT),
        vendors=vendor_rows(reading, query)[:_VENDORS] if query.construct is not Construct.NEUTRAL else (),
        latest_decoupling=latest_decoupling,
        latest_coupling=latest_coupling,
        proposals=_proposals(reading, query),
    )


def _latest(reading: Reading, query: SeriesQuery) -> tuple[tuple[CommitSummary, ...] | None, ...]:
    if not compares_with_commits(query):
        return (None, None)
    return latest(reading, (_of(query, Verdict.DECOUPLING), _of(query, Verdict.COUPLING)), _LATEST)


def _trend_sentences(reading: Reading, query: SeriesQuery) -> tuple[Sentence, ...]:
    if query.construct is Construct.NEUTRAL:
        return ()
    found = trends_of(reading, query)
    sentences = (
        trend_sentence(found.coupling.trend, found.adoption.trend if compares_with_constructs(query) else None),
        projection_sentence(found.coupling.projection),
    )
    return tuple(sentence for sentence in sentences if sentence) if sentences[0] else ()


def _proposals(reading: Reading, query: SeriesQuery) -> tuple[PullSummary, ...] | None:
    if not pulls_were_read(reading, query.repository):
        return None
    return largest_proposals(reading, query.repository, query.vendor, query.area, _LATEST)


def headline_of(reading: Reading, query: SeriesQuery) -> Headline | None:
    """Return the numbers of the answer at the end of the period asked for; None when nothing was read."""
    stock, adoption, flow = stock_of(reading, query), adoption_of(reading, query), flow_of(reading, query)
    if not stock.weeks:
        return None
    last_week_ends = datetime.combine(stock.weeks[-1] + timedelta(days=7), time(tzinfo=UTC))
    end = min(last_week_ends, stock.data_through or last_week_ends)
    since = datetime.combine(stock.weeks[-min(len(stock.weeks), WEEKS_A_YEAR)], time(tzinfo=UTC))
    until = end + timedelta(seconds=1)

    def count() -> Counter[tuple[str, Verdict, bool]]:
        found: Counter[tuple[str, Verdict, bool]] = Counter()
        for one in read_verdict_sums(reading.session, since=since, until=until, vendor=query.vendor, area=query.area):
            found[one.repository, one.verdict, one.counts] += one.commits
        return found

    if not compares_with_commits(query):
        return headline(query, end, (stock, adoption, flow), None)
    counted = reading.remember(("verdicts", since, end, query.vendor, query.area), count)
    net, undone = (
        {verdict: counted[query.repository, verdict, counts] for verdict in Verdict} for counts in (True, False)
    )
    return headline(query, end, (stock, adoption, flow), net, undone)


def _pulls_crawls(reading: Reading) -> Mapping[str, CrawlState]:
    return {state.repository: state for state in job_states(reading) if state.job == CRAWL_PULLS}


def _of(query: SeriesQuery, verdict: Verdict) -> CommitFilter:
    return CommitFilter(
        repository=query.repository,
        verdict=verdict,
        vendor=query.vendor,
        area=query.area,
        since=_midnight(query.since),
        until=_midnight(query.until),
        net=True,
        beyond_names=not query.names,
    )


def _midnight(day: date | None) -> datetime | None:
    return datetime.combine(day, time(tzinfo=UTC)) if day is not None else None


def _parameters(reading: Reading, query: SeriesQuery) -> Mapping[str, str]:
    return dict(reading.parameters) | {"repository": query.repository}


def _stock_note(reading: Reading, query: SeriesQuery) -> str:
    vendors = {vendor.name: vendor for vendor in reading.dashboard.ruleset.vendors}
    notes = []
    for vendor in vendors.values():
        served = ", ".join(vendors[name].title for name in vendor.also_serves)
        if served:
            notes.append(f"{vendor.title}’s names also reach {served} hardware.")
    if query.construct is None:
        kept = "are counted too" if query.names else "are not counted"
        notes.append(f"Identifiers that merely contain a vendor’s word {kept}.")
    return " ".join(notes)


def _notices(query: SeriesQuery, states: tuple[CrawlState, ...]) -> tuple[Notice, ...]:
    notices = []
    for state in states:
        if state.repository != query.repository or state.state in ("ok", "running"):
            continue
        if state.state == "never ran":
            text = f"No crawl of {state.repository} is recorded yet: what is shown was read by hand, and may be old."
            notices.append(Notice(kind="warn", text=text, address="/runs", link="Runs"))
            continue
        kind = "bad" if state.state == "failed" else "warn"
        what = f"Crawl of {state.repository}, {state.state.replace('_', ' ')}: {state.sentence}."
        text = f"{what} What is shown is as old as that."
        notices.append(Notice(kind=kind, text=text, address="/runs", link="Runs"))
    if query.since is not None or query.until is not None or query.vendor or query.area or query.construct:
        address = address_with("/", {}, repository=query.repository)
        notices.append(
            Notice(kind="good", text="This page is restricted by its address.", address=address, link="Show all")
        )
    return tuple(notices)


def _empty(
    reading: Reading, query: SeriesQuery, states: tuple[CrawlState, ...], alerts: tuple[Alert, ...]
) -> OverviewView:
    mine = next((state for state in states if state.repository == query.repository), None)
    title, lines = _what_happens(query.repository, mine)
    return OverviewView(
        repository=query.repository or None,
        query=query,
        parameters=_parameters(reading, query),
        notices=(),
        freshness=states,
        pulls_crawls=_pulls_crawls(reading),
        alerts=alerts,
        alerts_evaluated_at=evaluated_at(reading),
        empty_title=title,
        empty_lines=lines,
        fresh_seconds=_EMPTY_SECONDS,
    )


def _what_happens(repository: str, state: CrawlState | None) -> tuple[str, tuple[str, ...]]:
    """Say why there is nothing to see, and what comes next."""
    if not repository or state is None:
        return (
            "No repository is under watch",
            ("Add one: tracker repos add pytorch/pytorch. This page fills once its first commits are read.",),
        )
    if state.data_through is not None:
        return (
            f"Nothing of {repository} lies in this period",
            ("Its commits were read, and their weekly sums may still be in the making; or choose another period.",),
        )
    wait = "This page renews itself and fills with the first weeks that are read. Until then nothing is known."
    if state.state == "running":
        started = wording.moment(state.freshness.last_attempt_at)
        return (
            f"The first crawl of {repository} is running",
            (f"It began {started} and is {state.sentence.split(';')[0]}.", wait),
        )
    if state.state == "never ran":
        return f"The first crawl of {repository} has not begun yet", (
            "It begins with the scheduler: tracker run.",
            wait,
        )
    return (
        f"{repository} could not be read yet",
        (f"{state.state.replace('_', ' ').capitalize()}: {state.sentence}.", wait),
    )
