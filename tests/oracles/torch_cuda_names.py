"""What lint_cuda of llm-compressor and compressed-tensors matches: any attribute of torch.cuda, any import from it.

Restated from the description of its behaviour (llm-compressor #2776, compressed-tensors #771): it reads syntax, so
comments and strings are nothing to it; `import torch.cuda` and aliases escape it.
"""

import ast

from tests.oracles.finding import Finding, dotted, finding_of


def torch_cuda_names(text: str) -> list[Finding]:
    """Return what the linter objects to in a Python text.

    Raises: SyntaxError where the text is not Python 3.
    """
    found: list[Finding] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and dotted(node) == "torch.cuda":
            found.append(finding_of(node, "cuda"))
        if isinstance(node, ast.ImportFrom) and not node.level and _is_torch_cuda(node.module or ""):
            start = node.col_offset + len("from ")
            found.append(Finding(node.lineno, start, start + len(node.module or ""), node.module or ""))
    return sorted(found)


def _is_torch_cuda(module: str) -> bool:
    return module == "torch.cuda" or module.startswith("torch.cuda.")
