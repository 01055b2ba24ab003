"""What exports hold: the columns of each, with their units and definitions (the data dictionary)."""

from dataclasses import dataclass
from enum import StrEnum


class Export(StrEnum):
    """What can be exported."""

    LEDGER = "ledger"
    VERDICTS = "verdicts"
    CELLS = "cells"
    FLOWS = "flows"
    LINES = "lines"
    WEEKLY_LINES = "weekly-lines"
    PULLS = "pulls"


class ColumnKind(StrEnum):
    """What the values of a column are; any value may be None where the column says so."""

    TEXT = "text"
    INTEGER = "integer"
    FLAG = "flag"
    TIME = "time"
    """Text, YYYY-MM-DDTHH:MM:SSZ."""
    DAY = "day"
    """Text, YYYY-MM-DD."""


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """One column of an export; the definitions are the data dictionary."""

    name: str
    kind: ColumnKind
    meaning: str


REPOSITORY = ExportColumn("repository", ColumnKind.TEXT, "owner/name")
POSITION = ExportColumn("position", ColumnKind.INTEGER, "index on the first-parent line, 0 for the oldest commit")
WEEK = ExportColumn("week", ColumnKind.DAY, "Monday of the ISO week of the committer date, UTC")

LEDGER = (
    REPOSITORY,
    POSITION,
    ExportColumn("sha", ColumnKind.TEXT, "the commit"),
    ExportColumn("committed_at", ColumnKind.TIME, "committer date"),
    ExportColumn("path", ColumnKind.TEXT, "in the commit's tree; in its parent's for a negative delta"),
    ExportColumn("territory", ColumnKind.TEXT, "where the site stands"),
    ExportColumn("area", ColumnKind.TEXT, "what the path is for"),
    ExportColumn("subsystem", ColumnKind.TEXT, "finer than the area"),
    ExportColumn("construct", ColumnKind.TEXT, "the kind of the site"),
    ExportColumn("vendor", ColumnKind.TEXT, "whose word it is; empty for a neutral construct"),
    ExportColumn("symbol", ColumnKind.TEXT, "the token run itself"),
    ExportColumn("rule", ColumnKind.TEXT, "id of the rule that matched"),
    ExportColumn("delta", ColumnKind.INTEGER, "sites, signed; never zero"),
    ExportColumn("mechanism", ColumnKind.TEXT, "what became of them"),
    ExportColumn(
        "lines",
        ColumnKind.TEXT,
        "line numbers, comma-separated: in the parent's file for a negative delta, else in the commit's",
    ),
    ExportColumn("replaced_by", ColumnKind.TEXT, "what visibly took the place; none where nothing did"),
)

VERDICTS = (
    REPOSITORY,
    POSITION,
    ExportColumn("sha", ColumnKind.TEXT, "the commit"),
    ExportColumn("committed_at", ColumnKind.TIME, "committer date"),
    ExportColumn("subject", ColumnKind.TEXT, "first line of the message"),
    ExportColumn(
        "pull_number", ColumnKind.INTEGER, "the pull request this commit lands; none where the message names none"
    ),
    ExportColumn("is_revert", ColumnKind.FLAG, "undoes an earlier commit"),
    ExportColumn("is_reland", ColumnKind.FLAG, "lands an earlier commit again"),
    ExportColumn("organisation", ColumnKind.TEXT, "of the author, from the mail domain; none where unknown"),
    ExportColumn("verdict", ColumnKind.TEXT, "what the commit does to neutral code"),
    ExportColumn("mechanism", ColumnKind.TEXT, "the dominant one; none where no neutral site changes"),
    ExportColumn("area", ColumnKind.TEXT, "where most of its neutral sites stand; none where no neutral site changes"),
    ExportColumn("vendors", ColumnKind.TEXT, "of its neutral sites, comma-separated, dominant first"),
    ExportColumn("removed", ColumnKind.INTEGER, "neutral sites removed, moved and edited ones excluded"),
    ExportColumn("added", ColumnKind.INTEGER, "neutral sites added, moved and edited ones excluded"),
    ExportColumn("generalised", ColumnKind.INTEGER, "neutral sites by this mechanism"),
    ExportColumn("broadened", ColumnKind.INTEGER, "neutral sites by this mechanism, exclusivities included"),
    ExportColumn("relocated", ColumnKind.INTEGER, "neutral sites by this mechanism"),
    ExportColumn("dropped", ColumnKind.INTEGER, "neutral sites by this mechanism"),
    ExportColumn("retired", ColumnKind.INTEGER, "neutral sites by this mechanism"),
    ExportColumn("introduced", ColumnKind.INTEGER, "neutral sites by this mechanism, exclusivities included"),
    ExportColumn("moved", ColumnKind.INTEGER, "neutral sites by this mechanism"),
    ExportColumn("edited", ColumnKind.INTEGER, "neutral sites by this mechanism"),
    ExportColumn("let_in", ColumnKind.INTEGER, "neutral sites that came because a place was broadened"),
    ExportColumn(
        "staying",
        ColumnKind.INTEGER,
        "moved and edited neutral sites, net; added - removed + let_in + staying is the change of the stock",
    ),
    ExportColumn("names_removed", ColumnKind.INTEGER, "of removed, identifiers that merely contain a vendor's word"),
    ExportColumn("names_added", ColumnKind.INTEGER, "of added, identifiers that merely contain a vendor's word"),
    ExportColumn("names_net", ColumnKind.INTEGER, "change of the stock of such identifiers"),
    ExportColumn("ruleset", ColumnKind.TEXT, "digest of the ruleset that judged"),
    ExportColumn("counts", ColumnKind.FLAG, "a change of its own that stands: what net figures count"),
    ExportColumn("undone_by", ColumnKind.TEXT, "the commit that undid it for good; none where it stands"),
    ExportColumn("undone_at", ColumnKind.TIME, "committer date of that commit; none where it stands"),
    ExportColumn(
        "restored_by", ColumnKind.TEXT, "the commit that brought it back; none where none did or it is undone"
    ),
)

