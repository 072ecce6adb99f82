"""Uploaded files, their parse results, uploads in progress, and the jobs that read them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, BigInteger, CheckConstraint, ForeignKey, Index, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Id, Made, trigrams

STATES = (
    "queued",
    "identifying",
    "parsing",
    "done",
    "done_with_problems",
    "unknown_format",
    "failed",
    "expanded",
)


class Artifact(Base):
    """One file of an incident. The same bytes in one folder are one artifact, whatever their names;
    in another folder or pt-stalk capture they are an artifact of their own, with the same blob.
    """

    __tablename__ = "artifacts"
    __table_args__ = (
        trigrams("artifacts", "path"),
        Index(
            "ix_artifacts_short_paths",
            text("length(path)"),
            "path",
            "id",
            postgresql_where=text("deleted_at is null"),
        ),
        CheckConstraint(f"state in {STATES!r}", name="state"),
        Index(
            "uq_artifacts_incident_sha256_folder",
            "incident_id",
            "sha256",
            "folder",
            unique=True,
            postgresql_where=text("deleted_at is null"),
        ),
        Index("ix_artifacts_parent", "parent_id"),
        Index("ix_artifacts_uploaded_by", "uploaded_by_id"),
        Index(
            "ix_artifacts_table_key",
            "table_key",
            postgresql_where=text("table_key is not null"),
        ),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id", ondelete="CASCADE"))
    parent_id: Mapped[str | None] = mapped_column(ForeignKey("artifacts.id", ondelete="CASCADE"))
    depth: Mapped[int] = mapped_column(default=0)
    """Number of archives around it: 0 for an uploaded file."""
    within: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list, server_default="{}")
    """Ids of the archives around it, the outermost first."""
    path: Mapped[str]
    """As uploaded; a member's is 'bundle.tar.gz/dir/file'."""
    folder: Mapped[str] = mapped_column(server_default="")
    """Folder of ``path``, and the pt-stalk capture that its name belongs to; for the copy that a
    run has of the incident's file, also the run.
    """
    also_at: Mapped[list[Any]] = mapped_column(default=list)
    """Other paths of this folder under which the same bytes were uploaded."""
    sent_again_at: Mapped[datetime | None]
    """When the same bytes were last uploaded into this folder, after the first time."""
    sha256: Mapped[str]
    bytes: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(default="queued")
    excluded: Mapped[bool] = mapped_column(default=False)
    """Kept and parsed, but left out of the analysis."""
    progress: Mapped[float | None]
    error: Mapped[str | None]
    format: Mapped[str | None]
    format_given: Mapped[str | None]
    """The type that a person chose; it overrides detection."""
    confidence: Mapped[float | None]
    why: Mapped[str | None]
    candidates: Mapped[list[Any]] = mapped_column(default=list)
    parser_version: Mapped[int | None]
    zone: Mapped[str | None]
    """Clock override: IANA zone or fixed offset."""
    offset_s: Mapped[float | None]
    """Clock override: added after the zone."""
    given_at: Mapped[datetime | None]
    """When the evidence was taken, as a person says; for a file that prints no time."""
    given_within_s: Mapped[float | None]
    """How far ``given_at`` may be off, in seconds."""
    given_host: Mapped[str | None]
    """The host that a person named."""
    bundle: Mapped[str | None]
    host: Mapped[str | None]
    first: Mapped[datetime | None]
    last: Mapped[datetime | None]
    clock: Mapped[dict[str, Any] | None]
    records: Mapped[dict[str, int]] = mapped_column(default=dict)
    problems: Mapped[int] = mapped_column(default=0)
    coverage: Mapped[float | None]
    receipt: Mapped[dict[str, Any] | None]
    sections: Mapped[list[Any]] = mapped_column(default=list)
    line_index: Mapped[list[Any] | None]
    """Byte offset of every 256th line of the file."""
    lines: Mapped[int | None] = mapped_column(BigInteger)
    table_key: Mapped[str | None]
    """For a table: the key of its column mapping (``TableMapping.key``)."""
    uploaded_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    uploaded_at: Mapped[Made]
    deleted_at: Mapped[datetime | None]


