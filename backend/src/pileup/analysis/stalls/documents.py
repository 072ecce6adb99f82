"""Convert stalls to documents: how each relevant series moved, and the worst moment."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import polars as pl

from pileup.analysis.contract import ComputedStall, RootDoc, StallDoc, StallEvidence, Window
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.times import iso, iso_of, parse
from pileup.analysis.stalls.baselines import Baseline
from pileup.analysis.stalls.detection import Stall
from pileup.analysis.stalls.indicators import throughput
from pileup.knowledge.series_titles import amount, title_of_id
from pileup.numerals import number, numbers

_Stall = TypeVar("_Stall", Stall, StallDoc)
_WAITS = ("innodb.semaphore_waits", "innodb.lock_wait_transactions")
_TELLING = ("processlist.running", *_WAITS)
_WORTH = 5.0
_NEARLY = 0.97
"""Share of the waiters at the peak from which on as many are behind a root as wait there."""
_LISTED = 0.7
"""Fewest listed waiters, as a share of the extra sessions, that count as the peak."""


def document(
    stall: Stall,
    values: pl.DataFrame,
    compared: Baseline | None = None,
    waiting: tuple[int, int] | None = None,
) -> StallDoc:
    """Build the document of one stall with its evidence. values: see ``series.values``.

    compared: its baseline if the capture has nothing before it.
    waiting: number of waiting threads in the wait graph of its worst moment, and the time.
    """
    mine = values
    if stall.host is not None:
        mine = values.filter(pl.col("host").is_null() | (pl.col("host") == stall.host))
    peak = _peak(stall, mine, waiting)
    end = stall.end if stall.end is not None else None
    until = stall.end if stall.end is not None else stall.last
    how = compared.how if compared else ""
    notes = " ".join(name for name in (stall.note, how, peak.note) if name)
    return StallDoc(
        kind=stall.kind,
        baseline=_window(stall.baseline),
        onset=iso_of(stall.onset),
        end=iso(end),
        duration_s=(until - stall.onset) / 1e6 if until > stall.onset else None,
        peak_at=iso(peak.at),
        peak_waiters=peak.count,
        peak_counts=peak.counts,
        evidence=_evidence(stall, mine),
        note=notes,
        host=stall.host,
        corrected_by=stall.corrected_by,
        computed=_computed(stall.computed),
        shape=stall.shape,
        also=list(stall.also),
    )


def _computed(stall: Stall | None) -> ComputedStall | None:
    if stall is None:
        return None
    return ComputedStall(
        onset=iso_of(stall.onset), end=iso(stall.end), baseline=_window(stall.baseline)
    )


def _window(span: Span | None) -> Window | None:
    return None if span is None else Window(start=iso_of(span.start), end=iso_of(span.end))


def main_stall(stalls: Sequence[_Stall]) -> _Stall | None:
    """Return the stall that screens and reports describe.

    It is the one that the analysis marks as leading; before it does, the longest, the first of
    equals. One with a baseline before a longer one without is not preferred.
    """
    real = [stall for stall in stalls if stall.kind == "stall"]
    for stall in real:
        if isinstance(stall, StallDoc) and stall.leading:
            return stall
    return max(real, key=lambda stall: (stall.duration_s or 0.0, -_onset_us(stall)), default=None)


def _onset_us(stall: Stall | StallDoc) -> int:
    return stall.onset if isinstance(stall.onset, int) else parse(stall.onset)


def worst_time(stall: StallDoc | None) -> int | None:
    """Return the time (UTC µs) of the peak of waiting threads; None if no snapshot shows it."""
    if stall is None or stall.peak_counts != "waiting" or stall.peak_at is None:
        return None
    return parse(stall.peak_at)


def telling_time(stall: StallDoc | None, roots: Sequence[RootDoc]) -> int | None:
    """Return the moment (UTC µs) whose wait graph shows what a stall is about; None: none is known.

    It is the moment with most sessions behind the leading root, if nearly as many are behind it as
    wait at the peak, or if another root may block more at the peak; else the peak of waiting
    threads.
    """
    leading = roots[0] if stall is not None and roots else None
    if stall is None or leading is None or leading.time is None:
        return worst_time(stall)
    is_steady = leading.moments >= leading.of
    peak = stall.peak_waiters
    if is_steady and (peak is None or leading.behind < _NEARLY * peak):
        return worst_time(stall)
    return parse(leading.time)


@dataclass(frozen=True, slots=True)
class _Peak:
    count: int | None
    at: int | None
    counts: Literal["waiting", "running"] = "waiting"
    note: str = ""


def _peak(stall: Stall, values: pl.DataFrame, waiting: tuple[int, int] | None) -> _Peak:
    """Return the peak: threads waiting in a moment's wait graph, else sessions running."""
    span = stall.span
    waiting = waiting or _listed(values, span)
    most = _Peak(*waiting) if waiting else _Peak(None, None)
    running = stall.signal if stall.signal and stall.signal.role == "concurrency" else None
    if running is None or running.series in _WAITS:
        return most
    inside = [
        (value, -time)
        for time, value in zip(running.times, running.values, strict=True)
        if span.start <= time <= span.end
    ]
    if not inside:
        return most
    value, negative = max(inside)
    usual = _median(running.times, running.values, stall.baseline) or 0.0
    if waiting and waiting[0] >= _LISTED * (value - usual):
        return most
    note = (
        f"The peak is of “{title_of_id(running.id).words}”: the snapshots show few of these "
        "sessions waiting."
    )
    return _Peak(
        round(value), -negative, "running", note if stall.kind == "stall" and waiting else ""
    )


