"""Which definition a line stands in, by language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.pairing.definitions import defined_names, find_definitions
from tracker.pairing.lines import split_lines

PYTHON = """\
import os

@skipIfRocm
@parametrize(
    "x", [1, 2]
)
class TestNet(Base):
    limit = 3

    @onlyCUDA
    def test_one(
        self, device
    ):
        def inner():
            return 1

        return inner()

    async def test_two(self):
        pass


VALUE = 1
"""

NATIVE = """\
#include <ATen/ATen.h>

namespace at {

Tensor add(const Tensor& a,
           const Tensor& b) {
  if (a.is_cuda()) {
    return a;
  }
  return b;
}

struct TORCH_API Guard : Base {
  void set(int x) {
    y = x;
  }
};

TEST(NetTest, Forward) {
  run();
}

#define IMPLEMENT(op) \\
  run(op)

int declared(int x);
int last = 1;
}
"""


def around(path: str, text: str) -> dict[int, str]:
    lines = split_lines(text.encode())
    found = find_definitions(path, lines)
    named = {number + 1: found.around(number) for number in range(len(lines))}
    return {number: definition.name for number, definition in named.items() if definition}


def test_python_definitions_hold_their_decorators_and_bodies() -> None:
    found = around("a.py", PYTHON)
    assert found[3] == found[8] == "TestNet"
    assert found[10] == found[11] == found[17] == "TestNet.test_one"
    assert found[14] == found[15] == "TestNet.test_one.inner"
    assert found[19] == found[20] == "TestNet.test_two"
    assert 1 not in found
    assert 23 not in found


def test_native_definitions_are_functions_types_tests_and_macros() -> None:
    found = around("a.cpp", NATIVE)
    assert found[5] == found[8] == found[10] == "add"
    assert found[13] == "Guard"
    assert found[15] == "Guard.set"
    assert found[19] == found[20] == "NetTest.Forward"
    assert found[23] == found[24] == "IMPLEMENT"
    assert 1 not in found
    assert 26 not in found
    assert 27 not in found


@pytest.mark.parametrize(
    ("path", "text", "line", "name"),
    [
        ("CMakeLists.txt", "function(add_cuda name)\n  message(x)\nendfunction()\nset(A 1)\n", 2, "add_cuda"),
        ("build.bzl", 'cc_library(\n    name = "kernels",\n    srcs = [":a"],\n)\n', 3, "kernels"),
        ("run.sh", "start() {\n  run\n}\n", 2, "start"),
        ("setup.cfg", "[a]\nb = 1\n", 2, None),
    ],
)
def test_other_languages(path: str, text: str, line: int, name: str | None) -> None:
    assert around(path, text).get(line) == name


def test_names_among_some_lines_of_a_file() -> None:
    python = [b"def run(x):", b"    return x", b"class Net:", b"run(x)"]
    native = [b"  int helper(int x) {", b"Tensor add(Tensor a) {", b"int declared(int x);", b"if (x) {"]
    assert list(defined_names("a.py", python)) == [b"run", b"Net"]
    assert list(defined_names("a.cpp", native)) == [b"add"]
    assert list(defined_names("a.md", python)) == []


@given(st.sampled_from(["a.py", "a.cpp", "CMakeLists.txt", "a.bzl", "a.sh"]), st.binary(max_size=300))
def test_any_bytes_have_definitions(path: str, text: bytes) -> None:
    lines = split_lines(text)
    found = find_definitions(path, lines)
    assert all(0 <= one.first <= one.heading < one.end <= len(lines) for one in found.all)
    for number in range(len(lines)):
        found.around(number)
