"""The timeline: which series there are, lanes at a pixel width, marks, notes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, status
from pydantic import Field

from pileup.analysis.lanes import Lane, lane
from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import EventJson, In, Out, StallJson
from pileup.knowledge import knowledge
from pileup.storage.analyses import Analyses, Series
from pileup.storage.annotations import Annotations

router = APIRouter(tags=["timeline"])

MAX_LANES = 40
DEFAULT_LANES = 8
FIRST_LANES = (
    "mysql.Threads_running",
    "metric.threads_running",
    "innodb.semaphore_waits",
    "innodb.lock_wait_transactions",
    "metric.qps",
    "mysql.Questions",
)
"""What a DBA looks at first; the strongest shifts follow."""


class SeriesShift(Out):
    score: float
    ratio: float | None
    first_moved_s: float | None
    direction: str


class SeriesOut(Out):
    id: str
    name: str
    labels: str
    host: str | None
    kind: str
    unit: str | None
    points: int
    first: datetime | None
    last: datetime | None
    min: float | None
    max: float | None
    group: str
    """The collector: the name's first part."""
    meaning: str | None
    default: int | None
    """Rank among the lanes proposed for a first look; None: not proposed."""
    shift: SeriesShift | None


class LaneOut(Out):
    id: str
    name: str
    unit: str | None
    kind: str
    """gauge or rate: counters come as rates per second."""
    points: list[tuple[float, float | None, float | None, float | None]]
    """(epoch ms, min, max, mean); three nulls are a gap."""
    decimated: bool
    n: int
    """Points drawn."""
    of: int
    """Samples in the window."""
    min: float | None
    max: float | None
    artifact: str | None


class Lanes(Out):
    start: datetime
    end: datetime
    lanes: list[LaneOut]


class SnapshotMark(Out):
    time: datetime
    kind: str
    artifact: str
    index: int
    waiters: int | None
    lock_waits: int | None
    sessions: int | None
    line_first: int


class AnnotationOut(Out):
    id: str
    start: datetime
    end: datetime | None
    text: str
    author: str | None
    revision: int


class Range(Out):
    start: datetime
    end: datetime


class Marks(Out):
    stalls: list[StallJson]
    snapshots: list[SnapshotMark]
    events: list[EventJson]
    annotations: list[AnnotationOut]
    range: Range | None
    """The whole captured time; None when nothing was placed."""


class ValueOut(Out):
    id: str
    t: datetime | None
    value: float | None


class NewAnnotation(In):
    start: datetime
    end: datetime | None = None
    text: str = Field(min_length=1, max_length=2000)


class AnnotationChange(In):
    start: datetime | None = None
    end: datetime | None = None
    text: str | None = Field(default=None, min_length=1, max_length=2000)


SeriesIds = Annotated[list[str], Query(max_length=MAX_LANES)]


@router.get("/incidents/{incident_id}/series")
def list_series(incident: IncidentDep, unit: UnitDep) -> list[SeriesOut]:
    """Every series, with its shift and its rank for a first look."""
    analyses = Analyses(unit)
    found = [s for s in analyses.series(incident.id) if s.points > 1]
    parts = analyses.parts(incident.id, "shifts") or {"shifts": []}
    shifts = {shift["series"]: shift for shift in parts["shifts"]}
    rank = {series_id: i for i, series_id in enumerate(_defaults(found, list(shifts)))}
    meanings = knowledge()
    return [
        SeriesOut(
            id=s.id,
            name=s.name,
            labels=s.labels,
            host=s.host,
            kind=s.kind,
            unit=s.unit,
            points=s.points,
            first=s.first,
            last=s.last,
            min=s.min,
            max=s.max,
            group=s.name.partition(".")[0],
            meaning=_meaning(meanings.series(s.name)),
            default=rank.get(s.id),
            shift=SeriesShift.model_validate(shifts[s.id]) if s.id in shifts else None,
        )
        for s in found
    ]


@router.get("/incidents/{incident_id}/lanes")
def lanes(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    series: SeriesIds,
    start: datetime | None = None,
    end: datetime | None = None,
    px: Annotated[int, Query(ge=50, le=4000)] = 1200,
) -> Lanes:
    """Exactly what is drawn: a window of some series at a pixel width."""
    catalogue = {s.id: s for s in Analyses(unit).series(incident.id)}
    whole = _whole(list(catalogue.values()))
    if whole is None:
        raise ApiError(409, "Nothing to draw yet", "no series of this incident is placed in time")
    begins = _utc(start) if start else whole[0]
    ends = _utc(end) if end else whole[1]
    if ends <= begins:
        raise ApiError(422, "Not accepted", "the window ends before it begins")
    wanted = [series_id for series_id in dict.fromkeys(series) if series_id in catalogue]
    parts = services.placed.samples(incident.id, wanted).partition_by("id", as_dict=True)
    drawn = [
        _lane_out(
            catalogue[series_id],
            lane(
                parts[(series_id,)],
                kind=catalogue[series_id].kind,
                start_us=_us(begins),
                end_us=_us(ends),
                pixels=px,
            ),
        )
        for series_id in wanted
        if (series_id,) in parts
    ]
    return Lanes(start=begins, end=ends, lanes=drawn)


