"""Sides of a comparison: a capture or part of it, or several runs of the same setup, aligned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pileup.analysis.compare.differences import Side, time_span

Align = Literal["onset", "start", "clock"]
MOST_SIDES = 6
MOST_RUNS = 12
"""Of one side."""


class NotAlignedError(ValueError):
    """The chosen alignment is impossible for a side; the message says what to choose instead."""


@dataclass(frozen=True, slots=True)
class Member:
    """One run of a side."""

    side: Side
    onset: int | None
    """UTC µs of the stall's onset; None without a stall."""


@dataclass(frozen=True, slots=True)
class Group:
    """One side of a comparison: one run, or several of the same setup."""

    label: str
    members: tuple[Member, ...]


def zero_time(member: Member, align: Align) -> int:
    """Return the time of second 0 in UTC µs; 0 when sides are aligned by the clock.

    Raises:
        NotAlignedError: the side has no onset, or no records with a time.
    """
    if align == "clock":
        return 0
    if align == "onset":
        if member.onset is None:
            raise NotAlignedError(
                f"{member.side.label} has no stall: align the sides at their start."
            )
        return member.onset
    span = member.side.span or time_span(member.side.narrowed())
    if span is None:
        raise NotAlignedError(f"{member.side.label} has no records with a time.")
    return span.start


__all__ = ["MOST_RUNS", "MOST_SIDES", "Align", "Group", "Member", "NotAlignedError", "zero_time"]
