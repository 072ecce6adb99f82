"""Stack samples and sessions at a moment, grouped and explained."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
import polars as pl
from fastapi import APIRouter, Path, Query, status

from pileup.analysis.evidence.activity import Activity
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stacks import groups as stack_groups_
from pileup.analysis.stacks.flame import flame, heat, threads
from pileup.analysis.stacks.groups import sample_rows, stack_groups
from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.knowledge import knowledge
from pileup.storage.errors import NotFound
from pileup.storage.reasoning.stack_verdicts import StackVerdict, StackVerdicts
from pileup.views.documents import FlameJson, StackHeatJson

router = APIRouter(tags=["stacks"])

MAX_SESSIONS = 500
MAX_GROUPS = 500
MAX_THREADS = 6000
"""Threads whose ids are told, over all groups of a sample."""
MAX_FRAMES = 80
Pile = Literal["benign", "suspicious"]
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


class StackPile(Out):
    pile: Pile
    by: str | None
    at: datetime


class StackGroup(Out):
    id: str
    """The key of its functions: the same in every sample."""
    name: str
    """What the stack says of itself: 'rw_lock_s_lock_spin in row_search_mvcc'."""
    count: int
    share: float
    frames: list[StackFrame]
    """Innermost first."""
    signature: str | None
    category: str | None
    activity: Activity
    """What its threads do, also where no signature fits."""
    set_aside: bool
    """Idle."""
    meaning: str | None
    waits_on: list[str]
    """Latches of the knowledge base."""
    threads: list[StackThreadOut]
    artifact: str
    line_first: int
    line_last: int
    variants: int
    """Records with these functions, at other lines of the source."""
    verdict: StackPile | None
    """Null: nobody reviewed it."""


class NewStackPile(In):
    pile: Literal["unreviewed", "benign", "suspicious"]


class Stacks(Out):
    time: datetime | None
    groups: list[StackGroup]
    left_out: int
    """Threads in groups beyond the first MAX_GROUPS."""
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
    unit: UnitDep,
    artifact: Annotated[str, Query(pattern=r"^[0-9a-f]{64}$")],
    snapshot: Annotated[int, Query(ge=0)] = 0,
) -> Stacks:
    """One sample: identical stacks counted once, each with its meaning and its pile."""
    evidence = _evidence(services.placed.load(incident.id, ("stack",)))
    rows = sample_rows(evidence.frames.get("stack"), artifact, snapshot)
    if not rows:
        raise NotFound("This incident has no such stack sample.")
    found = stack_groups(rows)
    said = StackVerdicts(unit).of_incident(incident.id)
    total = sum(group.count for group in found)
    room = MAX_THREADS
    groups: list[StackGroup] = []
    for group in found[:MAX_GROUPS]:
        groups.append(_group(group, total, room, said.get(group.key)))
        room -= len(groups[-1].threads)
    return Stacks(
        time=_moment(rows[0]["time"]),
        groups=groups,
        left_out=sum(group.count for group in found[MAX_GROUPS:]),
        total=total,
        idle=sum(group.count for group in found if group.idle),
    )


def _group(
    group: stack_groups_.StackGroup, total: int, room: int, verdict: StackVerdict | None
) -> StackGroup:
    known, first = group.known, group.rows[0]
    return StackGroup(
        id=group.key,
        name=group.name,
        count=group.count,
        share=group.count / total,
        frames=[StackFrame(**one) for one in group.frames[:MAX_FRAMES]],
        signature=known.id if known else None,
        category=known.category if known else None,
        activity=group.activity,
        set_aside=group.idle,
        meaning=known.meaning if known else None,
        waits_on=list(known.waits_on) if known else [],
        threads=[
            StackThreadOut(
                pthread=None if one["pthread"] is None else str(one["pthread"]),
                lwp=one["lwp"],
                name=one["name"],
            )
            for one in group.threads[: max(0, room)]
        ],
        artifact=first["artifact"],
        line_first=first["line_first"],
        line_last=first["line_last"],
        variants=len(group.rows),
        verdict=StackPile.model_validate(verdict) if verdict else None,
    )


@router.put(
    "/incidents/{incident_id}/stacks/{stack_key}/verdict", status_code=status.HTTP_204_NO_CONTENT
)
def judge_stack(
    incident: IncidentDep,
    stack_key: Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")],
    body: NewStackPile,
    unit: UnitDep,
    caller: Caller,
) -> None:
    """Put a stack on the pile of the benign or the suspicious; unreviewed takes it back."""
    pile = None if body.pile == "unreviewed" else body.pile
    StackVerdicts(unit).put(incident.id, stack_key, pile, by=caller.actor)


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
