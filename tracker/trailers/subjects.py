"""A subject line, peeled: each `Revert`, `Back out` or `Reland` around the title, and what it names.

`Reverts cat and stack warning ...`, `Revert to NCCL 2.7` and `fix compatibility after its revert` undo no commit.
"""

import re
from dataclasses import dataclass

from tracker.trailers.links import TITLE_EDGES, LinkKind, LinkMethod

_TAG = re.compile(
    r"\[([^\]\[]{0,60})\]\s*|(?:[\w./]{1,20}\s*[:|]\s+)(?=(?:manual(?:ly)?\s+|partial(?:ly)?\s+)?(?:re|back))",
    re.IGNORECASE,
)
_RELAND_TAG = re.compile(r"\bre-?(?:land(?:ing|ed)?\d?|apply|submit|do|commit)\b|\btake ?\d\b", re.IGNORECASE)
_RELAND_HEAD = re.compile(
    r"(?:manual(?:ly)?\s+)?"
    r"(?:re-?land(?:ing|ed|s)?|re-?appl(?:y|ies|ying)|re-?submit(?:ting)?|re-?commit|redo of|resent)\b"
    r"(?:\s+(?:of|the|reverted|PR(?!-))\b)*[\s:]*",
    re.IGNORECASE,
)
_RELAND_TAIL = re.compile(
    r"\s*[\[(](?:re-?do|re-?land) of (?P<sha>(?=[a-f]*[0-9])[0-9a-f]{5,40})[\])]|"
    r"\s*[\[(](?:[\w ,-]{0,20}\b)?(?:re-?land(?:ing|ed)?\d?|re-?apply|re-?submit|re-?do|take ?\d)\b[^\])]{0,20}[\])]|"
    r"[\s,:-]+(?:take ?\d|(?:second|2nd) (?:try|attempt)|re-?land(?:ing|ed)?|revert revert)(?=\s*(?:\(#\d+\)\s*)*$)|"
    r",\s*reland\s+#(?P<number>\d+)",
    re.IGNORECASE,
)
_REVERT_HEAD = re.compile(
    r"(?:(?:manual|partial|soft|temporary|full)(?:ly)?\s+)?"
    r"(?:(?P<sure>revert(?:ing)?|back(?:ing)?[ -]?out|unland(?:ing)?|roll(?:ing)?[ -]?back|undo(?:ing)?)|"
    r"(?P<third>reverts|reverted|backs out))\b"
    r"(?:/fix)?:?\s*(?:(?:part\s+)?of\s+)?(?:(?:the\s+)?(?:PR|diff|commit|pull request)s?\s+)?",
    re.IGNORECASE,
)
_TO_A_VALUE = re.compile(r"(?:back\s+)?to\b|back\b|[^\"“]*\sto\s+v?\d[\w.]*$", re.IGNORECASE)
"""`Revert to NCCL 2.7`, `Roll back the image to 282`: what is undone is no commit."""
_NAMED_INSIDE = re.compile(
    r"\brevert(?:s|ing)?(?:\s+of)?\s+(?:PR\s+)?(?:#(\d{1,6})|(D\d{5,}))\b|\bby reverting\b", re.IGNORECASE
)
_A_REVERT = re.compile(r"(?:the|a|my|previous)\s+(?:revert|backout)\b", re.IGNORECASE)
"""`undo the revert`: what is undone is itself a reversal, whose title is not told."""
_DIFFERENTIAL = re.compile(r"D(\d{5,})\b", re.IGNORECASE)
_PULL = re.compile(r"(?:PR[ -]?)?#(\d+)\b|(?:PR-)?\b(\d{4,6})\b(?!\.)", re.IGNORECASE)
_PULLS_IN_BRACKETS = re.compile(r"\(((?:PRs?\s*)?#\d+(?:\s*(?:,|and|&)\s*#\d+)+)\)", re.IGNORECASE)
"""`Revert the passes (#3107, #3178) to fix CI`"""
_PULL_AT_THE_END = re.compile(r"\s(?:(?:from|in|of)\s+)?(?:PR\s*)?#(\d+)$", re.IGNORECASE)
_SHA = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{7,40}\b")
_LIST = re.compile(r"(?:\s*(?:,|and|&|/|-)\s*)(?=[#D\d])", re.IGNORECASE)
_OWN_NUMBER = re.compile(r"\s*\(#(\d+)\)\s*$")
_PHABRICATORS = re.compile(r"Revert D\d+:")
"""In its title the number is that of the title it quotes."""
_LEAST_TITLE = 4
"""Signs: less is a word like `it`."""


Named = tuple[LinkMethod, str]
"""A way to name a commit, and the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One reversal or repetition around a title."""

    kind: LinkKind
    named: tuple[Named, ...]
    """What this layer is about, in all the ways the subject names it."""


