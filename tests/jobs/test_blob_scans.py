"""Each distinct blob is read once while it is remembered, and memory stays bounded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs import blob_scans
from jobs.blob_scans import BlobScans
from tests.histories import COUPLED, NEUTRAL
from tests.repositories import Repository, blob_id
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.sources.git_mirror import Mirror, open_mirror
from tracker.upstream import FileKind, FileVersion

SLUG = "pytorch/pytorch"


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    upstream = Repository(tmp_path / "upstream.git")
    upstream.commit({"a.py": COUPLED, "b.py": NEUTRAL})
    return upstream


@pytest.fixture
def mirror(upstream: Repository) -> Iterator[Mirror]:
    with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
        yield mirror


def regular(path: str, content: str) -> FileVersion:
    return FileVersion(path=path, blob=blob_id(content), kind=FileKind.REGULAR)


def found(scans: BlobScans, file: FileVersion) -> list[str] | None:
    text = scans.scan([file]).text(file)
    return None if text is None else [one.site.symbol for one in text.occurrences]


def test_what_is_remembered_needs_no_second_reading(upstream: Repository, mirror: Mirror, ruleset: Ruleset) -> None:
    scans = BlobScans(mirror, SLUG, ruleset)
    assert found(scans, regular("torch/a.py", COUPLED)) == ["torch.cuda.synchronize"]
    upstream.remove_object(blob_id(COUPLED))
    assert found(scans, regular("torch/elsewhere.py", COUPLED)) == ["torch.cuda.synchronize"]
    assert found(BlobScans(mirror, SLUG, ruleset), regular("torch/a.py", COUPLED)) is None


def test_the_same_content_in_another_dialect_is_scanned_anew(mirror: Mirror, ruleset: Ruleset) -> None:
    scans = BlobScans(mirror, SLUG, ruleset)
    python, prose, shell = (regular(path, COUPLED) for path in ("torch/a.py", "docs/a.md", "torch/a.sh"))
    group = scans.scan([python, prose, shell])
    assert group.text(prose) is None
    assert group.text(python) != group.text(shell)


def test_no_more_is_remembered_than_fits(upstream: Repository, mirror: Mirror, ruleset: Ruleset) -> None:
    scans = BlobScans(mirror, SLUG, ruleset, remembered_cost=3)
    coupled, neutral = regular("torch/a.py", COUPLED), regular("torch/b.py", NEUTRAL)
    assert found(scans, coupled) == ["torch.cuda.synchronize"]
    assert found(scans, neutral) == ["torch.accelerator.synchronize"]
    for content in (COUPLED, NEUTRAL):
        upstream.remove_object(blob_id(content))
    # Each costs two: the one that was used last has pushed out the other.
    assert found(scans, neutral) == ["torch.accelerator.synchronize"]
    assert found(scans, coupled) is None


def test_texts_are_given_whether_or_not_they_were_kept(
    mirror: Mirror, ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {blob_id(COUPLED): COUPLED.encode(), blob_id(NEUTRAL): NEUTRAL.encode()}
    for limit in (1 << 20, len(COUPLED), 0):
        monkeypatch.setattr(blob_scans, "_TEXT_BYTES", limit)
        scans = BlobScans(mirror, SLUG, ruleset)
        scans.scan([regular("torch/a.py", COUPLED), regular("torch/b.py", NEUTRAL)])
        assert scans.texts([*expected, "4" * 40, *expected]) == expected
