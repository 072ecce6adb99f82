"""Collect the events of the incident's timeline table, in time order."""

from __future__ import annotations

from datetime import UTC, datetime

from pileup.report.case import Case, ReportAnnotation
from pileup.report.text.wording import moment, peak_name

_EVENT_KINDS = {"trigger", "restart", "crash", "semaphore_warning"}
_PRECISION = {"about": "time approximate", "day": "only the day is known"}
MOST_EVENTS = 20


def timeline_events(case: Case) -> list[tuple[datetime, str]]:
    """List (UTC time, text) of stalls, machine events, deadlocks and people's notes, in order."""
    rows: list[tuple[str | None, str]] = []
    if case.analysis is not None:
        for stall in case.analysis.stalls:
            kind = stall.kind.replace("_", " ")
            rows.append((stall.onset, f"{kind} begins"))
            rows.append((stall.end, f"{kind} ends"))
            if stall.peak_waiters is not None:
                rows.append((stall.peak_at, f"{peak_name(stall).lower()}: {stall.peak_waiters}"))
        rows += [
            (event.time, _first_line(event.message))
            for event in case.analysis.events
            if event.time and event.kind in _EVENT_KINDS
        ][:MOST_EVENTS]
        rows += [
            (deadlock.time, f"deadlock ({deadlock.kind_label}): {deadlock.relation}")
            for deadlock in case.analysis.deadlocks
        ]
    events = [(at, text) for iso, text in rows if iso and (at := moment(iso)) is not None]
    events += [(note.start.astimezone(UTC), _note_words(note)) for note in case.annotations]
    return sorted(events)


def _note_words(note: ReportAnnotation) -> str:
    decision = "Decision: " if note.kind == "decision" else ""
    details = [part for part in (note.author, _PRECISION.get(note.precision)) if part]
    return f"{decision}{note.text}" + (f" ({'; '.join(details)})" if details else "")


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= 160 else f"{line[:159]}…"
