"""Lines that let something run for one vendor only, or keep one vendor out: decorators, skips, checks, guards."""

import re

from tracker.pairing.differences import Comparison
from tracker.pairing.sides import Side

_EXCEPTION = re.compile(r"(?i:(?:^|_)(?:if_not|unless|except|skip)_)|skip(?:[A-Z]|If)|IfNot|(?<=[a-z])If(?=[A-Z])")
_DECORATOR = re.compile(rb"\s*@")
_SKIP = re.compile(
    rb"(?i)skip|xfail|expected_?failure|except_for|only_for|unsupported|not_?supported|exclude|disable|denylist|blocklist|blacklist"
)
_ONLY = re.compile(
    rb"\bonly[A-Z_]|\b[Rr]equires?[A-Z_]|\bRunIf\b|min_\w+_gpus|\bdtypesIf[A-Z]|\bdtypesIf\w+\s*=|IfROCM\s*=|IfCUDA\s*="
)
_COLUMN = re.compile(rb"\s*\w+If[A-Z]\w*\s*=(?!=)")
_CHECK = re.compile(
    rb"\s*(?:assert\b|(?:TORCH|AT|C10|CAFFE|THP?)_(?:INTERNAL_)?(?:CHECK|ASSERT|ENFORCE|ASSERTM)\w*\s*\(|CAFFE_ENFORCE\w*\s*\(|AT_ERROR|"
    rb"raise\b)"
)
_TEST_ASSERTION = re.compile(rb"\s*(?:self\.assert|EXPECT_|ASSERT_)")
_CONDITION = re.compile(
    rb"\s*(?:}?\s*else\s+)?(?:if|elif|while)\b|\s*(?:and|or|&&|\|\|)\b|.*\bif\b.*|.*\?.*:|.*(?:&&|\|\|)"
)
_BRANCH = re.compile(rb"\s*(?:}?\s*else\s+)?(?:if|elif)\b")
_GUARD = re.compile(rb"\s*#\s*(?:if|ifdef|ifndef|elif)\b")
_GUARD_OPEN = re.compile(rb"\s*#\s*(?:if|ifdef|ifndef)\b")
_GUARD_END = re.compile(rb"\s*#\s*endif\b")
_IMPORT = re.compile(rb"\s*(?:import\b|from\b.*\bimport\b|#\s*include\b|using\b|load\()")
_LEAVES = re.compile(
    rb"(?i)\s*(?:return\s*(?:;|$|#|//|false\b|none\b|nullptr\b|notimplemented\b|\{\s*\})|"
    rb"(?:continue|break|pass|raise|throw)\b|"
    rb"(?:TORCH|AT|C10)_(?:CHECK|ERROR|ASSERT)|.*skip|.*assert_?raises|.*pytest\.raises|.*xfail)"
)
_VERSION = re.compile(
    rb"(?i)version\w*\W{0,4}(?:<|>|=)|(?:__CUDA_ARCH__|CUDART|HIP)\b\W{0,3}(?:<|>|=)|version_info|version\W{1,4}tuple\("
)
_LONGEST_BODY = 6
_FARTHEST_OPENER = 80
"""Lines above that are searched for the bracket a line stands in; tables of test entries are long."""
_BRACKET = re.compile(rb"[()\[\]{}]")
_BLOCK_HEAD = re.compile(rb"^\s*(?:if|elif|else|for|while|with|try|except|finally|def|class|async)\b.*:\s*(?:#.*)?$")
"""A line of Python that opens a block: a statement in it stands in no bracket from above."""


def is_decorator(line: bytes) -> bool:
    return bool(_DECORATOR.match(line))


def is_skip(line: bytes) -> bool:
    return bool(_SKIP.search(line))


def is_gate(line: bytes) -> bool:
    """Whether a line binds a test or entry to a vendor, or keeps one out."""
    return bool(_ONLY.search(line) or _SKIP.search(line))


def is_column(line: bytes) -> bool:
    """Whether a line gives a table's entry what holds for one vendor apart: dtypesIfCUDA=..., and keeps nobody out."""
    return bool(_COLUMN.match(line)) and not _SKIP.search(line)


def is_exception(symbol: str) -> bool:
    """Whether a name's own words make an exception for a vendor: float_types_if_not_rocm, skipCUDAIfRocm."""
    return bool(_EXCEPTION.search(symbol))


def asks_for_version(line: bytes) -> bool:
    """Whether a condition asks how new a vendor's library is and not whose it is."""
    return bool(_VERSION.search(line))


