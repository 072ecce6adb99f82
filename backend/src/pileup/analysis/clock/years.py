"""The year that a log line leaves out (RFC 3164 syslog: ``Nov 20 22:17:05 host ...``), and the day
that ``strace -tt`` and ``top`` leave out.

A format reports such a time with the clock ``yearless``, as if in 1972 (a leap year). Here it gets
the year that brings it nearest to the moment that a person gave, else to the stamp in its name,
else to the files of its own recording and host (local times, else absolute ones, else stamps in
names); a file that passes New Year goes on into the next one. Without any other time there is no
year, and no time. A time of day (``dayless``) gets the day in the same way. Without any it counts
from the file's first time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, UTC, datetime

import polars as pl

from pileup.analysis.clock.printed_times import Range, printed_ranges, stamp_us
from pileup.analysis.evidence.evidence import EvidenceArtifact
from pileup.analysis.evidence.folders import inside, recordings, scopes

BASE_YEAR = 1972
_DAY = 86_400 * 1_000_000
_MINUTE = 60 * 1_000_000
_BEST_FIRST = ("local", "utc", "stamp")
_HALF_YEAR = 180 * 86_400 * 1_000_000


def with_years(
    artifacts: Sequence[EvidenceArtifact],
    frames: Mapping[str, pl.DataFrame],
    host_of: Mapping[str, str | None],
    given: Mapping[str, int] | None = None,
) -> tuple[dict[str, pl.DataFrame], dict[str, str]]:
    """Turn yearless and dayless times into local times; return also a note per artifact.

    given: SHA-256 to the moment (µs) that a person gave a file.
    """
    given = given or {}
    if not any(_has_partial(frame) for frame in frames.values()):
        return dict(frames), {}
    frames, day_notes = _with_days(frames, FullTimes(artifacts, frames, host_of, given))
    if not any(_has_yearless(frame) for frame in frames.values()):
        return dict(frames), day_notes
    known = FullTimes(artifacts, frames, host_of, given)
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
                years[sha] = _nearest(first, known.around(sha))
                names[sha] = (
                    "Its times have no year, and no other artifact tells one"
                    if years[sha] is None
                    else f"Its times have no year: {years[sha]} is {known.nearest_to(sha)}"
                )
    return {kind: _placed(frame, years) for kind, frame in frames.items()}, names | day_notes


def _with_days(
    frames: Mapping[str, pl.DataFrame], known: FullTimes
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
    days: dict[str, int | None] = {}
    notes: dict[str, str] = {}
    for sha, first in firsts.items():
        own = known.about(sha)
        about = own if own is not None else _middle(known.around(sha))
        days[sha] = day = None if about is None else round((about - first) / _DAY) * _DAY
        if day is None:
            notes[sha] = "Its times have no date, and no other artifact has one"
            continue
        date = f"{datetime.fromtimestamp(day / 1e6, UTC):%Y-%m-%d}"
        notes[sha] = f"Its times have no date: {date} is {known.nearest_to(sha)}"
    return {kind: _on_days(frame, days, firsts) for kind, frame in frames.items()}, notes


class FullTimes:
    """The full times that files print, by the folder that they lie in and their host.

    A file takes its year or day from the nearest folder of its own recording that has any, of its
    host or of none: another capture in the same incident changes nothing.
    """

    def __init__(
        self,
        artifacts: Sequence[EvidenceArtifact],
        frames: Mapping[str, pl.DataFrame],
        host_of: Mapping[str, str | None],
        given: Mapping[str, int],
    ) -> None:
        self._given = given
        self._artifacts = {artifact.sha256: artifact for artifact in artifacts}
        self._recordings = recordings([artifact.path for artifact in artifacts])
        self._host_of = host_of
        ranges = printed_ranges(frames)
        self._of: dict[tuple[str, str | None], dict[str, set[Range]]] = {}
        self._hosts: dict[str, set[str | None]] = {}
        for sha, artifact in self._artifacts.items():
            stamp = stamp_us(artifact.path)
            own = dict(ranges.get(sha, {}))
            if stamp is not None:
                own["stamp"] = (stamp, stamp)
            for folder in scopes(artifact.path) if own else ():
                self._hosts.setdefault(folder, set()).add(host_of.get(sha))
                kinds = self._of.setdefault((folder, host_of.get(sha)), {})
                for kind, (first, last) in own.items():
                    # whole minutes: a thousand files of one hour are sixty ranges
                    kinds.setdefault(kind, set()).add((first // _MINUTE, last // _MINUTE))

    def about(self, sha: str) -> int | None:
        """Return the moment that a person gave, or the time in the file's own name, in µs."""
        return self._given.get(sha, stamp_us(self._artifacts[sha].path))

    def nearest_to(self, sha: str) -> str:
        """Say what a file's year or day was chosen by."""
        if sha in self._given:
            return "nearest to the moment that a person gave"
        named = stamp_us(self._artifacts[sha].path) is not None
        return "nearest to its file name" if named else "nearest to the other artifacts"

    def around(self, sha: str) -> list[Range]:
        """Return the ranges (µs) of the nearest files with times: local ones, else absolute ones,
        else stamps in names.
        """
        own = self.about(sha)
        if own is not None:
            return [(own, own)]
        path, host = self._artifacts[sha].path, self._host_of.get(sha)
        recording = self._recordings[path]
        for folder in scopes(path):
            if recording and not inside(f"{folder}/", recording):
                return []
            here = [
                kinds
                for name in (self._hosts.get(folder, ()) if host is None else (host, None))
                if (kinds := self._of.get((folder, name)))
            ]
            for kind in _BEST_FIRST:
                if found := {item for kinds in here for item in kinds.get(kind, ())}:
                    return [(first * _MINUTE, last * _MINUTE) for first, last in sorted(found)]
        return []


def _middle(ranges: Sequence[Range]) -> int | None:
    """Return the median of the ranges' middles."""
    middles = sorted((first + last) // 2 for first, last in ranges)
    return middles[len(middles) // 2] if middles else None


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


def _has_partial(frame: pl.DataFrame) -> bool:
    return "clock" in frame.columns and bool(frame["clock"].is_in(["yearless", "dayless"]).any())


def _has_yearless(frame: pl.DataFrame) -> bool:
    return "clock" in frame.columns and bool((frame["clock"] == "yearless").any())


def _nearest(first: int, ranges: Sequence[Range]) -> int | None:
    """Return the year in which this time of 1972 is nearest to any of the ranges."""
    printed = datetime.fromtimestamp(first / 1e6, UTC)
    day = min(printed.day, 28) if printed.month == 2 else printed.day
    years = {
        datetime.fromtimestamp(moment / 1e6, UTC).year + more
        for both in ranges
        for moment in both
        for more in (-1, 0, 1)
    }
    moments = {
        year: printed.replace(year=year, day=day).timestamp() * 1e6
        for year in sorted(years)
        if MINYEAR <= year <= MAXYEAR
    }

    def distance(year: int) -> float:
        at = moments[year]
        return min(max(start - at, at - end, 0) for start, end in ranges)

    return min(moments, key=distance, default=None)


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