@router.get("/incidents/{incident_id}/marks")
def marks(incident: IncidentDep, unit: UnitDep) -> Marks:
    """Stalls, snapshots, events and notes: what is drawn over and under the lanes."""
    analyses = Analyses(unit)
    parts = analyses.parts(incident.id, "stalls", "events") or {"stalls": [], "events": []}
    snapshots = analyses.snapshots(incident.id)
    whole = _whole(analyses.series(incident.id), [s.time for s in snapshots if s.time])
    return Marks(
        stalls=parts["stalls"],
        snapshots=[SnapshotMark.model_validate(s) for s in snapshots if s.time],
        events=[event for event in parts["events"] if event["time"]],
        annotations=[
            AnnotationOut.model_validate(a) for a in Annotations(unit).of_incident(incident.id)
        ],
        range=Range(start=whole[0], end=whole[1]) if whole else None,
    )


@router.get("/incidents/{incident_id}/values")
def values(
    incident: IncidentDep, services: ServicesDep, unit: UnitDep, at: datetime, series: SeriesIds
) -> list[ValueOut]:
    """The last value of each series at or before an instant, counters as rates."""
    catalogue = {s.id: s for s in Analyses(unit).series(incident.id)}
    parts = services.placed.samples(incident.id, series).partition_by("id", as_dict=True)
    instant = _us(_utc(at))
    found: list[ValueOut] = []
    for series_id in series:
        frame = parts.get((series_id,))
        if frame is None or series_id not in catalogue:
            continue
        drawn = lane(
            frame,
            kind=catalogue[series_id].kind,
            start_us=instant - 60_000_000,
            end_us=instant,
            pixels=4000,
        )
        before = [p for p in drawn.points if p[0] <= instant and p[3] is not None]
        last = before[-1] if before else None
        found.append(
            ValueOut(
                id=series_id, t=_moment(last[0]) if last else None, value=last[3] if last else None
            )
        )
    return found


@router.post("/incidents/{incident_id}/annotations", status_code=status.HTTP_201_CREATED)
def create_annotation(
    incident: IncidentDep, body: NewAnnotation, unit: UnitDep, caller: Caller
) -> AnnotationOut:
    made = Annotations(unit).create(
        incident.id,
        _utc(body.start),
        _utc(body.end) if body.end else None,
        body.text,
        by=caller.actor,
    )
    return AnnotationOut.model_validate(made)


@router.patch("/annotations/{annotation_id}")
def change_annotation(
    annotation_id: str,
    body: AnnotationChange,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> AnnotationOut:
    changes: dict[str, Any] = {
        name: _utc(value) if isinstance(value, datetime) else value
        for name, value in body.model_dump(exclude_unset=True).items()
    }
    changed = Annotations(unit).edit(annotation_id, changes, revision=revision, by=caller.actor)
    return AnnotationOut.model_validate(changed)


@router.delete("/annotations/{annotation_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_annotation(annotation_id: str, unit: UnitDep, caller: Caller) -> None:
    Annotations(unit).delete(annotation_id, by=caller.actor)


def _defaults(series: list[Series], shifted: list[str]) -> list[str]:
    """Ids of the lanes for a first look: the known ones, then what moved most."""
    by_name: dict[str, str] = {}
    for s in series:
        by_name.setdefault(s.name, s.id)
    known = {s.id for s in series}
    first = [by_name[name] for name in FIRST_LANES if name in by_name]
    return list(dict.fromkeys([*first, *(s for s in shifted if s in known)]))[:DEFAULT_LANES]


def _meaning(counter: object) -> str | None:
    return getattr(counter, "meaning", None)


def _lane_out(series: Series, drawn: Lane) -> LaneOut:
    counter = series.kind == "counter"
    unit = series.unit
    return LaneOut(
        id=series.id,
        name=series.name,
        unit=(f"{unit}/s" if unit else "1/s") if counter else unit,
        kind="rate" if counter else series.kind,
        points=[(t / 1000, low, high, mean) for t, low, high, mean in drawn.points],
        decimated=drawn.decimated,
        n=len(drawn.points),
        of=drawn.samples,
        min=drawn.low,
        max=drawn.high,
        artifact=series.artifact,
    )


def _whole(
    series: list[Series], moments: list[datetime] | None = None
) -> tuple[datetime, datetime] | None:
    starts = [s.first for s in series if s.first] + (moments or [])
    ends = [s.last for s in series if s.last] + (moments or [])
    return (min(starts), max(ends)) if starts and ends else None


def _utc(moment: datetime) -> datetime:
    """A time without a zone is refused rather than taken for local."""
    if moment.tzinfo is None:
        raise ApiError(
            422, "Not accepted", f"{moment.isoformat()} has no zone: write it with Z or an offset"
        )
    return moment.astimezone(UTC)


def _us(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)


def _moment(us: int) -> datetime:
    return datetime.fromtimestamp(us / 1_000_000, UTC)
