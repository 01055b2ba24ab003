"""Whether a message undoes or repeats another commit, and every way in which it names that commit.

A subject is peeled layer by layer (`Revert D2: Back out "Revert D1: title"` has three): an odd number of reversals is a
revert, an even number lands the original again. A body counts only where it speaks of the commit itself and not of the
branch's commits that a squash lists. The forms are those of the merge bot's and Phabricator's own messages, 2016-2026.
"""

import re
from dataclasses import dataclass
from itertools import chain

from tracker.trailers.links import CommitReference, LinkKind, LinkMethod
from tracker.trailers.subjects import Layer, peel

Named = tuple[LinkMethod, str]

_BULLET = re.compile(r"^[ \t]{0,3}[*-][ \t]+\S", re.MULTILINE)
_REVERTS_COMMIT = re.compile(
    r"\b(?:partially\s+|manually\s+)?reverts?\s+commits?:?\s+([0-9a-f]{7,40})\b", re.IGNORECASE
)
_QUOTED_REVERT = re.compile(r"^[ \t]*(?:[*-][ \t]+)?((?:Revert|Back out) .*)$", re.MULTILINE)
_BACKS_OUT = re.compile(r"\b(?:back(?:s|ing)?[ -]?out|revert(?:s|ing)?)\s+(D\d+)", re.IGNORECASE)
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
_REVERTED_BY_BOT = re.compile(r"^[ \t]*Reverted " + _NUMBER + r" on behalf of", re.MULTILINE)
_RELANDS_PULL = re.compile(
    r"\b(?:re-?land(?:s|ing)?|re-?submit(?:s|ting)?|re-?appl(?:y|ies)|re-?do(?:es)?|Original PR)\b"
    r"(?:\s+(?:of|the|PR|pull request|original))*:?\s*" + _NUMBER,
    re.IGNORECASE,
)
_RELANDS_DIFFERENTIAL = re.compile(
    r"\b(?:re-?land(?:s|ing)?|re-?submit|re-?appl(?:y|ies))(?:\s+of)?\s+\"?(D\d+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """What one message says about the commits it undoes or repeats."""

    is_revert: bool
    is_reland: bool
    references: tuple[CommitReference, ...]
    """Distinct, by kind, the surest method first."""


def read_reversal(subject: str, body: str, slug: str) -> Reversal:
    """Return whether the commit undoes or repeats another, and the references to it."""
    layers = peel(subject)
    undone = sum(layer.kind is LinkKind.REVERTS for layer in layers)
    repeats = bool(layers) and layers[0].kind is LinkKind.RELANDS
    if undone and not repeats:
        repeats = undone % 2 == 0 or bool(re.search(r"\bun-?reverts?\b", body, re.IGNORECASE))
        return _reversal(repeats, layers, [*_literal(body, slug, layers), *_outermost(layers)], slug, body)
    own = _own_statement(body)
    literal = _literal(own, slug, layers) if _speaks_of_one(own) else []
    if repeats:
        return _reversal(True, layers, literal, slug, body)
    if not literal:
        return Reversal(is_revert=False, is_reland=False, references=())
    return _reversal(_restores(subject, own), layers, literal, slug, body)


def _reversal(repeats: bool, layers: tuple[Layer, ...], undone: list[Named], slug: str, body: str) -> Reversal:
    references = [CommitReference(LinkKind.REVERTS, method, target) for method, target in undone]
    if repeats:
        references += [
            CommitReference(LinkKind.RELANDS, method, target) for method, target in _again(layers, slug, body)
        ]
    return Reversal(is_revert=not repeats, is_reland=repeats, references=_sorted(references))


def _sorted(references: list[CommitReference]) -> tuple[CommitReference, ...]:
    kinds, methods = list(LinkKind), list(LinkMethod)
    return tuple(sorted(dict.fromkeys(references), key=lambda one: (kinds.index(one.kind), methods.index(one.method))))


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
    quoted = _QUOTED_REVERT.search(own)
    if quoted and sum(layer.kind is LinkKind.REVERTS for layer in peel(quoted[1])) % 2 == 0:
        return True
    undoes = _REVERTS_COMMIT.search(own) or _BACKS_OUT.search(own) or _REVERTS_PULL.search(own)
    return not undoes


def _literal(body: str, slug: str, layers: tuple[Layer, ...]) -> list[Named]:
    """What the body says to be undone, in the body's words."""
    named: list[Named] = [(LinkMethod.SHA, sha) for sha in _REVERTS_COMMIT.findall(body)]
    named += [(LinkMethod.CHANGESET, source) for source in _CHANGESET.findall(body)]
    named += [(LinkMethod.PULL, number) for number in _pulls(_REVERTED_BY_BOT, body, slug)]
    named += [(LinkMethod.PULL, number) for number in _pulls(_REVERTS_PULL, body, slug)]
    named += [(LinkMethod.DIFFERENTIAL, differential) for differential in _BACKS_OUT.findall(body)]
    outer = {target for _, target in layers[0].named} if layers else set(_BACKS_OUT.findall(body))
    if sum(layer.kind is LinkKind.REVERTS for layer in layers) <= 1:
        named += [
            (LinkMethod.SHA, sha)
            for differential, where, sha in _DIFFERENTIAL_COMMIT.findall(body)
            if differential in outer and where.lower() == slug.lower()
        ]
    return named


def _outermost(layers: tuple[Layer, ...]) -> list[Named]:
    return list(layers[0].named)


def _again(layers: tuple[Layer, ...], slug: str, body: str) -> list[Named]:
    """The original that lands again: what the innermost layer names, and what the body calls the original."""
    named: list[Named] = list(layers[-1].named) if layers else []
    named += [(LinkMethod.PULL, number) for number in _pulls(_RELANDS_PULL, body, slug)]
    named += [(LinkMethod.DIFFERENTIAL, differential) for differential in _RELANDS_DIFFERENTIAL.findall(body)]
    return named


def _pulls(pattern: re.Pattern[str], body: str, slug: str) -> list[str]:
    """Numbers in the commit's own repository; `#5` alone means it."""
    found = pattern.finditer(body)
    here = (match["number"] for match in found if (match["slug"] or match["short"] or slug).lower() == slug.lower())
    return list(dict.fromkeys(chain(here)))
