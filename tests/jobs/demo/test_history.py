from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jobs.demo.facts import DEMO_SLUG, PEOPLE
from jobs.demo.history import SEED, SPAN, demo_history
from jobs.demo.pulls import demo_pulls
from jobs.demo.repository import BRANCH, write_repository
from jobs.demo.run import demo_ruleset
from jobs.demo.upstream import MARK, demo_upstream
from jobs.walk import Walker
from tracker.affiliation import organisation_of
from tracker.classify import JudgedCommit
from tracker.errors import SettingsError
from tracker.sites import Mechanism, Verdict
from tracker.sources.git_heads import PullHeads
from tracker.sources.git_mirror import open_mirror
from tracker.upstream import PullRequestState

END = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> list[JudgedCommit]:
    """The whole made-up history, read back by the product's own walk."""
    folder = tmp_path_factory.mktemp("demo")
    commits = demo_history(END)
    write_repository(folder / "upstream.git", commits, demo_pulls(commits, END, SEED).numbers)
    with open_mirror(str(folder / "upstream.git"), folder=folder, slug=DEMO_SLUG) as mirror:
        return list(Walker(mirror, DEMO_SLUG, demo_ruleset()).walk(mirror.first_parent_line(BRANCH)))


def test_the_same_end_gives_the_same_history() -> None:
    assert demo_history(END) == demo_history(END)


def test_the_history_ends_just_before_its_end_and_spans_two_years() -> None:
    commits = demo_history(END)
    assert (commits[0].at, END - commits[-1].at < timedelta(hours=3)) == (END - SPAN, True)
    assert [commit.at for commit in commits] == sorted(commit.at for commit in commits)


def test_every_verdict_and_mechanism_happens(judged: list[JudgedCommit]) -> None:
    verdicts = Counter(commit.judgement.verdict for commit in judged)
    mechanisms = {commit.judgement.mechanism for commit in judged}
    assert set(verdicts) == set(Verdict)
    assert verdicts[Verdict.DECOUPLING] > 30
    assert {Mechanism.GENERALISED, Mechanism.BROADENED, Mechanism.RELOCATED, Mechanism.DROPPED} < mechanisms
    assert {Mechanism.RETIRED, Mechanism.INTRODUCED, Mechanism.MOVED} < mechanisms


def test_decoupling_prevails_in_the_second_year_only(judged: list[JudgedCommit]) -> None:
    def balance(year: list[JudgedCommit]) -> int:
        return sum(commit.judgement.added - commit.judgement.removed for commit in year)

    middle = END - SPAN / 2
    assert balance([commit for commit in judged[1:] if commit.commit.committed_at < middle]) > 0
    assert balance([commit for commit in judged if commit.commit.committed_at >= middle]) < 0


def test_messages_say_which_pull_request_lands_and_what_is_undone(judged: list[JudgedCommit]) -> None:
    reverts = [commit for commit in judged if commit.trailers.is_revert]
    relands = [commit for commit in judged if commit.trailers.is_reland]
    assert len(reverts) > 5
    assert len(relands) > 2
    shas = {commit.commit.sha for commit in judged}
    assert all({reference.target for reference in commit.trailers.references} & shas for commit in reverts)
    landing = [commit for commit in judged[1:] if not commit.trailers.is_revert]
    assert all(commit.trailers.pull_request is not None for commit in landing)


def test_people_write_from_domains_that_stand_for_their_organisations() -> None:
    ruleset = demo_ruleset()
    for person in PEOPLE:
        assert organisation_of(person.mail.partition("@")[2], ruleset) == person.organisation
        assert person.mail.endswith("example.com")


def test_pull_requests_are_numbered_in_the_order_of_opening_and_landed_ones_are_closed_and_not_merged() -> None:
    commits = demo_history(END)
    planned = demo_pulls(commits, END, SEED)
    assert [pull.number for pull in planned.pulls] == list(range(1, len(planned.pulls) + 1))
    assert sorted(pull.created_at for pull in planned.pulls) == [pull.created_at for pull in planned.pulls]
    landed = {planned.numbers[key] for key in planned.numbers}
    states = {pull.number: pull.state for pull in planned.pulls}
    assert {states[number] for number in landed} == {PullRequestState.CLOSED}
    assert {states[number] for number in states.keys() - landed} == {PullRequestState.OPEN, PullRequestState.CLOSED}
    assert all(pull.merged_at is None for pull in planned.pulls)


def test_no_pull_request_knows_the_future() -> None:
    for pull in demo_pulls(demo_history(END), END, SEED).pulls:
        times = [pull.created_at, *(review.submitted_at for review in pull.reviews if review.submitted_at)]
        assert max(times) <= pull.updated_at <= END
        assert pull.closed_at is None or pull.created_at < pull.closed_at


def test_open_pull_requests_have_heads_that_couple_and_decouple(tmp_path: Path) -> None:
    with (
        demo_upstream(tmp_path / "demo", END) as github,
        open_mirror(str(github.git_dir), folder=tmp_path, slug=DEMO_SLUG) as mirror,
    ):
        heads = PullHeads(mirror).read()
        walker = Walker(mirror, DEMO_SLUG, demo_ruleset())
        tip = mirror.resolve(BRANCH)
        verdicts = Counter(judged.judgement.verdict for head in heads.values() for judged in walker.walk([(head, tip)]))
    opened = {pull.number: pull.head_sha for pull in github.pulls.all() if pull.state is PullRequestState.OPEN}
    assert heads == opened
    assert verdicts[Verdict.DECOUPLING] >= 2
    assert verdicts[Verdict.COUPLING] >= 2


def test_the_folder_is_made_anew_each_time(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    for _ in range(2):
        with demo_upstream(folder, END) as github:
            assert github.facts.default_branch == BRANCH
            assert not (folder / "leftover").exists()
            (folder / "leftover").touch()


def test_a_folder_that_no_demonstration_made_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    with pytest.raises(SettingsError, match="no demonstration made"), demo_upstream(tmp_path, END):
        raise AssertionError
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


def test_a_folder_says_that_it_may_be_thrown_away(tmp_path: Path) -> None:
    with demo_upstream(tmp_path / "demo", END):
        assert (tmp_path / "demo" / MARK).is_file()
