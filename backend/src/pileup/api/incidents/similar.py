"""Route for past incidents with the same cause or symptoms."""

from __future__ import annotations

from fastapi import APIRouter

from pileup.api.deps import IncidentDep, UnitDep
from pileup.views.reasoning import similar
from pileup.views.reasoning.similar import SimilarIncident

router = APIRouter(tags=["findings"])


@router.get("/incidents/{incident_id}/similar")
def similar_incidents(incident: IncidentDep, unit: UnitDep) -> list[SimilarIncident]:
    """List incidents with the same cause, then with the same symptoms, the most similar first."""
    return similar.similar_incidents(unit, incident.id)
