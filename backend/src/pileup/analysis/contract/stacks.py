"""Hot stacks, flame graphs and heat maps of stacks."""

from __future__ import annotations

from pileup.analysis.contract.base import Doc, Locator


class HotStackDoc(Doc, frozen=True, kw_only=True):
    stack: list[str]
    """Innermost first, cleaned."""
    threads: int
    max_at_once: int
    share: float
    signature: str | None
    """Stack id of the knowledge base."""
    category: str | None
    set_aside: bool
    meaning: str
    example: Locator | None = None


class FlameNode(Doc, frozen=True, kw_only=True, rename={"self_": "self"}):
    """One function under one caller. Counts are threads, summed over the samples."""

    name: str
    parent: int
    """Index of the caller in ``nodes``; -1 at the root. Callers come before callees."""
    total: int
    self_: int
    """Threads whose innermost frame it is."""
    total_b: int = 0
    self_b: int = 0


class FlameDoc(Doc, frozen=True, kw_only=True):
    """Stacks merged by caller; two sets of samples at once for a differential picture."""

    samples: int
    samples_b: int | None
    nodes: list[FlameNode]
    pruned: int
    """Thin nodes (with all below them) that were left out."""
    activity: dict[str, int]
    """Threads by what they do: latch, lock, commit, io, net, queue, waiting, cpu, idle."""
    activity_b: dict[str, int] | None


class HeatMoment(Doc, frozen=True, kw_only=True):
    time: str | None
    artifact: str
    snapshot: int


class StackHeatDoc(Doc, frozen=True, kw_only=True):
    """On how many threads each function was in each sample."""

    moments: list[HeatMoment]
    functions: list[str]
    counts: list[list[int]]
    """One row per function, one column per moment."""
