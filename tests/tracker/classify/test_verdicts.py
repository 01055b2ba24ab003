"""The guide's arithmetic: which verdict, where, about whom."""

import pytest

from tests.tracker.judging import change, judged, outcome
from tracker.classify import Tally

CODE = "src/project/runtime.py"
VENDOR = "src/project/cuda/stream.py"
CI = ".github/workflows/test.yml"


def test_a_commit_without_files_does_nothing() -> None:
    found = judged()
    assert (found.verdict, found.mechanism, found.area, found.vendors, found.entries) == ("none", None, None, (), ())
    assert found.tally == Tally()


def test_only_a_vendors_own_code_is_vendor_internal() -> None:
    assert outcome(change(VENDOR, "torch.cuda.init()\n", "torch.cuda.init()\ntorch.cuda.synchronize()\n")) == (
        "vendor-internal",
        None,
        0,
        0,
    )


def test_infrastructure_outweighs_a_vendors_own_code() -> None:
    assert (
        outcome(
            change(VENDOR, "torch.cuda.init()\n", "torch.cuda.synchronize()\n"),
            change(CI, "jobs:\n  a:\n    runs-on: cuda-runner\n", "jobs:\n  a:\n    runs-on: rocm-runner\n"),
        )[0]
        == "infrastructure"
    )


def test_a_neutral_site_outweighs_everything_outside() -> None:
    assert outcome(
        change(CI, "jobs:\n  a:\n    runs-on: cuda-runner\n", "jobs:\n  a:\n    runs-on: rocm-runner\n"),
        change(CODE, "x = 1\n", "x = torch.cuda.device_count()\n"),
    ) == ("coupling", "introduced", 0, 1)


def test_an_edited_line_with_the_same_sites_is_none() -> None:
    assert (
        outcome(change(CODE, "x = torch.ones(1, device='cuda')\n", "x = torch.ones(2, device='cuda')\n"))[0] == "none"
    )


def test_prose_and_comments_are_none() -> None:
    assert outcome(
        change("README.md", "text\n", "run it on cuda\n"),
        change(CODE, "x = 1\n", "x = 1  # cuda\n"),
    ) == ("none", None, 0, 0)


def test_a_neutral_construct_alone_is_none() -> None:
    assert outcome(change(CODE, "x = 1\n", "x = torch.accelerator.device_count()\n")) == ("none", None, 0, 0)


def test_half_is_no_majority() -> None:
    assert outcome(
        change(
            CODE,
            "def a():\n    torch.cuda.init()\n\n\ndef b():\n    return 1\n",
            "def a():\n    pass\n\n\ndef b():\n    return xpu_count()\n",
        )
    ) == ("churn", "dropped", 1, 1)


def test_the_largest_of_three_needs_more_than_half() -> None:
    before = (
        "def a(x, device):\n    x.to('cuda')\n    return x\n\n\ndef b():\n"
        "    torch.cuda.init()\n\n\ndef c():\n    return 1\n"
    )
    after = (
        "def a(x, device):\n    x.to(device)\n    return x\n\n\ndef b():\n    pass\n\n\n"
        "def c():\n    return xpu_count()\n"
    )
    found = judged(change(CODE, before, after))
    assert found.tally == Tally(generalised=1, dropped=1, introduced=1)
    assert found.verdict == "churn"


def test_a_pure_rename_is_none() -> None:
    text = "def a():\n    torch.cuda.init()\n"
    assert outcome(change(CODE, text, text, to="src/project/start.py"))[0] == "none"


@pytest.mark.parametrize(
    ("path", "to", "expected"),
    [
        pytest.param(CODE, VENDOR, ("decoupling", "relocated", 2, 0), id="into a vendor's territory"),
        pytest.param(VENDOR, CODE, ("coupling", "introduced", 0, 2), id="out of a vendor's territory"),
    ],
)
def test_a_rename_across_territories_takes_everything_along(
    path: str, to: str, expected: tuple[str, str, int, int]
) -> None:
    text = "def a():\n    torch.cuda.init()\n    torch.cuda.synchronize()\n"
    assert outcome(change(path, text, text, to=to)) == expected


def test_what_a_renamed_file_loses_is_judged_in_it() -> None:
    before = "def a(x, device):\n    torch.cuda.init()\n    return x.to('cuda')\n"
    after = "def a(x, device):\n    torch.cuda.init()\n    return x.to(device)\n"
    assert outcome(change(CODE, before, after, to="src/project/start.py")) == ("decoupling", "generalised", 1, 0)


def test_the_dominant_vendor_comes_first() -> None:
    found = judged(change(CODE, "x = 1\n", "x = [hpu_a(), hpu_b(), torch.cuda.init()]\n"))
    assert found.vendors == ("habana", "nvidia")


def test_the_area_is_where_most_sites_stand() -> None:
    found = judged(
        change("tests/test_a.py", "x = 1\n", "x = [torch.cuda.init(), torch.cuda.synchronize()]\n"),
        change(CODE, "x = 1\n", "x = torch.cuda.init()\n"),
    )
    assert found.area == "test"


def test_moved_sites_decide_the_area_only_where_nothing_else_does() -> None:
    found = judged(
        change("tests/test_a.py", "def a():\n    torch.cuda.init()\n", "def a():\n    pass\n"),
        change("tests/test_b.py", "def a():\n    pass\n", "def a():\n    torch.cuda.init()\n"),
    )
    assert (found.verdict, found.area, found.vendors) == ("churn", "test", ("nvidia",))
