"""Long texts for collaborative editing: a CRDT document each, its updates, its versions."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Id, Made


class LiveText(Base):
    """One text. ``state`` and the updates after ``base_seq`` are the truth; ``text`` is derived."""

    __tablename__ = "live_texts"
    __table_args__ = (CheckConstraint("base_seq <= seq", name="base_seq"),)

    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), primary_key=True
    )
    key: Mapped[str] = mapped_column(primary_key=True)
    """'summary', 'report/<section>', 'hypothesis/<id>/notes': see api/reports/texts.py."""
    text: Mapped[str]
    state: Mapped[bytes]
    """The Yjs document (update format, version 1) as of ``base_seq``."""
    base_seq: Mapped[int] = mapped_column(BigInteger)
    seq: Mapped[int] = mapped_column(BigInteger)
    """Increases by one with every update; clients send the last one they have."""
    edited: Mapped[bool] = mapped_column(default=False)
    """False while it is the proposed text and nobody has typed in it."""
    updated_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    updated_at: Mapped[Made]


class LiveTextUpdate(Base):
    """One update since the last compaction, as the document accepted it."""

    __tablename__ = "live_text_updates"
    __table_args__ = (
        ForeignKeyConstraint(
            ["incident_id", "key"],
            ["live_texts.incident_id", "live_texts.key"],
            name="fk_live_text_updates_live_texts",
            ondelete="CASCADE",
        ),
    )

    incident_id: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    update: Mapped[bytes]
    by_id: Mapped[str | None]
    at: Mapped[Made]


class LiveTextVersion(Base):
    """The text at the end of one person's stretch of editing."""

    __tablename__ = "live_text_versions"
    __table_args__ = (
        ForeignKeyConstraint(
            ["incident_id", "key"],
            ["live_texts.incident_id", "live_texts.key"],
            name="fk_live_text_versions_live_texts",
            ondelete="CASCADE",
        ),
        Index("ix_live_text_versions_text", "incident_id", "key", "id"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str]
    key: Mapped[str]
    seq: Mapped[int] = mapped_column(BigInteger)
    text: Mapped[str]
    name: Mapped[str | None]
    """Name that a person gave it."""
    closed: Mapped[bool] = mapped_column(default=False)
    """True: named, or saved as a whole by a script; later typing does not go on in it."""
    by_id: Mapped[str | None]
    by_name: Mapped[str]
    started_at: Mapped[Made]
    at: Mapped[Made]
    """Its last edit."""
