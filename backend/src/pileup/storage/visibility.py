"""Visibility of rows: a row is hidden when it or its incident is deleted.

Deleting an incident marks the incident alone, so that a restore brings back exactly its content.
Read a row by its own id through this module.
"""

from __future__ import annotations

from typing import Any, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from pileup.storage.models import Base, Incident

Row = TypeVar("Row", bound=Base)


def find_visible(
    session: Session, model: type[Row], row_id: str, *, lock: bool = False
) -> Row | None:
    """Return the row with this id, unless it or its incident is in the bin. lock: for update."""
    row: Any = session.get(model, row_id, with_for_update=lock)
    if row is None or getattr(row, "deleted_at", None) is not None:
        return None
    return None if in_bin(session, row.incident_id) else row


def in_bin(session: Session, incident_id: str) -> bool:
    """Return whether the incident is deleted."""
    moment = session.scalar(select(Incident.deleted_at).where(Incident.id == incident_id))
    return moment is not None
