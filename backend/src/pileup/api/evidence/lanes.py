"""Routes for the lanes of the timeline: series, values at a pixel width, and what moved."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.documents import Document
from pileup.api.errors import ApiError
from pileup.api.versioned import NOTES, by_version
from pileup.api.windows import utc
from pileup.views.evidence import lanes as view
from pileup.views.evidence.lanes import MOST_STEPS, TILE, Lanes, SeriesOut, StoredSeries, Tiles
from pileup.views.evidence.moved import Moved, WindowOut, moved_in, window_lanes

router = APIRouter(tags=["timeline"])

MAX_LANES = 40


def _stored(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> StoredSeries:
    return view.stored_series(unit, services.placed, incident.id)


StoredDep = Annotated[StoredSeries, Depends(_stored)]
SeriesIds = Annotated[list[str], Query(max_length=MAX_LANES)]


@router.get("/incidents/{incident_id}/series")
@by_version(ignoring=NOTES)
def list_series(incident: IncidentDep, unit: UnitDep) -> list[SeriesOut]:
    """List every series, with its shift and its rank for a first look."""
    return view.series_list(unit, incident.id)


@router.get("/incidents/{incident_id}/lanes")
@by_version(ignoring=NOTES)
def lanes(
    stored: StoredDep,
    series: SeriesIds,
    start: datetime | None = None,
    end: datetime | None = None,
    px: Annotated[int, Query(ge=50, le=4000)] = 1200,
) -> Lanes:
    """Return a window of some series at a pixel width, with at most two points per pixel."""
    begins, ends = (utc(moment) if moment else None for moment in (start, end))
    return view.lanes(stored, series, begins, ends, px)


@router.get("/incidents/{incident_id}/tiles")
@by_version(ignoring=NOTES)
def tiles(
    stored: StoredDep,
    series: SeriesIds,
    step: Annotated[int, Query(ge=1, le=2**40, description="milliseconds")],
    first: Annotated[int, Query(ge=0, description="number of the first tile since the epoch")],
    count: Annotated[int, Query(ge=1, le=96)],
) -> Document[Tiles]:
    """Return some series over successive tiles of 512 steps, which a screen caches.

    Tiles lie on a grid that starts with the epoch, so two windows share the tiles between them.
    """
    different = len(set(series))
    if different * count * TILE > MOST_STEPS:
        raise ApiError(
            422,
            "Not accepted",
            f"{different} series over {count} tiles are too many for one response: "
            f"request at most  {MOST_STEPS // TILE} tiles over all series",
        )
    if (first + count) * TILE * step * 1000 > 2**62:
        raise ApiError(422, "Not accepted", f"tile {first} is outside any calendar")
    return Document(view.tiles(stored, series, step, first, count))


@router.get("/incidents/{incident_id}/window")
@by_version(ignoring=NOTES)
def window(stored: StoredDep, start: datetime, end: datetime, series: SeriesIds) -> WindowOut:
    """Compare each lane in a window with the window of the same length before it."""
    return window_lanes(stored, series, utc(start), utc(end))


@router.get("/incidents/{incident_id}/moved")
@by_version(ignoring=NOTES)
def moved(stored: StoredDep, start: datetime, end: datetime) -> Moved:
    """Rank all series by how much they moved in a window against the one before it."""
    return moved_in(stored, utc(start), utc(end))
