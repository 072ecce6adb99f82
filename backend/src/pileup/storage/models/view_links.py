"""Saved views: the address of a screen under a name or a short id."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Id, Made


class ViewLink(Base):
    """The target of a short link. The same view has one link, however often it is copied."""

    __tablename__ = "view_links"
    __table_args__ = (
        Index(
            "uq_view_links_unnamed",
            "incident_id",
            func.md5(text("view")),
            unique=True,
            postgresql_where=text("name is null"),
        ),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    view: Mapped[str]
    """Screen and query below the incident: 'timeline?start=...'. Never another site's address."""
    name: Mapped[str | None]
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    at: Mapped[Made]
