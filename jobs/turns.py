"""Whose turn it is to read a repository: one job at a time, in whichever process; a dead one's turn is over.

The second learns who is at it. A scheduled crawl leaves the repository to the other and comes back at its next turn; a
person's command waits, says for whom, and then reads what the other has left.
"""

import time
from collections.abc import Callable
from datetime import datetime

from sqlalchemy.orm import Session

from db.leases import COMMAND, StoredLease, remove_lease
from db.rivals import Rival, read_rivals
from db.runs import close_orphans
from jobs.leases import SECONDS_OF_SILENCE, Silences, is_gone
from jobs.progress import Progress

SECONDS_BETWEEN_LOOKS = 1.0


class Turns:
    """What one process knows of the others that read repositories."""

    def __init__(self, silences: Silences | None = None, *, seconds_of_silence: float = SECONDS_OF_SILENCE) -> None:
        """Know of nobody yet.

        Args:
            silences: how long others have not been heard of.
        """
        self._silences = silences or Silences()
        self._seconds_of_silence = seconds_of_silence

    def taken_by(self, session: Session, slug: str, now: datetime) -> Rival | None:
        """Return who reads a repository's commits; None: nobody, and nobody can begin until the transaction ends.

        The runs of commands that are dead are closed on the way.
        """
        for rival in read_rivals(session, slug):
            if not self._is_dead(rival.lease):
                return rival
            if rival.lease.name.startswith(COMMAND):
                remove_lease(session, rival.lease)
                close_orphans(session, now)
        return None

    def _is_dead(self, lease: StoredLease) -> bool:
        """Whether the holder is no more: here it can be looked for, elsewhere it has been silent for long enough."""
        if is_gone(lease):
            return True
        return self._silences.seconds(lease) >= self._seconds_of_silence


def waiting(progress: Progress, seconds: float = SECONDS_BETWEEN_LOOKS) -> Callable[[Rival], None]:
    """Return what a command does while another process has the turn: say so, and wait a moment."""

    def wait(rival: Rival) -> None:
        progress(f"waiting for {rival}", 0, None)
        time.sleep(seconds)

    return wait
