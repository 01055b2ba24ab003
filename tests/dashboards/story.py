"""One small story, stored as the jobs would store it: coupling comes, goes, comes back and goes again.

Everything the pages show occurs in it once: a decoupling commit, its revert and reland, hostile text, a skipped file,
pull requests, a firing alert, an audit, runs that went well and one that did not, and a repository not read yet.
"""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from db.alerts import append_event, replace_alert
from db.audits import append_audit
from db.dead_letters import append_dead_letter
from db.pull_verdicts import read_due_heads, replace_pull_verdict
from db.pull_writes import upsert_pulls
from db.repositories import read_repositories
from db.runs import end_run, start_run
from db.tables import CommitRow, VerdictRow
from tests.builders import (
    A_DAY,
    RULESET,
    a_judged_commit,
    a_judgement,
    a_neutral_construct,
    a_place,
    a_sha,
    a_site,
    an_account,
    an_entry,
    an_exclusivity,
    some_trailers,
)
from tests.pull_builders import ADA, a_pull, a_review
from tests.stored import SLUG, a_repository, append
from tracker.alerting import Alert, AlertEvent, AlertState, Evidence, Severity, fingerprint_of
from tracker.classify import (
    Accounts,
    HeadProblem,
    JudgedCommit,
    JudgedHead,
    Line,
    SiteAccount,
    SkippedFile,
    Tally,
)
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict
from tracker.trailers import CommitReference, LinkKind, LinkMethod
from tracker.upstream import PullRequestState, SkipReason

UNREAD = "second/unread"
LATER = A_DAY + timedelta(weeks=54)
LAST = LATER + timedelta(days=8)
"""Committer date of the last commit."""
NOW = LAST + timedelta(days=1)
HOSTILE = '<script>alert(1)</script> "quoted" & \u202egnp.exe'
HOSTILE_PATH = "torch/<img src=x onerror=alert(1)>'\".py"
SYNCHRONIZE = a_site("torch.cuda.synchronize")
RETRY_AT = NOW + timedelta(minutes=30)
ALERT_LABELS = {"repository": SLUG, "area": "core"}
FINGERPRINT = fingerprint_of("new-coupling", ALERT_LABELS)


def _first() -> JudgedCommit:
    entries = [
        an_entry("torch/serialization.py", site=SYNCHRONIZE, delta=5, lines=(3, 12, 30, 31, 40)),
        an_entry("torch/utils.py", site=a_site("is_hip", construct=Construct.PREDICATE, vendor="amd"), delta=2),
        an_entry("torch/compile.py", site=a_site("cudagraph_pool", construct=Construct.NAME), delta=3),
        an_entry("torch/utils.py", site=a_neutral_construct("torch.Stream"), mechanism=Mechanism.OUTSIDE),
    ]
    judged = a_judgement(
        entries,
        verdict=Verdict.COUPLING,
        mechanism=Mechanism.INTRODUCED,
        area=Area.CORE,
        vendors=("nvidia", "amd"),
        tally=Tally(introduced=10),
    )
    return a_judged_commit("first", message="Add synchronisation", judgement=judged)


def _decoupling(name: str, parent: str, days: int, *, reland: bool = False) -> JudgedCommit:
    entries = [
        an_entry(
            "torch/serialization.py",
            site=SYNCHRONIZE,
            delta=-2,
            mechanism=Mechanism.GENERALISED,
            lines=(12, 30),
            replaced_by="torch.accelerator.synchronize",
        ),
        an_entry(
            "torch/serialization.py", site=a_neutral_construct(), delta=2, mechanism=Mechanism.OUTSIDE, lines=(12, 30)
        ),
    ]
    judged = a_judgement(
        entries,
        verdict=Verdict.DECOUPLING,
        mechanism=Mechanism.GENERALISED,
        area=Area.CORE,
        vendors=("nvidia",),
        tally=Tally(generalised=2),
    )
    references = (CommitReference(LinkKind.RELANDS, LinkMethod.SHA, a_sha("second")),) if reland else ()
    trailers = some_trailers(pull_request=7, is_reland=reland, references=references)
    title = "[reland] Generalise synchronisation (#7)" if reland else "Generalise synchronisation (#7)"
    judged = replace(judged, accounts=Accounts(sites=tuple(_generalised(line) for line in (12, 30))))
    return a_judged_commit(
        name,
        parent=parent,
        message=title,
        at=LATER + timedelta(days=days),
        mail="ada@meta.example.com",
        trailers=trailers,
        judgement=judged,
    )


