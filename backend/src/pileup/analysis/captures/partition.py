"""Split an incident's evidence into captures.

A capture is a stretch in which one host was observed densely enough to judge it. Files of a host
that overlap in time belong to one capture; silence longer than the sampling interval explains ends
it. A coarse series (one sample a minute for a month) is a capture of its own scale: it never joins
two dense captures, and lends each of them its samples around it.

What a capture consists of depends on its own files only, so that another capture in the same
incident changes nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, field, replace

import polars as pl

from pileup.analysis.captures.contradictions import servers_apart
from pileup.analysis.captures.stretches import (
    APART_S,
    CONTEXT_S,
    EXPLAINED,
    SILENT_S,
    Stretch,
    holes,
    stretches,
)
from pileup.analysis.evidence.compact_samples import distinct
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import OBSERVES, Evidence, bundle_of
from pileup.analysis.evidence.folders import inside, recording_of, scopes
from pileup.analysis.evidence.releases import contradict, of_all, releases
from pileup.analysis.evidence.times import iso_of

UNDATED = "undated"
"""The id of the capture of what has no time and belongs to no other."""
_S = 1_000_000
_BUNDLES_APART_S = 10.0
_LENT = 30
"""Samples of a coarse series that a dense capture uses before and after itself."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One capture and the evidence that it uses; times in UTC µs."""

    id: str
    """Host and start, such as 'db-1@2026-11-20T22:17:05Z'."""
    host: str | None
    span: Span | None
    """None: nothing has a time, or only log lines have one."""
    folder: str | None = None
    """The folder of its server, where folders without a host are of different ones."""
    hosts: frozenset[str | None] = frozenset()
    """Hosts whose rows it uses: its own, machines joined to it, and rows without a host."""
    members: frozenset[str] = frozenset()
    """SHA-256 of the files that sampled it."""
    lent: tuple[tuple[str, Span], ...] = ()
    """Files that are no members, with the range of their rows that the capture uses."""
    undated: frozenset[str] = frozenset()
    """Files without samples over time that belong to it: settings, logs, single stacks."""
    shared: frozenset[str] = frozenset()
    """Dumps, lists and stacks without a time that may belong to it or to another capture."""
    copies: tuple[tuple[str, str], ...] = ()
    """SHA-256 and path of undated files that also lie elsewhere: those of this capture."""
    gaps: tuple[Span, ...] = ()
    interval_s: float | None = None

    @property
    def artifacts(self) -> frozenset[str]:
        return self.members | self.undated | {sha for sha, _ in self.lent}

    def apart(self, span: Span) -> float:
        """Return the µs between a range and the capture: 0 if they meet, infinity without times."""
        if self.span is None:
            return math.inf
        return max(0, self.span.start - span.end, span.start - self.span.end)


@dataclass(slots=True)
class _Group:
    """Stretches of one host on their way to a capture."""

    host: str | None
    parts: list[Stretch]
    lent: list[Stretch] = field(default_factory=list)
    undated: dict[str, str] = field(default_factory=dict)
    """SHA-256 to path."""
    shared: set[str] = field(default_factory=set)
    folder: str | None = None
    """Folder that names its host, where folders without a host are of different servers."""

    @property
    def start(self) -> int:
        return min(part.start for part in self.parts)

    @property
    def end(self) -> int:
        return max(part.end for part in self.parts)

    @property
    def artifacts(self) -> set[str]:
        return {sha for part in self.parts for sha in part.artifacts}

    @property
    def interval_s(self) -> float | None:
        return min((p.interval_s for p in self.parts if p.interval_s is not None), default=None)


def partition(evidence: Evidence) -> list[Capture]:
    """Return the captures of an incident in time order, each with the files that it uses.

    Evidence without any sample or dump over time is one capture without a span. So is, behind the
    others, what may belong to several of them: a guess would change what they show.
    """
    paths = {artifact.sha256: artifact.path for artifact in evidence.artifacts}
    every = _with_hosts(stretches(evidence), paths)
    groups: list[_Group] = []
    apart = servers_apart(evidence)
    by_host: dict[tuple[str | None, str | None], list[Stretch]] = {}
    for stretch in every:
        folder = apart.get(min(stretch.artifacts)) if stretch.host is None else None
        by_host.setdefault((stretch.host, folder), []).append(stretch)
    for (host, folder), mine in by_host.items():
        of_host = _of_host(host, mine)
        for group in of_host:
            group.folder = folder
        groups += of_host
    if not groups:
        shas = frozenset(paths) - _of_other_servers(evidence)
        return [Capture(id=UNDATED, host=None, span=None, undated=shas)] if shas else []
    shared = _assign_undated(evidence, groups)
    copied = {artifact.sha256 for artifact in evidence.artifacts if artifact.copies}
    captures = _named_apart([_capture(group, copied) for group in groups])
    captures.sort(key=lambda c: (c.span.start if c.span else 0, c.id))
    if shared:
        captures.append(Capture(id=UNDATED, host=None, span=None, undated=frozenset(shared)))
    return captures


