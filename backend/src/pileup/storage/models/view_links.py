"""Saved views: the address of a screen under a name or a short id."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, UniqueConstraint, func, text
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


class ListView(Base):
    """A filter and order of the list of incidents, kept by one user under a name."""

    __tablename__ = "list_views"
    __table_args__ = (UniqueConstraint("user_id", "name", name="uq_list_views_user_id_name"),)

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str]
    query: Mapped[str]
    """Query of the list's address without '?': 'status=open&sort=peak&down=1'."""
    at: Mapped[Made]
