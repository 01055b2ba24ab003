from pathlib import Path

from db.base import in_transaction, open_database, session_factory
from db.people import upsert_people
from tests.jobs.cli.conftest import Tracker
from tests.pull_builders import A_TIME, a_person


def test_an_account_is_erased_once_and_one_that_is_not_there_is_an_error(tracker: Tracker, tmp_path: Path) -> None:
    assert tracker("db", "upgrade").code == 0
    engine = open_database(f"sqlite:///{tmp_path}/var/tracker.db")
    with in_transaction(session_factory(engine)) as session:
        upsert_people(session, [a_person("octocat", company="Example")], A_TIME)
    engine.dispose()
    outcome = tracker("people", "forget", "@Octocat")
    assert outcome.out == (
        "erased: 1 accounts, 1 logins, 1 stated companies, and the digests and mail domains of 0 commits; "
        "figures stay, and later crawls bring nothing back\n"
    )
    again = tracker("people", "forget", "octocat")
    assert (again.code, again.out) == (1, "")
    assert again.err == "tracker: no account that is called octocat is stored; nothing was erased\n"
