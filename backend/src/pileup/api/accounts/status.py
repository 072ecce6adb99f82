"""How the installation is: for a health check, and for the status bar."""

from __future__ import annotations

import shutil
from datetime import datetime

from fastapi import APIRouter

from pileup import __version__
from pileup.api.deps import ServicesDep, UnitDep
from pileup.api.schema import Out
from pileup.storage.queue.jobs import Jobs
from pileup.storage.queue.workers import Workers

public = APIRouter(tags=["status"])
router = APIRouter(tags=["status"])


class Health(Out):
    status: str


class WorkerStatus(Out):
    alive: bool
    last_seen: datetime | None
    names: list[str]


class QueueStatus(Out):
    queued: int
    running: int


class DatabaseStatus(Out):
    ok: bool


class DiskStatus(Out):
    free_bytes: int


class Status(Out):
    version: str
    worker: WorkerStatus
    queue: QueueStatus
    database: DatabaseStatus
    disk: DiskStatus


@public.get("/health")
@public.get("/api/health", include_in_schema=False)
def health(unit: UnitDep) -> Health:
    """200 when this process answers and reaches its database."""
    unit.ping()
    return Health(status="ok")


@router.get("/status")
def status(services: ServicesDep, unit: UnitDep) -> Status:
    """Version, worker, queue, database, disk."""
    presence = Workers(unit).presence(services.worker_silence)
    length = Jobs(unit).length()
    return Status(
        version=__version__,
        worker=WorkerStatus(
            alive=presence.alive, last_seen=presence.last_seen, names=list(presence.names)
        ),
        queue=QueueStatus(queued=length.queued, running=length.running),
        database=DatabaseStatus(ok=True),
        disk=DiskStatus(free_bytes=shutil.disk_usage(services.settings.home).free),
    )
