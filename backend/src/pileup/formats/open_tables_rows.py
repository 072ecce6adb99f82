"""Rows of SHOW OPEN TABLES: the table itself, and how many are open, in use and locked."""

from __future__ import annotations

from collections.abc import Iterator

from pileup.formats.client_results import ResultRow, ResultSet
from pileup.formats.result_tables import Shared, TableOf
from pileup.formats.rows import Handler, Where, integer
from pileup.records import Item, Samples

COLUMNS = ("database", "table", "in_use", "name_locked")


def handler(
    result: ResultSet, columns: tuple[str, ...], where: Where, shared: Shared
) -> Handler | None:
    return _OpenTables(result, where, shared) if columns == COLUMNS else None


class _OpenTables:
    def __init__(self, result: ResultSet, where: Where, shared: Shared) -> None:
        self._table = TableOf(result, where, shared)
        self._result, self._where = result, where
        self._counts = {"open": 0, "in_use": 0, "uses": 0, "name_locked": 0}

    def row(self, row: ResultRow) -> Iterator[Item]:
        uses, locked = integer(row.values[2]), integer(row.values[3])
        self._counts["open"] += 1
        self._counts["in_use"] += bool(uses)
        self._counts["uses"] += uses or 0
        self._counts["name_locked"] += bool(locked)
        yield from self._table.row(row)

    def end(self) -> Iterator[Item]:
        yield from self._table.end()
        for name, count in self._counts.items():
            yield Samples(
                f"open_tables.{name}",
                "gauge",
                None,
                self._where.clock or "relative",
                [self._where.wall_us or 0],
                [count],
                [self._result.line],
            )
