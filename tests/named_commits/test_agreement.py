"""Shares of agreement, computed by hand on four commits."""

from tests.named_commits.agreement import Label, Prediction, figures


def label(verdict: str, mechanism: str | None, area: str | None, removed: int, *, sure: bool = True) -> Label:
    return Label(
        repo="example/project",
        sha="0" * 40,
        verdict=verdict,
        mechanism=mechanism,
        vendors=("nvidia",),
        area=area,
        revert=False,
        removed=removed,
        added=0,
        sure=sure,
    )


def said(verdict: str, mechanism: str, area: str, removed: int) -> Prediction:
    return Prediction(verdict=verdict, mechanism=mechanism, area=area, revert=False, removed=removed, added=0)


def test_shares_of_agreement_are_those_computed_by_hand() -> None:
    pairs = [
        *[(label("decoupling", "generalised", "core", 10), said("decoupling", "generalised", "core", 12))] * 4,
        (label("decoupling", "broadened", None, 1), said("decoupling", "generalised", "test", 5)),
        (label("removal", "retired", "core", -1), said("decoupling", "generalised", "core", 3)),
        (label("none", "", "", 0, sure=False), said("coupling", "introduced", "core", 0)),
    ]
    assert figures(pairs) == {
        "verdict_accuracy": 0.833,
        "decoupling_precision": 0.833,
        "decoupling_recall": 1.0,
        "decoupling_f1": 0.909,
        "removes_f1": 1.0,
        "verdict_f1": 0.909,
        "revert_accuracy": 1.0,
        "mechanism_accuracy": 0.8,
        "area_accuracy": 1.0,
        "count_within_1_or_20pct": 0.909,
    }
