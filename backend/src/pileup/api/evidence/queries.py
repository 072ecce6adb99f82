"""Routes for top queries: statement shapes from slow logs, query digests and processlists."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from pileup.api.csv_rows import RedactorDep, csv_answer
from pileup.api.deps import IncidentDep, SourceDep, UnitDep
from pileup.api.versioned import NOTES, by_version
from pileup.api.windows import WindowDep
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.views.evidence import queries as view
from pileup.views.evidence.queries import Order, QueryExamples, QueryFilter, QuerySource, TopQueries

router = APIRouter(tags=["tables"])


def _filter(
    window: WindowDep,
    source: QuerySource = "slow_log",
    q: Annotated[str, Query(max_length=200)] = "",
    sort: Order = "total_s",
    down: bool = True,
) -> QueryFilter:
    return QueryFilter(window, source, q, sort, down)


FilterDep = Annotated[QueryFilter, Depends(_filter)]


@router.get("/incidents/{incident_id}/queries")
@by_version(ignoring=NOTES)
def top_queries(
    incident: IncidentDep, records: SourceDep, unit: UnitDep, wanted: FilterDep
) -> TopQueries:
    """Rank statement shapes by time; a statement counts when it ran in the window."""
    artifacts = Artifacts(unit).of_incident(incident.id)
    return view.top_queries(records, wanted, [each for each in artifacts if each.is_analysed])


@router.get("/incidents/{incident_id}/queries.csv", response_class=StreamingResponse)
def top_queries_csv(
    records: SourceDep, wanted: FilterDep, redactor: RedactorDep
) -> StreamingResponse:
    """Download every statement shape, including those that are not listed."""
    return csv_answer("top-queries", lambda: view.top_query_rows(records, wanted), redactor)


@router.get("/incidents/{incident_id}/queries/examples")
@by_version(ignoring=NOTES)
def query_examples(
    records: SourceDep,
    window: WindowDep,
    query: Annotated[str, Query(pattern=r"^[0-9a-f]{16}$")],
    source: Literal["slow_log", "processlist"] = "slow_log",
) -> QueryExamples:
    """List the slowest statements of one shape."""
    return view.query_examples(records, window, query, source)
