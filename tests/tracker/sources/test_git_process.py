"""Git runs in an environment of ours, and what it says when it fails reaches the user."""

from pathlib import Path

import pytest

from tests.repositories import Repository
from tracker.errors import RepositoryError
from tracker.sources.git_process import GitFailed, GitPipe, PipeEnded, network_environment, reading_environment, run_git


def configured(environment: dict[str, str]) -> dict[str, str]:
    count = int(environment["GIT_CONFIG_COUNT"])
    return {environment[f"GIT_CONFIG_KEY_{n}"]: environment[f"GIT_CONFIG_VALUE_{n}"] for n in range(count)}


class TestEnvironments:
    def test_reading_allows_no_protocol_and_no_configuration_but_ours(self, tmp_path: Path) -> None:
        environment = reading_environment(git_dir=tmp_path, objects=tmp_path / "objects")
        assert (environment["GIT_DIR"], environment["GIT_OBJECT_DIRECTORY"]) == (
            str(tmp_path),
            str(tmp_path / "objects"),
        )
        assert (environment["GIT_ALLOW_PROTOCOL"], environment["GIT_CONFIG_NOSYSTEM"]) == ("", "1")
        assert (environment["LC_ALL"], environment["GIT_TERMINAL_PROMPT"]) == ("C", "0")
        assert configured(environment)["core.hooksPath"] == "/dev/null"

    def test_the_callers_git_variables_are_dropped_but_for_what_reaches_a_remote(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GIT_TRACE_CURL", "1")
        monkeypatch.setenv("GIT_INDEX_FILE", "elsewhere")
        monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -F ours")
        monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.com")
        environment = network_environment()
        assert not {"GIT_TRACE_CURL", "GIT_INDEX_FILE"} & environment.keys()
        assert environment["GIT_SSH_COMMAND"] == "ssh -F ours"
        assert environment["HTTPS_PROXY"] == "http://proxy.example.com"
        assert "ext" not in environment["GIT_ALLOW_PROTOCOL"].split(":")

    def test_a_secret_header_stands_in_the_environment(self) -> None:
        secret = {"http.https://example.com/.extraHeader": "Authorization: Basic c2VjcmV0"}
        assert secret.items() <= configured(network_environment(configuration=secret)).items()


class TestCommands:
    def test_what_git_prints_is_returned(self, tmp_path: Path) -> None:
        upstream = Repository(tmp_path / "upstream.git")
        sha = upstream.commit({"a.py": "one\n"})
        environment = reading_environment(git_dir=upstream.path)
        assert run_git(["rev-parse", "HEAD"], environment=environment) == f"{sha}\n".encode()
        assert run_git(["hash-object", "--stdin"], environment=environment, sent=b"one\n").strip() != b""

    def test_a_failure_says_what_git_said(self, tmp_path: Path) -> None:
        with pytest.raises(GitFailed, match="git rev-parse failed: fatal: ") as failure:
            run_git(["rev-parse", "HEAD"], environment=reading_environment(git_dir=tmp_path / "missing"))
        assert "not a git repository" in failure.value.stderr

    def test_without_git_the_user_is_told_to_install_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        environment = reading_environment()
        with pytest.raises(RepositoryError, match="install it"):
            run_git(["version"], environment=environment)
        pipe = GitPipe(["cat-file", "--batch"], environment)
        with pytest.raises(RepositoryError, match="install it"):
            pipe.send(b"x\n")
        pipe.close()


class TestPipes:
    def test_one_that_died_says_why_and_can_be_used_again(self, tmp_path: Path) -> None:
        upstream = Repository(tmp_path / "upstream.git")
        pipe = GitPipe(["cat-file", "--batch-check"], reading_environment(git_dir=upstream.path))
        (upstream.path / "HEAD").rename(tmp_path / "HEAD")
        pipe.send(b"x\n")
        with pytest.raises(PipeEnded, match="not a git repository"):
            pipe.read_line()
        (tmp_path / "HEAD").rename(upstream.path / "HEAD")
        pipe.send(b"x\n")
        assert pipe.read_line() == b"x missing\n"
        pipe.close()
        pipe.close()

    def test_answers_given_before_a_death_are_read(self, tmp_path: Path) -> None:
        upstream = Repository(tmp_path / "upstream.git")
        pipe = GitPipe(["cat-file", "--batch-check", "--unknown"], reading_environment(git_dir=upstream.path))
        with pytest.raises(PipeEnded):
            pipe.read_exactly(1)
        with pytest.raises(PipeEnded):
            pipe.read_until(b"#\n")
        with pytest.raises(PipeEnded):
            pipe.skip(10)
        pipe.close()
