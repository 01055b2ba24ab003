"""What a read-only session has read once is not read again by it: a page asks for the same few things in many places.

Only sessions of an engine that was opened `read_only` remember, and only until their transaction ends: whoever writes,
and whoever looks again, reads anew.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

from sqlalchemy.orm import Session

from db.base import READ_ONLY

Read = TypeVar("Read")

_KEY = "what this session has read"


def once(session: Session, key: Hashable, read: Callable[[], Read]) -> Read:
    """Return what was read under the key before in this session's transaction, or read it now."""
    if not is_read_only(session):
        return read()
    transaction, known = session.info.get(_KEY, (None, {}))
    if transaction is None or transaction is not session.get_transaction():
        known = {}
    if key not in known:
        known[key] = read()
    session.info[_KEY] = (session.get_transaction(), known)
    return cast("Read", known[key])


def remember(session: Session, key: Hashable, value: object) -> None:
    """Let `once` return a value that was read together with others; a session that writes remembers nothing."""
    once(session, key, lambda: value)


def is_read_only(session: Session) -> bool:
    """Return whether a session is one of an engine that was opened `read_only`."""
    return bool(session.get_bind().get_execution_options().get(READ_ONLY))
