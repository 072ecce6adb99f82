"""When the server was stalled and what moved."""

from __future__ import annotations

from typing import Literal

from pileup.analysis.contract.base import Doc, Window


class StallEvidence(Doc, frozen=True, kw_only=True):
    series: str
    baseline: float | None
    stall: float | None
    """Median inside the stall."""
    peak: float | None
    direction: Literal["up", "down"]
    onset: str | None
    text: str


class ComputedStall(Doc, frozen=True, kw_only=True):
    """What the analysis found where a person says otherwise."""

    onset: str
    end: str | None
    baseline: Window | None


class StallDoc(Doc, frozen=True, kw_only=True):
    kind: Literal["stall", "false_positive", "recovery_burst"]
    baseline: Window | None
    """None when the capture starts inside the stall; ``note`` says so."""
    onset: str
    end: str | None
    """None when the capture ends inside the stall."""
    duration_s: float | None
    peak_at: str | None
    peak_waiters: int | None
    """At ``peak_at``, what ``peak_counts`` says: the most at once that any moment shows."""
    evidence: list[StallEvidence]
    peak_counts: Literal["waiting", "running"] = "waiting"
    """waiting: threads that wait in the wait graph of that moment, all layers joined. running:
    sessions in a series, where no snapshot shows most of them as waiters; ``note`` says which."""
    note: str = ""
    host: str | None = None
    corrected_by: str | None = None
    """The person whose onset, end and baseline these are; None: as computed."""
    computed: ComputedStall | None = None
    """What a person corrected; None as well where nothing computed lies near."""


class ShiftDoc(Doc, frozen=True, kw_only=True):
    series: str
    name: str
    baseline: float | None
    stall: float | None
    ratio: float | None
    score: float
    """Robust: (stall median - baseline median) / (1.4826 MAD + floor), absolute value."""
    first_moved_s: float | None
    """Seconds relative to the onset; negative: it led."""
    uncertainty_s: float | None
    direction: Literal["up", "down"]
    unit: str | None = None
    host: str | None = None
    text: str = ""
