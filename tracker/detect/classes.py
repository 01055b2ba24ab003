"""Where the classes of a Python text begin and end, and what stands directly in each: markers, members.

A class begins with its decorators and ends before the next line of code that is not indented more than it. Strings and
brackets go on over lines and end no class. One pass, linear in the text, whatever its bytes are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tracker.detect.formatted import python_spans

_CLASS = re.compile(rb"class[ \t]+(\w+)[ \t]*(?:\(([^()]{0,400}))?")
_ASSIGNMENT = re.compile(rb"(\w+)[ \t]*(?::[^=\n]{0,100})?=[ \t]*([^\n]{0,200})")
_FRESH = re.compile(rb"(?:class|def|async|@|import|from)\b|@")
"""What no bracket of valid code holds at the begin of an unindented line: one that was left open is closed."""
_STRING = 1
"""Fills strings, so that a line inside one is no line of its own."""
_TAB = 8
_LONGEST_HEADING = 600
_MOST_LINES_OF_DECORATORS = 40


@dataclass(slots=True)
class FoundClass:
    """One class of a text."""

    name: str
    bases: tuple[str, ...]
    """Own names, without the modules they come from."""
    indentation: int
    start: int
    """Offset of its first byte, or of its first decorator."""
    end: int
    body: int = -1
    """The indentation of its body; -1: it has none below its heading."""
    assigned: dict[bytes, bytes] = field(default_factory=dict)
    """What its body assigns, by name."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The classes of a text in the order in which they begin, and what is assigned outside of all."""

    classes: tuple[FoundClass, ...]
    assigned: dict[bytes, bytes]


def outline_of(content: bytes, wanted: frozenset[bytes]) -> Outline:
    """Return the classes of a Python text.

    Args:
        wanted: the names whose assignment is noted.
    """
    found: list[FoundClass] = []
    opened: list[FoundClass] = []
    assigned: dict[bytes, bytes] = {}
    decorated: int | None = None
    masked = _masked(content)
    for start, end, indentation in _logical_lines(masked):
        while opened and opened[-1].indentation >= indentation:
            opened.pop().end = decorated if decorated is not None else start
        if masked[start] == 0x40:  # @
            decorated = start if decorated is None else decorated
            continue
        if opened and opened[-1].body < 0:
            opened[-1].body = indentation
        heading = _CLASS.match(masked, start, start + _LONGEST_HEADING)
        if heading:
            first = start if decorated is None else decorated
            opened.append(
                FoundClass(heading[1].decode("latin-1"), _bases(heading[2]), indentation, first, len(content))
            )
            found.append(opened[-1])
        elif assignment := _ASSIGNMENT.match(masked, start, end):
            level, inside = (opened[-1].body, opened[-1].assigned) if opened else (0, assigned)
            if assignment[1] in wanted and indentation == level:
                inside.setdefault(assignment[1], assignment[2].strip())
        decorated = None
    return Outline(tuple(found), assigned)


def start_of_decorators(content: bytes, heading: int) -> int:
    """Return where the line of a class's heading begins, or of its first decorator as far as lines above show one."""
    first = line = content.rfind(b"\n", 0, heading) + 1
    width = _width(content[line:heading])
    for _ in range(_MOST_LINES_OF_DECORATORS):
        above = content.rfind(b"\n", 0, max(0, line - 1)) + 1
        text = content[above:line]
        code = text.lstrip(b" \t\f\r")
        deeper = _width(text[: len(text) - len(code)]) > width
        if not line or (code.strip() and not deeper and code[:1] not in (b"@", b")", b"#")):
            break
        first = above if code[:1] == b"@" and not deeper else first
        line = above
    return first


def _bases(text: bytes | None) -> tuple[str, ...]:
    names = (one.strip().rpartition(b".")[2] for one in (text or b"").split(b",") if b"=" not in one)
    return tuple(name.decode("latin-1") for name in names if name)


def _masked(content: bytes) -> bytes:
    """Return the text with comments blank and strings filled, line breaks in strings too."""
    masked = bytearray(content)
    for start, end in python_spans(content, 0, len(content)):
        filling = b" " if content[start] == 0x23 else bytes((_STRING,))
        masked[start:end] = filling * (end - start)
    return bytes(masked)


def _logical_lines(masked: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield where each statement begins, where its first line ends, and how far it is indented."""
    depth, continued, position = 0, False, 0
    while position < len(masked):
        end = masked.find(b"\n", position)
        end = len(masked) if end < 0 else end
        line = masked[position:end]
        code = line.lstrip(b" \t\f\r")
        start = position + len(line) - len(code)
        if depth and start == position and _FRESH.match(masked, start, end):
            depth = 0
        if code.rstrip():
            if not depth and not continued:
                yield start, end, _width(line[: start - position])
            depth = max(0, depth + _opened(code))
        continued = code.rstrip(b"\r").endswith(b"\\")
        position = end + 1


def _opened(code: bytes) -> int:
    return sum(code.count(sign) for sign in (b"(", b"[", b"{")) - sum(code.count(sign) for sign in (b")", b"]", b"}"))


def _width(blanks: bytes) -> int:
    return len(blanks) if b"\t" not in blanks else len(blanks.expandtabs(_TAB))
