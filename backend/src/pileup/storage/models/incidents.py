"""Incidents, their stored analysis, and annotations."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import PRECISIONS, Base, Id, Made, Precise, trigrams


class Incident(Base):
    __tablename__ = "incidents"
    __table_args__ = (
        CheckConstraint("status in ('open', 'analysing', 'review', 'published')", name="status"),
        CheckConstraint("visibility in ('open', 'private')", name="visibility"),
        CheckConstraint("severity in ('sev1', 'sev2', 'sev3', 'sev4')", name="severity"),
        Index(
            "uq_incidents_sample_id",
            "sample_id",
            unique=True,
            postgresql_where=text("archived_at is null"),
        ),
    )

    id: Mapped[Id]
    title: Mapped[str]
    status: Mapped[str] = mapped_column(default="open")
    severity: Mapped[str | None]
    service: Mapped[str | None]
    summary: Mapped[str] = mapped_column(default="")
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    visibility: Mapped[str] = mapped_column(default="open", server_default=text("'open'"))
    """open: everyone who signs in sees it; private: its owner, members, and admins."""
    sample_id: Mapped[str | None]
    digest: Mapped[dict[str, Any] | None]
    """Numbers of the last analysis that the incident list shows."""
    last_pin: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    """The highest pin number of this incident so far; likewise the next two."""
    last_hypothesis: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    last_experiment: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Made]
    updated_at: Mapped[Made]
    held_at: Mapped[datetime | None]
    """Under a legal hold: nobody deletes it, and nothing of it leaves the bin."""
    held_for: Mapped[str | None]
    archived_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]


class IncidentVersion(Base):
    """A random value for each topic of an incident, replaced whenever the topic changes.

    Without a foreign key: checking it would lock the incident's row at the end of a transaction.
    """

    __tablename__ = "incident_versions"

    incident_id: Mapped[str] = mapped_column(primary_key=True)
    """Empty: topics of all incidents."""
    topic: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[str]


class IncidentFeature(Base):
    """A symptom of the last analysis, by which similar incidents are found."""

    __tablename__ = "incident_features"
    __table_args__ = (
        Index(
            "ix_incident_features_feature",
            "feature",
            postgresql_include=["incident_id", "weight", "total"],
        ),
    )

    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), primary_key=True
    )
    feature: Mapped[str] = mapped_column(primary_key=True)
    """'latch:btr_search_latch'"""
    weight: Mapped[float]
    """Its diagnostic value (``analysis.reasoning.similar``)."""
    total: Mapped[float]
    """The weight of all features of the incident."""


class Analysis(Base):
    """The last analysis of an incident: replaced as a whole, never edited."""

    __tablename__ = "analyses"
    __table_args__ = (Index("ix_analyses_words", "words", postgresql_using="gin"),)

    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), primary_key=True
    )
    document: Mapped[dict[str, Any]]
    """The document without ``persistence``."""
    persistence: Mapped[dict[str, Any] | None]
    """Large when thousands of sessions wait; only the wait graph reads it."""
    engine: Mapped[str]
    finished_at: Mapped[Made]
    elapsed_s: Mapped[float]
    words: Mapped[Any | None] = mapped_column(TSVECTOR, deferred=True)
    """The words of its search entries: finds the incidents that a search over all looks into."""


class SearchEntry(Base):
    """One thing of the last analysis that a search finds: a session, a statement, a variable."""

    __tablename__ = "search_entries"

    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), primary_key=True
    )
    kind: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    hint: Mapped[str | None]
    at: Mapped[datetime | None]
    words: Mapped[str]
    """The searched text in lower case, title included."""
    weight: Mapped[float]
    """0 to 1: of two matches that are equally good the greater is first."""


class RunAnalysis(Base):
    """The last analysis of an experiment's run: replaced as a whole, never edited."""

    __tablename__ = "run_analyses"

    experiment_id: Mapped[str] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True
    )
    input_hash: Mapped[str]
    """Of the run's files, how they were read, and what people set for their clocks."""
    document: Mapped[dict[str, Any]]
    finished_at: Mapped[Made]


