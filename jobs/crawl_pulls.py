"""Crawl the pull requests of one repository: all of them once, then what was updated since, however often it stops.

Each page is stored in one transaction with the cursor behind it, so that a crawl that is killed goes on where it last
committed. A pull request that GitHub cannot serve becomes a dead letter, tried again each day. A renamed repository is
known by its numeric id; another one that took over its name is never mixed in.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.http_cache import HttpCache
from db.tables import RepositoryRow
from jobs.progress import Progress, no_progress
from jobs.pull_cursors import (
    BACKFILL,
    OVERLAP,
    UPDATES,
    BackfillCursor,
    UpdatesCursor,
    parse_backfill,
    parse_updates,
)
from jobs.pull_store import PullStore
from tracker.errors import NotServed, RepositoryError
from tracker.settings import Settings
from tracker.sources.github_answers import Opening
from tracker.sources.github_auth import credentials_from
from tracker.sources.github_client import GitHubClient
from tracker.sources.github_pulls import (
    CursorRefused,
    Order,
    PullsPage,
    Unserved,
    fetch_repository_by_id,
    find_start,
    read_one,
    read_opening,
    read_page,
)
from tracker.sources.github_queries import REMAINDERS_AT_ONCE
from tracker.sources.github_remainders import read_more
from tracker.upstream import PullRequest

LETTERS_PER_RUN = 20
RETRY_LETTERS_AFTER = timedelta(days=1)


def utc_now() -> datetime:
    return datetime.now(UTC)


def crawl_pulls(
    sessions: sessionmaker[Session],
    repository: RepositoryRow,
    settings: Settings,
    *,
    progress: Progress = no_progress,
) -> dict[str, int | str]:
    """Read what is new and return what was done, by name.

    Raises:
        AuthenticationFailed: no token is set, or it is refused.
        RateLimited: the hour's budget is spent; what was read is stored.
        RepositoryError: there is no such repository (any more).
        UpstreamUnavailable, PayloadError: as they say; what was read is stored.
    """
    credentials = credentials_from(settings)
    with GitHubClient(settings.github_url, credentials, answers=HttpCache(sessions)) as client:
        return read_news(client, PullStore(sessions, repository, utc_now), progress=progress, now=utc_now)


def read_news(
    client: GitHubClient, store: PullStore, *, progress: Progress = no_progress, now: Callable[[], datetime] = utc_now
) -> dict[str, int | str]:
    """Do what `crawl_pulls` does, with a client and a store at hand."""
    opened_at = now()
    opening = _open(client, store)
    for key in store.due_letters(opened_at - RETRY_LETTERS_AFTER, LETTERS_PER_RUN):
        store.keep_letter(key, *_read_letter(client, store.slug, key))
    backfill = parse_backfill(store.cursor(BACKFILL)) or BackfillCursor(watermark=_watermark(opening))
    if not backfill.done:
        _read_all(client, store, backfill, progress)
    _read_updates(client, store, opening, opened_at, progress)
    _read_on(client, store)
    usage = client.usage
    return {**store.counts, **store.gap(), "requests": usage.requests, "free": usage.free, "points": usage.points}


def _open(client: GitHubClient, store: PullStore) -> Opening:
    """Make sure that the name still belongs to this repository, and find it by its id where it does not."""
    opening: Opening | None
    try:
        opening = read_opening(client, store.slug)
    except NotServed as error:
        if store.github_id is None:
            raise RepositoryError(f"GitHub has no repository {store.slug}, or hides it from this token") from error
        opening = None
    if opening is None or not _is_same(opening, store):
        _find_by_id(client, store)
        opening = read_opening(client, store.slug)
    if opening.repository is not None:
        store.note(opening.repository)
    return opening


def _is_same(opening: Opening, store: PullStore) -> bool:
    facts = opening.repository
    return facts is None or store.github_id is None or facts.github_id == store.github_id


def _find_by_id(client: GitHubClient, store: PullStore) -> None:
    if store.github_id is None:
        raise AssertionError("only a repository whose id is known is looked for by it")
    try:
        store.note(fetch_repository_by_id(client, store.github_id))
    except NotServed as error:
        raise RepositoryError(
            f"the repository {store.slug} is gone from GitHub, or hidden from this token; "
            f"`tracker repos remove {store.slug}` ends its crawl and keeps its history"
        ) from error


def _watermark(opening: Opening) -> datetime | None:
    """Return where increments have to begin; a time in GitHub's future would hide everything until then."""
    if opening.newest is None:
        return None
    newest = opening.newest[1]
    return min(newest, opening.served_at) if opening.served_at is not None else newest


