"""Build the case of a report: the stored analysis, the human work, the data of its figures."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import polars as pl

from pileup.analysis import contract
from pileup.analysis.blocked_time.moment_roots import wait_graph
from pileup.analysis.evidence.downsample import buckets_of, draw, values_of
from pileup.analysis.evidence.spans import joined
from pileup.analysis.stalls.documents import telling_time
from pileup.report.case import (
    Case,
    ReportAction,
    ReportAnnotation,
    ReportConfidence,
    ReportEvidence,
    ReportExperiment,
    ReportHypothesis,
    ReportMeasure,
    ReportPin,
)
from pileup.report.document import (
    WHERE,
    GraphDrawing,
    GraphNode,
    Lane,
    MatrixColumn,
    MatrixDrawing,
    MatrixRow,
)
from pileup.report.text.templates import DEFAULT
from pileup.report.text.wording import lane_title, lane_unit, main_stall, moment
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.annotations import Annotations
from pileup.storage.incidents.incidents import Incident
from pileup.storage.reasoning.experiments import ExperimentRecord, Experiments
from pileup.storage.reasoning.hypotheses import Hypotheses, HypothesisRecord
from pileup.storage.reasoning.pins import PinRecord, Pins
from pileup.storage.reasoning.ratings import Ratings
from pileup.storage.reasoning.symptoms import SymptomRecord, Symptoms
from pileup.storage.reports.actions import ActionRecord, Actions
from pileup.storage.reports.releases import Releases
from pileup.storage.reports.reports import Reports
from pileup.views.artifacts.excerpts import Excerpts
from pileup.views.evidence.first_lanes import first_lanes
from pileup.views.reasoning.matrix import Asker, matrix_for
from pileup.views.reasoning.measures import measures_of
from pileup.views.reasoning.predicted import predicted_number
from pileup.views.reports.case_evidence import CaseEvidence, compare_tables
from pileup.views.stores import Stores

FIGURE_LANES = 6
FIGURE_PIXELS = 700
_LEAST_PIXELS = 40
"""Of a capture in a figure of several."""
_MOST_PARTS = 24
"""A figure of more captures is drawn as one window."""
MAX_QUERY = 4000


def build_case(unit: Unit, incident: Incident, stores: Stores) -> Case:
    """Gather everything that a report of this incident shows."""
    document = Analyses(unit).document_text(incident.id)
    analysis = None if document is None else msgspec.json.decode(document, type=contract.Analysis)
    hypotheses = Hypotheses(unit).of_incident(incident.id)
    labels = {h.id: h.label for h in hypotheses}
    evidence = CaseEvidence(unit, stores.frames, stores.placed, incident.id)
    usual = _usual_lanes(analysis)
    artifacts = Artifacts(unit).of_incident(incident.id)
    best = telling_time(main_stall(analysis), analysis.roots if analysis else ())
    return Case(
        id=incident.id,
        title=incident.title,
        severity=incident.severity,
        service=incident.service or "",
        status=incident.status,
        owner=incident.owner.name if incident.owner else "unassigned",
        created_at=incident.created_at,
        analysis=analysis,
        hypotheses=tuple(_hypothesis(h) for h in hypotheses),
        experiments=tuple(
            _experiment(e, labels) for e in Experiments(unit).of_incident(incident.id)
        ),
        annotations=tuple(
            ReportAnnotation(
                a.start, a.end, a.text, a.author or "", a.kind, a.precision, a.created_at
            )
            for a in Annotations(unit).of_incident(incident.id)
        ),
        noticed=tuple(_noticed(symptom) for symptom in Symptoms(unit).of_incident(incident.id)),
        pins=tuple(_pin(p) for p in Pins(unit).of_incident(incident.id)),
        actions=tuple(_action(a) for a in Actions(unit).of_incident(incident.id)),
        template=Releases(unit).choice(incident.id).template or DEFAULT.id,
        matrix=_matrix(unit, incident),
        lanes=_lanes(stores.placed, incident.id, analysis, usual),
        graph=_graph(stores.placed, incident.id, best, analysis),
        draw_lanes=lambda wanted, start, end: _lanes(
            stores.placed, incident.id, analysis, usual, wanted, start, end
        ),
        draw_graph=lambda at: _graph(
            stores.placed,
            incident.id,
            _us(at) if at else best,
            analysis,
        ),
        sections={
            key: section.body_md for key, section in Reports(unit).sections(incident.id).items()
        },
        run_paths={each.sha256: each.path for each in artifacts if each.run_id is not None},
        excerpt=Excerpts(unit, stores.blobs, artifacts).read,
        find_table=evidence.find_table,
        compare_tables=compare_tables,
        symptoms=evidence.symptoms,
    )


def _usual_lanes(analysis: contract.Analysis | None) -> tuple[str, ...]:
    """List the series that are drawn unless some are named: of a stall, the timeline's first lanes.

    Without a stall, what moved most; empty where nothing did.
    """
    if analysis is None:
        return ()
    if main_stall(analysis) is None:
        return tuple(shift.series for shift in analysis.shifts if shift.same_as is None)
    parts = {key: getattr(analysis, key) for key in ("shifts", "episodes", "findings", "stalls")}
    drawn = [series for series in analysis.series if series.points > 1]
    return tuple(first_lanes(drawn, msgspec.to_builtins(parts)))


def _lanes(
    placed: PlacedStore,
    incident_id: str,
    analysis: contract.Analysis | None,
    usual: tuple[str, ...],
    wanted: tuple[str, ...] = (),
    start: str | None = None,
    end: str | None = None,
) -> tuple[Lane, ...]:
    """Draw the named series, or the usual ones; in the window, or around the longest stall."""
    if analysis is None:
        return ()
    by_id = {series.id: series for series in analysis.series}
    names = _named(analysis, wanted) if wanted else usual
    chosen = [name for name in names if name in by_id][:FIGURE_LANES]
    marks = [by_id[name] for name in chosen]
    bounds = [m.first for m in marks if m.first] + [m.last for m in marks if m.last]
    if not bounds:
        return ()
    first, last = _us(min(bounds)), _us(max(bounds))
    stall = main_stall(analysis)
    if stall is not None:
        onset = _us(stall.onset)
        finish = _us(stall.end) if stall.end else onset + round((stall.duration_s or 0.0) * 1e6)
        margin = max(60_000_000, (finish - onset) // 2)
        first, last = max(first, onset - margin), min(last, finish + margin)
        capture = next((c for c in analysis.captures if _holds(c, onset)), None)
        if capture is not None and capture.first and capture.last:
            first, last = max(first, _us(capture.first)), min(last, _us(capture.last) + 999_999)
    first = _us(start) if start else first
    last = _us(end) if end else last
    run = placed.run(incident_id)
    if run is None:
        return ()
    plans = tuple(_Plan(m.id, m.kind, lane_title(m), lane_unit(m)) for m in marks)
    return _drawn_lanes(placed, incident_id, run, plans, (first, last), _captured(analysis))


class _Plan(NamedTuple):
    """A lane before its points are read."""

    series: str
    kind: str
    title: str
    unit: str


@lru_cache(maxsize=16)
def _drawn_lanes(
    placed: PlacedStore,
    incident_id: str,
    run: str,
    plans: tuple[_Plan, ...],
    window: tuple[int, int],
    captured: tuple[tuple[int, int], ...],
) -> tuple[Lane, ...]:
    """Draw the lanes of a window once per run, as each change of a text shows the same ones."""
    samples = placed.samples(incident_id, [plan.series for plan in plans], run=run)
    parts = _parts(captured, *window)
    ends = [end / 1000 for _, end in captured]
    return tuple(
        Lane(
            title=plan.title,
            unit=plan.unit,
            points=_apart(
                _points(samples.filter(samples["id"] == plan.series), plan.kind, parts), ends
            ),
        )
        for plan in plans
    )


def _points(
    samples: pl.DataFrame, kind: str, parts: list[tuple[int, int, int]]
) -> list[tuple[float, float | None]]:
    """Draw a series over the parts of a window, each at its own width in pixels."""
    buckets = buckets_of(values_of(samples, kind))
    whole = len(parts) == 1
    return [
        (time / 1000, high)
        for start, end, pixels in parts
        for time, _, high, _ in draw(buckets, start_us=start, end_us=end, pixels=pixels).points
        if whole or start <= time <= end
    ]


def _parts(
    captured: Sequence[tuple[int, int]], first: int, last: int
) -> list[tuple[int, int, int]]:
    """Cut a window at the captures, so that short ones days apart keep their points.

    Each part has its start, its end and its pixels. A window of one capture, or of very many, is
    one part.
    """
    inside = [(max(start, first), min(end, last)) for start, end in captured]
    inside = [(start, end) for start, end in inside if start < end]
    if not 1 < len(inside) <= _MOST_PARTS:
        return [(first, last, FIGURE_PIXELS)]
    whole = sum(end - start for start, end in inside)
    parts: list[tuple[int, int, int]] = []
    at = first
    for start, end in inside:
        if at < start:
            parts.append((at, start - 1, _LEAST_PIXELS))
        share = (end - start) / whole
        parts.append((start, end, max(_LEAST_PIXELS, round(FIGURE_PIXELS * share))))
        at = end + 1
    return [*parts, (at, last, _LEAST_PIXELS)] if at < last else parts


def _holds(capture: contract.CaptureDoc, at: int) -> bool:
    return bool(
        capture.first and capture.last and _us(capture.first) <= at <= _us(capture.last) + 999_999
    )


def _captured(analysis: contract.Analysis) -> tuple[tuple[int, int], ...]:
    """Return the first and last µs of each stretch in which any host was captured."""
    spans = (
        (_us(capture.first), _us(capture.last) + 999_999)
        for capture in analysis.captures
        if capture.first and capture.last
    )
    return tuple(joined(spans, over=0))


def _apart(
    points: list[tuple[float, float | None]], ends: list[float]
) -> list[tuple[float, float | None]]:
    """Break the line between two stretches that were captured."""
    broken: list[tuple[float, float | None]] = []
    for time, value in points:
        if broken and bisect_left(ends, broken[-1][0]) != bisect_left(ends, time):
            broken.append((broken[-1][0], None))
        broken.append((time, value))
    return broken


def _named(analysis: contract.Analysis, wanted: tuple[str, ...]) -> list[str]:
    """Return the ids of series with these ids or names; a name means its first series."""
    by_name: dict[str, str] = {}
    for series in analysis.series:
        by_name.setdefault(series.name, series.id)
        by_name[series.id] = series.id
    return list(dict.fromkeys(by_name[name] for name in wanted if name in by_name))


def _graph(
    placed: PlacedStore, incident_id: str, at: int | None, analysis: contract.Analysis | None
) -> GraphDrawing | None:
    run = placed.run(incident_id)
    if run is None:
        return None
    roots = msgspec.json.encode(analysis.roots if analysis else ())
    return _drawn(placed, incident_id, run, at, roots)


@lru_cache(maxsize=64)
def _drawn(
    placed: PlacedStore, incident_id: str, run: str, at: int | None, roots_json: bytes
) -> GraphDrawing | None:
    """Draw a graph once per moment and run, as each change of a text shows the same one."""
    evidence = placed.waits(incident_id, run)
    if evidence is None:
        return None
    roots = msgspec.json.decode(roots_json, type=list[contract.RootDoc])
    graph = wait_graph(evidence, at, roots, fold=True)
    return None if not graph.nodes or graph.at is None else drawing_of(graph)


def drawing_of(graph: contract.WaitGraph) -> GraphDrawing:
    """Convert a graph to the drawing that the report stores, with details of each node."""
    return GraphDrawing(
        at=graph.at or "",
        headline=graph.headline,
        nodes=[
            GraphNode(
                id=n.id,
                label=n.label,
                kind=n.kind,
                depth=n.depth,
                blocks_total=n.blocks_total,
                root=n.root,
                inferred=n.inferred,
                members=n.members,
                detail=_detail(n),
            )
            for n in graph.nodes
        ],
        edges=[(e.source, e.target, e.kind) for e in graph.edges],
    )


def _detail(node: contract.WaitNode) -> list[tuple[str, str]]:
    """List fields and values known about a node, in the order of the inspector."""
    where = node.locators[0] if node.locators else None
    seen = f"{where.path}:{where.line_first}" if where and where.path and where.line_first else None
    fields: list[tuple[str, object | None]] = [
        (WHERE, node.detail or None),
        ("waited", None if node.waited_s is None else f"{node.waited_s:g} s"),
        ("transaction", node.trx_id),
        ("active", None if node.trx_active_s is None else f"{node.trx_active_s:g} s"),
        ("session", node.session_id),
        ("user", node.user),
        ("state", node.state),
        ("mode", node.mode),
        ("undo entries", node.undo_entries),
        ("row locks", node.row_locks),
        ("latch", node.latch),
        ("meaning", node.meaning),
        ("query", node.query[:MAX_QUERY] if node.query else None),
        ("stack", " < ".join(node.stack[:8]) or None),
        ("joined by", node.join or None),
        ("seen at", seen),
    ]
    return [(name, str(value)) for name, value in fields if value is not None]


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
        label=h.label,
        statement=h.statement,
        falsifier=h.falsifier,
        status=h.status,
        confidence=h.confidence,
        history=tuple(
            ReportConfidence(
                step.time,
                step.by,
                step.confidence,
                step.reason,
                step.happened_precision,
                step.recorded_at,
            )
            for step in h.history
            if step.confidence is not None
        ),
        evidence=tuple(
            ReportEvidence(e.side, e.note, _pin(e.pin) if e.pin else None) for e in h.evidence
        ),
        finding_id=h.finding_id,
    )


def _experiment(e: ExperimentRecord, labels: dict[str, str]) -> ReportExperiment:
    named = ", ".join(
        f"{name}={setting}"
        for name, setting in e.parameters.items()
        if not (name in e.title and setting in e.title)
    )
    measured = (e.computed or {}).get("measured") or {}
    overruled = (
        f" The artifacts say {str(measured.get('verdict')).replace('_', ' ')}; "
        f"overruled: {e.overruled_because}"
    )
    known = (("host", e.host), ("build", e.build), ("cores", e.cores), ("dataset", e.dataset))
    return ReportExperiment(
        number=e.number,
        title=f"{e.title} ({named})" if named else e.title,
        hypothesis=labels.get(e.hypothesis_id) if e.hypothesis_id else None,
        change=e.change,
        prediction=_predicted(e.prediction),
        standing=e.prediction_standing,
        locked_at=e.locked_at,
        observation=str((e.observation or {}).get("text") or "")
        + (overruled if e.overruled_because else ""),
        verdict=e.verdict,
        failed_same_way=e.failed_same_way,
        conclusion=e.conclusion,
        artifacts=tuple(a.path for a in e.artifacts),
        pins=tuple(_pin(p) for p in e.pins),
        sweep=e.sweep,
        parameters=e.parameters,
        measures=tuple(
            ReportMeasure(item.name, item.value, item.unit, item.source, item.basis)
            for item in measures_of(e)
        ),
        began=e.began if e.state != "planned" else None,
        ended=e.ended if e.state == "finished" else None,
        precision=e.ran_precision if e.ran_from else "exact",
        begin_recorded=e.started_at,
        end_recorded=e.finished_at,
        environment=tuple((name, value) for name, value in known if value),
        state=e.state,
    )


def _predicted(prediction: dict[str, Any]) -> str:
    """Return the prediction in words, and the number that it names; empty without either."""
    words, number = str(prediction.get("text") or ""), predicted_number(prediction)
    return f"{words} ({number})" if words and number else words or number


def _matrix(unit: Unit, incident: Incident) -> MatrixDrawing | None:
    """Draw the consensus of opened cells alone, so that a report reveals no blind rating."""
    if not Ratings(unit).openings(incident.id):
        return None
    matrix = matrix_for(unit, incident, Asker(None))
    rows = [row for row in matrix.rows if any(cell.shown for cell in row.cells)]
    if not rows:
        return None
    return MatrixDrawing(
        columns=[
            MatrixColumn(
                hypothesis=column.statement,
                label=column.label,
                inconsistency=None if column.rank is None else column.inconsistency,
                coverage=column.coverage,
            )
            for column in matrix.hypotheses
        ],
        rows=[
            MatrixRow(
                evidence=f"{row.label} {row.title}",
                kind=row.kind,
                ratings=[cell.shown or "" for cell in row.cells],
                diagnosticity=row.diagnosticity,
            )
            for row in rows
        ],
    )


def _noticed(symptom: SymptomRecord) -> ReportAnnotation:
    return ReportAnnotation(
        symptom.happened_at or symptom.recorded_at,
        None,
        symptom.predicate.words,
        symptom.by,
        "symptom",
        symptom.happened_precision,
        symptom.recorded_at,
    )


def _action(action: ActionRecord) -> ReportAction:
    return ReportAction(
        text=action.text,
        owner=action.owner,
        due=action.due,
        status=action.status,
        verified_by=action.experiment_number,
        verdict=action.experiment_verdict,
        ticket=_ticket(action),
        check=_check(action),
    )


def _ticket(action: ActionRecord) -> str:
    """'bugs.mysql.com 100512, verified, fixed in 8.0.30, https://…'; empty without a ticket."""
    name = " ".join(part for part in (action.ticket_tracker, action.ticket_number) if part)
    fixed = f"fixed in {action.ticket_fixed_in}" if action.ticket_fixed_in else ""
    parts = (name, action.ticket_state, fixed, action.ticket_url)
    return ", ".join(part for part in parts if part)


def _check(action: ActionRecord) -> str:
    """'still fine after four weeks, due 2026-12-24: held (no stall)'; empty without a check."""
    if not action.check_what and action.check_due is None and not action.check_outcome:
        return ""
    due = f", due {action.check_due.isoformat()}" if action.check_due else ""
    outcome = {"held": "held", "not_held": "did not hold"}.get(action.check_outcome, "not yet done")
    on = f" on {action.checked_on.isoformat()}" if action.checked_on else ""
    result = f" ({action.check_result})" if action.check_result else ""
    return f"{action.check_what or 'check'}{due}: {outcome}{on}{result}"


def _us(iso: str) -> int:
    at = moment(iso)
    if at is None:
        raise ValueError(f"{iso!r} is not a time")  # directives are checked before
    return int(at.timestamp() * 1_000_000)
