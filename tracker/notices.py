"""A comment by a merge bot -> what it says of the pull request; pure. Comments of people, and other talk, say nothing.

Three bots over the years. facebook-github-bot told of landings from Phabricator (`merged in owner/name@sha`), until
2022. The merge bot of pytorch/pytorch answers commands since 2022, at first in sentences (`Merge failed due to ...`),
then under headings (`### Merge started`, `## Merge failed`); its words stand in pytorch's .github/scripts/trymerge.py,
cherry_pick.py and trymerge_explainer.py of each time. Where GitHub left a landed pull request open, it says in which
commit it landed (pytorch/test-infra#5627).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from tracker.upstream import NoticeKind

MERGE_BOTS = frozenset(
    {
        "facebook-github-bot",
        "facebook-github-tools",
        "github-actions",
        "meta-codesync",
        "pytorch-auto-revert",
        "pytorch-bot",
        "pytorchbot",
        "pytorchmergebot",
    }
)
"""Logins, without `[bot]`; in 2022 the merge bot spoke as github-actions."""
LONGEST_REASON = 300
"""Signs."""
_READ = 4_000
"""Signs of a comment that are looked at: what a bot says stands at its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What one comment says."""

    kind: NoticeKind
    sha: str | None = None
    number: int | None = None
    reason: str | None = None


def bare_login(login: str) -> str:
    """Return a login without the `[bot]` that REST writes behind an App's."""
    return login.removesuffix("[bot]")


def parse_notice(login: str, body: str) -> Notice | None:
    """Return what a comment says; None: it is no merge bot's, or says nothing of merging."""
    if bare_login(login).lower() not in MERGE_BOTS:
        return None
    text = body.replace("\r\n", "\n").strip()[:_READ]
    for pattern, read in _FORMS:
        found = pattern.match(text)
        if found is not None:
            return read(found)
    return None


def _of(kind: NoticeKind) -> Callable[[re.Match[str]], Notice]:
    def read(found: re.Match[str]) -> Notice:
        given = found.groupdict()
        number, reason = given.get("number"), given.get("reason")
        return Notice(
            kind=kind,
            sha=given.get("sha"),
            number=int(number) if number is not None else None,
            reason=_plain(reason) if reason is not None else None,
        )

    return read


def _plain(text: str) -> str | None:
    """Return the first paragraph in one line, without links and markup; None where nothing is left."""
    paragraph = re.split(r"\n\s*\n|<details|\nRaised by |\nDetails for ", text, maxsplit=1)[0]
    unlinked = re.sub(r"\[([^\]\n]*)\]\([^)\s]*\)", r"\1", paragraph)
    words = re.sub(r"<[^>\n]*>|[`*]", "", unlinked).split()
    return " ".join(words)[:LONGEST_REASON].strip() or None


def _form(pattern: str, kind: NoticeKind) -> tuple[re.Pattern[str], Callable[[re.Match[str]], Notice]]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL), _of(kind)


_SHA = r"(?P<sha>[0-9a-f]{7,40})\b"
_PULL = r"(?:https?://github\.com/[\w.-]+/[\w.-]+/pull/|#)(?P<number>\d{1,9})\b"
_FORMS = (
    _form(r"This PR \(#\d+\) was merged as part of PR " + _PULL + r" in the stack under " + _SHA, NoticeKind.MERGED),
    _form(r"This PR \(#\d+\) was merged in " + _SHA, NoticeKind.MERGED),
    _form(r"(?:@\S+ merged this|This) pull request (?:has been merged )?in [\w./-]+@" + _SHA, NoticeKind.MERGED),
    _form(r"(?:###\s*)?Merge started\b", NoticeKind.MERGE_STARTED),
    _form(r"@\S+ successfully started a [\w ]{0,20}\bmerge job\b", NoticeKind.MERGE_STARTED),
    _form(
        r"#*\s*Merge failed\s*(?:due to|:)?\s*(?:\*\*)?(?:Reason)?(?:\*\*)?:?\s*(?P<reason>.*)", NoticeKind.MERGE_FAILED
    ),
    _form(r"(?P<reason>Can't merge closed PR\b.*)", NoticeKind.MERGE_REFUSED),
    _form(r"(?P<reason>PR targets .{1,200}?refusing merge request.*)", NoticeKind.MERGE_REFUSED),
    _form(r"(?P<reason>Cross-repo ghstack merges are not supported.*)", NoticeKind.MERGE_REFUSED),
    _form(r"@\S+ successfully started a revert job\b", NoticeKind.REVERT_STARTED),
    _form(
        r"#*\s*Reverting PR \d+ failed\s*(?:due to|:)?\s*(?:\*\*)?(?:Reason)?(?:\*\*)?:?\s*(?P<reason>.*)",
        NoticeKind.REVERT_FAILED,
    ),
    _form(r"@\S+ your PR has been reverted as part of the stack under " + _PULL, NoticeKind.REVERTED),
    _form(r"@\S+ your PR has been (?:successfully )?reverted\b", NoticeKind.REVERTED),
    _form(r"This pull request has been reverted by (?:commit )?(?:[\w./-]+@)?" + _SHA, NoticeKind.REVERTED),
    _form(r"#*\s*Cherry picking #\d+\s.{0,300}?The cherry pick PR is at " + _PULL, NoticeKind.CHERRY_PICKED),
)
"""The first that matches the beginning of a comment decides."""
