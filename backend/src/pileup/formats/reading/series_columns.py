"""Collect values by series while a format reads, and yield them as samples.

``add`` takes one value. ``row`` takes the cells of a whole line as they are printed, when many
lines have the same series (of one device, of one CPU): they are converted to numbers at once.
A format may keep the ``lane`` of a device until the next flush and add further lines to it, also
many at a time once they are numbers (see ``number_rows``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import polars as pl

from pileup.records import Clock, Grid, Samples, labels_text

Kind = Literal["counter", "gauge", "rate"]
Labels = tuple[tuple[str, str], ...]
Points: TypeAlias = tuple[list[int | None], list[float | None], list[int]]
"""Times (microseconds), values and lines of one series."""
GaugeKey: TypeAlias = tuple[str, str | None, Labels, Clock]
"""Name, host, labels and clock of a gauge."""
MOST_VALUES = 200_000


class Header:
    """The series of a line's cells, in order: name, kind and unit of each."""

    def __init__(self, series: Iterable[tuple[str, Kind, str | None]]) -> None:
        self.series = tuple(series)

    def frame(self, labels: Labels) -> pl.DataFrame:
        """Build the ``series`` frame of a Grid: series, labels, kind, unit, host (null)."""
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


class Lane:
    """Lines of the same series, as printed; valid until the next flush."""

    __slots__ = ("_numbers", "_owner", "_read", "_walls", "cells")

    def __init__(self, owner: Columns) -> None:
        self.cells: list[str] = []
        self._walls: list[int | None] = []
        self._numbers: list[int] = []
        self._read: list[tuple[pl.Series, pl.Series, pl.Series]] = []
        self._owner = owner

    def add(self, cells: Sequence[str], wall: int | None, line: int) -> None:
        """Add the cells of one line; as many as the header has series."""
        self.cells.extend(cells)
        self._walls.append(wall)
        self._numbers.append(line)
        self._owner.values += len(cells)

    def add_numbers(self, values: pl.Series, walls: pl.Series, lines: pl.Series) -> None:
        """Add the numbers of many lines, line by line, with the time and number of each line."""
        self._seal()
        self._read.append((values, walls, lines))
        self._owner.values += len(values)

    def _seal(self) -> None:
        if self._numbers:
            walls, lines = (
                pl.Series(group, dtype=pl.Int64) for group in (self._walls, self._numbers)
            )
            self._read.append((_numbers(self.cells), walls, lines))
            self.cells, self._walls, self._numbers = [], [], []

    def columns(self) -> dict[str, pl.Series]:
        """Return a Grid's values (line by line) and each line's time and number."""
        self._seal()
        joined = [pl.concat(row) for row in zip(*self._read, strict=True)]
        return dict(zip(("values", "wall_us", "lines"), joined, strict=True))


class Columns:
    """Collected values by (series, labels, kind, unit, clock)."""

    def __init__(self) -> None:
        self._points: defaultdict[
            tuple[str, Labels, Kind, str | None, Clock],
            Points,
        ] = defaultdict(lambda: ([], [], []))
        self._lanes: dict[tuple[Header, Labels, Clock], Lane] = {}
        self.values = 0
        """Number of values that wait to be flushed."""

    def lane(self, header: Header, clock: Clock, labels: Labels = ()) -> Lane:
        """Return the lane that takes the lines of these series."""
        lane = self._lanes.get((header, labels, clock))
        if lane is None:
            lane = self._lanes[header, labels, clock] = Lane(self)
        return lane

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
        """Add the cells of one line; raise ValueError unless the header has as many series."""
        if len(cells) != len(header.series):
            raise ValueError(f"{len(cells)} cells for {len(header.series)} series")
        self.lane(header, clock, labels).add(cells, wall, line)

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
        self.values += 1

    def points(
        self, series: str, *, kind: Kind, unit: str | None, labels: Labels, clock: Clock
    ) -> Points:
        """Return the lists of a series, for callers that append (and count) values themselves.

        Valid until the next flush.
        """
        return self._points[series, labels, kind, unit, clock]

    @property
    def full(self) -> bool:
        """Whether to flush now: memory stays bounded whatever the file's size."""
        return self.values >= MOST_VALUES

    def flush(self) -> Iterator[Samples | Grid]:
        for (series, labels, kind, unit, clock), (walls, values, lines) in self._points.items():
            yield Samples(series, kind, unit, clock, walls, values, lines, labels)
        for (header, labels, clock), lane in self._lanes.items():
            offsets = pl.repeat(0, len(header.series), dtype=pl.Int64, eager=True)
            yield Grid(header.frame(labels), clock, offsets=offsets, **lane.columns())
        self._points.clear()
        self._lanes.clear()
        self.values = 0


def _numbers(cells: list[str]) -> pl.Series:
    """Convert each cell as ``number`` does."""
    values = pl.Series(cells, dtype=pl.String).cast(pl.Float64, strict=False)
    values = values.set(~values.is_finite(), None)
    odd = values.is_null().arg_true()
    if len(odd):
        read = pl.Series([number(cells[at]) for at in odd], dtype=pl.Float64)
        values = values.scatter(odd, read)
    return values


def number(cell: str) -> float | None:
    """Convert a printed number, also with a decimal comma or percent sign; None for other text."""
    return decimal(cell.rstrip("%").replace(",", ".") if cell.count(",") == 1 else cell.rstrip("%"))


def microseconds(seconds: float) -> int | None:
    """Convert seconds to whole microseconds; None beyond 3000 years, where no clock prints."""
    return round(seconds * 1e6) if abs(seconds) < _LONGEST_S else None


_LONGEST_S = 1e11


def decimal(text: str) -> float | None:
    """Convert a finite number as every program prints it; None for anything else.

    Not float() alone: that reads '1_0' as 10, and 'nan' and 'inf' as numbers.
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value - value == 0 and "_" not in text else None


def number_of(value: object) -> float | None:
    """Return the finite number that a JSON value is, or prints; None for anything else."""
    if isinstance(value, str):
        return decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        read = float(value)
    except OverflowError:
        return None
    return read if read - read == 0 else None


def gauges(points: Mapping[GaugeKey, Points]) -> Iterator[Samples]:
    """Yield the gauges that other programs named: 'metric.<name>'."""
    for (name, host, labels, clock), (walls, values, numbers) in points.items():
        yield Samples(
            series=f"metric.{name}",
            kind="gauge",
            unit=None,
            clock=clock,
            wall_us=walls,
            values=values,
            lines=numbers,
            labels=labels,
            host=host,
        )
