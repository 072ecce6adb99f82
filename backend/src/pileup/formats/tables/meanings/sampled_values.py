"""Convert a result whose first column is a time and whose others are numbers to series.

Source: queries over a table of history (``sys``, PMM, a table that a cron job fills), in any layout
        of the client. A CSV of metrics is a format of its own (metrics/).
Yields: the table, and the gauges metric.<column>.
"""

from __future__ import annotations

from itertools import pairwise

from pileup.formats.reading.series_columns import decimal
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Clock, Item


def is_sampled(seen: Seen) -> bool:
    """Whether the first row is a time and numbers."""
    row = seen.first
    if row is None or len(row) < 2 or row[0] is None or read_stamp(row[0]) is None:
        return False
    numbers = [decimal(cell) is not None for cell in row[1:] if cell is not None]
    return all(numbers) and len(numbers) > 0


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Sampled(seen, where, shared)


class _Sampled(TableCollector):
    """Collects the table; its numbers are series when every row is of a later time."""

    def end(self) -> list[Item]:
        stamps = [read_stamp(row[0] or "") for row in self.rows]
        times = [stamp for stamp in stamps if stamp is not None]
        ordered = all(a[0] < b[0] for a, b in pairwise(times))
        if len(times) > 1 and len(times) == len(stamps) and ordered:
            self._add(times)
        return super().end()

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__(seen.result, where, shared)
        self._columns = seen.result.columns
        self._lines: list[int] = []

    def row(self, row: ResultRow) -> None:
        before = len(self.rows)
        super().row(row)
        if len(self.rows) > before:
            self._lines.append(row.line_first)

    def _add(self, times: list[tuple[int, Clock]]) -> None:
        for at, name in enumerate(self._columns[1:], start=1):
            values = [decimal(row[at] or "") for row in self.rows]
            if all(value is None for value in values):
                continue
            for (wall, clock), value, line in zip(times, values, self._lines, strict=True):
                self._shared.columns.add(f"metric.{name}", value, wall=wall, clock=clock, line=line)


__all__ = ["handler", "is_sampled"]
