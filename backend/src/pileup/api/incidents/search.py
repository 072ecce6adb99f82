"""Routes of the search: within an incident, and over all incidents."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from pileup.api.deps import IncidentDep, UnitDep
from pileup.api.versioned import NOTES, by_version
from pileup.storage.incidents.search import Found, search_everywhere, search_incident

router = APIRouter(tags=["views"])

Words = Annotated[str, Query(min_length=1, max_length=200)]


@router.get("/incidents/{incident_id}/search")
@by_version(ignoring=NOTES)
def search_one(incident: IncidentDep, unit: UnitDep, q: Words) -> list[Found]:
    """Find what has all of these words, at most six of each kind, the best first."""
    return search_incident(unit, incident.id, q)


@router.get("/search")
def search_all(unit: UnitDep, q: Words) -> list[Found]:
    """Find incidents and what they contain, the best first; a word needs three letters."""
    return search_everywhere(unit, q)
