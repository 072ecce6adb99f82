"""Convert members of a replication group to a table and gauges: how many are in each state, and
the queues of each.

Source: performance_schema.replication_group_members (MEMBER_STATE: ONLINE, RECOVERING, OFFLINE,
        ERROR, UNREACHABLE) and replication_group_member_stats, MySQL 5.7 to 9.x.
"""

from __future__ import annotations

from collections import Counter

from pileup.formats.reading.series_columns import decimal
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Cells, Handler, Seen, Where, first
from pileup.formats.tables.meanings.sessions import columns_of
from pileup.formats.tables.meanings.tables import BesideTable, Shared
from pileup.records import Item, Samples

_QUEUES = ("count_transactions_in_queue", "count_transactions_remote_in_applier_queue")
_STATE = "member_state"
_AWAY = ("UNREACHABLE", "ERROR", "OFFLINE", "RECOVERING")
"""States of a member that does not serve; how many are in each is a gauge of its own."""
_LONGEST_STATE = 40
Labels = tuple[tuple[str, str], ...]


def is_members(seen: Seen) -> bool:
    """Whether a table has a column of a member's queues, or the states of members."""
    names = frozenset(_columns(seen))
    lists = _STATE in names and not names.isdisjoint(("member_id", "member_host"))
    return lists or not names.isdisjoint(_QUEUES)


def _columns(seen: Seen) -> tuple[str, ...]:
    """Return the columns by their names in the server, also below an alias."""
    return tuple(name.lower() for name in columns_of(seen.columns, seen.title))


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Members(seen, where, shared)


class _Members(BesideTable):
    """Collects the table; states and the lengths of the queues are gauges."""

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__(seen, where, shared, _columns(seen))
        self._states: Counter[str] = Counter()

    def note(self, row: ResultRow, cells: Cells) -> None:
        member = first(cells, "member_host", "member_id") or str(row.line_first)
        state = (cells.get(_STATE) or "").strip().upper()
        if state and len(state) <= _LONGEST_STATE:
            self._states[state] += 1
        for name in _QUEUES:
            if (value := decimal(cells.get(name) or "")) is not None:
                self._ready.append(self._sample(name, value, row.line_first, (("member", member),)))

    def _sample(self, name: str, value: float, line: int, labels: Labels) -> Samples:
        return Samples(
            f"group_replication.{name}",
            "gauge",
            None,
            self._where.clock or "relative",
            [self._where.wall_us or 0],
            [value],
            [line],
            labels,
        )

    def end(self) -> list[Item]:
        members = [
            self._sample("members", count, self._line, (("state", state),))
            for state, count in sorted(self._states.items())
        ]
        if self._states:
            for state in _AWAY:
                name = f"{state.lower()}_members"
                members.append(self._sample(name, self._states[state], self._line, ()))
        return [*self.drain(), *members, *self._table.end()]