def _generalised(number: int) -> SiteAccount:
    path, after = "torch/serialization.py", "        torch.accelerator.synchronize()"
    return an_account(
        site=SYNCHRONIZE,
        line=Line(path=path, number=number, text="        torch.cuda.synchronize()", span=(8, 30)),
        opposite=Line(path=path, number=number, text=after, span=(8, 37)),
        mechanism=Mechanism.GENERALISED,
        reason="a neutral name stands in its place",
        replaced_by="torch.accelerator.synchronize",
    )


def _coupled(number: int) -> SiteAccount:
    """With a line that would break, reorder or script the page."""
    site, path = SYNCHRONIZE, "torch/serialization.py"
    line = Line(path=path, number=number, text=f"{HOSTILE} <b>x</b>", span=(0, 8), cut_after=True)
    return an_account(site=site, gone=False, line=line)


def _revert() -> JudgedCommit:
    entries = [
        an_entry("torch/serialization.py", site=SYNCHRONIZE, delta=2, lines=(12, 30)),
        an_entry(
            "torch/serialization.py", site=a_neutral_construct(), delta=-2, mechanism=Mechanism.OUTSIDE, lines=(12, 30)
        ),
    ]
    judged = a_judgement(
        entries,
        verdict=Verdict.COUPLING,
        mechanism=Mechanism.INTRODUCED,
        area=Area.CORE,
        vendors=("nvidia",),
        tally=Tally(introduced=2),
    )
    accounts = Accounts(
        sites=tuple(_coupled(line) for line in (*range(1, 9), 12, 30)), exclusivities=(an_exclusivity(),), left_out=3
    )
    judged = replace(judged, accounts=accounts)
    reference = CommitReference(LinkKind.REVERTS, LinkMethod.SHA, a_sha("second"))
    return a_judged_commit(
        "third",
        parent="second",
        message='Revert "Generalise synchronisation (#7)"',
        at=LATER + timedelta(days=1),
        trailers=some_trailers(is_revert=True, references=(reference,)),
        judgement=judged,
    )


def _hostile() -> JudgedCommit:
    place = a_place(Territory.VENDOR, vendors=("nvidia",))
    entry = an_entry(HOSTILE_PATH, site=a_site("<b>cuda</b>"), place=place, mechanism=Mechanism.OUTSIDE)
    return a_judged_commit(
        "hostile",
        parent="fourth",
        message=f"{HOSTILE}\n\nbody",
        at=LAST,
        judgement=a_judgement([entry], verdict=Verdict.VENDOR_INTERNAL),
        skipped=(SkippedFile(path="logo<br>.png", blob=a_sha("logo"), reason=SkipReason.BINARY),),
    )


COMMITS = (
    _first(),
    _decoupling("second", "first", 0),
    _revert(),
    _decoupling("fourth", "third", 7, reland=True),
    _hostile(),
)


def tell(session: Session, *, demo: bool = False) -> None:
    """Store the whole story."""
    repository_id = a_repository(session, SLUG)
    a_repository(session, UNREAD)
    append(session, repository_id, COMMITS)
    # The first commit was judged by a version that did not keep why.
    first = select(CommitRow.id).where(CommitRow.sha == a_sha("first"))
    session.execute(update(VerdictRow).where(VerdictRow.commit_id.in_(first)).values(accounts_left_out=None))
    if demo:
        _mark_demo(session)
    _tell_pulls(session, repository_id)
    _tell_runs(session)
    append_audit(
        session,
        repository_id,
        a_sha("fourth"),
        ruleset="0" * 64,
        at=NOW - timedelta(hours=1),
        paths=3,
        sites=8,
        differences=(),
    )
    append_dead_letter(session, repository_id, "pulls-backfill", "9", "GitHub answered 502", NOW - timedelta(hours=2))
    _tell_alert(session)


