"""Judge a repository's stored history anew by the present rules, from its clone and without the API.

A crawl does the same before it appends anything; done by hand it also says what the new rules changed over the whole
history, whichever runs judged it: how many commits went from which verdict to which, and which commits those are.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.cells import rebuild_weeks
from db.rejudging import OutdatedCommit, read_outdated
from db.stored_lines import read_first_commit, read_line
from db.tables import RepositoryRow
from db.verdict_changes import Change, read_changes, read_verdict_counts
from jobs.backfill import pace
from jobs.commit_store import CommitStore
from jobs.configure import with_mail_key
from jobs.crawl_commits import cut
from jobs.judge_again import LineToJudge, judge_again, mark_what_can_be_read_now
from jobs.locations import absolute_location
from jobs.progress import Progress, no_progress
from jobs.repositories import open_repository
from jobs.runner import utc_now
from tracker.errors import RepositoryError, SettingsError
from tracker.ruleset import Ruleset
from tracker.settings import Settings
from tracker.sites import Verdict
from tracker.sources.git_mirror import Mirror, open_mirror


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """What judging anew changed."""

    counts: Mapping[str, int | str]
    commits: int
    """Judged anew by this run; an interrupted run before it has judged those before them."""
    before_this_run: int
    """Commits of the line that were judged by these rules already."""
    changes: tuple[Change, ...]
    """The commits of the whole line that are judged differently than by the rules before these, oldest first."""
    verdicts_after: Mapping[Verdict, int]
    """How many commits of the line have each verdict now."""

    @property
    def moves(self) -> Mapping[tuple[Verdict, Verdict], int]:
        """How many commits went from which verdict to which other one, most first."""
        pairs = ((change.before.verdict, change.after.verdict) for change in self.changes)
        return dict(Counter(pair for pair in pairs if pair[0] is not pair[1]).most_common())

    @property
    def verdicts_before(self) -> Mapping[Verdict, int]:
        """How many commits of the line had each verdict by the rules before these."""
        counts = Counter(self.verdicts_after)
        for (before, after), number in self.moves.items():
            counts[before] += number
            counts[after] -= number
        return counts


def rejudge(  # noqa: PLR0913 - the contract of the crawlers
    sessions: sessionmaker[Session],
    repository: RepositoryRow,
    settings: Settings,
    ruleset: Ruleset,
    *,
    mirror: str | None = None,
    workers: int = 0,
    progress: Progress = no_progress,
    now: Callable[[], datetime] = utc_now,
) -> Rejudged:
    """Judge anew what another ruleset has judged, batch by batch, derive the weekly cells, and say what changed.

    Commits that were judged before it was kept why, or before lines were counted, are judged anew as well.

    Args:
        mirror: path of a clone to read instead of the one the repository is watched with; nothing is fetched.
        workers: processes that read and judge; 0: one for each processor.

    Raises:
        RepositoryError: nothing was read yet, or the clone lacks a stored commit.
        CursorMoved: history was rewritten meanwhile.
    """
    settings = with_mail_key(settings)
    if settings.mail_key is None:
        raise SettingsError(("TRACKER_MAIL_KEY is not set and none could be made",))
    with in_transaction(sessions) as session:
        first = read_first_commit(session, repository.id)
        commits = len(read_line(session, repository.id))
    if first is None:
        raise RepositoryError(f"no commits of {repository.slug} were read yet; crawl the commits first")
    started = time.monotonic()
    store = CommitStore(sessions, repository.id, ruleset, settings.mail_key, now)
    with _open(repository, mirror, settings) as clone:
        mark_what_can_be_read_now(sessions, repository.id, clone)
        with in_transaction(sessions) as session:
            outdated = read_outdated(session, repository.id, ruleset.digest, incomplete=True)
        if outdated:
            _check_that_it_holds(clone, outdated, repository.slug)
            line = LineToJudge(mirror=clone, slug=repository.slug, ruleset=ruleset, store=store, begins=first.position)
            judge_again(line, outdated, cut, workers=workers or os.cpu_count() or 1, progress=progress)
    with in_transaction(sessions) as session:
        if outdated:
            rebuild_weeks(session, repository.id, None)
        changes = read_changes(session, repository.id, ruleset.digest)
        verdicts = read_verdict_counts(session, repository.id)
    return Rejudged(
        counts=dict(store.counts) | pace(len(outdated), time.monotonic() - started),
        commits=len(outdated),
        before_this_run=commits - len(outdated),
        changes=changes,
        verdicts_after=verdicts,
    )


def _open(repository: RepositoryRow, mirror: str | None, settings: Settings) -> Mirror:
    if mirror is None:
        return open_repository(repository, settings)
    return open_mirror(absolute_location(mirror), folder=settings.mirrors_folder, slug=repository.slug)


def _check_that_it_holds(clone: Mirror, outdated: Sequence[OutdatedCommit], slug: str) -> None:
    """Refuse a clone that lacks the oldest or newest commit before anything is replaced."""
    for commit in (outdated[0], outdated[-1]):
        if not clone.holds(commit.sha):
            raise RepositoryError(
                f"the clone at {clone.path} lacks the commit {commit.sha} of {slug}, which was read once; name one "
                "that has it with --mirror, or crawl the commits, which reads everything anew from the clone it has"
            )
