"""Rows as a CSV file, sent while they are read: all of them, where a screen shows a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice

import polars as pl
from fastapi.responses import StreamingResponse

from pileup.api.windows import moment_of

Cell = str | int | float | bool | datetime | None

_AT_ONCE = 1000


def csv_answer(
    name: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> StreamingResponse:
    """The rows as a download named ``name``.csv."""
    return StreamingResponse(
        _written(columns, rows),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f"attachment; filename={name}.csv"},
    )


def csv_frame(name: str, frame: pl.DataFrame, paths: dict[str, str]) -> StreamingResponse:
    """A frame of records: ``time`` in µs as ISO 8601, ``artifact`` as the path of its file."""
    columns = ["file" if one == "artifact" else one for one in frame.columns]
    at = frame.columns.index("time") if "time" in frame.columns else -1
    file = frame.columns.index("artifact")

    def told(row: tuple[Cell, ...]) -> list[Cell]:
        cells = list(row)
        cells[file] = paths.get(str(cells[file]), "")
        if at >= 0:
            cells[at] = moment_of(cells[at])  # type: ignore[arg-type]
        return cells

    return csv_answer(name, columns, (told(row) for row in frame.iter_rows()))


def csv_line(cells: Iterable[Cell]) -> str:
    """One line; a text that a spreadsheet would take for a formula gets an apostrophe before it."""
    out = io.StringIO()
    csv.writer(out).writerow(map(_tame, cells))
    return out.getvalue()


def _written(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    yield "\ufeff" + csv_line(columns)  # the mark tells Excel that the text is UTF-8
    lines = (csv_line(row) for row in rows)
    while some := "".join(islice(lines, _AT_ONCE)):
        yield some


def _tame(cell: Cell) -> Cell:
    if isinstance(cell, datetime):
        return cell.isoformat().replace("+00:00", "Z")
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{cell}"
    return cell
