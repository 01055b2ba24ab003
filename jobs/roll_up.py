"""Brings the weekly cells of one repository in line with its ledger.

Whatever left them behind (a killed crawl, a restored backup), the weeks whose sums differ are derived anew; all of them
when the ruleset is another than the one they were last derived under, because paths may stand elsewhere then.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.cells import rebuild_weeks
from db.cursors import move_cursor, read_cursor
from db.repositories import read_repository
from db.stale_weeks import read_stale_weeks
from tracker.errors import RepositoryError

STREAM = "roll-up"


def roll_up(
    sessions: sessionmaker[Session],
    slug: str,
    ruleset: str,
    now: datetime,
    *,
    readers: sessionmaker[Session] | None = None,
) -> Mapping[str, int | str]:
    """Derive anew what is stale, and return how many weeks (or all) and cells that were.

    Args:
        ruleset: digest of the ruleset in use.
        readers: sessions on a read-only engine, so that comparing keeps no writer waiting.

    Raises:
        RepositoryError: the repository is not under watch.
    """
    with in_transaction(readers or sessions) as session:
        repository = read_repository(session, slug)
        if repository is None:
            raise RepositoryError(f"{slug} is not under watch; add it with `tracker repos add {slug}`")
        derived_under = _derived_under(session, repository.id)
        weeks = None if derived_under != ruleset else read_stale_weeks(session, repository.id)
    if weeks == ():
        return {"weeks": 0, "cells": 0}
    with in_transaction(sessions) as session:
        cells = rebuild_weeks(session, repository.id, weeks)
        move_cursor(session, repository.id, STREAM, json.dumps({"ruleset": ruleset}), now)
    return {"weeks": len(weeks) if weeks is not None else "all", "cells": cells}


def _derived_under(session: Session, repository_id: int) -> str | None:
    value = read_cursor(session, repository_id, STREAM)
    return str(json.loads(value)["ruleset"]) if value is not None else None
