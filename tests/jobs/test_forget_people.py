"""An account that is erased is gone from every table, its figures stay, and no crawl brings it back."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Engine, MetaData
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction, session_factory
from db.commits import CommitCursor, append_commits, rewind_to
from db.overview import read_organisations
from db.people import upsert_people
from db.pull_writes import upsert_pulls
from db.pulls import PullFilter, read_pulls
from db.repositories import add_repository
from jobs.affiliate import affiliate
from jobs.commit_store import author_key
from jobs.forget_people import digest_of, forget
from tests.builders import A_DAY, a_judged_commit, some_trailers
from tests.pull_builders import a_person, a_pull, a_review
from tests.tracker.judging import shipped_ruleset
from tracker.affiliation import organisation_of
from tracker.errors import RepositoryError, SettingsError
from tracker.settings import Secret, Settings
from tracker.upstream import Person, PullRequest

KEY = Secret("a key of sixteen signs or more")
DIGEST = author_key(KEY)
DAY = timedelta(days=1)
ADA = a_person("Ada-Lovelace", id=1815, company="Intel")
GRACE = a_person("grace", id=2)
WORK, NO_REPLY, OTHER = "ada@intel.com", "1815+ada-lovelace@users.noreply.github.com", "lovelace@analytical.example.com"
TRACES = ("ada", "lovelace", "1815+", DIGEST(WORK), DIGEST(NO_REPLY), DIGEST(OTHER), "analytical")


def some_pulls(author: Person = ADA) -> list[PullRequest]:
    stacked = a_pull(1, author=author, reviews=[a_review("R1", author=GRACE)])
    return [stacked, a_pull(2, author=GRACE, reviews=[a_review("R2", author=author)])]


def crawl(session: Session, *, again: bool = False) -> int:
    """Store what the crawls read: three commits of Ada's, a pull request of hers and a review."""
    ruleset = shipped_ruleset()
    repository = add_repository(session, "o/n", now=A_DAY).id
    if again:
        rewind_to(session, repository, -1)
    commits = [
        a_judged_commit("a", mail=WORK, trailers=some_trailers(pull_request=1)),
        a_judged_commit("b", mail=NO_REPLY),
        a_judged_commit("c", mail=OTHER),
        a_judged_commit("d", mail="grace@nvidia.com", trailers=some_trailers(pull_request=2)),
    ]
    append_commits(
        session,
        repository,
        commits,
        first_position=0,
        author_key=DIGEST,
        organisation=lambda domain: organisation_of(domain, ruleset),
        cursor=CommitCursor(sha=commits[-1].commit.sha, position=3, head=commits[-1].commit.sha),
        now=A_DAY,
    )
    upsert_people(session, [a_person("ada-before", id=1815, company="Example")], A_DAY - DAY)
    upsert_pulls(session, repository, some_pulls(), A_DAY + again * DAY)
    return repository


def traces(engine: Engine) -> list[str]:
    """Every value of every table in which something of Ada stands."""
    found = MetaData()
    found.reflect(engine)
    with engine.connect() as connection:
        values = {
            f"{table.name}.{column.name}: {value}"
            for table in found.sorted_tables
            for row in connection.execute(table.select())
            for column, value in zip(table.columns, row, strict=True)
            if any(trace in str(value).lower() for trace in TRACES)
        }
    return sorted(values)


def figures(sessions: sessionmaker[Session]) -> tuple[object, ...]:
    with in_transaction(sessions) as session:
        page = read_pulls(session, PullFilter())
        return (
            read_organisations(session),
            [(row.number, row.state, row.reviews_total) for row in page.rows],
        )


def attribute(sessions: sessionmaker[Session], repository: int) -> None:
    affiliate(sessions, repository, Settings(mail_key=KEY), shipped_ruleset(), A_DAY)


@pytest.fixture
def stored(sessions: sessionmaker[Session]) -> int:
    with in_transaction(sessions) as session:
        repository = crawl(session)
    attribute(sessions, repository)
    return repository


