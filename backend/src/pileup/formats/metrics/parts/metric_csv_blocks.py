"""Bulk reader of plain chunks of a metric CSV, for exports of gigabytes.

A chunk is plain if all its lines have as many cells as the header, without quotes, units or words
for gaps: only digits, points and signs besides the time. In the wide layout such a chunk is a list
of cells, and so a matrix; in the long layout it is a table. Anything else is read row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from pileup.formats.reading.lines import split_lines, tile
from pileup.formats.reading.text import Chunk
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock

_NUMBERS = b"0123456789.-"
_LARGEST = 1e63
"""A longer number is no measured value; the row reader leaves it out."""
_LONGEST_NUMBER = 64
_LONGEST_ROW = 10_000
_MOST_ROWS = 20_000
"""Most rows of one moment that wait for the next chunk."""


@dataclass(frozen=True, slots=True)
class Times:
    """The moments of a chunk's rows, all of one clock."""

    clock: Clock
    wall_us: pl.Series


def split_plain(chunk: Chunk, delimiter: str, columns: int) -> pl.Series | None:
    """Return the lines of a chunk; None unless each has so many cells and none is quoted."""
    if '"' in chunk.text or not chunk.lines:
        return None
    lines = split_lines(chunk.data)
    fits = lines.str.count_matches(delimiter, literal=True) == columns - 1
    return lines if fits.all() else None


def wide(chunk: Chunk, delimiter: str, columns: int, time: int) -> tuple[Times, pl.Series] | None:
    """Read a chunk of the wide layout; None if it is not plain.

    Returns the moments, and the values row by row (null at the time's column and for a gap).
    """
    if split_plain(chunk, delimiter, columns) is None:
        return None
    cells = split_lines(chunk.text.replace(delimiter, "\n"))
    times = _times(cells.gather_every(columns, time).to_list())
    data = chunk.data.translate(None, _NUMBERS + delimiter.encode())
    if times is None or data != _left_over(cells.gather_every(columns, time)):
        return None
    values = cells.cast(pl.Float64, strict=False)
    is_time = tile(pl.Series([at == time for at in range(columns)]), chunk.lines)
    values = values.set(is_time, None)
    if not (values.abs() < _LARGEST).all():  # nulls do not count
        return None
    return times, values


def long(
    chunk: Chunk, delimiter: str, header: Sequence[str], time: int, value: int
) -> tuple[Times, pl.DataFrame] | None:
    """Read a chunk of the long layout; None if it is not plain.

    Returns the moments, and a frame of the cells by position: strings, and the value as a number.
    """
    if '"' in chunk.text or not chunk.lines:
        return None
    try:
        cells = pl.read_csv(
            chunk.data,
            has_header=False,
            schema={str(at): pl.String for at in range(len(header))},
            separator=delimiter,
            quote_char=None,
            empty_string_is_null=False,
        )
    except pl.exceptions.PolarsError:
        return None  # a line with more cells
    # A line of fewer cells has null in the last, and an empty line gives none.
    if cells.height != chunk.lines or cells[str(len(header) - 1)].null_count():
        return None
    texts = cells[str(value)]
    values = texts.cast(pl.Float64, strict=False)
    if values.null_count() or not (values.abs() < _LARGEST).all():
        return None
    if (texts.str.len_bytes() > _LONGEST_NUMBER).any():
        return None
    times = _moments(cells[str(time)])
    return None if times is None else (times, cells.with_columns(values.alias(str(value))))


def _moments(stamps: pl.Series) -> Times | None:
    """Convert printed times, which come in runs or at least repeat; None if one is unreadable."""
    place = stamps.rle_id()
    distinct = stamps.filter(place.diff().fill_null(1) != 0)
    if 4 * len(distinct) <= len(stamps):
        times = _times(distinct.to_list())
        return times and Times(times.clock, times.wall_us.gather(place))
    distinct = stamps.unique(maintain_order=True)
    times = _times(distinct.to_list())
    return times and Times(
        times.clock, stamps.replace_strict(distinct, times.wall_us, return_dtype=pl.Int64)
    )


