"""Routes for the status of the installation: the health check and the status bar."""

from __future__ import annotations

import shutil

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from pileup import __version__
from pileup.api.auth import admin
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.guards import read_guard
from pileup.api.metrics import render
from pileup.api.pulse import Pulse
from pileup.api.schema import Out
from pileup.api.versioned import by_moment
from pileup.storage.migrate import newest_revision
from pileup.storage.queue.jobs import Jobs, QueueLength
from pileup.storage.queue.places import NOWHERE, Place, places
from pileup.storage.queue.workers import Workers, WorkerStatus

public = APIRouter(tags=["status"])
router = APIRouter(tags=["status"])


class Health(Out):
    status: str


class DatabaseStatus(Out):
    ok: bool


class DiskStatus(Out):
    free_bytes: int


class SigningKey(Out):
    key: str
    """The public key, in base64."""
    fingerprint: str


class Status(Out):
    version: str
    signing: SigningKey
    """What releases and bundles of this installation are signed with."""
    worker: WorkerStatus
    queue: QueueLength
    database: DatabaseStatus
    disk: DiskStatus


@public.get("/health")
@public.get("/api/health", include_in_schema=False)
async def health(request: Request) -> Health:
    """Answer 200 when this process runs and its database answered within the last seconds."""
    pulse: Pulse = request.app.state.pulse
    if not await pulse.answers():
        raise ApiError(
            503,
            "The database does not answer",
            "The database does not answer; `pileup doctor` says more.",
            Retry_After="2",
        )
    return Health(status="ok")


@public.get("/livez")
async def live() -> Health:
    """Answer 200 while this process answers at all: restart it when it does not."""
    return Health(status="ok")


@public.get("/readyz")
async def ready(request: Request) -> Health:
    """Answer 200 when requests may be sent here: the database answers, with the right schema."""
    await health(request)
    pulse: Pulse = request.app.state.pulse
    wanted = newest_revision()
    if pulse.schema != wanted:
        raise ApiError(
            503,
            "Another schema",
            f"the database is at schema {pulse.schema or 'none'}, this program needs {wanted}; run "
            "`pileup migrate` of the newer of the two",
            Retry_After="5",
        )
    return Health(status="ok")


@public.get("/metrics", response_class=Response, dependencies=[Depends(read_guard), Depends(admin)])
def metrics(services: ServicesDep, unit: UnitDep) -> Response:
    """Return the metrics for Prometheus; for admins, as a rule with a token that may read."""
    return Response(render(services, unit), media_type=CONTENT_TYPE_LATEST)


@router.get("/status")
@by_moment(2.0)
def status(services: ServicesDep, unit: UnitDep) -> Status:
    """Return the version and the status of worker, queue, database and disk."""
    return Status(
        version=__version__,
        signing=SigningKey(key=services.signer.key, fingerprint=services.signer.fingerprint),
        worker=Workers(unit).presence(services.worker_silence),
        queue=Jobs(unit).length(),
        database=DatabaseStatus(ok=True),
        disk=DiskStatus(free_bytes=shutil.disk_usage(services.settings.home).free),
    )


@router.get("/incidents/{incident_id}/queue")
@by_moment(2.0)
def queue(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> Place:
    """Return how much of the incident's work waits, its next turn and an estimate of the time."""
    return services.places.get(lambda: places(unit)).get(incident.id, NOWHERE)
