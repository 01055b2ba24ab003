"""Mirrors of URLs: fetched, fetched again, and what is said when that cannot be done."""

import fcntl
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.repositories import Repository
from tracker.errors import AuthenticationFailed, RepositoryError, UpstreamError, UpstreamUnavailable
from tracker.sources import git_remote
from tracker.sources.git_mirror import Mirror, open_mirror
from tracker.sources.git_remote import describe_failure, is_url, parse_progress, without_secrets


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "upstream.git")


def mirror_of(url: str, tmp_path: Path, *, authorization: str | None = None) -> Mirror:
    return open_mirror(url, folder=tmp_path / "mirrors", slug="example/upstream", authorization=authorization)


def url_of(repository: Repository) -> str:
    return f"file://{repository.path}"


@contextmanager
def answering(status: int, seen: list[str]) -> Iterator[str]:
    """Serve one HTTP status to every request, noting the credentials that come."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers.get("Authorization", ""))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/example/upstream.git"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class TestFetching:
    def test_a_mirror_follows_its_branch(self, upstream: Repository, tmp_path: Path) -> None:
        first = upstream.commit({"a.py": "one\n"})
        with mirror_of(url_of(upstream), tmp_path) as mirror:
            mirror.fetch()
            assert mirror.first_parent_line(mirror.default_branch()) == [(first, None)]
            second = upstream.commit({"a.py": "two\n"})
            mirror.fetch()
            assert mirror.first_parent_line("main") == [(first, None), (second, first)]

    def test_a_rewritten_branch_is_followed(self, upstream: Repository, tmp_path: Path) -> None:
        first = upstream.commit({"a.py": "one\n"})
        upstream.commit({"a.py": "two\n"})
        with mirror_of(url_of(upstream), tmp_path) as mirror:
            mirror.fetch()
            upstream.set_branch("main", first)
            other = upstream.commit({"a.py": "three\n"})
            mirror.fetch()
            assert mirror.first_parent_line("main") == [(first, None), (other, first)]

    def test_only_the_branch_and_version_tags_are_fetched(self, upstream: Repository, tmp_path: Path) -> None:
        sha = upstream.commit({"a.py": "one\n"})
        for name in ("refs/heads/other", "refs/pull/7/head", "refs/tags/ciflow/7", "refs/tags/v1.0"):
            upstream.set_reference(name, sha)
        with mirror_of(url_of(upstream), tmp_path) as mirror:
            mirror.fetch()
        fetched = tmp_path / "mirrors/example/upstream.git"
        assert sorted(
            f"refs/{path.relative_to(fetched / 'refs')}" for path in (fetched / "refs").rglob("*") if path.is_file()
        ) == ["refs/heads/main", "refs/tags/v1.0"]

    @pytest.mark.parametrize("ref", ["stable", "v1.0", "refs/pull/7/head", "sha"])
    def test_another_reference_can_be_followed(self, upstream: Repository, tmp_path: Path, ref: str) -> None:
        first = upstream.commit({"a.py": "one\n"})
        upstream.commit({"a.py": "two\n"})
        for name in ("refs/heads/stable", "refs/tags/v1.0", "refs/pull/7/head"):
            upstream.set_reference(name, first)
        ref = first if ref == "sha" else ref
        with mirror_of(url_of(upstream), tmp_path) as mirror:
            mirror.fetch(ref)
            assert mirror.resolve(ref) == first
            assert mirror.first_parent_line(mirror.default_branch()) == [(first, None)]

    def test_a_remote_with_a_detached_head_is_followed_by_its_main(self, upstream: Repository, tmp_path: Path) -> None:
        first = upstream.commit({"a.py": "one\n"})
        second = upstream.commit({"a.py": "two\n"})
        upstream.set_head(first)
        with mirror_of(url_of(upstream), tmp_path) as mirror:
            mirror.fetch()
            assert mirror.resolve(mirror.default_branch()) == second

    def test_packs_of_many_fetches_are_put_together(
        self, upstream: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(git_remote, "MOST_PACKS", 3)
        packs = tmp_path / "mirrors/example/upstream.git/objects/pack"
        shas = []
        with mirror_of(url_of(upstream), tmp_path) as mirror:
            for number in range(4):
                shas.append(upstream.commit({"a.py": f"{number}\n"}))
                mirror.fetch()
            assert len(list(packs.glob("*.pack"))) < 4
            assert [sha for sha, _ in mirror.first_parent_line("main")] == shas

    def test_an_interrupted_first_fetch_leaves_no_mirror_and_is_made_again(
        self, upstream: Repository, tmp_path: Path
    ) -> None:
        sha = upstream.commit({"a.py": "one\n"})
        left = tmp_path / "mirrors/example/upstream.part"
        (left / "objects/pack").mkdir(parents=True)
        (left / "objects/pack/tmp_pack_1").write_bytes(b"half a pack")
        with mirror_of(url_of(upstream), tmp_path) as mirror:
            with pytest.raises(RepositoryError, match="not fetched yet"):
                mirror.first_parent_line("main")
            mirror.fetch()
            assert mirror.first_parent_line("main") == [(sha, None)]
        assert not left.exists()

    def test_progress_is_told_and_may_stop_the_fetch(self, upstream: Repository, tmp_path: Path) -> None:
        upstream.commit({f"{number}.py": f"{number}\n" for number in range(50)})
        told: list[tuple[str, int, int | None]] = []

        class Enough(Exception):
            pass

        def stop(*_: object) -> None:
            raise Enough

        with mirror_of(url_of(upstream), tmp_path) as mirror:
            with pytest.raises(Enough):
                mirror.fetch(progress=stop)
            mirror.fetch(progress=lambda stage, done, total: told.append((stage, done, total)))
        assert ("counting objects", 52, 52) in told

    def test_a_mirror_being_fetched_by_another_process_is_left_to_it(
        self, upstream: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(git_remote, "LOCK_SECONDS", 0.2)
        upstream.commit({"a.py": "one\n"})
        lock = tmp_path / "mirrors/example/upstream.lock"
        lock.parent.mkdir(parents=True)
        with lock.open("w") as held, mirror_of(url_of(upstream), tmp_path) as mirror:
            fcntl.flock(held, fcntl.LOCK_EX)
            with pytest.raises(UpstreamUnavailable, match="another process"):
                mirror.fetch()


class TestFailures:
    def test_a_closed_port_is_unavailable(self, tmp_path: Path) -> None:
        with socket.socket() as reserved:
            reserved.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{reserved.getsockname()[1]}/x.git"
            with mirror_of(url, tmp_path) as mirror, pytest.raises(UpstreamUnavailable, match="cannot be reached"):
                mirror.fetch()

    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (401, AuthenticationFailed),
            (403, AuthenticationFailed),
            (404, RepositoryError),
            (429, UpstreamUnavailable),
            (500, UpstreamUnavailable),
            (503, UpstreamUnavailable),
        ],
    )
    def test_what_a_server_answers_says_what_to_do(
        self, tmp_path: Path, status: int, kind: type[UpstreamError]
    ) -> None:
        with answering(status, []) as url, mirror_of(url, tmp_path) as mirror, pytest.raises(kind):
            mirror.fetch()

    def test_the_token_is_sent_and_never_shown(self, tmp_path: Path) -> None:
        seen: list[str] = []
        with (
            answering(403, seen) as url,
            mirror_of(url, tmp_path, authorization="Basic c2VjcmV0") as mirror,
            pytest.raises(AuthenticationFailed) as refused,
        ):
            mirror.fetch()
        assert seen == ["Basic c2VjcmV0"]
        assert "c2VjcmV0" not in str(refused.value)

    def test_a_server_that_says_nothing_is_given_up(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(git_remote, "SILENCE_SECONDS", 0.3)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"git://127.0.0.1:{silent.getsockname()[1]}/x.git"
            with mirror_of(url, tmp_path) as mirror, pytest.raises(UpstreamUnavailable, match="timed out"):
                mirror.fetch()

    def test_an_empty_remote_has_nothing_to_follow(self, upstream: Repository, tmp_path: Path) -> None:
        with mirror_of(url_of(upstream), tmp_path) as mirror, pytest.raises(RepositoryError, match="no commits yet"):
            mirror.fetch()

    def test_a_reference_that_the_remote_lacks(self, upstream: Repository, tmp_path: Path) -> None:
        upstream.commit({"a.py": "one\n"})
        with mirror_of(url_of(upstream), tmp_path) as mirror, pytest.raises(RepositoryError, match="no branch or tag"):
            mirror.fetch("no-such-branch")

    @pytest.mark.parametrize("url", ["file:///no/such/repository.git", "ext::sh -c evil://x", "fd::7://x"])
    def test_what_is_no_repository_or_no_protocol_is_refused(self, tmp_path: Path, url: str) -> None:
        with mirror_of(url, tmp_path) as mirror, pytest.raises(RepositoryError):
            mirror.fetch()

    @pytest.mark.parametrize("slug", ["upstream", "../upstream", "a/b/c", "a/..", "/x", ""])
    def test_a_name_that_leads_out_of_the_folder_is_refused(self, tmp_path: Path, slug: str) -> None:
        with pytest.raises(RepositoryError, match="owner/name"):
            open_mirror("https://example.com/x.git", folder=tmp_path, slug=slug)

    def test_a_failed_fetch_leaves_the_mirror_readable(self, upstream: Repository, tmp_path: Path) -> None:
        sha = upstream.commit({"a.py": "one\n"})
        with mirror_of(url_of(upstream), tmp_path) as mirror:
            mirror.fetch()
            upstream.path.rename(tmp_path / "gone.git")
            with pytest.raises(RepositoryError):
                mirror.fetch()
            assert mirror.first_parent_line("main") == [(sha, None)]


class TestWords:
    def test_urls_and_paths(self) -> None:
        urls = ["https://example.com/a.git", "file:///a", "git@example.com:a/b.git"]
        paths = ["/a/b", "a/b.git", "./a:b", "C"]
        assert [is_url(location) for location in urls + paths] == [True] * 3 + [False] * 4

    def test_a_url_is_shown_without_its_password(self) -> None:
        assert without_secrets("https://user:secret@example.com:8443/a.git") == "https://example.com:8443/a.git"
        assert without_secrets("git@example.com:a/b.git") == "git@example.com:a/b.git"
        failure = describe_failure("fatal: unable to access 'https://u:s@x/': error", "https://u:s@x/")
        assert "u:s" not in str(failure)

    @pytest.mark.parametrize(
        ("stderr", "kind"),
        [
            ("fatal: unable to access 'https://x/': Could not resolve host: x", UpstreamUnavailable),
            ("ssh: connect to host x port 22: Connection timed out\nfatal: Could not read.", UpstreamUnavailable),
            ("fatal: early EOF\nfatal: fetch-pack: invalid index-pack output", UpstreamUnavailable),
            ("remote: GitHub is temporarily limiting some unauthenticated downloads", UpstreamUnavailable),
            ("fatal: could not read Username for 'https://x': terminal prompts disabled", AuthenticationFailed),
            ("git@x: Permission denied (publickey).\nfatal: Could not read.", AuthenticationFailed),
            ("remote: Repository not found.\nfatal: repository 'https://x/' not found", RepositoryError),
            ("fatal: write error: No space left on device", RepositoryError),
            ("", RepositoryError),
        ],
    )
    def test_what_git_says_becomes_an_error_by_meaning(self, stderr: str, kind: type[UpstreamError]) -> None:
        assert type(describe_failure(stderr, "https://x/")) is kind

    def test_progress_lines(self) -> None:
        assert parse_progress("remote: Counting objects:  50% (3/6)") == ("counting objects", 3, 6)
        assert parse_progress("Receiving objects: 100% (10/10), 2.5 MiB | 1 MiB/s, done.") == (
            "receiving objects",
            10,
            10,
        )
        assert parse_progress("From file:///x") is None
