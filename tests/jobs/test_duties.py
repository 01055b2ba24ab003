from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from db.base import in_transaction
from db.repositories import read_repositories, remove_repository
from jobs.duties import Duties, open_duties
from jobs.runner import utc_now
from tests.repositories import Repository
from tracker.errors import RepositoryError
from tracker.settings import RepositorySetting, Secret, Settings

Watched = list[tuple[str, str | None, str | None]]


def settings_in(folder: Path, *repositories: RepositorySetting) -> Settings:
    return Settings(
        var_folder=folder,
        database_url=f"sqlite:///{folder}/tracker.db",
        github_url="http://127.0.0.1:1",
        git_url="http://127.0.0.1:1",
        repositories=repositories or Settings().repositories,
        mail_key=Secret("k" * 32),
        workers=1,
    )


@contextmanager
def duties_in(folder: Path, *repositories: RepositorySetting) -> Iterator[Duties]:
    with open_duties(settings_in(folder, *repositories)) as duties:
        yield duties


def watched(duties: Duties) -> Watched:
    with in_transaction(duties.readers) as session:
        return [(row.slug, row.mirror, row.ref) for row in read_repositories(session)]


def test_a_new_database_watches_the_default_repository(tmp_path: Path) -> None:
    with duties_in(tmp_path) as duties:
        assert duties.watch() == ["pytorch/pytorch"]


def test_the_default_repository_that_was_removed_does_not_come_back(tmp_path: Path) -> None:
    with duties_in(tmp_path) as duties:
        duties.watch()
        with in_transaction(duties.sessions) as session:
            remove_repository(session, "pytorch/pytorch", utc_now())
        assert duties.watch() == []


def test_repositories_of_the_settings_are_watched_beside_those_added_by_hand(tmp_path: Path) -> None:
    with duties_in(tmp_path, RepositorySetting(slug="o/n", mirror="/clones/n", ref="main")) as duties:
        duties.watch_one(RepositorySetting(slug="o/hand"))
        assert duties.watch() == ["o/hand", "o/n"]
        assert watched(duties) == [("o/hand", None, None), ("o/n", "/clones/n", "main")]


def test_the_settings_change_where_a_clone_is(tmp_path: Path) -> None:
    with duties_in(tmp_path, RepositorySetting(slug="o/n", mirror="/old")) as duties:
        duties.watch()
    with duties_in(tmp_path, RepositorySetting(slug="o/n", mirror="/new", ref="dev")) as duties:
        duties.watch()
        assert watched(duties) == [("o/n", "/new", "dev")]


def test_a_relative_path_is_kept_as_an_absolute_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with duties_in(tmp_path, RepositorySetting(slug="o/n", mirror="clone")) as duties:
        duties.watch()
        assert watched(duties) == [("o/n", str(tmp_path / "clone"), None)]


def test_one_repository_is_watched_with_what_the_settings_say_of_it(tmp_path: Path) -> None:
    with duties_in(tmp_path, RepositorySetting(slug="O/N", mirror="/clone", ref="dev")) as duties:
        assert duties.watch_one(RepositorySetting(slug="o/n")) == "o/n"
        assert watched(duties) == [("o/n", "/clone", "dev")]


def test_a_repository_known_under_another_case_is_the_same(tmp_path: Path) -> None:
    with duties_in(tmp_path) as duties:
        duties.watch_one(RepositorySetting(slug="o/n"))
        assert duties.watch_one(RepositorySetting(slug="O/N")) == "o/n"


def test_demonstration_repositories_are_marked(tmp_path: Path) -> None:
    with duties_in(tmp_path, RepositorySetting(slug="demo/torch")) as duties:
        duties.watch(demo=True)
        with in_transaction(duties.readers) as session:
            assert [row.demo for row in read_repositories(session)] == [True]


def test_a_job_of_a_repository_that_is_not_watched_fails_with_the_remedy(tmp_path: Path) -> None:
    with duties_in(tmp_path) as duties:
        report = duties.crawl_commits("o/n")
    assert report is not None
    assert (report.outcome, report.message) == (
        "failed",
        "o/n is not under watch; add it with `tracker repos add o/n`",
    )


def test_an_audit_waits_until_commits_were_read(tmp_path: Path) -> None:
    upstream = Repository(tmp_path / "upstream.git")
    upstream.commit({"a.py": "import torch\ntorch.cuda.synchronize()\n"})
    with duties_in(tmp_path, RepositorySetting(slug="o/n", mirror=str(upstream.path))) as duties:
        duties.watch()
        assert duties.audit("o/n") is None
        duties.crawl_commits("o/n")
        report = duties.audit("o/n")
    assert report is not None
    assert (report.outcome, report.counts) == ("ok", {"commits": 1, "differences": 0})


def test_an_audit_of_a_repository_that_is_not_watched_is_an_error(tmp_path: Path) -> None:
    with duties_in(tmp_path) as duties, pytest.raises(RepositoryError):
        duties.audit("o/n")


def test_jobs_end_at_their_next_step_once_asked_to(tmp_path: Path) -> None:
    upstream = Repository(tmp_path / "upstream.git")
    upstream.commit({"a.py": "import torch\ntorch.cuda.synchronize()\n"})
    with duties_in(tmp_path, RepositorySetting(slug="o/n", mirror=str(upstream.path))) as duties:
        duties.watch()
        duties.stop.set()
        report = duties.crawl_commits("o/n")
    assert report is not None
    assert (report.outcome, report.retry_at) == ("killed", None)
