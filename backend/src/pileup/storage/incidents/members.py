"""Who may see and change an incident, and why.

PostgreSQL decides by ``pileup_rank`` (see ``row_security``); here the same rule is explained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import func, select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import ACCESS, Unit
from pileup.storage.errors import NotFound, Refused
from pileup.storage.incidents.incidents import Visibility
from pileup.storage.roles import MemberRole, Role

RANKS: tuple[MemberRole | None, ...] = (None, "viewer", "contributor", "lead")
"""The role of each rank that ``pileup_rank`` returns."""


@dataclass(frozen=True, slots=True)
class Member:
    """A user or a team with a role in the incident."""

    id: str
    role: MemberRole
    user_id: str | None
    team_id: str | None
    name: str


@dataclass(frozen=True, slots=True)
class PersonAccess:
    """What one user may do in the incident, and why."""

    id: str
    name: str
    role: MemberRole | None
    """None: does not see it."""
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IncidentAccess:
    visibility: Visibility
    role: MemberRole | None
    """Yours."""
    members: tuple[Member, ...]
    people: tuple[PersonAccess, ...]
    """Every active user, those with access first."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What decides about one user in one incident."""

    role: Role
    owner: bool
    memberships: tuple[tuple[MemberRole, str], ...]
    """Roles in the incident, each with the team it comes from; '' for the user's own."""


def explain(visibility: Visibility, standing: Standing) -> tuple[MemberRole | None, list[str]]:
    """Return a user's role in an incident, and the reasons, the decisive ones first."""
    ranks: list[tuple[int, str]] = []
    if standing.role == "admin":
        ranks.append((3, "is an admin, who leads every incident"))
    if standing.owner:
        ranks.append((3, "owns the incident"))
    for role, team in standing.memberships:
        through = f"through the team {team}" if team else "by name"
        ranks.append((RANKS.index(role), f"is a {role} of the incident {through}"))
    if visibility == "open":
        ranks.append((2, "the incident is open to everyone who signs in"))
    if not ranks:
        return None, ["the incident is private, and neither they nor a team of theirs is a member"]
    ranks.sort(key=lambda each: -each[0])
    reasons = [reason for _, reason in ranks]
    most = ranks[0][0]
    if standing.role == "viewer" and most > 1:
        reasons.append("is a viewer of this installation, who changes nothing anywhere")
        most = 1
    return RANKS[most], reasons


class Members:
    """Repository of the access to incidents."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def access(self, incident_id: str) -> IncidentAccess:
        """Return who may see and change the incident, and why."""
        row = self._incident(incident_id)
        visibility = cast(Visibility, row.visibility)
        members = self._members(incident_id)
        teams = {member.team_id for member in members if member.team_id}
        in_teams = self._db.execute(
            select(models.TeamMember.team_id, models.TeamMember.user_id).where(
                models.TeamMember.team_id.in_(teams)
            )
        ).all()
        people = []
        users = self._db.scalars(
            select(models.User)
            .where(models.User.disabled.is_(False))
            .order_by(models.User.name, models.User.id)
        )
        for user in users:
            of = {team for team, member in in_teams if member == user.id}
            memberships = tuple(
                (member.role, member.name if member.team_id else "")
                for member in members
                if member.user_id == user.id or member.team_id in of
            )
            standing = Standing(cast(Role, user.role), user.id == row.owner_id, memberships)
            role, reasons = explain(visibility, standing)
            people.append(PersonAccess(user.id, user.name, role, tuple(reasons)))
        people.sort(key=lambda person: -RANKS.index(person.role))
        return IncidentAccess(visibility, self.role(incident_id), tuple(members), tuple(people))

    def role(self, incident_id: str) -> MemberRole | None:
        """Return the role of the unit's user in the incident."""
        return RANKS[self._db.scalar(select(func.pileup_rank(incident_id))) or 0]

    def set_visibility(self, by: Actor, incident_id: str, visibility: Visibility) -> None:
        """Open the incident to everyone who signs in, or restrict it to members."""
        row = self._incident(incident_id)
        if row.sample_id is not None and visibility == "private":
            raise Refused("a sample is the same for everyone and stays open", "visibility")
        if row.visibility == visibility:
            return
        row.visibility = visibility
        self._db.flush()
        self._changed(by, incident_id, "incident.visibility_changed", visibility=visibility)

    def add(
        self,
        by: Actor,
        incident_id: str,
        role: MemberRole,
        *,
        user_id: str | None = None,
        team_id: str | None = None,
    ) -> None:
        """Give a user or a team a role in the incident, instead of the one they had."""
        self._incident(incident_id)
        kind: type[models.User | models.Team] = models.User if user_id else models.Team
        if (user_id is None) == (team_id is None) or self._db.get(kind, user_id or team_id) is None:
            raise Refused("name one user or one team that exists", "user_id")
        row = self._db.scalar(
            select(models.IncidentMember).filter_by(
                incident_id=incident_id, user_id=user_id, team_id=team_id
            )
        )
        if row is None:
            row = models.IncidentMember(
                incident_id=incident_id, user_id=user_id, team_id=team_id, role=role
            )
            self._db.add(row)
        row.role, row.by_id = role, by.id
        self._db.flush()
        self._changed(by, incident_id, "member.added", target=user_id or team_id, role=role)

    def remove(self, by: Actor, incident_id: str, member_id: str) -> None:
        """Take a member out of the incident."""
        row = self._db.get(models.IncidentMember, member_id)
        if row is None or row.incident_id != incident_id:
            raise NotFound("there is no such member of this incident")
        target = row.user_id or row.team_id
        self._db.delete(row)
        self._db.flush()
        self._changed(by, incident_id, "member.removed", target=target)

    def _changed(
        self, by: Actor, incident_id: str, action: str, target: str | None = None, **detail: str
    ) -> None:
        record(self._unit, by, action, incident_id=incident_id, target=target, **detail)
        self._unit.send(incident_id, ACCESS)
        self._unit.notify(incident_id, "incident")

    def _incident(self, incident_id: str) -> models.Incident:
        row = self._db.get(models.Incident, incident_id)
        if row is None or row.deleted_at is not None:
            raise NotFound("there is no such incident")
        return row

    def _members(self, incident_id: str) -> Sequence[Member]:
        rows = self._db.execute(
            select(models.IncidentMember, models.User.name, models.Team.name)
            .outerjoin(models.User, models.User.id == models.IncidentMember.user_id)
            .outerjoin(models.Team, models.Team.id == models.IncidentMember.team_id)
            .where(models.IncidentMember.incident_id == incident_id)
            .order_by(models.IncidentMember.id)
        ).all()
        return [
            Member(row.id, cast(MemberRole, row.role), row.user_id, row.team_id, user or team or "")
            for row, user, team in rows
        ]
