"""The oracles themselves, on texts small enough to judge by eye."""

import pytest

from tests.oracles.device_bias import device_biases
from tests.oracles.torch_cuda_lines import torch_cuda_lines
from tests.oracles.torch_cuda_names import torch_cuda_names

_GPU_TEST = "@requires_gpu()\ndef test(self):\n    "
_ANY_TEST = "def test(self):\n    "
_MAIN = '\nif __name__ == "__main__":\n    if '


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("f(device='cuda')", ["cuda"]),
        ("f(device='cuda:0')", ["cuda:0"]),
        ("f(device=torch.device('xpu'))", ["xpu"]),
        ("x.cuda(); y.mps()", ["cuda", "mps"]),
        ("torch.cuda()", ["cuda"]),
        ("x.to('cuda')", ["cuda"]),
        ("with torch.device('cuda'): pass", ["cuda"]),
        ("f(device=0)", []),
        ("f(device=GPU_TYPE)", []),
        ("f(device=f'cuda:{rank}')", []),
        ("f('cuda')", []),
        ("torch.device('cuda')", []),
        ("torch.cuda.synchronize()", []),
        ("init(backend='nccl')", []),
        ("x.to(y, 'cuda')", []),
        ("pass  # x.cuda()", []),
    ],
)
def test_what_device_bias_sees_in_a_test_for_any_gpu(statement: str, words: list[str]) -> None:
    assert [found.text for found in device_biases(_GPU_TEST + statement)] == words


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (_ANY_TEST + "x.cuda()", False),
        ("@requires_gpu\n" + _ANY_TEST + "x.cuda()", True),
        ("@requires_triton()\n" + _ANY_TEST + "x.cuda()", True),
        ("@requires_cuda\n" + _ANY_TEST + "x.cuda()", False),
        ("@common.requires_gpu\n" + _ANY_TEST + "x.cuda()", False),
        ("@requires_gpu\nasync " + _ANY_TEST + "x.cuda()", False),
        ("class T:\n    @requires_gpu\n    def test(self):\n        x.cuda()", True),
        (_ANY_TEST + "x.cuda()" + _MAIN + "HAS_GPU: run()", True),
        (_ANY_TEST + "x.cuda()" + _MAIN + "HAS_CPU or not RUN_GPU == 1: run()", True),
        (_ANY_TEST + "x.cuda()" + _MAIN + "f(HAS_GPU): run()", False),
        (_ANY_TEST + "x.cuda()" + _MAIN + "HAS_CUDA: run()", False),
        ("x.cuda()" + _MAIN + "HAS_GPU: run()", False),
    ],
)
def test_which_functions_device_bias_looks_at(text: str, seen: bool) -> None:
    assert bool(device_biases(text)) is seen


def test_a_function_inside_a_function_is_reported_once() -> None:
    nested = "@requires_gpu\ndef test():\n    @requires_gpu\n    def inner():\n        x.cuda()\n"
    assert device_biases(nested) == [(5, 10, 14, "cuda")]


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("torch.cuda.synchronize()", ["torch.cuda"]),
        ("x = torch.cuda.Event  #ignore-cuda", []),
        ("x.cuda(), y.is_cuda  #ignore-cuda", [".cuda()", ".is_cuda"]),
        ("# torch.cuda", ["torch.cuda"]),
        ("x.cuda(0)", []),
        ("torch. cuda", []),
        ("f('cuda')", []),
    ],
)
def test_what_check_torchcuda_sees(line: str, texts: list[str]) -> None:
    assert [found.text for found in torch_cuda_lines(line.encode())] == texts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("torch.cuda.synchronize()", [(1, 6, 10, "cuda")]),
        ("f(torch.cuda, torch.cuda.a.b)", [(1, 8, 12, "cuda"), (1, 20, 24, "cuda")]),
        ("from torch.cuda import amp", [(1, 5, 15, "torch.cuda")]),
        ("from torch.cuda.amp import autocast", [(1, 5, 19, "torch.cuda.amp")]),
        ("x = (torch\n  .cuda.f)", [(2, 3, 7, "cuda")]),
        ("import torch.cuda", []),
        ("from .torch.cuda import amp", []),
        ("from torch.cudart import f", []),
        ("x.torch.cuda.f()", []),
        ("x.cuda(); 'torch.cuda.f'  # torch.cuda.f", []),
        ("f().torch.cuda", []),
    ],
)
def test_what_lint_cuda_sees(text: str, found: list[tuple[int, int, int, str]]) -> None:
    assert torch_cuda_names(text) == found


@pytest.mark.parametrize("oracle", [device_biases, torch_cuda_names])
def test_python_2_is_no_syntax_to_them(oracle: object) -> None:
    assert callable(oracle)
    with pytest.raises(SyntaxError):
        oracle("print 'cuda'")
