"""Learn the layout of a printed status table, and count the next samples with the same layout.

A server prints the same names in the same order, sample after sample. So the position of every row
is learnt from one sample, and the next samples are compared with it as columns: a line begins with
the expected name, ends with its bar, and is as long as the box is wide. A line that fits has a
number or a text at a known position. The first line that does not fit ends the run; its sample is
read line by line, and teaches the next shape.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pileup.formats.reading.lines import tile
from pileup.formats.tables.parts.status_rows import (
    FIRST_VARIABLES,
    HEADER,
    cells,
    is_decoration,
    opens_value,
)
from pileup.formats.tables.parts.status_variables import variable_kind, variable_unit

_MOST_LINES = 5000
_NO_COUNTER = 2.0**63


class Shape:
    """The lines of one sample: rows with their names, and lines that never change."""

    def __init__(self, lines: Sequence[str], names: dict[int, str]) -> None:
        """``names``: the names of the lines that are rows, by line."""
        self.size = len(lines)
        self.names = names
        self.uptime = next((at for at, name in names.items() if name == "Uptime"), None)
        self.tab = not any(lines[at].startswith("|") for at in names)
        bar = "\t" if self.tab else "|"
        heads = [
            line[: line.find(bar, 1) + 1] if at in names else line for at, line in enumerate(lines)
        ]
        self._missing = pl.Series(dtype=pl.Boolean)
        self._series = pl.DataFrame(), pl.Series(dtype=pl.Int64)
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

    def series(self, missing: pl.Series) -> tuple[pl.DataFrame, pl.Series]:
        """Return the series of the lines with a number, and which lines they are.

        missing: per line, whether it has no number.
        """
        if not self._missing.equals(missing):
            self._missing = missing
            at = (~missing).arg_true().cast(pl.Int64)
            names = [self.names[line] for line in at]
            columns = {
                "series": [f"mysql.{name}" for name in names],
                "labels": [""] * len(names),
                "kind": [variable_kind(name) for name in names],
                "unit": [variable_unit(name) for name in names],
                "host": [None] * len(names),
            }
            self._series = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)), at
        return self._series


def learn_shape(lines: Sequence[str]) -> Shape | None:
    """Return the shape of one sample's lines; None when no run of samples could be read by it."""
    if len(lines) > _MOST_LINES:
        return None
    names: dict[int, str] = {}
    inside = False
    for at, line in enumerate(lines):
        found = cells(line)
        if found is not None and found[0] != HEADER:
            names[at] = found[0]
            inside = opens_value(line)
        elif inside:
            inside = bool(line.strip()) and not line.rstrip().endswith("|")
        elif found is None and line.strip() and not is_decoration(line):
            return None
    heads = {
        line.find("|", 1) if line.startswith("|") else -1 for line in map(lines.__getitem__, names)
    }
    known = set(names.values())
    if len(heads) != 1 or len(known) < len(names) or known & FIRST_VARIABLES:
        return None
    if heads == {-1} and not all("\t" in lines[at] for at in names):
        return None
    return Shape(lines, names)
