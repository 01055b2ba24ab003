"""Why each site of a commit was judged so, file by file: its line, the line on the other side, rule and reason.

Accounts are grouped where they say the same, so that hundreds of like lines read as one finding with its lines.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tracker.classify import Accounts, ExclusivityAccount, Line, SiteAccount
from tracker.ruleset import Ruleset
from tracker.sites import Construct, Mechanism, Site

SHOWN = 400
"""Accounts on one page; the JSON twin has all that are kept."""
LINES_OPEN = 3
"""Places of one finding that are shown at once, the others behind a fold."""
FILES_OPEN = 12
"""Files that are shown at once."""
_HAS_EQUIVALENT = frozenset({Construct.API, Construct.PREDICATE, Construct.LITERAL})
"""Constructs of which the table of replacements speaks: it goes by the symbol alone."""

NOT_RECORDED = "not recorded: judged before accounts were kept; `tracker rejudge` records them"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedLine:
    """A line in three parts, the middle one being the site or what took its place."""

    path: str | None
    """Where it is another file than the one it is shown under."""
    address_path: str
    number: int
    of_parent: bool
    """Whether it stands in the parent's file."""
    before: str
    marked: str
    after: str
    cut_before: bool
    cut_after: bool
    known: bool
    """Whether the text could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One place as a small diff: the line that is gone and the line that is new, where there are both."""

    gone: QuotedLine | None
    new: QuotedLine | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Places of one file of which the same is said."""

    site: Site
    mechanism: Mechanism
    gone: bool
    reason: str
    about: str | None
    replaced_by: str | None
    equivalent: str | None
    """The neutral API that does the same, where the mapping knows one and it is not what took the place."""
    reason_id: str | None
    """Of the reason as the page of the method explains it; None where today's rules give no such reason."""
    known_rule: bool
    """Whether today's ruleset still holds the rule."""
    exclusivity: str | None
    """Whose place admits others now, or no others any more."""
    changes: tuple[Change, ...]

    @property
    def first(self) -> tuple[Change, ...]:
        """What is shown at once; a fold for a single one more would save nothing."""
        return self.changes if len(self.changes) <= LINES_OPEN + 1 else self.changes[:LINES_OPEN]

    @property
    def folded(self) -> tuple[Change, ...]:
        return self.changes[len(self.first) :]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEvidence:
    """What is said of one file."""

    path: str
    told: tuple[Told, ...]

    @property
    def places(self) -> int:
        return sum(len(one.changes) for one in self.told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything said of one commit, as far as it is shown."""

    files: tuple[FileEvidence, ...]
    not_shown: int
    """Kept, but more than a page shows; the JSON twin has them."""
    left_out: int
    """Never kept: more than are kept of one commit."""

    @property
    def open_files(self) -> tuple[FileEvidence, ...]:
        return self.files if len(self.files) <= FILES_OPEN + 1 else self.files[:FILES_OPEN]

    @property
    def folded_files(self) -> tuple[FileEvidence, ...]:
        return self.files[len(self.open_files) :]


def evidence_of(accounts: Accounts, ruleset: Ruleset) -> Evidence:
    """Return accounts file by file, those that say the same of the same site together, in the order of their lines."""
    exclusivities, sites = accounts.exclusivities[:SHOWN], accounts.sites[:SHOWN]
    sites = sites[: SHOWN - len(exclusivities)]
    told = [*_told_of_sites(sites, ruleset), *(_told_of_exclusivity(one, ruleset) for one in exclusivities)]
    by_path: dict[str, list[Told]] = {}
    for path, one in told:
        by_path.setdefault(path, []).append(one)
    return Evidence(
        files=tuple(FileEvidence(path=path, told=tuple(by_path[path])) for path in sorted(by_path)),
        not_shown=len(accounts.sites) + len(accounts.exclusivities) - len(sites) - len(exclusivities),
        left_out=accounts.left_out,
    )


def equivalent_of(site: Site, ruleset: Ruleset) -> str | None:
    """Return the neutral API that does what a vendor's does, where the mapping knows one."""
    return ruleset.replacement_for(site.symbol) if site.construct in _HAS_EQUIVALENT else None


def _equivalent_beside(replaced_by: str | None, site: Site, ruleset: Ruleset) -> str | None:
    """A device's name has as many equivalents as programs have variables: what took its place says enough."""
    if replaced_by is not None and site.construct is Construct.LITERAL:
        return None
    equivalent = equivalent_of(site, ruleset)
    return equivalent if equivalent != replaced_by else None


def accounts_as_rows(accounts: Accounts | None, ruleset: Ruleset) -> dict[str, object] | None:
    """Return accounts for the JSON twin, each with the neutral API that does the same and where its rule is told."""
    if accounts is None:
        return None
    return {
        "sites": [_row(one, ruleset) | {"gone": one.gone, "mechanism": one.mechanism} for one in accounts.sites],
        "exclusivities": [
            _row(one, ruleset) | {"lost": one.lost, "vendor": one.vendor} for one in accounts.exclusivities
        ],
        "left_out": accounts.left_out,
    }


def _row(one: SiteAccount | ExclusivityAccount, ruleset: Ruleset) -> dict[str, object]:
    return {
        "site": one.site,
        "line": one.line,
        "opposite": one.opposite,
        "reason": one.reason,
        "about": one.about if isinstance(one, SiteAccount) else None,
        "replaced_by": one.replaced_by if isinstance(one, SiteAccount) else None,
        "equivalent": equivalent_of(one.site, ruleset),
        "rule_address": f"/method#rule-{one.site.rule}",
    }


def _told_of_sites(accounts: Sequence[SiteAccount], ruleset: Ruleset) -> Iterable[tuple[str, Told]]:
    rules = _rule_ids(ruleset)
    for (path, gone, site, mechanism, reason, about, replaced_by), found in groupby(accounts, key=_saying):
        yield (
            path,
            Told(
                site=site,
                mechanism=mechanism,
                gone=gone,
                reason=reason,
                about=about,
                replaced_by=replaced_by,
                equivalent=_equivalent_beside(replaced_by, site, ruleset),
                reason_id=_reason_id(reason, ruleset),
                known_rule=site.rule in rules,
                exclusivity=None,
                changes=tuple(_change(one.line, one.opposite, gone=gone) for one in found),
            ),
        )


def _saying(one: SiteAccount) -> tuple[str, bool, Site, Mechanism, str, str | None, str | None]:
    return one.line.path, one.gone, one.site, one.mechanism, one.reason, one.about, one.replaced_by


def _told_of_exclusivity(one: ExclusivityAccount, ruleset: Ruleset) -> tuple[str, Told]:
    return one.line.path, Told(
        site=one.site,
        mechanism=Mechanism.BROADENED if one.lost else Mechanism.INTRODUCED,
        gone=not one.lost,
        reason=one.reason,
        about=None,
        replaced_by=None,
        equivalent=None,
        reason_id=_reason_id(one.reason, ruleset),
        known_rule=one.site.rule in _rule_ids(ruleset),
        exclusivity=one.vendor,
        changes=(_change(one.line, one.opposite, gone=not one.lost),),
    )


def _reason_id(words: str, ruleset: Ruleset) -> str | None:
    reason = ruleset.reason(words)
    return reason.id if reason is not None else None


def _rule_ids(ruleset: Ruleset) -> frozenset[str]:
    return frozenset(rule.id for rule in (*ruleset.rules, *ruleset.neutral_constructs))


def _change(line: Line, opposite: Line | None, *, gone: bool) -> Change:
    """Put the two lines in the order of a diff, less the indentation that they share."""
    indent = min(_indent(one) for one in (line, opposite) if one is not None and one.text) if line.text else 0
    own = _quoted(line, indent, of_parent=gone, under=line.path)
    other = _quoted(opposite, indent, of_parent=not gone, under=line.path) if opposite is not None else None
    return Change(gone=own, new=other) if gone else Change(gone=other, new=own)


def _indent(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip(" \t"))


def _quoted(line: Line, indent: int, *, of_parent: bool, under: str) -> QuotedLine:
    text = line.text[indent:]
    start, end = (max(0, at - indent) for at in line.span) if line.span is not None else (len(text), len(text))
    return QuotedLine(
        path=line.path if line.path != under else None,
        address_path=line.path,
        number=line.number,
        of_parent=of_parent,
        before=text[:start],
        marked=text[start:end],
        after=text[end:],
        cut_before=line.cut_before,
        cut_after=line.cut_after,
        known=bool(line.text),
    )
