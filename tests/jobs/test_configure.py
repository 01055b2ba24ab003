import stat
from pathlib import Path

import pytest

from jobs.configure import load_settings, with_mail_key
from tracker.errors import SettingsError
from tracker.settings import Secret, Settings


def test_without_a_file_the_environment_and_defaults_hold(tmp_path: Path) -> None:
    assert load_settings({"TRACKER_PORT": "1"}, tmp_path) == Settings(port=1)


def test_tracker_toml_in_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "tracker.toml").write_text("port = 2\n")
    assert load_settings({}, tmp_path).port == 2


def test_another_file_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("port = 3\n")
    assert load_settings({"TRACKER_SETTINGS_FILE": str(tmp_path / "other.toml")}, tmp_path).port == 3


def test_a_named_file_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no such file"):
        load_settings({"TRACKER_SETTINGS_FILE": str(tmp_path / "other.toml")}, tmp_path)


def test_a_token_is_read_from_its_file_without_the_line_end(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("abc123\n")
    settings = load_settings({"TRACKER_GITHUB_TOKEN_FILE": str(tmp_path / "token")}, tmp_path)
    assert settings.github_token == Secret("abc123")


def test_missing_and_empty_secret_files_are_both_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    environ = {
        "TRACKER_GITHUB_TOKEN_FILE": str(tmp_path / "none"),
        "TRACKER_GITHUB_APP_KEY_FILE": str(tmp_path / "empty"),
    }
    with pytest.raises(SettingsError) as caught:
        load_settings(environ, tmp_path)
    assert caught.value.problems == (
        f"TRACKER_GITHUB_TOKEN_FILE names {tmp_path / 'none'}, which cannot be read: No such file or directory",
        f"TRACKER_GITHUB_APP_KEY_FILE names {tmp_path / 'empty'}, which is empty",
    )


def test_a_webhook_secret_is_read_from_its_file_unless_it_is_too_short(tmp_path: Path) -> None:
    environ = {"TRACKER_WEBHOOK_SECRET_FILE": str(tmp_path / "secret")}
    (tmp_path / "secret").write_text("0123456789abcdef\n")
    assert load_settings(environ, tmp_path).webhook_secret == Secret("0123456789abcdef")
    (tmp_path / "secret").write_text("0123456789abcde\n")
    with pytest.raises(SettingsError, match="holds fewer than 16 signs"):
        load_settings(environ, tmp_path)


def test_a_mail_key_is_made_once_and_kept_from_others(tmp_path: Path) -> None:
    settings = Settings(var_folder=tmp_path / "var")
    first = with_mail_key(settings)
    assert first.mail_key is not None
    assert with_mail_key(settings) == first
    assert [path.name for path in (tmp_path / "var").iterdir()] == ["mail.key"]
    assert stat.S_IMODE((tmp_path / "var" / "mail.key").stat().st_mode) == 0o600


def test_two_installations_have_two_keys(tmp_path: Path) -> None:
    one, two = (with_mail_key(Settings(var_folder=tmp_path / name)) for name in "ab")
    assert one.mail_key != two.mail_key


def test_a_key_that_is_set_is_taken_and_none_is_kept(tmp_path: Path) -> None:
    settings = Settings(var_folder=tmp_path / "var", mail_key=Secret("k" * 32))
    assert with_mail_key(settings) is settings
    assert not (tmp_path / "var").exists()


def test_a_spoilt_key_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mail.key").write_text("\n")
    with pytest.raises(SettingsError, match="holds no key"):
        with_mail_key(Settings(var_folder=tmp_path))


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="TRACKER_MAIL_KEY"):
        with_mail_key(Settings(var_folder=tmp_path / "file"))
