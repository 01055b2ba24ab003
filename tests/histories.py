"""A made-up upstream history for tests: code that is coupled, moved, generalised, deleted and brought back."""

from tests.repositories import Content, Repository, Symlink

COUPLED = "import torch\n\n\ndef wait() -> None:\n    torch.cuda.synchronize()\n"
NEUTRAL = "import torch\n\n\ndef wait() -> None:\n    torch.accelerator.synchronize()\n"


_BODY = "    def test_x(self):\n        torch.cuda.synchronize()\n"
_MARK = "    hw_classification = HardwareClassification.CUDA\n"
_CLASSES = [
    f"class TestX(TestCase):\n{_BODY}",
    f"class TestX(TestCase):\n    pass\nclass TestXOnCUDA(TestCase):\n{_BODY}",
    f"class TestX(TestCase):\n{_MARK}{_BODY}",
    f"class TestX(TestCase):\n{_BODY}class TestXOnCUDA(TestCase):\n{_BODY}",
    "x = 1\n",
]
"""A test in a shared file that is carried into a class for one vendor and back, or only marked as one."""


def write_history(upstream: Repository, changes: int, *, start: int = 0) -> list[str]:
    """Write so many numbered changes, some of them in two commits, and return the shas, oldest first.

    Args:
        start: the first number; the same number makes the same change.
    """
    return [sha for number in range(start, start + changes) for sha in _commits(upstream, number)]


def _commits(upstream: Repository, number: int) -> list[str]:
    code = COUPLED * (number % 4) + NEUTRAL * (number % 3) + f"# {number}\n"
    changes: dict[str, Content] = {
        f"torch/f{number % 5}.py": code,
        f"aten/src/ATen/cuda/f{number % 3}.cu": f"cudaMalloc({number}); cudaFree(x);\n" * (number % 4),
        f"test/test_f{number % 4}.py": "@onlyCUDA\ndef test_x(self): pass\n" * (number % 3 + 1),
        f"test/test_classes{number % 2}.py": _CLASSES[number % len(_CLASSES)],
        f"notes/{number}.md": "torch.cuda stands in prose\n",
    }
    if number % 7 == 6:
        changes[f"torch/f{(number + 2) % 5}.py"] = None
    if number % 9 == 8:
        changes["torch/link.py"] = Symlink(f"f{number % 5}.py")
    subject = f"Change number {number} (#{number + 100})"
    if number % 11 == 10:
        subject = f'Revert "Change number {number - 1} (#{number + 99})"'
    author = f"Person {number % 6} <person{number % 6}@{('example.com', 'intel.com', 'nvidia.com')[number % 3]}>"
    shas = [upstream.commit(changes, f"{subject}\n\nWhy.\n", author=author)]
    if number % 10 == 9:
        moves = {f"test/test_f{number % 4}.py": f"test/moved_{number}.py"}
        shas.append(upstream.commit({}, f"Move tests (#{number + 1000})\n", moves=moves))
    return shas
