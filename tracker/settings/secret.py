"""A text that is carried to its receiver and shown to nobody else."""

import hmac
from typing import Never


class Secret:
    """A text that no log, message, representation or pickle may show."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text itself; call it only where it goes to its receiver."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __str__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> Never:
        raise TypeError("a secret is not pickled: pass a worker only what it needs")
