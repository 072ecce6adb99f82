"""List deadlocks: each once, with its waits and every dump that prints it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal

from pileup.analysis.contract import DeadlockLane
from pileup.analysis.deadlocks import Pattern, by_deadlock, explain, pattern_of, patterns
from pileup.analysis.deadlocks.cycle import MOST_TRANSACTIONS, Wait
from pileup.sql_tokens import shape
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.incidents.analyses import Analyses
from pileup.views.source import Source, StoredSource
from pileup.views.window import Window, moment_of

MOST = 200
"""Deadlocks in one answer, the latest."""
_MOST_SEEN = 20
_MOST_QUERY = 2000
_MOST_LOCKS = 20
MOST_PATTERNS = 100
_SECTION = "LATEST DETECTED DEADLOCK"

Place = tuple[str, int]
"""SHA-256 of an artifact and the first line in it."""
SectionsOf = Callable[[str], Sequence[tuple[int, int]]]
"""SHA-256 of an artifact to the lines (first, last) of its sections that print a deadlock."""


@dataclass(frozen=True, slots=True)
class DeadlockTrxOut:
    number: int
    trx_id: str
    session_id: int | None
    active_s: float | None
    query: str | None
    shape: str | None
    holds: list[str]
    waits_for: str | None
    victim: bool


@dataclass(frozen=True, slots=True)
class DeadlockEdge:
    """Wait of one transaction for another."""

    waiter: int
    holder: int
    lock: str
    """What is waited for, as printed."""
    held: str | None
    """What the holder has of it, as printed; None: the dump does not print it."""
    inferred: bool
    """The holder follows from the order of the cycle, not from a lock that is printed."""


@dataclass(frozen=True, slots=True)
class DeadlockStepOut:
    """A lock in a transaction's lane, in order."""

    state: Literal["holds", "requests"]
    lock: str
    """'exclusive row lock'."""
    where: str
    printed: str | None
    """As the server prints it; None: it follows from the cycle."""


@dataclass(frozen=True, slots=True)
class DeadlockLaneOut:
    """A transaction of the drawing."""

    number: int
    session_id: int | None
    user: str | None
    shape: str | None
    victim: bool
    steps: list[DeadlockStepOut]


@dataclass(frozen=True, slots=True)
class DeadlockWaitOut:
    """An arrow of the drawing: the last step of ``waiter`` waits for a step of ``holder``."""

    waiter: int
    holder: int
    holder_step: int
    inferred: bool


@dataclass(frozen=True, slots=True)
class DeadlockPatternOut:
    """Deadlocks that are the same but for their rows and times."""

    id: str
    kind: str
    kind_label: str
    shapes: list[str]
    tables: list[str]
    count: int
    first: datetime | None
    last: datetime | None
    per_minute: float | None
    most_in_a_minute: int
    example: str
    """Id of the first deadlock of the pattern."""


@dataclass(frozen=True, slots=True)
class DeadlockSeen:
    artifact: str
    path: str
    line_first: int
    line_last: int
    dumps: int
    """Dumps in this artifact that print it."""


@dataclass(frozen=True, slots=True)
class DeadlockOut:
    id: str
    time: datetime | None
    host: str | None
    transactions: list[DeadlockTrxOut]
    edges: list[DeadlockEdge]
    kind: str
    kind_label: str
    why: str
    change: list[str]
    """What to change, best first."""
    confidence: float
    settle: str
    pattern: str
    lanes: list[DeadlockLaneOut]
    waits: list[DeadlockWaitOut]
    relation: str | None
    """Relation to the stall, such as before or during it."""
    truncated: bool
    seen: list[DeadlockSeen]
    dumps: int


@dataclass(frozen=True, slots=True)
class DeadlockList:
    items: list[DeadlockOut]
    """The latest, of the chosen pattern if one is chosen."""
    total: int
    """Deadlocks in the range, of the chosen pattern if one is chosen."""
    patterns: list[DeadlockPatternOut]
    """Of all deadlocks in the range, the most frequent first."""


def stored_deadlocks(
    unit: Unit, source: StoredSource, window: Window, pattern: str = ""
) -> DeadlockList:
    """List the deadlocks of an incident with their relation to its stall and their dumps."""
    artifacts = Artifacts(unit)
    ids = {each.sha256: each.id for each in artifacts.of_incident(source.incident_id)}

    def sections(sha256: str) -> list[tuple[int, int]]:
        artifact_id = ids.get(sha256)
        return [
            (section["line_first"], section["line_last"])
            for section in (artifacts.sections(artifact_id) if artifact_id else ())
            if section["title"] == _SECTION
        ]

    parts = Analyses(unit).parts(source.incident_id, "deadlocks") or {"deadlocks": []}
    relations = {
        (each["artifact"], each["line_first"]): each["relation"]
        for each in parts["deadlocks"] or []
    }
    return deadlocks(source, window, sections, relations, pattern)


