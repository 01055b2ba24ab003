"""Facts read upstream: commits with their file changes, pull requests, reviews, people.

They say what upstream said, decoded and with aware UTC times; nothing is judged here.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class FileKind(StrEnum):
    """What a tree entry is; only regular files are scanned."""

    REGULAR = "regular"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    ABSENT = "absent"
    """There is no entry on this side (an added or a deleted file)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVersion:
    """One side of a file change: a path and the object it names."""

    path: str
    r"""Slash-separated; a byte that is not UTF-8 is written \xNN and a backslash twice: different paths stay so."""
    blob: str
    """Object id, 40 hexadecimal digits."""
    kind: FileKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """What one commit does to one file against its first parent; at least one side is present."""

    before: FileVersion | None
    after: FileVersion | None

    @property
    def renamed(self) -> bool:
        return self.before is not None and self.after is not None and self.before.path != self.after.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """An author or committer as git holds it."""

    name: str
    mail: str = field(repr=False)
    at: datetime
    """UTC. A date that git holds but no calendar of use does (before 1970, from 2100 on) is clamped and counted."""
    offset_minutes: int = 0
    """East of UTC, as the person's clock was set; 0 where git holds none that exists."""
    clamped: bool = False
    """The date is missing, malformed or out of bounds, and `at` is the nearest that can be held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit of the default branch, read first-parent."""

    sha: str
    parent: str | None
    """The first parent; None for a root and at a shallow clone's boundary."""
    parents: int
    """How many parents git records (0 root, 1 ordinary, 2 or more merge)."""
    author: Signature
    committer: Signature
    message: str

    @property
    def committed_at(self) -> datetime:
        return self.committer.at

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0].strip()


class RangeState(StrEnum):
    """What became of a range of commits; a gap is none of them, and is shown as unread."""

    OK = "ok"
    """Read and judged."""
    SKIPPED = "skipped"
    """Never to be read, for a reason."""
    FAILED = "failed"
    """Begun, and not read to its end: its crawl was cut short, or goes on."""
    RUNNING = "running"
    """Begun, and being read now: what is stored says `failed`, and that its crawl runs is said by its run."""


class SkipReason(StrEnum):
    """Why something was not read; every skip is counted, stored and shown."""

    MISSING_OBJECT = "missing object"
    """The clone lacks it, or names something that is no file."""
    CORRUPT_OBJECT = "corrupt object"
    """It is there, and git cannot read it."""
    BINARY = "binary"
    HUGE = "huge"
    """Larger than the limit of `Ruleset.max_blob_bytes`."""
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    RENAMES_UNREAD = "renames unread"
    """Rename detection needed a missing object, or git a well-formed tree; the commit was read without it."""
    MALFORMED_TREE = "malformed tree"
    """A folder's object is no tree, or none that can be read: the folder counts as empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFacts:
    """What GitHub says of a repository itself."""

    github_id: int
    """It stays when the repository is renamed or moved to another owner."""
    slug: str
    """owner/name as it is called now."""
    default_branch: str | None
    """None: the repository is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedAnswer:
    """An answer over HTTP that is kept, to be replayed when upstream says that it has not changed."""

    url: str
    etag: str | None
    last_modified: str | None
    link: str | None
    """The Link header: a replayed page still names the next one."""
    body: bytes
    fetched_at: datetime


class PullRequestState(StrEnum):
    """What GitHub says; a landed PyTorch pull request is `closed` there, so this is never read as landed or not."""

    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A GitHub account."""

    id: int | None
    """Numeric account id; None where GitHub gives none (a deleted account)."""
    login: str
    kind: str
    """GitHub's type name: User, Bot, Mannequin, EnterpriseUserAccount, Organization."""
    company: str | None = None
    """As the person wrote it on the day of the crawl."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One review of a pull request."""

    id: str
    """GitHub's node id."""
    author: Person | None
    state: str
    """APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED or PENDING."""
    submitted_at: datetime | None
    association: str = "NONE"
    """GitHub's authorAssociation of the reviewer: the relation to this repository, not an employer."""