def _mark_demo(session: Session) -> None:
    for row in read_repositories(session):
        row.demo = True
    session.flush()


def _tell_pulls(session: Session, repository_id: int) -> None:
    pulls = [
        a_pull(
            7,
            title="Generalise synchronisation",
            state=PullRequestState.CLOSED,
            created_at=LATER - timedelta(days=2),
            updated_at=LAST,
            labels=("Merged",),
            reviews=(a_review("R1", author=None, submitted_at=LATER - timedelta(days=1)),),
        ),
        a_pull(8, title=HOSTILE, created_at=LATER, author=ADA),
        a_pull(9, title="Forgotten", created_at=LATER - timedelta(days=90)),
    ]
    upsert_pulls(session, repository_id, pulls, seen_at=NOW)
    _judge_heads(session, repository_id)


def _judge_heads(session: Session, repository_id: int) -> None:
    """Pull request 8 would couple, with hostile text; the head of 9 has no history in common with the branch."""
    proposed = an_entry(HOSTILE_PATH, site=a_site("<i>torch.cuda</i>"), delta=3, lines=(4, 5, 6))
    judgement = a_judgement(
        [proposed, an_entry("torch/utils.py", site=a_neutral_construct(), mechanism=Mechanism.OUTSIDE)],
        verdict=Verdict.COUPLING,
        mechanism=Mechanism.INTRODUCED,
        area=Area.CORE,
        vendors=("nvidia",),
        tally=Tally(introduced=3),
    )
    for due in read_due_heads(session, repository_id, RULESET, NOW):
        judged = due.number == 8
        head = JudgedHead(
            number=due.number,
            head_sha=a_sha("head"),
            base_sha=a_sha("second") if judged else None,
            base_ref="main",
            judgement=judgement if judged else None,
            problem=None if judged else HeadProblem.NO_MERGE_BASE,
            detail="" if judged else "<b>nothing</b> in common",
            files=3,
            skipped={SkipReason.BINARY: 1} if judged else {},
            ruleset=RULESET,
        )
        replace_pull_verdict(session, due, head, NOW)


def _tell_runs(session: Session) -> None:
    ended = NOW - timedelta(minutes=5)
    for job, repository, outcome, message in (
        ("crawl_commits", SLUG, "ok", ""),
        ("crawl_pulls", SLUG, "unavailable", "api.github.com did not answer: <timeout>"),
        ("evaluate_alerts", "", "ok", ""),
    ):
        run = start_run(session, job, repository, ended - timedelta(minutes=1))
        retry_at = RETRY_AT if outcome == "unavailable" else None
        end_run(session, run, outcome, {"commits": 5, "note": "a<b"}, message, ended, retry_at=retry_at)
    start_run(session, "crawl_commits", UNREAD, NOW - timedelta(minutes=2))


def _tell_alert(session: Session) -> None:
    since = NOW - timedelta(hours=3)
    replace_alert(
        session,
        Alert(
            fingerprint=FINGERPRINT,
            rule="new-coupling",
            severity=Severity.WARNING,
            state=AlertState.FIRING,
            labels=ALERT_LABELS,
            summary="New sites that name hardware in neutral code: 12 <b>",
            runbook="Open the commits.",
            evidence=(Evidence(text=f"{a_sha('third')[:10]} Revert", link=f"/commits/{SLUG}/{a_sha('third')}"),),
            value=12.0,
            active_at=since,
            fired_at=since,
            resolved_at=None,
            evaluated_at=NOW - timedelta(minutes=5),
        ),
    )
    event = AlertEvent(
        fingerprint=FINGERPRINT, at=since, from_state=AlertState.INACTIVE, to_state=AlertState.FIRING, value=12.0
    )
    append_event(session, event)
