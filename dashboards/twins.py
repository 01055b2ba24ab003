"""JSON and CSV answers: the head that every body carries, and rows by column."""

from collections.abc import Iterable, Mapping, Sequence

from fastapi.responses import JSONResponse, Response

from dashboards.plain import csv_text, plain, utc_text
from dashboards.reading import Reading
from dashboards.views.runs import extents_of


def json_answer(reading: Reading, body: Mapping[str, object], *, slugs: Sequence[str] = ()) -> JSONResponse:
    """Return a body with its head; `slugs` names the repositories whose numbers it holds, none: all."""
    coverage = [row for row in extents_of(reading) if not slugs or row.repository in slugs]
    through = [row.last_at for row in coverage if row.last_at is not None]
    head = {
        "generated_at": utc_text(reading.now),
        "data_through": utc_text(max(through)) if through else None,
        "demo": reading.is_demo(*slugs),
        "ruleset": reading.dashboard.ruleset.digest,
    }
    return JSONResponse(head | {key: plain(value) for key, value in body.items()})


def csv_answer(
    columns: Sequence[str], rows: Iterable[Mapping[str, object]], next_address: str | None = None
) -> Response:
    """Return rows as CSV; a Link header leads to the rest."""
    headers = {"link": f'<{next_address}>; rel="next"'} if next_address is not None else {}
    return Response(csv_text(columns, rows), media_type="text/csv; charset=utf-8", headers=headers)


def columns_of(rows: Iterable[object], columns: Sequence[str]) -> list[dict[str, object]]:
    """Return facts as rows of the named fields and properties."""
    return [{column: getattr(row, column) for column in columns} for row in rows]


def shown(repository: str | None) -> tuple[str, ...]:
    """Return the repositories that a filter leaves: one, or (empty) all."""
    return (repository,) if repository else ()
