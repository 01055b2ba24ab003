"""What the text of a string is: a name (of a device, backend, option, file), code, or prose for people.

A name has no white space and only the signs that names have. How a value is filled in does not matter: "cuda:%d",
"cuda:{}" and f"cuda:{rank}" are one name.
"""

import re

_LONGEST_NAME = 200
_NAME = re.compile(rb"(?:[\w:.,*/@%+|=\[\]<>~$#!-]|\{[^{}\s]*\}|[\x80-\xff])+")
_ADDRESS = re.compile(rb"(?i)(?:[a-z][a-z0-9+.]*://|www\.)")
_FIELD = re.compile(rb"\{[^{}\s]*\}|%(?:\(\w+\))?[-+0-9.]*[sdrifulzx]+")
_PROSE = re.compile(rb"(?<![A-Za-z])[A-Za-z]{2,}[,.:]?\s+(?:\S+\s+)?[A-Za-z]{2,}")
_CODE = re.compile(rb"\w\(|\s=\s|;\s*$|::|^\s*(?:import|from|with|return|if|def|for|#include)\s", re.MULTILINE)
_FUNCTION_WORDS = re.compile(
    rb"\b(?:the|is|are|was|were|not|must|should|cannot|but|got|expected|found|please|instead|when|because|an|of|to)\b"
)
_SPACE = re.compile(rb"\s")
_NEIGHBOURHOOD = 200
_BEGINNING = 1000
"""A long text is judged by its beginning: enough, and linear."""


def is_name(text: bytes) -> bool:
    """Say whether a string's text can be a name: one word, no code, no address on the web."""
    text = text.strip()
    return 0 < len(text) <= _LONGEST_NAME and bool(_NAME.fullmatch(text)) and not _ADDRESS.match(text)


def name_of(text: bytes) -> bytes:
    """Return the name that a text writes, with {} for each value to be filled in."""
    return _FIELD.sub(b"{}", text.strip())


def is_prose(text: bytes) -> bool:
    """Say whether a text is written for people rather than for a compiler."""
    text = text[:_BEGINNING]
    if not _PROSE.search(text):
        return False
    return not _CODE.search(text) or len(_FUNCTION_WORDS.findall(text)) > 1


def continues_prose(content: bytes, start: int, end: int) -> bool:
    """Say whether the string from `start` to `end` is joined to a neighbouring one that has white space inside."""
    before = content[max(0, start - _NEIGHBOURHOOD) : start].rstrip()
    if before[-1:] in (b'"', b"'") and before[-3:] not in (b'"""', b"'''"):
        quote = before.rfind(before[-1:], 0, -1)
        if quote >= 0 and _SPACE.search(before, quote + 1):
            return True
    after = content[end : end + _NEIGHBOURHOOD].lstrip().lstrip(b"fFrRbBuU")
    if after[:1] in (b'"', b"'"):
        quote = after.find(after[:1], 1)
        return bool(_SPACE.search(after, 1, quote if quote > 0 else len(after)))
    return False
