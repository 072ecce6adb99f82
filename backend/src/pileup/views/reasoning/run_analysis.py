"""Show a run by itself: its captures and stalls, on its own clock, aligned at the onset."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pileup.analysis import analyse
from pileup.storage.database import Unit
from pileup.storage.files.frames import FrameStore
from pileup.storage.reasoning.experiments import ExperimentRecord
from pileup.views.documents import FindingJson, HeadlineJson
from pileup.views.evidence.episodes import Episodes, episodes
from pileup.views.reasoning.run_evidence import run_evidence


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """The analysis of a run's artifacts alone, placed on the run's own clock."""

    headline: HeadlineJson
    server: dict[str, str | None]
    findings: list[FindingJson]
    episodes: Episodes


def analyse_run(unit: Unit, frames: FrameStore, experiment: ExperimentRecord) -> RunAnalysis:
    """Analyse the attached artifacts; raises NothingToCompare when none of them was read."""
    evidence = run_evidence(unit, frames, experiment)
    document = msgspec.to_builtins(analyse(evidence))
    return RunAnalysis(
        headline=document["headline"],
        server=document["server"],
        findings=document["findings"],
        episodes=episodes(document, evidence),
    )
