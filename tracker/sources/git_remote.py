"""A bare mirror of a remote repository: what the remote has, and fetching the one branch that is followed.

Of a remote only the followed branch and the version tags are fetched, not its thousands of pull request references. A
first fetch goes to a folder beside the mirror's and is renamed when it is whole, so that an interrupted one leaves
nothing that looks like a mirror. What git says when it fails becomes one of our errors: the remote cannot be reached
now (try later), refuses us, or is not what it should be.
"""

import fcntl
import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tracker.errors import AuthenticationFailed, RepositoryError, UpstreamError, UpstreamUnavailable
from tracker.sources.git_plumbing import RemoteReferences, parse_references
from tracker.sources.git_process import GitFailed, git_not_found, network_environment, reading_environment, run_git

Progress = Callable[[str, int, int | None], None]
"""Takes what is being done, how many are done, and of how many."""

SILENCE_SECONDS = 300.0
"""A fetch that says nothing for so long is given up."""
LOCK_SECONDS = 60.0
"""How long to wait for another process that is fetching the same mirror."""

MOST_PACKS = 50

_VERSION_TAGS = "+refs/tags/v*:refs/tags/v*"
_SHA = re.compile(r"[0-9a-f]{40}")
_SCP_LIKE = re.compile(r"[\w.-]+@[\w.-]+:.+")
_PROGRESS = re.compile(r"(?:remote: )?([A-Z][a-z ]+): +\d+% \((\d+)/(\d+)\)")
_LIMITED = re.compile(r"limiting|too many requests|error: 429", re.IGNORECASE)
_REFUSED = re.compile(
    r"authentication failed|could not read (username|password)|terminal prompts disabled|error: 40[13]\b"
    r"|permission denied \(publickey|host key verification failed|invalid credentials",
    re.IGNORECASE,
)
_UNREACHABLE = re.compile(
    r"could not resolve|failed to connect|couldn't connect|connection (refused|reset|timed out|closed)|timed? ?out"
    r"|unreachable|no route to host|temporary failure|early eof|disconnect|hung up|rpc failed|error: 5\d\d|too slow"
    r"|proxy|\b(ssl|tls|gnutls)\b|empty reply|unable to access|curl \d+",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(r"error: 404\b|not found|does not appear to be a git repository|no such file", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A remote repository and our mirror of it."""

    git_dir: Path
    url: str
    authorization: str | None = field(default=None, repr=False)
    """Value of the HTTP header, sent to this URL's host only."""


def is_url(location: str) -> bool:
    """Tell a URL (or user@host:path) from a path on this machine."""
    return "://" in location or bool(_SCP_LIKE.fullmatch(location))


def without_secrets(url: str) -> str:
    """Return a URL without the user name and password that may stand in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if parts.scheme else url


def fetch_mirror(
    mirror: Path, url: str, *, ref: str | None, authorization: str | None, progress: Progress | None
) -> str:
    """Make or update the bare mirror of a URL and return the full name of the reference that is followed.

    Args:
        ref: branch, tag, full reference or sha to follow; None: the remote's default branch.
        authorization: value of the HTTP header, sent to this URL's host only.

    Raises:
        UpstreamUnavailable: the remote cannot be reached now, or another process is fetching this mirror.
        AuthenticationFailed: it refuses us.
        RepositoryError: it is no repository, is empty, or has no such reference.
    """
    secret = secret_header(url, authorization)
    mirror.parent.mkdir(parents=True, exist_ok=True)
    with locked(mirror.with_suffix(".lock"), url):
        followed, source = _followed(url, ref, secret)
        target = mirror if mirror.exists() else mirror.with_suffix(".part")
        if target != mirror:
            shutil.rmtree(target, ignore_errors=True)
            run_git(["init", "--quiet", "--bare", str(target)], environment=reading_environment())
        fetch_references(target, url, [f"+{source}:{followed}", _VERSION_TAGS], secret, progress)
        run_git(["symbolic-ref", "HEAD", followed], environment=reading_environment(git_dir=target))
        keep_house(target)
        if target != mirror:
            target.rename(mirror)
    return followed


def read_references(url: str, patterns: Sequence[str], secret: dict[str, str]) -> RemoteReferences:
    """Ask a remote for the references of these names, and what its HEAD stands for. Raises as `fetch_mirror`."""
    environment = network_environment(configuration=secret)
    question = ["ls-remote", "--symref", "--", url, *patterns]
    try:
        return parse_references(run_git(question, environment=environment, seconds=SILENCE_SECONDS))
    except GitFailed as failure:
        raise describe_failure(failure.stderr, url) from failure


def describe_failure(stderr: str, url: str) -> UpstreamError:
    """Turn what git said into the error that tells the user what to do."""
    shown = without_secrets(url)
    lines = [line.strip() for line in re.split(r"[\r\n]+", stderr) if line.strip()]
    said = next((line for line in lines if line.startswith(("fatal:", "ERROR:", "ssh:"))), lines[-1] if lines else "")
    said = said.replace(url, shown)
    if _LIMITED.search(stderr):
        return UpstreamUnavailable(f"{shown} is limiting downloads; a token raises the limit ({said})")
    if _REFUSED.search(stderr):
        return AuthenticationFailed(
            f"{shown} refuses to be read: it does not exist, or needs a token that may read it ({said})"
        )
    if _UNREACHABLE.search(stderr) and not re.search(r"error: 404\b", stderr):
        return UpstreamUnavailable(f"{shown} cannot be reached now ({said})")
    if _NOT_FOUND.search(stderr):
        return RepositoryError(f"{shown} is no git repository, or none that may be seen ({said})")
    return RepositoryError(f"{shown} cannot be fetched ({said or 'git said nothing'})")


def parse_progress(line: str) -> tuple[str, int, int] | None:
    """Read one progress line of git: (what, done, total); None where it is another line."""
    found = _PROGRESS.match(line.strip())
    return (found[1].lower(), int(found[2]), int(found[3])) if found else None


def _followed(url: str, ref: str | None, secret: dict[str, str]) -> tuple[str, str]:
    """Return the local name of the reference to follow, and what it is called at the remote."""
    if ref is not None and _SHA.fullmatch(ref):
        return f"refs/heads/{ref}", ref
    names = ["HEAD", "refs/heads/main", "refs/heads/master"]
    if ref is not None:
        names = [ref, f"refs/{ref}"] if ref.startswith("refs/") else [f"refs/heads/{ref}", f"refs/tags/{ref}"]
    found = read_references(url, names, secret)
    if ref is None and found.head is not None and "HEAD" in found.shas:
        return found.head, found.head
    present = [name for name in names if name in found.shas]
    if not present:
        what = "has no commits yet" if ref is None else f"has no branch or tag {ref}"
        raise RepositoryError(f"{without_secrets(url)} {what}")
    # A detached HEAD: what is called main is likelier to be the line of development.
    best = present[-1] if ref is None else present[0]
    return ("refs/heads/detached" if best == "HEAD" else best), best


def fetch_references(
    git_dir: Path,
    url: str,
    refspecs: Sequence[str],
    secret: dict[str, str],
    progress: Progress | None,
    *,
    prune: bool = False,
) -> None:
    """Run one `git fetch`; raises as `fetch_mirror`.

    Args:
        prune: take away what these refspecs brought before and the remote no longer has.
    """
    # Git's own housekeeping may take longer than a silence is borne, and says nothing.
    configuration = {"fetch.unpackLimit": "1", "gc.auto": "0", "maintenance.auto": "false", **secret}
    command = ["git", "fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"]
    command += ["--prune"] if prune else []
    try:
        process = subprocess.Popen(
            [*command, "--", url, *refspecs],
            env=network_environment(git_dir=git_dir, configuration=configuration),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    except FileNotFoundError as error:
        raise git_not_found(error) from error
    with process:
        try:
            said = _listen(process, url, progress)
        finally:
            if process.poll() is None:
                process.kill()
    if process.returncode:
        raise describe_failure(said, url)


def keep_house(git_dir: Path) -> None:
    """Put the packs of many small fetches together, so that objects are found as fast after a year."""
    if len(list((git_dir / "objects/pack").glob("*.pack"))) > MOST_PACKS:
        # A git older than 2.33 does not know how; the mirror only gets slower.
        with suppress(GitFailed):
            run_git(["repack", "-d", "-q", "--geometric=2"], environment=reading_environment(git_dir=git_dir))


def _listen(process: subprocess.Popen[bytes], url: str, progress: Progress | None) -> str:
    """Follow what git says until it ends; return all but the progress lines."""
    if process.stderr is None:
        return ""
    said: list[str] = []
    rest = ""
    while True:
        ready, _, _ = select.select([process.stderr], [], [], SILENCE_SECONDS)
        if not ready:
            process.kill()
            raise UpstreamUnavailable(f"{without_secrets(url)} said nothing for {SILENCE_SECONDS:.0f} seconds")
        piece = os.read(process.stderr.fileno(), 1 << 16)
        *lines, rest = re.split(r"[\r\n]", rest + piece.decode("utf-8", "replace"))
        for line in lines if piece else [rest]:
            step = parse_progress(line)
            if step is None:
                said.append(line)
            elif progress is not None:
                progress(*step)
        if not piece:
            process.wait()
            return "\n".join(said)


@contextmanager
def locked(path: Path, url: str) -> Iterator[None]:
    """Hold the lock of one mirror; the kernel gives it up when this process ends, however it ends."""
    with path.open("w") as lock:
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise UpstreamUnavailable(
                        f"another process has been fetching {without_secrets(url)} for {LOCK_SECONDS:.0f} seconds"
                    ) from None
                time.sleep(0.1)
        yield


def secret_header(url: str, authorization: str | None) -> dict[str, str]:
    parts = urlsplit(url)
    if authorization is None or parts.scheme not in {"http", "https"}:
        return {}
    # Named for the host, so that a redirection to another one does not carry it along.
    return {f"http.{parts.scheme}://{parts.netloc.rpartition('@')[2]}/.extraHeader": f"Authorization: {authorization}"}
