"""Action items: planned changes with owner, due date, and the experiment that verifies them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import select

from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, to_record
from pileup.storage.errors import NotFound, Refused, StaleRevision
from pileup.storage.models import ActionItem, Experiment
from pileup.storage.visibility import in_bin


@dataclass(frozen=True, slots=True)
class ActionRecord:
    id: str
    incident_id: str
    text: str
    owner: str
    due: date | None
    status: str
    experiment_id: str | None
    experiment_number: int | None
    experiment_verdict: str | None
    ticket_tracker: str
    ticket_number: str
    ticket_url: str
    ticket_state: str
    ticket_fixed_in: str
    check_what: str
    """The follow-up check: 'still fine after four weeks'."""
    check_due: date | None
    check_outcome: str
    """held or not_held; empty until it was checked."""
    check_result: str
    checked_on: date | None
    revision: int
    created_at: datetime


class Actions:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def of_incident(self, incident_id: str) -> list[ActionRecord]:
        """List the incident's action items by time of agreement, without deleted ones."""
        rows = self._session.execute(
            select(ActionItem, Experiment.number, Experiment.verdict)
            .outerjoin(Experiment, Experiment.id == ActionItem.experiment_id)
            .where(ActionItem.incident_id == incident_id, ActionItem.deleted_at.is_(None))
            .order_by(ActionItem.created_at, ActionItem.id)
        )
        return [_record(row, number, verdict) for row, number, verdict in rows]

    def create(self, incident_id: str, fields: dict[str, Any], *, by: Actor) -> ActionRecord:
        row = ActionItem(incident_id=incident_id, text="", created_by_id=by.id)
        self._set(row, fields)
        self._session.add(row)
        self._session.flush()
        return self._publish(row, by, "action.created", text=row.text)

    def edit(
        self, action_id: str, changes: dict[str, Any], *, revision: int, by: Actor
    ) -> ActionRecord:
        row = self._row(action_id)
        if row.revision != revision:
            raise StaleRevision("Somebody changed this action meanwhile.", self._read(row))
        self._set(row, changes)
        row.revision += 1
        row.updated_at = datetime.now(UTC)
        self._session.flush()
        return self._publish(row, by, "action.edited", fields=sorted(changes))

    def delete(self, action_id: str, *, by: Actor) -> None:
        """Move the action item to the bin."""
        row = self._row(action_id)
        row.deleted_at = datetime.now(UTC)
        row.revision += 1
        self._session.flush()
        self._publish(row, by, "action.deleted", text=row.text)

    def restore(self, action_id: str, *, by: Actor) -> ActionRecord:
        """Restore the action item from the bin."""
        row = self._row(action_id, deleted=True)
        row.deleted_at = None
        row.revision += 1
        self._session.flush()
        return self._publish(row, by, "action.restored")

    def _set(self, row: ActionItem, fields: dict[str, Any]) -> None:
        for name, value in fields.items():
            setattr(row, name, clean(value) if isinstance(value, str) else value)
        if row.experiment_id is not None:
            experiment = self._session.get(Experiment, row.experiment_id)
            if experiment is None or experiment.incident_id != row.incident_id:
                raise Refused("This incident has no such experiment.", "experiment_id")

    def _row(self, action_id: str, *, deleted: bool = False) -> ActionItem:
        row = self._session.get(ActionItem, action_id, with_for_update=True)
        if (
            row is None
            or (row.deleted_at is not None) != deleted
            or in_bin(self._session, row.incident_id)
        ):
            raise NotFound(
                "There is no such action in the bin." if deleted else "There is no such action."
            )
        return row

    def _publish(self, row: ActionItem, by: Actor, action: str, **detail: Any) -> ActionRecord:
        record(self._unit, by, action, incident_id=row.incident_id, target=row.id, **detail)
        self._unit.notify(row.incident_id, "report", row.id)
        return self._read(row)

    def _read(self, row: ActionItem) -> ActionRecord:
        experiment = self._session.get(Experiment, row.experiment_id) if row.experiment_id else None
        return _record(
            row,
            experiment.number if experiment else None,
            experiment.verdict if experiment else None,
        )


def _record(row: ActionItem, number: int | None, verdict: str | None) -> ActionRecord:
    return to_record(ActionRecord, row, experiment_number=number, experiment_verdict=verdict)
