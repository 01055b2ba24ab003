"""A token run and its context -> the site it is, by the rules; every answer is kept, since texts repeat their names.

The detector is built once per process from a ruleset and holds compiled patterns only; its answers depend on nothing
but its arguments.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from tracker.detect.messages import MessageJudge
from tracker.detect.regions import RegionFinder
from tracker.detect.words import KeywordScan, VendorSearch
from tracker.ruleset import Context, Language, Lifecycle, Purpose, Rule, Ruleset
from tracker.sites import Site

_ANSWERS_KEPT = 1 << 17
_LONGEST_SYMBOL = 200
_SEGMENT = re.compile(r"[\s\\]*(\.|::|->)?[\s\\]*([\w$~]+(?:\(\s*\))?)")
_VENDOR_MODULE = re.compile(r"_*[a-z][a-z0-9_]*")
_CLASS_NAME = re.compile(r"[A-Z]\w*[a-z]\w*")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


class Reader(NamedTuple):
    """What a rule may ask about the text around a token run. A tuple: it is part of the key of each answer."""

    language: Language
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class Answer:
    """The site of a token run and where in the run it stands."""

    site: Site
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Segment:
    link: str
    """What joins it to the segment before: a dot, ::, -> or nothing."""
    name: str
    start: int
    end: int


class Detector:
    """The rules, compiled."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.keywords = KeywordScan(ruleset)
        self.vendors = VendorSearch(ruleset)
        self.messages = MessageJudge(ruleset.messages)
        self.regions = RegionFinder(ruleset.regions, self.vendors)
        self._rules = _by_reader(ruleset.rules)
        self._neutral = _by_reader(ruleset.neutral_constructs)
        self._roots = frozenset(ruleset.roots)
        self._cuts = re.compile("|".join(ruleset.cuts) or "(?!)")
        self._paths: dict[tuple[Reader, Context, bytes], Answer | None] = {}
        self._tokens: dict[tuple[Reader, Context, bytes], Site | None] = {}

    def path(self, reader: Reader, context: Context, run: bytes) -> Answer | None:
        """Return the site in a dotted or qualified path as it stands in code, white space included."""
        key = (reader, context, run)
        if key in self._paths:
            return self._paths[key]
        if len(self._paths) >= _ANSWERS_KEPT:
            self._paths.clear()
        answer = self._paths[key] = self._read_path(reader, context, run.decode("latin-1"))
        return answer

    def token(self, reader: Reader, context: Context, run: bytes) -> Site | None:
        """Return the site that a whole token is: the text of a string, an include path, a word of a script."""
        key = (reader, context, run)
        if key in self._tokens:
            return self._tokens[key]
        if len(self._tokens) >= _ANSWERS_KEPT:
            self._tokens.clear()
        site = self._tokens[key] = self._site(reader, context, _printable(run))
        return site

    def _read_path(self, reader: Reader, context: Context, run: str) -> Answer | None:
        segments = [
            _Segment(found[1] or "", found[2], found.start(2), found.end(2)) for found in _SEGMENT.finditer(run)
        ]
        named = [number for number, segment in enumerate(segments) if self.vendors.named_in(segment.name)]
        if not named:
            return self._neutral_path(reader, context, segments)
        if context in (Context.IMPORT, Context.DIRECTIVE):
            first, last = 0, len(segments) - 1
        else:
            first, last = self._first(segments, named[0]), self._last(segments, named)
        context = _refined(context, segments, first, last)
        symbol = _joined(segments[first : last + 1])
        if context is Context.METHOD and first == last and self._is_word(symbol):
            symbol = f".{symbol}"
        site = self._site(reader, context, symbol[:_LONGEST_SYMBOL])
        return Answer(site, segments[first].start, segments[last].end) if site else None

    def _first(self, segments: list[_Segment], named: int) -> int:
        """Return where the site begins: the receiver object does not belong to it, a namespace or class does."""
        if segments[0].name in self._roots and not segments[0].link:
            return 0
        first = named
        while first > 0 and self._belongs(segments[first - 1].name, segments[first].link):
            first -= 1
        return first

    def _belongs(self, name: str, link: str) -> bool:
        return link == "::" or name in self._roots or bool(_CLASS_NAME.fullmatch(name))

    def _last(self, segments: list[_Segment], named: list[int]) -> int:
        """Return where the site ends: what a vendor's module holds belongs to it, an attribute of a value does not."""
        cut = self._cuts.match(_joined(segments))
        last = named[-1]
        if cut:
            return last
        modules = any(
            _VENDOR_MODULE.fullmatch(segments[number].name) and self._is_word(segments[number].name) for number in named
        )
        while last + 1 < len(segments) and (
            segments[last + 1].link == "::" or (modules and segments[last + 1].link == ".")
        ):
            last += 1
        return last

    def _is_word(self, name: str) -> bool:
        return any(start == 0 and end == len(name) for start, end, _ in self.vendors.named_in(name))

    def _neutral_path(self, reader: Reader, context: Context, segments: list[_Segment]) -> Answer | None:
        for first in range(len(segments)):
            site = self._neutral_site(reader, _refined(context, segments, first, -1), _joined(segments[first:]))
            if site:
                return Answer(site, segments[first].start, segments[-1].end)
        return None

    def _site(self, reader: Reader, context: Context, symbol: str) -> Site | None:
        vendor = self.vendors.vendor_of(symbol)
        for pattern, rule in self._rules[reader.language, reader.purpose, context]:
            owner = rule.vendor or vendor
            if owner and pattern.fullmatch(symbol):
                return Site(rule.construct, owner, symbol, rule.id)
        return None if vendor else self._neutral_site(reader, context, symbol)

    def _neutral_site(self, reader: Reader, context: Context, symbol: str) -> Site | None:
        for pattern, rule in self._neutral[reader.language, reader.purpose, context]:
            if pattern.fullmatch(symbol):
                return Site(rule.construct, "", symbol[:_LONGEST_SYMBOL], rule.id)
        return None


_Compiled = tuple[tuple[re.Pattern[str], Rule], ...]


def _by_reader(rules: tuple[Rule, ...]) -> dict[tuple[Language, Purpose, Context], _Compiled]:
    alive = [(re.compile(rule.symbol), rule) for rule in rules if rule.lifecycle is not Lifecycle.RETIRED]
    return {
        (language, purpose, context): tuple(
            (pattern, rule)
            for pattern, rule in alive
            if language in rule.languages and purpose in rule.purposes and context in rule.contexts
        )
        for language in Language
        for purpose in Purpose
        for context in Context
    }


def _joined(segments: list[_Segment]) -> str:
    return "".join(
        (segment.link if number else "") + segment.name.replace(" ", "") for number, segment in enumerate(segments)
    )


def _refined(context: Context, segments: list[_Segment], first: int, last: int) -> Context:
    """Say whether the part of the path that is the site stands behind a receiver and before a call."""
    if context not in (Context.CODE, Context.CALL, Context.RECEIVER, Context.METHOD):
        return context
    receiver = segments[first].link in (".", "->") or (first == 0 and context in (Context.RECEIVER, Context.METHOD))
    call = context in (Context.CALL, Context.METHOD) and last in (-1, len(segments) - 1)
    if receiver:
        return Context.METHOD if call else Context.RECEIVER
    return Context.CALL if call else Context.CODE


def _printable(run: bytes) -> str:
    """Decode a token for storage: no control characters, no bytes that are not UTF-8, no more than 200 signs."""
    text = run.decode("utf-8", "backslashreplace")
    return _UNPRINTABLE.sub(lambda found: f"\\x{ord(found[0]):02x}", text)[:_LONGEST_SYMBOL]
