"""Crawl the commits of one repository: fetch, find what is new on its first-parent line, read, judge and store it.

One code path for a whole history and for its newest commit. Each chunk of commits is stored in one transaction with
the cursor behind it and the weekly cells it touches, so that a crawl that is killed goes on where it last committed,
and ends the same. A rewritten history is followed: what is no longer on the line no longer counts. With another
ruleset than the one that judged what is stored, that is judged anew before anything is appended (`jobs.judge_again`).
"""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, time
from itertools import pairwise, takewhile

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.commits import CommitCursor, read_commit_cursor
from db.rejudging import OutdatedCommit, read_outdated
from db.repositories import note_github_facts
from db.stored_lines import read_first_commit, read_line
from db.tables import RepositoryRow
from jobs.chunk_workers import Reading, judge_chunks
from jobs.commit_store import CommitStore
from jobs.configure import with_mail_key
from jobs.crawl_plan import CrawlPlan, plan_again, plan_continuation, plan_opening
from jobs.judge_again import LineToJudge, judge_again, mark_what_can_be_read_now
from jobs.progress import Progress, no_progress
from jobs.repositories import open_repository
from jobs.runner import utc_now
from jobs.walk import Walker
from tracker.errors import CursorMoved, LineBegun, SettingsError, UpstreamUnavailable
from tracker.ruleset import Ruleset
from tracker.settings import Settings
from tracker.sources.git_mirror import Mirror
from tracker.sources.git_trees import Pair

CHUNK = 500
"""Commits stored in one transaction."""
TRIES = 5
"""How often to plan anew when another crawl of the same repository was faster."""
_DATES_AT_A_TIME = 2_000


def crawl_commits(  # noqa: PLR0913 - the contract of the crawlers
    sessions: sessionmaker[Session],
    repository: RepositoryRow,
    settings: Settings,
    ruleset: Ruleset,
    *,
    workers: int = 1,
    since: datetime | None = None,
    until: str | None = None,
    progress: Progress = no_progress,
    now: Callable[[], datetime] = utc_now,
) -> dict[str, int | str]:
    """Read what is new and return what was done, by name.

    Args:
        workers: processes that read and judge, where there is work for several; 0: one for each processor.
        since: begin a new ledger at the first commit of that time or later, with what stands before it as its opening;
            a ledger that has begun stays as it is. None: as is kept with the repository.
        until: revision at which to end; None: the branch that is followed.

    Raises:
        LineBegun: the stored line goes on beyond the revision at which it is to end.
        RepositoryError: the repository, its branch or a part of its history is not there.
        AuthenticationFailed: upstream refuses us.
        UpstreamUnavailable: upstream cannot be reached; what was fetched before has been read and stored.
    """
    settings = with_mail_key(settings)
    if settings.mail_key is None:
        raise SettingsError(("TRACKER_MAIL_KEY is not set and none could be made",))
    if since is None and repository.since is not None:
        since = datetime.combine(repository.since, time(), UTC)
    store = CommitStore(sessions, repository.id, ruleset, settings.mail_key, now)
    with open_repository(repository, settings, fetching=True) as mirror:
        unavailable = _fetch(mirror, repository.ref, until, progress)
        crawl = _Crawl(sessions, repository, ruleset, mirror, store)
        for attempt in range(TRIES):
            try:
                crawl.run(workers=workers or os.cpu_count() or 1, since=since, until=until, progress=progress)
                break
            except CursorMoved:
                if attempt == TRIES - 1:
                    raise
        crawl.note_default_branch(now())
    if unavailable is not None:
        raise unavailable
    return dict(store.counts)


def _fetch(mirror: Mirror, ref: str | None, until: str | None, progress: Progress) -> UpstreamUnavailable | None:
    """Bring the clone up to date; return why that could not be done where there is an older one to go on with."""
    try:
        mirror.fetch(ref, progress=progress)
    except UpstreamUnavailable as error:
        if not mirror.path.exists():
            raise
        return error
    if until is not None and not mirror.holds(until):
        mirror.fetch(until, progress=progress)
    return None


