"""Convert a processlist that was counted by the server: ``State, count(*)`` and the like.

Yields: the table, and per table the series processlist.state (where rows have a state),
        processlist.running (by their command, else those with a State) and processlist.sessions,
        the sum.
"""

from __future__ import annotations

import re

from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where, integer
from pileup.formats.tables.meanings.session_counts import NOT_RUNNING
from pileup.formats.tables.meanings.sessions import NAMES, is_source, plain
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Item

_COUNT = re.compile(
    r"count ?\([^()]*(?:\([^()]*\))?[^()]*\)|counts?|cnt|n|num|number|c|total|sessions?|threads?"
    r"|connections?|conns?|qty|occurrences"
)
_AGGREGATE = re.compile(
    r"(?:max|min|avg|sum|round|group_concat|any_value) ?\(.*\)"
    r"|(?:max|min|avg|sum|total)_?(?:time|secs?|age)(?:_\w{1,20})?"
)
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")
_GROUPS = ("state", "command", "user", "host", "db", "info")
_COLUMN_OF = {name: column for column in _GROUPS for name in NAMES[column]}


def is_grouped(seen: Seen) -> bool:
    """Whether a table counts sessions by their state or command."""
    names = [plain(name) for name in seen.columns]
    counts = [at for at, name in enumerate(names) if _COUNT.fullmatch(name)]
    if len(counts) != 1:
        return False
    groups = {_COLUMN_OF[name] for name in names if name in _COLUMN_OF}
    others = sum(
        name in _COLUMN_OF or bool(_AGGREGATE.fullmatch(name)) or _is_number(seen, at)
        for at, name in enumerate(names)
        if at != counts[0]
    )
    if others + 1 != len(names) or not groups & {"state", "command"}:
        return False
    row = seen.first
    return is_source(seen.title) and (
        row is None or integer((row[counts[0]] or "").strip()) is not None
    )


def _is_number(seen: Seen, at: int) -> bool:
    """Whether a column of any name holds a number: the longest time, under a name of its own."""
    return seen.first is not None and _NUMBER.fullmatch((seen.first[at] or "").strip()) is not None


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Grouped(seen, where, shared)


class _Grouped(TableCollector):
    """Collects the table, and adds up its counts."""

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__(seen.result, where, shared, counted="processlist.*")
        names = [plain(name) for name in seen.columns]
        self._count = next(at for at, name in enumerate(names) if _COUNT.fullmatch(name))
        self._groups = {_COLUMN_OF[name]: at for at, name in enumerate(names) if name in _COLUMN_OF}
        self._counts = shared.begin_count(where, seen.result.line)
        self._unread = False

    def row(self, row: ResultRow) -> None:
        super().row(row)
        count = integer((row.values[self._count] or "").strip())
        if count is None or count < 0:
            self._unread = True  # no sum is known then
            return
        cells = {column: row.values[at] for column, at in self._groups.items()}
        listing = self._counts
        listing.last = row.line_last
        listing.sessions += count
        runs = "command" not in cells or cells["command"] not in NOT_RUNNING
        state = (cells.get("state") or "").strip()
        if "command" not in cells:
            runs = state != "" and state.upper() != "NULL"  # a sleeping session has no State
        listing.running = (listing.running or 0) + count * runs
        if runs and state:
            listing.states[state] += count

    def end(self) -> list[Item]:
        items = super().end()
        if not self._unread:
            items += self._shared.listings.count(self._counts)
        return items


__all__ = ["handler", "is_grouped"]
