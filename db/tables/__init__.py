"""Every table, so that the metadata is whole once this package is imported."""

from db.tables.affiliations import AffiliationRow, ForgottenAuthorRow
from db.tables.coupling import (
    LedgerEntryRow,
    PathRow,
    ReasonRow,
    SiteAccountRow,
    SiteRow,
    SkippedFileRow,
    VerdictBeforeRow,
    VerdictRow,
    WeeklyCellRow,
)
from db.tables.numbers import NumberRow, PullCoverageRow
from db.tables.operations import (
    AlertEventRow,
    AlertRow,
    AuditRow,
    CoverageRow,
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
    PersonLoginRow,
    PersonRow,
    ReleaseRow,
    RepositoryRow,
    RepositorySlugRow,
)
from db.tables.webhooks import DirtyPullRow, WebhookDeliveryRow

__all__ = [
    "AffiliationRow",
    "AlertEventRow",
    "AlertRow",
    "AuditRow",
    "CommitLinkRow",
    "CommitRow",
    "CompanyStatementRow",
    "CoverageRow",
    "CursorRow",
    "DeadLetterRow",
    "DirtyPullRow",
    "ForgottenAuthorRow",
    "HttpCacheRow",
    "JobRunRow",
    "LandingRow",
    "LeaseRow",
    "LedgerEntryRow",
    "MergeNoticeRow",
    "NumberRow",
    "PathRow",
    "PersonLoginRow",
    "PersonRow",
    "PullCoverageRow",
    "PullEntryRow",
    "PullFileRow",
    "PullRemainderRow",
    "PullRequestRow",
    "PullVerdictRow",
    "ReasonRow",
    "ReleaseRow",
    "RepositoryRow",
    "RepositorySlugRow",
    "ReviewRow",
    "SiteAccountRow",
    "SiteRow",
    "SkippedFileRow",
    "VerdictBeforeRow",
    "VerdictRow",
    "WebhookDeliveryRow",
    "WeeklyCellRow",
]
