"""Return who waits for whom: the moments, the graph at one of them, and what lasts.

The first answers, which every visitor of the screen asks for, are stored with the run
(``FirstWaits``). Other graphs are built on demand; the last few stay in memory, by run. So does the
evidence of the last incident unless it is large, for those who step from moment to moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal

import msgspec

from pileup.analysis.blocked_time.first_view import FirstWaits
from pileup.analysis.blocked_time.moment_roots import whole_diff, whole_graph
from pileup.analysis.contract import RootDoc, StallDoc, WaitGraph, WaitNodeDoc, WaitPersistence
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stalls.documents import main_stall, telling_time
from pileup.analysis.waits.inspect_node import describe_node
from pileup.analysis.waits.moments import WaitSource, moments, unit_of, worst
from pileup.analysis.waits.persistence import lasting_in
from pileup.analysis.waits.view import WholeGraph, shown
from pileup.json_values import resolve_types
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.analyses import Analyses
from pileup.views.source import NotAnalysed
from pileup.views.window import moment_at

Moment = int | Literal["worst"]
"""UTC µs, or the moment that shows the main stall best, else the worst of the capture."""
Fold = Literal["auto", "all", "none"]

resolve_types(FirstWaits)

_MOST_KEPT = 32 << 20
"""Bytes of evidence that stay in memory."""
_FOLDED = {"auto": None, "all": True, "none": False}
_NOTHING_LASTS = WaitPersistence(unit="", of=0, moments=0, among="", nodes=[])


@dataclass(frozen=True, slots=True)
class WaitMoment:
    time: datetime
    artifact: str
    snapshot: int
    source: WaitSource
    waiters: int
    """Threads in SEMAPHORES."""
    lock_waits: int
    """Transactions waiting for a row or table lock."""
    max_waited_s: float | None


@dataclass(frozen=True, slots=True)
class Shape:
    """Filters of a graph: what is folded, opened and searched."""

    fold: Fold = "auto"
    opened: Sequence[str] = ()
    """Groups whose members are shown."""
    find: str = ""

    def of(self, whole: WholeGraph) -> WaitGraph:
        opened = frozenset(self.opened)
        return shown(whole, folded=_FOLDED[self.fold], opened=opened, find=self.find)

    @property
    def is_first(self) -> bool:
        """Check for the initial state of the screen: folded by size, nothing opened or searched."""
        return self.fold == "auto" and not self.opened and not self.find


@dataclass(frozen=True, slots=True)
class StoredWaits:
    """Waits of an incident in its last analysis; NotAnalysed before the first."""

    unit: Unit
    placed: PlacedStore
    incident_id: str

    def moments(self) -> list[WaitMoment]:
        """List every placed snapshot in time order; empty before the first analysis."""
        first = self.placed.ready(self.incident_id, FirstWaits)
        run = self.placed.run(self.incident_id)
        evidence = None if first or not run else self.placed.waits(self.incident_id, run)
        every = first.moments if first else moments(evidence) if evidence else []
        return [
            WaitMoment(
                time=moment_at(moment.time),
                artifact=moment.artifact,
                snapshot=moment.snapshot,
                source=unit_of(moment.kind),
                waiters=moment.waiters,
                lock_waits=moment.lock_waits,
                max_waited_s=moment.max_waited_s,
            )
            for moment in every
            if moment.time is not None
        ]

    def graph(self, at: Moment, against: Moment | None, shape: Shape) -> WaitGraph:
        """Return the graph at the snapshot nearest to ``at``; with ``against``, the difference."""
        first = self._first(at, against, shape)
        return first.graph if first else shape.of(self._whole(at, against))

    def lasting(self, at: Moment | None, against: Moment | None, shape: Shape) -> WaitPersistence:
        """List what stays stuck across moments; with ``at``, only what its graph shows."""
        self._run()
        first = None if at is None else self._first(at, against, shape)
        if first is not None and first.lasting is not None:
            return first.lasting
        stored = Analyses(self.unit).persistence(self.incident_id)
        if stored is None:  # analyses before this feature lack it
            return _NOTHING_LASTS
        lasting = msgspec.convert(stored, WaitPersistence)
        if at is None:
            return lasting
        whole = self._whole(at, against)
        return lasting_in(lasting, whole, shape.of(whole))

    def node(self, at: Moment, against: Moment | None, node: str) -> WaitNodeDoc:
        """Return everything about one node; NotFound when the graph at this moment has none."""
        document = describe_node(self._whole(at, against), node)
        if document is None:
            raise NotFound(f"At this moment nothing in the wait graph is {node[:100]!r}.")
        return document

    def _first(self, at: Moment, against: Moment | None, shape: Shape) -> FirstWaits | None:
        """Return what the worker stored, if it answers this request."""
        if against is not None or not shape.is_first:
            return None
        first = self.placed.ready(self.incident_id, FirstWaits)
        return first if first is not None and first.at_us == self._instant(at) else None

    def _whole(self, at: Moment, against: Moment | None) -> WholeGraph:
        other = None if against is None else (self._instant(against),)
        run = self._run()
        parts = Analyses(self.unit).parts(self.incident_id, "roots") or {}
        roots = msgspec.json.encode(parts.get("roots") or [])
        return _whole(self.placed, self.incident_id, run, self._instant(at), other, roots)

    def _run(self) -> str:
        run = self.placed.run(self.incident_id)
        if run is None:
            raise NotAnalysed
        return run

    def _instant(self, at: Moment) -> int | None:
        """Convert to UTC µs; None: the worst moment of the capture, where no stall has one."""
        if at != "worst":
            return at
        parts = Analyses(self.unit).parts(self.incident_id, "stalls", "roots") or {}
        stalls = msgspec.convert(parts.get("stalls") or [], list[StallDoc])
        roots = msgspec.convert(parts.get("roots") or [], list[RootDoc])
        return telling_time(main_stall(stalls), roots)


@lru_cache(maxsize=1)
def _evidence(placed: PlacedStore, incident_id: str, run: str) -> Evidence | None:
    """Load what wait graphs of a run are made of."""
    return placed.waits(incident_id, run)


@lru_cache(maxsize=4)
def _whole(
    placed: PlacedStore,
    incident_id: str,
    run: str,
    at: int | None,
    against: tuple[int | None] | None,
    roots_json: bytes,
) -> WholeGraph:
    """Build the graph that a person folds, opens and searches; once per moment and run.

    against: the other moment of a difference, in it None for the worst. roots_json: the analysis's.
    """
    evidence = _evidence(placed, incident_id, run)
    if evidence is None:
        raise NotAnalysed
    if sum(frame.estimated_size() for frame in evidence.frames.values()) > _MOST_KEPT:
        _evidence.cache_clear()
    roots = msgspec.json.decode(roots_json, type=list[RootDoc])
    if against is None:
        return whole_graph(evidence, at, roots)
    (other,) = against
    if other is None:
        moment = worst(evidence)
        other = moment.time if moment and moment.time is not None else 0
    return whole_diff(evidence, at, other, roots)
