"""The lock-wait graph of one moment: who waits for what, and who holds it.

Nodes are threads and what they wait for (latches, row and table locks, metadata locks, the commit
queue); a waiter points at the resource, the resource at its holder. A holder that no layer names is
inferred where the evidence allows it, and marked. Counts are of distinct waiting threads.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from pileup.analysis import commit_queue, queues
from pileup.analysis.context import Server
from pileup.analysis.contract import Locator, WaitEdge, WaitNode
from pileup.analysis.evidence import Evidence
from pileup.analysis.joins import Actor, Row, Scene
from pileup.analysis.metadata_conflicts import excludes
from pileup.knowledge import knowledge
from pileup.knowledge.source_sites import site

ResourceKind = Literal["latch", "row_lock", "table_lock", "metadata_lock", "commit", "queue"]
STACK_SHOWN = 30
HOLDERS_SHOWN = 8


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
    locators: list[Locator] = field(default_factory=list)


@dataclass(slots=True)
class Edge:
    source: str
    target: str
    kind: Literal["waits_for", "held_by"]
    mode: str | None = None
    waited_s: float | None = None
    inferred: bool = False
    note: str = ""
    position: str = ""
    """Where a waiter stands: 'btr0sea.ic:122'."""
    source_site: str = ""
    """The function at that place, and in which version it was read."""
    locators: list[Locator] = field(default_factory=list)


@dataclass(slots=True)
class Graph:
    actors: dict[str, Actor]
    resources: dict[str, Resource]
    edges: list[Edge]
    notes: list[str]
    touching: dict[str, list[Edge]] = field(init=False)
    """Edges by each of their ends."""

    def __post_init__(self) -> None:
        touching: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in self.edges:
            touching[edge.source].append(edge)
            touching[edge.target].append(edge)
        self.touching = dict(touching)

    def waiting(self) -> set[str]:
        """Ids of the threads that wait for something."""
        return {e.source for e in self.edges if e.kind == "waits_for" and e.source in self.actors}


def build(evidence: Evidence, scene: Scene, server: Server | None = None) -> Graph:
    """All waits of a scene; actors that neither wait nor hold are left out.

    server: whose version tells the functions at the places where threads wait.
    """
    builder = _Builder(evidence, scene, server or Server())
    builder.semaphores()
    builder.row_locks()
    builder.lock_tables()
    builder.lock_lists()
    builder.pending_metadata_locks()
    builder.metadata_locks()
    builder.commits()
    builder.unlisted()
    return builder.graph()


class _Builder:
    def __init__(self, evidence: Evidence, scene: Scene, server: Server) -> None:
        self._evidence = evidence
        self._server = server
        self._paths = {a.sha256: a.path for a in evidence.artifacts}
        self._scene = scene
        self._resources: dict[str, Resource] = {}
        self._edges: list[Edge] = []
        self._held: set[tuple[str, str]] = set()
        self._notes: dict[str, None] = {}
        self._waiting: set[str] = set()
        self._by_session = {a.session_id: a for a in scene.actors.values() if a.session_id}
        self._by_trx = {a.trx["trx_id"]: a for a in scene.actors.values() if a.trx}
        self._by_pthread = {a.pthread: a for a in scene.actors.values() if a.pthread}
        self._locks = {row["lock_id"]: row for row in scene.trx_locks if row["lock_id"]}
        self._looked: Counter[tuple[str, str | None, str, str]] = Counter()
        self._listed: dict[str, Row] = {}
        """By trx: the lock of data_locks that it waits for."""
        self._granted: defaultdict[tuple[str, str | None, str], list[Row]] = defaultdict(list)
        for row in scene.trx_locks:
            if row["lock_data"] is None or row["lock_kind"] != "record":
                continue
            if row["waiting"]:
                self._listed[row["trx_id"]] = row
            else:
                self._granted[row["table"], row["index"], row["lock_data"]].append(row)

    # ---- layers

    def semaphores(self) -> None:
        """SEMAPHORES: a waiter, its latch, and the thread that has reserved it."""
        for actor in list(self._scene.actors.values()):
            for wait in actor.waits:
                self._semaphore(actor, wait)

    def row_locks(self) -> None:
        """Transactions in LOCK WAIT; the holder from lock prints, else inferred."""
        waiting = [a for a in self._scene.actors.values() if a.lock_wait]
        by_resource: defaultdict[str, list[Actor]] = defaultdict(list)
        for actor in waiting:
            resource = self._lock_resource(actor)
            by_resource[resource.id].append(actor)
            assert actor.trx is not None
            self._wait(
                actor,
                resource,
                mode=actor.trx["waits_mode"],
                waited_s=actor.trx["wait_s"],
                locators=[self._lines(actor.trx)],
            )
        told = {row["waiting_trx"] for row in self._scene.lock_waits if row["blocking_trx"]}
        told |= {row["waiting_session"] for row in self._scene.lock_waits}
        for resource_id, members in by_resource.items():
            if any(self._is_told(a, told) for a in members):
                continue  # the lock tables name the holder
            self._infer_row_holder(self._resources[resource_id], members)

    def lock_tables(self) -> None:
        """INNODB_LOCK_WAITS, data_lock_waits, sys views: the only layer that names row holders.

        They list every conflicting pair, so a blocker that waits itself only stands in the queue.
        """
        pairs = []
        queued: set[str] = set()
        for row in self._scene.lock_waits:
            if row["lock_kind"] == "metadata":
                continue
            waiter = self._actor_of(row["waiting_session"], row["waiting_trx"])
            blocker = self._actor_of(row["blocking_session"], row["blocking_trx"])
            if waiter is not None and blocker is not None and waiter is not blocker:
                pairs.append((row, waiter, blocker))
                queued.add(waiter.id)
        for row, waiter, blocker in pairs:
            resource = self._lock_resource(waiter, row)
            if waiter.id not in self._waiting:
                self._wait(
                    waiter,
                    resource,
                    mode=row["mode"],
                    waited_s=row["waiting_s"],
                    locators=[self._lines(row)],
                )
            if not blocker.lock_wait and blocker.id not in queued:
                self._hold(resource, blocker, note="named by the lock tables", lines=row)

    def lock_lists(self) -> None:
        """data_locks without data_lock_waits: who has the very row that another waits for."""
        for row in self._listed.values():
            waiter = self._actor_of(row["session_id"], row["trx_id"])
            if waiter is None or waiter.id in self._waiting:
                continue
            resource = self._lock_resource(waiter, row)
            self._wait(waiter, resource, mode=row["mode"], locators=[self._lines(row)])
            self._hold_by_list(resource, waiter, row)

    def metadata_locks(self) -> None:
        """Sessions that wait for a metadata lock, and who has it where a lock table says so."""
        for row in self._scene.lock_waits:
            if row["lock_kind"] != "metadata":
                continue
            waiter = self._actor_of(row["waiting_session"], None)
            blocker = self._actor_of(row["blocking_session"], None)
            resource = self._mdl(row["table"], row)
            if waiter is not None and waiter.id not in self._waiting:
                lines = [self._lines(row)]
                self._wait(
                    waiter, resource, mode=row["mode"], waited_s=row["waiting_s"], locators=lines
                )
            if blocker is not None:
                self._hold(resource, blocker, note="named by the lock tables", lines=row)
        for actor in self._scene.actors.values():
            state = (actor.session or {}).get("state") or ""
            if actor.id in self._waiting or "metadata lock" not in state:
                continue
            assert actor.session is not None
            self._wait(
                actor,
                self._mdl(actor.session["db"], actor.session),
                waited_s=actor.session["time_s"],
                locators=[self._lines(actor.session)],
            )

    def pending_metadata_locks(self) -> None:
        """performance_schema.metadata_locks: a pending lock, and granted ones that exclude it."""
        by_object: defaultdict[tuple[str, str | None], list[Row]] = defaultdict(list)
        for row in self._scene.metadata_locks:
            by_object[row["object_type"], row["object_name"]].append(row)
        for (kind, name), rows in by_object.items():
            pending = [row for row in rows if row["status"] == "PENDING"]
            if not pending:
                continue
            shown = name or kind.lower()
            resource = self._mdl(shown, pending[0])
            modes: defaultdict[str, set[str]] = defaultdict(set)
            for row in pending:
                waiter = self._owner(row)
                modes[row["mode"]].add(waiter.id)
                if waiter.id not in self._waiting:
                    self._wait(waiter, resource, mode=row["mode"], locators=[self._lines(row)])
            for row in rows:
                if row["status"] != "GRANTED":
                    continue
                holder = self._owner(row)
                for mode, waiters in modes.items():
                    if waiters != {holder.id} and excludes(kind, row["mode"], mode):
                        note = f"has it in mode {row['mode']}, which excludes {mode}"
                        self._hold(resource, holder, mode=row["mode"], note=note, lines=row)
                        break

    def _owner(self, row: Row) -> Actor:
        """Whose metadata lock it is: a session, or a thread that only performance_schema names."""
        found = self._actor_of(row["session_id"], None)
        if found is None:
            name = f"ps_thread:{row['ps_thread_id']}"
            found = self._scene.actors.setdefault(name, Actor(name))
        return found

    def commits(self) -> None:
        """The commit queue, and its head where a stack shows one."""
        waiters = [
            a
            for a in self._scene.actors.values()
            if a.id not in self._waiting and commit_queue.waits_for_commit(a)
        ]
        leaders: dict[str, tuple[str, Actor]] = {}
        for actor in self._scene.actors.values():
            if actor.stack and (words := commit_queue.leads(actor.functions)):
                leaders[actor.id] = (words, actor)
        anonymous = [s for s in self._scene.stacks if not s["threads"]]
        for stack in () if self._scene.stacks_alone else anonymous:  # pt-pmp: no thread ids
            functions = [f["function"] for f in stack["frames"]]
            if words := commit_queue.leads(functions):
                actor = Actor(f"stack:{stack['line_first']}", stack=stack)
                self._scene.actors[actor.id] = actor
                leaders[actor.id] = (words, actor)
        if not waiters:
            return
        waiters = [a for a in waiters if a.id not in leaders]
        if not waiters:
            return
        queue = self._resources.setdefault(
            "commit",
            Resource(
                "commit",
                "commit",
                "commit queue",
                "binary log group commit and redo flush",
                meaning="Commits wait for the one at the head to write and flush the logs.",
            ),
        )
        for actor in waiters:
            row = actor.session or actor.stack or actor.trx
            assert row is not None
            waited = (actor.session or {}).get("time_s")
            where = commit_queue.stage(actor.functions)
            lines = [self._lines(row)]
            self._wait(actor, queue, waited_s=waited, position=where, note=where, locators=lines)
        if leaders:
            # One works at the head; full-text sync explains the queue better than a flush.
            words, leader = min(
                leaders.values(), key=lambda one: ("full-text" not in one[0], one[1].id)
            )
            self._hold(queue, leader, note=f"{words}, by its stack", lines=leader.stack)
        else:
            self._notes[
                "No stack shows who leads the commit queue: collect gdb stacks or pt-pmp."
            ] = None

    def unlisted(self) -> None:
        """Queues that no dump lists: slots, caches, table and global locks (``queues``)."""
        standing: defaultdict[str, list[Actor]] = defaultdict(list)
        for actor in list(self._scene.actors.values()):
            if actor.id not in self._waiting and (queue := queues.waits_in(actor)):
                standing[queue.id].append(actor)
        for queue in queues.QUEUES:
            if members := standing.get(queue.id):
                self._queue(queue, members)

    def _queue(self, queue: queues.Queue, members: list[Actor]) -> None:
        resource = self._latch_of_dump(queue.latch) or self._resources.setdefault(
            f"queue:{queue.id}",
            Resource(f"queue:{queue.id}", "queue", queue.label, meaning=queue.meaning),
        )
        longest = 0.0
        for actor in members:
            row = actor.session or actor.trx or actor.stack
            assert row is not None
            waited = (actor.session or {}).get("time_s")
            longest = max(longest, waited or 0.0)
            self._wait(actor, resource, waited_s=waited, locators=[self._lines(row)])
        others = [a for a in self._scene.actors.values() if a not in members]
        holders = queues.inside(queue, others)[:HOLDERS_SHOWN]
        if not holders and queue.oldest and (oldest := _oldest(others, longest, self._waiting)):
            holders = [(oldest, "runs longest of all that do not wait")]
        for holder, how in holders:
            row = holder.stack or holder.session or holder.trx
            self._hold(resource, holder, note=f"inferred: {how}", lines=row, inferred=True)
        if not holders:
            self._notes[f"Nothing that was captured names who holds the {queue.label}."] = None

    def _latch_of_dump(self, latch: str | None) -> Resource | None:
        """The latch as the dump lists it, when it lists one alone: its waiters are one crowd."""
        known = [one for one in self._resources.values() if latch and one.latch == latch]
        return known[0] if len(known) == 1 else None

    def graph(self) -> Graph:
        used = {e.source for e in self._edges} | {e.target for e in self._edges}
        return Graph(
            actors={i: a for i, a in self._scene.actors.items() if i in used},
            resources={i: r for i, r in self._resources.items() if i in used},
            edges=self._edges,
            notes=[*self._notes, *self._scene.notes],
        )

    # ---- parts

    def _semaphore(self, actor: Actor, wait: Row) -> None:
        latch = self._latch(wait)
        position = f"{wait['file']}:{wait['line']}"
        lines = [self._lines(wait)]
        own = wait["holder_thread"] == wait["thread_id"]
        if own and "wait_ex" in wait["mode"]:
            self._wait_for_readers(actor, wait, latch, position, lines)
            return
        self._wait(
            actor,
            latch,
            mode=wait["mode"],
            waited_s=wait["waited_s"],
            position=position,
            source_site=self._site(wait),
            locators=lines,
        )
        holder = wait["holder_thread"]
        if holder is None or own:
            return
        self._hold(
            latch,
            self._thread(holder),
            mode=wait["holder_mode"],
            note=f"has reserved it in mode {wait['holder_mode']}",
            lines=wait,
        )

    def _wait_for_readers(
        self, actor: Actor, wait: Row, latch: Resource, position: str, lines: list[Locator]
    ) -> None:
        """X-lock (wait_ex): it has the latch reserved and waits for the last readers to leave."""
        readers = wait["readers"] or 0
        last = (
            f"{wait['last_read_file']}:{wait['last_read_line']}" if wait["last_read_file"] else ""
        )
        resource = self._resources.setdefault(
            f"readers:{latch.id}",
            Resource(
                f"readers:{latch.id}",
                "latch",
                f"{readers} reader{'' if readers == 1 else 's'} of {latch.label}",
                f"last read-locked at {last}" if last else "readers are not named in a dump",
                latch=latch.latch,
                address=latch.address,
                inferred=True,
                meaning="The readers that still have the latch; the dump does not name them.",
            ),
        )
        self._hold(latch, actor, mode="wait exclusive", note="reserved it (wait_ex)", lines=wait)
        note = (
            f"Thread {wait['thread_id']} is not blocked by itself: it has reserved "
            f"{latch.label} and waits at {position} for {readers} remaining reader"
            f"{'' if readers == 1 else 's'} to leave"
            + (f" (lock_word {wait['lock_word']})" if wait["lock_word"] is not None else "")
            + (f"; the latch was last read-locked at {last}." if last else ".")
        )
        self._notes[note] = None
        self._wait(
            actor,
            resource,
            mode=wait["mode"],
            waited_s=wait["waited_s"],
            position=position,
            locators=lines,
            note="waits for the readers to leave",
        )
        for other in self._readers(wait):
            self._hold(
                resource,
                other,
                note=f"its stack is at {last}",
                lines=other.stack,
                inferred=True,
            )

    def _readers(self, wait: Row) -> list[Actor]:
        """Threads whose stack stands where the latch was last read-locked."""
        file, line = wait["last_read_file"], wait["last_read_line"]
        if file is None:
            return []
        return [
            actor
            for actor in self._scene.actors.values()
            if actor.stack
            and not actor.waits
            and any(
                f["file"] and f["file"].endswith(file) and f["line"] == line
                for f in actor.stack["frames"]
            )
        ][:5]

    def _site(self, wait: Row) -> str:
        """The function at the place where a thread waits, and where that was read."""
        found = site(
            wait["file"],
            wait["line"],
            family=self._server.family,
            numbers=self._server.numbers,
            mode=wait["mode"],
        )
        return found.says if found else ""

    def _latch(self, wait: Row) -> Resource:
        known = knowledge().latch_for(
            wait["created_file"], wait["created_line"], wait["latch_name"], wait["mode"]
        )
        site = f"{wait['created_file']}:{wait['created_line']}" if wait["created_file"] else None
        what = "mutex" if wait["mode"] == "mutex" else "RW-latch"
        name = wait["latch_name"] or site or wait["latch_address"] or "unnamed"
        address = wait["latch_address"] or f"{wait['file']}:{wait['line']}"
        resource = self._resources.get(f"latch:{address}")
        if resource is None:
            resource = Resource(
                f"latch:{address}",
                "latch",
                f"{what} {name}",
                f"{known.id}, {address}" if known else address,
                latch=known.id if known else None,
                address=wait["latch_address"],
                meaning=known.contention_means if known else None,
                locators=[self._lines(wait)],
            )
            self._resources[resource.id] = resource
        return resource

    def _lock_resource(self, actor: Actor, row: Row | None = None) -> Resource:
        trx, row = actor.trx or {}, row or {}
        lock = self._locks.get(row.get("lock_id")) or (row if "lock_data" in row else {})
        table = trx.get("waits_table") or row.get("table") or lock.get("table") or "unknown table"
        index = trx.get("waits_index") or row.get("index") or lock.get("index")
        kind: ResourceKind = "table_lock" if trx.get("waits_kind") == "table" else "row_lock"
        space, page = trx.get("waits_space"), trx.get("waits_page")
        if page is None:
            space, page = lock.get("space"), lock.get("page")
        where = f" page {space}:{page}" if page is not None else ""
        name = f"{kind}:{table}:{index or ''}:{space}:{page}"
        if lock.get("lock_data") is not None and trx.get("waits_page") is None:
            name = f"{name}:{lock['lock_data']}"
            where = f" key {lock['lock_data']}"[:60]
        if name not in self._resources:
            label = f"table {table}" if kind == "table_lock" else f"row of {table}"
            self._resources[name] = Resource(
                name,
                kind,
                f"{label} ({index})" if index else label,
                f"{trx.get('waits_mode') or row.get('mode') or ''}{where}".strip(),
                meaning="A transaction's lock, held until it commits or rolls back.",
                locators=[self._lines(actor.trx)] if actor.trx else [],
            )
        return self._resources[name]

    def _mdl(self, name: str | None, row: Row) -> Resource:
        return self._resources.setdefault(
            f"mdl:{name}",
            Resource(
                f"mdl:{name}",
                "metadata_lock",
                f"metadata lock {name or ''}".strip(),
                meaning="Held by every transaction that used the table, until it ends.",
                locators=[self._lines(row)],
            ),
        )

    def _hold_by_list(self, resource: Resource, waiter: Actor, row: Row) -> None:
        """Holders of the row that a waiting lock of data_locks names."""
        key = (row["table"], row["index"], row["lock_data"])
        self._looked[*key, row["mode"]] += 1
        if self._looked[*key, row["mode"]] > 2:
            return  # two waiters see every holder, also where one of them holds the row itself
        for other in self._granted[key]:
            holder = self._actor_of(other["session_id"], other["trx_id"])
            gap = "GAP" in other["mode"].replace("NOT_GAP", "")
            if gap and "INSERT" not in row["mode"]:
                continue  # a gap lock keeps out inserts only
            if holder is None or holder is waiter or "X" not in row["mode"][:1] + other["mode"][:1]:
                continue
            note = "has this row by data_locks"
            self._hold(resource, holder, mode=other["mode"], note=note, lines=other)

    def _infer_row_holder(self, resource: Resource, members: list[Actor]) -> None:
        """Who holds a row that only its waiters are printed for."""
        listed = [(a, row) for a in members if (row := self._listed.get(_trx_id(a)))]
        for actor, row in listed:
            self._hold_by_list(resource, actor, row)
        if any(edge_id == resource.id for edge_id, _ in self._held):
            return
        for lock in self._scene.trx_locks:
            if lock["waiting"] or lock["lock_kind"] != "record":
                continue
            key = f"row_lock:{lock['table']}:{lock['index'] or ''}:{lock['space']}:{lock['page']}"
            holder = self._by_trx.get(lock["trx_id"])
            if key == resource.id and holder is not None and not holder.lock_wait:
                self._hold(resource, holder, note="its lock is printed", lines=lock)
                return
        longest = max((a.trx["wait_s"] or 0.0 for a in members if a.trx), default=0.0)
        candidates = [
            actor
            for actor in self._scene.actors.values()
            if actor.trx
            and not actor.lock_wait
            and (actor.trx["row_locks"] or 0) > 0
            and actor.trx["state"].startswith("ACTIVE")
            and (actor.trx["active_s"] or 0.0) + 1 >= longest
        ]
        if not candidates:
            self._notes[
                f"Nobody in this dump can be named as the holder of {resource.label}: no active "
                "transaction with row locks is old enough. Lock tables "
                "(performance_schema.data_lock_waits) would name it."
            ] = None
            return
        holder = max(candidates, key=_likely_holder)
        assert holder.trx is not None
        self._hold(
            resource,
            holder,
            note=_why_holder(holder, len(candidates)),
            lines=holder.trx,
            inferred=True,
        )

    def _thread(self, pthread: int) -> Actor:
        found = self._by_pthread.get(pthread)
        if found is None:
            found = Actor(f"thread:{pthread}", pthread=pthread)
            self._scene.actors[found.id] = found
            self._by_pthread[pthread] = found
        return found

    def _actor_of(self, session_id: int | None, trx_id: str | None) -> Actor | None:
        """The actor of a lock table's row; made when no other layer has it."""
        found = self._by_session.get(session_id) if session_id else None
        found = found or (self._by_trx.get(trx_id) if trx_id else None)
        if found is None and (session_id or trx_id):
            name = f"session:{session_id}" if session_id else f"trx:{trx_id}"
            found = self._scene.actors.setdefault(name, Actor(name, session_id=session_id))
            if session_id:
                self._by_session[session_id] = found
        return found

    def _wait(
        self,
        actor: Actor,
        resource: Resource,
        *,
        mode: str | None = None,
        waited_s: float | None = None,
        position: str = "",
        note: str = "",
        source_site: str = "",
        locators: list[Locator],
    ) -> None:
        self._waiting.add(actor.id)
        self._edges.append(
            Edge(
                actor.id,
                resource.id,
                "waits_for",
                mode=mode,
                waited_s=waited_s,
                note=note,
                position=position,
                source_site=source_site,
                locators=locators,
            )
        )

    def _hold(
        self,
        resource: Resource,
        actor: Actor,
        *,
        note: str,
        lines: Row | None,
        mode: str | None = None,
        inferred: bool = False,
    ) -> None:
        if (resource.id, actor.id) in self._held:
            return
        self._held.add((resource.id, actor.id))
        self._edges.append(
            Edge(
                resource.id,
                actor.id,
                "held_by",
                mode=mode,
                inferred=inferred,
                note=note,
                locators=[self._lines(lines)] if lines else [],
            )
        )

    def _lines(self, row: Row) -> Locator:
        return Locator(
            kind="lines",
            artifact=row["artifact"],
            path=self._paths.get(row["artifact"]),
            line_first=row["line_first"],
            line_last=row["line_last"],
        )

    @staticmethod
    def _is_told(actor: Actor, told: Iterable[object]) -> bool:
        return actor.session_id in told or (actor.trx is not None and actor.trx["trx_id"] in told)


