"""Which parts of a text stand elsewhere than its file."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tracker.detect.conftest import shipped_detector
from tracker.detect import Dialect, scan_text
from tracker.ruleset import Language, Purpose
from tracker.sites import Area, Territory

BODY = "    torch.cuda.synchronize()\n"


def regions(text: str, language: Language = Language.PYTHON) -> list[tuple[str, Territory]]:
    content = text.encode()
    found = scan_text(content, Dialect(language, Purpose.CODE), shipped_detector()).regions
    return [(content[one.start : one.end].decode(), one.territory) for one in found]


def a_class(name: str, bases: str = "TestCase", body: str = BODY) -> str:
    return f"class {name}({bases}):\n{body}"


@pytest.mark.parametrize(
    "name", ["TestFooCUDA", "TestFooCuda", "TestFooOnXPU", "TestFoo_MPS", "_TestFooHPU", "FooTestNccl"]
)
def test_a_test_class_that_ends_with_a_vendors_word_is_the_vendors(name: str) -> None:
    assert regions(f"x = 1\n{a_class(name)}y = 2\n") == [(a_class(name), Territory.VENDOR_TEST)]


@pytest.mark.parametrize(
    "name",
    [
        "TestFoo",
        "TestFooGPU",
        "TestFooWithoutCUDA",
        "TestFooNoCUDA",
        "TestFooNonCuda",
        "TestFooCPUCUDA",
        "TestFooCudaXpu",
        "TestCudaFoo",
        "TestCUDAGraphs",
        "ProcessGroupNCCLTest",
        "TestPartitionNcclAlignment",
        "TestMembershIP",
    ],
)
def test_other_names_of_test_classes_say_nothing(name: str) -> None:
    assert regions(a_class(name)) == []


def test_a_class_that_is_no_test_is_nobodys_region() -> None:
    assert regions(a_class("ModuleCUDA", "Module")) == []
    assert regions(a_class("LatestCUDA", "Contest")) == []
    assert regions(a_class("ModuleCUDA", "common.ModuleTest")) == [
        (a_class("ModuleCUDA", "common.ModuleTest"), Territory.VENDOR_TEST)
    ]


def test_a_marker_decides_before_the_name() -> None:
    body = "    hw_classification = HardwareClassification.{}\n    torch.cuda.synchronize()\n"
    for mark in ("CUDA", "XPU", "MPS"):
        text = a_class("TestFoo", body=body.format(mark))
        assert regions(text) == [(text, Territory.VENDOR_TEST)]
    for mark in ("GENERIC", "ACCELERATOR", "CPU"):
        assert regions(a_class("TestFoo", body=body.format(mark))) == []
        assert regions(a_class("TestFooCUDA", body=body.format(mark))) == []


def test_a_marker_of_the_file_holds_for_all_but_the_classes_that_say_otherwise() -> None:
    head = "hw_classification = HardwareClassification.CUDA\nx = 'cuda'\n"
    generic = a_class("TestFoo", body="    hw_classification = HardwareClassification.GENERIC\n    x = 'cuda'\n")
    tail = a_class("TestBar")
    assert regions(head + generic + tail) == [(head, Territory.VENDOR_TEST), (tail, Territory.VENDOR_TEST)]


def test_a_marker_in_a_comment_a_string_or_a_function_marks_nothing() -> None:
    for body in (
        "    # hw_classification = HardwareClassification.CUDA\n    x = 'cuda'\n",
        "    x = '''\n    hw_classification = HardwareClassification.CUDA\n'''\n    x = 'cuda'\n",
        "    def f(self):\n        hw_classification = HardwareClassification.CUDA\n",
    ):
        assert regions(a_class("TestFoo", body=body)) == []


def test_a_class_in_a_string_is_no_class() -> None:
    assert regions(f'x = """\n{a_class("TestFooCUDA")}"""\ntorch.cuda.init()\n') == []


def test_decorators_belong_to_their_class_and_what_stands_between_two_to_neither() -> None:
    one, two = f"@skipIf(not TEST_CUDA)\n{a_class('TestACUDA')}", a_class("TestBCUDA")
    between = "x = torch.cuda.device_count()\n"
    assert regions(one + between + two) == [(one, Territory.VENDOR_TEST), (two, Territory.VENDOR_TEST)]


def test_a_long_class_is_found_to_its_end_wherever_it_stands() -> None:
    before = "".join(a_class(f"TestOther{number}") for number in range(50))
    one = f"@skip(\n    'a',\n)\n{a_class('TestFooCUDA', body=BODY * 500)}"
    other = a_class("TestBarXPU", body=BODY)
    assert regions(before + one + other + before) == [(one + other, Territory.VENDOR_TEST)]


def test_what_stands_above_a_class_is_none_of_its_decorators() -> None:
    text = (
        f"class TestFoo(TestCase):\n    @skip\n    def test(self):\n        torch.cuda.init()\n{a_class('TestFooCUDA')}"
    )
    assert regions(text) == [(a_class("TestFooCUDA"), Territory.VENDOR_TEST)]
    assert regions(f"@skip\ndef f():\n    pass\n\n{a_class('TestFooCUDA')}") == [
        (a_class("TestFooCUDA"), Territory.VENDOR_TEST)
    ]


def test_regions_count_in_test_files_only() -> None:
    content = a_class("TestFooCUDA").encode()
    (found,) = scan_text(content, Dialect(Language.PYTHON, Purpose.CODE), shipped_detector()).regions
    assert found.areas == (Area.TEST,)


def test_cython_has_regions_as_python_has_and_starlark_has_none() -> None:
    assert regions("cimport a\n" + a_class("TestFooCUDA")) == [(a_class("TestFooCUDA"), Territory.VENDOR_TEST)]
    assert regions(a_class("TestFooCUDA"), Language.STARLARK) == []


def test_a_notebook_has_none() -> None:
    text = '{"cells": [{"cell_type": "code", "source": ["class TestFooCUDA(TestCase):\\n", "    x = \'cuda\'"]}]}'
    assert regions(text, Language.NOTEBOOK) == []


@pytest.mark.parametrize(
    "text",
    [
        "enum class TypeID { CPUByte, CUDAByte, XLAByte };\n",
        "enum Kind : int8_t {\n  CUDA = 1,  // }\n  HIP,\n}",
        "typedef enum { kGPU, kMetal, kROCM } Kind;\n",
    ],
)
def test_an_enumeration_of_vendors_is_an_interface(text: str) -> None:
    ((found, territory),) = regions(f"int before = CUDA;\n{text}int after = XLA;\n", Language.CPP)
    assert (territory, found) == (Territory.INTERFACE, text[text.index("enum") : text.rindex("}") + 1])


@pytest.mark.parametrize(
    "text",
    [
        "enum class Mode { Fast, CUDAGraph };\nint x = XLA;\n",
        "enum class Kind;\nvoid f() { g(CUDA, XLA); }\n",
        "enum class Kind : int;\nstruct S { Kind cuda; Kind xla; };\n",
        "// enum { CUDA, XLA }\nint x = f(CUDA, XLA);\n",
        "switch (x) { case kCUDA: case kXLA: break; }\n",
        'TORCH_LIBRARY_IMPL(aten, CUDA, m) { m.impl("f", xla); }\n',
    ],
)
def test_other_lines_that_name_several_vendors_are_none(text: str) -> None:
    assert regions(text, Language.CPP) == []


PARTS = [
    *(
        b"class TestCUDA(TestCase):",
        b"class TestX(T):",
        b"class TestXCUDA:",
        b"\n",
        b"\n    ",
        b"(",
        b")",
        b'"""',
        b"'",
    ),
    *(b"hw_classification = X.CUDA", b"hw_classification = X.Y", b"#", b"\\", b"@x", b"'cuda'", b"\xff\0"),
    *(b"enum ", b"{", b"}", b"CUDA,", b"XLA,", b"/*", b"*/", b"//"),
]


@given(st.lists(st.sampled_from(PARTS)).map(b"".join), st.sampled_from(Language))
@example(b"enum K {enum class K { CUDA, XLA };USE_CUDA}", Language.CPP)
def test_any_bytes_have_regions_inside_the_text_in_order_and_apart(text: bytes, language: Language) -> None:
    found = scan_text(text, Dialect(language, Purpose.CODE), shipped_detector()).regions
    position = 0
    for region in found:
        assert position <= region.start < region.end <= len(text)
        position = region.end
