"""Format and parse times as the analysis document prints them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_US = 86_400_000_000


def iso(time_us: int | None) -> str | None:
    """Format UTC µs as ISO 8601 with Z; None for None and for times outside the calendar."""
    if time_us is None:
        return None
    try:
        moment = _EPOCH + timedelta(microseconds=time_us)
    except OverflowError:
        return None
    text = moment.isoformat(timespec="milliseconds" if time_us % 1_000_000 else "seconds")
    return text.replace("+00:00", "Z")


def iso_of(time_us: int) -> str:
    """Format a known time (UTC µs) as ISO 8601 with Z."""
    return iso(time_us) or "1970-01-01T00:00:00Z"


def clock_text(time_us: int) -> str:
    """Format a time (UTC µs) for sentences: '22:17:05 UTC'.

    A time of 1970-01-01 counts from the first sample of files without any time (``clock``).
    """
    if 0 <= time_us < DAY_US:
        return (_EPOCH + timedelta(microseconds=time_us)).strftime(
            "%H:%M:%S after the first sample"
        )
    return (_EPOCH + timedelta(microseconds=time_us)).strftime("%H:%M:%S UTC")


def date_text(time_us: int) -> str:
    """Format a date and time (UTC µs) for sentences: '2026-11-20 22:17:05 UTC'."""
    return (_EPOCH + timedelta(microseconds=time_us)).strftime("%Y-%m-%d %H:%M:%S UTC")


def parse(text: str) -> int:
    """Parse an ISO 8601 time to UTC µs."""
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment - _EPOCH) // timedelta(microseconds=1)
