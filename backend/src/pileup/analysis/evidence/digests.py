"""Read the statement digests among the tables: performance_schema's, sys's and pt-query-digest's.

Digests have no time of their own: they say what a server mostly does, not what it did in a stall.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pileup.analysis.evidence.evidence import Evidence

_TEXTS = ("digest_text", "query", "fingerprint", "query_sample_text")
_CALLS = ("count_star", "calls", "exec_count", "cnt", "count")
_MOST = 2_000
"""Rows of a table."""


@dataclass(frozen=True, slots=True)
class Digest:
    """A statement's digest, how often it was called, and the record of its table."""

    text: str
    calls: float
    table: dict[str, Any]


def digests(evidence: Evidence) -> list[Digest]:
    """List the digests of all tables that have texts and counts."""
    frame = evidence.frame("table")
    if frame is None:
        return []
    return [digest for table in frame.iter_rows(named=True) for digest in _rows(table)]


def _rows(table: dict[str, Any]) -> Iterator[Digest]:
    columns = [name.lower() for name in table["columns"]]
    text, calls = _first(columns, _TEXTS), _first(columns, _CALLS)
    if text is None or calls is None:
        return
    for row in table["rows"][:_MOST]:
        if row[text] and (count := _number(row[calls])) is not None:
            yield Digest(row[text], count, table)


def _first(columns: Sequence[str], names: Sequence[str]) -> int | None:
    return next((columns.index(name) for name in names if name in columns), None)


def _number(text: str | None) -> float | None:
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None


__all__ = ["Digest", "digests"]