def deadlocks(
    source: Source,
    window: Window,
    sections: SectionsOf,
    relations: Mapping[Place, str],
    pattern: str = "",
) -> DeadlockList:
    """List every deadlock, or those of one pattern, once; the latest first, unknown times last."""
    frame = source.scan("deadlock").filter(window.holds()).collect()
    rows = frame.sort("time", "line_first", nulls_last=True, maintain_order=True)
    groups = sorted(by_deadlock(rows.iter_rows(named=True)), key=_latest, reverse=True)
    chosen = [g for g in groups if pattern_of(_whole(g)) == pattern] if pattern else groups
    prints = _Prints([row for group in groups for row in group], sections)
    paths = source.paths()
    return DeadlockList(
        items=[_deadlock(group, prints, paths, relations) for group in chosen[:MOST]],
        total=len(chosen),
        patterns=[
            _pattern(each) for each in patterns(_whole(group) for group in groups)[:MOST_PATTERNS]
        ],
    )


def _pattern(pattern: Pattern) -> DeadlockPatternOut:
    return DeadlockPatternOut(
        id=pattern.id,
        kind=pattern.kind,
        kind_label=pattern.label,
        shapes=list(pattern.shapes),
        tables=list(pattern.tables),
        count=pattern.count,
        first=moment_of(pattern.first_us),
        last=moment_of(pattern.last_us),
        per_minute=pattern.per_minute,
        most_in_a_minute=pattern.most_in_a_minute,
        example=_id(pattern.example),
    )


def _whole(group: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the print of a deadlock that is not cut off, if there is one."""
    return next((row for row in group if not row["truncated"]), group[0])


def _id(row: Mapping[str, Any]) -> str:
    return f"{row['artifact'][:16]}:{row['line_first']}"


def _latest(group: Sequence[Mapping[str, Any]]) -> tuple[bool, int]:
    time = group[0]["time"]
    return (time is not None, time or 0)


class _Prints:
    """Count how often each artifact prints each deadlock, from the sections of its dumps."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], sections: SectionsOf) -> None:
        self._firsts: dict[str, list[int]] = {}
        for row in rows:
            self._firsts.setdefault(row["artifact"], []).append(row["line_first"])
        for firsts in self._firsts.values():
            firsts.sort()
        self._sections = cache(sections)

    def of(self, row: Mapping[str, Any]) -> int:
        """One, and one more for each later dump until another deadlock takes its place."""
        firsts = self._firsts[row["artifact"]]
        at = bisect_right(firsts, row["line_first"])
        until = firsts[at] if at < len(firsts) else None
        later = [
            first
            for first, last in self._sections(row["artifact"])
            if first > row["line_last"] and (until is None or last < until)
        ]
        return 1 + len(later)


def _deadlock(
    group: Sequence[Mapping[str, Any]],
    prints: _Prints,
    paths: Mapping[str, str],
    relations: Mapping[Place, str],
) -> DeadlockOut:
    whole = _whole(group)
    explained = explain(whole["transactions"], whole["victim"])
    transactions = whole["transactions"][:MOST_TRANSACTIONS]
    seen = [
        DeadlockSeen(
            artifact=row["artifact"],
            path=paths.get(row["artifact"], ""),
            line_first=row["line_first"],
            line_last=row["line_last"],
            dumps=prints.of(row),
        )
        for row in group
    ]
    return DeadlockOut(
        id=_id(whole),
        time=moment_of(whole["time"]),
        host=whole["host"],
        transactions=[_transaction(transaction, whole["victim"]) for transaction in transactions],
        edges=[_edge(wait) for wait in explained.cycle],
        kind=explained.kind,
        kind_label=explained.label,
        why=explained.why,
        change=list(explained.change),
        confidence=explained.confidence,
        settle=explained.settle,
        pattern=explained.pattern,
        lanes=[_lane(lane) for lane in explained.lanes],
        waits=[
            DeadlockWaitOut(wait.waiter, wait.holder, wait.holder_step, wait.inferred)
            for wait in explained.waits
        ],
        relation=next(
            (
                relations[key]
                for row in group
                if (key := (row["artifact"], row["line_first"])) in relations
            ),
            None,
        ),
        truncated=whole["truncated"],
        seen=seen[:_MOST_SEEN],
        dumps=sum(item.dumps for item in seen),
    )


def _lane(lane: DeadlockLane) -> DeadlockLaneOut:
    return DeadlockLaneOut(
        number=lane.number,
        session_id=lane.session_id,
        user=lane.user,
        shape=lane.shape,
        victim=lane.victim,
        steps=[
            DeadlockStepOut(step.state, step.lock, step.where, step.printed) for step in lane.steps
        ],
    )


def _edge(wait: Wait) -> DeadlockEdge:
    return DeadlockEdge(
        waiter=wait.waiter.number,
        holder=wait.holder.number,
        lock=wait.wants.text,
        held=wait.held.text if wait.held else None,
        inferred=wait.held is None,
    )


def _transaction(mapping: Mapping[str, Any], victim: int | None) -> DeadlockTrxOut:
    query = mapping["query"]
    return DeadlockTrxOut(
        number=mapping["number"],
        trx_id=mapping["trx_id"],
        session_id=mapping["session_id"],
        active_s=mapping["active_s"],
        query=None if query is None else query[:_MOST_QUERY],
        shape=None if query is None else shape(query)[:400],
        holds=list(mapping["holds"] or ())[:_MOST_LOCKS],
        waits_for=mapping["waits_for"],
        victim=mapping["number"] == victim,
    )
