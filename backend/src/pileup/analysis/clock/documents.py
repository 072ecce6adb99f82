"""Complete the documents of clocks: years, hosts, jumps, and suggested offsets.

Nothing here moves a record. ``preview`` computes the effect of a person's zone and offset before
they apply: how many records move, and how many fall outside the time of everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import polars as pl

from pileup.analysis.clock import zones
from pileup.analysis.clock.host_names import HostNote
from pileup.analysis.clock.offsets import Offset
from pileup.analysis.contract import ClockDoc
from pileup.records.zones import TimeZone

_S = 1_000_000
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
