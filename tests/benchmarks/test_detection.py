"""How long detection takes: linear in the size of a text whatever it holds, and fast enough for ten years of history.

`pytest tests/benchmarks -m slow -s` prints the figures.
"""

import time
from collections.abc import Callable

import pytest

from tracker.detect import Detector, Dialect, build_detector, scan
from tracker.rules import read_rules
from tracker.ruleset import Language, Purpose, load_ruleset

DETECTOR = build_detector(load_ruleset(read_rules()))

_AWKWARD = {
    "strings": b'f"{cuda}" ',
    "open formatted string": b'f"{cuda',
    "formatted strings in each other": b'f"{f"cuda',
    "formatted strings with their own quotes": b'f"{d["cuda"',
    "long words in a formatted string": b'f"{' + b"a" * 50,
    "escaped quotes": b'"cuda\\"',
    "long dotted path": b"cuda.",
    "long qualified path": b"cuda::",
    "one long word": b"cuda",
    "brackets around strings": b'(cuda"(',
    "open brackets": b'((cuda,"cuda",',
    "continued condition": b"#if cuda \\\n",
    "open comment": b"/*cuda",
    "open raw string": b'R"a(cuda',
    "open bracket comment": b"#[=[cuda",
    "one long line": b"cuda ",
    "one long line of quotes": b"'cuda\" ",
    "titles below titles": b"name: a\n name: cuda\n",
    "documents never closed": b"cat <<A\ncuda\n",
    "redirections": b"echo cuda > ",
    "open braces": b"{ cat cuda",
    "open notebook": b'{"cells":[{"source":"cuda\\"',
    "calls of a neutral name": b"get_accelerator().",
    "doubled braces": b"{{cuda",
    "launches": b"<<<cuda",
    "blank lines in a path": b"cuda\n\n\n\n.",
    "backslashes": b"'cuda\\",
    "triple quotes": b'"""cuda',
    "relative imports": b"from .cuda import ",
    "letters": b"aaaaaaaa",
    "classes for one vendor": b"@x\nclass TestXCUDA(T): pass\n",
    "classes never closed": b" class TestXCUDA(T):\n  (\n",
    "marked classes": b"class TestX(T):\n hw_classification = H.CUDA\n",
    "enumerations in each other": b"enum{CUDA,XLA ",
    "generator expressions in each other": b"$<CUDA:",
}
_ORDINARY = {
    Language.PYTHON: (
        b"def f(self, x):\n    # a comment\n    y = self.g(x, 'text', device='cuda')  # b\n    return y + x.output\n\n"
    ),
    Language.CPP: (
        b'// a comment\nTensor f(const Tensor& x) {\n  return x.is_cuda() ? g(x, "text") : h(x.input);\n}\n\n'
    ),
}


def seconds(work: Callable[[], object], *, best_of: int) -> float:
    taken = []
    for _ in range(best_of):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def seconds_to_scan(text: bytes, language: Language, *, best_of: int = 2) -> float:
    dialect = Dialect(language, Purpose.CODE)
    return seconds(lambda: scan(text, dialect, DETECTOR), best_of=best_of)


@pytest.mark.slow
@pytest.mark.parametrize("kind", _AWKWARD)
def test_a_text_four_times_as_long_takes_about_four_times_as_long(kind: str) -> None:
    for language in Language:
        text = _AWKWARD[kind] * (3_000 // len(_AWKWARD[kind]))
        short, long = seconds_to_scan(text, language), seconds_to_scan(text * 4, language)
        assert long < 8 * short + 0.02, f"{kind} in {language}: {short:.3f} s, then {long:.3f} s"


@pytest.mark.slow
def test_a_text_without_keywords_costs_next_to_nothing() -> None:
    text = b"for (int i = 0; i < input.size(); ++i) { output[i] = relationship(i); }\n" * 100_000
    rate = len(text) / seconds(lambda: scan(text, Dialect(Language.CPP, Purpose.CODE), DETECTOR), best_of=3) / 1e6
    print(f"keyword scan: {rate:.0f} MB/s")
    assert rate > 25


@pytest.mark.slow
@pytest.mark.parametrize("language", _ORDINARY)
def test_ordinary_code_full_of_sites_is_read_at_megabytes_a_second(language: Language) -> None:
    text = _ORDINARY[language] * 10_000
    rate = len(text) / seconds_to_scan(text, language, best_of=3) / 1e6
    print(f"{language}: {rate:.1f} MB/s with a site every {len(_ORDINARY[language])} bytes")
    assert rate > 1


def test_the_detector_is_built_in_a_moment() -> None:
    ruleset = load_ruleset(read_rules())
    built: list[Detector] = []
    assert seconds(lambda: built.append(build_detector(ruleset)), best_of=2) < 2
