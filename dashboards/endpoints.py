"""The addresses of the interface for people: what its OpenAPI description says, one row for each. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_CSV = ".csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One address that answers GET."""

    address: str
    """With {names} in place of what varies."""
    meaning: str
    parameters: tuple[str, ...]
    """Of the query string."""
    has_csv: bool
    """Whether the same rows are at the same address with .csv."""


def endpoints_of(description: Mapping[str, Any], prefix: str) -> tuple[Endpoint, ...]:
    """Return the addresses below a prefix in their order; a CSV twin is a property of its JSON address."""
    paths = {path: methods["get"] for path, methods in description["paths"].items() if path.startswith(prefix)}
    return tuple(
        Endpoint(
            address=path,
            meaning=operation["description"],
            parameters=tuple(one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"),
            has_csv=path + _CSV in paths,
        )
        for path, operation in paths.items()
        if not path.endswith(_CSV)
    )
