"""Convert waits with their average active sessions to a table and gauges.

Source: Performance Insights, as its page and ``aws pi`` name the columns: a wait (or a statement,
        a user, a host) and its share of the load, perhaps with the time of each row.
Yields: the table, and the gauge metric.db.load.avg with the label that the column names, as
        ``json_series`` reads it from the service's answer.
"""

from __future__ import annotations

from pileup.formats.reading.series_columns import decimal
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where
from pileup.formats.tables.meanings.tables import Shared, TableCollector

_LOADS = (
    *("aas", "db.load", "db.load.avg", "db_load", "dbload", "average active sessions"),
    *("avg active sessions", "load by waits (aas)", "load (aas)"),
)
_PARTS = (
    "wait_event",
    "wait event",
    "db.wait_event",
    "db.wait_event.name",
    "wait",
    "waits",
    "event",
)
_TIMES = ("time", "timestamp", "ts")
_LABEL = "db.wait_event.name"
NAMES = frozenset(_LOADS)


def is_load(seen: Seen) -> bool:
    """Whether a table has a column of waits and one of their load."""
    names = frozenset(seen.columns)
    return not names.isdisjoint(_LOADS) and not names.isdisjoint(_PARTS)


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Load(seen, where, shared)


class _Load(TableCollector):
    """Collects the table; the load of each wait is a series."""

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__(seen.result, where, shared, counted="metric.db.load.avg")
        self._wait = _place(seen, _PARTS)
        self._load = _place(seen, _LOADS)
        self._time = next((seen.columns.index(name) for name in _TIMES if name in seen.columns), -1)

    def row(self, row: ResultRow) -> None:
        super().row(row)
        wait = row.values[self._wait]
        stamp = read_stamp(row.values[self._time] or "") if self._time >= 0 else None
        if not wait or (self._time >= 0 and stamp is None):
            return
        wall, clock = stamp or (self._where.wall_us, self._where.clock or "relative")
        self._shared.columns.add(
            "metric.db.load.avg",
            decimal(row.values[self._load] or ""),
            wall=wall,
            clock=clock,
            line=row.line_first,
            unit="sessions",
            labels=((_LABEL, wait[:100]),),
        )


def _place(seen: Seen, names: tuple[str, ...]) -> int:
    return next(seen.columns.index(name) for name in names if name in seen.columns)


__all__ = ["NAMES", "handler", "is_load"]
