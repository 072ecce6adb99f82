"""The audit trail: who did what, in order, append-only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.database import Unit, clean, clean_json, to_record


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a user, or the machine (id None)."""

    id: str | None
    name: str


MACHINE = Actor(None, "pileup")


@dataclass(frozen=True, slots=True)
class Entry:
    id: str
    at: datetime
    user_id: str | None
    user_name: str
    incident_id: str | None
    action: str
    target: str | None
    detail: dict[str, Any]


def record(
    unit: Unit,
    by: Actor,
    action: str,
    *,
    incident_id: str | None = None,
    target: str | None = None,
    **detail: Any,
) -> None:
    """Add one entry; it stands or falls with the transaction that it tells about."""
    unit.session.add(
        models.Audit(
            user_id=by.id,
            user_name=clean(by.name),
            incident_id=incident_id,
            action=action,
            target=target,
            detail=clean_json(detail),
        )
    )


def entries(unit: Unit, incident_id: str, limit: int = 200) -> list[Entry]:
    """The newest entries of an incident, newest first."""
    rows = unit.session.scalars(
        select(models.Audit)
        .where(models.Audit.incident_id == incident_id)
        .order_by(models.Audit.id.desc())
        .limit(limit)
    )
    return [to_record(Entry, row) for row in rows]