def _listed(values: pl.DataFrame, span: Span) -> tuple[int, int] | None:
    """Return the peak of waiters that dumps count without listing them."""
    listed = (
        values.filter(pl.col("series").is_in(_WAITS) & span.holds())
        .group_by("artifact", "time", "series")  # two dumps of one printed second: the larger
        .agg(pl.col("value").max())
        .group_by("artifact", "time")
        .agg(pl.col("value").sum())
        .sort("value", "time", descending=[True, False], maintain_order=True)
    )
    return (int(listed["value"][0]), int(listed["time"][0])) if listed.height else None


def _evidence(stall: Stall, values: pl.DataFrame) -> list[StallEvidence]:
    wide = stall.span.widened(60)
    docs: list[StallEvidence] = []
    seen: set[str] = set()
    if stall.signal is not None:
        docs.append(_of(stall, stall.signal.id, stall.signal.times, stall.signal.values))
        seen.add(stall.signal.id)
    work = throughput(values, stall.host, wide)
    if work is not None and work.id not in seen:
        docs.append(_of(stall, work.id, work.times, work.values))
        seen.add(work.id)
    rows = values.filter(pl.col("series").is_in(_TELLING) & wide.holds())
    for (id_,), frame in rows.group_by("id", maintain_order=True):
        merged = frame.group_by("time").agg(pl.col("value").max()).sort("time")
        doc = _of(stall, str(id_), merged["time"].to_list(), merged["value"].to_list())
        if str(id_) not in seen and (doc.peak or 0) >= _WORTH:
            docs.append(doc)
    return docs


def _of(stall: Stall, id_: str, times: list[int], values: list[float]) -> StallEvidence:
    base = _median(times, values, stall.baseline)
    inside = [
        (time, value)
        for time, value in zip(times, values, strict=True)
        if stall.span.start <= time <= stall.span.end  # as every other level of the stall
    ]
    level = statistics.median(value for _, value in inside) if inside else None
    down = base is not None and level is not None and level < base
    ends = max(
        stall.span.end, stall.span.start + 1
    )  # the sample of the end belongs to what follows
    extreme = (min if down else max)((value for time, value in inside if time < ends), default=None)
    named = title_of_id(id_)
    name = named.words
    if stall.kind != "stall" and extreme is not None:
        text = f"{name} up to {amount(number(extreme), named.unit)}"
    elif base is None or level is None:
        held = "without a sample" if level is None else f"at {amount(number(level), named.unit)}"
        text = f"{name} {held} in the stall (no baseline)"
    else:
        verb = "fell" if down else "rose" if level > base else "stayed"
        before, during, *rest = numbers(base, level, *([] if extreme is None else [extreme]))
        to = amount(during, named.unit)
        span = f"at {to}" if verb == "stayed" else f"from {before} to {to}"
        most = f" ({'lowest' if down else 'peak'} {rest[0]})" if rest else ""
        text = f"{name} {verb} {span}{most}"
    return StallEvidence(
        series=id_,
        baseline=base,
        stall=level,
        peak=extreme,
        direction="down" if down else "up",
        onset=_onset(inside, base, level),
        text=text,
    )


def _onset(inside: list[tuple[int, float]], base: float | None, level: float | None) -> str | None:
    """Return when this series was half way to its level in the stall."""
    if base is None or level is None or base == level:
        return None
    half = (base + level) / 2
    for time, value in inside:
        if (value >= half) == (level > base):
            return iso(time)
    return None


def _median(times: list[int], values: list[float], span: Span | None) -> float | None:
    if span is None:
        return None
    inside = [v for t, v in zip(times, values, strict=True) if span.start <= t <= span.end]
    return statistics.median(inside) if inside else None
