"""Build the analysis document of an incident from parsed records.

``gather`` places the frames of all artifacts on one clock; ``analyse`` builds every part of the
analysis document: each capture by itself, then what they have in common. Both are pure: they read
no file, no database and no clock.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pileup import __version__
from pileup.analysis import contract
from pileup.analysis.captures import case as cases
from pileup.analysis.clock.gather import gather
from pileup.analysis.compare import table_changes
from pileup.analysis.evidence import servers
from pileup.analysis.evidence.answers import Answers
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.evidence import ClockOverride, Evidence, EvidenceArtifact, bundle_of
from pileup.analysis.findings import catalogue, summary
from pileup.analysis.stalls.corrections import StallCorrection
from pileup.analysis.stalls.documents import main_stall


def analyse(
    evidence: Evidence,
    corrections_by_people: Sequence[StallCorrection] = (),
    interrupts: tuple[type[BaseException], ...] = (),
) -> contract.Analysis:
    """Build the analysis document of one incident, each question separately.

    corrections_by_people: times of stalls set by people; they override computed times.
    interrupts: exceptions that end the analysis, such as a time limit. Any other failure removes
    one answer, and ``unanswered`` and ``problems`` report it.
    """
    answers = Answers(interrupts)
    settle, listed = answers.settle, answers.listed
    case = cases.examine_case(evidence, corrections_by_people, answers)
    whole = case.whole
    findings = listed("findings", lambda: cases.findings(case))
    captures = listed("captures", lambda: cases.captures(case))
    episodes = listed("episodes", lambda: cases.episodes(case))
    titles = {finding.id: finding.title for finding in findings}
    recurrence = settle("recurrence", lambda: cases.recurrence(captures, episodes, titles), None)
    line = whole.headline
    parts = contract.Analysis(
        schema=contract.SCHEMA,
        engine=__version__,
        headline=settle("headline", lambda: summary.of_case(line, recurrence, episodes), line),
        story=settle("story", lambda: cases.story(case), whole.story),
        server=whole.server,
        artifacts=listed("artifacts", lambda: catalogue.artifacts(evidence)),
        snapshots=listed("snapshots", lambda: catalogue.snapshots(evidence)),
        series=listed("series", lambda: catalogue.series(evidence)),
        stalls=listed("stalls", lambda: cases.stalls(case)),
        shifts=whole.shifts,
        hot_waits=whole.hot_waits,
        hot_latches=whole.hot_latches,
        active_sessions=whole.active_sessions,
        roots=whole.roots,
        blockers=whole.blockers,
        hot_stacks=whole.hot_stacks,
        settings=listed("settings", lambda: servers.settings(evidence)),
        events=listed("events", lambda: catalogue.events(evidence)),
        deadlocks=listed("deadlocks", lambda: catalogue.deadlocks(evidence, whole.context)),
        deadlock_patterns=listed(
            "deadlock_patterns", lambda: catalogue.deadlock_patterns(evidence)
        ),
        triage=whole.triage,
        limits=whole.limits,
        findings=findings,
        absences=listed("absences", lambda: cases.absences(case)),
        looked_at=whole.looked_at,
        problems=listed("problems", lambda: catalogue.problems(evidence)),
        slow_queries=whole.slow_queries,
        tables=listed("tables", lambda: table_changes.tables(evidence)),
        table_changes=listed("table_changes", lambda: table_changes.table_changes(evidence)),
        persistence=whole.persistence,
        captures=captures,
        episodes=episodes,
        recurrence=recurrence,
    )
    unanswered, problems = answers.documents(), [*answers.problems(), *parts.problems]
    return msgspec.structs.replace(parts, problems=problems, unanswered=unanswered)


__all__ = [
    "ClockOverride",
    "Context",
    "Evidence",
    "EvidenceArtifact",
    "StallCorrection",
    "analyse",
    "bundle_of",
    "gather",
    "main_stall",
]
