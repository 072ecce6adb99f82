"""Build what the timeline draws around its lanes: marks, and strips that are not series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.waits import over_time
from pileup.storage.database import Unit
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.happened import Precision
from pileup.storage.incidents.analyses import Analyses, Snapshot
from pileup.storage.incidents.annotations import AnnotationKind, Annotations
from pileup.storage.incidents.stall_corrections import StallCorrections
from pileup.storage.reasoning.experiments import ExperimentRecord, Experiments
from pileup.views.documents import CaptureJson, EventJson, StallJson
from pileup.views.evidence.lanes import captured_range
from pileup.views.records import with_fields_of
from pileup.views.window import moment_at

_MOST_SNAPSHOTS = 4000
_MOST_EVENTS = 3000
_MESSAGE = 240
_MOST_BLOCKING = 20
_MUCH_BLOCKED = 2
"""Fewer behind it are no episode worth a span."""


@dataclass(frozen=True, slots=True)
class SnapshotMark:
    time: datetime
    kind: str
    artifact: str
    index: int
    waiters: int | None
    lock_waits: int | None
    sessions: int | None
    line_first: int


@dataclass(frozen=True, slots=True)
class AnnotationOut:
    id: str
    kind: AnnotationKind
    start: datetime
    """When it happened, as its author gives it."""
    end: datetime | None
    precision: Precision
    text: str
    author: str | None
    created_at: datetime
    """When it was recorded."""
    revision: int


@dataclass(frozen=True, slots=True)
class StallCorrectionOut:
    """Onset, end and baseline of a stall set by a person; null keeps the computed value."""

    id: str
    host: str | None
    computed_onset: datetime
    onset: datetime | None
    end: datetime | None
    baseline_start: datetime | None
    baseline_end: datetime | None
    by: str
    revision: int
    at: datetime


@dataclass(frozen=True, slots=True)
class HeatRowOut:
    kind: Literal["latch", "lock", "state"]
    label: str
    detail: str
    host: str | None
    peak: int
    cells: list[tuple[float, int]]
    """(epoch ms, how many) per snapshot, zeros too."""


@dataclass(frozen=True, slots=True)
class TransactionSpanOut:
    trx_id: str
    host: str | None
    session_id: int | None
    start: datetime
    end: datetime
    """When it was last seen."""
    state: str
    waited: bool
    query: str | None
    artifact: str
    line_first: int


@dataclass(frozen=True, slots=True)
class BlockingSpan:
    id: str
    holder: str
    start: datetime
    end: datetime
    blocks_total: int
    inferred: bool


@dataclass(frozen=True, slots=True)
class ExperimentSpan:
    id: str
    number: int
    title: str
    start: datetime
    """When the run began and ended, as people give it."""
    end: datetime | None
    started_at: datetime
    """When that was recorded."""
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class ThreadCount:
    artifact: str
    index: int
    threads: int


@dataclass(frozen=True, slots=True)
class Strips:
    """Lanes that are not series: waiters by place over the snapshots, and episodes."""

    heat: list[HeatRowOut]
    transactions: list[TransactionSpanOut]
    blocking: list[BlockingSpan]
    experiments: list[ExperimentSpan]
    threads: list[ThreadCount]
    """Of stack samples."""


@dataclass(frozen=True, slots=True)
class Range:
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Marks:
    stalls: list[StallJson]
    captures: list[CaptureJson]
    """When each host was observed; nothing is drawn between captures or across their gaps."""
    snapshots: list[SnapshotMark]
    events: list[EventJson]
    annotations: list[AnnotationOut]
    corrections: list[StallCorrectionOut]
    range: Range | None
    """The whole captured time; None when nothing was placed."""


def stored_marks(unit: Unit, incident_id: str) -> Marks:
    """List the stalls, snapshots, events and notes to draw over and under the lanes."""
    analyses = Analyses(unit)
    parts = analyses.parts(incident_id, "stalls", "events", "captures") or {}
    snapshots = analyses.snapshots(incident_id)
    times = [snapshot.time for snapshot in snapshots if snapshot.time]
    whole = captured_range(analyses.series(incident_id), times)
    return Marks(
        stalls=parts.get("stalls") or [],
        captures=parts.get("captures") or [],
        snapshots=[with_fields_of(SnapshotMark, each) for each in _thinned(snapshots)],
        events=_shortened(parts.get("events") or []),
        annotations=[
            with_fields_of(AnnotationOut, each)
            for each in Annotations(unit).of_incident(incident_id)
        ],
        corrections=[
            with_fields_of(StallCorrectionOut, each)
            for each in StallCorrections(unit).of_incident(incident_id)
        ],
        range=Range(start=whole[0], end=whole[1]) if whole else None,
    )


def stored_strips(unit: Unit, placed: PlacedStore, incident_id: str) -> Strips:
    """Return the strips of an incident from its last analysis and its experiments."""
    parts = Analyses(unit).parts(incident_id, "blockers", "episodes") or {}
    episodes = parts.get("episodes") or []
    return strips(
        placed.load(incident_id, over_time.KINDS),
        [blocker for episode in episodes for blocker in episode["blockers"]]
        or parts.get("blockers")
        or [],
        Experiments(unit).of_incident(incident_id),
    )


def strips(
    evidence: Evidence | None,
    blockers: Iterable[Mapping[str, Any]] = (),
    experiments: Iterable[ExperimentRecord] = (),
) -> Strips:
    """Return waiters by place, long transactions, blocking episodes and experiments over time.

    blockers: those of the analysis document (``BlockerDoc``), as stored.
    """
    counts = over_time.thread_counts(evidence) if evidence else {}
    return Strips(
        heat=[_heat_row(row) for row in (over_time.heat(evidence) if evidence else [])],
        transactions=[
            _transaction(span)
            for span in (over_time.transaction_spans(evidence) if evidence else [])
        ],
        blocking=[
            BlockingSpan(
                id=blocker["id"],
                holder=blocker["holder"],
                start=datetime.fromisoformat(blocker["first"]),
                end=datetime.fromisoformat(blocker["last"]),
                blocks_total=blocker["blocks_total"],
                inferred=blocker["inferred"],
            )
            for blocker in blockers
            if blocker.get("first") and blocker["blocks_total"] >= _MUCH_BLOCKED
        ][:_MOST_BLOCKING],
        experiments=[
            ExperimentSpan(
                id=experiment.id,
                number=experiment.number,
                title=experiment.title,
                start=experiment.began,
                end=experiment.ended or (experiment.began if experiment.finished_at else None),
                started_at=experiment.started_at or experiment.began,
                finished_at=experiment.finished_at,
            )
            for experiment in experiments
            if experiment.began is not None and experiment.state != "planned"
        ],
        threads=[
            ThreadCount(artifact=sha256, index=at, threads=count)
            for (sha256, at), count in counts.items()
        ],
    )


def _heat_row(row: over_time.HeatRow) -> HeatRowOut:
    return HeatRowOut(
        kind=row.kind,
        label=row.label,
        detail=row.detail,
        host=row.host,
        peak=row.peak,
        cells=[(at / 1000, count) for at, count in row.cells],
    )


def _transaction(span: over_time.TransactionSpan) -> TransactionSpanOut:
    return TransactionSpanOut(
        trx_id=span.trx_id,
        host=span.host,
        session_id=span.session_id,
        start=moment_at(span.start),
        end=moment_at(span.end),
        state=span.state,
        waited=span.waited,
        query=span.query,
        artifact=span.artifact,
        line_first=span.line_first,
    )


def _thinned(snapshots: Sequence[Snapshot]) -> list[Snapshot]:
    """Select rows with a time; of very many, the worst of each stretch, per kind and host."""
    placed = [each for each in snapshots if each.time]
    if len(placed) <= _MOST_SNAPSHOTS:
        return placed
    stretch = -(-len(placed) // _MOST_SNAPSHOTS)
    groups: dict[tuple[str, str | None], list[Snapshot]] = {}
    for snapshot in placed:
        groups.setdefault((snapshot.kind, snapshot.host), []).append(snapshot)
    worst = [
        max(group[at : at + stretch], key=lambda s: (s.waiters or 0) + (s.lock_waits or 0))
        for group in groups.values()
        for at in range(0, len(group), stretch)
    ]
    return sorted(worst, key=lambda s: (s.time or datetime.min.replace(tzinfo=UTC), s.artifact))


def _shortened(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Select events with a time, of very many the gravest; cut each message to its first words."""
    placed = [event for event in events if event["time"]]
    if len(placed) > _MOST_EVENTS:
        grave = {"error": 0, "warning": 1}
        placed.sort(key=lambda event: (grave.get(event["severity"] or "", 2), event["time"]))
        placed = sorted(placed[:_MOST_EVENTS], key=lambda event: str(event["time"]))
    return [event | {"message": event["message"][:_MESSAGE]} for event in placed]
