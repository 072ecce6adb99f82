"""Usage: what each user and each team keeps here, and what of theirs waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import distinct, func, select

from pileup.storage import models
from pileup.storage.database import Unit


@dataclass(frozen=True, slots=True)
class Use:
    id: str
    name: str
    incidents: int
    """Of a user: owned; of a team: those it is a member of. The bin counts, as it takes space."""
    files: int
    """Of a user: uploaded by them."""
    bytes: int
    """As they were uploaded; equal files are stored once."""
    waiting: int
    """Jobs that wait or run."""


@dataclass(frozen=True, slots=True)
class Usage:
    incidents: int
    files: int
    bytes: int
    stored_bytes: int
    """Of different files, before compression."""
    database_bytes: int
    waiting: int
    users: list[Use]
    teams: list[Use]


def usage(unit: Unit) -> Usage:
    """Count for the installation, each user and each team; the largest first."""
    db, artifact, job = unit.session, models.Artifact, models.Job
    files, size = db.execute(
        select(func.count(), func.coalesce(func.sum(artifact.bytes), 0)).select_from(artifact)
    ).one()
    once = select(artifact.sha256, func.max(artifact.bytes).label("bytes")).group_by(
        artifact.sha256
    )
    stored = db.scalar(select(func.sum(once.subquery().c.bytes)))
    return Usage(
        incidents=db.scalar(select(func.count()).select_from(models.Incident)) or 0,
        files=files,
        bytes=int(size),
        stored_bytes=int(stored or 0),
        database_bytes=db.scalar(select(func.pg_database_size(func.current_database()))) or 0,
        waiting=db.scalar(select(func.count()).where(job.state.in_(("queued", "running")))) or 0,
        users=_of_users(unit),
        teams=_of_teams(unit),
    )


def _of_users(unit: Unit) -> list[Use]:
    db, artifact, job = unit.session, models.Artifact, models.Job
    owned = _counts(
        unit, select(models.Incident.owner_id, func.count()).group_by(models.Incident.owner_id)
    )
    waiting = _counts(
        unit,
        select(job.requester, func.count())
        .where(job.state.in_(("queued", "running")))
        .group_by(job.requester),
    )
    files = {
        row[0]: (row[1], int(row[2]))
        for row in db.execute(
            select(artifact.uploaded_by_id, func.count(), func.sum(artifact.bytes)).group_by(
                artifact.uploaded_by_id
            )
        )
    }
    users = db.execute(select(models.User.id, models.User.name)).all()
    return _sorted(
        [
            Use(key, name, owned.get(key, 0), *files.get(key, (0, 0)), waiting.get(key, 0))
            for key, name in users
        ]
    )


def _of_teams(unit: Unit) -> list[Use]:
    db, artifact, job, member = (
        unit.session,
        models.Artifact,
        models.Job,
        models.IncidentMember,
    )
    incidents = _counts(
        unit,
        select(member.team_id, func.count(distinct(member.incident_id))).group_by(member.team_id),
    )
    waiting = _counts(
        unit,
        select(member.team_id, func.count())
        .join(job, job.incident_id == member.incident_id)
        .where(job.state.in_(("queued", "running")))
        .group_by(member.team_id),
    )
    files = {
        row[0]: (row[1], int(row[2]))
        for row in db.execute(
            select(member.team_id, func.count(), func.sum(artifact.bytes))
            .join(artifact, artifact.incident_id == member.incident_id)
            .group_by(member.team_id)
        )
    }
    teams = db.execute(select(models.Team.id, models.Team.name)).all()
    return _sorted(
        [
            Use(key, name, incidents.get(key, 0), *files.get(key, (0, 0)), waiting.get(key, 0))
            for key, name in teams
        ]
    )


def _counts(unit: Unit, query: Any) -> dict[str, int]:
    return {row[0]: row[1] for row in unit.session.execute(query)}


def _sorted(found: list[Use]) -> list[Use]:
    return sorted(found, key=lambda use: (-use.bytes, -use.incidents, use.name))
