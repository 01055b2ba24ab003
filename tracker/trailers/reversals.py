"""Whether a message undoes or repeats another, and every way in which it names that commit.

A subject is peeled layer by layer (`Revert D2: Back out "Revert D1: title"` has three): an odd number of reversals is a
revert, an even number lands the original again. What a body says counts in the forms that git and tools write; what
people tell there counts where the subject says that it reverts or lands again, and after what the subject names. Of a
squashed branch's own reverts only those count that the subject means. The forms are those of git, of the merge bot and
of Phabricator, 2016-2026.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tracker.trailers.links import CommitReference, LinkKind, LinkMethod
from tracker.trailers.subjects import Layer, Named, peel

_BULLET = re.compile(r"^[ \t]{0,3}[*-][ \t]+\S", re.MULTILINE)
_REVERTS_COMMIT = re.compile(
    r"\b(?:partially\s+|manually\s+)?reverts?\s+commits?:?\s+([0-9a-f]{7,40})\b", re.IGNORECASE
)
_GIT_REVERTS_COMMIT = re.compile(
    r"(?:^[ \t]*(?:Summary:[ \t]*)?|\bThis\s+(?:(?:PR|commit|change|diff)\s+)?)(?:(?:partially|manually)\s+)?"
    r"reverts?\s+commits?:?\s+([0-9a-f]{7,40})\b",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED_REVERT = re.compile(r"^[ \t]*(?:[*-][ \t]+)?(?:Summary:[ \t]*)?((?:Revert|Back out) .*)$", re.MULTILINE)
_BACKS_OUT = re.compile(r"\b(?:back(?:s|ing)?[ -]?out|revert(?:s|ing)?)\s+(D\d+)", re.IGNORECASE)
_BACKS_OUT_FIRST = re.compile(
    r"^[ \t]*(?:Summary:[ \t]*)?(?:This\s+(?:(?:PR|commit|change|diff)\s+)?)?"
    r"(?:back(?:s|ing)?[ -]?out|revert(?:s|ing)?)\s+(?:of\s+)?(D\d+)",
    re.IGNORECASE | re.MULTILINE,
)
_CHANGESET = re.compile(r"^[ \t]*(?:Summary:[ \t]*)?Original commit changeset:[ \t]*([0-9a-f]{7,40})\b", re.MULTILINE)
_DIFFERENTIAL_COMMIT = re.compile(r"\b(D\d+)\s+\(https?://github\.com/([\w.-]+/[\w.-]+)/commit/([0-9a-f]{7,40})\)")
_UNDOES_A_REVERT = re.compile(
    r"\bun-?revert|\b(?:re-?land|re-?appl(?:y|ies))|\bbacks? out the backout\b", re.IGNORECASE
)
_LANDS_AGAIN = re.compile(r"\b(?:re-?enabl|bring(?:s|ing)?\s+back\b|take\s?\d\b|re-?submit|again\b)", re.IGNORECASE)
_NUMBER = (
    r"(?:https?://github\.com/(?P<slug>[\w.-]+/[\w.-]+)/(?:pull|issues)/|(?P<short>[\w.-]+/[\w.-]+)?#)(?P<number>\d+)"
)
_REVERTS_PULL = re.compile(
    r"(?:^[ \t]*|(?<!\w)This(?: PR| commit| change| diff)?(?: partially| manually)? )revert(?:s|ing)?\s+"
    r"(?:the\s+)?(?:changes?\s+(?:in|from)\s+|PR\s+)?" + _NUMBER,
    re.IGNORECASE | re.MULTILINE,
)
_REVERTS_IN_WORDS = re.compile(
    r"\b(?:by\s+reverting|revert(?:s|ing)?(?:\s+of)?)\s+(?:the\s+)?(?:changes?\s+(?:in|from)\s+)?(?:PRs?:?\s+)?"
    + _NUMBER,
    re.IGNORECASE,
)
_REVERTS_COMMIT_AT = re.compile(
    r"\brevert(?:s|ing)?(?:\s+of)?\s+https?://github\.com/([\w.-]+/[\w.-]+)/commit/([0-9a-f]{7,40})\b", re.IGNORECASE
)
_REVERTED_BY_BOT = re.compile(r"^[ \t]*Reverted " + _NUMBER + r" on behalf of", re.MULTILINE)
_RELANDS_PULL = re.compile(
    r"\b(?:re-?land(?:s|ing)?|re-?submit(?:s|ting)?|resubmission|re-?appl(?:y|ies)|re-?do(?:es)?|Original PR)\b"
    r"(?:\s+(?:of|the|PR|pull request|original|was))*:?\s*" + _NUMBER,
    re.IGNORECASE,
)
_COMPARED_TITLE = 32
_RELANDS_DIFFERENTIAL = re.compile(
    r"\b(?:re-?land(?:s|ing)?|re-?submit|re-?appl(?:y|ies)|re-?do)(?:\s+of)?\s+\"?(D\d+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """What one message says about the commits it undoes or repeats."""

    is_revert: bool
    is_reland: bool
    references: tuple[CommitReference, ...]
    """Distinct, by kind, the surest first; those of one method that follow each other name several commits."""


def read_reversal(subject: str, body: str, slug: str) -> Reversal:
    """Return whether the commit undoes or repeats another, and the references to it."""
    layers = peel(subject)
    undone = sum(layer.kind is LinkKind.REVERTS for layer in layers)
    repeats = bool(layers) and layers[0].kind is LinkKind.RELANDS
    if undone and not repeats:
        repeats = undone % 2 == 0 or bool(re.search(r"\bun-?reverts?\b", body, re.IGNORECASE))
        return _reversal(repeats, layers, _undone(body, slug, layers), slug, body)
    own = _own_statement(body)
    told = _told_by_tools(own, slug) if _speaks_of_one(own) else []
    if repeats:
        return _reversal(True, layers, told, slug, body)
    if not told:
        return Reversal(is_revert=False, is_reland=False, references=())
    return _reversal(_restores(subject, own), layers, told, slug, own)


def _reversal(repeats: bool, layers: tuple[Layer, ...], undone: list[Named], slug: str, body: str) -> Reversal:
    references = [CommitReference(LinkKind.REVERTS, method, target) for method, target in undone]
    if repeats:
        references += [
            CommitReference(LinkKind.RELANDS, method, target) for method, target in _again(layers, slug, body)
        ]
    return Reversal(is_revert=not repeats, is_reland=repeats, references=tuple(dict.fromkeys(references)))


def _own_statement(body: str) -> str:
    """The body up to the list of a branch's commits."""
    bullet = _BULLET.search(body)
    return body[: bullet.start()] if bullet else body


