"""Find the stretches of time in which each host was sampled, per file or bundle.

Samples, dumps, processlists and stacks observe a server; log lines, statements of a slow log and
settings do not: a log that covers a week says nothing about how densely anybody looked.
"""

from __future__ import annotations

import bisect
import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.evidence.compact_samples import distinct
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import (
    OBSERVES,
    Evidence,
    EvidenceArtifact,
    bundle_of,
)
from pileup.analysis.evidence.load_series import shows_load

_S = 1_000_000
DENSE_S = 15.0
"""Longest sampling interval that can judge a stall of a minute, in seconds."""
EXPLAINED = 5
"""Sampling intervals of silence that the interval explains."""
SILENT_S = 900.0
"""Longest silence within one file that a stalled server explains, in seconds."""
APART_S = 60.0
"""Longest silence between two files that overlap nowhere, in seconds."""
CONTEXT_S = 12 * 3600.0
"""Log lines this long before and after a capture are part of it, in seconds."""
_IRREGULAR_S = 3600.0
"""Longest silence between samples without a regular interval, in seconds."""
_FEW = 3
_HOLE = 2.5
"""Sampling intervals without a sample that count as a hole inside a capture."""
_LEAST_HOLE_S = 2.0


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
    is_values: bool = False
    """Whether it has values over time only: no dump, no stack and no list of sessions."""
    hosts: set[str] = field(default_factory=set)
    """Hosts with machine metrics only that were joined to this one."""

    @property
    def is_dense(self) -> bool:
        if self.bundle is not None:
            return True
        return self.interval_s is not None and self.interval_s <= DENSE_S

    @property
    def explained_us(self) -> int:
        """The silence between it and another file that it explains, in µs."""
        return round(max(APART_S, EXPLAINED * (self.interval_s or 0.0)) * _S)

    def silence_around(self, start: int, end: int) -> int:
        """Return the µs between a range and the nearest second that has a record."""
        first, last = start // _S, end // _S
        at = bisect.bisect_left(self.seconds, first)
        after = [self.seconds[at] - last] if at < len(self.seconds) else []
        before = [first - self.seconds[at - 1]] if at else []
        return max(0, min(before + after)) * _S


def stretches(evidence: Evidence) -> list[Stretch]:
    """Return every stretch of the evidence, ordered by host and time.

    A bundle is one series of samples, and so are the files of one format in one folder that have
    a moment or two each: what a file with more of them shows is its own.
    """
    seen: dict[tuple[str | None, str], list[int]] = {}
    for sha, host, second in _seconds(evidence):
        seen.setdefault((host, sha), []).append(second)
    servers = _servers(evidence)
    dumped = _dumped(evidence)
    artifacts = {artifact.sha256: artifact for artifact in evidence.artifacts}
    pools: dict[tuple[str | None, str], dict[int, set[str]]] = {}
    bundles: dict[str, str | None] = {}
    for (host, sha), seconds in seen.items():
        pool, bundle = _pool(artifacts[sha], seconds)
        bundles[pool] = bundle
        times = pools.setdefault((host, pool), {})
        for second in seconds:
            times.setdefault(second, set()).add(sha)
    found = [
        _stretch(host, bundles[pool], mine, times, servers, dumped)
        for (host, pool), times in pools.items()
        for mine in _split(times)
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
    for kind in OBSERVES:
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
    for kind in OBSERVES:
        frame = evidence.frame(kind)
        if frame is None:
            continue
        if kind == "sample":
            named = distinct(frame, "series", "labels")
            loads = [shows_load(series, labels or "") for series, labels in named.iter_rows()]
            frame = frame.join(named.filter(pl.Series(loads, dtype=pl.Boolean)), on=named.columns)
        found.update(distinct(frame, "artifact", "host").iter_rows())
    return found


def _dumped(evidence: Evidence) -> set[str]:
    """Return the artifacts with a dump, a stack or a list of sessions."""
    frames = [evidence.frame(kind) for kind in OBSERVES - {"sample"}]
    return {sha for frame in frames if frame is not None for sha in frame["artifact"].unique()}


def _pool(artifact: EvidenceArtifact, seconds: Sequence[int]) -> tuple[str, str | None]:
    bundle = artifact.bundle or bundle_of(artifact.path)
    if bundle is not None:
        return f"bundle {bundle}", bundle
    if _interval_s(seconds) is not None:
        return artifact.sha256, None
    return f"{artifact.format} in {artifact.path.rpartition('/')[0]}", None


def _stretch(
    host: str | None,
    bundle: str | None,
    mine: list[int],
    times: dict[int, set[str]],
    servers: set[tuple[str, str | None]],
    dumped: set[str],
) -> Stretch:
    shas = {sha for second in mine for sha in times[second]}
    return Stretch(
        host=host,
        start=mine[0] * _S,
        end=mine[-1] * _S + _S - 1,
        seconds=mine,
        artifacts=shas,
        interval_s=_interval_s(mine),
        bundle=bundle,
        is_server=bundle is not None or any((sha, host) in servers for sha in shas),
        is_values=shas.isdisjoint(dumped),
    )


def _split(times: dict[int, set[str]]) -> Iterator[list[int]]:
    """Split the seconds of one series where nothing explains the silence.

    Within one file, a stalled server may. Between the files of a series only its interval does,
    and that of a run of them is its own: what lies before and after it does not change it.
    """
    seconds = sorted(times)
    if len({sha for shas in times.values() for sha in shas}) == 1:
        yield from _split_alone(seconds)
        return
    few: list[int] = []
    for run in _split_by(seconds, APART_S, times):
        if _interval_s(run) is None:
            few += run
            continue
        yield from _split_alone(few)
        yield run
        few = []
    yield from _split_alone(few)


def _split_alone(seconds: Sequence[int]) -> Iterator[list[int]]:
    """Split seconds whose silence a stalled server may explain."""
    return _split_by(seconds, _explained_s(seconds, _interval_s(seconds)), {})


def _split_by(
    seconds: Sequence[int], longest: float, times: Mapping[int, Set[str]]
) -> Iterator[list[int]]:
    """Split at silence of more seconds than ``longest`` between moments without a common file."""
    mine = list(seconds[:1])
    for before, after in itertools.pairwise(seconds):
        together = times.get(before, frozenset()) & times.get(after, frozenset())
        if after - before > longest and not together:
            yield mine
            mine = []
        mine.append(after)
    if mine:
        yield mine


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
