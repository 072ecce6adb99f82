"""Find where a signal left its baseline for good: the onset of a collapse that takes its time.

Detection marks samples that are far from the baseline. On a slow ramp the first of them comes late:
the onset is where the ramp begins.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

_REACH = 60
"""Samples before the first marked one that are searched."""
_LEAST = 5
"""Fewest samples that show a baseline."""
PLATEAU, _BLOCK = 15, 5
"""Samples of a plateau on the way, which is then the baseline; it is judged in blocks."""
_RAMP = 5
"""Samples of a ramp: its beginning is still within the scatter of the baseline."""
_BAND = 0.15
"""Narrowest band around the baseline, in doublings: a tenth."""
_FLAT = 0.2
"""A plateau varies less than this, in doublings."""


def left_baseline(values: Sequence[float], first: int, earliest: int, *, falls: bool) -> int:
    """Return the index at which the values left their baseline on the way to ``first``.

    first: index of the first sample that is far away. earliest: index at which the search ends,
    such as the end of an earlier stall. falls: the signal falls; otherwise it rises.
    """
    start = max(earliest, first - _REACH)
    if first - start < _LEAST:
        return first
    sign = -1.0 if falls else 1.0
    logs = [sign * math.log2(1 + max(value, 0.0)) for value in values[start : first + 1]]
    noise = _noise(logs[:-1])
    smooth = _smoothed(logs)
    level = sorted(logs[:-1])[(len(logs) - 1) // 5]
    band = level + max(_BAND, 3 * noise)
    at = len(logs) - 1
    while at > 0 and smooth[at - 1] > band and logs[at - 1] > band:
        plateau = logs[max(0, at - PLATEAU) : at]
        if len(plateau) == PLATEAU and min(plateau) > band and _is_flat(plateau, noise):
            break
        at -= 1
    if at >= _LEAST and len(logs) - 1 - at >= _RAMP:
        middle = statistics.median(logs[max(0, at - 2 * PLATEAU) : at])
        while at > 0 and smooth[at - 1] > middle + noise / 2:
            at -= 1
    return start + at


def _is_flat(logs: Sequence[float], noise: float) -> bool:
    blocks = [statistics.median(logs[at : at + _BLOCK]) for at in range(0, len(logs), _BLOCK)]
    return max(blocks) - min(blocks) < max(_FLAT, noise)


def _noise(logs: Sequence[float]) -> float:
    """Return the standard deviation around a trend, by the bends between neighbours; robust."""
    bends = [a - 2 * b + c for a, b, c in zip(logs, logs[1:], logs[2:], strict=False)]
    return 1.4826 * statistics.median(abs(bend) for bend in bends) / math.sqrt(6)


def _smoothed(logs: Sequence[float]) -> list[float]:
    return [
        statistics.median(logs[max(0, at - 1) : at + 2]) if 0 < at < len(logs) - 1 else value
        for at, value in enumerate(logs)
    ]


__all__ = ["PLATEAU", "left_baseline"]
