"""Hot stacks, flame graphs and heat maps of stacks."""

from __future__ import annotations

from pileup.analysis.contract.base import Doc, Locator


class HotStackDoc(Doc, frozen=True, kw_only=True):
    stack: list[str]
    """Cleaned function names, innermost first."""
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
    """One function below one caller; counts are threads, summed over the samples."""

    name: str
    parent: int
    """Index of the caller in ``nodes``; -1 at the root. Callers come before callees."""
    total: int
    self_: int
    """Threads with this function as innermost frame."""
    total_b: int = 0
    self_b: int = 0


class FlameDoc(Doc, frozen=True, kw_only=True):
    """Flame graph: stacks merged by caller, of one set of samples or two (differential)."""

    event: str | None
    """What a profiler sampled: cycles, page-faults. None: threads."""
    events: list[str]
    """The kinds of event that were profiled."""
    has_threads: bool
    """Whether there are also samples of threads."""
    samples: int
    """Of a profile: of its busiest CPU, or the sum of their periods where these vary."""
    samples_b: int | None
    nodes: list[FlameNode]
    pruned: int
    """Number of thin nodes left out, with all nodes below them."""
    activity: dict[str, int]
    """Threads by activity: latch, lock, commit, io, net, queue, waiting, cpu, idle."""
    activity_b: dict[str, int] | None


class HeatMoment(Doc, frozen=True, kw_only=True):
    time: str | None
    artifact: str
    snapshot: int


class StackHeatDoc(Doc, frozen=True, kw_only=True):
    """Number of threads per function and sample."""

    moments: list[HeatMoment]
    functions: list[str]
    counts: list[list[int]]
    """One row per function, one column per moment."""