def _read_letter(client: GitHubClient, slug: str, key: str) -> tuple[tuple[PullRequest, ...], tuple[Unserved, ...]]:
    if key.isdecimal():
        one = read_one(client, slug, int(key))
        return ((one,), ()) if isinstance(one, PullRequest) else ((), (one,))
    order, _, after = key.partition(" after ")
    page = read_page(client, slug, Order(order), None if after == str(None) else after, 1)
    return page.pulls, page.unserved


def _read_all(client: GitHubClient, store: PullStore, cursor: BackfillCursor, progress: Progress) -> None:
    while not cursor.done:
        try:
            page = read_page(client, store.slug, Order.CREATED, cursor.after, cursor.size)
        except CursorRefused:
            if cursor.after is None:
                raise
            cursor = replace(cursor, after=None)
            continue
        cursor = replace(cursor, after=page.end_cursor or cursor.after, size=page.next_size, done=not page.has_next)
        moves = {BACKFILL: cursor.to_json()}
        if cursor.done:
            moves[UPDATES] = UpdatesCursor(watermark=cursor.watermark).to_json()
        store.keep_page(page, moves)
        _read_on(client, store, at_least=REMAINDERS_AT_ONCE)
        progress("reading pull requests", store.counts["stored"], page.total)


def _read_on(client: GitHubClient, store: PullStore, *, at_least: int = 1) -> None:
    """Read on in lists of which GitHub gave a part only, as long as so many wait: together they cost one point."""
    while store.count_remainders() >= at_least:
        remainders = store.remainders(REMAINDERS_AT_ONCE)
        store.keep_parts(zip(remainders, read_more(client, store.slug, remainders), strict=True))


def _read_updates(
    client: GitHubClient, store: PullStore, opening: Opening, opened_at: datetime, progress: Progress
) -> None:
    cursor = parse_updates(store.cursor(UPDATES)) or UpdatesCursor(watermark=None)
    if cursor.settled and cursor.newest == opening.newest:
        return
    settles = _settles(opening, opened_at)
    after = find_start(client, store.slug, cursor.watermark - OVERLAP) if cursor.watermark is not None else None
    more, read = True, 0
    while more:
        page = read_page(client, store.slug, Order.UPDATED, after, cursor.size)
        after, more = page.end_cursor or after, page.has_next
        cursor = _moved(cursor, page, opening, settles=settles)
        store.keep_page(page, {UPDATES: cursor.to_json()})
        _read_on(client, store, at_least=REMAINDERS_AT_ONCE)
        read += len(page.pulls)
        progress("reading updated pull requests", read, None)


def _moved(cursor: UpdatesCursor, page: PullsPage, opening: Opening, *, settles: bool) -> UpdatesCursor:
    """Return the cursor behind a page: never past what was the newest when the walk began, and never back.

    GitHub may show an update up to `OVERLAP` late, and where the walk has already passed; so what is as old as the
    walk's beginning is read again, however long the walk takes. Before the end, the earliest time of the page is where
    to go on from: a later one may be of a pull request that was updated after GitHub had put the page together, and
    belongs far behind it.
    """
    seen = [pull.updated_at for pull in page.pulls]
    reached = min(seen, default=None) if page.has_next else max(seen, default=None)
    surely = _watermark(opening)
    known = min(reached, surely) if reached is not None and surely is not None else None
    watermark = max((at for at in (known, cursor.watermark) if at is not None), default=None)
    if page.has_next:
        return UpdatesCursor(watermark=watermark, size=page.next_size)
    return UpdatesCursor(watermark=watermark, size=page.next_size, newest=opening.newest, settled=settles)


def _settles(opening: Opening, opened_at: datetime) -> bool:
    """Whether a walk that begins now leaves no older update that GitHub could still come to show."""
    if opening.newest is None:
        return True
    if opening.served_at is None:
        return False
    # If either clock is ahead, the other one says that it is too early to be sure.
    return min(opened_at, opening.served_at) >= opening.newest[1] + OVERLAP
