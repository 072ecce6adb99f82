"""Measure computation in CPU time, because other processes affect wall time."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial


def cpu_seconds(run: Callable[[], object]) -> float:
    """Return the CPU seconds that ``run`` takes; never 0."""
    began = time.process_time()
    run()
    return max(time.process_time() - began, 1e-6)


_TICK_S = 0.01
"""What a clock of CPU time may be off by: some kernels count whole ticks."""


def seconds_per_run(run: Callable[[], object]) -> float:
    """Return the CPU seconds of one run, repeated until a clock that counts ticks can tell."""
    runs = 1
    while True:
        seconds = cpu_seconds(partial(_repeat, run, runs))
        if seconds >= 5 * _TICK_S:
            return seconds / runs
        runs *= 4


def _repeat(run: Callable[[], object], runs: int) -> None:
    for _ in range(runs):
        run()


def growth(small: Callable[[], object], large: Callable[[], object]) -> float:
    """Return the ratio of the time of ``large`` to ``small``; best of three after a warm-up.

    They take turns: a processor that gets slower between them would change the ratio.
    """
    small()
    times = [(seconds_per_run(small), seconds_per_run(large)) for _ in range(3)]
    return min(slow for _, slow in times) / min(fast for fast, _ in times)
