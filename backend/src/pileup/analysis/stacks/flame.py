"""Build flame graphs of one or two sets of samples (differential), and heat maps over time.

Widths are threads, summed over the samples; divide by ``samples`` for threads at once. A profile's
widths are its samples or the sum of their periods, and each kind of event is a graph of its own:
page faults are not added to cycles, nor to threads that a debugger stopped. Idle threads are set
aside unless ``idle`` is set. The heat map counts threads per function and sample, so that a
person can pick a range.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.contract import FlameDoc, FlameNode, HeatMoment, StackHeatDoc
from pileup.analysis.evidence.activity import Activity, activity
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.times import iso
from pileup.analysis.stacks.hot_stacks import clean
from pileup.knowledge import knowledge, plain_function

MOST_NODES = 4_000
MOST_FUNCTIONS = 40
_DEPTH = 120
_UNINFORMATIVE = frozenset(
    {
        "??", "start_thread", "clone", "__clone", "clone3", "__clone3", "pfs_spawn_thread",
        "handle_one_connection", "handle_connection", "do_handle_one_connection",
        "do_command", "dispatch_command", "main",
    }
)  # fmt: skip
_LIBRARY = re.compile(r"_|futex|pthread|lll_|syscall|poll$|ppoll|select$|lib\w+(\.so\S*)?::")
"""Frames of the wait itself, which do not show what the thread waits for."""


@dataclass(frozen=True, slots=True)
class Thread:
    """One group of threads with one stack in one sample."""

    moment: tuple[str, int]
    time: int | None
    stack: tuple[str, ...]
    """Outermost first, cleaned."""
    count: int
    samples: int
    """What to divide counts of this moment by for threads at once."""
    activity: Activity


def events(frame: pl.DataFrame | None) -> list[str | None]:
    """Return the kinds of event that were sampled: None for threads first, then most stacks."""
    if frame is None:
        return []
    kinds = frame.group_by("event").agg(pl.col("count").len().alias("rows"))
    ranked = kinds.sort(pl.col("event").is_not_null(), -pl.col("rows").cast(pl.Int64), "event")
    return ranked["event"].to_list()


def threads(
    frame: pl.DataFrame | None, span: Span | None = None, event: str | None = None
) -> list[Thread]:
    """Return the classified stacks of a window; None: all, with samples without a time.

    event: the kind of event of a profile; None: the threads that a debugger or collector stopped.
    """
    if frame is None:
        return []
    frame = frame.filter(pl.col("event").eq_missing(pl.lit(event, pl.String)))
    if span is not None:
        frame = frame.filter(span.holds().fill_null(False))
    known = knowledge()
    names: dict[tuple[str, ...], tuple[tuple[str, ...], Activity]] = {}
    found = []
    columns = ["artifact", "snapshot", "time", "count", "samples", "frames"]
    for sha, snapshot, time, count, samples, frames in frame.select(columns).iter_rows():
        raw = tuple(frame["function"] or "??" for frame in frames[:_DEPTH])
        if raw not in names:
            inner = tuple(clean(name) for name in raw)
            meaning = known.stack_for(inner)
            names[raw] = (inner[::-1], activity(inner, meaning))
        stack, doing = names[raw]
        samples = max(samples or 1, 1)
        if event is None:  # pt-pmp's sums of several samples
            count, samples = max(1, round(count / samples)), 1
        found.append(Thread((sha, snapshot or 0), time, stack, count, samples, doing))
    return found


@dataclass(slots=True)
class _Node:
    name: str
    total: list[int] = field(default_factory=lambda: [0, 0])
    self_: list[int] = field(default_factory=lambda: [0, 0])
    children: dict[str, _Node] = field(default_factory=dict)


def flame(
    a: Sequence[Thread],
    b: Sequence[Thread] | None = None,
    *,
    idle: bool = False,
    event: str | None = None,
    kinds: Sequence[str | None] = (),
) -> FlameDoc:
    """Merge stacks into one tree; with ``b`` every node has both counts (differential).

    event: what the threads are of; kinds: what there is to choose from (``events``).
    """
    root = _Node("all")
    activities: list[Counter[str]] = [Counter(), Counter()]
    for side, some in enumerate((a, b or ())):
        for thread in some:
            activities[side][thread.activity] += thread.count
            if thread.activity != "idle" or idle:
                _add(root, thread, side)
    nodes, pruned = _flat(root)
    return FlameDoc(
        event=event,
        events=[kind for kind in kinds if kind is not None],
        has_threads=None in kinds,
        samples=_samples(a),
        samples_b=None if b is None else _samples(b),
        nodes=nodes,
        pruned=pruned,
        activity=dict(activities[0]),
        activity_b=None if b is None else dict(activities[1]),
    )


def _samples(some: Sequence[Thread]) -> int:
    return sum({thread.moment: thread.samples for thread in some}.values())


def _add(root: _Node, thread: Thread, side: int) -> None:
    node = root
    node.total[side] += thread.count
    for name in thread.stack:
        child = node.children.get(name)
        if child is None:
            child = node.children[name] = _Node(name)
        child.total[side] += thread.count
        node = child
    node.self_[side] += thread.count


def _flat(root: _Node) -> tuple[list[FlameNode], int]:
    """List nodes, parents first, wide siblings first; return also the number of pruned ones."""
    weights = sorted((sum(node.total) for node in _walk(root)), reverse=True)
    least = weights[:MOST_NODES][-1]
    nodes: list[FlameNode] = []
    pruned = 0
    queue: list[tuple[_Node, int]] = [(root, -1)]
    for node, parent in queue:
        if sum(node.total) < least or len(nodes) >= MOST_NODES:
            pruned += 1
            continue
        at = len(nodes)
        nodes.append(
            FlameNode(
                name=node.name,
                parent=parent,
                total=node.total[0],
                self_=node.self_[0],
                total_b=node.total[1],
                self_b=node.self_[1],
            )
        )
        children = sorted(node.children.values(), key=lambda c: (-sum(c.total), c.name))
        queue.extend((child, at) for child in children)
    return nodes, pruned


def _walk(root: _Node) -> list[_Node]:
    every = [root]
    for node in every:
        every.extend(node.children.values())
    return every


def heat(some: Sequence[Thread], *, idle: bool = False) -> StackHeatDoc:
    """Count threads per function and sample, functions with the largest change first."""
    moments = sorted(
        {(thread.time, thread.moment) for thread in some},
        key=lambda m: (m[0] is None, m[0] or 0, m[1]),
    )
    at = {moment: index for index, (_, moment) in enumerate(moments)}
    counts: dict[str, list[int]] = {}
    depth: dict[str, int] = {}
    for thread in some:
        if thread.activity == "idle" and not idle:
            continue
        names = {
            plain_function(each): level
            for level, each in enumerate(thread.stack)
            if not _LIBRARY.match(each)
        }
        for name in names.keys() - _UNINFORMATIVE:
            row = counts.setdefault(name, [0] * len(moments))
            row[at[thread.moment]] += thread.count
            depth[name] = max(depth.get(name, 0), names[name])
    # of functions that are always on the stack together, keep the innermost
    alike: dict[tuple[int, ...], str] = {}
    for name, row in sorted(counts.items(), key=lambda item: (-depth[item[0]], item[0])):
        alike.setdefault(tuple(row), name)
    ranked = sorted(alike.items(), key=lambda item: (min(item[0]) - max(item[0]), item[1]))
    chosen = [(name, list(row)) for row, name in ranked[:MOST_FUNCTIONS]]
    return StackHeatDoc(
        moments=[HeatMoment(time=iso(time), artifact=m[0], snapshot=m[1]) for time, m in moments],
        functions=[name for name, _ in chosen],
        counts=[row for _, row in chosen],
    )


__all__ = ["Thread", "events", "flame", "heat", "threads"]
