"""A commit message -> the pull request it lands, what it reverts or relands, and its other trailers, by era.

PyTorch's history holds four conventions, and they overlap: GitHub's own merges and squashes, Phabricator's exports
(`Differential Revision:`, `Original commit changeset:`), their mirror of January 2022, and the merge bot's
(`Pull Request resolved:`, `Reverted ... on behalf of`). Its ecosystem squashes on GitHub: there a body lists the
branch's own commits, and a revert among them undoes nothing of the default branch. No commit is looked up here.
"""

import re
from dataclasses import dataclass

from tracker.trailers.links import CommitReference, LinkKind, LinkMethod
from tracker.trailers.reversals import read_reversal

__all__ = ["CommitReference", "LinkKind", "LinkMethod", "Trailers", "parse_trailers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trailers:
    """What a commit message says in machine-readable form."""

    pull_request: int | None
    """Number in the commit's own repository."""
    is_revert: bool
    is_reland: bool
    references: tuple[CommitReference, ...]
    """Several where a message names several; one reverted commit may be named by more than one method."""
    differential: str | None
    """D123."""
    source_id: str | None
    """fbshipit-source-id, 40 hexadecimal digits."""
    co_author_domains: tuple[str, ...]
    """Mail domains of co-authors."""


_RESOLVED = re.compile(
    r"^[ \t]*(?:Pull Request resolved|Pull-Request-resolved|Pull-Request):[ \t]*"
    r"https?://(?:www\.)?github\.com/(?P<slug>[\w.-]+/[\w.-]+)/pull/(?P<number>\d+)",
    re.MULTILINE | re.IGNORECASE,
)
_CLOSES = re.compile(
    r"^[ \t]*Closes:?[ \t]+https?://(?:www\.)?github\.com/(?P<slug>[\w.-]+/[\w.-]+)/pull/(?P<number>\d+)",
    re.MULTILINE | re.IGNORECASE,
)
_MERGE = re.compile(r"Merge pull request #(?P<number>\d+) from ")
_TRAILING_NUMBER = re.compile(r"\(#(?P<number>\d+)\)\s*$")
_DIFFERENTIAL_TITLE = re.compile(r"(?:Revert|Back out)\s+D\d+\s*:", re.IGNORECASE)
"""`Revert D123: title (#5)`: the number belongs to the title that is quoted, not to the revert."""

_BUMP_TITLE = re.compile(r"\[auto\] Update \S+ to [0-9a-f]{6,40} - ", re.IGNORECASE)
"""`[auto] Update onnx to 985af3f - title (#738)`: title and number are those of the submodule's last commit."""

_DIFFERENTIAL = re.compile(r"^[ \t]*Differential Revision:\s*(?:\[|https?://\S*/)?(D\d+)", re.MULTILINE | re.IGNORECASE)
_SOURCE_ID = re.compile(r"^[ \t]*fbshipit-source-id:[ \t]*([0-9a-f]{7,40})\b", re.MULTILINE)
_HAMMER = re.compile(r"^[ \t]*(?:Test Plan:[ \t]*)?revert-hammer[ \t]*$", re.MULTILINE)
_LONGEST_SUBJECT = 2_000
"""Signs of a subject that are read: some early commits hold a whole text in one line."""
_CO_AUTHOR = re.compile(r"^[ \t]*Co-authored-by:[^<\n]*<[^@>\s]+@([^>\s]+)>", re.MULTILINE | re.IGNORECASE)


def parse_trailers(message: str, slug: str) -> Trailers:
    """Return what `message` of a commit of repository `slug` says; any text gives an answer."""
    subject, _, body = message.replace("\r\n", "\n").partition("\n")
    subject = subject.strip()[:_LONGEST_SUBJECT]
    reversal = read_reversal(subject, body, slug)
    number = _pull_request(subject, body, slug)
    # `Revert D1: title (#5)`: the number may be the title's or the commit's own, which is no other commit.
    own = (LinkMethod.PULL, str(number))
    references = tuple(one for one in reversal.references if (one.method, one.target) != own)
    return Trailers(
        pull_request=number,
        is_revert=reversal.is_revert,
        is_reland=reversal.is_reland,
        references=references,
        differential=_differential(body, references),
        source_id=_last(_SOURCE_ID, body),
        co_author_domains=tuple(dict.fromkeys(domain.lower() for domain in _CO_AUTHOR.findall(body))),
    )


def _pull_request(subject: str, body: str, slug: str) -> int | None:
    """The last `resolved` line of this repository, else the subject's trailing number, else a `Closes`.

    A trailing number that a `resolved` line gives to another repository is of that one.
    """
    resolved = _last_number(_RESOLVED, body, slug)
    if resolved is not None:
        return resolved
    trailing = _TRAILING_NUMBER.search(subject)
    if trailing and not _DIFFERENTIAL_TITLE.match(subject) and not _BUMP_TITLE.match(subject):
        elsewhere = {int(match["number"]) for match in _RESOLVED.finditer(body)}
        return int(trailing["number"]) if int(trailing["number"]) not in elsewhere else None
    merge = _MERGE.match(subject)
    if merge:
        return int(merge["number"])
    return _last_number(_CLOSES, body, slug)


def _last_number(pattern: re.Pattern[str], body: str, slug: str) -> int | None:
    numbers = [int(match["number"]) for match in pattern.finditer(body) if match["slug"].lower() == slug.lower()]
    return numbers[-1] if numbers else None


def _differential(body: str, references: tuple[CommitReference, ...]) -> str | None:
    """Phabricator's automatic reverts repeat the reverted diff in this field; their own number is not told."""
    found = _last(_DIFFERENTIAL, body)
    repeated = CommitReference(LinkKind.REVERTS, LinkMethod.DIFFERENTIAL, found or "") in references
    return None if repeated or _HAMMER.search(body) else found


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.findall(text)
    return found[-1] if found else None
