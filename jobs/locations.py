"""Where a clone is, written so that it means the same to every process."""

from pathlib import Path

from tracker.sources.git_remote import is_url


def absolute_location(location: str) -> str:
    """Return a URL as it is, and a path as an absolute one: the service may run in another folder than the command."""
    return location if is_url(location) else str(Path(location).expanduser().absolute())
