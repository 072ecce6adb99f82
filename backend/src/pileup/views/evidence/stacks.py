"""Return stack samples: the moments, one sample grouped and explained, and merged windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import polars as pl

from pileup.analysis.contract import FlameDoc, StackHeatDoc
from pileup.analysis.evidence.activity import Activity
from pileup.analysis.evidence.context import Span
from pileup.analysis.stacks import flame, groups, same_samples
from pileup.storage.errors import NotFound
from pileup.storage.reasoning.stack_verdicts import StackVerdict
from pileup.views.records import with_fields_of
from pileup.views.source import Source
from pileup.views.window import moment_of

MAX_GROUPS = 500
MAX_THREADS = 6000
"""Threads whose ids are listed, over all groups of a sample."""
MAX_FRAMES = 80
Pile = Literal["benign", "suspicious"]


@dataclass(frozen=True, slots=True)
class StackMoment:
    time: datetime | None
    artifact: str
    path: str
    snapshot: int
    event: str | None
    """What a profiler sampled; ``threads`` are then CPUs at work."""
    threads: int
    same_as: str | None
    """Path of the file with the same sample, whose threads have ids: this one counts no further."""


@dataclass(frozen=True, slots=True)
class StackFrame:
    function: str
    file: str | None
    line: int | None
    library: str | None


@dataclass(frozen=True, slots=True)
class StackThreadOut:
    pthread: str | None
    """Decimal text: it does not fit a JavaScript number."""
    lwp: int | None
    name: str | None


@dataclass(frozen=True, slots=True)
class StackPile:
    pile: Pile
    by: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class StackGroup:
    id: str
    """The key of its functions: the same in every sample."""
    name: str
    """What the stack says of itself: 'rw_lock_s_lock_spin in row_search_mvcc'."""
    count: int
    share: float
    frames: list[StackFrame]
    """Innermost first."""
    signature: str | None
    category: str | None
    activity: Activity
    """What its threads do, also where no signature fits."""
    set_aside: bool
    """Idle."""
    meaning: str | None
    waits_on: list[str]
    """Latches of the knowledge base."""
    threads: list[StackThreadOut]
    artifact: str
    line_first: int
    line_last: int
    variants: int
    """Records with these functions, at other lines of the source."""
    verdict: StackPile | None
    """Null: nobody reviewed it."""


@dataclass(frozen=True, slots=True)
class Stacks:
    time: datetime | None
    groups: list[StackGroup]
    left_out: int
    """Threads in groups beyond the first MAX_GROUPS."""
    total: int
    """Threads in this sample (per sample, where several were merged)."""
    idle: int
    """Of them, set aside as idle."""


def stack_moments(source: Source) -> list[StackMoment]:
    """List every stack sample, in time order; those of unknown time last."""
    paths = source.paths()
    stacks = source.scan("stack")
    pairs = same_samples.repeated(stacks.select(same_samples.COLUMNS).collect())
    grouped = (
        stacks.group_by("artifact", pl.col("snapshot").fill_null(0))
        .agg(
            pl.col("time").min(),
            pl.col("event").first(),
            pl.when(pl.col("event").first().is_null())
            .then((pl.col("count") // pl.col("samples")).sum())
            .otherwise((pl.col("count") / pl.col("samples")).sum().round())
            .cast(pl.Int64)
            .alias("threads"),
        )
        .sort("time", "artifact", "snapshot", nulls_last=True)
        .collect()
    )
    return [
        StackMoment(
            time=moment_of(row["time"]),
            artifact=row["artifact"],
            path=paths.get(row["artifact"], ""),
            snapshot=row["snapshot"],
            event=row["event"],
            threads=row["threads"],
            same_as=paths.get(same[0], "") if same else None,
        )
        for row in grouped.iter_rows(named=True)
        for same in (pairs.get((row["artifact"], row["snapshot"])),)
    ]


def stack_sample(
    source: Source, artifact: str, snapshot: int, verdicts: Mapping[str, StackVerdict]
) -> Stacks:
    """Return one sample: identical stacks counted once, each with its meaning and verdict.

    verdicts: what people decided, by ``StackGroup.id``. Raises NotFound without such a sample.
    """
    rows = groups.sample_rows(_frame(source), artifact, snapshot)
    if not rows:
        raise NotFound("This incident has no such stack sample.")
    every = groups.stack_groups(rows)
    total = sum(group.count for group in every)
    room = MAX_THREADS
    shown: list[StackGroup] = []
    for group in every[:MAX_GROUPS]:
        shown.append(_group(group, total, room, verdicts.get(group.key)))
        room -= len(shown[-1].threads)
    return Stacks(
        time=moment_of(rows[0]["time"]),
        groups=shown,
        left_out=sum(group.count for group in every[MAX_GROUPS:]),
        total=total,
        idle=sum(group.count for group in every if group.idle),
    )


def stack_flame(
    source: Source, span: Span | None, against: Span | None, idle: bool, event: str | None
) -> FlameDoc:
    """Merge the stacks of a window (None: all) into a tree; with a second one, compare both.

    event: the kind of event of a profile; None: threads, or the first kind where there are none.
    """
    frame = _frame_once(source)
    kinds = flame.events(frame)
    chosen = event if event in kinds or not kinds else kinds[0]
    second = None if against is None else flame.threads(frame, against, chosen)
    first = flame.threads(frame, span, chosen)
    return flame.flame(first, second, idle=idle, event=chosen, kinds=kinds)


def stack_heat(source: Source, idle: bool) -> StackHeatDoc:
    """Count the threads in each function per sample, to help choose a window."""
    frame = _frame_once(source)
    kinds = flame.events(frame)
    return flame.heat(flame.threads(frame, event=kinds[0] if kinds else None), idle=idle)


def _frame(source: Source) -> pl.DataFrame | None:
    """Return the stacks of every sample; None when there are none."""
    frame = source.scan("stack").collect()
    return None if frame.is_empty() else frame


def _frame_once(source: Source) -> pl.DataFrame | None:
    """Return the stacks of every sample, of one that two files hold only once; None: no stacks."""
    frame = _frame(source)
    return None if frame is None else same_samples.once(frame)


def _group(
    group: groups.StackGroup, total: int, room: int, verdict: StackVerdict | None
) -> StackGroup:
    known, first = group.known, group.rows[0]
    return StackGroup(
        id=group.key,
        name=group.name,
        count=group.count,
        share=group.count / total,
        frames=[StackFrame(**frame) for frame in group.frames[:MAX_FRAMES]],
        signature=known.id if known else None,
        category=known.category if known else None,
        activity=group.activity,
        set_aside=group.idle,
        meaning=known.meaning if known else None,
        waits_on=list(known.waits_on) if known else [],
        threads=[
            StackThreadOut(
                pthread=None if thread["pthread"] is None else str(thread["pthread"]),
                lwp=thread["lwp"],
                name=thread["name"],
            )
            for thread in group.threads[: max(0, room)]
        ],
        artifact=first["artifact"],
        line_first=first["line_first"],
        line_last=first["line_last"],
        variants=len(group.rows),
        verdict=with_fields_of(StackPile, verdict) if verdict else None,
    )
