"""What a tool has seen of a history, for others to be compared with: needs nothing but Python itself."""

import hashlib
from collections.abc import Iterable


def digest_of(shas: Iterable[str]) -> str:
    """Return a short digest of commits in their order."""
    return hashlib.sha256("\n".join(shas).encode()).hexdigest()[:12]
