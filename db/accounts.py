"""Why each neutral site of a commit was judged as it was: accounts -> rows, and rows -> accounts."""

from collections.abc import Iterator, Mapping
from itertools import count

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.base import clean_text
from db.bulk import Plain
from db.identities import KnownPath
from db.tables import PathRow, ReasonRow, SiteAccountRow, SiteRow, VerdictRow
from tracker.classify import Accounts, ExclusivityAccount, JudgedCommit, Line, SiteAccount
from tracker.sites import Mechanism, Site

ACCOUNT_COLUMNS = (
    "commit_id",
    "number",
    "path_id",
    "site_id",
    "exclusivity",
    "gone",
    "mechanism",
    "reason_id",
    "about",
    "replaced_by",
    "line",
    "text",
    "span",
    "cut",
    "opposite_path",
    "opposite_line",
    "opposite_text",
    "opposite_span",
    "opposite_cut",
)
_SPAN = 1_000
"""More than a quoted line has signs: begin and end are kept as one number."""
_CUT_BEFORE, _CUT_AFTER = 1, 2


def account_values(
    judged: JudgedCommit,
    commit_id: int,
    paths: Mapping[str, KnownPath],
    sites: Mapping[Site, int],
    reasons: Mapping[str, int],
) -> Iterator[tuple[Plain, ...]]:
    """Yield the columns of a commit's accounts, in the order of `ACCOUNT_COLUMNS`."""
    numbers = count()
    for one in judged.judgement.accounts.sites:
        yield (
            commit_id,
            next(numbers),
            paths[one.line.path].id,
            sites[one.site],
            None,
            one.gone,
            one.mechanism.value,
            reasons[one.reason],
            _clean(one.about),
            _clean(one.replaced_by),
            *_line_values(one.line),
            *_opposite_values(one.line, one.opposite),
        )
    for lost in judged.judgement.accounts.exclusivities:
        yield (
            commit_id,
            next(numbers),
            paths[lost.line.path].id,
            sites[lost.site],
            lost.vendor,
            not lost.lost,
            (Mechanism.BROADENED if lost.lost else Mechanism.INTRODUCED).value,
            reasons[lost.reason],
            None,
            None,
            *_line_values(lost.line),
            *_opposite_values(lost.line, lost.opposite),
        )


def read_accounts(session: Session, verdict: VerdictRow) -> Accounts | None:
    """Return why a commit is judged as it is; None where it was judged before accounts were kept."""
    if verdict.accounts_left_out is None:
        return None
    query = (
        select(SiteAccountRow, PathRow.path, SiteRow, ReasonRow.words)
        .join(PathRow, PathRow.id == SiteAccountRow.path_id)
        .join(SiteRow, SiteRow.id == SiteAccountRow.site_id)
        .join(ReasonRow, ReasonRow.id == SiteAccountRow.reason_id)
        .where(SiteAccountRow.commit_id == verdict.commit_id)
        .order_by(SiteAccountRow.number)
    )
    sites: list[SiteAccount] = []
    exclusivities: list[ExclusivityAccount] = []
    for row, path, site, reason in session.execute(query):
        if row.exclusivity is None:
            sites.append(_site_account(row, path, site, reason))
        else:
            exclusivities.append(_exclusivity_account(row, path, site, reason))
    return Accounts(sites=tuple(sites), exclusivities=tuple(exclusivities), left_out=verdict.accounts_left_out)


def _clean(text: str | None) -> str | None:
    return clean_text(text) if text is not None else None


def _line_values(line: Line) -> tuple[int, str, int | None, int]:
    span = line.span[0] * _SPAN + line.span[1] if line.span is not None else None
    return line.number, clean_text(line.text), span, _CUT_BEFORE * line.cut_before + _CUT_AFTER * line.cut_after


def _opposite_values(line: Line, opposite: Line | None) -> tuple[Plain, ...]:
    if opposite is None:
        return (None,) * 5
    path = clean_text(opposite.path) if opposite.path != line.path else None
    return path, *_line_values(opposite)


def _site_account(row: SiteAccountRow, path: str, site: SiteRow, reason: str) -> SiteAccount:
    return SiteAccount(
        site=_site(site),
        gone=row.gone,
        line=_line(path, row.line, row.text, row.span, row.cut),
        opposite=_opposite(row, path),
        mechanism=row.mechanism,
        reason=reason,
        about=row.about,
        replaced_by=row.replaced_by,
    )


def _exclusivity_account(row: SiteAccountRow, path: str, site: SiteRow, reason: str) -> ExclusivityAccount:
    return ExclusivityAccount(
        vendor=row.exclusivity or "",
        lost=row.mechanism is Mechanism.BROADENED,
        site=_site(site),
        line=_line(path, row.line, row.text, row.span, row.cut),
        opposite=_opposite(row, path),
        reason=reason,
    )


def _site(row: SiteRow) -> Site:
    return Site(row.construct, row.vendor, row.symbol, row.rule)


def _opposite(row: SiteAccountRow, path: str) -> Line | None:
    if row.opposite_line is None:
        return None
    path = row.opposite_path if row.opposite_path is not None else path
    return _line(path, row.opposite_line, row.opposite_text or "", row.opposite_span, row.opposite_cut or 0)


def _line(path: str, number: int, text: str, span: int | None, cut: int) -> Line:
    return Line(
        path=path,
        number=number,
        text=text,
        span=(span // _SPAN, span % _SPAN) if span is not None else None,
        cut_before=bool(cut & _CUT_BEFORE),
        cut_after=bool(cut & _CUT_AFTER),
    )