def _oldest(actors: list[Actor], longest: float, waiting: set[str]) -> Actor | None:
    """Who has run at least as long as the longest wait, and does not wait."""
    running = [
        (actor.session["time_s"], actor)
        for actor in actors
        if actor.id not in waiting
        and actor.session
        and actor.session["query"]
        and actor.session["command"] not in ("Sleep", "Daemon", "Binlog Dump", "Binlog Dump GTID")
        and (actor.session["time_s"] or 0.0) >= longest
    ]
    return max(running, key=lambda one: one[0] or 0.0, default=(0.0, None))[1]


def _likely_holder(actor: Actor) -> tuple[bool, bool, float]:
    """Idle with undo first, then the oldest."""
    trx = actor.trx or {}
    idle = not trx.get("query") and not trx.get("thread_state")
    return idle, bool(trx.get("undo_entries")), trx.get("active_s") or 0.0


def _why_holder(actor: Actor, candidates: int) -> str:
    trx = actor.trx or {}
    idle = "without a running query, " if not trx.get("query") else ""
    others = f"; {candidates - 1} other candidates" if candidates > 1 else "; the only candidate"
    return (
        f"inferred: active for {trx.get('active_s') or 0:.0f} s, {idle}"
        f"{trx.get('row_locks')} row lock(s), {trx.get('undo_entries') or 0} undo entries, "
        f"not waiting itself{others}"
    )


