"""Run a command and measure it: seconds on the clock, seconds of CPU, peak memory.

The peak is the largest resident set of any one process of the command (``ru_maxrss`` of wait4), so
of a pipeline its largest member. The bench itself stays small: a child's peak counts the memory of
the process that started it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """Time and memory of a command; ``output`` is its standard output if it was kept."""

    seconds: float
    cpu_s: float
    peak_bytes: int
    output: str
    failed: str | None


def measure(
    command: Sequence[str],
    *,
    stdin: Path | None = None,
    keep_output: bool = False,
    limit_s: float = 900,
) -> Measured:
    """Run a command to its end or to the limit, and measure it."""
    with open(stdin or os.devnull, "rb") as source:
        before = time.perf_counter()
        child = subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.PIPE if keep_output else subprocess.DEVNULL,
            stderr=subprocess.PIPE if keep_output else subprocess.DEVNULL,
            start_new_session=True,
        )
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(child.pid, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, limit_s)
        output = child.stdout.read().decode("utf-8", "replace") if child.stdout else ""
        errors = child.stderr.read().decode("utf-8", "replace") if child.stderr else ""
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - before
        signal.setitimer(signal.ITIMER_REAL, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    failed = None
    if child.returncode == -signal.SIGKILL:
        failed = f"stopped after {seconds:.0f} s"
    elif child.returncode != 0:
        failed = (errors.strip().splitlines() or [f"exit status {child.returncode}"])[-1]
    cpu = usage.ru_utime + usage.ru_stime
    return Measured(seconds, cpu, usage.ru_maxrss * _UNIT, output, failed)
