"""The answer at a glance: a few sentences computed from the series, and never more than the series say. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from dashboards import wording
from dashboards.filters import SeriesQuery
from dashboards.series import LET_IN, WEEKS_A_YEAR, came_in, in_last_year, last, stayed, total, year_before
from tracker.rollup import FlowSeries, StockSeries, neutrality
from tracker.sites import Construct, Mechanism, Territory, Verdict


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of a sentence."""

    text: str
    strong: bool = False


Sentence = tuple[Fragment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The numbers the sentences are made of; None where nothing was read, or a number means nothing under a filter."""

    repository: str
    data_through: datetime
    """End of what is counted: the last commit read, or the end of the period asked for."""
    sites: int
    sites_year_ago: int | None
    """None: less than a year was read, or asked for; likewise all numbers of a year."""
    by_vendor: Mapping[str, int]
    """Vendors with at least one site, most first."""
    neutral_constructs: int | None
    """Of the same area, whoever's sites are counted; None: only those of one vendor or construct are."""
    neutral_constructs_year_ago: int | None
    removed_in_year: int | None
    """Sites that left neutral code in the 52 weeks up to the last commit read."""
    added_in_year: int | None
    """Those that came, what was let in included."""
    decoupling_commits: int | None
    """In the window, net, of the vendor and area asked for; None: commits are not judged by what is asked for."""
    coupling_commits: int | None
    decoupling_undone: int | None
    """Of that verdict in the window, but reverts, relands, or undone later."""
    coupling_undone: int | None
    window_weeks: int
    """How many weeks the numbers below cover: the last 52, or all where less was read, or asked for."""
    window_from: date
    """Its first day."""
    sites_before: int
    """At its begin, with what stood there when reading began."""
    neutral_constructs_before: int | None
    came: int
    """Introduced in it."""
    let_in: int
    """Came in it because a place was broadened to admit others."""
    went: int
    staying: int
    """Moved and edited ones, those that came less those that went."""

    @property
    def net(self) -> int:
        """By how much the stock changed in the window."""
        return self.sites - self.sites_before

    @property
    def neutrality(self) -> float | None:
        """Neutral constructs among neutral constructs and sites."""
        if self.neutral_constructs is None:
            return None
        return neutrality(self.neutral_constructs, self.sites)


def headline(
    query: SeriesQuery,
    end: datetime,
    series: tuple[StockSeries, StockSeries, FlowSeries],
    verdicts: Mapping[Verdict, int] | None,
    undone: Mapping[Verdict, int] | None = None,
) -> Headline:
    """Return the numbers of a repository of which something was read.

    Args:
        query: which of its sites are counted.
        end: of what is counted, the last commit's committer date at the latest.
        series: of those sites by vendor, of neutral constructs, and the flow of those sites by mechanism.
        verdicts: numbers of commits in the window, net; None: they mean nothing for what is asked.
        undone: of those in the window that net numbers leave out.
    """
    stock, adoption, flow = series
    sites, neutral = total(stock.closing), total(adoption.closing)
    window = min(len(stock.weeks), WEEKS_A_YEAR)
    has_year = len(stock.weeks) > WEEKS_A_YEAR
    both = compares_with_constructs(query)
    came = {key: sum(values[-window:]) for key, values in came_in(flow).items()}
    return Headline(
        repository=query.repository,
        data_through=end,
        sites=last(sites) or 0,
        sites_year_ago=(year_before(sites) or 0) if has_year else None,
        by_vendor={key: stock.closing[key][-1] for key in stock.keys if stock.closing[key][-1] > 0},
        neutral_constructs=(last(neutral) or 0) if both else None,
        neutral_constructs_year_ago=(year_before(neutral) or 0) if has_year and both else None,
        removed_in_year=in_last_year(flow.removed) if has_year else None,
        added_in_year=in_last_year(flow.added) if has_year else None,
        decoupling_commits=verdicts.get(Verdict.DECOUPLING, 0) if verdicts is not None else None,
        coupling_commits=verdicts.get(Verdict.COUPLING, 0) if verdicts is not None else None,
        decoupling_undone=undone.get(Verdict.DECOUPLING, 0) if undone is not None else None,
        coupling_undone=undone.get(Verdict.COUPLING, 0) if undone is not None else None,
        window_weeks=window,
        window_from=stock.weeks[-window],
        sites_before=sum(values[-window] for values in stock.opening.values()),
        neutral_constructs_before=sum(values[-window] for values in adoption.opening.values()) if both else None,
        came=came[Mechanism.INTRODUCED.value],
        let_in=came.get(LET_IN, 0),
        went=in_last_year(flow.removed),
        staying=sum(stayed(flow)[-window:]),
    )


def compares_with_constructs(query: SeriesQuery) -> bool:
    """Return whether neutral constructs can be set against the sites: not against those of one vendor or construct."""
    return query.vendor is None and query.construct is None


def compares_with_commits(query: SeriesQuery) -> bool:
    """Return whether commits can be: they are judged by what they do to neutral code, whatever its constructs."""
    return query.construct is None and query.territory is Territory.NEUTRAL


def window_words(facts: Headline, query: SeriesQuery) -> str:
    """Say which weeks numbers of a year cover."""
    if facts.window_weeks == WEEKS_A_YEAR:
        return "in 52 weeks"
    which = "asked for" if query.since is not None else "that were read"
    return f"in the {wording.plural(facts.window_weeks, 'week')} {which}"


def main_sentence(facts: Headline, query: SeriesQuery, titles: Mapping[str, str]) -> Sentence:
    """Say how tied the code asked for is, and how that changed in a year."""
    code = f"{query.territory.replace('_', ' ').capitalize()} code of {facts.repository}"
    where = f"{code}, in its area {query.area}," if query.area is not None else code
    if query.construct is Construct.NEUTRAL:
        start = (Fragment(f"{where} holds "), Fragment(wording.plural(facts.sites, "neutral construct"), strong=True))
    else:
        whose = f"{titles.get(query.vendor, query.vendor)}’s" if query.vendor is not None else "vendors’"
        kind = Fragment(f" of the kind {query.construct}" if query.construct is not None else "")
        start = (
            Fragment(f"{where} names {whose} hardware in "),
            Fragment(wording.plural(facts.sites, "place"), strong=True),
            *((kind,) if kind.text else ()),
        )
    if facts.sites_year_ago is None:
        missing = "is before the period asked for" if query.since is not None else "was not read"
        return (*start, Fragment(f"; what it was a year before {missing}."))
    if facts.sites == facts.sites_year_ago:
        return (*start, Fragment(", "), Fragment("as many as a year before", strong=True), Fragment("."))
    change = Fragment(f"{wording.change(facts.sites_year_ago, facts.sites)} than a year before", strong=True)
    return (*start, Fragment(", "), change, Fragment("."))


def further_sentences(facts: Headline, query: SeriesQuery, titles: Mapping[str, str]) -> tuple[Sentence, ...]:
    """Say whose hardware it is, how far neutral constructs came, and what came, went and was done in the window."""
    sentences: list[Sentence] = []
    if facts.by_vendor and query.vendor is None and query.construct is not Construct.NEUTRAL:
        leader, count = next(iter(facts.by_vendor.items()))
        share = wording.percent(count / facts.sites)
        others = [titles.get(name, name) for name in list(facts.by_vendor)[1:4]]
        rest = f"; {_listed(others)} follow{'s' if len(others) == 1 else ''}." if others else "."
        sentences.append((Fragment(f"{share} of them are {titles.get(leader, leader)}’s{rest}"),))
    if facts.neutral_constructs is not None:
        sentences.append(_adoption(facts, facts.neutral_constructs))
    return (*sentences, _flow(facts, query))


def _flow(facts: Headline, query: SeriesQuery) -> Sentence:
    """What came and went adds up to the change of the stock, so what stayed and still changed it is named."""
    noun = "neutral construct" if query.construct is Construct.NEUTRAL else "site"
    window = "in the last year" if facts.window_weeks == WEEKS_A_YEAR else window_words(facts, query)
    parts = [f"{wording.plural(facts.came, noun)} came"]
    parts += [f"{wording.number(facts.let_in)} {'was' if facts.let_in == 1 else 'were'} let in"] if facts.let_in else []
    parts += [f"{wording.number(facts.went)} went"]
    parts += [f"moved and edited ones made {wording.signed(facts.staying)}"] if facts.staying else []
    start = Fragment(f"{window[0].upper()}{window[1:]} {_listed(parts)}")
    if facts.decoupling_commits is None or facts.coupling_commits is None:
        return (start, Fragment("."))
    return (
        start,
        Fragment("; "),
        Fragment(wording.plural(facts.decoupling_commits, "commit") + " decoupled", strong=True),
        Fragment(f" and {wording.number(facts.coupling_commits)} coupled."),
    )


def _adoption(facts: Headline, count: int) -> Sentence:
    text = f"{wording.plural(count, 'neutral construct')} stand in the same code"
    if facts.neutral_constructs_year_ago is None:
        return (Fragment(f"{text}."),)
    if count == facts.neutral_constructs_year_ago:
        return (Fragment(f"{text}, as many as a year before."),)
    return (Fragment(f"{text}, {wording.change(facts.neutral_constructs_year_ago, count)}."),)


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def text_of(sentence: Sentence) -> str:
    """Return a sentence as plain text."""
    return "".join(fragment.text for fragment in sentence)
