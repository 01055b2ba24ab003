import pickle
from datetime import date
from pathlib import Path

import pytest

from tracker.errors import SettingsError
from tracker.settings import RepositorySetting, Secret, Settings, parse_repository, read_settings


def problems_of(environ: dict[str, str], toml_text: str | None = None) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        read_settings(environ, toml_text)
    return caught.value.problems


def test_nothing_set_gives_the_defaults() -> None:
    assert read_settings({}) == Settings()


def test_other_programs_variables_are_not_ours() -> None:
    assert read_settings({"PATH": "/bin", "HOME": "/", "TRACKERS": "x"}) == Settings()


def test_the_environment_goes_before_the_file_and_the_file_before_the_defaults() -> None:
    settings = read_settings({"TRACKER_PORT": "9000"}, 'port = 7000\nhost = "0.0.0.0"\n')
    assert (settings.port, settings.host, settings.stale_hours) == (9000, "0.0.0.0", 6)


def test_a_variable_that_is_set_but_empty_counts_as_not_set() -> None:
    assert read_settings({"TRACKER_PORT": "", "TRACKER_GITHUB_TOKEN": " "}) == Settings()


def test_the_database_lies_in_the_var_folder_unless_it_is_named() -> None:
    assert read_settings({"TRACKER_VAR_FOLDER": "/srv/t"}).database_url == "sqlite:////srv/t/tracker.db"
    named = read_settings({"TRACKER_VAR_FOLDER": "/srv/t", "TRACKER_DATABASE_URL": "postgresql://h/d"})
    assert (named.database_url, named.var_folder) == ("postgresql://h/d", Path("/srv/t"))


def test_all_problems_come_at_once() -> None:
    assert problems_of(
        {"TRACKER_PORT": "high", "TRACKER_CRAWL_COMMITS_MINUTES": "0", "TRACKER_LOG_FORMAT": "xml"},
        'debug = "perhaps"',
    ) == (
        "TRACKER_PORT: 'high' is no number",
        "TRACKER_CRAWL_COMMITS_MINUTES: 0 is no possible time; more than 0 is needed",
        "TRACKER_LOG_FORMAT: 'xml' is none of auto, human, json",
        "debug in tracker.toml: 'perhaps' is neither true nor false",
    )


def test_an_unknown_key_is_a_problem_with_a_suggestion() -> None:
    assert problems_of({"TRACKER_DATABSE_URL": "x"}, "prot = 1\nzzz = 1") == (
        "TRACKER_DATABSE_URL is no setting; did you mean TRACKER_DATABASE_URL?",
        "prot in tracker.toml is no setting; did you mean port in tracker.toml?",
        "zzz in tracker.toml is no setting",
    )


def test_a_file_that_is_no_toml_is_one_problem() -> None:
    (problem,) = problems_of({}, "port = = 1")
    assert problem.startswith("tracker.toml is no valid TOML: ")


@pytest.mark.parametrize("port", ["-1", "65536", "80.5", "nan", "inf", "1e99"])
def test_a_port_is_a_whole_number_that_a_port_can_have(port: str) -> None:
    (problem,) = problems_of({"TRACKER_PORT": port})
    assert problem.startswith("TRACKER_PORT: ")


def test_what_kubernetes_adds_beside_a_service_named_tracker_is_no_setting() -> None:
    environ = {
        "TRACKER_PORT": "tcp://10.0.0.1:80",
        "TRACKER_PORT_80_TCP": "tcp://10.0.0.1:80",
        "TRACKER_SERVICE_HOST": "10.0.0.1",
        "TRACKER_SERVICE_PORT": "80",
        "TRACKER_SERVICE_PORT_HTTP": "80",
    }
    assert read_settings(environ) == Settings()


def test_several_repositories_are_separated_by_commas_or_lines() -> None:
    settings = read_settings({"TRACKER_REPOSITORIES": "a/b, c/d=/clones/d@main,\n e/f@v1 ,"})
    assert settings.repositories == (
        RepositorySetting(slug="a/b"),
        RepositorySetting(slug="c/d", mirror="/clones/d", ref="main"),
        RepositorySetting(slug="e/f", ref="v1"),
    )


