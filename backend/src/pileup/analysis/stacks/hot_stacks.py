"""Rank the stacks of threads during the stall.

Groups are by cleaned function names, innermost first. The knowledge base names a group by its
first matching signature; idle ones (waiting for a client, timers) are set aside, not dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from pileup import knowledge
from pileup.analysis.contract import HotStackDoc, Locator
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stacks.profiles import shares
from pileup.numerals import number

MOST = 100
_DEPTH = 40
_CLONES = re.compile(r"(?:\.(?:part|constprop|isra|cold|lto_priv|llvm)\.?\d*)+(?:\.\d+)?$")
_VERSIONS = re.compile(r"@@?GLIBC[\w.]*$")


_WAIT_PREFIXES = (
    "sync_array_wait",
    "sync_array_reserve",
    "rw_lock_s_lock",
    "rw_lock_x_lock",
    "rw_lock_sx_lock",
    "mutex_spin_wait",
    "os_event_wait",
    "TTASEventMutex",
    "PolicyMutex",
    "ut_delay",
    "lll_lock_wait",
    "pthread_rwlock",
    "pthread_mutex",
    "pthread_cond",
    "L_mutex_lock",
    "L_lock",
    "futex",
    "ssux_lock",
    "srw_mutex",
    "group_commit_lock::acquire",
    "MDL_wait::timed_wait",
    "native_mutex_lock",
    "my_mutex_lock",
    "psi_mutex_lock",
    "inline_mysql_mutex_lock",
)
_WAIT_DEPTH = 8
"""Frames from the top among which a waiting thread shows its wait."""


@dataclass(slots=True)
class _Group:
    stack: list[str]
    threads: float = 0
    """Of a profile: per cent."""
    per_moment: dict[tuple[str, int | None], float] = field(default_factory=dict)
    example: tuple[str, int, int] | None = None
    most: float = 0


def hot_stacks(evidence: Evidence, stall: Span | None) -> list[HotStackDoc]:
    """Return the stacks of the stall's samples (all samples without a stall), most frequent first.

    A sample without a time is used only when no sample has one inside the stall, and a profile
    only without samples of threads: its numbers are per cent.
    """
    frame = evidence.frame("stack")
    if frame is None:
        return []
    chosen = frame
    if stall is not None:
        inside = frame.filter(stall.widened(2).holds())
        if inside.height:
            chosen = inside
    stopped = chosen.filter(pl.col("event").is_null())
    profiled = stopped.is_empty()
    chosen = chosen if profiled else stopped
    of_profile = shares(chosen)
    groups: dict[tuple[str, ...], _Group] = {}
    names: dict[tuple[str, ...], tuple[str, ...]] = {}
    columns = ["artifact", "snapshot", "count", "frames", "line_first", "line_last"]
    for row, share in zip(chosen.select(columns).iter_rows(), of_profile, strict=True):
        sha, moment, threads, frames, first, last = row
        count = threads if share is None else share
        if not count:
            continue
        raw = tuple(frame["function"] or "??" for frame in frames[:_DEPTH])
        if raw not in names:
            names[raw] = tuple(clean(name) for name in raw)
        key = names[raw]
        group = groups.setdefault(key, _Group(list(key)))
        group.threads += count
        at = (sha, moment)
        group.per_moment[at] = group.per_moment.get(at, 0) + count
        if count > group.most:
            group.most, group.example = count, (sha, first, last)
    total = 100.0 if profiled else sum(group.threads for group in groups.values())
    ranked = sorted(groups.values(), key=lambda group: (-group.threads, group.stack))[:MOST]
    return [_doc(group, total, evidence, profiled=profiled) for group in ranked]


def clean(function: str) -> str:
    """Strip arguments, compiler suffixes and symbol versions from a function name."""
    name = _VERSIONS.sub("", function.strip())
    name = _CLONES.sub("", name)
    if name.endswith(")"):
        name = name.partition("(")[0]
    return name or function.strip()


def is_waiting(functions: Sequence[str]) -> bool:
    """Return whether the top of a stack waits for a mutex, a latch or a condition."""
    top = (knowledge.function_key(function) for function in functions[:_WAIT_DEPTH])
    return any(name.startswith(_WAIT_PREFIXES) for name in top)


def _doc(group: _Group, total: float, evidence: Evidence, *, profiled: bool) -> HotStackDoc:
    known = knowledge.match_stack(group.stack)
    example = None
    if group.example:
        sha, first, last = group.example
        example = Locator(
            kind="lines",
            artifact=sha,
            path=evidence.path(sha),
            line_first=first,
            line_last=last,
            text=f"{number(group.most)}% of the profile"
            if profiled
            else f"{group.most:.0f} threads with this stack",
        )
    return HotStackDoc(
        stack=group.stack,
        threads=round(group.threads),
        max_at_once=round(max(group.per_moment.values(), default=0)),
        share=min(1.0, group.threads / total) if total else 0.0,
        signature=known.id if known else None,
        category=known.category if known else None,
        set_aside=bool(known and known.set_aside),
        meaning=known.meaning if known else "",
        example=example,
    )
