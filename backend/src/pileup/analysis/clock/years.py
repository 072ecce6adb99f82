"""The year that a log line leaves out (RFC 3164 syslog: ``Nov 20 22:17:05 host ...``), and the day
that ``strace -tt`` and ``top`` leave out.

A format reports such a time with the clock ``yearless``, as if in 1972 (a leap year). Here it gets
the year that brings it nearest to everything else of the incident; a file that passes New Year
goes on into the next one. Without any other time there is no year, and no time. A time of day
(``dayless``) gets the day in the same way: the stamp in the file's own name decides, else local
times of others, else absolute ones. Without any it counts from the file's first time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import polars as pl

from pileup.analysis.clock import hosts
from pileup.analysis.evidence.evidence import EvidenceArtifact

BASE_YEAR = 1972
_DAY = 86_400 * 1_000_000
_HALF_YEAR = 180 * 86_400 * 1_000_000


def with_years(
    artifacts: Sequence[EvidenceArtifact], frames: Mapping[str, pl.DataFrame]
) -> tuple[dict[str, pl.DataFrame], dict[str, str]]:
    """Turn yearless and dayless times into local times; return also a note per artifact."""
    frames, day_notes = _with_days(artifacts, frames)
    if not any(_has_yearless(frame) for frame in frames.values()):
        return dict(frames), day_notes
    reference = _reference(artifacts, frames)
    years: dict[str, int | None] = {}
    names: dict[str, str] = {}
    for frame in frames.values():
        if not _has_yearless(frame):
            continue
        firsts = (
            frame.filter(pl.col("clock") == "yearless")
            .group_by("artifact", maintain_order=True)
            .agg(pl.col("wall_us").first())
        )
        for sha, first in firsts.iter_rows():
            if sha not in years:
                years[sha] = _nearest(first, reference)
                names[sha] = (
                    "Its times have no year, and no other artifact tells one"
                    if years[sha] is None
                    else f"Its times have no year: {years[sha]} is nearest to the other artifacts"
                )
    return {kind: _placed(frame, years) for kind, frame in frames.items()}, names | day_notes


def _with_days(
    artifacts: Sequence[EvidenceArtifact], frames: Mapping[str, pl.DataFrame]
) -> tuple[dict[str, pl.DataFrame], dict[str, str]]:
    """Place times of day on the day that brings their file nearest to the others."""
    firsts: dict[str, int] = {}
    for frame in frames.values():
        if "clock" in frame.columns:
            times = frame.filter(pl.col("clock") == "dayless").group_by("artifact")
            for sha, first in times.agg(pl.col("wall_us").min()).drop_nulls().iter_rows():
                firsts[sha] = min(first, firsts.get(sha, first))
    if not firsts:
        return dict(frames), {}
    reference = _reference(artifacts, frames, ("local",))
    if reference is None:
        reference = _reference(artifacts, frames, ("utc",))
    own = {a.sha256: stamp for a in artifacts if (stamp := hosts.stamp_us(a.path)) is not None}
    days: dict[str, int | None] = {}
    notes: dict[str, str] = {}
    for sha, first in firsts.items():
        about = own.get(sha, reference)
        days[sha] = day = None if about is None else round((about - first) / _DAY) * _DAY
        if day is None:
            notes[sha] = "Its times have no date, and no other artifact has one"
            continue
        near = "nearest to its file name" if sha in own else "nearest to the other artifacts"
        notes[sha] = (
            f"Its times have no date: {datetime.fromtimestamp(day / 1e6, UTC):%Y-%m-%d} is {near}"
        )
    return {kind: _on_days(frame, days, firsts) for kind, frame in frames.items()}, notes


def _on_days(
    frame: pl.DataFrame, days: Mapping[str, int | None], firsts: Mapping[str, int]
) -> pl.DataFrame:
    """Add each file's day; a file without one counts from its first time."""
    if "clock" not in frame.columns or not (frame["clock"] == "dayless").any():
        return frame
    dayless = pl.col("clock") == "dayless"
    shifts = {sha: -firsts[sha] if day is None else day for sha, day in days.items()}
    clocks = {sha: "relative" if day is None else "local" for sha, day in days.items()}
    shift = pl.col("artifact").replace_strict(shifts, default=None, return_dtype=pl.Int64)
    clock = pl.col("artifact").replace_strict(clocks, default=None, return_dtype=pl.String)
    return frame.with_columns(
        pl.when(dayless).then(pl.col("wall_us") + shift).otherwise("wall_us").alias("wall_us"),
        pl.when(dayless).then(clock).otherwise("clock").cast(frame.schema["clock"]).alias("clock"),
    )


def _has_yearless(frame: pl.DataFrame) -> bool:
    return "clock" in frame.columns and bool((frame["clock"] == "yearless").any())


def _reference(
    artifacts: Sequence[EvidenceArtifact],
    frames: Mapping[str, pl.DataFrame],
    clocks: Sequence[str] = ("utc", "local"),
) -> int | None:
    """Return the median of all full times, else of the stamps in file names; None: neither."""
    times = [
        middle
        for frame in frames.values()
        if "clock" in frame.columns
        and isinstance(
            middle := frame.filter(pl.col("clock").is_in(clocks))["wall_us"].median(),
            int | float,
        )
    ]
    times = times or [stamp for a in artifacts if (stamp := hosts.stamp_us(a.path)) is not None]
    return int(sorted(times)[len(times) // 2]) if times else None


def _nearest(first: int, reference: int | None) -> int | None:
    if reference is None:
        return None
    about = datetime.fromtimestamp(reference / 1e6, UTC).year
    printed = datetime.fromtimestamp(first / 1e6, UTC)

    def distance(year: int) -> float:
        day = min(printed.day, 28) if printed.month == 2 else printed.day
        moved = printed.replace(year=year, day=day)
        return abs(moved.timestamp() * 1e6 - reference)

    return min((about - 1, about, about + 1), key=distance)


def _placed(frame: pl.DataFrame, years: Mapping[str, int | None]) -> pl.DataFrame:
    if not _has_yearless(frame):
        return frame
    yearless = pl.col("clock") == "yearless"
    # a fall by half a year between two lines is New Year
    turns = (
        (pl.col("wall_us").diff() < -_HALF_YEAR)
        .fill_null(False)
        .cast(pl.Int32)
        .cum_sum()
        .over("artifact")
    )
    year = pl.col("artifact").replace_strict(years, default=None, return_dtype=pl.Int32) + turns
    printed = pl.from_epoch("wall_us", time_unit="us")
    moved = pl.datetime(
        year,
        printed.dt.month(),
        # 29 February only where that year has one
        pl.when((printed.dt.month() == 2) & (printed.dt.day() == 29) & (year % 4 != 0))
        .then(pl.lit(28, dtype=pl.Int8))
        .otherwise(printed.dt.day()),
        printed.dt.hour(),
        printed.dt.minute(),
        printed.dt.second(),
        printed.dt.microsecond(),
    ).dt.epoch("us")
    return frame.with_columns(
        pl.when(yearless).then(moved).otherwise(pl.col("wall_us")).alias("wall_us"),
        pl.when(~yearless)
        .then(pl.col("clock"))
        .when(year.is_not_null())
        .then(pl.lit("local"))
        .otherwise(pl.lit(None, dtype=pl.String))
        .cast(frame.schema["clock"])
        .alias("clock"),
    )


__all__ = ["BASE_YEAR", "with_years"]
