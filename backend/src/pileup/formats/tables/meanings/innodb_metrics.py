"""Convert rows of INNODB_METRICS to counters and gauges.

Source: information_schema.INNODB_METRICS (5.6+, MariaDB 10+). A disabled counter prints 0 and is
        left out; STATUS is the column of MySQL, ENABLED that of MariaDB.
"""

from __future__ import annotations

import re

from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Ready, Seen, Where
from pileup.formats.tables.meanings.tables import Shared
from pileup.records import Problem

COLUMNS = frozenset(("name", "subsystem", "count"))
_WHOLE = re.compile(r"-?[0-9]{1,20}")
_OFF = ("disabled", "0", "off")


def is_metrics(seen: Seen) -> bool:
    """Whether a table is INNODB_METRICS, or some of its columns."""
    return frozenset(seen.columns) >= COLUMNS


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Metrics(seen, where, shared)


class _Metrics(Ready):
    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__()
        self._names, self._where, self._columns = seen.columns, where, shared.columns

    def row(self, row: ResultRow) -> None:
        cells = dict(zip(self._names, row.values, strict=True))
        name, count = cells.get("name"), cells.get("count")
        if not name or (cells.get("status") or cells.get("enabled") or "").lower() in _OFF:
            return
        if count is None or not _WHOLE.fullmatch(count):
            message = f"{name} has no readable count."
            self._ready.append(Problem(row.line_first, message, found=str(count)[:200]))
            return
        self._columns.add(
            f"innodb_metrics.{name}",
            float(count),
            wall=self._where.wall_us,
            clock=self._where.clock or "relative",
            line=row.line_first,
            kind="gauge" if (cells.get("type") or "").lower() == "value" else "counter",
        )


__all__ = ["handler", "is_metrics"]