def erase(sessions: sessionmaker[Session]) -> tuple[int, int, int, int]:
    with in_transaction(sessions) as session:
        done = forget(session, "ADA-lovelace", [OTHER], DIGEST, A_DAY)
    return done.accounts, done.logins, done.statements, done.commits


def test_nothing_of_an_erased_account_stands_anywhere_and_its_figures_stay(
    engine: Engine, sessions: sessionmaker[Session], stored: int
) -> None:
    before = figures(sessions)
    assert len(traces(engine)) >= 6
    assert erase(sessions) == (1, 2, 2, 3)
    assert traces(engine) == []
    attribute(sessions, stored)
    assert figures(sessions) == before
    assert traces(engine) == []


def test_later_crawls_do_not_bring_it_back(engine: Engine, sessions: sessionmaker[Session], stored: int) -> None:
    before = figures(sessions)
    erase(sessions)
    with in_transaction(sessions) as session:
        crawl(session, again=True)
    attribute(sessions, stored)
    assert traces(engine) == []
    organisations, pulls = figures(sessions)
    assert (organisations, pulls) == before


def test_a_crawl_under_a_new_login_does_not_either(
    engine: Engine, sessions: sessionmaker[Session], stored: int
) -> None:
    erase(sessions)
    with in_transaction(sessions) as session:
        upsert_pulls(session, stored, some_pulls(a_person("ada-again", id=1815, company="Lovelace Inc")), A_DAY + DAY)
    assert traces(engine) == []


def test_an_account_without_a_number_stays_erased_too(engine: Engine, sessions: sessionmaker[Session]) -> None:
    enterprise = a_person("ada_corp", id=None, kind="EnterpriseUserAccount")
    with in_transaction(sessions) as session:
        first = upsert_people(session, [enterprise], A_DAY)[enterprise]
        assert forget(session, "ada_corp", [], DIGEST, A_DAY).accounts == 1
    with in_transaction(sessions) as session:
        other = a_person("grace_corp", id=None, kind="EnterpriseUserAccount")
        ids = upsert_people(session, [enterprise, other], A_DAY + DAY)
        assert ids[enterprise] == first
        assert ids[other] != first
    assert traces(engine) == []


def test_others_keep_what_is_theirs(sessions: sessionmaker[Session], stored: int) -> None:
    assert stored
    erase(sessions)
    with in_transaction(sessions) as session:
        page = read_pulls(session, PullFilter(author="grace"))
    assert [(row.number, row.author) for row in page.rows] == [(2, "grace")]


def test_an_address_alone_can_be_erased_and_a_login_that_nobody_has_cannot(
    sessions: sessionmaker[Session], stored: int
) -> None:
    assert stored
    with in_transaction(sessions) as session:
        assert forget(session, "nobody", [OTHER], DIGEST, A_DAY).commits == 1
    with in_transaction(sessions) as session, pytest.raises(RepositoryError, match="called nobody"):
        forget(session, "nobody", [], DIGEST, A_DAY)


def test_a_key_is_needed() -> None:
    assert digest_of(Settings(mail_key=KEY))(WORK) == DIGEST(WORK)
    with pytest.raises(SettingsError, match="TRACKER_MAIL_KEY"):
        digest_of(Settings())


def test_an_erased_ghstack_branch_does_not_hold_the_login(engine: Engine) -> None:
    sessions = session_factory(engine)
    stack = replace(a_pull(5, author=ADA), head_ref="gh/ada-lovelace/12/head", base_ref="gh/Ada-Lovelace/12/base")
    with in_transaction(sessions) as session:
        repository = add_repository(session, "o/n", now=A_DAY).id
        upsert_pulls(session, repository, [stack], A_DAY)
        forget(session, "ada-lovelace", [], DIGEST, A_DAY)
        upsert_pulls(session, repository, [stack], A_DAY + DAY)
    assert traces(engine) == []
