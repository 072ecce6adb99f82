"""Routes for short links to views, with or without a name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, StringConstraints

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, UnitDep
from pileup.api.schema import In
from pileup.api.versioned import by_version
from pileup.storage.incidents.view_links import ViewLink, ViewLinks

router = APIRouter(tags=["views"])


class NewViewLink(In):
    view: str = Field(min_length=1, max_length=20_000)
    """Screen and query below the incident: 'timeline?start=...'."""
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] | None = Field(
        default=None, max_length=200
    )


@router.get("/incidents/{incident_id}/views")
@by_version()
def named_views(incident: IncidentDep, unit: UnitDep) -> list[ViewLink]:
    """List the named views, newest first."""
    return ViewLinks(unit).named(incident.id)


@router.post("/incidents/{incident_id}/views", status_code=201)
def make_link(incident: IncidentDep, new: NewViewLink, caller: Caller, unit: UnitDep) -> ViewLink:
    """Create a link to a view; without a name, the same view always gets the same link."""
    return ViewLinks(unit).make(incident.id, new.view, new.name, by=caller.actor)


@router.get("/views/{view_id}")
def view_link(view_id: str, unit: UnitDep) -> ViewLink:
    """Return the address that a short link opens."""
    return ViewLinks(unit).get(view_id)
