"""Who works where, derived from commits, company fields and an operator's file, and what is attributed by it."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.commits import CommitCursor, append_commits
from db.pull_writes import upsert_pulls
from db.repositories import add_repository
from db.tables import AffiliationRow, CommitRow, PullRequestRow
from jobs.affiliate import affiliate
from jobs.commit_store import author_key
from tests.builders import A_DAY, a_judged_commit, some_trailers
from tests.pull_builders import a_person, a_pull
from tests.tracker.judging import shipped_ruleset
from tracker.affiliation import organisation_of
from tracker.classify import JudgedCommit
from tracker.errors import SettingsError
from tracker.settings import Secret, Settings
from tracker.upstream import PullRequest

KEY = Secret("a key of sixteen signs or more")
DAY = timedelta(days=1)
ADA, GRACE, ROBOT = a_person("ada", id=1), a_person("grace", id=2), a_person("robot", id=3, kind="Bot")


def store(
    sessions: sessionmaker[Session], commits: list[JudgedCommit], pulls: list[PullRequest], seen_days: int = 0
) -> int:
    """Store a repository's commits and pull requests as the crawls do; return the repository's row."""
    ruleset = shipped_ruleset()
    with in_transaction(sessions) as session:
        repository = add_repository(session, "o/n", now=A_DAY).id
        if commits:
            head = commits[-1].commit.sha
            append_commits(
                session,
                repository,
                commits,
                first_position=0,
                author_key=author_key(KEY),
                organisation=lambda domain: organisation_of(domain, ruleset),
                cursor=CommitCursor(sha=head, position=len(commits) - 1, head=head),
                now=A_DAY,
            )
        upsert_pulls(session, repository, pulls, A_DAY + seen_days * DAY)
    return repository


def commit(name: str, mail: str, *, pull: int | None = None, days: int = 0) -> JudgedCommit:
    return a_judged_commit(name, mail=mail, at=A_DAY + days * DAY, trailers=some_trailers(pull_request=pull))


def pull(number: int, author: object = ADA, *, days: int = 0) -> PullRequest:
    assert author is None or isinstance(author, type(ADA))
    return a_pull(number, author=author, created_at=A_DAY + days * DAY)


def run(sessions: sessionmaker[Session], repository: int, file: Path | None = None) -> dict[str, int]:
    settings = Settings(mail_key=KEY, affiliations_file=file)
    return dict(affiliate(sessions, repository, settings, shipped_ruleset(), A_DAY))


def commits_of(sessions: sessionmaker[Session]) -> list[tuple[str | None, str | None]]:
    with in_transaction(sessions) as session:
        query = select(CommitRow.organisation, CommitRow.organisation_source).order_by(CommitRow.position)
        return [(name, source) for name, source in session.execute(query)]


def pulls_of(sessions: sessionmaker[Session]) -> list[tuple[str | None, str | None]]:
    with in_transaction(sessions) as session:
        query = select(PullRequestRow.organisation, PullRequestRow.organisation_source).order_by(PullRequestRow.number)
        return [(name, source) for name, source in session.execute(query)]


def test_a_mail_domain_decides_and_a_private_one_says_nothing(sessions: sessionmaker[Session]) -> None:
    repository = store(sessions, [commit("a", "ada@intel.com"), commit("b", "ada@gmail.com")], [])
    assert run(sessions, repository) == {"affiliations": 0, "commits_attributed": 0, "pulls_attributed": 0}
    assert commits_of(sessions) == [("intel", "mail"), (None, None)]


def test_an_accounts_commits_from_work_speak_for_its_pull_requests_of_that_time(
    sessions: sessionmaker[Session],
) -> None:
    commits = [commit("a", "ada@intel.com", pull=1)]
    repository = store(sessions, commits, [pull(1), pull(2, days=100), pull(3, days=400), pull(4, GRACE)])
    run(sessions, repository)
    assert pulls_of(sessions) == [("intel", "mail"), ("intel", "mail"), (None, None), (None, None)]


def test_a_commit_from_a_no_reply_address_is_its_accounts(sessions: sessionmaker[Session]) -> None:
    commits = [
        commit("a", "ada@intel.com", pull=1),
        commit("b", "1+Ada@users.noreply.github.com", days=1),
        commit("c", "2+grace@users.noreply.github.com", days=1),
    ]
    repository = store(sessions, commits, [pull(1), pull(2, GRACE)])
    run(sessions, repository)
    assert commits_of(sessions) == [("intel", "mail"), ("intel", "mail"), (None, None)]


def test_a_company_field_holds_for_a_year_before_it_was_seen(sessions: sessionmaker[Session]) -> None:
    author = a_person("ada", company="@NVIDIA, formerly @intel")
    repository = store(sessions, [], [pull(1, author, days=-500), pull(2, author, days=-300)])
    run(sessions, repository)
    assert pulls_of(sessions) == [(None, None), ("nvidia", "company")]


def test_the_operator_goes_before_mail_and_company_for_as_long_as_a_line_holds(
    sessions: sessionmaker[Session], tmp_path: Path
) -> None:
    file = tmp_path / "employers"
    file.write_text("ada@intel.com Amazon < 2020-01-08\n@GRACE Example Labs\nexample.org IBM\n")
    grace = a_person("grace", id=2, company="Apple")
    commits = [
        commit("a", "ada@intel.com"),
        commit("b", "ada@intel.com", days=7),
        commit("c", "someone@mail.example.org", days=7),
        commit("d", "someone@notexample.org", days=7),
    ]
    repository = store(sessions, commits, [pull(1, grace)])
    run(sessions, repository, file)
    assert commits_of(sessions) == [("aws", "operator"), ("intel", "mail"), ("ibm", "operator"), (None, None)]
    assert pulls_of(sessions) == [("other", "operator")]


def test_no_address_of_the_operators_file_is_stored(sessions: sessionmaker[Session], tmp_path: Path) -> None:
    file = tmp_path / "employers"
    file.write_text("ada@example.com Amazon\nunseen@example.com Intel\n")
    repository = store(sessions, [commit("a", "ada@example.com")], [])
    assert run(sessions, repository, file)["affiliations"] == 1
    with in_transaction(sessions) as session:
        rows = session.execute(select(AffiliationRow.author_key, AffiliationRow.domain)).all()
    assert [tuple(row) for row in rows] == [(author_key(KEY)("ada@example.com"), None)]


def test_a_line_that_is_taken_back_counts_no_more(sessions: sessionmaker[Session], tmp_path: Path) -> None:
    file = tmp_path / "employers"
    file.write_text("ada@example.com Amazon\n")
    repository = store(sessions, [commit("a", "ada@example.com")], [])
    run(sessions, repository, file)
    file.write_text("")
    assert run(sessions, repository, file) == {"affiliations": 0, "commits_attributed": 1, "pulls_attributed": 0}
    assert commits_of(sessions) == [(None, None)]


def test_a_file_with_a_bad_line_changes_nothing(sessions: sessionmaker[Session], tmp_path: Path) -> None:
    file = tmp_path / "employers"
    file.write_text("ada@example.com Amazon\n")
    repository = store(sessions, [commit("a", "ada@example.com")], [])
    run(sessions, repository, file)
    file.write_text("ada@example.com Intel\nnonsense\n")
    with pytest.raises(SettingsError, match="line 2 of the affiliations file"):
        run(sessions, repository, file)
    assert commits_of(sessions) == [("aws", "operator")]
    with pytest.raises(SettingsError, match="cannot be read"):
        run(sessions, repository, tmp_path / "missing")


def test_where_nothing_is_new_nothing_is_done(sessions: sessionmaker[Session]) -> None:
    repository = store(sessions, [commit("a", "ada@intel.com", pull=1)], [pull(1)])
    assert run(sessions, repository) == {"affiliations": 1, "commits_attributed": 0, "pulls_attributed": 1}
    assert run(sessions, repository) == {}


def test_programs_are_a_class_of_their_own(sessions: sessionmaker[Session]) -> None:
    commits = [commit("a", "robot@intel.com", pull=1)]
    repository = store(sessions, commits, [pull(1, ROBOT), pull(2, a_person("pytorchbot", id=9))])
    run(sessions, repository)
    assert pulls_of(sessions) == [("bots", "bot"), ("bots", "bot")]
    assert commits_of(sessions) == [("bots", "bot")]


def test_work_that_somebody_else_lands_is_its_authors_where_anything_is_known_of_them(
    sessions: sessionmaker[Session],
) -> None:
    amd = a_person("ada", company="AMD")
    commits = [
        commit("a", "lander@fb.com", pull=1),
        commit("b", "lander@fb.com", pull=2),
        commit("c", "lander@fb.com", pull=3),
        commit("d", "lander@fb.com", pull=4),
    ]
    lander = a_person("lander", id=8)
    repository = store(sessions, commits, [pull(1, amd), pull(2, lander), pull(3, lander), pull(4, lander)])
    run(sessions, repository)
    assert commits_of(sessions) == [("amd", "company"), ("meta", "mail"), ("meta", "mail"), ("meta", "mail")]
    assert pulls_of(sessions) == [("amd", "company"), ("meta", "mail"), ("meta", "mail"), ("meta", "mail")]


def test_a_deleted_account_is_unknown_and_its_commit_is_its_git_authors(sessions: sessionmaker[Session]) -> None:
    repository = store(sessions, [commit("a", "ada@amd.com", pull=1)], [pull(1, None)])
    run(sessions, repository)
    assert (commits_of(sessions), pulls_of(sessions)) == ([("amd", "mail")], [(None, None)])
