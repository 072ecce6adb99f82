"""Read a printed lock into mode, extent, index and rows, and decide which locks collide.

Source: lock_rec_print() and lock_rec_has_to_wait(), lock0lock.cc (4.1 to 9.x).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Extent = Literal["row", "gap", "next-key", "insert", "table"]
"""row: the record alone; gap: the gap before it; next-key: both; insert: an insert intention."""

_LOCK = re.compile(
    r"(?P<kind>record|table) (?P<what>.+) (?P<mode>AUTO[-_]INC|IS|IX|S|X)"
    r"(?P<extent>(?: locks (?:rec but not gap|gap before rec))?(?: insert intention)?)\s*"
)
_ROWS = re.compile(r"(?P<page>\d+:\d+):(?P<heaps>\d+(?: \d+)*)")
_SUPREMUM = 1
"""The heap number of a page's end: the gap above its highest key."""
CLUSTERED = frozenset({"PRIMARY", "GEN_CLUST_INDEX"})
_TABLE_CONFLICTS = {
    "IS": {"X"},
    "IX": {"S", "X"},
    "S": {"IX", "X", "AUTO-INC"},
    "X": {"IS", "IX", "S", "X", "AUTO-INC"},
    "AUTO-INC": {"S", "X", "AUTO-INC"},
}


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock as printed in a deadlock."""

    text: str
    table: str
    """schema.table"""
    index: str | None
    mode: str
    """S, X; for a table IS, IX, AUTO-INC as well."""
    extent: Extent
    rows: frozenset[str] = frozenset()
    """'7:309:2': space, page and heap number of each row; empty: not printed."""
    waiting: bool = False

    @property
    def supremum(self) -> bool:
        """Whether it covers only the gap above the highest key of a page."""
        if self.rows:
            return all(row.endswith(f":{_SUPREMUM}") for row in self.rows)
        return self.extent == "insert" and "gap before rec" not in self.text

    @property
    def covers_gap(self) -> bool:
        return self.extent in ("gap", "next-key")

    @property
    def clustered(self) -> bool:
        return self.index in CLUSTERED

    @property
    def place(self) -> tuple[str, str | None]:
        return self.table, self.index

    @property
    def signature(self) -> tuple[str, ...]:
        """What is the same in each deadlock of a pattern."""
        return self.table, self.index or "", self.mode, self.extent

    def same_rows(self, other: Lock) -> bool | None:
        """Whether both lock a row in common; None if the rows of one are not printed."""
        if self.place != other.place:
            return False
        return not self.rows.isdisjoint(other.rows) if self.rows and other.rows else None

    def blocks(self, wanted: Lock) -> bool:
        """Return whether it may block another transaction's request, as far as is printed."""
        if self.place != wanted.place:
            return False
        if self.extent == "table" or wanted.extent == "table":
            return wanted.mode in _TABLE_CONFLICTS.get(self.mode, set())
        if self.same_rows(wanted) is False or "X" not in (self.mode, wanted.mode):
            return False
        if wanted.extent == "insert":
            return self.covers_gap
        if self.extent in ("gap", "insert") or wanted.extent == "gap" or wanted.supremum:
            return False
        return not (self.rows and self.supremum)


def read(text: str, rows: str | None = None) -> Lock | None:
    """Return the lock of a description such as 'record app.a PRIMARY X locks rec but not gap'.

    rows: '7:309:2 3' or '7:309:2 waiting' as the record has them. None for another text.
    """
    match = _LOCK.fullmatch(text)
    if not match:
        return None
    table, _, index = match["what"].partition(" ")
    at = _ROWS.match(rows or "")
    return Lock(
        text=text,
        table=table.replace('"', ""),
        index=index.replace('"', "") or None if match["kind"] == "record" else None,
        mode=match["mode"].replace("_", "-"),
        extent=_extent(match["kind"], match["extent"]),
        rows=frozenset(f"{at['page']}:{heap}" for heap in at["heaps"].split())
        if at
        else frozenset(),
        waiting=(rows or "").endswith("waiting"),
    )


def _extent(kind: str, words: str) -> Extent:
    if kind == "table":
        return "table"
    if "insert intention" in words:
        return "insert"
    if "gap before rec" in words:
        return "gap"
    return "row" if "rec but not gap" in words else "next-key"


__all__ = ["CLUSTERED", "Extent", "Lock", "read"]
