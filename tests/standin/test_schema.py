"""Our cut of GitHub's schema says nothing that the whole schema does not say."""

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    is_introspection_type,
    is_specified_scalar_type,
)

from tests.standin.schema import cut_schema


@pytest.mark.slow
def test_every_field_of_the_cut_has_its_type_and_arguments_in_githubs_schema(github_schema: GraphQLSchema) -> None:
    whole = github_schema
    differences = []
    for name, ours in cut_schema().type_map.items():
        if is_introspection_type(ours) or is_specified_scalar_type(ours):
            continue
        theirs = whole.type_map.get(name)
        if type(theirs) is not type(ours):
            differences.append(name)
        elif isinstance(ours, GraphQLEnumType) and isinstance(theirs, GraphQLEnumType):
            differences += [f"{name}.{value}" for value in ours.values.keys() - theirs.values.keys()]
        elif isinstance(ours, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
            assert isinstance(theirs, type(ours))
            differences += [
                f"{name}.{field}"
                for field, definition in ours.fields.items()
                if field not in theirs.fields or not _agrees(definition, theirs.fields[field])
            ]
    assert differences == []


def test_the_cut_is_a_valid_schema() -> None:
    assert {"Query", "Repository", "PullRequest"} <= cut_schema().type_map.keys()


def _agrees(ours: object, theirs: object) -> bool:
    arguments = {name: str(argument.type) for name, argument in getattr(ours, "args", {}).items()}
    known = {name: str(argument.type) for name, argument in getattr(theirs, "args", {}).items()}
    same_type = str(getattr(ours, "type", None)) == str(getattr(theirs, "type", None))
    return same_type and arguments.items() <= known.items()
