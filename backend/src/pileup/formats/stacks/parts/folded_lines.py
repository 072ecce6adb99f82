"""Bulk reader of folded lines: counts and frames as columns, without an object per frame.

A profiler prints no two lines alike, and a million frames that are Python objects for a moment cost
more than all else. Threads of one pool differ in their names only: what follows the two outermost
frames is then looked up as a whole. Lines that need a closer look (a name with a pipe, a date,
prose) are left to the caller, who reads them one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from pileup.formats.reading.lines import split_lines
from pileup.formats.reading.text import Chunk
from pileup.formats.stacks.parts.frame_runs import Runs

MOST_FRAMES = 4096
_HEAD_CHARS = 2000
"""Characters of a line that ``pmp_lines`` examines."""
_COUNT = r"^[0-9]{1,12}$"
_NAME = r"^[A-Za-z_~?\[(<][^;]*;"
_PROSE = r"^rows? in set"
_LEAST_PLAIN = 16
"""Lines per odd line: with more odd lines than that, the chunk is read line by line."""
_SAMPLED_LINES = 512
"""Lines that show whether the frames below the two outermost ones repeat."""
_FRAMES, _COUNTS = pl.col("frames"), pl.col("count")


@dataclass(frozen=True, slots=True)
class Folded:
    """The plain lines of a chunk, in the columns that ``Stacks`` takes."""

    counts: pl.Series
    widths: pl.Series
    places: pl.Series
    odd: list[int]
    """Positions of the lines that are left out."""


def read(chunk: Chunk, runs: Runs) -> Folded | None:
    """Read the plain lines of a chunk; None if its lines should be read one by one."""
    if b";" not in chunk.data[: 2 * _HEAD_CHARS]:
        return None
    split_lines = _split_at_space(chunk.data)
    is_plain = _COUNTS.str.contains(_COUNT) & _FRAMES.str.contains(_NAME)
    if b"|" in chunk.data or b"\t" in chunk.data:
        is_plain &= ~_FRAMES.str.contains_any(["|", "\t"])
    if split_lines is None or split_lines.height != chunk.lines:
        split_lines = _split_at_last_space(chunk.data)
        is_plain &= _is_no_prose()
    size = _FRAMES.str.len_bytes()
    frame = split_lines.select(is_plain.fill_null(False).alias("plain"), size.alias("size"))
    plain = frame["plain"]
    if (frame["size"] > MOST_FRAMES).any():
        plain &= split_lines.select(_FRAMES.str.count_matches(";", literal=True) < MOST_FRAMES)[
            "frames"
        ]
    odd = (~plain).arg_true().to_list()
    if odd:
        if len(odd) * _LEAST_PLAIN > chunk.lines:
            return None
        split_lines = split_lines.filter(plain)
    return Folded(split_lines["count"].cast(pl.Int64), *_stacks(split_lines["frames"], runs), odd)


def _split_at_space(data: bytes) -> pl.DataFrame | None:
    """Split each line at its space into ``frames`` and ``count``; None if a line has several."""
    try:
        return pl.read_csv(
            data,
            has_header=False,
            separator=" ",
            schema={"frames": pl.String, "count": pl.String},
            quote_char=None,
        )
    except pl.exceptions.PolarsError:
        return None


def _split_at_last_space(data: bytes) -> pl.DataFrame:
    frames, _, counts = zip(*[line.rpartition(" ") for line in split_lines(data)], strict=True)
    return pl.DataFrame([pl.Series("frames", frames), pl.Series("count", counts)])


def _is_no_prose() -> pl.Expr:
    """Accept frames that ``pmp_lines`` accepts as names with spaces in them; short lines only."""
    blanks = _FRAMES.str.count_matches(" ", literal=True)
    semicolons = _FRAMES.str.count_matches(";", literal=True)
    short = _FRAMES.str.len_bytes() <= _HEAD_CHARS
    names = ~_FRAMES.str.contains("  ", literal=True) & ~_FRAMES.str.contains(_PROSE)
    return (blanks == 0) | (short & names & (blanks <= 4 + 2 * semicolons))


def _stacks(frames: pl.Series, runs: Runs) -> tuple[pl.Series, pl.Series]:
    """Return the number of runs of each line, and the runs' numbers of all lines in order."""
    threes = _threes(frames[:_SAMPLED_LINES])
    if 2 * threes["rest"].n_unique() < threes.height:
        threes = _threes(frames)
        if not threes["rest"].null_count():
            rest = runs.folded_runs(threes["rest"])
            places = _interleave(
                rest, runs.frame_runs(threes["thread"]), runs.frame_runs(threes["root"])
            )
            return pl.repeat(3, threes.height, dtype=pl.UInt32, eager=True), places
    split = frames.str.split(";")
    return split.list.len().cast(pl.UInt32), runs.reversed_runs(split)


def _threes(frames: pl.Series) -> pl.DataFrame:
    names = ["root", "thread", "rest"]
    parts = frames.to_frame().select(_FRAMES.str.splitn(";", 3).struct.rename_fields(names))
    return parts.unnest("frames")


def _interleave(*columns: pl.Series) -> pl.Series:
    """Concatenate columns of equal length row by row."""
    height, width = len(columns[0]), len(columns)
    at = pl.int_range(height * width, eager=True)
    return pl.concat(columns).gather(at % width * height + at // width)


__all__ = ["MOST_FRAMES", "Folded", "read"]
