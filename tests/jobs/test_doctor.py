"""What the doctor says of each thing, and that it never tells a secret."""

import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from db import schema
from db.base import open_database
from jobs.doctor import Health, examine, look_at_clock, look_at_git, look_at_python, look_at_token
from tests.repositories import Repository
from tracker.settings import RepositorySetting, Secret, Settings

NOW = datetime(2026, 1, 8, 12, tzinfo=UTC)
CLOSED = "http://127.0.0.1:1"


def settings_in(folder: Path, **more: object) -> Settings:
    given: dict[str, object] = {
        "var_folder": folder / "var",
        "database_url": f"sqlite:///{folder}/var/tracker.db",
        "github_url": CLOSED,
        "port": 0,
    }
    return Settings(**(given | more))  # type: ignore[arg-type]


def found_in(settings: Settings, **environ: str) -> dict[str, tuple[Health, str]]:
    return {each.name: (each.health, each.sentence) for each in examine(settings, environ, lambda: NOW)}


def test_a_new_folder_has_nothing_bad(tmp_path: Path) -> None:
    found = found_in(settings_in(tmp_path))
    assert {name: health for name, (health, _) in found.items()} == {
        "python": Health.OK,
        "git": Health.OK,
        "folder": Health.OK,
        "database": Health.OK,
        "rules": Health.OK,
        "clones": Health.OK,
        "token": Health.NOTE,
        "upstream": Health.NOTE,
        "port": Health.OK,
    }
    assert "the first run makes it" in found["database"][1]
    assert not (tmp_path / "var" / "tracker.db").exists()


def test_what_is_wrong_is_said_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "territory-own.toml").write_text("nonsense = 1")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = found_in(
            settings_in(
                tmp_path,
                var_folder=tmp_path / "file" / "var",
                rules_folder=tmp_path / "rules",
                database_url="mysql://localhost/t",
                repositories=(RepositorySetting(slug="o/n", mirror=str(tmp_path / "nowhere")),),
                port=port,
            )
        )
    bad = {name: sentence for name, (health, sentence) in found.items() if health is Health.BAD}
    assert set(bad) == {"folder", "database", "rules", "clones", "port"}
    assert "set TRACKER_VAR_FOLDER" in bad["folder"]
    assert "use sqlite:///FILE or postgresql://" in bad["database"]
    assert "territory-own.toml" in bad["rules"]
    assert "is no folder" in bad["clones"]
    assert f"cannot listen on 127.0.0.1 port {port}" in bad["port"]
    assert "choose another port" in bad["port"]


def test_a_database_of_another_version_is_bad_and_the_right_one_is_not(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    engine = open_database(settings.database_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE other (x)")
    assert found_in(settings)["database"][0] is Health.BAD
    assert "run `tracker db upgrade`" in found_in(settings)["database"][1]
    schema.upgrade(engine)
    engine.dispose()
    assert found_in(settings)["database"][0] is Health.OK


def test_a_clone_that_is_named_is_read(tmp_path: Path) -> None:
    Repository(tmp_path / "clone").commit({"a.py": "x = 1\n"})
    named = RepositorySetting(slug="o/n", mirror=str(tmp_path / "clone"), ref="main")
    assert found_in(settings_in(tmp_path, repositories=(named,)))["clones"][0] is Health.OK


@pytest.mark.parametrize(
    ("token", "health"),
    [
        ("ghp_" + "a1B2" * 9, Health.OK),
        ("github_pat_" + "a1B2_" * 16, Health.OK),
        ("0123456789abcdef" * 2 + "01234567", Health.OK),
        ("hunter2hunter2", Health.BAD),
        ("ghp_short", Health.BAD),
        ("Bearer ghp_" + "a1B2" * 9, Health.BAD),
    ],
)
def test_a_token_is_judged_by_its_form_and_never_told(tmp_path: Path, token: str, health: Health) -> None:
    found, sentence = look_at_token(settings_in(tmp_path, github_token=Secret(token)))
    assert (found, token in sentence) == (health, False)


def test_the_proxy_is_named_without_its_password_where_upstream_is_out_of_reach(tmp_path: Path) -> None:
    _, sentence = found_in(settings_in(tmp_path), https_proxy="http://me:hunter2@proxy.example.com:3128")["upstream"]
    assert "through the proxy https_proxy=http://proxy.example.com:3128" in sentence
    assert "hunter2" not in sentence


@pytest.mark.parametrize(
    ("seconds", "health", "said"),
    [
        (0, Health.OK, "the clocks agree"),
        (59, Health.OK, "the clocks agree"),
        (3600, Health.BAD, "the clock here is 3600 s ahead of its"),
        (-90, Health.BAD, "the clock here is 90 s behind its"),
    ],
)
def test_a_clock_that_differs_from_upstreams_is_bad(seconds: int, health: Health, said: str) -> None:
    date = format_datetime(NOW - timedelta(seconds=seconds), usegmt=True)
    found, sentence = look_at_clock(date, NOW, "it answers")
    assert (found, said in sentence) == (health, True)


@pytest.mark.parametrize("date", [None, "yesterday"])
def test_a_date_that_is_none_says_nothing_of_the_clock(date: str | None) -> None:
    assert look_at_clock(date, NOW, "it answers")[0] is Health.NOTE


def test_versions_that_are_too_old_are_bad() -> None:
    assert look_at_python((3, 10, 9))[0] is Health.BAD
    assert look_at_python((3, 11, 0))[0] is Health.OK
    assert [
        look_at_git(text)[0] for text in ("git version 2.30.9", "git version 2.31.0", "git version 3.0 (Apple)")
    ] == [
        Health.BAD,
        Health.OK,
        Health.OK,
    ]
    assert look_at_git("what?")[0] is Health.BAD
