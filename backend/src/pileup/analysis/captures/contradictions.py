"""Tell recordings of different servers apart that name no host.

Recordings that overlap in time and name no host count as one server's, as people give one file per
collector. Folders whose files contradict each other (another version, another start of the server)
are of two.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.clock import uptimes
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.folders import recording_of

_IDENTITY = ("server_uuid", "server_id", "port", "version")
"""Variables that a server does not change while it runs."""
_SAME_START_S = 5.0
"""Starts of one server differ by so much: times are printed in whole seconds, after Uptime."""
_ZONE_S = 900.0
"""Zones differ by multiples of this, and a zone may be wrong."""


@dataclass(slots=True)
class _Server:
    """What the files of a folder without a host show of its server."""

    names: dict[str, set[str]] = field(default_factory=dict)
    starts: set[int] = field(default_factory=set)
    """UTC seconds, by Uptime; whole ones, as hundreds of dumps show the same start."""

    def contradicts(self, other: _Server) -> bool:
        for name in self.names.keys() & other.names.keys():
            if self.names[name].isdisjoint(other.names[name]):
                return True
        pairs = list(itertools.product(self.starts, other.starts))
        return bool(pairs) and not any(_is_start(a - b, zones=True) for a, b in pairs)

    def is_same(self, other: _Server) -> bool:
        uuids = self.names.get("server_uuid", set()) & other.names.get("server_uuid", set())
        pairs = itertools.product(self.starts, other.starts)
        return bool(uuids) or any(_is_start(a - b, zones=False) for a, b in pairs)


def servers_apart(evidence: Evidence) -> dict[str, str]:
    """Map SHA-256 to the folder of its server, where folders without a host contradict each other.

    Empty where none do. A folder that tells nothing of its server is then one of its own.
    """
    folders = {sha: folder for sha, folder in recording_of(evidence.artifacts).items() if folder}
    if len(set(folders.values())) < 2:
        return {}
    servers: dict[str, _Server] = defaultdict(_Server)
    for sha, name, value in _settings(evidence, folders):
        servers[folders[sha]].names.setdefault(name, set()).add(value)
    samples = evidence.frame("sample")
    for start in uptimes.starts(samples) if samples is not None else ():
        if start.host is None and start.artifact in folders:
            servers[folders[start.artifact]].starts.add(round(start.start / 1e6))
    if not any(a.contradicts(b) for a, b in itertools.combinations(servers.values(), 2)):
        return {}
    first: dict[str, str] = {}
    for folder in sorted(servers):
        same = (
            other
            for other in first
            if servers[other].is_same(servers[folder])
            and not servers[other].contradicts(servers[folder])
        )
        first[folder] = first[known] if (known := next(same, None)) else folder
    return {sha: first.get(folder, folder) for sha, folder in folders.items()}


def _settings(evidence: Evidence, shas: Collection[str]) -> Iterator[tuple[str, str, str]]:
    frame = evidence.frame("setting")
    if frame is None:
        return
    rows = frame.filter(pl.col("name").is_in(_IDENTITY) & pl.col("host").is_null())
    for sha, name, value in rows.select("artifact", "name", "value").drop_nulls().iter_rows():
        if sha in shas:
            yield sha, name, value


def _is_start(apart: float, *, zones: bool) -> bool:
    """Return whether starts so many seconds apart may be one, as printed in one zone or in two."""
    if zones:
        apart = (apart + _ZONE_S / 2) % _ZONE_S - _ZONE_S / 2
    return abs(apart) <= _SAME_START_S


__all__ = ["servers_apart"]
