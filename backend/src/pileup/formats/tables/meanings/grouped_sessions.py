"""Convert a processlist that was counted by the server: ``State, count(*)`` and the like.

Yields: the table, and per table the series processlist.state (where rows have a state),
        processlist.running (by their command, else those with a State) and processlist.sessions,
        the sum. By host, user or schema alone the series are processlist.connections, with a label
        of that name, and processlist.sessions: nobody knows who runs.
"""

from __future__ import annotations

import re
from collections import Counter

from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where, integer
from pileup.formats.tables.meanings.session_counts import NOT_RUNNING
from pileup.formats.tables.meanings.sessions import (
    NAMES,
    columns_of,
    is_source,
    plain,
    reads_sessions,
)
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Item, Samples

_COUNT = re.compile(
    r"count ?\([^()]*(?:\([^()]*\))?[^()]*\)|counts?|cnt|n|num|number|c|total|sessions?|threads?"
    r"|connections?|conns?|qty|occurrences"
)
_AGGREGATE = re.compile(
    r"(?:max|min|avg|sum|round|group_concat|any_value) ?\(.*\)"
    r"|(?:max|min|avg|sum|total)_?(?:time|secs?|age)(?:_\w{1,20})?"
)
_SHORTENED = re.compile(
    r"(?:substring_index|substr|substring|left)\(\s*([\w.`]{1,80})\s*,[^()]{0,60}\)"
)
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")
_GROUPS = ("state", "command", "user", "host", "db", "info")
_COLUMN_OF = {name: column for column in _GROUPS for name in NAMES[column]}
_SESSION_NAMES = frozenset(name for names in NAMES.values() for name in names)
_OF_STATES = frozenset(("state", "command"))
_GROUP_AND_COUNT = 2
_SET_APART = re.compile(r"\d{1,3}(?:[., ']\d{3}){1,3}")
_THOUSANDS = re.compile(r"[., ']")
_MOST_OWNERS = 300
_PORT = re.compile(r"(?<=[\w\]]):\d{1,5}$")
_OWNERS = ("host", "user", "db")
"""Groups of sessions that say nothing of what they do."""


def is_grouped(seen: Seen) -> bool:
    """Whether a table counts sessions by their state or command, or by who they are.

    Other tables have hosts and users too: those are sessions where the statement reads sessions.
    """
    names = _names(seen)
    counts = _counts(names, seen)
    if len(counts) != 1:
        return False
    groups = {_COLUMN_OF[name] for name in names if name in _COLUMN_OF}
    others = sum(
        name in _COLUMN_OF or bool(_AGGREGATE.fullmatch(name)) or _is_number(seen, at)
        for at, name in enumerate(names)
        if at != counts[0]
    )
    of_states = groups & _OF_STATES
    of_owners = groups.intersection(_OWNERS) and reads_sessions(seen.title)
    if others + 1 != len(names) or not (of_states or of_owners):
        return False
    row = seen.first
    return is_source(seen.title) and (row is None or _count(row[counts[0]]) is not None)


def _counts(names: list[str], seen: Seen) -> list[int]:
    """Return the columns of counts: by their names, or the only one beside state or command."""
    counts = [at for at, name in enumerate(names) if _COUNT.fullmatch(name)]
    if not counts and len(names) == _GROUP_AND_COUNT and not _OF_STATES.isdisjoint(names):
        counts = [
            at
            for at, name in enumerate(names)
            if name not in _SESSION_NAMES and seen.first and _count(seen.first[at]) is not None
        ]
    return counts


def _count(cell: str | None) -> int | None:
    """Read a count, perhaps with thousands set apart: 1,028 or 1.028."""
    text = (cell or "").strip()
    return integer(_THOUSANDS.sub("", text) if _SET_APART.fullmatch(text) else text)


def _names(seen: Seen) -> list[str]:
    """Return the columns by their plain names, also below an alias."""
    return [_inner(plain(name)) for name in columns_of(seen.columns, seen.title)]


def _inner(name: str) -> str:
    """Return the column that an expression shortens: substring_index(host, ':', 1) is the host."""
    match = _SHORTENED.fullmatch(name)
    return plain(match[1]) if match else name


def _is_number(seen: Seen, at: int) -> bool:
    """Whether a column of any name holds a number: the longest time, under a name of its own."""
    return seen.first is not None and _NUMBER.fullmatch((seen.first[at] or "").strip()) is not None


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Grouped(seen, where, shared)


class _Grouped(TableCollector):
    """Collects the table, and adds up its counts."""

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__(seen.result, where, shared, counted="processlist.*")
        names = _names(seen)
        (self._count,) = _counts(names, seen)
        self._groups = {_COLUMN_OF[name]: at for at, name in enumerate(names) if name in _COLUMN_OF}
        self._counts = shared.begin_count(where, seen.result.line)
        self._unread = False
        self._owners: Counter[tuple[tuple[str, str], ...]] = Counter()
        self._lines: dict[tuple[tuple[str, str], ...], int] = {}

    def row(self, row: ResultRow) -> None:
        super().row(row)
        count = _count(row.values[self._count])
        if count is None or count < 0:
            self._unread = True  # no sum is known then
            return
        cells = {column: row.values[at] for column, at in self._groups.items()}
        listing = self._counts
        listing.last = row.line_last
        if count == listing.sessions > 0 and set(cells.values()) == {None}:
            return  # the sum of the rows above (WITH ROLLUP)
        listing.sessions += count
        if cells.keys().isdisjoint(_OF_STATES):
            self._add_owner(cells, count, row.line_first)
            return
        runs = "command" not in cells or cells["command"] not in NOT_RUNNING
        state = (cells.get("state") or "").strip()
        if "command" not in cells:
            # a sleeping session has no State, or the list calls it so
            runs = state.upper() not in ("", "NULL") and state not in NOT_RUNNING
        listing.running = (listing.running or 0) + count * runs
        if runs and state:
            listing.states[state] += count

    def _add_owner(self, cells: dict[str, str | None], count: int, line: int) -> None:
        labels = tuple(
            (name, _PORT.sub("", cells[name] or "") if name == "host" else cells[name] or "")
            for name in _OWNERS
            if name in cells
        )
        if labels in self._owners or len(self._owners) < _MOST_OWNERS:
            self._owners[labels] += count
            self._lines.setdefault(labels, line)

    def end(self) -> list[Item]:
        items = super().end()
        if not self._unread:
            items += self._shared.listings.count(self._counts)
            items += map(self._connections, self._owners)
        return items

    def _connections(self, labels: tuple[tuple[str, str], ...]) -> Samples:
        where = self._counts.where
        return Samples(
            "processlist.connections",
            "gauge",
            None,
            where.clock or "relative",
            [where.wall_us or 0],
            [self._owners[labels]],
            [self._lines[labels]],
            labels,
        )


__all__ = ["handler", "is_grouped"]
