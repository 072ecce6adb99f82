"""Recognise the series that show a database server: its sessions, its work, its errors."""

from __future__ import annotations

from typing import Literal

from pileup.analysis.evidence.series import short_name

Role = Literal[
    "concurrency", "throughput", "latency", "connected", "refused", "errors", "deadlocks"
]
"""What a series shows: sessions inside the server, statements per second, time per statement,
open connections, connections refused at max_connections, other errors and deadlocks per second."""


def shows_load(series: str, labels: str = "") -> bool:
    """Return whether a series shows sessions inside a server, its work or its latency."""
    role = role_of(series, labels)
    return role is not None and role[0] in OF_LOAD


def role_of(series: str, labels: str = "") -> tuple[Role, float] | None:
    """Return the role of a series and its trust, 0..1; None for any other series."""
    name = short_name(series, labels)
    if series in _PART_OF_WORK:
        return None
    if series in _ROLES:
        return _ROLES[series]
    if name in _ROLES:
        return _ROLES[name]
    if any(word in name for word in _LATENCY) and not any(word in name for word in _OTHER_LATENCY):
        return "latency", 0.3
    return None


_ROLES: dict[str, tuple[Role, float]] = {
    **dict.fromkeys(("threads_running", "threads_running_avg"), ("concurrency", 1.0)),
    "processlist.running": ("concurrency", 0.8),
    **dict.fromkeys(
        ("active_connections", "active_sessions", "running_threads", "concurrency"),
        ("concurrency", 0.7),
    ),
    "innodb.active_transactions": ("concurrency", 0.5),
    "innodb.lock_wait_transactions": ("concurrency", 0.45),
    "innodb.semaphore_waits": ("concurrency", 0.45),
    **dict.fromkeys(
        ("qps", "questions", "queries", "tps", "queries_per_second", "qps_total"),
        ("throughput", 0.4),
    ),
    "threads_connected": ("connected", 1.0),
    "connection_errors_max_connections": ("refused", 1.0),
    "aborted_connects": ("errors", 0.8),
    **dict.fromkeys(("innodb_deadlocks", "lock_deadlocks"), ("deadlocks", 1.0)),
    **dict.fromkeys(
        (
            "errors", "query_errors", "error_rate", "failed_connects", "connection_errors",
            "connect_errors",
        ),
        ("errors", 0.6),
    ),
}  # fmt: skip
"""Full series name, or short name, to its role and trust."""
_PART_OF_WORK = frozenset({"slow_log.queries"})
"""Full names of series that are called like all work, and count a part of it."""
_LATENCY = ("latency", "response_time", "p95", "p99")
_OTHER_LATENCY = (
    "disk", "read_latency", "readlatency", "write_latency", "writelatency", "io_", "_io", "fsync",
    "flush", "network", "ping", "replica", "lag", "count", "connect",
)  # fmt: skip
"""Parts of names of latencies that are not a statement's."""
OF_LOAD: tuple[Role, ...] = ("concurrency", "throughput", "latency")


__all__ = ["OF_LOAD", "Role", "role_of", "shows_load"]
