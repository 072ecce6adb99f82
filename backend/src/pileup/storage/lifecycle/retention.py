"""Retention: incidents that nobody worked on for long go into the bin, unless they are held.

A team says for how many days it keeps its incidents. An incident with several teams stays for the
longest of their times, and for ever if one of them has none; an incident without a team stays. The
time counts from the last entry of a person in its audit trail. A legal hold keeps an incident
and all of its bin until it is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, Select, case, cast, func, literal_column, select

from pileup.storage import models
from pileup.storage.audit import MACHINE, Actor, record
from pileup.storage.database import Unit, clean
from pileup.storage.errors import Conflict, NotFound, Refused
from pileup.storage.incidents.incidents import Incidents

MOST_DAYS = 36_500
_MOST_REASON = 500
_DAY: Any = literal_column("interval '1 day'")


@dataclass(frozen=True, slots=True)
class Expiring:
    """An incident of a team, and when its time is over."""

    id: str
    title: str
    last_work_at: datetime
    expires_at: datetime | None
    """None: another of its teams keeps it for ever."""
    held_for: str | None
    """The reason of its legal hold."""


@dataclass(frozen=True, slots=True)
class TeamRetention:
    days: int | None
    due: int
    """Incidents that the next round moves to the bin."""
    held: int
    next: list[Expiring]
    """The first that go, those that are held among them."""


class Retention:
    """Repository of retention and legal holds."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def of_team(self, team_id: str, days: int | None, limit: int = 20) -> TeamRetention:
        """Show what goes first if the team kept its incidents for so many days."""
        found = _ages(team_id, days).subquery()
        of_team = select(models.IncidentMember.incident_id).where(
            models.IncidentMember.team_id == team_id
        )
        rows = select(found).where(found.c.id.in_(of_team))
        due = (found.c.expires_at < func.now()) & found.c.held_for.is_(None)
        counts = self._db.execute(
            select(
                func.count().filter(due), func.count().filter(found.c.held_for.is_not(None))
            ).where(found.c.id.in_(of_team))
        ).one()
        first = rows.order_by(found.c.expires_at.nulls_last(), found.c.id).limit(limit)
        items = [
            Expiring(row.id, row.title, row.last_work_at, row.expires_at, row.held_for)
            for row in self._db.execute(first)
        ]
        return TeamRetention(days, counts[0], counts[1], items)

    def set_days(self, team_id: str, days: int | None, *, by: Actor) -> TeamRetention:
        """Keep the incidents of a team for so many days; None: for ever."""
        team = self._db.get(models.Team, team_id, with_for_update=True)
        if team is None:
            raise NotFound("there is no such team")
        if days is not None and not 1 <= days <= MOST_DAYS:
            raise Refused(f"a retention has 1 to {MOST_DAYS} days", "days")
        team.retention_days = days
        self._db.flush()
        record(self._unit, by, "team.retention_set", target=team_id, name=team.name, days=days)
        return self.of_team(team_id, days)

    def hold(self, incident_id: str, reason: str, *, by: Actor) -> None:
        """Put an incident under a legal hold, or change the reason."""
        reason = " ".join(clean(reason).split())
        if not 1 <= len(reason) <= _MOST_REASON:
            raise Refused(f"a reason has 1 to {_MOST_REASON} characters", "reason")
        row = self._incident(incident_id)
        row.held_for = reason
        row.held_at = func.now()
        self._db.flush()
        record(self._unit, by, "incident.held", incident_id=incident_id, reason=reason)
        self._unit.notify(incident_id, "incident")

    def release(self, incident_id: str, *, by: Actor) -> None:
        """End the legal hold."""
        row = self._incident(incident_id)
        if row.held_at is None:
            raise Conflict("this incident is under no legal hold")
        row.held_at = row.held_for = None
        self._db.flush()
        record(self._unit, by, "incident.released", incident_id=incident_id)
        self._unit.notify(incident_id, "incident")

    def expire(self, limit: int = 100) -> list[str]:
        """Move incidents whose time is over to the bin; return their ids."""
        found = _ages().subquery()
        rows = self._db.execute(
            select(found.c.id, found.c.days)
            .where(found.c.expires_at < func.now(), found.c.held_for.is_(None))
            .order_by(found.c.expires_at, found.c.id)
            .limit(limit)
        ).all()
        for incident_id, days in rows:
            why = f"nobody worked on it for {days} days, the retention of its team"
            Incidents(self._unit).delete(MACHINE, incident_id, why=why)
        return [row[0] for row in rows]

    def _incident(self, incident_id: str) -> models.Incident:
        row = self._db.get(models.Incident, incident_id, with_for_update=True)
        if row is None or row.deleted_at is not None:
            raise NotFound("there is no such incident")
        return row


def _ages(team_id: str | None = None, days: int | None = None) -> Select[Any]:
    """Select each incident of a team: its last work, and when its time is over.

    team_id: the team that is taken to keep its incidents for ``days``.
    """
    member, team, audit = models.IncidentMember, models.Team, models.Audit
    own: Any = team.retention_days
    if team_id is not None:
        own = case((team.id == team_id, cast(days, Integer)), else_=own)
    limits = (
        select(
            member.incident_id,
            func.max(own).label("days"),
            func.bool_and(own.is_not(None)).label("ends"),
        )
        .join(team, team.id == member.team_id)
        .group_by(member.incident_id)
        .subquery()
    )
    incident = models.Incident
    work = (
        select(func.max(audit.at))
        .where(
            audit.incident_id == incident.id,
            audit.user_id.is_not(None),
            audit.action != "file.downloaded",
        )
        .scalar_subquery()
    )
    last = func.coalesce(work, incident.created_at)
    ends = case((limits.c.ends, last + limits.c.days * _DAY))
    return (
        select(
            incident.id,
            incident.title,
            last.label("last_work_at"),
            limits.c.days,
            ends.label("expires_at"),
            incident.held_for,
        )
        .join(limits, limits.c.incident_id == incident.id)
        .where(incident.deleted_at.is_(None))
    )
