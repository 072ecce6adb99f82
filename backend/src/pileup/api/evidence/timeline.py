"""The timeline: what is drawn over and under its lanes, and the notes that people write."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from fastapi import APIRouter, status
from pydantic import Field

from pileup.analysis.waits import over_time as strips_of
from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.evidence.lanes import moment, utc, whole_of
from pileup.api.schema import In, Out
from pileup.storage.incidents.analyses import Analyses, Snapshot
from pileup.storage.incidents.annotations import Annotations
from pileup.storage.incidents.stall_corrections import StallCorrections, StallTimes
from pileup.storage.queue.jobs import Jobs
from pileup.storage.reasoning.experiments import Experiments
from pileup.views.documents import EventJson, StallJson

router = APIRouter(tags=["timeline"])

_MOST_SNAPSHOTS = 4000
_MOST_EVENTS = 3000
_MESSAGE = 240
_MOST_BLOCKING = 20
_MUCH_BLOCKED = 2
"""Fewer behind it are no episode worth a span."""


class SnapshotMark(Out):
    time: datetime
    kind: str
    artifact: str
    index: int
    waiters: int | None
    lock_waits: int | None
    sessions: int | None
    line_first: int


class AnnotationOut(Out):
    id: str
    start: datetime
    end: datetime | None
    text: str
    author: str | None
    revision: int


class StallCorrectionOut(Out):
    """A person's onset, end and baseline of a stall; null leaves what is computed."""

    id: str
    host: str | None
    computed_onset: datetime
    onset: datetime | None
    end: datetime | None
    baseline_start: datetime | None
    baseline_end: datetime | None
    by: str
    revision: int
    at: datetime


class NewStallCorrection(In):
    host: str | None = Field(default=None, max_length=300)
    computed_onset: datetime
    """Of the stall that it speaks of: names it, together with the host."""
    onset: datetime | None = None
    end: datetime | None = None
    baseline_start: datetime | None = None
    baseline_end: datetime | None = None


class HeatRowOut(Out):
    kind: Literal["latch", "lock", "state"]
    label: str
    detail: str
    host: str | None
    peak: int
    cells: list[tuple[float, int]]
    """(epoch ms, how many) per snapshot, zeros too."""


class TransactionSpanOut(Out):
    trx_id: str
    host: str | None
    session_id: int | None
    start: datetime
    end: datetime
    """When it was last seen."""
    state: str
    waited: bool
    query: str | None
    artifact: str
    line_first: int


class BlockingSpan(Out):
    id: str
    holder: str
    start: datetime
    end: datetime
    blocks_total: int
    inferred: bool


class ExperimentSpan(Out):
    id: str
    number: int
    title: str
    start: datetime
    end: datetime | None


class ThreadCount(Out):
    artifact: str
    index: int
    threads: int


class Strips(Out):
    """Lanes that are no series: waiters by place over the snapshots, and what lasted."""

    heat: list[HeatRowOut]
    transactions: list[TransactionSpanOut]
    blocking: list[BlockingSpan]
    experiments: list[ExperimentSpan]
    threads: list[ThreadCount]
    """Of stack samples."""


class Range(Out):
    start: datetime
    end: datetime


class Marks(Out):
    stalls: list[StallJson]
    snapshots: list[SnapshotMark]
    events: list[EventJson]
    annotations: list[AnnotationOut]
    corrections: list[StallCorrectionOut]
    range: Range | None
    """The whole captured time; None when nothing was placed."""


class NewAnnotation(In):
    start: datetime
    end: datetime | None = None
    text: str = Field(min_length=1, max_length=2000)


class AnnotationChange(In):
    start: datetime | None = None
    end: datetime | None = None
    text: str | None = Field(default=None, min_length=1, max_length=2000)


@router.get("/incidents/{incident_id}/marks")
def marks(incident: IncidentDep, unit: UnitDep) -> Marks:
    """Stalls, snapshots, events and notes: what is drawn over and under the lanes."""
    analyses = Analyses(unit)
    parts = analyses.parts(incident.id, "stalls", "events") or {"stalls": [], "events": []}
    snapshots = analyses.snapshots(incident.id)
    whole = whole_of(analyses.series(incident.id), [s.time for s in snapshots if s.time])
    return Marks(
        stalls=parts["stalls"],
        snapshots=[SnapshotMark.model_validate(s) for s in _thinned(snapshots)],
        events=_shortened(parts["events"]),
        annotations=[
            AnnotationOut.model_validate(a) for a in Annotations(unit).of_incident(incident.id)
        ],
        corrections=[
            StallCorrectionOut.model_validate(c)
            for c in StallCorrections(unit).of_incident(incident.id)
        ],
        range=Range(start=whole[0], end=whole[1]) if whole else None,
    )


