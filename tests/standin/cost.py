"""What a GraphQL document costs by GitHub's documented formula, read from the document itself.

It shares nothing with `tracker.sources.github_queries`, which states the same beside each document: the two must agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
)

Variables = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Cost:
    requests: int
    """Lists to fill."""
    nodes: int

    @property
    def points(self) -> int:
        return max(1, floor(self.requests / 100 + 0.5))


def cost_of(document: DocumentNode, variables: Variables) -> Cost:
    """Return what the document's first operation costs with these variables."""
    fragments = {
        part.name.value: part.selection_set for part in document.definitions if isinstance(part, FragmentDefinitionNode)
    }
    operation = next(part for part in document.definitions if isinstance(part, OperationDefinitionNode))
    return _walk(operation.selection_set, fragments, variables, 1)


def _walk(
    selections: SelectionSetNode | None, fragments: Mapping[str, SelectionSetNode], variables: Variables, times: int
) -> Cost:
    """Sum up what lies inside something that is there `times` times."""
    requests = nodes = 0
    for selection in selections.selections if selections is not None else ():
        inner = times
        if isinstance(selection, FragmentSpreadNode):
            found = _walk(fragments[selection.name.value], fragments, variables, times)
        else:
            size = _page_size(selection, variables) if isinstance(selection, FieldNode) else None
            if size is not None:
                requests += times
                nodes += times * size
                inner = times * size
            found = _walk(getattr(selection, "selection_set", None), fragments, variables, inner)
        requests += found.requests
        nodes += found.nodes
    return Cost(requests, nodes)


def _page_size(field: FieldNode, variables: Variables) -> int | None:
    for argument in field.arguments or ():
        if argument.name.value in ("first", "last"):
            match argument.value:
                case IntValueNode(value=text):
                    return int(text)
                case VariableNode(name=name):
                    size = variables.get(name.value)
                    return size if isinstance(size, int) else None
    return None
