"""Routes for samples: captured incidents that load in one click."""

from __future__ import annotations

from fastapi import APIRouter

from pileup.api.auth import Caller
from pileup.api.deps import ServicesDep
from pileup.api.schema import Out
from pileup.storage.incidents.incidents import Incident
from pileup.storage.lifecycle.intake import load_sample
from pileup.storage.lifecycle.samples import sample, samples_in
from pileup.storage.queue.broker import send_all

router = APIRouter(tags=["samples"])


class SampleOut(Out):
    id: str
    title: str
    description: str
    bytes: int


@router.get("/samples")
def samples(services: ServicesDep) -> list[SampleOut]:
    """List the samples that came with this installation."""
    return [SampleOut.model_validate(item) for item in samples_in(services.settings.samples)]


@router.post("/samples/{sample_id}/load", status_code=201)
def load(sample_id: str, caller: Caller, services: ServicesDep) -> Incident:
    """Create an incident from a sample, or return the one that exists already."""
    incident, jobs = load_sample(
        services.database,
        services.blobs,
        sample(services.settings.samples, sample_id),
        caller.actor,
        services.settings.max_upload_bytes,
    )
    send_all(services.database, services.sender, jobs)
    return incident
