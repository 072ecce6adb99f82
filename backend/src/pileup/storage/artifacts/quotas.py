"""Quotas: how many files and bytes a user, and a team, may keep here.

What is in the bin counts, since it takes space; so do the members of archives, which belong to
whoever uploaded the archive, and uploads that are not complete, by the size that they announced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, or_, select

from pileup.numerals import grouped
from pileup.settings import Settings
from pileup.storage import models
from pileup.storage.database import Unit
from pileup.storage.errors import OverQuota

_MIB = 1024**2


@dataclass(frozen=True, slots=True)
class Quotas:
    """The most that each user and each team keeps; 0: any number."""

    user_bytes: int = 0
    user_files: int = 0
    team_bytes: int = 0
    team_files: int = 0

    @classmethod
    def of(cls, settings: Settings) -> Quotas:
        """Return the quotas of the settings."""
        return cls(
            settings.user_bytes, settings.user_files, settings.team_bytes, settings.team_files
        )


@dataclass(frozen=True, slots=True)
class Room:
    """What is left of one quota; negative when more is kept already."""

    bytes: float
    files: float
    owner: str
    remedy: str


def check_quotas(
    unit: Unit, quotas: Quotas, user_id: str | None, incident_id: str, size: int
) -> None:
    """Raise OverQuota unless the user, and every team of the incident, may keep one file more.

    unit: one that sees every incident.
    """
    for room in rooms(unit, quotas, user_id, incident_id):
        if room.bytes < size:
            left = max(int(room.bytes), 0)
            raise OverQuota(
                f"{room.owner} may keep {grouped(left // _MIB)} MiB more, and this has "
                f"{grouped(-(-size // _MIB))} MiB: {room.remedy}"
            )
        if room.files < 1:
            raise OverQuota(f"{room.owner} may keep no more files: {room.remedy}")


def rooms(unit: Unit, quotas: Quotas, user_id: str | None, incident_id: str) -> list[Room]:
    """Return what is left of each quota that counts for this user in this incident."""
    found = []
    remedy = "delete what is not needed, for good, or ask an admin (PILEUP_{}_BYTES, _FILES)"
    if user_id and (quotas.user_bytes or quotas.user_files):
        files, size = _kept_by_user(unit, user_id)
        found.append(
            Room(
                _left(quotas.user_bytes, size),
                _left(quotas.user_files, files),
                "you",
                remedy.format("USER"),
            )
        )
    if quotas.team_bytes or quotas.team_files:
        for name, files, size in _kept_by_teams(unit, incident_id):
            found.append(
                Room(
                    _left(quotas.team_bytes, size),
                    _left(quotas.team_files, files),
                    f"the team {name}",
                    remedy.format("TEAM"),
                )
            )
    return found


def _left(quota: int, kept: int) -> float:
    return quota - kept if quota else float("inf")


def _kept_by_user(unit: Unit, user_id: str) -> tuple[int, int]:
    artifact, upload = models.Artifact, models.Upload
    theirs = select(artifact.id).where(artifact.uploaded_by_id == user_id)
    outermost = artifact.within[1]  # the first: PostgreSQL counts from 1
    kept = _count(unit, artifact, or_(artifact.uploaded_by_id == user_id, outermost.in_(theirs)))
    coming = _count(unit, upload, upload.user_id == user_id, upload.artifact_id.is_(None))
    return kept[0] + coming[0], kept[1] + coming[1]


def _kept_by_teams(unit: Unit, incident_id: str) -> list[tuple[str, int, int]]:
    member, team = models.IncidentMember, models.Team
    teams = unit.session.execute(
        select(team.id, team.name)
        .join(member, member.team_id == team.id)
        .where(member.incident_id == incident_id)
        .order_by(team.id)
    ).all()
    found = []
    for key, name in teams:
        incidents = select(member.incident_id).where(member.team_id == key)
        found.append(
            (name, *_count(unit, models.Artifact, models.Artifact.incident_id.in_(incidents)))
        )
    return found


def _count(unit: Unit, table: Any, *where: Any) -> tuple[int, int]:
    row = unit.session.execute(
        select(func.count(), func.coalesce(func.sum(table.bytes), 0)).where(*where)
    ).one()
    return int(row[0]), int(row[1])
