"""Stack samples and sessions at a moment, grouped and explained."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
import polars as pl
from fastapi import APIRouter, Query

from pileup.analysis.context import Span
from pileup.analysis.evidence import Evidence
from pileup.analysis.flame import flame, heat, threads
from pileup.api.deps import IncidentDep, ServicesDep
from pileup.api.errors import ApiError
from pileup.api.schema import FlameJson, Out, StackHeatJson
from pileup.knowledge import knowledge
from pileup.storage.errors import NotFound

router = APIRouter(tags=["stacks"])

MAX_SESSIONS = 500
NEAREST_US = 30_000_000
"""A processlist further away than this is not shown for an instant."""


class StackMoment(Out):
    time: datetime | None
    artifact: str
    path: str
    snapshot: int
    threads: int


class StackFrame(Out):
    function: str
    file: str | None
    line: int | None
    library: str | None


class StackThreadOut(Out):
    pthread: str | None
    """Decimal text: it does not fit a JavaScript number."""
    lwp: int | None
    name: str | None


class StackGroup(Out):
    id: str
    count: int
    share: float
    frames: list[StackFrame]
    """Innermost first."""
    signature: str | None
    category: str | None
    set_aside: bool
    meaning: str | None
    threads: list[StackThreadOut]
    artifact: str
    line_first: int
    line_last: int


class Stacks(Out):
    groups: list[StackGroup]
    total: int
    """Threads in this sample (per sample, where several were merged)."""
    idle: int
    """Of them, set aside as idle."""


class SessionGroup(Out):
    command: str | None
    state: str | None
    category: str | None
    meaning: str | None
    count: int
    max_time_s: float | None


class SessionOut(Out):
    session_id: int
    user: str | None
    client_host: str | None
    db: str | None
    command: str | None
    time_s: float | None
    state: str | None
    query: str | None
    artifact: str
    line_first: int
    line_last: int


class Sessions(Out):
    time: datetime | None
    artifact: str | None
    groups: list[SessionGroup]
    sessions: list[SessionOut]
    total: int


@router.get("/incidents/{incident_id}/stacks/moments")
def stack_moments(incident: IncidentDep, services: ServicesDep) -> list[StackMoment]:
    """Every stack sample, in time order; those of unknown time last."""
    evidence = services.placed.load(incident.id, ("stack",))
    if evidence is None or "stack" not in evidence.frames:
        return []
    paths = {a.sha256: a.path for a in evidence.artifacts}
    grouped = (
        evidence.frames["stack"]
        .group_by("artifact", pl.col("snapshot").fill_null(0))
        .agg(pl.col("time").min(), (pl.col("count") // pl.col("samples")).sum().alias("threads"))
        .sort("time", "artifact", "snapshot", nulls_last=True)
    )
    return [
        StackMoment(
            time=_moment(row["time"]),
            artifact=row["artifact"],
            path=paths.get(row["artifact"], ""),
            snapshot=row["snapshot"],
            threads=row["threads"],
        )
        for row in grouped.iter_rows(named=True)
    ]


@router.get("/incidents/{incident_id}/stacks")
def stacks(
    incident: IncidentDep,
    services: ServicesDep,
    artifact: Annotated[str, Query(pattern=r"^[0-9a-f]{64}$")],
    snapshot: Annotated[int, Query(ge=0)] = 0,
) -> Stacks:
    """One sample: identical stacks counted once, each with its meaning."""
    evidence = _evidence(services.placed.load(incident.id, ("stack",)))
    frame = evidence.frames.get("stack")
    rows: list[dict[str, Any]] = []
    if frame is not None:
        rows = frame.filter(
            (pl.col("artifact") == artifact) & (pl.col("snapshot").fill_null(0) == snapshot)
        ).to_dicts()
    if not rows:
        raise NotFound("This incident has no such stack sample.")
    known = knowledge()
    total = sum(row["count"] for row in rows)
    groups: list[StackGroup] = []
    for number, row in enumerate(sorted(rows, key=lambda r: -int(r["count"]))):
        meaning = known.stack_for([f["function"] for f in row["frames"]])
        groups.append(
            StackGroup(
                id=f"{artifact[:12]}:{snapshot}:{number}",
                count=row["count"],
                share=row["count"] / total,
                frames=[StackFrame(**f) for f in row["frames"]],
                signature=meaning.id if meaning else None,
                category=meaning.category if meaning else None,
                set_aside=meaning.set_aside if meaning else False,
                meaning=meaning.meaning if meaning else None,
                threads=[
                    StackThreadOut(
                        pthread=None if t["pthread"] is None else str(t["pthread"]),
                        lwp=t["lwp"],
                        name=t["name"],
                    )
                    for t in row["threads"][:MAX_SESSIONS]
                ],
                artifact=artifact,
                line_first=row["line_first"],
                line_last=row["line_last"],
            )
        )
    return Stacks(groups=groups, total=total, idle=sum(g.count for g in groups if g.set_aside))


@router.get("/incidents/{incident_id}/stacks/flame")
def stack_flame(
    incident: IncidentDep,
    services: ServicesDep,
    start: datetime | None = None,
    end: datetime | None = None,
    b_start: datetime | None = None,
    b_end: datetime | None = None,
    idle: bool = False,
) -> FlameJson:
    """Stacks of a window merged into a tree; with a second window, both for a difference."""
    frame = _evidence(services.placed.load(incident.id, ("stack",))).frames.get("stack")
    second = None
    if b_start is not None or b_end is not None:
        second = threads(frame, _window(b_start, b_end))
    first = threads(frame, None if start is None and end is None else _window(start, end))
    document: dict[str, Any] = msgspec.to_builtins(flame(first, second, idle=idle))
    return document


@router.get("/incidents/{incident_id}/stacks/heat")
def stack_heat(incident: IncidentDep, services: ServicesDep, idle: bool = False) -> StackHeatJson:
    """On how many threads each function was in each sample: where to pick a range."""
    frame = _evidence(services.placed.load(incident.id, ("stack",))).frames.get("stack")
    document: dict[str, Any] = msgspec.to_builtins(heat(threads(frame), idle=idle))
    return document


def _window(start: datetime | None, end: datetime | None) -> Span:
    if start is None or end is None or start.tzinfo is None or end.tzinfo is None or start > end:
        raise ApiError(
            422, "Not a window", "a window needs a start before its end, ISO 8601 with a zone"
        )
    return Span(int(start.timestamp() * 1e6), int(end.timestamp() * 1e6))


@router.get("/incidents/{incident_id}/sessions")
def sessions(incident: IncidentDep, services: ServicesDep, at: datetime) -> Sessions:
    """The processlist nearest to an instant, grouped by state."""
    evidence = _evidence(services.placed.load(incident.id, ("session",)))
    frame = evidence.frames.get("session")
    empty = Sessions(time=None, artifact=None, groups=[], sessions=[], total=0)
    if frame is None or at.tzinfo is None:
        return empty
    instant = int(at.timestamp() * 1_000_000)
    placed = frame.drop_nulls("time").with_columns(
        (pl.col("time") - instant).abs().alias("distance")
    )
    if placed.is_empty():
        return empty
    nearest = placed.sort("distance").row(0, named=True)
    if nearest["distance"] > NEAREST_US:
        return empty
    rows = placed.filter(
        (pl.col("artifact") == nearest["artifact"]) & (pl.col("time") == nearest["time"])
    ).to_dicts()
    return Sessions(
        time=_moment(nearest["time"]),
        artifact=nearest["artifact"],
        groups=_groups(rows),
        sessions=[
            SessionOut(**{name: row[name] for name in SessionOut.model_fields})
            for row in sorted(rows, key=lambda r: -(r["time_s"] or 0))[:MAX_SESSIONS]
        ],
        total=len(rows),
    )


def _groups(rows: list[dict[str, Any]]) -> list[SessionGroup]:
    together: defaultdict[tuple[str | None, str | None], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        together[row["command"], row["state"]].append(row)
    known = knowledge()
    groups: list[SessionGroup] = []
    for (command, state), members in together.items():
        meaning = known.state_for(command, state)
        times = [m["time_s"] for m in members if m["time_s"] is not None]
        groups.append(
            SessionGroup(
                command=command,
                state=state,
                category=meaning.category if meaning else None,
                meaning=meaning.meaning if meaning else None,
                count=len(members),
                max_time_s=max(times, default=None),
            )
        )
    return sorted(groups, key=lambda g: -g.count)


def _evidence(evidence: Evidence | None) -> Evidence:
    if evidence is None:
        raise ApiError(409, "Nothing to show yet", "this incident was not analysed yet")
    return evidence


def _moment(us: int | None) -> datetime | None:
    return None if us is None else datetime.fromtimestamp(us / 1_000_000, UTC)