def with_shared(captures: Sequence[Capture], stalled: Collection[str]) -> list[Capture]:
    """Give what may belong to several captures to the one of them that stalled.

    People collect a list or a stack because work has stopped: calm captures beside it say nothing
    about it. stalled: ids of the captures with a stall. What two stalls may explain stays apart.
    """
    *timed, last = captures
    given: dict[str, str] = {}
    for sha in last.undated:
        owners = [each.id for each in timed if sha in each.shared and each.id in stalled]
        if len(owners) == 1:
            given[sha] = owners[0]
    found = [
        replace(each, undated=each.undated | {sha for sha in given if given[sha] == each.id})
        for each in timed
    ]
    left = last.undated - given.keys()
    return [*found, replace(last, undated=left)] if left else found


# ---- hosts -------------------------------------------------------------------------------------


def _with_hosts(every: Sequence[Stretch], paths: dict[str, str]) -> list[Stretch]:
    """Join stretches of no host, and of machines without a server, to the server beside them.

    A stretch is joined when the servers that overlap it in time, in the nearest folder with any,
    are one host.
    """
    servers = [s for s in every if s.is_server and s.host is not None]
    if not servers:
        return list(every)
    for stretch in every:
        if stretch.is_server and stretch.host is not None:
            continue
        host = _host_beside(stretch, servers, paths)
        if host is None:
            continue
        if stretch.host is not None:
            stretch.hosts.add(stretch.host)
        stretch.host = host
    return list(every)


def _host_beside(stretch: Stretch, servers: Sequence[Stretch], paths: dict[str, str]) -> str | None:
    margin = round(APART_S * _S)
    near = [
        s
        for s in servers
        if s.start - margin <= stretch.end
        and stretch.start <= s.end + margin
        and not _in_silence(stretch, [s])
    ]
    path = paths[min(stretch.artifacts)]
    for scope in scopes(path):
        hosts = {s.host for s in near if any(inside(paths[sha], scope) for sha in s.artifacts)}
        if hosts:
            return hosts.pop() if len(hosts) == 1 else None
    return None


def _in_silence(stretch: Stretch, others: Sequence[Stretch]) -> bool:
    """Return whether values lie far from every moment of what surrounds them.

    A dump in such a silence tells what the server did in it. Values that begin and end in it are
    a capture of their own: they would change what the surrounding one shows without ever being
    beside one of its samples.
    """
    return stretch.is_values and all(
        other.silence_around(stretch.start, stretch.end)
        > min(other.explained_us, stretch.explained_us)
        for other in others
    )


# ---- one host ----------------------------------------------------------------------------------


def _of_host(host: str | None, mine: Sequence[Stretch]) -> list[_Group]:
    """Join the stretches of one host: dense ones by overlap, coarse ones, single dumps last."""
    dense = _joined(host, [s for s in mine if s.is_dense])
    coarse = _joined(host, [s for s in mine if not s.is_dense and s.interval_s is not None])
    alone: list[_Group] = []
    for group in coarse:
        reach = round(EXPLAINED * (group.interval_s or 0.0) * _S)
        around = [
            d
            for d in dense
            if _near(d, group, round(APART_S * _S))
            and not all(_in_silence(part, d.parts) for part in group.parts)
        ]
        within = [
            d for d in around if d.start - reach <= group.start and group.end <= d.end + reach
        ]
        if within:
            within[0].parts += group.parts
        else:
            alone.append(group)
        for capture in around if not within else []:
            capture.lent += group.parts
    groups = dense + alone
    single = [s for s in mine if not s.is_dense and s.interval_s is None]
    left: list[Stretch] = []
    joined: list[tuple[int, Stretch]] = []
    for stretch in single:
        near = [
            (_apart(g, stretch), at)
            for at, g in enumerate(groups)
            if not _in_silence(stretch, g.parts)
        ]
        distance, at = min(near, default=(SILENT_S * _S + 1, -1))
        if at >= 0 and distance <= min(_tolerance(groups[at], stretch), SILENT_S) * _S:
            joined.append((at, stretch))
        else:
            left.append(stretch)
    for at, stretch in joined:
        groups[at].parts.append(stretch)
    return groups + _joined(host, left)


