"""Draw the active sessions of a capture by class of time, as at the top of the overview."""

from __future__ import annotations

import math
from collections.abc import Callable

from pileup.analysis.contract import ActiveSessionsDoc, Analysis, CaptureDoc
from pileup.report.case import Case
from pileup.report.document import (
    Block,
    ClassBand,
    Figure,
    Run,
    SessionsDrawing,
    SessionsMark,
    Trouble,
)
from pileup.report.text import active_time, stall_choice
from pileup.report.text.wording import ms, stall_spans

_NONE = "No artifact shows how many sessions were active over time."
_SAME_MS = 3000.0
"""The onset has no mark of its own where another is as near."""


def sessions(case: Case, names: dict[str, str], _: Callable[[str], int]) -> list[Block]:
    """Draw the capture of the leading stall, or of the one that the arguments name."""
    chosen = stall_choice.choose(case, "active-sessions", names)
    if isinstance(chosen, Trouble):
        return [chosen]
    shown = chosen or stall_choice.leading(case)
    capture = shown.capture if shown else _first(case.analysis)
    doc = capture.active_sessions if capture else None
    if case.analysis is None or capture is None or doc is None or len(doc.times) < 2:
        return [Trouble(_NONE)]
    is_leading = shown is not None and shown.episode is not None and shown.episode.leading
    drawing = SessionsDrawing(
        times=[ms(time) for time in doc.times],
        classes=[ClassBand(c.id, c.title, c.share, c.values) for c in doc.classes if any(c.values)],
        stalls=_inside(case, capture),
        gaps=[(ms(gap.start), ms(gap.end)) for gap in capture.gaps],
        marks=_marks(case.analysis, doc) if is_leading else [],
        work=doc.throughput.values if doc.throughput else [],
        work_title=doc.throughput.title if doc.throughput else "",
    )
    caption = names.get("caption") or (
        f"Active sessions by what they did, in the whole chart: {active_time.time_sentence(doc)} "
        + ("The stall is shaded." if drawing.stalls else "No stall was detected.")
        + stall_choice.named(case, shown)
    )
    return [Figure(drawing, [Run(caption)], f"Active sessions over time. {caption}")]


def are_known(case: Case) -> bool:
    """Return whether the block of an incident without arguments draws anything."""
    shown = stall_choice.leading(case)
    capture = shown.capture if shown else _first(case.analysis)
    doc = capture.active_sessions if capture else None
    return doc is not None and len(doc.times) > 1


def _first(analysis: Analysis | None) -> CaptureDoc | None:
    captures = analysis.captures if analysis else []
    return next((capture for capture in captures if capture.active_sessions), None)


def _inside(case: Case, capture: CaptureDoc) -> list[tuple[float, float | None]]:
    """Return the stalls that a capture overlaps."""
    if capture.first is None or capture.last is None:
        return []
    first, last = ms(capture.first), ms(capture.last)
    return [
        (start, end)
        for start, end in stall_spans(case)
        if start <= last and (end is None or end >= first)
    ]


def _marks(analysis: Analysis, doc: ActiveSessionsDoc) -> list[SessionsMark]:
    """Return the turning points of the story, and the onset where none is as near."""
    first, last = ms(doc.times[0]), ms(doc.times[-1])
    turns = analysis.story.marks if analysis.story else []
    marks = []
    for turn in turns:
        at = ms(turn.at)
        if at < first and turn.kind != "end":
            marks.append(SessionsMark(first, f"← {turn.text}"))
        elif first <= at <= last:
            marks.append(SessionsMark(at, turn.text))
    stall = next((each for each in analysis.stalls if each.leading), None)
    onset = ms(stall.onset) if stall else math.inf
    is_marked = any(abs(ms(turn.at) - onset) < _SAME_MS for turn in turns if turn.kind != "end")
    if first <= onset <= last and not is_marked:
        before = sum(mark.at <= onset for mark in marks)  # they are in the order of time
        marks.insert(before, SessionsMark(onset, "onset"))
    return marks


__all__ = ["are_known", "sessions"]
