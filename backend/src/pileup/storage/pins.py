"""Pins: saved pointers to exact data and the view that shows it.

A pin is never changed. Withdrawing one keeps its row, takes it off every hypothesis, and flags
those hypotheses for review. A pin is stale when the artifact it points at has left the incident.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select, update

from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, clean_json
from pileup.storage.errors import NotFound
from pileup.storage.models import Artifact, Evidence, ExperimentPin, Hypothesis, Pin, User


@dataclass(frozen=True, slots=True)
class PinRecord:
    id: str
    incident_id: str
    kind: str
    title: str
    locator: dict[str, Any]
    view: str
    excerpt: str | None
    stale: bool
    created_by: str | None
    created_at: datetime


class Pins:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def create(
        self,
        incident_id: str,
        *,
        kind: str,
        title: str,
        locator: dict[str, Any],
        view: str,
        excerpt: str | None,
        by: Actor,
    ) -> PinRecord:
        row = Pin(
            incident_id=incident_id,
            kind=kind,
            title=clean(title),
            locator=clean_json(locator),
            view=clean(view),
            excerpt=None if excerpt is None else clean(excerpt),
            created_by_id=by.id,
        )
        self._session.add(row)
        self._session.flush()
        record(self._unit, by, "pin.created", incident_id=incident_id, target=row.id)
        self._unit.notify(incident_id, "pins", row.id)
        return self.get(row.id)

    def get(self, pin_id: str) -> PinRecord:
        found = self.by_ids([pin_id])
        if pin_id not in found:
            raise NotFound("There is no such pin; it may have been withdrawn.")
        return found[pin_id]

    def of_incident(self, incident_id: str) -> list[PinRecord]:
        """Every pin that was not withdrawn, oldest first."""
        return self._records(
            select(Pin.id).where(Pin.incident_id == incident_id, Pin.deleted_at.is_(None))
        )

    def by_ids(self, ids: Iterable[str]) -> dict[str, PinRecord]:
        wanted = list(ids)
        if not wanted:
            return {}
        records = self._records(select(Pin.id).where(Pin.id.in_(wanted), Pin.deleted_at.is_(None)))
        return {record.id: record for record in records}

    def withdraw(self, pin_id: str, *, by: Actor) -> str:
        """Take a pin back; its incident's id. Hypotheses that used it need a review."""
        row = self._session.get(Pin, pin_id)
        if row is None or row.deleted_at is not None:
            raise NotFound("There is no such pin; it may have been withdrawn already.")
        used = select(Evidence.hypothesis_id).where(Evidence.pin_id == pin_id)
        self._session.execute(
            update(Hypothesis).where(Hypothesis.id.in_(used)).values(needs_review=True)
        )
        for model in (Evidence, ExperimentPin):
            for link in self._session.scalars(select(model).where(model.pin_id == pin_id)):
                self._session.delete(link)
        row.deleted_at = datetime.now(UTC)
        self._session.flush()
        record(self._unit, by, "pin.withdrawn", incident_id=row.incident_id, target=pin_id)
        for topic in ("pins", "hypotheses"):
            self._unit.notify(row.incident_id, topic, pin_id)
        return row.incident_id

    def _records(self, ids: Any) -> list[PinRecord]:
        rows = self._session.execute(
            select(Pin, User.name)
            .outerjoin(User, User.id == Pin.created_by_id)
            .where(Pin.id.in_(ids))
            .order_by(Pin.id)
        ).all()
        present = self._present({row.Pin.incident_id for row in rows})
        return [
            PinRecord(
                id=pin.id,
                incident_id=pin.incident_id,
                kind=pin.kind,
                title=pin.title,
                locator=pin.locator,
                view=pin.view,
                excerpt=pin.excerpt,
                stale=pin.stale or _missing(pin, present),
                created_by=name,
                created_at=pin.created_at,
            )
            for pin, name in rows
        ]

    def _present(self, incidents: set[str]) -> set[tuple[str, str]]:
        """(incident, SHA-256) of every artifact that the analysis still uses."""
        rows = self._session.execute(
            select(Artifact.incident_id, Artifact.sha256).where(
                Artifact.incident_id.in_(incidents),
                Artifact.deleted_at.is_(None),
                Artifact.excluded.is_(False),
            )
        )
        return {(incident, sha) for incident, sha in rows}


def _missing(pin: Pin, present: set[tuple[str, str]]) -> bool:
    artifact = pin.locator.get("artifact")
    return artifact is not None and (pin.incident_id, artifact) not in present
