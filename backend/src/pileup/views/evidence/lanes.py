"""Return the lanes of the timeline: which series exist, and their values at a pixel width."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from pileup.analysis.evidence import downsample
from pileup.analysis.evidence.context import Span
from pileup.knowledge import knowledge
from pileup.knowledge.series_titles import series_title
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict, Refused
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.analyses import Analyses, Series
from pileup.views.evidence.first_lanes import first_lanes
from pileup.views.window import instant_of

TILE = 512
"""Steps of one tile."""
MOST_STEPS = 49_152
"""Steps of one answer over all its series: under 2 MB at four numbers each."""


@dataclass(frozen=True, slots=True)
class SeriesShift:
    score: float
    ratio: float | None
    first_moved_s: float | None
    direction: str


@dataclass(frozen=True, slots=True)
class SeriesOut:
    id: str
    name: str
    """As the collector calls it."""
    title: str
    """The name in words."""
    detail: str
    """The labels in words."""
    source: str
    """Who measured it."""
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


@dataclass(frozen=True, slots=True)
class LaneOut:
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


@dataclass(frozen=True, slots=True)
class Lanes:
    start: datetime
    end: datetime
    lanes: list[LaneOut]


@dataclass(frozen=True, slots=True)
class TileStrip:
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


@dataclass(frozen=True, slots=True)
class Tiles:
    start: float
    """Epoch ms of the first tile."""
    step: int
    """Milliseconds of one step; a tile has 512."""
    first: int
    count: int
    strips: list[TileStrip]


class NothingToDraw(Conflict):
    """Raised when no series of the incident has a time."""


@dataclass(frozen=True, slots=True)
class StoredSeries:
    """Series of an incident: their catalogue, and access to their samples."""

    placed: PlacedStore
    incident_id: str
    catalogue: Mapping[str, Series]
    """By id."""

    def of(self, ids: Iterable[str]) -> list[Series]:
        """List the series that exist among these ids, each once, in this order."""
        return [self.catalogue[each] for each in dict.fromkeys(ids) if each in self.catalogue]


def stored_series(unit: Unit, placed: PlacedStore, incident_id: str) -> StoredSeries:
    """Return the series of the incident's last analysis."""
    catalogue = {series.id: series for series in Analyses(unit).series(incident_id)}
    return StoredSeries(placed, incident_id, catalogue)


def series_list(unit: Unit, incident_id: str) -> list[SeriesOut]:
    """List every series with more than one sample, with its shift and rank for a first look."""
    analyses = Analyses(unit)
    drawn = [series for series in analyses.series(incident_id) if series.points > 1]
    parts = analyses.parts(incident_id, "shifts", "episodes", "findings", "stalls") or {}
    shifts = {shift["series"]: shift for shift in parts.get("shifts") or ()}
    rank = {series_id: at for at, series_id in enumerate(first_lanes(drawn, parts))}
    return [_listed(series, shifts.get(series.id), rank.get(series.id)) for series in drawn]


