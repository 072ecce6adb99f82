"""Routes for samples: captured incidents that load in one click."""

from __future__ import annotations

from fastapi import APIRouter

from pileup.api.auth import Caller
from pileup.api.deps import ServicesDep, UnitDep
from pileup.api.schema import Out
from pileup.storage.incidents.incidents import Incident, Incidents
from pileup.storage.lifecycle.intake import load_sample
from pileup.storage.lifecycle.samples import sample, samples_in

router = APIRouter(tags=["samples"])


class SampleOut(Out):
    id: str
    title: str
    description: str
    finished: bool
    """Whether the team's work comes with it: hypotheses, experiments, a conclusion."""
    bytes: int
    incident_id: str | None = None
    """The incident that it was loaded as; loading it again opens that."""


@router.get("/samples")
def samples(services: ServicesDep, unit: UnitDep) -> list[SampleOut]:
    """List the samples that came with this installation, finished ones first."""
    loaded = Incidents(unit).of_samples()
    known = sorted(samples_in(services.settings.samples), key=lambda item: not item.finished)
    return [
        SampleOut.model_validate(item).model_copy(update={"incident_id": loaded.get(item.id)})
        for item in known
    ]


@router.post("/samples/{sample_id}/load", status_code=201)
def load(sample_id: str, caller: Caller, services: ServicesDep) -> Incident:
    """Create an incident from a sample, or return the one that exists already."""
    return load_sample(
        services.database,
        services.blobs,
        sample(services.settings.samples, sample_id),
        caller.actor,
        services.settings.max_upload_bytes,
    )
