"""The bin: deleted items can be restored for thirty days, then they are purged.

Each domain deletes by setting ``deleted_at``. This module has the shared part: the list of an
incident's deleted items, restoring one, and the purge that a worker runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, exists, func, or_, select, text, update

from pileup.storage import models
from pileup.storage.audit import MACHINE, Actor, record
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict, NotFound
from pileup.storage.queue.jobs import Jobs
from pileup.storage.reasoning.pins import Pins
from pileup.storage.reports.actions import Actions

_MAX_TITLE = 200
_ANALYSIS_AFTER_S = 1.0


@dataclass(frozen=True, slots=True)
class DeletedItem:
    kind: str
    id: str
    title: str
    deleted_at: datetime
    deleted_by: str | None


@dataclass(frozen=True, slots=True)
class Gone:
    """Rows and blobs that a purge removed."""

    incidents: list[str]
    shas: set[str]
    """Of artifacts; other artifacts may have the same bytes."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A table whose deleted rows are in the bin."""

    model: Any
    title: Any
    topic: str
    """The topic of the notice when a row is restored."""


_PREDICATE = func.coalesce(
    models.Symptom.predicate["text"].astext, models.Symptom.predicate["series"].astext
)

KINDS: dict[str, Kind] = {
    "artifact": Kind(models.Artifact, models.Artifact.path, "artifacts"),
    "pin": Kind(models.Pin, models.Pin.title, "pins"),
    "hypothesis": Kind(models.Hypothesis, models.Hypothesis.statement, "hypotheses"),
    "experiment": Kind(models.Experiment, models.Experiment.title, "experiments"),
    "symptom": Kind(models.Symptom, _PREDICATE, "experiments"),
    "annotation": Kind(models.Annotation, models.Annotation.text, "annotations"),
    "comment": Kind(models.Comment, models.Comment.body, "comments"),
    "action": Kind(models.ActionItem, models.ActionItem.text, "actions"),
}


_SPEAK_OF_PINS: tuple[Any, ...] = (
    models.Experiment,
    models.Hypothesis,
    models.Rating,
    models.EvidenceWeight,
    models.MatrixOpening,
)
"""Gone before the incident's pins, which nothing may take from under them: the cascade from an
incident reaches its pins first, and their keys are checked at once."""


