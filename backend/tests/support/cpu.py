"""Measure computation in CPU time, because other processes affect wall time."""

from __future__ import annotations

import time
from collections.abc import Callable


def cpu_seconds(run: Callable[[], object]) -> float:
    """Return the CPU seconds that ``run`` takes; never 0."""
    began = time.process_time()
    run()
    return max(time.process_time() - began, 1e-6)


def growth(small: Callable[[], object], large: Callable[[], object]) -> float:
    """Return the ratio of the time of ``large`` to ``small``; best of three after a warm-up."""
    small()
    return min(cpu_seconds(large) for _ in range(3)) / min(cpu_seconds(small) for _ in range(3))
