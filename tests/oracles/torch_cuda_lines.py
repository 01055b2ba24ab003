"""What DeepSpeed's check-torchcuda script matches: raw lines that go to CUDA past the accelerator's interface.

Restated from the description of its behaviour (DeepSpeed #2981): `torch.cuda` on any line without the mark
`#ignore-cuda`, and `.cuda()` and `.is_cuda` on any line. Comments, docstrings and messages are lines to it.
"""

import re
from collections.abc import Iterator

from tests.oracles.finding import Finding

MARK = b"#ignore-cuda"
_TORCH_CUDA = re.compile(rb"torch\.cuda")
_TENSOR_CUDA = re.compile(rb"\.cuda\(\)|\.is_cuda")


def torch_cuda_lines(content: bytes) -> Iterator[Finding]:
    """Yield each match, in the order of the lines."""
    for number, line in enumerate(content.split(b"\n"), start=1):
        found = [*_TENSOR_CUDA.finditer(line)] + ([] if MARK in line else [*_TORCH_CUDA.finditer(line)])
        for match in sorted(found, key=lambda match: match.start()):
            yield Finding(number, match.start(), match.end(), match[0].decode())
