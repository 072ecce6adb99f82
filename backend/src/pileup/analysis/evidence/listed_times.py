"""Tell what the Time of a processlist means: a statement's age, or how far an applier is behind.

The server sets the clock of a replication thread to that of the source's event: its Time is how far
it is behind, or the seconds since the last event, and never how long it has waited for something.
The appliers of a Galera cluster have no such clock.
"""

from __future__ import annotations

import polars as pl

from pileup.analysis.evidence.actors import Row
from pileup.knowledge import wait_classes

_USER = "system user"
_COMMANDS = ("slave_worker", "slave_sql", "replica_worker", "replica_sql")
_GALERA = ("wsrep", "waiting for certification", "waiting for toi", "waiting for flow control")
_OF_LAG = (wait_classes.WORKING, wait_classes.UNKNOWN, wait_classes.IDLE)
"""Classes of States whose Time is read as that: an applier at work, and how far it is behind."""


def is_replication(user: str | None, command: str | None, state: str | None) -> bool:
    """Return whether a thread replicates from a source by the binary log."""
    verb = (command or "").lower()
    if verb in _COMMANDS:
        return True
    is_system = user == _USER and verb != "sleep"
    return is_system and not (state or "").lower().startswith(_GALERA)


def waited_s(session: Row | None) -> float | None:
    """Return for how long a listed session waits at most; None where its Time does not tell."""
    if session is None or is_replication(session["user"], session["command"], session["state"]):
        return None
    seconds = session["time_s"]
    return None if seconds is None else float(seconds)


def without_lags(sessions: pl.DataFrame) -> pl.DataFrame:
    """Return the sessions without the Time of replication threads that wait."""
    columns = ["user", "command", "state"]
    lags = [
        row
        for row in sessions.select(columns).unique().iter_rows(named=True)
        if is_replication(row["user"], row["command"], row["state"])
        and wait_classes.of_state(row["command"], row["state"]) not in _OF_LAG
        and not _of_coordinator(row["state"])
    ]
    if not lags:
        return sessions
    schema = {**dict.fromkeys(columns, pl.String), "lags": pl.Boolean}
    table = pl.DataFrame([{**row, "lags": True} for row in lags], schema=schema)
    marked = sessions.join(table, on=columns, how="left", nulls_equal=True, maintain_order="left")
    seconds = pl.when(pl.col("lags").is_null()).then(pl.col("time_s"))
    return marked.with_columns(seconds.alias("time_s")).drop("lags")


def _of_coordinator(state: str | None) -> bool:
    """Return whether the coordinator waits for its workers: its lag is then the problem itself."""
    return "worker" in (state or "").lower()


__all__ = ["is_replication", "waited_s", "without_lags"]
