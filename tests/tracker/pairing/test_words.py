"""How alike lines are, and what stands where something stood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.pairing.words import likeness, replaced_part, words_of


def replacement(old: str, part: str, new: str) -> str | None:
    start = old.index(part)
    found = replaced_part(old.encode(), start, start + len(part), new.encode())
    return new.encode()[found[0] : found[1]].decode() if found else None


def test_identifiers_are_read_as_their_words() -> None:
    assert [word.text for word in words_of(b"getCUDAHooks(require_cuda)")] == [
        b"get",
        b"cuda",
        b"hooks",
        b"(",
        b"require",
        b"cuda",
        b")",
    ]


def test_a_comment_is_no_code() -> None:
    assert words_of(b"x = 1  # cuda") == words_of(b"x = 1")
    assert words_of(b"x = 1; // cuda") == words_of(b"x = 1;")


def test_a_preprocessor_line_is_no_comment() -> None:
    assert [word.text for word in words_of(b"#ifdef USE_CUDA")] == [b"#", b"ifdef", b"use", b"cuda"]


def test_lines_with_the_same_words_are_more_alike_than_lines_with_the_same_signs() -> None:
    old = b"x = torch.ones(3, device='cuda')"
    assert likeness(old, b"x = torch.ones(3, device=device)") > 0.7
    assert likeness(old, b"y.z(4)") < 0.5


@pytest.mark.parametrize(
    ("old", "part", "new", "found"),
    [
        ("x = x.to('cuda')", "cuda", "x = x.to(device)", "device"),
        (
            "torch.cuda.synchronize()",
            "torch.cuda.synchronize",
            "torch.accelerator.synchronize()",
            "torch.accelerator.synchronize",
        ),
        ("total_cuda = x", "total_cuda", "total = x", "total"),
        ("@require_cuda", "require_cuda", "@require_non_cpu", "require_non_cpu"),
        ("if ROCM or WINDOWS:", "ROCM", "if WINDOWS:", None),
        ("f(_types_if_not_rocm, cpu)", "_types_if_not_rocm", "f(_complex_and_types, cpu)", "_complex_and_types"),
    ],
)
def test_what_took_the_place_of_a_part(old: str, part: str, new: str, found: str | None) -> None:
    assert replacement(old, part, new) == found


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_likeness_is_symmetric_and_between_none_and_all(one: bytes, other: bytes) -> None:
    assert 0 <= likeness(one, other) == likeness(other, one) <= 1


@given(st.binary(max_size=60), st.integers(0, 60), st.integers(0, 60), st.binary(max_size=60))
def test_any_bytes_have_an_answer(old: bytes, start: int, end: int, new: bytes) -> None:
    found = replaced_part(old, min(start, end), max(start, end), new)
    assert found is None or 0 <= found[0] < found[1] <= len(new)
