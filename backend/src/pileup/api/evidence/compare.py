"""Two or more sides of an incident beside each other, and the hosts that stand out among many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

import msgspec
from fastapi import APIRouter, Query, Response

from pileup.analysis import main_stall
from pileup.analysis.compare.differences import Side
from pileup.analysis.compare.fleet import fleet
from pileup.analysis.compare.overlay import overlay
from pileup.analysis.compare.sides import (
    MOST_RUNS,
    MOST_SIDES,
    Align,
    Group,
    Member,
    NotAlignedError,
)
from pileup.analysis.compare.sides_comparison import compare_sides
from pileup.analysis.contract import SidesDoc
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import values
from pileup.analysis.stalls import detection
from pileup.api.deps import IncidentDep, Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import Out
from pileup.report.comparison import as_csv, as_markdown
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.reasoning.experiments import Experiments
from pileup.views.documents import FleetJson, OverlayJson, SidesJson
from pileup.views.run_evidence import run_evidence
from pileup.views.stall import Stall, stored_stall

router = APIRouter(tags=["compare"])

KINDS = ("snapshot", "semaphore_wait", "stack", "sample", "setting", "table")
"""What a comparison is made of."""
Part = Literal["whole", "baseline", "stall", "window"]
Reference = Annotated[
    int,
    Query(
        ge=0,
        lt=MOST_SIDES,
        description="The side that the others are held against, from 0: the first unless said.",
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
            "'part|start|end|host|bundle|experiments', trailing bars left out. part is whole, "
            "baseline, stall or window (with start and end, ISO 8601); experiments are ids with "
            "commas between: the runs of one side."
        ),
    ),
]


@dataclass(frozen=True, slots=True)
class SideQuery:
    """One side as the address says it."""

    name: str
    part: Part
    start: datetime | None
    end: datetime | None
    host: str | None
    bundle: str | None
    experiments: tuple[str, ...]

    @property
    def label(self) -> str:
        words: list[str] = [self.part if self.part != "whole" else "everything"]
        if self.host:
            words.append(f"on {self.host}")
        if self.bundle:
            words.append(f"of {self.bundle}")
        return " ".join(words)


def _asked(name: str, told: str) -> SideQuery:
    """'stall|||db-1||' as a side; 422 for what is none."""
    fields = told.split("|")
    part, start, end, host, bundle, runs = (fields + [""] * 6)[:6]
    if part not in PARTS or len(fields) > 6:
        raise ApiError(
            422,
            "Not a side",
            f"side {name} is {told[:80]!r}: write part|start|end|host|bundle|experiments with one "
            f"of {', '.join(PARTS)} as part",
        )
    experiments = tuple(dict.fromkeys(one for one in runs.split(",") if one))
    if len(experiments) > MOST_RUNS:
        raise ApiError(422, "Too many runs", f"side {name} has more than {MOST_RUNS} runs")
    chosen: Part = part  # type: ignore[assignment]  # checked above
    moments = _moment(name, start), _moment(name, end)
    return SideQuery(name, chosen, *moments, host or None, bundle or None, experiments)


def _moment(name: str, told: str) -> datetime | None:
    if not told:
        return None
    try:
        return datetime.fromisoformat(told)
    except ValueError:
        raise ApiError(
            422, "Not a window", f"side {name}: {told[:40]!r} is no ISO 8601 time"
        ) from None


class CompareRun(Out):
    id: str
    number: int
    title: str
    artifacts: int


class CompareChoices(Out):
    """What can be put on a side."""

    hosts: list[str]
    bundles: list[str]
    runs: list[CompareRun]
    """Experiments with artifacts of their own."""
    has_stall: bool
    has_baseline: bool


@router.get("/incidents/{incident_id}/compare/choices")
def compare_choices(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> CompareChoices:
    """Hosts, bundles and runs of this incident."""
    index = services.placed.load(incident.id, ())
    artifacts = index.artifacts if index else ()
    hosts = {a.host for a in Artifacts(unit).of_incident(incident.id) if a.host}
    stall = stored_stall(unit, incident.id)
    return CompareChoices(
        hosts=sorted(hosts),
        bundles=sorted({a.bundle for a in artifacts if a.bundle}),
        runs=[
            CompareRun(id=e.id, number=e.number, title=e.title, artifacts=len(e.artifacts))
            for e in Experiments(unit).of_incident(incident.id)
            if e.artifacts
        ],
        has_stall=stall is not None,
        has_baseline=stall is not None and stall.baseline is not None,
    )


@router.get("/incidents/{incident_id}/compare")
def compare_them(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    sides: Sides,
    align: Align = "onset",
    from_s: Seconds = None,
    to_s: Seconds = None,
    reference: Reference = 0,
) -> SidesJson:
    """What differs between two or more windows, bundles, hosts or runs; the clearest first.

    from_s and to_s narrow every side to seconds around its onset or its start.
    """
    document = _compared(services, unit, incident.id, sides, align, (from_s, to_s), reference)
    built: dict[str, Any] = msgspec.to_builtins(document)
    return built


@router.get(
    "/incidents/{incident_id}/compare/export",
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}},
)
def export_comparison(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    sides: Sides,
    align: Align = "onset",
    from_s: Seconds = None,
    to_s: Seconds = None,
    reference: Reference = 0,
    form: Annotated[Literal["csv", "md"], Query(alias="format")] = "csv",
    everything: Annotated[bool, Query(alias="all")] = False,
) -> Response:
    """The whole comparison as one CSV or as Markdown tables; only what differs, unless all."""
    document = _compared(services, unit, incident.id, sides, align, (from_s, to_s), reference)
    write, kind = (as_csv, "text/csv") if form == "csv" else (as_markdown, "text/markdown")
    return Response(
        write(document, everything=everything),
        media_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="comparison.{form}"'},
    )


@router.get("/incidents/{incident_id}/compare/overlay")
def overlay_sides(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    sides: Sides,
    series: Annotated[str, Query(max_length=500)],
    align: Align = "onset",
) -> OverlayJson:
    """One series of every side over one axis of seconds."""
    with _aligned():
        document = overlay(_groups(services, unit, incident.id, sides), series, align)
    built: dict[str, Any] = msgspec.to_builtins(document)
    return built


@router.get("/incidents/{incident_id}/fleet")
def fleet_of(
    incident: IncidentDep,
    services: ServicesDep,
    start: datetime | None = None,
    end: datetime | None = None,
) -> FleetJson:
    """Which of the incident's hosts differ from the others, in a window or over all of it."""
    evidence = _placed(services, incident.id)
    span = _span("the window", start, end) if start or end else None
    built: dict[str, Any] = msgspec.to_builtins(fleet(evidence, span))
    return built


