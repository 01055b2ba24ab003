"""Compare the ledger's balance with a full scan of the tree, by path, site and territory, and lines by place.

It is the proof of every number the product shows: nothing is shared with the crawl but the scan of one blob. Zero
differences are expected, always; each comparison is recorded, and what differs is shown.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from sqlalchemy.orm import Session, sessionmaker

from db.audits import MOST_DETAILS, Audit, AuditDifference, append_audit
from db.base import clean_text, in_transaction
from db.ledger import read_standing
from db.line_cells import LinePlace, read_standing_lines
from db.repositories import read_repository
from db.stored_lines import StoredCommit, read_line, read_ruleset_at, read_sha_at
from db.tables import RepositoryRow
from jobs.progress import Progress, no_progress
from jobs.repositories import open_repository
from jobs.runner import utc_now
from jobs.walk import TreeFile, Walker
from tracker.errors import CursorMoved, RepositoryError
from tracker.ruleset import Ruleset
from tracker.settings import Settings
from tracker.sites import Site, Territory
from tracker.sources.git_mirror import Mirror

Balance = Mapping[tuple[str, Site, Territory], int]
"""Number of sites by path, site and where they stand; absent = zero."""
Lines = Mapping[LinePlace, int]
"""Number of lines by place; absent = zero."""


def audit(  # noqa: PLR0913 - the contract of the jobs
    sessions: sessionmaker[Session],
    slug: str,
    settings: Settings,
    ruleset: Ruleset,
    *,
    sample: int = 1,
    rev: str | None = None,
    seed: int | None = None,
    readers: sessionmaker[Session] | None = None,
    progress: Progress = no_progress,
    now: Callable[[], datetime] = utc_now,
) -> list[Audit]:
    """Compare, record, and return what was found at each commit, oldest first.

    Args:
        sample: how many commits: the newest one, and the others at random over the stored line.
        rev: this revision only.
        seed: of the choice; None: another one each time.
        readers: read-only sessions, which keep no writer waiting while the ledger is added up; None: `sessions`.

    Raises:
        RepositoryError: the repository is not watched, its commits were not read with this ruleset, or its clone lacks
            one of them.
        CursorMoved: history was rewritten meanwhile.
    """
    readers = readers or sessions
    with in_transaction(readers) as session:
        repository = read_repository(session, slug)
        line = read_line(session, repository.id) if repository is not None else ()
        judged_by = read_ruleset_at(session, repository.id, line[-1].position) if repository and line else None
    if repository is None or not line:
        raise RepositoryError(f"no commits of {slug} were read yet; crawl the commits first, then audit")
    if judged_by != ruleset.digest:
        raise RepositoryError(f"the commits of {slug} were judged by other rules; crawl the commits first, then audit")
    with open_repository(repository, settings) as mirror:
        chosen = [_named(line, mirror.resolve(rev))] if rev is not None else choose(line, sample, seed)
        auditor = _Auditor(sessions, readers, repository, mirror, ruleset)
        audits = []
        for done, commit in enumerate(chosen):
            progress("comparing with full scans", done, len(chosen))
            audits.append(auditor.compare(commit, now()))
        progress("comparing with full scans", len(chosen), len(chosen))
    return audits


def choose(line: Sequence[StoredCommit], sample: int, seed: int | None) -> list[StoredCommit]:
    """Return the newest commit and others at random, oldest first."""
    others = min(max(sample, 1), len(line)) - 1
    chosen = random.Random(seed).sample(range(len(line) - 1), others)  # noqa: S311 - a sample, not a secret
    return [line[index] for index in sorted(chosen)] + [line[-1]]


def compare(tree: Balance, ledger: Balance) -> list[AuditDifference]:
    """Return the paths at which two balances differ, by path."""
    differing: dict[str, Site] = {}
    for key in sorted({*tree, *ledger}):
        if tree.get(key, 0) != ledger.get(key, 0):
            differing.setdefault(key[0], key[1])
    totals = [_by_path(balance) for balance in (tree, ledger)]
    return [
        AuditDifference(path=path, tree=totals[0][path], ledger=totals[1][path], example=site.symbol)
        for path, site in differing.items()
    ]


def compare_lines(tree: Lines, ledger: Lines) -> list[AuditDifference]:
    """Return the places at which two numbers of lines differ."""
    return [
        AuditDifference(path="/".join(place), tree=tree.get(place, 0), ledger=ledger.get(place, 0), unit="lines")
        for place in sorted({*tree, *ledger})
        if tree.get(place, 0) != ledger.get(place, 0)
    ]


class _Auditor:
    """Compares commits of one repository; blobs that trees share are scanned once."""

    def __init__(
        self,
        sessions: sessionmaker[Session],
        readers: sessionmaker[Session],
        repository: RepositoryRow,
        mirror: Mirror,
        ruleset: Ruleset,
    ) -> None:
        self._sessions = sessions
        self._readers = readers
        self._repository = repository
        self._mirror = mirror
        self._ruleset = ruleset
        self._walker = Walker(mirror, repository.slug, ruleset)

    def compare(self, commit: StoredCommit, now: datetime) -> Audit:
        """Compare at one commit and record the result."""
        tree, lines = self._scan(commit.sha)
        with in_transaction(self._readers) as session:
            ledger = read_standing(session, self._repository.id, commit.position)
            ledger_lines = read_standing_lines(session, self._repository.id, commit.position)
            if read_sha_at(session, self._repository.id, commit.position) != commit.sha:
                raise CursorMoved("history was rewritten while it was audited; audit again")
        differences = [*compare(tree, ledger), *compare_lines(lines, ledger_lines)]
        paths = len({path for path, _, _ in (*tree, *ledger)})
        with in_transaction(self._sessions) as session:
            append_audit(
                session,
                self._repository.id,
                commit.sha,
                ruleset=self._ruleset.digest,
                at=now,
                paths=paths,
                sites=sum(tree.values()),
                lines=sum(lines.values()),
                differences=differences,
            )
        (read,) = list(self._mirror.read_commits([commit.sha]))
        return Audit(
            repository=self._repository.slug,
            sha=commit.sha,
            committed_at=read.committed_at,
            ruleset=self._ruleset.digest,
            at=now,
            paths=paths,
            sites=sum(tree.values()),
            lines=sum(lines.values()),
            differences=len(differences),
            details=tuple(differences[:MOST_DETAILS]),
        )

    def _scan(self, sha: str) -> tuple[Balance, Lines]:
        balance: Counter[tuple[str, Site, Territory]] = Counter()
        lines: Counter[LinePlace] = Counter()
        for file in self._walker.read_tree(sha):
            if isinstance(file, TreeFile):
                path, place = clean_text(file.scanned.path), file.scanned.place
                lines[place.territory, place.area, place.subsystem] += file.lines
                for one in file.scanned.occurrences:
                    balance[path, one.site, file.scanned.territory_of(one)] += 1
        return balance, lines


def _named(line: Sequence[StoredCommit], sha: str) -> StoredCommit:
    for commit in line:
        if commit.sha == sha:
            return commit
    raise RepositoryError(f"commit {sha} is not on the line that was read; crawl the commits first, then audit")


def _by_path(balance: Balance) -> Counter[str]:
    totals: Counter[str] = Counter()
    for (path, _, _), count in balance.items():
        totals[path] += count
    return totals
