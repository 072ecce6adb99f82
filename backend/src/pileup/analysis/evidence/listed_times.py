"""Tell what the Time of a processlist means: a statement's age, or how far an applier is behind.

The server sets the clock of a replication thread to that of the source's event: its Time is how far
it is behind, or the seconds since the last event. A thread of a replica that keeps up comes to wait
as its event arrives, so that somebody else is about as old: who blocks it, or who waits with it. A
Time that no other session bears out says nothing of the wait. The appliers of a Galera cluster have
no such clock.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from pileup.analysis.evidence.evidence import Evidence
from pileup.knowledge import wait_classes

_USER = "system user"
_COMMANDS = ("slave_worker", "slave_sql", "replica_worker", "replica_sql")
_GALERA = ("wsrep", "waiting for certification", "waiting for toi", "waiting for flow control")
_OF_LAG = (wait_classes.WORKING, wait_classes.UNKNOWN, wait_classes.IDLE)
"""Classes of States whose Time is read as that: an applier at work, and how far it is behind."""
_NEAR_S, _NEAR = 5.0, 0.1
"""Another session is about as old: within so many seconds, or this part of the Time."""
_MOMENT = ("artifact", "snapshot", "time")


def is_replication(user: str | None, command: str | None, state: str | None) -> bool:
    """Return whether a thread replicates from a source by the binary log."""
    verb = (command or "").lower()
    if verb in _COMMANDS:
        return True
    is_system = user == _USER and verb != "sleep"
    return is_system and not (state or "").lower().startswith(_GALERA)


def without_lags(evidence: Evidence) -> Evidence:
    """Return the evidence without the Times of waiting appliers that nothing bears out."""
    frame = evidence.frame("session")
    if frame is None or frame.is_empty():
        return evidence
    sessions = of_waits(frame)
    if sessions is frame:
        return evidence
    return replace(evidence, frames={**evidence.frames, "session": sessions})


def of_waits(sessions: pl.DataFrame) -> pl.DataFrame:
    """Return the sessions with the Time of each only where it may be the length of its wait."""
    columns = ["user", "command", "state"]
    kinds = sessions.select(columns).unique()
    known = [(row, is_replication(*row)) for row in kinds.iter_rows()]
    if not any(_waits(command, state) for (_, command, state), applies in known if applies):
        return sessions
    table = pl.DataFrame(
        [(*row, applies, applies and _waits(*row[1:])) for row, applies in known],
        schema={**dict.fromkeys(columns, pl.String), "applies": pl.Boolean, "lags": pl.Boolean},
        orient="row",
    )
    marked = sessions.with_row_index("at").join(
        table, on=columns, how="left", nulls_equal=True, maintain_order="left"
    )
    moment = [pl.col(name).cast(pl.String).fill_null("") for name in _MOMENT]
    timed = marked.select("at", "applies", "lags", *moment, pl.col("time_s").cast(pl.Float64))
    timed = timed.drop_nulls("time_s").sort("time_s", maintain_order=True)
    others = timed.filter(~pl.col("applies")).select(
        *_MOMENT, "time_s", pl.col("time_s").alias("other")
    )
    near = timed.filter("lags").join_asof(
        others, on="time_s", by=list(_MOMENT), strategy="nearest", check_sortedness=False
    )
    reach = pl.max_horizontal(pl.lit(_NEAR_S), pl.col("time_s") * _NEAR)
    borne_out = (pl.col("other") - pl.col("time_s")).abs() <= reach
    gone = near.filter(~borne_out.fill_null(False))["at"]
    if not gone.len():
        return sessions
    keeps = pl.when(~pl.col("at").is_in(gone.implode())).then(pl.col("time_s"))
    return marked.with_columns(keeps.alias("time_s")).drop("at", "applies", "lags")


def stood(threads: pl.DataFrame, lists: pl.DataFrame) -> pl.Series:
    """Return for how long each thread was in its State (s): by its Time, or by lists in a row.

    The clock of an applier starts again with each event, so that its Time may stay at nothing while
    it does the same in list after list. threads: rows of ``lists``, which has all sessions of each.
    """
    moments = lists.select("artifact", "time").drop_nulls("time").unique()
    numbered = moments.sort("artifact", "time").with_columns(
        pl.int_range(pl.len()).over("artifact").alias("number")
    )
    thread = ["artifact", "session_id"]
    rows = (
        threads.with_row_index("at")
        .join(numbered, on=["artifact", "time"], how="left", maintain_order="left")
        .sort("artifact", "session_id", "number", maintain_order=True)
    )
    goes_on = (pl.col("number").diff() == 1) & pl.col("state").eq_missing(pl.col("state").shift())
    begins = ~goes_on.over(thread).fill_null(False)
    rows = rows.with_columns(begins.cum_sum().alias("run"))
    seen = (pl.col("time") - pl.col("time").min().over("run")) / 1e6
    known = pl.col("session_id").is_not_null()
    longest = pl.max_horizontal("time_s", pl.when(known).then(seen))
    return rows.with_columns(longest.alias("stood")).sort("at")["stood"]


def _waits(command: str | None, state: str | None) -> bool:
    """Return whether an applier waits; a coordinator that does has its lag as the problem."""
    of_coordinator = "worker" in (state or "").lower()
    return not of_coordinator and wait_classes.of_state(command, state) not in _OF_LAG


__all__ = ["is_replication", "of_waits", "stood", "without_lags"]
