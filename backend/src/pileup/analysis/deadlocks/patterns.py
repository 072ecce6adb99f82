"""Fold deadlocks into patterns: the same kind, statements, tables, indexes and lock modes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pileup.analysis.deadlocks import cycle as cycles
from pileup.analysis.deadlocks.cycle import Cycle
from pileup.analysis.deadlocks.kinds import Kind, decide
from pileup.analysis.deadlocks.wording import WORDS

_MOST_LISTED = 50
"""Tables and shapes of a pattern."""


@dataclass(slots=True)
class Pattern:
    """Deadlocks that are the same but for their rows and times."""

    id: str
    kind: Kind
    label: str
    shapes: tuple[str, ...]
    tables: tuple[str, ...]
    example: Mapping[str, Any]
    """The first record."""
    count: int = 0
    first_us: int | None = None
    last_us: int | None = None
    most_in_a_minute: int = 0

    @property
    def per_minute(self) -> float | None:
        """The mean rate between first and last; None for fewer than two moments."""
        if self.first_us is None or self.last_us is None or self.last_us <= self.first_us:
            return None
        return (self.count - 1) / ((self.last_us - self.first_us) / 60e6)


def patterns(rows: Iterable[Mapping[str, Any]]) -> list[Pattern]:
    """Fold deadlock records (columns transactions, victim, time in UTC µs), most frequent first.

    Takes time linear in the number of records. Give each deadlock once: a status dump repeats the
    latest.
    """
    folded: dict[str, Pattern] = {}
    minutes: dict[tuple[str, int], int] = {}
    for row in rows:
        cycle, kind = _read(row)
        key = pattern_id(cycle, kind)
        pattern = folded.get(key)
        if pattern is None:
            pattern = folded[key] = _begin(key, kind, cycle, row)
        pattern.count += 1
        at = row.get("time")
        if at is None:
            continue
        pattern.first_us = at if pattern.first_us is None else min(pattern.first_us, at)
        pattern.last_us = at if pattern.last_us is None else max(pattern.last_us, at)
        minute = key, at // 60_000_000
        minutes[minute] = minutes.get(minute, 0) + 1
        pattern.most_in_a_minute = max(pattern.most_in_a_minute, minutes[minute])
    return sorted(folded.values(), key=lambda pattern: (-pattern.count, pattern.id))


def pattern_id(cycle: Cycle, kind: Kind) -> str:
    """Return the id of a deadlock's pattern, whichever transaction is printed first."""
    what = (kind, sorted(repr(member.signature) for member in cycle.members))
    return hashlib.sha256(repr(what).encode()).hexdigest()[:12]


def pattern_of(row: Mapping[str, Any]) -> str:
    """Return the id of the pattern that a deadlock record (transactions, victim) belongs to."""
    return pattern_id(*_read(row))


def _read(row: Mapping[str, Any]) -> tuple[Cycle, Kind]:
    cycle = cycles.read(row["transactions"], row["victim"])
    return cycle, decide(cycle).kind


def _begin(key: str, kind: Kind, cycle: Cycle, row: Mapping[str, Any]) -> Pattern:
    shapes = sorted(member.statement.shape for member in cycle.members if member.statement)
    locks = [lock for m in cycle.members for lock in (*m.holds, *((m.wants,) if m.wants else ()))]
    tables = sorted({lock.table for lock in locks})
    return Pattern(
        id=key,
        kind=kind,
        label=WORDS[kind].label,
        shapes=tuple(shapes[:_MOST_LISTED]),
        tables=tuple(tables[:_MOST_LISTED]),
        example=row,
    )


__all__ = ["Pattern", "pattern_id", "pattern_of", "patterns"]
