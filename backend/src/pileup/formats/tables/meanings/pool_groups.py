"""Convert the groups of the server's thread pool to a table and gauges.

Source: information_schema.THREAD_POOL_GROUPS, MariaDB 10.5 and later; THREAD_POOL_STATE of others.
Yields: the table; mysql.thread_pool_queue_length, the median of the statements that wait in a
        group, and mysql.thread_pool_stalled_pct, the share of groups that are stalled.
"""

from __future__ import annotations

import statistics

from pileup.formats.reading.series_columns import decimal
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Cells, Handler, Seen, Where
from pileup.formats.tables.meanings.tables import BesideTable, Shared
from pileup.records import Item, Samples

_QUEUE, _STALLED = "queue_length", "is_stalled"
NAMES = frozenset((_QUEUE,))


def are_groups(seen: Seen) -> bool:
    """Whether a table has groups of threads with their queues."""
    names = set(seen.columns)
    return _QUEUE in names and bool(names & {_STALLED, "active_threads", "group_id"})


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Groups(seen, where, shared)


class _Groups(BesideTable):
    """Collects the table, the queues and what is stalled."""

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__(seen, where, shared)
        self._queues: list[float] = []
        self._stalled: list[bool] = []

    def note(self, _row: ResultRow, cells: Cells) -> None:
        if (length := decimal(cells[_QUEUE] or "")) is not None:
            self._queues.append(length)
        if (stalled := cells.get(_STALLED)) is not None:
            self._stalled.append(stalled.strip().upper() in ("1", "YES", "ON", "TRUE"))

    def end(self) -> list[Item]:
        if self._queues:
            self._add("thread_pool_queue_length", statistics.median(self._queues), None)
        if self._stalled:
            share = 100 * sum(self._stalled) / len(self._stalled)
            self._add("thread_pool_stalled_pct", share, "%")
        return super().end()

    def _add(self, name: str, value: float, unit: str | None) -> None:
        self._ready.append(
            Samples(
                f"mysql.{name}",
                "gauge",
                unit,
                self._where.clock or "relative",
                [self._where.wall_us or 0],
                [value],
                [self._line],
            )
        )


__all__ = ["NAMES", "are_groups", "handler"]
