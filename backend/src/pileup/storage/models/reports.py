"""Action items, releases with their approvals, and report settings per incident.

The sections' texts are live texts (``models/texts.py``).
"""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Id, Made, Words


class ActionItem(Base):
    """A planned change: owner, due date, and how to verify that it works."""

    __tablename__ = "action_items"
    __table_args__ = (
        CheckConstraint("status in ('open', 'started', 'done', 'dropped')", name="status"),
        CheckConstraint("ticket_url = '' or ticket_url ~* '^https?://'", name="ticket_url"),
        CheckConstraint("check_outcome in ('', 'held', 'not_held')", name="check_outcome"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    text: Mapped[str]
    owner: Mapped[str] = mapped_column(default="")
    """A name: the owner need not have an account here."""
    due: Mapped[date | None]
    status: Mapped[str] = mapped_column(default="open")
    experiment_id: Mapped[str | None] = mapped_column(
        ForeignKey("experiments.id", ondelete="SET NULL"), index=True
    )
    """The experiment that shows that it works."""
    ticket_tracker: Mapped[Words]
    """Tracker of the vendor's ticket: 'bugs.mysql.com', 'MDEV'."""
    ticket_number: Mapped[Words]
    ticket_url: Mapped[Words]
    ticket_state: Mapped[Words]
    """As the tracker words it: 'verified', 'closed'."""
    ticket_fixed_in: Mapped[Words]
    check_what: Mapped[Words]
    """The follow-up check: 'still fine after four weeks'."""
    check_due: Mapped[date | None]
    check_outcome: Mapped[Words]
    """held or not_held; empty until it was checked."""
    check_result: Mapped[Words]
    """What the check showed, in words."""
    checked_on: Mapped[date | None]
    revision: Mapped[int] = mapped_column(default=1)
    created_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[Made]
    updated_at: Mapped[Made]
    deleted_at: Mapped[datetime | None]


class Release(Base):
    """A frozen report. Its document never changes (a trigger refuses it); its state may."""

    __tablename__ = "releases"
    __table_args__ = (
        CheckConstraint("state in ('in_review', 'approved', 'withdrawn')", name="state"),
        UniqueConstraint("incident_id", "number"),
        Index(
            "uq_releases_in_review",
            "incident_id",
            unique=True,
            postgresql_where=text("state = 'in_review'"),
        ),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id", ondelete="CASCADE"))
    number: Mapped[int]
    """1, 2, 3 within the incident; withdrawn ones keep theirs."""
    state: Mapped[str] = mapped_column(default="in_review")
    document: Mapped[str]
    """The encoded document (report/document.py), exactly the bytes that the hash is of."""
    sha256: Mapped[str]
    work: Mapped[str | None] = mapped_column(deferred=True)
    """People's work at that time, in the form of ``lifecycle.bundle.collect_work``: with it and
    the artifacts the document can be computed again. None: older than this column."""
    signature: Mapped[str | None]
    """Of the SHA-256, in base64 (``storage.signing``). None: older than this column."""
    signed_by: Mapped[str | None]
    """The public key that made it, in base64."""
    note: Mapped[str] = mapped_column(default="")
    made_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    made_by: Mapped[str]
    made_at: Mapped[Made]
    decided_at: Mapped[datetime | None]


class ReleaseApproval(Base):
    """Who approved a release, append-only (a trigger refuses updates)."""

    __tablename__ = "release_approvals"

    release_id: Mapped[str] = mapped_column(
        ForeignKey("releases.id", ondelete="CASCADE"), primary_key=True
    )
    by_id: Mapped[str] = mapped_column(primary_key=True)
    by_name: Mapped[str]
    sha256: Mapped[str]
    """Hash of the document that they approved."""
    statement: Mapped[str | None]
    """What was signed: who approved which document, and when. None: older than this column."""
    signature: Mapped[str | None]
    """Of the statement, in base64 (``storage.signing``)."""
    signed_by: Mapped[str | None]
    """The public key that made it, in base64."""
    note: Mapped[str] = mapped_column(default="")
    at: Mapped[Made]


class ReportChoice(Base):
    """Report settings of one incident."""

    __tablename__ = "report_choices"

    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), primary_key=True
    )
    template: Mapped[str | None]
    redaction_key: Mapped[str]
    """Hex. Tokens of redaction are made with it: secret, and the same for the incident's life."""
    revision: Mapped[int] = mapped_column(default=0)
