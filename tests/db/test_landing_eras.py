"""One pull request -> its history on the default branch, by the messages of each era, from message to stored event."""

import re
from collections.abc import Mapping, Sequence

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db.landings import read_landings, rebuild_landings
from tests.builders import a_judged_commit, a_sha
from tests.stored import SLUG, a_repository, append
from tracker.trailers import parse_trailers

Story = Sequence[tuple[str, str]]
"""Commits in the order of the line: name and message; `<name>` in a message is the sha of a commit."""
Histories = Mapping[int, Sequence[str]]
"""Number -> its events, as `landed name` and `reverted name`."""

PULL = f"https://github.com/{SLUG}/pull"
RESOLVED = f"Pull Request resolved: {PULL}/"
SOURCE = "fbshipit-source-id: "


def shipped(title: str, number: int, differential: int, source: str) -> str:
    """A landing by Phabricator's export."""
    return f"""{title} (#{number})

Summary:
What it does.

{RESOLVED}{number}

Test Plan: Imported from OSS

Reviewed By: someone

Differential Revision: D{differential}

{SOURCE}{a_sha(source)}
"""


def hammered(title: str, of: str, reverted: int, source: str) -> str:
    """Phabricator's automatic revert of the commit `of`."""
    return f"""Revert D{reverted}: [pytorch][PR] {title}

Test Plan: revert-hammer

Differential Revision:
D{reverted} (https://github.com/{SLUG}/commit/<{of}>)

Original commit changeset: {a_sha(of)[:12]}

{SOURCE}{a_sha(source)}
"""


def backed_out(title: str, number: int, of: str, differential: int, source: str) -> str:
    """A revert written with Phabricator's tool and exported as a pull request of its own."""
    return f"""Back out "[pytorch][PR] {title}" (#{number})

Summary:
{RESOLVED}{number}

Original commit changeset: {a_sha(of)[:12]}

Differential Revision: D{differential}

{SOURCE}{a_sha(source)}
"""


def merged_by_bot(title: str, number: int, more: str = "") -> str:
    return f"{title} (#{number})\n\nWhat it does.\n{RESOLVED}{number}\nApproved by: https://github.com/ada{more}\n"


def reverted_by_bot(title: str, number: int, of: str) -> str:
    return f"""Revert "{title} (#{number})"

This reverts commit <{of}>.

Reverted {PULL}/{number} on behalf of https://github.com/ada due to broke the trunk ([comment]({PULL}/{number}#1))
"""


