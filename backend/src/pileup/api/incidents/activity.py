"""Routes for the activity of one incident, the audit trail of all, and the bin."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, status
from fastapi.responses import StreamingResponse

from pileup.api.auth import AdminDep, Caller, Principal
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.reports.exports import Redact
from pileup.api.schema import Out
from pileup.api.versioned import by_version
from pileup.report.redaction.plain_redaction import RowRedaction
from pileup.report.redaction.redactor import Redactor
from pileup.storage import audit
from pileup.storage.audit_names import names
from pileup.storage.database import Unit
from pileup.storage.lifecycle.bin import Bin, DeletedItem
from pileup.storage.queue.jobs import Jobs
from pileup.views.csv_rows import csv_line
from pileup.views.reports.export import redaction_kinds

router = APIRouter(tags=["activity"])

_CSV_ROWS = 100_000
_CSV_PAGE = 1000


class ActivityEntry(Out):
    id: str
    at: datetime
    user_id: str | None
    user_name: str
    incident_id: str | None
    action: str
    """Domain and past participle: 'hypothesis.created'."""
    target: str | None
    name: str | None = None
    """What the target is called: 'H2 Page splits hold the latch', 'E7 under H2'."""
    detail: dict[str, Any]


class ActivityFilters(Out):
    people: list[str]
    kinds: list[str]
    """Domains of actions: hypothesis, pin, text, ..."""


class Deleted(Out):
    items: list[DeletedItem]
    days: int
    """How long something stays in the bin."""


def _filter(
    person: Annotated[str | None, Query(max_length=200)] = None,
    kind: Annotated[str | None, Query(pattern=r"^[a-z_]{1,40}$")] = None,
    start: Annotated[datetime | None, Query(alias="from")] = None,
    end: Annotated[datetime | None, Query(alias="to")] = None,
    before: Annotated[str | None, Query(max_length=40)] = None,
) -> audit.Filter:
    """Build a filter from a person, a domain, a time range [from, to) and a page's last id."""
    return audit.Filter(person, kind, start, end, before)


FilterDep = Annotated[audit.Filter, Depends(_filter)]
Limit = Annotated[int, Query(ge=1, le=500)]


@router.get("/incidents/{incident_id}/activity")
@by_version()
def activity(
    incident: IncidentDep, unit: UnitDep, wanted: FilterDep, limit: Limit = 100
) -> list[ActivityEntry]:
    """List who did what, newest first; pass the last id as ``before`` for the next page."""
    return _named(unit, audit.entries(unit, incident.id, limit, wanted))


@router.get("/incidents/{incident_id}/activity/filters")
@by_version()
def activity_filters(incident: IncidentDep, unit: UnitDep) -> ActivityFilters:
    """List the people who acted in the incident, and the kinds of their actions."""
    people, kinds = audit.filters(unit, incident.id)
    return ActivityFilters(people=people, kinds=kinds)


@router.get("/audit")
def audit_trail(
    _: AdminDep, unit: UnitDep, wanted: FilterDep, limit: Limit = 100
) -> list[ActivityEntry]:
    """List who did what in all incidents and the installation, newest first; for admins."""
    return _named(unit, audit.entries(unit, None, limit, wanted))


@router.get("/audit/filters")
def audit_filters(_: AdminDep, unit: UnitDep) -> ActivityFilters:
    people, kinds = audit.filters(unit, None)
    return ActivityFilters(people=people, kinds=kinds)


@router.get("/audit/export", response_class=StreamingResponse)
def audit_export(
    caller: AdminDep, services: ServicesDep, unit: UnitDep, wanted: FilterDep, redact: Redact = ""
) -> StreamingResponse:
    """Download the audit trail as CSV, at most 100 000 lines.

    Passwords are always removed; the tokens of ``redact`` are those of this file alone.
    """
    redactor = Redactor(redaction_kinds(unit, redact), secrets.token_bytes(32))
    return StreamingResponse(
        _csv(services, caller, wanted, redactor),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": "attachment; filename=pileup-audit.csv"},
    )


@router.get("/incidents/{incident_id}/deleted")
def deleted(incident: IncidentDep, unit: UnitDep, services: ServicesDep) -> Deleted:
    """List what was deleted in the incident and can be restored."""
    items = Bin(unit).of_incident(incident.id)
    return Deleted(items=items, days=services.settings.bin_days)


@router.post(
    "/incidents/{incident_id}/deleted/{kind}/{item_id}/restore",
    status_code=status.HTTP_204_NO_CONTENT,
)
def restore(
    incident: IncidentDep,
    kind: str,
    item_id: str,
    unit: UnitDep,
    services: ServicesDep,
    caller: Caller,
) -> None:
    """Undo a deletion."""
    Bin(unit).restore(incident.id, kind, item_id, by=caller.actor)
    if kind in ("artifact", "experiment"):
        Jobs(unit).request_analysis(incident.id, services.settings.analysis_debounce_s)


@router.get("/deleted-incidents")
def deleted_incidents(_: AdminDep, unit: UnitDep, services: ServicesDep) -> Deleted:
    """List deleted incidents, for admins."""
    items = Bin(unit).incidents()
    return Deleted(items=items, days=services.settings.bin_days)


@router.post("/deleted-incidents/{incident_id}/restore", status_code=status.HTTP_204_NO_CONTENT)
def restore_incident(incident_id: str, by: AdminDep, unit: UnitDep) -> None:
    """Restore a deleted incident with everything in it."""
    Bin(unit).restore_incident(incident_id, by=by.actor)


_COLUMNS = ("time", "person", "incident", "action", "target", "detail")


def _named(unit: Unit, entries: list[audit.Entry]) -> list[ActivityEntry]:
    known = names(unit, entries)
    return [
        ActivityEntry.model_validate(asdict(entry) | {"name": known.get(entry.id)})
        for entry in entries
    ]


def _csv(
    services: ServicesDep, caller: Principal, wanted: audit.Filter, redactor: Redactor
) -> Iterator[str]:
    redaction = RowRedaction(_COLUMNS, redactor)
    yield csv_line(_COLUMNS)
    for _ in range(_CSV_ROWS // _CSV_PAGE):
        with services.unit(caller.access) as unit:
            page = audit.entries(unit, None, _CSV_PAGE, wanted)
        for entry in page:
            detail = json.dumps(entry.detail, ensure_ascii=False) if entry.detail else ""
            at = entry.at.isoformat().replace("+00:00", "Z")
            cells = (at, entry.user_name, entry.incident_id, entry.action, entry.target, detail)
            for row in redaction.rows([cells]):
                yield csv_line(row)
        if len(page) < _CSV_PAGE:
            return
        wanted = audit.Filter(wanted.person, wanted.kind, wanted.start, wanted.end, page[-1].id)
