"""The sites of a tree, of a revision or on disk, as a table, as JSON and as SARIF."""

import json
from pathlib import Path

import pytest

from jobs.render_scan import scan_as_json, scan_as_sarif, scan_as_table
from jobs.scan_tree import TreeScan, scan_folder, scan_revision
from tests.histories import COUPLED, NEUTRAL
from tests.repositories import Object, Repository, Submodule, Symlink, blob_id
from tracker.classify import SkippedFile
from tracker.errors import RepositoryError
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.sources.git_mirror import open_mirror
from tracker.upstream import SkipReason

SLUG = "pytorch/pytorch"


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


def symbols(scan: TreeScan) -> list[tuple[str, int, str]]:
    return [(file.path, one.line, one.site.symbol) for file in scan.files for one in file.occurrences]


@pytest.fixture
def of_revision(tmp_path: Path, ruleset: Ruleset) -> TreeScan:
    upstream = Repository(tmp_path / "upstream.git")
    upstream.commit(
        {
            "README.md": COUPLED,
            "aten/src/ATen/cuda/a.cu": "cudaMalloc(x);\n",
            "torch/a b.py": COUPLED,
            "torch/neutral.py": NEUTRAL,
            "torch/binary.py": b"cuda\0",
            "torch/gone.py": Object("4" * 40),
            "torch/link.py": Symlink("a b.py"),
            "torch/module": Submodule("3" * 40),
            "torch/plain.py": "x = 1\n",
        }
    )
    with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
        return scan_revision(mirror, SLUG, "main", ruleset)


def test_a_revision_has_its_sites_and_what_was_not_read(of_revision: TreeScan) -> None:
    assert symbols(of_revision) == [
        ("aten/src/ATen/cuda/a.cu", 1, "cudaMalloc"),
        ("torch/a b.py", 5, "torch.cuda.synchronize"),
        ("torch/neutral.py", 5, "torch.accelerator.synchronize"),
    ]
    assert of_revision.skipped == (
        SkippedFile(path="torch/binary.py", blob=blob_id(b"cuda\0"), reason=SkipReason.BINARY),
        SkippedFile(path="torch/gone.py", blob="4" * 40, reason=SkipReason.MISSING_OBJECT),
        SkippedFile(path="torch/link.py", blob=blob_id("a b.py"), reason=SkipReason.SYMLINK),
        SkippedFile(path="torch/module", blob="3" * 40, reason=SkipReason.SUBMODULE),
    )


class TestFolders:
    def test_a_folder_has_the_sites_of_its_files(self, tmp_path: Path, ruleset: Ruleset) -> None:
        for path, content in (
            ("torch/a.py", COUPLED),
            (".git/hooks/b.py", COUPLED),
            ("torch/c/README.md", COUPLED),
            ("torch/c/d.py", NEUTRAL),
        ):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content)
        (tmp_path / "torch/binary.py").write_bytes(b"cuda\0")
        (tmp_path / "torch/huge.py").write_bytes(b"#" * (ruleset.max_blob_bytes + 1))
        (tmp_path / "torch/link.py").symlink_to("a.py")
        (tmp_path / "torch/loop").symlink_to(tmp_path)
        scan = scan_folder(tmp_path, SLUG, ruleset)
        assert symbols(scan) == [
            ("torch/a.py", 5, "torch.cuda.synchronize"),
            ("torch/c/d.py", 5, "torch.accelerator.synchronize"),
        ]
        assert [(file.path, file.reason) for file in scan.skipped] == [
            ("torch/binary.py", SkipReason.BINARY),
            ("torch/huge.py", SkipReason.HUGE),
            ("torch/link.py", SkipReason.SYMLINK),
            ("torch/loop", SkipReason.SYMLINK),
        ]

    def test_one_file(self, tmp_path: Path, ruleset: Ruleset) -> None:
        (tmp_path / "a.py").write_text(COUPLED)
        (tmp_path / "b.py").write_text(COUPLED)
        assert symbols(scan_folder(tmp_path / "a.py", SLUG, ruleset)) == [("a.py", 5, "torch.cuda.synchronize")]

    def test_nothing_at_the_path_is_an_error(self, tmp_path: Path, ruleset: Ruleset) -> None:
        with pytest.raises(RepositoryError, match="does not exist"):
            scan_folder(tmp_path / "missing", SLUG, ruleset)


class TestRendering:
    def test_a_table_counts_neutral_code_first(self, of_revision: TreeScan) -> None:
        assert scan_as_table(of_revision) == [
            ("territory", "vendor", "construct", "sites"),
            ("neutral", "(neutral)", "neutral", "1"),
            ("neutral", "nvidia", "api", "1"),
            ("vendor", "nvidia", "api", "1"),
            ("in neutral code", "all vendors", "all constructs", "1"),
            ("not read", "binary", "files", "1"),
            ("not read", "missing object", "files", "1"),
            ("not read", "submodule", "files", "1"),
            ("not read", "symlink", "files", "1"),
        ]

    def test_json_has_every_site_with_its_place(self, of_revision: TreeScan) -> None:
        rendered = scan_as_json(of_revision)
        assert isinstance(rendered["sites"], list)
        assert isinstance(rendered["skipped"], list)
        assert (rendered["repo"], rendered["tree"], rendered["ruleset"]) == (
            SLUG,
            of_revision.name,
            of_revision.ruleset,
        )
        assert rendered["sites"][1] == {
            "path": "torch/a b.py",
            "line": 5,
            "territory": "neutral",
            "area": "core",
            "subsystem": rendered["sites"][1]["subsystem"],
            "construct": "api",
            "vendor": "nvidia",
            "symbol": "torch.cuda.synchronize",
            "rule": rendered["sites"][1]["rule"],
        }
        assert (len(rendered["sites"]), len(rendered["skipped"])) == (3, 4)
        json.dumps(rendered)

    def test_sarif_has_the_sites_of_neutral_code_only(self, of_revision: TreeScan, ruleset: Ruleset) -> None:
        log = json.loads(json.dumps(scan_as_sarif(of_revision, ruleset, "0.1.0")))
        (run,) = log["runs"]
        (result,) = run["results"]
        (rule,) = run["tool"]["driver"]["rules"]
        assert (log["version"], result["ruleId"], result["ruleIndex"]) == ("2.1.0", rule["id"], 0)
        assert result["message"]["text"] == "torch.cuda.synchronize names nvidia's hardware in vendor-neutral code"
        assert result["locations"] == [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "torch/a%20b.py", "uriBaseId": "SRCROOT"},
                    "region": {"startLine": 5},
                }
            }
        ]
        (invocation,) = run["invocations"]
        assert [each["message"]["text"] for each in invocation["toolExecutionNotifications"]] == [
            "not read: binary",
            "not read: missing object",
            "not read: symlink",
            "not read: submodule",
        ]
