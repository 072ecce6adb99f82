"""What counts as there: a row is gone with its incident, not only when it was deleted itself.

Deleting an incident marks the incident alone, so that a restore brings back exactly what was in
it. Whoever asks for a row by its own id asks here.
"""

from __future__ import annotations

from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from pileup.storage.models import Base, Incident

Row = TypeVar("Row", bound=Base)


def living(session: Session, model: type[Row], row_id: str, *, lock: bool = False) -> Row | None:
    """The row of this id, unless it or its incident is in the bin. lock: for update."""
    row: Any = session.get(model, row_id, with_for_update=lock)
    if row is None or getattr(row, "deleted_at", None) is not None:
        return None
    return None if in_bin(session, row.incident_id) else row


def in_bin(session: Session, incident_id: str) -> bool:
    """Whether the incident was deleted."""
    moment = session.scalar(select(Incident.deleted_at).where(Incident.id == incident_id))
    return moment is not None
