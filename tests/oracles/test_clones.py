"""On the test trees of whole clones, our sites contain whatever the outside oracles flag; the exceptions are listed.

TRACKER_TEST_CLONES names the clones as TRACKER_REPOSITORIES does: `owner/name=path@ref`, separated by commas. Clones
are only read. `pytest tests/oracles/test_clones.py -s` prints how much was compared.
"""

import io
import os
import re
import subprocess
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from tests.oracles.containment import not_contained
from tests.oracles.device_bias import device_biases
from tests.oracles.finding import Finding
from tests.oracles.torch_cuda_lines import torch_cuda_lines
from tests.oracles.torch_cuda_names import torch_cuda_names
from tracker.settings import RepositorySetting, parse_repository
from tracker.settings.repositories import split_repositories

_CLONES = [parse_repository(text) for text in split_repositories(os.environ.get("TRACKER_TEST_CLONES", ""))]
_IN_TEST_TREE = re.compile(r"(?:.*/)?(?:tests?|testing|tests_\w+)/.*\.py|(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py")

_ORACLES: dict[str, Callable[[bytes], list[Finding]]] = {
    "device bias": lambda content: device_biases(content.decode()),
    "device bias, every function": lambda content: device_biases(content.decode(), every_function=True),
    "check-torchcuda": lambda content: list(torch_cuda_lines(content)),
    "lint_cuda": lambda content: torch_cuda_names(content.decode()),
}

_EXCEPTIONS: dict[tuple[str, str, str], str] = {
    ("check-torchcuda", "pytorch/pytorch", "test/jit/test_tracer.py"): "the reason of a skip, a message",
    ("check-torchcuda", "pytorch/pytorch", "test/test_cuda.py"): "a program in a plain string for another interpreter",
    ("check-torchcuda", "pytorch/pytorch", "test/test_import_stats.py"): "a program in a plain string, as above",
    ("check-torchcuda", "pytorch/pytorch", "test/test_multiprocessing.py"): "a program in a plain string, as above",
    ("check-torchcuda", "pytorch/pytorch", "torch/testing/_internal/common_utils.py"): "docstrings",
    (
        "check-torchcuda",
        "Lightning-AI/pytorch-lightning",
        "tests/tests_fabric/utilities/test_device_dtype_mixin.py",
    ): "docstring",
    ("check-torchcuda", "Lightning-AI/pytorch-lightning", "tests/tests_fabric/utilities/test_seed.py"): "docstrings",
    ("check-torchcuda", "Lightning-AI/pytorch-lightning", "tests/tests_pytorch/loops/test_fetchers.py"): "docstring",
    ("check-torchcuda", "Lightning-AI/pytorch-lightning", "tests/tests_pytorch/utilities/test_seed.py"): "docstring",
}
"""(oracle, repository, file) -> why what it flags there is no site.

Comments, which only check-torchcuda reads, are none anywhere and are not listed.
"""


def python_of_the_test_tree(clone: RepositorySetting) -> Iterator[tuple[str, bytes]]:
    """Yield each Python file of a clone's tests with its content."""
    git = ["git", f"--git-dir={clone.mirror}"]
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", clone.ref or "HEAD"], capture_output=True, check=True).stdout
    entries = [entry.partition("\t") for entry in listed.decode(errors="surrogateescape").split("\0") if entry]
    files = [
        (head.split()[2], path) for head, _, path in entries if head[:3] == "100" and _IN_TEST_TREE.fullmatch(path)
    ]
    names = "".join(f"{oid}\n" for oid, _ in files).encode()
    blobs = subprocess.run([*git, "cat-file", "--batch"], input=names, capture_output=True, check=True).stdout
    position = 0
    for _, path in files:
        head = blobs.index(b"\n", position)
        end = head + 1 + int(blobs[position:head].split()[2])
        yield path, blobs[head + 1 : end]
        position = end + 1


def in_comment(content: bytes, finding: Finding) -> bool:
    """Say whether Python's own tokenizer calls the place a comment."""
    column = len(content.split(b"\n")[finding.line - 1][: finding.start].decode())
    return any(
        token.type == tokenize.COMMENT and token.start[0] == finding.line and token.start[1] <= column
        for token in tokenize.tokenize(io.BytesIO(content).readline)
    )


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("clone", _CLONES, ids=lambda clone: clone.slug)
def test_whatever_the_oracles_flag_is_a_site_or_a_listed_exception(clone: RepositorySetting) -> None:
    compared: Counter[str] = Counter()
    outside: dict[tuple[str, str, str], list[Finding]] = {}
    for path, content in python_of_the_test_tree(clone):
        compared["files"] += 1
        for oracle, findings_in in _ORACLES.items():
            try:
                with warnings.catch_warnings(action="ignore"):  # what the compiler says about odd escapes is not ours
                    findings = findings_in(content)
            except SyntaxError:
                compared["not Python 3"] += 1
                continue
            compared[oracle] += len(findings)
            for finding in not_contained(content, findings):
                if in_comment(content, finding):
                    compared["in comments"] += 1
                else:
                    outside.setdefault((oracle, clone.slug, path), []).append(finding)
    print(f"\n{clone.slug}: {dict(compared)}, not contained: { {key: len(found) for key, found in outside.items()} }")
    assert compared["files"] > 0
    assert {key: found for key, found in outside.items() if key not in _EXCEPTIONS} == {}
