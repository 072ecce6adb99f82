"""The wait graph under construction: threads, the resources they wait for, and the holders.

The ``by_…`` modules each add one layer to a ``Draft``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from pileup.analysis.contract import CERTAIN, Locator
from pileup.analysis.evidence.actors import Actor, Row
from pileup.analysis.evidence.context import Server
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.scene import Scene
from pileup.analysis.waits.one_population import counted
from pileup.knowledge import Latch, latch_words

ResourceKind = Literal[
    "latch", "row_lock", "table_lock", "metadata_lock", "commit", "fsync", "queue"
]
PRINTED = CERTAIN
"""Confidence of what a dump or a lock table prints literally."""
BY_STACK, BY_STATE = 0.9, 0.85
"""Confidence of a wait known by the functions on a stack; by a processlist State."""
UNNAMED = "unnamed"
"""Name of a latch of which neither a name, a place of creation nor an address is printed."""


@dataclass(slots=True)
class Resource:
    id: str
    kind: ResourceKind
    label: str
    detail: str = ""
    latch: str | None = None
    address: str | None = None
    meaning: str | None = None
    inferred: bool = False
    exact: bool = False
    """True for a lock of one row, known by its number in the page or by its key."""
    locators: list[Locator] = field(default_factory=list)


def latch_label(known: Latch | None, what: str, name: str) -> str:
    """Return the label of a latch, in words with its printed name if the knowledge base has it.

    'page latch (buf0buf.cc:1433)'; 'RW-latch foo0bar.cc:12'.
    """
    if known is None:
        return f"{what} {name}"
    return known.title if name == UNNAMED else latch_words(known.title, name)


@dataclass(slots=True)
class Edge:
    source: str
    target: str
    kind: Literal["waits_for", "held_by"]
    mode: str | None = None
    waited_s: float | None = None
    inferred: bool = False
    confidence: float = PRINTED
    """Confidence of this wait or holder, 0..1; ``note`` gives the reason."""
    note: str = ""
    position: str = ""
    """Source position of the wait: 'btr0sea.ic:122'."""
    source_site: str = ""
    """The function at that position, and the version it was read in."""
    locators: list[Locator] = field(default_factory=list)


@dataclass(slots=True)
class Graph:
    actors: dict[str, Actor]
    resources: dict[str, Resource]
    edges: list[Edge]
    notes: list[str]
    counted: frozenset[str] = frozenset()
    """Waiting threads that count as sessions, each session once; see ``one_population``."""
    touching: dict[str, list[Edge]] = field(init=False)
    """Edges by source and by target."""
    _waiting: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._waiting = frozenset(
            e.source for e in self.edges if e.kind == "waits_for" and e.source in self.actors
        )
        touching: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            touching[edge.source].append(edge)
            touching[edge.target].append(edge)
        self.touching = dict(touching)

    def waiting(self) -> frozenset[str]:
        """Return the ids of the threads that wait for something."""
        return self._waiting

    @property
    def uncounted(self) -> frozenset[str]:
        """Waiting threads that do not count: the server's own, and sessions shown twice."""
        return self._waiting - self.counted


