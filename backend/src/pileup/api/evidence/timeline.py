"""Routes for the timeline: marks and strips around its lanes, and annotations."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter, status
from pydantic import Field

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.schema import In
from pileup.api.versioned import NOTES, by_version
from pileup.api.windows import times_in_utc, utc
from pileup.storage.happened import Precision
from pileup.storage.incidents.annotations import AnnotationKind, Annotations
from pileup.storage.incidents.stall_corrections import StallCorrections, StallTimes
from pileup.storage.queue.jobs import Jobs
from pileup.views.evidence.episodes import Episodes, stored_episodes
from pileup.views.evidence.timeline import (
    AnnotationOut,
    Marks,
    StallCorrectionOut,
    Strips,
    stored_marks,
    stored_strips,
)
from pileup.views.reasoning.run_analysis import AlignedRun, aligned_runs
from pileup.views.records import with_fields_of

router = APIRouter(tags=["timeline"])


class NewStallCorrection(In):
    host: str | None = Field(default=None, max_length=300)
    computed_onset: datetime
    """Of the stall that it speaks of: names it, together with the host."""
    onset: datetime | None = None
    end: datetime | None = None
    baseline_start: datetime | None = None
    baseline_end: datetime | None = None


class NewAnnotation(In):
    kind: AnnotationKind | None = None
    """Null: a note."""
    start: datetime
    end: datetime | None = None
    precision: Precision | None = None
    """Null: exact."""
    text: str = Field(min_length=1, max_length=2000)


class AnnotationChange(In):
    kind: AnnotationKind | None = None
    precision: Precision | None = None
    start: datetime | None = None
    end: datetime | None = None
    text: str | None = Field(default=None, min_length=1, max_length=2000)


@router.get("/incidents/{incident_id}/marks")
@by_version(ignoring=NOTES)
def marks(incident: IncidentDep, unit: UnitDep) -> Marks:
    """List the stalls, snapshots, events and notes to draw over and under the lanes."""
    return stored_marks(unit, incident.id)


@router.get("/incidents/{incident_id}/episodes")
@by_version(ignoring=NOTES)
def list_episodes(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> Episodes:
    """List captures and stalls, each stall with its series aligned at the onset."""
    return stored_episodes(unit, services.placed, incident.id)


@router.get("/incidents/{incident_id}/runs")
def list_aligned_runs(incident: IncidentDep, unit: UnitDep) -> list[AlignedRun]:
    """List the runs with files, each stall aligned at its onset, as ``/episodes`` does."""
    return aligned_runs(unit, incident.id)


@router.get("/incidents/{incident_id}/strips")
@by_version(ignoring=NOTES)
def strips(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> Strips:
    """Return waiters by place, long transactions, blocking episodes and experiments over time."""
    return stored_strips(unit, services.placed, incident.id)


@router.put("/incidents/{incident_id}/stalls/correction")
def correct_stall(
    incident: IncidentDep,
    body: NewStallCorrection,
    services: ServicesDep,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> StallCorrectionOut:
    """Correct when a stall began and ended, and analyse again.

    If-Match carries the revision of the correction that the caller saw, "0" when there was none.
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
    return with_fields_of(StallCorrectionOut, made)


@router.delete("/stall-corrections/{correction_id}", status_code=status.HTTP_204_NO_CONTENT)
def reset_stall(correction_id: str, services: ServicesDep, unit: UnitDep, caller: Caller) -> None:
    """Remove a correction, so that the computed stall applies."""
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
        kind=body.kind or "note",
        precision=body.precision or "exact",
    )
    return with_fields_of(AnnotationOut, made)


@router.patch("/annotations/{annotation_id}")
def change_annotation(
    annotation_id: str,
    body: AnnotationChange,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> AnnotationOut:
    changes = times_in_utc(body.model_dump(exclude_unset=True))
    changes = {k: v for k, v in changes.items() if v is not None or k == "end"}
    changed = Annotations(unit).edit(annotation_id, changes, revision=revision, by=caller.actor)
    return with_fields_of(AnnotationOut, changed)


@router.delete("/annotations/{annotation_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_annotation(annotation_id: str, unit: UnitDep, caller: Caller) -> None:
    Annotations(unit).delete(annotation_id, by=caller.actor)
