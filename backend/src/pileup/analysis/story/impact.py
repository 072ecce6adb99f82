"""What a stall cost: seconds that sessions waited, and work that was not done."""

from __future__ import annotations

import statistics

import msgspec

from pileup.analysis.blocked_time import disagreements
from pileup.analysis.contract import ActiveSessionsDoc, StallDoc, StoryImpact
from pileup.analysis.evidence.context import Context, Span
from pileup.analysis.evidence.series import short_name
from pileup.analysis.stalls import indicators
from pileup.numerals import grouped, number, numbers

_FELL = 0.9
"""From this share of the usual rate on, nothing is missing that noise could not explain."""
_LEAST_SAMPLES = 3


def impact(context: Context, stall: StallDoc, active: ActiveSessionsDoc | None) -> StoryImpact:
    """Measure the cost of a stall as far as its evidence shows it."""
    waited, share = _waited(active)
    unit, before, inside = _rates(context)
    usual, during = _median(before), _median(inside)
    seconds = stall.duration_s
    missing = None
    if usual and during is not None and seconds:
        # What was done is a sum, bursts included; what would have been done goes by the usual rate.
        lacking = usual - statistics.fmean(inside)
        if lacking >= (1 - _FELL) * usual:
            missing = lacking * seconds
    cost = StoryImpact(
        waited_s=waited,
        waited_share=share,
        unit=unit,
        usual_per_s=usual,
        stall_per_s=during,
        missing=missing,
    )
    doubts = disagreements.waiting_and_running(stall, active) if active else []
    return msgspec.structs.replace(cost, sentences=[*_sentences(cost, stall), *doubts])


def _waited(active: ActiveSessionsDoc | None) -> tuple[float | None, float | None]:
    if active is None or not active.seconds or not any(c.waits for c in active.classes):
        return None, None
    share = min(1.0, sum(each.share for each in active.classes if each.waits))
    return round(share * active.seconds, 1), round(share, 4)


def _rates(context: Context) -> tuple[str, list[float], list[float]]:
    """Return what is counted, and its rates per second before and during the stall."""
    if context.stall is None or context.values.is_empty():
        return "", [], []
    work = indicators.throughput(context.values, context.host, context.stall)
    if work is None:
        return "", [], []
    unit = indicators.WORK_UNITS.get(short_name(work.series).lower(), "")
    if not unit:
        return "", [], []
    before = context.baseline if context.baseline_is_before else None
    return unit, _inside(work, before), _inside(work, context.stall)


def _inside(work: indicators.Signal, span: Span | None) -> list[float]:
    """Return the values in a span; none where they are too few to know a level."""
    if span is None:
        return []
    inside = [
        value
        for time, value in zip(work.times, work.values, strict=True)
        if span.start <= time <= span.end
    ]
    return inside if len(inside) >= _LEAST_SAMPLES else []


def _median(values: list[float]) -> float | None:
    return round(statistics.median(values), 2) if values else None


def _sentences(cost: StoryImpact, stall: StallDoc) -> list[str]:
    found = []
    if cost.waited_s and cost.waited_s >= 1:
        text = f"Sessions waited {_seconds(cost.waited_s)} in all"
        if stall.duration_s and stall.duration_s >= 1:
            count = max(1, round(cost.waited_s / stall.duration_s))
            noun = "session" if count == 1 else "sessions"
            text += f": about {grouped(count)} {noun} at a time for {_seconds(stall.duration_s)}"
        found.append(f"{text}.")
    if cost.usual_per_s and cost.stall_per_s is not None:
        usual, during = numbers(cost.usual_per_s, cost.stall_per_s)
        if cost.missing is not None:
            found.append(
                f"The server answered {missing(cost)} than usual: "
                f"{during} per second instead of {usual} (medians)."
            )
        else:
            kept = cost.stall_per_s >= cost.usual_per_s
            went = "went on answering" if kept else "answered"
            than = f"usually about {usual}" if kept else f"instead of {usual}"
            found.append(f"The server {went} {cost.unit}: {during} per second, {than} (medians).")
    if cost.waited_share is not None:
        found.append(f"Active sessions spent {cost.waited_share:.0%} of their time waiting.")
    return found


def missing(cost: StoryImpact) -> str:
    """Return the work that was not done: 'about 27 000 statements fewer'."""
    return f"about {_about(cost.missing or 0)} {cost.unit} fewer"


def _seconds(value: float) -> str:
    """Format a duration for a sentence: '57 s', '12 min', '3 h 56 min'."""
    if value < 120:
        return f"{number(round(value))} s"
    minutes = round(value / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{grouped(hours)} h {rest} min" if rest and hours < 100 else f"{grouped(hours)} h"


def _about(value: float) -> str:
    """Format with two significant digits: what only arithmetic gives is not exact."""
    size = 10 ** max(0, len(str(int(value))) - 2)
    return grouped(round(value / size) * size)


__all__ = ["impact", "missing"]
