"""Statements of a slow log that spent most of their time waiting for locks.

Lock_time is the wait for table locks, metadata locks and, in InnoDB, row locks together: the log
does not say which. A plain read waits for no row, so reads that wait tell metadata and table locks.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from pileup.analysis.evidence.statements import LOCKS_ROWS
from pileup.analysis.findings.seen import NO_DATA, Seen
from pileup.analysis.findings.slow_queries import at_once, overlaps
from pileup.analysis.findings.stall_records import StallRecords
from pileup.analysis.findings.words import clip, count
from pileup.numerals import number

Who = Literal["reads", "changes"]

MOSTLY = 0.5
"""The share of its time from which on a statement waited for locks more than it worked."""
LEAST_S = 1.0
"""Shorter waits tell nothing: busy servers have such."""
_LENGTH = 1000
_SHOWN = 120
_READ = r"(?is)^[\s(]*(?:/\*[^*]{0,500}\*/\s{0,20})?(?:select|with|show)\b"


def waited(records: StallRecords, who: Who) -> Seen:
    """Count the statements, most at once, that waited for locks most of their time.

    who: plain reads, or all others. The share is of all that waited so.
    """
    frame = records.context.evidence.frame("query")
    if frame is None or frame["lock_time_s"].drop_nulls().is_empty():
        return NO_DATA
    locked = frame.with_columns(_text=pl.col("query").fill_null("").str.slice(0, _LENGTH)).filter(
        (pl.col("lock_time_s") >= LEAST_S)
        & (pl.col("lock_time_s") >= MOSTLY * pl.col("query_time_s"))
        & ~pl.col("administrator")
    )
    if (stall := records.context.stall) is not None:
        locked = locked.filter(overlaps(stall))
    reads = pl.col("_text").str.contains(_READ) & ~pl.col("_text").str.contains(LOCKS_ROWS)
    mine = locked.filter(reads if who == "reads" else ~reads)
    if mine.is_empty():
        return Seen(False)
    timed = mine.filter(pl.col("time").is_not_null())
    most = mine.height if timed.is_empty() else at_once(timed)
    row = mine.filter(pl.col("lock_time_s") == pl.col("lock_time_s").max()).row(0, named=True)
    text = (
        f"{count(mine.height, 'statement', 'statements')} of the slow log waited for locks most of "
        f"the time, {clip(row['_text'], _SHOWN)} for up to "
        f"{number(row['lock_time_s'])} s"
    )
    share = mine.height / locked.height
    where = (records.lines(row, text),)
    return Seen(True, most, share, text, where, longest=row["lock_time_s"])


__all__ = ["waited"]
