"""Sessions by wait event: the load of Performance Insights, or a list of events with counts.

A dashboard says how many sessions are in a wait on average, and names neither session nor holder.
It answers where no record lists waits. What an instrument means is knowledge, not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import polars as pl

from pileup.analysis.evidence.levels import Level
from pileup.analysis.findings.seen import NO_DATA, Seen
from pileup.analysis.findings.stall_records import StallRecords
from pileup.analysis.findings.words import count
from pileup.analysis.stacks import instruments
from pileup.knowledge import knowledge
from pileup.numerals import number

SERIES = "active_sessions"
# Performance Insights prints an event without "wait/"
_EVENT = re.compile(r"(?:^|[=,])(?:wait/)?((?:io|lock|synch)/[^,]{2,100})")
_KINDS = {
    "metadata_lock": re.compile(
        r"wait/lock/metadata/|wait/synch/cond/sql/MDL_context::COND_wait_status"
    ),
    "table_lock": re.compile(r"wait/lock/table/"),
    "row_lock": re.compile(
        r"wait/synch/cond/innodb/row_lock_wait"
        r"|wait/synch/mutex/innodb/aurora_lock_thread_slot_futex"
    ),
    "commit": re.compile(
        r"wait/io/(?:aurora_)?redo_log_flush|wait/io/file/(?:sql/binlog|innodb/innodb_log_file)"
        r"|wait/synch/cond/sql/.{0,60}COND_(?:done|flush_queue)"
    ),
}
_WORDS = {
    "metadata_lock": "a metadata lock",
    "table_lock": "a table lock",
    "row_lock": "a row lock",
    "commit": "the flush of a commit",
}


def latches(records: StallRecords, ids: Collection[str], named: str) -> Seen:
    """Return how many sessions wait for one of these latches, of all that are active."""
    events = _events(records)
    if not events:
        return NO_DATA
    return _seen(records, [row for row in events if _latch(_event(row)) in ids], f"the {named}")


def kind(records: StallRecords, of: str) -> Seen:
    """Return how many sessions wait for a kind of resource, of all that are active."""
    pattern = _KINDS.get(of)
    events = _events(records)
    if pattern is None or not events:
        return NO_DATA
    return _seen(records, [row for row in events if pattern.match(_event(row))], _WORDS[of])


def timed(
    records: StallRecords, rows: Sequence[dict[str, Any]], ids: Collection[str], named: str
) -> Seen:
    """Return how much of the waiting for latches since the server's start was for these.

    rows: see ``timed_waits``. Its share is known, how many wait at once is not.
    """
    matching = [row for row in rows if row["latch"] in ids]
    seconds = sum(row["value"] for row in matching)
    if seconds < _LONG_S:
        return NO_DATA
    share = seconds / sum(row["value"] for row in rows)
    text = (
        f"threads waited {number(seconds)} s for the {named} since the times began, by "
        f"performance_schema ({share:.0%} of the waits for latches that it lists)"
    )
    where = records.lines({**matching[0], "line_last": matching[0]["line_first"]}, text)
    return Seen(True, max(1, round(_AS_MANY * share)), share, text, (where,), estimated=True)


def timed_waits(records: StallRecords) -> list[dict[str, Any]]:
    """Return the time that was waited for each latch since the server's start, in seconds."""
    frame = records.context.evidence.frame("sample")
    if frame is None:
        return []
    rows = (
        frame.with_columns(pl.col("series", "labels").cast(pl.String))
        .filter(
            pl.col("series").str.ends_with(_TIMED)
            & pl.col("labels").str.contains(_LATCHES)
            & (pl.col("value") > 0)
        )
        .group_by("artifact", "labels", maintain_order=True)
        .agg(pl.col("value").max(), pl.col("line_first").last())
        .to_dicts()
    )
    return [row | {"latch": _latch(_event_of(row["labels"]))} for row in rows]


_TIMED = ".sum_timer_wait"
_LATCHES = r"wait/synch/(?:mutex|rwlock|sxlock|prlock)/"
_LONG_S, _AS_MANY = 60.0, 4
"""Seconds in all that tell anything, and as how many waiters all of the waiting counts."""


def _seen(records: StallRecords, matching: list[Level], what: str) -> Seen:
    sessions = sum(row.inside or 0.0 for row in matching)
    at_once = round(sessions)
    if not at_once:
        return Seen(False)
    text = f"{count(at_once, 'session waits', 'sessions wait')} for {what}, by their wait events"
    top = max(matching, key=lambda row: row.inside or 0.0)
    share = sessions / sum(row.inside or 0.0 for row in records.levels_named([SERIES]))
    return Seen(True, at_once, share, text, (records.series(top, text),), estimated=True)


def _events(records: StallRecords) -> list[Level]:
    return [row for row in records.levels_named([SERIES]) if _event(row)]


def _event(level: Level) -> str:
    return _event_of(level.labels)


def _event_of(labels: str) -> str:
    match = _EVENT.search(labels)
    return f"wait/{match[1]}" if match else ""


def _latch(event: str) -> str:
    """Return the id of the latch that an event waits for; '' without a known one."""
    name = instruments.latch_of(event) or ""
    latch = knowledge().latch_for(name.rpartition("::")[2]) or knowledge().latch_for(name)
    return latch.id if latch is not None else ""


__all__ = ["kind", "latches", "timed", "timed_waits"]
