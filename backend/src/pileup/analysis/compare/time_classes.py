"""Compare where the active sessions of the sides spend their time, by class of time.

Sides of different length compare by their average active sessions: active-session seconds over the
seconds that the samples cover.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from pileup.analysis.blocked_time import measure
from pileup.analysis.blocked_time.active_sessions import hosts_of
from pileup.analysis.compare.differences import Side
from pileup.analysis.contract import ActiveSessionsDoc, SidesActive, SidesClass
from pileup.analysis.evidence import servers
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.waits.moments import AT_MOST
from pileup.knowledge import wait_classes

_SHOW_SESSIONS = ("snapshot", "session", "stack")
"""Kinds of records whose hosts are servers with sessions."""


@dataclass(frozen=True, slots=True)
class SideTime:
    """Average active sessions of one run, of all its hosts together, and of each class."""

    average: float
    low: float | None
    high: float | None
    level_from: str
    mix_from: str
    by_class: Mapping[str, float] = field(default_factory=dict)


def side_time(
    side: Side, evidence: Evidence, span: Span | None, values: pl.DataFrame, most: int = AT_MOST
) -> SideTime | None:
    """Measure one run; None: nothing shows any session.

    evidence: the side's own rows. span: their window. values: see ``evidence.series.values``.
    most: moments whose wait graphs are built, over all hosts.
    """
    hosts = _hosts(evidence, values)
    if len(hosts) < 2:
        return _time(_document(evidence, values, span, side.host, most))
    found = []
    for host in hosts:
        own = replace(side, host=host).narrowed()
        rows = values.filter(pl.col("host") == host)
        each = _time(_document(own, rows, span, host, max(2, most // len(hosts))))
        found += [each] if each is not None else []
    return _sum(found) if found else None


def _document(
    evidence: Evidence, values: pl.DataFrame, span: Span | None, host: str | None, most: int
) -> ActiveSessionsDoc | None:
    server = servers.server(evidence, servers.effective_settings(evidence, host))
    return measure.of_window(evidence, values, span, host, server, most)


def _hosts(evidence: Evidence, values: pl.DataFrame) -> list[str]:
    frames = [evidence.frame(kind) for kind in _SHOW_SESSIONS]
    hosts = set(hosts_of(values))
    for frame in frames:
        if frame is not None:
            hosts.update(frame["host"].drop_nulls().unique().to_list())
    return sorted(hosts)


def _time(document: ActiveSessionsDoc | None) -> SideTime | None:
    if document is None:
        return None
    level_from, mix_from = document.level_from, document.mix_from
    shares = {each.id: each.share for each in document.classes}
    if not document.covered_s or document.seconds is None:
        average, low, high = document.peak, None, None
    else:
        average = document.seconds / document.covered_s
        low = (document.low or 0.0) / document.covered_s
        high = (document.high or 0.0) / document.covered_s
    by_class = {name: share * average for name, share in shares.items()}
    return SideTime(average, low, high, level_from, mix_from, by_class)


def _sum(hosts: Sequence[SideTime]) -> SideTime:
    """Add the sessions of several hosts."""
    by_class: defaultdict[str, float] = defaultdict(float)
    for host in hosts:
        for name, sessions in host.by_class.items():
            by_class[name] += sessions
    return SideTime(
        average=sum(host.average for host in hosts),
        low=_sum_known([host.low for host in hosts]),
        high=_sum_known([host.high for host in hosts]),
        level_from=", ".join(dict.fromkeys(host.level_from for host in hosts)),
        mix_from=", ".join(dict.fromkeys(host.mix_from for host in hosts if host.mix_from)),
        by_class=by_class,
    )


def _sum_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def active_of(runs: Sequence[SideTime | None]) -> SidesActive | None:
    """Describe one side, given its runs; None: no run shows any session."""
    known = [run for run in runs if run is not None]
    if not known:
        return None
    average = sum(run.average for run in known) / len(known)
    several = len(known) > 1
    low = min(run.average for run in known) if several else known[0].low
    high = max(run.average for run in known) if several else known[0].high
    return SidesActive(
        average=round(average, 3),
        low=None if low is None else round(low, 3),
        high=None if high is None else round(high, 3),
        level_from=known[0].level_from,
        mix_from=known[0].mix_from,
    )


def compare_classes(sides: Sequence[Sequence[SideTime | None]], reference: int) -> list[SidesClass]:
    """List each class that any side shows, the largest difference from the reference first."""
    known = [[run for run in runs if run is not None] for runs in sides]
    documents = []
    for each in wait_classes.time_classes():
        sessions = [
            sum(run.by_class.get(each.id, 0.0) for run in runs) / len(runs) if runs else None
            for runs in known
        ]
        if any(sessions):
            averages = [sum(run.average for run in runs) / max(1, len(runs)) for runs in known]
            documents.append(
                SidesClass(
                    id=each.id,
                    title=each.title,
                    waits=each.waits,
                    sessions=[None if mean is None else round(mean, 3) for mean in sessions],
                    shares=[
                        None if mean is None else round(mean / average, 4) if average else 0.0
                        for mean, average in zip(sessions, averages, strict=True)
                    ],
                )
            )
    return sorted(documents, key=lambda row: -_difference(row.sessions, reference))


def _difference(sessions: Sequence[float | None], reference: int) -> float:
    """Return the largest distance from the reference; from 0 where it shows no session."""
    base = sessions[reference] or 0.0
    return max(abs((mean or 0.0) - base) for mean in sessions)


__all__ = ["SideTime", "active_of", "compare_classes", "side_time"]