def _joined(host: str | None, mine: Sequence[Stretch]) -> list[_Group]:
    groups: list[_Group] = []
    alone: list[Stretch] = []
    end = 0
    for stretch in sorted(mine, key=lambda s: (s.start, s.end)):
        if not groups or stretch.start - end > _tolerance(groups[-1], stretch) * _S:
            groups.append(_Group(host, [stretch]))
            end = stretch.end
        elif stretch.end < end and _in_silence(stretch, groups[-1].parts):
            alone.append(stretch)
        else:
            groups[-1].parts.append(stretch)
            end = max(end, stretch.end)
    return groups + [_Group(host, [stretch]) for stretch in alone]


def _tolerance(group: _Group, stretch: Stretch) -> float:
    """Return the seconds of silence that two stretches of one host may have between them.

    The denser of the two decides: it would have looked in between. Two lone moments have no
    interval, and nothing says that one was taken because of the other.
    """
    bundles = {part.bundle for part in group.parts}
    if stretch.bundle is not None and None not in bundles and stretch.bundle not in bundles:
        return _BUNDLES_APART_S
    known = [s for s in (stretch.interval_s, group.interval_s) if s is not None]
    return max(APART_S, EXPLAINED * min(known)) if known else APART_S


def _near(group: _Group, other: _Group, reach: int) -> bool:
    return group.start - reach <= other.end and other.start <= group.end + reach


def _apart(group: _Group, stretch: Stretch) -> int:
    return max(0, group.start - stretch.end, stretch.start - group.end)


# ---- evidence without samples over time --------------------------------------------------------


def _assign_undated(evidence: Evidence, groups: Sequence[_Group]) -> set[str]:
    """Give settings, logs and undated records to the captures of their bundle, host and folder.

    Several captures of the nearest folder share the logs, and the settings of their host. A file
    with copies belongs to the captures of each. Return the dumps, lists and stacks without a time
    that may be of any of several captures, and every file that is of none of them.
    """
    paths = {artifact.sha256: artifact.paths for artifact in evidence.artifacts}
    seen = {sha for group in groups for sha in group.artifacts}
    hosts = _hosts(evidence)
    has_rows = evidence.having(evidence.frames)
    recordings = _Recordings(evidence, groups)
    of_bundle: dict[str, list[_Group]] = {}
    of_folder: dict[str, list[_Group]] = {}
    for group in groups:
        for bundle in {part.bundle for part in group.parts if part.bundle is not None}:
            of_bundle.setdefault(bundle, []).append(group)
        folders = {
            scope for sha in group.artifacts for path in paths[sha] for scope in scopes(path)
        }
        for folder in folders:
            of_folder.setdefault(folder, []).append(group)
    times = _times(evidence)
    undated = evidence.having(OBSERVES) - times.keys()
    versions = releases(evidence.frames)
    of_group = {id(group): of_all(group.artifacts, versions) for group in groups}
    shared: set[str] = set()
    for artifact in evidence.artifacts:
        if artifact.sha256 in seen or artifact.sha256 not in has_rows:
            continue
        host = hosts.get(artifact.sha256)
        is_undated = artifact.sha256 in undated
        for path in artifact.paths:
            chosen = of_bundle.get(bundle_of(path) or "")
            is_of_bundle = chosen is not None
            for scope in scopes(path) if chosen is None else ():
                here = of_folder.get(scope, [])
                here = [
                    group
                    for group in here
                    if _is_within(times.get(artifact.sha256), group)
                    and recordings.may_be_of(artifact.sha256, group)
                ]
                own = [group for group in here if host is None or group.host == host]
                chosen = own or [group for group in here if group.host is None]
                if chosen:
                    break
            mine = versions.get(artifact.sha256, frozenset())
            chosen = [g for g in chosen or () if not contradict(mine, of_group[id(g)])]
            if not chosen or (is_undated and not is_of_bundle and len(chosen) > 1):
                shared.add(artifact.sha256)
                for group in chosen:
                    group.shared.add(artifact.sha256)
                continue
            for group in chosen:
                group.undated.setdefault(artifact.sha256, path)
    return shared - {sha for group in groups for sha in group.undated}


