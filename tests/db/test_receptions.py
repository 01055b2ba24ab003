"""Pull requests as they were received, and sites by mechanism, by organisation: net of reverts, in few statements."""

from datetime import timedelta

from sqlalchemy import Engine, update
from sqlalchemy.orm import Session, sessionmaker

from db.pull_writes import upsert_pulls
from db.receptions import read_mechanisms, read_received
from db.tables import PullRequestRow
from db.verdict_sums import MECHANISMS
from tests.builders import A_DAY, a_judged_commit, a_judgement, an_entry, some_trailers
from tests.db.test_landings import revert
from tests.db.test_statements import recorded
from tests.pull_builders import ADA, a_person, a_pull, a_review
from tests.stored import SLUG, a_repository, append
from tracker.classify import Tally
from tracker.reception import PullState, Received
from tracker.sites import Mechanism, Verdict
from tracker.upstream import PullRequestState

HOUR = timedelta(hours=1)
GRACE, ROBOT = a_person("grace", id=2), a_person("robot", id=3, kind="Bot")


def a_history(session: Session) -> None:
    """Two pull requests of one organisation, of which one lands and one is reverted, and an open one of nobody's."""
    repository = a_repository(session)
    gone = [an_entry(delta=-2, mechanism=Mechanism.GENERALISED)]
    back = [an_entry("b.py", delta=-1, mechanism=Mechanism.GENERALISED)]
    meta = "ada@meta.example.com"
    commits = [
        a_judged_commit(
            "a",
            at=A_DAY + 10 * HOUR,
            mail=meta,
            trailers=some_trailers(pull_request=1),
            judgement=a_judgement(
                gone,
                verdict=Verdict.DECOUPLING,
                mechanism=Mechanism.GENERALISED,
                tally=Tally(generalised=2),
            ),
        ),
        a_judged_commit(
            "b",
            at=A_DAY + 20 * HOUR,
            mail=meta,
            trailers=some_trailers(pull_request=2),
            judgement=a_judgement(
                back,
                verdict=Verdict.DECOUPLING,
                mechanism=Mechanism.GENERALISED,
                tally=Tally(generalised=1),
            ),
        ),
        revert("c", of="b"),
    ]
    append(session, repository, commits)
    reviews = [
        a_review("R1", author=ADA, submitted_at=A_DAY + HOUR),
        a_review("R2", author=ROBOT, submitted_at=A_DAY + 2 * HOUR),
        a_review("R3", author=GRACE, submitted_at=A_DAY + 3 * HOUR),
        a_review("R4", author=GRACE, submitted_at=A_DAY + 4 * HOUR),
        a_review("R5", author=GRACE, submitted_at=A_DAY + 30 * HOUR),
        a_review("R6", author=GRACE, submitted_at=None),
    ]
    closed = PullRequestState.CLOSED
    pulls = [
        a_pull(1, state=closed, created_at=A_DAY, reviews=reviews),
        a_pull(2, state=closed, created_at=A_DAY),
        a_pull(3, author=None, created_at=A_DAY + 48 * HOUR),
    ]
    upsert_pulls(session, repository, pulls, A_DAY)
    ours = update(PullRequestRow).where(PullRequestRow.number < 3)
    session.execute(ours.values(organisation="meta", organisation_source="mail"))


LANDED = Received(
    state=PullState.LANDED,
    mechanism=Mechanism.GENERALISED,
    hours_to_first_review=3.0,
    hours_to_landing=10.0,
    rounds=2,
)
REVERTED = Received(
    state=PullState.REVERTED, mechanism=None, hours_to_first_review=None, hours_to_landing=20.0, rounds=0
)
OPEN = Received(state=PullState.OPEN, mechanism=None, hours_to_first_review=None, hours_to_landing=None, rounds=0)


def test_pull_requests_are_received_as_their_commits_and_reviewers_say(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
        found = read_received(session, repository=SLUG)
        assert found.keys() == {"meta", None}
        assert sorted(found["meta"], key=lambda one: one.rounds) == [REVERTED, LANDED]
        assert found[None] == [OPEN]


def test_a_period_holds_what_was_opened_in_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
        assert read_received(session, since=A_DAY + HOUR) == {None: [OPEN]}
        assert read_received(session, until=A_DAY) == {}
        assert read_received(session, repository="nobody/there") == {}


def test_what_was_not_updated_for_long_is_stale(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
        (stale,) = read_received(session, since=A_DAY + HOUR, stale_before=A_DAY + 100 * HOUR)[None]
        assert stale.state is PullState.STALE


def test_sites_by_mechanism_are_those_of_changes_that_stand(sessions: sessionmaker[Session]) -> None:
    nothing = dict.fromkeys(MECHANISMS, 0)
    with sessions.begin() as session:
        a_history(session)
        found = read_mechanisms(session, repository=SLUG)
        assert found["meta"] == nothing | {Mechanism.GENERALISED: 2}
        assert read_mechanisms(session, until=A_DAY) == {}
        assert read_mechanisms(session, repository="nobody/there") == {}


def test_few_statements_are_asked_however_many_rows_there_are(engine: Engine, sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
    with sessions() as session, recorded(engine) as statements:
        read_received(session, repository=SLUG)
        read_mechanisms(session, repository=SLUG)
    assert len(statements) <= 5
