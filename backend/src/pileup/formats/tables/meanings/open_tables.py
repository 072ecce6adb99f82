"""Convert rows of SHOW OPEN TABLES to a table and counts of open, used and locked tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.handlers import Handler, RowByRow, Seen, Where, integer
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Item, Samples

COLUMNS = ("database", "table", "in_use", "name_locked")


def is_open_tables(seen: Seen) -> bool:
    """Whether a table is SHOW OPEN TABLES."""
    return seen.columns == COLUMNS


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _OpenTables(seen.result, where, shared)


class _OpenTables(RowByRow):
    def __init__(self, result: ResultSet, where: Where, shared: Shared) -> None:
        named = result if result.title else replace(result, title="SHOW OPEN TABLES")
        self._table = TableCollector(named, where, shared, counted="open_tables.*")
        self._result, self._where = result, where
        self._open = 0
        self._uses: list[int | None] = []
        self._locked: list[int | None] = []

    def row(self, row: ResultRow) -> None:
        self._open += 1
        self._uses.append(integer(row.values[2]))
        self._locked.append(integer(row.values[3]))
        self._table.row(row)

    def drain(self) -> Sequence[Item]:
        return ()

    def end(self) -> list[Item]:
        return [*self._table.end(), *self._counts()]

    def _counts(self) -> Iterator[Item]:
        uses, locked = _known(self._uses), _known(self._locked)
        counts = {
            "open": self._open,
            "in_use": None if uses is None else sum(map(bool, uses)),
            "uses": None if uses is None else sum(uses),
            "name_locked": None if locked is None else sum(map(bool, locked)),
        }
        for name, count in counts.items():
            yield Samples(
                f"open_tables.{name}",
                "gauge",
                None,
                self._where.clock or "relative",
                [self._where.wall_us or 0],
                [count],
                [self._result.line],
            )


def _known(counts: list[int | None]) -> list[int] | None:
    """Return the counts, or None when one of them could not be read: no sum is known then."""
    known = [count for count in counts if count is not None]
    return known if len(known) == len(counts) else None
