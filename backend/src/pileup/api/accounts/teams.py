"""Routes for teams and their members."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from pileup.api.auth import AdminDep, Caller, Principal
from pileup.api.deps import UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In
from pileup.storage import audit
from pileup.storage.accounts.teams import Team, Teams
from pileup.storage.database import Unit

router = APIRouter(tags=["accounts"])


class TeamName(In):
    name: str = Field(max_length=100)


class TeamMembership(In):
    lead: bool | None = None
    """Leads add and remove members."""


@router.get("/teams")
def list_teams(unit: UnitDep) -> list[Team]:
    """List the teams and their members."""
    return Teams(unit).all()


@router.post("/teams", status_code=201)
def create_team(body: TeamName, by: AdminDep, unit: UnitDep) -> Team:
    """Create a team, for admins."""
    team = Teams(unit).create(body.name)
    audit.record(unit, by.actor, "team.created", target=team.id, name=team.name)
    return team


@router.patch("/teams/{team_id}")
def rename_team(team_id: str, body: TeamName, by: AdminDep, unit: UnitDep) -> Team:
    """Change the name of a team, for admins."""
    team = Teams(unit).rename(team_id, body.name)
    audit.record(unit, by.actor, "team.renamed", target=team.id, name=team.name)
    return team


@router.delete("/teams/{team_id}", status_code=204)
def delete_team(team_id: str, by: AdminDep, unit: UnitDep) -> None:
    """Delete a team, for admins; its members lose what they saw through it alone."""
    name = Teams(unit).get(team_id).name
    Teams(unit).delete(team_id)
    audit.record(unit, by.actor, "team.deleted", target=team_id, name=name)


@router.put("/teams/{team_id}/members/{user_id}")
def set_team_member(
    team_id: str, user_id: str, body: TeamMembership, caller: Caller, unit: UnitDep
) -> Team:
    """Add a member to a team, or change whether they lead it; for admins and leads of the team."""
    _must_lead(unit, caller, team_id)
    team = Teams(unit).set_member(team_id, user_id, lead=bool(body.lead))
    audit.record(unit, caller.actor, "team.member_added", target=user_id, name=team.name)
    return team


@router.delete("/teams/{team_id}/members/{user_id}", status_code=204)
def remove_team_member(team_id: str, user_id: str, caller: Caller, unit: UnitDep) -> None:
    """Remove a member from a team; for admins, leads of the team and the member."""
    if user_id != caller.user.id:
        _must_lead(unit, caller, team_id)
    name = Teams(unit).get(team_id).name
    Teams(unit).remove_member(team_id, user_id)
    audit.record(unit, caller.actor, "team.member_removed", target=user_id, name=name)


def _must_lead(unit: Unit, caller: Principal, team_id: str) -> None:
    if caller.user.role != "admin" and not Teams(unit).leads(team_id, caller.user.id):
        raise ApiError(403, "For leads", "admins and leads of the team change its members")
