"""Measure and judge one capture: its stalls, then each stall with its waits and findings.

This sees the rows of one capture only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec
import polars as pl

from pileup.analysis import contract, story
from pileup.analysis.blocked_time import blockers, measure
from pileup.analysis.captures import throughput, untimed
from pileup.analysis.captures.partition import Capture
from pileup.analysis.evidence import listed_times, series, servers
from pileup.analysis.evidence.answers import Answers, Missing
from pileup.analysis.evidence.context import Context, Server, Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.findings import signatures, slow_queries, summary, triage
from pileup.analysis.findings.observed import Observed
from pileup.analysis.stacks import hot_stacks, same_samples
from pileup.analysis.stalls import baselines, corrections, detection, shifts
from pileup.analysis.stalls import documents as stall_documents
from pileup.analysis.stalls.corrections import StallCorrection
from pileup.analysis.waits import moment_graph, moments, persistence


@dataclass(slots=True)
class Examined:
    """One capture with its stalls; ``Missing`` where a question failed."""

    capture: Capture
    evidence: Evidence
    answers: Answers
    values: pl.DataFrame
    stalls: list[detection.Stall]
    every: list[moments.WaitMoment]
    documents: dict[int, contract.StallDoc] = field(default_factory=dict)
    """Stalls without a baseline from elsewhere, by index."""

    @property
    def real(self) -> list[detection.Stall]:
        """The stalls, without false positives and recovery bursts."""
        if isinstance(self.stalls, Missing):
            return []
        return [stall for stall in self.stalls if stall.kind == "stall"]


@dataclass(frozen=True, slots=True)
class Judged:
    """The parts of the document that are about one stall, or about a capture without any."""

    stall: contract.StallDoc | None
    stalls: list[contract.StallDoc]
    """Every stall of the capture, also short ones and recovery bursts."""
    headline: contract.Headline
    story: contract.StoryDoc | None
    server: dict[str, str | None]
    shifts: list[contract.ShiftDoc]
    hot_waits: list[contract.HotWaitDoc]
    hot_latches: list[contract.HotLatchDoc]
    blockers: list[contract.BlockerDoc]
    hot_stacks: list[contract.HotStackDoc]
    triage: list[contract.TriageDoc]
    limits: list[contract.LimitDoc]
    findings: list[contract.FindingDoc]
    absences: list[contract.AbsenceDoc]
    looked_at: contract.LookedAtDoc | None
    slow_queries: list[contract.SlowQueryDoc]
    persistence: contract.WaitPersistence | None
    context: Context
    active_sessions: contract.ActiveSessionsDoc | None
    roots: list[contract.RootDoc]
    blocked: measure.BlockedTime
    """Missing where the question failed."""


def examine(
    capture: Capture,
    captures: Sequence[Capture],
    evidence: Evidence,
    corrections_by_people: Sequence[StallCorrection],
    answers: Answers,
) -> Examined:
    """Convert the samples of a capture, out of all captures, to values and detect its stalls.

    A stack sample that gdb and pt-pmp both wrote is one, in moments, wait graphs and findings; how
    far an applier is behind is no wait.
    """
    whole = evidence
    evidence = answers.settle("waits", lambda: same_samples.without_repeated(whole), whole)
    listed = evidence
    evidence = answers.settle("waits", lambda: listed_times.without_lags(listed), listed)
    values = answers.ask("series", lambda: series.values(evidence.frame("sample")))
    stalls = answers.ask(
        "stalls",
        lambda: corrections.corrected(
            _of_capture(detection.find(evidence, values), capture, captures),
            corrections_by_people,
        ),
    )
    placed = answers.settle("waits", lambda: untimed.in_stall(evidence, stalls), evidence)
    every = answers.ask("waits", lambda: moments.moments(placed))
    return Examined(capture, placed, answers, values, stalls, every)


def _of_capture(
    stalls: Sequence[detection.Stall], capture: Capture, captures: Sequence[Capture]
) -> list[detection.Stall]:
    """Return the stalls that a capture shows itself.

    Not those of samples lent to it alone, nor those of a log's lines nearer to another capture of
    its host.
    """
    if capture.span is None:
        return list(stalls)
    first, last = capture.span.start, capture.span.end
    if capture.lent:
        stalls = [s for s in stalls if s.span.start <= last and first <= s.span.end]
    if not any(capture.apart(stall.span) for stall in stalls):
        return list(stalls)
    others = [other for other in captures if other.host == capture.host]
    return [
        stall
        for stall in stalls
        if capture.apart(stall.span) <= min(other.apart(stall.span) for other in others)
    ]


def judge(
    examined: Examined,
    stall: detection.Stall | None,
    neighbours: Callable[[], pl.DataFrame],
) -> Judged:
    """Answer every question about one stall of a capture.

    stall: None: about the whole capture. neighbours: values of other hosts in the same seconds,
    for a stall without a quiet time of its own.
    """
    answers = examined.answers
    settle, listed = answers.settle, answers.listed
    context, blocked, document = _measure(examined, stall, neighbours)
    hot_waits = listed("hot_waits", lambda: context.hot_waits)
    roots = listed("blockers", lambda: blockers.blockers(blocked))
    observed = Observed(context, answers.settle("blocked_time", lambda: blocked, None))
    diagnosis = settle(
        "findings", lambda: signatures.diagnose(observed, answers), signatures.NOTHING_CHECKED
    )
    findings = list(diagnosis.findings)
    sentence, whole_story = settle(
        "story",
        lambda: story.tell(context, document, blocked.roots, blocked.active, findings),
        ("", None),
    )
    return Judged(
        stall=settle("stalls", lambda: document, None),
        stalls=listed("stalls", lambda: context.stalls),
        headline=settle(
            "headline",
            lambda: _with_story(
                summary.headline(context, document, roots, hot_waits, findings, blocked.active),
                sentence,
            ),
            summary.NOT_ANSWERED,
        ),
        story=whole_story,
        server=settle("server", lambda: servers.names(context.server), servers.names(Server())),
        shifts=listed("shifts", lambda: context.shifts),
        hot_waits=hot_waits,
        hot_latches=listed("hot_latches", lambda: context.hot_latches),
        blockers=roots,
        hot_stacks=listed("hot_stacks", lambda: context.hot_stacks),
        triage=listed("triage", lambda: triage.triage(observed, answers, findings)),
        limits=listed("limits", lambda: observed.limits),
        findings=findings,
        absences=list(diagnosis.absences),
        looked_at=diagnosis.looked_at,
        slow_queries=listed("slow_queries", lambda: context.slow_queries),
        persistence=settle(
            "persistence", lambda: persistence.wait_persistence(blocked.tally), None
        ),
        context=context,
        active_sessions=settle("active_sessions", lambda: blocked.active, None),
        roots=listed("roots", lambda: blocked.roots),
        blocked=blocked,
    )


def _with_story(headline: contract.Headline, sentence: str) -> contract.Headline:
    """Return a headline with its sentence; a capture without a stall has none to tell."""
    if headline.verdict == "no_stall":
        return headline
    return msgspec.structs.replace(headline, story=sentence)


def document_of(examined: Examined, at: int) -> contract.StallDoc:
    """Describe one stall of a capture by itself; each is described once."""
    if at not in examined.documents:
        stall = examined.stalls[at]
        waiting = examined.answers.settle(
            "peak_waiters", lambda: _most_waiting(examined, stall, None), None
        )
        examined.documents[at] = stall_documents.document(stall, examined.values, None, waiting)
    return examined.documents[at]


def _measure(
    examined: Examined, wanted: detection.Stall | None, neighbours: Callable[[], pl.DataFrame]
) -> tuple[Context, measure.BlockedTime, contract.StallDoc | None]:
    """Measure what rules and sentences need, and count the wait graphs of the stall.

    A measure that fails is a ``Missing``: ``answers`` records it, and what reads it.
    """
    ask, evidence, values = examined.answers.ask, examined.evidence, examined.values
    stalls = examined.stalls
    main = ask("stalls", lambda: wanted if len(stalls) else None)  # unknown where stalls are
    span = ask("stalls", lambda: main.span if main else None)
    host = ask("stalls", lambda: main.host if main else None)
    settings = ask("settings", lambda: servers.effective_settings(evidence, host))
    chosen = ask(
        "baseline", lambda: baselines.choose(main, stalls, values, neighbours) if main else None
    )
    server = ask("server", lambda: servers.server(evidence, settings))
    blocked = ask("waits", lambda: _blocked(examined, span, host, server))
    baseline = ask("baseline", lambda: chosen.span if chosen else None)
    document = ask(
        "stalls", lambda: _main_document(examined, main, chosen, blocked) if main else None
    )
    context = Context(
        evidence=evidence,
        server=server,
        settings=settings,
        stalls=ask(
            "stalls",
            lambda: tuple(
                document if stall is main and document else document_of(examined, at)
                for at, stall in enumerate(stalls)
            ),
        ),
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
        hot_latches=ask(
            "hot_latches", lambda: tuple(moment_graph.hot_latches(evidence, span, context.server))
        ),
        hot_stacks=ask("hot_stacks", lambda: _hot_stacks(evidence, span)),
        slow_queries=ask(
            "slow_queries",
            lambda: tuple(slow_queries.slow_queries(evidence, span, baseline)),
        ),
    )
    return whole, blocked, document


def _blocked(
    examined: Examined, span: Span | None, host: str | None, server: Server
) -> measure.BlockedTime:
    choice = moments.choose_moments(examined.every, span, host)
    return measure.blocked_time(
        examined.evidence, examined.every, choice, examined.values, span, host, server
    )


def _main_document(
    examined: Examined,
    stall: detection.Stall,
    chosen: baselines.Baseline | None,
    blocked: measure.BlockedTime,
) -> contract.StallDoc:
    settle = examined.answers.settle
    waiting = settle("peak_waiters", lambda: _most_waiting(examined, stall, blocked), None)
    compared = settle("baseline", lambda: chosen, None)
    return stall_documents.document(stall, examined.values, compared, waiting)


def _hot_stacks(evidence: Evidence, span: Span | None) -> tuple[contract.HotStackDoc, ...]:
    return tuple(hot_stacks.hot_stacks(evidence, span))


def _shifts(context: Context) -> tuple[contract.ShiftDoc, ...]:
    if not context.stall or not context.baseline:
        return ()
    adjoins = context.baseline_is_before
    return tuple(shifts.shifts(context.values, context.stall, context.baseline, adjoins=adjoins))


def active_sessions(
    examined: Examined, judged: Sequence[Judged]
) -> contract.ActiveSessionsDoc | None:
    """Draw the active sessions of a whole capture. judged: what was judged of it."""
    stalls = [each.blocked for each in judged if not isinstance(each.blocked, Missing)]
    return examined.answers.settle(
        "active_sessions",
        lambda: throughput.with_throughput(
            measure.of_capture(examined.evidence, examined.values, None, stalls),
            examined.values,
            examined.capture.host,
        ),
        None,
    )


def _most_waiting(
    examined: Examined, stall: detection.Stall, blocked: measure.BlockedTime | None
) -> tuple[int, int] | None:
    """Return the peak of waiting threads and its time, over the worst and all chosen moments."""
    if blocked is None:
        return measure.peak_waiting(examined.evidence, examined.every, stall.span, stall.host)
    worst = blocked.worst
    found = (
        (worst.threads, worst.moment.time)
        if worst is not None and worst.moment.time is not None and worst.moment.waiting
        else None,
        blocked.tally.most,
    )
    return max((row for row in found if row), key=lambda row: (row[0], -row[1]), default=None)


__all__ = ["Examined", "Judged", "active_sessions", "document_of", "examine", "judge"]
