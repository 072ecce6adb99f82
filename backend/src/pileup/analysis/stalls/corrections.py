"""What people say about when a stall began and ended; it wins over what is computed.

A correction names its stall by host and by the onset that was computed when it was made. A later
analysis may compute another onset: the correction then goes to the stall nearest to it, and where
none is left it stands as a stall of its own. What was computed is kept beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls.detection import Stall

_NEAR_US = 15 * 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class StallCorrection:
    """Times in UTC µs; None leaves what is computed."""

    host: str | None
    computed_onset: int
    by: str
    onset: int | None = None
    end: int | None = None
    baseline: Span | None = None


def corrected(found: Sequence[Stall], corrections: Sequence[StallCorrection]) -> list[Stall]:
    """The stalls as people have them, in time order."""
    stalls = list(found)
    for one in corrections:
        at = _nearest(stalls, one)
        if at is not None:
            stalls[at] = _applied(stalls[at], one)
        elif one.onset is not None:
            stalls.append(_alone(one))
    return sorted(stalls, key=lambda stall: stall.onset)


def _nearest(stalls: Sequence[Stall], one: StallCorrection) -> int | None:
    distances = [
        (abs(stall.onset - one.computed_onset), at)
        for at, stall in enumerate(stalls)
        if stall.kind == "stall" and stall.host == one.host and stall.corrected_by is None
    ]
    distance, at = min(distances, default=(_NEAR_US + 1, -1))
    if distance <= _NEAR_US:
        return at
    inside = (s for s in stalls if s.span.start <= one.computed_onset <= s.span.end)
    return next((stalls.index(s) for s in inside if s.kind == "stall" and s.host == one.host), None)


def _applied(stall: Stall, one: StallCorrection) -> Stall:
    onset = stall.onset if one.onset is None else one.onset
    end = stall.end if one.end is None else one.end
    last = max(onset, stall.last if end is None else end)
    return replace(
        stall,
        onset=onset,
        end=end if end is None or end > onset else None,
        last=last,
        baseline=one.baseline or _before(stall.baseline, onset),
        corrected_by=one.by,
        computed=stall,
    )


def _before(baseline: Span | None, onset: int) -> Span | None:
    """The computed baseline, kept clear of an onset that was moved back into it."""
    if baseline is None or baseline.end <= onset:
        return baseline
    if baseline.start < onset:
        return Span(baseline.start, onset - 1)
    return Span(onset - (baseline.end - baseline.start), onset - 1)


def _alone(one: StallCorrection) -> Stall:
    assert one.onset is not None
    end = one.end if one.end is not None and one.end > one.onset else None
    return Stall(
        "stall",
        one.host,
        one.onset,
        end,
        end if end is not None else one.onset,
        one.baseline,
        None,
        "Seen by a person; nothing computed lies near it.",
        corrected_by=one.by,
    )


__all__ = ["StallCorrection", "corrected"]
