"""What became of a holder when the stall ended, from the processlists around the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from pileup.analysis.contract import RootDoc, StallDoc
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.times import parse

_NEAR_US = 5_000_000
"""The holder let go about when the stall ended; the queue behind it may take a moment longer."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The last listing before the change, and what changed."""

    how: Literal["gone", "finished"]
    """gone: the session ended, by itself or killed. finished: it does something else."""
    after: int
    """Time of the last list that shows the session as it was (UTC µs)."""
    before: int
    """Time of the first list that does not."""


def ending(evidence: Evidence, stall: StallDoc | None, root: RootDoc | None) -> Ending | None:
    """Return how the root let go; None if it is no session, or no list shows it."""
    if stall is None or stall.end is None or root is None or root.session_id is None:
        return None
    frame = evidence.frame("session")
    if frame is None or frame.is_empty():
        return None
    onset, end = parse(stall.onset), parse(stall.end)
    rows = frame.filter(pl.col("time") >= onset)
    if stall.host is not None:
        rows = rows.filter(pl.col("host").is_null() | (pl.col("host") == stall.host))
    lists = rows["time"].unique().sort().to_list()
    mine = rows.filter(pl.col("session_id") == root.session_id)
    shown = dict(mine.select("time", "query").iter_rows())
    as_it_was = [time for time in lists if time in shown and _same(shown[time], root.statement)]
    if not as_it_was:
        return None
    last = as_it_was[-1]
    later = next((time for time in lists if time > last), None)
    if later is None or not last - _NEAR_US <= end <= later + _NEAR_US:
        return None
    return Ending("finished" if later in shown else "gone", last, later)


def _same(query: str | None, statement: str | None) -> bool:
    """Return whether a listed query is the statement of the root, which may be cut."""
    if not query or not statement:
        return not query and not statement
    listed, known = (" ".join(text.split()) for text in (query, statement))
    return listed.startswith(known[:80]) or known.startswith(listed[:80])


__all__ = ["Ending", "ending"]