def is_check(line: bytes) -> bool:
    """Whether a line refuses what is not of the vendor; an assertion about a test's result is none."""
    return bool(_CHECK.match(line)) and not _TEST_ASSERTION.match(line)


def is_condition(line: bytes) -> bool:
    return bool(_CONDITION.match(line))


def is_guard(line: bytes) -> bool:
    return bool(_GUARD.match(line))


def is_import(side: Side, number: int) -> bool:
    """Whether a line imports names; a name on a line of its own inside an import's parentheses does too."""
    line = side.at(number)
    if _IMPORT.match(line):
        return True
    if not re.fullmatch(rb"\s*[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*\s*[,)\\]*\s*(?:#.*)?", line):
        return False
    for above in range(number - 1, max(-1, number - 80), -1):
        text = side.at(above).strip()
        if _IMPORT.match(text):
            return text.endswith((b"(", b"\\", b",")) or b"(" in text
        if text.endswith(b")") or (b"=" in text and b"(" not in text):
            return False
    return False


def body_of(side: Side, number: int) -> range:
    """Return the lines (from 0) that a condition's line governs: deeper ones below it, or those up to its #endif."""
    if is_guard(side.at(number)):
        return range(number + 1, _guard_end(side, number))
    depth = _depth(side.at(number))
    end = number + 1
    while end < len(side.lines) and (not side.at(end).strip() or _depth(side.at(end)) > depth):
        end += 1
    return range(number + 1, end)


def body_stays(comparison: Comparison, number: int) -> bool:
    """Whether code that a vanished condition governed is still there, now without it."""
    body = [line for line in body_of(comparison.before, number) if _says_something(comparison.before.at(line))]
    kept = sum(comparison.hunk_before(line) is None for line in body)
    return bool(body) and kept * 2 >= len(body)


def governs_imports_only(side: Side, number: int) -> bool:
    """Whether a guard or condition keeps nothing but imports."""
    line = side.at(number)
    if not is_guard(line) and not opens_branch(line):
        return False
    body = [line for line in body_of(side, number) if side.at(line).strip()]
    return bool(body) and all(is_import(side, line) for line in body)


def body_leaves(side: Side, number: int) -> bool:
    """Whether a condition governs nothing but a skip, a return, a refusal or an expected failure."""
    body = [side.at(line) for line in body_of(side, number) if _says_something(side.at(line))]
    if not body or len(body) > _LONGEST_BODY:
        return False
    return bool(_LEAVES.match(body[0]) or _LEAVES.match(body[-1]))


def opens_branch(line: bytes) -> bool:
    return bool(_BRANCH.match(line))


def openers(side: Side, number: int) -> list[int]:
    """Return the lines above that open the brackets a line stands in, innermost first."""
    found: list[int] = []
    closed = 0
    for above in range(number - 1, max(-1, number - _FARTHEST_OPENER), -1):
        opens = 0
        for sign in _BRACKET.findall(side.at(above))[::-1]:
            if sign in b")]}":
                closed += 1
            elif closed:
                closed -= 1
            else:
                opens += 1
        found += [above] * bool(opens)
        if opens and not side.at(above)[:1].isspace():
            break
        if not opens and not closed and _BLOCK_HEAD.search(side.at(above)):
            break
    return found


def head_of(side: Side, number: int) -> int:
    """Return the line that begins what a line continues: the decorator, branch or check it is a part of."""
    for above in [number, *openers(side, number)[:3]]:
        line = side.at(above)
        if is_decorator(line) or opens_branch(line) or is_check(line) or is_gate(line):
            return above
    above = number - 1
    while above >= 0 and side.at(above).rstrip().endswith((b"\\", b" and", b" or", b"&&", b"||")):
        if opens_branch(side.at(above)):
            return above
        above -= 1
    return number


def carrier_of(side: Side, number: int) -> int | None:
    """Return the line that opens the entry a gate belongs to: the first opener above that is no gate itself."""
    return next((above for above in openers(side, number) if not is_gate(side.at(above))), None)


def _guard_end(side: Side, number: int) -> int:
    level = 0
    for line in range(number + 1, len(side.lines)):
        text = side.at(line)
        if _GUARD_OPEN.match(text):
            level += 1
        elif _GUARD_END.match(text):
            if level == 0:
                return line
            level -= 1
    return len(side.lines)


def _says_something(line: bytes) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith((b"#", b"//")) and stripped not in (b"{", b"}", b"};")


def _depth(line: bytes) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
