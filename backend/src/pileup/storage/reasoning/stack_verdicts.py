"""Stacks that people called benign or suspicious. The stacks themselves are derived."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit


@dataclass(frozen=True, slots=True)
class StackVerdict:
    pile: str
    by: str | None
    at: datetime


class StackVerdicts:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def of_incident(self, incident_id: str) -> dict[str, StackVerdict]:
        """Return verdicts by stack key; a stack that is missing is not reviewed."""
        rows = self._session.execute(
            select(models.StackVerdict, models.User.name)
            .outerjoin(models.User, models.User.id == models.StackVerdict.by_id)
            .where(models.StackVerdict.incident_id == incident_id)
        )
        return {row.stack_key: StackVerdict(row.pile, name, row.at) for row, name in rows}

    def put(self, incident_id: str, stack_key: str, pile: str | None, *, by: Actor) -> None:
        """Put a stack on a pile; None clears the verdict."""
        row = self._session.get(models.StackVerdict, (incident_id, stack_key))
        if pile is None:
            if row is None:
                return
            self._session.delete(row)
        else:
            if row is None:
                row = models.StackVerdict(incident_id=incident_id, stack_key=stack_key)
                self._session.add(row)
            row.pile = pile
            row.by_id = by.id
            row.at = datetime.now(UTC)
        self._session.flush()
        action = f"stack.{pile or 'unreviewed'}"
        record(self._unit, by, action, incident_id=incident_id, target=stack_key)
        self._unit.notify(incident_id, "stacks", stack_key)
