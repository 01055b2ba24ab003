"""Every table, so that the metadata is whole once this package is imported."""

from db.tables.coupling import (
    LedgerEntryRow,
    PathRow,
    ReasonRow,
    SiteAccountRow,
    SiteRow,
    SkippedFileRow,
    VerdictRow,
    WeeklyCellRow,
)
from db.tables.operations import (
    AlertEventRow,
    AlertRow,
    AuditRow,
    CursorRow,
    DeadLetterRow,
    HttpCacheRow,
    JobRunRow,
    LeaseRow,
)
from db.tables.proposals import PullEntryRow, PullVerdictRow
from db.tables.upstream import (
    CommitLinkRow,
    CommitRow,
    LandingRow,
    PersonRow,
    PullRequestRow,
    RepositoryRow,
    RepositorySlugRow,
    ReviewRow,
)

__all__ = [
    "AlertEventRow",
    "AlertRow",
    "AuditRow",
    "CommitLinkRow",
    "CommitRow",
    "CursorRow",
    "DeadLetterRow",
    "HttpCacheRow",
    "JobRunRow",
    "LandingRow",
    "LeaseRow",
    "LedgerEntryRow",
    "PathRow",
    "PersonRow",
    "PullEntryRow",
    "PullRequestRow",
    "PullVerdictRow",
    "ReasonRow",
    "RepositoryRow",
    "RepositorySlugRow",
    "ReviewRow",
    "SiteAccountRow",
    "SiteRow",
    "SkippedFileRow",
    "VerdictRow",
    "WeeklyCellRow",
]
