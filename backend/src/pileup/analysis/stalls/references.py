"""Compare each sample with the level of the samples before it: far below, or far above."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from pileup.analysis.stalls.indicators import Signal

_S = 1_000_000
_LEAST = 5
"""Fewest samples that show a level."""
_WINDOW_S, _LONGEST_S, _SAMPLES = 120, 1800, 30
"""The level is of two minutes, or of thirty samples of a slow series within half an hour."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Samples that are far from the level before them."""

    mask: list[bool]
    levels: list[float | None]
    """Median of the unmarked samples before each sample; None where they are few."""


def far_from_before(signal: Signal, is_far: Callable[[float, float, float], bool]) -> Marked:
    """Mark the samples that are far from the unmarked samples before them.

    is_far: decides from a value, and the median and the 95th percentile of those before. A daily
    change of the load moves that level along; a marked sample does not.
    """
    window = min(max(_WINDOW_S * _S, _SAMPLES * signal.interval_us), _LONGEST_S * _S)
    recent: deque[tuple[int, float]] = deque()
    ordered: list[float] = []
    mask: list[bool] = []
    levels: list[float | None] = []
    for time, value in zip(signal.times, signal.values, strict=True):
        enough = len(ordered) >= _LEAST
        level = ordered[len(ordered) // 2] if enough else None
        far = level is not None and is_far(value, level, ordered[(len(ordered) * 19) // 20])
        mask.append(far)
        levels.append(level)
        if far:
            continue
        recent.append((time, value))
        insort(ordered, value)
        while len(recent) > _LEAST and recent[0][0] < time - window:
            del ordered[bisect_left(ordered, recent.popleft()[1])]
    return Marked(mask, levels)


__all__ = ["Marked", "far_from_before"]
