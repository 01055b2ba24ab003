"""Typed reading of parsed TOML that collects every problem with its file and key instead of stopping at the first."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import TypeVar

Kind = TypeVar("Kind", bound=StrEnum)


class Table:
    """One TOML table under reading; `close` reports the keys that nobody asked for."""

    def __init__(self, values: dict[str, object], place: str, problems: list[str]) -> None:
        self._values = values
        self._place = place
        self._problems = problems
        self._asked: set[str] = set()

    def report(self, key: str, problem: str) -> None:
        """Add one problem about a key of this table."""
        self._problems.append(f"{self._place}.{key}: {problem}" if key else f"{self._place}: {problem}")

    def text(self, key: str, *, default: str | None = None) -> str:
        """Return a string; without a default it must be there and not be empty."""
        value = self._take(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or (not value.strip() and default is None):
            self.report(key, "a text is needed here" if value is None else f"a text is needed, not {value!r}")
            return default or ""
        return value

    def texts(self, key: str, *, needed: bool = False) -> tuple[str, ...]:
        """Return a list of non-empty strings; a missing one is empty unless it is needed."""
        value = self._take(key)
        if value is None:
            if needed:
                self.report(key, "a list of texts is needed here")
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            self.report(key, f"a list of texts is needed, not {value!r:.80}")
            return ()
        if needed and not value:
            self.report(key, "the list is empty")
        if len(set(value)) < len(value):
            self.report(key, "the list names something twice")
        return tuple(value)

    def number(self, key: str, *, default: int) -> int:
        """Return a positive whole number."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self.report(key, f"a positive whole number is needed, not {value!r}")
            return default
        return value

    def share(self, key: str) -> float | None:
        """Return a number from 0 to 1; None where the key is missing."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            self.report(key, f"a number from 0 to 1 is needed, not {value!r}")
            return None
        return float(value)

    def flag(self, key: str) -> bool:
        """Return true or false; it must be there."""
        value = self._take(key)
        if not isinstance(value, bool):
            self.report(key, f"true or false is needed, not {value!r}")
            return False
        return value

    def choice(self, key: str, kind: type[Kind], *, default: Kind) -> Kind:
        """Return a member of the enumeration; the default stands only where something was wrong."""
        value = self._take(key)
        if value in set(kind):
            return kind(str(value))
        self.report(key, f"{value!r} is none of {', '.join(kind)}")
        return default

    def choices(self, key: str, kind: type[Kind]) -> tuple[Kind, ...]:
        """Return members of the enumeration; all of them where the key is missing."""
        names = self.texts(key)
        known = set(kind)
        for name in names:
            if name not in known:
                self.report(key, f"{name!r} is none of {', '.join(kind)}")
        return tuple(kind(name) for name in names if name in known) or tuple(kind)

    def expression(self, key: str, *, needed: bool = True) -> str:
        """Return the source of a valid regular expression; without it, one that matches nothing."""
        source = self.text(key, default=None if needed else "")
        return self._checked(key, source) or r"(?!)"

    def expressions(self, key: str) -> tuple[str, ...]:
        """Return the sources of valid regular expressions."""
        return tuple(source for source in self.texts(key) if self._checked(key, source))

    def tables(self, key: str) -> Iterator["Table"]:
        """Yield the tables of an array, each to be closed by whoever reads it."""
        value = self._take(key)
        if value is None:
            return
        if not isinstance(value, list):
            self.report(key, "an array of tables is needed")
            return
        for number, item in enumerate(value, start=1):
            place = f"{self._place}.{key}[{number}]"
            if not isinstance(item, dict):
                self._problems.append(f"{place}: a table is needed, not {item!r:.80}")
                continue
            name = item.get("id") or item.get("name")
            yield Table(item, f"{place} ({name})" if isinstance(name, str) else place, self._problems)

    def table(self, key: str) -> "Table":
        """Return a table inside this one; a missing one is empty."""
        value = self._take(key)
        if value is not None and not isinstance(value, dict):
            self.report(key, "a table is needed")
        return Table(value if isinstance(value, dict) else {}, f"{self._place}.{key}", self._problems)

    def close(self) -> None:
        """Report every key that was not asked for: a misspelt key must not pass in silence."""
        for key in self._values:
            if key not in self._asked:
                self.report(key, "is not a key that is known here")

    def _take(self, key: str) -> object:
        self._asked.add(key)
        return self._values.get(key)

    def _checked(self, key: str, source: str) -> str:
        try:
            re.compile(source)
        except re.error as error:
            self.report(key, f"the regular expression {source!r} is invalid: {error}")
            return ""
        return source
