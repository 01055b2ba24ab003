import shutil
import subprocess
from datetime import timedelta

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import Engine, create_engine

from tests.builders import a_sha
from tests.dashboards import story
from tests.dashboards.conftest import Ask
from tests.stored import SLUG
from tracker.ruleset import Ruleset

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(client: httpx.Client) -> Samples:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name.removeprefix("decoupling_"), frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def one(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((name, frozenset(labels.items())))


def test_metrics_say_how_tied_neutral_code_is(client: httpx.Client) -> None:
    found = samples(client)
    assert one(found, "sites", repository=SLUG, area="core", vendor="nvidia") == 3
    assert one(found, "neutral_constructs", repository=SLUG, area="core") == 3
    assert one(found, "flow_sites", repository=SLUG, mechanism="introduced") == 9
    assert one(found, "flow_sites", repository=SLUG, mechanism="generalised") == 4
    assert one(found, "flow_sites", repository=SLUG, mechanism="let_in") == 0
    assert one(found, "flow_sites", repository=SLUG, mechanism="staying") == 0
    assert one(found, "commits", repository=SLUG, verdict="decoupling") == 2
    assert one(found, "pull_requests", repository=SLUG, state="landed") == 1


def test_zeros_are_exported_and_what_was_not_read_is_absent(client: httpx.Client, shipped_ruleset: Ruleset) -> None:
    found = samples(client)
    for vendor in shipped_ruleset.vendors:
        assert one(found, "sites", repository=SLUG, area="example", vendor=vendor.name) == 0
        assert one(found, "sites", repository=story.UNREAD, area="core", vendor=vendor.name) is None
    assert one(found, "commits", repository=SLUG, verdict="removal") == 0
    assert one(found, "commits", repository=story.UNREAD, verdict="removal") is None
    assert one(found, "pull_requests", repository=SLUG, state="reverted") == 0
    assert one(found, "pull_requests", repository=story.UNREAD, state="open") is None
    assert one(found, "skipped_files", repository=story.UNREAD, reason="huge") is None
    assert one(found, "skipped_files", repository=SLUG, reason="binary") == 1
    assert one(found, "skipped_files", repository=SLUG, reason="huge") == 0
    assert one(found, "data_through_timestamp_seconds", repository=story.UNREAD) is None


def test_metrics_say_how_fresh_and_how_well_everything_is(client: httpx.Client) -> None:
    found = samples(client)
    crawl = {"repository": SLUG, "job": "crawl_commits"}
    ended = (story.NOW - timedelta(minutes=5)).timestamp()
    assert one(found, "data_through_timestamp_seconds", repository=SLUG) == story.LAST.timestamp()
    assert one(found, "job_last_success_timestamp_seconds", **crawl) == ended
    assert one(found, "job_consecutive_failures", repository=SLUG, job="crawl_pulls") == 1
    assert one(found, "job_outcome", **crawl, outcome="ok") == 1
    assert one(found, "job_outcome", **crawl, outcome="failed") == 0
    assert one(found, "job_last_success_timestamp_seconds", repository=story.UNREAD, job="crawl_commits") is None
    assert one(found, "audit_differences", repository=SLUG) == 0
    assert one(found, "dead_letters", repository=SLUG, stream="pulls-backfill") == 1
    assert one(found, "alerts", rule="new-coupling", severity="warning", state="firing") == 1
    assert one(found, "alerts", rule="audit-difference", severity="critical", state="firing") == 0


def test_labels_are_bounded(client: httpx.Client) -> None:
    labels = {name for _, pairs in samples(client) for name, _ in pairs}
    bounded = {"repository", "area", "vendor", "mechanism", "verdict", "state", "reason", "stream", "job", "outcome"}
    assert labels <= bounded | {"rule", "severity", "digest"}


@pytest.mark.prometheus
def test_prometheus_own_linter_has_nothing_to_say(client: httpx.Client) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed (Debian: apt-get install prometheus)")
    text = client.get("/metrics").text
    checked = subprocess.run(
        [promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False, timeout=60
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_alerts_have_the_shape_of_prometheus(client: httpx.Client) -> None:
    since = "2021-01-27T09:00:00Z"
    assert client.get("/api/v1/alerts").json() == {
        "status": "success",
        "data": {
            "alerts": [
                {
                    "labels": {"alertname": "new-coupling", "severity": "warning", "repository": SLUG, "area": "core"},
                    "annotations": {
                        "title": "New coupling in neutral code",
                        "summary": "New sites that name hardware in neutral code: 12 <b>",
                        "runbook": "Open the commits.",
                        "evidence": f"{a_sha('third')[:10]} Revert /commits/{SLUG}/{a_sha('third')}",
                        "fingerprint": story.FINGERPRINT,
                    },
                    "state": "firing",
                    "activeAt": since,
                    "value": "1.200000e+01",
                }
            ]
        },
    }


def test_rules_have_the_shape_of_prometheus(client: httpx.Client) -> None:
    data = client.get("/api/v1/rules").json()
    assert data["status"] == "success"
    (group,) = data["data"]["groups"]
    assert (group["name"], group["file"]) == ("decoupling-tracker", "alerts.toml")
    rules = {rule["name"]: rule for rule in group["rules"]}
    firing = rules["new-coupling"]
    assert (firing["state"], firing["health"], firing["type"]) == ("firing", "ok", "alerting")
    assert firing["query"].startswith("added of coupling commits")
    assert firing["lastEvaluation"] == "2021-01-27T11:55:00Z"
    assert [alert["state"] for alert in firing["alerts"]] == ["firing"]
    assert (rules["audit-difference"]["state"], rules["audit-difference"]["alerts"]) == ("inactive", [])
    assert rules["dead-letters"]["duration"] == 3600.0


def test_rules_are_chosen_by_prometheus_own_parameters(client: httpx.Client) -> None:
    assert client.get("/api/v1/rules?type=record").json()["data"] == {"groups": []}
    (group,) = client.get("/api/v1/rules?type=alert&exclude_alerts=true").json()["data"]["groups"]
    assert not [rule for rule in group["rules"] if "alerts" in rule]


@pytest.mark.parametrize("name", ["alerts", "rules"])
def test_errors_of_the_imitated_interface_have_its_shape_too(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/api/v1/{name}?silenced=maybe")
    assert answer.status_code == 400
    found = answer.json()
    assert (found["status"], found["errorType"]) == ("error", "bad_data")
    assert "silenced" in found["error"]


def test_readiness_names_each_check_and_what_is_wrong(client: httpx.Client) -> None:
    answer = client.get("/readyz")
    found = answer.json()
    assert (answer.status_code, found["status"]) == (503, "not ready")
    checks = {check["name"]: check["ok"] for check in found["checks"]}
    assert checks == {
        "database": True,
        "repositories": True,
        "evaluate_alerts": True,
        f"crawl_commits {SLUG}": True,
        f"crawl_pulls {SLUG}": False,
        f"crawl_commits {story.UNREAD}": True,
        f"crawl_pulls {story.UNREAD}": True,
    }
    again = "next try 2021-01-27 12:30\N{NO-BREAK SPACE}UTC"
    why = "api.github.com did not answer: <timeout>; never went well so far"
    assert found["reasons"] == [f"crawl_pulls {SLUG}: {why}; {again}"]


def test_old_data_is_not_ready(told: Engine, ask: Ask) -> None:
    found = ask(told, story.NOW + timedelta(hours=7)).get("/readyz").json()
    reasons = [reason for reason in found["reasons"] if reason.startswith("crawl_commits")]
    assert reasons == [f"crawl_commits {SLUG}: stale: went well 7 h 5 min ago"]


def test_liveness_asks_nothing_of_the_database(ask: Ask) -> None:
    nowhere = create_engine("sqlite:////nowhere/at/all.db")
    client = ask(nowhere)
    assert (client.get("/livez").status_code, client.get("/livez").text) == (200, "alive\n")
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["checks"][0]["name"]) == (503, "database")
    nowhere.dispose()


def test_a_database_that_cannot_be_read_is_said_without_its_address(ask: Ask) -> None:
    nowhere = create_engine("sqlite:////nowhere/at/all.db")
    client = ask(nowhere)
    for address, kind in (
        ("/", "text/html; charset=utf-8"),
        ("/api/v1/commits", "application/problem+json"),
        ("/metrics", "application/problem+json"),
        ("/api/v1/alerts", "application/json"),
    ):
        answer = client.get(address)
        assert (answer.status_code, answer.headers["content-type"]) == (503, kind)
        assert "nowhere" not in answer.text
        assert "tracker db check" in answer.text
    nowhere.dispose()
