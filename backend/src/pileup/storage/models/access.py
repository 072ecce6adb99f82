"""Teams, and who may do what in an incident."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Id, Made


class Team(Base):
    __tablename__ = "teams"
    __table_args__ = (CheckConstraint("retention_days > 0", name="retention_days"),)

    id: Mapped[Id]
    name: Mapped[str] = mapped_column(unique=True)
    retention_days: Mapped[int | None]
    """Its incidents go into the bin when nobody worked on them for so long; None: never."""
    created_at: Mapped[Made]


class TeamMember(Base):
    __tablename__ = "team_members"

    team_id: Mapped[str] = mapped_column(
        ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    lead: Mapped[bool] = mapped_column(default=False)
    """A lead adds and removes members."""
    added_at: Mapped[Made]


class IncidentMember(Base):
    """The role of one user or one team in one incident."""

    __tablename__ = "incident_members"
    __table_args__ = (
        CheckConstraint("role in ('viewer', 'contributor', 'lead')", name="role"),
        CheckConstraint("num_nonnulls(user_id, team_id) = 1", name="one"),
        UniqueConstraint("incident_id", "user_id"),
        UniqueConstraint("incident_id", "team_id", name="uq_incident_members_team"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id", ondelete="CASCADE"))
    user_id: Mapped[str | None] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    team_id: Mapped[str | None] = mapped_column(
        ForeignKey("teams.id", ondelete="CASCADE"), index=True
    )
    role: Mapped[str]
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    at: Mapped[Made]
