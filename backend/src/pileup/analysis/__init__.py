"""Records to findings: one pure function per question, put together here.

``gather`` places the frames of all artifacts on one clock; ``analyse`` answers every question of
the analysis document. Neither reads a file, a database or the time of day.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pileup import __version__
from pileup.analysis import (
    contract,
    documents,
    series,
    shifts,
    signatures,
    stacks,
    stall_documents,
    stalls,
    summary,
    triage,
    waits,
)
from pileup.analysis.context import Context, Span
from pileup.analysis.evidence import (
    ClockOverride,
    Evidence,
    EvidenceArtifact,
    bundle_of,
    gather,
)

_AFTER_US = 30_000_000


def analyse(evidence: Evidence) -> contract.Analysis:
    """The analysis document of one incident."""
    context = measure(evidence)
    main = _main_document(context)
    blockers = waits.blockers(evidence, context.stall)
    findings = signatures.findings(evidence, context)
    hot_waits = list(context.hot_waits)
    return contract.Analysis(
        schema=contract.SCHEMA,
        engine=__version__,
        headline=summary.headline(context, main, blockers, hot_waits, findings),
        server={
            "version": context.server.version,
            "family": context.server.family,
            "comment": context.server.comment,
        },
        artifacts=documents.artifacts(evidence),
        snapshots=documents.snapshots(evidence),
        series=documents.series(evidence),
        stalls=list(context.stalls),
        shifts=list(context.shifts),
        hot_waits=hot_waits,
        hot_latches=list(context.hot_latches),
        blockers=blockers,
        hot_stacks=list(context.hot_stacks),
        settings=documents.settings(evidence),
        events=documents.events(evidence),
        deadlocks=documents.deadlocks(evidence, context),
        triage=triage.triage(context),
        findings=findings,
        problems=documents.problems(evidence),
    )


def measure(evidence: Evidence) -> Context:
    """Everything measured that rules and sentences build on."""
    values = series.values(evidence.frame("sample"))
    found = stalls.find(evidence, values)
    main = main_stall(found)
    settings = documents.effective_settings(evidence)
    span = main.span if main else None
    baseline = main.baseline if main else None
    is_before = baseline is not None
    if main is not None and baseline is None:
        baseline = _after(main, found, evidence)
    context = Context(
        evidence=evidence,
        server=documents.server(evidence, settings),
        settings=settings,
        stalls=tuple(stall_documents.document(one, values) for one in found),
        stall=span,
        baseline=baseline,
        baseline_is_before=is_before,
        values=values,
    )
    moved = shifts.shifts(values, span, baseline) if span and baseline else []
    return dataclasses.replace(
        context,
        shifts=tuple(moved),
        hot_waits=tuple(waits.hot_waits(evidence, span)),
        hot_latches=tuple(waits.hot_latches(evidence, span)),
        hot_stacks=tuple(stacks.hot_stacks(evidence, span)),
    )


def main_stall(found: Sequence[stalls.Stall]) -> stalls.Stall | None:
    """The longest stall; one with a baseline before a longer one without is not preferred."""
    real = [one for one in found if one.kind == "stall"]
    return max(real, key=lambda one: (one.span.seconds, -one.onset), default=None)


def _main_document(context: Context) -> contract.StallDoc | None:
    real = [one for one in context.stalls if one.kind == "stall"]
    return max(real, key=lambda one: one.duration_s or 0.0, default=None)


def _after(main: stalls.Stall, found: Sequence[stalls.Stall], evidence: Evidence) -> Span | None:
    """The quiet half minute after a stall (and its drain) that has nothing before it."""
    if main.end is None:
        return None
    start = max((one.span.end for one in found if one.kind == "recovery_burst"), default=main.end)
    start = max(start, main.end)
    others = [one.onset for one in found if one.onset > start and one.kind != "false_positive"]
    last = max(
        (
            int(top)
            for frame in evidence.frames.values()
            if "time" in frame.columns and isinstance(top := frame["time"].max(), int)
        ),
        default=start,
    )
    end = min([start + _AFTER_US, last, *others])
    return Span(start, end) if end > start else None


__all__ = [
    "ClockOverride",
    "Context",
    "Evidence",
    "EvidenceArtifact",
    "analyse",
    "bundle_of",
    "gather",
    "main_stall",
    "measure",
]
