"""Read the statement digests among the tables: performance_schema's, sys's and pt-query-digest's.

Digests have no time of their own: they say what a server mostly does, not what it did in a stall.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pileup import quantities
from pileup.analysis.evidence.evidence import Evidence

_TEXTS = ("digest_text", "query", "fingerprint", "query_sample_text", "item")
_CALLS = ("count_star", "calls", "exec_count", "cnt", "count")
_TOTALS = {"response_s": 1.0, "sum_timer_wait": 1e-12, "total_latency": 1e-12, "sum_time": 1e-6}
"""Columns with the whole time of a digest, and their unit in seconds where none is printed."""
_EACH = "response_per_call_s"
"""A column with the mean, which tells the calls where somebody left out their number."""
_LOCKS = {"lock_s": 1.0, "sum_lock_time": 1e-12, "lock_latency": 1e-12}
_MOST = 2_000
"""Rows of a table."""


@dataclass(frozen=True, slots=True)
class Digest:
    """A statement's digest, how often it was called, and the record of its table."""

    text: str
    calls: float
    table: dict[str, Any]
    total_s: float | None = None
    """Seconds that all its calls took; None: not in the table."""
    lock_s: float | None = None


def digests(evidence: Evidence) -> list[Digest]:
    """List the digests of all tables that have texts and counts."""
    frame = evidence.frame("table")
    if frame is None:
        return []
    return [digest for table in frame.iter_rows(named=True) for digest in _rows(table)]


def _rows(table: dict[str, Any]) -> Iterator[Digest]:
    columns = [name.lower() for name in table["columns"]]
    texts = [columns.index(name) for name in _TEXTS if name in columns]
    calls, total, lock = (_first(columns, names) for names in (_CALLS, _TOTALS, _LOCKS))
    if not texts or calls is None:
        return
    each = _first(columns, (_EACH,))
    for row in table["rows"][:_MOST]:
        text = next((row[at] for at in texts if row[at]), None)
        taken = _seconds(row, columns, total, _TOTALS)
        count = _number(row[calls])
        if count is None and taken and each is not None and (mean := _number(row[each])):
            count = round(taken / mean)
        if text and count is not None:
            yield Digest(text, count, table, taken, _seconds(row, columns, lock, _LOCKS))


def _seconds(
    row: Sequence[str | None], columns: Sequence[str], at: int | None, units: Mapping[str, float]
) -> float | None:
    return None if at is None else quantities.seconds(row[at] or "", bare=units[columns[at]])


def _first(columns: Sequence[str], names: Iterable[str]) -> int | None:
    return next((columns.index(name) for name in names if name in columns), None)


def _number(text: str | None) -> float | None:
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None


__all__ = ["Digest", "digests"]
