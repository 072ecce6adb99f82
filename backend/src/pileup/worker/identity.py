"""Owner of a job: which process it is, and whether that process is gone.

An owner is 'machine|pid|start time'. Another process of the same machine (and the same namespace
of pids) sees at once that it died; on other machines only the lease shows it.
"""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from pathlib import Path

import psutil


def owner() -> str:
    """Return the name of this process as the owner of jobs."""
    pid = os.getpid()
    return f"{machine()}|{pid}|{_started(pid)}"


def gone(name: str) -> bool:
    """Return whether that process is certainly dead; False when it lives or is unknown here."""
    place, _, rest = name.rpartition("|")
    place, _, pid = place.rpartition("|")
    if place != machine() or not pid.isdecimal():
        return False
    return _started(int(pid)) != rest


@lru_cache(maxsize=1)
def machine() -> str:
    """Return the host name, and the namespace of pids where the platform has them."""
    namespace = Path("/proc/self/ns/pid")
    inside = os.readlink(namespace) if namespace.exists() else ""
    return f"{socket.gethostname()}{inside}".replace("|", "_")


def _started(pid: int) -> str:
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return "dead"
        return f"{process.create_time():.2f}"
    except psutil.Error:
        return "dead"
