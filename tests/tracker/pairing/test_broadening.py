"""New names of other vendors: admitted beside one, or tied on their own."""

import pytest

from tests.tracker.judging import Outcome, change, judged, outcome

CODE = "src/project/runtime.py"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            'DEVICES = ["cuda"]\n',
            'DEVICES = ["cuda", "xpu"]\n',
            ("decoupling", "broadened", 0, 0),
            id="a list admits another vendor",
        ),
        pytest.param(
            "def fits(x):\n    return x.type == 'cuda'\n",
            "def fits(x):\n    return x.type in ('cuda', 'xpu', 'npu')\n",
            ("decoupling", "broadened", 0, 0),
            id="an equality becomes a list",
        ),
        pytest.param(
            "def ready():\n    if torch.cuda.is_available():\n        run()\n",
            "def ready():\n    if torch.cuda.is_available() or torch.xpu.is_available():\n        run()\n",
            ("decoupling", "broadened", 0, 0),
            id="a condition admits another vendor",
        ),
        pytest.param(
            'DEVICES = [\n    "cuda",\n]\n',
            'DEVICES = [\n    "cuda",\n    "xpu",\n]\n',
            ("decoupling", "broadened", 0, 0),
            id="a list of one name a line",
        ),
        pytest.param(
            "def fits(x):\n    return x.index if x.type == 'cuda' else None\n",
            "def fits(x):\n    return x.index if x.type in ('cuda', 'xpu') else None\n",
            ("decoupling", "broadened", 0, 0),
            id="the condition of a choice admits another vendor",
        ),
        pytest.param(
            "def run(x):\n    if not has_cuda():\n        skip()\n",
            "def run(x):\n    if not has_cuda() and not has_xpu():\n        skip()\n",
            ("decoupling", "broadened", 0, 0),
            id="neither vendor is refused any more",
        ),
        pytest.param(
            "def run(x):\n    if not has_cuda():\n        skip()\n    work(x)\n",
            "from lib import has_xpu\n\n\n"
            "def run(x):\n    if not (has_cuda() or has_xpu()):\n        skip()\n    work(x)\n",
            ("decoupling", "broadened", 0, 0),
            id="the import of the name that is admitted comes with it",
        ),
        pytest.param(
            "def run(x):\n    if not has_cuda():\n        skip()\n    work(x)\n",
            "from lib import has_xpu\n\n\ndef run(x):\n    if not (has_cuda() or has_xpu()):\n        skip()\n"
            "    work(x, has_xpu())\n",
            ("coupling", "introduced", 0, 2),
            id="an import that serves more than the admission is counted",
        ),
        pytest.param(
            "def launch(args):\n    if sum([args.multi, args.tpu]) > 1:\n        raise ValueError('pick one')\n",
            "def launch(args):\n    if sum([args.multi, args.tpu, args.mps]) > 1:\n"
            "        raise ValueError('pick one')\n",
            ("coupling", "introduced", 0, 1),
            id="one more name in a condition that refuses",
        ),
        pytest.param(
            "def ask(kind):\n    if has_xpu():\n        ask_more()\n",
            "def ask(kind):\n    if has_xpu() and kind not in [Kind.MULTI, Kind.TPU]:\n        ask_more()\n",
            ("coupling", "introduced", 0, 1),
            id="another vendor kept out by a further condition",
        ),
        pytest.param(
            "ENTRY = Skip('cuda', dtypes=[half])\n",
            "ENTRY = Skip('cuda', dtypes=[half], active_if=TEST_WITH_ROCM)\n",
            ("coupling", "introduced", 0, 1),
            id="another vendor's name as a further argument",
        ),
        pytest.param(
            "def seed(n):\n    if torch.cuda.is_available():\n        torch.cuda.manual_seed(n)\n",
            "def seed(n):\n    if torch.cuda.is_available():\n        torch.cuda.manual_seed(n)\n"
            "    elif torch.xpu.is_available():\n        torch.xpu.manual_seed(n)\n",
            ("coupling", "introduced", 0, 2),
            id="a new branch for another vendor is introduced",
        ),
        pytest.param(
            "def count():\n    return torch.cuda.device_count()\n",
            "def count():\n    return torch.xpu.device_count() if has_xpu() else torch.cuda.device_count()\n",
            ("coupling", "introduced", 0, 2),
            id="a choice between vendors is a branch",
        ),
        pytest.param(
            "from lib import is_cuda_available\n\n\nready = is_cuda_available()\n",
            "from lib import is_cuda_available, is_xpu_available\n\n\nready = is_cuda_available()\n",
            ("coupling", "introduced", 0, 1),
            id="another vendor's name that merely stands on the same import line",
        ),
        pytest.param(
            "def run(a):\n    log(a.cuda)\n",
            "def run(a):\n    log(a.cuda); check(a.xpu)\n",
            ("coupling", "introduced", 0, 1),
            id="another vendor's name that merely stands on the same line",
        ),
        pytest.param(
            "@pytest.mark.skipif(TEST_WITH_ROCM)\ndef test_one():\n    run()\n",
            "@pytest.mark.skipif(TEST_WITH_ROCM or TEST_XPU)\ndef test_one():\n    run()\n",
            ("coupling", "introduced", 0, 1),
            id="one more vendor kept out is a new skip",
        ),
        pytest.param(
            'OPTIONS = ["speed"]\n',
            'OPTIONS = ["speed", "xpu"]\n',
            ("coupling", "introduced", 0, 1),
            id="a list that named no vendor was nobody's",
        ),
        pytest.param(
            'DEVICES = ["cuda", "xpu"]\n',
            'DEVICES = ["cuda"]\n',
            ("removal", "dropped", 1, 0),
            id="a vendor taken off a list",
        ),
    ],
)
def test_another_vendors_name(before: str, after: str, expected: Outcome) -> None:
    assert outcome(change(CODE, before, after)) == expected


