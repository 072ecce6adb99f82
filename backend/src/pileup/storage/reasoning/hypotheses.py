"""Hypotheses, their evidence, and the append-only ledger of confidence.

A step is written whenever confidence or status changes, with who, why and the pin behind it, and
with two times: when it was recorded, and when it happened, if a person gives that.
Every write names the revision that it is based on.

    proposed -> active -> supported | refuted | inconclusive -> active again
    any of them -> superseded -> active again

The first evidence or the first confidence activates a proposal. Refuting needs at least one pin.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, cast

from sqlalchemy import func, select

from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean
from pileup.storage.errors import Conflict, NotFound, Refused, StaleRevision
from pileup.storage.happened import Happened, Precision, checked
from pileup.storage.incidents.webhooks import announce
from pileup.storage.models import ConfidenceStep, Evidence, Experiment, Hypothesis, Pin, User
from pileup.storage.numbering import next_number
from pileup.storage.reasoning.pins import PinRecord, Pins
from pileup.storage.visibility import find_visible

Status = Literal["proposed", "active", "supported", "refuted", "inconclusive", "superseded"]

NOW = Happened()
_TIME = func.coalesce(ConfidenceStep.happened_at, ConfidenceStep.at)

NEXT_STATUS: dict[str, tuple[str, ...]] = {
    "proposed": ("active", "superseded"),
    "active": ("supported", "refuted", "inconclusive", "superseded"),
    "supported": ("active", "refuted", "inconclusive", "superseded"),
    "refuted": ("active", "superseded"),
    "inconclusive": ("active", "supported", "refuted", "superseded"),
    "superseded": ("active",),
}


@dataclass(frozen=True, slots=True)
class LedgerStep:
    recorded_at: datetime
    happened_at: datetime | None
    """As a person gives it; None: when it was recorded."""
    happened_precision: Precision
    by: str
    confidence: int | None
    status: Status
    reason: str
    pin_id: str | None

    @property
    def time(self) -> datetime:
        """When it happened, as far as people say."""
        return self.happened_at or self.recorded_at


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    id: str
    pin: PinRecord | None
    side: str
    note: str
    by: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class LinkedExperiment:
    id: str
    title: str
    verdict: str | None


@dataclass(frozen=True, slots=True)
class HypothesisRecord:
    id: str
    incident_id: str
    label: str
    """'H1': its number in the incident."""
    statement: str
    falsifier: str
    mechanisms: tuple[str, ...]
    status: str
    may_become: tuple[str, ...]
    superseded_by: str | None
    confidence: int | None
    history: tuple[LedgerStep, ...]
    """In the order in which the steps happened."""
    evidence: tuple[EvidenceRecord, ...]
    finding_id: str | None
    owner: str | None
    revision: int
    experiments: tuple[LinkedExperiment, ...]
    needs_review: bool
    created_at: datetime


class Hypotheses:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def create(
        self,
        incident_id: str,
        *,
        statement: str,
        falsifier: str,
        confidence: int | None,
        finding_id: str | None,
        by: Actor,
        reason: str = "proposed",
        mechanisms: Sequence[str] = (),
        happened: Happened = NOW,
    ) -> HypothesisRecord:
        """Add a proposed hypothesis with the next number, and the first step of its ledger."""
        happened = checked(happened)
        row = Hypothesis(
            incident_id=incident_id,
            number=next_number(self._session, incident_id, Hypothesis),
            statement=clean(statement),
            falsifier=clean(falsifier),
            mechanisms=_tags(mechanisms),
            confidence=confidence,
            finding_id=finding_id,
            owner_id=by.id,
            created_by_id=by.id,
        )
        self._session.add(row)
        self._session.flush()
        self._step(row, reason=reason, pin_id=None, by=by, happened=happened)
        return self._publish(row, by, "hypothesis.created")

    def of_incident(self, incident_id: str) -> list[HypothesisRecord]:
        """List the incident's hypotheses, highest confidence first."""
        rows = self._session.scalars(
            select(Hypothesis).where(
                Hypothesis.incident_id == incident_id, Hypothesis.deleted_at.is_(None)
            )
        ).all()
        records = self._records(list(rows))
        return sorted(records, key=lambda h: (-(h.confidence or -1), h.id))

    def get(self, hypothesis_id: str) -> HypothesisRecord:
        return self._records([self._row(hypothesis_id)])[0]

    def edit(
        self,
        hypothesis_id: str,
        changes: dict[str, Any],
        *,
        revision: int,
        by: Actor,
    ) -> HypothesisRecord:
        """Change statement, falsifier, mechanisms, status, superseded_by_id or owner_id.

        A new status is a step in the ledger, with ``reason``, ``pin_id`` and ``happened`` (a
        ``Happened``) of the changes.
        """
        row = self._row(hypothesis_id)
        self._fresh(row, revision)
        changes = dict(changes)
        happened = checked(changes.pop("happened", NOW))
        reason, pin_id = changes.pop("reason", None), changes.pop("pin_id", None)
        status, before = changes.get("status", row.status), row.status
        moved = status != before
        if moved:
            self._may_become(row, status, pin_id)
        if other := changes.get("superseded_by_id"):
            self._check_other(row, other)
        if "mechanisms" in changes:
            changes["mechanisms"] = _tags(changes["mechanisms"])
        for name, value in changes.items():
            setattr(row, name, clean(value) if isinstance(value, str) else value)
        if moved:
            row.needs_review = False
            if status != "superseded":
                row.superseded_by_id = None
            self._step(
                row, reason=reason or f"now {status}", pin_id=pin_id, by=by, happened=happened
            )
        self._touch(row)
        if moved:
            announce(
                self._unit,
                "hypothesis.status_changed",
                row.incident_id,
                id=row.id,
                statement=row.statement,
                before=before,
                after=status,
            )
            moves = {"before": before, "after": status, "reason": reason or ""}
            return self._publish(row, by, "hypothesis.status_changed", **moves)
        return self._publish(row, by, "hypothesis.edited", fields=sorted(changes))

    def set_confidence(
        self,
        hypothesis_id: str,
        *,
        confidence: int,
        reason: str,
        pin_id: str | None,
        by: Actor,
        happened: Happened = NOW,
    ) -> HypothesisRecord:
        """Add a step to the ledger; the confidence is that of the step that happened last."""
        happened = checked(happened)
        row = self._row(hypothesis_id)
        self._check_pin(row, pin_id)
        if row.status == "proposed":
            row.status = "active"
        row.needs_review = False
        self._step(
            row, reason=reason, pin_id=pin_id, by=by, happened=happened, confidence=confidence
        )
        newest = self._newest(row.id, None)
        row.confidence = newest.confidence if newest else confidence
        self._touch(row)
        return self._publish(
            row, by, "hypothesis.confidence_set", confidence=confidence, reason=reason
        )

    def add_evidence(
        self, hypothesis_id: str, *, pin_id: str, side: str, note: str, by: Actor
    ) -> HypothesisRecord:
        """Add a pin to a hypothesis as evidence; adding it again moves it to the new side."""
        row = self._row(hypothesis_id)
        self._check_pin(row, pin_id)
        link = self._session.scalar(
            select(Evidence).where(
                Evidence.hypothesis_id == hypothesis_id, Evidence.pin_id == pin_id
            )
        )
        if link is None:
            link = Evidence(hypothesis_id=hypothesis_id, pin_id=pin_id, by_id=by.id)
            self._session.add(link)
        link.side, link.note = side, clean(note)
        self._session.flush()
        if row.status == "proposed":
            row.status = "active"
            self._step(row, reason="the first evidence", pin_id=pin_id, by=by)
        return self._publish(
            row, by, "hypothesis.evidence_added", evidence=self._label(pin_id), side=side
        )

    def remove_evidence(
        self, hypothesis_id: str, evidence_id: str, *, by: Actor
    ) -> HypothesisRecord:
        row = self._row(hypothesis_id)
        link = self._session.get(Evidence, evidence_id)
        if link is None or link.hypothesis_id != hypothesis_id:
            raise NotFound("There is no such evidence on this hypothesis.")
        if row.status == "refuted" and self._pinned(row.id) == 1:
            raise Conflict(
                "This is the only pin behind a refuted hypothesis: change its status first."
            )
        gone = self._label(link.pin_id)
        self._session.delete(link)
        row.needs_review = True
        self._session.flush()
        return self._publish(row, by, "hypothesis.evidence_removed", evidence=gone)

    def delete(self, hypothesis_id: str, *, by: Actor) -> None:
        """Move the hypothesis to the bin, with its ledger and its evidence."""
        row = self._row(hypothesis_id)
        row.deleted_at = datetime.now(UTC)
        self._session.flush()
        record(
            self._unit,
            by,
            "hypothesis.deleted",
            incident_id=row.incident_id,
            target=row.id,
            statement=row.statement,
        )
        self._unit.notify(row.incident_id, "hypotheses", row.id)

    def _row(self, hypothesis_id: str) -> Hypothesis:
        row = find_visible(self._session, Hypothesis, hypothesis_id)
        if row is None:
            raise NotFound("There is no such hypothesis.")
        return row

    def _fresh(self, row: Hypothesis, revision: int) -> None:
        if row.revision != revision:
            raise StaleRevision(
                "Somebody changed this hypothesis after you opened it. Your text is kept on your "
                "screen: compare and save again.",
                self._records([row])[0],
            )

    def _may_become(self, row: Hypothesis, status: str, pin_id: str | None) -> None:
        self._check_pin(row, pin_id)
        if status == "refuted" and pin_id is None and not self._pinned(row.id):
            raise Refused(
                "Refuting a hypothesis needs at least one pin: add evidence against it first.",
                "status",
            )
        if status not in NEXT_STATUS[row.status]:
            raise Refused(
                f"A hypothesis that is {row.status} can become "
                f"{' or '.join(NEXT_STATUS[row.status])}, not {status}.",
                "status",
            )

    def _check_pin(self, row: Hypothesis, pin_id: str | None) -> None:
        if pin_id is not None and Pins(self._unit).get(pin_id).incident_id != row.incident_id:
            raise Refused("That pin belongs to another incident.", "pin_id")

    def _check_other(self, row: Hypothesis, other_id: str) -> None:
        other = self._session.get(Hypothesis, other_id)
        if (
            other is None
            or other.deleted_at
            or other.incident_id != row.incident_id
            or other.id == row.id
        ):
            raise Refused(
                "Name another hypothesis of this incident that takes its place.",
                "superseded_by_id",
            )

    def _label(self, pin_id: str) -> str:
        return f"E{self._session.scalar(select(Pin.number).where(Pin.id == pin_id))}"

    def _pinned(self, hypothesis_id: str) -> int:
        links = (
            select(func.count())
            .select_from(Evidence)
            .join(Pin, Pin.id == Evidence.pin_id)
            .where(Evidence.hypothesis_id == hypothesis_id, Pin.deleted_at.is_(None))
        )
        return self._session.scalar(links) or 0

    def _step(
        self,
        row: Hypothesis,
        *,
        reason: str,
        pin_id: str | None,
        by: Actor,
        happened: Happened = NOW,
        confidence: int | None = None,
    ) -> None:
        """Append a step; one that happened earlier takes what the step before it does not say."""
        status, known = row.status, row.confidence
        if happened.at is not None:
            before = self._newest(row.id, happened.at)
            known = before.confidence if before else known
            if confidence is not None:
                status = before.status if before else "active"
        self._session.add(
            ConfidenceStep(
                hypothesis_id=row.id,
                happened_at=happened.at,
                happened_precision=happened.precision,
                by_id=by.id,
                by_name=by.name,
                confidence=known if confidence is None else confidence,
                status="active" if status == "proposed" and confidence is not None else status,
                reason=clean(reason),
                pin_id=pin_id,
            )
        )
        self._session.flush()

    def _newest(self, hypothesis_id: str, until: datetime | None) -> ConfidenceStep | None:
        """Return the step with a confidence that happened last, by a time if there is one."""
        wanted = select(ConfidenceStep).where(
            ConfidenceStep.hypothesis_id == hypothesis_id, ConfidenceStep.confidence.is_not(None)
        )
        if until is not None:
            wanted = wanted.where(until >= _TIME)
        return self._session.scalar(
            wanted.order_by(_TIME.desc(), ConfidenceStep.id.desc()).limit(1)
        )

    def _touch(self, row: Hypothesis) -> None:
        row.revision += 1
        row.updated_at = datetime.now(UTC)
        self._session.flush()

    def _publish(self, row: Hypothesis, by: Actor, action: str, **detail: Any) -> HypothesisRecord:
        record(self._unit, by, action, incident_id=row.incident_id, target=row.id, **detail)
        self._unit.notify(row.incident_id, "hypotheses", row.id)
        return self._records([row])[0]

    def _records(self, rows: list[Hypothesis]) -> list[HypothesisRecord]:
        ids = [row.id for row in rows]
        session = self._session
        steps: defaultdict[str, list[LedgerStep]] = defaultdict(list)
        for step in session.scalars(
            select(ConfidenceStep)
            .where(ConfidenceStep.hypothesis_id.in_(ids))
            .order_by(_TIME, ConfidenceStep.id)
        ):
            steps[step.hypothesis_id].append(
                LedgerStep(
                    step.at,
                    step.happened_at,
                    cast("Precision", step.happened_precision),
                    step.by_name,
                    step.confidence,
                    cast("Status", step.status),
                    step.reason,
                    step.pin_id,
                )
            )
        links = session.execute(
            select(Evidence, User.name)
            .join(Pin, Pin.id == Evidence.pin_id)
            .outerjoin(User, User.id == Evidence.by_id)
            .where(Evidence.hypothesis_id.in_(ids), Pin.deleted_at.is_(None))
            .order_by(Evidence.id)
        ).all()
        pins = Pins(self._unit).by_ids({link.pin_id for link, _ in links})
        evidence: defaultdict[str, list[EvidenceRecord]] = defaultdict(list)
        for link, name in links:
            evidence[link.hypothesis_id].append(
                EvidenceRecord(link.id, pins.get(link.pin_id), link.side, link.note, name, link.at)
            )
        experiments: defaultdict[str, list[LinkedExperiment]] = defaultdict(list)
        for row in session.scalars(
            select(Experiment)
            .where(Experiment.hypothesis_id.in_(ids), Experiment.deleted_at.is_(None))
            .order_by(Experiment.number)
        ):
            if row.hypothesis_id is not None:
                experiments[row.hypothesis_id].append(
                    LinkedExperiment(row.id, row.title, row.verdict)
                )
        owners = {
            person.id: person.name
            for person in session.execute(
                select(User.id, User.name).where(User.id.in_({row.owner_id for row in rows}))
            )
        }
        successors = self._successors(rows)
        return [
            HypothesisRecord(
                id=row.id,
                incident_id=row.incident_id,
                label=f"H{row.number}",
                statement=row.statement,
                falsifier=row.falsifier,
                mechanisms=tuple(str(tag) for tag in row.mechanisms),
                status=row.status,
                may_become=NEXT_STATUS[row.status],
                superseded_by=successors.get(row.superseded_by_id or ""),
                confidence=row.confidence,
                history=tuple(steps[row.id]),
                evidence=tuple(evidence[row.id]),
                finding_id=row.finding_id,
                owner=owners.get(row.owner_id) if row.owner_id else None,
                revision=row.revision,
                experiments=tuple(experiments[row.id]),
                needs_review=row.needs_review,
                created_at=row.created_at,
            )
            for row in rows
        ]

    def _successors(self, rows: Iterable[Hypothesis]) -> dict[str, str]:
        """Return the label of each hypothesis that supersedes one of these."""
        ids = {row.superseded_by_id for row in rows if row.superseded_by_id}
        labels = self._session.execute(
            select(Hypothesis.id, Hypothesis.number).where(Hypothesis.id.in_(ids))
        )
        return {name: f"H{number}" for name, number in labels}


def _tags(tags: Iterable[str]) -> list[str]:
    """Normalize tags: no blanks around, none twice."""
    return list(dict.fromkeys(tag for name in tags if (tag := clean(name).strip())))
