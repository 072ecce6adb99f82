"""Routes for teams, their members, what they keep, and for how long."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from pileup.api.auth import AdminDep, Caller, Principal
from pileup.api.deps import UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In
from pileup.storage import audit
from pileup.storage.accounts.teams import Team, Teams
from pileup.storage.accounts.usage import Usage, usage
from pileup.storage.database import Unit
from pileup.storage.lifecycle.retention import MOST_DAYS, Retention, TeamRetention

router = APIRouter(tags=["accounts"])
members = APIRouter(tags=["accounts"])


class TeamName(In):
    name: str = Field(max_length=100)


class TeamMembership(In):
    lead: bool | None = None
    """Leads add and remove members."""


class RetentionDays(In):
    days: int | None = Field(ge=1, le=MOST_DAYS)
    """None: for ever."""


class HoldReason(In):
    reason: str = Field(min_length=1, max_length=500)


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


@router.get("/teams/{team_id}/retention")
def team_retention(
    team_id: str,
    by: AdminDep,
    unit: UnitDep,
    days: Annotated[int | None, Query(ge=1, le=MOST_DAYS)] = None,
) -> TeamRetention:
    """Show which incidents of the team go into the bin first, for admins.

    days: show it as if the team kept its incidents for so many days.
    """
    del by
    return Retention(unit).of_team(team_id, days or Teams(unit).get(team_id).retention_days)


@router.put("/teams/{team_id}/retention")
def set_team_retention(
    team_id: str, body: RetentionDays, by: AdminDep, unit: UnitDep
) -> TeamRetention:
    """Keep the incidents of the team for so many days after the last work on them, for admins."""
    return Retention(unit).set_days(team_id, body.days, by=by.actor)


@router.put("/incidents/{incident_id}/hold", status_code=204)
def hold_incident(incident_id: str, body: HoldReason, by: AdminDep, unit: UnitDep) -> None:
    """Put an incident under a legal hold, for admins: nobody deletes it, retention neither."""
    Retention(unit).hold(incident_id, body.reason, by=by.actor)


@router.delete("/incidents/{incident_id}/hold", status_code=204)
def release_incident(incident_id: str, by: AdminDep, unit: UnitDep) -> None:
    """End the legal hold of an incident, for admins."""
    Retention(unit).release(incident_id, by=by.actor)


@router.get("/usage")
def get_usage(by: AdminDep, unit: UnitDep) -> Usage:
    """Count incidents, files, bytes and waiting jobs of each user and team, for admins."""
    del by
    return usage(unit)


@members.put("/teams/{team_id}/members/{user_id}")
def set_team_member(
    team_id: str, user_id: str, body: TeamMembership, caller: Caller, unit: UnitDep
) -> Team:
    """Add a member to a team, or change whether they lead it; for admins and leads of the team."""
    _must_lead(unit, caller, team_id)
    team = Teams(unit).set_member(team_id, user_id, lead=bool(body.lead))
    audit.record(unit, caller.actor, "team.member_added", target=user_id, name=team.name)
    return team


@members.delete("/teams/{team_id}/members/{user_id}", status_code=204)
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
