"""Read from a request when a thing happened."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from pileup.api.windows import utc
from pileup.storage.happened import Happened, Precision


class _Timed(Protocol):
    happened_at: datetime | None
    happened_precision: Precision | None


def happened(body: _Timed) -> Happened:
    """Return the time in UTC; raises ApiError 422 when it has no zone."""
    at = utc(body.happened_at) if body.happened_at else None
    return Happened(at, body.happened_precision or "exact")