class Snapshot(Base):
    """Index of the moments that dumps, processlists and stack samples describe."""

    __tablename__ = "snapshots"

    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), primary_key=True
    )
    artifact: Mapped[str] = mapped_column(primary_key=True)
    """SHA-256."""
    kind: Mapped[str] = mapped_column(primary_key=True)
    index: Mapped[int] = mapped_column(primary_key=True)
    time: Mapped[datetime | None]
    time_quality: Mapped[str]
    path: Mapped[str]
    host: Mapped[str | None]
    line_first: Mapped[int]
    waiters: Mapped[int | None]
    lock_waits: Mapped[int | None]
    sessions: Mapped[int | None]
    server_version: Mapped[str | None]


class Series(Base):
    """Index of series names and ranges; the samples themselves are in the frame store."""

    __tablename__ = "series"

    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), primary_key=True
    )
    id: Mapped[str] = mapped_column(primary_key=True)
    """'name{labels}@host'."""
    name: Mapped[str]
    labels: Mapped[str]
    host: Mapped[str | None]
    kind: Mapped[str]
    unit: Mapped[str | None]
    points: Mapped[int]
    first: Mapped[datetime | None]
    last: Mapped[datetime | None]
    min: Mapped[float | None]
    max: Mapped[float | None]
    artifact: Mapped[str | None]


class FindingVerdict(Base):
    """A person's verdict on a finding; findings themselves are derived."""

    __tablename__ = "finding_verdicts"
    __table_args__ = (
        CheckConstraint("verdict in ('open', 'accepted', 'dismissed')", name="verdict"),
    )

    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), primary_key=True
    )
    finding_id: Mapped[str] = mapped_column(primary_key=True)
    verdict: Mapped[str]
    reason: Mapped[str | None]
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    at: Mapped[Made]


class StackVerdict(Base):
    """The pile that a person put a stack on; a stack without a row is not reviewed yet."""

    __tablename__ = "stack_verdicts"
    __table_args__ = (CheckConstraint("pile in ('benign', 'suspicious')", name="pile"),)

    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), primary_key=True
    )
    stack_key: Mapped[str] = mapped_column(primary_key=True)
    """Hash of its cleaned functions (``analysis.stacks.groups``), stable across parses."""
    pile: Mapped[str]
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    at: Mapped[Made]


class Annotation(Base):
    """A note on the timeline: a point, or a range when ``end`` is set."""

    __tablename__ = "annotations"
    __table_args__ = (
        trigrams("annotations", "text"),
        CheckConstraint("kind in ('note', 'decision')", name="kind"),
        CheckConstraint(PRECISIONS.format("precision"), name="precision"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[str] = mapped_column(default="note", server_default=text("'note'"))
    """note, or a decision of the team."""
    start: Mapped[datetime]
    """When it happened, as a person gives it; ``created_at`` is when it was recorded."""
    end: Mapped[datetime | None]
    precision: Mapped[Precise]
    """Of ``start`` and ``end``."""
    text: Mapped[str]
    author_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Made]
    updated_at: Mapped[Made]
    deleted_at: Mapped[datetime | None]


class StallCorrection(Base):
    """A person's begin and end of a stall; null keeps what the analysis computes."""

    __tablename__ = "stall_corrections"
    __table_args__ = (
        UniqueConstraint(
            "incident_id", "host", "computed_onset", postgresql_nulls_not_distinct=True
        ),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id", ondelete="CASCADE"))
    host: Mapped[str | None]
    computed_onset: Mapped[datetime]
    """Computed onset of the corrected stall at the time of the correction."""
    onset: Mapped[datetime | None]
    end: Mapped[datetime | None]
    baseline_start: Mapped[datetime | None]
    baseline_end: Mapped[datetime | None]
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    revision: Mapped[int] = mapped_column(default=1)
    at: Mapped[Made]
