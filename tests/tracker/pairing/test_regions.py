"""Sites that come into a region of their file, or out of it: the ledger follows; the verdict, only where lines move."""

from tests.tracker.judging import change, judged, outcome
from tracker.classify import Judgement, needs_text

TESTS = "tests/test_streams.py"
BODY = "    def test_wait(self):\n        torch.cuda.synchronize()\n"
SHARED = f"class TestStreams(TestCase):\n{BODY}"
OWN = f"class TestStreamsOnCUDA(TestCase):\n{BODY}"
MARKED = f"class TestStreams(TestCase):\n    hw_classification = HardwareClassification.CUDA\n{BODY}"
EMPTY = "class TestStreams(TestCase):\n    pass\n"


def entries(found: Judgement) -> list[tuple[str, int, str, str]]:
    return [(one.site.symbol, one.delta, one.territory.value, one.mechanism.value) for one in found.entries]


def test_a_new_test_class_for_one_vendor_couples_nothing() -> None:
    assert outcome(change(TESTS, EMPTY, EMPTY + OWN)) == ("vendor-internal", None, 0, 0)
    assert outcome(change(TESTS, EMPTY + OWN, EMPTY)) == ("vendor-internal", None, 0, 0)
    assert outcome(change(TESTS, None, OWN)) == ("vendor-internal", None, 0, 0)


def test_the_same_class_for_everyone_couples() -> None:
    assert outcome(change(TESTS, EMPTY, EMPTY + SHARED.replace("Streams", "Others"))) == (
        "coupling",
        "introduced",
        0,
        1,
    )
    assert outcome(change("src/streams.py", "x = 1\n", OWN)) == ("coupling", "introduced", 0, 2)


def test_a_test_that_is_carried_into_a_vendors_class_of_its_file_is_relocated() -> None:
    found = judged(change(TESTS, SHARED, EMPTY + OWN))
    assert (found.verdict.value, found.removed, found.added) == ("decoupling", 1, 0)
    assert entries(found) == [
        ("torch.cuda.synchronize", -1, "neutral", "relocated"),
        ("torch.cuda.synchronize", 1, "vendor_test", "outside"),
        ("TestStreamsOnCUDA", 1, "vendor_test", "outside"),
    ]


def test_a_test_that_is_carried_out_of_a_vendors_class_is_introduced() -> None:
    found = judged(change(TESTS, EMPTY + OWN, SHARED))
    assert (found.verdict.value, found.removed, found.added) == ("coupling", 0, 1)
    assert ("torch.cuda.synchronize", 1, "neutral", "introduced") in entries(found)
    assert ("torch.cuda.synchronize", -1, "vendor_test", "outside") in entries(found)


def test_a_class_that_is_only_marked_takes_its_sites_along_and_decouples_nothing() -> None:
    one = change(TESTS, SHARED, MARKED)
    assert needs_text(one)
    found = judged(one)
    assert (found.verdict.value, found.mechanism, found.removed, found.added) == ("churn", "moved", 0, 0)
    assert entries(found) == [
        ("torch.cuda.synchronize", -1, "neutral", "moved"),
        ("torch.cuda.synchronize", 1, "vendor_test", "outside"),
        ("HardwareClassification.CUDA", 1, "vendor_test", "outside"),
    ]


def test_a_class_that_is_no_longer_marked_brings_its_sites_back_and_couples_nothing() -> None:
    found = judged(change(TESTS, MARKED, SHARED))
    assert (found.verdict.value, found.removed, found.added) == ("vendor-internal", 0, 0)
    assert ("torch.cuda.synchronize", 1, "neutral", "moved") in entries(found)


def test_a_label_for_any_hardware_changes_nothing() -> None:
    for label in ("GENERIC", "ACCELERATOR", "CPU"):
        assert outcome(change(TESTS, SHARED, MARKED.replace(".CUDA", f".{label}"))) == ("none", None, 0, 0)


def test_a_class_that_is_renamed_to_a_vendors_takes_its_sites_along() -> None:
    found = judged(change(TESTS, SHARED, OWN))
    assert (found.verdict.value, found.removed, found.added) == ("churn", 0, 0)
    assert ("torch.cuda.synchronize", -1, "neutral", "moved") in entries(found)


def test_of_several_equal_sites_the_one_in_the_marked_class_moves() -> None:
    other = SHARED.replace("Streams", "Others")
    found = judged(change(TESTS, other + SHARED, other + MARKED))
    (moved,) = [one for one in found.entries if one.mechanism == "moved"]
    assert moved.lines == (6,)


def test_what_is_generalised_beside_a_vendors_class_is_judged_as_ever() -> None:
    neutral = SHARED.replace("torch.cuda", "torch.accelerator")
    assert outcome(change(TESTS, SHARED + OWN, neutral + OWN)) == ("decoupling", "generalised", 1, 0)


def test_a_neutral_name_in_a_vendors_class_is_the_vendors_change() -> None:
    neutral = OWN.replace("torch.cuda", "torch.accelerator")
    assert outcome(change(TESTS, SHARED + OWN, SHARED + neutral)) == ("vendor-internal", None, 0, 0)


def test_a_file_that_is_renamed_keeps_its_regions() -> None:
    found = judged(change(TESTS, SHARED + OWN, SHARED + OWN, to="tests/test_waits.py"))
    assert (found.verdict.value, found.removed, found.added) == ("none", 0, 0)
    assert {(one.territory.value, one.mechanism.value) for one in found.entries} == {
        ("neutral", "moved"),
        ("vendor_test", "outside"),
    }


def test_a_file_renamed_to_a_vendors_relocates_only_what_was_neutral_in_it() -> None:
    found = judged(change(TESTS, SHARED + OWN, SHARED + OWN, to="tests/test_cuda_streams.py"))
    assert (found.verdict.value, found.mechanism, found.removed, found.added) == ("decoupling", "relocated", 1, 0)


def test_a_vendor_added_to_an_enumeration_of_vendors_couples_nothing() -> None:
    enumeration = "enum class Kind {{ CPU, CUDA, HIP{} }};\n"
    one = change("src/kind.h", enumeration.format(""), enumeration.format(", XPU"))
    assert outcome(one) == ("vendor-internal", None, 0, 0)
    assert outcome(change("src/kind.h", "int x;\n", "int x = XPU;\n")) == ("coupling", "introduced", 0, 1)
