"""Convert the numbers of COM_STATISTICS to series: what ``mysqladmin status`` prints on one line.

Yields: mysql.<Variable> under the names of SHOW GLOBAL STATUS that these numbers have there;
        mysqladmin.flush_tables (the version of the table cache) and
        mysqladmin.queries_per_second_avg, which no variable holds.
Time:   the line above it; else the uptime, as in ``status``.
"""

from __future__ import annotations

from pileup.formats.reading.series_columns import Kind, decimal
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Ready, Seen, Where
from pileup.formats.tables.meanings.server_variables import variable_kind, variable_unit
from pileup.formats.tables.meanings.tables import Shared
from pileup.records import Problem

_VARIABLES = {
    "uptime": "Uptime",
    "threads": "Threads_connected",
    "questions": "Questions",
    "slow queries": "Slow_queries",
    "opens": "Opened_tables",
    "open tables": "Open_tables",
}
_SERIES: dict[str, tuple[str, Kind, str | None]] = {
    **{
        printed: (f"mysql.{name}", variable_kind(name), variable_unit(name))
        for printed, name in _VARIABLES.items()
    },
    "flush tables": ("mysqladmin.flush_tables", "counter", None),
    "queries per second avg": ("mysqladmin.queries_per_second_avg", "gauge", "1/s"),
}
NAMES = frozenset(("questions",))
_AGES = 1e10
"""Seconds: no server is up for three centuries."""


def is_counts(seen: Seen) -> bool:
    """Whether the columns are the numbers of COM_STATISTICS; the uptime may be printed apart."""
    return {"threads", "questions"} <= set(seen.columns) <= _SERIES.keys()


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Counts(seen, where, shared)


class _Counts(Ready):
    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__()
        self._columns, self._printed = seen.columns, seen.result.columns
        self._where, self._shared = where, shared

    def row(self, row: ResultRow) -> None:
        values = [decimal(cell or "") for cell in row.values]
        wall = self._where.wall_us
        if self._where.clock == "relative":
            uptime = dict(zip(self._columns, values, strict=True)).get("uptime")
            known = uptime is not None and 0 <= uptime < _AGES
            wall = self._shared.uptimes.next(int(uptime) if known and uptime is not None else None)
        for at, (name, value) in enumerate(zip(self._columns, values, strict=True)):
            if value is None:
                found = (row.values[at] or "")[:80]
                message = f"{self._printed[at]} is not a number."
                self._ready.append(Problem(row.line_first, message, found=found))
            series, kind, unit = _SERIES[name]
            self._shared.columns.add(
                series,
                value,
                wall=wall,
                clock=self._where.clock or "relative",
                line=row.line_first,
                kind=kind,
                unit=unit,
            )


__all__ = ["NAMES", "handler", "is_counts"]
