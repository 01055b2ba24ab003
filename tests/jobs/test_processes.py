import os
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.one_at_a_time import file_identity, folder_id, only_one, prepare_folder, replacing_database, using_database
from jobs.processes import descendants, end_descendants
from tracker.errors import SettingsError, TrackerError

PARENT_OF_TWO = """
import subprocess, sys
children = [subprocess.Popen(["sleep", "60"]) for _ in range(2)]
print(*(child.pid for child in children), flush=True)
children[0].wait()
"""
DEAF = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""


def start(program: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline()


def test_children_and_their_children_are_found_and_ended() -> None:
    process, line = start(PARENT_OF_TWO)
    grandchildren = {int(pid) for pid in line.split()}
    assert {process.pid, *grandchildren} <= set(descendants(os.getpid()))
    assert set(descendants(process.pid)) == grandchildren
    assert end_descendants(process.pid, 5) == 2
    assert process.wait(5) is not None
    assert descendants(process.pid) == ()
    assert process.stdout is not None
    process.stdout.close()


def test_a_child_that_does_not_listen_is_killed() -> None:
    middle, _ = start(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {DEAF!r}])")
    assert end_descendants(middle.pid, 0.3) == 1
    assert middle.wait(5) == 0
    assert middle.stdout is not None
    middle.stdout.close()


def test_the_lock_keeps_a_second_scheduler_out_and_names_the_first(tmp_path: Path) -> None:
    with only_one(tmp_path), pytest.raises(TrackerError, match=rf"process {os.getpid()}\)"), only_one(tmp_path):
        raise AssertionError
    with only_one(tmp_path):
        pass


def test_another_folder_has_another_lock(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with only_one(tmp_path / "a"), only_one(tmp_path / "b"):
        pass


def test_many_may_write_into_a_database_and_none_while_it_is_replaced(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new/tracker.db"
    refused = pytest.raises(TrackerError, match=r"is writing into .*--force")
    with using_database(url), using_database(url), refused, replacing_database(url):
        raise AssertionError
    with replacing_database(url), pytest.raises(TrackerError, match="is being replaced"), using_database(url):
        raise AssertionError
    with replacing_database(url):
        pass


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "postgresql://t@localhost/t", "no URL"])
def test_what_is_no_file_has_no_lock(url: str) -> None:
    with using_database(url), replacing_database(url):
        pass


def test_a_folder_keeps_its_id_and_one_that_was_left_empty_gets_a_new_one(tmp_path: Path) -> None:
    made = folder_id(tmp_path)
    assert (len(made), folder_id(tmp_path)) == (32, made)
    (tmp_path / "folder.id").write_text("")
    again = folder_id(tmp_path)
    assert (len(again), again != made, folder_id(tmp_path)) == (32, True, again)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.id"]


def test_a_database_file_that_is_replaced_is_another(tmp_path: Path) -> None:
    path, url = tmp_path / "tracker.db", f"sqlite:///{tmp_path}/tracker.db"
    assert file_identity(url) is None
    path.write_text("one")
    first = file_identity(url)
    path.write_text("changed")
    assert file_identity(url) == first
    (tmp_path / "other").write_text("two")
    (tmp_path / "other").rename(path)
    assert file_identity(url) not in (None, first)
    assert file_identity("postgresql://t@localhost/t") is None


def test_the_folder_is_made(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_sentence_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"cannot be written .* set TRACKER_VAR_FOLDER"):
        prepare_folder(tmp_path / "file" / "var")
