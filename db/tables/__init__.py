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
from db.tables.pulls import (
    MergeNoticeRow,
    PullFileRow,
    PullRemainderRow,
    PullRequestRow,
    ReviewRow,
)
from db.tables.upstream import (
    CommitLinkRow,
    CommitRow,
    CompanyStatementRow,
    LandingRow,
    PersonRow,
    RepositoryRow,
    RepositorySlugRow,
)

__all__ = [
    "AlertEventRow",
    "AlertRow",
    "AuditRow",
    "CommitLinkRow",
    "CommitRow",
    "CompanyStatementRow",
    "CursorRow",
    "DeadLetterRow",
    "HttpCacheRow",
    "JobRunRow",
    "LandingRow",
    "LeaseRow",
    "LedgerEntryRow",
    "MergeNoticeRow",
    "PathRow",
    "PersonRow",
    "PullEntryRow",
    "PullFileRow",
    "PullRemainderRow",
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
