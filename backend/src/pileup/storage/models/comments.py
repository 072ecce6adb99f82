"""Comments on hypotheses, pins, cells and experiments, and the mentions in them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Id, Made, trigrams


class Comment(Base):
    __tablename__ = "comments"
    __table_args__ = (
        Index("ix_comments_incident_id", "incident_id", "subject"),
        trigrams("comments", "body"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id", ondelete="CASCADE"))
    subject: Mapped[str]
    """'hypothesis:ID', 'pin:ID', 'cell:PIN/HYPOTHESIS', 'experiment:ID', 'report:KEY'."""
    body: Mapped[str]
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    by_name: Mapped[str]
    revision: Mapped[int] = mapped_column(default=1)
    at: Mapped[Made]
    edited_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]


class Mention(Base):
    """A mention of a user in a comment: a notification until they have seen it."""

    __tablename__ = "mentions"
    __table_args__ = (UniqueConstraint("comment_id", "user_id"),)

    id: Mapped[Id]
    comment_id: Mapped[str] = mapped_column(ForeignKey("comments.id", ondelete="CASCADE"))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    at: Mapped[Made]
    seen_at: Mapped[datetime | None]
