import io
import json
import stat
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from pyarrow import parquet

from db.exports import ColumnKind, ExportColumn, Value
from jobs.export import Format, whole_file, write_export
from tracker.errors import TrackerError

COLUMNS = (
    ExportColumn("sha", ColumnKind.TEXT, "the commit"),
    ExportColumn("position", ColumnKind.INTEGER, "its place"),
    ExportColumn("is_revert", ColumnKind.FLAG, "whether it is one"),
    ExportColumn("committed_at", ColumnKind.TIME, "when"),
    ExportColumn("week", ColumnKind.DAY, "which week"),
)
ROWS: tuple[tuple[Value, ...], ...] = (
    ("a", 1, True, "2020-01-06T12:00:00Z", "2020-01-06"),
    ('b "quoted", é', None, False, None, None),
)


def written(form: Format, rows: tuple[tuple[Value, ...], ...] = ROWS) -> bytes:
    out = io.BytesIO()
    assert write_export(COLUMNS, rows, form, out) == len(rows)
    return out.getvalue()


def test_csv_has_a_head_line_and_leaves_empty_what_is_not_there() -> None:
    assert written(Format.CSV).decode() == (
        "sha,position,is_revert,committed_at,week\n"
        "a,1,true,2020-01-06T12:00:00Z,2020-01-06\n"
        '"b ""quoted"", é",,false,,\n'
    )


def test_json_is_one_object_a_line() -> None:
    assert [json.loads(line) for line in written(Format.JSON).decode().splitlines()] == [
        {
            "sha": "a",
            "position": 1,
            "is_revert": True,
            "committed_at": "2020-01-06T12:00:00Z",
            "week": "2020-01-06",
        },
        {"sha": 'b "quoted", é', "position": None, "is_revert": False, "committed_at": None, "week": None},
    ]


def test_parquet_has_typed_columns_with_their_meanings() -> None:
    table = parquet.read_table(io.BytesIO(written(Format.PARQUET)))
    assert table.to_pylist() == [
        {
            "sha": "a",
            "position": 1,
            "is_revert": True,
            "committed_at": datetime(2020, 1, 6, 12, tzinfo=UTC),
            "week": date(2020, 1, 6),
        },
        {"sha": 'b "quoted", é', "position": None, "is_revert": False, "committed_at": None, "week": None},
    ]
    assert table.schema.field("sha").metadata[b"meaning"] == b"the commit"


@pytest.mark.parametrize(
    ("form", "expected"),
    [(Format.CSV, b"sha,position,is_revert,committed_at,week\n"), (Format.JSON, b"")],
)
def test_no_rows_give_the_head_alone(form: Format, expected: bytes) -> None:
    assert written(form, ()) == expected


def test_an_empty_parquet_file_still_has_its_columns() -> None:
    table = parquet.read_table(io.BytesIO(written(Format.PARQUET, ())))
    assert (table.num_rows, table.column_names) == (0, [column.name for column in COLUMNS])


@pytest.mark.parametrize("form", list(Format))
def test_equal_rows_give_equal_bytes(form: Format) -> None:
    assert written(form) == written(form)


@pytest.mark.parametrize("form", list(Format))
def test_a_text_that_no_utf8_can_hold_does_not_stop_an_export(form: Format) -> None:
    assert b"udcff" in written(form, (("\udcff", 1, None, None, None),))


def test_many_rows_are_written_in_pieces_and_counted_on_the_way() -> None:
    noted: list[int] = []
    rows: Iterator[tuple[Value, ...]] = ((str(n), n, None, None, None) for n in range(25_001))
    out = io.BytesIO()
    count = write_export(COLUMNS, rows, Format.CSV, out, lambda _stage, done, _total: noted.append(done))
    assert (count, len(out.getvalue().splitlines()), noted[-1]) == (25_001, 25_002, 25_000)


def test_a_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    with whole_file(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["x.csv"]


def test_a_failed_export_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with pytest.raises(ZeroDivisionError), whole_file(path):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing/ledger.csv", "the folder {0}/missing does not exist; make it first, or name another file"),
        ("folder", "{0}/folder is a folder; name the file to write"),
    ],
)
def test_where_no_file_can_be_written_the_error_names_what_was_asked_for(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(TrackerError) as error, whole_file(tmp_path / name):
        pass
    assert str(error.value) == said.format(tmp_path)
