"""Two crawlers at the same time have the effect of one."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from db.commits import AppendCounts, rewind_to
from db.ledger import read_balance
from db.repositories import add_repository, read_repositories
from db.tables import CommitRow, LedgerEntryRow, RepositorySlugRow, SiteRow
from tests.builders import A_DAY, a_judged_commit, a_site, an_entry
from tests.stored import a_repository, append
from tracker.classify import JudgedCommit
from tracker.errors import CursorMoved

Outcome = TypeVar("Outcome")


def at_once(*works: Callable[[], Outcome]) -> list[Outcome]:
    """Run the works in threads that begin together."""
    barrier = Barrier(len(works))

    def run(work: Callable[[], Outcome]) -> Outcome:
        barrier.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def batch(name: str) -> list[JudgedCommit]:
    return [
        a_judged_commit(
            f"{name}{index}", [an_entry(site=a_site(f"torch.cuda.f{number}")) for number in range(index, 60)]
        )
        for index in range(20)
    ]


def test_the_same_batch_appended_twice_at_the_same_time_is_stored_once(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
    commits = batch("c")

    def crawl() -> AppendCounts:
        with sessions.begin() as session:
            return append(session, repository, commits, first_position=0)

    counts = at_once(crawl, crawl)
    assert sorted(count.commits for count in counts) == [0, 20]
    with sessions() as session:
        assert session.scalar(select(func.count(CommitRow.id))) == 20
        assert session.scalar(select(func.count(LedgerEntryRow.id))) == sum(
            len(commit.judgement.entries) for commit in commits
        )


def test_of_two_crawlers_that_disagree_one_is_told_that_the_other_went_on(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)

    def crawl(name: str) -> str:
        try:
            with sessions.begin() as session:
                append(session, repository, batch(name), first_position=0)
        except CursorMoved:
            return "moved"
        return "stored"

    assert sorted(at_once(lambda: crawl("one"), lambda: crawl("other"))) == ["moved", "stored"]
    with sessions() as session:
        assert session.scalar(select(func.count(CommitRow.id))) == 20


def test_a_rewritten_history_followed_by_two_crawlers_at_once_stands_once(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, batch("old"))
    commits = batch("new")

    def follow() -> AppendCounts:
        with sessions.begin() as session:
            rewind_to(session, repository, 4)
            return append(session, repository, commits, first_position=5)

    counts = at_once(follow, follow)
    assert [count.commits for count in counts] == [20, 20]
    assert sorted(count.revived for count in counts) == [0, 20]
    with sessions() as session:
        line = select(CommitRow.sha).where(CommitRow.position.is_not(None)).order_by(CommitRow.position)
        assert session.scalars(line).all() == [commit.commit.sha for commit in (*batch("old")[:5], *commits)]


def test_two_repositories_that_meet_new_sites_at_the_same_time_share_them(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repositories = [a_repository(session, slug) for slug in ("a/one", "a/other")]

    def crawl(repository: int) -> AppendCounts:
        with sessions.begin() as session:
            return append(session, repository, batch("c"))

    at_once(*(lambda repository=repository: crawl(repository) for repository in repositories))
    with sessions() as session:
        assert session.scalar(select(func.count(SiteRow.id))) == 60
        one, other = (read_balance(session, repository, 19) for repository in repositories)
        assert one == other
        assert len(one) == 60


def test_a_repository_that_two_processes_add_at_the_same_time_is_added_once(sessions: sessionmaker[Session]) -> None:
    together = Barrier(2)

    def add() -> int:
        with sessions.begin() as session:
            if session.get_bind().dialect.name == "postgresql":  # SQLite lets one in at a time
                read_repositories(session)
                together.wait()
            return add_repository(session, "pytorch/pytorch", mirror="clones/pytorch", now=A_DAY).id

    one, other = at_once(add, add)
    assert one == other
    with sessions() as session:
        assert [(row.slug, row.mirror) for row in read_repositories(session)] == [("pytorch/pytorch", "clones/pytorch")]
        assert session.scalar(select(func.count(RepositorySlugRow.slug))) == 1
