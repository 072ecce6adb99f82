"""The case: all input of a report, built by ``views.reports.case`` or by the command line.

The package ``report`` reads no database and no blob: excerpts come through ``Case.excerpt``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from pileup.analysis.contract import Analysis
from pileup.report.document import GraphDrawing, Lane, MatrixDrawing


@dataclass(frozen=True, slots=True)
class ReportPin:
    id: str
    title: str
    path: str | None
    artifact: str | None
    line_first: int | None
    line_last: int | None
    series: tuple[str, ...]
    start: str | None
    end: str | None
    view: str
    excerpt: str | None
    stale: bool


@dataclass(frozen=True, slots=True)
class ReportConfidence:
    at: datetime
    """When it happened."""
    by: str
    confidence: int
    reason: str
    precision: str = "exact"
    """exact, about or day: how precisely ``at`` is known."""
    recorded_at: datetime | None = None
    """When it was recorded; None: when it happened."""


@dataclass(frozen=True, slots=True)
class ReportEvidence:
    side: str
    """for, against or neutral."""
    note: str
    pin: ReportPin | None


@dataclass(frozen=True, slots=True)
class ReportHypothesis:
    label: str
    """'H1': its number in the incident."""
    statement: str
    falsifier: str
    status: str
    confidence: int | None
    history: tuple[ReportConfidence, ...]
    """In the order in which the steps happened."""
    evidence: tuple[ReportEvidence, ...]
    finding_id: str | None = None
    """The finding that the team made it of."""


@dataclass(frozen=True, slots=True)
class ReportMeasure:
    """A value of a run. Every text that prints it prints its source too."""

    name: str
    value: float
    unit: str
    source: str
    """typed, imported or computed."""
    basis: str = ""


@dataclass(frozen=True, slots=True)
class ReportExperiment:
    number: int
    title: str
    hypothesis: str | None
    change: str
    prediction: str
    standing: str
    """Of the prediction: none, open, locked, or recorded_after (the run)."""
    locked_at: datetime | None
    observation: str
    verdict: str | None
    failed_same_way: str | None
    conclusion: str
    artifacts: tuple[str, ...]
    pins: tuple[ReportPin, ...]
    sweep: str = ""
    """Runs that share this name form one table."""
    parameters: dict[str, str] = field(default_factory=dict)
    """'tables' to '4': the parameters that distinguish this run within its sweep."""
    measures: tuple[ReportMeasure, ...] = ()
    began: datetime | None = None
    """When the run began, as people say or else as recorded; None: nobody says it."""
    ended: datetime | None = None
    precision: str = "exact"
    """How precisely ``began`` and ``ended`` are known: exact, about or day."""
    begin_recorded: datetime | None = None
    end_recorded: datetime | None = None
    """When these were recorded; None: when they happened."""
    environment: tuple[tuple[str, str], ...] = ()
    """('host', 'db-7'), ('cores', '96'): those that are known."""
    state: str = "finished"


@dataclass(frozen=True, slots=True)
class ReportAnnotation:
    start: datetime
    end: datetime | None
    text: str
    author: str
    kind: str = "note"
    """note, decision or symptom."""
    precision: str = "exact"
    recorded_at: datetime | None = None
    """When it was recorded; None: when it happened."""


@dataclass(frozen=True, slots=True)
class ReportAction:
    text: str
    owner: str
    due: date | None
    status: str
    """open, started, done or dropped."""
    verified_by: int | None
    """Number of the experiment that shows that the action works."""
    verdict: str | None
    """Verdict of that experiment."""
    ticket: str = ""
    """The vendor's ticket in words: 'bugs.mysql.com 100512, verified'."""
    check: str = ""
    """The follow-up check in words, with its result."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of an artifact with its rows."""

    artifact: str
    """SHA-256."""
    path: str
    name: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str | None]]
    numeric: tuple[bool, ...]
    """Per column: at least half of its cells are numbers."""
    line_first: int
    line_last: int


@dataclass(frozen=True, slots=True)
class ReportCellChange:
    key: tuple[str | None, ...]
    column: str
    before: str | None
    after: str | None
    difference: str | None
    """after - before, exact; None unless both are numbers."""


@dataclass(frozen=True, slots=True)
class ReportTableChanges:
    keys: tuple[str, ...]
    added: int
    gone: int
    changed: int
    cells: tuple[ReportCellChange, ...]
    """Those that changed most first."""


@dataclass(frozen=True, slots=True)
class ReportSymptom:
    words: str
    incident: bool | None
    """None: nothing was collected that could tell."""
    runs: tuple[tuple[int, bool | None], ...]
    """Number of the experiment, and whether its run shows the symptom."""


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    title: str
    severity: str | None
    service: str
    status: str
    owner: str
    created_at: datetime
    analysis: Analysis | None
    hypotheses: tuple[ReportHypothesis, ...] = ()
    experiments: tuple[ReportExperiment, ...] = ()
    annotations: tuple[ReportAnnotation, ...] = ()
    noticed: tuple[ReportAnnotation, ...] = ()
    """The symptoms, when people noticed them."""
    pins: tuple[ReportPin, ...] = ()
    actions: tuple[ReportAction, ...] = ()
    lanes: tuple[Lane, ...] = ()
    """The series that moved most, around the longest stall."""
    graph: GraphDrawing | None = None
    """The wait graph at the worst moment."""
    matrix: MatrixDrawing | None = None
    template: str = "database-pileup"
    sections: dict[str, str] = field(default_factory=dict)
    """Section key -> edited Markdown; a missing section is prefilled."""
    run_paths: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each artifact of a run -> its path; those of the incident are in the analysis."""
    excerpt: Callable[[str, int, int], str | None] = lambda _artifact, _first, _last: None
    """(artifact SHA-256, first line, last line) -> raw text, shortened, or None when gone."""
    draw_lanes: Callable[[tuple[str, ...], str | None, str | None], tuple[Lane, ...]] = (
        lambda _series, _start, _end: ()
    )
    """(series ids or names, start, end in ISO 8601) -> lanes; unknown series are left out."""
    draw_graph: Callable[[str], GraphDrawing | None] = lambda _at: None
    """ISO 8601 -> the wait graph of the snapshot nearest to it."""
    find_table: Callable[[str, str | None], ReportTable | None] = lambda _artifact, _name: None
    """(start of a SHA-256 or path, name of the table; None: its first) -> the table."""
    compare_tables: Callable[[ReportTable, ReportTable], ReportTableChanges] = (
        lambda _before, _after: ReportTableChanges((), 0, 0, 0, ())
    )
    """Raises ValueError with a sentence when the two cannot be compared."""
    symptoms: Callable[[], tuple[ReportSymptom, ...]] = tuple
    """The symptoms, each answered from the incident and from every run with artifacts."""
