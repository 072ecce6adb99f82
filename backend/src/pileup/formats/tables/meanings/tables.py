"""Collect a result set of unknown columns as one bounded Table.

A table is compared with another of the same columns, so it is kept as printed; NULL is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from pileup.formats.reading.series_columns import Columns
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.handlers import Cells, Ready, RowByRow, Seen, Where
from pileup.formats.tables.meanings.session_counts import HeldSessions, Listing, Listings
from pileup.formats.tables.meanings.status import UptimeClock
from pileup.numerals import grouped
from pileup.records import Item, Problem, Skipped, Table

MOST_ROWS = 20_000
MOST_CELL = 4_000
_MOST_CELLS = 200_000
_MOST_CELLS_OF_FILE = 2_000_000


@dataclass(slots=True)
class Shared:
    """State that the result sets of one file share."""

    cells: int = _MOST_CELLS_OF_FILE
    """Cells that its tables may still hold."""
    yielded: dict[tuple[str, str], str] = field(default_factory=dict)
    """Settings by channel and name as last yielded: a file repeats them every second."""
    columns: Columns = field(default_factory=Columns)
    """Values of series that wait to be yielded."""
    converted: tuple[pl.DataFrame, pl.DataFrame] = field(
        default_factory=lambda: (pl.DataFrame(), pl.DataFrame())
    )
    """Cells that several listings share, and the sessions made of them."""
    snapshots: int = 0
    """Snapshots so far."""
    listings: Listings = field(default_factory=Listings)
    held: HeldSessions = field(default_factory=HeldSessions)
    uptimes: UptimeClock = field(default_factory=UptimeClock)
    """Places rows that have an uptime and no other time."""

    def take_snapshot(self) -> int:
        """Return the number of the next snapshot."""
        self.snapshots += 1
        return self.snapshots - 1

    def begin_listing(self, where: Where, line: int) -> Listing:
        """Begin the counts of a listing of sessions."""
        return self.listings.begin(where, line, self.take_snapshot())

    def begin_count(self, where: Where, line: int) -> Listing:
        """Begin the counts of sessions that the server has grouped: there is no snapshot."""
        return self.listings.begin(where, line, None)


class LeftOut:
    """Counts the items that did not fit, and the lines from the first to the last of them."""

    def __init__(self) -> None:
        self.count = 0
        self._first = self._last = 0

    def add(self, first: int, last: int) -> None:
        """Count an item on these lines."""
        self._first = self._first or first
        self._last = last
        self.count += 1

    def reaches(self, line: int) -> None:
        """Extend the last item to this line."""
        self._last = line

    def report_omitted(self, message: str, why: str) -> Iterator[Item]:
        """Yield one Problem at the first omitted line and mark the omitted lines as skipped."""
        if self.count:
            yield Problem(self._first, message)
            yield Skipped(self._first, self._last, why)


class TableCollector(RowByRow):
    """Collects the rows of one result set."""

    def __init__(
        self, result: ResultSet, where: Where, shared: Shared, *, counted: str | None = None
    ) -> None:
        """``counted``: the series that also count the rows without room."""
        self._result, self._where, self._shared = result, where, shared
        self._counted = counted
        self._no_room = False
        self.rows: list[tuple[str | None, ...]] = []
        self._last = result.line
        self._left_out = LeftOut()
        self._cut = 0

    def row(self, row: ResultRow) -> None:
        """Keep one row, or count it when there is no room."""
        width = max(1, len(row.values))
        full = len(self.rows) >= min(MOST_ROWS, _MOST_CELLS // width)
        if full or self._shared.cells < width:
            self._no_room |= not full
            self._left_out.add(row.line_first, row.line_last)
        else:
            self._shared.cells -= width
            self.rows.append(tuple(self._shorten(cell) for cell in row.values))
            self._last = row.line_last

    def drain(self) -> Sequence[Item]:
        """Return nothing: a table is complete at its end."""
        return ()

    def end(self) -> list[Item]:
        """Return the table, and a Problem for rows without room."""
        return list(self._items())

    def _items(self) -> Iterator[Item]:
        result, where = self._result, self._where
        if self._cut:
            yield Problem(
                result.line,
                f"{self._cut} values of more than {MOST_CELL} characters were "
                "cut; open the raw artifact to see them whole.",
            )
        bound = (
            f"the tables of one file keep {grouped(_MOST_CELLS_OF_FILE)} cells together"
            if self._no_room
            else f"a table keeps {grouped(MOST_ROWS)} rows and {grouped(_MOST_CELLS)} cells at most"
        )
        counted = f"; {self._counted} count them all the same" if self._counted else ""
        yield from self._left_out.report_omitted(
            f"The table has {self._left_out.count} more rows than "
            f"the {len(self.rows)} that were kept ({bound}){counted}; select fewer columns or "
            "rows to compare.",
            f"no room in the table{', but counted' if self._counted else ''}",
        )
        yield Table(
            line_first=result.line,
            line_last=max(self._last, result.line),
            wall_us=where.wall_us,
            clock=where.clock,
            name=result.title or ", ".join(result.columns)[:200],
            columns=result.columns,
            rows=tuple(self.rows),
        )

    def _shorten(self, cell: str | None) -> str | None:
        if cell is None or len(cell) <= MOST_CELL:
            return cell
        self._cut += 1
        return cell[:MOST_CELL] + "…"


class BesideTable(Ready):
    """Collects the table and notes more of its rows: the base of handlers of such tables."""

    def __init__(
        self, seen: Seen, where: Where, shared: Shared, columns: Sequence[str] | None = None
    ) -> None:
        super().__init__()
        self._table = TableCollector(seen.result, where, shared)
        self._columns = seen.columns if columns is None else columns
        self._where, self._line = where, seen.result.line

    def row(self, row: ResultRow) -> None:
        self._table.row(row)
        self.note(row, dict(zip(self._columns, row.values, strict=True)))

    def note(self, row: ResultRow, cells: Cells) -> None:
        """Note what a row means."""
        raise NotImplementedError

    def end(self) -> list[Item]:
        return [*self.drain(), *self._table.end()]
