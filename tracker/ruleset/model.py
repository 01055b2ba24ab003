"""What a ruleset holds: vendors and their words, rules with examples, replacements, territory maps, organisations.

Plain frozen values, read from TOML by `tracker.ruleset.loading`. Nothing here matches anything: words and patterns are
compiled by `tracker.detect`, globs by `tracker.territory`.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from tracker.ruleset.explanations import Figure, LabelSet, Question, Reason
from tracker.ruleset.regions import RegionRule
from tracker.ruleset.texts import Context, Example, Language, Purpose
from tracker.sites import Area, Construct, Territory

ENGINE_REVISION = 12
"""Part of the digest: raise it when code (not data) changes what is detected, where it stands or how it is judged."""


class Lifecycle(StrEnum):
    """How settled a rule is."""

    EXPERIMENTAL = "experimental"
    """May change its symbols between releases."""
    STABLE = "stable"
    RETIRED = "retired"
    """Matches nothing any more; kept because ledger entries name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A word that only a regular expression can describe, with the literals that must stand in any match."""

    regex: str
    keywords: tuple[str, ...]
    """Lower case; the keyword scan looks for these, so every match must contain one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A vendor's words by how they may stand in an identifier."""

    anywhere: tuple[str, ...] = ()
    """In any case, anywhere: cuda in cudaMemcpyAsync, ProcessGroupNCCL."""
    parts: tuple[str, ...] = ()
    """Only as a whole part of an identifier split at case, underscore, digit: hip in hipMemcpy, not in membership."""
    prefixes: tuple[str, ...] = ()
    """Case-sensitive, at the start of an identifier part: THC in THCState."""
    patterns: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """One maker of accelerator hardware."""

    name: str
    title: str
    also_serves: tuple[str, ...]
    """Vendors whose hardware the same names reach: ROCm builds answer to torch.cuda."""
    words: Words
    source: str
    flags: tuple[str, ...] = ()
    """Lines of Python in which it is named."""
    ignores: tuple[str, ...] = ()
    """Lines in which it is not, though they look alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of site or neutral construct."""

    id: str
    """Permanent: ledger entries name it."""
    lifecycle: Lifecycle
    construct: Construct
    vendor: str
    """Empty: the vendor whose word the symbol holds."""
    languages: tuple[Language, ...]
    purposes: tuple[Purpose, ...]
    contexts: tuple[Context, ...]
    symbol: str
    """A regular expression that the whole symbol matches."""
    keywords: tuple[str, ...]
    """For a neutral construct: literals that must stand in any match. Sites are found by their vendor's words."""
    why: str
    source: str
    flags: tuple[Example, ...]
    ignores: tuple[Example, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """A vendor's name and the neutral one that takes its place."""

    old: str
    """A regular expression that the whole old symbol matches."""
    new: str
    """The new symbol; groups of `old` are written \\1, \\2."""
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TerritoryRule:
    """Globs and what the paths that match them are; the first rule that matches a path decides."""

    id: str
    """Permanent where it is given; else its map's name and its place in it."""
    globs: tuple[str, ...]
    territory: Territory
    vendors: tuple[str, ...]
    why: str
    source: str
    flags: tuple[str, ...]
    """Paths of which it decides."""
    ignores: tuple[str, ...]
    """Paths of which it does not, though they look alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaRule:
    """Globs and the area of the paths that match them; the first rule that matches a path decides."""

    id: str
    """Permanent where it is given; else its map's name and its place in it."""
    globs: tuple[str, ...]
    area: Area
    subsystem: str
    why: str
    source: str
    flags: tuple[str, ...]
    """Paths of which it decides."""
    ignores: tuple[str, ...]
    """Paths of which it does not, though they look alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TerritoryRules:
    """One map: for the repositories it names, or for all when it is the default."""

    name: str
    repositories: tuple[str, ...]
    """Slugs, in which * stands for any run of signs; compared without case. Empty: the default map."""
    territories: tuple[TerritoryRule, ...]
    areas: tuple[AreaRule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Organisation:
    """An employer, by the mail domains its people write from."""

    name: str
    title: str
    domains: tuple[str, ...]
    """A domain stands for its subdomains too."""
    aliases: tuple[str, ...]
    """Lower-case spellings that people give as their company."""
    whole: tuple[str, ...] = ()
    """Spellings that count only where nothing else is said: common words, and parts of other names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bots:
    """How to tell a program from a person; regular expressions, matched without case."""

    names: tuple[str, ...]
    mails: tuple[str, ...]
    logins: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """How to tell that a string is read by people; regular expressions that a whole name matches."""

    calls: tuple[str, ...]
    """Functions and macros whose string arguments are messages."""
    keywords: tuple[str, ...]
    """Keyword arguments and variables that hold messages."""
    statements: tuple[str, ...]
    """First words of statements whose strings are messages: raise, assert, echo."""
    titles: tuple[str, ...]
    """Keys whose values are titles where they have several words: YAML step names."""


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """Everything that is data: what is a site, where paths stand, who works where."""

    digest: str
    """SHA-256 over what decides detection, territory and judgement, not over explanations, organisations, alerts."""
    vendors: tuple[Vendor, ...]
    uncounted: tuple[str, ...]
    """Owners of territory that are no counted vendors: makers of CPU and mobile libraries."""
    innocent: tuple[str, ...]
    """Regular expressions of words that hold a vendor word and do not mean it: amd64."""
    condition_marks: tuple[str, ...]
    """Where an identifier names two vendors, its condition begins behind one of these: skipCUDAIfRocm."""
    roots: tuple[str, ...]
    """Names a dotted path may begin with and still be read whole: torch, at, c10."""
    cuts: tuple[str, ...]
    """Regular expressions of paths behind which attributes do not belong to the site: torch.version.cuda."""
    messages: Messages
    rules: tuple[Rule, ...]
    """The rules of sites, in the order in which they are tried."""
    neutral_constructs: tuple[Rule, ...]
    replacements: tuple[Replacement, ...]
    renames: tuple[Replacement, ...]
    """Neutral names that mean exactly what the old one meant: such a change is an edit and generalises nothing."""
    territory_maps: tuple[TerritoryRules, ...]
    regions: tuple[RegionRule, ...]
    """The rules of what stands elsewhere than its file, in the order in which they are tried."""
    organisations: tuple[Organisation, ...]
    bots: Bots
    max_blob_bytes: int
    alerts_text: str = field(repr=False)
    """The text of alerts.toml, well-formed; `tracker.alerting` reads it. Empty where there is none."""
    reasons: tuple[Reason, ...] = ()
    """What accounts say, explained."""
    questions: tuple[Question, ...] = ()
    """What judging asks of lines, by examples."""
    figures: tuple[Figure, ...] = ()
    label_sets: tuple[LabelSet, ...] = ()

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def _vendors_by_name(self) -> dict[str, Vendor]:
        return {vendor.name: vendor for vendor in self.vendors}

    @cached_property
    def _rules_by_id(self) -> dict[str, Rule]:
        return {rule.id: rule for rule in (*self.rules, *self.neutral_constructs)}

    def vendor(self, name: str) -> Vendor:
        """Return the vendor of that name. Raises: KeyError."""
        return self._vendors_by_name[name]

    def replacement_for(self, symbol: str) -> str | None:
        """Return the neutral name that takes the place of a site's symbol; None where none is known."""
        return _first_replacement(self.replacements, symbol)

    def renamed_to(self, symbol: str) -> str | None:
        """Return the neutral name that means the same as a site's symbol; None for nearly all."""
        return _first_replacement(self.renames, symbol)

    def reason(self, words: str) -> Reason | None:
        """Return what an account's reason means; None where today's rules give no such reason."""
        return self._reasons_by_words.get(words)

    @cached_property
    def _reasons_by_words(self) -> dict[str, Reason]:
        return {reason.words: reason for reason in self.reasons}

    def rule(self, rule_id: str) -> Rule:
        """Return the rule of a site or neutral construct. Raises: KeyError."""
        return self._rules_by_id[rule_id]


def _first_replacement(replacements: tuple[Replacement, ...], symbol: str) -> str | None:
    for replacement in replacements:
        found = re.fullmatch(replacement.old, symbol)
        if found:
            return found.expand(replacement.new)
    return None
