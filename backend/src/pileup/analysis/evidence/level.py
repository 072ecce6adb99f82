"""A series' median before and during the stall."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    id: str
    series: str
    labels: str
    artifact: str
    before: float | None
    inside: float | None
    peak: float
    points: int
    since_start: bool = False
    """An average since the server started: no record shows how much it is now."""
    lowest: float | None = None
    """The lowest value inside; None: not measured."""
