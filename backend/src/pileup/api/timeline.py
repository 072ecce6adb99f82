"""The timeline: what is drawn over and under its lanes, and the notes that people write."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fastapi import APIRouter, status
from pydantic import Field

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, UnitDep
from pileup.api.lanes import utc, whole_of
from pileup.api.schema import EventJson, In, Out, StallJson
from pileup.storage.analyses import Analyses
from pileup.storage.annotations import Annotations

router = APIRouter(tags=["timeline"])


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


class Range(Out):
    start: datetime
    end: datetime


class Marks(Out):
    stalls: list[StallJson]
    snapshots: list[SnapshotMark]
    events: list[EventJson]
    annotations: list[AnnotationOut]
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
        snapshots=[SnapshotMark.model_validate(s) for s in snapshots if s.time],
        events=[event for event in parts["events"] if event["time"]],
        annotations=[
            AnnotationOut.model_validate(a) for a in Annotations(unit).of_incident(incident.id)
        ],
        range=Range(start=whole[0], end=whole[1]) if whole else None,
    )


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
