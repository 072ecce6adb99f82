"""Measure clock offsets between sources that have the same counters or the same events.

A counter that only grows names a moment by its value: where one source read Questions = 81,204,
another clock shows when that was. The median difference over many such anchors is the offset of
one clock against the other, and their spread is how well it is known. Log messages that two
sources hold, each once, are anchors too.

The reference of a host is the source whose times are best known: pt-stalk's TS lines and other
absolute times of the server itself before a monitoring system's export.

Units: seconds; an offset is what must be added to the source's times.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pileup.analysis.evidence.compact_samples import distinct
from pileup.analysis.evidence.series import short_name

_S = 1_000_000
LEAST_ANCHORS = 5
LEAST_S = 1.5
"""A smaller difference is rounding: most sources print whole seconds."""
_MOST_ANCHORS = 2_000
_TELLING = 20
"""Letters of a message that is no other event by chance."""
_DRIFT_S = 3600.0
"""A clock that nobody sets drifts by up to an hour."""
_ZONES_S = 26 * 3600.0
"""The largest difference between two zones."""
_QUARTER_S = 900.0
_ZONE_REST_S = 300.0
_MOST_SPREAD_S = 30.0
"""A larger spread of the anchors is no one offset."""
_SAME = {
    "queries": "questions",
    "rows_read": "innodb_rows_read",
    "rows_inserted": "innodb_rows_inserted",
    "rows_updated": "innodb_rows_updated",
    "rows_deleted": "innodb_rows_deleted",
    "log_fsyncs": "innodb_os_log_fsyncs",
    "data_fsyncs": "innodb_data_fsyncs",
}
_RANK = {"exact": 0, "given": 0, "derived": 1, "assumed": 2, "unknown": 3}


@dataclass(frozen=True, slots=True)
class Source:
    """One artifact as a clock."""

    artifact: str
    name: str
    """Name for people: the file's name."""
    host: str | None
    quality: str
    """Quality of its ClockDoc."""
    rank: int = 0
    """0: stamped by the server itself; 1: by another machine (a metrics export)."""
    timed: bool = True
    """False: it prints no time, and was placed by its name or its series."""
    folder: str = ""
    """Folder of its recording."""
    bundle: str | None = None


@dataclass(frozen=True, slots=True)
class Offset:
    """Measured offset of one source's clock."""

    seconds: float
    dispersion_s: float
    """1.4826 times the median absolute deviation of its anchors."""
    anchors: int
    by: str
    """'Questions', or '12 log messages'."""
    reference: str
    """Name of the source that it was compared with."""

    @property
    def text(self) -> str:
        way = "behind" if self.seconds > 0 else "ahead of"
        return (
            f"Its clock is {abs(self.seconds):.1f} s {way} that of {self.reference}: {self.by} at "
            f"{self.anchors} moments, ± {self.dispersion_s:.1f} s"
        )


def offsets(sources: Sequence[Source], frames: Mapping[str, pl.DataFrame]) -> dict[str, Offset]:
    """Map artifacts to the offset of their clock, if it is off by enough anchors.

    Takes: placed frames (``time`` in UTC µs).
    """
    found: dict[str, Offset] = {}
    counters = _counters(frames.get("sample"), sources)
    messages = _messages(frames.get("event"))
    for group in _by_host(sources):
        ranked = in_order(group)
        for number, source in enumerate(ranked):
            if source.quality == "given":
                continue
            known = [
                other for other in ranked[:number] if other.timed and seen_together(source, other)
            ]
            best = _against(source, known, counters, messages)
            if best is not None:
                found[source.artifact] = best
    return found


def in_order(sources: Sequence[Source]) -> list[Source]:
    """Return sources by how well their times are known, best first."""
    return sorted(sources, key=lambda s: (not s.timed, s.rank, _RANK[s.quality], s.name))


def seen_together(source: Source, other: Source) -> bool:
    """Return whether two sources may have seen the same seconds: not two bundles or recordings."""
    if source.bundle and other.bundle and source.bundle != other.bundle:
        return False
    return source.folder == other.folder or "" in (source.folder, other.folder)


def is_explained(seconds: float) -> bool:
    """Return whether a drifting clock or a wrong zone explains an offset."""
    if abs(seconds) <= _DRIFT_S:
        return True
    rest = abs(seconds - _QUARTER_S * round(seconds / _QUARTER_S))
    return abs(seconds) <= _ZONES_S and rest <= _ZONE_REST_S


def _by_host(sources: Sequence[Source]) -> list[list[Source]]:
    groups: dict[str | None, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.host, []).append(source)
    return list(groups.values())


_Series = tuple[list[float], list[int]]
"""Growing values, and the time (UTC µs) of each."""


