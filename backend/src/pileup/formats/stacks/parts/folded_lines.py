"""Folded lines by the thousand: their counts and frames as columns, no object for any frame.

A profiler prints no two lines alike, and a million frames that are Python objects for a moment cost
more than all else. Threads of one pool differ in their names only: what follows the two outermost
frames is then looked up as a whole. Lines that need a closer look (a name with a pipe, a date,
prose) are told by their places, for who reads them one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from pileup.formats.reading.lines import split_lines
from pileup.formats.reading.text import Chunk
from pileup.formats.stacks.parts.frame_runs import Runs

MOST_FRAMES = 4096
_HEAD_CHARS = 2000
"""As much of a line as ``pmp_lines`` looks at."""
_COUNT = r"^[0-9]{1,12}$"
_NAME = r"^[A-Za-z_~?\[(<][^;]*;"
_PROSE = r"^rows? in set"
_LEAST_PLAIN = 16
"""Of as many lines one may be odd; of more, all are read one by one."""
_LOOKED_AT = 512
"""Lines that tell whether what follows the two outermost frames comes again."""
_FRAMES, _COUNTS = pl.col("frames"), pl.col("count")


@dataclass(frozen=True, slots=True)
class Folded:
    """The plain ones of some lines, as ``Stacks`` wants them."""

    counts: pl.Series
    widths: pl.Series
    places: pl.Series
    odd: list[int]
    """Places of the lines that are left out."""


def read(chunk: Chunk, runs: Runs) -> Folded | None:
    """The lines of a chunk; None when they had better be read one by one."""
    if b";" not in chunk.data[: 2 * _HEAD_CHARS]:
        return None
    parted = _parted(chunk.data)
    is_plain = _COUNTS.str.contains(_COUNT) & _FRAMES.str.contains(_NAME)
    if b"|" in chunk.data or b"\t" in chunk.data:
        is_plain &= ~_FRAMES.str.contains_any(["|", "\t"])
    if parted is None or parted.height != chunk.lines:
        parted = _parted_at_the_last_blank(chunk.data)
        is_plain &= _is_no_prose()
    size = _FRAMES.str.len_bytes()
    frame = parted.select(is_plain.fill_null(False).alias("plain"), size.alias("size"))
    plain = frame["plain"]
    if (frame["size"] > MOST_FRAMES).any():
        plain &= parted.select(_FRAMES.str.count_matches(";", literal=True) < MOST_FRAMES)["frames"]
    odd = (~plain).arg_true().to_list()
    if odd:
        if len(odd) * _LEAST_PLAIN > chunk.lines:
            return None
        parted = parted.filter(plain)
    return Folded(parted["count"].cast(pl.Int64), *_stacks(parted["frames"], runs), odd)


def _parted(data: bytes) -> pl.DataFrame | None:
    """What stands before the blank of each line and after it; None when a line has several."""
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


def _parted_at_the_last_blank(data: bytes) -> pl.DataFrame:
    frames, _, counts = zip(*[line.rpartition(" ") for line in split_lines(data)], strict=True)
    return pl.DataFrame([pl.Series("frames", frames), pl.Series("count", counts)])


def _is_no_prose() -> pl.Expr:
    """What ``pmp_lines`` takes for names with blanks in them; short lines alone."""
    blanks = _FRAMES.str.count_matches(" ", literal=True)
    semicolons = _FRAMES.str.count_matches(";", literal=True)
    short = _FRAMES.str.len_bytes() <= _HEAD_CHARS
    names = ~_FRAMES.str.contains("  ", literal=True) & ~_FRAMES.str.contains(_PROSE)
    return (blanks == 0) | (short & names & (blanks <= 4 + 2 * semicolons))


def _stacks(frames: pl.Series, runs: Runs) -> tuple[pl.Series, pl.Series]:
    """Runs per line, and which."""
    threes = _threes(frames[:_LOOKED_AT])
    if 2 * threes["rest"].n_unique() < threes.height:
        threes = _threes(frames)
        if not threes["rest"].null_count():
            rest = runs.of_each_folded(threes["rest"])
            places = _in_turn(rest, runs.of_each(threes["thread"]), runs.of_each(threes["root"]))
            return pl.repeat(3, threes.height, dtype=pl.UInt32, eager=True), places
    split = frames.str.split(";")
    return split.list.len().cast(pl.UInt32), runs.of_each_turned(split)


def _threes(frames: pl.Series) -> pl.DataFrame:
    names = ["root", "thread", "rest"]
    parts = frames.to_frame().select(_FRAMES.str.splitn(";", 3).struct.rename_fields(names))
    return parts.unnest("frames")


def _in_turn(*columns: pl.Series) -> pl.Series:
    """One of each, row by row."""
    height, width = len(columns[0]), len(columns)
    at = pl.int_range(height * width, eager=True)
    return pl.concat(columns).gather(at % width * height + at // width)


__all__ = ["MOST_FRAMES", "Folded", "read"]
