"""Stalls, and the series that moved in them."""

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
    """Computed times of a stall that a person corrected."""

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
    """Peak over all moments, at ``peak_at``; ``peak_counts`` tells what is counted."""
    evidence: list[StallEvidence]
    peak_counts: Literal["waiting", "running"] = "waiting"
    """waiting: sessions that wait in the wait graph of that moment, all layers joined. running:
    sessions in a series, if no snapshot shows most of them as waiters; ``note`` names it."""
    note: str = ""
    host: str | None = None
    corrected_by: str | None = None
    """Person who set onset, end or baseline; None: as computed."""
    computed: ComputedStall | None = None
    """Times before the correction; None without a correction or a computed stall nearby."""
    capture: str | None = None
    """The capture that shows it."""
    leading: bool = False
    """The stall that the document describes."""
    shape: Literal["piled_up", "refused", "stopped", "slow"] = "piled_up"
    """piled_up: sessions inside the server. refused: clients get errors, or no connection.
    stopped: next to no work is done. slow: far less work, or far more time per statement."""
    also: list[Literal["piled_up", "refused", "stopped", "slow"]] = []
    """Other shapes in which the same stall shows."""


class ShiftDoc(Doc, frozen=True, kw_only=True):
    series: str
    name: str
    title: str = ""
    """The name in words, with labels; "" in documents of older analyses."""
    baseline: float | None
    stall: float | None
    ratio: float | None
    score: float
    """Robust: (stall median - baseline median) / (1.4826 MAD + minimum spread), absolute."""
    first_moved_s: float | None
    """Seconds relative to the onset; negative: before it."""
    uncertainty_s: float | None
    direction: Literal["up", "down"]
    unit: str | None = None
    host: str | None = None
    text: str = ""
    same_as: str | None = None
    """A series listed before this one that shows the same quantity, from another source."""
