"""The list of incidents: filtered, sorted and by page, in the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Float, case, cast, func, literal, or_, select
from sqlalchemy.dialects.postgresql import distinct_on

from pileup.storage import models
from pileup.storage.database import Unit, clean
from pileup.storage.incidents.incidents import Incident, Severity, Status, incident_record
from pileup.storage.like import contains

Order = Literal["created", "title", "status", "severity", "service", "engine", "onset",
                "duration", "peak", "finding", "owner", "updated"]  # fmt: skip
LEADING = ("proposed", "active", "supported")
"""States in which a hypothesis can lead."""


@dataclass(frozen=True, slots=True)
class Leading:
    """The hypothesis with the highest confidence."""

    statement: str
    confidence: int


@dataclass(frozen=True, slots=True)
class IncidentRow:
    """One row of the list."""

    incident: Incident
    digest: dict[str, Any]
    artifacts: int
    leading: Leading | None
    teams: list[str]
    """Names of the teams that are members."""


@dataclass(frozen=True, slots=True)
class TeamName:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class IncidentFilter:
    """Filters and order; an empty one lists every incident, newest first."""

    q: str = ""
    """Words, each in the title, service, server, owner, finding or leading hypothesis."""
    status: tuple[Status, ...] = ()
    severity: tuple[Severity, ...] = ()
    service: str | None = None
    owner: str | None = None
    """Id of a user."""
    team: str | None = None
    """Id of a team that is a member."""
    sort: Order = "created"
    down: bool = True
    limit: int = 200
    offset: int = 0


@dataclass(frozen=True, slots=True)
class IncidentPage:
    rows: list[IncidentRow]
    total: int
    """Incidents that pass the filters, also those of other pages."""
    everything: int
    """Incidents without any filter."""
    services: list[str]
    """Every service, for the filter."""
    teams: list[TeamName]
    """Every team that is a member of an incident, for the filter."""


def list_incidents(unit: Unit, wanted: IncidentFilter) -> IncidentPage:
    """List incidents that are not archived; unknown values come last in either direction."""
    there = models.Incident.archived_at.is_(None)
    chosen = [there, *_filters(wanted)]
    rows = unit.session.execute(
        select(models.Incident, models.User)
        .outerjoin(models.User, models.User.id == models.Incident.owner_id)
        .where(*chosen)
        .order_by(*_order(wanted))
        .limit(wanted.limit)
        .offset(wanted.offset)
    ).all()
    ids = [incident.id for incident, _ in rows]
    counts, leading = _artifact_counts(unit, ids), _leading(unit, ids)
    teams = _teams(unit, ids)
    return IncidentPage(
        rows=[
            IncidentRow(
                incident_record(incident, owner),
                incident.digest or {},
                counts.get(incident.id, 0),
                leading.get(incident.id),
                teams.get(incident.id, []),
            )
            for incident, owner in rows
        ],
        total=_count(unit, *chosen),
        everything=_count(unit, there),
        services=list(
            unit.session.scalars(
                select(models.Incident.service)
                .where(there, models.Incident.service.is_not(None))
                .distinct()
                .order_by(models.Incident.service)
            )
        ),
        teams=[
            TeamName(row.id, row.name)
            for row in unit.session.execute(
                select(models.Team.id, models.Team.name)
                .where(models.Team.id.in_(select(models.IncidentMember.team_id)))
                .order_by(models.Team.name)
            )
        ],
    )


def _count(unit: Unit, *chosen: ColumnElement[bool]) -> int:
    statement = (
        select(func.count())
        .select_from(models.Incident)
        .outerjoin(models.User, models.User.id == models.Incident.owner_id)
        .where(*chosen)
    )
    return unit.session.scalar(statement) or 0


def _filters(wanted: IncidentFilter) -> list[ColumnElement[bool]]:
    filters: list[ColumnElement[bool]] = []
    if wanted.status:
        filters.append(models.Incident.status.in_(wanted.status))
    if wanted.severity:
        filters.append(models.Incident.severity.in_(wanted.severity))
    if wanted.service is not None:
        filters.append(models.Incident.service == clean(wanted.service))
    if wanted.owner is not None:
        filters.append(models.Incident.owner_id == wanted.owner)
    if wanted.team is not None:
        theirs = select(models.IncidentMember.incident_id).filter_by(team_id=wanted.team)
        filters.append(models.Incident.id.in_(theirs))
    filters += [_holds(word) for word in clean(wanted.q).split()]
    return filters


def _holds(word: str) -> ColumnElement[bool]:
    digest = models.Incident.digest
    hypotheses = select(models.Hypothesis.incident_id).where(
        models.Hypothesis.deleted_at.is_(None),
        models.Hypothesis.status.in_(LEADING),
        contains(models.Hypothesis.statement, word),
    )
    return or_(
        contains(models.Incident.title, word),
        contains(models.Incident.service, word),
        contains(models.User.name, word),
        contains(digest["engine"].astext, word),
        contains(digest["finding"]["title"].astext, word),
        models.Incident.id.in_(hypotheses),
    )


def _order(wanted: IncidentFilter) -> list[Any]:
    digest = models.Incident.digest
    keys: dict[Order, Any] = {
        "created": models.Incident.id,  # ids are in the order of time
        "title": func.lower(models.Incident.title),
        "status": case(
            {word: literal(place) for place, word in enumerate(_STATUSES)},
            value=models.Incident.status,
        ),
        "severity": models.Incident.severity,
        "service": func.lower(models.Incident.service),
        "engine": digest["engine"].astext,
        "onset": digest["onset"].astext,
        "duration": cast(digest["duration_s"].astext, Float),
        "peak": cast(digest["peak_waiters"].astext, Float),
        "finding": digest["finding"]["title"].astext,
        "owner": func.lower(models.User.name),
        "updated": models.Incident.updated_at,
    }
    key = keys[wanted.sort]
    return [(key.desc() if wanted.down else key.asc()).nulls_last(), models.Incident.id.desc()]


_STATUSES: tuple[Status, ...] = ("open", "analysing", "review", "published")


def _artifact_counts(unit: Unit, ids: list[str]) -> dict[str, int]:
    rows = unit.session.execute(
        select(models.Artifact.incident_id, func.count())
        .where(
            models.Artifact.incident_id.in_(ids),
            models.Artifact.deleted_at.is_(None),
            models.Artifact.state != "expanded",
        )
        .group_by(models.Artifact.incident_id)
    )
    return {row[0]: row[1] for row in rows}


def _teams(unit: Unit, ids: list[str]) -> dict[str, list[str]]:
    rows = unit.session.execute(
        select(models.IncidentMember.incident_id, models.Team.name)
        .join(models.Team, models.Team.id == models.IncidentMember.team_id)
        .where(models.IncidentMember.incident_id.in_(ids))
        .order_by(models.Team.name)
    )
    teams: dict[str, list[str]] = {}
    for incident_id, name in rows:
        teams.setdefault(incident_id, []).append(name)
    return teams


def _leading(unit: Unit, ids: list[str]) -> dict[str, Leading]:
    rows = unit.session.execute(
        select(
            models.Hypothesis.incident_id,
            models.Hypothesis.statement,
            models.Hypothesis.confidence,
        )
        .ext(distinct_on(models.Hypothesis.incident_id))
        .where(
            models.Hypothesis.incident_id.in_(ids),
            models.Hypothesis.deleted_at.is_(None),
            models.Hypothesis.confidence.is_not(None),
            models.Hypothesis.status.in_(LEADING),
        )
        .order_by(
            models.Hypothesis.incident_id,
            models.Hypothesis.confidence.desc(),
            models.Hypothesis.id,
        )
    )
    return {
        incident_id: Leading(statement, confidence)
        for incident_id, statement, confidence in rows
        if confidence is not None
    }
