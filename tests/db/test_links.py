from sqlalchemy import select
from sqlalchemy.orm import Session, aliased, sessionmaker

from db.commits import rewind_to
from db.tables import CommitLinkRow, CommitRow
from tests.builders import a_judged_commit, a_sha, some_trailers
from tests.stored import a_repository, append
from tracker.classify import JudgedCommit
from tracker.trailers import CommitReference, LinkKind, LinkMethod

Found = list[tuple[str, str, str | None]]


def a_reverting_commit(
    name: str, *references: tuple[LinkMethod, str], kind: LinkKind = LinkKind.REVERTS
) -> JudgedCommit:
    named = tuple(CommitReference(kind, method, target) for method, target in references)
    return a_judged_commit(name, trailers=some_trailers(is_revert=True, references=named))


def links(session: Session, name: str) -> Found:
    """Method, target and the sha found, of each link of a commit."""
    target = aliased(CommitRow)
    query = (
        select(CommitLinkRow.method, CommitLinkRow.target, target.sha)
        .join(CommitRow, CommitRow.id == CommitLinkRow.commit_id)
        .outerjoin(target, target.id == CommitLinkRow.target_commit_id)
        .where(CommitRow.sha == a_sha(name))
        .order_by(CommitLinkRow.id)
    )
    return [(method, said, sha) for method, said, sha in session.execute(query)]