def lanes(
    stored: StoredSeries,
    ids: Iterable[str],
    start: datetime | None,
    end: datetime | None,
    pixels: int,
) -> Lanes:
    """Return a window of some series at a pixel width, with at most two points per pixel.

    Where the window is open it reaches to the first or last sample of the incident. Raises
    NothingToDraw when no series has a time, Refused when the window is empty.
    """
    whole = captured_range(stored.catalogue.values())
    if whole is None:
        raise NothingToDraw("no series of this incident is placed in time")
    begins, ends = start or whole[0], end or whole[1]
    if ends <= begins:
        raise Refused("the window ends before it begins")
    wanted = stored.of(ids)
    span = Span(instant_of(begins), instant_of(ends))
    buckets = buckets_of(stored, wanted, span, max(1, (span.end - span.start) // pixels))
    drawn = [
        _lane(
            series,
            downsample.draw(
                buckets[series.id], start_us=span.start, end_us=span.end, pixels=pixels
            ),
        )
        for series in wanted
        if series.id in buckets
    ]
    return Lanes(start=begins, end=ends, lanes=drawn)


def tiles(stored: StoredSeries, ids: Iterable[str], step: int, first: int, count: int) -> Tiles:
    """Return some series over successive tiles of 512 steps each (step in ms).

    Tiles lie on a grid that starts with the epoch, so two windows share the tiles between them.
    """
    step_us = step * 1000
    span = Span(first * TILE * step_us, (first + count) * TILE * step_us)
    wanted = stored.of(ids)
    buckets = buckets_of(stored, wanted, span, step_us)
    return Tiles(
        start=span.start / 1000,
        step=step,
        first=first,
        count=count,
        strips=[
            _strip(series.id, buckets[series.id], span, step_us)
            for series in wanted
            if series.id in buckets
        ],
    )


def captured_range(
    series: Iterable[Series], moments: Sequence[datetime] = ()
) -> tuple[datetime, datetime] | None:
    """Return the whole captured time range; None when nothing was placed."""
    known = list(series)
    starts = [each.first for each in known if each.first] + list(moments)
    ends = [each.last for each in known if each.last] + list(moments)
    return (min(starts), max(ends)) if starts and ends else None


def buckets_of(
    stored: StoredSeries, series: Sequence[Series], window: Span, step_us: int
) -> dict[str, pl.DataFrame]:
    """Summarize each series over a window and a margin, no finer than needed; omit empty ones.

    A long series comes summed up when that gives a bucket for each step, and as samples otherwise.
    """
    ids = [each.id for each in series]
    kinds = {each.id: each.kind for each in series}
    long = stored.placed.long_series(stored.incident_id, ids).partition_by("id", as_dict=True)
    sums = {str(key[0]): frame.drop("id") for key, frame in long.items()}
    buckets: dict[str, pl.DataFrame] = {}
    fine: list[str] = []
    start, end = window.start, window.end
    for series_id in ids:
        if series_id not in sums:
            continue
        inside = downsample.window(sums[series_id], window.start, window.end)
        if step_us and inside.height and _is_fine(inside, step_us):
            buckets[series_id] = inside
        elif inside.height:
            fine.append(series_id)
            # whole buckets on both sides: a rate needs the sample before its own
            wider = downsample.window(sums[series_id], inside["time"][0], inside["last"][-1])
            start, end = min(start, wider["time"][0]), max(end, wider["last"][-1])
    short = [each for each in ids if each not in sums]
    parts = [
        stored.placed.samples(stored.incident_id, group, *bounds)
        for group, bounds in ((short, (None, None)), (fine, (start, end)))
        if group
    ]
    for part in parts:
        for key, rows in part.partition_by("id", as_dict=True).items():
            series_id = str(key[0])
            values = downsample.values_of(rows, kinds[series_id])
            if values.height:
                buckets[series_id] = downsample.buckets_of(values)
    return buckets


def _is_fine(buckets: pl.DataFrame, step_us: int) -> bool:
    """Check that these buckets are as short as a step, so that drawing them loses nothing."""
    median = (buckets["last"] - buckets["time"]).median()
    return isinstance(median, int | float) and median <= step_us


def _strip(series_id: str, buckets: pl.DataFrame, span: Span, step_us: int) -> TileStrip:
    inside = downsample.window(buckets, span.start, span.end - 1)
    gridded = downsample.grid(inside, span.start, step_us)
    plain = bool((gridded["n"] == 1).all())
    points = downsample.with_breaks(gridded, step_us).with_columns(
        pl.col("min", "max", "mean").round_sig_figs(6)
    )
    return TileStrip(
        id=series_id,
        at=((points["time"] - span.start) // 1000).to_list(),
        mid=points["mean"].to_list(),
        low=None if plain else points["min"].to_list(),
        high=None if plain else points["max"].to_list(),
        samples=int(gridded["n"].sum()),
    )


def _listed(series: Series, shift: Mapping[str, Any] | None, rank: int | None) -> SeriesOut:
    named = series_title(series.name, series.labels, series.unit)
    return SeriesOut(
        id=series.id,
        name=series.name,
        title=named.title,
        detail=named.detail,
        source=named.source,
        labels=series.labels,
        host=series.host,
        kind=series.kind,
        unit=named.unit,
        points=series.points,
        first=series.first,
        last=series.last,
        min=series.min,
        max=series.max,
        group=series.name.partition(".")[0],
        artifact=series.artifact,
        meaning=getattr(knowledge().series(series.name), "meaning", None),
        default=rank,
        shift=_shift(shift) if shift else None,
    )


def _shift(shift: Mapping[str, Any]) -> SeriesShift:
    return SeriesShift(
        score=shift["score"],
        ratio=shift["ratio"],
        first_moved_s=shift["first_moved_s"],
        direction=shift["direction"],
    )


def _lane(series: Series, drawn: downsample.Lane) -> LaneOut:
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