def peel(subject: str) -> tuple[Layer, ...]:
    """Return the layers around the title, outermost first; none for an ordinary subject."""
    layers: list[Layer] = []
    text = subject.strip()
    while text and len(layers) < 20:
        layer, text = _outer(text if _PHABRICATORS.match(text) else _OWN_NUMBER.sub("", text))
        if layer is None:
            break
        layers.append(layer)
        if _A_REVERT.match(text):
            layers.append(Layer(kind=LinkKind.REVERTS, named=()))
            break
    if not layers:
        inside = _NAMED_INSIDE.search(subject)
        if inside:
            named = [(LinkMethod.PULL, inside[1])] if inside[1] else []
            named += [(LinkMethod.DIFFERENTIAL, inside[2].upper())] if inside[2] else []
            return (Layer(kind=LinkKind.REVERTS, named=tuple(named)),)
    return tuple(layers)


def _outer(text: str) -> tuple[Layer | None, str]:
    """The outermost layer of `text` and what it wraps."""
    stripped, repeated = _strip_tags(text)
    head = _RELAND_HEAD.match(stripped)
    if repeated or head:
        named, _ = _named(stripped[head.end() :] if head else stripped)
        return Layer(kind=LinkKind.RELANDS, named=named), ""
    head = _REVERT_HEAD.match(stripped)
    if head:
        rest = stripped[head.end() :]
        named, inner = _named(rest)
        certain = any(method is not LinkMethod.TITLE for method, _ in named) or rest.startswith(('"', "“"))
        to_a_value = ":" not in head[0] and _TO_A_VALUE.match(rest)
        if certain or (head["sure"] and rest and not to_a_value):
            if not certain:
                # `revert docs` undoes no commit that is called `docs`.
                named = tuple(each for each in named if " " in each[1])
            return Layer(kind=LinkKind.REVERTS, named=named), inner or (rest if _A_REVERT.match(rest) else "")
        return None, ""
    tail = _RELAND_TAIL.search(stripped)
    if tail:
        named, _ = _named(_RELAND_TAIL.sub("", stripped))
        behind = [(LinkMethod.SHA, tail["sha"]), (LinkMethod.PULL, tail["number"])]
        return Layer(kind=LinkKind.RELANDS, named=(*(each for each in behind if each[1]), *named)), ""
    return None, ""


def _strip_tags(text: str) -> tuple[str, bool]:
    """The text without its leading tags, and whether one of them says that it lands again."""
    repeated = False
    while True:
        tag = _TAG.match(text)
        if not tag or (tag.end() == len(text)):
            return text, repeated
        if tag[1] is not None and re.fullmatch(r"revert", tag[1].strip(), re.IGNORECASE):
            return "Revert " + re.sub(
                r"^(?:manual(?:ly)?\s+)?revert(?:\s+of)?\s+", "", text[tag.end() :], flags=re.IGNORECASE
            ), repeated
        repeated = repeated or bool(tag[1] and _RELAND_TAG.search(tag[1]))
        text = text[tag.end() :]


def _named(rest: str) -> tuple[tuple[Named, ...], str]:
    """What the words after a verb name, and the text that may hold a further layer."""
    named: list[Named] = []
    position = 0
    while True:
        found = _DIFFERENTIAL.match(rest, position) or _PULL.match(rest, position) or _SHA.match(rest, position)
        if not found:
            break
        named.append(_reference(found))
        position = found.end()
        further = _LIST.match(rest, position)
        if not further:
            break
        position = further.end()
    inner = re.sub(r"^[\s:]+", "", rest[position:])
    quoted = re.match(r'["“](.*)["”]', inner, re.DOTALL) or re.match(r'["“](.*)', inner, re.DOTALL)
    if quoted:
        inner = quoted[1]
    else:
        named += [(LinkMethod.PULL, number) for number in _numbers_inside(inner)]
    return (*named, *_named_by_title(inner)), inner if quoted or position else ""


def _numbers_inside(text: str) -> list[str]:
    """The pull requests that words name which are no quoted title."""
    listed = [number for found in _PULLS_IN_BRACKETS.findall(text) for number in re.findall(r"\d+", found)]
    end = _PULL_AT_THE_END.search(text)
    return [*listed, *([end[1]] if end else [])]


def _named_by_title(title: str) -> list[Named]:
    """A title, with the revision before it and the number behind it, where they stand."""
    named: list[Named] = []
    revision = _DIFFERENTIAL.match(title)
    if revision:
        named.append(_reference(revision))
        title = title[revision.end() :]
    number = _OWN_NUMBER.search(title)
    if number:
        named.append((LinkMethod.PULL, number[1]))
    title = _OWN_NUMBER.sub("", title).strip(TITLE_EDGES)
    if len(title) >= _LEAST_TITLE:
        named.append((LinkMethod.TITLE, title))
    return named


def _reference(found: re.Match[str]) -> Named:
    if found.re is _DIFFERENTIAL:
        return LinkMethod.DIFFERENTIAL, f"D{found[1]}"
    if found.re is _PULL:
        return LinkMethod.PULL, found[1] or found[2]
    return LinkMethod.SHA, found[0]
