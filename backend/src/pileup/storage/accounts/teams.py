"""Teams: groups of users that are members of incidents together."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from pileup.storage import models
from pileup.storage.database import ACCESS, Unit, clean
from pileup.storage.errors import Conflict, NotFound, Refused


@dataclass(frozen=True, slots=True)
class TeamMember:
    id: str
    """Of the user."""
    name: str
    lead: bool
    """Adds and removes members."""


@dataclass(frozen=True, slots=True)
class Team:
    id: str
    name: str
    members: tuple[TeamMember, ...]
    retention_days: int | None = None
    """Its incidents go into the bin when nobody worked on them for so long."""


class Teams:
    """Repository of teams."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def all(self) -> list[Team]:
        """List every team with its members, by name."""
        teams = self._db.scalars(select(models.Team).order_by(models.Team.name)).all()
        rows = self._db.execute(
            select(models.TeamMember, models.User.name)
            .join(models.User, models.User.id == models.TeamMember.user_id)
            .order_by(models.User.name, models.User.id)
        ).all()
        return [
            Team(
                team.id,
                team.name,
                tuple(
                    TeamMember(member.user_id, name, member.lead)
                    for member, name in rows
                    if member.team_id == team.id
                ),
                team.retention_days,
            )
            for team in teams
        ]

    def get(self, team_id: str) -> Team:
        """Return one team; raise NotFound."""
        self._team(team_id)
        return next(team for team in self.all() if team.id == team_id)

    def create(self, name: str) -> Team:
        """Create a team without members; its name is unique."""
        row = models.Team(name=self._free_name(name))
        self._db.add(row)
        self._db.flush()
        return self.get(row.id)

    def rename(self, team_id: str, name: str) -> Team:
        """Change the name."""
        row = self._team(team_id)
        row.name = self._free_name(name, but=team_id)
        self._db.flush()
        return self.get(team_id)

    def delete(self, team_id: str) -> None:
        """Delete a team; its members lose what they saw through it alone."""
        self._db.delete(self._team(team_id))
        self._db.flush()
        self._unit.send("", ACCESS)

    def set_member(self, team_id: str, user_id: str, *, lead: bool) -> Team:
        """Add a member, or change whether they lead the team."""
        self._team(team_id)
        if self._db.get(models.User, user_id) is None:
            raise NotFound("there is no such user")
        row = insert(models.TeamMember).values(team_id=team_id, user_id=user_id, lead=lead)
        self._db.execute(
            row.on_conflict_do_update(index_elements=["team_id", "user_id"], set_={"lead": lead})
        )
        self._unit.notify_access(user_id)
        return self.get(team_id)

    def remove_member(self, team_id: str, user_id: str) -> None:
        """Remove a member."""
        gone = self._db.scalar(
            delete(models.TeamMember)
            .where(models.TeamMember.team_id == team_id, models.TeamMember.user_id == user_id)
            .returning(models.TeamMember.user_id)
        )
        if gone is None:
            raise NotFound("this user is no member of the team")
        self._unit.notify_access(user_id)

    def leads(self, team_id: str, user_id: str) -> bool:
        """Return whether the user leads the team."""
        member = self._db.get(models.TeamMember, (team_id, user_id))
        return member is not None and member.lead

    def _team(self, team_id: str) -> models.Team:
        row = self._db.get(models.Team, team_id)
        if row is None:
            raise NotFound("there is no such team")
        return row

    def _free_name(self, name: str, but: str = "") -> str:
        cleaned = " ".join(clean(name).split())
        if not cleaned or len(cleaned) > 100:
            raise Refused("the name of a team has 1 to 100 characters", "name")
        taken = select(models.Team.id).where(models.Team.name == cleaned, models.Team.id != but)
        if self._db.scalar(taken):
            raise Conflict(f"there is already a team {cleaned}")
        return cleaned