def _counters(
    samples: pl.DataFrame | None, sources: Sequence[Source]
) -> dict[str, dict[str, _Series]]:
    """Map artifact and counter to readings, for counters that two sources of one host have.

    Only a counter that grew throughout identifies a moment.
    """
    if samples is None or samples.is_empty():
        return {}
    names = {item: short_name(item) for item in samples["series"].unique().to_list()}
    keys = {item: _SAME.get(short, short) for item, short in names.items()}
    shared = _shared(samples, sources, keys)
    if shared.is_empty():
        return {}
    rows = (
        samples.filter(
            (pl.col("labels") == "") & pl.col("time").is_not_null() & pl.col("value").is_finite()
        )
        .select("artifact", "series", "time", "value")
        .join(shared, on=["artifact", "series"], how="semi", maintain_order="left")
        .with_columns(
            pl.col("series").replace_strict(keys, return_dtype=pl.Categorical).alias("key")
        )
        .sort("time", maintain_order=True)
        .group_by("artifact", "key", maintain_order=True)
        .agg("time", "value", pl.col("series").n_unique().alias("of"))
        .with_columns(
            pl.col("value").list.eval(pl.element().diff().drop_nulls().min()).list.first(),
            pl.col("value").alias("values"),
        )
        .filter((pl.col("value") >= 0) & (pl.col("of") == 1) & (pl.col("time").list.len() >= 2))
    )
    found: dict[str, dict[str, _Series]] = {}
    for artifact, key, times, values in rows.select(
        "artifact", "key", "time", "values"
    ).iter_rows():
        if values[-1] > values[0]:
            found.setdefault(artifact, {})[key] = (values, times)
    return found


def _shared(
    samples: pl.DataFrame, sources: Sequence[Source], keys: Mapping[str, str]
) -> pl.DataFrame:
    """Return artifact and series of counters that another source of the same host also has."""
    host_of = {source.artifact: source.host for source in sources}
    has = distinct(samples.filter(pl.col("labels") == ""), "artifact", "series")
    of: dict[tuple[str | None, str], set[str]] = {}
    for artifact, series in has.iter_rows():
        if artifact in host_of:
            of.setdefault((host_of[artifact], keys[series]), set()).add(artifact)
    rows = [
        (artifact, series)
        for artifact, series in has.iter_rows()
        if artifact in host_of and len(of[host_of[artifact], keys[series]]) > 1
    ]
    return pl.DataFrame(rows, schema=has.schema, orient="row")


def _messages(events: pl.DataFrame | None) -> dict[str, dict[str, int]]:
    """Map artifact and log message to its time, for messages that occur once."""
    if events is None or events.is_empty():
        return {}
    once = (
        events.filter(
            (pl.col("kind") == "log")
            & pl.col("time").is_not_null()
            & (pl.col("message").str.len_chars() >= _TELLING)
        )
        .group_by("artifact", "message")
        .agg(pl.len(), pl.col("time").first())
        .filter(pl.col("len") == 1)
    )
    found: dict[str, dict[str, int]] = {}
    for artifact, message, time in once.select("artifact", "message", "time").iter_rows():
        found.setdefault(artifact, {})[message] = time
    return found


def _against(
    source: Source,
    references: Sequence[Source],
    counters: Mapping[str, Mapping[str, _Series]],
    messages: Mapping[str, Mapping[str, int]],
) -> Offset | None:
    """Return the best offset against the references; None if it is too small or unknown."""
    best: Offset | None = None
    mine, numbers = counters.get(source.artifact, {}), messages.get(source.artifact, {})
    for reference in references:
        theirs = counters.get(reference.artifact, {})
        for key in sorted(mine.keys() & theirs.keys()):
            best = _better(best, _measured(_anchors(mine[key], theirs[key]), key, reference))
        heard = messages.get(reference.artifact, {})
        shared = [heard[name] - numbers[name] for name in numbers.keys() & heard.keys()]
        what = "the same log messages"
        best = _better(best, _measured([number / _S for number in shared], what, reference))
    if best is None or abs(best.seconds) < max(LEAST_S, 2 * best.dispersion_s):
        return None
    if best.dispersion_s > _MOST_SPREAD_S or not is_explained(best.seconds):
        return None  # counters that only happen to pass the same values
    return best


def _anchors(mine: _Series, theirs: _Series) -> list[float]:
    """Return the seconds by which ``theirs`` is later, per reading of ``mine`` in its range."""
    values, times = theirs
    step = max(1, len(mine[0]) // _MOST_ANCHORS)
    found = []
    for value, time in zip(mine[0][::step], mine[1][::step], strict=True):
        left, right = bisect_left(values, value), bisect_right(values, value)
        if right == 0 or left == len(values):
            continue
        if left < right:
            if right - left > 1:
                continue  # it stood still there: which of those moments is not known
            seen = float(times[left])
        else:
            low, high = values[left - 1], values[left]
            share = (value - low) / (high - low)
            seen = times[left - 1] + share * (times[left] - times[left - 1])
        found.append((seen - time) / _S)
    return found


def _measured(anchors: Sequence[float], by: str, reference: Source) -> Offset | None:
    if len(anchors) < LEAST_ANCHORS:
        return None
    series = pl.Series(anchors, dtype=pl.Float64)
    middle = series.median()
    spread = (series - middle).abs().median()
    assert isinstance(middle, float)
    assert isinstance(spread, float)
    return Offset(middle, 1.4826 * spread, len(anchors), by, reference.name)


def _better(old: Offset | None, new: Offset | None) -> Offset | None:
    """Return the offset with the smaller spread for its number of anchors."""
    if old is None or new is None:
        return old or new
    return min(old, new, key=lambda offset: (offset.dispersion_s + 0.05) / offset.anchors**0.5)


__all__ = ["Offset", "Source", "in_order", "is_explained", "offsets", "seen_together"]
