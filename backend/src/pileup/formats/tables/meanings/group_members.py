"""Convert performance_schema.replication_group_member_stats to gauges per member."""

from __future__ import annotations

from pileup.formats.reading.series_columns import decimal
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Ready, Seen, Where, first
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Item, Samples

_QUEUES = ("count_transactions_in_queue", "count_transactions_remote_in_applier_queue")


def is_members(seen: Seen) -> bool:
    """Whether a table has a column of a member's queues."""
    return any(name in seen.columns for name in _QUEUES)


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Members(seen, where, shared)


class _Members(Ready):
    """Collects the table; the lengths of the queues are gauges."""

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__()
        self._table = TableCollector(seen.result, where, shared)
        self._columns, self._where = seen.columns, where

    def row(self, row: ResultRow) -> None:
        self._table.row(row)
        cells = dict(zip(self._columns, row.values, strict=True))
        member = first(cells, "member_host", "member_id") or str(row.line_first)
        for name in _QUEUES:
            if (value := decimal(cells.get(name) or "")) is not None:
                samples = Samples(
                    f"group_replication.{name}",
                    "gauge",
                    None,
                    self._where.clock or "relative",
                    [self._where.wall_us or 0],
                    [value],
                    [row.line_first],
                    (("member", member),),
                )
                self._ready.append(samples)

    def end(self) -> list[Item]:
        return [*self.drain(), *self._table.end()]
