"""The demonstration's pull requests: those that landed, in PyTorch's way, and those that did not.

A landed one is closed and not merged: only the commit says that it landed. Numbers follow the order of opening.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from random import Random

from jobs.demo.facts import PEOPLE, DemoCommit, DemoPerson
from tracker.upstream import Person, PullRequest, PullRequestState, Review

NOT_LANDED = (
    ("Make the profiler device-agnostic", "intel"),
    ("Use torch.accelerator in the launcher", "aws"),
    ("Add a backend for Trainium to the checkpoint", "aws"),
    ("Admit NPU where CUDA is admitted", "huawei"),
    ("Make TestAutograd run on every accelerator", "huawei"),
    ("Replace is_cuda checks in Copy", "amd"),
    ("Skip slow tests on ROCm", "amd"),
    ("Let the allocator report by device", "intel"),
    ("Add fused kernels for attention", "nvidia"),
    ("Stop naming NCCL in the pipeline", "habana"),
    ("Speed up replicate on CUDA", "nvidia"),
    ("Move memory_report behind the device module", "google"),
)
"""Titles, and whose they are; every other one was closed, the others are open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPulls:
    """All pull requests, and which one each commit lands."""

    pulls: tuple[PullRequest, ...]
    numbers: Mapping[int, int]
    """Key of the commit -> number; reverts have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    title: str
    author: DemoPerson
    created_at: datetime
    closed_at: datetime | None
    key: int | None = None
    lines: tuple[int, int] = (0, 0)
    files: int = 1


def demo_pulls(commits: Sequence[DemoCommit], end: datetime, seed: int) -> DemoPulls:
    """Return the pull requests of these commits, and a few that did not land."""
    random = Random(seed)  # noqa: S311 - a story, not a secret
    landed = [_landed(commit, random) for commit in commits[1:] if commit.reverts is None]
    plans = sorted([*landed, *_not_landed(end, random)], key=lambda plan: plan.created_at)
    numbered = list(enumerate(plans, start=1))
    return DemoPulls(
        pulls=tuple(_pull(number, plan, random, end) for number, plan in numbered),
        numbers={plan.key: number for number, plan in numbered if plan.key is not None},
    )


def _landed(commit: DemoCommit, random: Random) -> _Plan:
    return _Plan(
        title=commit.title,
        author=commit.author,
        created_at=_seconds(commit.at - timedelta(hours=random.expovariate(1 / 90) + 1)),
        closed_at=commit.at,
        key=commit.key,
        lines=(commit.lines_added, commit.lines_removed),
        files=len(commit.files),
    )


def _not_landed(end: datetime, random: Random) -> list[_Plan]:
    plans = []
    for index, (title, organisation) in enumerate(NOT_LANDED):
        created_at = _seconds(end - timedelta(days=random.uniform(2, 200)))
        plans.append(
            _Plan(
                title=title,
                author=random.choice([person for person in PEOPLE if person.organisation == organisation]),
                created_at=created_at,
                closed_at=_seconds(created_at + (end - created_at) * 0.7) if index % 2 else None,
                lines=(random.randrange(10, 200), random.randrange(5, 150)),
                files=random.randrange(1, 6),
            )
        )
    return plans


def _pull(number: int, plan: _Plan, random: Random, end: datetime) -> PullRequest:
    last = plan.closed_at or end - timedelta(hours=1)
    reviews = _reviews(number, plan, random, last)
    spoken = [review.submitted_at for review in reviews if review.submitted_at]
    return PullRequest(
        number=number,
        node_id=f"PR_demo{number:05}",
        title=plan.title,
        state=PullRequestState.CLOSED if plan.closed_at else PullRequestState.OPEN,
        draft=plan.closed_at is None and number % 5 == 0,
        author=_person(plan.author),
        association="MEMBER" if plan.author.organisation == "meta" else "CONTRIBUTOR",
        created_at=plan.created_at,
        updated_at=plan.closed_at or max([plan.created_at, *spoken]),
        closed_at=plan.closed_at,
        merged_at=None,
        base_ref="main",
        head_ref=f"{plan.author.login}/{number}",
        head_sha=sha256(f"head of {number}".encode()).hexdigest()[:40],
        additions=plan.lines[0],
        deletions=plan.lines[1],
        changed_files=plan.files,
        labels=("Merged", "open source") if plan.key is not None else ("open source",),
        reviews=reviews,
        reviews_total=len(reviews),
    )


def _reviews(number: int, plan: _Plan, random: Random, last: datetime) -> tuple[Review, ...]:
    """A landed one has an approval; of the others, some wait for their first review."""
    states = random.choices(("COMMENTED", "CHANGES_REQUESTED"), k=random.randrange(3))
    if plan.key is not None:
        states.append("APPROVED")
    span = (last - plan.created_at) / (len(states) + 1)
    reviewers = [person for person in PEOPLE if person is not plan.author]
    return tuple(
        Review(
            id=f"PRR_demo{number:05}{index}",
            author=_person(random.choice(reviewers)),
            state=state,
            submitted_at=_seconds(plan.created_at + span * (index + 1)),
        )
        for index, state in enumerate(states)
    )


def _person(person: DemoPerson) -> Person:
    return Person(
        id=9_000_000 + PEOPLE.index(person),
        login=person.login,
        kind="User",
        company=f"@{person.organisation}" if person.organisation else None,
    )


def _seconds(at: datetime) -> datetime:
    return at.replace(microsecond=0)
