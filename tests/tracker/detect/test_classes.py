"""Where classes begin and end, in well-formed Python and in any bytes."""

from hypothesis import given
from hypothesis import strategies as st

from tracker.detect.classes import outline_of

MARKER = frozenset({b"hardware"})


def extents(text: str) -> dict[str, str]:
    content = text.encode()
    return {one.name: content[one.start : one.end].decode() for one in outline_of(content, MARKER).classes}


def test_a_class_goes_from_its_decorators_to_the_next_line_that_is_not_indented_more() -> None:
    text = (
        "import a\n"
        "@skip(\n    'x',\n)\n@other\n"
        "class One(Base):\n"
        "    def f(self):\n"
        "        pass\n"
        "\n"
        "# a comment\n"
        "@decorated\n"
        "class Two:\n"
        "    pass\n"
        "x = 1\n"
    )
    first = text[text.index("@skip") : text.index("@decorated")]
    assert extents(text) == {"One": first, "Two": "@decorated\nclass Two:\n    pass\n"}


def test_strings_and_brackets_that_go_on_over_lines_end_no_class() -> None:
    text = 'class One:\n    a = """\nclass No:\n  x\n"""\n    b = [\n1,\n]\n    c = 1 + \\\n2\n    d = 3\ne = 4\n'
    assert extents(text) == {"One": text.removesuffix("e = 4\n")}


def test_classes_lie_in_each_other() -> None:
    text = "class Outer:\n    class Inner(a.b.Base, metaclass=M):\n        x = 1\n    y = 2\n"
    found = outline_of(text.encode(), MARKER).classes
    assert [(one.name, one.bases, one.indentation) for one in found] == [("Outer", (), 0), ("Inner", ("Base",), 4)]
    assert text[found[1].start : found[1].end].rstrip() == "class Inner(a.b.Base, metaclass=M):\n        x = 1"


def test_a_bracket_that_is_never_closed_ends_with_the_next_definition() -> None:
    text = "class One:\n    a = (\nclass Two:\n    pass\n"
    assert extents(text) == {"One": "class One:\n    a = (\n", "Two": "class Two:\n    pass\n"}


def test_a_class_without_an_end_goes_to_the_end_of_the_text() -> None:
    assert extents("class One:\r\n\tx = 1") == {"One": "class One:\r\n\tx = 1"}


def test_what_a_body_assigns_is_noted_and_what_its_functions_assign_is_not() -> None:
    text = (
        "hardware = A\n"
        "class One:\n    hardware: Kind = B  # C\n    def f(self):\n        hardware = D\n"
        "class Two:\n    def f(self):\n        hardware = E\n"
        "def g():\n    hardware = F\n"
    )
    outline = outline_of(text.encode(), MARKER)
    assert outline.assigned == {b"hardware": b"A"}
    assert [one.assigned for one in outline.classes] == [{b"hardware": b"B"}, {}]


PARTS = [
    b"class A:",
    b"class B(C):",
    b"\n",
    b"\n    ",
    b"\n\t",
    b"(",
    b")",
    b'"""',
    b"'",
    b"#",
    b"\\",
    b"@x",
    b"x = 1",
    b"\xff\0",
]


@given(st.lists(st.sampled_from(PARTS)).map(b"".join))
def test_any_bytes_have_classes_that_lie_inside_the_text_and_apart_or_in_each_other(text: bytes) -> None:
    classes = outline_of(text, MARKER).classes
    ends: list[int] = []
    for one in classes:
        assert 0 <= one.start < one.end <= len(text)
        while ends and ends[-1] <= one.start:
            ends.pop()
        assert not ends or one.end <= ends[-1]
        ends.append(one.end)
