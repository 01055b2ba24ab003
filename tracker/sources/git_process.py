"""How git is run: hardened, in a fixed environment, never through a shell; one command, or a long-lived pipe.

Nothing that a repository, a user's configuration or a remote says makes git run a hook, a filter, a pager or a helper,
ask a question, or fetch behind our back. Git is told so by its environment only, so that no secret stands in an
argument vector. Variables: https://git-scm.com/docs/git#_environment_variables.
"""

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from tracker.errors import RepositoryError

_HARDENED = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "safe.directory": "*",
}
_QUIET = {
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LANGUAGE": "C",
    "LC_ALL": "C",
    "SSH_ASKPASS_REQUIRE": "never",
}
_NETWORK_PROTOCOLS = "file:git:http:https:ssh"


class GitFailed(RepositoryError):
    """A git command ended with an error; `stderr` is what it said."""

    def __init__(self, command: str, stderr: str) -> None:
        lines = [line for line in stderr.splitlines() if line.strip()]
        said = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1] if lines else "")
        super().__init__(f"git {command} failed: {said or 'it said nothing'}")
        self.stderr = stderr


class PipeEnded(Exception):
    """A long-lived git process ended before it had answered; `stderr` is what it said."""

    def __init__(self, stderr: str) -> None:
        super().__init__(stderr.strip() or "git ended without a word")
        self.stderr = stderr


_BOUNDED = {"core.deltaBaseCacheLimit": "48m"}
"""What git remembers while it reads: there is one process or more for each worker."""


def reading_environment(*, git_dir: Path | None = None, objects: Path | None = None) -> dict[str, str]:
    """Return the environment in which a repository is read: no configuration but ours, no protocol allowed.

    Args:
        git_dir: the repository; None lets git look for it in the folder it is run in.
        objects: where its objects are, when that is not `git_dir`/objects.
    """
    environment = _inherited() | _QUIET
    environment |= {"GIT_ALLOW_PROTOCOL": "", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    if git_dir is not None:
        environment["GIT_DIR"] = str(git_dir)
    if objects is not None:
        environment["GIT_OBJECT_DIRECTORY"] = str(objects)
    return environment | _configuration(_HARDENED | _BOUNDED)


def network_environment(
    *, git_dir: Path | None = None, configuration: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the environment in which a remote is asked; the user's own proxies, certificates and keys hold.

    Args:
        configuration: further git settings, a secret header among them.
    """
    environment = _inherited() | _QUIET | {"GIT_ALLOW_PROTOCOL": _NETWORK_PROTOCOLS}
    environment.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=30")
    if git_dir is not None:
        environment["GIT_DIR"] = str(git_dir)
    network = {"credential.interactive": "false", "http.lowSpeedLimit": "1000", "http.lowSpeedTime": "60"}
    return environment | _configuration(_HARDENED | network | dict(configuration or {}))


def run_git(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path | None = None,
    sent: bytes = b"",
    seconds: float | None = None,
) -> bytes:
    """Run one command to its end and return what it printed.

    Args:
        seconds: how long it may take; for what waits for a remote.

    Raises:
        GitFailed: it ended with an error, or not in time.
        RepositoryError: git is not installed.
    """
    try:
        done = subprocess.run(
            ["git", *arguments],
            env=dict(environment),
            cwd=folder,
            input=sent,
            capture_output=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise GitFailed(arguments[0], f"fatal: timed out after {seconds} seconds") from error
    except FileNotFoundError as error:
        raise git_not_found(error) from error
    if done.returncode:
        raise GitFailed(arguments[0], done.stderr.decode("utf-8", "replace"))
    return done.stdout


def git_not_found(error: FileNotFoundError) -> RepositoryError:
    """Say which of the two files that may be missing is: git itself, or the folder it is to run in."""
    if error.filename not in {None, "git"}:
        return RepositoryError(f"{error.filename} does not exist")
    return RepositoryError("git was not found: install it, and see that it is on PATH")


class GitPipe:
    """A long-lived git process that answers what it is sent; started at the first request, and again after it died.

    It answers in the order of the requests. Whoever sends keeps unanswered requests below one page of a pipe
    (`PAGE_BYTES`): then neither side can wait for the other for ever.
    """

    PAGE_BYTES = 4096

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self._arguments = list(arguments)
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def send(self, request: bytes) -> None:
        """Hand over requests; where the process has died, reading says so once its last answers are read."""
        entry = self._running().stdin
        if entry is None:
            raise self._ended()
        # What it answered before it died is still in the pipe, and worth more than the news of its death.
        with suppress(BrokenPipeError):
            entry.write(request)
            entry.flush()

    def read_line(self) -> bytes:
        """Return the next line with its newline. Raises PipeEnded."""
        line = self._output().readline()
        if not line.endswith(b"\n"):
            raise self._ended()
        return line

    def read_exactly(self, size: int) -> bytes:
        """Return the next `size` bytes. Raises PipeEnded."""
        content = self._output().read(size)
        if len(content) < size:
            raise self._ended()
        return content

    def read_until(self, end: bytes) -> bytes:
        """Return everything up to a mark that stands at the very end of an answer. Raises PipeEnded."""
        output = self._output()
        answer = bytearray()
        while not answer.endswith(end):
            piece = output.read1(1 << 20)  # type: ignore[attr-defined]  # Popen's pipes are buffered readers
            if not piece:
                raise self._ended()
            answer += piece
        return bytes(answer[: -len(end)])

    def skip(self, size: int) -> None:
        """Read `size` bytes and forget them, a piece at a time. Raises PipeEnded."""
        while size:
            size -= len(self.read_exactly(min(size, 1 << 20)))

    def close(self) -> None:
        """End the process, whatever it was doing."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            # A file and not a pipe: nobody reads it while git works, and git must not wait for that.
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
            try:
                self._process = subprocess.Popen(
                    ["git", *self._arguments],
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    bufsize=1 << 20,
                )
            except FileNotFoundError as error:
                raise git_not_found(error) from error
        return self._process

    def _output(self) -> IO[bytes]:
        output = self._running().stdout
        if output is None:
            raise self._ended()
        return output

    def _ended(self) -> PipeEnded:
        """Bury the dead process and return the error that says what it said."""
        said = ""
        if self._process is not None and self._errors is not None:
            self._process.kill()
            self._process.wait()
            self._errors.seek(0)
            said = self._errors.read(1 << 16).decode("utf-8", "replace")
        self.close()
        return PipeEnded(said)


def _inherited() -> dict[str, str]:
    """Return our own environment without git's variables, which may point it to another repository."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for name in ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_EXEC_PATH"):
        if name in os.environ:
            kept[name] = os.environ[name]
    return kept


def _configuration(settings: Mapping[str, str]) -> dict[str, str]:
    """Return settings as the variables by which git takes them from its environment."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for index, (key, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{index}": key, f"GIT_CONFIG_VALUE_{index}": value}
    return variables