def cyclic(times: Times, keys: pl.DataFrame) -> int | None:
    """Return the number of series if every moment has the same ones in the same order."""
    walls = times.wall_us
    width = int((walls != walls[0]).arg_max() or len(walls))
    if len(walls) % width or len(walls) < 2 * width:
        return None
    firsts = walls.gather_every(width)
    if not walls.equals(firsts.gather(pl.int_range(len(walls), eager=True) // width)):
        return None
    return width if keys[width:].equals(keys[:-width]) else None


@dataclass(frozen=True, slots=True)
class Cycle:
    """Rows of a time, a name and a value, whose names repeat in the same order.

    middles:  the text between time and value, with both delimiters: one per series.
    """

    middles: pl.Series
    delimiter: str

    @classmethod
    def of(cls, chunk: Chunk, delimiter: str, width: int) -> Cycle:
        """Make the cycle of a chunk's first rows, each from a time to a value."""
        rows = split_lines(chunk.data[: _LONGEST_ROW * width]).head(width)
        middles = [
            f"{delimiter}{row.split(delimiter, 1)[1].rpartition(delimiter)[0]}{delimiter}"
            for row in rows
        ]
        return cls(pl.Series(middles, dtype=pl.String), delimiter)

    def read(self, chunk: Chunk) -> tuple[Times, pl.Series] | None:
        """Return the moments and the values row by row; None if a row does not fit the cycle."""
        rows, width = split_lines(chunk.data), len(self.middles)
        if not len(rows) or len(rows) % width:
            return None
        stamps = [row.partition(self.delimiter)[0] for row in rows.gather_every(width)]
        size = len(stamps[0])
        times = _times(stamps)
        if times is None or any(len(stamp) != size for stamp in stamps):
            return None
        moment = pl.int_range(len(rows), eager=True) // width
        held = pl.DataFrame(
            [
                rows.alias("row"),
                tile(self.middles, len(stamps)).alias("middle"),
                pl.Series(stamps).gather(moment).alias("stamp"),
            ]
        )
        value = pl.col("row").str.slice(size).str.strip_prefix(pl.col("middle"))
        read = held.select(
            value.cast(pl.Float64, strict=False).alias("value"),
            (
                pl.col("row").str.starts_with(pl.col("stamp"))
                & (value.str.len_bytes() <= _LONGEST_NUMBER)
            ).alias("fits"),
        )
        values = read["value"]
        if values.null_count() or not read["fits"].all() or not (values.abs() < _LARGEST).all():
            return None
        return times, values


def at_moments(chunks: Iterable[Chunk], delimiter: str, time: int) -> Iterator[Chunk]:
    """Yield the same lines in chunks that end where the printed time changes."""
    rest, count, end = "", 0, 0
    for chunk in chunks:
        first, lines, text = chunk.first - count, chunk.lines + count, rest + chunk.text
        count, at = _last_moment(text, delimiter, time)
        rest, end = text[at:], first + lines
        if at:
            yield Chunk(first, text[:at], lines - count)
    if rest:
        yield Chunk(end - count, rest, count)


def _last_moment(text: str, delimiter: str, time: int) -> tuple[int, int]:
    """Return the number and start of the last lines with one printed time; 0 if too many."""
    at = len(text)
    stamp: str | None = None
    for lines in range(_MOST_ROWS):
        start = text.rfind("\n", 0, at - 1) + 1 if at else 0
        cells = text[start : at - 1].split(delimiter, time + 1)
        if len(cells) <= time or (stamp is not None and cells[time] != stamp):
            return lines, at
        stamp = cells[time]
        at = start
        if not at:
            break
    return 0, len(text)


def _times(texts: Sequence[str]) -> Times | None:
    stamps = [read_stamp(text) for text in texts]
    rows = [stamp for stamp in stamps if stamp is not None]
    if len(rows) < len(stamps) or len({clock for _, clock in rows}) != 1:
        return None
    return Times(rows[0][1], pl.Series([wall for wall, _ in rows], dtype=pl.Int64))


def _left_over(times: pl.Series) -> bytes:
    """Return what remains of a chunk without digits: the rest of each time, and line ends."""
    return "".join(f"{text}\n" for text in times).encode().translate(None, _NUMBERS)
