"""What one crawl of pull requests keeps: pages with the cursor behind them, dead letters, the repository's facts.

It also counts what it did. The times of this machine serve the record only; what decides is GitHub's.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.cursors import move_cursor, read_cursor
from db.dead_letters import append_dead_letter, count_dead_letters, read_due_keys, remove_dead_letters
from db.pull_lists import append_part, count_remainders, read_remainders, remove_remainders
from db.pull_writes import count_stored_pulls, count_unstored_letters, upsert_pulls
from db.repositories import note_github_facts
from db.tables import RepositoryRow
from tracker.errors import RepositoryError, UpstreamUnavailable
from tracker.sources.github_pulls import PullsPage, Unserved
from tracker.upstream import ListPart, PullRequest, Remainder, RepositoryFacts

STREAM = "pulls"
"""Of the dead letters."""
MOST_UNSERVED = 20
"""How many may become dead letters in one crawl while fewer are served."""


class PullStore:
    """The stored side of one repository's pull requests, for one crawl."""

    def __init__(self, sessions: sessionmaker[Session], repository: RepositoryRow, now: Callable[[], datetime]) -> None:
        self._sessions = sessions
        self._repository_id = repository.id
        self._now = now
        self.slug = repository.slug
        """As GitHub calls it now."""
        self.github_id = repository.github_id
        self._default_branch = repository.default_branch
        self.counts: Counter[str] = Counter(read=0, new=0, changed=0, lists_read_on=0, unserved=0, served_late=0)

    def note(self, facts: RepositoryFacts) -> None:
        """Keep what GitHub says of the repository, where it is new."""
        if self._is_news(facts):
            with in_transaction(self._sessions) as session:
                self._note(session, facts)

    def keep_page(self, page: PullsPage, cursors: dict[str, str]) -> None:
        """Store a page and move cursors (JSON by stream), all or nothing.

        Raises:
            UpstreamUnavailable: more of this crawl could not be served than could: no single pull request is to blame.
        """
        unserved = self.counts["unserved"] + len(page.unserved)
        if unserved > MOST_UNSERVED and unserved > self.counts["read"] + len(page.pulls):
            reason = page.unserved[-1].reason if page.unserved else "see the dead letters"
            raise UpstreamUnavailable(f"GitHub serves hardly any pull request of {self.slug}: {reason}")
        with in_transaction(self._sessions) as session:
            if self._is_news(page.repository):
                self._note(session, page.repository)
            self._keep(session, page.pulls, page.unserved, page.served_at)
            for stream, value in cursors.items():
                move_cursor(session, self._repository_id, stream, value, self._now())
            stored = count_stored_pulls(session, self._repository_id)
        self.counts["on_github"], self.counts["stored"] = page.total, stored

    def gap(self) -> dict[str, int]:
        """Return how many dead letters there are, and how many pull requests are not accounted for."""
        with in_transaction(self._sessions) as session:
            letters = count_dead_letters(session, self._repository_id, STREAM)
            unstored = count_unstored_letters(session, self._repository_id, STREAM)
        if "on_github" not in self.counts:
            return {"dead_letters": letters}
        missing = max(0, self.counts["on_github"] - self.counts["stored"] - unstored)
        return {"dead_letters": letters, "missing": missing}

    def remainders(self, limit: int) -> list[Remainder]:
        """Return lists of stored pull requests that have not been read to their end."""
        with in_transaction(self._sessions) as session:
            return read_remainders(session, self._repository_id, limit)

    def count_remainders(self) -> int:
        with in_transaction(self._sessions) as session:
            return count_remainders(session, self._repository_id)

    def keep_parts(self, parts: Iterable[tuple[Remainder, ListPart | Unserved]]) -> None:
        """Store how lists go on; a pull request whose list is not served becomes a dead letter, to be read anew."""
        with in_transaction(self._sessions) as session:
            for remainder, part in parts:
                if isinstance(part, ListPart):
                    append_part(session, self._repository_id, remainder, part)
                    self.counts["lists_read_on"] += 1
                else:
                    remove_remainders(session, self._repository_id, remainder.number)
                    self._append_letter(session, part)

    def keep_letter(self, key: str, pulls: Iterable[PullRequest], unserved: Iterable[Unserved]) -> None:
        """Store what became of a dead letter that was tried again."""
        unserved = tuple(unserved)
        with in_transaction(self._sessions) as session:
            if not unserved:
                self.counts["served_late"] += remove_dead_letters(session, self._repository_id, STREAM, [key])
            self._keep(session, pulls, unserved, None)

    def due_letters(self, before: datetime, limit: int) -> list[str]:
        """Return the keys of dead letters last tried before a time."""
        with in_transaction(self._sessions) as session:
            return read_due_keys(session, self._repository_id, STREAM, before, limit)

    def cursor(self, stream: str) -> str | None:
        with in_transaction(self._sessions) as session:
            return read_cursor(session, self._repository_id, stream)

    def _keep(
        self,
        session: Session,
        pulls: Iterable[PullRequest],
        unserved: Iterable[Unserved],
        served_at: datetime | None,
    ) -> None:
        pulls = tuple(pulls)
        done = upsert_pulls(session, self._repository_id, pulls, served_at or self._now())
        self.counts.update(read=len(pulls), new=done.new, changed=done.changed)
        served = [str(pull.number) for pull in pulls]
        self.counts["served_late"] += remove_dead_letters(session, self._repository_id, STREAM, served)
        for letter in unserved:
            self._append_letter(session, letter)

    def _append_letter(self, session: Session, letter: Unserved) -> None:
        self.counts["unserved"] += 1
        append_dead_letter(session, self._repository_id, STREAM, letter.key, letter.reason, self._now())

    def _is_news(self, facts: RepositoryFacts) -> bool:
        return (facts.github_id, facts.slug, facts.default_branch) != (
            self.github_id,
            self.slug,
            self._default_branch,
        )

    def _note(self, session: Session, facts: RepositoryFacts) -> None:
        if self.github_id not in (None, facts.github_id):
            raise RepositoryError(
                f"the name {self.slug} went over to another repository while it was read; the next run looks for it"
            )
        note_github_facts(session, self._repository_id, facts.github_id, facts.slug, facts.default_branch, self._now())
        self.github_id, self.slug = facts.github_id, facts.slug
        self._default_branch = facts.default_branch or self._default_branch
