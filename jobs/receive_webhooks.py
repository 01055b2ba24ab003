"""What takes the deliveries of webhooks in the web process: one function that marks, over a small engine of its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from dashboards.webhooks import WebhookReceiver
from db.base import in_transaction, open_database, session_factory
from db.dirty_pulls import Marked, mark_dirty
from jobs.runner import utc_now
from tracker.settings import Settings
from tracker.webhooks import Delivery

CONNECTIONS = 1
"""Deliveries are few and small; they wait for each other."""
SECONDS_OF_PATIENCE = 3.0
"""For whoever is writing; GitHub itself waits ten, and what it gives up the next crawl reads."""


@contextmanager
def webhook_receiver(settings: Settings, *, now: Callable[[], datetime] = utc_now) -> Iterator[WebhookReceiver | None]:
    """Yield what takes deliveries; None where no secret is set, and then nothing writable is opened."""
    if settings.webhook_secret is None:
        yield None
        return
    url = settings.webhook_database_url or settings.database_url
    engine = open_database(url, connections=CONNECTIONS, patience=SECONDS_OF_PATIENCE)
    sessions = session_factory(engine)

    def mark(delivery: Delivery) -> Marked:
        with in_transaction(sessions) as session:
            return mark_dirty(session, delivery, now())

    try:
        yield WebhookReceiver(secret=settings.webhook_secret, mark=mark)
    finally:
        engine.dispose()
