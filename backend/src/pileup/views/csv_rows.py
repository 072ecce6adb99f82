"""Write rows as lines of a CSV file.

How the lines are sent (an HTTP response, a file) belongs to the caller.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice

import polars as pl

from pileup.report.formulas import without_formulas
from pileup.report.redaction.document_redaction import Leak
from pileup.report.redaction.plain_redaction import RowRedaction
from pileup.report.redaction.redactor import Redactor
from pileup.storage.errors import Refused
from pileup.views.window import moment_of

Cell = str | int | float | bool | datetime | None
Row = Sequence[Cell]

_AT_ONCE = 1000


def frame_rows(frame: pl.DataFrame, paths: dict[str, str]) -> tuple[list[str], Iterator[Row]]:
    """Return column names and rows of records; convert ``time`` and ``artifact`` for people.

    ``time`` (µs) becomes a time, ``artifact`` becomes its path in the column ``file``.
    """
    columns = ["file" if name == "artifact" else name for name in frame.columns]
    at = frame.columns.index("time") if "time" in frame.columns else -1
    file = frame.columns.index("artifact")

    def cells_of(row: tuple[Cell, ...]) -> list[Cell]:
        cells = list(row)
        cells[file] = paths.get(str(cells[file]), "")
        if at >= 0:
            cells[at] = moment_of(cells[at])  # type: ignore[arg-type]
        return cells

    return columns, (cells_of(row) for row in frame.iter_rows())


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Yield the file in blocks of many lines, built while the rows are read."""
    yield "\ufeff" + csv_line(columns)  # the mark tells Excel that the text is UTF-8
    lines = (csv_line(row) for row in rows)
    while piece := "".join(islice(lines, _AT_ONCE)):
        yield piece


def redacted_csv(
    read: Callable[[], tuple[Sequence[str], Iterable[Row]]], redactor: Redactor
) -> Iterator[str]:
    """Return the redacted file in blocks; ``read`` returns its columns and rows.

    Where more than passwords is redacted the rows are read three times, with no copy of them: to
    learn the values, to check that none is left before the first block leaves, and to write.

    Raises Refused when a value is left.
    """
    columns, rows = read()
    if not redactor.only_passwords:
        RowRedaction(columns, redactor).learn(rows)
        try:
            for _ in RowRedaction(columns, redactor).rows(read()[1]):
                pass
        except Leak as error:
            raise Refused(str(error), "redact") from error
        rows = read()[1]
    redaction = RowRedaction(columns, redactor)
    return csv_text(redaction.columns, redaction.rows(rows))


def csv_line(cells: Iterable[Cell]) -> str:
    """Write one line.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    out = io.StringIO()
    csv.writer(out).writerow(map(_tame, cells))
    return out.getvalue()


def _tame(cell: Cell) -> Cell:
    if isinstance(cell, datetime):
        return cell.isoformat().replace("+00:00", "Z")
    return without_formulas(cell) if isinstance(cell, str) else cell