STORIES = {
    "2016, merged and pushed by hand": (
        [
            ("one", "Merge pull request #12 from ada/topic\n\nAdd a layer"),
            ("two", "add a test"),
            ("three", "Fix it (#13)"),
        ],
        {12: ["landed one"], 13: ["landed three"]},
    ),
    "2018, early Phabricator": (
        [("one", f"Fix it\n\nSummary:\nCloses {PULL}/8000\n\nDifferential Revision: D8000000\n")],
        {8000: ["landed one"]},
    ),
    "2021, landed four times": (
        [
            ("one", shipped("Support factories", 54508, 27600457, "one")),
            ("two", hammered("Support factories", "one", 27600457, "two")),
            ("three", shipped("Support factories", 54508, 27855386, "three")),
            ("four", hammered("Support factories", "three", 27855386, "four")),
            ("five", shipped("Support factories", 54508, 27909732, "five")),
            ("six", hammered("Support factories", "five", 27909732, "six")),
            ("seven", shipped("Support factories", 54508, 27939187, "seven")),
        ],
        {
            54508: [
                "landed one",
                "reverted two",
                "landed three",
                "reverted four",
                "landed five",
                "reverted six",
                "landed seven",
            ]
        },
    ),
    "2021, backed out by a pull request of its own and relanded under the first number": (
        [
            ("one", shipped("Merge streams", 53902, 27292038, "one")),
            (
                "two",
                backed_out("Merge streams", 54996, "one", 27447222, "two"),
            ),
            ("three", shipped("Merge streams", 53902, 27494137, "three")),
        ],
        {53902: ["landed one", "reverted two", "landed three"], 54996: ["landed two"]},
    ),
    "January 2022, mirrored: the cherry-pick's line is no release": (
        [("one", shipped("Fix it", 70000, 33000000, "one") + f"(cherry picked from commit {a_sha('internal')})\n")],
        {70000: ["landed one"]},
    ),
    "since 2022, reverted by the bot and landed again": (
        [
            ("one", merged_by_bot("Generalise", 79913)),
            ("two", reverted_by_bot("Generalise", 79913, "one")),
            ("three", merged_by_bot("Generalise", 79913)),
        ],
        {79913: ["landed one", "reverted two", "landed three"]},
    ),
    "since 2022, a stack lands by one command and goes from the top": (
        [
            ("one", merged_by_bot("First", 101)),
            ("two", merged_by_bot("Second", 102, "\nghstack dependencies: #101")),
            ("three", merged_by_bot("Third", 103, "\nghstack dependencies: #101, #102")),
            ("four", reverted_by_bot("Third", 103, "three")),
            ("five", reverted_by_bot("Second", 102, "two")),
        ],
        {101: ["landed one"], 102: ["landed two", "reverted five"], 103: ["landed three", "reverted four"]},
    ),
    "since 2022, two resolved lines, the last one is the commit's own": (
        [("one", f"Fix (#154394)\n\n{RESOLVED}154098\n\n{RESOLVED}154394\nApproved by: https://github.com/ada\n")],
        {154394: ["landed one"]},
    ),
    "a squash on GitHub, and its revert by GitHub's button": (
        [
            ("one", "Fix it (#7)\n\n* fix\n\n* revert commit of the branch\n\nThis reverts commit 0123456789.\n"),
            ("two", 'Revert "Fix it (#7)" (#8)\n\nThis reverts commit <one>.\n'),
        ],
        {7: ["landed one", "reverted two"], 8: ["landed two"]},
    ),
    "the revert of a revert brings the first one back": (
        [
            ("one", "Fix it (#7)"),
            ("two", 'Revert "Fix it (#7)" (#8)\n\nThis reverts commit <one>.\n'),
            ("three", 'Revert "Revert "Fix it (#7)" (#8)" (#9)\n\nThis reverts commit <two>.\n'),
        ],
        {
            7: ["landed one", "reverted two", "landed three"],
            8: ["landed two", "reverted three"],
            9: ["landed three"],
        },
    ),
    "a rebase and merge: several commits land one pull request": (
        [("one", "Move the file (#12308)"), ("two", "Reroute what imports it (#12308)")],
        {12308: ["landed one", "landed two"]},
    ),
    "what another repository's trailer and a submodule's bump name lands nothing here": (
        [
            ("one", "[glow] Extend (#5359)\n\nPull Request resolved: https://github.com/pytorch/glow/pull/5359\n"),
            ("two", "[auto] Update onnx to 985af3f - Update a page (#738)"),
        ],
        {},
    ),
    "a pull request reverted by number alone, which landed before anything was read": (
        [("one", f'Revert "Old (#3)"\n\nReverted {PULL}/3 on behalf of https://github.com/ada\n')],
        {3: ["reverted one"]},
    ),
}


def write(session: Session, story: Story) -> int:
    repository = a_repository(session)
    shas = {name: a_sha(name) for name, _ in story}
    commits = []
    for name, message in story:
        text = message
        for other, sha in shas.items():
            text = text.replace(f"<{other}>", sha)
        commits.append(a_judged_commit(name, message=text, trailers=parse_trailers(text, SLUG)))
    append(session, repository, commits)
    return repository


def histories(session: Session, repository: int, story: Story) -> dict[int, list[str]]:
    names = {a_sha(name): name for name, _ in story}
    mentioned = {int(number) for _, message in story for number in re.findall(r"\d{1,9}", message)}
    found = read_landings(session, repository, mentioned)
    return {number: [f"{one.kind} {names[one.sha]}" for one in events] for number, events in found.items()}


@pytest.mark.parametrize("name", STORIES)
def test_the_history_of_each_pull_request(sessions: sessionmaker[Session], name: str) -> None:
    story, expected = STORIES[name]
    with sessions.begin() as session:
        repository = write(session, story)
        assert histories(session, repository, story) == expected


def test_derived_anew_it_is_the_same(sessions: sessionmaker[Session]) -> None:
    story: Story = [
        (f"{number}{name}", message.replace("<", f"<{number}"))
        for number, (commits, _) in enumerate(STORIES.values())
        for name, message in commits
        if "fbshipit" not in message
    ]
    with sessions.begin() as session:
        repository = write(session, story)
        before = histories(session, repository, story)
        rebuild_landings(session, repository)
        assert histories(session, repository, story) == before
