"""What a person wrote as their company -> the organisation it names today: `@NVIDIA`, `Engineer at Intel Corporation`.

The field is free text: it names former employers, universities, programmes and jokes. What is past, denied or yet to
come says nothing, and a word that many names share (meta, apple, arm) counts only where nothing else is said. Where
two are named the first one counts; where nothing is sure the answer is None.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tracker.ruleset import Ruleset

_CLAUSE = re.compile(r"([,;|()\[\]\n·•]|\.\s|\s[-–—]+\s)")
_TOKEN = re.compile(r"@[\w.-]*\w|\w+|[&+/]")
_ENDS_THE_PAST = frozenset({";", "|", ")", "]", "\n", "·", "•"})
_PRESENT = frozenset({"now", "currently", "current", "presently"})
_NOT_THERE = frozenset(
    [
        "ex",
        "former",
        "formerly",
        "previously",
        "previous",
        "prev",
        "past",
        "was",
        "worked",
        "alum",
        "alumni",
        "alumnus",
        "alumna",
        "retired",
        "left",
        "until",
        "not",
        "non",
        "never",
        "no",
        "nor",
        "without",
        "incoming",
        "future",
        "aspiring",
        "upcoming",
        "soon",
        "joining",
        "ready",
        "hire",
        "fan",
        "friend",
        "friends",
        "anti",
        "scholar",
        "summer",
        "gsoc",
        "expert",
        "experts",
        "gde",
        "student",
        "ambassador",
    ]
)
"""Words by which a clause tells of another time than now, or of no employment."""
_BETWEEN_NAMES = frozenset({"&", "+", "/", "and", "at", "with", "for", "from", "of"})
_AROUND_NAMES = frozenset(
    [
        "inc",
        "incorporated",
        "corp",
        "corporation",
        "llc",
        "ltd",
        "limited",
        "gmbh",
        "plc",
        "ag",
        "the",
        "i",
        "work",
        "works",
        "working",
        "employee",
        "senior",
        "sr",
        "junior",
        "staff",
        "principal",
        "lead",
        "software",
        "hardware",
        "machine",
        "learning",
        "ml",
        "deep",
        "ai",
        "compiler",
        "performance",
        "kernel",
        "engineer",
        "engineering",
        "researcher",
        "research",
        "scientist",
        "intern",
        "manager",
        "architect",
        "swe",
        "sde",
        "team",
    ]
)
_OF_UNIVERSITIES = ("univers", "college", "institut", "school", "academy", "polytech", "hochschule")
_LONGEST_NAME = 6
_LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class _Names:
    """Spellings, reduced to words, with the organisations they mean."""

    anywhere: dict[str, str]
    """At the beginning or end of what is said."""
    whole: dict[str, str]
    """All of what is said; those of `anywhere` among them."""


def organisation_of_company(company: str, ruleset: Ruleset) -> str | None:
    """Return the organisation that a person's own words name as the present employer, if known."""
    names = _names(ruleset)
    text = unicodedata.normalize("NFKC", company[:_LONGEST_TEXT]).lower()
    found = (_named(part, names) for part in _present_parts(text))
    return next((name for name in found if name is not None), None)


def words_of(text: str) -> str:
    """Return a name as words of letters and digits in lower case, with single spaces."""
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).lower()))


def _present_parts(text: str) -> Iterator[Sequence[str]]:
    """Yield, as tokens, the parts of a text that may name an employer of today."""
    past = False
    for clause in _CLAUSE.split(text):
        if clause in _ENDS_THE_PAST:
            past = False
            continue
        tokens = _TOKEN.findall(clause)
        present = [index for index, token in enumerate(tokens) if token in _PRESENT]
        if present:
            past, tokens = False, tokens[present[-1] + 1 :]
        # What follows a former employer by a comma may be another former one.
        past = past or any(token in _NOT_THERE for token in tokens)
        if not past:
            yield from _split(tokens)


def _split(tokens: Iterable[str]) -> Iterator[Sequence[str]]:
    part: list[str] = []
    for token in tokens:
        if token in _BETWEEN_NAMES:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _named(part: Sequence[str], names: _Names) -> str | None:
    for token in part:
        if token.startswith("@") and (found := names.whole.get(words_of(token))):
            return found
    words = [word for token in part if not token.startswith("@") for word in words_of(token).split()]
    given = names.whole.get(" ".join(words))
    bare = _without_ends(words)
    found = given or names.whole.get(" ".join(bare))
    if found is not None or any(word.startswith(_OF_UNIVERSITIES) for word in words):
        return found
    for length in range(min(len(words), _LONGEST_NAME), 0, -1):
        for end in (words[:length], words[-length:], bare[:length]):
            if " ".join(end) in names.anywhere:
                return names.anywhere[" ".join(end)]
    return None


def _without_ends(words: Sequence[str]) -> Sequence[str]:
    first, last = 0, len(words)
    while first < last and words[first] in _AROUND_NAMES:
        first += 1
    while first < last and words[last - 1] in _AROUND_NAMES:
        last -= 1
    return words[first:last]


@lru_cache(maxsize=8)
def _names(ruleset: Ruleset) -> _Names:
    anywhere = {words_of(alias): one.name for one in ruleset.organisations for alias in one.aliases}
    whole = {words_of(alias): one.name for one in ruleset.organisations for alias in (*one.whole, one.title)}
    return _Names(anywhere=anywhere, whole=whole | anywhere)
