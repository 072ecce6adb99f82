"""Routes for artifacts: list, receipt, raw lines, and the values that a person may set."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from pydantic import Field

from pileup import formats as known
from pileup.analysis.clock.documents import preview
from pileup.api.auth import AdminDep, Caller
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.api.versioned import NOTES, by_version
from pileup.records.zones import TimeZone, fixed, time_zone
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.errors import Refused
from pileup.storage.files.raw_lines import PIECE
from pileup.storage.queue.jobs import Jobs
from pileup.views.artifacts.artifacts import (
    Artifact,
    ArtifactDetail,
    SectionOut,
    detail,
    sections_in,
    shape,
)
from pileup.views.artifacts.raw_lines import (
    RawHits,
    RawLines,
    RawPiece,
    raw_hits,
    raw_page,
    raw_piece,
    reader_of,
)
from pileup.views.window import moment_of

router = APIRouter(tags=["artifacts"])

_MAX_OFFSET_S = 400 * 86400.0


class ArtifactItems(Out):
    items: list[Artifact]


class ArtifactChange(In):
    format: str | None = Field(default=None, max_length=100)
    zone: str | None = Field(default=None, max_length=100)
    offset_s: float | None = Field(default=None, ge=-_MAX_OFFSET_S, le=_MAX_OFFSET_S)
    excluded: bool | None = None


class ClockPreview(Out):
    """Effect of a zone and an offset, computed without applying them."""

    records: int
    moves: int
    outside: int
    """Records that would lie outside the time that all other artifacts cover."""
    unplaced: int
    """Local times that do not exist in that zone."""
    first: datetime | None
    last: datetime | None


class FormatOut(Out):
    name: str
    title: str


@router.get("/incidents/{incident_id}/artifacts")
@by_version(ignoring=NOTES)
def artifacts(incident: IncidentDep, unit: UnitDep) -> ArtifactItems:
    """List every artifact of an incident."""
    found = Artifacts(unit).of_incident(incident.id)
    return ArtifactItems(items=[shape(artifact) for artifact in found])


@router.get("/artifacts/{artifact_id}")
def artifact(artifact_id: str, unit: UnitDep) -> ArtifactDetail:
    """Return one artifact with its parse receipt, sections and problems."""
    return detail(unit, artifact_id)


@router.get("/artifacts/{artifact_id}/sections")
def sections(
    artifact_id: str, unit: UnitDep, first: int = Query(ge=1), last: int = Query(ge=1)
) -> list[SectionOut]:
    """List the sections that begin in a range of lines; the outline of a long file omits some."""
    return sections_in(unit, artifact_id, first, last)


@router.get("/artifacts/{artifact_id}/raw")
def raw(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    line: int = Query(default=1, ge=1),
    count: int = Query(default=400, ge=1, le=1000),
) -> RawLines:
    """Return a page of raw lines; long lines are cut."""
    return raw_page(reader_of(unit, services.blobs, artifact_id), line, count)


@router.get("/artifacts/{artifact_id}/raw/line")
def raw_line(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    line: int = Query(ge=1),
    first: int = Query(default=0, ge=0),
    most: int = Query(default=20_000, ge=100, le=PIECE),
) -> RawPiece:
    """Return a range of bytes of one line, because a line may be as long as the file."""
    return raw_piece(reader_of(unit, services.blobs, artifact_id), line, first, most)


@router.get("/artifacts/{artifact_id}/raw/search")
def raw_search(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    q: str = Query(min_length=1, max_length=200),
    from_line: int = Query(default=1, ge=1),
    limit: int = Query(default=100, ge=1, le=1000),
    back: bool = False,
) -> RawHits:
    """Search lines for a text, ignoring case; ``back``: find the last one above ``from_line``."""
    return raw_hits(reader_of(unit, services.blobs, artifact_id), q, from_line, limit, back)


@router.get("/artifacts/{artifact_id}/download", response_class=FileResponse)
def download(artifact_id: str, services: ServicesDep, unit: UnitDep) -> FileResponse:
    """Download the bytes as they were uploaded."""
    artifact = Artifacts(unit).get(artifact_id)
    path = services.blobs.path(artifact.sha256)
    services.stores.scanner.check(path, artifact.name)
    return FileResponse(
        path,
        media_type="application/octet-stream",
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(artifact.name, safe='')}",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
        },
    )


@router.patch("/artifacts/{artifact_id}")
def change_artifact(
    artifact_id: str, body: ArtifactChange, caller: Caller, services: ServicesDep, unit: UnitDep
) -> ArtifactDetail:
    """Set the type, zone, offset or exclusion of an artifact, and repeat what depends on it."""
    sent = body.model_dump(exclude_unset=True)
    artifacts = Artifacts(unit)
    before = artifacts.get(artifact_id)
    changes: dict[str, Any] = {}
    if "format" in sent:
        changes["format_given"] = check_format(sent["format"])
    if "zone" in sent:
        zone = check_zone(sent["zone"])
        changes["zone"] = zone and zone.name
    if "offset_s" in sent:
        changes["offset_s"] = sent["offset_s"]
    if sent.get("excluded") is not None:
        changes["excluded"] = sent["excluded"]
    if "format_given" in changes and before.state == "expanded":
        raise Refused("an archive was expanded; give its members a type instead", "format")
    artifacts.change(caller.actor, artifact_id, changes)
    if changes.get("format_given", before.format_given) != before.format_given:
        artifacts.reparse(artifact_id)
    elif changes:
        Jobs(unit).request_analysis(before.incident_id, services.settings.analysis_debounce_s)
    return detail(unit, artifact_id)


@router.get("/artifacts/{artifact_id}/clock/preview")
def preview_clock(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    zone: str | None = Query(default=None, max_length=100),
    offset_s: float = Query(default=0.0, ge=-_MAX_OFFSET_S, le=_MAX_OFFSET_S),
) -> ClockPreview:
    """Preview what a zone and an offset would do, without applying them."""
    artifact = Artifacts(unit).get(artifact_id)
    placed = services.placed.times(artifact.incident_id)
    clock = placed.clocks.get(artifact.sha256) if placed else None
    if placed is None or clock is None:
        raise ApiError(
            409, "No times placed yet", "the analysis has not placed this artifact's times"
        )
    run = preview(placed.frames, artifact.sha256, clock, check_zone(zone), offset_s)
    return ClockPreview(
        records=run.records,
        moves=run.moves,
        outside=run.outside,
        unplaced=run.unplaced,
        first=moment_of(run.first),
        last=moment_of(run.last),
    )


@router.post("/artifacts/{artifact_id}/reparse", status_code=202)
def reparse(artifact_id: str, unit: UnitDep) -> ArtifactDetail:
    """Parse an artifact again with the current parsers."""
    Artifacts(unit).reparse(artifact_id)
    return detail(unit, artifact_id)


@router.delete("/artifacts/{artifact_id}", status_code=204)
def delete_artifact(artifact_id: str, by: AdminDep, services: ServicesDep, unit: UnitDep) -> None:
    """Delete an artifact and its members; the bytes are kept for 30 days."""
    incident_id = Artifacts(unit).delete(by.actor, artifact_id)
    Jobs(unit).request_analysis(incident_id, services.settings.analysis_debounce_s)


@router.get("/formats")
def formats() -> list[FormatOut]:
    """List the types that an artifact can have."""
    return [FormatOut(name=f.NAME, title=f.TITLE) for f in known.FORMATS]


def check_format(name: str | None) -> str | None:
    """Return the name of a format that an artifact can have; raises Refused."""
    if name is not None and name not in {f.NAME for f in known.FORMATS}:
        raise Refused(f"{name!r} is not a format that Pileup reads", "format")
    return name


def check_zone(zone: str | None) -> TimeZone | None:
    """Return the zone of this name or offset, None without one; raises Refused."""
    if zone is None or not zone.strip():
        return None
    given = time_zone(zone)
    if given is None:
        raise Refused(
            f"{zone!r} is not a time zone: use a name (America/Vancouver) or an offset (-08:00)",
            "zone",
        )
    return given if given.minutes is None else fixed(given.minutes)
