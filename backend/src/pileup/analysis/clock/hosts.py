"""Assign each artifact to a host.

Tried in order: a host that a person named, a host that its records name, the hostname setting in
it, its pt-stalk capture's hostname, a known host's name in its path, and, when only one server was
observed over time, that one. Spellings of one host are one (``host_names``).
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import polars as pl

from pileup.analysis.clock import host_names
from pileup.analysis.clock.host_names import HostNote
from pileup.analysis.evidence.compact_samples import distinct
from pileup.analysis.evidence.evidence import ClockOverride, EvidenceArtifact, bundle_of
from pileup.analysis.evidence.folders import scopes
from pileup.analysis.evidence.load_series import shows_load

_STAMP = re.compile(r"(?<!\d)(\d{4})_(\d\d)_(\d\d)_(\d\d)_(\d\d)_(\d\d)(?!\d)")


_DIRECT = frozenset({
    "snapshot", "session", "stack", "semaphore_wait", "transaction", "lock_wait", "trx_lock",
    "metadata_lock", "event_wait",
})  # fmt: skip
"""Kinds of record that come from a server itself."""
_IDENTITY = frozenset({"server_id", "server_uuid", "port"})
"""Variables that differ between two servers of one name."""


def spelled_once(
    frames: Mapping[str, pl.DataFrame], overrides: Mapping[str, ClockOverride]
) -> tuple[dict[str, pl.DataFrame], dict[str, str], dict[str, HostNote]]:
    """Return the frames with one name per host, that name by spelling, and notes by artifact.

    A host that a person gave replaces the one host that a file prints; a file that prints several
    keeps them. A loopback address names no host.
    """
    by_people = {sha: override.host for sha, override in overrides.items() if override.host}
    printed: dict[str, set[str]] = {}
    for frame in frames.values():
        if "host" in frame.columns:
            rows = distinct(frame, "artifact", "host").drop_nulls()
            for sha, host in rows.iter_rows():
                printed.setdefault(sha, set()).add(host)
    settings = _settings(frames)
    names = {name for group in printed.values() for name in group} | given(overrides)
    names |= {value for rows in settings.values() for value in rows.get("hostname", ())}
    real = {name for name in names if not host_names.is_loopback(name)}
    apart = _different_servers(frames, printed, settings, real)
    same = host_names.spellings(real, given(overrides), apart)
    changes: dict[tuple[str | None, str], str | None] = {}
    notes: dict[str, HostNote] = {}
    for sha, group in printed.items():
        for name in group:
            new = same.get(name)
            if sha in by_people and len(group) == 1:
                new = by_people[sha]
            changes[sha, name] = new
        renamed = sorted(name for name in group if changes[sha, name] != name)
        if renamed and sha not in by_people:
            notes[sha] = (renamed[0], f"The file prints {', '.join(renamed[:3])}.")
    return host_names.rename(frames, changes), same, notes


def given(overrides: Mapping[str, ClockOverride]) -> set[str]:
    """Return the hosts that people gave."""
    return {override.host for override in overrides.values() if override.host}


def _settings(frames: Mapping[str, pl.DataFrame]) -> dict[str, dict[str, set[str]]]:
    """Map artifact to the values of the variables that identify a server."""
    settings = frames.get("setting")
    found: dict[str, dict[str, set[str]]] = {}
    if settings is None:
        return found
    rows = settings.filter(pl.col("name").is_in([*_IDENTITY, "hostname"]))
    for sha, name, value in rows.select("artifact", "name", "value").drop_nulls().iter_rows():
        found.setdefault(sha, {}).setdefault(name, set()).add(value)
    return found


def _different_servers(
    frames: Mapping[str, pl.DataFrame],
    printed: Mapping[str, set[str]],
    settings: Mapping[str, Mapping[str, set[str]]],
    names: set[str],
) -> list[set[str]]:
    """Return the names, each as a group, that are different servers in spite of their spelling.

    Their identifying variables differ, or two ports of one machine show the same measures of a
    server.
    """
    identity: dict[str, dict[str, set[str]]] = {}
    for sha, group in printed.items():
        if len(group) == 1:
            of_host = identity.setdefault(next(iter(group)), {})
            for key in _IDENTITY:
                of_host.setdefault(key, set()).update(settings.get(sha, {}).get(key, ()))
    loads: dict[str, set[str]] = {}
    samples = frames.get("sample")
    if samples is not None:
        rows = distinct(samples, "host", "series", "labels").drop_nulls("host")
        for host, series, labels in rows.iter_rows():
            if shows_load(series, labels or ""):
                loads.setdefault(host, set()).add(series)
    alike: dict[str, list[str]] = {}
    same = host_names.spellings(names)
    for name in sorted(names):
        alike.setdefault(same[name], []).append(name)
    found: list[set[str]] = []
    for spelled in alike.values():
        pairs = itertools.combinations(spelled, 2)
        if any(_differ(identity, loads, first, second) for first, second in pairs):
            found += [{name} for name in spelled]
    return found


def _differ(
    identity: Mapping[str, Mapping[str, set[str]]],
    loads: Mapping[str, set[str]],
    first: str,
    second: str,
) -> bool:
    for key in _IDENTITY:
        mine, theirs = identity.get(first, {}).get(key), identity.get(second, {}).get(key)
        if mine and theirs and not mine & theirs:
            return True
    same_machine = host_names.plain(first) == host_names.plain(second)
    ports = {name.rpartition(":")[2] for name in (first, second) if ":" in name}
    return (
        same_machine
        and len(ports) == 2
        and bool(loads.get(first, set()) & loads.get(second, set()))
    )


def assign(
    artifacts: Sequence[EvidenceArtifact],
    frames: Mapping[str, pl.DataFrame],
    overrides: Mapping[str, ClockOverride],
    same: Mapping[str, str],
) -> dict[str, str | None]:
    """Map SHA-256 to host; None: unknown. same: the name of a host by its spellings."""
    by_people = {sha: override.host for sha, override in overrides.items() if override.host}
    named = _named(frames, same) | by_people
    bundles: dict[str, Counter[str]] = {}
    for artifact in artifacts:
        for bundle in {bundle for path in artifact.paths if (bundle := bundle_of(path))}:
            if artifact.sha256 in named:
                bundles.setdefault(bundle, Counter())[named[artifact.sha256]] += 1
    known = set(named.values())

    def by_path(path: str) -> str | None:
        bundle = bundle_of(path)
        if bundle in bundles:
            return bundles[bundle].most_common(1)[0][0]
        return max((name for name in sorted(known) if _names(path, name)), key=len, default=None)

    names = {
        artifact.sha256: named.get(artifact.sha256) or _agreed(map(by_path, artifact.paths))
        for artifact in artifacts
    }
    timed = _timed(frames)
    observed = {host for sha, host in names.items() if host and sha in timed}
    of_servers = _of_servers(frames)
    servers = {host for sha, host in names.items() if host and sha in of_servers}
    only = _by_folder(artifacts, names, servers & observed, observed, known)
    return {
        artifact.sha256: names[artifact.sha256]
        or _agreed(by_path(path) or _nearest(path, only) for path in artifact.paths)
        for artifact in artifacts
    }


def _names(path: str, host: str) -> bool:
    """Return whether a path has the name of a host, and not as a part of a longer word."""
    return host in path and bool(
        re.search(rf"(?<![A-Za-z0-9]){re.escape(host)}(?![A-Za-z0-9])", path)
    )


def _by_folder(
    artifacts: Sequence[EvidenceArtifact],
    names: Mapping[str, str | None],
    servers: set[str],
    observed: set[str],
    known: set[str],
) -> dict[str, str | None]:
    """Map each folder that names hosts to its only server, else host; None: it names several."""
    hosts: dict[str, set[str]] = {"": set(known)}
    for artifact in artifacts:
        if host := names[artifact.sha256]:
            for folder in {folder for path in artifact.paths for folder in scopes(path)}:
                hosts.setdefault(folder, set()).add(host)
    return {
        folder: _only(here & servers) or _only(here & observed) or _only(here)
        for folder, here in hosts.items()
    }


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


def _agreed(names: Iterable[str | None]) -> str | None:
    """Return the host that every copy of a file has; None: they have several, or one has none."""
    hosts = set(names)
    return hosts.pop() if len(hosts) == 1 else None


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


def _of_servers(frames: Mapping[str, pl.DataFrame]) -> set[str]:
    """Return the artifacts that show a database server, and not only a machine."""
    found: set[str] = set()
    for kind, frame in frames.items():
        if kind in _DIRECT:
            found.update(frame["artifact"].unique().to_list())
    samples = frames.get("sample")
    if samples is not None:
        rows = distinct(samples, "artifact", "series", "labels")
        found.update(
            sha for sha, name, labels in rows.iter_rows() if shows_load(name, labels or "")
        )
    return found


def _named(frames: Mapping[str, pl.DataFrame], same: Mapping[str, str]) -> dict[str, str]:
    """Map artifacts whose own records name exactly one host to that host."""
    named: dict[str, set[str]] = {}
    for frame in frames.values():
        if "host" not in frame.columns:
            continue
        rows = distinct(frame, "artifact", "host").drop_nulls()
        for sha, host in rows.iter_rows():
            named.setdefault(sha, set()).add(host)
    settings = frames.get("setting")
    if settings is not None:
        rows = settings.filter(pl.col("name") == "hostname").select("artifact", "value")
        for sha, host in rows.drop_nulls().iter_rows():
            if not host_names.is_loopback(host):
                named.setdefault(sha, set()).add(same.get(host, host))
    return {sha: next(iter(names)) for sha, names in named.items() if len(names) == 1}
