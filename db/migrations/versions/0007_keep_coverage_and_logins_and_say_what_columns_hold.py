"""Keep coverage by ranges of commits and the names of accounts, and say of every column what it holds.

What is on the line was read, and is recorded as such; where the line begins later than at its root, what stands before
was skipped. Accounts get the name they have. Runs are found by repository, job and number, for freshness.

Compatibility: the previous version of the product may still run while this revision is applied.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"

COMMENTS = {
    ("number", "number"): "as in the address of an issue or a pull request",
    ("number", "kind"): "what GitHub shows under it",
    ("number", "checked_at"): "when GitHub was asked",
    ("pull_coverage", "at"): "when they were compared",
    ("pull_coverage", "issues"): "numbers that stand for issues",
    ("pull_coverage", "discussions"): "numbers that stand for discussions",
    ("pull_coverage", "transferred"): "numbers that stand in another repository now",
    ("release", "kind"): "what the version is",
    ("alert", "evaluated_at"): "when its rule was last evaluated",
    ("alert", "fired_at"): "when it last began to fire; null: never",
    ("alert", "resolved_at"): "when it last ceased to fire; null: never",
    ("alert", "rule"): "id of the alert rule: `tracker rules show`",
    ("alert", "severity"): "info, warning or critical",
    ("alert_event", "at"): "when the state changed",
    ("alert_event", "fingerprint"): "of the alert",
    ("alert_event", "from_state"): "inactive, pending or firing",
    ("alert_event", "to_state"): "inactive, pending or firing",
    ("alert_event", "value"): "of the alert then; null: no data",
    ("audit", "at"): "when it was made",
    ("audit", "ruleset"): "digest of the ruleset in use",
    ("commit", "is_reland"): "says that it lands an earlier commit again",
    ("commit", "is_revert"): "says that it undoes an earlier commit",
    ("commit", "sha"): "git's object id",
    ("commit", "subject"): "first line of the message",
    ("company_statement", "last_seen_at"): "last time it was seen so",
    ("cursor", "moved_at"): "when it last moved, or what stands behind it changed",
    ("dead_letter", "attempts"): "how often it was asked for",
    ("dead_letter", "first_at"): "first failure",
    ("dead_letter", "last_at"): "latest failure",
    ("dead_letter", "reason"): "what upstream answered",
    ("dead_letter", "stream"): "pulls or commits",
    ("http_cache", "body"): "bytes of the answer",
    ("http_cache", "etag"): "to ask with again; null: none was given",
    ("http_cache", "fetched_at"): "when the answer came, or was last confirmed",
    ("http_cache", "last_modified"): "to ask with again; null: none was given",
    ("http_cache", "link"): "the header that names other pages; null: none was given",
    ("http_cache", "url"): "what was asked",
    ("job_run", "job"): "crawl_commits, crawl_pulls, roll_up, audit, ...",
    ("job_run", "started_at"): "when it began",
    ("landing", "number"): "of the pull request",
    ("ledger_entry", "delta"): "sites, signed; never zero",
    ("ledger_entry", "mechanism"): "what became of the sites: docs/guide.md",
    ("ledger_entry", "territory"): "where the site stood when it was judged: docs/guide.md",
    ("merge_notice", "at"): "when it said so",
    ("merge_notice", "kind"): "what the bot said of it",
    ("path", "area"): "what the path is for: docs/guide.md",
    ("path", "path"): "of the file, in the tree",
    ("path", "ruleset"): "digest of the ruleset that placed it",
    ("path", "subsystem"): "finer than the area",
    ("path", "territory"): "by the ruleset named: docs/guide.md",
    ("person", "github_id"): "GitHub's numeric id; null: it gives none",
    ("person", "seen_at"): "time of the answer this row comes from",
    ("pull_entry", "area"): "what the path is for: docs/guide.md",
    ("pull_entry", "construct"): "the kind of the site: docs/guide.md",
    ("pull_entry", "delta"): "sites, signed; never zero",
    ("pull_entry", "mechanism"): "what became of the sites: docs/guide.md",
    ("pull_entry", "path"): "of the file, in the tree",
    ("pull_entry", "rule"): "id of the rule that matched: `tracker rules show`",
    ("pull_entry", "subsystem"): "finer than the area",
    ("pull_entry", "symbol"): "the token run itself",
    ("pull_entry", "territory"): "where the site stood when it was judged: docs/guide.md",
    ("pull_file", "path"): "of the file, in the tree",
    ("pull_remainder", "items"): "which list is longer than what was stored",
    ("pull_request", "association"): "GitHub's word for the author's relation to the repository",
    ("pull_request", "base_ref"): "the branch it is to be merged into",
    ("pull_request", "changed_files"): "files",
    ("pull_request", "closed_at"): "null: open",
    ("pull_request", "created_at"): "opened",
    ("pull_request", "draft"): "not ready for review",
    ("pull_request", "head_ref"): "the branch it comes from",
    ("pull_request", "head_sha"): "last commit of that branch",
    ("pull_request", "merged_at"): "null: GitHub did not merge it",
    ("pull_request", "node_id"): "GitHub's id for GraphQL",
    ("pull_request", "number"): "in its repository",
    ("pull_request", "title"): "as last seen",
    ("pull_request", "updated_at"): "last changed on GitHub",
    ("pull_verdict", "dropped"): "neutral sites by this mechanism",
    ("pull_verdict", "edited"): "neutral sites by this mechanism",
    ("pull_verdict", "generalised"): "neutral sites by this mechanism",
    ("pull_verdict", "judged_at"): "when the head was judged",
    ("pull_verdict", "moved"): "neutral sites by this mechanism",
    ("pull_verdict", "relocated"): "neutral sites by this mechanism",
    ("pull_verdict", "retired"): "neutral sites by this mechanism",
    ("reason", "words"): "the sentence that many sites share",
    ("repository", "added_at"): "when it was first put under watch",
    ("repository_slug", "slug"): "owner/name",
    ("review", "state"): "GitHub's word: APPROVED, CHANGES_REQUESTED, COMMENTED, ...",
    ("review", "submitted_at"): "null: not submitted yet",
    ("site", "construct"): "the kind of the site: docs/guide.md",
    ("site", "rule"): "id of the rule that matched: `tracker rules show`",
    ("site", "symbol"): "the token run itself",
    ("site_account", "mechanism"): "what became of the sites: docs/guide.md",
    ("site_account", "opposite_cut"): "as cut, of that line; null: none is known",
    ("site_account", "opposite_text"): "of the line on the other side; null: none is known",
    ("skipped_file", "path"): "of the file, in the tree",
    ("skipped_file", "reason"): "binary, too large, missing, ...: why it was not read",
    ("verdict", "dropped"): "neutral sites by this mechanism",
    ("verdict", "edited"): "neutral sites by this mechanism",
    ("verdict", "generalised"): "neutral sites by this mechanism",
    ("verdict", "moved"): "neutral sites by this mechanism",
    ("verdict", "relocated"): "neutral sites by this mechanism",
    ("verdict", "retired"): "neutral sites by this mechanism",
    ("verdict", "verdict"): "decoupling, removal, coupling, churn, vendor-internal, infrastructure or none",
    ("weekly_cell", "area"): "what the path is for: docs/guide.md",
    ("weekly_cell", "construct"): "the kind of the site: docs/guide.md",
    ("weekly_cell", "mechanism"): "what became of the sites: docs/guide.md",
    ("weekly_cell", "subsystem"): "finer than the area",
    ("weekly_cell", "territory"): "where the sites stood: docs/guide.md",
}
"""PostgreSQL keeps them with the columns."""


def upgrade() -> None:
    op.create_table(
        "coverage",
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("first_position", sa.Integer(), nullable=False, comment="index on the line, 0 for the oldest commit"),
        sa.Column("state", sa.String(length=24), nullable=False, comment="what became of the range"),
        sa.Column("last_position", sa.Integer(), nullable=False, comment="included"),
        sa.Column("reason", sa.Text(), nullable=False, comment="why it was skipped; empty otherwise"),
        sa.Column(
            "attempts", sa.Integer(), nullable=False, comment="how often it was begun; 0: never meant to be read"
        ),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False, comment="when this was first so"),
        sa.Column(
            "last_at", sa.DateTime(timezone=True), nullable=False, comment="when it was last read, begun or skipped"
        ),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_coverage_repository_id_repository")
        ),
        sa.PrimaryKeyConstraint("repository_id", "first_position", "state", name=op.f("pk_coverage")),
        comment="ranges of a repository's line of commits, and whether they were read",
    )
    op.create_table(
        "person_login",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("login", sa.String(length=100), nullable=False, comment="without @"),
        sa.Column(
            "seen_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="first seen under this name, the server's time",
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_person_login_person_id_person")),
        sa.PrimaryKeyConstraint("person_id", "login", name=op.f("pk_person_login")),
        comment="what a GitHub account has been called",
    )
    op.create_index("ix_pull_verdict_judged", "pull_verdict", ["judged_at"])
    op.drop_index("ix_job_run_repository_job_started", table_name="job_run")
    op.create_index("ix_job_run_repository_job_id", "job_run", ["repository", "job", "id"])
    op.execute("INSERT INTO person_login (person_id, login, seen_at) SELECT id, login, seen_at FROM person")
    _record_what_was_read()
    if op.get_bind().dialect.name == "postgresql":
        for (table, column), comment in COMMENTS.items():
            op.alter_column(table, column, comment=comment)


def _record_what_was_read() -> None:
    line = """
        FROM (SELECT repository_id, min(position) AS first_one, max(position) AS last_one
              FROM "commit" WHERE position IS NOT NULL GROUP BY repository_id) AS line
        JOIN "cursor" ON "cursor".repository_id = line.repository_id AND "cursor".stream = 'commits'
    """
    columns = "(repository_id, first_position, state, last_position, reason, attempts, first_at, last_at)"
    op.execute(
        f"INSERT INTO coverage {columns} "
        f"SELECT line.repository_id, first_one, 'ok', last_one, '', 1, moved_at, moved_at {line}"
    )
    op.execute(
        f"INSERT INTO coverage {columns} SELECT line.repository_id, 0, 'skipped', first_one - 1, "
        f"'it stands before the first commit that was asked for', 0, moved_at, moved_at {line} WHERE first_one > 0"
    )


def downgrade() -> None:
    op.drop_index("ix_pull_verdict_judged", table_name="pull_verdict")
    op.drop_index("ix_job_run_repository_job_id", table_name="job_run")
    op.create_index("ix_job_run_repository_job_started", "job_run", ["repository", "job", "started_at"])
    op.drop_table("person_login")
    op.drop_table("coverage")
