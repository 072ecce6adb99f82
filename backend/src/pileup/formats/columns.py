"""Collects values by series while a format reads, and hands them on as Samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from pileup.records import Clock, Samples

Kind = Literal["counter", "gauge", "rate"]
Labels = tuple[tuple[str, str], ...]
MOST_VALUES = 200_000


class Columns:
    """Values by (series, labels, kind, unit, clock)."""

    def __init__(self) -> None:
        self._points: defaultdict[
            tuple[str, Labels, Kind, str | None, Clock],
            tuple[list[int | None], list[float | None], list[int]],
        ] = defaultdict(lambda: ([], [], []))
        self._values = 0

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

    def flush(self) -> Iterator[Samples]:
        for (series, labels, kind, unit, clock), (walls, values, lines) in self._points.items():
            yield Samples(series, kind, unit, clock, walls, values, lines, labels)
        self._points.clear()
        self._values = 0


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
