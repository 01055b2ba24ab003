"""The functions, classes, tests and targets of a text, and which of them a line stands in.

Found by headings and indentation, not parsed: enough to say whether what held a line lives on. A decorator belongs to
the definition below it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_PYTHON = re.compile(rb"([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+(\w+)")
_PYTHON_DECORATOR = re.compile(rb"[ \t]*@\w")
_CPP_TEST = re.compile(rb"([ \t]*)(?:[A-Z]\w*_)?(?:TEST|TEST_F|TEST_P|BENCHMARK\w*)\s*\(\s*(\w+)\s*(?:,\s*(\w+))?")
_CPP_TYPE = re.compile(
    rb"([ \t]*)(?:template\s*<.*>\s*)?(?:class|struct|enum(?:\s+class)?|union)\s+(?:[A-Z_]+\s+)?(\w+)[^;]*$"
)
_CPP_NAME = re.compile(rb"((?:\w+::)*~?\w+|operator[^\s\w]+)\s*$")
_CPP_BEFORE_NAME = re.compile(rb"[\w:<>,&*~\[\]\s]*$")
_CPP_DEFINE = re.compile(rb"([ \t]*)#[ \t]*define[ \t]+(\w+)")
_CPP_NOT_NAMES = frozenset(
    b"if for while switch return else catch sizeof defined do case throw new delete namespace using typedef".split()
)
_CMAKE = re.compile(rb"([ \t]*)(?:function|macro)\s*\(\s*(\w+)", re.IGNORECASE)
_STARLARK = re.compile(rb"()(\w+)\s*\(\s*$")
_STARLARK_NAME = re.compile(rb"\s*name\s*=\s*\"([^\"]+)\"")
_SHELL = re.compile(rb"([ \t]*)(?:function[ \t]+)?([\w-]+)[ \t]*\(\)")

_PYTHON_ENDS = (".py", ".pyi", ".pyx", ".pxd")
_CPP_ENDS = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".cu", ".cuh", ".mm", ".m", ".inl", ".in")


_LINES_KEPT = 1 << 14
"""Lines of which it is kept what they are: the versions of a file share most of theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One definition of a text."""

    name: str
    """Qualified by the definitions it stands in: TestNet.test_forward."""
    first: int
    """Its first line, from 0; decorators included."""
    heading: int
    """The line that names it."""
    end: int
    """Behind its last line."""

    @property
    def own_name(self) -> str:
        return self.name.rpartition(".")[2]


class Definitions:
    """The definitions of one text, innermost findable by line."""

    def __init__(self, found: Sequence[Definition], lines: int) -> None:
        self.all = tuple(found)
        self.names = frozenset(definition.name for definition in found)
        self.own_names = frozenset(definition.own_name for definition in found)
        self._starts = [0]
        self._innermost: list[Definition | None] = [None]
        self._index(lines)

    def around(self, line: int) -> Definition | None:
        """Return the innermost definition that holds a line (from 0); None at the top of the text."""
        return self._innermost[bisect_right(self._starts, line) - 1]

    def named(self, name: str) -> Definition | None:
        """Return the first definition of that qualified name."""
        return next((definition for definition in self.all if definition.name == name), None)

    def called(self, own_name: str) -> list[Definition]:
        """Return the definitions with that name in whatever class."""
        return [definition for definition in self.all if definition.own_name == own_name]

    def _index(self, lines: int) -> None:
        """Cut the text at every start and end of a definition; a later start is further inside."""
        owner: dict[int, Definition | None] = {}
        stack: list[Definition] = []
        for definition in sorted(self.all, key=lambda one: (one.first, -one.end)):
            while stack and stack[-1].end <= definition.first:
                closed = stack.pop()
                owner[closed.end] = stack[-1] if stack else None
            owner[definition.first] = definition
            stack.append(definition)
        while stack:
            closed = stack.pop()
            owner[closed.end] = stack[-1] if stack else None
        for start in sorted(owner):
            if start <= lines:
                self._starts.append(start)
                self._innermost.append(owner[start])


def find_definitions(path: str, lines: Sequence[bytes]) -> Definitions:
    """Return the definitions of a text; none for a kind of file without them."""
    name = path.rpartition("/")[2].lower()
    if name.endswith(_PYTHON_ENDS):
        return _by_indentation(lines, _python_headings(lines))
    if name.endswith(_CPP_ENDS):
        return _by_indentation(lines, _cpp_headings(lines))
    if name == "cmakelists.txt" or name.endswith(".cmake"):
        return _by_indentation(lines, _simple_headings(lines, _CMAKE))
    if name.endswith((".bzl", ".bazel")) or name in {"build", "targets", "buck"}:
        return _by_indentation(lines, _starlark_headings(lines))
    if name.endswith((".sh", ".bash")):
        return _by_indentation(lines, _simple_headings(lines, _SHELL))
    return Definitions((), len(lines))


def defined_names(path: str, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the names of functions and classes whose headings stand among some lines of a file."""
    if path.endswith(_PYTHON_ENDS):
        for line in lines:
            match = _PYTHON.match(line)
            if match:
                yield match[3]
    elif path.endswith(_CPP_ENDS):
        for line in lines:
            name = _function_name(line) if line[:1].strip() and not line.rstrip().endswith(b";") else None
            if name and name not in _CPP_NOT_NAMES:
                yield name.rpartition(b"::")[2]


Heading = tuple[int, int, int, str]
"""First line, heading line, indentation, name."""


def _python_headings(lines: Sequence[bytes]) -> list[Heading]:
    found: list[Heading] = []
    decorated: int | None = None
    for number, (line, opened) in enumerate(zip(lines, map(_python_opening, lines), strict=True)):
        if opened is not None:
            first = decorated if decorated is not None else number
            found.append((first, number, *opened))
            decorated = None
        elif b"@" in line and _PYTHON_DECORATOR.match(line):
            decorated = number if decorated is None else decorated
        elif decorated is not None and line.strip() and _ends_decorators(lines, decorated, line):
            decorated = None
    return found


