"""Tell a load that a server carries from a stall, where it is as busy in the whole capture.

There is no baseline then: sessions that wait make it a stall. Where no record could show waits,
statements that are done in less than a second each make it a load.
"""

from __future__ import annotations

import statistics

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import short_name
from pileup.analysis.stacks.hot_stacks import clean, is_waiting
from pileup.analysis.stalls.indicators import Signal
from pileup.knowledge import match_stack, wait_classes

_LEAST_WAITING = 0.1
"""Share of the running sessions that wait at some moment of a stall."""
_PROMPT_S = 1.0
"""Seconds that a statement takes at most, on average, where the server carries its load."""
_GAUGES = ("innodb.semaphore_waits", "innodb.lock_wait_transactions")
_CURRENT = ("innodb_row_lock_current_waits", "lock_row_lock_current_waits")
_MOMENT = ("artifact", "snapshot", "time")


def is_carried(evidence: Evidence, values: pl.DataFrame, work: Signal | None, level: float) -> bool:
    """Return whether so many running sessions are a load; work: statements per second."""
    shown = (_by_gauge(values), _by_session(evidence), _by_lock(evidence), _by_stack(evidence))
    known = [most for most in shown if most is not None]
    if known:
        return max(known) < _LEAST_WAITING * level
    return work is not None and statistics.median(work.values) * _PROMPT_S >= level


def waiting_in(evidence: Evidence, span: Span) -> float:
    """Return the most sessions or threads that a listing in a time range shows waiting."""
    shown = (_by_session(evidence, span), _by_lock(evidence, span), _by_stack(evidence, span))
    return max((most for most in shown if most is not None), default=0.0)


def _by_gauge(values: pl.DataFrame) -> float | None:
    names = [
        name
        for name in values["series"].unique().to_list()
        if name in _GAUGES or short_name(name) in _CURRENT
    ]
    return _number(values.filter(pl.col("series").is_in(names))["value"].max()) if names else None


def _frame(evidence: Evidence, kind: str, span: Span | None) -> pl.DataFrame | None:
    frame = evidence.frame(kind)
    return frame if frame is None or span is None else frame.filter(span.holds())


def _by_session(evidence: Evidence, span: Span | None = None) -> float | None:
    frame = _frame(evidence, "session", span)
    if frame is None:
        return None
    classes = {each.id for each in wait_classes.time_classes() if each.waits}
    pairs = frame.select("command", "state").unique()
    waiting = pairs.filter(
        pl.Series(
            [wait_classes.of_state(*pair) in classes for pair in pairs.iter_rows()],
            dtype=pl.Boolean,
        )
    )
    return _most(frame.join(waiting, on=["command", "state"], how="semi", nulls_equal=True))


def _by_lock(evidence: Evidence, span: Span | None = None) -> float | None:
    most = None
    if (frame := _frame(evidence, "lock_wait", span)) is not None:
        most = _most(frame)
    if (frame := _frame(evidence, "metadata_lock", span)) is not None:
        most = max(most or 0.0, _most(frame.filter(pl.col("status") == "PENDING")))
    return most


def _by_stack(evidence: Evidence, span: Span | None = None) -> float | None:
    frame = _frame(evidence, "stack", span)
    if frame is None:
        return None
    threads: list[int] = []
    for count, samples, frames in frame.select("count", "samples", "frames").iter_rows():
        names = tuple(clean(each["function"] or "??") for each in frames)
        meaning = match_stack(names)
        idle = meaning is not None and meaning.set_aside
        threads.append(0 if idle or not is_waiting(names) else (count // max(1, samples) or 1))
    counted = frame.select(_MOMENT).with_columns(pl.Series("threads", threads, dtype=pl.Int64))
    return _number(counted.group_by(_MOMENT).agg(pl.col("threads").sum())["threads"].max())


def _most(frame: pl.DataFrame) -> float:
    return _number(frame.group_by(_MOMENT).len()["len"].max())


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


__all__ = ["is_carried", "waiting_in"]
