"""Keep commits, their ledger, pull requests and runs.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

# ruff: noqa: PLR0915 - a revision is one plain list of statements

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None


def upgrade() -> None:
    op.create_table(
        "alert",
        sa.Column("fingerprint", sa.String(length=64), nullable=False, comment="digest of rule and labels"),
        sa.Column("rule", sa.String(length=80), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False, comment="inactive, pending or firing"),
        sa.Column("labels", sa.Text(), nullable=False, comment="JSON object"),
        sa.Column("annotations", sa.Text(), nullable=False, comment="JSON object: summary, runbook, evidence"),
        sa.Column("value", sa.Double(), nullable=True, comment="null: no data"),
        sa.Column("active_at", sa.DateTime(timezone=True), nullable=True, comment="since when the condition holds"),
        sa.Column("fired_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("evaluated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name=op.f("pk_alert")),
        comment="the present state of one alert, per label set",
    )
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_alert_rule"), ["rule"], unique=False)

    op.create_table(
        "alert_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("from_state", sa.String(length=16), nullable=False),
        sa.Column("to_state", sa.String(length=16), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_event")),
        comment="a transition of an alert's state",
    )
    with op.batch_alter_table("alert_event", schema=None) as batch_op:
        batch_op.create_index("ix_alert_event_fingerprint_at", ["fingerprint", "at"], unique=False)

    op.create_table(
        "http_cache",
        sa.Column("key", sa.String(length=64), nullable=False, comment="digest of URL, Accept and credential scope"),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("link", sa.Text(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_http_cache")),
        comment="answers kept to be replayed on a 304",
    )
    op.create_table(
        "job_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("job", sa.String(length=40), nullable=False),
        sa.Column(
            "repository", sa.String(length=140), nullable=False, comment="slug; empty for a job over all repositories"
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True, comment="null: running, or killed"),
        sa.Column(
            "outcome",
            sa.String(length=16),
            nullable=False,
            comment="running, ok, failed, unavailable, rate_limited, unconfigured, killed",
        ),
        sa.Column("counts", sa.Text(), nullable=False, comment="JSON object: what was done, by name"),
        sa.Column("message", sa.Text(), nullable=False, comment="the error's text; empty when ok"),
        sa.Column("retry_at", sa.DateTime(timezone=True), nullable=True, comment="not to be tried again before"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_run")),
        comment="one run of one job",
    )
    with op.batch_alter_table("job_run", schema=None) as batch_op:
        batch_op.create_index("ix_job_run_repository_job_started", ["repository", "job", "started_at"], unique=False)
        batch_op.create_index("ix_job_run_started", ["started_at"], unique=False)

    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("github_id", sa.BigInteger(), nullable=True),
        sa.Column("login", sa.String(length=100), nullable=False, comment="as last seen; the numeric id is the key"),
        sa.Column("kind", sa.String(length=30), nullable=False, comment="User, Bot, Mannequin, ..."),
        sa.Column("company", sa.Text(), nullable=True, comment="as the person wrote it; current only, see seen_at"),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("github_id", name=op.f("uq_person_github_id")),
        comment="a GitHub account",
    )
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_person_login"), ["login"], unique=False)

    op.create_table(
        "repository",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "github_id", sa.BigInteger(), nullable=True, comment="GitHub's numeric id; null until the API was reached"
        ),
        sa.Column("slug", sa.String(length=140), nullable=False, comment="owner/name as last seen"),
        sa.Column(
            "mirror", sa.Text(), nullable=True, comment="path or URL of a clone to read instead of the upstream URL"
        ),
        sa.Column("ref", sa.Text(), nullable=True, comment="branch or revision to follow; null: the default branch"),
        sa.Column("default_branch", sa.Text(), nullable=True, comment="as GitHub or the clone says"),
        sa.Column("demo", sa.Boolean(), nullable=False, comment="generated for the demonstration, not real"),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "removed_at",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="no longer crawled since; its history stays",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_repository")),
        sa.UniqueConstraint("github_id", name=op.f("uq_repository_github_id")),
        sa.UniqueConstraint("slug", name=op.f("uq_repository_slug")),
        comment="a repository under watch",
    )
    op.create_table(
        "site",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("construct", sa.String(length=24), nullable=False),
        sa.Column(
            "vendor", sa.String(length=30), nullable=False, comment="whose word it is; empty for a neutral construct"
        ),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("rule", sa.String(length=80), nullable=False),
        sa.Column(
            "digest",
            sa.String(length=32),
            nullable=False,
            comment="of the four above: an index cannot hold a symbol of any length",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site")),
        sa.UniqueConstraint("digest", name=op.f("uq_site_digest")),
        comment="a site's identity, shared by all repositories",
    )
    with op.batch_alter_table("site", schema=None) as batch_op:
        batch_op.create_index("ix_site_vendor_construct", ["vendor", "construct"], unique=False)

    op.create_table(
        "commit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("sha", sa.String(length=40), nullable=False),
        sa.Column("parent_sha", sa.String(length=40), nullable=True, comment="first parent"),
        sa.Column("parents", sa.Integer(), nullable=False, comment="how many parents git records"),
        sa.Column(
            "position",
            sa.Integer(),
            nullable=True,
            comment="index on the first-parent line from the oldest, 0-based; null: no longer on it (rewritten)",
        ),
        sa.Column("committed_at", sa.DateTime(timezone=True), nullable=False, comment="committer date, UTC"),
        sa.Column("week", sa.Date(), nullable=False, comment="the Monday of the ISO week of committed_at, UTC"),
        sa.Column(
            "authored_at", sa.DateTime(timezone=True), nullable=False, comment="author date, UTC; may precede by years"
        ),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column(
            "author_key", sa.String(length=64), nullable=False, comment="keyed HMAC-SHA256 of the author's mail address"
        ),
        sa.Column(
            "author_domain", sa.Text(), nullable=False, comment="domain of the author's mail address; may be empty"
        ),
        sa.Column("organisation", sa.String(length=60), nullable=True, comment="from the mail domain; null: unknown"),
        sa.Column(
            "pull_number", sa.Integer(), nullable=True, comment="the pull request this commit lands, by its trailers"
        ),
        sa.Column("is_revert", sa.Boolean(), nullable=False),
        sa.Column("is_reland", sa.Boolean(), nullable=False),
        sa.Column("differential", sa.String(length=20), nullable=True, comment="Phabricator revision, D123"),
        sa.Column("source_id", sa.String(length=40), nullable=True, comment="fbshipit-source-id"),
        sa.ForeignKeyConstraint(["repository_id"], ["repository.id"], name=op.f("fk_commit_repository_id_repository")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_commit")),
        sa.UniqueConstraint("repository_id", "position", name=op.f("uq_commit_repository_id_position")),
        sa.UniqueConstraint("repository_id", "sha", name=op.f("uq_commit_repository_id_sha")),
        comment="a commit of the default branch's first-parent line",
    )
    with op.batch_alter_table("commit", schema=None) as batch_op:
        batch_op.create_index("ix_commit_committed", ["committed_at", "position"], unique=False)
        batch_op.create_index(
            "ix_commit_repository_committed", ["repository_id", "committed_at", "position"], unique=False
        )
        batch_op.create_index("ix_commit_repository_differential", ["repository_id", "differential"], unique=False)
        batch_op.create_index("ix_commit_repository_pull", ["repository_id", "pull_number"], unique=False)
        batch_op.create_index("ix_commit_repository_source", ["repository_id", "source_id"], unique=False)
        batch_op.create_index("ix_commit_repository_week", ["repository_id", "week"], unique=False)

    op.create_table(
        "cursor",
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("stream", sa.String(length=30), nullable=False, comment="commits, pulls-backfill, pulls-updates"),
        sa.Column("value", sa.Text(), nullable=False, comment="JSON, of the stream's own form"),
        sa.Column("moved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["repository_id"], ["repository.id"], name=op.f("fk_cursor_repository_id_repository")),
        sa.PrimaryKeyConstraint("repository_id", "stream", name=op.f("pk_cursor")),
        comment="where a crawl of one stream stopped; moves in the transaction of what it has read",
    )
    op.create_table(
        "dead_letter",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("stream", sa.String(length=30), nullable=False),
        sa.Column("key", sa.String(length=100), nullable=False, comment="a pull request's number or node id, a sha"),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_dead_letter_repository_id_repository")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dead_letter")),
        sa.UniqueConstraint("repository_id", "stream", "key", name=op.f("uq_dead_letter_repository_id_stream_key")),
        comment="one thing upstream could not serve; shown, and tried again",
    )
    op.create_table(
        "path",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column(
            "digest",
            sa.String(length=32),
            nullable=False,
            comment="of the path: an index cannot hold a path of any length",
        ),
        sa.Column("territory", sa.String(length=24), nullable=False),
        sa.Column("area", sa.String(length=24), nullable=False),
        sa.Column("subsystem", sa.String(length=60), nullable=False),
        sa.Column("ruleset", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["repository_id"], ["repository.id"], name=op.f("fk_path_repository_id_repository")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_path")),
        sa.UniqueConstraint("repository_id", "digest", name=op.f("uq_path_repository_id_digest")),
        comment="a path that has held sites, and where it stands by the ruleset named",
    )
    op.create_table(
        "pull_request",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("node_id", sa.String(length=100), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column(
            "state",
            sa.String(length=24),
            nullable=False,
            comment="GitHub's word; a landed PyTorch pull request is closed, not merged",
        ),
        sa.Column("draft", sa.Boolean(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=True, comment="null: the account was deleted"),
        sa.Column("association", sa.String(length=30), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("merged_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("base_ref", sa.Text(), nullable=False),
        sa.Column("head_ref", sa.Text(), nullable=False),
        sa.Column("head_sha", sa.String(length=40), nullable=False),
        sa.Column("additions", sa.Integer(), nullable=False, comment="lines"),
        sa.Column("deletions", sa.Integer(), nullable=False, comment="lines"),
        sa.Column("changed_files", sa.Integer(), nullable=False),
        sa.Column("labels", sa.Text(), nullable=False, comment="JSON list of names"),
        sa.Column(
            "reviews_total",
            sa.Integer(),
            nullable=False,
            comment="as GitHub counts; more than stored reviews when its list was cut",
        ),
        sa.Column(
            "seen_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="the server's time of the answer this row comes from",
        ),
        sa.ForeignKeyConstraint(["author_id"], ["person.id"], name=op.f("fk_pull_request_author_id_person")),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_pull_request_repository_id_repository")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pull_request")),
        sa.UniqueConstraint("repository_id", "number", name=op.f("uq_pull_request_repository_id_number")),
        comment="a pull request as GitHub last described it",
    )
    with op.batch_alter_table("pull_request", schema=None) as batch_op:
        batch_op.create_index("ix_pull_request_created_id", ["created_at", "id"], unique=False)
        batch_op.create_index("ix_pull_request_repository_created", ["repository_id", "created_at"], unique=False)
        batch_op.create_index("ix_pull_request_repository_updated", ["repository_id", "updated_at"], unique=False)

    op.create_table(
        "repository_slug",
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=140), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False, comment="first seen under this name"),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_repository_slug_repository_id_repository")
        ),
        sa.PrimaryKeyConstraint("repository_id", "slug", name=op.f("pk_repository_slug")),
        comment="names a repository has had",
    )
    op.create_table(
        "weekly_cell",
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("week", sa.Date(), nullable=False, comment="the Monday of the ISO week, UTC"),
        sa.Column("territory", sa.String(length=24), nullable=False),
        sa.Column("area", sa.String(length=24), nullable=False),
        sa.Column("subsystem", sa.String(length=60), nullable=False),
        sa.Column("vendor", sa.String(length=30), nullable=False, comment="empty for neutral constructs"),
        sa.Column("construct", sa.String(length=24), nullable=False),
        sa.Column("mechanism", sa.String(length=24), nullable=False),
        sa.Column("added", sa.Integer(), nullable=False, comment="sites"),
        sa.Column("removed", sa.Integer(), nullable=False, comment="sites, as a positive number"),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_weekly_cell_repository_id_repository")
        ),
        sa.PrimaryKeyConstraint(
            "repository_id",
            "week",
            "territory",
            "area",
            "subsystem",
            "vendor",
            "construct",
            "mechanism",
            name=op.f("pk_weekly_cell"),
        ),
        comment="flows of one ISO week (UTC) in one cell; derived from the ledger, absent = zero",
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("ruleset", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("paths", sa.Integer(), nullable=False, comment="paths compared"),
        sa.Column("sites", sa.Integer(), nullable=False, comment="sites found in the tree"),
        sa.Column("differences", sa.Integer(), nullable=False, comment="paths whose balance differs"),
        sa.Column("details", sa.Text(), nullable=False, comment="JSON list of the first 100 differences"),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name=op.f("fk_audit_commit_id_commit")),
        sa.ForeignKeyConstraint(["repository_id"], ["repository.id"], name=op.f("fk_audit_repository_id_repository")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        comment="one comparison of the ledger's balance with a full scan of the tree at a commit",
    )
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.create_index("ix_audit_repository_at", ["repository_id", "at"], unique=False)

    op.create_table(
        "commit_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False, comment="reverts or relands"),
        sa.Column(
            "target", sa.Text(), nullable=False, comment="as written: a sha, a revision, a changeset, a number, a title"
        ),
        sa.Column(
            "method", sa.String(length=20), nullable=False, comment="sha, changeset, differential, pull or title"
        ),
        sa.Column("target_commit_id", sa.Integer(), nullable=True, comment="null: not resolved to a stored commit"),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name=op.f("fk_commit_link_commit_id_commit")),
        sa.ForeignKeyConstraint(
            ["target_commit_id"], ["commit.id"], name=op.f("fk_commit_link_target_commit_id_commit")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_commit_link")),
        comment="what a commit says it reverts or relands",
    )
    with op.batch_alter_table("commit_link", schema=None) as batch_op:
        batch_op.create_index("ix_commit_link_commit", ["commit_id"], unique=False)
        batch_op.create_index("ix_commit_link_target_commit", ["target_commit_id"], unique=False)

    op.create_table(
        "landing",
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False, comment="landed or reverted"),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name=op.f("fk_landing_commit_id_commit")),
        sa.ForeignKeyConstraint(["repository_id"], ["repository.id"], name=op.f("fk_landing_repository_id_repository")),
        sa.PrimaryKeyConstraint("commit_id", "number", name=op.f("pk_landing")),
        comment="a commit of the default branch that lands, or undoes, a pull request (derived from trailers)",
    )
    with op.batch_alter_table("landing", schema=None) as batch_op:
        batch_op.create_index("ix_landing_repository_number", ["repository_id", "number"], unique=False)

    op.create_table(
        "ledger_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("path_id", sa.Integer(), nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("territory", sa.String(length=24), nullable=False),
        sa.Column("delta", sa.Integer(), nullable=False),
        sa.Column("mechanism", sa.String(length=24), nullable=False),
        sa.Column(
            "lines",
            sa.Text(),
            nullable=False,
            comment="comma-separated line numbers: in the parent's file for a negative delta, else the commit's",
        ),
        sa.Column("replaced_by", sa.Text(), nullable=True, comment="what visibly took its place, if anything did"),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name=op.f("fk_ledger_entry_commit_id_commit")),
        sa.ForeignKeyConstraint(["path_id"], ["path.id"], name=op.f("fk_ledger_entry_path_id_path")),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_ledger_entry_site_id_site")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ledger_entry")),
        comment="+n or -n sites of one identity in one path by one commit; append-only",
    )
    with op.batch_alter_table("ledger_entry", schema=None) as batch_op:
        batch_op.create_index("ix_ledger_entry_commit", ["commit_id"], unique=False)
        batch_op.create_index("ix_ledger_entry_path", ["path_id"], unique=False)

    op.create_table(
        "review",
        sa.Column("id", sa.String(length=100), nullable=False, comment="GitHub's node id"),
        sa.Column("pull_request_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=30), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["author_id"], ["person.id"], name=op.f("fk_review_author_id_person")),
        sa.ForeignKeyConstraint(
            ["pull_request_id"], ["pull_request.id"], name=op.f("fk_review_pull_request_id_pull_request")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_review")),
        comment="a review of a pull request",
    )
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_review_pull_request_id"), ["pull_request_id"], unique=False)

    op.create_table(
        "skipped_file",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("blob", sa.String(length=40), nullable=False, comment="the object not read"),
        sa.Column("reason", sa.String(length=24), nullable=False),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name=op.f("fk_skipped_file_commit_id_commit")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_skipped_file")),
        comment="one side of a file change that was not read, and why; nothing is skipped silently",
    )
    with op.batch_alter_table("skipped_file", schema=None) as batch_op:
        batch_op.create_index("ix_skipped_file_commit", ["commit_id"], unique=False)

    op.create_table(
        "verdict",
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("ruleset", sa.String(length=64), nullable=False, comment="digest of the ruleset that judged"),
        sa.Column("verdict", sa.String(length=24), nullable=False),
        sa.Column("mechanism", sa.String(length=24), nullable=True, comment="the dominant one"),
        sa.Column("area", sa.String(length=24), nullable=True, comment="where most of its neutral sites stand"),
        sa.Column("vendors", sa.Text(), nullable=False, comment="comma-separated, dominant first"),
        sa.Column(
            "removed", sa.Integer(), nullable=False, comment="neutral sites removed, moved and edited ones excluded"
        ),
        sa.Column("added", sa.Integer(), nullable=False, comment="neutral sites added, moved and edited ones excluded"),
        sa.Column("generalised", sa.Integer(), nullable=False),
        sa.Column("broadened", sa.Integer(), nullable=False, comment="includes exclusivities lost whose site stays"),
        sa.Column("relocated", sa.Integer(), nullable=False),
        sa.Column("dropped", sa.Integer(), nullable=False),
        sa.Column("retired", sa.Integer(), nullable=False),
        sa.Column("introduced", sa.Integer(), nullable=False, comment="includes exclusivities gained whose site stays"),
        sa.Column("moved", sa.Integer(), nullable=False),
        sa.Column("edited", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name=op.f("fk_verdict_commit_id_commit")),
        sa.PrimaryKeyConstraint("commit_id", name=op.f("pk_verdict")),
        comment="what a commit does to neutral code, by the ruleset named",
    )
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.create_index("ix_verdict_verdict", ["verdict"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.drop_index("ix_verdict_verdict")

    op.drop_table("verdict")
    with op.batch_alter_table("skipped_file", schema=None) as batch_op:
        batch_op.drop_index("ix_skipped_file_commit")

    op.drop_table("skipped_file")
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_review_pull_request_id"))

    op.drop_table("review")
    with op.batch_alter_table("ledger_entry", schema=None) as batch_op:
        batch_op.drop_index("ix_ledger_entry_path")
        batch_op.drop_index("ix_ledger_entry_commit")

    op.drop_table("ledger_entry")
    with op.batch_alter_table("landing", schema=None) as batch_op:
        batch_op.drop_index("ix_landing_repository_number")

    op.drop_table("landing")
    with op.batch_alter_table("commit_link", schema=None) as batch_op:
        batch_op.drop_index("ix_commit_link_target_commit")
        batch_op.drop_index("ix_commit_link_commit")

    op.drop_table("commit_link")
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.drop_index("ix_audit_repository_at")

    op.drop_table("audit")
    op.drop_table("weekly_cell")
    op.drop_table("repository_slug")
    with op.batch_alter_table("pull_request", schema=None) as batch_op:
        batch_op.drop_index("ix_pull_request_repository_updated")
        batch_op.drop_index("ix_pull_request_repository_created")
        batch_op.drop_index("ix_pull_request_created_id")

    op.drop_table("pull_request")
    op.drop_table("path")
    op.drop_table("dead_letter")
    op.drop_table("cursor")
    with op.batch_alter_table("commit", schema=None) as batch_op:
        batch_op.drop_index("ix_commit_repository_week")
        batch_op.drop_index("ix_commit_repository_source")
        batch_op.drop_index("ix_commit_repository_pull")
        batch_op.drop_index("ix_commit_repository_differential")
        batch_op.drop_index("ix_commit_repository_committed")
        batch_op.drop_index("ix_commit_committed")

    op.drop_table("commit")
    with op.batch_alter_table("site", schema=None) as batch_op:
        batch_op.drop_index("ix_site_vendor_construct")

    op.drop_table("site")
    op.drop_table("repository")
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_person_login"))

    op.drop_table("person")
    with op.batch_alter_table("job_run", schema=None) as batch_op:
        batch_op.drop_index("ix_job_run_started")
        batch_op.drop_index("ix_job_run_repository_job_started")

    op.drop_table("job_run")
    op.drop_table("http_cache")
    with op.batch_alter_table("alert_event", schema=None) as batch_op:
        batch_op.drop_index("ix_alert_event_fingerprint_at")

    op.drop_table("alert_event")
    with op.batch_alter_table("alert", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_alert_rule"))

    op.drop_table("alert")
