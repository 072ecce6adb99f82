"""Symptoms that people wrote for an incident.

An edit changes the predicate for later checks: a run's stored outcome keeps the words of the
predicate that was checked at its finish. A symptom in prose is answered by people, run by run.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import delete, select

from pileup.analysis.reasoning.predicates import Predicate, read
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, clean_json
from pileup.storage.errors import NotFound, Refused, StaleRevision
from pileup.storage.happened import Happened, Precision, checked
from pileup.storage.models import Experiment, Symptom, SymptomAnswer
from pileup.storage.visibility import find_visible

NOW = Happened()
MOST = 50
"""A limit, as every run is checked for each."""


@dataclass(frozen=True, slots=True)
class SymptomRecord:
    id: str
    incident_id: str
    stored: dict[str, Any]
    """The predicate as it is stored."""
    predicate: Predicate
    by: str
    recorded_at: datetime
    happened_at: datetime | None
    """When it was noticed, as a person gives it; None: when it was recorded."""
    happened_precision: Precision
    revision: int


@dataclass(frozen=True, slots=True)
class PersonsAnswer:
    """What a person answered about a symptom in prose for one run."""

    symptom_id: str
    experiment_id: str
    holds: bool
    note: str
    by: str
    at: datetime


class Symptoms:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def of_incident(self, incident_id: str) -> list[SymptomRecord]:
        """List the incident's symptoms, oldest first."""
        rows = self._session.scalars(
            select(Symptom)
            .where(Symptom.incident_id == incident_id, Symptom.deleted_at.is_(None))
            .order_by(Symptom.id)
        )
        return [_record(row) for row in rows]

    def create(
        self,
        incident_id: str,
        predicate: dict[str, Any],
        *,
        by: Actor,
        happened: Happened = NOW,
    ) -> SymptomRecord:
        """Add a symptom with this predicate."""
        happened = checked(happened)
        known = self.of_incident(incident_id)
        if len(known) >= MOST:
            raise Refused(
                f"An incident has at most {MOST} symptoms that people wrote.", "predicate"
            )
        stored = _new(predicate, known)
        row = Symptom(
            incident_id=incident_id,
            predicate=stored,
            by_id=by.id,
            by_name=by.name,
            happened_at=happened.at,
            happened_precision=happened.precision,
        )
        self._session.add(row)
        self._session.flush()
        made = _record(row)
        self._publish(row, by, "symptom.created", words=made.predicate.words)
        return made

    def edit(
        self,
        symptom_id: str,
        predicate: dict[str, Any],
        *,
        revision: int,
        by: Actor,
        happened: Happened | None = None,
    ) -> SymptomRecord:
        """Replace the predicate of a symptom, and when it was noticed unless that is None."""
        row = self._row(symptom_id)
        was = _record(row)
        if row.revision != revision:
            raise StaleRevision("Somebody changed this symptom meanwhile.", was)
        others = [symptom for symptom in self.of_incident(row.incident_id) if symptom.id != row.id]
        row.predicate = _new(predicate, others)
        if happened is not None:
            happened = checked(happened)
            row.happened_at, row.happened_precision = happened.at, happened.precision
        row.revision += 1
        self._session.flush()
        now = _record(row)
        self._publish(row, by, "symptom.edited", was=was.predicate.words, words=now.predicate.words)
        return now

    def delete(self, symptom_id: str, *, by: Actor) -> None:
        """Move the symptom to the bin."""
        row = self._row(symptom_id)
        row.deleted_at = datetime.now(UTC)
        self._session.flush()
        self._publish(row, by, "symptom.deleted", words=_record(row).predicate.words)

    def answers(self, incident_id: str) -> list[PersonsAnswer]:
        """List what people answered for the runs of an incident."""
        rows = self._session.scalars(
            select(SymptomAnswer)
            .join(Symptom, Symptom.id == SymptomAnswer.symptom_id)
            .where(Symptom.incident_id == incident_id, Symptom.deleted_at.is_(None))
            .order_by(SymptomAnswer.id)
        )
        return [
            PersonsAnswer(
                row.symptom_id, row.experiment_id, row.holds, row.note, row.by_name, row.at
            )
            for row in rows
        ]

    def answer(
        self, symptom_id: str, experiment_id: str, holds: bool | None, note: str, *, by: Actor
    ) -> None:
        """Record whether a run showed a symptom in prose; None removes the answer.

        Raises:
            Refused: the symptom is a predicate, which the run's artifacts answer.
        """
        symptom = self._row(symptom_id)
        run = find_visible(self._session, Experiment, experiment_id)
        if run is None or run.incident_id != symptom.incident_id:
            raise NotFound("There is no such experiment in the incident of this symptom.")
        words = _record(symptom).predicate.words
        if symptom.predicate.get("kind") != "prose":
            raise Refused(
                f"The artifacts of the run answer “{words}”: people answer symptoms in prose.",
                "symptom_id",
            )
        self._session.execute(
            delete(SymptomAnswer).where(
                SymptomAnswer.symptom_id == symptom.id, SymptomAnswer.experiment_id == run.id
            )
        )
        if holds is not None:
            self._session.add(
                SymptomAnswer(
                    symptom_id=symptom.id,
                    experiment_id=run.id,
                    holds=holds,
                    note=clean(note),
                    by_id=by.id,
                    by_name=by.name,
                )
            )
        self._session.flush()
        self._publish(
            symptom, by, "symptom.answered", words=words, experiment=run.number, holds=holds
        )

    def _row(self, symptom_id: str) -> Symptom:
        row = find_visible(self._session, Symptom, symptom_id, lock=True)
        if row is None:
            raise NotFound("There is no such symptom.")
        return row

    def _publish(self, row: Symptom, by: Actor, action: str, **detail: Any) -> None:
        record(self._unit, by, action, incident_id=row.incident_id, target=row.id, **detail)
        self._unit.notify(row.incident_id, "experiments", row.id)


def _new(predicate: dict[str, Any], others: list[SymptomRecord]) -> dict[str, Any]:
    stored: dict[str, Any] = clean_json(predicate)
    if any(symptom.stored == stored for symptom in others):
        raise Refused("The incident has this symptom already.", "predicate")
    return stored


def _record(row: Symptom) -> SymptomRecord:
    stored = dict(row.predicate)
    return SymptomRecord(
        id=row.id,
        incident_id=row.incident_id,
        stored=stored,
        predicate=read(stored),
        by=row.by_name,
        recorded_at=row.at,
        happened_at=row.happened_at,
        happened_precision=cast("Precision", row.happened_precision),
        revision=row.revision,
    )
