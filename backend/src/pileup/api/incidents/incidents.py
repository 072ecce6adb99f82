"""Routes for incidents: the list, one incident, its overview and its analysis."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from pileup.analysis import contract
from pileup.api.auth import AdminDep, Caller
from pileup.api.deps import RevisionDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incident_list import (
    IncidentFilter,
    Leading,
    Order,
    TeamName,
    list_incidents,
)
from pileup.storage.incidents.incident_list import IncidentRow as StoredRow
from pileup.storage.incidents.incidents import (
    Incident,
    Incidents,
    Person,
    Severity,
    Status,
    Visibility,
)
from pileup.storage.queue.jobs import Jobs
from pileup.views.documents import AnalysisJson
from pileup.views.overview import Overview, build_overview

router = APIRouter(tags=["incidents"])
intake = APIRouter(tags=["incidents"])


class RowFinding(Out):
    id: str
    title: str
    score: float


class SparkClass(Out):
    id: str
    """Of the class of time: 'row_lock'."""
    title: str
    values: list[float | None]
    """As many as the sparkline has."""


class IncidentRow(Out):
    id: str
    title: str
    status: Status
    severity: Severity | None
    service: str | None
    engine: str | None
    """Server family and version, such as 'MySQL 8.0.15'."""
    onset: datetime | None
    duration_s: float | None
    peak_waiters: int | None
    leading: Leading | None
    finding: RowFinding | None
    artifacts: int
    owner: Person | None
    visibility: Visibility
    teams: list[str]
    """Names of the teams that are members."""
    created_at: datetime
    updated_at: datetime
    story: str | None
    """What happened, in one sentence of at most 25 words."""
    spark: list[float | None] | None
    """Active sessions over time; without any, what shows the stall best."""
    spark_classes: list[SparkClass] | None
    """What these sessions did, the lowest of the picture first; None: they are not known."""


class IncidentList(Out):
    items: list[IncidentRow]
    total: int
    """Incidents that pass the filters, also those of other pages."""
    everything: int
    """Incidents without any filter."""
    services: list[str]
    teams: list[TeamName]
    """Teams that are members of any incident, for the filter."""


class NewIncident(In):
    title: str = Field(max_length=300)
    service: str | None = Field(default=None, max_length=300)
    severity: Severity | None = None
    visibility: Visibility | None = None
    """open unless it is private: then its owner, members and admins see it."""


class IncidentChange(In):
    title: str | None = Field(default=None, max_length=300)
    status: Status | None = None
    severity: Severity | None = None
    service: str | None = Field(default=None, max_length=300)
    summary: str | None = None
    owner_id: str | None = None


class Accepted(Out):
    state: str


class ListQuery(In):
    """Filters and order of the list; words must each be in what a row shows."""

    q: str = Field(default="", max_length=200)
    status: list[Status] = Field(default=[])
    severity: list[Severity] = Field(default=[])
    service: str | None = Field(default=None, max_length=300)
    owner: str | None = None
    team: str | None = None
    """Id of a team that is a member."""
    sort: Order = "created"
    down: bool = True
    limit: int = Field(default=200, ge=1, le=1000)
    offset: int = Field(default=0, ge=0)


@router.get("/incidents")
def incidents(unit: UnitDep, wanted: Annotated[ListQuery, Query()]) -> IncidentList:
    """List the incidents, newest first unless another order is set."""
    page = list_incidents(
        unit,
        IncidentFilter(
            q=wanted.q,
            status=tuple(wanted.status),
            severity=tuple(wanted.severity),
            service=wanted.service,
            owner=wanted.owner,
            team=wanted.team,
            sort=wanted.sort,
            down=wanted.down,
            limit=wanted.limit,
            offset=wanted.offset,
        ),
    )
    return IncidentList(
        items=[_row(row) for row in page.rows],
        total=page.total,
        everything=page.everything,
        services=page.services,
        teams=page.teams,
    )


@intake.post("/incidents", status_code=201)
def create_incident(body: NewIncident, caller: Caller, unit: UnitDep) -> Incident:
    """Create an empty incident."""
    return Incidents(unit).create(
        caller.actor,
        body.title,
        service=body.service,
        severity=body.severity,
        visibility=body.visibility or "open",
    )


@router.get("/incidents/{incident_id}")
@by_version()
def incident(incident_id: str, unit: UnitDep) -> Incident:
    """Return one incident."""
    return Incidents(unit).get(incident_id)


@router.patch("/incidents/{incident_id}")
def change_incident(
    incident_id: str, body: IncidentChange, caller: Caller, revision: RevisionDep, unit: UnitDep
) -> Incident:
    """Change the fields that are sent."""
    changes = body.model_dump(exclude_unset=True)
    for name in ("title", "status", "summary"):
        if name in changes and changes[name] is None:
            raise ApiError(422, "Not accepted", f"{name} cannot be null")
    return Incidents(unit).change(caller.actor, incident_id, revision, changes)


@router.delete("/incidents/{incident_id}", status_code=204)
def delete_incident(incident_id: str, by: AdminDep, unit: UnitDep) -> None:
    """Move an incident to the bin, for admins; they can restore it for thirty days."""
    Incidents(unit).delete(by.actor, incident_id)


Stall = Annotated[
    str | None,
    Query(max_length=300, description="A stall, or a capture; the leading stall by default."),
]


@router.get("/incidents/{incident_id}/overview")
@by_version()
def overview(incident_id: str, unit: UnitDep, stall: Stall = None) -> Overview:
    """Return everything that the overview screen shows."""
    return build_overview(unit, Incidents(unit).get(incident_id), stall)


@router.get("/incidents/{incident_id}/analysis", response_model=AnalysisJson)
def analysis(incident_id: str, unit: UnitDep) -> Response:
    """Return the analysis document as stored (see /analysis.schema.json)."""
    Incidents(unit).get(incident_id)
    text = Analyses(unit).document_text(incident_id)
    if text is None:
        state = Jobs(unit).analysis_state(incident_id)
        why = "no artifact was read yet"
        if state.state == "failed":
            why = f"it failed: {state.error}"
        elif state.state in ("queued", "running"):
            why = f"it is {state.state}"
        raise ApiError(404, "Not analysed yet", f"there is no analysis yet: {why}")
    return Response(text, media_type="application/json")


@router.get("/analysis.schema.json", response_model=dict[str, Any])
def analysis_schema() -> dict[str, Any]:
    """Return the JSON Schema of the analysis document."""
    return contract.json_schema()


@router.post("/incidents/{incident_id}/analyse", status_code=202)
def analyse(incident_id: str, unit: UnitDep) -> Accepted:
    """Analyse the incident again."""
    Incidents(unit).get(incident_id)
    Jobs(unit).enqueue("analyse", incident_id, incident_id)
    unit.notify(incident_id, "analysis")
    return Accepted(state="queued")


def _row(row: StoredRow) -> IncidentRow:
    digest = row.digest
    return IncidentRow(
        id=row.incident.id,
        title=row.incident.title,
        status=row.incident.status,
        severity=row.incident.severity,
        service=row.incident.service,
        engine=digest.get("engine"),
        onset=digest.get("onset"),
        duration_s=digest.get("duration_s"),
        peak_waiters=digest.get("peak_waiters"),
        leading=row.leading,
        finding=RowFinding(**digest["finding"]) if digest.get("finding") else None,
        artifacts=row.artifacts,
        owner=row.incident.owner,
        visibility=row.incident.visibility,
        teams=row.teams,
        created_at=row.incident.created_at,
        updated_at=row.incident.updated_at,
        story=digest.get("story"),
        spark=digest.get("spark"),
        spark_classes=digest.get("spark_classes"),
    )
