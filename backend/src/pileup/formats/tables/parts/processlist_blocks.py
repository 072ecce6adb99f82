"""Read consecutive tab-separated listings as columns of Session, without an object per cell.

A single line that is not plain (a row of fewer cells, a number that cannot be read, a tab or a line
end inside a statement) rejects all of them: they are then read row by row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pileup.formats.reading import pt_stalk_samples

_TEXTS = {
    "user": "user",
    "host": "client_host",
    "db": "db",
    "command": "command",
    "state": "state",
    "info": "query",
}
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\0": "\ufffd", "\\\\": "\\", "\\r": "\r"}
_ID = r"^[0-9]{1,18}$"
_WHOLE = r"^-?[0-9]{1,18}$"
_MILLISECONDS = r"^-?[0-9]{1,15}(?:\.[0-9]{1,9})?$"
_ROW_START = re.compile(r"[0-9]{1,18}\t(?:[^\t\n]*\t){6}")


@dataclass(frozen=True, slots=True)
class Listings:
    """Rows of listings, and the lines between them."""

    rows: pl.DataFrame
    """session_id, the texts, time_s (seconds; the decimals of TIME_MS where they fit), when a TID
    is printed os_tid; and ``line``, from 0."""
    marks: list[tuple[int, str]]
    """Numbers (from 0) and text of lines that are a header or a time."""
    lines: int
    size: int
    """Characters of all lines."""


def read(text: str, at: int, names: Sequence[str]) -> Listings | None:
    """Read the lines from a row at this offset, but for the last line, which may continue.

    names: of the columns, in lower case. None when one of the lines is not plain.
    """
    end = text.rfind("\n", at, -1) + 1
    if end <= at or not (_ROW_START.match(text, end) or _is_mark(text[end:-1], names)):
        return None
    data = text[at:end].encode()
    cells = _cells(data, names)
    lines = text.count("\n", at, end)
    if cells is None or cells.height != lines:
        return None
    is_row = cells.select(pl.col("id").str.contains(_ID).fill_null(False)).to_series()
    odd = cells.with_row_index("line").filter(~is_row).rows()
    marks = [(line, "\t".join(filter(None, texts))) for line, *texts in odd]
    if not all(_is_mark(mark, names) for _, mark in marks) or not _adds_up(cells, marks, len(data)):
        return None
    cells = cells.with_row_index("line").filter(is_row)
    if not cells.select(_are_numbers(names)).item():
        return None
    return Listings(cells.select(_fields(names, "\\" in text)), marks, lines, end - at)


def _is_mark(line: str, names: Sequence[str]) -> bool:
    return line.lower().split("\t") == list(names) or pt_stalk_samples.read_ts(line) is not None


def _cells(data: bytes, names: Sequence[str]) -> pl.DataFrame | None:
    try:
        return pl.read_csv(
            data,
            has_header=False,
            separator="\t",
            schema=dict.fromkeys(names, pl.String),
            quote_char=None,
            null_values="NULL",
            empty_string_is_null=False,
        )
    except pl.exceptions.PolarsError:
        return None  # a row of more cells


def _adds_up(cells: pl.DataFrame, marks: list[tuple[int, str]], size: int) -> bool:
    """Whether each null was printed as NULL: a missing cell is null as well."""
    every = pl.all()
    sizes = cells.select(pl.sum_horizontal(every.str.len_bytes().sum(), every.null_count() * 4))
    lacking = sum(cells.width - 1 - mark.count("\t") for _, mark in marks)
    return int(sizes.item()) + cells.width * cells.height - 5 * lacking == size


def _are_numbers(names: Sequence[str]) -> pl.Expr:
    numbers = {"time": _WHOLE, "tid": _WHOLE, "time_ms": _MILLISECONDS}
    return pl.all_horizontal(
        pl.col(name).str.contains(numbers[name]).all() for name in names if name in numbers
    )


def _fields(names: Sequence[str], is_escaped: bool) -> list[pl.Expr]:
    fields = [
        pl.col("line").cast(pl.Int64),
        pl.col("id").cast(pl.Int64).alias("session_id"),
        *(_text(name, is_escaped).alias(field) for name, field in _TEXTS.items()),
        _seconds(names).alias("time_s"),
    ]
    if "tid" in names:
        tid = pl.col("tid").cast(pl.Int64)
        fields.append(pl.when(tid != 0).then(tid).alias("os_tid"))
    return fields


def _text(name: str, is_escaped: bool) -> pl.Expr:
    """Build the expression of ``client_layouts.unescape``."""
    text = pl.col(name)
    return text.str.replace_many(_ESCAPES, leftmost=True) if is_escaped else text


def _seconds(names: Sequence[str]) -> pl.Expr:
    seconds = pl.col("time").cast(pl.Float64)
    if "time_ms" not in names:
        return seconds
    precise = pl.col("time_ms").cast(pl.Float64) / 1000
    return pl.when((precise - seconds).abs() <= 1).then(precise).otherwise(seconds)


__all__ = ["Listings", "read"]
