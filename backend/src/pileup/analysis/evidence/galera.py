"""Tell whether a server is a node of a Galera cluster, by whatever the evidence shows of it."""

from __future__ import annotations

import polars as pl

from pileup.analysis.evidence.context import Context

_STATE = r"(?i)^(?:wsrep\b|waiting for (?:certification|toi ddl|flow control)$)"
_SPEAKS = r"(?i)\bwsrep[_:]"
"""A statement that asks for the cluster's state, or a line of the log."""
_SHOWN = (
    ("session", "state", _STATE),
    ("session", "query", _SPEAKS),
    ("event", "message", _SPEAKS),
)
_NAMES = (
    "wsrep_provider",
    "status.wsrep_cluster_status",
    "status.wsrep_local_state_comment",
    "status.wsrep_provider_name",
    "status.wsrep_incoming_addresses",
)
_NONE = ("", "none", "disconnected", "off", "0")


def is_node(context: Context) -> bool:
    """Return whether States, statements, log lines, settings or the version are those of a node.

    MariaDB has the variables everywhere: ``wsrep_on`` decides where it is printed.
    """
    if (on := context.setting("wsrep_on")) is not None:
        return on.upper() in ("ON", "1")
    if any((context.setting(name) or "").lower() not in _NONE for name in _NAMES):
        return True
    if "wsrep" in (context.server.version or "").lower():
        return True
    return any(_shows(context.evidence.frame(kind), *of) for kind, *of in _SHOWN)


def _shows(frame: pl.DataFrame | None, column: str, pattern: str) -> bool:
    return frame is not None and bool(frame[column].str.contains(pattern).any())


__all__ = ["is_node"]
