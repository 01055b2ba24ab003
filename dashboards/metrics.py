"""`/metrics` for Prometheus: a registry built at each scrape from the database, remembered while the data stands.

Names begin with `decoupling_`; labels are bounded (no sha, no login); zeros are exported, unknown is absent; freshness
is a `_timestamp_seconds`. What can be rebuilt from the database is a gauge, also where it only ever grows.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from fastapi import APIRouter
from fastapi.responses import Response
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector, CollectorRegistry

from dashboards.filters import no_parameters
from dashboards.reading import DataReading, Reading
from dashboards.series import OUTWARD, STAYING
from dashboards.views.alerts import alert_rules, stored_alerts
from dashboards.views.pulls import pull_counts
from dashboards.views.runs import CRAWL_COMMITS, coverage_of, evaluated_at, freshness_of, is_unmoved, quiet_times
from db.audits import read_latest_audits
from db.overview import read_neutral_sums, read_verdicts
from db.runs import CRAWLS
from tracker.alerting import AlertState
from tracker.sites import Area, Mechanism
from tracker.upstream import SkipReason

router = APIRouter(tags=["polling"])

OUTCOMES = ("running", "ok", "failed", "unavailable", "rate_limited", "unconfigured", "killed")
STREAMS = ("commits", "pulls-backfill", "pulls-updates")


@router.get("/metrics")
def read_metrics(reading: DataReading) -> Response:
    """Return everything worth watching, in Prometheus's text format."""
    no_parameters(reading.parameters)
    text = reading.remember("metrics", lambda: _exposition(reading))
    return Response(text, media_type=CONTENT_TYPE_PLAIN_0_0_4)


class _Families(Collector):
    """A collector over families that are made already."""

    def __init__(self, families: Sequence[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _exposition(reading: Reading) -> bytes:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families([*_code(reading), *_commits(reading), *_service(reading), *_alerts(reading)]))
    return generate_latest(registry)


def _family(name: str, text: str, labels: Sequence[str]) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"decoupling_{name}", text, labels=labels)


def _code(reading: Reading) -> Iterable[Metric]:
    """How tied neutral code is: absent for a repository of which nothing was read."""
    sites = _family("sites", "Hard sites in neutral code that name a vendor.", ["repository", "area", "vendor"])
    neutral = _family("neutral_constructs", "Vendor-neutral constructs in neutral code.", ["repository", "area"])
    flow = _family(
        "flow_sites",
        "Hard sites that came into neutral code (introduced, let_in), left it (other mechanisms) or stayed (net).",
        ["repository", "mechanism"],
    )
    for slug, sums in read_neutral_sums(reading.session).items():
        for area in Area:
            for vendor in reading.vocabulary.vendors:
                sites.add_metric([slug, area, vendor], sums.standing[area, vendor])
            neutral.add_metric([slug, area], sums.standing[area, ""])
        flow.add_metric([slug, Mechanism.INTRODUCED], sums.came[Mechanism.INTRODUCED])
        flow.add_metric([slug, "let_in"], sums.came[Mechanism.BROADENED])
        flow.add_metric([slug, "staying"], sum(sums.came[one] - sums.went[one] for one in STAYING))
        for mechanism in OUTWARD:
            flow.add_metric([slug, mechanism], sums.went[mechanism])
    return sites, neutral, flow


def _commits(reading: Reading) -> Iterable[Metric]:
    commits = _family("commits", "Commits of the default branch by verdict.", ["repository", "verdict"])
    was_read = {row.repository for row in coverage_of(reading) if row.last_at is not None}
    for slug, verdicts in read_verdicts(reading.session).items():
        for verdict, count in verdicts.items() if slug in was_read else ():
            commits.add_metric([slug, verdict], count)
    pulls = _family("pull_requests", "Pull requests by what became of them.", ["repository", "state"])
    for repository in reading.repositories:
        for state, count in (pull_counts(reading, repository.slug) or {}).items():
            pulls.add_metric([repository.slug, state], count)
    through = _family("data_through_timestamp_seconds", "Committer date of the last commit read.", ["repository"])
    skipped = _family("skipped_files", "Sides of file changes that were not read.", ["repository", "reason"])
    letters = _family("dead_letters", "Things upstream could not serve.", ["repository", "stream"])
    for row in coverage_of(reading):
        _add_time(through, [row.repository], row.last_at)
        for reason in SkipReason if row.repository in was_read else ():
            skipped.add_metric([row.repository, reason.replace(" ", "_")], row.skipped_files.get(reason, 0))
        for stream in sorted({*STREAMS, *row.dead_letters}):
            letters.add_metric([row.repository, stream], row.dead_letters.get(stream, 0))
    return commits, pulls, through, skipped, letters