def test_a_file_may_list_repositories_as_texts_or_tables() -> None:
    text = """repositories = [
        "a/b",
        {slug = "c/d", mirror = "/x,y@z", ref = "main"},
        {slug = "e/f", since = 2022-01-31, quiet_days = 2.5},
    ]"""
    assert read_settings({}, text).repositories == (
        RepositorySetting(slug="a/b"),
        RepositorySetting(slug="c/d", mirror="/x,y@z", ref="main"),
        RepositorySetting(slug="e/f", since=date(2022, 1, 31), quiet_days=2.5),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("o/n", RepositorySetting(slug="o/n")),
        ("o/n@release/2.1", RepositorySetting(slug="o/n", ref="release/2.1")),
        ("o/n=../clone", RepositorySetting(slug="o/n", mirror="../clone")),
        ("o/n=/a=b@main", RepositorySetting(slug="o/n", mirror="/a=b", ref="main")),
        ("o/n=/a@b@main", RepositorySetting(slug="o/n", mirror="/a@b", ref="main")),
        ("o/n=/a@b@", RepositorySetting(slug="o/n", mirror="/a@b")),
        ('o/n="/a@b,c"', RepositorySetting(slug="o/n", mirror="/a@b,c")),
        ('o/n="/a@b,c"@main', RepositorySetting(slug="o/n", mirror="/a@b,c", ref="main")),
        ("o/n=https://me@host/o/n.git", RepositorySetting(slug="o/n", mirror="https://me@host/o/n.git")),
        ("o/n=https://me@host/n.git@dev", RepositorySetting(slug="o/n", mirror="https://me@host/n.git", ref="dev")),
        ("o/n=git@host:o/n.git", RepositorySetting(slug="o/n", mirror="git@host:o/n.git")),
        ("o/n=git@host:o/n.git@dev", RepositorySetting(slug="o/n", mirror="git@host:o/n.git", ref="dev")),
        ("o/n=file:///clones/n@dev", RepositorySetting(slug="o/n", mirror="file:///clones/n", ref="dev")),
        ("o/n since 2022-01-31", RepositorySetting(slug="o/n", since=date(2022, 1, 31))),
        ("o/n@v1 quiet 30", RepositorySetting(slug="o/n", ref="v1", quiet_days=30)),
        (
            'o/n="/a@b c"@main quiet 0.5 since 2022-01-31',
            RepositorySetting(slug="o/n", mirror="/a@b c", ref="main", since=date(2022, 1, 31), quiet_days=0.5),
        ),
    ],
)
def test_the_last_at_sign_begins_the_branch_unless_a_host_follows_it(text: str, expected: RepositorySetting) -> None:
    assert parse_repository(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "o/n/x",
        "o/..",
        "-o/n",
        "o/n=",
        'o/n="/a"x',
        "o/n@--upload-pack=x",
        "o/n@a b",
        "o/n@a..b",
        "o n/x",
        "o/n since then",
        "o/n since 2022-13-01",
        "o/n quiet 0",
        "o/n quiet inf",
        "o/n quiet 1 quiet 2",
    ],
)
def test_what_is_no_repository_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        parse_repository(text)


def test_a_quoted_comma_does_not_separate_repositories() -> None:
    settings = read_settings({"TRACKER_REPOSITORIES": 'a/b="/x,y"@m,c/d'})
    assert settings.repositories == (
        RepositorySetting(slug="a/b", mirror="/x,y", ref="m"),
        RepositorySetting(slug="c/d"),
    )


def test_every_wrong_repository_is_named() -> None:
    assert problems_of({"TRACKER_REPOSITORIES": "one,a/b,two,A/B"}) == (
        "TRACKER_REPOSITORIES: 'one' is no repository name: write owner/name, e.g. pytorch/pytorch",
        "TRACKER_REPOSITORIES: 'two' is no repository name: write owner/name, e.g. pytorch/pytorch",
        "TRACKER_REPOSITORIES: A/B stands there twice",
    )


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    problems = problems_of(
        {
            "TRACKER_GITHUB_URL": "https://me:hunter2@host/api",
            "TRACKER_GIT_URL": "https://hunter2@host",
            "TRACKER_REPOSITORIES": "a/b=https://me:hunter2@host/x",
        }
    )
    assert len(problems) == 3
    assert "hunter2" not in "".join(problems)


