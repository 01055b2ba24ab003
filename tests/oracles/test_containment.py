"""On texts of our own, our sites contain whatever the outside oracles flag, but for what nobody runs."""

from tests.oracles.containment import not_contained
from tests.oracles.device_bias import device_biases
from tests.oracles.torch_cuda_lines import torch_cuda_lines
from tests.oracles.torch_cuda_names import torch_cuda_names

_IN_TESTS = """\
import unittest

import torch
from torch.cuda import amp
from torch.cuda.amp import autocast as cast
from torch.testing import requires_cuda_extra, requires_gpu


@requires_gpu()
class TestNothing(unittest.TestCase):
    pass


class TestSums(unittest.TestCase):
    @requires_gpu
    def test_sum(self, kinds={"half": torch.cuda.HalfTensor}):
        x = torch.ones(3, device="cuda")
        y = torch.ones(3, device=torch.device("cuda:0")) if torch.cuda.is_available() else x.to("xpu:1")
        with torch.device('cuda'), torch.cuda.stream(torch.cuda.Stream()) as stream, open("a") as b:
            z = self.net[0](x.cuda()).cuda(  # moved
                non_blocking=True).mps()
        rows = [a.cuda().is_cuda for a in (x, y, z) if not a.is_cuda]
        assert all(rows) and x.to(
            "cuda", copy=True
        ).device.type == "cuda", "it is elsewhere"
        é = "é".encode(), torch.cuda.current_device()
        torch.\\
            cuda.synchronize(); (torch
            .cuda.empty_cache)()
        lambda t=x.cuda(): t.xpu()

        @requires_gpu()
        def inner(d: "torch.device" = torch.device("cuda")) -> torch.cuda.FloatTensor:
            yield from (f"{x.cuda()}", f"{torch.cuda.device_count()}")
            return d.to("mps").to(device="mps")


    async def test_later(self):
        await self.later(torch.cuda.Event(enable_timing=True), x.cuda())


if __name__ == "__main__":
    if not requires_cuda_extra and HAS_GPU:
        unittest.main()
"""
_NOT_RUN = '''\
# torch.cuda.synchronize() was here
def f(x):
    """Calls x.cuda() and torch.cuda.synchronize()."""
    print("torch.cuda is missing", x.is_cuda)
    raise ValueError(f"{x} is not on torch.cuda")
'''


def test_what_the_device_bias_linter_flags_is_a_site() -> None:
    found = device_biases(_IN_TESTS)
    assert [finding.line for finding in found] == [17, 18, 18, 19, 20, 20, 21, 22, 24, 30, 30, 34, 35, 35]
    assert not_contained(_IN_TESTS.encode(), found) == []


def test_what_lint_cuda_flags_is_a_site() -> None:
    found = torch_cuda_names(_IN_TESTS)
    assert [finding.line for finding in found] == [4, 5, 16, 18, 19, 19, 26, 28, 29, 33, 34, 39]
    assert not_contained(_IN_TESTS.encode(), found) == []


def test_what_check_torchcuda_flags_in_code_is_a_site() -> None:
    found = list(torch_cuda_lines(_IN_TESTS.encode()))
    assert [finding.line for finding in found] == [4, 5, 16, 18, 19, 19, 20, 22, 22, 22, 26, 30, 33, 34, 34, 39, 39]
    assert not_contained(_IN_TESTS.encode(), found) == []


def test_comments_docstrings_and_messages_are_lines_to_check_torchcuda_and_no_sites() -> None:
    content = _NOT_RUN.encode()
    outside = not_contained(content, torch_cuda_lines(content))
    assert [(finding.line, finding.text) for finding in outside] == [
        (1, "torch.cuda"),
        (3, ".cuda()"),
        (3, "torch.cuda"),
        (4, "torch.cuda"),
        (5, "torch.cuda"),
    ]
