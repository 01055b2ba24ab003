"""The page of the method is made of the data that judges: every word, reason, rule and figure, each with its anchor."""

import re

import httpx
import pytest

from dashboards.views.method import figures_of, reasons_by_mechanism, words_and_rules
from tests.builders import a_sha
from tests.dashboards.documents import page
from tests.stored import SLUG
from tracker.ruleset import Ruleset
from tracker.sites import Mechanism


def test_every_rule_question_and_reason_has_its_anchor(client: httpx.Client, shipped_ruleset: Ruleset) -> None:
    ids = set(page(client, "/method").ids)
    rules = (*shipped_ruleset.rules, *shipped_ruleset.neutral_constructs)
    assert {f"rule-{rule.id}" for rule in rules} <= ids
    assert {f"rule-{rule.id}" for rule in shipped_ruleset.regions} <= ids
    assert {f"rule-{question.id}" for question in shipped_ruleset.questions} <= ids
    for places in shipped_ruleset.territory_maps:
        assert {f"rule-{rule.id}" for rule in places.territories} <= ids
        assert {f"rule-{rule.id}" for rule in places.areas} <= ids
    assert {f"reason-{reason.id}" for reason in shipped_ruleset.reasons} <= ids


def test_links_from_a_commit_lead_to_anchors_that_are_there(client: httpx.Client) -> None:
    ids = set(page(client, "/method").ids)
    linked = {
        address.partition("#")[2]
        for name in ("second", "third")
        for address in page(client, f"/commits/{SLUG}/{a_sha(name)}").addresses
        if address.startswith("/method#")
    }
    assert {"verdicts", "reasons", "reason-neutral-name-in-its-place", "reason-new"} <= linked
    assert linked <= ids


def test_each_reason_stands_once_under_its_mechanism_and_those_for_any_at_the_end(shipped_ruleset: Ruleset) -> None:
    grouped = reasons_by_mechanism(shipped_ruleset)
    assert [mechanism for mechanism, _ in grouped] == [
        Mechanism.GENERALISED,
        Mechanism.BROADENED,
        Mechanism.RELOCATED,
        Mechanism.DROPPED,
        Mechanism.RETIRED,
        Mechanism.INTRODUCED,
        Mechanism.MOVED,
        Mechanism.EDITED,
        None,
    ]
    assert sorted(reason.id for _, reasons in grouped for reason in reasons) == sorted(
        reason.id for reason in shipped_ruleset.reasons
    )


def test_the_page_says_how_well_the_judgement_does_and_on_what(client: httpx.Client, shipped_ruleset: Ruleset) -> None:
    text = page(client, "/method").text
    for labelled in shipped_ruleset.label_sets:
        assert f"{labelled.name}: {labelled.commits} commits" in text
        assert f"Read by {labelled.read_by}." in text
        for figure, share in figures_of(labelled, shipped_ruleset):
            assert re.search(rf"{re.escape(figure.title)} {share * 100:.1f}% {re.escape(figure.meaning)}", text)


def test_a_set_that_was_tuned_on_is_said_to_be(client: httpx.Client) -> None:
    assert "Rules were written with these commits in view." in page(client, "/method").text


def test_the_page_says_what_replaces_what(client: httpx.Client) -> None:
    text = page(client, "/method").text
    assert "torch.accelerator.current_device_index" in text
    assert "onlyOnCPUAndCUDA → onlyNativeDeviceTypes" in text


@pytest.mark.parametrize(
    "key", ["reasons", "questions", "accuracy", "renames", "replacements", "rules", "regions", "places"]
)
def test_the_twin_holds_all_of_it(client: httpx.Client, shipped_ruleset: Ruleset, key: str) -> None:
    expected = words_and_rules(shipped_ruleset)[key]
    assert isinstance(expected, list | tuple)
    assert len(client.get("/api/v1/method").json()[key]) == len(expected) > 0
