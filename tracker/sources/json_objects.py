"""Reading fields out of an API's JSON, with the path of each in every complaint, tolerant of what databases are not.

NUL characters and lone surrogates, which GitHub passes on from its users, become U+FFFD; whole numbers may arrive as
floats (PyGithub#2697); times become aware UTC without fractions.
"""

from datetime import UTC, datetime

from tracker.errors import PayloadError

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
LARGEST_INTEGER = 2**31 - 1
"""What an integer column of any database holds; identifiers may be larger (`identifier`)."""


def storable(text: str) -> str:
    """Return the text with U+FFFD in place of what no database stores: NUL and lone surrogates."""
    return text.replace("\0", REPLACEMENT).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class JsonObject:
    """A JSON object and where it stands in the answer; each reader raises PayloadError on another form."""

    __slots__ = ("_fields", "path")

    def __init__(self, value: object, path: str) -> None:
        if not isinstance(value, dict):
            raise PayloadError(path, value)
        self._fields: dict[str, object] = value
        self.path = path

    def has(self, name: str) -> bool:
        """Return whether the field is there and not null."""
        return self._fields.get(name) is not None

    def text(self, name: str, *, longest: int | None = None) -> str:
        """Return a text, made storable; `longest` in characters."""
        value = self._fields.get(name)
        if not isinstance(value, str):
            raise self._complaint(name)
        text = storable(value)
        if longest is not None and len(text) > longest:
            raise self._complaint(name)
        return text

    def text_or_none(self, name: str) -> str | None:
        return self.text(name) if self.has(name) else None

    def whole(self, name: str, *, largest: int = LARGEST_INTEGER) -> int:
        """Return a whole number from 0 on; a float without a fraction is one."""
        value = self._fields.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise self._complaint(name)
        if not 0 <= value <= largest:
            raise self._complaint(name)
        return int(value)

    def identifier(self, name: str) -> int:
        """Return a numeric id, up to 63 bits."""
        return self.whole(name, largest=2**63 - 1)

    def flag(self, name: str) -> bool:
        value = self._fields.get(name)
        if not isinstance(value, bool):
            raise self._complaint(name)
        return value

    def time(self, name: str) -> datetime:
        """Return an ISO 8601 time with a zone, as UTC, without fractions of seconds."""
        try:
            at = datetime.fromisoformat(self.text(name))
            if at.tzinfo is None:
                raise self._complaint(name)
            return at.astimezone(UTC).replace(microsecond=0)
        except (ValueError, OverflowError) as error:
            raise self._complaint(name) from error

    def time_or_none(self, name: str) -> datetime | None:
        return self.time(name) if self.has(name) else None

    def inner(self, name: str) -> "JsonObject":
        return JsonObject(self._fields.get(name), f"{self.path}.{name}")

    def inner_or_none(self, name: str) -> "JsonObject | None":
        return self.inner(name) if self.has(name) else None

    def items(self, name: str) -> list[tuple[object, str]]:
        """Return the items of a list, null ones included, each with its path; a null list is empty."""
        value = self._fields.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._complaint(name)
        return [(item, f"{self.path}.{name}[{index}]") for index, item in enumerate(value)]

    def items_given(self, name: str) -> list[tuple[object, str]]:
        """Return the items of a list as `items` does; a null list is an error."""
        if not self.has(name):
            raise self._complaint(name)
        return self.items(name)

    def objects(self, name: str) -> "list[JsonObject]":
        """Return the objects of a list; null items are left out."""
        return [JsonObject(item, path) for item, path in self.items(name) if item is not None]

    def _complaint(self, name: str) -> PayloadError:
        return PayloadError(f"{self.path}.{name}", self._fields.get(name))
