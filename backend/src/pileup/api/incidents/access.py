"""Routes for who may see and change an incident, and why."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import model_validator

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, UnitDep
from pileup.api.schema import In
from pileup.storage.incidents.incidents import Visibility
from pileup.storage.incidents.members import IncidentAccess, Members
from pileup.storage.roles import MemberRole

router = APIRouter(tags=["access"])


class VisibilityChange(In):
    visibility: Visibility


class NewMember(In):
    user_id: str | None = None
    team_id: str | None = None
    role: MemberRole

    @model_validator(mode="after")
    def _one(self) -> NewMember:
        if (self.user_id is None) == (self.team_id is None):
            raise ValueError("give user_id or team_id, one of them")
        return self


@router.get("/incidents/{incident_id}/access")
def incident_access(incident: IncidentDep, unit: UnitDep) -> IncidentAccess:
    """Explain who may see and change the incident: each user's role, with the reasons."""
    return Members(unit).access(incident.id)


@router.put("/incidents/{incident_id}/visibility")
def change_visibility(
    incident: IncidentDep, body: VisibilityChange, caller: Caller, unit: UnitDep
) -> IncidentAccess:
    """Open the incident to everyone who signs in, or restrict it to members; for its leads."""
    Members(unit).set_visibility(caller.actor, incident.id, body.visibility)
    return Members(unit).access(incident.id)


@router.put("/incidents/{incident_id}/members")
def set_member(
    incident: IncidentDep, body: NewMember, caller: Caller, unit: UnitDep
) -> IncidentAccess:
    """Give a user or a team a role in the incident; for its leads."""
    Members(unit).add(
        caller.actor, incident.id, body.role, user_id=body.user_id, team_id=body.team_id
    )
    return Members(unit).access(incident.id)


@router.delete("/incidents/{incident_id}/members/{member_id}")
def remove_member(
    incident: IncidentDep, member_id: str, caller: Caller, unit: UnitDep
) -> IncidentAccess:
    """Take a member out of the incident; for its leads."""
    Members(unit).remove(caller.actor, incident.id, member_id)
    return Members(unit).access(incident.id)