def _placed(services: Services, incident_id: str) -> Evidence:
    evidence = services.placed.load(incident_id, KINDS)
    if evidence is None:
        raise ApiError(409, "Nothing to show yet", "this incident was not analysed yet")
    return evidence


@contextmanager
def _aligned() -> Iterator[None]:
    try:
        yield
    except NotAlignedError as error:
        raise ApiError(409, "Not aligned", str(error)) from None


def _compared(
    services: Services,
    unit: Unit,
    incident_id: str,
    sides: list[str],
    align: Align,
    seconds: tuple[float | None, float | None],
    reference: int,
) -> SidesDoc:
    from_s, to_s = seconds
    if reference >= len(sides):
        raise ApiError(
            422, "Not a side", f"reference is {reference}, and there are {len(sides)} sides, from 0"
        )
    if (from_s is None) != (to_s is None) or (from_s or 0.0) > (to_s or 0.0):
        raise ApiError(422, "Not a window", "give from_s and to_s, the first being smaller")
    window = None if from_s is None or to_s is None else (from_s, to_s)
    with _aligned():
        return compare_sides(_groups(services, unit, incident_id, sides), align, window, reference)


def _groups(services: Services, unit: Unit, incident_id: str, sides: list[str]) -> list[Group]:
    asked = [_asked(name, told) for name, told in zip("ABCDEF", sides, strict=False)]
    return [_group(services, unit, incident_id, one) for one in asked]


def _group(services: Services, unit: Unit, incident_id: str, side: SideQuery) -> Group:
    if side.experiments:
        members = tuple(_run(services, unit, incident_id, side, one) for one in side.experiments)
        label = members[0].side.label if len(members) == 1 else f"{len(members)} runs"
        return Group(label, members)
    evidence = _placed(services, incident_id)
    chosen = None
    if side.bundle is not None:
        chosen = frozenset(a.sha256 for a in evidence.artifacts if a.bundle == side.bundle)
        if not chosen:
            raise ApiError(404, "No such bundle", f"no artifact is of the bundle {side.bundle!r}")
    stall = stored_stall(unit, incident_id)
    span = _part(side, lambda: stall)
    one = Side(side.label, evidence, span, side.host, chosen)
    # another bundle than the one of the longest stall has its own, or none
    found = _found_stall(one.narrowed()) if chosen is not None else stall
    return Group(side.label, (Member(one, found.span.start if found else None),))


def _run(
    services: Services, unit: Unit, incident_id: str, side: SideQuery, experiment_id: str
) -> Member:
    experiment = Experiments(unit).get(experiment_id)
    if experiment.incident_id != incident_id:
        raise ApiError(404, "No such run", "that experiment belongs to another incident")
    evidence = run_evidence(unit, services.frames, experiment)
    label = f"experiment {experiment.number}: {experiment.title}"
    if side.part != "whole":
        label = f"{side.part} of {label}"
    stall = _found_stall(evidence)
    one = Side(label, evidence, _part(side, lambda: stall), side.host)
    return Member(one, stall.span.start if stall else None)


def _part(side: SideQuery, find: Callable[[], Stall | None]) -> Span | None:
    """The window that a side means; refused when there is no such part."""
    if side.part == "whole":
        return None
    if side.part == "window":
        return _span(f"side {side.name}", side.start, side.end)
    stall = find()
    if stall is None:
        raise ApiError(
            409, "No stall there", f"side {side.name} has no stall: choose a window instead"
        )
    if side.part == "stall":
        return stall.span
    if stall.baseline is None:
        raise ApiError(
            409, "No baseline there", f"side {side.name} starts inside its stall: choose a window"
        )
    return stall.baseline


def _found_stall(evidence: Evidence) -> Stall | None:
    found = main_stall(detection.find(evidence, values(evidence.frame("sample"))))
    return None if found is None else Stall(found.span, found.baseline)


def _span(what: str, start: datetime | None, end: datetime | None) -> Span:
    if start is None or end is None or start.tzinfo is None or end.tzinfo is None or start >= end:
        raise ApiError(
            422, "Not a window", f"{what} needs a start before its end, both ISO 8601 with a zone"
        )
    return Span(int(start.timestamp() * 1e6), int(end.timestamp() * 1e6))
