"""Texts read segment by segment hold what they hold when they are read as a whole, whatever was read before them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tracker.detect.conftest import shipped_detector
from tests.tracker.detect.test_scan import dialects, texts
from tracker.detect import Dialect, ScannedText, SegmentScans, scan_text, segments
from tracker.detect.detector import Reader
from tracker.detect.segments import Generations, cuts_in
from tracker.ruleset import Language, Purpose

PARAGRAPHS = {
    Language.PYTHON: (
        "x = torch.cuda.current_device()",
        '"""\nA text with cuda in it,',
        'that ends """',
        "'''",
        "y = f'''cuda:{rank}",
        'z = f\'{torch.cuda.f("a")',
        'raise ValueError(\n    "no cuda"',
        '    "cuda", "nccl")',
        'call(a,\n     "cuda"',
        "    .cuda()",
        "a.\\\n  cuda()",
        "# hip (",
        "class TestFooCUDA(TestCase):",
        "    hw_classification = HardwareClass.CUDA",
        "    def test_it(self):\n        x.cuda()",
        "class Other:\n    @onlyCUDA\n    def f(): pass",
        "with torch.accelerator.device_index(0):",
        "(cuda)",
        "get_accelerator",
        "().synchronize()",
        "torch::",
        "cuda::f()",
        '"cuda"',
        "r'cuda\\",
        "if x == 'cuda':  # xpu",
        "from . import",
        "cuda",
    ),
    Language.CPP: (
        "#include <cuda.h>",
        "#if defined(USE_CUDA) && \\",
        "    defined(USE_ROCM)",
        "#endif",
        "/* a comment with cuda",
        "that ends */ int cuda;",
        'auto s = R"x(cuda',
        ')x";',
        'R"(',
        ')" cuda',
        "// hip \\",
        "at::cuda::f();",
        "at::",
        "  ->cuda()",
        "x.\n cuda()",
        "enum class Kind { CUDA, XLA,",
        "HIP };",
        "kernel<<<grid, block>>>(x);",
        'TORCH_CHECK(x,\n  "no cuda"',
        '  "hip");',
        "'\\",
        '"cuda\\',
        '"cuda" "and more"',
        "char c = '\"';",
        'f(\n  "cuda:%d",',
    ),
    Language.YAML: (
        "name: a cuda job",
        "steps:",
        "  - run: |\n      echo cuda",
        "      pip install torch+cu113",
        "  - name: |\n      the cuda",
        "    description: >\n      hip",
        "cat <<EOF\ncuda",
        "EOF",
        "  cat <<- 'EOF'\n  rocm",
        "- cuda: 11.1  # hip",
        "runs-on: linux.4xlarge.nvidia.gpu",
        "docker-image: pytorch-linux-cuda11.3",
        "title: 'a",
        "env:\n  BUILD: cuda",
        "        deep: cuda",
    ),
    Language.SHELL: (
        "export USE_CUDA=1",
        "cat <<EOF",
        "EOF",
        "cat > x <<EOF\ncuda",
        'echo "cuda',
        "f() { cat <<A",
        "A",
        "if [[ $x == *rocm* ]]; then",
        "  pip install cupy # hip",
        "fi",
    ),
    Language.CMAKE: (
        "if(USE_CUDA)",
        "#[[ cuda",
        "]] set(USE_ROCM)",
        'message(STATUS "cuda',
        'hip")',
        "target_link_libraries(a $<LINK_ONLY:torch::cudart>)",
        "endif() # cuda",
        'set(x "a/cuda',
        "#[=[",
        "]=]",
    ),
    Language.JSON: ('{"cuda": "hip",', '"a cuda', '"b\\', '"nccl"', "}"),
    Language.CONFIG: ("[cuda]", "x = cuda", "; hip", "markers =\n  cuda: needs cuda"),
}
"""What is cut is made of these: each begins or ends something that may go on over a cut."""
SEPARATORS = ("\n\n", "\n\n", "\n\n\n", "\n", "\n \n", ".\n\n", "\r\n\r\n", "::\n\n", "\n\n\t")
INDENTATIONS = ("", "", "    ", "        ")


FAR = "x = y\n" * 70
"""A third of what readers look back."""


def pieces_of(language: Language) -> st.SearchStrategy[list[str]]:
    piece = st.builds(
        lambda blank, text, far, separator: blank + text + far + separator,
        st.sampled_from(INDENTATIONS),
        st.sampled_from(PARAGRAPHS[language]),
        st.sampled_from(["", "", "", "\n" + FAR, "\n" + FAR * 3, "\n\n" + FAR * 4]),
        st.sampled_from(SEPARATORS),
    )
    return st.lists(piece, max_size=30)


def facts(text: ScannedText) -> tuple[object, ...]:
    return text.occurrences, text.regions, text.count