def test_a_reference_resolves_by_a_whole_sha_and_by_its_first_digits(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first"), a_judged_commit("second")])
        whole = a_reverting_commit("whole", (LinkMethod.SHA, a_sha("first")))
        begun = a_reverting_commit("begun", (LinkMethod.SHA, a_sha("second")[:9].upper()))
        append(session, repository, [whole, begun])
        assert links(session, "whole") == [("sha", a_sha("first"), a_sha("first"))]
        assert links(session, "begun") == [("sha", a_sha("second")[:9].upper(), a_sha("second"))]


def test_a_reference_resolves_by_the_first_digits_of_a_source_id(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", trailers=some_trailers(source_id=a_sha("exported")))])
        append(session, repository, [a_reverting_commit("back out", (LinkMethod.CHANGESET, a_sha("exported")[:12]))])
        assert links(session, "back out") == [("changeset", a_sha("exported")[:12], a_sha("first"))]


def test_a_reference_by_differential_or_by_pull_request_means_the_latest_earlier_commit(
    sessions: sessionmaker[Session],
) -> None:
    trailers = some_trailers(differential="D123456", pull_request=53902)
    with sessions.begin() as session:
        repository = a_repository(session)
        batch = [a_judged_commit("landed", trailers=trailers), a_judged_commit("relanded", trailers=trailers)]
        append(session, repository, batch)
        append(session, repository, [a_reverting_commit("by revision", (LinkMethod.DIFFERENTIAL, "D123456"))])
        append(session, repository, [a_reverting_commit("by number", (LinkMethod.PULL, "53902"))])
        append(session, repository, [a_judged_commit("later", trailers=trailers)])
        assert links(session, "by revision") == [("differential", "D123456", a_sha("relanded"))]
        assert links(session, "by number") == [("pull", "53902", a_sha("relanded"))]


def test_a_title_resolves_with_or_without_the_number_behind_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        batch = [
            a_judged_commit("numbered", message="Add a 100% _generic_ API. (#12) (#13)"),
            a_judged_commit("plain", message="Fix build"),
            a_judged_commit("longer", message="Fix build of docs"),
            a_judged_commit("other case", message="fix build"),
        ]
        append(session, repository, batch)
        one = a_reverting_commit("one", (LinkMethod.TITLE, "Add a 100% _generic_ API"))
        two = a_reverting_commit("two", (LinkMethod.TITLE, "Fix build"))
        append(session, repository, [one, two])
        assert links(session, "one") == [("title", "Add a 100% _generic_ API", a_sha("numbered"))]
        assert links(session, "two") == [("title", "Fix build", a_sha("plain"))]


def test_a_title_is_found_whatever_tags_stand_before_it_but_best_with_its_own(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        batch = [
            a_judged_commit("bare", message="restore USE_C10D_NCCL (#12)"),
            a_judged_commit("tagged", message="[quant] Reduce the test"),
            a_judged_commit("other tag", message="[jit][reland] Reduce the test"),
            a_judged_commit("only a tag", message="[wip]"),
        ]
        append(session, repository, batch)
        titles = ("[pytorch][PR] restore USE_C10D_NCCL", "[quant] Reduce the test", "Reduce the test", "[x]")
        append(session, repository, [a_reverting_commit(title, (LinkMethod.TITLE, title)) for title in titles])
        assert [sha for title in titles for _, _, sha in links(session, title)] == [
            a_sha("bare"),
            a_sha("tagged"),
            a_sha("other tag"),
            None,
        ]


def test_what_lands_again_is_the_original_and_not_a_revert_that_bears_its_revision(
    sessions: sessionmaker[Session],
) -> None:
    original = some_trailers(differential="D9924348")
    revert = some_trailers(differential="D9924348", is_revert=True)
    with sessions.begin() as session:
        repository = a_repository(session)
        batch = [a_judged_commit("original", trailers=original), a_judged_commit("revert", trailers=revert)]
        append(session, repository, batch)
        by_revision = (LinkMethod.DIFFERENTIAL, "D9924348")
        append(session, repository, [a_reverting_commit("again", by_revision, kind=LinkKind.RELANDS)])
        append(session, repository, [a_reverting_commit("restore", by_revision)])
        assert links(session, "again") == [("differential", "D9924348", a_sha("original"))]
        assert links(session, "restore") == [("differential", "D9924348", a_sha("revert"))]


def test_a_target_may_stand_in_the_same_batch_but_not_after(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        early = a_reverting_commit("early", (LinkMethod.SHA, a_sha("target")))
        late = a_reverting_commit("late", (LinkMethod.SHA, a_sha("target")))
        append(session, repository, [early, a_judged_commit("target"), late])
        assert links(session, "early") == [("sha", a_sha("target"), None)]
        assert links(session, "late") == [("sha", a_sha("target"), a_sha("target"))]


def test_a_commit_is_never_its_own_target(sessions: sessionmaker[Session]) -> None:
    own = CommitReference(LinkKind.REVERTS, LinkMethod.PULL, "7")
    with sessions.begin() as session:
        repository = a_repository(session)
        trailers = some_trailers(pull_request=7, references=(own,))
        append(session, repository, [a_judged_commit("own", trailers=trailers)])
        assert links(session, "own") == [("pull", "7", None)]


def test_what_fits_no_stored_commit_stays_unresolved(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        references = (
            (LinkMethod.SHA, "0" * 40),
            (LinkMethod.CHANGESET, "1" * 12),
            (LinkMethod.DIFFERENTIAL, "D999999"),
            (LinkMethod.PULL, "99999999999999999999"),
            (LinkMethod.TITLE, "No such title"),
            (LinkMethod.TITLE, " ."),
        )
        append(session, repository, [a_judged_commit("first"), a_reverting_commit("lost", *references)])
        assert links(session, "lost") == [(method.value, target, None) for method, target in references]


def test_a_weaker_reference_follows_the_surer_one_where_it_fits(sessions: sessionmaker[Session]) -> None:
    trailers = some_trailers(pull_request=7)
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", trailers=trailers)])
        append(session, repository, [a_judged_commit("again", trailers=trailers)])
        revert = a_reverting_commit("revert", (LinkMethod.SHA, a_sha("first")), (LinkMethod.PULL, "7"))
        append(session, repository, [revert])
        assert links(session, "revert") == [("sha", a_sha("first"), a_sha("first")), ("pull", "7", a_sha("first"))]


def test_a_weaker_reference_that_is_of_another_commit_is_no_link(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        other = a_judged_commit("other", trailers=some_trailers(pull_request=7))
        append(session, repository, [a_judged_commit("first"), other])
        revert = a_reverting_commit("revert", (LinkMethod.SHA, a_sha("first")), (LinkMethod.PULL, "7"))
        append(session, repository, [revert])
        assert links(session, "revert") == [("sha", a_sha("first"), a_sha("first"))]


def test_a_title_that_was_cut_off_resolves_by_its_beginning(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("long", message="[x] Update 100% of the versions in models (#1)")])
        append(session, repository, [a_reverting_commit("r", (LinkMethod.TITLE, "Update 100% of the versions i…"))])
        assert links(session, "r") == [("title", "Update 100% of the versions i…", a_sha("long"))]


def test_one_target_said_twice_in_one_way_is_one_link(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        twice = a_reverting_commit("twice", (LinkMethod.SHA, a_sha("first")), (LinkMethod.SHA, a_sha("first")))
        append(session, repository, [a_judged_commit("first"), twice])
        assert links(session, "twice") == [("sha", a_sha("first"), a_sha("first"))]


def test_a_commit_of_another_repository_is_no_target(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other = a_repository(session), a_repository(session, "huggingface/accelerate")
        append(session, one, [a_judged_commit("first")])
        append(session, other, [a_reverting_commit("revert", (LinkMethod.SHA, a_sha("first")))])
        assert links(session, "revert") == [("sha", a_sha("first"), None)]


def test_a_commit_off_the_line_is_no_target(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first"), a_judged_commit("gone")])
        rewind_to(session, repository, 0)
        append(session, repository, [a_reverting_commit("revert", (LinkMethod.SHA, a_sha("gone")))])
        assert links(session, "revert") == [("sha", a_sha("gone"), None)]
