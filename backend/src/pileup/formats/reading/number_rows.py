"""Read rows of words and numbers between blanks, many at once: tools print them every second.

A format defines what a plain row is and which lines are plain; ``table`` reads such rows at once,
ten times as fast as splitting each. Every other line is read on its own, so that both ways give the
same values and the same problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import polars as pl

from pileup.formats.reading.lines import split_lines
from pileup.formats.reading.series_columns import Columns
from pileup.formats.reading.text import Chunk
from pileup.records import Item

_RUN = 32_768
"""Lines read at once; a single odd line costs reading all of them one by one."""
_LONGEST = 4096
"""Bytes of a line; building a table copies its lines several times."""
_BLANKS = [" " * size for size in range(32, 1, -1)]
_ODD = "[^!-~]"
"""Characters that no tool prints in a word, or that other readers take for a blank."""


class RowReader(Protocol):
    """The state of a format between its lines."""

    collected: Columns
    """Values that were read and not yielded yet."""

    @property
    def ready(self) -> bool:
        """Whether the columns are known, so that ``rows`` may be tried."""

    def line(self, number: int, text: str, /) -> Iterator[Item]:
        """Read one line."""

    def rows(self, first: int, lines: pl.Series, /) -> list[Item] | None:
        """Read all these lines, of which the first has that number; None when one is not plain.

        None also means that no line was taken.
        """


def read_chunks(chunks: Iterable[Chunk], reader: RowReader) -> Iterator[Item]:
    """Read every line of the chunks: in runs where they are plain, else line by line."""
    for chunk in chunks:
        number, at, text = chunk.first, 0, chunk.text
        while at < len(text) and not reader.ready:
            end = text.index("\n", at)
            yield from reader.line(number, text[at:end])
            number, at = number + 1, end + 1
        lines = split_lines(text[at:] if at else chunk.data)
        for start in range(0, len(lines), _RUN):
            run = lines.slice(start, _RUN)
            plain = reader.ready and (run.str.len_bytes() <= _LONGEST).all()
            items = reader.rows(number + start, run) if plain else None
            if items is not None:
                yield from items
                continue
            for line, item in enumerate(run, start=number + start):
                yield from reader.line(line, item)
    yield from reader.collected.flush()


def table(lines: pl.Series, columns: Sequence[type[pl.DataType]]) -> pl.DataFrame | None:
    """Read cells between blanks as columns of these types, named by position from '0'.

    Returns None unless every line has exactly one readable cell per column. Numbers are finite,
    words are of ASCII alone.
    """
    if lines.is_empty():
        return None
    text = lines.str.strip_chars(" ")
    if text.str.contains("  ", literal=True).any():
        text = text.str.replace_many(_BLANKS, [" "], leftmost=True)
    try:
        cells = pl.read_csv(
            text.str.join("\n").item().encode(),
            has_header=False,
            separator=" ",
            schema={str(at): column for at, column in enumerate(columns)},
            quote_char=None,
        )
    except pl.exceptions.PolarsError:
        return None  # a line with more cells, or a word where a number should be
    plain = [
        pl.col(str(at)).is_finite() if column == pl.Float64 else ~pl.col(str(at)).str.contains(_ODD)
        for at, column in enumerate(columns)
        if column in (pl.Float64, pl.String)
    ]
    # A line of fewer cells has null in the last ones, and an empty line gives none.
    if cells.height != len(lines) or cells.to_series(-1).null_count():
        return None
    return cells if cells.select(pl.all_horizontal(*plain).all()).item() else None


def row_by_row(cells: pl.DataFrame) -> pl.Series:
    """Flatten a table of numbers, row by row."""
    values = cells.select(pl.concat_arr(pl.all().cast(pl.Float64)))
    return values.to_series().reshape((-1,))
