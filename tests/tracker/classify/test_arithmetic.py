import pytest

from tracker.classify import Tally, arithmetic
from tracker.sites import Verdict


@pytest.mark.parametrize(
    ("tally", "verdict", "sentence"),
    [
        (
            Tally(generalised=2, broadened=1, dropped=1, introduced=1),
            Verdict.DECOUPLING,
            "Of D = 3, R = 1 and A = 1, D is more than half of their sum 5, so the verdict is decoupling.",
        ),
        (
            Tally(retired=7),
            Verdict.REMOVAL,
            "Of D = 0, R = 7 and A = 0, R is more than half of their sum 7, so the verdict is removal.",
        ),
        (
            Tally(relocated=2, introduced=2, moved=9),
            Verdict.CHURN,
            "Of D = 2, R = 0 and A = 2, none is more than half of their sum 4, so the verdict is churn.",
        ),
        (
            Tally(moved=1, edited=2),
            Verdict.CHURN,
            "D = R = A = 0: 1 moved and 2 edited sites are neither gone nor new, so the verdict is churn.",
        ),
        (Tally(), Verdict.NONE, "No site changes anywhere, so the verdict is none."),
        (
            Tally(),
            Verdict.VENDOR_INTERNAL,
            (
                "No site of neutral code or infrastructure changes, but sites elsewhere do, so the verdict is "
                "vendor-internal."
            ),
        ),
        (
            Tally(),
            Verdict.INFRASTRUCTURE,
            "No site of neutral code changes, but sites of infrastructure do, so the verdict is infrastructure.",
        ),
    ],
)
def test_a_sentence_leads_from_the_tally_to_the_verdict(tally: Tally, verdict: Verdict, sentence: str) -> None:
    assert arithmetic(tally, verdict) == sentence
