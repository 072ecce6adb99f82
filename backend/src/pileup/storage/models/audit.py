"""The audit trail, and the chain of hashes that proves it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Id, Made


class Audit(Base):
    """Who did what, append-only (a trigger of the first migration refuses update and delete)."""

    __tablename__ = "audit"
    __mapper_args__ = {"eager_defaults": False}  # noqa: RUF012  (who writes a row may not read it)

    id: Mapped[Id]
    at: Mapped[Made]
    user_id: Mapped[str | None] = mapped_column(index=True)
    user_name: Mapped[str]
    incident_id: Mapped[str | None] = mapped_column(index=True)
    action: Mapped[str]
    """'hypothesis.created', 'artifact.deleted': domain and past participle."""
    target: Mapped[str | None]
    detail: Mapped[dict[str, Any]]


class AuditLink(Base):
    """The link of one entry in the chain; a trigger of the database writes it at commit."""

    __tablename__ = "audit_links"

    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """From 1, without a gap."""
    entry_id: Mapped[str] = mapped_column(unique=True)
    previous: Mapped[str]
    """The hash of the link before; zeros for the first."""
    hash: Mapped[str]
    """SHA-256, in hex, over ``seq``, ``previous`` and everything that the entry holds."""
