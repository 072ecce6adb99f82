"""Align a clock whose file meets no other of its server, by the sessions that both count.

A list of sessions and a metrics file of one incident rise and fall together. Where one file lies
hours beside all others and both have the same number of sessions second by second at one offset,
and at no other, its clock is off: the incident is one. ``offsets`` does the same by counters,
which identify a moment more surely; a processlist has none.

Units: seconds; an offset is what must be added to the source's times.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pileup.analysis.clock.offsets import Offset, Source, in_order, is_explained, seen_together
from pileup.analysis.evidence.load_series import role_of

_S = 1_000_000
_POINTS = 20
"""Fewest seconds that both files count."""
_LIKE = 0.9
"""Least correlation, at the offset."""
_LEAD, _NEAR_S = 0.15, 30
"""How much lower the correlation is everywhere else: at offsets further away than this."""
_RISE = 10.0
"""Least difference between few and many sessions; a calm count is alike everywhere."""
_SAME, _SAME_SHARE = 2.0, 0.1
"""Median difference while sessions are many, in sessions or as a share of the most."""
_HELD_S = 5
"""A count holds for so many seconds after its sample."""
_MOST_LAGS, _MOST_POINTS, _MOST_OTHERS = 20_000, 120, 3


@dataclass(frozen=True, slots=True)
class _Count:
    """Running sessions of one file, by second."""

    series: str
    values: dict[int, float]

    @property
    def first(self) -> int:
        return min(self.values)

    @property
    def last(self) -> int:
        return max(self.values)


def apart(sources: Sequence[Source], frames: Mapping[str, pl.DataFrame]) -> set[str]:
    """Return the artifacts whose times meet those of no other timed file of their server.

    A file that names no host may belong to any server.
    """
    spans = _spans(frames)
    timed = [source for source in sources if source.timed and source.artifact in spans]
    hosts = {source.host for source in timed} - {None} or {None}
    meeting: set[str] = set()
    for host in hosts:
        mine = [source.artifact for source in timed if source.host in (host, None)]
        meeting |= _meeting({artifact: spans[artifact] for artifact in mine})
    lasting = {sha for sha, (first, last) in spans.items() if first < last}
    return {source.artifact for source in timed if source.artifact in lasting} - meeting


def _meeting(spans: Mapping[str, tuple[int, int]]) -> set[str]:
    """Return the artifacts whose range overlaps that of another."""
    found: set[str] = set()
    end, last = -1, ""
    for artifact, (first, until) in sorted(spans.items(), key=lambda item: item[1]):
        if first <= end:
            found |= {artifact, last}
        if until > end:
            end, last = until, artifact
    return found


def by_sessions(
    sources: Sequence[Source], lonely: set[str], samples: pl.DataFrame | None
) -> dict[str, Offset]:
    """Map lonely artifacts to the offset at which their sessions are those of another file."""
    if samples is None or not lonely:
        return {}
    counts = _counts(samples)
    found: dict[str, Offset] = {}
    ranked = [source for source in in_order(sources) if source.artifact in counts]
    for number, source in enumerate(ranked):
        if source.artifact not in lonely or source.quality == "given":
            continue
        steady = [other for other in ranked if other.artifact not in lonely]
        others = [
            other
            for other in [*steady, *(each for each in ranked[:number] if each not in steady)]
            if other.timed and _one_server(source, other) and seen_together(source, other)
        ]
        for other in others[:_MOST_OTHERS]:
            offset = _offset(counts[source.artifact], counts[other.artifact], other.name)
            if offset is not None:
                found[source.artifact] = offset
                break
    return found


def _one_server(source: Source, other: Source) -> bool:
    return source.host == other.host or None in (source.host, other.host)


def _spans(frames: Mapping[str, pl.DataFrame]) -> dict[str, tuple[int, int]]:
    """Map artifacts to their first and last time (UTC µs)."""
    found: dict[str, tuple[int, int]] = {}
    for frame in frames.values():
        if "time" not in frame.columns:
            continue
        grouped = (
            frame.filter(pl.col("time").is_not_null())
            .group_by("artifact")
            .agg(pl.col("time").min().alias("a"), pl.col("time").max().alias("b"))
        )
        for sha, first, last in grouped.iter_rows():
            old = found.get(sha, (first, last))
            found[sha] = min(old[0], first), max(old[1], last)
    return found


def _counts(samples: pl.DataFrame) -> dict[str, _Count]:
    """Map artifacts to the fullest series of running sessions that they hold."""
    trust = {}
    for series in samples["series"].unique().to_list():
        role = role_of(series)
        if role is not None and role[0] == "concurrency":
            trust[series] = role[1]
    rows = samples.filter(
        pl.col("series").is_in(list(trust))
        & (pl.col("labels") == "")
        & pl.col("time").is_not_null()
        & pl.col("value").is_finite()
    )
    found: dict[str, tuple[float, _Count]] = {}
    for (artifact, series), frame in rows.group_by("artifact", "series", maintain_order=True):
        seconds = (frame["time"] // _S).to_list()
        count = _Count(str(series), dict(zip(seconds, frame["value"].to_list(), strict=True)))
        weight = trust[series]
        if len(count.values) >= _POINTS and weight > found.get(str(artifact), (0.0, None))[0]:
            found[str(artifact)] = weight, count
    return {artifact: count for artifact, (_, count) in found.items()}


def _offset(mine: _Count, theirs: _Count, name: str) -> Offset | None:
    if mine.series == theirs.series:
        return None  # two files of one collector: an incident that came again
    if max(mine.values.values()) - min(mine.values.values()) < _RISE:
        return None
    line = _held(theirs)
    mine = _Count(mine.series, _thinned(mine.values))
    least = max(_POINTS, 2 * min(len(mine.values), len(theirs.values)) // 3)
    low, high = theirs.first - mine.last, theirs.last - mine.first
    if high - low > _MOST_LAGS:
        return None
    likeness: dict[int, float] = {}
    for lag in range(low, high + 1):
        if is_explained(lag):
            pairs = _pairs(mine, line, lag)
            if len(pairs) >= least:
                likeness[lag] = _correlation(pairs)
    if not likeness:
        return None
    best = max(likeness, key=lambda lag: likeness[lag])
    elsewhere = [like for lag, like in likeness.items() if abs(lag - best) > _NEAR_S]
    if likeness[best] < max([_LIKE, *(like + _LEAD for like in elsewhere)]):
        return None
    pairs = _pairs(mine, line, best)
    most = max(own for own, _ in pairs)
    difference = statistics.median(abs(own - other) for own, other in pairs if own >= most / 2)
    if difference > max(_SAME, _SAME_SHARE * most):
        return None
    return Offset(float(best), 1.0, len(pairs), "the number of running sessions", name)


def _thinned(values: Mapping[int, float]) -> dict[int, float]:
    return dict(sorted(values.items())[:: len(values) // _MOST_POINTS + 1])


def _held(count: _Count) -> dict[int, float]:
    """Return the count of each second, also of those between two samples."""
    line: dict[int, float] = {}
    for second in sorted(count.values):
        line |= {second + more: count.values[second] for more in range(_HELD_S)}
    return line | count.values


def _pairs(mine: _Count, line: Mapping[int, float], lag: int) -> list[tuple[float, float]]:
    return [
        (value, line[second + lag]) for second, value in mine.values.items() if second + lag in line
    ]


def _correlation(pairs: Sequence[tuple[float, float]]) -> float:
    own, other = zip(*pairs, strict=True)
    mean_own, mean_other = math.fsum(own) / len(own), math.fsum(other) / len(other)
    own_square = math.fsum((value - mean_own) ** 2 for value in own)
    other_square = math.fsum((value - mean_other) ** 2 for value in other)
    if own_square == 0 or other_square == 0:
        return 0.0
    product = math.fsum((a - mean_own) * (b - mean_other) for a, b in pairs)
    return product / math.sqrt(own_square * other_square)


__all__ = ["apart", "by_sessions"]
