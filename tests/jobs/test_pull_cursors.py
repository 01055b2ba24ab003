"""Cursors of the two crawls are stored as JSON and read back as they were."""

import json

from jobs.pull_cursors import BackfillCursor, UpdatesCursor, parse_backfill, parse_updates
from tests.pull_builders import A_TIME


def test_a_new_crawl_has_no_cursor() -> None:
    assert parse_backfill(None) is None
    assert parse_updates(None) is None


def test_a_backfill_goes_on_where_it_stopped() -> None:
    cursor = BackfillCursor(after="Y3Vyc29y", size=25, done=False, watermark=A_TIME)
    assert parse_backfill(cursor.to_json()) == cursor


def test_a_backfill_of_an_empty_repository_has_no_watermark() -> None:
    cursor = BackfillCursor(done=True)
    assert parse_backfill(cursor.to_json()) == cursor


def test_increments_go_on_where_they_stopped() -> None:
    cursor = UpdatesCursor(watermark=A_TIME, size=12, newest=(7, A_TIME), settled=True)
    assert parse_updates(cursor.to_json()) == cursor


def test_an_increment_that_did_not_reach_the_end_knows_no_newest() -> None:
    cursor = UpdatesCursor(watermark=None)
    assert parse_updates(cursor.to_json()) == cursor


def test_stored_cursors_keep_their_form() -> None:
    assert json.loads(UpdatesCursor(watermark=A_TIME, size=29, newest=(7, A_TIME)).to_json()) == {
        "watermark": "2024-05-06T12:00:00+00:00",
        "size": 29,
        "newest": [7, "2024-05-06T12:00:00+00:00"],
        "settled": False,
    }
