"""Routes that compare sides of an incident, and list hosts that differ from the others."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, NamedTuple, get_args

from fastapi import APIRouter, Depends, Query, Response

from pileup.analysis.compare.sides import MOST_RUNS, MOST_SIDES, Align
from pileup.analysis.contract import FleetDoc, OverlayDoc, SidesDoc
from pileup.analysis.evidence.context import Span
from pileup.api.csv_rows import RedactorDep
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.documents import Document
from pileup.api.errors import ApiError
from pileup.api.versioned import NOTES, by_version
from pileup.report.comparison import as_csv, as_markdown
from pileup.views.evidence.compare import CompareChoices, Part, SideQuery, StoredSides
from pileup.views.reports.export import redacted

router = APIRouter(tags=["compare"])

Reference = Annotated[
    int,
    Query(
        ge=0,
        lt=MOST_SIDES,
        description="The side to compare the others with, counted from 0; the first by default.",
    ),
]
Seconds = Annotated[float | None, Query(ge=-1e7, le=1e7, allow_inf_nan=False)]


PARTS = get_args(Part)
Sides = Annotated[
    list[str],
    Query(
        alias="side",
        min_length=2,
        max_length=MOST_SIDES,
        description=(
            "One per side, in the order of the columns: "
            "'part|start|end|host|capture|experiments', without trailing bars. part is whole, "
            "baseline, stall or window (with start and end, ISO 8601); capture is the id "
            "of a capture or of a stall; experiments are ids with "
            "commas between them: the runs of one side."
        ),
    ),
]


def _stored(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> StoredSides:
    return StoredSides(unit, services.placed, services.frames, incident.id)


StoredDep = Annotated[StoredSides, Depends(_stored)]


class _Comparison(NamedTuple):
    sides: list[SideQuery]
    align: Align
    window: tuple[float, float] | None
    reference: int


def _comparison(
    sides: Sides,
    align: Align = "onset",
    from_s: Seconds = None,
    to_s: Seconds = None,
    reference: Reference = 0,
) -> _Comparison:
    if reference >= len(sides):
        raise ApiError(
            422, "Not a side", f"reference is {reference}, and there are {len(sides)} sides, from 0"
        )
    if (from_s is None) != (to_s is None) or (from_s or 0.0) > (to_s or 0.0):
        raise ApiError(422, "Not a window", "give from_s and to_s, the first being smaller")
    window = None if from_s is None or to_s is None else (from_s, to_s)
    return _Comparison(_sides(sides), align, window, reference)


ComparisonDep = Annotated[_Comparison, Depends(_comparison)]


class _Export(NamedTuple):
    form: Literal["csv", "md"]
    everything: bool


def _export(
    form: Annotated[Literal["csv", "md"], Query(alias="format")] = "csv",
    everything: Annotated[bool, Query(alias="all")] = False,
) -> _Export:
    return _Export(form, everything)


@router.get("/incidents/{incident_id}/compare/choices")
@by_version(ignoring=NOTES)
def compare_choices(stored: StoredDep) -> CompareChoices:
    """List the hosts, captures and runs of this incident."""
    return stored.choices()


@router.get("/incidents/{incident_id}/compare")
@by_version(ignoring=NOTES)
def compare_them(stored: StoredDep, comparison: ComparisonDep) -> Document[SidesDoc]:
    """Compare two or more windows, captures, hosts or runs; the most important difference first.

    from_s and to_s narrow every side to seconds around its onset or its start.
    """
    return Document(stored.compared(*comparison))


@router.get(
    "/incidents/{incident_id}/compare/export",
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}},
)
def export_comparison(
    stored: StoredDep,
    comparison: ComparisonDep,
    export: Annotated[_Export, Depends(_export)],
    redactor: RedactorDep,
) -> Response:
    """Export a comparison as one CSV or as Markdown tables; only differences, unless all."""
    write, kind = (as_csv, "text/csv") if export.form == "csv" else (as_markdown, "text/markdown")
    return Response(
        write(redacted(stored.compared(*comparison), redactor), everything=export.everything),
        media_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="comparison.{export.form}"'},
    )


@router.get("/incidents/{incident_id}/compare/overlay")
@by_version(ignoring=NOTES)
def overlay_sides(
    stored: StoredDep,
    sides: Sides,
    series: Annotated[str, Query(max_length=500)],
    align: Align = "onset",
) -> Document[OverlayDoc]:
    """Return one series of every side on a shared axis of seconds."""
    return Document(stored.overlaid(_sides(sides), series, align))


@router.get("/incidents/{incident_id}/fleet")
@by_version(ignoring=NOTES)
def fleet_of(
    stored: StoredDep, start: datetime | None = None, end: datetime | None = None
) -> Document[FleetDoc]:
    """List the hosts that differ from the others, in a window or over all of the incident."""
    return Document(stored.fleet(_span("the window", start, end) if start or end else None))


def _sides(sides: list[str]) -> list[SideQuery]:
    return [_side(name, text) for name, text in zip("ABCDEF", sides, strict=False)]


def _side(name: str, text: str) -> SideQuery:
    """Parse a side such as 'stall|||db-1||'; raises ApiError 422 when it is malformed."""
    fields = text.split("|")
    part, start, end, host, capture, runs = (fields + [""] * 6)[:6]
    if part not in PARTS or len(fields) > 6:
        raise ApiError(
            422,
            "Not a side",
            f"side {name} is {text[:80]!r}: write part|start|end|host|capture|experiments with one "
            f"of {', '.join(PARTS)} as part",
        )
    experiments = tuple(dict.fromkeys(run for run in runs.split(",") if run))
    if len(experiments) > MOST_RUNS:
        raise ApiError(422, "Too many runs", f"side {name} has more than {MOST_RUNS} runs")
    chosen: Part = part  # type: ignore[assignment]  # checked above
    begins, ends = _moment(name, start), _moment(name, end)
    window = _span(f"side {name}", begins, ends) if part == "window" else None
    return SideQuery(name, chosen, window, host or None, capture or None, experiments)


def _moment(name: str, text: str) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ApiError(
            422, "Not a window", f"side {name}: {text[:40]!r} is not an ISO 8601 time"
        ) from None


def _span(what: str, start: datetime | None, end: datetime | None) -> Span:
    if start is None or end is None or start.tzinfo is None or end.tzinfo is None or start >= end:
        raise ApiError(
            422, "Not a window", f"{what} needs a start before its end, both ISO 8601 with a zone"
        )
    return Span(int(start.timestamp() * 1e6), int(end.timestamp() * 1e6))