class _Recordings:
    """Tells which folders are recordings of their own.

    One that has more than values over time (dumps, lists, stacks, settings or a log) is: what lies
    in another folder is of another server, or of another day. One with values alone may be a
    collector's, beside the folders of others.
    """

    def __init__(self, evidence: Evidence, groups: Sequence[_Group]) -> None:
        self._folders = recording_of(evidence.artifacts)
        more = evidence.having(evidence.frames.keys() - {"sample"})
        self._whole = {self._folders[sha] for sha in more} - {""}
        self._of_group = {
            id(group): {self._folders[sha] for sha in group.artifacts} for group in groups
        }

    def may_be_of(self, sha: str, group: _Group) -> bool:
        folder = self._folders[sha]
        theirs = self._of_group[id(group)]
        return not folder or bool({folder, ""} & theirs) or self._whole.isdisjoint(theirs)


def _of_other_servers(evidence: Evidence) -> set[str]:
    """Return the settings that are not of the server that dumps, lists or stacks show."""
    versions, observing = releases(evidence.frames), evidence.having(OBSERVES)
    shown = of_all(observing, versions)
    return {
        sha for sha, mine in versions.items() if sha not in observing and contradict(mine, shown)
    }


def _is_within(times: tuple[int, int] | None, group: _Group) -> bool:
    """Return whether a log has lines around a capture; True for what has no time."""
    reach = round(CONTEXT_S * _S)
    return times is None or (group.start - reach <= times[1] and times[0] <= group.end + reach)


def _times(evidence: Evidence) -> dict[str, tuple[int, int]]:
    """Map artifacts with any time to their first and last (UTC µs)."""
    found: dict[str, tuple[int, int]] = {}
    for frame in evidence.frames.values():
        if "time" not in frame.columns:
            continue
        rows = frame.lazy().filter(pl.col("time").is_not_null()).group_by("artifact")
        ranges = rows.agg(pl.col("time").min().alias("a"), pl.col("time").max().alias("b"))
        for sha, first, last in ranges.collect().iter_rows():
            known = found.get(sha, (first, last))
            found[sha] = min(first, known[0]), max(last, known[1])
    return found


def _hosts(evidence: Evidence) -> dict[str, str]:
    """Map artifacts to the host that their records name, if it is one."""
    found: dict[str, set[str]] = {}
    for frame in evidence.frames.values():
        rows = distinct(frame, "artifact", "host").drop_nulls()
        for sha, host in rows.iter_rows():
            found.setdefault(sha, set()).add(host)
    return {sha: next(iter(names)) for sha, names in found.items() if len(names) == 1}


# ---- the result --------------------------------------------------------------------------------


def _named_apart(captures: Sequence[Capture]) -> list[Capture]:
    """Name the folder of captures that would have one id: of two servers, at one moment."""
    names = Counter(each.id for each in captures)
    return [
        replace(each, id=f"{each.folder}@{each.id.partition('@')[2]}")
        if names[each.id] > 1 and each.folder
        else each
        for each in captures
    ]


def _capture(group: _Group, copied: Set[str]) -> Capture:
    interval = group.interval_s
    lent = []
    for part in group.lent:
        reach = round((part.interval_s or 0.0) * _LENT * _S)
        span = Span(group.start - reach, group.end + reach)
        lent += [(sha, span) for sha in sorted(part.artifacts)]
    scale = (
        f"~{interval:.0f}s" if not any(part.is_dense for part in group.parts) and interval else ""
    )
    return Capture(
        id=f"{group.host or 'unknown'}@{iso_of(group.start)}{scale}",
        folder=group.folder,
        host=group.host,
        span=Span(group.start, group.end),
        hosts=frozenset({group.host, None} | {h for part in group.parts for h in part.hosts}),
        members=frozenset(group.artifacts),
        lent=tuple(lent),
        undated=frozenset(group.undated),
        shared=frozenset(group.shared),
        copies=tuple(sorted(item for item in group.undated.items() if item[0] in copied)),
        gaps=holes(group.parts),
        interval_s=interval,
    )


__all__ = ["Capture", "partition", "with_shared"]
