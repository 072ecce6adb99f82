"""Routes for hypotheses: statement, status, confidence history, evidence for and against."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, status
from pydantic import Field, StringConstraints

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, UnitDep
from pileup.api.reasoning.happened import happened
from pileup.api.reasoning.pins import Pin
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.storage.happened import Precision
from pileup.storage.reasoning.hypotheses import (
    Hypotheses,
    HypothesisRecord,
    LedgerStep,
    LinkedExperiment,
    Status,
)

router = APIRouter(tags=["hypotheses"])

Side = Literal["for", "against", "neutral"]
Statement = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
Percent = Annotated[int, Field(ge=0, le=100)]


class NewHypothesis(In):
    statement: Statement
    """Falsifiable: 'X causes Y because Z'."""
    falsifier: str = Field(default="", max_length=2000)
    """What would show that it is false."""
    confidence: Percent | None = None
    mechanisms: list[Tag] = Field(default=[], max_length=20)
    """How it is thought to work: 'row lock', 'purge lag'."""
    happened_at: datetime | None = None
    """When it was proposed; null: now."""
    happened_precision: Precision | None = None
    """Null: exact."""


class HypothesisChange(In):
    statement: Statement | None = None
    falsifier: str | None = Field(default=None, max_length=2000)
    mechanisms: list[Tag] | None = Field(default=None, max_length=20)
    status: Status | None = None
    reason: str | None = Field(default=None, max_length=2000)
    """Why the status changes: it goes into the ledger."""
    pin_id: str | None = None
    """The pin behind the change of status."""
    happened_at: datetime | None = None
    """When the status changed; null: now."""
    happened_precision: Precision | None = None
    """Null: exact."""
    superseded_by_id: str | None = None
    owner_id: str | None = None


class NewConfidence(In):
    confidence: Percent
    reason: Statement
    pin_id: str | None = None
    happened_at: datetime | None = None
    """When the team was this sure; null: now."""
    happened_precision: Precision | None = None
    """Null: exact."""


class NewEvidence(In):
    pin_id: str
    side: Side
    note: str = Field(default="", max_length=2000)


class Evidence(Out):
    id: str
    pin: Pin | None
    side: Side
    note: str
    by: str | None
    at: datetime


class Hypothesis(Out):
    id: str
    incident_id: str
    label: str
    statement: str
    falsifier: str
    mechanisms: list[str]
    status: Status
    may_become: list[Status]
    """What the status can be changed to."""
    superseded_by: str | None
    """The label of what took its place."""
    confidence: int | None
    history: list[LedgerStep]
    """In the order in which the steps happened."""
    evidence: list[Evidence]
    finding_id: str | None
    owner: str | None
    revision: int
    experiments: list[LinkedExperiment]
    needs_review: bool
    created_at: datetime


@router.get("/incidents/{incident_id}/hypotheses")
@by_version()
def list_hypotheses(incident: IncidentDep, unit: UnitDep) -> list[Hypothesis]:
    """List all hypotheses, the highest confidence first."""
    return [hypothesis_out(h) for h in Hypotheses(unit).of_incident(incident.id)]


@router.post("/incidents/{incident_id}/hypotheses", status_code=status.HTTP_201_CREATED)
def create_hypothesis(
    incident: IncidentDep, body: NewHypothesis, unit: UnitDep, caller: Caller
) -> Hypothesis:
    hypothesis = Hypotheses(unit).create(
        incident.id,
        statement=body.statement,
        falsifier=body.falsifier,
        confidence=body.confidence,
        finding_id=None,
        by=caller.actor,
        mechanisms=body.mechanisms,
        happened=happened(body),
    )
    return hypothesis_out(hypothesis)


@router.get("/hypotheses/{hypothesis_id}")
def get_hypothesis(hypothesis_id: str, unit: UnitDep) -> Hypothesis:
    return hypothesis_out(Hypotheses(unit).get(hypothesis_id))


@router.patch("/hypotheses/{hypothesis_id}")
def change_hypothesis(
    hypothesis_id: str, body: HypothesisChange, unit: UnitDep, caller: Caller, revision: RevisionDep
) -> Hypothesis:
    """Change the fields that are sent; refuting needs at least one pin."""
    changes = body.model_dump(exclude_unset=True, exclude={"happened_at", "happened_precision"})
    changes["happened"] = happened(body)
    return hypothesis_out(
        Hypotheses(unit).edit(hypothesis_id, changes, revision=revision, by=caller.actor)
    )


@router.delete("/hypotheses/{hypothesis_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_hypothesis(hypothesis_id: str, unit: UnitDep, caller: Caller) -> None:
    """Move a hypothesis to the bin."""
    Hypotheses(unit).delete(hypothesis_id, by=caller.actor)


@router.post("/hypotheses/{hypothesis_id}/confidence")
def set_confidence(
    hypothesis_id: str, body: NewConfidence, unit: UnitDep, caller: Caller
) -> Hypothesis:
    """Add a step to the confidence history; steps never change.

    The confidence of the hypothesis is that of the step that happened last.
    """
    changed = Hypotheses(unit).set_confidence(
        hypothesis_id,
        confidence=body.confidence,
        reason=body.reason,
        pin_id=body.pin_id,
        by=caller.actor,
        happened=happened(body),
    )
    return hypothesis_out(changed)


@router.post("/hypotheses/{hypothesis_id}/evidence", status_code=status.HTTP_201_CREATED)
def add_evidence(
    hypothesis_id: str, body: NewEvidence, unit: UnitDep, caller: Caller
) -> Hypothesis:
    changed = Hypotheses(unit).add_evidence(
        hypothesis_id, pin_id=body.pin_id, side=body.side, note=body.note, by=caller.actor
    )
    return hypothesis_out(changed)


@router.delete("/hypotheses/{hypothesis_id}/evidence/{evidence_id}")
def remove_evidence(
    hypothesis_id: str, evidence_id: str, unit: UnitDep, caller: Caller
) -> Hypothesis:
    return hypothesis_out(
        Hypotheses(unit).remove_evidence(hypothesis_id, evidence_id, by=caller.actor)
    )


def hypothesis_out(record: HypothesisRecord) -> Hypothesis:
    return Hypothesis.model_validate(record, from_attributes=True)
