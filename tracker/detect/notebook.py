"""A notebook's bytes -> bytes of equal length in which only the code of its code cells is left.

Everything else is blanked, line breaks of the code are where the notebook writes them as escapes, so that offsets stay
valid in the notebook itself. Outputs, markdown and metadata are no code.
"""

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(rb'"[^"\\\n]*(?:\\.[^"\\\n]*)*(?:"|(?=\n)|\\?\Z)|[{}\[\]]', re.DOTALL)
_COLON = re.compile(rb"\s*:")
_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|[^\n])")
_PLAIN = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\", b"/": b"/"}
_DEEPEST = 200


@dataclass(slots=True)
class _Container:
    """One open object or array: the key it stands under, and for a cell what is known of it so far."""

    key: bytes
    is_cell: bool = False
    kind: bytes = b""
    source: list[tuple[int, int]] = field(default_factory=list)


def code_of_notebook(content: bytes) -> bytes:
    """Return the code of the code cells in place, all else blank; text that is no notebook has no code."""
    code = bytearray(b" " * len(content))
    for start, end in _sources(content):
        code[start:end] = _decoded(content[start:end])
        if end < len(code):
            code[end] = 0x0A  # in place of the closing quote: strings of one cell are lines
    return bytes(code)


def _sources(content: bytes) -> list[tuple[int, int]]:
    """Return the bounds of the strings that hold code, without their quotes."""
    sources: list[tuple[int, int]] = []
    opened: list[_Container] = []
    key = b""
    for found in _TOKEN.finditer(content):
        sign = found[0]
        if sign in (b"{", b"["):
            if len(opened) >= _DEEPEST:
                return sources
            opened.append(_Container(key, is_cell=sign == b"{" and bool(opened) and opened[-1].key == b"cells"))
            key = b""
        elif sign in (b"}", b"]"):
            closed = opened.pop() if opened else _Container(b"")
            if closed.is_cell and closed.kind == b"code":
                sources += closed.source
        elif _COLON.match(content, found.end()):
            key = sign[1:-1]
        else:
            _note(opened, key, found.start() + 1, found.end() - 1, sign[1:-1])
            key = b""
    return sources


def _note(opened: list[_Container], key: bytes, start: int, end: int, text: bytes) -> None:
    if not opened:
        return
    inner = opened[-1]
    if inner.is_cell and key == b"cell_type":
        inner.kind = text
    elif inner.is_cell and key in (b"source", b"input"):
        inner.source.append((start, end))
    elif len(opened) > 1 and opened[-2].is_cell and inner.key in (b"source", b"input"):
        opened[-2].source.append((start, end))


def _decoded(text: bytes) -> bytes:
    """Undo JSON's escapes; each keeps its length, filled up with blanks behind it."""

    def plain(found: re.Match[bytes]) -> bytes:
        escape = found[0][1:]
        sign = _PLAIN.get(escape, b"?") if len(escape) == 1 else b"\x80" * len(escape)
        return sign.ljust(len(found[0]))

    return _ESCAPE.sub(plain, text)
