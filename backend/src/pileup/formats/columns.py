"""Collects values by series while a format reads, and hands them on as samples.

``add`` takes one value. ``row`` takes the cells of a whole line as they are printed, when many
lines have the same series (of one device, of one CPU): they are read as numbers all at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from pileup.records import Clock, Grid, Samples, labels_text

Kind = Literal["counter", "gauge", "rate"]
Labels = tuple[tuple[str, str], ...]
MOST_VALUES = 200_000


class Header:
    """The series of a line's cells, in order: name, kind and unit of each."""

    def __init__(self, series: Iterable[tuple[str, Kind, str | None]]) -> None:
        self.series = tuple(series)

    def frame(self, labels: Labels) -> pl.DataFrame:
        """As ``Grid`` wants them."""
        names, kinds, units = zip(*self.series, strict=True)
        size = len(self.series)
        text = labels_text(labels)
        columns = {
            "series": names,
            "labels": [text] * size,
            "kind": kinds,
            "unit": units,
            "host": [None] * size,
        }
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


@dataclass(slots=True)
class _Lines:
    cells: list[str] = field(default_factory=list)
    walls: list[int | None] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


class Columns:
    """Values by (series, labels, kind, unit, clock)."""

    def __init__(self) -> None:
        self._points: defaultdict[
            tuple[str, Labels, Kind, str | None, Clock],
            tuple[list[int | None], list[float | None], list[int]],
        ] = defaultdict(lambda: ([], [], []))
        self._lines: defaultdict[tuple[Header, Labels, Clock], _Lines] = defaultdict(_Lines)
        self._values = 0

    def row(
        self,
        header: Header,
        cells: Sequence[str],
        *,
        wall: int | None,
        clock: Clock,
        line: int,
        labels: Labels = (),
    ) -> None:
        """The cells of one line; as many as the header has series."""
        if len(cells) != len(header.series):
            raise ValueError(f"{len(cells)} cells for {len(header.series)} series")
        lines = self._lines[header, labels, clock]
        lines.cells.extend(cells)
        lines.walls.append(wall)
        lines.numbers.append(line)
        self._values += len(cells)

    def add(
        self,
        series: str,
        value: float | None,
        *,
        wall: int | None,
        clock: Clock,
        line: int,
        kind: Kind = "gauge",
        unit: str | None = None,
        labels: Labels = (),
    ) -> None:
        walls, values, lines = self._points[series, labels, kind, unit, clock]
        walls.append(wall)
        values.append(value)
        lines.append(line)
        self._values += 1

    @property
    def full(self) -> bool:
        """Time to flush: memory stays bounded whatever the file's size."""
        return self._values >= MOST_VALUES

    def flush(self) -> Iterator[Samples | Grid]:
        for (series, labels, kind, unit, clock), (walls, values, lines) in self._points.items():
            yield Samples(series, kind, unit, clock, walls, values, lines, labels)
        for (header, labels, clock), rows in self._lines.items():
            yield Grid(
                header.frame(labels),
                clock,
                pl.Series(rows.walls, dtype=pl.Int64),
                pl.Series(rows.numbers, dtype=pl.Int64),
                pl.repeat(0, len(header.series), dtype=pl.Int64, eager=True),
                _numbers(rows.cells),
            )
        self._points.clear()
        self._lines.clear()
        self._values = 0


def _numbers(cells: list[str]) -> pl.Series:
    """Each cell as ``number`` reads it."""
    values = pl.Series(cells, dtype=pl.String).cast(pl.Float64, strict=False)
    values = values.set(~values.is_finite(), None)
    odd = values.is_null().arg_true()
    if len(odd):
        read = pl.Series([number(cells[at]) for at in odd], dtype=pl.Float64)
        values = values.scatter(odd, read)
    return values


def number(cell: str) -> float | None:
    """A printed number, also with a decimal comma or a percent sign; None for anything else."""
    return decimal(cell.rstrip("%").replace(",", ".") if cell.count(",") == 1 else cell.rstrip("%"))


def decimal(text: str) -> float | None:
    """A finite number as every program prints it; None for anything else.

    Not float() alone: that reads '1_0' as 10, and 'nan' and 'inf' as numbers.
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value - value == 0 and "_" not in text else None
