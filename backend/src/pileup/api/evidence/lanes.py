"""The lanes of the timeline: which series there are, their values at a pixel width, what moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
import polars as pl
from fastapi import APIRouter, Query, Response

from pileup.analysis.evidence import downsample as lanes_of
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.series import values as values_of
from pileup.analysis.stalls.shifts import shifts
from pileup.api.deps import IncidentDep, Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import Out
from pileup.knowledge import knowledge
from pileup.storage.incidents.analyses import Analyses, Series
from pileup.views.documents import ShiftJson

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

TILE = 512
"""Steps of one tile."""
MOST_STEPS = 49_152
"""Steps of one answer over all its series: under 2 MB at four numbers each."""
MOST_MOVED = 60
_ENOUGH_BUCKETS = 60


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
    artifact: str | None
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


class TileStrip(Out):
    """One series over successive tiles, as columns of one length."""

    id: str
    at: list[int]
    """Milliseconds from the answer's start, rising; one point before it and one after may follow,
    so that lines run to the edge."""
    mid: list[float | None]
    """Mean; null is a gap."""
    low: list[float | None] | None
    """None: each point is one sample, and low and high are its value."""
    high: list[float | None] | None
    samples: int
    """How many these points stand for."""


class Tiles(Out):
    start: float
    """Epoch ms of the first tile."""
    step: int
    """Milliseconds of one step; a tile has 512."""
    first: int
    count: int
    strips: list[TileStrip]


class WindowLane(Out):
    id: str
    before: float | None
    """Mean in the window of the same length before; None without samples."""
    now: float | None
    min: float | None
    max: float | None
    samples: int


class WindowOut(Out):
    start: datetime
    end: datetime
    before: datetime
    """Where the window before begins; it ends where this one starts."""
    lanes: list[WindowLane]


class Moved(Out):
    start: datetime
    end: datetime
    before: datetime
    moved: list[ShiftJson]
    """Strongest and earliest first."""
    looked_at: int
    """Series with samples in both windows or one of them."""


SeriesIds = Annotated[list[str], Query(max_length=MAX_LANES)]


@router.get("/incidents/{incident_id}/series")
def list_series(incident: IncidentDep, unit: UnitDep) -> list[SeriesOut]:
    """Every series, with its shift and its rank for a first look."""
    analyses = Analyses(unit)
    found = [s for s in analyses.series(incident.id) if s.points > 1]
    parts = analyses.parts(incident.id, "shifts") or {"shifts": []}
    moved = {shift["series"]: shift for shift in parts["shifts"]}
    rank = {series_id: i for i, series_id in enumerate(_defaults(found, list(moved)))}
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
            artifact=s.artifact,
            meaning=_meaning(meanings.series(s.name)),
            default=rank.get(s.id),
            shift=SeriesShift.model_validate(moved[s.id]) if s.id in moved else None,
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
    """A window of some series at a pixel width, each at most two points a pixel."""
    catalogue = _catalogue(unit, incident.id)
    whole = whole_of(catalogue.values())
    if whole is None:
        raise ApiError(409, "Nothing to draw yet", "no series of this incident is placed in time")
    begins = utc(start) if start else whole[0]
    ends = utc(end) if end else whole[1]
    if ends <= begins:
        raise ApiError(422, "Not accepted", "the window ends before it begins")
    wanted = [catalogue[one] for one in dict.fromkeys(series) if one in catalogue]
    window = Span(us(begins), us(ends))
    step = max(1, (window.end - window.start) // px)
    found = _buckets(services, incident.id, wanted, window, step)
    drawn = [
        _lane_out(
            one,
            lanes_of.draw(found[one.id], start_us=window.start, end_us=window.end, pixels=px),
        )
        for one in wanted
        if one.id in found
    ]
    return Lanes(start=begins, end=ends, lanes=drawn)


@router.get("/incidents/{incident_id}/tiles", response_model=Tiles)
def tiles(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    series: SeriesIds,
    step: Annotated[int, Query(ge=1, le=2**40, description="milliseconds")],
    first: Annotated[int, Query(ge=0, description="number of the first tile since the epoch")],
    count: Annotated[int, Query(ge=1, le=96)],
) -> Response:
    """Some series over successive tiles of 512 steps each, as a screen keeps them while it pans.

    Tiles lie on a grid that starts with the epoch, so two windows share the tiles between them.
    """
    wanted_ids = list(dict.fromkeys(series))
    if len(wanted_ids) * count * TILE > MOST_STEPS:
        raise ApiError(
            422,
            "Not accepted",
            f"{len(wanted_ids)} series over {count} tiles are too much for one answer: "
            f"ask for at most {MOST_STEPS // TILE} tiles over all series",
        )
    catalogue = _catalogue(unit, incident.id)
    step_us = step * 1000
    span = Span(first * TILE * step_us, (first + count) * TILE * step_us)
    if span.end > 2**62:
        raise ApiError(422, "Not accepted", f"tile {first} lies beyond any calendar")
    wanted = [catalogue[one] for one in wanted_ids if one in catalogue]
    found = _buckets(services, incident.id, wanted, span, step_us)
    strips = [_strip(one.id, found[one.id], span, step_us) for one in wanted if one.id in found]
    answer = {
        "start": span.start / 1000,
        "step": step,
        "first": first,
        "count": count,
        "strips": strips,
    }
    return Response(msgspec.json.encode(answer), media_type="application/json")


@router.get("/incidents/{incident_id}/window")
def window(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    start: datetime,
    end: datetime,
    series: SeriesIds,
) -> WindowOut:
    """Each lane in a window against the window of the same length before it."""
    now, before = _two_windows(start, end)
    catalogue = _catalogue(unit, incident.id)
    wanted = [catalogue[one] for one in dict.fromkeys(series) if one in catalogue]
    both = Span(before.start, now.end)
    step = max(1, (now.end - now.start) // 600)
    found = _buckets(services, incident.id, wanted, both, step)
    return WindowOut(
        start=moment(now.start),
        end=moment(now.end),
        before=moment(before.start),
        lanes=[
            _window_lane(one.id, found[one.id], now, before) for one in wanted if one.id in found
        ],
    )


@router.get("/incidents/{incident_id}/moved")
def moved(
    incident: IncidentDep, services: ServicesDep, unit: UnitDep, start: datetime, end: datetime
) -> Moved:
    """What moved in a window against the one before it, over all series, ranked."""
    now, before = _two_windows(start, end)
    values = _values(services, incident.id, Analyses(unit).series(incident.id), before, now)
    ranked = shifts(values, now, before)
    return Moved(
        start=moment(now.start),
        end=moment(now.end),
        before=moment(before.start),
        moved=[msgspec.to_builtins(one) for one in ranked[:MOST_MOVED]],
        looked_at=values["id"].n_unique(),
    )


def whole_of(
    series: Iterable[Series], moments: Sequence[datetime] = ()
) -> tuple[datetime, datetime] | None:
    """The whole captured time; None when nothing was placed."""
    known = list(series)
    starts = [s.first for s in known if s.first] + list(moments)
    ends = [s.last for s in known if s.last] + list(moments)
    return (min(starts), max(ends)) if starts and ends else None


def utc(moment: datetime) -> datetime:
    """A time without a zone is refused rather than taken for local."""
    if moment.tzinfo is None:
        raise ApiError(
            422, "Not accepted", f"{moment.isoformat()} has no zone: write it with Z or an offset"
        )
    return moment.astimezone(UTC)


def us(moment: datetime) -> int:
    """UTC µs."""
    return int(moment.timestamp() * 1_000_000)


def _catalogue(unit: UnitDep, incident_id: str) -> dict[str, Series]:
    return {s.id: s for s in Analyses(unit).series(incident_id)}


def _buckets(
    services: Services, incident_id: str, series: Sequence[Series], window: Span, step_us: int
) -> dict[str, pl.DataFrame]:
    """Each series over a window and a little beyond, no finer than needed; those with any sample.

    A long series comes summed up when that gives a bucket for each step, and as samples otherwise.
    """
    ids = [one.id for one in series]
    kinds = {one.id: one.kind for one in series}
    long = services.placed.long_series(incident_id, ids).partition_by("id", as_dict=True)
    sums = {str(key[0]): frame.drop("id") for key, frame in long.items()}
    found: dict[str, pl.DataFrame] = {}
    fine: list[str] = []
    start, end = window.start, window.end
    for series_id in ids:
        if series_id not in sums:
            continue
        some = lanes_of.window(sums[series_id], window.start, window.end)
        if step_us and some.height and _is_fine(some, step_us):
            found[series_id] = some
        elif some.height:
            fine.append(series_id)
            # whole buckets on both sides: a rate needs the sample before its own
            wider = lanes_of.window(sums[series_id], some["time"][0], some["last"][-1])
            start, end = min(start, wider["time"][0]), max(end, wider["last"][-1])
    short = [one for one in ids if one not in sums]
    parts = [
        services.placed.samples(incident_id, some, *bounds)
        for some, bounds in ((short, (None, None)), (fine, (start, end)))
        if some
    ]
    for part in parts:
        for key, rows in part.partition_by("id", as_dict=True).items():
            series_id = str(key[0])
            values = lanes_of.values_of(rows, kinds[series_id])
            if values.height:
                found[series_id] = lanes_of.buckets_of(values)
    return found


def _values(
    services: Services, incident_id: str, series: Sequence[Series], before: Span, now: Span
) -> pl.DataFrame:
    """Every series over two adjoining windows, as of ``analysis.series.values``.

    Of a long series the means of its buckets, where there are enough of them to tell a level.
    """
    about = pl.DataFrame(
        [(s.id, s.name, s.labels, s.host, s.kind, s.unit) for s in series],
        schema=dict.fromkeys(("id", "series", "labels", "host", "kind", "unit"), pl.String),
        orient="row",
    )
    both = Span(before.start, now.end)
    long = services.placed.long_series(incident_id, about["id"].to_list()).filter(both.holds())
    enough = long.group_by("id").len().filter(pl.col("len") >= _ENOUGH_BUCKETS)["id"]
    fine = about.filter(~pl.col("id").is_in(enough.implode()))["id"].to_list()
    # the minute before gives the first rate its predecessor
    rows = services.placed.samples(incident_id, fine, both.start - 60_000_000, both.end)
    means = long.filter(pl.col("id").is_in(enough.implode())).select(
        "id", pl.lit("").alias("artifact"), "time", pl.col("mean").alias("value")
    )
    return pl.concat(
        [
            values_of(rows.join(about, on="id")),
            values_of(means.join(about.with_columns(pl.lit("gauge").alias("kind")), on="id")),
        ]
    )


def _is_fine(buckets: pl.DataFrame, step_us: int) -> bool:
    """Whether these buckets are as short as a step, so that nothing is lost by drawing them."""
    median = (buckets["last"] - buckets["time"]).median()
    return isinstance(median, int | float) and median <= step_us


def _strip(series_id: str, buckets: pl.DataFrame, span: Span, step_us: int) -> dict[str, Any]:
    inside = lanes_of.window(buckets, span.start, span.end - 1)
    gridded = lanes_of.grid(inside, span.start, step_us)
    plain = bool((gridded["n"] == 1).all())
    samples = int(gridded["n"].sum())
    points = lanes_of.with_breaks(gridded, step_us).with_columns(
        pl.col("min", "max", "mean").round_sig_figs(6)
    )
    return {
        "id": series_id,
        "at": ((points["time"] - span.start) // 1000).to_list(),
        "mid": points["mean"].to_list(),
        "low": None if plain else points["min"].to_list(),
        "high": None if plain else points["max"].to_list(),
        "samples": samples,
    }


def _two_windows(start: datetime, end: datetime) -> tuple[Span, Span]:
    now = Span(us(utc(start)), us(utc(end)))
    if now.end <= now.start:
        raise ApiError(422, "Not accepted", "the window ends before it begins")
    return now, Span(now.start - (now.end - now.start), now.start - 1)


def _window_lane(series_id: str, buckets: pl.DataFrame, now: Span, before: Span) -> WindowLane:
    inside = buckets.filter(now.holds())
    return WindowLane(
        id=series_id,
        before=_mean(buckets.filter(before.holds())),
        now=_mean(inside),
        min=_number(inside["min"].min()),
        max=_number(inside["max"].max()),
        samples=int(inside["n"].sum()),
    )


def _mean(buckets: pl.DataFrame) -> float | None:
    """Of the samples, not of the buckets."""
    count = int(buckets["n"].sum())
    return float((buckets["mean"] * buckets["n"]).sum()) / count if count else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def moment(instant: int) -> datetime:
    """UTC µs as a time."""
    return datetime.fromtimestamp(instant / 1_000_000, UTC)


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


def _lane_out(series: Series, drawn: lanes_of.Lane) -> LaneOut:
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
