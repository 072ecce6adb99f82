"""Read tables of names and values that are printed again and again: the fast path of status.

A server prints the same names in the same order, sample after sample. So the position of every row
is learnt from one sample, and the next samples are compared with it as columns: a line begins with
the expected name, ends with its bar, and is as long as the box is wide. A line that fits has a
number or a text at a known position. The first line that does not fit ends the run; its sample is
read line by line, and teaches the next shape.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from pileup.formats.reading.lines import tile

_MOST_LINES = 5000
_NO_COUNTER = 2.0**63
_HEADER = "Variable_name"
_AROUND = re.compile(r"(?:\| )?Variable_name|\+-+\+-+\+\s*$|mysql|ERROR|.*\brows? in set\b")


class Shape:
    """The lines of one sample: rows with their names, and lines that never change."""

    def __init__(self, lines: Sequence[str], names: dict[int, str]) -> None:
        """``names``: the names of the lines that are rows, by line."""
        self.size = len(lines)
        self.names = names
        self.tab = not any(lines[at].startswith("|") for at in names)
        bar = "\t" if self.tab else "|"
        heads = [
            line[: line.find(bar, 1) + 1] if at in names else line for at, line in enumerate(lines)
        ]
        self._value = len(heads[min(names)])
        self._width = max(len(lines[at]) for at in names) - self._value - 1
        self._lines = pl.DataFrame(
            {
                "head": heads,
                "bytes": [
                    None if self.tab and at in names else len(line.encode())
                    for at, line in enumerate(lines)
                ],
                "end": [
                    "|" if at in names and line.endswith("|") else ""
                    for at, line in enumerate(lines)
                ],
            },
            schema={"head": pl.String, "bytes": pl.UInt32, "end": pl.String},
        )

    def repeats(self, lines: pl.Series, at: int, most: int) -> int:
        """Count the whole samples from a line on that have this shape, up to ``most``.

        The line behind them must begin another: a row that follows belongs to the last one.
        """
        most = min(most, (len(lines) - at - 1) // self.size)
        if most == 0:
            return 0
        expected = [tile(column, most) for column in self._lines]
        held = pl.DataFrame([lines.slice(at, most * self.size).alias("line"), *expected])
        line = pl.col("line")
        fits = held.select(
            line.str.starts_with(pl.col("head"))
            & line.str.ends_with(pl.col("end"))
            & (line.str.len_bytes() == pl.col("bytes")).fill_null(value=True)
        ).to_series()
        count = most if fits.all() else (fits.arg_min() or 0) // self.size
        begins = lines[at + count * self.size].startswith(self._lines["head"][0])
        return count if begins else max(0, count - 1)

    def numbers(self, lines: pl.Series, at: int, samples: int) -> pl.Series:
        """Return the value of each line of the samples; null for a text or no value."""
        part = lines.slice(at, samples * self.size)
        if self.tab:
            heads = tile(self._lines["head"], samples)
            part = (
                pl.DataFrame([part.alias("line"), heads])
                .select(pl.col("line").str.strip_prefix(pl.col("head")))
                .to_series()
            )
        else:
            part = part.str.slice(self._value, self._width)
        values = part.str.strip_chars().cast(pl.Float64, strict=False)
        return values.set(~(values.abs() < _NO_COUNTER), None)


def learn_shape(lines: Sequence[str], names: dict[int, str]) -> Shape | None:
    """Return the shape of one sample's lines; None when no run of samples could be read by it.

    names: of the lines that are rows, by line.
    """
    if len(lines) > _MOST_LINES or len(set(names.values())) < len(names):
        return None
    inside = False  # a value over several lines
    for at, line in enumerate(lines):
        if at in names or inside:
            inside = line.startswith("|") or inside
            inside = inside and bool(line.strip()) and not line.rstrip().endswith("|")
        elif line.strip() and not _AROUND.match(line):
            return None
    heads = {lines[at].find("|", 1) if lines[at].startswith("|") else -1 for at in names}
    if len(heads) != 1 or (heads == {-1} and not all("\t" in lines[at] for at in names)):
        return None
    return Shape(lines, names)


def end_of_sample(lines: Sequence[str], at: int, starts: str | None) -> int:
    """Return the line with which the next sample begins, or the number of lines.

    starts: the name that the first sample of the file began with.
    """
    head = ""
    if not any(_begins(line, below) for line, below in pairwise(lines[at : at + 3])):
        name = starts or lines[at].partition("\t")[0]
        head = f"{name}\t"  # no headers: where the name comes again
    for end in range(at + 1, len(lines) - 1):
        line = lines[end]
        if line.startswith(("+-", "| V", "Var")):
            if _begins(line, lines[end + 1]) and not lines[end - 1].startswith("+-"):
                return end
        elif head and line.startswith(head):
            return end
    return len(lines)


def _begins(line: str, below: str) -> bool:
    """Whether a table begins with this line: its header, or the rule above the header."""
    if line.startswith("+-"):
        return below.startswith(f"| {_HEADER}")
    return line.startswith((f"| {_HEADER}", f"{_HEADER}\t"))


__all__ = ["Shape", "end_of_sample", "learn_shape"]
