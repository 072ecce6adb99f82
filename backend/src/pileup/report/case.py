"""What a report is made of: the case, handed over whole by whoever has it (api or cli).

The room ``report`` reads no database and no blob: excerpts come through ``Case.excerpt``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from pileup.analysis.contract import Analysis

SECTION_TITLES: dict[str, str] = {
    "summary": "Summary",
    "impact": "Impact",
    "timeline": "Timeline",
    "what_happened": "What happened",
    "contributing_factors": "Contributing factors",
    "hypotheses": "Hypotheses",
    "experiments": "Experiments",
    "mitigations": "Mitigations",
    "actions": "Actions",
    "gaps": "Gaps",
    "appendix": "Appendix: artifacts and clocks",
}
"""Key -> title, in the order of the report."""


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
    by: str
    confidence: int
    reason: str


@dataclass(frozen=True, slots=True)
class ReportEvidence:
    side: str
    """for, against or neutral."""
    note: str
    pin: ReportPin | None


@dataclass(frozen=True, slots=True)
class ReportHypothesis:
    statement: str
    falsifier: str
    status: str
    confidence: int | None
    history: tuple[ReportConfidence, ...]
    evidence: tuple[ReportEvidence, ...]


@dataclass(frozen=True, slots=True)
class ReportExperiment:
    number: int
    title: str
    hypothesis: str | None
    change: str
    prediction: str
    locked_at: datetime | None
    observation: str
    verdict: str | None
    failed_same_way: str | None
    conclusion: str
    artifacts: tuple[str, ...]
    pins: tuple[ReportPin, ...]


@dataclass(frozen=True, slots=True)
class ReportAnnotation:
    start: datetime
    end: datetime | None
    text: str
    author: str


@dataclass(frozen=True, slots=True)
class LaneFigure:
    """One lane of the timeline figure: points are (epoch ms, value or None for a gap)."""

    title: str
    unit: str
    points: tuple[tuple[float, float | None], ...]


@dataclass(frozen=True, slots=True)
class GraphFigureNode:
    id: str
    label: str
    kind: str
    depth: int
    blocks_total: int
    root: bool
    inferred: bool
    members: int


@dataclass(frozen=True, slots=True)
class GraphFigure:
    """The folded wait graph at the worst moment."""

    at: str
    headline: str
    nodes: tuple[GraphFigureNode, ...]
    edges: tuple[tuple[str, str, str], ...]
    """(source, target, waits_for | held_by)."""


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
    pins: tuple[ReportPin, ...] = ()
    lanes: tuple[LaneFigure, ...] = ()
    graph: GraphFigure | None = None
    sections: dict[str, str] = field(default_factory=dict)
    """Key -> Markdown as edited; a missing one is prefilled."""
    excerpt: Callable[[str, int, int], str | None] = lambda _artifact, _first, _last: None
    """(artifact SHA-256, first line, last line) -> raw text, shortened, or None when gone."""
    link: Callable[[str], str] = lambda view: view
    """An in-app path -> an absolute URL."""
