"""Judged commits -> the database, one transaction for each batch: facts, entries, verdicts, weekly cells and cursor."""

import hmac
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import lru_cache

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.cells import rebuild_weeks
from db.commits import CommitCursor, RewindCounts, append_commits, rewind_to
from db.coverage import cut_coverage, note_begun, note_read, note_skipped
from db.identities import Identities
from db.rejudging import replace_judgements
from db.verdict_changes import Change
from tracker.affiliation import is_bot, organisation_of
from tracker.classify import JudgedCommit
from tracker.ruleset import Ruleset
from tracker.settings import Secret


class CommitStore:
    """Stores the commits of one repository, and counts what it stored."""

    def __init__(
        self,
        sessions: sessionmaker[Session],
        repository_id: int,
        ruleset: Ruleset,
        mail_key: Secret,
        now: Callable[[], datetime],
    ) -> None:
        self._sessions = sessions
        self._repository_id = repository_id
        self._identities = Identities()
        self._author_key = author_key(mail_key)
        self._organisation = lru_cache(maxsize=1 << 14)(lambda domain: organisation_of(domain, ruleset))
        self._is_program = lru_cache(maxsize=1 << 14)(lambda name, mail: is_bot(name, mail, ruleset))
        self._now = now
        self.counts: Counter[str] = Counter(commits=0, entries=0, skipped_files=0)
        """What was done, by name; files that were not read by reason."""

    def append(
        self,
        batch: Sequence[JudgedCommit],
        *,
        first_position: int,
        head: str,
        keep_until: int | None = None,
        opening: bool = False,
    ) -> None:
        """Store a batch that follows the cursor.

        Args:
            keep_until: take everything behind this position off the line first; None: nothing.
            opening: the batch is the commit whose tree opens the ledger, and not one that was read.

        Raises:
            CursorMoved: another crawl went on meanwhile.
        """
        cursor = CommitCursor(sha=batch[-1].commit.sha, position=first_position + len(batch) - 1, head=head)
        with in_transaction(self._sessions) as session:
            rewound = self._rewind(session, keep_until)
            counts = append_commits(
                session,
                self._repository_id,
                batch,
                first_position=first_position,
                author_key=self._author_key,
                organisation=self._organisation,
                is_program=self._is_program,
                cursor=cursor,
                now=self._now(),
                identities=self._identities,
            )
            note_read(session, self._repository_id, first_position, cursor.position, self._now())
            rebuild_weeks(session, self._repository_id, {*counts.weeks, *rewound.weeks})
        self.counts.update(
            commits=0 if opening else counts.commits,
            entries=counts.entries,
            skipped_files=counts.skipped_files,
        )
        self._count_rewound(rewound)
        if counts.commits:
            self._count_oddities(batch)

    def replace(self, batch: Sequence[JudgedCommit], *, first_position: int) -> tuple[Change, ...]:
        """Put a batch in the place of what is stored of its commits; return each commit before and after.

        Raises:
            CursorMoved: history was rewritten meanwhile.
        """
        with in_transaction(self._sessions) as session:
            counts, changes = replace_judgements(
                session,
                self._repository_id,
                batch,
                first_position=first_position,
                author_key=self._author_key,
                organisation=self._organisation,
                is_program=self._is_program,
                now=self._now(),
                identities=self._identities,
            )
            rebuild_weeks(session, self._repository_id, counts.weeks)
        self.counts["commits_judged_anew"] += len(batch)
        self.counts["judged_differently"] += sum(change.is_one for change in changes)
        return changes

    def begin(self, first: int, last: int) -> None:
        """Record that a range of the line, which may be empty, is about to be read."""
        with in_transaction(self._sessions) as session:
            note_begun(session, self._repository_id, first, last, self._now())

    def skip(self, first: int, last: int, reason: str) -> None:
        """Record that a range of the line is not to be read, and why."""
        if last >= first:
            with in_transaction(self._sessions) as session:
                note_skipped(session, self._repository_id, first, last, reason, self._now())

    def rewind(self, keep_until: int) -> None:
        """Take everything behind a position off the line."""
        with in_transaction(self._sessions) as session:
            rewound = self._rewind(session, keep_until)
            rebuild_weeks(session, self._repository_id, rewound.weeks)
        self._count_rewound(rewound)

    def _rewind(self, session: Session, keep_until: int | None) -> RewindCounts:
        if keep_until is None:
            return RewindCounts(commits=0, weeks=())
        cut_coverage(session, self._repository_id, keep_until)
        return rewind_to(session, self._repository_id, keep_until)

    def _count_rewound(self, rewound: RewindCounts) -> None:
        if rewound.commits:
            self.counts["commits_off_the_line"] += rewound.commits

    def _count_oddities(self, batch: Iterable[JudgedCommit]) -> None:
        for judged in batch:
            self.counts.update(f"skipped: {file.reason.value}" for file in judged.skipped)
            people = (judged.commit.author, judged.commit.committer)
            self.counts.update("dates clamped" for person in people if person.clamped)


def author_key(mail_key: Secret) -> Callable[[str], str]:
    """Return the function from a mail address to the keyed digest that is stored instead of it."""
    key = mail_key.reveal().encode()

    @lru_cache(maxsize=1 << 14)
    def digest(mail: str) -> str:
        return hmac.new(key, mail.strip().lower().encode("utf-8", "replace"), "sha256").hexdigest()

    return digest
