"""Routes for the records of an artifact, and for the records that some lines became."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from pileup.api.deps import ServicesDep, UnitDep
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.views.artifacts import artifact_records as view
from pileup.views.artifacts.artifact_records import RecordOut, RecordPage, RecordsAt

router = APIRouter(tags=["artifacts"])


def _artifact(artifact_id: str, unit: UnitDep) -> Artifact:
    return Artifacts(unit).get(artifact_id)


ArtifactDep = Annotated[Artifact, Depends(_artifact)]


@router.get("/artifacts/{artifact_id}/records")
def records(
    artifact: ArtifactDep,
    services: ServicesDep,
    kind: str = Query(max_length=40),
    offset: int = Query(default=0, ge=0),
    limit: int = Query(default=200, ge=1, le=500),
) -> RecordPage:
    """Return a page of the records of one kind, in file order."""
    return view.record_page(services.frames, artifact, kind, offset, limit)


@router.get("/artifacts/{artifact_id}/records/at")
def records_at(
    artifact: ArtifactDep,
    services: ServicesDep,
    line: int = Query(ge=1),
    to: int | None = Query(default=None, ge=1),
) -> RecordsAt:
    """List the records of every kind that these lines became, the narrowest first."""
    return view.records_at(services.frames, artifact, line, max(line, to or line))


@router.get("/artifacts/{artifact_id}/record")
def record(
    artifact: ArtifactDep,
    services: ServicesDep,
    kind: str = Query(max_length=40),
    index: int = Query(ge=0),
) -> RecordOut:
    """Return one record with all its values."""
    return view.record(services.frames, artifact, kind, index)
