"""Parse the time range that routes share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Depends

from pileup.api.errors import ApiError
from pileup.views.window import Window


def window(start: datetime | None = None, end: datetime | None = None) -> Window:
    """Parse the range; raises ApiError 422 without a zone or when it ends before it begins."""
    for moment in (start, end):
        if moment is not None and moment.tzinfo is None:
            raise ApiError(422, "Not a window", "write times with their zone: 2026-11-20T22:19Z")
    if start is not None and end is not None and end <= start:
        raise ApiError(422, "Not a window", "the window ends before it begins")
    return Window(_us(start), _us(end))


WindowDep = Annotated[Window, Depends(window)]


def _us(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1_000_000)


def utc(moment: datetime) -> datetime:
    """Convert a time to UTC; raises ApiError 422 when it has no zone."""
    if moment.tzinfo is None:
        raise ApiError(
            422, "Not accepted", f"{moment.isoformat()} has no zone: write it with Z or an offset"
        )
    return moment.astimezone(UTC)


def times_in_utc(values: dict[str, Any]) -> dict[str, Any]:
    """Convert the times among these values to UTC; raises ApiError 422 for one without a zone."""
    return {
        name: utc(value) if isinstance(value, datetime) else value for name, value in values.items()
    }