def _service(reading: Reading) -> Iterable[Metric]:
    labels = ["repository", "job"]
    success = _family("job_last_success_timestamp_seconds", "End of the last run that went well.", labels)
    attempt = _family("job_last_attempt_timestamp_seconds", "Start of the last run.", labels)
    failures = _family("job_consecutive_failures", "Runs since the last one that went well.", labels)
    outcome = _family("job_outcome", "1 for the outcome of the last run, 0 for the others.", [*labels, "outcome"])
    for row in freshness_of(reading):
        _add_time(success, [row.repository, row.job], row.last_success_at)
        _add_time(attempt, [row.repository, row.job], row.last_attempt_at)
        failures.add_metric([row.repository, row.job], row.consecutive_failures)
        for known in OUTCOMES:
            outcome.add_metric([row.repository, row.job, known], int(row.outcome == known))
    fresh = _freshness(reading)
    differences = _family("audit_differences", "Paths that differ from a full scan in the last audit.", ["repository"])
    audited = _family("audit_timestamp_seconds", "When the last audit was made.", ["repository"])
    for audit in read_latest_audits(reading.session):
        differences.add_metric([audit.repository], audit.differences)
        _add_time(audited, [audit.repository], audit.at)
    info = _family("ruleset_info", "The ruleset by which everything is judged.", ["digest"])
    info.add_metric([reading.dashboard.ruleset.digest], 1)
    return success, attempt, failures, outcome, *fresh, differences, audited, info


def _freshness(reading: Reading) -> Iterable[Metric]:
    """Whether what is read is what there is: a crawl that goes well and finds nothing for months is no good sign."""
    unmoved = _family("upstream_unmoved", "1 where the newest commit is older than it may be.", ["repository"])
    reached = _family("upstream_reached", "Whether the last crawl of commits reached upstream.", ["repository"])
    crawled = _family("crawled", "0 where a crawl lacks a setting, such as a token.", ["repository", "job"])
    quiet = quiet_times(reading.repositories, reading.dashboard.settings.quiet_days)
    for row in freshness_of(reading):
        if row.job == CRAWL_COMMITS:
            if row.data_through is not None:
                unmoved.add_metric([row.repository], is_unmoved(row, reading.now, quiet.get(row.repository)))
            if row.outcome not in (None, "running"):
                reached.add_metric([row.repository], row.outcome != "unavailable")
        if row.job in CRAWLS and row.outcome is not None:
            crawled.add_metric([row.repository, row.job], row.outcome != "unconfigured")
    return unmoved, reached, crawled


def _alerts(reading: Reading) -> Iterable[Metric]:
    alerts = _family("alerts", "Alerts by rule, severity and state.", ["rule", "severity", "state"])
    stored = stored_alerts(reading)
    evaluated_once = bool(stored) or evaluated_at(reading) is not None
    for rule in alert_rules(reading) if evaluated_once else ():
        for state in (AlertState.PENDING, AlertState.FIRING):
            count = sum(alert.rule == rule.id and alert.state is state for alert in stored)
            alerts.add_metric([rule.id, rule.severity, state], count)
    evaluated = _family("alerts_evaluated_timestamp_seconds", "When alerts were last evaluated.", [])
    if stored:
        _add_time(evaluated, [], max(alert.evaluated_at for alert in stored))
    return alerts, evaluated


def _add_time(family: GaugeMetricFamily, labels: Sequence[str], at: datetime | None) -> None:
    """What never happened has no time, and is absent."""
    if at is not None:
        family.add_metric(list(labels), at.timestamp())
