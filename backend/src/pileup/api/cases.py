"""Puts the case together for the report: the stored analysis, the human work, the figures' data."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from pileup.analysis import contract
from pileup.analysis.lanes import lane
from pileup.analysis.waits import wait_graph
from pileup.api.deps import Services
from pileup.api.excerpts import Excerpts
from pileup.report.case import (
    Case,
    GraphFigure,
    GraphFigureNode,
    LaneFigure,
    ReportAnnotation,
    ReportConfidence,
    ReportEvidence,
    ReportExperiment,
    ReportHypothesis,
    ReportPin,
)
from pileup.report.prefill import main_stall
from pileup.storage.analyses import Analyses
from pileup.storage.annotations import Annotations
from pileup.storage.database import Unit
from pileup.storage.experiments import ExperimentRecord, Experiments
from pileup.storage.hypotheses import Hypotheses, HypothesisRecord
from pileup.storage.incidents import Incident
from pileup.storage.pins import PinRecord, Pins
from pileup.storage.reports import Reports

FIGURE_LANES = 6
FIGURE_PIXELS = 700


def build_case(services: Services, unit: Unit, incident: Incident) -> Case:
    """Everything that a report of this incident says."""
    document = Analyses(unit).document(incident.id)
    analysis = None if document is None else msgspec.convert(document, contract.Analysis)
    hypotheses = Hypotheses(unit).of_incident(incident.id)
    statements = {h.id: h.statement for h in hypotheses}
    return Case(
        id=incident.id,
        title=incident.title,
        severity=incident.severity,
        service=incident.service or "",
        status=incident.status,
        owner=incident.owner.name if incident.owner else "nobody",
        created_at=incident.created_at,
        analysis=analysis,
        hypotheses=tuple(_hypothesis(h) for h in hypotheses),
        experiments=tuple(
            _experiment(e, statements) for e in Experiments(unit).of_incident(incident.id)
        ),
        annotations=tuple(
            ReportAnnotation(a.start, a.end, a.text, a.author or "somebody")
            for a in Annotations(unit).of_incident(incident.id)
        ),
        pins=tuple(_pin(p) for p in Pins(unit).of_incident(incident.id)),
        lanes=_lanes(services, incident.id, analysis),
        graph=_graph(services, incident.id),
        sections={
            key: section.body_md for key, section in Reports(unit).sections(incident.id).items()
        },
        excerpt=Excerpts(services, unit, incident.id).read,
        link=lambda view: f"{services.settings.url}{view}",
    )


def _lanes(
    services: Services, incident_id: str, analysis: contract.Analysis | None
) -> tuple[LaneFigure, ...]:
    """What moved most, around the longest stall (or over everything when there was none)."""
    if analysis is None:
        return ()
    by_id = {series.id: series for series in analysis.series}
    wanted = [shift.series for shift in analysis.shifts if shift.series in by_id][:FIGURE_LANES]
    stall = main_stall(analysis)
    marks = [by_id[name] for name in wanted]
    bounds = [m.first for m in marks if m.first] + [m.last for m in marks if m.last]
    if not bounds:
        return ()
    start, end = _us(min(bounds)), _us(max(bounds))
    if stall is not None:
        onset = _us(stall.onset)
        finish = _us(stall.end) if stall.end else end
        margin = max(60_000_000, (finish - onset) // 2)
        start, end = max(start, onset - margin), min(end, finish + margin)
    samples = services.placed.samples(incident_id, wanted)
    figures: list[LaneFigure] = []
    for name in wanted:
        series = by_id[name]
        drawn = lane(
            samples.filter(samples["id"] == name),
            kind=series.kind,
            start_us=start,
            end_us=end,
            pixels=FIGURE_PIXELS,
        )
        unit = series.unit or ""
        figures.append(
            LaneFigure(
                title=series.name + (f" {series.labels}" if series.labels else ""),
                unit=f"{unit}/s" if series.kind == "counter" else unit,
                points=tuple((t / 1000, high) for t, _, high, _ in drawn.points),
            )
        )
    return tuple(figures)


def _graph(services: Services, incident_id: str) -> GraphFigure | None:
    evidence = services.placed.waits(incident_id)
    if evidence is None:
        return None
    graph = wait_graph(evidence, None, fold=True)
    if not graph.nodes or graph.at is None:
        return None
    return GraphFigure(
        at=graph.at,
        headline=graph.headline,
        nodes=tuple(
            GraphFigureNode(
                n.id, n.label, n.kind, n.depth, n.blocks_total, n.root, n.inferred, n.members
            )
            for n in graph.nodes
        ),
        edges=tuple((e.source, e.target, e.kind) for e in graph.edges),
    )


def _pin(pin: PinRecord) -> ReportPin:
    where = pin.locator
    return ReportPin(
        id=pin.id,
        title=pin.title,
        path=where.get("path"),
        artifact=where.get("artifact"),
        line_first=where.get("line_first"),
        line_last=where.get("line_last"),
        series=tuple(where.get("series") or ()),
        start=where.get("start"),
        end=where.get("end"),
        view=pin.view,
        excerpt=pin.excerpt,
        stale=pin.stale,
    )


def _hypothesis(h: HypothesisRecord) -> ReportHypothesis:
    return ReportHypothesis(
        statement=h.statement,
        falsifier=h.falsifier,
        status=h.status,
        confidence=h.confidence,
        history=tuple(
            ReportConfidence(step.at, step.by, step.confidence, step.reason)
            for step in h.history
            if step.confidence is not None
        ),
        evidence=tuple(
            ReportEvidence(e.side, e.note, _pin(e.pin) if e.pin else None) for e in h.evidence
        ),
    )


def _experiment(e: ExperimentRecord, statements: dict[str, str]) -> ReportExperiment:
    observed = e.observation or {}
    value = observed.get("value")
    said = str(observed.get("text") or "")
    return ReportExperiment(
        number=e.number,
        title=e.title,
        hypothesis=statements.get(e.hypothesis_id) if e.hypothesis_id else None,
        change=e.change,
        prediction=str(e.prediction.get("text") or "none was written down"),
        locked_at=e.locked_at,
        observation=said if value is None else f"{said} (measured: {value:g})",
        verdict=e.verdict,
        failed_same_way=e.failed_same_way,
        conclusion=e.conclusion,
        artifacts=tuple(a.path for a in e.artifacts),
        pins=tuple(_pin(p) for p in e.pins),
    )


def _us(iso: str) -> int:
    moment = datetime.fromisoformat(iso.replace("Z", "+00:00")).astimezone(UTC)
    return int(moment.timestamp() * 1_000_000)
