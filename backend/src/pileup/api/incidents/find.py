"""The search of the top bar: anything of an incident by a piece of its name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from pileup.api.deps import IncidentDep, UnitDep
from pileup.api.schema import Out
from pileup.storage.incidents.find import Kind, find

router = APIRouter(tags=["views"])


class FoundOut(Out):
    kind: Kind
    id: str
    title: str
    hint: str | None


@router.get("/incidents/{incident_id}/find")
def find_in_incident(
    incident: IncidentDep,
    unit: UnitDep,
    q: Annotated[str, Query(min_length=1, max_length=200)],
) -> list[FoundOut]:
    """What has every one of these words in its name: at most six of each kind."""
    return [FoundOut.model_validate(one) for one in find(unit, incident.id, q)]