CELLS = (
    REPOSITORY,
    WEEK,
    ExportColumn("territory", ColumnKind.TEXT, "where the sites stand"),
    ExportColumn("area", ColumnKind.TEXT, "what their paths are for"),
    ExportColumn("subsystem", ColumnKind.TEXT, "finer than the area"),
    ExportColumn("vendor", ColumnKind.TEXT, "whose word they are; empty for neutral constructs"),
    ExportColumn("construct", ColumnKind.TEXT, "the kind of the sites"),
    ExportColumn("mechanism", ColumnKind.TEXT, "what became of them"),
    ExportColumn("added", ColumnKind.INTEGER, "sites"),
    ExportColumn("removed", ColumnKind.INTEGER, "sites, as a positive number"),
)

FLOWS = (
    *CELLS[:8],
    ExportColumn("organisation", ColumnKind.TEXT, "of the commits' authors; empty: unknown"),
    *CELLS[8:],
    ExportColumn("net_added", ColumnKind.INTEGER, "sites, of changes that stand, each counted once"),
    ExportColumn("net_removed", ColumnKind.INTEGER, "as net_added, of sites removed; as a positive number"),
)

LINES = (
    REPOSITORY,
    POSITION,
    ExportColumn("sha", ColumnKind.TEXT, "the commit"),
    ExportColumn("committed_at", ColumnKind.TIME, "committer date"),
    ExportColumn("territory", ColumnKind.TEXT, "where the files' paths stand"),
    ExportColumn("area", ColumnKind.TEXT, "what the paths are for"),
    ExportColumn("subsystem", ColumnKind.TEXT, "finer than the area"),
    ExportColumn(
        "delta", ColumnKind.INTEGER, "lines of files in languages that are scanned, added less removed; never zero"
    ),
    ExportColumn("baseline", ColumnKind.FLAG, "stood there already at the first commit that was read"),
)

WEEKLY_LINES = (
    REPOSITORY,
    WEEK,
    ExportColumn("territory", ColumnKind.TEXT, "where the files' paths stand"),
    ExportColumn("area", ColumnKind.TEXT, "what the paths are for"),
    ExportColumn("subsystem", ColumnKind.TEXT, "finer than the area"),
    ExportColumn("found", ColumnKind.INTEGER, "lines that stood there already when reading began"),
    ExportColumn("added", ColumnKind.INTEGER, "lines, by commits after which there are more"),
    ExportColumn("removed", ColumnKind.INTEGER, "lines, by commits after which there are fewer; as a positive number"),
)

PULLS = (
    REPOSITORY,
    ExportColumn("number", ColumnKind.INTEGER, "in its repository"),
    ExportColumn("title", ColumnKind.TEXT, "as last seen"),
    ExportColumn("state", ColumnKind.TEXT, "open, landed, reverted or closed, by the commits of the default branch"),
    ExportColumn("github_state", ColumnKind.TEXT, "open, closed or merged, as GitHub says"),
    ExportColumn("draft", ColumnKind.FLAG, "not ready for review"),
    ExportColumn("author", ColumnKind.TEXT, "login; none where the account was deleted"),
    ExportColumn("association", ColumnKind.TEXT, "GitHub's word for the author's relation to the repository"),
    ExportColumn("created_at", ColumnKind.TIME, "opened"),
    ExportColumn("updated_at", ColumnKind.TIME, "last changed on GitHub"),
    ExportColumn("closed_at", ColumnKind.TIME, "none while open"),
    ExportColumn("merged_at", ColumnKind.TIME, "by GitHub; none where GitHub did not merge it"),
    ExportColumn(
        "landed_at", ColumnKind.TIME, "committer date of the first commit that landed it; none where none did"
    ),
    ExportColumn("base_ref", ColumnKind.TEXT, "the branch it is to be merged into"),
    ExportColumn("head_ref", ColumnKind.TEXT, "the branch it comes from"),
    ExportColumn("head_sha", ColumnKind.TEXT, "last commit of that branch"),
    ExportColumn("additions", ColumnKind.INTEGER, "lines"),
    ExportColumn("deletions", ColumnKind.INTEGER, "lines"),
    ExportColumn("changed_files", ColumnKind.INTEGER, "files"),
    ExportColumn("labels", ColumnKind.TEXT, "JSON list of names"),
    ExportColumn("reviews_total", ColumnKind.INTEGER, "reviews, as GitHub counts"),
    ExportColumn("review_decision", ColumnKind.TEXT, "as GitHub sums the reviews up; empty where it asks for none"),
    ExportColumn("linked_issues", ColumnKind.TEXT, "JSON list of owner/name#number that it closes"),
    ExportColumn("stack", ColumnKind.TEXT, "JSON list of the numbers of its ghstack, oldest first"),
    ExportColumn("differential", ColumnKind.TEXT, "Phabricator revision"),
    ExportColumn("picked_from", ColumnKind.TEXT, "the commit of which it is a cherry-pick"),
)

COLUMNS = {
    Export.LEDGER: LEDGER,
    Export.VERDICTS: VERDICTS,
    Export.CELLS: CELLS,
    Export.FLOWS: FLOWS,
    Export.LINES: LINES,
    Export.WEEKLY_LINES: WEEKLY_LINES,
    Export.PULLS: PULLS,
}
