"""How long something computes. CPU time: on a busy machine a wall clock tells of its neighbours."""

from __future__ import annotations

import time
from collections.abc import Callable


def cpu_seconds(run: Callable[[], object]) -> float:
    """CPU seconds of this process in ``run``; never 0."""
    began = time.process_time()
    run()
    return max(time.process_time() - began, 1e-6)


def growth(small: Callable[[], object], large: Callable[[], object]) -> float:
    """How many times longer ``large`` computes; the best of three of each, after one to warm up."""
    small()
    return min(cpu_seconds(large) for _ in range(3)) / min(cpu_seconds(small) for _ in range(3))
