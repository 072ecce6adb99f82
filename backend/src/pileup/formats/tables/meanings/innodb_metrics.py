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
_ALL = frozenset(
    (
        *("name", "subsystem", "count", "max_count", "min_count", "avg_count", "count_reset"),
        *("max_count_reset", "min_count_reset", "avg_count_reset", "time_enabled"),
        *("time_disabled", "time_elapsed", "time_reset", "status", "enabled", "type", "comment"),
    )
)
_METRIC = re.compile(
    r"(?:adaptive|buffer|compress|cpu|ddl|dblwr|dml|file|ibuf|icp|index|innodb|lock|log|master"
    r"|metadata|module|os|page|purge|sampled|trx|undo)_\w{2,80}"
)
_GAUGE = re.compile(
    r"trx_(?:rseg_(?:history_len|current_size)|active_transactions)|ibuf_size|file_num_open_files"
    r"|buffer_pool_(?:size|pages_(?:data|dirty|free|misc|total)|bytes_(?:data|dirty))"
    r"|lock_row_lock_(?:current_waits|time_max|time_avg)|os_pending_(?:reads|writes)"
    r"|log_(?:lsn_\w{1,30}|max_modified_age_\w{1,10})|metadata_mem_pool_size|(?:innodb|dblwr)_page_size"
    r"|os_log_pending_\w{1,10}|purge_dml_delay_usec"
)
"""Those whose TYPE is 'value', for a query that leaves the column out."""
_WHOLE = re.compile(r"-?[0-9]{1,20}")
_OFF = ("disabled", "0", "off")


def is_metrics(seen: Seen) -> bool:
    """Whether a table is INNODB_METRICS, or some of its columns."""
    names = frozenset(seen.columns)
    if names >= COLUMNS:
        return True
    if seen.first is None or not {"name", "count"} <= names <= _ALL:
        return seen.first is None and names == {"name", "count"}
    return bool(_METRIC.fullmatch(seen.first[seen.columns.index("name")] or ""))


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
            kind="gauge" if _is_gauge(name, cells.get("type")) else "counter",
        )


def _is_gauge(name: str, kind: str | None) -> bool:
    return kind.lower() == "value" if kind else _GAUGE.fullmatch(name) is not None


__all__ = ["handler", "is_metrics"]
