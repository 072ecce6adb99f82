"""Notes and decisions on the timeline: a point, or a range when ``end`` is set."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, to_record
from pileup.storage.errors import NotFound, Refused, StaleRevision
from pileup.storage.happened import Precision
from pileup.storage.visibility import find_visible

AnnotationKind = Literal["note", "decision"]


@dataclass(frozen=True, slots=True)
class Annotation:
    id: str
    incident_id: str
    kind: AnnotationKind
    start: datetime
    """When it happened."""
    end: datetime | None
    precision: Precision
    text: str
    author: str | None
    created_at: datetime
    """When it was recorded."""
    revision: int


class Annotations:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def of_incident(self, incident_id: str) -> list[Annotation]:
        """List the incident's annotations in time order."""
        rows = self._session.execute(
            select(models.Annotation, models.User.name)
            .outerjoin(models.User, models.User.id == models.Annotation.author_id)
            .where(
                models.Annotation.incident_id == incident_id,
                models.Annotation.deleted_at.is_(None),
            )
            .order_by(models.Annotation.start, models.Annotation.id)
        )
        return [to_record(Annotation, row, author=name) for row, name in rows]

    def create(
        self,
        incident_id: str,
        start: datetime,
        end: datetime | None,
        text: str,
        *,
        by: Actor,
        kind: AnnotationKind = "note",
        precision: Precision = "exact",
    ) -> Annotation:
        _ordered(start, end)
        row = models.Annotation(
            incident_id=incident_id,
            kind=kind,
            start=start,
            end=end,
            precision=precision,
            text=clean(text),
            author_id=by.id,
        )
        self._session.add(row)
        self._session.flush()
        return self._publish(row, by, "annotation.created")

    def edit(
        self, annotation_id: str, changes: dict[str, Any], *, revision: int, by: Actor
    ) -> Annotation:
        row = self._row(annotation_id)
        if row.revision != revision:
            raise StaleRevision("Somebody changed this note meanwhile.", self._record(row))
        for name, value in changes.items():
            setattr(row, name, clean(value) if isinstance(value, str) else value)
        _ordered(row.start, row.end)
        row.revision += 1
        row.updated_at = datetime.now(UTC)
        self._session.flush()
        return self._publish(row, by, "annotation.edited")

    def delete(self, annotation_id: str, *, by: Actor) -> None:
        """Move the annotation to the bin; the audit trail keeps its text."""
        row = self._row(annotation_id)
        record(
            self._unit,
            by,
            "annotation.deleted",
            incident_id=row.incident_id,
            target=row.id,
            text=row.text,
            start=row.start.isoformat(),
        )
        self._unit.notify(row.incident_id, "annotations", row.id)
        row.deleted_at = datetime.now(UTC)
        self._session.flush()

    def _row(self, annotation_id: str) -> models.Annotation:
        row = find_visible(self._session, models.Annotation, annotation_id)
        if row is None:
            raise NotFound("There is no such note on the timeline.")
        return row

    def _publish(self, row: models.Annotation, by: Actor, action: str) -> Annotation:
        record(self._unit, by, action, incident_id=row.incident_id, target=row.id)
        self._unit.notify(row.incident_id, "annotations", row.id)
        return self._record(row)

    def _record(self, row: models.Annotation) -> Annotation:
        author = self._session.get(models.User, row.author_id) if row.author_id else None
        return to_record(Annotation, row, author=author.name if author else None)


def _ordered(start: datetime, end: datetime | None) -> None:
    if end is not None and end <= start:
        raise Refused("The range ends before it begins.", "end")
