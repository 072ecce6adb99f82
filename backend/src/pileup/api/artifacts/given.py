"""Routes that give time and host to evidence: what it does not print, and which server it is of."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import AwareDatetime, Field

from pileup.api.artifacts.artifacts import ArtifactItems
from pileup.api.artifacts.tus import MOST_WITHIN_S
from pileup.api.auth import Caller
from pileup.api.deps import ServicesDep, UnitDep
from pileup.api.schema import In
from pileup.storage.artifacts.artifacts import Artifacts, Given
from pileup.storage.errors import NotFound
from pileup.storage.queue.jobs import Jobs
from pileup.views.artifacts.artifacts import shape

router = APIRouter(tags=["artifacts"])


class GivenTime(In):
    """When and where evidence was taken. What is null is forgotten."""

    artifact_ids: list[str] = Field(min_length=1, max_length=1000)
    at: AwareDatetime | None = None
    within_s: float | None = Field(default=None, ge=0, le=MOST_WITHIN_S)
    """How far ``at`` may be off, in seconds."""
    host: str | None = Field(default=None, max_length=255)


@router.post("/incidents/{incident_id}/artifacts/given")
def give_time(
    incident_id: str, body: GivenTime, caller: Caller, services: ServicesDep, unit: UnitDep
) -> ArtifactItems:
    """Give a time and a host to artifacts; a file that prints times of its own keeps those."""
    artifacts = Artifacts(unit)
    changes = Given(body.at, body.within_s, (body.host or "").strip() or None).columns()
    changed = []
    for artifact_id in dict.fromkeys(body.artifact_ids):
        if artifacts.get(artifact_id).incident_id != incident_id:
            raise NotFound("one of these artifacts belongs to another incident")
        changed.append(artifacts.change(caller.actor, artifact_id, changes))
    Jobs(unit).request_analysis(incident_id, services.settings.analysis_debounce_s)
    return ArtifactItems(items=[shape(artifact) for artifact in changed])


class GivenHost(In):
    """The server that files belong to; null: what they print or their folder says."""

    artifact_ids: list[str] = Field(min_length=1, max_length=1000)
    host: str | None = Field(default=None, max_length=255)


@router.post("/incidents/{incident_id}/artifacts/host")
def give_host(
    incident_id: str, body: GivenHost, caller: Caller, services: ServicesDep, unit: UnitDep
) -> ArtifactItems:
    """Say which server files belong to; their times stay. It overrides the host that they print."""
    artifacts = Artifacts(unit)
    host = Given(host=(body.host or "").strip() or None).columns()["given_host"]
    changed = []
    for artifact_id in dict.fromkeys(body.artifact_ids):
        if artifacts.get(artifact_id).incident_id != incident_id:
            raise NotFound("one of these artifacts belongs to another incident")
        changed.append(artifacts.change(caller.actor, artifact_id, {"given_host": host}))
    Jobs(unit).request_analysis(incident_id, services.settings.analysis_debounce_s)
    return ArtifactItems(items=[shape(artifact) for artifact in changed])
