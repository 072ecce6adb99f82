"""The shared range as routes take it, and times as they give them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import polars as pl
from fastapi import Depends

from pileup.api.errors import ApiError


@dataclass(frozen=True, slots=True)
class Window:
    """``[start, end)`` in microseconds UTC; None is open."""

    start: int | None
    end: int | None

    def holds(self, column: str = "time") -> pl.Expr:
        """Rows inside. Those of unknown time only when no end is given at all."""
        inside = pl.lit(value=True)
        if self.start is not None:
            inside &= pl.col(column) >= self.start
        if self.end is not None:
            inside &= pl.col(column) < self.end
        return inside


def window(start: datetime | None = None, end: datetime | None = None) -> Window:
    """The range that the address names; 422 for one without a zone or that ends before it begins"""
    for moment in (start, end):
        if moment is not None and moment.tzinfo is None:
            raise ApiError(422, "Not a window", "write times with their zone: 2026-11-20T22:19Z")
    if start is not None and end is not None and end <= start:
        raise ApiError(422, "Not a window", "the window ends before it begins")
    return Window(_us(start), _us(end))


WindowDep = Annotated[Window, Depends(window)]


def moment_of(us: int | None) -> datetime | None:
    """Microseconds UTC as a time."""
    return None if us is None else datetime.fromtimestamp(us / 1_000_000, UTC)


def _us(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1_000_000)
