"""How far judgements agree with labelled commits, in the figures that rules/accuracy.toml shows and explains."""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

_JUDGED = frozenset({"decoupling", "removal", "coupling", "churn"})
_OFTEN = 5
"""Labels of a verdict from which on its F1 is part of the mean over verdicts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What two readers of one commit agree on; None and -1 where they do not."""

    repo: str
    sha: str
    verdict: str
    mechanism: str | None
    vendors: tuple[str, ...]
    area: str | None
    revert: bool
    removed: int
    added: int
    sure: bool
    """Whether neither reader called the guide open on this commit; others are left out of the figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What the judgement says of one commit."""

    verdict: str
    mechanism: str
    area: str
    revert: bool
    removed: int
    added: int


Pair = tuple[Label, Prediction]


def figures(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return shares from 0 to 1, to three places, by the names of rules/accuracy.toml; unsure labels are out.

    A figure of which these commits say nothing is left out.
    """
    sure = [pair for pair in pairs if pair[0].sure]
    labelled = Counter(label.verdict for label, _ in sure)
    often = [verdict for verdict, count in labelled.items() if count >= _OFTEN]
    same = [(a, b) for a, b in sure if a.verdict == b.verdict and a.verdict in _JUDGED]
    counts = [
        (a, b)
        for label, found in sure
        for a, b in ((label.removed, found.removed), (label.added, found.added))
        if a >= 0
    ]
    precision, recall, f1 = _f1(sure, {"decoupling"})
    found = {
        "verdict_accuracy": _share(a.verdict == b.verdict for a, b in sure),
        "decoupling_precision": precision,
        "decoupling_recall": recall,
        "decoupling_f1": f1,
        "removes_f1": _f1(sure, {"decoupling", "removal"})[2],
        "coupling_f1": _f1(sure, {"coupling"})[2],
        "verdict_f1": sum(_f1(sure, {one})[2] or 0 for one in often) / len(often),
        "revert_accuracy": _share(a.revert == b.revert for a, b in sure),
        "mechanism_accuracy": _share(a.mechanism == b.mechanism for a, b in same if a.mechanism is not None),
        "area_accuracy": _share(a.area == b.area for a, b in same if a.area is not None),
        "count_within_1_or_20pct": _share(abs(a - b) <= max(1, 0.2 * a) for a, b in counts),
    }
    return {name: round(share, 3) for name, share in found.items() if share is not None}


def _f1(pairs: Sequence[Pair], verdicts: Set[str]) -> tuple[float | None, float | None, float | None]:
    hits = sum(a.verdict in verdicts and b.verdict in verdicts for a, b in pairs)
    said, true = sum(b.verdict in verdicts for _, b in pairs), sum(a.verdict in verdicts for a, _ in pairs)
    return _quotient(hits, said), _quotient(hits, true), _quotient(2 * hits, said + true)


def _quotient(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _share(answers: Iterable[bool]) -> float | None:
    known = list(answers)
    return _quotient(sum(known), len(known))
