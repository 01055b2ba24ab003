"""Strings that people read."""

import pytest

from tests.tracker.detect.conftest import shipped_detector


def is_message(text: str) -> bool:
    content = text.encode()
    return shipped_detector().messages.is_message(content, content.index(b'"cuda"'), 0)


@pytest.mark.parametrize(
    "text",
    [
        'print("cuda")',
        'print(x, y[0], "cuda")',
        'print(x,\n      f(a, b),\n      "cuda")',
        'raise ValueError("cuda")',
        'raise "cuda"',
        'log.warning((a, b), "cuda")',
        'warn(("cuda"))',
        'f(x, msg="cuda")',
        'error_message = "cuda"',
        'assert x == "y", "cuda"',
        'self.skipTest("cuda")',
        'TORCH_CHECK(f(x), "cuda")',
        'TORCH_INTERNAL_ASSERT(a[0] == 1, "cuda")',
        'LOG(INFO) << "cuda"',
        'x = 1; std::cerr << "cuda"',
        'message(STATUS "cuda")',
    ],
)
def test_an_argument_of_a_printing_call_or_statement_is_a_message(text: str) -> None:
    assert is_message(text)


@pytest.mark.parametrize(
    "text",
    [
        'f("cuda")',
        'f(x, "cuda")',
        'print(x); y = "cuda"',
        'print(x)\ny("cuda")',
        'print(d["cuda"])',
        'print(x == "cuda")',
        'assert x == "cuda"',
        'assert f(x, "cuda"), "no"',
        'device="cuda"',
        'f(x, device="cuda")',
        'return "cuda"',
        'devices = ["cpu", "cuda"]',
        '{"a": 1, "cuda": 2}',
        'ss << "cuda"',
        'if (x == "cuda") {',
        'print("a)", f("(", "cuda"))',
        '# print(\nf("cuda")',
        "x = '''print(''' + \"cuda\"",
    ],
)
def test_other_strings_are_none(text: str) -> None:
    assert not is_message(text)
