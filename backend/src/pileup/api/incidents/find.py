"""Route for the search of the top bar: anything of an incident by part of its name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from pileup.api.deps import IncidentDep, UnitDep
from pileup.storage.incidents.find import Found, find

router = APIRouter(tags=["views"])


@router.get("/incidents/{incident_id}/find")
def find_in_incident(
    incident: IncidentDep,
    unit: UnitDep,
    q: Annotated[str, Query(min_length=1, max_length=200)],
) -> list[Found]:
    """Find what has all of these words in its name, at most six of each kind."""
    return find(unit, incident.id, q)