def thread_node(actor: Actor, waits: bool, function: str = "") -> WaitNode:
    """A thread as the screens show it. function: where its source says that it waits."""
    trx, session = actor.trx or {}, actor.session or {}
    stack = [f["function"] for f in (actor.stack or {}).get("frames", ())][:STACK_SHOWN]
    wait = actor.waits[0] if actor.waits else None
    return WaitNode(
        id=actor.id,
        kind="thread",
        label=_thread_label(actor),
        detail=_thread_detail(actor, function),
        waiting=waits,
        waited_s=wait["waited_s"] if wait else trx.get("wait_s"),
        mode=wait["mode"] if wait else trx.get("waits_mode"),
        thread_id=None if actor.pthread is None else str(actor.pthread),
        session_id=actor.session_id,
        trx_id=trx.get("trx_id"),
        user=session.get("user") or trx.get("user"),
        state=session.get("state") or trx.get("thread_state"),
        command=session.get("command"),
        query=actor.query,
        trx_active_s=trx.get("active_s"),
        undo_entries=trx.get("undo_entries"),
        row_locks=trx.get("row_locks"),
        stack=stack,
        join="; ".join(dict.fromkeys(actor.joined)),
    )


def resource_node(resource: Resource) -> WaitNode:
    return WaitNode(
        id=resource.id,
        kind=resource.kind,
        label=resource.label,
        detail=resource.detail,
        inferred=resource.inferred,
        address=resource.address,
        latch=resource.latch,
        meaning=resource.meaning,
        locators=resource.locators,
    )


