"""Rows of words and numbers between blanks, many at once: what tools print second after second.

A format says what a plain row is and what of a run of lines is plain; ``table`` reads such rows in
one go, at ten times the speed of splitting each. Whatever is not plain is read line by line, so
that both ways give the same values and the same problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import polars as pl

from pileup.formats.reading.lines import lines_of
from pileup.formats.reading.series_columns import Columns
from pileup.formats.reading.text import Chunk
from pileup.records import Item

_RUN = 32_768
"""Lines read at once: what one odd line among them costs."""
_LONGEST = 4096
"""Bytes of a line; a table is made by way of several copies of its lines."""
_BLANKS = [" " * size for size in range(32, 1, -1)]
_ODD = "[^!-~]"
"""In a word: what no tool prints there, and what other readers take for a blank."""


class RowReader(Protocol):
    """A format's state between its lines."""

    found: Columns
    """What was read and is not told yet."""

    @property
    def ready(self) -> bool:
        """The columns are known, so that ``rows`` may be tried."""

    def line(self, number: int, text: str, /) -> Iterator[Item]:
        """Read one line."""

    def rows(self, first: int, lines: pl.Series, /) -> list[Item] | None:
        """Read all these lines, the first of which has that number; None when one is not plain.

        Then nothing has been read of them.
        """


def read_chunks(chunks: Iterable[Chunk], reader: RowReader) -> Iterator[Item]:
    """Every line of the chunks: in runs where they are plain, else one by one."""
    for chunk in chunks:
        number, at, text = chunk.first, 0, chunk.text
        while at < len(text) and not reader.ready:
            end = text.index("\n", at)
            yield from reader.line(number, text[at:end])
            number, at = number + 1, end + 1
        lines = lines_of(text[at:] if at else chunk.data)
        for start in range(0, len(lines), _RUN):
            run = lines.slice(start, _RUN)
            plain = reader.ready and (run.str.len_bytes() <= _LONGEST).all()
            items = reader.rows(number + start, run) if plain else None
            if items is not None:
                yield from items
                continue
            for line, item in enumerate(run, start=number + start):
                yield from reader.line(line, item)
    yield from reader.found.flush()


def table(lines: pl.Series, columns: Sequence[type[pl.DataType]]) -> pl.DataFrame | None:
    """Cells between blanks as columns of these types, named by their place; None when one is not.

    Numbers are finite, words are of ASCII alone. A line has a cell for each column and no more.
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
    """The numbers of a table, one row after the other."""
    values = cells.select(pl.concat_arr(pl.all().cast(pl.Float64)))
    return values.to_series().reshape((-1,))
