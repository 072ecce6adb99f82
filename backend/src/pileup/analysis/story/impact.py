"""What a stall cost: seconds that sessions waited, and work that was not done."""

from __future__ import annotations

import statistics

import msgspec

from pileup.analysis.blocked_time import disagreements
from pileup.analysis.contract import ActiveSessionsDoc, StallDoc, StoryImpact
from pileup.analysis.evidence.context import Context, Span
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.times import clock_text, iso, parse
from pileup.analysis.stalls import indicators
from pileup.knowledge.wait_classes import UNKNOWN
from pileup.numerals import counted, grouped, number, numbers

_FELL = 0.9
"""From this share of the usual rate on, nothing is missing that noise could not explain."""
_LEAST_SAMPLES = 3
_SHORT = 120
"""Seconds, or minutes, from which on the next unit is used."""
_LONG_H = 100
"""Hours beside which minutes say nothing."""
_GOES_ON = 0.5
"""From this share of the usual rate on, a median hides that for a while nothing was done."""
_NEXT_TO_NOTHING = 0.1
"""Up to this share of the usual rate, users get no answers."""
_UNKNOWN = 0.05
"""From this share of the active time on, what no file shows may be waiting as well."""
_STANDSTILL_S = 6.0
"""Shorter standstills may be a debugger's: it holds the server still while it walks the stacks."""


def impact(context: Context, stall: StallDoc, active: ActiveSessionsDoc | None) -> StoryImpact:
    """Measure the cost of a stall as far as its evidence shows it."""
    waited, share = _waited(active)
    unit, work = _work(context)
    before = _inside(work, context.baseline if context.baseline_is_before else None)
    inside = _inside(work, context.stall)
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
    goes_on = usual is not None and during is not None and during >= _GOES_ON * usual
    if usual and goes_on and work is not None and context.stall is not None:
        since, lasted = _longest_standstill(work, context.stall, _NEXT_TO_NOTHING * usual)
        if lasted > _STANDSTILL_S:
            cost = msgspec.structs.replace(cost, standstill_at=iso(since), standstill_s=lasted)
    doubts = disagreements.waiting_and_running(stall, active) if active else []
    unknown = sum(each.share for each in active.classes if each.id == UNKNOWN) if active else 0.0
    sentences = _sentences(cost, stall, unknown)
    return msgspec.structs.replace(cost, sentences=[*sentences, *doubts])


def _waited(active: ActiveSessionsDoc | None) -> tuple[float | None, float | None]:
    if active is None or not active.seconds or not any(c.waits for c in active.classes):
        return None, None
    share = min(1.0, sum(each.share for each in active.classes if each.waits))
    return round(share * active.seconds, 1), round(share, 4)


def _work(context: Context) -> tuple[str, indicators.Signal | None]:
    """Return what users' work is counted in, and its rate per second; ('', None): not known."""
    if context.stall is None or context.values.is_empty():
        return "", None
    work = indicators.throughput(context.values, context.host, context.stall)
    unit = indicators.WORK_UNITS.get(short_name(work.series).lower(), "") if work else ""
    return (unit, work) if unit else ("", None)


def _longest_standstill(work: indicators.Signal, stall: Span, most: float) -> tuple[int, float]:
    """Return start and seconds of the longest run of samples of at most ``most`` in a stall."""
    longest, since = (stall.start, 0.0), None
    for time, value in zip(work.times, work.values, strict=True):
        if not stall.start <= time <= stall.end or value > most:
            since = None
            continue
        # A rate is of the time since the sample before it.
        since = time - work.interval_us if since is None else since
        longest = max(longest, (since, (time - since) / 1e6), key=lambda run: run[1])
    return longest


def _inside(work: indicators.Signal | None, span: Span | None) -> list[float]:
    """Return the values in a span; none where they are too few to know a level."""
    if span is None or work is None:
        return []
    inside = [
        value
        for time, value in zip(work.times, work.values, strict=True)
        if span.start <= time <= span.end
    ]
    return inside if len(inside) >= _LEAST_SAMPLES else []


def _median(values: list[float]) -> float | None:
    return round(statistics.median(values), 2) if values else None


def _sentences(cost: StoryImpact, stall: StallDoc, unknown: float = 0.0) -> list[str]:
    """Write what the stall cost. unknown: share of the active time that no file shows."""
    found = []
    least = "at least " if unknown >= _UNKNOWN else ""
    if cost.waited_s and cost.waited_s >= 1:
        text = f"Sessions waited {least}{_seconds(cost.waited_s)} in all"
        if stall.duration_s and stall.duration_s >= 1:
            count = max(1, round(cost.waited_s / stall.duration_s))
            at_once = counted(count, "session")
            text += f": about {at_once} at a time for {_seconds(stall.duration_s)}"
        found.append(f"{text}.")
    if cost.usual_per_s and cost.stall_per_s is not None:
        usual, during = numbers(cost.usual_per_s, cost.stall_per_s)
        if cost.missing is not None:
            fell = cost.stall_per_s < _FELL * cost.usual_per_s
            rates = f"; the median rate fell from {usual} to {during} per second" if fell else ""
            found.append(f"The server answered {missing(cost)} than usual{rates}.")
        else:
            more = cost.stall_per_s >= 2 * cost.usual_per_s
            went = "went on answering" if cost.stall_per_s >= cost.usual_per_s else "answered"
            what = f"answered more {cost.unit} than usual" if more else f"{went} {cost.unit}"
            rates = f"{during} per second, usually about {usual} (medians)"
            found.append(f"The server {what}: {rates}.")
    if cost.standstill_s is not None and cost.standstill_at:
        since = clock_text(parse(cost.standstill_at))
        for_s = _seconds(cost.standstill_s)
        found.append(f"For {for_s} from {since}, the server answered almost no {cost.unit}.")
    if cost.waited_share is not None:
        share = f"{cost.waited_share:.0%}"
        share = "almost all" if share == "100%" else share
        rest = f"; for {unknown:.0%} of it, no file shows what they did" if least else ""
        found.append(f"Active sessions spent {least}{share} of their time waiting{rest}.")
    return found


def missing(cost: StoryImpact) -> str:
    """Return the work that was not done: 'about 27 000 statements fewer'."""
    return f"about {_about(cost.missing or 0)} {cost.unit} fewer"


def _seconds(value: float) -> str:
    """Format a duration for a sentence: '57 s', '12 min', '3 h 56 min'."""
    if value < _SHORT:
        return f"{number(round(value))} s"
    minutes = round(value / 60)
    if minutes < _SHORT:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{grouped(hours)} h {rest} min" if rest and hours < _LONG_H else f"{grouped(hours)} h"


def _about(value: float) -> str:
    """Format with two significant digits: what only arithmetic gives is not exact."""
    size = 10 ** max(0, len(str(int(value))) - 2)
    return grouped(round(value / size) * size)


__all__ = ["impact", "missing"]
