"""The interface of row handlers, and the place and time of the rows that they handle."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet, RowBlock
from pileup.records import Clock, Item

Cells = dict[str, str | None]
"""A row by its column names in lower case."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A table as it begins: what decides about its meaning."""

    result: ResultSet
    columns: tuple[str, ...]
    """In lower case."""
    first: tuple[str | None, ...] | None
    """The cells of its first row; None for a table without rows."""

    @property
    def title(self) -> str:
        return self.result.title


@dataclass(frozen=True, slots=True)
class Where:
    """The time and the snapshot of a table's rows."""

    wall_us: int | None
    clock: Clock | None
    snapshot: int | None = None
    local: str | None = None
    """The local time as printed above the table."""

    def record_fields(self, row: ResultRow) -> dict[str, Any]:
        """Return the fields common to all records, for a record of this row."""
        return {
            "line_first": row.line_first,
            "line_last": row.line_last,
            "wall_us": self.wall_us,
            "clock": self.clock,
            "snapshot": self.snapshot,
        }


class Handler(Protocol):
    """Converts the rows of one result set to items.

    ``row`` collects; a reader calls ``drain`` after each row, so that memory stays bounded. ``end``
    returns what was not drained.
    """

    def row(self, row: ResultRow, /) -> None:
        """Add one row."""

    def block(self, block: RowBlock, /) -> None:
        """Add many rows: the same as ``row`` for each of them."""

    def drain(self) -> Sequence[Item]:
        """Return the complete items, each once."""

    def end(self) -> Sequence[Item]:
        """Return all remaining items: the result set has no more rows."""


class RowByRow:
    """Reads a block as its rows: the base of handlers without a faster way."""

    def row(self, row: ResultRow, /) -> None:
        """Add one row."""
        raise NotImplementedError

    def block(self, block: RowBlock, /) -> None:
        """Add many rows."""
        for row in block.rows():
            self.row(row)


class Ready(RowByRow):
    """Items that wait to be drained: the base of handlers."""

    def __init__(self) -> None:
        self._ready: list[Item] = []

    def drain(self) -> list[Item]:
        """Return the complete items, each once."""
        if not (ready := self._ready):
            return []
        self._ready = []
        return ready

    def end(self) -> list[Item]:
        """Return all remaining items."""
        return self.drain()


def first(row: Cells, *names: str) -> str | None:
    """Return the first of these columns that is not NULL."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def integer(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d{1,18}", text) else None


def seconds(text: str | None) -> float | None:
    """Convert '12', '0.5', '00:01:05' (TIME) or '01:05' (innotop) to seconds."""
    if not text:
        return None
    if match := re.fullmatch(r"(\d{1,4}):([0-5]\d)", text):
        return int(match[1]) * 60.0 + int(match[2])
    if match := re.fullmatch(r"(\d{1,6}):(\d\d):(\d\d(?:\.\d+)?)", text):
        return int(match[1]) * 3600.0 + int(match[2]) * 60 + float(match[3])
    return float(text) if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,9})?", text) else None


_NOW = re.compile(
    r"(?:now|sysdate|current_timestamp|localtime|localtimestamp)(?:\([0-6]?\))?"
    r"|server_time|(?:the_)?time_now"
)
_NOW_UTC = re.compile(r"utc_timestamp(?:\([0-6]?\))?|utc_now")


def now_of(columns: Sequence[str], values: Sequence[str | None]) -> tuple[int, Clock] | None:
    """Return the time that a row printed of itself, of the session's zone or UTC: ``now()``."""
    for name, value in zip(columns, values, strict=False):
        is_utc = bool(_NOW_UTC.fullmatch(name))
        if value and (is_utc or _NOW.fullmatch(name)) and (stamp := read_stamp(value)):
            return stamp[0], "utc" if is_utc else stamp[1]
    return None


def local_us(text: str | None) -> int | None:
    """Convert a printed local time to microseconds, as if it were UTC."""
    stamp = read_stamp(text) if text else None
    return stamp[0] if stamp and stamp[1] == "local" else None