class Bin:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def of_incident(self, incident_id: str) -> list[DeletedItem]:
        """List restorable items, last deleted first; members of an archive go with the archive."""
        items: list[DeletedItem] = []
        for name, kind in KINDS.items():
            there = [kind.model.incident_id == incident_id, kind.model.deleted_at.is_not(None)]
            if name == "artifact":
                there.append(models.Artifact.parent_id.is_(None))
            rows = self._session.execute(
                select(kind.model.id, kind.title, kind.model.deleted_at).where(*there)
            )
            items += [DeletedItem(name, row[0], row[1][:_MAX_TITLE], row[2], None) for row in rows]
        who = self._who([item.id for item in items])
        items.sort(key=lambda item: (item.deleted_at, item.id), reverse=True)
        return [
            DeletedItem(item.kind, item.id, item.title, item.deleted_at, who.get(item.id))
            for item in items
        ]

    def incidents(self) -> list[DeletedItem]:
        """List deleted incidents."""
        rows = self._session.execute(
            select(models.Incident.id, models.Incident.title, models.Incident.deleted_at)
            .where(models.Incident.deleted_at.is_not(None))
            .order_by(models.Incident.deleted_at.desc(), models.Incident.id)
        ).all()
        who = self._who([row[0] for row in rows])
        return [
            DeletedItem("incident", row[0], row[1], row[2], who.get(row[0]))
            for row in rows
            if row[2] is not None
        ]

    def restore(self, incident_id: str, kind: str, item_id: str, *, by: Actor) -> None:
        """Restore one item, with its evidence, ratings and comments."""
        if kind not in KINDS:
            raise NotFound(f"Nothing of the kind {kind!r} goes into the bin.")
        model = KINDS[kind].model
        row = self._session.get(model, item_id, with_for_update=True)
        if row is None or row.incident_id != incident_id or row.deleted_at is None:
            raise NotFound("It is not in the bin of this incident.")
        if kind == "pin":
            Pins(self._unit).restore(item_id, by=by)
        elif kind == "action":
            Actions(self._unit).restore(item_id, by=by)
        elif kind == "artifact":
            self._artifact(row, by)
        else:
            row.deleted_at = None
            self._session.flush()
            record(self._unit, by, f"{kind}.restored", incident_id=incident_id, target=item_id)
            self._unit.notify(incident_id, KINDS[kind].topic, item_id)

    def restore_incident(self, incident_id: str, *, by: Actor) -> None:
        row = self._session.get(models.Incident, incident_id, with_for_update=True)
        if row is None or row.deleted_at is None:
            raise NotFound("This incident is not in the bin.")
        same_sample = select(models.Incident.id).where(
            models.Incident.sample_id == row.sample_id, models.Incident.archived_at.is_(None)
        )
        if row.sample_id is not None and self._session.scalar(same_sample.limit(1)):
            row.sample_id = None  # the sample was loaded again meanwhile: this is a copy now
        row.deleted_at = row.archived_at = None
        self._session.flush()
        self._read_on(models.Artifact.incident_id == incident_id, incident_id)
        record(self._unit, by, "incident.restored", incident_id=incident_id, title=row.title)
        self._unit.notify(incident_id, "incident")

    def _read_on(self, which: Any, incident_id: str) -> None:
        """Queue the files whose reading the deletion cancelled, and an analysis of the others."""
        table = models.Artifact
        waiting = self._session.scalars(
            select(table.id).where(
                which,
                table.deleted_at.is_(None),
                table.state.in_(("queued", "identifying", "parsing")),
            )
        )
        for artifact_id in waiting.all():
            Jobs(self._unit).enqueue("artifact", artifact_id, incident_id)
        Jobs(self._unit).request_analysis(incident_id, _ANALYSIS_AFTER_S)

    def _artifact(self, row: models.Artifact, by: Actor) -> None:
        """Restore an artifact with its members that were deleted in the same moment."""
        again = select(models.Artifact.id).where(
            models.Artifact.incident_id == row.incident_id,
            models.Artifact.sha256 == row.sha256,
            models.Artifact.folder == row.folder,
            models.Artifact.deleted_at.is_(None),
        )
        if self._session.scalar(again.limit(1)):
            raise Conflict("The same file was uploaded again meanwhile: it is already there.")
        when, ids, frontier = row.deleted_at, [row.id], [row.id]
        while frontier:
            frontier = list(
                self._session.scalars(
                    select(models.Artifact.id).where(
                        models.Artifact.parent_id.in_(frontier),
                        models.Artifact.deleted_at == when,
                    )
                )
            )
            ids += frontier
        there = models.Artifact.__table__.alias("there")
        self._session.execute(
            update(models.Artifact)
            .where(
                models.Artifact.id.in_(ids),
                ~exists().where(
                    there.c.incident_id == models.Artifact.incident_id,
                    there.c.sha256 == models.Artifact.sha256,
                    there.c.folder == models.Artifact.folder,
                    there.c.deleted_at.is_(None),
                ),
            )
            .values(deleted_at=None)
        )
        record(
            self._unit,
            by,
            "artifact.restored",
            incident_id=row.incident_id,
            target=row.id,
            path=row.path,
        )
        self._read_on(models.Artifact.id.in_(ids), row.incident_id)
        for name in ids:
            self._unit.notify(row.incident_id, "artifact", name)

    def _who(self, ids: list[str]) -> dict[str, str]:
        """Return who deleted each item, from the audit trail."""
        rows = self._session.execute(
            select(models.Audit.target, models.Audit.incident_id, models.Audit.user_name)
            .where(
                (models.Audit.target.in_(ids))
                | (models.Audit.incident_id.in_(ids) & models.Audit.target.is_(None)),
                models.Audit.action.like("%.deleted") | models.Audit.action.like("%.withdrawn"),
            )
            .order_by(models.Audit.id)
        )
        return {target or incident or "": name for target, incident, name in rows}

    def purge(self, older_than: timedelta, limit: int = 200) -> Gone:
        """Remove what was deleted that long ago, but nothing of an incident under a legal hold."""
        before = datetime.now(UTC) - older_than
        # Append-only tables allow deletes in this mode only (never those of the audit trail).
        self._session.execute(text("select set_config('pileup.purge', 'on', true)"))
        artifacts = models.Artifact
        shas: set[str] = set()
        incidents = self._old(models.Incident, before, limit, models.Incident.held_at.is_(None))
        if incidents:
            self._record_purge(models.Incident, incidents, older_than)
            shas |= self._shas(artifacts.incident_id.in_(incidents))
            for model in (*_SPEAK_OF_PINS, models.IncidentVersion):
                self._session.execute(delete(model).where(model.incident_id.in_(incidents)))
            self._session.execute(delete(models.Incident).where(models.Incident.id.in_(incidents)))
        held = select(models.Incident.id).where(models.Incident.held_at.is_not(None))
        for name, kind in KINDS.items():
            free = kind.model.incident_id.not_in(held)
            ids = self._old(kind.model, before, limit, free, *self._free(name))
            if not ids:
                continue
            if name == "artifact":
                shas |= self._shas(artifacts.id.in_(ids))
            self._record_purge(kind.model, ids, older_than, name)
            self._session.execute(delete(kind.model).where(kind.model.id.in_(ids)))
            self._forget_words(name, ids)
        self._session.flush()
        return Gone(incidents, shas)

    def _record_purge(
        self, model: Any, ids: list[str], older_than: timedelta, kind: str = ""
    ) -> None:
        """Record one audit entry for each incident and kind: how many were purged, by which rule.

        The entries about the deletion, with its target and who deleted it, stay.
        """
        days = older_than / timedelta(days=1)
        why = f"bin emptied by the {days:g} day rule"
        if not kind:
            titles = select(model.id, model.title).where(model.id.in_(ids)).order_by(model.id)
            for item, title in self._session.execute(titles).all():
                record(
                    self._unit, MACHINE, "incident.purged", incident_id=item, title=title, why=why
                )
            return
        count = select(model.incident_id, func.count()).where(model.id.in_(ids))
        rows = self._session.execute(count.group_by(model.incident_id).order_by(model.incident_id))
        for incident_id, number in rows.all():
            record(
                self._unit, MACHINE, f"{kind}.purged", incident_id=incident_id, gone=number, why=why
            )
            self._unit.notify(incident_id, KINDS[kind].topic)

    def _old(self, model: Any, before: datetime, limit: int, *more: Any) -> list[str]:
        return list(
            self._session.scalars(
                select(model.id)
                .where(model.deleted_at < before, *more)
                .order_by(model.id)
                .limit(limit)
            )
        )

    def _shas(self, where: Any) -> set[str]:
        return set(self._session.scalars(select(models.Artifact.sha256).where(where)))

    def _free(self, kind: str) -> list[Any]:
        """Limit purged pins to withdrawn ones that no history refers to."""
        if kind != "pin":
            return []
        references = (
            models.Evidence.pin_id,
            models.ExperimentPin.pin_id,
            models.ConfidenceStep.pin_id,
            models.Rating.pin_id,
            models.EvidenceWeight.pin_id,
            models.MatrixOpening.pin_id,
        )
        return [~exists().where(column == models.Pin.id) for column in references]

    def _forget_words(self, kind: str, ids: list[str]) -> None:
        """Delete comments and texts by the id of their subject, which no foreign key cascades."""
        comments, texts = models.Comment, models.LiveText
        about = [f"{kind}:{name}" for name in ids]
        cells = or_(*(comments.subject.contains(name, autoescape=True) for name in ids))
        in_cell = comments.subject.startswith("cell:") & cells
        self._session.execute(delete(comments).where(comments.subject.in_(about) | in_cell))
        keys = [f"{kind}/{item}/{name}" for item in ids for name in ("notes", "conclusion")]
        self._session.execute(delete(texts).where(texts.key.in_(keys)))
