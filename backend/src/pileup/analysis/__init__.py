"""Build the analysis document of an incident from parsed records.

``gather`` places the frames of all artifacts on one clock; ``analyse`` builds every part of the
analysis document. Both are pure: they read no file, no database and no clock.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pileup import __version__
from pileup.analysis import contract
from pileup.analysis.clock.gather import gather
from pileup.analysis.compare import table_changes
from pileup.analysis.evidence import series, servers
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.evidence import ClockOverride, Evidence, EvidenceArtifact, bundle_of
from pileup.analysis.findings import catalogue, signatures, slow_queries, summary, triage
from pileup.analysis.findings.observed import Observed
from pileup.analysis.stacks import hot_stacks
from pileup.analysis.stalls import baselines, corrections, detection, shifts
from pileup.analysis.stalls import documents as stall_documents
from pileup.analysis.stalls.corrections import StallCorrection
from pileup.analysis.stalls.documents import main_stall
from pileup.analysis.waits import blockers, moment_graph, moments, persistence


def analyse(
    evidence: Evidence, corrections_by_people: Sequence[StallCorrection] = ()
) -> contract.Analysis:
    """Build the analysis document of one incident.

    corrections_by_people: times of stalls set by people; they override computed times.
    """
    context, tally = measure(evidence, corrections_by_people)
    main = main_stall(context.stalls)
    roots = blockers.blockers(tally)
    observed = Observed(context)
    diagnosis = signatures.diagnose(observed)
    findings = list(diagnosis.findings)
    hot_waits = list(context.hot_waits)
    return contract.Analysis(
        schema=contract.SCHEMA,
        engine=__version__,
        headline=summary.headline(context, main, roots, hot_waits, findings),
        server={
            "version": context.server.version,
            "family": context.server.family,
            "comment": context.server.comment,
        },
        artifacts=catalogue.artifacts(evidence),
        snapshots=catalogue.snapshots(evidence),
        series=catalogue.series(evidence),
        stalls=list(context.stalls),
        shifts=list(context.shifts),
        hot_waits=hot_waits,
        hot_latches=list(context.hot_latches),
        blockers=roots,
        hot_stacks=list(context.hot_stacks),
        settings=servers.settings(evidence),
        events=catalogue.events(evidence),
        deadlocks=catalogue.deadlocks(evidence, context),
        triage=triage.triage(observed),
        findings=findings,
        absences=list(diagnosis.absences),
        looked_at=diagnosis.looked_at,
        problems=catalogue.problems(evidence),
        slow_queries=list(context.slow_queries),
        tables=table_changes.tables(evidence),
        table_changes=table_changes.table_changes(evidence),
        persistence=persistence.wait_persistence(tally),
    )


def measure(
    evidence: Evidence, corrections_by_people: Sequence[StallCorrection] = ()
) -> tuple[Context, blockers.Tally]:
    """Measure what rules and sentences need, and count the wait graphs of the main stall."""
    values = series.values(evidence.frame("sample"))
    stalls = corrections.corrected(detection.find(evidence, values), corrections_by_people)
    main = main_stall(stalls)
    settings = servers.effective_settings(evidence, main.host if main else None)
    span = main.span if main else None
    chosen = baselines.choose(main, stalls, values) if main else None
    every = moments.moments(evidence)
    host = main.host if main else None
    tally = blockers.tally(evidence, moments.choose_moments(every, span, host))
    context = Context(
        evidence=evidence,
        server=servers.server(evidence, settings),
        settings=settings,
        stalls=tuple(
            stall_documents.document(
                stall,
                values,
                chosen if stall is main else None,
                _most_waiting(evidence, every, stall, tally if stall is main else None),
            )
            for stall in stalls
        ),
        stall=span,
        host=host,
        baseline=chosen.span if chosen else None,
        baseline_is_before=chosen.is_before if chosen else False,
        values=chosen.values if chosen else values,
    )
    moved: list[contract.ShiftDoc] = []
    if span and chosen:
        moved = shifts.shifts(context.values, span, chosen.span, adjoins=chosen.is_before)
    whole = dataclasses.replace(
        context,
        shifts=tuple(moved),
        hot_waits=tuple(moment_graph.hot_waits(evidence, span, context.server)),
        hot_latches=tuple(moment_graph.hot_latches(evidence, span)),
        hot_stacks=tuple(hot_stacks.hot_stacks(evidence, span)),
        slow_queries=tuple(slow_queries.slow_queries(evidence, span, context.baseline)),
    )
    return whole, tally


def _most_waiting(
    evidence: Evidence,
    every: Sequence[moments.WaitMoment],
    stall: detection.Stall,
    tally: blockers.Tally | None,
) -> tuple[int, int] | None:
    """Return the peak of waiting threads and its time, over the worst and all chosen moments."""
    found = (
        blockers.most_waiting(evidence, every, stall.span, stall.host),
        tally.most if tally else None,
    )
    return max((row for row in found if row), key=lambda row: (row[0], -row[1]), default=None)


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
    "measure",
]
