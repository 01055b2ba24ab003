"""Code cells of notebooks."""

import json

from tests.tracker.detect.conftest import found_in, shipped_detector
from tracker.detect import Dialect, scan
from tracker.detect.notebook import code_of_notebook
from tracker.ruleset import Language, Purpose


def a_notebook(*cells: dict[str, object]) -> str:
    return json.dumps({"cells": list(cells), "metadata": {"kernelspec": {"name": "cuda"}}, "nbformat": 4}, indent=1)


def a_cell(kind: str, *lines: str) -> dict[str, object]:
    outputs = [{"text": ["ran on cuda\n"], "data": {"source": "x.cuda()"}}]
    return {"cell_type": kind, "metadata": {}, "outputs": outputs, "source": list(lines)}


def test_sites_stand_in_code_cells_only() -> None:
    text = a_notebook(a_cell("markdown", "Use `x.cuda()`\n"), a_cell("code", "x.cuda()\n", 'y.to("cuda")  # cuda'))
    assert found_in(text, Language.NOTEBOOK) == [("api", ".cuda"), ("literal", "cuda")]


def test_the_kind_of_a_cell_may_stand_behind_its_code() -> None:
    text = json.dumps({"cells": [{"source": "x.cuda()", "cell_type": "code"}, {"source": "y.cuda()"}]})
    assert found_in(text, Language.NOTEBOOK) == [("api", ".cuda")]


def test_line_numbers_are_those_of_the_notebook_file() -> None:
    text = a_notebook(a_cell("code", "a = 1\n", "x.cuda()\n")).encode()
    (occurrence,) = scan(text, Dialect(Language.NOTEBOOK, Purpose.CODE), shipped_detector())
    assert text.split(b"\n")[occurrence.line - 1].strip() == rb'"x.cuda()\n"'
    assert text[occurrence.start : occurrence.end] == b"cuda"


def test_code_keeps_its_place() -> None:
    text = rb'{"cells": [{"cell_type": "code", "source": "f(\"a\")\nx"}]}'
    code = code_of_notebook(text)
    assert len(code) == len(text)
    assert code[text.index(b"f(") :].startswith(b'f(" a" )\n x\n')


def test_what_is_no_notebook_holds_no_code() -> None:
    assert [found_in(text, Language.NOTEBOOK) for text in ("x.cuda()", "[" * 5000, '{"source": "x.cuda()"}', "")] == [
        []
    ] * 4
