"""Judged commits -> the values of their rows: commits, entries, verdicts and skipped files.

One place decides what a column cannot hold: a number beyond a database's integers, a name longer than its column.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from db.base import clean_text
from db.identities import KnownPath
from tracker.affiliation import BOTS, AffiliationSource
from tracker.classify import JudgedCommit, stock_change
from tracker.rollup import week_of
from tracker.sites import Construct, Site

LARGEST_NUMBER = 2**31 - 1
"""What PostgreSQL's integer holds; `(#99999999999)` in a subject is no pull request."""

Values = dict[str, Any]


def mail_domain(mail: str) -> str:
    """Return what stands after the last @, in lower case; empty where there is none."""
    return mail.rpartition("@")[2].strip().lower() if "@" in mail else ""


def nobody_is_a_program(_name: str, _mail: str) -> bool:
    """Tell no program from people: where it does not matter."""
    return False


def commit_values(
    judged: JudgedCommit,
    repository_id: int,
    position: int,
    author_key: Callable[[str], str],
    organisation: Callable[[str], str | None],
    is_program: Callable[[str, str], bool],
) -> Values:
    """Return the columns of a commit."""
    commit, trailers = judged.commit, judged.trailers
    domain = mail_domain(commit.author.mail)
    program = is_program(commit.author.name, commit.author.mail)
    employer = BOTS if program else organisation(domain)
    source = AffiliationSource.BOT if program else AffiliationSource.MAIL
    return {
        "repository_id": repository_id,
        "sha": commit.sha,
        "parent_sha": commit.parent,
        "parents": commit.parents,
        "position": position,
        "committed_at": commit.committed_at,
        "week": week_of(commit.committed_at),
        "authored_at": commit.author.at,
        "subject": commit.subject,
        "author_key": author_key(commit.author.mail),
        "author_domain": domain,
        "organisation": employer,
        "organisation_source": source.value if employer is not None else None,
        "pull_number": pull_number(trailers.pull_request),
        "is_revert": trailers.is_revert,
        "is_reland": trailers.is_reland,
        "differential": _at_most(trailers.differential, 20),
        "source_id": _at_most(trailers.source_id, 40),
    }


def pull_number(number: int | None) -> int | None:
    """Return the number if it can be a pull request's."""
    return number if number is not None and 0 < number <= LARGEST_NUMBER else None


def _at_most(text: str | None, length: int) -> str | None:
    return text if text is not None and len(text) <= length else None


def verdict_values(judged: JudgedCommit, commit_id: int) -> Values:
    """Return the columns of a commit's verdict."""
    judgement = judged.judgement
    tally = judgement.tally
    change = stock_change(judgement.entries)
    names = stock_change(judgement.entries, only=Construct.NAME)
    return {
        "commit_id": commit_id,
        "ruleset": judged.ruleset,
        "verdict": judgement.verdict,
        "mechanism": judgement.mechanism,
        "area": judgement.area,
        "vendors": ",".join(judgement.vendors),
        "removed": judgement.removed,
        "added": judgement.added,
        "generalised": tally.generalised,
        "broadened": tally.broadened,
        "relocated": tally.relocated,
        "dropped": tally.dropped,
        "retired": tally.retired,
        "introduced": tally.introduced,
        "moved": tally.moved,
        "edited": tally.edited,
        "let_in": change.let_in,
        "staying": change.staying,
        "names_removed": names.removed,
        "names_added": names.added,
        "names_net": names.net,
        "accounts_left_out": judgement.accounts.left_out,
        "lines_changed": sum(entry.delta for entry in judged.lines),
    }


ENTRY_COLUMNS = ("commit_id", "path_id", "site_id", "territory", "delta", "mechanism", "lines", "replaced_by")


def entry_values(
    judged: JudgedCommit, commit_id: int, paths: Mapping[str, KnownPath], sites: Mapping[Site, int]
) -> Iterator[tuple[int, int, int, str, int, str, str, str | None]]:
    """Yield the columns of a commit's ledger entries, in the order of `ENTRY_COLUMNS`."""
    for entry in judged.judgement.entries:
        yield (
            commit_id,
            paths[entry.path].id,
            sites[entry.site],
            entry.territory.value,
            entry.delta,
            entry.mechanism.value,
            ",".join(map(str, entry.lines)),
            clean_text(entry.replaced_by) if entry.replaced_by is not None else None,
        )


LINE_COLUMNS = ("commit_id", "territory", "area", "subsystem", "delta", "baseline")


def line_values(judged: JudgedCommit, commit_id: int) -> Iterator[tuple[int, str, str, str, int, bool]]:
    """Yield the columns of a commit's changes of lines, in the order of `LINE_COLUMNS`."""
    for entry in judged.lines:
        yield (commit_id, entry.territory.value, entry.area.value, entry.subsystem, entry.delta, entry.baseline)


def skipped_values(judged: JudgedCommit, commit_id: int) -> Iterator[Values]:
    """Yield the columns of the files of a commit that were not read."""
    for skipped in judged.skipped:
        yield {"commit_id": commit_id, "path": skipped.path, "blob": skipped.blob, "reason": skipped.reason}