class Problem(Base):
    """A problem that the parser met. Replaced with every parse."""

    __tablename__ = "problems"

    artifact_id: Mapped[str] = mapped_column(
        ForeignKey("artifacts.id", ondelete="CASCADE"), primary_key=True
    )
    ordinal: Mapped[int] = mapped_column(primary_key=True)
    line: Mapped[int | None] = mapped_column(BigInteger)
    message: Mapped[str]
    expected: Mapped[str | None]
    found: Mapped[str | None]
    severity: Mapped[str]


class TableMapping(Base):
    """The column mapping that a person set; per header, for the whole installation."""

    __tablename__ = "table_mappings"

    key: Mapped[str] = mapped_column(primary_key=True)
    """Hash of the normalised header; for a table without one, of the file."""
    header: Mapped[str | None]
    mapping: Mapped[dict[str, Any]]
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    at: Mapped[Made]


class Upload(Base):
    """A resumable upload in progress; the bytes received so far are in home/uploads/<id>."""

    __tablename__ = "uploads"

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    path: Mapped[str]
    bytes: Mapped[int] = mapped_column(BigInteger)
    received: Mapped[int] = mapped_column(BigInteger, default=0)
    excluded: Mapped[bool] = mapped_column(default=False)
    given_at: Mapped[datetime | None]
    given_within_s: Mapped[float | None]
    given_host: Mapped[str | None]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    token_id: Mapped[str | None]
    """The API token that began the upload; a push token may touch only its own uploads."""
    artifact_id: Mapped[str | None] = mapped_column(ForeignKey("artifacts.id", ondelete="CASCADE"))
    """Set when the last byte was stored."""
    created_at: Mapped[Made]
    updated_at: Mapped[Made]


class Job(Base):
    """One job. This table decides what runs next; the broker only wakes processes."""

    __tablename__ = "jobs"
    __table_args__ = (
        CheckConstraint("kind in ('artifact', 'analyse', 'run', 'webhook')", name="kind"),
        CheckConstraint("state in ('queued', 'running', 'done', 'failed')", name="state"),
        Index(
            "uq_jobs_waiting",
            "kind",
            "target",
            unique=True,
            postgresql_where=text("state = 'queued'"),
        ),
        Index("ix_jobs_open", "state", postgresql_where=text("state in ('queued', 'running')")),
        Index(
            "ix_jobs_turn",
            "incident_id",
            "requester",
            "turn_at",
            "id",
            postgresql_where=text("state = 'queued'"),
        ),
        Index("ix_jobs_incident", "incident_id", "kind", "created_at"),
        Index("ix_jobs_incident_started", "incident_id", "started_at"),
        Index("ix_jobs_requester_started", "requester", "started_at"),
        Index("ix_jobs_finished", "finished_at"),
    )

    id: Mapped[Id]
    kind: Mapped[str]
    target: Mapped[str]
    """The id of the artifact, of the incident, of the run's experiment, or of the delivery."""
    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id", ondelete="CASCADE"))
    state: Mapped[str] = mapped_column(default="queued")
    requester: Mapped[str] = mapped_column(default="", server_default=text("''"))
    """Id of the user whose upload it reads; empty for other work."""
    turn_at: Mapped[Made]
    """Order within the incident and requester: analyses first, small files before large ones."""
    attempt: Mapped[int] = mapped_column(default=0)
    crashes: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    """Attempts that this job itself ended; a machine or worker that died counts as none."""
    trace: Mapped[str | None]
    """Trace of the request that queued it, as the header traceparent."""
    owner: Mapped[str | None]
    """Process that runs it, and its worker: see ``worker.identity``."""
    lease_until: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime | None]
    not_before: Mapped[Made]
    """The debounce: it does not run earlier."""
    resume_from: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    """Where the part of the work before this job ended."""
    error: Mapped[str | None]
    created_at: Mapped[Made]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class Worker(Base):
    """A worker process, with the time of its last heartbeat."""

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[str]
    concurrency: Mapped[int]
    started_at: Mapped[Made]
    last_seen: Mapped[Made]
