"""Read the times that files print, before any zone is known, and tell which hosts are near.

A file that names no host is one of the server that was observed then. What was observed days
earlier says nothing about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import polars as pl

from pileup.analysis.evidence.evidence import OBSERVES, EvidenceArtifact
from pileup.analysis.evidence.spans import joined

Range = tuple[int, int]
Times = Mapping[tuple[bool, str], Sequence[Range]]
"""Ranges of several files, by whether they observe a server and by clock."""
_STAMP = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?P<sep>[-_.]?)(\d\d)(?P=sep)(\d\d)"
    r"[-_.T]?(\d\d)(?P<of_time>[-_.:]?)(\d\d)(?P=of_time)(\d\d)(?!\d)"
)
_HOUR = 3600 * 1_000_000
_OBSERVED_H, _LOGGED_H = 1, 12
"""Hours between samples or dumps, and between log lines and anything, that are near."""
_ZONES_H = 14
"""Hours by which local times may be off absolute ones."""


def stamp_us(path: str) -> int | None:
    """Parse the time in a file's name to µs as if UTC; None without one.

    2026_11_20_22_17_34-gdb.txt, iostat-20261120-221734.log, top.2026-11-20T22:17:34
    """
    name = path.rpartition("/")[2]
    match = _STAMP.search(name)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.group(1, 3, 4, 5, 7, 8))
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * 1_000_000


def printed_ranges(frames: Mapping[str, pl.DataFrame]) -> dict[str, dict[str, Range]]:
    """Map each artifact to the first and last of its full times, in µs as printed, by clock."""
    found: dict[str, dict[str, Range]] = {}
    for frame in frames.values():
        if "clock" not in frame.columns:
            continue
        times = frame.lazy().filter(
            pl.col("clock").is_in(["utc", "local"]) & pl.col("wall_us").is_not_null()
        )
        wall = pl.col("wall_us")
        rows = times.group_by("artifact", "clock").agg(wall.min().alias("a"), wall.max().alias("b"))
        for sha, clock, first, last in rows.collect().iter_rows():
            known = found.setdefault(sha, {}).get(clock, (first, last))
            found[sha][clock] = (min(first, known[0]), max(last, known[1]))
    return found


class Nearness:
    """The printed times of files, and which of them are near each other."""

    def __init__(
        self, artifacts: Sequence[EvidenceArtifact], frames: Mapping[str, pl.DataFrame]
    ) -> None:
        self._ranges = printed_ranges(frames)
        for artifact in artifacts:
            stamp = stamp_us(artifact.path)
            if stamp is not None and artifact.sha256 not in self._ranges:
                self._ranges[artifact.sha256] = {"local": (stamp, stamp)}
        self._observers = {
            sha
            for kind, frame in frames.items()
            if kind in OBSERVES
            for sha in frame["artifact"].unique().to_list()
        }

    def is_observed(self, sha: str) -> bool:
        """Return whether a file has samples, dumps, lists or stacks with times."""
        return sha in self._observers and sha in self._ranges

    def observes(self, sha: str) -> bool:
        """Return whether a file has samples, dumps, lists or stacks, with times or without."""
        return sha in self._observers

    def times(self, files: Iterable[str]) -> Times:
        """Return the times of several files, joined where they are within an hour."""
        found: dict[tuple[bool, str], list[Range]] = {}
        for sha in files:
            for clock, span in self._ranges.get(sha, {}).items():
                found.setdefault((sha in self._observers, clock), []).append(span)
        return {key: joined(spans, over=_OBSERVED_H * _HOUR) for key, spans in found.items()}

    def is_near(self, sha: str, others: Times) -> bool:
        """Return whether other files have times near a file's; True if either has none."""
        mine = self._ranges.get(sha)
        if not mine or not others:
            return True
        return any(
            _apart(span, other) <= self._reach(observes and sha in self._observers, clock == theirs)
            for clock, span in mine.items()
            for (observes, theirs), spans in others.items()
            for other in spans
        )

    def _reach(self, is_observed: bool, is_one_clock: bool) -> int:
        hours = _OBSERVED_H if is_observed else _LOGGED_H
        return (hours if is_one_clock else hours + _ZONES_H) * _HOUR


def lasts(times: Times) -> bool:
    """Return whether files show more than a moment."""
    return any(last > first for spans in times.values() for first, last in spans)


def _apart(mine: Range, theirs: Range) -> int:
    """Return the µs between two ranges."""
    return max(theirs[0] - mine[1], mine[0] - theirs[1], 0)


__all__ = ["Nearness", "Range", "Times", "lasts", "printed_ranges", "stamp_us"]
