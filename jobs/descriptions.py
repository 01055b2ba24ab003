"""An error -> one line that says what went wrong and, where that is known, what to do."""

from sqlalchemy.exc import DBAPIError

from tracker.errors import TrackerError

REMEDIES = {
    "no space left": "make room on that disk; what was committed is kept",
    "database or disk is full": "make room on its disk; what was committed is kept",
    "read-only file system": "set TRACKER_VAR_FOLDER, and TRACKER_DATABASE_URL, to a place that can be written",
    "readonly database": "give this user the right to write it and its folder, or name another in TRACKER_DATABASE_URL",
    "unable to open database file": "is its folder there, and may this user write it? See TRACKER_DATABASE_URL",
    "database is locked": "another process has been writing for long; `tracker doctor` and /runs say who runs",
    "permission denied": "give this user the right to it, or set TRACKER_VAR_FOLDER to a folder of its own",
}
"""What to do, by what the system or the database says."""


def describe(error: BaseException) -> str:
    """Say in one line what went wrong; an error of our own speaks for itself."""
    match error:
        case TrackerError():
            text = str(error)
        case DBAPIError():
            text = f"the database refused: {error.orig}{_remedy(str(error.orig))}"
        case OSError() if error.strerror:
            text = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
            text += _remedy(error.strerror)
        case _:
            text = f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:1000]


def _remedy(problem: str) -> str:
    """Return what to do about what the system or the database says, where that is known."""
    return next((f"; {remedy}" for sign, remedy in REMEDIES.items() if sign in problem.lower()), "")