def test_a_place_that_admits_three_vendors_counts_once() -> None:
    found = judged(change(CODE, 'DEVICES = ["cuda"]\n', 'DEVICES = ["cuda", "xpu", "npu", "mlu"]\n'))
    assert (found.tally.broadened, found.tally.introduced, found.vendors) == (1, 0, ("nvidia",))


def test_what_broadening_brought_stands_in_the_ledger() -> None:
    found = judged(change(CODE, 'DEVICES = ["cuda"]\n', 'DEVICES = ["cuda", "xpu"]\n'))
    assert [(entry.site.symbol, entry.delta, entry.mechanism.value) for entry in found.entries] == [
        ("xpu", 1, "broadened")
    ]


def test_a_lifted_exclusivity_says_who_was_let_in() -> None:
    before = "def test_one(x):\n    assert x.is_cuda\n    return fast(x)\n"
    after = "def test_one(x):\n    check(x, 'xpu')\n    return fast(x)\n"
    entries = judged(change("tests/test_runtime.py", before, after)).entries
    assert [(one.site.symbol, one.mechanism.value, one.replaced_by) for one in entries if one.delta < 0] == [
        ("is_cuda", "broadened", "intel")
    ]


def test_a_decorator_for_one_vendor_that_lists_two_is_broadened() -> None:
    before = "@onlyCUDA\ndef test_one(self, device):\n    run(device)\n"
    after = '@onlyOn(["cuda", "xpu"])\ndef test_one(self, device):\n    run(device)\n'
    assert outcome(change("tests/test_runtime.py", before, after)) == ("decoupling", "broadened", 0, 0)


SHARED = "def fits(x):\n    return x.type in ('cuda', 'privateuseone')\n"
ALONE = "def fits(x):\n    return x.type in ('cuda',)\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(ALONE, SHARED, ("decoupling", "broadened", 0, 0), id="vendors from outside the tree are admitted"),
        pytest.param(SHARED, ALONE, ("coupling", "introduced", 0, 0), id="and kept out again"),
        pytest.param(
            "def fits(x):\n    return x.is_cuda()\n",
            "def fits(x):\n    return x.is_cuda()\n\n\ndef other(x):\n    return x.is_privateuseone()\n",
            ("none", None, 0, 0),
            id="their name elsewhere in the file opens nothing",
        ),
        pytest.param(
            "skip_for(['cuda'])\n",
            "skip_for(['cuda', 'privateuseone'])\n",
            ("none", None, 0, 0),
            id="a list of what is kept out admits nobody",
        ),
    ],
)
def test_who_is_admitted_while_every_site_stays(before: str, after: str, expected: Outcome) -> None:
    assert outcome(change(CODE, before, after)) == expected
