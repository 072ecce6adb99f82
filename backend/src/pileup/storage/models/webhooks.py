"""Webhooks that other systems receive on changes of state, and their deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Encrypted, Id, Made


class Webhook(Base):
    __tablename__ = "webhooks"

    id: Mapped[Id]
    url: Mapped[str]
    events: Mapped[list[str]]
    secret: Mapped[Encrypted]
    """Signs the deliveries; shown once."""
    enabled: Mapped[bool] = mapped_column(default=True)
    created_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[Made]


class WebhookDelivery(Base):
    """One event for one webhook."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        CheckConstraint("state in ('waiting', 'delivered', 'failed')", name="state"),
        Index("ix_webhook_deliveries_webhook_id", "webhook_id", "id"),
    )

    id: Mapped[Id]
    webhook_id: Mapped[str] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id", ondelete="CASCADE"))
    event: Mapped[str]
    payload: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(default="waiting")
    attempts: Mapped[int] = mapped_column(default=0)
    status_code: Mapped[int | None]
    answer: Mapped[str | None]
    """The beginning of the answer, or why the address could not be reached."""
    created_at: Mapped[Made]
    last_at: Mapped[datetime | None]
