"""Find the stretches of time in which each host was sampled, per file or bundle.

Samples, dumps, processlists and stacks observe a server; log lines, statements of a slow log and
settings do not: a log that covers a week says nothing about how densely anybody looked.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.evidence.compact_samples import distinct
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence, EvidenceArtifact, bundle_of
from pileup.analysis.evidence.load_series import shows_load

_S = 1_000_000
DENSE_S = 15.0
"""Longest sampling interval that can judge a stall of a minute, in seconds."""
EXPLAINED = 5
"""Sampling intervals of silence that the interval explains."""
SILENT_S = 900.0
"""Longest silence of one collector that a stalled server explains, in seconds."""
APART_S = 60.0
"""Longest silence between two files that overlap nowhere, in seconds."""
_IRREGULAR_S = 3600.0
"""Longest silence between samples without a regular interval, in seconds."""
_FEW = 3
_HOLE = 2.5
"""Sampling intervals without a sample that count as a hole inside a capture."""
_LEAST_HOLE_S = 2.0
_OBSERVES = frozenset({
    "sample", "snapshot", "session", "stack", "semaphore_wait", "transaction", "lock_wait",
    "trx_lock", "metadata_lock", "event_wait",
})  # fmt: skip
"""Kinds of record that observe a server at a moment."""


@dataclass(slots=True)
class Stretch:
    """A range in which one file, series of files or bundle sampled one host; times in UTC µs."""

    host: str | None
    start: int
    end: int
    seconds: list[int]
    """The seconds that have a record, in order."""
    artifacts: set[str]
    interval_s: float | None
    """Median sampling interval; None for one or two moments."""
    bundle: str | None = None
    is_server: bool = False
    """Whether it shows a database server, and not only a machine."""
    hosts: set[str] = field(default_factory=set)
    """Hosts with machine metrics only that were joined to this one."""

    @property
    def is_dense(self) -> bool:
        if self.bundle is not None:
            return True
        return self.interval_s is not None and self.interval_s <= DENSE_S


def stretches(evidence: Evidence) -> list[Stretch]:
    """Return every stretch of the evidence, ordered by host and time.

    Files of one bundle, and files of one format in one folder, are one series of samples.
    """
    seconds = _seconds(evidence)
    servers = _servers(evidence)
    artifacts = {artifact.sha256: artifact for artifact in evidence.artifacts}
    pools: dict[tuple[str | None, str], dict[int, set[str]]] = {}
    bundles: dict[str, str | None] = {}
    for sha, host, second in seconds:
        pool, bundle = _pool(artifacts[sha])
        bundles[pool] = bundle
        pools.setdefault((host, pool), {}).setdefault(second, set()).add(sha)
    found = [
        stretch
        for (host, pool), times in pools.items()
        for stretch in _split(host, bundles[pool], times, servers)
    ]
    return sorted(found, key=lambda s: (s.host or "", s.start, s.end, min(s.artifacts)))


def holes(members: Sequence[Stretch]) -> tuple[Span, ...]:
    """Return the ranges inside one capture in which none of its files has a sample."""
    seconds = sorted({second for member in members for second in member.seconds})
    if len(seconds) < _FEW:
        return ()
    steps = [b - a for a, b in itertools.pairwise(seconds)]
    least = max(_LEAST_HOLE_S, _HOLE * statistics.median(steps), _typical_silence(members))
    return tuple(Span(a * _S, b * _S) for a, b in itertools.pairwise(seconds) if b - a > least)


def _typical_silence(members: Sequence[Stretch]) -> float:
    """Return the silence that the capture's densest series explains, in seconds."""
    intervals = [member.interval_s for member in members if member.interval_s is not None]
    return EXPLAINED * min(intervals, default=0.0)


def _seconds(evidence: Evidence) -> Iterator[tuple[str, str | None, int]]:
    """Yield each (SHA-256, host, second) with a record that observes a server."""
    parts = []
    for kind in sorted(_OBSERVES):
        frame = evidence.frame(kind)
        if frame is None:
            continue
        seen = pl.col("time").is_not_null()
        if kind == "sample":
            seen &= pl.col("value").is_not_null()
        parts.append(
            frame.lazy()
            .filter(seen)
            .select(
                pl.col("artifact").cast(pl.String),
                pl.col("host").cast(pl.String),
                (pl.col("time") // _S).alias("second"),
            )
            .unique()
        )
    if parts:
        rows = pl.concat(parts).unique().sort("artifact", "host", "second").collect()
        yield from rows.iter_rows()


def _servers(evidence: Evidence) -> set[tuple[str, str | None]]:
    """Return each (SHA-256, host) whose records show a database server."""
    found: set[tuple[str, str | None]] = set()
    for kind in _OBSERVES:
        frame = evidence.frame(kind)
        if frame is None:
            continue
        if kind == "sample":
            named = distinct(frame, "series", "labels")
            loads = [shows_load(series, labels or "") for series, labels in named.iter_rows()]
            frame = frame.join(named.filter(pl.Series(loads, dtype=pl.Boolean)), on=named.columns)
        found.update(distinct(frame, "artifact", "host").iter_rows())
    return found


def _pool(artifact: EvidenceArtifact) -> tuple[str, str | None]:
    bundle = artifact.bundle or bundle_of(artifact.path)
    if bundle is not None:
        return f"bundle {bundle}", bundle
    return f"{artifact.format} in {artifact.path.rpartition('/')[0]}", None


def _split(
    host: str | None,
    bundle: str | None,
    times: dict[int, set[str]],
    servers: set[tuple[str, str | None]],
) -> Iterator[Stretch]:
    """Split the seconds of one series where its sampling interval does not explain the silence."""
    seconds = sorted(times)
    interval = _interval_s(seconds)
    longest = _explained_s(seconds, interval)
    between_files = max(APART_S, EXPLAINED * (interval or 0.0))
    is_series = bundle is not None or len({sha for shas in times.values() for sha in shas}) >= len(
        seconds
    )
    begin = 0
    for at in range(1, len(seconds) + 1):
        if at < len(seconds):
            silence = seconds[at] - seconds[at - 1]
            one_file = is_series or not times[seconds[at]].isdisjoint(times[seconds[at - 1]])
            if silence <= (longest if one_file else min(longest, between_files)):
                continue
        mine = seconds[begin:at]
        shas = {sha for second in mine for sha in times[second]}
        yield Stretch(
            host=host,
            start=mine[0] * _S,
            end=mine[-1] * _S + _S - 1,
            seconds=mine,
            artifacts=shas,
            interval_s=_interval_s(mine),
            bundle=bundle,
            is_server=bundle is not None or any((sha, host) in servers for sha in shas),
        )
        begin = at


def _explained_s(seconds: Sequence[int], interval: float | None) -> float:
    """Return the longest silence within one file that does not end a stretch, in seconds."""
    if interval is None:
        return SILENT_S
    explained = EXPLAINED * interval
    if not _is_regular(seconds, interval):
        explained = min(explained, _IRREGULAR_S)
    return max(SILENT_S, explained)


def _interval_s(seconds: Sequence[int]) -> float | None:
    if len(seconds) < _FEW:
        return None
    return statistics.median(b - a for a, b in itertools.pairwise(seconds))


def _is_regular(seconds: Sequence[int], interval: float) -> bool:
    steps = sorted(b - a for a, b in itertools.pairwise(seconds))
    return len(steps) >= 2 * _FEW and steps[len(steps) * 3 // 4] <= 2 * interval


__all__ = ["Stretch", "holes", "stretches"]