def _speaks_of_one(own: str) -> bool:
    """A message that names many reverted commits lists a branch, unless its subject says that it reverts."""
    return len(set(_REVERTS_COMMIT.findall(own))) <= 1


def _restores(subject: str, own: str) -> bool:
    """Whether a commit with a plain subject, whose body undoes another, brings something back.

    Phabricator's back-out tool writes only the changeset; who keeps its title says what is backed out, who writes a new
    one lands the work again. A quote left without its partner is what remains of `Back out "Revert D1: title"`.
    """
    if _UNDOES_A_REVERT.search(subject) or _UNDOES_A_REVERT.search(own):
        return True
    if _LANDS_AGAIN.search(subject) or subject.count('"') % 2:
        return True
    if _restored(own):
        return True
    undoes = _REVERTS_COMMIT.search(own) or _BACKS_OUT.search(own) or _REVERTS_PULL.search(own)
    return not undoes


def _restored(own: str) -> list[Named]:
    """What a line of a body names that is itself the subject of a revert of a revert."""
    lines = [peel(line) for line in _QUOTED_REVERT.findall(own)]
    return [named for layers in lines if layers and _reversals(layers) % 2 == 0 for named in layers[-1].named]


def _reversals(layers: tuple[Layer, ...]) -> int:
    return sum(layer.kind is LinkKind.REVERTS for layer in layers)


