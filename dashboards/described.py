"""What each parameter of the interface means, for its OpenAPI description; the values that change are not listed."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from dashboards.filters import JUDGED_MECHANISMS
from dashboards.parameters import DEFAULT_LIMIT, LARGEST_LIMIT, LARGEST_NUMBER
from tracker.reception import PullState
from tracker.sites import Area, Construct, Territory, Verdict

_TEXT: Mapping[str, object] = {"type": "string"}
_DAY: Mapping[str, object] = {"type": "string", "format": "date"}


def _one_of(kinds: Sequence[StrEnum]) -> Mapping[str, object]:
    return {"type": "string", "enum": [kind.value for kind in kinds]}


_PARAMETERS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "repository": ("owner/name of a repository under watch; series take the first one where none is named", _TEXT),
    "vendor": ("whose hardware is named, as /api/v1/vendors lists them", _TEXT),
    "area": ("what the code is for", _one_of(list(Area))),
    "verdict": ("what the commit does to neutral code, or the pull request's landing or head", _one_of(list(Verdict))),
    "mechanism": ("the dominant one", _one_of(JUDGED_MECHANISMS)),
    "organisation": ("whom the author worked for at the time, or unknown", _TEXT),
    "text": (
        "part of the subject or title; a commit's sha or pull request's number too",
        {"type": "string", "maxLength": 200},
    ),
    "since": ("first day, UTC", _DAY),
    "until": ("last day, UTC", _DAY),
    "pull": ("number of the pull request that the commit lands", {"type": "integer", "maximum": LARGEST_NUMBER}),
    "number": ("of the pull request", {"type": "integer", "maximum": LARGEST_NUMBER}),
    "state": ("what became of the pull request, net of reverts", _one_of(list(PullState))),
    "author": ("login", _TEXT),
    "by": ("what the series is broken down by", _TEXT),
    "territory": ("where the code stands; neutral where none is named", _one_of(list(Territory))),
    "construct": ("kind of site; every one but the neutral ones where none is named", _one_of(list(Construct))),
    "subsystem": ("finer than the area, as by=subsystem lists them", _TEXT),
    "period": ("week or release; release: of one repository", {"type": "string", "enum": ["week", "release"]}),
    "names": (
        "yes: count identifiers that merely contain a vendor's word too",
        {"type": "string", "enum": ["yes", "no"]},
    ),
    "net": (
        "yes: only commits that stand, and revert and reland no other",
        {"type": "string", "enum": ["yes", "no"]},
    ),
    "before": ("the place in the list, opaque: follow next_url", _TEXT),
    "limit": ("rows", {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT, "default": DEFAULT_LIMIT}),
    "type": ("alert or record", {"type": "string", "enum": ["alert", "record"]}),
    "exclude_alerts": ("true: rules without their alerts", {"type": "string", "enum": ["true", "false"]}),
}


def described(names: Sequence[str]) -> dict[str, object]:
    """Return the part of an operation's description that tells its query parameters."""
    return {
        "parameters": [
            {"name": name, "in": "query", "required": False, "description": meaning, "schema": dict(schema)}
            for name, (meaning, schema) in ((name, _PARAMETERS[name]) for name in names)
        ]
    }