class _Crawl:
    """One repository, its clone, and what is stored of it."""

    def __init__(
        self,
        sessions: sessionmaker[Session],
        repository: RepositoryRow,
        ruleset: Ruleset,
        mirror: Mirror,
        store: CommitStore,
    ) -> None:
        self._sessions = sessions
        self._repository = repository
        self._ruleset = ruleset
        self._mirror = mirror
        self._store = store

    def run(self, *, workers: int, since: datetime | None, until: str | None, progress: Progress) -> None:
        """Read everything that is not stored yet. Raises CursorMoved where another crawl was faster."""
        revision = until or self._repository.ref or self._mirror.default_branch()
        line = self._mirror.first_parent_line(revision)
        mark_what_can_be_read_now(self._sessions, self._repository.id, self._mirror)
        self._judge_again(line, workers, progress)
        plan = self._plan(line, since, until)
        keep_until = plan.keep_until
        if plan.baseline is not None:
            progress("reading the opening stock", 0, None)
            opening = Walker(self._mirror, self._repository.slug, self._ruleset).baseline(plan.baseline)
            self._store.append(
                [opening],
                first_position=plan.baseline_position,
                head=line[-1][0],
                keep_until=keep_until,
                opening=True,
            )
            keep_until = None
            self._store.skip(0, plan.baseline_position - 1, "it stands before the first commit that was asked for")
        self._store.begin(plan.first_position, plan.first_position + len(plan.pairs) - 1)
        chunks = cut(plan.pairs, plan.first_position)
        reading = Reading(path=str(self._mirror.path), slug=self._repository.slug, ruleset=self._ruleset, chunks=chunks)
        position = plan.first_position
        progress("reading commits", 0, len(plan.pairs))
        for batch in judge_chunks(reading, workers=workers):
            self._store.append(batch, first_position=position, head=line[-1][0], keep_until=keep_until)
            keep_until = None
            position += len(batch)
            progress("reading commits", position - plan.first_position, len(plan.pairs))
        if keep_until is not None:
            self._store.rewind(keep_until)

    def note_default_branch(self, now: datetime) -> None:
        """Record which branch the clone says is followed, where that is news."""
        branch = self._mirror.default_branch()
        if self._repository.ref is None and branch not in ("HEAD", self._repository.default_branch):
            with in_transaction(self._sessions) as session:
                note_github_facts(session, self._repository.id, None, self._repository.slug, branch, now)

    def _judge_again(self, line: Sequence[Pair], workers: int, progress: Progress) -> None:
        """Judge anew, in place, those stored commits on the line that are outdated."""
        outdated, begins = self._outdated()
        held = {sha for sha, _ in line}
        stays = tuple(takewhile(lambda commit: commit.sha in held, outdated))
        if stays:
            stored = LineToJudge(
                mirror=self._mirror,
                slug=self._repository.slug,
                ruleset=self._ruleset,
                store=self._store,
                begins=begins,
            )
            judge_again(stored, stays, cut, workers=workers, progress=progress)

    def _outdated(self) -> tuple[tuple[OutdatedCommit, ...], int]:
        """Return the stored commits that another ruleset has judged, and the position where the stored line begins."""
        with in_transaction(self._sessions) as session:
            outdated = read_outdated(session, self._repository.id, self._ruleset.digest)
            first = read_first_commit(session, self._repository.id)
        return outdated, first.position if first is not None else 0

    def _plan(self, line: Sequence[Pair], since: datetime | None, until: str | None) -> CrawlPlan:
        with in_transaction(self._sessions) as session:
            cursor = read_commit_cursor(session, self._repository.id)
            first = read_first_commit(session, self._repository.id)
        shallow = self._mirror.is_shallow_boundary(line[0][0])
        if cursor is None:
            return plan_opening(line, self._start(line, since), shallow=shallow)
        if self._lacks_outdated(line):
            return plan_again(line, first, shallow=shallow)
        return self._continue(line, cursor, until) or plan_opening(
            line, self._start(line, since), shallow=shallow, keep_until=-1
        )

    def _lacks_outdated(self, line: Sequence[Pair]) -> bool:
        """Whether the clone begins behind stored commits that must be judged anew: only all of it can be read then."""
        outdated, _ = self._outdated()
        if not outdated:
            return False
        with in_transaction(self._sessions) as session:
            positions = {commit.sha: commit.position for commit in read_line(session, self._repository.id)}
        begins = next((positions[sha] for sha, _ in line if sha in positions), None)
        return begins is not None and outdated[0].position < begins

    def _continue(self, line: Sequence[Pair], cursor: CommitCursor, until: str | None) -> CrawlPlan | None:
        plan = plan_continuation(line, cursor, (), rewritten=False)
        if plan is not None:
            return plan
        with in_transaction(self._sessions) as session:
            stored = read_line(session, self._repository.id)
        # A clone that has never seen the cursor's commit is only behind the one that another crawl has read.
        ahead = self._mirror.holds(cursor.sha)
        if until is not None and ahead and line[-1][0] in {commit.sha for commit in stored}:
            raise LineBegun(self._repository.slug, f"was read on to {cursor.sha[:10]}", f"--until {until}")
        return plan_continuation(line, cursor, stored, rewritten=until is None and ahead)

    def _start(self, line: Sequence[Pair], since: datetime | None) -> int:
        """Return the index of the first commit of a time or later; the line's length where there is none."""
        if since is None:
            return 0
        for start in range(0, len(line), _DATES_AT_A_TIME):
            shas = [sha for sha, _ in line[start : start + _DATES_AT_A_TIME]]
            for number, commit in enumerate(list(self._mirror.read_commits(shas)), start):
                if commit.committed_at >= since:
                    return number
        return len(line)


def cut(pairs: Sequence[Pair], first_position: int) -> list[Sequence[Pair]]:
    """Cut commits into chunks that end at multiples of `CHUNK`, so that two crawls at once store the same batches."""
    bounds = [0, *range(CHUNK - first_position % CHUNK, len(pairs), CHUNK), len(pairs)]
    return [pairs[start:end] for start, end in pairwise(bounds) if end > start]