def edge_doc(edge: Edge) -> WaitEdge:
    return WaitEdge(
        source=edge.source,
        target=edge.target,
        kind=edge.kind,
        mode=edge.mode,
        waited_s=edge.waited_s,
        inferred=edge.inferred,
        note=edge.note,
        source_site=edge.source_site,
        locators=edge.locators,
    )


def _thread_label(actor: Actor) -> str:
    trx = actor.trx or {}
    parts = []
    if trx.get("trx_id") and not trx["state"].startswith("not started"):
        parts.append(f"trx {trx['trx_id']}")
    if actor.session_id is not None:
        parts.append(f"session {actor.session_id}")
    if not parts and actor.pthread is not None:
        parts.append(f"thread {actor.pthread}")
    if not parts and actor.stack is not None:
        parts.append(f"thread in {plain(actor.stack)}")
    return " · ".join(parts) or actor.id.replace(":", " ")


def plain(stack: Row) -> str:
    """The function of a stack that says best what the thread does."""
    names = [frame["function"] for frame in stack["frames"]]
    for prefixes in (("fts_sync",), ("MYSQL_", "fil_", "log_", "trx_", "row_", "buf_")):
        for name in names:
            if name.startswith(prefixes):
                return str(name)
    return str(names[0]) if names else "unknown"


def _thread_detail(actor: Actor, function: str) -> str:
    trx, session = actor.trx or {}, actor.session or {}
    said = []
    if trx.get("active_s") is not None:
        idle = not actor.query and (session.get("command") in (None, "Sleep"))
        said.append(f"{'idle in transaction' if idle else 'active'} {trx['active_s']:.0f} s")
    if actor.waits:
        wait = actor.waits[0]
        where = f" in {function}" if function else ""
        said.append(f"at {wait['file']}:{wait['line']}{where}")
    state = session.get("state") or trx.get("thread_state")
    if state:
        said.append(str(state))
    elif session.get("command"):
        said.append(str(session["command"]))
    return ", ".join(said)


def _trx_id(actor: Actor) -> str:
    return str(actor.trx["trx_id"]) if actor.trx else ""
