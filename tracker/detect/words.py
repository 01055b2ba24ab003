"""The vendors' words -> a keyword scan over whole texts and an exact search inside one token run.

The scan may report too much (a keyword inside an ordinary word); the search decides.
"""

import re
from collections.abc import Iterable, Iterator

from ahocorasick_rs import AhoCorasick, BytesAhoCorasick, Implementation, MatchKind

from tracker.ruleset import Ruleset, Words

LAUNCH = b"<<<"
"""The one site that has no word in it; it is a keyword of its own."""

_LOWER, _UPPER = 1, 2
_KINDS_OF_LETTER = bytes(
    _LOWER if 97 <= sign <= 122 else _UPPER if 65 <= sign <= 90 else 0
    for sign in range(256)  # ASCII letters
)


_LOWER_CASE = {upper: upper + 32 for upper in range(65, 91)}


class KeywordScan:
    """Finds where a text may hold a site, at several hundred megabytes a second."""

    def __init__(self, ruleset: Ruleset) -> None:
        parts = {word for vendor in ruleset.vendors for word in vendor.words.parts}
        anywhere = {word for vendor in ruleset.vendors for word in _keywords(vendor.words)}
        anywhere |= {keyword for rule in ruleset.neutral_constructs for keyword in rule.keywords}
        free = sorted(anywhere - parts)
        self._first_part = len(free) + 1
        patterns = [LAUNCH, *(word.encode() for word in (*free, *sorted(parts)))]
        # The longest, or `hcc` would hide `hccl`, and `xpu` would hide `xpus`.
        self._automaton = BytesAhoCorasick(
            patterns, matchkind=MatchKind.LeftmostLongest, implementation=Implementation.DFA
        )

    def offsets(self, content: bytes) -> list[int]:
        """Return, ascending, where keywords stand that are not plainly part of an ordinary word."""
        found = self._automaton.find_matches_as_indexes(content.lower())
        if not found:
            return []
        letters = content.translate(_KINDS_OF_LETTER) + b"\0"  # a stop: index -1 and index len(content) are no letters
        first_part = self._first_part
        return [
            start
            for number, start, end in found
            if number < first_part
            or _may_be_part(letters[start - 1], letters[start], letters[end])
            or (content[start - 2 : start] == b"-D" and start > 1)
        ]


def _may_be_part(before: int, first: int, after: int) -> bool:
    if first == _LOWER:
        return not before and after != _LOWER
    return before != _UPPER


def _keywords(words: Words) -> Iterable[str]:
    yield from words.anywhere
    yield from (prefix.lower() for prefix in words.prefixes)
    for pattern in words.patterns:
        yield from pattern.keywords


class VendorSearch:
    """Finds which vendors a token run names, and where in it."""

    def __init__(self, ruleset: Ruleset) -> None:
        words = [(vendor.name, *word) for vendor in ruleset.vendors for word in _word_patterns(vendor.words)]
        keywords = sorted({keyword for _, _, keywords in words for keyword in keywords})
        self._automaton = AhoCorasick(keywords, matchkind=MatchKind.Standard)
        self._tries = [
            [(vendor, pattern) for vendor, pattern, keywords in words if keyword in keywords] for keyword in keywords
        ]
        self._innocent = re.compile("|".join(ruleset.innocent) or "(?!)")
        self._marks = re.compile("|".join(ruleset.condition_marks) or "(?!)")

    def named_in(self, symbol: str) -> list[tuple[int, int, str]]:
        """Return (start, end, vendor) of each vendor word, in the order of the symbol; none overlaps another."""
        hits = self._automaton.find_matches_as_indexes(_ascii_lower(symbol), overlapping=True)
        if not hits:
            return []
        cleared = self._innocent.sub(lambda found: "\0" * len(found[0]), symbol)
        found = sorted(
            {
                (start, -match.end(), vendor)
                for number, start, _ in hits
                for vendor, pattern in self._tries[number]
                if (match := pattern.match(cleared, start))
            }
        )
        named: list[tuple[int, int, str]] = []
        for start, negative_end, vendor in found:
            if not named or start >= named[-1][1]:
                named.append((start, -negative_end, vendor))
        return named

    def vendor_of(self, symbol: str) -> str | None:
        """Return the vendor a token run is about: the one behind its last condition mark, else the first."""
        named = self.named_in(symbol)
        if not named:
            return None
        if len({vendor for _, _, vendor in named}) > 1:
            for mark in reversed(list(self._marks.finditer(symbol))):
                behind = [vendor for start, _, vendor in named if start >= mark.end()]
                if behind:
                    return behind[0]
        return named[0][2]


def _word_patterns(words: Words) -> Iterator[tuple[re.Pattern[str], tuple[str, ...]]]:
    """Yield an expression for each word, to be matched where one of its keywords begins."""
    for word in words.anywhere:
        yield re.compile(re.escape(word), re.IGNORECASE), (word,)
    for word in words.parts:
        yield re.compile(_part_expression(word)), (word,)
    for prefix in words.prefixes:
        yield re.compile(rf"(?:(?<![A-Z])|(?<=-D)){re.escape(prefix)}"), (prefix.lower(),)
    for pattern in words.patterns:
        yield re.compile(pattern.regex), pattern.keywords


def _ascii_lower(symbol: str) -> str:
    """Lower ASCII letters only, so that offsets stay: some letters beyond have no lower case of one sign."""
    return symbol.translate(_LOWER_CASE)


def _part_expression(word: str) -> str:
    """Match a whole part of an identifier: hip_x, x_hip, getHipX, HIPGuard, HIPs, -DHIP; not ship, SHIP, hipster."""
    lower, title, upper = re.escape(word), re.escape(word.capitalize()), re.escape(word.upper())
    return (
        rf"(?<![A-Za-z]){lower}(?![a-z])|(?<![A-Z]){title}(?![a-z])"
        rf"|(?:(?<![A-Z])|(?<=-D)){upper}(?=s?(?![A-Za-z])|[A-Z][a-z])"
    )
