"""What an oracle found, in the words that all oracles share."""

import ast
from typing import NamedTuple


class Finding(NamedTuple):
    """One place that an outside linter objects to: lines count from 1, columns in bytes from 0."""

    line: int
    start: int
    end: int
    text: str


def finding_of(node: ast.expr, text: str) -> Finding:
    """Return what stands at the end of a node on its last line: a literal, or the last name of a dotted chain."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    end = node.end_col_offset
    inside = len(text.encode())
    start = end - inside if isinstance(node, ast.Attribute) else node.col_offset
    line = node.end_lineno if isinstance(node, ast.Attribute) else node.lineno
    return Finding(line, start, end if line == node.end_lineno else start + 1, text)


def dotted(node: ast.expr) -> str:
    """Return the names of an attribute chain joined by dots; empty where the chain does not begin with a name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join(reversed([*names, node.id])) if isinstance(node, ast.Name) else ""
