"""Assign each artifact to a host.

Tried in order: a host that a person named, a host that its records name, the hostname setting in
it, its pt-stalk capture's hostname, a known host's name in its path, and, when only one server was
observed over time, that one. Spellings of one host are one (``host_names``).
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import polars as pl

from pileup.analysis.clock import host_names, metrics_hosts
from pileup.analysis.clock.host_names import HostNote
from pileup.analysis.clock.printed_times import Nearness, Times, lasts
from pileup.analysis.clock.zone_evidence import is_refused
from pileup.analysis.evidence.compact_samples import distinct
from pileup.analysis.evidence.evidence import (
    OBSERVES,
    ClockOverride,
    EvidenceArtifact,
    bundle_of,
)
from pileup.analysis.evidence.folders import directly_in, scopes
from pileup.analysis.evidence.load_series import shows_load
from pileup.analysis.evidence.releases import Releases, contradict, of_all, releases

_DIRECT = OBSERVES - {"sample"}
"""Kinds of record that come from a server itself."""
_NAMED, _OBSERVED = 3, 4
"""The least rank of a host that itself says that it is a server; that was observed over time."""
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
    damaged = impossible(frames)
    of_damaged = {value for sha in damaged for value in settings.get(sha, {}).get("hostname", ())}
    elsewhere = {name for sha, group in printed.items() if sha not in damaged for name in group}
    apart += [{name} for name in of_damaged - elsewhere - given(overrides)]
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
    damaged = impossible(frames) - by_people.keys()
    lent = {host for sha, host in named.items() if sha not in damaged}

    def by_path(path: str) -> str | None:
        bundle = bundle_of(path)
        if bundle in bundles:
            return bundles[bundle].most_common(1)[0][0]
        return max((name for name in sorted(known) if _names(path, name)), key=len, default=None)

    names = {
        artifact.sha256: named.get(artifact.sha256) or _agreed(map(by_path, artifact.paths))
        for artifact in artifacts
    }
    timed, of_servers = _timed(frames), _of_servers(frames)
    settings = frames.get("setting")
    has_settings = set() if settings is None else set(settings["artifact"].unique().to_list())
    nearness, versions = Nearness(artifacts, frames), releases(frames)
    lenders = [artifact for artifact in artifacts if artifact.sha256 not in damaged]
    # First what shows which server was observed, and when; of that, first what lies in the folder
    # of a file that names its server: settings alone do not say when.
    for observes, in_own_folder in ((True, True), (True, False), (False, False)):
        ranks = _ranks(artifacts, names, timed, of_servers, has_settings)
        beside = _Beside(lenders, names, lent, ranks, nearness, versions)
        names |= {
            sha: names[sha]
            or _agreed(
                by_path(path) or beside.host(sha, path, in_own_folder=in_own_folder)
                for path in artifact.paths
            )
            for artifact in artifacts
            for sha in [artifact.sha256]
            if nearness.is_observed(sha) == observes
        }
    return names


def impossible(frames: Mapping[str, pl.DataFrame]) -> set[str]:
    """Return the files with a time_zone that no server takes: the host they name is of no other.

    A server refuses what is neither SYSTEM, an offset nor a zone's name. (What it prints as
    system_time_zone is the machine's own word, in any language.)
    """
    settings = frames.get("setting")
    if settings is None:
        return set()
    zoned = settings.filter((pl.col("name") == "time_zone") & (pl.col("value") != ""))
    rows = zoned.select("artifact", "value").unique().iter_rows()
    return {sha for sha, value in rows if is_refused(value)}


def _names(path: str, host: str) -> bool:
    """Return whether a path has the name of a host, and not as a part of a longer word."""
    return host in path and bool(
        re.search(rf"(?<![A-Za-z0-9]){re.escape(host)}(?![A-Za-z0-9])", path)
    )


class _Beside:
    """Finds the server that a file without a host lies beside."""

    def __init__(
        self,
        artifacts: Sequence[EvidenceArtifact],
        names: Mapping[str, str | None],
        known: Collection[str],
        ranks: Mapping[str, int],
        nearness: Nearness,
        versions: Mapping[str, Releases],
    ) -> None:
        self._nearness = nearness
        self._ranks = ranks
        inside: dict[str, dict[str, set[str]]] = {}
        below: dict[str, dict[str, set[str]]] = {"": {host: set() for host in known}}
        unknown: dict[str, set[str]] = {}
        of_host: dict[str, set[str]] = {}
        self._nameless: dict[str, list[Releases]] = {}
        """Folder to the release of each server without a name in it or below."""
        for artifact in artifacts:
            sha, host = artifact.sha256, names[artifact.sha256]
            folders = {folder for path in artifact.paths for folder in scopes(path)}
            if host is None:
                for folder in folders if nearness.is_observed(sha) else ():
                    unknown.setdefault(folder, set()).add(sha)
                for folder in folders if sha in versions else ():
                    self._nameless.setdefault(folder, []).append(versions[sha])
                continue
            of_host.setdefault(host, set()).add(sha)
            for folder in {folder for path in artifact.paths for folder in directly_in(path)}:
                inside.setdefault(folder, {}).setdefault(host, set()).add(sha)
            for folder in folders:
                below.setdefault(folder, {}).setdefault(host, set()).add(sha)
        self._printed = versions
        self._observed = {host for host, rank in ranks.items() if rank == _OBSERVED}
        self._of_host = {host: of_all(files, versions) for host, files in of_host.items()}
        self._in, self._below = (
            {
                folder: {host: nearness.times(files) for host, files in hosts.items()}
                for folder, hosts in level.items()
            }
            for level in (inside, below)
        )
        """Folder to host to the times of its files in that folder, or in it and below."""
        self._unknown = {folder: nearness.times(files) for folder, files in unknown.items()}
        """Folder to the times of the servers without a name in it or below."""

    def host(self, sha: str, path: str, *, in_own_folder: bool) -> str | None:
        """Return the host of the nearest folder that was observed near this file's times.

        None for settings and logs beside a server without a name: they may be its own. So may what
        was sampled without a time, if that server was seen for longer than a moment. None where
        what names no server is of another release than the host.
        """
        for folder in itertools.islice(scopes(path), 1 if in_own_folder else None):
            unknown = self._unknown.get(folder)
            if (
                unknown is not None
                and not self._nearness.is_observed(sha)
                and self._nearness.is_near(sha, unknown)
                and (not self._nearness.observes(sha) or lasts(unknown))
            ):
                return None
            servers = self._near(sha, self._in.get(folder, {}), least=_NAMED)
            deeper = {} if in_own_folder else self._below.get(folder, {})
            near = servers or self._near(sha, deeper)
            if near:
                host = _only(near)
                return host if host and not self._is_other(sha, host, folder) else None
        return None

    def _is_other(self, sha: str, host: str, folder: str) -> bool:
        """Return whether a file cannot be of a host, by the releases that both print.

        A host that settings alone name is no other server's that lies in the same folder.
        """
        mine = self._of_host.get(host, frozenset())
        printed = [self._printed.get(sha, frozenset())]
        if host not in self._observed:
            printed += self._nameless.get(folder, [])
        return any(contradict(mine, other) for other in printed)

    def _near(self, sha: str, hosts: Mapping[str, Times], least: int = 0) -> set[str]:
        """Return the hosts near a file that are most surely a server."""
        ranks = {
            host: rank
            for host, times in hosts.items()
            if (rank := self._ranks.get(host, 0)) >= least and self._nearness.is_near(sha, times)
        }
        return {host for host, rank in ranks.items() if rank == max(ranks.values())}


def _ranks(
    artifacts: Sequence[EvidenceArtifact],
    names: Mapping[str, str | None],
    timed: Collection[str],
    of_servers: Collection[str],
    has_settings: Collection[str],
) -> dict[str, int]:
    """Map each host to how surely it is the server that files without a host are of.

    4: its own files observed it over time. 3: its settings name it. 2: only an exporter shows its
    load, which may be of any server of the fleet. 1: something else was observed.
    """
    ranks: dict[str, int] = {}
    for artifact in artifacts:
        sha, host = artifact.sha256, names[artifact.sha256]
        if host is None:
            continue
        rank = _NAMED if sha in has_settings else 0
        if sha in timed and sha in of_servers:
            rank = 2 if metrics_hosts.MONITORING.search(artifact.format or "") else _OBSERVED
        elif sha in timed:
            rank = max(rank, 1)
        ranks[host] = max(rank, ranks.get(host, 0))
    return ranks


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
