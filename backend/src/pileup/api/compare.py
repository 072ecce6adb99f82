"""Two sides of an incident beside each other, and the hosts that stand out among many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Depends, Query

from pileup.analysis import contract, main_stall, stalls
from pileup.analysis.compare import Side, compare
from pileup.analysis.context import Span
from pileup.analysis.evidence import Evidence
from pileup.analysis.fleet import fleet
from pileup.analysis.moments import parse
from pileup.analysis.series import values
from pileup.api.deps import IncidentDep, Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.runs import run_evidence
from pileup.api.schema import CompareJson, FleetJson, Out
from pileup.storage.analyses import Analyses
from pileup.storage.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.experiments import Experiments

router = APIRouter(tags=["compare"])

KINDS = ("snapshot", "semaphore_wait", "stack", "sample", "setting", "table")
"""What a comparison is made of."""
Part = Literal["whole", "baseline", "stall", "window"]


@dataclass(frozen=True, slots=True)
class SideQuery:
    """One side as the address says it."""

    name: str
    part: Part
    start: datetime | None
    end: datetime | None
    host: str | None
    bundle: str | None
    experiment: str | None

    @property
    def label(self) -> str:
        words: list[str] = [self.part if self.part != "whole" else "everything"]
        if self.host:
            words.append(f"on {self.host}")
        if self.bundle:
            words.append(f"of {self.bundle}")
        return " ".join(words)


def _side(name: str) -> Callable[..., SideQuery]:
    """The query parameters of one side: a_part, a_start, ... or b_part, ..."""

    # as defaults: an annotation is text here, and could not know ``name``
    def read(
        part: Part = Query("whole", alias=f"{name}_part"),
        start: datetime | None = Query(None, alias=f"{name}_start"),
        end: datetime | None = Query(None, alias=f"{name}_end"),
        host: str | None = Query(None, alias=f"{name}_host", max_length=300),
        bundle: str | None = Query(None, alias=f"{name}_bundle", max_length=1000),
        experiment: str | None = Query(None, alias=f"{name}_experiment", max_length=60),
    ) -> SideQuery:
        return SideQuery(name, part, start, end, host, bundle, experiment)

    return read


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
def compare_sides(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    a: Annotated[SideQuery, Depends(_side("a"))],
    b: Annotated[SideQuery, Depends(_side("b"))],
) -> CompareJson:
    """What differs between two windows, bundles, hosts or runs; the clearest first."""
    document = compare(
        _resolve(services, unit, incident.id, a), _resolve(services, unit, incident.id, b)
    )
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


def _resolve(services: Services, unit: Unit, incident_id: str, side: SideQuery) -> Side:
    if side.experiment:
        return _run(services, unit, incident_id, side)
    evidence = _placed(services, incident_id)
    chosen = None
    if side.bundle is not None:
        chosen = frozenset(a.sha256 for a in evidence.artifacts if a.bundle == side.bundle)
        if not chosen:
            raise ApiError(404, "No such bundle", f"no artifact is of the bundle {side.bundle!r}")
    span = _part(side, lambda: stored_stall(unit, incident_id))
    return Side(side.label, evidence, span, side.host, chosen)


def _run(services: Services, unit: Unit, incident_id: str, side: SideQuery) -> Side:
    experiment = Experiments(unit).get(side.experiment or "")
    if experiment.incident_id != incident_id:
        raise ApiError(404, "No such run", "that experiment belongs to another incident")
    evidence = run_evidence(services, unit, experiment)
    label = f"experiment {experiment.number}: {experiment.title}"
    if side.part != "whole":
        label = f"{side.part} of {label}"
    return Side(label, evidence, _part(side, lambda: _found_stall(evidence)), side.host)


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


@dataclass(frozen=True, slots=True)
class Stall:
    """When it was, and the quiet stretch that it is held against."""

    span: Span
    baseline: Span | None


def _found_stall(evidence: Evidence) -> Stall | None:
    found = main_stall(stalls.find(evidence, values(evidence.frame("sample"))))
    return None if found is None else Stall(found.span, found.baseline)


def stored_stall(unit: Unit, incident_id: str) -> Stall | None:
    """The incident's longest stall, as its analysis keeps it."""
    document = Analyses(unit).document(incident_id)
    if document is None:
        return None
    real = [
        stall
        for stall in msgspec.convert(document["stalls"], list[contract.StallDoc])
        if stall.kind == "stall"
    ]
    main = max(real, key=lambda one: one.duration_s or 0.0, default=None)
    if main is None:
        return None
    onset, quiet = parse(main.onset), main.baseline
    end = parse(main.end) if main.end else onset + round((main.duration_s or 0.0) * 1e6)
    baseline = Span(parse(quiet.start), parse(quiet.end)) if quiet else None
    return Stall(Span(onset, end), baseline)


def _span(what: str, start: datetime | None, end: datetime | None) -> Span:
    if start is None or end is None or start.tzinfo is None or end.tzinfo is None or start >= end:
        raise ApiError(
            422, "Not a window", f"{what} needs a start before its end, both ISO 8601 with a zone"
        )
    return Span(int(start.timestamp() * 1e6), int(end.timestamp() * 1e6))
