"""Join the host that only metrics name to the server that they were scraped from.

An exporter's label (``instance=10.0.0.5``) and the name that the server prints (``shop-db``) often
have nothing in common. When one server left dumps, processlists or logs, and one other host left
nothing but metrics of a server in the same time, both are one, unless their numbers contradict it.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.clock import host_names
from pileup.analysis.clock.host_names import HostNote
from pileup.analysis.evidence.compact_samples import distinct
from pileup.analysis.evidence.evidence import EvidenceArtifact
from pileup.analysis.evidence.folders import recordings
from pileup.analysis.evidence.load_series import shows_load
from pileup.analysis.evidence.series import short_name

MONITORING = re.compile(r"csv|metric|prometheus|openmetrics|cloudwatch|json-samples|qps")
"""Formats of exports of monitoring systems: another machine than the server wrote them."""
_S = 1_000_000
_COMPARED = ("threads_running", "threads_connected")
_APART = 3.0
"""Values of one measure at the same time that differ by more are of two servers."""
_MOVES = 10.0
"""Sessions by which a count has to move, or be above, to tell one server from another."""
_MOST_APART = 0.1
"""Share of the common moments at which two counts of one server may be apart: they were not taken
in the same instant."""
_AROUND = (0, -1, 1, -2, 2)
"""Seconds between two samples of one moment, the best first."""
_UPTIME_S = 120.0
_FEW = 5


@dataclass(slots=True)
class _Host:
    name: str
    artifacts: set[str] = field(default_factory=set)
    first: int | None = None
    last: int | None = None
    is_direct: bool = False
    shows_load: bool = False

    def add(self, sha: str, first: int | None, last: int | None) -> None:
        self.artifacts.add(sha)
        if first is not None and last is not None:
            self.first = first if self.first is None else min(self.first, first)
            self.last = last if self.last is None else max(self.last, last)

    def overlaps(self, other: _Host) -> bool:
        if None in (self.first, self.last, other.first, other.last):
            return False
        return self.first <= other.last and other.first <= self.last  # type: ignore[operator]


def joined(
    artifacts: Sequence[EvidenceArtifact],
    placed: Mapping[str, pl.DataFrame],
    given: Collection[str],
) -> tuple[dict[str, pl.DataFrame], dict[str, HostNote]]:
    """Return the frames with joined hosts, and the note that says so by artifact."""
    servers = joins(artifacts, placed, given)
    notes: dict[str, HostNote] = {}
    for frame in placed.values() if servers else ():
        if "host" not in frame.columns:
            continue
        for sha, host in distinct(frame, "artifact", "host").iter_rows():
            if host in servers:
                sentence = (
                    f"{host} has only metrics, of the same time as the dumps and logs of "
                    f"{servers[host]}: both count as one server."
                )
                notes[sha] = host, sentence
    names: dict[tuple[str | None, str], str | None] = {
        (None, host): server for host, server in servers.items()
    }
    return host_names.rename(placed, names), notes


def joins(
    artifacts: Sequence[EvidenceArtifact],
    placed: Mapping[str, pl.DataFrame],
    given: Collection[str],
) -> dict[str, str]:
    """Map hosts with metrics only to the server that they belong to.

    Takes: frames with ``time`` and ``host``; the hosts that people gave, which are never joined.
    """
    hosts = _hosts(artifacts, placed)
    folder_of = recordings([artifact.path for artifact in artifacts])
    folders = {artifact.sha256: folder_of[artifact.path] for artifact in artifacts}
    servers = [host for host in hosts if host.is_direct]
    metrics = [host for host in hosts if not host.is_direct and host.shows_load]
    found: dict[str, str] = {}
    for host in metrics:
        if host.name in given:
            continue
        beside = [each for each in servers if host.overlaps(each) and _share(host, each, folders)]
        if len(beside) != 1:
            continue
        (server,) = beside
        rivals = [
            each for each in metrics if each.overlaps(server) and _share(each, server, folders)
        ]
        if len(rivals) == 1 and not _contradict(placed.get("sample"), host, server):
            found[host.name] = server.name
    return found


def _hosts(
    artifacts: Sequence[EvidenceArtifact], placed: Mapping[str, pl.DataFrame]
) -> list[_Host]:
    monitoring = {
        artifact.sha256 for artifact in artifacts if MONITORING.search(artifact.format or "")
    }
    hosts: dict[str, _Host] = {}
    for kind, frame in placed.items():
        if "host" not in frame.columns or "time" not in frame.columns:
            continue
        rows = (
            frame.lazy()
            .filter(pl.col("host").is_not_null())
            .group_by("artifact", "host")
            .agg(pl.col("time").min().alias("a"), pl.col("time").max().alias("b"))
            .collect()
        )
        for sha, name, first, last in rows.iter_rows():
            host = hosts.setdefault(name, _Host(name))
            host.add(sha, first, last)
            host.is_direct |= kind != "sample" and kind != "event" and sha not in monitoring
    samples = placed.get("sample")
    if samples is not None:
        named = distinct(samples, "artifact", "host", "series", "labels").drop_nulls("host")
        for sha, name, series, labels in named.iter_rows():
            if shows_load(series, labels or ""):
                hosts[name].shows_load = True
                hosts[name].is_direct |= sha not in monitoring
    return sorted(hosts.values(), key=lambda host: host.name)


def _share(first: _Host, second: _Host, folders: Mapping[str, str]) -> bool:
    """Return whether two hosts have files in one recording, or beside all recordings."""
    mine = {folders[sha] for sha in first.artifacts}
    theirs = {folders[sha] for sha in second.artifacts}
    return bool(mine & theirs) or "" in mine or "" in theirs


def _contradict(samples: pl.DataFrame | None, first: _Host, second: _Host) -> bool:
    """Return whether both show the same measure in the same time, and not as of one server.

    Their numbers differ, or are small and do not move: calm servers of a fleet look alike, and
    another one's stall later would become this one's.
    """
    if samples is None or not first.overlaps(second):
        return False
    start = max(first.first or 0, second.first or 0)
    end = min(first.last or 0, second.last or 0)
    rows = samples.filter(
        pl.col("host").cast(pl.String).is_in([first.name, second.name])
        & pl.col("value").is_finite()
        & pl.col("time").is_between(start, end)
    )
    started: dict[str, list[float]] = {}
    counts: dict[tuple[str, str], dict[int, float]] = {}
    for (host, series, labels), part in rows.group_by("host", "series", "labels"):
        name = short_name(str(series), str(labels or ""))
        if name == "uptime":
            begin = part["time"] / _S - part["value"]
            started.setdefault(str(host), []).extend(begin.to_list()[:_FEW])
        elif name in _COMPARED and part.height >= _FEW:
            seconds = (part["time"] // _S).to_list()
            counts.setdefault((name, str(host)), {}).update(
                zip(seconds, part["value"].to_list(), strict=True)
            )
    if len(started) == 2:
        a, b = map(statistics.median, started.values())
        return abs(a - b) > _UPTIME_S
    compared = [
        _compare(counts[name, first.name], counts[name, second.name])
        for name in _COMPARED
        if (name, first.name) in counts and (name, second.name) in counts
    ]
    return any(same is False for same in compared) or (bool(compared) and not any(compared))


def _compare(mine: Mapping[int, float], theirs: Mapping[int, float]) -> bool | None:
    """Return whether counts by second are of one server; None: they do not tell."""
    few, many = (mine, theirs) if len(mine) < len(theirs) else (theirs, mine)
    pairs = [
        (value, near)
        for second, value in few.items()
        if (near := next((many[second + by] for by in _AROUND if second + by in many), None))
        is not None
    ]
    if len(pairs) < _FEW:  # sampled at other moments
        pairs = [(statistics.median(mine.values()), statistics.median(theirs.values()))]
    apart = sum(_are_apart(value, near) for value, near in pairs)
    if apart > _MOST_APART * len(pairs):
        return False
    exact = sum(abs(value - near) <= 1 for value, near in pairs)
    moves = min(max(each.values()) - min(each.values()) for each in (mine, theirs)) >= _MOVES
    large = statistics.median(few.values()) >= _MOVES and exact >= (1 - _MOST_APART) * len(pairs)
    return True if moves or large else None


def _are_apart(mine: float, theirs: float) -> bool:
    return max(mine, theirs) + 2 > _APART * (min(mine, theirs) + 2)


__all__ = ["MONITORING", "joined", "joins"]
