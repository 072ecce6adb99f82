"""Plain chunks of a metric CSV, as columns: what a program exports by the gigabyte.

Plain is a chunk whose lines all have as many cells as the header, without quotes, units or words
for nothing: digits, points and signs beside the time. Such a chunk of the wide layout is one list
of cells, and so a matrix; of the long layout it is a table. Anything else is read row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pileup.formats.lines import lines_of, tiled
from pileup.formats.stamps import read_stamp
from pileup.formats.text import Chunk
from pileup.records import Clock

_NUMBERS = b"0123456789.-"
_LARGEST = 1e63
"""A longer number is no measured value; the row reader leaves it out."""


@dataclass(frozen=True, slots=True)
class Times:
    """The moments of a chunk's rows, all of one clock."""

    clock: Clock
    wall_us: pl.Series


def rows_of(chunk: Chunk, delimiter: str, columns: int) -> pl.Series | None:
    """The lines of a chunk, when each has so many cells and none is quoted."""
    if '"' in chunk.text or not chunk.lines:
        return None
    lines = lines_of(chunk.text)
    fits = lines.str.count_matches(delimiter, literal=True) == columns - 1
    return lines if fits.all() else None


def wide(chunk: Chunk, delimiter: str, columns: int, time: int) -> tuple[Times, pl.Series] | None:
    """The moments, and the values row by row (null at the time's column and for a gap)."""
    if rows_of(chunk, delimiter, columns) is None:
        return None
    cells = lines_of(chunk.text.replace(delimiter, "\n"))
    times = _times(cells.gather_every(columns, time).to_list())
    data = chunk.text.encode().translate(None, _NUMBERS + delimiter.encode())
    if times is None or data != _left_over(cells.gather_every(columns, time)):
        return None
    values = cells.cast(pl.Float64, strict=False)
    is_time = tiled(pl.Series([at == time for at in range(columns)]), chunk.lines)
    values = values.set(is_time, None)
    if not (values.abs() < _LARGEST).all():  # nulls do not count
        return None
    return times, values


def long(
    chunk: Chunk, delimiter: str, header: Sequence[str], time: int, value: int
) -> tuple[Times, pl.DataFrame] | None:
    """The moments, and the cells as text by position but for the value, a number in each row."""
    if rows_of(chunk, delimiter, len(header)) is None:
        return None
    cells = lines_of(chunk.text.replace(delimiter, "\n"))
    frame = pl.DataFrame(
        [cells.gather_every(len(header), at).alias(str(at)) for at in range(len(header))]
    )
    stamps = frame[str(time)]
    distinct = stamps.unique(maintain_order=True)
    times = _times(distinct.to_list())
    values = frame[str(value)].cast(pl.Float64, strict=False)
    plain = frame[str(value)].str.contains(r"^-?[0-9]+\.?[0-9]*$").all()
    if times is None or not plain or not (values.abs() < _LARGEST).all() or values.null_count():
        return None
    walls = stamps.replace_strict(distinct, times.wall_us, return_dtype=pl.Int64)
    texts = frame.with_columns(pl.all().str.strip_chars())
    return Times(times.clock, walls), texts.with_columns(values.alias(str(value)))


def _times(texts: Sequence[str]) -> Times | None:
    stamps = [read_stamp(text) for text in texts]
    found = [stamp for stamp in stamps if stamp is not None]
    if len(found) < len(stamps) or len({clock for _, clock in found}) != 1:
        return None
    return Times(found[0][1], pl.Series([wall for wall, _ in found], dtype=pl.Int64))


def _left_over(times: pl.Series) -> bytes:
    """What of a chunk remains beside its numbers: the rest of each time, and the line ends."""
    return "".join(f"{text}\n" for text in times).encode().translate(None, _NUMBERS)
