"""Routes for processlists: the moments, and one of them grouped and by page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from pileup.api.csv_rows import RedactorDep, csv_answer
from pileup.api.deps import SourceDep
from pileup.api.versioned import NOTES, by_version
from pileup.views.csv_rows import frame_rows
from pileup.views.evidence import sessions as view
from pileup.views.evidence.sessions import By, Order, Processlist, ProcesslistMoments, SessionFilter
from pileup.views.evidence.sessions_over_time import SessionsOverTime, sessions_over_time

router = APIRouter(tags=["tables"])


def _filter(
    artifact: Annotated[str, Query(min_length=64, max_length=64)],
    snapshot: Annotated[int, Query(ge=0)] = 0,
    by: By = "digest",
    group: Annotated[str | None, Query(max_length=2000)] = None,
    none: bool = False,
    idle: bool = False,
    q: Annotated[str, Query(max_length=200)] = "",
    sort: Order = "time_s",
    down: bool = True,
) -> SessionFilter:
    return SessionFilter(artifact, snapshot, by, group, none, idle, q, sort, down)


FilterDep = Annotated[SessionFilter, Depends(_filter)]


@router.get("/incidents/{incident_id}/processlists")
@by_version(ignoring=NOTES)
def processlists(records: SourceDep) -> ProcesslistMoments:
    """List every processlist in time order, those of unknown time last."""
    return view.processlist_moments(records)


@router.get("/incidents/{incident_id}/processlists/groups")
@by_version(ignoring=NOTES)
def processlist_groups(
    records: SourceDep,
    by: By = "digest",
    idle: bool = False,
    q: Annotated[str, Query(max_length=200)] = "",
) -> SessionsOverTime:
    """Count the sessions of each group over time: a stack of counts per processlist."""
    return sessions_over_time(records, by, idle=idle, q=q)


@router.get("/incidents/{incident_id}/processlist")
@by_version(ignoring=NOTES)
def processlist(
    records: SourceDep,
    wanted: FilterDep,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> Processlist:
    """Return one processlist: its groups, and a page of the sessions of a group."""
    return view.processlist(records, wanted, offset, limit)


@router.get("/incidents/{incident_id}/processlist.csv", response_class=StreamingResponse)
def processlist_csv(
    records: SourceDep, wanted: FilterDep, redactor: RedactorDep
) -> StreamingResponse:
    """Download every session of a processlist or of one group, with its whole statement."""
    frame = view.processlist_frame(records, wanted)
    return csv_answer("sessions", lambda: frame_rows(frame, records.paths()), redactor)
