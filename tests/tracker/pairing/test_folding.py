"""Variants for single vendors folded into one definition, and lists that are computed now."""

import pytest

from tests.tracker.judging import Outcome, change, outcome

TEST = "tests/test_metric.py"
BUILD = "src/CMakeLists.txt"

BODY = (
    "    metric = CosineSimilarity(device=device)\n"
    "    metric.attach(engine, 'similarity')\n"
    "    assert engine.state.metrics['similarity'] == expected\n"
)
HELPER = "def _test_integration(device):\n" + BODY
VARIANTS = (
    "\n\n@pytest.mark.skipif(torch.cuda.device_count() < 1, reason='none')\n"
    "def test_one_device(context_nccl):\n    _test_integration(get_device())\n"
    "\n\n@pytest.mark.tpu\ndef test_one_other():\n    _test_integration(get_device())\n"
)
FOLDED = "class TestDistributed:\n    def test_integration(self):\n" + BODY.replace("    ", "        ")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            HELPER + VARIANTS, FOLDED, ("decoupling", "generalised", 3, 0), id="one class runs what each variant called"
        ),
        pytest.param(
            HELPER + VARIANTS,
            "class TestOther:\n    def test_other_things(self):\n        assert nothing_of_that_kind()\n",
            ("removal", "retired", 3, 0),
            id="what they called is gone as well",
        ),
        pytest.param(
            HELPER + VARIANTS[: VARIANTS.index("\n\n@pytest.mark.tpu")],
            FOLDED,
            ("removal", "retired", 2, 0),
            id="one variant alone is folded with nothing",
        ),
        pytest.param(
            HELPER + VARIANTS,
            FOLDED.replace("        metric =", "        x.cuda()\n        metric =", 1).replace(
                "(self)", "(self, nccl)"
            ),
            ("removal", "retired", 3, 2),
            id="folded into a definition that brings a vendor",
        ),
        pytest.param(
            HELPER
            + "\n\ndef test_first():\n    _test_integration(one().cuda())\n"
            + "\n\ndef test_second():\n    _test_integration(two())\n",
            FOLDED,
            ("removal", "retired", 1, 0),
            id="no variant of a vendor among what was folded",
        ),
        pytest.param(
            HELPER + VARIANTS,
            FOLDED.replace("test_integration", "_integration")
            + "\n    def test_nccl(self):\n        self._integration(torch.cuda.current_device())\n",
            ("removal", "retired", 2, 1),
            id="folded into a definition that is called for a vendor",
        ),
        pytest.param(
            HELPER + VARIANTS, HELPER, ("removal", "retired", 3, 0), id="the helper stays and its callers are gone"
        ),
    ],
)
def test_variants(before: str, after: str, expected: Outcome) -> None:
    assert outcome(change(TEST, before, after)) == expected


LIST = "set(generated\n  CPUStorage.h\n  CUDAStorage.h\n  CUDATensor.h\n)\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(
            "execute_process(\n  COMMAND python gen.py --list\n  OUTPUT_VARIABLE generated\n)\n",
            ("decoupling", "generalised", 2, 0),
            id="a program says what is in it",
        ),
        pytest.param('file(GLOB generated "*.h")\n', ("decoupling", "generalised", 2, 0), id="what is there is in it"),
        pytest.param("", ("removal", "dropped", 2, 0), id="the list is gone"),
        pytest.param("set(generated\n  CPUStorage.h\n)\n", ("removal", "dropped", 2, 0), id="the list is shorter"),
        pytest.param(
            "execute_process(\n  COMMAND python gen.py\n  OUTPUT_VARIABLE other\n)\n",
            ("removal", "dropped", 2, 0),
            id="another list is computed",
        ),
    ],
)
def test_lists(after: str, expected: Outcome) -> None:
    start, end = "project(example)\n", "add_library(example main.cpp)\n"
    assert outcome(change(BUILD, start + LIST + end, start + after + end)) == expected


def test_a_written_list_in_python_becomes_a_call() -> None:
    before = "import build\n\nSOURCES = [\n    'cpu/one.cpp',\n    'cuda/one.cpp',\n]\n\nbuild.run(SOURCES)\n"
    after = "import build\n\nSOURCES = build.find_sources()\n\nbuild.run(SOURCES)\n"
    assert outcome(change("setup.py", before, after)) == ("decoupling", "generalised", 1, 0)


def test_hundreds_of_definitions_gone_and_new_take_no_time_worth_naming() -> None:
    before = "".join(f"def test_{n}_cuda(device):\n    _helper_{n % 100}(device)\n\n\n" for n in range(500))
    before += "".join(f"def _helper_{n}(device):\n    assert run(device) == {n}\n\n\n" for n in range(100))
    after = "".join(f"def test_new_{n}(device):\n    assert run(device) > {n}\n\n\n" for n in range(500))
    verdict, *_ = outcome(change(TEST, before, after))
    assert verdict in {"removal", "decoupling"}
