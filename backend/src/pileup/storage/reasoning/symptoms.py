"""Symptoms that people wrote for an incident.

An edit changes the predicate for later checks: a run's stored outcome keeps the words of the
predicate that was checked at its finish.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select

from pileup.analysis.reasoning.predicates import Predicate, read
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean_json
from pileup.storage.errors import NotFound, Refused, StaleRevision
from pileup.storage.models import Symptom
from pileup.storage.visibility import find_visible

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
    at: datetime
    revision: int


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

    def create(self, incident_id: str, predicate: dict[str, Any], *, by: Actor) -> SymptomRecord:
        """Add a symptom with this predicate."""
        known = self.of_incident(incident_id)
        if len(known) >= MOST:
            raise Refused(
                f"An incident has at most {MOST} symptoms that people wrote.", "predicate"
            )
        stored = _new(predicate, known)
        row = Symptom(incident_id=incident_id, predicate=stored, by_id=by.id, by_name=by.name)
        self._session.add(row)
        self._session.flush()
        made = _record(row)
        self._publish(row, by, "symptom.created", words=made.predicate.words)
        return made

    def edit(
        self, symptom_id: str, predicate: dict[str, Any], *, revision: int, by: Actor
    ) -> SymptomRecord:
        """Replace the predicate of a symptom."""
        row = self._row(symptom_id)
        was = _record(row)
        if row.revision != revision:
            raise StaleRevision("Somebody changed this symptom meanwhile.", was)
        others = [symptom for symptom in self.of_incident(row.incident_id) if symptom.id != row.id]
        row.predicate = _new(predicate, others)
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
        row.id, row.incident_id, stored, read(stored), row.by_name, row.at, row.revision
    )
