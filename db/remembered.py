"""What a read-only session has read once is not read again by it: a page asks for the same few things in many places.

Only sessions of an engine that was opened `read_only` remember, and only for as long as they live, which is one request
or one job's look: whoever writes always reads anew.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from sqlalchemy.orm import Session

from db.base import READ_ONLY

Read = TypeVar("Read")

_KEY = "what this session has read"


def once(session: Session, key: Hashable, read: Callable[[], Read]) -> Read:
    """Return what was read under the key before by this session, or read it now."""
    if not is_read_only(session):
        return read()
    known = session.info.setdefault(_KEY, {})
    if key not in known:
        known[key] = read()
    return cast("Read", known[key])


def is_read_only(session: Session) -> bool:
    """Return whether a session is one of an engine that was opened `read_only`."""
    return bool(session.get_bind().get_execution_options().get(READ_ONLY))
