"""Judge what open pull requests of one repository would do if they landed: the head of each against its merge base.

Heads are read through git references, in batches, and each verdict is stored in a transaction of its own: a run that is
killed goes on with what is still due. Only what moved is fetched, and only what moved, or was judged by other rules, is
judged; one whose files, as GitHub lists them, hold no code is not even fetched. What is wrong with one head is stored
with it, and keeps no other from being judged.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.identities import chunks
from db.pull_verdicts import (
    DueHead,
    read_due_heads,
    read_open_numbers,
    read_whole_file_lists,
    replace_pull_verdict,
)
from db.tables import RepositoryRow
from jobs.progress import Progress, no_progress
from jobs.repositories import open_repository
from jobs.runner import utc_now
from jobs.walk import Walker
from tracker.classify import HeadProblem, JudgedHead, judge
from tracker.detect import dialect_of
from tracker.errors import RepositoryError, UpstreamUnavailable
from tracker.ruleset import Ruleset
from tracker.settings import Settings
from tracker.sources.git_heads import PullHeads
from tracker.sources.git_mirror import Mirror
from tracker.territory import territory_map_for
from tracker.trailers import parse_trailers

BATCH = 200
"""Heads fetched together."""
MOST_FILES = 3_000
"""More changed files are not read of one pull request; GitHub lists no more either."""
RETRY_AFTER = timedelta(days=1)


def has_due_heads(readers: sessionmaker[Session], repository_id: int, ruleset: str) -> bool:
    """Tell whether there is anything to judge now by the ruleset of this digest."""
    with in_transaction(readers) as session:
        return bool(read_due_heads(session, repository_id, ruleset, utc_now() - RETRY_AFTER))


def judge_heads(
    sessions: sessionmaker[Session],
    repository: RepositoryRow,
    settings: Settings,
    ruleset: Ruleset,
    *,
    progress: Progress = no_progress,
    now: Callable[[], datetime] = utc_now,
) -> dict[str, int | str]:
    """Judge the heads that are due and return what was done, by name.

    Raises:
        RepositoryError: there is no clone, or its branch is not there.
        AuthenticationFailed: upstream refuses us.
        UpstreamUnavailable: upstream cannot be reached; what is here already has been judged and stored.
    """
    with in_transaction(sessions) as session:
        due = read_due_heads(session, repository.id, ruleset.digest, now() - RETRY_AFTER)
        is_open = read_open_numbers(session, repository.id)
    counts: Counter[str] = Counter(due=len(due), judged=0, fetched=0)
    if not due:
        return dict(counts)
    with open_repository(repository, settings, fetching=True) as mirror:
        if not mirror.path.exists():
            return {**counts, "waits_for": "the first crawl of commits"}
        heads = PullHeads(mirror)
        bench = _Bench(mirror, heads, repository, ruleset)
        unavailable: UpstreamUnavailable | None = None
        done = 0
        for batch in chunks(due, BATCH):
            with in_transaction(sessions) as session:
                paths = read_whole_file_lists(session, batch)
            plain = [one for one in batch if one.number in paths and not bench.reads_any(paths[one.number])]
            rest = [one for one in batch if one not in plain]
            failures, error = _fetch(heads, bench, rest, counts, progress)
            unavailable = unavailable or error
            judgements = chain(
                ((one, bench.without_code(one)) for one in plain),
                bench.judge(rest, failures, offline=error is not None),
            )
            for one, judged in judgements:
                with in_transaction(sessions) as session:
                    replace_pull_verdict(session, one, judged, now())
                _count(counts, judged)
                done += 1
                progress("judging pull requests", done, len(due))
        heads.forget(is_open)
    if unavailable is not None:
        raise unavailable
    return dict(counts)


def _fetch(
    heads: PullHeads, bench: "_Bench", batch: Sequence[DueHead], counts: Counter[str], progress: Progress
) -> tuple[Mapping[int, str], UpstreamUnavailable | None]:
    """Fetch the heads that moved; return why for those that could not be, and why upstream could not be reached."""
    here = heads.read()
    moved = [one.number for one in batch if here.get(one.number) != one.head_sha]
    bases = {one.base_ref for one in batch if not bench.is_followed(one.base_ref)}
    if not moved:
        return {}, None
    try:
        failures = heads.fetch(moved, bases, progress=progress)
    except UpstreamUnavailable as error:
        return {}, error
    now_here = heads.read()
    counts["fetched"] += sum(now_here.get(number) not in (None, here.get(number)) for number in moved)
    return failures, None


def _count(counts: Counter[str], judged: JudgedHead) -> None:
    if judged.problem is not None:
        counts[f"problem: {judged.problem.value}"] += 1
    else:
        counts["judged"] += 1
    if judged.judgement is not None:
        counts[judged.judgement.verdict.value] += 1


@dataclass(frozen=True, slots=True)
class _Difference:
    """What is to be judged of one pull request."""

    head: str
    base: str
    base_ref: str


class _Bench:
    """Judges heads of one repository in its clone, one by one."""

    def __init__(self, mirror: Mirror, heads: PullHeads, repository: RepositoryRow, ruleset: Ruleset) -> None:
        self._mirror = mirror
        self._heads = heads
        self._ruleset = ruleset
        self._walker = Walker(mirror, repository.slug, ruleset, accounts_at_most=0)
        self._slug = repository.slug
        self._territory = territory_map_for(repository.slug, ruleset)
        self._followed = repository.ref or mirror.default_branch()
        self._names = {self._followed, repository.default_branch, mirror.default_branch()}
        self._tip = mirror.resolve(self._followed)

    def is_followed(self, branch: str) -> bool:
        """Tell whether a branch is the one whose commits are read."""
        return branch in self._names

    def reads_any(self, paths: Iterable[str]) -> bool:
        """Tell whether any of these files holds code that is read, and so may hold a site."""
        return any(dialect_of(path, self._territory.place(path)) is not None for path in paths)

    def without_code(self, one: DueHead) -> JudgedHead:
        """Return what a pull request does that changes no file which is read: its head need not be fetched."""
        return JudgedHead(
            number=one.number,
            head_sha=one.head_sha,
            base_sha=None,
            base_ref=one.base_ref,
            judgement=judge(parse_trailers("", self._slug), (), self._ruleset),
            files=one.changed_files,
            ruleset=self._ruleset.digest,
        )

    def judge(
        self, batch: Sequence[DueHead], failures: Mapping[int, str], *, offline: bool
    ) -> Iterator[tuple[DueHead, JudgedHead]]:
        """Yield what each pull request would do.

        Args:
            failures: why heads could not be fetched, by number.
            offline: leave out those whose present head is not here; they are fetched another time.
        """
        here = self._heads.read()
        for one in batch:
            head = self._head(one, here)
            if offline and head != one.head_sha:
                continue
            yield one, self._judge(one, head, failures.get(one.number))

    def _head(self, one: DueHead, here: Mapping[int, str]) -> str | None:
        """Of a mirror that was just fetched its reference counts; in a clone of someone else's it may be old."""
        if self._mirror.remote is None and self._mirror.holds(one.head_sha):
            return one.head_sha
        return here.get(one.number)

    def _judge(self, one: DueHead, head: str | None, failure: str | None) -> JudgedHead:
        if head is None:
            detail = failure or f"refs/pull/{one.number}/head is not there"
            return self._problem(one, HeadProblem.HEAD_MISSING, detail)
        try:
            return self._compare(one, head)
        except RepositoryError as error:
            return self._problem(one, HeadProblem.UNREADABLE, str(error), head=head)

    def _compare(self, one: DueHead, head: str) -> JudgedHead:
        base_ref, tip = self._base(one)
        base = self._mirror.merge_base(tip, head)
        if base is None:
            detail = f"the histories of its head and of {base_ref} have nothing in common here"
            return self._problem(one, HeadProblem.NO_MERGE_BASE, detail, head=head, base_ref=base_ref)
        difference = _Difference(head, base, base_ref)
        files = len(next(iter(self._mirror.read_changes([(head, base)]))).changes)
        if files > MOST_FILES:
            detail = f"it changes {files:,} files; more than {MOST_FILES:,} are not read of one pull request"
            return self._problem(one, HeadProblem.TOO_LARGE, detail, head=head, base_ref=base_ref, files=files)
        return self._judged(one, difference, files)

    def _base(self, one: DueHead) -> tuple[str, str]:
        """Return the branch to compare with and its tip: the followed one where the pull request's own is not here."""
        if not self.is_followed(one.base_ref):
            tip = self._heads.base_tip(one.base_ref)
            if tip is not None:
                return one.base_ref, tip
        return self._followed, self._tip

    def _judged(self, one: DueHead, difference: _Difference, files: int) -> JudgedHead:
        judged = next(iter(self._walker.walk([(difference.head, difference.base)])))
        return JudgedHead(
            number=one.number,
            head_sha=difference.head,
            base_sha=difference.base,
            base_ref=difference.base_ref,
            judgement=judged.judgement,
            files=files,
            skipped=Counter(file.reason for file in judged.skipped),
            ruleset=self._ruleset.digest,
        )

    def _problem(
        self,
        one: DueHead,
        problem: HeadProblem,
        detail: str,
        *,
        head: str | None = None,
        base_ref: str | None = None,
        files: int = 0,
    ) -> JudgedHead:
        return JudgedHead(
            number=one.number,
            head_sha=head,
            base_sha=None,
            base_ref=base_ref or one.base_ref,
            judgement=None,
            problem=problem,
            detail=detail,
            files=files,
            ruleset=self._ruleset.digest,
        )
