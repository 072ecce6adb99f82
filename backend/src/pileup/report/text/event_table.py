"""Draft the incident's timeline: what the capture shows and what people did, in time order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pileup.analysis.contract import Analysis, DeadlockDoc, EventDoc, Locator, StallDoc
from pileup.report.case import Case, ReportAnnotation, ReportExperiment, ReportHypothesis
from pileup.report.text.source_notes import label_of
from pileup.report.text.stall_sources import of_root, of_stall
from pileup.report.text.wording import (
    VERDICTS,
    happened_words,
    main_stall,
    moment,
    peak_words,
    recorded_words,
)

_EVENT_KINDS = {"trigger", "restart", "crash", "semaphore_warning"}
_NOTES = {"decision": "Decision: ", "symptom": "Noticed: "}
MOST_EVENTS = 20
"""At most this many events of the server's log."""


@dataclass(frozen=True, slots=True, order=True)
class TimelineEvent:
    """Something that happened at a known time."""

    at: datetime
    """In UTC."""
    text: str
    by: str
    """The person, or where the capture shows it: 'server', 'log', 'status'."""
    source: str | None = None
    """Label of its source; None: a person recorded it."""
    precision: str = "exact"
    """'exact', 'about', or 'day' when only the day is known."""

    def time_words(self) -> str:
        """Format the time as precisely as it is known."""
        if self.precision == "exact":
            return f"{self.at:%Y-%m-%d %H:%M:%S} UTC"
        return happened_words(self.at, self.precision)


def timeline_events(case: Case) -> list[TimelineEvent]:
    """List the events in time order; what is printed twice for one moment appears once."""
    events = [*(_captured(case.analysis) if case.analysis else ()), *_done(case)]
    once = {(event.at, event.text): event for event in reversed(events)}
    return sorted(once.values(), key=_in_time)


def _in_time(event: TimelineEvent) -> tuple[datetime, TimelineEvent]:
    """Sort key in time; an event of which only the day is known ends its day."""
    day = event.precision == "day"
    return (event.at + timedelta(days=1) if day else event.at), event


def _captured(analysis: Analysis) -> Iterator[TimelineEvent]:
    stall = main_stall(analysis)
    for mark in analysis.story.marks if analysis.story else ():
        if mark.kind != "end":
            yield from _event(mark.at, _sentence(mark.text), "server", of_root(analysis))
    for each in analysis.stalls:
        yield from _stall(analysis, each, leads=each is stall)
    logged = [event for event in analysis.events if event.time and event.kind in _EVENT_KINDS]
    for event in logged[:MOST_EVENTS]:
        yield from _event(event.time, _first_line(event.message), "log", _printed(event))
    for deadlock in analysis.deadlocks:
        text = f"Deadlock ({deadlock.kind_label}): {deadlock.relation}"
        yield from _event(deadlock.time, text, "status", _printed(deadlock))


def _stall(analysis: Analysis, stall: StallDoc, *, leads: bool) -> Iterator[TimelineEvent]:
    source = of_stall(analysis, stall) or (of_root(analysis) if leads else None)
    peak = "" if stall.peak_waiters is None else f" ({peak_words(stall)})"
    if stall.kind == "false_positive":
        text = f"A short spike{peak} that the stall does not explain"
        yield from _event(stall.onset, text, "server", source)
        return
    if stall.kind == "recovery_burst":
        text = f"Work that had queued up runs at once{peak}"
        yield from _event(stall.onset, text, "server", source)
        return
    yield from _event(stall.onset, "The stall begins", "server", source)
    if peak:
        yield from _event(stall.peak_at, f"The worst moment{peak}", "server", source)
    end = next(
        (
            mark.text
            for mark in (analysis.story.marks if analysis.story else ())
            if leads and mark.kind == "end" and mark.text != "end"
        ),
        "",
    )
    text = f"{_sentence(end)}, and the stall ends" if end else "The stall ends"
    yield from _event(stall.end, text, "server", source)


def _done(case: Case) -> Iterator[TimelineEvent]:
    """List what people noticed, noted, decided, tested and concluded."""
    for note in (*case.noticed, *case.annotations):
        text = _late(_note_words(note), note.start, note.recorded_at)
        yield _by(note.start, text, note.author, note.precision)
    for experiment in case.experiments:
        yield from _experiment(experiment)
    for hypothesis in case.hypotheses:
        yield from _conclusion(hypothesis)


def _experiment(experiment: ReportExperiment) -> Iterator[TimelineEvent]:
    name = f"Experiment {experiment.number}"
    if experiment.began is not None:
        text = f"{name} begins: {experiment.title}"
        text = _late(text, experiment.began, experiment.begin_recorded)
        yield _by(experiment.began, text, "", experiment.precision)
    if experiment.ended is not None and experiment.verdict in VERDICTS:
        text = f"{name} ends: {VERDICTS[experiment.verdict]}"
        text = _late(text, experiment.ended, experiment.end_recorded)
        yield _by(experiment.ended, text, "", experiment.precision)


def _conclusion(hypothesis: ReportHypothesis) -> Iterator[TimelineEvent]:
    if hypothesis.status in ("supported", "refuted") and hypothesis.history:
        last = hypothesis.history[-1]
        text = f"{hypothesis.label} {hypothesis.status}: {hypothesis.statement}"
        yield _by(last.at, _late(text, last.at, last.recorded_at), last.by, last.precision)


def _late(text: str, at: datetime, recorded_at: datetime | None) -> str:
    """Return what happened, and when it was recorded where that was later."""
    recorded = recorded_words(at, recorded_at)
    return f"{text} ({recorded})" if recorded else text


def _by(at: datetime, text: str, person: str, precision: str) -> TimelineEvent:
    return TimelineEvent(at.astimezone(UTC), text, person or "team", precision=precision)


def _event(iso: str | None, text: str, by: str, source: Locator | None) -> Iterator[TimelineEvent]:
    at = moment(iso) if iso else None
    if at is not None:
        yield TimelineEvent(at, text, by, label_of(source) if source else None)


def _printed(printed: EventDoc | DeadlockDoc) -> Locator | None:
    if printed.artifact is None or printed.line_first is None:
        return None
    return Locator(
        kind="lines",
        artifact=printed.artifact,
        line_first=printed.line_first,
        line_last=printed.line_first,
    )


def _note_words(note: ReportAnnotation) -> str:
    return f"{_NOTES.get(note.kind, '')}{note.text}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= 160 else f"{line[:159]}…"
