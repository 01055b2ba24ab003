"""A subject line, peeled: each `Revert`, `Back out` or `Reland` around the title, and what it names.

`Reverts cat and stack warning ...`, `Revert to NCCL 2.7` and `fix compatibility after its revert` undo no commit.
"""

import re
from dataclasses import dataclass

from tracker.trailers.links import LinkKind, LinkMethod

_TAG = re.compile(
    r"\[([^\]\[]{0,60})\]\s*|(?:[\w./]{1,20}\s*[:|]\s+)(?=(?:manual(?:ly)?\s+|partial(?:ly)?\s+)?(?:re|back))",
    re.IGNORECASE,
)
_RELAND_TAG = re.compile(r"\bre-?(?:land(?:ing|ed)?\d?|apply|submit|do|commit)\b|\btake ?\d\b", re.IGNORECASE)
_RELAND_HEAD = re.compile(
    r"(?:manual(?:ly)?\s+)?"
    r"(?:re-?land(?:ing|ed|s)?|re-?appl(?:y|ies|ying)|re-?submit(?:ting)?|re-?commit|redo of|resent)\b"
    r"(?:\s+(?:of|the|reverted|PR)\b)*[\s:]*",
    re.IGNORECASE,
)
_RELAND_TAIL = re.compile(
    r"\s*[\[(](?:[\w ,-]{0,20}\b)?(?:re-?land(?:ing|ed)?\d?|re-?apply|re-?submit|re-?do|take ?\d)\b[^\])]{0,20}[\])]|"
    r"[\s,:-]+(?:take ?\d|(?:second|2nd) (?:try|attempt)|re-?land(?:ing|ed)?)(?=\s*(?:\(#\d+\)\s*)*$)|"
    r",\s*reland\s+#\d+",
    re.IGNORECASE,
)
_REVERT_HEAD = re.compile(
    r"(?:(?:manual|partial|soft|temporary|full)(?:ly)?\s+)?"
    r"(?:(?P<sure>revert(?:ing)?|back(?:ing)?[ -]?out|unland(?:ing)?|roll(?:ing)?[ -]?back|undo(?:ing)?)|"
    r"(?P<third>reverts|reverted|backs out))\b"
    r"(?:/fix)?:?\s*(?:(?:part\s+)?of\s+)?(?:(?:the\s+)?(?:PR|diff|commit|pull request)s?\s+)?",
    re.IGNORECASE,
)
_TO_A_VALUE = re.compile(r"(?:back\s+)?to\b|back\b", re.IGNORECASE)
_NAMED_INSIDE = re.compile(
    r"\brevert(?:s|ing)?(?:\s+of)?\s+(?:PR\s+)?(?:#(\d{1,6})|(D\d{5,}))\b|\bby reverting\b", re.IGNORECASE
)
_A_REVERT = re.compile(r"(?:the|a|my|previous)\s+(?:revert|backout)\b", re.IGNORECASE)
"""`undo the revert`: what is undone is itself a reversal, whose title is not told."""
_DIFFERENTIAL = re.compile(r"D(\d{5,})\b", re.IGNORECASE)
_PULL = re.compile(r"#(\d+)\b|\b(\d{4,6})\b(?!\.)")
_SHA = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{7,40}\b")
_LIST = re.compile(r"(?:\s*(?:,|and|&|/|-)\s*)(?=[#D\d])", re.IGNORECASE)
_OWN_NUMBER = re.compile(r"\s*\(#(\d+)\)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One reversal or repetition around a title."""

    kind: LinkKind
    named: tuple[tuple[LinkMethod, str], ...]
    """What this layer is about, in all the ways the subject names it."""


def peel(subject: str) -> tuple[Layer, ...]:
    """Return the layers around the title, outermost first; none for an ordinary subject."""
    layers: list[Layer] = []
    text = _OWN_NUMBER.sub("", subject.strip()) if not re.match(r"Revert D\d+:", subject) else subject.strip()
    while text and len(layers) < 20:
        layer, text = _outer(text)
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
        if certain or (head["sure"] and rest and not _TO_A_VALUE.match(rest)):
            return Layer(kind=LinkKind.REVERTS, named=named), inner or (rest if _A_REVERT.match(rest) else "")
        return None, ""
    if _RELAND_TAIL.search(stripped):
        named, _ = _named(_RELAND_TAIL.sub("", stripped))
        return Layer(kind=LinkKind.RELANDS, named=named), ""
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


def _named(rest: str) -> tuple[tuple[tuple[LinkMethod, str], ...], str]:
    """What the words after a verb name, and the text that may hold a further layer."""
    named: list[tuple[LinkMethod, str]] = []
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
    inner = quoted[1] if quoted else inner
    title = _OWN_NUMBER.sub("", inner).strip(" ,;:.+-")
    number = _OWN_NUMBER.search(inner)
    if number:
        named.append((LinkMethod.PULL, number[1]))
    if len(title) > 3:
        named.append((LinkMethod.TITLE, title))
    return tuple(named), inner if quoted or position else ""


def _reference(found: re.Match[str]) -> tuple[LinkMethod, str]:
    if found.re is _DIFFERENTIAL:
        return LinkMethod.DIFFERENTIAL, f"D{found[1]}"
    if found.re is _PULL:
        return LinkMethod.PULL, found[1] or found[2]
    return LinkMethod.SHA, found[0]
