"""A scheduler in a process of its own, for tests that kill and stop it: seconds are shorter, chunks smaller.

Run as a module with the URL of the database, the folder, and the clone to read.
"""

import signal
import sys
import threading
import time
from pathlib import Path

from db import base
from jobs import crawl_commits
from jobs.duties import open_duties
from jobs.log import set_up_logging
from jobs.one_at_a_time import folder_id, only_one, prepare_folder
from jobs.standby import Standby
from tracker.settings import RepositorySetting, Secret, Settings

SLUG = "example/upstream"
CHUNK = 2
SECONDS_BETWEEN_BEATS = 0.2
SECONDS_OF_SILENCE = 3.0


def main(database_url: str, folder: Path, clone: str) -> None:
    crawl_commits.CHUNK = CHUNK
    base.LETTING_GO["idle_in_transaction_session_timeout"] = 1_000
    settings = Settings(
        var_folder=folder,
        database_url=database_url,
        github_url="http://127.0.0.1:1",
        git_url="http://127.0.0.1:1",
        repositories=(RepositorySetting(slug=SLUG, mirror=clone),),
        mail_key=Secret("a key for tests only"),
        workers=1,
    )
    set_up_logging(settings, sys.stderr)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
    prepare_folder(folder)
    with only_one(folder), open_duties(settings, stop=stop) as duties:
        duties.watch()
        standby = Standby(
            duties,
            folder_id(folder),
            seconds_between_beats=SECONDS_BETWEEN_BEATS,
            seconds_of_silence=SECONDS_OF_SILENCE,
        )
        standby.start()
        while not stop.is_set():
            time.sleep(0.05)
        while not standby.stop(1):
            pass


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
