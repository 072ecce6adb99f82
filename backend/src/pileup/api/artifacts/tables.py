"""Routes for result sets in artifacts: their rows by page, and a comparison of two."""

from __future__ import annotations

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from pileup.api.csv_rows import csv_answer, redactor
from pileup.api.deps import ServicesDep, UnitDep
from pileup.api.reports.exports import Redact
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.incidents.incidents import Incidents
from pileup.views.artifacts import tables as view
from pileup.views.artifacts.tables import (
    DIFFERENT,
    State,
    TableComparison,
    TableList,
    TablePage,
    TableRef,
)

router = APIRouter(tags=["artifacts"])

_MOST_TABLES = 1000


@router.get("/incidents/{incident_id}/tables")
def tables(incident_id: str, services: ServicesDep, unit: UnitDep) -> TableList:
    """List every table of an incident, by artifact and name."""
    Incidents(unit).get(incident_id)
    items: list[TableRef] = []
    for artifact in Artifacts(unit).of_incident(incident_id):
        if artifact.records.get(view.KIND) and len(items) < _MOST_TABLES:
            items += [table.ref for table in view.stored_tables(services.frames, artifact)]
    return TableList(items=items[:_MOST_TABLES])


@router.get("/artifacts/{artifact_id}/tables")
def tables_of_artifact(artifact_id: str, services: ServicesDep, unit: UnitDep) -> TableList:
    """List the tables of one artifact, in file order."""
    stored = view.stored_tables(services.frames, Artifacts(unit).get(artifact_id))
    return TableList(items=[table.ref for table in stored[:_MOST_TABLES]])


@router.get("/artifacts/{artifact_id}/table")
def table(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    name: str = Query(max_length=500),
    offset: int = Query(default=0, ge=0),
    limit: int = Query(default=500, ge=1, le=5000),
    sort: str | None = Query(default=None, max_length=10_000),
    down: bool = False,
) -> TablePage:
    """Return a page of rows in file order or sorted by a column; unknown values come last."""
    named = view.table_named(services.frames, Artifacts(unit).get(artifact_id), name)
    return view.table_page(named, offset, limit, sort, down)


@router.get("/artifacts/{artifact_id}/table.csv", response_class=StreamingResponse)
def table_csv(
    artifact_id: str,
    services: ServicesDep,
    unit: UnitDep,
    name: str = Query(max_length=500),
    sort: str | None = Query(default=None, max_length=10_000),
    down: bool = False,
    redact: Redact = "",
) -> StreamingResponse:
    """Download every row of a table as CSV."""
    artifact = Artifacts(unit).get(artifact_id)
    incident = Incidents(unit).get(artifact.incident_id)
    named = view.table_named(services.frames, artifact, name)
    rows = view.table_rows(named, sort, down)
    return csv_answer(
        "table", lambda: (named.data.columns, rows), redactor(incident, services, unit, redact)
    )


@router.get("/tables/comparison")
def compare_tables(
    services: ServicesDep,
    unit: UnitDep,
    before_artifact: str,
    before: str,
    after_artifact: str,
    after: str,
    key: list[str] | None = Query(default=None),
    state: list[State] | None = Query(default=None),
    offset: int = Query(default=0, ge=0),
    limit: int = Query(default=1000, ge=1, le=5000),
) -> TableComparison:
    """Compare two tables: rows added, gone and changed, with differences and ratios."""
    old = view.table_named(services.frames, Artifacts(unit).get(before_artifact), before)
    new = view.table_named(services.frames, Artifacts(unit).get(after_artifact), after)
    return view.compared_tables(old, new, key, state or DIFFERENT, offset, limit)