class NoticeKind(StrEnum):
    """What a merge bot says of a pull request, in whatever words of whichever year."""

    MERGE_STARTED = "merge-started"
    MERGE_FAILED = "merge-failed"
    MERGE_REFUSED = "merge-refused"
    """Not even begun: closed, aimed at another branch, or of a kind that the bot does not merge."""
    MERGED = "merged"
    """With the commit; with a number where it landed as part of that pull request's stack."""
    REVERT_STARTED = "revert-started"
    REVERT_FAILED = "revert-failed"
    REVERTED = "reverted"
    """With the commit where the bot names it; with a number where the stack under that pull request went."""
    CHERRY_PICKED = "cherry-picked"
    """With the number of the pull request to a release branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeNotice:
    """A merge bot's comment on a pull request, reduced to what it says."""

    id: str
    """GitHub's node id of the comment."""
    kind: NoticeKind
    at: datetime
    bot: str
    """Login, without `[bot]`."""
    sha: str | None = None
    """A commit, 7 to 40 hexadecimal digits."""
    number: int | None = None
    """Another pull request of the same repository."""
    reason: str | None = None
    """Why it failed or was refused, in the bot's words, one line without links; or where a cherry-pick went."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullFile:
    """A file that a pull request changes."""

    path: str
    change: str
    """GitHub's word: ADDED, DELETED, MODIFIED, RENAMED, COPIED or CHANGED."""
    additions: int
    """Lines; 0 for a binary file, as `deletions`."""
    deletions: int


class PullItems(StrEnum):
    """A list inside a pull request; GitHub gives at most 100 of its items at once."""

    LABELS = "labels"
    REVIEWS = "reviews"
    COMMENTS = "comments"
    FILES = "files"
    ISSUES = "closingIssuesReferences"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remainder:
    """The part of a list of a pull request that has not been read yet."""

    node_id: str
    """Of the pull request."""
    number: int
    items: PullItems
    after: str
    """GitHub's cursor behind what was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPart:
    """A stretch of one list of a pull request; only the field of its kind is filled."""

    items: PullItems
    labels: tuple[str, ...] = ()
    reviews: tuple[Review, ...] = ()
    notices: tuple[MergeNotice, ...] = ()
    files: tuple[PullFile, ...] = ()
    linked_issues: tuple[str, ...] = ()
    total: int = 0
    """How many items GitHub counts in the whole list."""
    after: str | None = None
    """Where the list goes on; None: it ends here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """One pull request as GitHub described it at a moment."""

    number: int
    node_id: str
    title: str
    state: PullRequestState
    draft: bool
    author: Person | None
    """None: the account was deleted."""
    association: str
    """GitHub's authorAssociation: the relation to this repository, not an employer."""
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None
    merged_at: datetime | None
    base_ref: str
    head_ref: str
    head_sha: str
    additions: int
    deletions: int
    changed_files: int
    labels: tuple[str, ...] = ()
    reviews: tuple[Review, ...] = ()
    reviews_total: int = 0
    """How many reviews GitHub counts; more than `reviews` holds while a remainder is unread."""
    review_decision: str | None = None
    """APPROVED, CHANGES_REQUESTED or REVIEW_REQUIRED; None: GitHub asks for no review."""
    files: tuple[PullFile, ...] = ()
    """In GitHub's order; it gives the first 3,000 of `changed_files`."""
    linked_issues: tuple[str, ...] = ()
    """`owner/name#number`, of what it closes or fixes, by GitHub's links and by its description; sorted."""
    notices: tuple[MergeNotice, ...] = ()
    stack: tuple[int, ...] = ()
    """Numbers of the ghstack it belongs to, oldest (lowest) first, itself included; empty: in none."""
    differential: str | None = None
    """D123: it is landed, or co-developed, through Phabricator."""
    picked_from: str | None = None
    """The commit of which it is a cherry-pick, 40 hexadecimal digits."""
    merge_commit: str | None = None
    """The commit by which GitHub merged it, 40 hexadecimal digits; None unless `state` is merged."""
    remainders: tuple[Remainder, ...] = ()
