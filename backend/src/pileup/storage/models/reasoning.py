"""Human work: pins, hypotheses with their confidence ledger and evidence, experiments.

Nothing here is derived, and a re-parse changes nothing here: rows point at evidence by
locators (artifact hash, line range, series and window), never by a foreign key to parsed data.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import PRECISIONS, Base, Id, Made, Precise, Words, trigrams


class Pin(Base):
    """A saved pointer to exact data and to its view."""

    __tablename__ = "pins"
    __table_args__ = (
        trigrams("pins", "title"),
        CheckConstraint(
            "kind in ('lines', 'series', 'wait_node', 'wait_edge', 'stack', 'span', 'row', "
            "'finding', 'statement')",
            name="kind",
        ),
        CheckConstraint(
            "evidence_kind in ('observation', 'experiment', 'absence', 'testimony')",
            name="evidence_kind",
        ),
        UniqueConstraint("incident_id", "number"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    number: Mapped[int]
    """E1, E2, E3 within the incident, see ``storage.numbering``."""
    kind: Mapped[str]
    """Kind of the target."""
    evidence_kind: Mapped[str] = mapped_column(default="observation", server_default="observation")
    """Role in the argument."""
    title: Mapped[str]
    locator: Mapped[dict[str, Any]]
    view: Mapped[str]
    excerpt: Mapped[str | None]
    picture: Mapped[str | None]
    """SVG of what the screen showed, sanitised."""
    value: Mapped[str | None]
    """The value when it was pinned, in words; None: no value is computed for it."""
    value_hash: Mapped[str | None]
    """Hash of the value when it was pinned: a re-parse that changes it makes the pin stale."""
    stale: Mapped[bool] = mapped_column(default=False)
    stale_since: Mapped[datetime | None]
    now_value: Mapped[str | None]
    """The current value, while it differs."""
    now_hash: Mapped[str | None]
    kept_hash: Mapped[str | None]
    """The new value that a person rejected: the pin stays stale, on purpose."""
    created_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[Made]
    deleted_at: Mapped[datetime | None]
    """Withdrawn pins stay, so that history can show what was once thought."""


class Hypothesis(Base):
    __tablename__ = "hypotheses"
    __table_args__ = (
        trigrams("hypotheses", "statement"),
        CheckConstraint(
            "status in ('proposed', 'active', 'supported', 'refuted', 'inconclusive', "
            "'superseded')",
            name="status",
        ),
        CheckConstraint("confidence between 0 and 100", name="confidence"),
        UniqueConstraint("incident_id", "number"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    number: Mapped[int]
    """H1, H2, H3 within the incident, see ``storage.numbering``."""
    statement: Mapped[str]
    falsifier: Mapped[str] = mapped_column(default="")
    mechanisms: Mapped[list[str]] = mapped_column(default=list, server_default=text("'[]'"))
    """Tags of the assumed mechanism: 'row lock', 'purge lag'."""
    status: Mapped[str] = mapped_column(default="proposed")
    superseded_by_id: Mapped[str | None] = mapped_column(
        ForeignKey("hypotheses.id", ondelete="SET NULL")
    )
    confidence: Mapped[int | None]
    finding_id: Mapped[str | None]
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    needs_review: Mapped[bool] = mapped_column(default=False)
    revision: Mapped[int] = mapped_column(default=1)
    created_by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[Made]
    updated_at: Mapped[Made]
    deleted_at: Mapped[datetime | None]


class ConfidenceStep(Base):
    """One entry of a hypothesis' ledger, append-only (a trigger refuses update and delete)."""

    __tablename__ = "confidence_steps"
    __table_args__ = (
        CheckConstraint("confidence between 0 and 100", name="confidence"),
        CheckConstraint(PRECISIONS.format("happened_precision"), name="happened_precision"),
    )

    id: Mapped[Id]
    hypothesis_id: Mapped[str] = mapped_column(
        ForeignKey("hypotheses.id", ondelete="CASCADE"), index=True
    )
    at: Mapped[Made]
    """When it was recorded, by the server's clock."""
    happened_at: Mapped[datetime | None]
    """When it happened, as a person gives it; None: when it was recorded."""
    happened_precision: Mapped[Precise]
    by_id: Mapped[str | None]
    by_name: Mapped[str]
    confidence: Mapped[int | None]
    status: Mapped[str]
    reason: Mapped[str]
    pin_id: Mapped[str | None] = mapped_column(ForeignKey("pins.id"))


class Evidence(Base):
    """A pin as evidence for or against a hypothesis."""

    __tablename__ = "evidence"
    __table_args__ = (
        CheckConstraint("side in ('for', 'against', 'neutral')", name="side"),
        UniqueConstraint("hypothesis_id", "pin_id"),
    )

    id: Mapped[Id]
    hypothesis_id: Mapped[str] = mapped_column(
        ForeignKey("hypotheses.id", ondelete="CASCADE"), index=True
    )
    pin_id: Mapped[str] = mapped_column(ForeignKey("pins.id"))
    side: Mapped[str]
    note: Mapped[str] = mapped_column(default="")
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    at: Mapped[Made]


