"""The arithmetic that gives a commit's verdict, as a person says it: D, R and A, and which of them prevails."""

from tracker.classify.judgement import Tally
from tracker.sites import Verdict

_OUTSIDE = {
    Verdict.NONE: "No site changes anywhere, so the verdict is none.",
    Verdict.VENDOR_INTERNAL: (
        "No site of neutral code or infrastructure changes, but sites elsewhere do, so the verdict is vendor-internal."
    ),
    Verdict.INFRASTRUCTURE: (
        "No site of neutral code changes, but sites of infrastructure do, so the verdict is infrastructure."
    ),
}


def arithmetic(tally: Tally, verdict: Verdict) -> str:
    """Return one sentence that leads from a tally to its verdict."""
    numbers = {"D": tally.decoupled, "R": tally.removed, "A": tally.introduced}
    total = sum(numbers.values())
    if not total and (tally.moved or tally.edited):
        return (
            f"D = R = A = 0: {tally.moved} moved and {tally.edited} edited sites are neither gone nor new, "
            f"so the verdict is {verdict.value}."
        )
    if not total:
        return _OUTSIDE.get(verdict, f"No site of neutral code came or went, so the verdict is {verdict.value}.")
    told = f"D = {tally.decoupled}, R = {tally.removed} and A = {tally.introduced}"
    most = next((name for name, count in numbers.items() if count * 2 > total), None)
    if most is None:
        return f"Of {told}, none is more than half of their sum {total}, so the verdict is {verdict.value}."
    return f"Of {told}, {most} is more than half of their sum {total}, so the verdict is {verdict.value}."
