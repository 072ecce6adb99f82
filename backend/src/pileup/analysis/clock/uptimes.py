"""Place and check clocks by Uptime.

A server's start, the time of a sample minus its Uptime, is one moment. `mysqladmin ext -i1` prints
no time, but Uptime in each of its samples: where another file of the same server has both, the
start is known, and with it every moment of the first. Files that all have times must agree on it.

Units: times in UTC µs, Uptime in seconds.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import polars as pl

from pileup.analysis.contract import ClockDoc

_S = 1_000_000
_SERIES = "mysql.Uptime"
_BEGINS = r"(?i)(?:starting|source revision) .{0,300}?as process \d|starting as process \d"
_LONGEST_S = 100 * 366 * 86_400
_AGREE_S = 5.0
_SILENT_S = 900.0
"""Longest silence within one capture, in seconds (``captures.stretches``)."""
_APART_S = 3600.0
"""Files of one recording lie no further apart, in seconds (as for absolute times)."""


@dataclass(frozen=True, slots=True)
class Start:
    """When a server started, by the Uptime of one file."""

    artifact: str
    host: str | None
    start: float
    first: int
    """Time of its first sample of Uptime; ``last`` likewise."""
    last: int


def starts(samples: pl.DataFrame) -> list[Start]:
    """Return the start of a server by each file that has times and Uptime, by time.

    samples: with ``time``, in UTC µs; rows without one are left out.
    """
    start = pl.col("time") - (pl.col("value") * _S).cast(pl.Int64)
    found = (
        samples.filter(
            (pl.col("series") == _SERIES)
            & pl.col("time").is_not_null()
            & pl.col("value").is_between(0, _LONGEST_S)
        )
        .group_by("host", "artifact")
        .agg(
            start.median().alias("start"),
            pl.col("time").min().alias("first"),
            pl.col("time").max().alias("last"),
        )
        .sort("first", "artifact")
    )
    return [
        Start(artifact, host, started, first, last)
        for host, artifact, started, first, last in found.iter_rows()
        if started is not None
    ]


def logged_starts(events: pl.DataFrame | None) -> list[Start]:
    """Return when servers started by their own logs, in time order: Uptime counts from there."""
    if events is None:
        return []
    rows = events.filter(
        pl.col("time").is_not_null() & pl.col("message").str.contains(_BEGINS)
    ).sort("time", "artifact")
    return [
        Start(artifact, host, float(time), time, time)
        for host, artifact, time in rows.select("host", "artifact", "time").iter_rows()
    ]


def only_start(
    own: pl.DataFrame,
    logged: Sequence[Start],
    belongs: tuple[str | None, str],
    folder_of: Mapping[str, str],
) -> list[Start]:
    """Return the only start in the logs of a recording that an untimed file can count from.

    A file that lasts beyond the next start does not count from the one before.
    """
    host, folder = belongs
    mine = [each for each in logged if each.host == host and folder_of.get(each.artifact) == folder]
    uptimes = own.filter(pl.col("series") == _SERIES)["value"]
    most = uptimes.max()
    if not mine or not isinstance(most, int | float) or not 0 <= most <= _LONGEST_S:
        return []
    nexts = [*(each.start for each in mine[1:]), math.inf]
    fit = [
        each
        for each, following in zip(mine, nexts, strict=True)
        if each.start + (most - _AGREE_S) * _S <= following
    ]
    if len(fit) != 1:
        return []
    end = round(fit[0].start + most * _S)
    return [dataclasses.replace(fit[0], last=end)]


def base_of(own: pl.DataFrame, known: Sequence[Start]) -> tuple[int, Start] | None:
    """Return the UTC µs of an untimed file's relative time 0, and the file that shows the start.

    own:   samples of one artifact with relative times.
    known: of the same server and recording. None where they disagree (the server was restarted),
    where the file's Uptime is no clock, or where it would lie beside the whole recording.
    """
    ruled = rulers(own)
    rows = own.filter(pl.col("series") == _SERIES).sort("wall_us")
    if ruled.is_empty() or not known:
        return None
    middle = statistics.median(each.start for each in known)
    if any(abs(each.start - middle) > _AGREE_S * _S for each in known):
        return None
    wall, uptime = rows.select("wall_us", "value").row(0)
    base = round(middle + uptime * _S) - wall
    first = base + wall
    last = first + ruled["_ruled"].to_list()[-1]
    early, late = min(each.first for each in known), max(each.last for each in known)
    if last < early - _APART_S * _S or first > late + _APART_S * _S:
        return None
    return base, min(known, key=lambda each: (abs(each.start - middle), each.artifact))


def rulers(samples: pl.DataFrame | None) -> pl.DataFrame:
    """Compute better relative times for files that print Uptime: artifact, wall_us, _ruled.

    `mysqladmin -i1` counts nominal seconds; a stalled server delays samples, and Uptime shows it.
    A step of one second is rounding and ignored; a larger one is followed.
    """
    empty = pl.DataFrame(schema={"artifact": pl.String, "wall_us": pl.Int64, "_ruled": pl.Int64})
    if samples is None:
        return empty
    uptimes = (
        samples.filter(
            (pl.col("series") == _SERIES)
            & (pl.col("clock") == "relative")
            & pl.col("value").is_between(0, _LONGEST_S)
        )
        .select("artifact", "wall_us", "value")
        .unique(["artifact", "wall_us"], keep="first")
        .sort("artifact", "wall_us")
    )
    parts = []
    for (sha,), rows in uptimes.group_by("artifact", maintain_order=True):
        walls, values = rows["wall_us"].to_list(), rows["value"].to_list()
        if not _is_absolute(values):
            continue
        ruled: list[int] = []
        drift = 0
        for wall, value in zip(walls, values, strict=True):
            off = round((value - values[0]) * _S) - (wall - walls[0])
            if abs(off - drift) >= 2 * _S:
                drift = off
            now = wall - walls[0] + drift
            ruled.append(max(now, ruled[-1] + _S // 10) if ruled else now)
        parts.append(
            pl.DataFrame(
                {"artifact": [sha] * len(walls), "wall_us": walls, "_ruled": ruled},
                schema=empty.schema,
            )
        )
    return pl.concat(parts) if parts else empty


def _is_absolute(values: list[float]) -> bool:
    """Return whether Uptime grows without a restart, rather than being differences (-r)."""
    return len(values) > 1 and all(b >= a for a, b in itertools.pairwise(values))


def checked(
    samples: pl.DataFrame | None,
    docs: dict[str, ClockDoc],
    belongs: Mapping[str, tuple[str, str | None]],
) -> dict[str, ClockDoc]:
    """Check each clock by Uptime: files of one server and capture must agree on its start time.

    belongs: SHA-256 to the folder of its recording, and the pt-stalk capture of its name.
    """
    if samples is None:
        return docs
    of_server: dict[tuple[str | None, str], list[Start]] = {}
    for each in starts(samples):
        if each.artifact in docs:
            server = (each.host, belongs[each.artifact][0])
            of_server.setdefault(server, []).append(each)
    result = dict(docs)
    for files in of_server.values():
        for group in _seen_together(files, belongs):
            middle = statistics.median(each.start for each in group)
            for each in group:
                text = _by_uptime((each.start - middle) / _S, len(group) - 1)
                how = docs[each.artifact].how + text
                result[each.artifact] = msgspec.structs.replace(docs[each.artifact], how=how)
    return result


def _seen_together(
    files: Sequence[Start], belongs: Mapping[str, tuple[str, str | None]]
) -> Iterator[list[Start]]:
    """Yield the files of each capture, of two files or more; the server may restart between two.

    files: of one server, by time. Files of one pt-stalk capture are together whatever their clocks
    show; others while no longer silence is between them.
    """
    groups: list[list[Start]] = []
    of_bundle: dict[str, list[Start]] = {}
    end = 0
    for each in files:
        bundle = belongs[each.artifact][1]
        mine = of_bundle.get(bundle) if bundle is not None else None
        if mine is None:
            if not groups or each.first - end > _SILENT_S * _S:
                groups.append([])
            mine = groups[-1]
        mine.append(each)
        end = max(end, each.last)
        if bundle is not None:
            of_bundle.setdefault(bundle, mine)
    return (group for group in groups if len(group) > 1)


def _by_uptime(off: float, others: int) -> str:
    """Write how many seconds the start of the server by one file is after that by the others."""
    files = f"{others} other file{'s' if others > 1 else ''}"
    if abs(off) <= _AGREE_S:
        return f" Uptime agrees with {files} within {abs(off):.0f} s."
    return (
        f" But by its Uptime the server started {abs(off):.0f} s "
        f"{'later' if off > 0 else 'earlier'} than by {files}: "
        "this clock is off, or the server was restarted."
    )
