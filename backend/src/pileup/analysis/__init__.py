"""Build the analysis document of an incident from parsed records.

``gather`` places the frames of all artifacts on one clock; ``analyse`` builds every part of the
analysis document. Both are pure: they read no file, no database and no clock.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import msgspec

from pileup import __version__
from pileup.analysis import contract
from pileup.analysis.clock.gather import gather
from pileup.analysis.compare import table_changes
from pileup.analysis.evidence import series, servers
from pileup.analysis.evidence.answers import Answers
from pileup.analysis.evidence.context import Context, Server
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
    context, tally = measure(evidence, corrections_by_people, answers)
    settle, listed = answers.settle, answers.listed
    stalls = listed("stalls", lambda: context.stalls)
    hot_waits = listed("hot_waits", lambda: context.hot_waits)
    roots = listed("blockers", lambda: blockers.blockers(tally))
    observed = Observed(context)
    diagnosis = settle(
        "findings", lambda: signatures.diagnose(observed, answers), signatures.NOTHING_CHECKED
    )
    findings = list(diagnosis.findings)
    parts = contract.Analysis(
        schema=contract.SCHEMA,
        engine=__version__,
        headline=settle(
            "headline",
            lambda: summary.headline(
                context, main_stall(context.stalls), roots, hot_waits, findings
            ),
            summary.NOT_ANSWERED,
        ),
        server=settle("server", lambda: servers.names(context.server), servers.names(Server())),
        artifacts=listed("artifacts", lambda: catalogue.artifacts(evidence)),
        snapshots=listed("snapshots", lambda: catalogue.snapshots(evidence)),
        series=listed("series", lambda: catalogue.series(evidence)),
        stalls=stalls,
        shifts=listed("shifts", lambda: context.shifts),
        hot_waits=hot_waits,
        hot_latches=listed("hot_latches", lambda: context.hot_latches),
        blockers=roots,
        hot_stacks=listed("hot_stacks", lambda: context.hot_stacks),
        settings=listed("settings", lambda: servers.settings(evidence)),
        events=listed("events", lambda: catalogue.events(evidence)),
        deadlocks=listed("deadlocks", lambda: catalogue.deadlocks(evidence, context)),
        triage=listed("triage", lambda: triage.triage(observed, answers)),
        findings=findings,
        absences=list(diagnosis.absences),
        looked_at=diagnosis.looked_at,
        problems=listed("problems", lambda: catalogue.problems(evidence)),
        slow_queries=listed("slow_queries", lambda: context.slow_queries),
        tables=listed("tables", lambda: table_changes.tables(evidence)),
        table_changes=listed("table_changes", lambda: table_changes.table_changes(evidence)),
        persistence=settle("persistence", lambda: persistence.wait_persistence(tally), None),
    )
    return msgspec.structs.replace(
        parts,
        problems=[*answers.problems(), *parts.problems],
        unanswered=answers.documents(),
    )


def measure(
    evidence: Evidence, corrections_by_people: Sequence[StallCorrection], answers: Answers
) -> tuple[Context, blockers.Tally]:
    """Measure what rules and sentences need, and count the wait graphs of the main stall.

    A measure that fails is a ``Missing``: ``answers`` records it, and what reads it.
    """
    ask, settle = answers.ask, answers.settle
    values = ask("series", lambda: series.values(evidence.frame("sample")))
    stalls = ask(
        "stalls",
        lambda: corrections.corrected(detection.find(evidence, values), corrections_by_people),
    )
    main = ask("stalls", lambda: main_stall(stalls))
    span = ask("stalls", lambda: main.span if main else None)
    host = ask("stalls", lambda: main.host if main else None)
    settings = ask("settings", lambda: servers.effective_settings(evidence, host))
    chosen = ask("baseline", lambda: baselines.choose(main, stalls, values) if main else None)
    every = ask("waits", lambda: moments.moments(evidence))
    tally = ask(
        "waits",
        lambda: blockers.tally(evidence, moments.choose_moments(every, span, host)),
    )
    baseline = ask("baseline", lambda: chosen.span if chosen else None)

    def stall_document(stall: detection.Stall) -> contract.StallDoc:
        graphs = tally if stall is main else None
        waiting = settle(
            "peak_waiters", lambda: _most_waiting(evidence, every, stall, graphs), None
        )
        compared = settle("baseline", lambda: chosen, None) if stall is main else None
        return stall_documents.document(stall, values, compared, waiting)

    context = Context(
        evidence=evidence,
        server=ask("server", lambda: servers.server(evidence, settings)),
        settings=settings,
        stalls=ask("stalls", lambda: tuple(stall_document(stall) for stall in stalls)),
        stall=span,
        host=host,
        baseline=baseline,
        baseline_is_before=ask("baseline", lambda: chosen.is_before if chosen else False),
        values=ask("baseline", lambda: chosen.values if chosen else values),
    )
    whole = dataclasses.replace(
        context,
        shifts=ask("shifts", lambda: _shifts(context)),
        hot_waits=ask(
            "hot_waits", lambda: tuple(moment_graph.hot_waits(evidence, span, context.server))
        ),
        hot_latches=ask("hot_latches", lambda: tuple(moment_graph.hot_latches(evidence, span))),
        hot_stacks=ask("hot_stacks", lambda: tuple(hot_stacks.hot_stacks(evidence, span))),
        slow_queries=ask(
            "slow_queries",
            lambda: tuple(slow_queries.slow_queries(evidence, span, baseline)),
        ),
    )
    return whole, tally


def _shifts(context: Context) -> tuple[contract.ShiftDoc, ...]:
    if not context.stall or not context.baseline:
        return ()
    adjoins = context.baseline_is_before
    return tuple(shifts.shifts(context.values, context.stall, context.baseline, adjoins=adjoins))


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
