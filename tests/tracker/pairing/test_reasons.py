"""Every reason that judging gives is explained in rules/pairing.toml, and every one explained there is given.

A new reason in `tracker.pairing` needs a `[[reason]]` there: pages explain it, and databases keep its words once.
"""

import ast
from collections.abc import Iterator
from importlib.resources import files

import pytest

from tests.tracker.judging import shipped_ruleset
from tracker.pairing.questions import ANSWERS
from tracker.ruleset import Question

GIVEN_BY = {"Finding": 1, "_paired": 2}
"""Which positional argument of what makes a fate is its reason."""


def modules() -> Iterator[ast.Module]:
    for entry in files("tracker.pairing").iterdir():
        if entry.name.endswith(".py"):
            yield ast.parse(entry.read_text(encoding="utf-8"))


def given_in(module: ast.Module) -> Iterator[str]:
    """Yield the words of each reason that a module's code gives."""
    named: dict[str, list[ast.expr]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named.setdefault(node.targets[0].id, []).append(node.value)
    for node in ast.walk(module):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        place = GIVEN_BY.get(node.func.id)
        wanted = [keyword.value for keyword in node.keywords if keyword.arg == "reason"]
        if place is not None and len(node.args) > place:
            wanted.append(node.args[place])
        for value in wanted:
            yield from words_of(value, named)


def words_of(value: ast.expr, named: dict[str, list[ast.expr]]) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(words)):
            yield words
        case ast.IfExp(body=one, orelse=other):
            yield from words_of(one, named)
            yield from words_of(other, named)
        case ast.Name(id=name):
            for assigned in named.get(name, ()):
                yield from words_of(assigned, named)
        case ast.Subscript(value=ast.Name(id=name)):
            for assigned in named.get(name, ()):
                if isinstance(assigned, ast.Dict):
                    for item in assigned.values:
                        yield from words_of(item, named)
        case ast.JoinedStr():
            pytest.fail("a reason is put together out of parts: what it speaks of belongs in `about`")


def test_reasons_given_and_reasons_explained_are_the_same() -> None:
    given = {words for module in modules() for words in given_in(module)}
    assert given == {reason.words for reason in shipped_ruleset().reasons}


def test_questions_asked_and_questions_explained_are_the_same() -> None:
    assert ANSWERS.keys() == {question.id for question in shipped_ruleset().questions}


@pytest.mark.parametrize("question", shipped_ruleset().questions, ids=lambda question: question.id)
def test_a_question_is_answered_as_its_examples_say(question: Question) -> None:
    answer = ANSWERS[question.id]
    assert [text for text in question.flags if not answer(text)] == []
    assert [text for text in question.ignores if answer(text)] == []