class Experiment(Base):
    __tablename__ = "experiments"
    __table_args__ = (
        CheckConstraint("state in ('planned', 'started', 'finished')", name="state"),
        CheckConstraint(
            "verdict in ('match', 'partial', 'miss', 'not_measurable')", name="verdict"
        ),
        CheckConstraint(
            "failed_same_way in ('yes', 'no', 'unclear', 'failed', 'not_failed')",
            name="failed_same_way",
        ),
        CheckConstraint(PRECISIONS.format("ran_precision"), name="ran_precision"),
        UniqueConstraint("incident_id", "number"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(ForeignKey("incidents.id", ondelete="CASCADE"))
    number: Mapped[int]
    """1, 2, 3 within the incident."""
    title: Mapped[str]
    hypothesis_id: Mapped[str | None] = mapped_column(
        ForeignKey("hypotheses.id", ondelete="SET NULL"), index=True
    )
    change: Mapped[str] = mapped_column(default="")
    prediction: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(default="planned")
    locked_at: Mapped[datetime | None]
    """From then on the prediction is immutable."""
    observation: Mapped[dict[str, Any] | None]
    failed_same_way: Mapped[str | None]
    verdict: Mapped[str | None]
    conclusion: Mapped[str] = mapped_column(default="")
    risk: Mapped[str] = mapped_column(default="")
    sweep: Mapped[str] = mapped_column(default="", server_default=text("''"))
    """Experiments with one name here are the runs of one sweep."""
    parameters: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default=text("'{}'"))
    """Parameters of this run that differ within its sweep: 'tables' to '4'."""
    computed: Mapped[dict[str, Any] | None]
    """What its artifacts showed at the finish: ``views.reasoning.experiment_outcome``."""
    overruled_because: Mapped[str] = mapped_column(default="", server_default=text("''"))
    """Why the verdict of a person differs from the computed one."""
    predicted_at: Mapped[datetime | None]
    """When the prediction was last recorded. None: older than this column, see ``locked_at``."""
    started_at: Mapped[datetime | None]
    """When the start was recorded."""
    finished_at: Mapped[datetime | None]
    """When the result was recorded."""
    ran_from: Mapped[datetime | None]
    """When the run really began, as a person gives it; None: when the start was recorded."""
    ran_to: Mapped[datetime | None]
    ran_precision: Mapped[Precise]
    """Of ``ran_from`` and ``ran_to``."""
    host: Mapped[Words]
    build: Mapped[Words]
    cores: Mapped[Words]
    dataset: Mapped[Words]
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Made]
    updated_at: Mapped[Made]
    deleted_at: Mapped[datetime | None]


class Measurement(Base):
    """A named value of a run, with its source: typed, imported from a table, or computed."""

    __tablename__ = "measurements"
    __table_args__ = (
        CheckConstraint("source in ('typed', 'imported', 'computed')", name="source"),
        CheckConstraint(
            "value > '-Infinity'::float8 and value < 'Infinity'::float8", name="finite"
        ),
    )

    id: Mapped[Id]
    experiment_id: Mapped[str] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str]
    value: Mapped[float]
    unit: Mapped[Words]
    source: Mapped[str]
    basis: Mapped[Words]
    """What the value comes from: the statistic and series, or the row of the pasted table."""
    at: Mapped[Made]
    """When it was recorded."""
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    by_name: Mapped[str]
    deleted_at: Mapped[datetime | None]
    """When it was deleted; it stays with its run, so that a deletion can be undone."""


class ExperimentArtifact(Base):
    __tablename__ = "experiment_artifacts"

    experiment_id: Mapped[str] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True
    )
    artifact_id: Mapped[str] = mapped_column(
        ForeignKey("artifacts.id", ondelete="CASCADE"), primary_key=True
    )


class ExperimentPin(Base):
    __tablename__ = "experiment_pins"

    experiment_id: Mapped[str] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True
    )
    pin_id: Mapped[str] = mapped_column(ForeignKey("pins.id"), primary_key=True)


class Symptom(Base):
    """A symptom that a person wrote: a predicate over records, or prose that people answer."""

    __tablename__ = "symptoms"
    __table_args__ = (
        CheckConstraint(PRECISIONS.format("happened_precision"), name="happened_precision"),
    )

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    predicate: Mapped[dict[str, Any]]
    """As ``analysis.reasoning.predicates.read`` takes it."""
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    by_name: Mapped[str]
    at: Mapped[Made]
    """When it was recorded."""
    happened_at: Mapped[datetime | None]
    """When the symptom was noticed; None: when it was recorded."""
    happened_precision: Mapped[Precise]
    revision: Mapped[int] = mapped_column(default=1, server_default=text("1"))
    deleted_at: Mapped[datetime | None]


class SymptomAnswer(Base):
    """A person's answer: whether a run showed a symptom that is written as prose."""

    __tablename__ = "symptom_answers"
    __table_args__ = (UniqueConstraint("symptom_id", "experiment_id"),)

    id: Mapped[Id]
    symptom_id: Mapped[str] = mapped_column(ForeignKey("symptoms.id", ondelete="CASCADE"))
    experiment_id: Mapped[str] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), index=True
    )
    holds: Mapped[bool]
    note: Mapped[Words]
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    by_name: Mapped[str]
    at: Mapped[Made]
