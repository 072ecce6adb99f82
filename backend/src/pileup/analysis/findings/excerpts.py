"""Tell a few rows or lines that somebody picked from what a collector printed whole.

Two threads of a server's sixty, or one row of its list, show what they show: what is not among
them may well be among the others, so nothing is ruled out by them.
"""

from __future__ import annotations

import polars as pl

from pileup.analysis.evidence.evidence import Evidence

_FEW_THREADS = 8
"""Fewer threads no server has that runs: its background threads alone are more."""
_FEW = 2
"""Sessions of a list, or waits and transactions of a part of a dump: at most."""
_FEW_LINES = 20
"""Lines of a log: the start of a server alone prints more."""
_WITH_LINES = frozenset({"event", "setting", "table"})
"""Records that such lines give: what an entry names, and the version that it prints."""
_ROWS = ("session", "semaphore_wait", "transaction")
_WITH_THEM = frozenset({*_ROWS, "snapshot", "stack", "trx_lock", "setting", "sample", "table"})
"""Records that such rows give; any other one tells more."""


def is_part(evidence: Evidence) -> bool:
    """Return whether the evidence is but a few stacks, lines, rows of a list or parts of a dump."""
    if _is_few_lines(evidence):
        return True
    moments = evidence.frame("snapshot")
    if moments is None or _has_more(evidence):
        return False
    whole = (pl.col("kind") == "innodb_status") & pl.col("complete")
    if moments.filter(whole.fill_null(False)).height:
        return False
    rows = [frame.height for kind in _ROWS if (frame := evidence.frame(kind)) is not None]
    stacks = evidence.frame("stack")
    threads = int(stacks["count"].sum()) if stacks is not None else 0
    return (threads or sum(rows)) > 0 and sum(rows) <= _FEW and threads < _FEW_THREADS


def _is_few_lines(evidence: Evidence) -> bool:
    """Return whether there is nothing but a few lines of a log.

    A log without a message shows that it was not written; what somebody copied out of it does not.
    """
    lines = evidence.frame("event")
    if lines is None or lines.height > _FEW_LINES:
        return False
    return not evidence.frames.keys() - _WITH_LINES


def _has_more(evidence: Evidence) -> bool:
    """Return whether there are logs or measurements besides what the moments count."""
    if any(evidence.frame(kind) is not None for kind in evidence.frames.keys() - _WITH_THEM):
        return True
    samples = evidence.frame("sample")
    if samples is None:
        return False
    counted = pl.col("series").cast(pl.String).str.contains(_OF_MOMENTS)
    return samples.filter(~counted.fill_null(False)).height > 0


_OF_MOMENTS = r"^((processlist|stacks?)\.|innodb\.((reservation|signal)_count|semaphore_waits)$)"
"""Series that are counted from a list or a sample of stacks, or stand above the waits of a dump."""
