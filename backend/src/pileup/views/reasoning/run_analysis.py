"""Show a run by itself: its captures and stalls, on its own clock, aligned at the onset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from pydantic import TypeAdapter

from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.evidence import Evidence
from pileup.storage.database import Unit
from pileup.storage.reasoning.experiments import ExperimentRecord, Experiments
from pileup.storage.reasoning.run_analyses import RunAnalyses
from pileup.views.documents import FindingJson, HeadlineJson
from pileup.views.evidence.episodes import Episodes, episodes
from pileup.views.reasoning.run_evidence import NothingToCompare
from pileup.views.source import NotAnalysed


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """The analysis of a run's artifacts alone, placed on the run's own clock."""

    headline: HeadlineJson
    server: dict[str, str | None]
    findings: list[FindingJson]
    episodes: Episodes


@dataclass(frozen=True, slots=True)
class AlignedRun:
    """A run with files, and its stalls aligned at the onset, or its load at the beginning."""

    experiment_id: str
    number: int
    title: str
    verdict: str | None
    failed_same_way: str | None
    episodes: Episodes | None
    """None: its files are not analysed yet."""


_JSON: TypeAdapter[RunAnalysis] = TypeAdapter(RunAnalysis)


def run_document(analysis: Analysis, evidence: Evidence) -> dict[str, Any]:
    """Build the JSON of the analysis of a run's files, as it is stored."""
    document = msgspec.to_builtins(analysis)
    shown = RunAnalysis(
        headline=document["headline"],
        server=document["server"],
        findings=document["findings"],
        episodes=episodes(document, evidence),
    )
    return _JSON.dump_python(shown, mode="json")  # type: ignore[no-any-return]


def aligned_runs(unit: Unit, incident_id: str) -> list[AlignedRun]:
    """List the runs with files, in the order of their numbers."""
    known = RunAnalyses(unit).documents(incident_id)
    return [
        AlignedRun(
            experiment_id=run.id,
            number=run.number,
            title=run.title,
            verdict=run.verdict,
            failed_same_way=run.failed_same_way,
            episodes=_JSON.validate_python(known[run.id]).episodes if run.id in known else None,
        )
        for run in Experiments(unit).of_incident(incident_id)
        if run.artifacts
    ]


def stored_run(unit: Unit, experiment: ExperimentRecord) -> RunAnalysis:
    """Return the last analysis of a run.

    Raises NothingToCompare when no file is attached, and NotAnalysed before the first analysis.
    """
    document = RunAnalyses(unit).document(experiment.id)
    if document is not None:
        return _JSON.validate_python(document)
    if not experiment.artifacts:
        raise NothingToCompare(
            f"experiment {experiment.number} has no parsed artifact: attach its files"
        )
    raise NotAnalysed(f"experiment {experiment.number}")
