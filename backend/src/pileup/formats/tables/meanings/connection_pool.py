"""Convert ProxySQL's connection pool to a table and series per server of a hostgroup.

Source: stats_mysql_connection_pool and its _reset twin, ProxySQL 1.x to 3.x, on the admin port.
Yields: the table; proxysql.ConnUsed, ConnFree and MaxConnUsed as gauges, proxysql.Latency_us in
        microseconds, and the other numbers as counters since the proxy started.
"""

from __future__ import annotations

from pileup.formats.reading.series_columns import Kind, decimal
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where, first
from pileup.formats.tables.meanings.tables import Shared, TableCollector

_SERIES: dict[str, tuple[str, Kind, str | None]] = {
    "connused": ("ConnUsed", "gauge", "connections"),
    "connfree": ("ConnFree", "gauge", "connections"),
    "maxconnused": ("MaxConnUsed", "gauge", "connections"),
    "latency_us": ("Latency_us", "gauge", "us"),
    "connok": ("ConnOK", "counter", "connections"),
    "connerr": ("ConnERR", "counter", "errors"),
    "queries": ("Queries", "counter", "queries"),
    "queries_gtid_sync": ("Queries_GTID_sync", "counter", "queries"),
    "bytes_data_sent": ("Bytes_data_sent", "counter", "B"),
    "bytes_data_recv": ("Bytes_data_recv", "counter", "B"),
}
NAMES = frozenset(("connused", "connfree"))


def is_pool(seen: Seen) -> bool:
    """Whether a table has the connections in use and those free."""
    return set(seen.columns) >= NAMES


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Pool(seen, where, shared)


class _Pool(TableCollector):
    """Collects the table; the numbers of each server are series."""

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__(seen.result, where, shared, counted="proxysql.*")
        self._columns = seen.columns

    def row(self, row: ResultRow) -> None:
        super().row(row)
        cells = dict(zip(self._columns, row.values, strict=True))
        port = f":{cells['srv_port']}" if cells.get("srv_port") else ""
        server = f"{first(cells, 'srv_host', 'hostname') or ''}{port}"
        labels = tuple(
            (name, value)
            for name, value in (("hostgroup", cells.get("hostgroup")), ("server", server))
            if value
        )
        for column, (name, kind, unit) in _SERIES.items():
            if column in cells:
                self._shared.columns.add(
                    f"proxysql.{name}",
                    decimal(cells[column] or ""),
                    wall=self._where.wall_us,
                    clock=self._where.clock or "relative",
                    line=row.line_first,
                    kind=kind,
                    unit=unit,
                    labels=labels,
                )


__all__ = ["NAMES", "handler", "is_pool"]
