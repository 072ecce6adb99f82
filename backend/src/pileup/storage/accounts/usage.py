"""Usage: what each user and each team keeps here, and what of theirs waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import distinct, func, select
from sqlalchemy.orm import aliased

from pileup.storage import models
from pileup.storage.database import Unit


@dataclass(frozen=True, slots=True)
class Use:
    id: str
    name: str
    incidents: int
    """Of a user: owned; of a team: those it is a member of. The bin counts, as it takes space."""
    files: int
    """As they were uploaded; of a user: by them."""
    bytes: int
    """Of these files; equal ones are stored once."""
    unpacked_files: int
    """Members of archives among them, which count in quotas too."""
    unpacked_bytes: int
    waiting: int
    """Jobs that wait or run."""


@dataclass(frozen=True, slots=True)
class Usage:
    incidents: int
    files: int
    bytes: int
    unpacked_files: int
    unpacked_bytes: int
    stored_bytes: int
    """Of different files, before compression."""
    database_bytes: int
    waiting: int
    users: list[Use]
    teams: list[Use]


_IS_MEMBER = func.cardinality(models.Artifact.within) > 0
_KEPT = (
    func.count().filter(~_IS_MEMBER),
    func.sum(models.Artifact.bytes).filter(~_IS_MEMBER),
    func.count().filter(_IS_MEMBER),
    func.sum(models.Artifact.bytes).filter(_IS_MEMBER),
)


def usage(unit: Unit) -> Usage:
    """Count for the installation, each user and each team; the largest first."""
    db, artifact, job = unit.session, models.Artifact, models.Job
    kept = _kept(db.execute(select(*_KEPT)).one())
    once = select(artifact.sha256, func.max(artifact.bytes).label("bytes")).group_by(
        artifact.sha256
    )
    stored = db.scalar(select(func.sum(once.subquery().c.bytes)))
    return Usage(
        incidents=db.scalar(select(func.count()).select_from(models.Incident)) or 0,
        **kept,
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
    outermost = aliased(artifact)
    uploader = func.coalesce(outermost.uploaded_by_id, artifact.uploaded_by_id)
    kept = {
        row[-1]: _kept(row)
        for row in db.execute(
            select(*_KEPT, uploader)
            .outerjoin(outermost, outermost.id == artifact.within[1])  # PostgreSQL counts from 1
            .group_by(uploader)
        )
    }
    users = db.execute(select(models.User.id, models.User.name)).all()
    return _sorted(
        [
            Use(
                key,
                name,
                owned.get(key, 0),
                **kept.get(key, _NOTHING),
                waiting=waiting.get(key, 0),
            )
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
    kept = {
        row[-1]: _kept(row)
        for row in db.execute(
            select(*_KEPT, member.team_id)
            .join(artifact, artifact.incident_id == member.incident_id)
            .group_by(member.team_id)
        )
    }
    teams = db.execute(select(models.Team.id, models.Team.name)).all()
    return _sorted(
        [
            Use(
                key,
                name,
                incidents.get(key, 0),
                **kept.get(key, _NOTHING),
                waiting=waiting.get(key, 0),
            )
            for key, name in teams
        ]
    )


def _kept(row: Any) -> dict[str, int]:
    names = ("files", "bytes", "unpacked_files", "unpacked_bytes")
    return {name: int(value or 0) for name, value in zip(names, row, strict=False)}


_NOTHING = _kept((0, 0, 0, 0))


def _counts(unit: Unit, query: Any) -> dict[str, int]:
    return {row[0]: row[1] for row in unit.session.execute(query)}


def _sorted(found: list[Use]) -> list[Use]:
    return sorted(
        found, key=lambda use: (-use.bytes - use.unpacked_bytes, -use.incidents, use.name)
    )