def _undone(body: str, slug: str, layers: tuple[Layer, ...]) -> list[Named]:
    """What a commit undoes whose subject says so: in tools' words, then in the subject's, then in people's."""
    named: list[Named] = [(LinkMethod.SHA, sha) for sha in _meant(body, layers)]
    named += [(LinkMethod.CHANGESET, source) for source in _CHANGESET.findall(body)]
    if _reversals(layers) <= 1:
        named += _commits_of({target for _, target in layers[0].named}, body, slug)
    named += [(LinkMethod.PULL, number) for number in _pulls(_REVERTED_BY_BOT, body, slug)]
    inner = {each for layer in layers[1:] for each in layer.named if each[0] is LinkMethod.DIFFERENTIAL}
    # `Revert D1: Revert D1: title`: Phabricator's own revert bears the number of what it undid.
    outer = [each for each in layers[0].named if each not in inner]
    named = [*_by_method(named), *(each for each in outer if not _is_one_word(each))]
    named += [(LinkMethod.PULL, number) for number in _pulls(_REVERTS_IN_WORDS, body, slug)]
    named += [(LinkMethod.DIFFERENTIAL, differential) for differential in _BACKS_OUT.findall(body)]
    named += [(LinkMethod.SHA, sha) for where, sha in _REVERTS_COMMIT_AT.findall(body) if where.lower() == slug.lower()]
    return [*named, *filter(_is_one_word, outer)]


def _meant(body: str, layers: tuple[Layer, ...]) -> list[str]:
    """The shas that a body says are reverted; of several in a squashed branch's list those that the subject means."""
    found = list(_REVERTS_COMMIT.finditer(body))
    if len({match[1] for match in found}) <= 1 or not _BULLET.search(body):
        return [match[1] for match in found]
    meant = {_comparable(each) for each in layers[0].named}
    kept = []
    start = 0
    for match in found:
        lines = _QUOTED_REVERT.findall(body[start : match.start()])
        quoted = peel(lines[-1]) if lines else ()
        if quoted and not meant.isdisjoint(_comparable(each) for each in quoted[0].named):
            kept.append(match[1])
        start = match.end()
    return kept


def _comparable(named: Named) -> Named:
    """A title without its end, which may be cut off."""
    method, target = named
    return (method, target[:_COMPARED_TITLE]) if method is LinkMethod.TITLE else named


def _told_by_tools(own: str, slug: str) -> list[Named]:
    """What a body says to be undone in the forms that git and tools write, whatever the subject says."""
    backed_out = _BACKS_OUT_FIRST.findall(own)
    named: list[Named] = [(LinkMethod.SHA, sha) for sha in _GIT_REVERTS_COMMIT.findall(own)]
    named += [(LinkMethod.CHANGESET, source) for source in _CHANGESET.findall(own)]
    named += [(LinkMethod.PULL, number) for number in _pulls(_REVERTED_BY_BOT, own, slug)]
    named += [(LinkMethod.PULL, number) for number in _pulls(_REVERTS_PULL, own, slug)]
    named += [(LinkMethod.DIFFERENTIAL, differential) for differential in backed_out]
    return _by_method([*named, *_commits_of(set(backed_out), own, slug)])


def _commits_of(differentials: set[str], body: str, slug: str) -> list[Named]:
    """The commits that Phabricator names behind revisions."""
    return [
        (LinkMethod.SHA, sha)
        for differential, where, sha in _DIFFERENTIAL_COMMIT.findall(body)
        if differential in differentials and where.lower() == slug.lower()
    ]


def _again(layers: tuple[Layer, ...], slug: str, body: str) -> list[Named]:
    """The original that lands again: what the innermost layer names, and what the body calls the original."""
    innermost = list(layers[-1].named) if layers else []
    named = [*(each for each in innermost if not _is_one_word(each)), *_restored(_own_statement(body))]
    named += [(LinkMethod.PULL, number) for number in _pulls(_RELANDS_PULL, body, slug)]
    named += [(LinkMethod.DIFFERENTIAL, differential) for differential in _RELANDS_DIFFERENTIAL.findall(body)]
    return [*named, *filter(_is_one_word, innermost)]


def _is_one_word(named: Named) -> bool:
    """A title of one word (`List`) may be many a commit's: it counts last."""
    return named[0] is LinkMethod.TITLE and " " not in named[1]


def _by_method(named: Iterable[Named]) -> list[Named]:
    methods = list(LinkMethod)
    return sorted(named, key=lambda each: methods.index(each[0]))


def _pulls(pattern: re.Pattern[str], body: str, slug: str) -> list[str]:
    """Numbers in the commit's own repository; `#5` alone means it."""
    found = pattern.finditer(body)
    here = (match["number"] for match in found if (match["slug"] or match["short"] or slug).lower() == slug.lower())
    return list(dict.fromkeys(here))
