"""Measure the blocked time of a stall: one population and one wait graph per chosen moment."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from pileup.analysis.blocked_time.active_sessions import (
    Level,
    Mix,
    active_sessions,
    connected_of,
    far_from,
    level_of,
    listed_mixes,
    most_near,
    waits_by_counter,
)
from pileup.analysis.blocked_time.blame import Flow, flow
from pileup.analysis.blocked_time.population import Member, limited, population
from pileup.analysis.blocked_time.roots import Here, Roots
from pileup.analysis.contract import ActiveSessionsDoc, RootDoc
from pileup.analysis.evidence.context import Server, Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.scene import Scene, scene
from pileup.analysis.evidence.servers import numeric_setting
from pileup.analysis.waits import moments, tally
from pileup.analysis.waits.draft import Graph
from pileup.analysis.waits.graph import build
from pileup.analysis.waits.moment_graph import count_graph
from pileup.analysis.waits.moments import MomentChoice, WaitMoment, lasting_s, within, worst_of

_ROW_TIMEOUT_S = 50.0
"""Default of innodb_lock_wait_timeout, in all versions."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the active-session seconds, with the interval that the sampling allows."""

    value: float
    low: float
    high: float
    moments: int
    """Moments in which it is more than nothing."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The wait graph of one moment."""

    moment: WaitMoment
    scene: Scene
    graph: Graph
    threads: int
    """How many threads wait in it, each counted once."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    flow: Flow
    weight: float
    active: float


@dataclass(frozen=True, slots=True)
class BlockedTime:
    """The active sessions of a stall (or of a capture without one), and where they wait."""

    tally: tally.Tally
    active: ActiveSessionsDoc | None
    """None: nothing shows how many sessions were active."""
    roots: list[RootDoc]
    """The one table of roots, most seconds first."""
    table: Roots
    moments: tuple[_Weighed, ...]
    part: float
    """Share of the moments of this kind that have waiters, if only those were chosen; else 1."""
    mixes: tuple[Mix, ...]
    span: Span | None
    worst: Drawn | None
    """The moment whose own layer lists most waiters; None: no moment."""

    def share_of(self, select: Callable[[Member], bool]) -> Share | None:
        """Return the share of active-session seconds that flow through what is selected.

        These are the selected sessions and resources, and all sessions that wait behind them.
        select: takes each session, background thread and resource of each moment. None: no moment
        shows any session.
        """
        found = [(m.flow.share_through(select) / m.active, m) for m in self.moments if m.active > 0]
        total = sum(moment.weight for _, moment in found)
        if total <= 0:
            return None
        mean = min(1.0, sum(share * m.weight for share, m in found) / total)
        if len(found) == 1:
            error = math.sqrt(mean * (1 - mean) / max(1.0, found[0][1].active))
        else:
            squares = sum((m.weight * (share - mean)) ** 2 for share, m in found)
            error = math.sqrt(squares) / total
        low, high = max(0.0, mean - 2 * error), min(1.0, mean + 2 * error)
        seen = sum(share > 0 for share, _ in found)
        return Share(mean * self.part, low * self.part, high * self.part, seen)

    @property
    def moments_seen(self) -> int:
        """How many moments show active sessions, those in which nobody waits included."""
        return round(sum(moment.active > 0 for moment in self.moments) / self.part)

    def usual_of(self, select: Callable[[Member], bool]) -> float | None:
        """Return how many active sessions are selected, or wait behind one that is, on average.

        None: no moment shows any session.
        """
        lasting = [(m, m.weight / m.active) for m in self.moments if m.active > 0]
        total = sum(weight for _, weight in lasting)
        if total <= 0:
            return None
        found = sum(moment.flow.share_through(select) * weight for moment, weight in lasting)
        return found / total * self.part


def blocked_time(
    evidence: Evidence,
    every: Sequence[WaitMoment],
    choice: MomentChoice,
    values: pl.DataFrame,
    span: Span | None,
    host: str | None,
    server: Server | None = None,
) -> BlockedTime:
    """Measure the chosen moments.

    every: all moments of the capture. values: see ``evidence.series.values``. span: the stall.
    """
    level, connected = level_of(values, host, span), connected_of(values, host)
    lasts = lasting_s(choice.chosen)
    timed = any(lasts.values())
    timeout_s = numeric_setting(evidence, host, "innodb_lock_wait_timeout")
    counted = tally.empty(choice)
    table = Roots(choice, _ROW_TIMEOUT_S if timeout_s is None else timeout_s)
    weighed, mixes = [], []
    worst = worst_of(every, span, host)
    most = draw(evidence, worst, server) if worst is not None else None
    for moment in choice.chosen:
        drawn = most if most and _alike(moment, most.moment) else draw(evidence, moment, server)
        here, graph, threads = drawn.scene, drawn.graph, drawn.threads
        counts = count_graph(graph)
        tally.add(counted, graph, counts, moment, lasts[id(moment)], threads)
        people = limited(population(here, graph), _connections(connected, level, moment))
        active = _active(people.active, level, moment, complete=people.complete)
        weight = active * (lasts[id(moment)] if timed else 1.0)
        flowing = flow(people, graph)
        table.add(flowing, Here(graph, counts, moment, threads), weight, active)
        weighed.append(_Weighed(flowing, weight, active))
        mixes.append(Mix(moment.time, people.by_class(), people.complete, people.notes))
    table.part = part = _part(every, choice, span, host)
    mix_from = choice.among
    if span is None or not mixes or choice.scope == "with waiters":  # these are the exception
        listed = listed_mixes(evidence, host, span)
        mixes, mix_from = (
            (listed, "processlists") if len(listed) > len(mixes) else (mixes, mix_from)
        )
    if not mixes and level is not None:
        mixes, mix_from = waits_by_counter(values, host, span), "counters"
    shown = active_sessions(level, mixes, mix_from)
    roots = table.documents(shown.seconds if shown else None)
    for root in roots:
        _, origin = table.described(root)
        counted.ends_at(origin, root.moments)
    return BlockedTime(counted, shown, roots, table, tuple(weighed), part, tuple(mixes), span, most)


def draw(evidence: Evidence, moment: WaitMoment, server: Server | None = None) -> Drawn:
    """Draw the wait graph of a moment."""
    here = scene(evidence, moment.time, moment.host)
    graph = build(evidence, here, server)
    return Drawn(moment, here, graph, len(graph.counted))


def _alike(moment: WaitMoment, other: WaitMoment) -> bool:
    """Return whether two moments share a graph."""
    return (moment.time, moment.host) == (other.time, other.host)


def peak_waiting(
    evidence: Evidence, every: Sequence[WaitMoment], span: Span, host: str | None
) -> tuple[int, int] | None:
    """Return the waiting threads in the worst moment of ``span`` and its time (UTC µs).

    None: no moment of the span has a time and a waiter.
    """
    moment = worst_of(every, span, host)
    if moment is None or moment.time is None or not moment.waiting:
        return None
    return draw(evidence, moment).threads, moment.time


def of_capture(
    evidence: Evidence, values: pl.DataFrame, host: str | None, stalls: Sequence[BlockedTime]
) -> ActiveSessionsDoc | None:
    """Draw the active sessions of a whole capture: its stalls as measured, the rest as listed.

    Outside of the stalls the classes come from the processlists' States alone.
    """
    spans = [stall.span for stall in stalls if stall.span is not None and stall.mixes]
    mixes = [
        mix
        for mix in listed_mixes(evidence, host, None)
        if not any(s.start <= (mix.time or 0) <= s.end for s in spans)
    ]
    mixes += [mix for stall in stalls for mix in stall.mixes]
    return active_sessions(level_of(values, host, None), mixes, "processlists")


def of_window(
    evidence: Evidence,
    values: pl.DataFrame,
    span: Span | None,
    host: str | None,
    server: Server,
    most: int = moments.AT_MOST,
) -> ActiveSessionsDoc | None:
    """Draw the active sessions of any window, quiet or not; None: nothing shows any.

    most: moments whose wait graphs are built. Where none of them is near, the processlists' States
    give the classes.
    """
    every = moments.moments(evidence)
    choice = moments.choose_evenly(every, span, host, most)
    mixes = list(blocked_time(evidence, every, choice, values, span, host, server).mixes)
    if span is not None:
        mixes += far_from(mixes, listed_mixes(evidence, host, span))
    return active_sessions(level_of(values, host, span), mixes, choice.among if mixes else "")


def _active(shown: float, level: Level | None, moment: WaitMoment, *, complete: bool) -> float:
    """Return the active sessions of a moment: at least those that it shows."""
    known = level.at(moment.time) if level is not None else None
    return shown if complete or known is None else max(shown, known)


def _connections(connected: Level | None, level: Level | None, moment: WaitMoment) -> float | None:
    """Return the sessions connected at a moment; None where no plausible counter says it.

    Fewer connected than running: the counter was printed as its change since the last sample.
    """
    counted, running = most_near(connected, moment.time), most_near(level, moment.time)
    return None if counted is None or counted < max(1.0, running or 0.0) else counted


def _part(
    every: Sequence[WaitMoment], choice: MomentChoice, span: Span | None, host: str | None
) -> float:
    if choice.scope != "with waiters" or not choice.chosen:
        return 1.0
    kinds = {moment.kind for moment in choice.chosen}
    alike = [moment for moment in within(every, span, host) if moment.kind in kinds]
    return sum(moment.waiting > 0 for moment in alike) / len(alike) if alike else 1.0


__all__ = [
    "BlockedTime",
    "Drawn",
    "Share",
    "blocked_time",
    "draw",
    "of_capture",
    "of_window",
    "peak_waiting",
]
