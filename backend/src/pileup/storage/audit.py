"""The audit trail: who did what, in order, append-only, chained by hashes (``audit_chain``)."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select

from pileup.storage import models
from pileup.storage.database import Unit, clean, clean_json, to_record
from pileup.storage.ids import first_id_of

_ONCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Actor:
    """The actor of a change: a user, or the system (id None)."""

    id: str | None
    name: str


IMPORTED_BY = "imported_by"
"""In the detail of an entry that came with a bundle: who imported it. Nobody here witnessed it."""

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
    """Add one entry to the audit trail, in the transaction of the change that it records."""
    if incident_id is not None:
        unit.touch(incident_id, "activity")
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


def record_once(
    unit: Unit,
    by: Actor,
    action: str,
    *,
    incident_id: str | None = None,
    target: str | None = None,
    **detail: Any,
) -> None:
    """Add an entry unless there is the same one of the last minute.

    For what is easily repeated and changes nothing: the trail must not be flooded by it.
    """
    table, found = models.Audit, clean_json(detail)
    same = (by.id, clean(by.name), action, incident_id, target, found)
    unit.session.execute(
        select(func.pg_advisory_xact_lock(func.hashtextextended(json.dumps(same), 0)))
    )
    since = first_id_of(time.time() - _ONCE_S)
    there = select(table.id).where(
        table.id >= since,
        table.action == action,
        table.user_name == clean(by.name),
        table.user_id.is_not_distinct_from(by.id),
        table.incident_id.is_not_distinct_from(incident_id),
        table.target.is_not_distinct_from(target),
        table.detail == found,
    )
    if unit.session.scalar(there.limit(1)) is None:
        record(unit, by, action, incident_id=incident_id, target=target, **detail)


@dataclass(frozen=True, slots=True)
class Filter:
    """Filter of entries: by person, domain, time range [start, end), and ids before one."""

    person: str | None = None
    kind: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    before: str | None = None


def entries(
    unit: Unit, incident_id: str | None, limit: int = 200, wanted: Filter | None = None
) -> list[Entry]:
    """List the newest entries of an incident, newest first.

    incident_id: None for what happened in this installation: without the entries of bundles.
    """
    wanted = wanted or Filter()
    query = select(models.Audit)
    if incident_id is not None:
        query = query.where(models.Audit.incident_id == incident_id)
    else:
        query = query.where(~models.Audit.detail.has_key(IMPORTED_BY))
    if wanted.person is not None:
        query = query.where(models.Audit.user_name == wanted.person)
    if wanted.kind is not None:
        query = query.where(models.Audit.action.startswith(f"{wanted.kind}.", autoescape=True))
    if wanted.start is not None:
        query = query.where(models.Audit.at >= wanted.start)
    if wanted.end is not None:
        query = query.where(models.Audit.at < wanted.end)
    if wanted.before is not None:
        query = query.where(models.Audit.id < wanted.before)
    rows = unit.session.scalars(query.order_by(models.Audit.id.desc()).limit(limit))
    return [to_record(Entry, row) for row in rows]


def filters(unit: Unit, incident_id: str | None) -> tuple[list[str], list[str]]:
    """Return the people and the domains of actions that occur in the audit trail."""
    domain = func.split_part(models.Audit.action, ".", 1)
    names = select(models.Audit.user_name).distinct()
    domains = select(domain).distinct()
    if incident_id is None:  # what a bundle claims is in the activity of its incident only
        names = names.where(~models.Audit.detail.has_key(IMPORTED_BY))
        domains = domains.where(~models.Audit.detail.has_key(IMPORTED_BY))
    else:
        names = names.where(models.Audit.incident_id == incident_id)
        domains = domains.where(models.Audit.incident_id == incident_id)
    return sorted(unit.session.scalars(names)), sorted(unit.session.scalars(domains))
