"""Convert summaries that a server or a proxy keeps since its start to a table and series.

Source: performance_schema: memory, file, wait and table summaries, in picoseconds and bytes;
        sys: the views over them, with units ('1.20 min', '3.50 GiB') or as x$ without;
        ProxySQL: stats_mysql_commands_counters, stats_mysql_users;
        MaxScale: list servers; slabtop.
Yields: the table; <prefix>.<column> with the label of each row's name, seconds and bytes whatever
        the unit that is printed. Totals are counters; what is in use is a gauge. Averages and
        extremes stay in the table.
Note:   a row of zeros only has no series: performance_schema lists all its instruments.
        Statement digests are a table alone, of which the analysis reads the columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pileup import quantities
from pileup.formats.reading.series_columns import Kind, decimal
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where
from pileup.formats.tables.meanings.tables import Shared, TableCollector

_LONGEST_NAME = 100
_MOST_SERIES = 2_000
"""Per table."""


@dataclass(frozen=True, slots=True)
class _Summary:
    """A kind of summary: what its series are called, and which columns it needs."""

    prefix: str
    names: tuple[str, ...]
    """Columns that name a row; those that a table has are labels."""
    needs: tuple[frozenset[str], ...]
    """A table with all columns of one of these is of this kind."""
    label: str = ""
    """What the label is called; empty: as its column."""


def _any(*columns: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(column.split()) for column in columns)


_EVENT = ("event_name", "events", "host", "user", "thread_id")
_SUMMARIES = (
    _Summary(
        "ps_memory",
        _EVENT,
        _any(
            "event_name current_number_of_bytes_used",
            "event_name current_alloc",
            "current_count_used current_allocated",
            "total_allocated",
        ),
    ),
    _Summary(
        "ps_client",
        ("host", "user"),
        _any("statements statement_latency", "current_connections total_connections"),
    ),
    _Summary(
        "ps_file_io",
        ("event_name", "file", "file_name", "user", "thread_id"),
        _any(
            "event_name sum_number_of_bytes_read",
            "file count_read",
            "event_name total total_latency count_read",
            "event_name total total_requested",
        ),
    ),
    _Summary(
        "ps_table",
        ("table_schema", "table_name", "object_schema", "object_name", "index_name"),
        _any("table_schema table_name total_latency", "object_name count_star sum_timer_wait"),
    ),
    _Summary(
        "ps_wait",
        _EVENT,
        _any(
            "event_name count_star sum_timer_wait",
            "events total total_latency",
            "event_name total total_latency",
        ),
    ),
    _Summary("proxysql_command", ("command",), _any("command total_time_us total_cnt")),
    _Summary("proxysql_user", ("username",), _any("username frontend_connections")),
    _Summary(
        "maxscale",
        ("server",),
        _any("server address connections state", "server address connections status"),
    ),
    _Summary("slabinfo", ("name",), (frozenset(("objs", "cache size", "name")),), "slab"),
)
NAMES = frozenset(
    (
        *("current_number_of_bytes_used", "current_alloc", "current_allocated", "total_allocated"),
        *("statement_latency", "sum_number_of_bytes_read", "sum_timer_wait", "total_latency"),
        *("total_time_us", "frontend_connections", "count_read", "total_requested"),
    )
)

_Convert = Callable[[str], float | None]
_IN_USE = re.compile(
    r"(?:current|high|frontend|unique)_|connections$|objs$|active$|slabs$|stat(?:e|us)$"
)
_MEASURES: tuple[tuple[re.Pattern[str], str | None, _Convert], ...] = (
    # averages, extremes, shares and moments stay in the table
    (re.compile(r"(?:min|max|avg|low|quantile)_|.*_(?:avg|pct|seen)(?:_|$)"), "", decimal),
    (re.compile(r"cnt_\w+$"), "", decimal),
    (re.compile(r"stat(?:e|us)$"), None, lambda text: float("running" in text.lower())),
    (re.compile(r"sum_timer_\w+$"), "s", lambda text: quantities.seconds(text, bare=1e-12)),
    (re.compile(r"(?:\w+_)?latency$"), "s", lambda text: quantities.seconds(text, bare=1e-12)),
    (re.compile(r"total_time_us$"), "s", lambda text: quantities.seconds(text, bare=1e-6)),
    (
        re.compile(
            r"\w*number_of_bytes\w*$|(?:current|high|total)_(?:alloc(?:ated)?|memory\w*)$"
            r"|total_(?:read|written|requested)$|io_(?:read|write)$"
        ),
        "B",
        quantities.size,
    ),
    (re.compile(r"cache size$"), "KiB", lambda text: _kib(text)),
    (
        re.compile(
            r"(?:count|sum|current|high|total|io|rows|full|table|file|unique|statements|frontend)\w*$"
            r"|exec_count$|connections$|objs$|active$|slabs$|statements$"
        ),
        None,
        decimal,
    ),
)
_SERIES = {
    "cache size": "size",
    "objs": "objects",
    "active": "active_objects",
    "state": "running",
    "status": "running",
}


def _kib(text: str) -> float | None:
    value = quantities.size(text)
    return None if value is None else value / 1024


def is_summary(seen: Seen) -> bool:
    """Whether a table has the columns of a summary."""
    return _summary(seen.columns) is not None


def _summary(columns: tuple[str, ...]) -> _Summary | None:
    names = frozenset(columns)
    if "digest_text" in names or "digest" in names or "query" in names:
        return None
    return next(
        (summary for summary in _SUMMARIES if any(needed <= names for needed in summary.needs)),
        None,
    )


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    summary = _summary(seen.columns)
    assert summary is not None
    return _Rows(seen, where, shared, summary)


@dataclass(frozen=True, slots=True)
class _Column:
    at: int
    series: str
    kind: Kind
    unit: str | None
    convert: _Convert


class _Rows(TableCollector):
    """Collects the table; each total and each number in use is a series per row."""

    def __init__(self, seen: Seen, where: Where, shared: Shared, summary: _Summary) -> None:
        super().__init__(seen.result, where, shared)
        self._labels = [
            (summary.label or name, seen.columns.index(name))
            for name in summary.names
            if name in seen.columns
        ]
        self._columns = list(_columns(seen.columns, summary))
        self._skips_zeros = summary.prefix.startswith("ps_")
        self._series = 0

    def row(self, row: ResultRow) -> None:
        super().row(row)
        labels = tuple(
            (name, text[:_LONGEST_NAME]) for name, at in self._labels if (text := row.values[at])
        )
        values = [(column, column.convert(row.values[column.at] or "")) for column in self._columns]
        is_empty = self._skips_zeros and not any(value for _, value in values)
        if is_empty or self._series >= _MOST_SERIES:
            return
        for column, value in values:
            if value is None:
                continue
            self._series += 1
            self._shared.columns.add(
                column.series,
                value,
                wall=self._where.wall_us,
                clock=self._where.clock or "relative",
                line=row.line_first,
                kind=column.kind,
                unit=column.unit,
                labels=labels,
            )


def _columns(names: tuple[str, ...], summary: _Summary) -> Iterator[_Column]:
    for at, name in enumerate(names):
        if name in summary.names:
            continue
        measure = next((found for found in _MEASURES if found[0].match(name)), None)
        if measure is None or measure[1] == "":
            continue
        series = f"{summary.prefix}.{_SERIES.get(name, name.replace(' ', '_'))}"
        kind: Kind = "gauge" if _IN_USE.search(name) or measure[1] == "KiB" else "counter"
        if name.startswith("total_connections"):
            kind = "counter"
        yield _Column(at, series, kind, measure[1], measure[2])


__all__ = ["NAMES", "handler", "is_summary"]