class Draft:
    """Collector of the waits and holders of one scene."""

    def __init__(self, evidence: Evidence, scene: Scene, server: Server) -> None:
        self.evidence = evidence
        self.server = server
        self._paths = {a.sha256: a.path for a in evidence.artifacts}
        self.scene = scene
        self.resources: dict[str, Resource] = {}
        self.edges: list[Edge] = []
        self.held: set[tuple[str, str]] = set()
        self.notes: dict[str, None] = {}
        self.waiting: set[str] = set()
        self.by_session = {a.session_id: a for a in scene.actors.values() if a.session_id}
        self.by_trx = {a.trx["trx_id"]: a for a in scene.actors.values() if a.trx}
        self.by_pthread = {a.pthread: a for a in scene.actors.values() if a.pthread}
        self.locks = {row["lock_id"]: row for row in scene.trx_locks if row["lock_id"]}
        self.requested = {
            row["waiting_trx"]: row["lock_id"]
            for row in scene.lock_waits
            if row["waiting_trx"] and row["lock_id"]
        }
        """By transaction: the id of the lock that it waits for."""
        self.of_page = {
            (row["space"], row["page"]): row
            for row in scene.trx_locks
            if row["page"] is not None and row["table"] != "unknown"
        }
        """By tablespace and page: a listed lock there, which names the table and the index."""
        self.listed_waiters: Counter[tuple[str, str | None, str, str]] = Counter()
        self.listed: dict[str, Row] = {}
        """By transaction: the lock of data_locks that it waits for."""
        self.granted: defaultdict[tuple[str, str | None, str], list[Row]] = defaultdict(list)
        for row in scene.trx_locks:
            if row["lock_data"] is None or row["lock_kind"] != "record":
                continue
            if row["waiting"]:
                self.listed[row["trx_id"]] = row
            else:
                self.granted[row["table"], row["index"], row["lock_data"]].append(row)

    def graph(self) -> Graph:
        used = {e.source for e in self.edges} | {e.target for e in self.edges}
        graph = Graph(
            actors={i: a for i, a in self.scene.actors.items() if i in used},
            resources={i: r for i, r in self.resources.items() if i in used},
            edges=self.edges,
            notes=[*self.notes, *self.scene.notes],
        )
        graph.counted = counted(self.scene.actors, graph.waiting())
        return graph

    def dump_samples(self, series: Collection[str]) -> pl.DataFrame | None:
        """Return the samples of series ('innodb.pool_free_pages') that this dump prints, by line.

        None: the scene has no dump, or nothing has samples.
        """
        dump, samples = self.scene.dump, self.evidence.frame("sample")
        if dump is None or samples is None:
            return None
        return samples.filter(
            (pl.col("artifact") == dump["artifact"])
            & pl.col("series").cast(pl.String).is_in(series)
            & pl.col("line_first").is_between(dump["line_first"], dump["line_last"])
        ).sort("line_first", maintain_order=True)

    def thread(self, pthread: int) -> Actor:
        actor = self.by_pthread.get(pthread)
        if actor is None:
            actor = Actor(f"thread:{pthread}", pthread=pthread)
            self.scene.actors[actor.id] = actor
            self.by_pthread[pthread] = actor
        return actor

    def find_actor(self, session_id: int | None, trx_id: str | None) -> Actor | None:
        """Return the actor of a lock table's row; create it if no other layer has it.

        A transaction belongs to its session, whose retry has another transaction id.
        """
        session_id = session_id or (self.scene.session_of_trx.get(trx_id) if trx_id else None)
        actor = self.by_session.get(session_id) if session_id else None
        actor = actor or (self.by_trx.get(trx_id) if trx_id else None)
        if actor is None and (session_id or trx_id):
            name = f"session:{session_id}" if session_id else f"trx:{trx_id}"
            actor = self.scene.actors.setdefault(name, Actor(name, session_id=session_id))
            if session_id:
                self.by_session[session_id] = actor
        return actor

    def owner(self, row: Row) -> Actor:
        """Return the owner of a row: a session, or a thread that only performance_schema names.

        A row that is cut names nobody; its owner is then known by the row alone.
        """
        actor = self.find_actor(row["session_id"], None)
        if actor is None:
            number, line = row["ps_thread_id"], row["line_first"]
            name = f"ps_thread:{number}" if number is not None else f"ps_thread:of line {line}"
            actor = self.scene.actors.setdefault(name, Actor(name))
        return actor

    def wait(
        self,
        actor: Actor,
        resource: Resource,
        *,
        mode: str | None = None,
        waited_s: float | None = None,
        position: str = "",
        note: str = "",
        source_site: str = "",
        confidence: float = PRINTED,
        locators: list[Locator],
    ) -> None:
        """Add a wait. confidence: PRINTED, or less if derived from a stack or a state."""
        self.waiting.add(actor.id)
        self.edges.append(
            Edge(
                actor.id,
                resource.id,
                "waits_for",
                confidence=confidence,
                mode=mode,
                waited_s=waited_s,
                note=note,
                position=position,
                source_site=source_site,
                locators=locators,
            )
        )

    def wait_as_seen(self, actor: Actor, resource: Resource) -> None:
        """Add a wait that no line prints: derived from the actor's stack, else from its State."""
        row = actor.session or actor.trx or actor.stack
        assert row is not None
        self.wait(
            actor,
            resource,
            waited_s=(actor.session or {}).get("time_s"),
            note="by its stack" if actor.functions else "by its State",
            confidence=BY_STACK if actor.functions else BY_STATE,
            locators=[self.lines(row)],
        )

    def hold(
        self,
        resource: Resource,
        actor: Actor | Resource,
        *,
        note: str,
        lines: Row | None,
        mode: str | None = None,
        inferred: bool = False,
        confidence: float = PRINTED,
    ) -> None:
        """Add a holder of ``resource``: a thread, or another resource that it depends on."""
        if (resource.id, actor.id) in self.held:
            return
        self.held.add((resource.id, actor.id))
        self.edges.append(
            Edge(
                resource.id,
                actor.id,
                "held_by",
                confidence=confidence,
                mode=mode,
                inferred=inferred,
                note=note,
                locators=[self.lines(lines)] if lines else [],
            )
        )

    def lines(self, row: Row) -> Locator:
        return Locator(
            kind="lines",
            artifact=row["artifact"],
            path=self._paths.get(row["artifact"]),
            line_first=row["line_first"],
            line_last=row["line_last"],
        )
