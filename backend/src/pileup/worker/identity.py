"""Which process owns a job, and whether that process is gone.

An owner is 'machine|pid|start time'. Another process of the same machine (and the same namespace
of pids) can tell at once that it died; from elsewhere only the lease tells.
"""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from pathlib import Path

import psutil


def owner() -> str:
    """The name of this process as the owner of jobs."""
    pid = os.getpid()
    return f"{machine()}|{pid}|{_started(pid)}"


def gone(name: str) -> bool:
    """Whether that process is certainly dead. False when it lives or nobody here can know."""
    place, _, rest = name.rpartition("|")
    place, _, pid = place.rpartition("|")
    if place != machine() or not pid.isdecimal():
        return False
    return _started(int(pid)) != rest


@lru_cache(maxsize=1)
def machine() -> str:
    """Host name, and the namespace of pids where the platform has them."""
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
