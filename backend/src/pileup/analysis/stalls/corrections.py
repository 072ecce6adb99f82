"""Apply people's corrections of a stall's onset, end and baseline; they override computed times.

A correction names its stall by host and by the onset computed when it was made. A later analysis
may compute another onset: the correction then applies to the nearest stall or, if there is none,
becomes a stall of its own. The computed times remain in ``Stall.computed``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls.detection import Stall

NEAR_US = 15 * 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class StallCorrection:
    """A person's times of a stall, UTC µs; None leaves the computed time."""

    host: str | None
    computed_onset: int
    by: str
    onset: int | None = None
    end: int | None = None
    baseline: Span | None = None


def corrected(found: Sequence[Stall], corrections: Sequence[StallCorrection]) -> list[Stall]:
    """Return the stalls with corrections applied, in time order."""
    stalls = list(found)
    for correction in corrections:
        at = _nearest(stalls, correction)
        if at is not None:
            stalls[at] = _applied(stalls[at], correction)
        elif correction.onset is not None:
            stalls.append(_alone(correction))
    return sorted(stalls, key=lambda stall: stall.onset)


def _nearest(stalls: Sequence[Stall], correction: StallCorrection) -> int | None:
    distances = [
        (abs(stall.onset - correction.computed_onset), at)
        for at, stall in enumerate(stalls)
        if stall.kind == "stall" and stall.host == correction.host and stall.corrected_by is None
    ]
    distance, at = min(distances, default=(NEAR_US + 1, -1))
    if distance <= NEAR_US:
        return at
    inside = (s for s in stalls if s.span.start <= correction.computed_onset <= s.span.end)
    return next(
        (stalls.index(s) for s in inside if s.kind == "stall" and s.host == correction.host), None
    )


def _applied(stall: Stall, correction: StallCorrection) -> Stall:
    onset = stall.onset if correction.onset is None else correction.onset
    end = stall.end if correction.end is None else correction.end
    last = max(onset, stall.last if end is None else end)
    return replace(
        stall,
        onset=onset,
        end=end if end is None or end > onset else None,
        last=last,
        baseline=correction.baseline or _before(stall.baseline, onset),
        corrected_by=correction.by,
        computed=stall,
    )


def _before(baseline: Span | None, onset: int) -> Span | None:
    """Return the computed baseline, cut or moved so that it ends before the onset."""
    if baseline is None or baseline.end <= onset:
        return baseline
    if baseline.start < onset:
        return Span(baseline.start, onset - 1)
    return Span(onset - (baseline.end - baseline.start), onset - 1)


def _alone(correction: StallCorrection) -> Stall:
    assert correction.onset is not None
    end = (
        correction.end if correction.end is not None and correction.end > correction.onset else None
    )
    return Stall(
        "stall",
        correction.host,
        correction.onset,
        end,
        end if end is not None else correction.onset,
        correction.baseline,
        None,
        "Seen by a person; nothing computed lies near it.",
        corrected_by=correction.by,
    )


__all__ = ["NEAR_US", "StallCorrection", "corrected"]
