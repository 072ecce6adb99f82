"""Convert a result with a column of times and columns of numbers to series.

Source: queries over a table of history (``sys``, PMM, a table that a cron job fills), in any layout
        of the client; ``aws cloudwatch`` with ``--output table``, in any order of times. A CSV of
        metrics is a format of its own (metrics/).
Yields: the table, and the gauges metric.<column>.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pileup.formats.reading.series_columns import decimal
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Clock, Item


def is_sampled(seen: Seen) -> bool:
    """Whether the first row is a time and numbers, and perhaps their unit."""
    if seen.first is None or _time_column(seen.first) is None:
        return False
    cells = [cell for cell in _others(seen.columns, seen.first) if cell is not None]
    return bool(cells) and all(decimal(cell) is not None for cell in cells)


def _time_column(row: Sequence[str | None]) -> int | None:
    """Return the only column of a row that is a time."""
    times = [at for at, cell in enumerate(row) if cell and read_stamp(cell) is not None]
    return times[0] if len(times) == 1 else None


def _others(columns: Sequence[str], row: Sequence[str | None]) -> Iterator[str | None]:
    time = _time_column(row)
    for at, (name, cell) in enumerate(zip(columns, row, strict=True)):
        if at != time and name.lower() != _UNIT:
            yield cell


_UNIT = "unit"


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Sampled(seen, where, shared)


class _Sampled(TableCollector):
    """Collects the table; its numbers are series when every row is of another time."""

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__(seen.result, where, shared)
        self._columns = seen.result.columns
        self._time = _time_column(seen.first or ()) or 0
        self._lines: list[int] = []

    def row(self, row: ResultRow) -> None:
        before = len(self.rows)
        super().row(row)
        if len(self.rows) > before:
            self._lines.append(row.line_first)

    def end(self) -> list[Item]:
        stamps = [read_stamp(row[self._time] or "") for row in self.rows]
        times = [stamp for stamp in stamps if stamp is not None]
        if len(times) > 1 and len(set(times)) == len(stamps):
            self._add(times)
        return super().end()

    def _add(self, times: list[tuple[int, Clock]]) -> None:
        order = sorted(range(len(times)), key=times.__getitem__)
        for at, name in enumerate(self._columns):
            values = [decimal(row[at] or "") for row in self.rows]
            if at == self._time or all(value is None for value in values):
                continue
            for place in order:
                wall, clock = times[place]
                self._shared.columns.add(
                    f"metric.{name}",
                    values[place],
                    wall=wall,
                    clock=clock,
                    line=self._lines[place],
                )


__all__ = ["handler", "is_sampled"]
