"""Place listings and counters that print no time, by the numbers of connections.

A server numbers its connections in order. A loop that lists the sessions opens a connection for
each list, so the highest number in a list is that of its own connection, and the list was taken
when that number was given. The counter of connections in a file with times, and lists with times,
show when each number was given; and each sample of a counter without a time lies after the numbers
that it has counted, and before the next.

Units: times in UTC µs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import polars as pl

_S = 1_000_000
_SERIES = "mysql.Connections"
_LEAST = 3
"""Lists of a file, and moments at which numbers are known."""
_RISES = 0.8
"""Share of the lists with a higher number than the list before."""
_RESOLVED = 0.5
"""Share of the lists whose number was given while numbers are known."""
_APART_US = 60 * _S
"""Two moments further apart than this show no time."""
_SURE_US = 2 * _S
_ASTRAY = 10
"""One of so many may lie astray: a list that came after a standstill has the time before it."""


class _Point(NamedTuple):
    number: int
    time: int


def with_times(
    frames: Mapping[str, pl.DataFrame], folder_of: Mapping[str, str]
) -> tuple[dict[str, pl.DataFrame], dict[str, int]]:
    """Return the frames with times for lists whose connections show them, and which files.

    folder_of: SHA-256 to the folder of its recording: numbers count within a host of one recording.
    Files are given as SHA-256, with the number of lists that were placed.
    """
    sessions = frames.get("session")
    if sessions is None or not sessions["time"].null_count():
        return dict(frames), {}
    newest = _newest(sessions)
    points = _points(newest, frames.get("sample"), folder_of)
    tables: list[pl.DataFrame] = []
    placed: dict[str, int] = {}
    untimed = newest.filter(pl.col("time").is_null() & (pl.col("clock") == "relative"))
    for (sha,), lists in untimed.group_by("artifact", maintain_order=True):
        known = points.get((folder_of.get(str(sha), ""), lists["host"][0]), [])
        times = _times(lists["number"].to_list(), lists["wall_us"].to_list(), known)
        if times:
            tables.append(lists.select("artifact", "wall_us").with_columns(pl.Series("_t", times)))
            placed[str(sha)] = len(times)
    if not tables:
        return dict(frames), {}
    table = pl.concat(tables).unique(["artifact", "wall_us"], keep="first")
    return {kind: _filled(frame, table) for kind, frame in frames.items()}, placed


def base_of(
    own: pl.DataFrame,
    ruled: pl.DataFrame,
    frames: Mapping[str, pl.DataFrame],
    folder_of: Mapping[str, str],
    belongs: tuple[str | None, str],
) -> tuple[int, int] | None:
    """Return the UTC µs of relative time 0 of an untimed file of counters, and how far off it is.

    own: samples of one artifact. ruled: its better relative times (``uptimes.rulers``). belongs:
    host and folder of the recording. None where the numbers do not show it.
    """
    sessions = frames.get("session")
    counted = own.filter((pl.col("series") == _SERIES) & (pl.col("value") > 0))
    if sessions is None or counted.is_empty():
        return None
    known = _points(_newest(sessions), frames.get("sample"), folder_of).get(belongs[::-1], [])
    start: int = own["wall_us"].min()  # type: ignore[assignment]
    later = pl.coalesce("_ruled", pl.col("wall_us") - start)
    rows = counted.join(ruled, on="wall_us", how="left").select(pl.col("value").cast(int), later)
    found = _zero(rows.rows(), known)
    return found and (found[0] - start, found[1])


def _zero(counted: Sequence[tuple[int, int]], known: Sequence[_Point]) -> tuple[int, int] | None:
    """Return the UTC µs from which counts are timed, and how far off it is.

    counted: connections, and µs after the first count. Each count shows the earliest and the latest
    moment at which it can have been read.
    """
    numbers = [point.number for point in known]
    after, before = [], []
    for count, later in counted:
        at = bisect_right(numbers, count)
        if 0 < at < len(known) and known[at].time - known[at - 1].time <= _APART_US:
            after.append(known[at - 1].time - later)
            before.append(known[at].time - later)
    if len(after) < _LEAST:
        return None
    spare = len(after) // _ASTRAY
    earliest, latest = sorted(after)[-1 - spare], sorted(before)[spare]
    if earliest - latest > _SURE_US:
        return None
    return (earliest + latest) // 2, abs(latest - earliest) // 2


def _newest(sessions: pl.DataFrame) -> pl.DataFrame:
    """Return the highest number of each list."""
    return (
        sessions.filter(pl.col("session_id").is_not_null())
        .group_by("artifact", "wall_us", "snapshot", "host", "clock", "time", maintain_order=True)
        .agg(pl.col("session_id").max().alias("number"))
    )


def _points(
    newest: pl.DataFrame, samples: pl.DataFrame | None, folder_of: Mapping[str, str]
) -> dict[tuple[str, str | None], list[_Point]]:
    """Return by recording and host when numbers had been given; none where they began again."""
    rows = newest.select("artifact", "host", "number", "time").cast({"artifact": pl.String})
    if samples is not None:
        counted = samples.filter((pl.col("series") == _SERIES) & (pl.col("value") > 0)).select(
            pl.col("artifact").cast(pl.String),
            pl.col("host").cast(pl.String),
            pl.col("value").cast(pl.Int64).alias("number"),
            "time",
        )
        rows = pl.concat([rows.cast({"host": pl.String, "number": pl.Int64}), counted])
    found: dict[tuple[str, str | None], list[_Point]] = {}
    for sha, host, number, time in rows.drop_nulls("time").iter_rows():
        found.setdefault((folder_of.get(sha, ""), host), []).append(_Point(number, time))
    return {where: rising for where, all_of in found.items() if (rising := _rising(all_of))}


def _rising(points: Sequence[_Point]) -> list[_Point]:
    """Return the points by time; none if a number falls, as after a restart."""
    ordered = sorted(points, key=lambda point: (point.time, point.number))
    for before, after in pairwise(ordered):
        if after.number < before.number and after.time - before.time > _SURE_US:
            return []
    highest, rising = -1, []
    for point in ordered:
        if point.number > highest:
            highest = point.number
            rising.append(point)
    return rising if len(rising) >= _LEAST else []


def _times(numbers: Sequence[int], walls: Sequence[int], known: Sequence[_Point]) -> list[int]:
    """Return the time of each list; nothing where the numbers do not show it."""
    steps = [after - before for before, after in pairwise(numbers)]
    if len(numbers) < _LEAST or not known or min(steps) < 0:
        return []
    if sum(step > 0 for step in steps) < _RISES * len(steps):
        return []
    found = [_given_at(number, known) for number in numbers]
    if sum(time is not None for time in found) < _RESOLVED * len(found):
        return []
    at = next(place for place, time in enumerate(found) if time is not None)
    begun = (found[at] or 0) - walls[at]
    times: list[int] = []
    for time, wall in zip(found, walls, strict=True):
        begun = begun if time is None else time - wall
        times.append(max(begun + wall, times[-1] + 1) if times else begun + wall)
    return times


def _given_at(number: int, known: Sequence[_Point]) -> int | None:
    """Return when a number was given; None outside of the known moments."""
    at = bisect_left(known, number, key=lambda point: point.number)
    if not 0 < at < len(known):
        return None
    low, high = known[at - 1], known[at]
    if high.time - low.time > _APART_US:
        return None
    if high.time - low.time <= _SURE_US:
        return high.time
    share = (number - low.number) / (high.number - low.number)
    return low.time + round((high.time - low.time) * share)


def _filled(frame: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    if not {"artifact", "wall_us", "time", "clock"} <= set(frame.columns):
        return frame
    keys = ["artifact", "wall_us"]
    mapped = table.cast({"artifact": frame.schema["artifact"]})
    times = frame.select(keys).join(mapped, on=keys, how="left", maintain_order="left")["_t"]
    untimed = pl.col("time").is_null() & (pl.col("clock") == "relative")
    return frame.with_columns(pl.when(untimed).then(times).otherwise("time").alias("time"))


__all__ = ["with_times"]