@pytest.mark.parametrize("value", ["api.github.com", "ftp://host", "https://", "file:///x"])
def test_the_api_has_a_web_address(value: str) -> None:
    assert len(problems_of({"TRACKER_GITHUB_URL": value})) == 1


def test_the_git_address_may_be_a_folder_of_clones() -> None:
    settings = read_settings({"TRACKER_GIT_URL": "file:///clones/"})
    assert settings.clone_url("o/n") == "file:///clones/o/n.git"


def test_credentials_are_given_once() -> None:
    assert problems_of({"TRACKER_GITHUB_TOKEN": "a", "TRACKER_GITHUB_TOKEN_FILE": "b"}) == (
        "TRACKER_GITHUB_TOKEN and TRACKER_GITHUB_TOKEN_FILE are both set; keep one",
    )
    assert problems_of({"TRACKER_GITHUB_APP_ID": "1"}) == (
        "TRACKER_GITHUB_APP_ID needs TRACKER_GITHUB_APP_INSTALLATION and TRACKER_GITHUB_APP_KEY_FILE beside it",
    )


def test_a_whole_app_is_accepted() -> None:
    settings = read_settings(
        {
            "TRACKER_GITHUB_APP_ID": "12",
            "TRACKER_GITHUB_APP_INSTALLATION": "34",
            "TRACKER_GITHUB_APP_KEY_FILE": "app.pem",
        }
    )
    assert (settings.github_app_id, settings.github_app_installation) == ("12", 34)
    assert settings.github_app_key_file == Path("app.pem")


def test_a_short_mail_key_is_refused_without_showing_it() -> None:
    assert problems_of({"TRACKER_MAIL_KEY": "hunter2"}) == (
        "TRACKER_MAIL_KEY: at least 16 signs are needed, best 32 or more at random",
    )


def test_a_short_webhook_secret_is_refused_and_so_are_two() -> None:
    assert problems_of({"TRACKER_WEBHOOK_SECRET": "hunter2"}) == (
        "TRACKER_WEBHOOK_SECRET: at least 16 signs are needed, best 32 or more at random",
    )
    both = {"TRACKER_WEBHOOK_SECRET": "hunter2-hunter2-hunter2", "TRACKER_WEBHOOK_SECRET_FILE": "secret"}
    assert problems_of(both) == ("TRACKER_WEBHOOK_SECRET and TRACKER_WEBHOOK_SECRET_FILE are both set; keep one",)


def test_secrets_are_never_shown() -> None:
    settings = read_settings(
        {
            "TRACKER_GITHUB_TOKEN": "hunter2-token",
            "TRACKER_MAIL_KEY": "hunter2-hunter2-hunter2",
            "TRACKER_DATABASE_URL": "postgresql://me:hunter2@host/db",
            "TRACKER_WEBHOOK_SECRET": "hunter2-hunter2-hunter2",
            "TRACKER_WEBHOOK_DATABASE_URL": "postgresql://marker:hunter2@host/db",
        }
    )
    assert settings.github_token is not None
    assert settings.github_token.reveal() == "hunter2-token"
    shown = [
        repr(settings),
        str(settings),
        f"{settings.github_token}",
        str(settings.mail_key),
        settings.database_label,
    ]
    assert "hunter2" not in "".join(shown)
    assert settings.database_label == "postgresql://me:***@host/db"


def test_a_secret_is_not_pickled() -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(Secret("hunter2"))


def test_settings_without_secrets_travel_to_workers() -> None:
    assert pickle.loads(pickle.dumps(Settings())) == Settings()  # noqa: S301 - pickled one line before


def test_equal_secrets_are_equal() -> None:
    assert Secret("a") == Secret("a") != Secret("b")
    assert Secret("a") != "a"
