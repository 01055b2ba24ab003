"""What counts as a line of code."""

import pytest

from tests.tracker.detect.conftest import shipped_detector
from tracker.detect import Dialect, count_lines, scan_text
from tracker.ruleset import Language, Purpose


def lines_of(text: bytes, language: Language) -> int:
    return scan_text(text, Dialect(language, Purpose.CODE), shipped_detector()).lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", 0),
        (b"\n", 1),
        (b"x = 1", 1),
        (b"x = 1\n", 1),
        (b"x = 1\ny = 2", 2),
        (b"\n\n\n", 3),
        (b"one\r\ntwo\r\n", 2),
        (b"one\rtwo\r", 1),
        (b"\xff\xfe\n\xff", 2),
    ],
)
def test_lines_end_with_a_newline_and_a_last_one_without_counts(text: bytes, expected: int) -> None:
    assert count_lines(text) == expected


def test_a_text_without_any_site_has_its_lines_too() -> None:
    assert lines_of(b"x = 1\ny = 2\n", Language.PYTHON) == 2
    assert lines_of(b"torch.cuda.init()\ny = 2\n", Language.PYTHON) == 2


def test_the_lines_of_a_notebook_are_those_of_its_file() -> None:
    cells = b'{"cells": [{"cell_type": "code", "source": ["torch.cuda.init()\\n", "x = 1"]}]}'
    assert lines_of(cells, Language.NOTEBOOK) == 1


def test_a_file_without_extension_has_lines_only_where_it_is_a_script() -> None:
    assert lines_of(b"#!/bin/sh\necho cuda\n", Language.SCRIPT) == 2
    assert lines_of(b"#!/usr/bin/env python\nx = 1\n", Language.SCRIPT) == 2
    assert lines_of(b"A licence, which speaks of cuda.\nTwo lines.\n", Language.SCRIPT) == 0
