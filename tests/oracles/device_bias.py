"""What version 3 of PyTorch's TEST_DEVICE_BIAS linter matches: a test meant for any GPU that names one vendor's device.

Restated from the description of its behaviour in pull requests #152948, #159926 and #159949. It looks at functions
decorated with `requires_gpu` or `requires_triton` (as a name or a call), and at every function of a file whose
`if __name__ == "__main__":` asks for HAS_GPU or RUN_GPU. There it objects to a vendor's word in a constant that is the
keyword `device`, the first argument of `.to`, or the argument of a device made for either or for a `with`; and to any
call of `.cuda`, `.xpu` or `.mps`. It does not see `async def`.
"""

import ast
from collections.abc import Iterator

from tests.oracles.finding import Finding, finding_of

WORDS = ("cuda", "xpu", "mps")
_DECORATORS = ("requires_gpu", "requires_triton")
_QUESTIONS = ("HAS_GPU", "RUN_GPU")


def device_biases(text: str, *, every_function: bool = False) -> list[Finding]:
    """Return what the linter objects to in a Python text, each place once.

    Args:
        every_function: look at all of them, as if each were for any GPU.

    Raises: SyntaxError where the text is not Python 3.
    """
    tree = ast.parse(text)
    whole = every_function or any(_asks_for_gpu(node) for node in tree.body)
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and (whole or _is_for_any_gpu(node))
    ]
    return sorted({found for function in functions for node in ast.walk(function) for found in _biases(node)})


def _is_for_any_gpu(function: ast.FunctionDef) -> bool:
    called = [node.func if isinstance(node, ast.Call) else node for node in function.decorator_list]
    return any(isinstance(node, ast.Name) and node.id in _DECORATORS for node in called)


def _asks_for_gpu(node: ast.stmt) -> bool:
    if not (isinstance(node, ast.If) and _is_main(node.test)):
        return False
    return any(
        _names_gpu(inner.test) for statement in node.body for inner in ast.walk(statement) if isinstance(inner, ast.If)
    )


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _names_gpu(test: ast.expr) -> bool:
    match test:
        case ast.BoolOp(values=values):
            return any(map(_names_gpu, values))
        case ast.UnaryOp(operand=operand):
            return _names_gpu(operand)
        case ast.Compare(left=left, comparators=others):
            return any(map(_names_gpu, [left, *others]))
        case ast.Name(id=name):
            return name in _QUESTIONS
        case _:
            return False


def _biases(node: ast.AST) -> Iterator[Finding]:
    if isinstance(node, ast.With):
        for item in node.items:
            yield from _device_made(item.context_expr)
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        if keyword.arg == "device":
            yield from _constant(keyword.value)
            yield from _device_made(keyword.value)
    if isinstance(node.func, ast.Attribute):
        if node.func.attr in WORDS:
            yield finding_of(node.func, node.func.attr)
        if node.func.attr == "to" and node.args:
            yield from _constant(node.args[0])


def _device_made(node: ast.expr) -> Iterator[Finding]:
    """Yield the word in x.device("cuda")."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "device" and node.args:
        yield from _constant(node.args[0])


def _constant(node: ast.expr) -> Iterator[Finding]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and any(word in node.value for word in WORDS):
        yield finding_of(node, node.value)
