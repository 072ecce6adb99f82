"""Deadlocks: each once, who waited for whom in it, and every dump that prints it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from fastapi import APIRouter

from pileup.analysis.evidence.statement_shapes import digest
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.schema import Out
from pileup.api.windows import WindowDep, moment_of
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.incidents.analyses import Analyses

router = APIRouter(tags=["tables"])

MOST = 200
"""Deadlocks in one answer, the latest."""
_MOST_SEEN = 20
_MOST_QUERY = 2000
_MOST_LOCKS = 20
_MOST_TRANSACTIONS = 40
_SECTION = "LATEST DETECTED DEADLOCK"


class DeadlockTrxOut(Out):
    number: int
    trx_id: str
    session_id: int | None
    active_s: float | None
    query: str | None
    shape: str | None
    holds: list[str]
    waits_for: str | None
    victim: bool


class DeadlockEdge(Out):
    """One transaction waits for another."""

    waiter: int
    holder: int
    lock: str
    """What is waited for, as printed."""
    held: str | None
    """What the holder has of it, as printed; None: the dump does not print it."""
    inferred: bool
    """The holder follows from the order of the cycle, not from a lock that is printed."""


class DeadlockSeen(Out):
    artifact: str
    path: str
    line_first: int
    line_last: int
    dumps: int
    """Dumps in this artifact that print it."""


class DeadlockOut(Out):
    id: str
    time: datetime | None
    host: str | None
    transactions: list[DeadlockTrxOut]
    edges: list[DeadlockEdge]
    relation: str | None
    """How it stands to the stall."""
    truncated: bool
    seen: list[DeadlockSeen]
    dumps: int


class DeadlockList(Out):
    items: list[DeadlockOut]
    total: int


@router.get("/incidents/{incident_id}/deadlocks")
def deadlocks(
    incident: IncidentDep, services: ServicesDep, unit: UnitDep, window: WindowDep
) -> DeadlockList:
    """Every deadlock once, the latest first; those of unknown time last."""
    frame = services.placed.scan(incident.id, "deadlock").filter(window.holds()).collect()
    together: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    rows = frame.sort("time", "line_first", nulls_last=True, maintain_order=True)
    for row in rows.iter_rows(named=True):
        together.setdefault(_key(row), []).append(row)
    groups = sorted(together.values(), key=_latest, reverse=True)
    prints = _Prints(unit, incident.id, [row for group in groups[:MOST] for row in group])
    parts = Analyses(unit).parts(incident.id, "deadlocks") or {"deadlocks": []}
    relations = {
        (one["artifact"], one["line_first"]): one["relation"] for one in parts["deadlocks"] or []
    }
    return DeadlockList(
        items=[_deadlock(group, prints, relations) for group in groups[:MOST]], total=len(groups)
    )


def edges_of(transactions: Sequence[Mapping[str, Any]]) -> list[DeadlockEdge]:
    """Waiter to holder for each transaction that waits.

    The holder is the other one that prints a lock on what is waited for. Where none does (servers
    up to 5.7 print the locks of only one), it is the next in the printed order, the last one's the
    first: so InnoDB prints the cycle that it found.
    """
    edges: list[DeadlockEdge] = []
    for at, one in enumerate(transactions):
        if not one.get("waits_for"):
            continue
        wanted = _resource(one["waits_for"])
        found = next(
            (
                (other["number"], held)
                for other in transactions
                if other["number"] != one["number"]
                for held in other.get("holds") or ()
                if _resource(held) == wanted
            ),
            None,
        )
        if found is not None:
            holder, held = found
        elif len(transactions) > 1:
            holder, held = transactions[(at + 1) % len(transactions)]["number"], None
        else:
            continue
        edges.append(
            DeadlockEdge(
                waiter=one["number"],
                holder=holder,
                lock=one["waits_for"],
                held=held,
                inferred=held is None,
            )
        )
    return edges


def _resource(lock: str) -> tuple[str, ...]:
    """'record app.accounts PRIMARY X locks rec but not gap': the kind, the table, the index."""
    words = lock.replace("`", "").split()
    return tuple(words[: 3 if words[:1] == ["record"] else 2])


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    ids = tuple((one["trx_id"], one["query"]) for one in row["transactions"] or [])
    # The printed time is the server's own: the same in every dump, however each file was placed.
    return (row["host"], row["original"] or row["wall_us"] or row["time"], ids)


def _latest(group: Sequence[Mapping[str, Any]]) -> tuple[bool, int]:
    time = group[0]["time"]
    return (time is not None, time or 0)


class _Prints:
    """How often each artifact prints each deadlock: from the sections of its dumps."""

    def __init__(self, unit: Unit, incident_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
        wanted = {row["artifact"] for row in rows}
        artifacts = Artifacts(unit)
        self.paths: dict[str, str] = {}
        self._sections: dict[str, list[tuple[int, int]]] = {}
        self._firsts: dict[str, list[int]] = {}
        for artifact in artifacts.of_incident(incident_id):
            if artifact.sha256 not in wanted:
                continue
            self.paths[artifact.sha256] = artifact.path
            self._sections[artifact.sha256] = [
                (one["line_first"], one["line_last"])
                for one in artifacts.sections(artifact.id)
                if one["title"] == _SECTION
            ]
        for row in rows:
            self._firsts.setdefault(row["artifact"], []).append(row["line_first"])
        for firsts in self._firsts.values():
            firsts.sort()

    def of(self, row: Mapping[str, Any]) -> int:
        """One, and one more for each later dump until another deadlock takes its place."""
        firsts: list[int] = self._firsts[row["artifact"]]
        at = bisect_right(firsts, row["line_first"])
        until = firsts[at] if at < len(firsts) else None
        later = [
            first
            for first, last in self._sections.get(row["artifact"], ())
            if first > row["line_last"] and (until is None or last < until)
        ]
        return 1 + len(later)


def _deadlock(
    group: Sequence[Mapping[str, Any]],
    prints: _Prints,
    relations: Mapping[tuple[str, int], str],
) -> DeadlockOut:
    whole = next((row for row in group if not row["truncated"]), group[0])
    transactions = (whole["transactions"] or [])[:_MOST_TRANSACTIONS]
    seen = [
        DeadlockSeen(
            artifact=row["artifact"],
            path=prints.paths.get(row["artifact"], ""),
            line_first=row["line_first"],
            line_last=row["line_last"],
            dumps=prints.of(row),
        )
        for row in group
    ]
    return DeadlockOut(
        id=f"{whole['artifact'][:16]}:{whole['line_first']}",
        time=moment_of(whole["time"]),
        host=whole["host"],
        transactions=[_transaction(one, whole["victim"]) for one in transactions],
        edges=edges_of(transactions),
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
        dumps=sum(one.dumps for one in seen),
    )


def _transaction(one: Mapping[str, Any], victim: int | None) -> DeadlockTrxOut:
    query = one["query"]
    return DeadlockTrxOut(
        number=one["number"],
        trx_id=one["trx_id"],
        session_id=one["session_id"],
        active_s=one["active_s"],
        query=None if query is None else query[:_MOST_QUERY],
        shape=None if query is None else digest(query)[:400],
        holds=list(one["holds"] or ())[:_MOST_LOCKS],
        waits_for=one["waits_for"],
        victim=one["number"] == victim,
    )
