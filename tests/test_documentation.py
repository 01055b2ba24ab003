"""Documents say what the code does."""

import re
from dataclasses import fields
from pathlib import Path

from tracker.settings import Settings

ROOT = Path(__file__).parent.parent


def test_every_setting_is_documented_and_nothing_else_is() -> None:
    documented = set(re.findall(r"`TRACKER_([A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text()))
    assert documented - {"SETTINGS_FILE"} == {field.name.upper() for field in fields(Settings)}


def test_every_link_between_documents_leads_to_a_file() -> None:
    for document in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_every_module_that_the_architecture_names_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    for path in re.findall(r"`((?:tracker|db|jobs|dashboards|tests)/[\w/]+(?:\.py)?)`", text):
        assert (ROOT / path).exists(), f"docs/architecture.md names {path}"


def test_every_test_that_a_document_names_exists() -> None:
    source = "\n".join(path.read_text() for path in sorted((ROOT / "tests").rglob("test_*.py")))
    defined = set(re.findall(r"^\s*(?:async )?def (test_\w+)\(", source, re.MULTILINE))
    for document in sorted((ROOT / "docs").glob("*.md")):
        named = set(re.findall(r"`(test_\w+)`", document.read_text()))
        assert named - defined == set(), document.name


def test_every_ugly_input_has_its_row() -> None:
    text = (ROOT / "docs" / "github.md").read_text()
    rows = {int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert rows == set(range(1, 42))
