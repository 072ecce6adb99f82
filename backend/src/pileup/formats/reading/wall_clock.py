"""Convert printed dates and times without a zone to microseconds.

The result is the printed wall clock *as if it were UTC*; the clock stage decides which zone it is
in.
"""

from __future__ import annotations

from datetime import UTC, datetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), 1
    )
}


def local_us(
    year: str | int,
    month: str | int,
    day: str | int,
    hour: str | int = 0,
    minute: str | int = 0,
    second: str | int = 0,
    fraction: str | None = None,
) -> int | None:
    """Return the wall clock in microseconds; None for a date or time that does not exist.

    ``fraction`` is the digits after the point, as many as were printed.
    """
    try:
        moment = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=UTC
        )
    except (ValueError, OverflowError):
        return None
    since = moment - _EPOCH
    micros = int((fraction + "000000")[:6]) if fraction and fraction.isdigit() else 0
    return (since.days * 86_400 + since.seconds) * 1_000_000 + micros
