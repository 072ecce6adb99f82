"""Matrix of evidence and hypotheses: ratings, weights, and openings. All append-only.

The latest row of a (pin, hypothesis, person) is that person's current rating; the slider over time
shows earlier ones. A trigger refuses update and delete.
"""

from __future__ import annotations

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Id, Made


class Rating(Base):
    """One person's rating of one pin under one hypothesis."""

    __tablename__ = "ratings"
    __table_args__ = (
        CheckConstraint("rating in ('CC', 'C', 'N', 'I', 'II', 'NA')", name="rating"),
        Index("ix_ratings_incident_id", "incident_id", "at"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id", ondelete="CASCADE"))
    pin_id: Mapped[str] = mapped_column(ForeignKey("pins.id"))
    hypothesis_id: Mapped[str] = mapped_column(ForeignKey("hypotheses.id", ondelete="CASCADE"))
    by_id: Mapped[str]
    by_name: Mapped[str]
    rating: Mapped[str | None]
    """None: cleared."""
    proposed_by: Mapped[str | None]
    """The rule whose proposal this rating accepted, if any."""
    at: Mapped[Made]


class EvidenceWeight(Base):
    """The team's credibility and relevance of a pin."""

    __tablename__ = "evidence_weights"
    __table_args__ = (
        CheckConstraint("credibility in ('low', 'normal', 'high')", name="credibility"),
        CheckConstraint("relevance in ('low', 'normal', 'high')", name="relevance"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    pin_id: Mapped[str] = mapped_column(ForeignKey("pins.id"))
    credibility: Mapped[str]
    relevance: Mapped[str]
    by_id: Mapped[str | None]
    by_name: Mapped[str]
    at: Mapped[Made]


class MatrixOpening(Base):
    """The facilitator's opening of everybody's ratings: of a cell, a row, a column, or all."""

    __tablename__ = "matrix_openings"

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    pin_id: Mapped[str | None] = mapped_column(ForeignKey("pins.id"))
    """None: every row."""
    hypothesis_id: Mapped[str | None] = mapped_column(
        ForeignKey("hypotheses.id", ondelete="CASCADE")
    )
    """None: every column."""
    by_id: Mapped[str | None]
    by_name: Mapped[str]
    at: Mapped[Made]
