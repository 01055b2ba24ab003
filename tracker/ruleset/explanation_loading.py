"""Reasons, questions and figures out of parsed TOML."""

import re

from tracker.ruleset.explanations import Figure, LabelSet, Question, Reason
from tracker.ruleset.tables import Table
from tracker.sites import Mechanism

_LONGEST_WORDS = 160
"""Signs that a database keeps of a reason."""


def reasons_of(file: Table) -> tuple[Reason, ...]:
    """Read the reasons of pairing.toml."""
    reasons = []
    for table in file.tables("reason"):
        reasons.append(
            Reason(
                id=_identifier(table),
                words=table.text("words"),
                mechanisms=table.choices("mechanisms", Mechanism),
                why=table.text("why"),
            )
        )
        if len(reasons[-1].words) > _LONGEST_WORDS:
            table.report("words", f"no more than {_LONGEST_WORDS} signs are kept")
        table.close()
    return tuple(reasons)


def questions_of(file: Table) -> tuple[Question, ...]:
    """Read the questions of pairing.toml."""
    questions = []
    for table in file.tables("question"):
        question = Question(
            id=_identifier(table),
            asks=table.text("asks"),
            why=table.text("why"),
            source=table.text("source"),
            flags=table.texts("flags", needed=True),
            ignores=table.texts("ignores", needed=True),
        )
        if len(question.ignores) < len(question.flags):
            table.report("ignores", f"{len(question.flags)} flags need as many ignores, not {len(question.ignores)}")
        questions.append(question)
        table.close()
    return tuple(questions)


def figures_of(file: Table) -> tuple[Figure, ...]:
    """Read what the figures of accuracy.toml mean."""
    figures = []
    for table in file.tables("figure"):
        figures.append(Figure(name=table.text("name"), title=table.text("title"), meaning=table.text("meaning")))
        table.close()
    return tuple(figures)


def label_sets_of(file: Table, figures: tuple[Figure, ...]) -> tuple[LabelSet, ...]:
    """Read the sets of labelled commits of accuracy.toml, each with its figures in the order of their meanings."""
    sets = []
    for table in file.tables("set"):
        shares = table.table("figures")
        sets.append(
            LabelSet(
                name=table.text("name"),
                commits=table.number("commits", default=1),
                read_by=table.text("read_by"),
                tuned_on=table.flag("tuned_on"),
                figures=tuple(
                    (figure.name, share) for figure in figures if (share := shares.share(figure.name)) is not None
                ),
            )
        )
        shares.close()
        table.close()
    return tuple(sets)


def _identifier(table: Table) -> str:
    identifier = table.text("id")
    if not re.fullmatch(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", identifier):
        table.report("id", f"{identifier!r} must be lower-case words joined by dots and hyphens")
    return identifier