@lru_cache(maxsize=_LINES_KEPT)
def _python_opening(line: bytes) -> tuple[int, str] | None:
    """The indentation and the name of what a line of Python opens."""
    match = _PYTHON.match(line)
    return (_width(match[1]), match[3].decode()) if match else None


def _ends_decorators(lines: Sequence[bytes], decorated: int, line: bytes) -> bool:
    """A line at the decorator's own indentation that is neither a continuation's end nor a comment."""
    indentation = _indentation(lines[decorated])
    return _indentation(line) <= indentation and not line.lstrip().startswith((b")", b"]", b"}", b"#", b'"', b"'"))


def _cpp_headings(lines: Sequence[bytes]) -> list[Heading]:
    found: list[Heading] = []
    for number, line in enumerate(lines):
        if not line or line[:1] in b"}/":
            continue
        match = _CPP_DEFINE.match(line)
        if match:
            if line.rstrip().endswith(b"\\"):
                found.append((number, number, _width(match[1]), match[2].decode()))
            continue
        if len(line) - len(line.lstrip()) > 4 or len(line) > 400:  # deeper headings are lambdas and calls
            continue
        match = _CPP_TEST.match(line)
        if match:
            name = match[2] if match[3] is None else match[2] + b"." + match[3]
            found.append((number, number, _width(match[1]), name.decode()))
            continue
        name = _cpp_name(line)
        if name and name not in _CPP_NOT_NAMES and _opens_body(lines, number):
            found.append((number, number, _indentation(line), name.decode(errors="replace").replace("::", ".")))
    return found


@lru_cache(maxsize=_LINES_KEPT)
def _cpp_name(line: bytes) -> bytes | None:
    """The name of the type or function that a line may begin the definition of."""
    match = _CPP_TYPE.match(line)
    return match[2] if match else _function_name(line)


def _function_name(line: bytes) -> bytes | None:
    """The name before the first parenthesis of a line that may begin a function's definition."""
    head, parenthesis, _ = line.partition(b"(")
    if not parenthesis or not _CPP_BEFORE_NAME.match(head):
        return None
    match = _CPP_NAME.search(head)
    return match[1] if match else None


def _opens_body(lines: Sequence[bytes], number: int) -> bool:
    """Whether a heading is followed by a brace before a semicolon, within a few lines."""
    for line in lines[number : number + 12]:
        brace, semicolon = line.find(b"{"), line.find(b";")
        if brace >= 0 and (semicolon < 0 or brace < semicolon):
            return True
        if semicolon >= 0:
            return False
    return False


def _simple_headings(lines: Sequence[bytes], pattern: re.Pattern[bytes]) -> list[Heading]:
    matches = ((number, pattern.match(line)) for number, line in enumerate(lines))
    return [(number, number, _width(match[1]), match[2].decode()) for number, match in matches if match]


def _starlark_headings(lines: Sequence[bytes]) -> list[Heading]:
    """A rule call with a name is a target; assignments are not."""
    found: list[Heading] = []
    for number, line in enumerate(lines):
        python = _PYTHON.match(line)
        if python:
            found.append((number, number, _width(python[1]), python[3].decode()))
        elif _STARLARK.match(line):
            names = (_STARLARK_NAME.match(below) for below in lines[number + 1 : number + 4])
            name = next((match[1] for match in names if match), None)
            if name:
                found.append((number, number, 0, name.decode(errors="replace")))
    return found


def _by_indentation(lines: Sequence[bytes], headings: list[Heading]) -> Definitions:
    """A definition ends before the next line that is no deeper than its heading; closing signs and blanks apart."""
    ends = _ends(lines, headings)
    found: list[Definition] = []
    stack: list[Definition] = []
    for (first, heading, _, name), end in zip(headings, ends, strict=True):
        while stack and stack[-1].end <= heading:
            stack.pop()
        qualified = f"{stack[-1].name}.{name}" if stack else name
        definition = Definition(name=qualified, first=first, heading=heading, end=end)
        found.append(definition)
        stack.append(definition)
    return Definitions(found, len(lines))


_CONTINUES = (b")", b"]", b"}", b"{", b"#if", b"#el", b"#endif", b":", b"//", b"public:", b"private:", b"protected:")


def _ends(lines: Sequence[bytes], headings: list[Heading]) -> list[int]:
    """The line behind each definition, in one pass over the lines."""
    ends = [len(lines)] * len(headings)
    open_headings: list[int] = []
    last_content = 0
    following = 0
    for number, shape in enumerate(map(_shape, lines)):
        if shape is None:
            continue
        depth, closes = shape
        starts_here = following < len(headings) and number >= headings[following][0]
        while (
            open_headings
            and closes
            and depth <= headings[open_headings[-1]][2]
            and number > headings[open_headings[-1]][1]
        ):
            ends[open_headings.pop()] = last_content + 1
        if starts_here and number == headings[following][1]:
            open_headings.append(following)
            following += 1
        last_content = number
    return ends


@lru_cache(maxsize=_LINES_KEPT)
def _shape(line: bytes) -> tuple[int, bool] | None:
    """How deep a line is and whether it may end what stands above it; None of a blank one."""
    stripped = line.strip()
    return (_indentation(line), not stripped.startswith(_CONTINUES)) if stripped else None


def _width(blank: bytes) -> int:
    return len(blank.expandtabs(8))


def _indentation(line: bytes) -> int:
    depth = len(line) - len(line.lstrip())
    return _width(line[:depth]) if b"\t" in line[:depth] else depth
