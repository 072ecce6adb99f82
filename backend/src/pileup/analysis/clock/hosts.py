"""Assign each artifact to a host.

Tried in order: a host that a person named, a host that its records name, the hostname setting in
it, its pt-stalk capture's hostname, a known host's name in its path, and, when only one host was
observed over time, that one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import polars as pl

from pileup.analysis.evidence.evidence import ClockOverride, EvidenceArtifact, bundle_of
from pileup.analysis.evidence.folders import scopes

_STAMP = re.compile(r"(?<!\d)(\d{4})_(\d\d)_(\d\d)_(\d\d)_(\d\d)_(\d\d)(?!\d)")


def assign(
    artifacts: Sequence[EvidenceArtifact],
    frames: Mapping[str, pl.DataFrame],
    overrides: Mapping[str, ClockOverride],
) -> dict[str, str | None]:
    """Map SHA-256 to host; None: unknown."""
    given = {sha: override.host for sha, override in overrides.items() if override.host}
    named = _named(frames) | given
    bundles: dict[str, Counter[str]] = {}
    for artifact in artifacts:
        bundle = artifact.bundle or bundle_of(artifact.path)
        if bundle and artifact.sha256 in named:
            bundles.setdefault(bundle, Counter())[named[artifact.sha256]] += 1
    known = set(named.values())
    names: dict[str, str | None] = {}
    for artifact in artifacts:
        bundle = artifact.bundle or bundle_of(artifact.path)
        host = named.get(artifact.sha256)
        if host is None and bundle in bundles:
            host = bundles[bundle].most_common(1)[0][0]
        if host is None:
            inside = [name for name in sorted(known) if name in artifact.path]
            host = max(inside, key=len, default=None)
        names[artifact.sha256] = host
    timed = _timed(frames)
    observed = {host for sha, host in names.items() if host and sha in timed}
    only = _by_folder(artifacts, names, observed, known)
    return {
        artifact.sha256: names[artifact.sha256] or _nearest(artifact.path, only)
        for artifact in artifacts
    }


def _by_folder(
    artifacts: Sequence[EvidenceArtifact],
    names: Mapping[str, str | None],
    observed: set[str],
    known: set[str],
) -> dict[str, str | None]:
    """Map each folder that names hosts to its only host; None: it names several."""
    hosts: dict[str, set[str]] = {"": set(known)}
    for artifact in artifacts:
        if host := names[artifact.sha256]:
            for folder in scopes(artifact.path):
                hosts.setdefault(folder, set()).add(host)
    return {folder: _only(here & observed) or _only(here) for folder, here in hosts.items()}


def _nearest(path: str, only: Mapping[str, str | None]) -> str | None:
    """Return the only host of the nearest folder that names any."""
    return next((only[folder] for folder in scopes(path) if folder in only), None)


def stamp_us(path: str) -> int | None:
    """Parse the time in a file's name to µs as if UTC: 2026_11_20_22_17_34-gdb.txt; else None."""
    name = path.rpartition("/")[2]
    match = _STAMP.search(name)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(each) for each in match.groups())
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * 1_000_000


def _only(names: set[str]) -> str | None:
    return next(iter(names)) if len(names) == 1 else None


def _timed(frames: Mapping[str, pl.DataFrame]) -> set[str]:
    """Return the artifacts with any time: settings alone do not show that a host was observed."""
    return {
        sha
        for frame in frames.values()
        if "wall_us" in frame.columns
        for sha in frame.filter(pl.col("wall_us").is_not_null())["artifact"].unique()
    }


def _named(frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Map artifacts whose own records name exactly one host to that host."""
    named: dict[str, set[str]] = {}
    for frame in frames.values():
        if "host" not in frame.columns:
            continue
        rows = frame.select("artifact", "host").drop_nulls().unique()
        for sha, host in rows.iter_rows():
            named.setdefault(sha, set()).add(host)
    settings = frames.get("setting")
    if settings is not None:
        rows = settings.filter(pl.col("name") == "hostname").select("artifact", "value")
        for sha, host in rows.drop_nulls().iter_rows():
            named.setdefault(sha, set()).add(host)
    return {sha: next(iter(names)) for sha, names in named.items() if len(names) == 1}
