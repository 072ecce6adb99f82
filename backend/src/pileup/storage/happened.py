"""Times of the story: when a thing happened, beside when it was recorded.

The server records each time; the other one a person gives, as precisely as they know it. Without it
a thing happened when it was recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from pileup.storage.errors import Refused

Precision = Literal["exact", "about", "day"]
"""day: only the day is known, in UTC; its time is midnight."""
PredictionStanding = Literal["none", "open", "locked", "recorded_after"]
"""none: nobody wrote a prediction; open: the run has not begun; locked: the prediction was recorded
before the run began; recorded_after: it was not."""

_AHEAD = timedelta(minutes=5)
"""Tolerance for a clock that is ahead of ours."""


@dataclass(frozen=True, slots=True)
class Happened:
    """The time that a person gives; without ``at`` it is when the thing is recorded."""

    at: datetime | None = None
    precision: Precision = "exact"


def checked(happened: Happened, field: str = "happened_at") -> Happened:
    """Return the time in UTC, and midnight when only the day is known.

    Raises:
        Refused: the time is in the future.
    """
    if happened.at is None:
        return Happened()
    at = happened.at.astimezone(UTC)
    if at > datetime.now(UTC) + _AHEAD:
        raise Refused(
            f"{at:%Y-%m-%d %H:%M} UTC is in the future: give the time at which it happened, or "
            "leave it empty for now.",
            field,
        )
    if happened.precision == "day":
        at = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return Happened(at, happened.precision)


def prediction_standing(
    *, written: bool, recorded: datetime | None, began: datetime | None
) -> PredictionStanding:
    """Return whether the prediction was recorded before the run began.

    recorded: when the prediction was last recorded. began: when the run began, as a person gives it
    or else when its start was recorded; None before that. A day counts from its midnight, so that a
    prediction of the same day is not taken for an earlier one.
    """
    if not written:
        return "none"
    if began is None:
        return "open"
    return "locked" if recorded is not None and recorded <= began else "recorded_after"
