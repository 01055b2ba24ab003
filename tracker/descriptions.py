"""A pull request's description and branch -> the stack it is part of, its differential, what it picks and closes; pure.

ghstack writes the whole stack at the top of each description, newest first, in two forms: `* __->__ #12` and, before
about 2022, `* **#12 title**` for the pull request itself (https://github.com/ezyang/ghstack). Its branches are
`gh/USER/N/head`. Descriptions are written by people too: only whole lines of these forms count.
"""

import re
from dataclasses import dataclass

_STACK_HEAD = re.compile(
    r"^Stack from (?:\[ghstack\]\([^)\s]*\)|ghstack)[^\n:]*?(?P<oldest>\(oldest at (?P<end>top|bottom)\))?:?[ \t]*$",
    re.MULTILINE,
)
_STACK_LINE = re.compile(
    r"[ \t]*[*-][ \t]+(?:__->__[ \t]*)?(?:\*\*)?(?:#|https?://github\.com/(?P<slug>[\w.-]+/[\w.-]+)/pull/)(?P<number>\d{1,9})\b"
)
_GHSTACK_HEAD = re.compile(r"gh/(?P<user>[^/\s]+)/(?P<change>\d+)/(?:head|orig)")
_DIFFERENTIAL = re.compile(
    r"^[ \t]*Differential Revision:\s*(?:\[|https?://\S*/)?(D\d{1,12})\b", re.MULTILINE | re.IGNORECASE
)
_PICKED = re.compile(r"^\(cherry picked from commit ([0-9a-f]{40})\)[ \t]*$", re.MULTILINE)
_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[ \t]*:?[ \t]+"
    r"(?:https?://github\.com/(?P<url>[\w.-]{1,39}/[\w.-]{1,100})/issues/|(?P<slug>[\w.-]{1,39}/[\w.-]{1,100})?#)"
    r"(?P<number>\d{1,9})\b",
    re.IGNORECASE,
)
"""GitHub's nine words: https://docs.github.com/en/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue"""
_COMMENTED = re.compile(r"<!--.*?-->", re.DOTALL)
_MOST_IN_A_STACK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GhstackBranch:
    """Whose change a ghstack branch holds, and which of theirs."""

    user: str
    change: int


def parse_ghstack_branch(head_ref: str) -> GhstackBranch | None:
    """Return what the branch name says; None: it is not of ghstack's form."""
    found = _GHSTACK_HEAD.fullmatch(head_ref)
    return GhstackBranch(user=found["user"], change=int(found["change"])) if found is not None else None


def parse_stack(body: str, slug: str) -> tuple[int, ...]:
    """Return the numbers of the ghstack that a description lists, oldest first; empty where it lists none."""
    text = body.replace("\r\n", "\n")
    head = _STACK_HEAD.search(text)
    if head is None:
        return ()
    numbers: list[int] = []
    for line in text[head.end() :].lstrip("\n").split("\n")[:_MOST_IN_A_STACK]:
        found = _STACK_LINE.match(line)
        if found is None:
            break
        if found["slug"] is None or found["slug"].lower() == slug.lower():
            numbers.append(int(found["number"]))
    listed = dict.fromkeys(numbers)
    return tuple(listed) if head["end"] == "top" else tuple(reversed(listed))


def parse_differential(body: str) -> str | None:
    """Return the Phabricator revision that a description names last; D123."""
    found = _DIFFERENTIAL.findall(body)
    return found[-1].upper() if found else None


def parse_picked_from(body: str) -> str | None:
    """Return the commit that a pull request to a release branch is a cherry-pick of; 40 hexadecimal digits."""
    found = _PICKED.findall(body.replace("\r\n", "\n"))
    return found[-1] if found else None


def parse_closed_issues(body: str, slug: str) -> tuple[str, ...]:
    """Return the issues that a description says it closes, as `owner/name#number`, sorted.

    GitHub links these only where the base is the default branch, which a ghstack's never is.
    """
    text = _COMMENTED.sub("", body)
    return tuple(
        sorted({f"{found['url'] or found['slug'] or slug}#{int(found['number'])}" for found in _CLOSES.finditer(text)})
    )
