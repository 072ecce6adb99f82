"""Let listings without a time count as seen in the stall that they were collected with.

People paste a processlist beside a metrics file. Where the metrics show one stall, and no listing
of that kind has a time, the list was taken because of it. The file's clock stays unknown: only what
is concluded about the stall uses the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stalls.detection import Stall

_LISTED = (
    "snapshot", "session", "transaction", "semaphore_wait", "stack", "lock_wait", "trx_lock",
    "metadata_lock", "event_wait",
)  # fmt: skip
"""Kinds of records that belong to one moment."""


def in_stall(evidence: Evidence, stalls: Sequence[Stall]) -> Evidence:
    """Return evidence whose listings without a time have that of the only stall's peak.

    Unchanged with several stalls, and for files that print any time.
    """
    real = [stall for stall in stalls if stall.kind == "stall"]
    if len(real) != 1:
        return evidence
    moment = _peak(real[0])
    listed = {kind: frame for kind in _LISTED if (frame := evidence.frame(kind)) is not None}
    timed = {
        sha
        for frame in listed.values()
        for sha in frame.filter(pl.col("time").is_not_null())["artifact"].unique()
    }
    if timed:
        return evidence
    frames = {kind: frame.with_columns(time=pl.lit(moment)) for kind, frame in listed.items()}
    return replace(evidence, frames=evidence.frames | frames)


def _peak(stall: Stall) -> int:
    """Return when the stall's series was worst: most sessions, least work; else its onset."""
    signal = stall.signal
    if signal is None:
        return stall.onset
    sign = -1 if signal.role == "throughput" else 1
    span = stall.span
    inside = [
        (sign * value, -time)
        for time, value in zip(signal.times, signal.values, strict=True)
        if span.start <= time <= span.end
    ]
    return -max(inside)[1] if inside else stall.onset


__all__ = ["in_stall"]
