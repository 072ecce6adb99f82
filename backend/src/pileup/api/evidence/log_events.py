"""Routes for log events: by page, and repeated messages grouped with counts over time."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from pileup.api.csv_rows import RedactorDep, csv_answer
from pileup.api.deps import SourceDep
from pileup.api.versioned import NOTES, by_version
from pileup.api.windows import WindowDep
from pileup.views.csv_rows import frame_rows
from pileup.views.evidence import log_groups as view
from pileup.views.evidence.log_groups import EventOrder, GroupOrder, LogFilter, LogGroups, LogPage

router = APIRouter(tags=["tables"])


def _filter(
    window: WindowDep,
    severity: Annotated[list[str] | None, Query(max_length=10)] = None,
    kind: Annotated[list[str] | None, Query(max_length=20)] = None,
    q: Annotated[str, Query(max_length=200)] = "",
    artifact: Annotated[str | None, Query(pattern=r"^[0-9a-f]{64}$")] = None,
    group: Annotated[str | None, Query(pattern=r"^[0-9a-f]{16}$")] = None,
) -> LogFilter:
    return LogFilter(window, tuple(severity or ()), tuple(kind or ()), q, artifact, group)


FilterDep = Annotated[LogFilter, Depends(_filter)]


@router.get("/incidents/{incident_id}/log")
@by_version(ignoring=NOTES)
def log_events(
    records: SourceDep,
    wanted: FilterDep,
    sort: EventOrder = "time",
    down: bool = False,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> LogPage:
    """Return a page of events in time order or sorted by a column; unknown values come last."""
    return view.log_page(records, wanted, sort, down, offset, limit)


@router.get("/incidents/{incident_id}/log.csv", response_class=StreamingResponse)
def log_csv(
    records: SourceDep,
    wanted: FilterDep,
    redactor: RedactorDep,
    sort: EventOrder = "time",
    down: bool = False,
) -> StreamingResponse:
    """Download every event that passes the filters, with its whole message."""
    frame = view.log_frame(records, wanted, sort, down)
    return csv_answer("log", lambda: frame_rows(frame, records.paths()), redactor)


@router.get("/incidents/{incident_id}/log/groups")
@by_version(ignoring=NOTES)
def log_groups(
    records: SourceDep, wanted: FilterDep, sort: GroupOrder = "count", down: bool = True
) -> LogGroups:
    """Group repeated messages, the most frequent first, with their counts over the window."""
    return view.log_groups(records, wanted, sort, down)


@router.get("/incidents/{incident_id}/log/groups.csv", response_class=StreamingResponse)
def log_groups_csv(
    records: SourceDep,
    wanted: FilterDep,
    redactor: RedactorDep,
    sort: GroupOrder = "count",
    down: bool = True,
) -> StreamingResponse:
    """Download every group of repeated messages, including those that are not listed."""
    return csv_answer(
        "log-groups", lambda: view.log_group_rows(records, wanted, sort, down), redactor
    )