@router.get("/incidents/{incident_id}/strips")
def strips(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> Strips:
    """Waiters by place, long transactions, blocking episodes and experiments over time."""
    evidence = services.placed.load(incident.id, strips_of.KINDS)
    parts = Analyses(unit).parts(incident.id, "blockers") or {"blockers": []}
    experiments = Experiments(unit).of_incident(incident.id)
    counts = strips_of.thread_counts(evidence) if evidence else {}
    return Strips(
        heat=[_heat_row(row) for row in (strips_of.heat(evidence) if evidence else [])],
        transactions=[
            TransactionSpanOut(
                trx_id=one.trx_id,
                host=one.host,
                session_id=one.session_id,
                start=moment(one.start),
                end=moment(one.end),
                state=one.state,
                waited=one.waited,
                query=one.query,
                artifact=one.artifact,
                line_first=one.line_first,
            )
            for one in (strips_of.transaction_spans(evidence) if evidence else [])
        ],
        blocking=[
            BlockingSpan(
                id=one["id"],
                holder=one["holder"],
                start=one["first"],
                end=one["last"],
                blocks_total=one["blocks_total"],
                inferred=one["inferred"],
            )
            for one in parts["blockers"]
            if one.get("first") and one["blocks_total"] >= _MUCH_BLOCKED
        ][:_MOST_BLOCKING],
        experiments=[
            ExperimentSpan(
                id=one.id,
                number=one.number,
                title=one.title,
                start=one.started_at,
                end=one.finished_at,
            )
            for one in experiments
            if one.started_at is not None
        ],
        threads=[
            ThreadCount(artifact=sha, index=at, threads=count)
            for (sha, at), count in counts.items()
        ],
    )


@router.put("/incidents/{incident_id}/stalls/correction")
def correct_stall(
    incident: IncidentDep,
    body: NewStallCorrection,
    services: ServicesDep,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> StallCorrectionOut:
    """Say when a stall began and ended; the analysis runs again with it.

    If-Match has the revision of the correction that was seen, "0" when there was none.
    """
    times = StallTimes(
        *(utc(at) if at else None for at in (body.onset, body.end)),
        *(utc(at) if at else None for at in (body.baseline_start, body.baseline_end)),
    )
    made = StallCorrections(unit).put(
        incident.id,
        body.host,
        utc(body.computed_onset),
        times,
        revision=revision,
        by=caller.actor,
    )
    Jobs(unit).request_analysis(incident.id, services.settings.analysis_debounce_s)
    return StallCorrectionOut.model_validate(made)


@router.delete("/stall-corrections/{correction_id}", status_code=status.HTTP_204_NO_CONTENT)
def reset_stall(correction_id: str, services: ServicesDep, unit: UnitDep, caller: Caller) -> None:
    """Back to what is computed."""
    incident_id = StallCorrections(unit).reset(correction_id, by=caller.actor)
    Jobs(unit).request_analysis(incident_id, services.settings.analysis_debounce_s)


@router.post("/incidents/{incident_id}/annotations", status_code=status.HTTP_201_CREATED)
def create_annotation(
    incident: IncidentDep, body: NewAnnotation, unit: UnitDep, caller: Caller
) -> AnnotationOut:
    made = Annotations(unit).create(
        incident.id,
        utc(body.start),
        utc(body.end) if body.end else None,
        body.text,
        by=caller.actor,
    )
    return AnnotationOut.model_validate(made)


@router.patch("/annotations/{annotation_id}")
def change_annotation(
    annotation_id: str,
    body: AnnotationChange,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> AnnotationOut:
    changes: dict[str, Any] = {
        name: utc(value) if isinstance(value, datetime) else value
        for name, value in body.model_dump(exclude_unset=True).items()
    }
    changed = Annotations(unit).edit(annotation_id, changes, revision=revision, by=caller.actor)
    return AnnotationOut.model_validate(changed)


@router.delete("/annotations/{annotation_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_annotation(annotation_id: str, unit: UnitDep, caller: Caller) -> None:
    Annotations(unit).delete(annotation_id, by=caller.actor)


def _heat_row(row: strips_of.HeatRow) -> HeatRowOut:
    return HeatRowOut(
        kind=row.kind,
        label=row.label,
        detail=row.detail,
        host=row.host,
        peak=row.peak,
        cells=[(at / 1000, count) for at, count in row.cells],
    )


def _thinned(snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """Those with a time; of very many the worst of each stretch, per kind and host."""
    placed = [one for one in snapshots if one.time]
    if len(placed) <= _MOST_SNAPSHOTS:
        return placed
    stretch = -(-len(placed) // _MOST_SNAPSHOTS)
    groups: dict[tuple[str, str | None], list[Snapshot]] = {}
    for one in placed:
        groups.setdefault((one.kind, one.host), []).append(one)
    kept = [
        max(group[at : at + stretch], key=lambda s: (s.waiters or 0) + (s.lock_waits or 0))
        for group in groups.values()
        for at in range(0, len(group), stretch)
    ]
    return sorted(kept, key=lambda s: (s.time or datetime.min.replace(tzinfo=UTC), s.artifact))


def _shortened(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those with a time, the gravest where there are very many; each message to its first words."""
    placed = [one for one in events if one["time"]]
    if len(placed) > _MOST_EVENTS:
        grave = {"error": 0, "warning": 1}
        placed.sort(key=lambda one: (grave.get(one["severity"] or "", 2), one["time"]))
        placed = sorted(placed[:_MOST_EVENTS], key=lambda one: str(one["time"]))
    return [one | {"message": one["message"][:_MESSAGE]} for one in placed]
