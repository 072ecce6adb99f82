"""Sides of a comparison: a capture or a part of it, or several runs of the same thing, aligned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pileup.analysis.compare.differences import Side, times_of

Align = Literal["onset", "start", "clock"]
MOST_SIDES = 6
MOST_RUNS = 12
"""Of one side."""


class NotAlignedError(ValueError):
    """The sides cannot be put on one axis like that."""


@dataclass(frozen=True, slots=True)
class Member:
    """One run of a side."""

    side: Side
    onset: int | None
    """UTC µs of its stall; None without one."""


@dataclass(frozen=True, slots=True)
class Group:
    """One side of a comparison: one run, or several of the same thing."""

    label: str
    members: tuple[Member, ...]


def zero_of(member: Member, align: Align) -> int:
    """UTC µs of second 0; 0 itself by the clock.

    Raises:
        NotAlignedError: there is no onset, or nothing with a time.
    """
    if align == "clock":
        return 0
    if align == "onset":
        if member.onset is None:
            raise NotAlignedError(
                f"{member.side.label} has no stall: align the sides at their start."
            )
        return member.onset
    span = member.side.span or times_of(member.side.narrowed())
    if span is None:
        raise NotAlignedError(f"{member.side.label} holds nothing with a time.")
    return span.start


__all__ = ["MOST_RUNS", "MOST_SIDES", "Align", "Group", "Member", "NotAlignedError", "zero_of"]
