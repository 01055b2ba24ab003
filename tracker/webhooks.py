"""A delivery of a GitHub webhook: whether its signature is right, and which pull request it says something changed of.

Pure. The signature is checked over the bytes as they came, before anything of them is read; what a delivery says is
believed in nothing but a number, which is then read from GitHub. Documented at
https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries.
"""

import hmac
import json
import re
from dataclasses import dataclass

EVENTS = frozenset(
    {
        "issue_comment",
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        "pull_request_review_thread",
    }
)
"""Whatever else is delivered says nothing of a pull request that is stored."""
MOST_BYTES = 1 << 20
"""Of a delivery; one of these events has some 30 KB, and its texts are limited by GitHub to 64 KB each."""

_SIGNATURE = re.compile(rb"sha256=[0-9a-f]{64}")
_DELIVERY = re.compile(r"[0-9A-Za-z-]{8,100}")
_SLUG = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)
_LARGEST_NUMBER = 2**31 - 1


class NotADelivery(Exception):
    """It is signed, and still not what GitHub sends; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What is believed of a delivery."""

    id: str
    """X-GitHub-Delivery; the same when it is delivered again."""
    event: str
    repository: str
    """owner/name."""
    number: int
    """Of the pull request of which something changed."""


def is_signed(body: bytes, signature: bytes, secret: str) -> bool:
    """Tell whether the header X-Hub-Signature-256 is that of this body, in time that says nothing of the right one."""
    expected = b"sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest().encode()
    return hmac.compare_digest(expected, signature) and _SIGNATURE.fullmatch(signature) is not None


def parse_delivery(event: str, delivery: str, body: bytes) -> Delivery | None:
    """Return what a signed delivery says; None: nothing of a pull request.

    Raises:
        NotADelivery: its id or its body is not of GitHub's form.
    """
    if _DELIVERY.fullmatch(delivery) is None:
        raise NotADelivery("X-GitHub-Delivery is missing, or is no id")
    if event not in EVENTS:
        return None
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotADelivery("the body is no JSON; choose the content type application/json for the webhook") from error
    about = _object(payload, "issue" if event == "issue_comment" else "pull_request")
    if event == "issue_comment" and "pull_request" not in about:
        return None
    number, slug = about.get("number"), _object(payload, "repository").get("full_name")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number <= _LARGEST_NUMBER:
        raise NotADelivery("the body names no pull request by its number")
    if not isinstance(slug, str) or _SLUG.fullmatch(slug) is None:
        raise NotADelivery("the body names no repository as owner/name")
    return Delivery(id=delivery, event=event, repository=slug, number=number)


def _object(payload: object, name: str) -> dict[str, object]:
    found = payload.get(name) if isinstance(payload, dict) else None
    if not isinstance(found, dict):
        raise NotADelivery(f"the body holds no {name}")
    return found