def whole(content: bytes, dialect: Dialect) -> ScannedText:
    return scan_text(content, dialect, shipped_detector())


@pytest.fixture(params=[1, 2])
def cut_often(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_ONE_PARAGRAPH_IN", 2)
    monkeypatch.setattr(segments, "_ONE_LINE_IN", request.param)
    monkeypatch.setattr(segments, "_LONG", 0 if request.param > 1 else 200)


@pytest.mark.parametrize("language", PARAGRAPHS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
@pytest.mark.usefixtures("cut_often")
def test_awkward_paragraphs_hold_the_same_cut_or_whole(language: Language, data: st.DataObject) -> None:
    scans = SegmentScans(shipped_detector())
    dialect = Dialect(language, Purpose.CODE)
    pieces, other = data.draw(pieces_of(language)), data.draw(pieces_of(language))
    at = data.draw(st.integers(0, len(pieces)))
    # The second is a version of the first, and meets what is remembered of it.
    for version in (pieces, [*pieces[:at], *other[:3], *pieces[at:]], pieces[at:]):
        content = "".join(version).encode()
        assert facts(scans.scan(content, Reader(language, Purpose.CODE))) == facts(whole(content, dialect))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts, max_size=6).map(b"\n\n".join), dialects)
@pytest.mark.usefixtures("cut_often")
def test_any_bytes_hold_the_same_cut_or_whole(content: bytes, dialect: Dialect) -> None:
    found = SegmentScans(shipped_detector()).scan(content, Reader(dialect.language, dialect.purpose))
    if dialect.language not in (Language.NOTEBOOK, Language.SCRIPT):
        assert facts(found) == facts(whole(content, dialect))


def test_a_text_is_cut_before_the_same_paragraphs_whatever_stands_before_them() -> None:
    paragraphs = [f"def f{number}():\n    return {number}\n".encode() for number in range(200)]
    text = b"\n".join(paragraphs)
    begun = [text[cut : cut + 20] for cut in cuts_in(text)]
    assert 10 < len(begun) < 60
    assert [b"x = 1\n\n" + text[cut : cut + 20] for cut in cuts_in(text)][:-1] == [
        b"x = 1\n\n" + (b"x = 1\n\n" + text)[cut : cut + 20] for cut in cuts_in(b"x = 1\n\n" + text)[-len(begun) : -1]
    ]


@pytest.mark.parametrize(
    "text",
    [
        b"a.\n\nb",
        b"a::\n\nb",
        b"a\\\n\nb",
        b"a->\n\nb",
        b"a \n\nb",
        b"a\n\n  .b",
        b"a\n\n->b",
        b"a\n\n::b",
        b"a\nb",
        b"a\n\n",
        b"a\n\n" + b" " * 41 + b"b",
    ],
)
@pytest.mark.usefixtures("cut_often")
def test_nothing_is_cut_where_a_path_may_go_on_or_no_paragraph_begins(text: bytes) -> None:
    assert cuts_in(text) == [len(text)]


def test_versions_of_a_text_are_compared_by_what_they_do_not_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_ONE_PARAGRAPH_IN", 1)
    scans, reader = SegmentScans(shipped_detector()), Reader(Language.PYTHON, Purpose.CODE)
    text = b"\n\n".join(b"x%d = torch.cuda.f(%d)\n" % (number, number) + FAR.encode() for number in range(9))
    first = scans.scan(text, reader)
    moved = scans.scan(b"import os\n\n" + text, reader)
    other = scans.scan(text.replace(b"f(7)", b"f(8)"), reader)
    fewer = scans.scan(text.replace(b"torch.cuda.f(7)", b"f(8)"), reader)
    swapped = scans.scan(text.replace(b"torch.cuda.f(7)", b"torch.xpu.f(7)"), reader)
    assert len(first.standing) == 9
    shared = {segment for segment, _, _ in first.standing} & {segment for segment, _, _ in moved.standing}
    assert len(shared) == 7
    assert first.has_sites_of(moved)
    assert first.has_sites_of(other)
    assert first.has_sites_of(whole(text, Dialect(Language.PYTHON, Purpose.CODE)))
    assert not first.has_sites_of(fewer)
    assert not first.has_sites_of(swapped)
    assert not first.has_sites_of(ScannedText())


def test_what_was_used_last_is_remembered_within_the_bound() -> None:
    made: list[str] = []

    def length_of(key: str) -> int:
        def make() -> int:
            made.append(key)
            return len(key)

        return remembered.get(key, len(key), make)

    remembered: Generations[str, int] = Generations(20)
    assert [length_of(key) for key in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "dddd", "eeee", "aaaa", "bbbb")] == [
        4
    ] * 9
    assert made == ["aaaa", "bbbb", "cccc", "dddd", "eeee", "bbbb"]
