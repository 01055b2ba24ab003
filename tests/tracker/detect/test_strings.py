"""Names, code and prose in strings."""

import pytest

from tracker.detect.strings import continues_prose, is_name, is_prose, name_of


@pytest.mark.parametrize(
    "text", [b"cuda", b" cuda ", b"cuda:0", b"--use-cuda", b"cpu:gloo,cuda:nccl", b"a/b_cuda.cpp", b"{}/cuda:0"]
)
def test_one_word_is_a_name(text: bytes) -> None:
    assert is_name(text)


@pytest.mark.parametrize(
    "text", [b"", b"  ", b"on cuda", b"cuda\ncuda", b"https://example.com/cuda", b"f(cuda);", b"c" * 201, b"cuda?"]
)
def test_white_space_code_addresses_and_long_texts_are_no_names(text: bytes) -> None:
    assert not is_name(text)


def test_a_name_does_not_depend_on_how_a_value_is_filled_in() -> None:
    assert {name_of(text) for text in (b"cuda:%d", b"cuda:{}", b"cuda:{rank}", b"cuda:%(rank)s")} == {b"cuda:{}"}


@pytest.mark.parametrize("text", [b"there is no device", b"Found {} devices", b"it is not {}(x) that should be called"])
def test_prose(text: bytes) -> None:
    assert is_prose(text)


@pytest.mark.parametrize(
    "text", [b"f({})", b"x = torch.f()", b"with torch.device({}):", b"at::f({});", b"import torch", b"cuda:{}"]
)
def test_code_is_no_prose(text: bytes) -> None:
    assert not is_prose(text)


@pytest.mark.parametrize(
    ("text", "joined"),
    [(b"'on the ' 'cuda'", True), (b"'cuda' ' of the'", True), (b"'cuda', 'of the'", False), (b"'cuda' 'xpu'", False)],
)
def test_a_string_may_go_on_in_its_neighbour(text: bytes, joined: bool) -> None:
    start = text.index(b"'cuda'")
    assert continues_prose(text, start, start + 6) is joined
