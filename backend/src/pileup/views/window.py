"""Represent times in views: a half-open window, and microseconds as a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl


@dataclass(frozen=True, slots=True)
class Window:
    """Half-open range ``[start, end)`` in microseconds UTC; None is open."""

    start: int | None = None
    end: int | None = None

    def holds(self, column: str = "time") -> pl.Expr:
        """Select rows inside; those of unknown time only when the window is open on both sides."""
        inside = pl.lit(value=True)
        if self.start is not None:
            inside &= pl.col(column) >= self.start
        if self.end is not None:
            inside &= pl.col(column) < self.end
        return inside


def moment_of(us: int | None) -> datetime | None:
    """Convert microseconds UTC to a time; None stays None."""
    return None if us is None else datetime.fromtimestamp(us / 1_000_000, UTC)


def moment_at(us: int) -> datetime:
    """Convert known microseconds UTC to a time."""
    return datetime.fromtimestamp(us / 1_000_000, UTC)


def instant_of(moment: datetime) -> int:
    """Convert a time with a zone to microseconds UTC."""
    return int(moment.timestamp() * 1_000_000)
