"""Complete the documents of clocks: Uptime checks, years, jumps, and suggested offsets.

Nothing here moves a record. ``preview`` computes the effect of a person's zone and offset before
they apply: how many records move, and how many fall outside the time of everything else.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import polars as pl

from pileup.analysis.clock import zones
from pileup.analysis.clock.host_names import HostNote
from pileup.analysis.clock.offsets import Offset
from pileup.analysis.contract import ClockDoc
from pileup.records.zones import TimeZone

_S = 1_000_000
_UPTIME_S = 5.0
_SILENT_S = 900.0
"""Longest silence within one capture, in seconds (``captures.stretches``)."""
COLUMNS = ("artifact", "time", "wall_us", "clock")
"""Columns of placed frames that ``preview`` needs."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Effect of a zone and an offset on one artifact."""

    records: int
    """Records with a time."""
    moves: int
    outside: int
    """Records that would move outside the time that all other artifacts cover."""
    unplaced: int
    """Local times that do not exist in the zone (the hour that clocks skip)."""
    first: int | None
    last: int | None


def preview(
    placed: Mapping[str, pl.DataFrame],
    artifact: str,
    now: ClockDoc,
    zone: TimeZone | None,
    offset_s: float,
) -> Preview:
    """Compute the effect of a zone and an offset without applying them.

    zone: of local times; None keeps the current one. Takes: placed frames with ``COLUMNS``; the
    artifact's current clock.
    """
    shift = round((offset_s - now.offset_s) * _S)
    moved = pl.col("time") + shift
    if zone is not None:
        local = zones.to_utc(pl.col("wall_us"), zone) + round(offset_s * _S)
        moved = pl.when(pl.col("clock") == "local").then(local).otherwise(moved)
    mine = []
    for frame in placed.values():
        if "time" in frame.columns:
            own = frame.filter((pl.col("artifact") == artifact) & pl.col("time").is_not_null())
            mine.append(own.select(pl.col("time"), moved.alias("new")))
    rows = pl.concat(mine) if mine else pl.DataFrame(schema={"time": pl.Int64, "new": pl.Int64})
    bounds = _others(placed, artifact)
    new = rows["new"].drop_nulls()
    outside = 0 if bounds is None else int(((new < bounds[0]) | (new > bounds[1])).sum())
    low, high = new.min(), new.max()
    return Preview(
        records=rows.height,
        moves=int((rows["new"] != rows["time"]).fill_null(True).sum()),
        outside=outside,
        unplaced=rows["new"].null_count(),
        first=low if isinstance(low, int) else None,
        last=high if isinstance(high, int) else None,
    )


def _others(placed: Mapping[str, pl.DataFrame], artifact: str) -> tuple[int, int] | None:
    """Return the first and last time (UTC µs) of all other artifacts; None without times."""
    bounds: list[tuple[int, int]] = []
    for frame in placed.values():
        if "time" not in frame.columns:
            continue
        others = frame.filter(pl.col("artifact") != artifact)["time"]
        low, high = others.min(), others.max()
        if isinstance(low, int) and isinstance(high, int):
            bounds.append((low, high))
    return (min(a for a, _ in bounds), max(b for _, b in bounds)) if bounds else None


def suggested(
    docs: dict[str, ClockDoc], measured: Mapping[str, Offset], placed: Mapping[str, pl.DataFrame]
) -> dict[str, ClockDoc]:
    """Add the suggested offset and its effect to each clock that is off."""
    for sha, offset in measured.items():
        if sha not in docs:
            continue
        wanted = round(docs[sha].offset_s + offset.seconds, 3)
        run = preview(placed, sha, docs[sha], None, wanted)
        docs[sha] = msgspec.structs.replace(
            docs[sha],
            suggested_offset_s=wanted,
            suggested_how=f"{offset.text}.",
            moves=run.moves,
            outside=run.outside,
        )
    return docs


def with_year_notes(docs: dict[str, ClockDoc], notes: Mapping[str, str]) -> dict[str, ClockDoc]:
    for sha, sentence in notes.items():
        if sha in docs:
            docs[sha] = msgspec.structs.replace(docs[sha], how=f"{sentence}. {docs[sha].how}")
        else:
            docs[sha] = ClockDoc(
                source="unknown", zone=None, offset_s=0.0, how=f"{sentence}.", quality="unknown"
            )
    return docs


def with_host_notes(
    docs: dict[str, ClockDoc], notes: Mapping[str, HostNote]
) -> dict[str, ClockDoc]:
    """Add to each clock the host that its artifact prints, and why it counts as another's."""
    for sha, (printed, sentence) in notes.items():
        if sha in docs:
            docs[sha] = msgspec.structs.replace(docs[sha], host_how=sentence, host_printed=printed)
    return docs


def with_jumps(docs: dict[str, ClockDoc], jumps: Mapping[str, list[str]]) -> dict[str, ClockDoc]:
    for sha, sentences in jumps.items():
        if sha in docs:
            docs[sha] = msgspec.structs.replace(docs[sha], jumps=sentences)
    return docs


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
    start = pl.col("time") - (pl.col("value") * _S).cast(pl.Int64)
    starts = (
        samples.filter((pl.col("series") == "mysql.Uptime") & pl.col("time").is_not_null())
        .group_by("host", "artifact")
        .agg(
            start.median().alias("start"),
            pl.col("time").min().alias("first"),
            pl.col("time").max().alias("last"),
        )
        .sort("first", "artifact")
    )
    of_server: dict[tuple[str | None, str], list[_Start]] = {}
    for host, sha, started, first, last in starts.iter_rows():
        if sha in docs and started is not None:
            folder, bundle = belongs[sha]
            server = of_server.setdefault((host, folder), [])
            server.append(_Start(sha, started, first, last, bundle))
    checked = dict(docs)
    for files in of_server.values():
        for group in _seen_together(files):
            middle = statistics.median(each.start for each in group)
            for each in group:
                text = _by_uptime((each.start - middle) / _S, len(group) - 1)
                how = docs[each.artifact].how + text
                checked[each.artifact] = msgspec.structs.replace(docs[each.artifact], how=how)
    return checked


@dataclass(frozen=True, slots=True)
class _Start:
    """When a server started, by the Uptime of one file; times in UTC µs."""

    artifact: str
    start: float
    first: int
    last: int
    bundle: str | None


def _seen_together(files: Sequence[_Start]) -> Iterator[list[_Start]]:
    """Yield the files of each capture, of two files or more; the server may restart between two.

    files: of one server, by time. Files of one pt-stalk capture are together whatever their clocks
    show; others while no longer silence is between them.
    """
    groups: list[list[_Start]] = []
    of_bundle: dict[str, list[_Start]] = {}
    end = 0
    for each in files:
        mine = of_bundle.get(each.bundle) if each.bundle is not None else None
        if mine is None:
            if not groups or each.first - end > _SILENT_S * _S:
                groups.append([])
            mine = groups[-1]
        mine.append(each)
        end = max(end, each.last)
        if each.bundle is not None:
            of_bundle.setdefault(each.bundle, mine)
    return (group for group in groups if len(group) > 1)


def _by_uptime(off: float, others: int) -> str:
    """Write how many seconds the start of the server by one file is after that by the others."""
    files = f"{others} other file{'s' if others > 1 else ''}"
    if abs(off) <= _UPTIME_S:
        return f" Uptime agrees with {files} within {abs(off):.0f} s."
    return (
        f" But by its Uptime the server started {abs(off):.0f} s "
        f"{'later' if off > 0 else 'earlier'} than by {files}: "
        "this clock is off, or the server was restarted."
    )
