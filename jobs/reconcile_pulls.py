"""Compare the stored pull requests of one repository with the numbers that GitHub gave out, and show what is missing.

Pull requests, issues and discussions share one sequence of numbers. Each that is no stored pull request is asked about
once, a hundred at a time for one point; what GraphQL shows nothing under is asked for by REST, one by one, a bounded
number of them in a run. A pull request that turns up is read at once. What is known is kept, so that a run that is cut
short goes on, and the next week's asks about new numbers only.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.http_cache import HttpCache
from db.numbers import (
    MOST_GAPS,
    PullCoverage,
    append_pull_coverage,
    count_kinds,
    forget_pulls,
    read_known_numbers,
    store_kinds,
)
from db.pull_lists import count_remainders
from db.pull_writes import count_stored_pulls, count_unstored_letters
from db.tables import RepositoryRow
from jobs.crawl_pulls import utc_now
from jobs.progress import Progress, no_progress
from jobs.pull_cursors import BACKFILL, parse_backfill
from jobs.pull_store import STREAM, PullStore
from tracker.errors import RepositoryError
from tracker.numbers import NumberKind, unaccounted
from tracker.settings import Settings
from tracker.sources.github_auth import credentials_from
from tracker.sources.github_client import GitHubClient
from tracker.sources.github_numbers import NUMBERS_AT_ONCE, Totals, read_kind, read_kinds, read_totals
from tracker.sources.github_pulls import Unserved, read_one

ONE_BY_ONE = 500
"""Numbers that are asked about by REST in one run."""


def reconcile_pulls(
    sessions: sessionmaker[Session],
    repository: RepositoryRow,
    settings: Settings,
    *,
    progress: Progress = no_progress,
) -> dict[str, int | str]:
    """Compare, and return what was found, by name.

    Raises:
        AuthenticationFailed: no token is set, or it is refused.
        RateLimited: the hour's budget is spent; what was learned is kept.
        RepositoryError: there is no such repository (any more), or its pull requests were not read to the end yet.
        PayloadError, UpstreamUnavailable: as they say; what was learned is kept.
    """
    with GitHubClient(settings.github_url, credentials_from(settings), answers=HttpCache(sessions)) as client:
        store = PullStore(sessions, repository, utc_now)
        return Reconciliation(client, sessions, repository.id, store, utc_now).run(progress)


class Reconciliation:
    """One comparison."""

    def __init__(
        self,
        client: GitHubClient,
        sessions: sessionmaker[Session],
        repository_id: int,
        store: PullStore,
        now: Callable[[], datetime],
    ) -> None:
        self._client = client
        self._sessions = sessions
        self._repository_id = repository_id
        self._store = store
        self._now = now
        self._left_one_by_one = ONE_BY_ONE

    def run(self, progress: Progress = no_progress) -> dict[str, int | str]:
        """Do what `reconcile_pulls` does, with a client and a store at hand."""
        backfill = parse_backfill(self._store.cursor(BACKFILL))
        if backfill is None or not backfill.done:
            raise RepositoryError(
                f"pull requests of {self._store.slug} were not read to the end yet; `tracker crawl pulls` reads on"
            )
        totals = read_totals(self._client, self._store.slug)
        with in_transaction(self._sessions) as session:
            forget_pulls(session, self._repository_id)
            known = read_known_numbers(session, self._repository_id)
        asked = list(unaccounted(totals.highest, known))
        for done, numbers in _batches(asked):
            self._ask_about(numbers)
            progress("asking what numbers stand for", done, len(asked))
        coverage = self._compare(totals)
        usage = self._client.usage
        return {
            "numbers": coverage.highest,
            "pulls": coverage.pulls,
            "issues": coverage.issues,
            "discussions": coverage.discussions,
            "deleted": coverage.deleted,
            "transferred": coverage.transferred,
            "unserved": coverage.unserved,
            "unchecked": coverage.unchecked,
            "missing": coverage.missing,
            "requests": usage.requests,
            "points": usage.points,
        }

    def _ask_about(self, numbers: Sequence[int]) -> None:
        kinds: dict[int, NumberKind] = {}
        for number, kind in read_kinds(self._client, self._store.slug, numbers).items():
            known = kind
            if known is None and self._left_one_by_one > 0:
                self._left_one_by_one -= 1
                known = read_kind(self._client, self._store.slug, number)
            if known is not None:
                kinds[number] = known
        with in_transaction(self._sessions) as session:
            store_kinds(session, self._repository_id, kinds, self._now())
        for number in (number for number, kind in kinds.items() if kind is NumberKind.PULL_REQUEST):
            self._read_missing(number)

    def _read_missing(self, number: int) -> None:
        one = read_one(self._client, self._store.slug, number)
        if isinstance(one, Unserved):
            self._store.keep_letter(str(number), (), (one,))
        else:
            self._store.keep_letter(str(number), (one,), ())

    def _compare(self, totals: Totals) -> PullCoverage:
        with in_transaction(self._sessions) as session:
            forget_pulls(session, self._repository_id)
            kinds = count_kinds(session, self._repository_id)
            stored = count_stored_pulls(session, self._repository_id)
            unserved = count_unstored_letters(session, self._repository_id, STREAM)
            gaps = list(unaccounted(totals.highest, read_known_numbers(session, self._repository_id)))
            coverage = PullCoverage(
                repository=self._store.slug,
                at=self._now(),
                highest=totals.highest,
                pulls_on_github=totals.pulls,
                pulls=stored,
                unserved=unserved,
                issues=kinds[NumberKind.ISSUE],
                discussions=kinds[NumberKind.DISCUSSION],
                deleted=kinds[NumberKind.DELETED] + kinds[NumberKind.ABSENT],
                transferred=kinds[NumberKind.TRANSFERRED],
                unchecked=len(gaps) - kinds[NumberKind.PULL_REQUEST],
                missing=max(0, totals.pulls - stored - unserved),
                unread_lists=count_remainders(session, self._repository_id),
                gaps=tuple(gaps[:MOST_GAPS]),
            )
            append_pull_coverage(session, self._repository_id, coverage)
        return coverage


def _batches(numbers: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
    for start in range(0, len(numbers), NUMBERS_AT_ONCE):
        yield start, numbers[start : start + NUMBERS_AT_ONCE]
