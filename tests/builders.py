"""Builders of the domain's facts for tests: every argument has a plain default, so a test names what it is about."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from tracker.classify import ExclusivityAccount, JudgedCommit, Judgement, Line, SiteAccount, SkippedFile, Tally
from tracker.ledger import Entry, LineEntry
from tracker.sites import Area, Construct, Mechanism, Place, Site, Territory, Verdict
from tracker.trailers import CommitReference, Trailers
from tracker.upstream import Commit, Signature

A_DAY = datetime(2020, 1, 6, 12, tzinfo=UTC)
"""A Monday."""
RULESET = "0" * 64


def a_sha(name: str) -> str:
    """An object id that is the same for the same name."""
    return hashlib.sha1(name.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def a_signature(*, name: str = "Ada", mail: str = "ada@example.com", at: datetime = A_DAY) -> Signature:
    return Signature(name=name, mail=mail, at=at)


def a_commit(
    name: str = "first",
    *,
    parent: str | None = None,
    message: str | None = None,
    at: datetime = A_DAY,
    mail: str = "ada@example.com",
    parents: int | None = None,
) -> Commit:
    """A commit whose id comes from its name; `parent` is another commit's name."""
    return Commit(
        sha=a_sha(name),
        parent=a_sha(parent) if parent is not None else None,
        parents=parents if parents is not None else int(parent is not None),
        author=a_signature(mail=mail, at=at),
        committer=a_signature(name="Bot", mail="bot@example.com", at=at),
        message=message if message is not None else f"Change {name}",
    )


def a_site(
    symbol: str = "torch.cuda.synchronize",
    *,
    construct: Construct = Construct.API,
    vendor: str = "nvidia",
    rule: str = "nvidia-api",
) -> Site:
    return Site(construct, vendor, symbol, rule)


def a_neutral_construct(symbol: str = "torch.accelerator.synchronize", *, rule: str = "neutral-accelerator") -> Site:
    return Site(Construct.NEUTRAL, "", symbol, rule)


def a_place(
    territory: Territory = Territory.NEUTRAL,
    *,
    area: Area = Area.CORE,
    subsystem: str = "core",
    vendors: tuple[str, ...] = (),
) -> Place:
    return Place(territory, area, subsystem, vendors)


def an_entry(
    path: str = "torch/serialization.py",
    *,
    site: Site | None = None,
    delta: int = 1,
    mechanism: Mechanism | None = None,
    place: Place | None = None,
    lines: tuple[int, ...] | None = None,
    replaced_by: str | None = None,
    region: Territory | None = None,
) -> Entry:
    """An entry; without a mechanism, added sites are introduced and removed ones dropped."""
    by_sign = Mechanism.INTRODUCED if delta > 0 else Mechanism.DROPPED
    return Entry(
        path=path,
        place=place if place is not None else a_place(),
        site=site if site is not None else a_site(),
        delta=delta,
        mechanism=mechanism if mechanism is not None else by_sign,
        lines=lines if lines is not None else tuple(range(1, abs(delta) + 1)),
        replaced_by=replaced_by,
        region=region,
    )


def some_lines(
    delta: int,
    place: Place | None = None,
    *,
    baseline: bool = False,
) -> LineEntry:
    """Lines that a commit adds to a place, or takes away where the number is negative."""
    stands = place if place is not None else a_place()
    return LineEntry(
        territory=stands.territory, area=stands.area, subsystem=stands.subsystem, delta=delta, baseline=baseline
    )


def an_account(
    *,
    site: Site | None = None,
    gone: bool = True,
    line: Line | None = None,
    opposite: Line | None = None,
    mechanism: Mechanism | None = None,
    reason: str | None = None,
    about: str | None = None,
    replaced_by: str | None = None,
) -> SiteAccount:
    """Why a site is judged so; without a mechanism one that is gone is dropped, a new one introduced."""
    return SiteAccount(
        site=site if site is not None else a_site(),
        gone=gone,
        line=line if line is not None else Line(path="torch/serialization.py", number=1, text="torch.cuda.init()"),
        opposite=opposite,
        mechanism=mechanism if mechanism is not None else Mechanism.DROPPED if gone else Mechanism.INTRODUCED,
        reason=reason if reason is not None else "deleted where its surroundings stay" if gone else "new",
        about=about,
        replaced_by=replaced_by,
    )


def an_exclusivity(
    *,
    vendor: str = "nvidia",
    lost: bool = True,
    site: Site | None = None,
    line: Line | None = None,
    opposite: Line | None = None,
) -> ExclusivityAccount:
    return ExclusivityAccount(
        vendor=vendor,
        lost=lost,
        site=site if site is not None else a_site("xpu", construct=Construct.LITERAL, vendor="intel", rule="literal"),
        line=line if line is not None else Line(path="torch/serialization.py", number=1, text='("cuda", "xpu")'),
        opposite=opposite,
        reason="another vendor is admitted beside it",
    )


def some_trailers(
    *,
    pull_request: int | None = None,
    is_revert: bool = False,
    is_reland: bool = False,
    references: tuple[CommitReference, ...] = (),
    differential: str | None = None,
    source_id: str | None = None,
) -> Trailers:
    return Trailers(
        pull_request=pull_request,
        is_revert=is_revert,
        is_reland=is_reland,
        references=references,
        differential=differential,
        source_id=source_id,
        co_author_domains=(),
    )


def a_judgement(
    entries: Sequence[Entry] = (),
    *,
    verdict: Verdict = Verdict.NONE,
    mechanism: Mechanism | None = None,
    area: Area | None = None,
    vendors: tuple[str, ...] = (),
    tally: Tally | None = None,
) -> Judgement:
    """A judgement whose numbers of removed and added sites are those of its neutral entries that are judged."""
    judged = [entry.delta for entry in entries if entry.mechanism not in _NOT_COUNTED]
    return Judgement(
        verdict=verdict,
        mechanism=mechanism,
        area=area,
        vendors=vendors,
        removed=-sum(delta for delta in judged if delta < 0),
        added=sum(delta for delta in judged if delta > 0),
        tally=tally if tally is not None else Tally(),
        entries=tuple(entries),
    )


_NOT_COUNTED = (Mechanism.MOVED, Mechanism.EDITED, Mechanism.OUTSIDE, Mechanism.BASELINE)


def a_judged_commit(
    name: str = "first",
    entries: Sequence[Entry] = (),
    *,
    parent: str | None = None,
    message: str | None = None,
    at: datetime = A_DAY,
    mail: str = "ada@example.com",
    trailers: Trailers | None = None,
    judgement: Judgement | None = None,
    skipped: tuple[SkippedFile, ...] = (),
    lines: tuple[LineEntry, ...] = (),
    ruleset: str = RULESET,
) -> JudgedCommit:
    """A commit with its trailers and its judgement; `entries` are ignored when a judgement is given."""
    return JudgedCommit(
        commit=a_commit(name, parent=parent, message=message, at=at, mail=mail),
        trailers=trailers if trailers is not None else some_trailers(),
        judgement=judgement if judgement is not None else a_judgement(entries),
        skipped=skipped,
        lines=lines,
        ruleset=ruleset,
    )
