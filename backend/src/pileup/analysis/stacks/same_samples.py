"""Find stack samples that were captured once and written twice: as gdb's backtraces and by pt-pmp.

Collectors keep both: the text of gdb, with the ids of its threads, and pt-pmp's sums of that same
text, without ids. They are one sample. Two samples of the same moment by two debuggers would have
to stop the server twice within seconds; then the counts of their threads hardly ever agree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby

import polars as pl

from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stacks.hot_stacks import clean

_APART_US = 2_000_000
"""Most between the times of the two texts, which often are those of their file names."""
_ALIKE = 0.8
"""Least share of threads with the same functions: gdb and pt-pmp cut a few names differently."""
_DEPTH = 6
"""Innermost functions that are compared: further out pt-pmp loses the names of templates."""

COLUMNS = (
    "artifact", "snapshot", "time", "host", "count", "threads", "frames", "event", "samples"
)  # fmt: skip
"""Columns of the records of stacks that are read."""

Sample = tuple[str, int]
"""SHA-256 of the artifact, index of the sample in it."""


@dataclass(slots=True)
class _Seen:
    sample: Sample
    time: int
    host: str
    threads: int = 0
    named: int = 0
    stacks: Counter[tuple[str, ...]] = field(default_factory=Counter)


def repeated(frame: pl.DataFrame) -> dict[Sample, Sample]:
    """Map each sample without thread ids to the one with ids that it repeats.

    frame: records of stacks. Samples without a time repeat nothing, nor do profiles and sums of
    several samples. Samples are compared in order of time, only of one host and thread count.
    """
    samples = sorted(
        _samples(frame), key=lambda seen: (seen.host, seen.threads, seen.time, seen.sample)
    )
    pairs: dict[Sample, Sample] = {}
    for _, group in groupby(samples, key=lambda seen: (seen.host, seen.threads)):
        members = list(group)
        named = [seen for seen in members if seen.named]
        for bare in (seen for seen in members if not seen.named):
            full = _first_like(bare, named)
            if full is not None:
                pairs[bare.sample] = full.sample
                named.remove(full)
    return pairs


def once(frame: pl.DataFrame) -> pl.DataFrame:
    """Drop the samples that repeat another one, so that its threads count once."""
    return _without(frame, repeated(frame))


def without_repeated(evidence: Evidence) -> Evidence:
    """Return the evidence with each stack sample once, whatever wrote it down."""
    stacks, moments = evidence.frame("stack"), evidence.frame("snapshot")
    if stacks is None or not (pairs := repeated(stacks)):
        return evidence
    frames = evidence.frames | {"stack": _without(stacks, pairs)}
    if moments is not None:
        is_stacks = pl.col("kind") == "stacks"
        kept = _without(moments.filter(is_stacks), pairs)
        frames["snapshot"] = pl.concat([moments.filter(~is_stacks), kept])
    return replace(evidence, frames=frames)


def _without(frame: pl.DataFrame, pairs: Iterable[Sample]) -> pl.DataFrame:
    gone = pl.DataFrame(
        list(pairs), schema={"artifact": pl.String, "snapshot": pl.Int64}, orient="row"
    ).cast({"artifact": frame.schema["artifact"]})
    if gone.is_empty():
        return frame
    keys = [pl.col("artifact"), pl.col("snapshot").fill_null(0).cast(pl.Int64)]
    return frame.join(
        gone, left_on=keys, right_on=["artifact", "snapshot"], how="anti", maintain_order="left"
    )


def _samples(frame: pl.DataFrame) -> list[_Seen]:
    found: dict[Sample, _Seen] = {}
    cleaned: dict[str, str] = {}
    for sha, snapshot, time, host, count, threads, frames, *_ in (
        _comparable(frame).select(COLUMNS).iter_rows()
    ):
        sample = (sha, snapshot or 0)
        seen = found.setdefault(sample, _Seen(sample, time, host or ""))
        seen.threads += count
        seen.named += sum(
            thread["pthread"] is not None or thread["lwp"] is not None for thread in threads
        )
        names = [each["function"] or "??" for each in frames[:_DEPTH]]
        for name in names:
            if name not in cleaned:
                cleaned[name] = clean(name)
        seen.stacks[tuple(map(cleaned.__getitem__, names))] += count
    return list(found.values())


def _comparable(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the stacks of samples that another one may repeat: by host, threads and ids."""
    placed = frame.filter(
        pl.col("time").is_not_null() & pl.col("event").is_null() & (pl.col("samples") <= 1)
    ).with_columns(pl.col("snapshot").fill_null(0))
    element = pl.element().struct
    has_id = element.field("pthread").is_not_null() | element.field("lwp").is_not_null()
    listed = placed.group_by("artifact", "snapshot").agg(
        pl.col("host").first(),
        pl.col("count").sum().alias("sum"),
        pl.col("threads").list.eval(has_id).list.any().any().alias("named"),
    )
    both = listed.filter(pl.col("named").n_unique().over("host", "sum") > 1)
    return placed.join(both, on=["artifact", "snapshot"], how="semi", maintain_order="left")


def _first_like(bare: _Seen, named: list[_Seen]) -> _Seen | None:
    """Return the first sample in order of time with the same threads; None: there is none."""
    for full in named[bisect_left(named, bare.time - _APART_US, key=_time) :]:
        if full.time > bare.time + _APART_US:
            return None
        if _is_same(bare, full):
            return full
    return None


def _time(seen: _Seen) -> int:
    return seen.time


def _is_same(bare: _Seen, full: _Seen) -> bool:
    """Compare two samples of one host with the same number of threads."""
    return (bare.stacks & full.stacks).total() >= _ALIKE * bare.threads


__all__ = ["COLUMNS", "Sample", "once", "repeated", "without_repeated"]
