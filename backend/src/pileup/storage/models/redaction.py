"""Redaction profiles: named choices of what reports leave out."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Made


class RedactionProfile(Base):
    __tablename__ = "redaction_profiles"

    name: Mapped[str] = mapped_column(primary_key=True)
    kinds: Mapped[list[str]]
    """Of pileup.report.redaction.KINDS."""
    made_at: Mapped[Made]
