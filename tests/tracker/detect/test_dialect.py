"""Which files are read, and how."""

import pytest

from tracker.detect import Dialect, dialect_of
from tracker.ruleset import Language, Purpose
from tracker.sites import Area, Place, Territory

NEUTRAL = Place(Territory.NEUTRAL, Area.CORE, "core")
PIPELINE = Place(Territory.INFRASTRUCTURE, Area.TOOLING, "ci")


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("torch/__init__.py", Language.PYTHON),
        ("torch/_C/__init__.pyi.in", Language.PYTHON),
        ("caffe2/core/macros.h.in", Language.CPP),
        ("aten/src/THC/THC.cu", Language.CPP),
        ("aten/src/ATen/Declarations.cwrap", Language.YAML),
        ("cmake/TorchConfig.cmake.in", Language.CMAKE),
        ("CMakeLists.txt", Language.CMAKE),
        ("tools/BUILD.bazel", Language.STARLARK),
        ("third_party/x.BUILD", Language.STARLARK),
        ("tools/build_variables.bzl", Language.STARLARK),
        ("a/BUILD", Language.STARLARK),
        (".github/templates/linux.yml.j2", Language.YAML),
        ("docker/Dockerfile.rocm", Language.DOCKERFILE),
        ("requirements-dev.txt", Language.CONFIG),
        ("requirements/requirements_cuda.txt", Language.CONFIG),
        ("requirements.in", Language.CONFIG),
        ("setup.cfg", Language.CONFIG),
        ("scripts/build.sh", Language.SHELL),
        ("scripts/build.bat", Language.BATCH),
        ("bin/deepspeed", Language.SCRIPT),
        ("examples/intro.ipynb", Language.NOTEBOOK),
        ("x.PY", Language.PYTHON),
        ("docs/source/conf.py", Language.PYTHON),
        ("docs/requirements.txt", Language.CONFIG),
        ("src/docstrings/cuda.json", Language.JSON),
        ("src/toctree.yml", Language.YAML),
    ],
)
def test_code_is_read_in_its_language(path: str, language: Language | None) -> None:
    assert dialect_of(path, NEUTRAL) == (language and Dialect(language, Purpose.CODE))


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/cuda.rst",
        "notes.txt",
        "logo.png",
        "model.pt",
        ".gitignore",
        "a.patch",
        "index.html",
        ".github/ISSUE_TEMPLATE/bug.yml",
        "docs/source/_toctree.yml",
        "book/_toctree.yml",
        "mkdocs.yml",
        "docs/_data/navigation.yml",
        "docs/source/_static/cuda.js",
        "website/sidebars.json",
    ],
)
def test_prose_images_and_data_are_never_read(path: str) -> None:
    assert dialect_of(path, NEUTRAL) is None


def test_descriptions_of_pipelines_are_read_as_such_but_code_is_code_everywhere() -> None:
    assert dialect_of(".github/workflows/a.yml", PIPELINE) == Dialect(Language.YAML, Purpose.PIPELINE)
    assert dialect_of("conf/a.yml", NEUTRAL) == Dialect(Language.YAML, Purpose.CODE)
    assert dialect_of(".github/scripts/a.py", PIPELINE) == Dialect(Language.PYTHON, Purpose.CODE)
