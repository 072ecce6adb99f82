"""Bound the memory and the CPU time of a process by the operating system, and name a broken bound.

Where the platform has no such limit (Windows, some containers), nothing is bounded.
"""

from __future__ import annotations

import signal
from pathlib import Path

import psutil

try:
    import resource
except ImportError:  # Windows
    _HAS_LIMITS = False
else:
    _HAS_LIMITS = True

_SHARE = 0.75
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_MIB = 1 << 20


def memory_bound(bytes_given: int) -> int:
    """Return the bound in bytes; for 0, three quarters of what machine and cgroup have."""
    if bytes_given:
        return bytes_given
    whole = int(psutil.virtual_memory().total)
    try:
        whole = min(whole, int(_CGROUP.read_text()))
    except (OSError, ValueError):  # no cgroup, or "max"
        pass
    return int(whole * _SHARE)


def bound_process(memory_bytes: int, cpu_s: int) -> None:
    """Bound this process: so many more bytes of data, and so many more seconds of CPU time.

    Past the memory bound allocations fail (MemoryError, or SIGABRT from native code); past the CPU
    bound the process gets SIGXCPU. Call it again before the next job: the bounds move along.
    """
    if not _HAS_LIMITS:
        return
    _bound(resource.RLIMIT_DATA, _data_bytes() + memory_bytes)
    used = resource.getrusage(resource.RUSAGE_SELF)
    _bound(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + cpu_s)


def death_words(code: int, memory_bytes: int, cpu_s: int) -> str:
    """Describe why a process ended with this exit code (negative: a signal)."""
    if code == -signal.SIGXCPU:
        return f"it needed more than {cpu_s} s of CPU time (PILEUP_JOB_CPU_S)"
    if code in (-signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV, MEMORY_CODE):
        return (
            f"its process ended ({_name(code)}), perhaps at its memory limit of "
            f"{memory_bytes // _MIB} MiB (PILEUP_JOB_MEMORY_BYTES)"
        )
    return f"its process ended ({_name(code)})"


MEMORY_CODE = 77
"""Exit code of our processes after a MemoryError."""


def _bound(limit: int, wanted: int) -> None:
    _, hard = resource.getrlimit(limit)
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(limit, (soft, hard))
    except (ValueError, OSError):  # the platform has the constant but not the limit
        pass


def _data_bytes() -> int:
    """Return what the limit already counts: private writable memory, mapped threads included."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return int(psutil.Process().memory_info().rss)


def _name(code: int) -> str:
    if code >= 0:
        return "out of memory" if code == MEMORY_CODE else f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


__all__ = ["MEMORY_CODE", "bound_process", "death_words", "memory_bound"]
