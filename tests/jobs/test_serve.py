import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jobs.processes import descendants
from jobs.serve import address, listening
from tests.jobs.services import CLOSED, ROOT, Service, service
from tests.repositories import Repository
from tracker.errors import TrackerError

TOKEN = "ghp_hunter2hunter2hunter2hunter2"


def test_a_port_that_is_taken_is_one_sentence_with_the_remedy() -> None:
    with listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with (
            pytest.raises(TrackerError, match=rf"port {port}.*in use.*--port {port + 1}"),
            listening("127.0.0.1", port),
        ):
            raise AssertionError


def test_a_host_that_is_none_is_one_sentence_with_the_remedy() -> None:
    with pytest.raises(TrackerError, match=r"--host 127\.0\.0\.1"), listening("no.such.host.invalid", 0):
        raise AssertionError


def test_what_is_logged_can_be_typed_into_a_browser() -> None:
    assert address("127.0.0.1", 8000) == "http://127.0.0.1:8000"
    assert address("::1", 8000) == "http://[::1]:8000"
    assert address("0.0.0.0", 8000) == "http://127.0.0.1:8000 and on every other address of this machine"


@pytest.mark.slow
def test_without_a_network_it_stays_up_says_so_and_ends_when_told(tmp_path: Path) -> None:
    with service(tmp_path, "run", "--port", "0", TRACKER_GITHUB_TOKEN=TOKEN) as running:
        assert running.get("/livez")[0] == 200
        running.wait_for(lambda: {"crawl_commits", "crawl_pulls"} <= _outcomes(running).keys())
        assert set(_outcomes(running).values()) == {"unavailable"}
        status, ready = running.get("/readyz")
        assert (status, f"{CLOSED}/pytorch/pytorch.git cannot be reached now" in ready) == (503, True)
        status, page = running.get("/")
        assert (status, "cannot be reached now" in page) == (200, True)
        assert len([event for event in running.events if event.get("job") == "crawl_commits"]) == 1
        code, left = running.stop(signal.SIGTERM)
    assert (code, left) == (0, [])
    assert "hunter2" not in running.log.read_text()
    assert all(b"hunter2" not in path.read_bytes() for path in (tmp_path / "var").rglob("*") if path.is_file())


@pytest.mark.slow
def test_a_demonstration_shows_decoupling_and_says_on_every_page_that_it_is_made_up(tmp_path: Path) -> None:
    with service(tmp_path, "demo", "--port", "0") as running:
        running.wait_for(lambda: set(_outcomes(running).values()) >= {"ok"} and len(_outcomes(running)) >= 2)
        running.wait_for(lambda: running.get("/readyz")[0] == 200)
        for path in ("/", "/commits?verdict=decoupling", "/pulls", "/alerts", "/runs"):
            status, page = running.get(path)
            assert (path, status, "Demo data" in page) == (path, 200, True)
        assert "device-agnostic" in running.get("/commits?verdict=decoupling")[1]
        fired = running.get("/api/v1/alerts")[1]
        rules = ("decoupling-landed", "decoupling-reverted", "new-coupling")
        assert [rule for rule in rules if f'"alertname":"{rule}"' not in fired] == []
        code, left = running.stop(signal.SIGINT)
    assert (code, left) == (0, [])
    assert [event for event in running.events if event["level"] == "error"] == []


@pytest.mark.slow
def test_it_ends_in_time_while_git_waits_for_an_upstream_that_says_nothing(tmp_path: Path) -> None:
    with silent_server() as url, service(tmp_path, "run", "--port", "0", TRACKER_GIT_URL=url) as running:
        running.wait_for(lambda: len(descendants(running.process.pid)) >= 2)
        code, left = running.stop(signal.SIGTERM)
    assert (code, left) == (0, [])


@pytest.mark.slow
def test_it_ends_in_time_while_worker_processes_read_and_goes_on_afterwards(tmp_path: Path) -> None:
    upstream = Repository(tmp_path / "upstream.git")
    for number in range(1001):
        upstream.commit({f"torch/file_{number % 40}.py": f"import torch\ntorch.cuda.synchronize({number})\n" * 80})
    environ = {"TRACKER_REPOSITORIES": f"o/n={upstream.path}", "TRACKER_WORKERS": "2"}
    with service(tmp_path, "run", "--port", "0", **environ) as running:
        running.wait_for(lambda: len(descendants(running.process.pid)) >= 3)
        code, left = running.stop(signal.SIGTERM)
    assert (code, left) == (0, [])
    with service(tmp_path, "run", "--port", "0", **environ) as running:
        running.wait_for(lambda: _outcomes(running).get("crawl_commits") == "ok", 120)
        assert running.stop()[0] == 0


@pytest.mark.slow
def test_a_second_one_on_the_same_folder_or_port_is_refused(tmp_path: Path) -> None:
    with service(tmp_path, "run", "--port", "0") as running:
        port = running.url.rpartition(":")[2]
        same_folder = _refused(tmp_path, "run", "--port", "0")
        (tmp_path / "other").mkdir()
        same_port = _refused(tmp_path / "other", "run", "--port", port)
        assert running.stop()[0] == 0
    same_folder, same_port = same_folder.splitlines()[-1], same_port.splitlines()[-1]
    assert same_folder.startswith(f"tracker: another tracker (process {running.process.pid}) runs on ")
    assert same_port.startswith(f"tracker: cannot listen on 127.0.0.1 port {port}: Address already in use")


@pytest.mark.slow
def test_the_two_halves_run_apart(tmp_path: Path) -> None:
    assert "there is no database" in _refused(tmp_path, "web", "--port", "0")
    upstream = Repository(tmp_path / "upstream.git")
    upstream.commit({"a.py": "import torch\ntorch.cuda.synchronize()\n"})
    with service(tmp_path, "schedule", TRACKER_REPOSITORIES=f"o/n={upstream.path}") as schedule:
        schedule.wait_for(lambda: _outcomes(schedule).get("crawl_commits") == "ok")
        (tmp_path / "web").mkdir()
        url = f"sqlite:///{tmp_path}/var/tracker.db"
        with service(tmp_path / "web", "web", "--port", "0", TRACKER_DATABASE_URL=url) as web:
            status, page = web.get("/")
            assert (status, "o/n" in page) == (200, True)
            assert web.stop() == (0, [])
        assert schedule.stop() == (0, [])


def _outcomes(running: Service) -> dict[str, str]:
    return {event["job"]: event["outcome"] for event in running.events if "outcome" in event}


def _refused(folder: Path, *argv: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "jobs.cli", *argv],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "TRACKER_GIT_URL": CLOSED, "TRACKER_GITHUB_URL": CLOSED},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


@contextmanager
def silent_server() -> Iterator[str]:
    """Accept connections and say nothing."""
    held: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        over = threading.Event()

        def accept() -> None:
            while not over.is_set():
                try:
                    held.append(listener.accept()[0])
                except TimeoutError:
                    continue

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            over.set()
            thread.join()
            for connection in held:
                connection.close()


@pytest.mark.slow
def test_a_service_whose_database_is_deleted_says_so_and_ends(tmp_path: Path) -> None:
    with service(tmp_path, "run", "--port", "0", TRACKER_LOG_FORMAT="json") as running:
        running.wait_for((tmp_path / "var" / "tracker.db").exists)
        for path in tmp_path.glob("var/tracker.db*"):
            path.unlink()
        assert running.process.wait(60) == 0
        assert any("was deleted or replaced while it was in use" in event["message"] for event in running.events)
