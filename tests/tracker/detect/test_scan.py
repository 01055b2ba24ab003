"""What holds for any bytes in any dialect."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.tracker.detect.conftest import shipped_detector
from tracker.detect import Dialect, is_binary, scan
from tracker.ruleset import Language, Purpose
from tracker.sites import Construct, Occurrence

_FRAGMENTS = [
    *(b"cuda", b"torch.cuda.f", b"at::cuda::f", b"x.cuda()", b"hip", b"HIP", b"-DHIP", b"THC", b"nccl", b"__global__"),
    *(
        b"<<<",
        b">>>",
        b"get_accelerator",
        b"torch.accelerator",
        b"privateuse1",
        b'"',
        b"'",
        b'"""',
        b"'''",
        b"f'",
        b'f"',
    ),
    *(b'R"(', b')"', b"{", b"}", b"{{", b"(", b")", b"[", b"]", b"#", b"//", b"/*", b"*/", b"\\", b"\n", b"\r\n", b" "),
    *(b"\t", b".", b"::", b"->", b"=", b",", b";", b":", b"@", b"$", b"%", b"<", b"import ", b"from ", b"print "),
    *(b"raise ", b"#if ", b"#include <", b"name: ", b"- ", b"echo ", b"message(", b"#[[", b"]]", b"\0", b"\xff"),
    *("İ".encode(), b'{"cells": [', b'"cell_type": "code"', b'"source"'),
]
texts = st.lists(st.sampled_from(_FRAGMENTS) | st.binary(max_size=4), max_size=60).map(b"".join)
dialects = st.builds(Dialect, st.sampled_from(Language), st.sampled_from(Purpose))


def scanned(text: bytes, dialect: Dialect) -> tuple[Occurrence, ...]:
    return scan(text, dialect, shipped_detector())


@settings(max_examples=500)
@given(texts, dialects)
@example(b"<<<", Dialect(Language.CPP, Purpose.CODE))
@example(b"'<<<'", Dialect(Language.PYTHON, Purpose.CODE))
@example(b'f"{cuda', Dialect(Language.PYTHON, Purpose.CODE))
@example(b'f"{f"{cuda"}', Dialect(Language.PYTHON, Purpose.CODE))
@example(b'f"{x["cuda"]\n}', Dialect(Language.STARLARK, Purpose.CODE))
@example(b"#include <cuda" + b"\0\xff" * 100 + b">", Dialect(Language.CPP, Purpose.CODE))
@example(b":THC" + b"\0" * 60, Dialect(Language.CMAKE, Purpose.CODE))
@example(b'"cuda', Dialect(Language.JSON, Purpose.CODE))
@example(b"cuda" * 200, Dialect(Language.YAML, Purpose.PIPELINE))
def test_any_bytes_give_sites_in_order_inside_the_text_with_right_lines(text: bytes, dialect: Dialect) -> None:
    occurrences = scanned(text, dialect)
    assert list(occurrences) == sorted(occurrences, key=lambda occurrence: (occurrence.start, occurrence.end))
    for occurrence in occurrences:
        assert 0 <= occurrence.start < occurrence.end <= len(text)
        assert occurrence.line == text.count(b"\n", 0, occurrence.start) + 1
        assert 0 < len(occurrence.site.symbol) <= 200
        assert (occurrence.site.vendor == "") == (occurrence.site.construct is Construct.NEUTRAL)
        assert not set(occurrence.site.symbol) & set(map(chr, range(32)))
        assert occurrence.site.symbol.encode()


@settings(max_examples=100)
@given(texts, dialects)
def test_a_scan_depends_on_nothing_but_its_arguments(text: bytes, dialect: Dialect) -> None:
    assert scanned(text, dialect) == scanned(bytes(text), Dialect(dialect.language, dialect.purpose))


@settings(max_examples=150)
@given(texts, st.sampled_from([Language.PYTHON, Language.CPP, Language.CMAKE, Language.YAML]))
def test_lines_of_code_above_change_no_site_below(text: bytes, language: Language) -> None:
    dialect = Dialect(language, Purpose.CODE)
    text = b"x\n" + text  # a string that begins a Python text is its docstring
    moved = scanned(b"x\n\nx\n" + text, dialect)
    assert [(o.site, o.line - 3, o.start - 5) for o in moved] == [
        (o.site, o.line, o.start) for o in scanned(text, dialect)
    ]


def test_a_string_that_nothing_closes_keeps_its_last_sign() -> None:
    found = scanned(b'x = "cuda', Dialect(Language.PYTHON, Purpose.CODE))
    assert [one.site.symbol for one in found] == ["cuda"]


def test_a_text_without_keywords_has_no_site() -> None:
    assert scanned(b"input = output\n" * 1000, Dialect(Language.PYTHON, Purpose.CODE)) == ()


def test_sites_do_not_overlap_in_ordinary_code() -> None:
    text = b"@onlyCUDA\ndef f():\n    x.to(f'cuda:{torch.cuda.current_device()}').cuda()\n"
    occurrences = scanned(text, Dialect(Language.PYTHON, Purpose.CODE))
    assert [(o.line, o.site.symbol) for o in occurrences] == [
        (1, "onlyCUDA"),
        (3, "cuda:{}"),
        (3, "torch.cuda.current_device"),
        (3, ".cuda"),
    ]


def test_git_calls_a_text_with_an_early_zero_byte_binary() -> None:
    assert is_binary(b"abc\0")
    assert not is_binary(b"a" * 8000 + b"\0")
    assert not is_binary(b"")
