"""Owner of a job: which process it is, whether it is gone, and whether its worker lives on.

An owner is 'machine|pid|start|worker pid|worker start'. Another process of the same machine (the
same boot, and the same namespace of pids) sees at once that it died; on other machines only the
lease shows it. Starts are counted from the boot, so that setting the clock changes nobody's name.
"""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from pathlib import Path

import psutil

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE = Path("/proc/self/ns/pid")


def owner() -> str:
    """Return the name of this process as the owner of jobs."""
    pid, worker = os.getpid(), os.getppid()
    return f"{machine()}|{pid}|{_started(pid)}|{worker}|{_started(worker)}"


def gone(name: str) -> bool:
    """Return whether that process is certainly dead; False when it lives or is unknown here."""
    place, pid, started, *_ = [*name.split("|"), "", ""]
    return _ended(place, pid, started)


def crashed(name: str) -> bool:
    """Return whether that process, which is gone, ended alone: its worker is alive."""
    place, _, _, pid, started = ([*name.split("|")] + [""] * 5)[:5]
    return place == machine() and pid.isdecimal() and not _ended(place, pid, started)


@lru_cache(maxsize=1)
def machine() -> str:
    """Return the host name, its boot, and the namespace of pids, where the platform has them."""
    boot = _BOOT.read_text().strip() if _BOOT.exists() else ""
    namespace = os.readlink(_NAMESPACE) if _NAMESPACE.exists() else ""
    return f"{socket.gethostname()}/{boot}/{namespace}".replace("|", "_")


def _ended(place: str, pid: str, started: str) -> bool:
    return place == machine() and pid.isdecimal() and _started(int(pid)) != started


def _started(pid: int) -> str:
    """Return when the process started, in ticks after the boot; elsewhere as psutil says."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return "dead"
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists():
            return stat.read_text().rpartition(")")[2].split()[19]
        return f"{process.create_time():.2f}"
    except (psutil.Error, OSError):
        return "dead"
