"""Waits: the moments there are, the graph at one, who blocks over a stall, the hottest places.

Grouping by the place where threads stand shows several problems where there is one: the latch
they all want. Both groupings are given.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import polars as pl

from pileup.analysis import commit_queue, instruments, latch_stacks, queues, servers
from pileup.analysis.context import Server, Span
from pileup.analysis.contract import (
    BlockerDoc,
    HotLatchDoc,
    HotWaitDoc,
    Locator,
    WaitGraph,
    WaitNode,
    WaitRoot,
)
from pileup.analysis.evidence import Evidence
from pileup.analysis.joins import Row, scene
from pileup.analysis.moments import iso
from pileup.analysis.wait_counts import Counts, count
from pileup.analysis.wait_draft import Graph, ResourceKind
from pileup.analysis.wait_graph import build
from pileup.analysis.wait_nodes import edge_doc, resource_node, thread_node
from pileup.analysis.wait_view import WholeGraph, shown
from pileup.knowledge import knowledge
from pileup.knowledge.source_sites import Site, site

BLOCKER_MOMENTS = 24
"""Snapshots of a stall that are looked at for blockers, spread evenly."""
_UNHELD = 0.4
"""What a queue without a holder weighs beside a holder that another moment shows."""
_LASTS_AT_MOST_S = 15.0
"""Half the longest time between snapshots over which a wait is taken to have lasted."""
MOST = 50


@dataclass(frozen=True, slots=True)
class WaitMoment:
    """One snapshot and how many waited in it."""

    time: int | None
    """UTC µs."""
    artifact: str
    snapshot: int
    kind: str
    host: str | None
    waiters: int
    """Threads in SEMAPHORES, or threads and sessions that wait by their stack or state."""
    lock_waits: int
    max_waited_s: float | None

    @property
    def waiting(self) -> int:
        return self.waiters + self.lock_waits


def moments(evidence: Evidence) -> list[WaitMoment]:
    """Every snapshot in time order; those of unknown time last."""
    found = _dumps(evidence) + _processlists(evidence) + _stack_samples(evidence)
    found += _lock_tables(evidence)
    return sorted(found, key=lambda m: (m.time is None, m.time or 0, m.artifact, m.snapshot))


def worst(evidence: Evidence, span: Span | None = None) -> WaitMoment | None:
    """The moment with the most waiters; a status dump before other layers when they tie."""
    some = [m for m in moments(evidence) if span is None or _inside(m, span)]
    return max(
        some, key=lambda m: (m.waiting, m.kind == "innodb_status", -(m.time or 0)), default=None
    )


def wait_graph(
    evidence: Evidence,
    at_us: int | None,
    *,
    fold: bool | None = None,
    opened: frozenset[str] = frozenset(),
    find: str = "",
) -> WaitGraph:
    """The graph at the snapshot nearest to an instant, as ``wait_view.shown`` shows it.

    at_us: None: at the worst moment.
    """
    return shown(whole_graph(evidence, at_us), folded=fold, opened=opened, find=find)


def whole_graph(evidence: Evidence, at_us: int | None) -> WholeGraph:
    """All of the graph at the snapshot nearest to an instant; None: at the worst one."""
    host = None
    if at_us is None:
        moment = worst(evidence)
        at_us = moment.time if moment else None
        host = moment.host if moment else None
    found = scene(evidence, at_us, host)
    server = servers.server(evidence, servers.effective_settings(evidence))
    graph = build(evidence, found, server)
    counts = count_graph(graph)
    waiters = len(graph.waiting())
    return WholeGraph(
        graph=graph,
        counts=counts,
        at=iso(found.at),
        snapshots=found.locators,
        headline=headline_of(graph, counts, waiters),
        waiters=waiters,
        nodes=[node_doc(name, graph, counts) for name in (*graph.resources, *graph.actors)],
        edges=[edge_doc(e) for e in graph.edges],
        raw=graph.edges,
        roots=roots_doc(graph, counts),
        notes=graph.notes,
    )


def blockers(evidence: Evidence, span: Span | None) -> list[BlockerDoc]:
    """Who blocked others in the stall's snapshots, with how often: most blocked first."""
    chosen = spread([m for m in moments(evidence) if span is None or _inside(m, span)])
    lasts = lasting_s(chosen)
    cost: defaultdict[str, float] = defaultdict(float)
    best: dict[str, tuple[WaitNode, WaitMoment, _Root]] = {}
    seen: defaultdict[str, int] = defaultdict(int)
    times: defaultdict[str, list[int]] = defaultdict(list)
    for moment in chosen:
        found = scene(evidence, moment.time, moment.host)
        graph = build(evidence, found)
        counts = count_graph(graph)
        here: set[str] = set()
        for name in dict.fromkeys(flush_of(name, graph) for name in counts.roots):
            key = lasting_key(name, graph)
            if key not in here:  # many pages of one origin are one blocker, once per moment
                here.add(key)
                seen[key] += 1
                times[key] += [] if moment.time is None else [moment.time]
            node = node_doc(name, graph, counts)
            cost[key] += node.blocks_total * lasts[id(moment)]
            root = _root(name, graph, counts)
            # the moment with most behind it; one that shows who rather than one that infers it
            if key not in best or _tells(node, root) > _tells(*best[key][::2]):
                best[key] = (node, moment, root)
    ranked = sorted(best.items(), key=lambda item: (-_weight(item[1], seen[item[0]]), item[0]))
    return [
        BlockerDoc(
            kind=_blocker_kind(node),
            id=node.id,
            holder=root.holder,
            time=iso(moment.time),
            blocks_direct=node.blocks_direct,
            blocks_total=node.blocks_total,
            seen=seen[key],
            of=len(chosen),
            why=root.why,
            evidence=[
                msgspec.structs.replace(one, text=f"{node.label} blocks {node.blocks_total}")
                for one in node.locators[:2]
            ],
            inferred=node.inferred,
            blocked_thread_s=round(cost[key], 1),
            first=iso(min(times[key], default=None)),
            last=iso(max(times[key], default=None)),
            confidence=root.confidence,
            persistence=_persistence(seen[key], len(chosen)),
            amplification=root.amplification,
        )
        for key, (node, moment, root) in ranked[:MOST]
        if node.blocks_total > 0
    ]


def hot_waits(
    evidence: Evidence, span: Span | None, server: Server | None = None
) -> list[HotWaitDoc]:
    """Semaphore waits by place and mode, the most first; named by the server's source."""
    frame = semaphores(evidence, span)
    if frame is None:
        return []
    keys = ["file", "line", "mode", "label"]
    rows = _ranked(frame, keys)
    total = frame.height
    return [
        HotWaitDoc(
            file=row["file"],
            line=row["line"],
            mode=row["mode"],
            waits=row["waits"],
            max_at_once=row["most"],
            max_at=iso(row["most_at"]),
            share=row["waits"] / total,
            latch=row["latch"],
            latch_label=row["label"],
            subsystem=_latch(row["latch"], "subsystem"),
            meaning=_latch(row["latch"], "contention_means") or "",
            max_waited_s=row["longest"],
            example=_example(
                evidence, row, f"{row['most']} waiters at {row['file']}:{row['line']}"
            ),
            function=found.function if found else None,
            source=found.says if found else "",
        )
        for row in rows[:MOST]
        for found in (_site(row, server or Server()),)
    ]


def hot_latches(evidence: Evidence, span: Span | None) -> list[HotLatchDoc]:
    """The same waits by the latch that they want, across places."""
    frame = semaphores(evidence, span)
    if frame is None:
        return []
    rows = _ranked(frame, ["label"])
    total = frame.height
    return [
        HotLatchDoc(
            latch=row["latch"],
            label=row["label"],
            addresses=row["addresses"],
            top_address=row["top_address"],
            waits=row["waits"],
            max_at_once=row["most"],
            max_at=iso(row["most_at"]),
            share=row["waits"] / total,
            positions=row["positions"],
            meaning=_latch(row["latch"], "contention_means") or "",
        )
        for row in rows[:MOST]
    ]


def roots_doc(graph: Graph, counts: Counts) -> list[WaitRoot]:
    """The roots, most blocked first."""
    return [
        WaitRoot(
            node=name,
            label=node_doc(name, graph, counts).label,
            blocks_direct=counts.direct[name],
            blocks_total=counts.total[name],
            why=_why(name, graph),
            inferred=_is_inferred(name, graph),
            confidence=_confidence(name, graph),
            amplification=_amplification(name, graph, counts),
        )
        for name in counts.roots[:MOST]
    ]


def count_graph(graph: Graph) -> Counts:
    return count(
        [*graph.resources, *graph.actors],
        [(e.source, e.target) for e in graph.edges],
        graph.waiting(),
    )


def node_doc(name: str, graph: Graph, counts: Counts) -> WaitNode:
    actor = graph.actors.get(name)
    waits = any(e.source == name and e.kind == "waits_for" for e in graph.touching.get(name, ()))
    function = next((e.source_site for e in graph.touching.get(name, ()) if e.source_site), "")
    function = function.partition(" (")[0]
    node = thread_node(actor, waits, function) if actor else resource_node(graph.resources[name])
    locators = list(node.locators)
    for edge in graph.touching.get(name, ()):
        if edge.source == name or (edge.target == name and edge.kind == "held_by"):
            locators += edge.locators
    return msgspec.structs.replace(
        node,
        lasting=key if actor and (key := lasting_key(name, graph)) != name else "",
        blocks_direct=counts.direct[name],
        blocks_total=counts.total[name],
        depth=counts.depth[name],
        root=counts.depth[name] == 0 and counts.total[name] > 0,
        inferred=node.inferred or _is_inferred(name, graph),
        locators=locators[:6],
    )


def _is_inferred(name: str, graph: Graph) -> bool:
    holds = [e for e in graph.touching.get(name, ()) if e.target == name and e.kind == "held_by"]
    return bool(holds) and all(e.inferred for e in holds)


@dataclass(frozen=True, slots=True)
class _Root:
    """What is said of a root at the moment at which most stood behind it."""

    holder: str
    why: str
    confidence: float
    amplification: str
    unheld: bool = False
    """A queue of which nothing in this moment tells who holds it."""


def _root(name: str, graph: Graph, counts: Counts) -> _Root:
    node = node_doc(name, graph, counts)
    holder = f"{node.label}{f' ({node.detail})' if node.detail else ''}"
    why = _why(name, graph)
    if node.kind == "fsync" and not node.inferred:
        threads = [e for e in graph.touching[name] if e.source == name]
        inside = [node_doc(e.target, graph, counts).label for e in threads]
        holder = f"{node.label}{f' (in it: {inside[0]})' if inside else ''}"
        why = f"{threads[0].note[0].upper()}{threads[0].note[1:]}." if threads else why
    unheld = (
        node.kind != "thread"
        and not node.inferred
        and not any(e.source == name for e in graph.touching.get(name, ()))
    )
    return _Root(
        holder,
        why,
        _confidence(name, graph),
        _amplification(name, graph, counts),
        unheld and node.kind in ("commit", "queue"),
    )


def _tells(node: WaitNode, root: _Root) -> float:
    return node.blocks_total * root.confidence


def _persistence(seen: int, of: int) -> str:
    """'In 5 of 7 snapshots': whether it lasts, or was there once."""
    return f"In {seen} of {of} snapshot{'' if of == 1 else 's'}"


def _confidence(name: str, graph: Graph) -> float:
    """How sure it is that others wait for this: of its surest hold, or of the waits themselves."""
    edges = [e for e in graph.touching.get(name, ()) if e.target == name]
    return max((e.confidence for e in edges), default=1.0)


def _amplification(name: str, graph: Graph, counts: Counts) -> str:
    """'One latch: 222 directly behind it, 948 in all': why few waits explain many threads."""
    direct, total = counts.direct[name], counts.total[name]
    if total <= direct:
        return ""
    held = [e.source for e in graph.touching.get(name, ()) if e.target == name]
    kinds = {graph.resources[one].kind for one in held if one in graph.resources}
    if name in graph.resources:
        what = f"one {_WORDS[graph.resources[name].kind]}"
    elif len(kinds) == 1:
        (kind,) = kinds
        what = f"one {_WORDS[kind]}" if len(held) == 1 else f"{len(held)} {_WORDS[kind]}s"
    else:
        what = "one thread"
    return f"{what[0].upper()}{what[1:]}: {direct:,} directly behind it, {total:,} in all"


_WORDS: dict[ResourceKind, str] = {
    "latch": "latch",
    "row_lock": "row lock",
    "table_lock": "table lock",
    "metadata_lock": "metadata lock",
    "commit": "commit queue",
    "fsync": "flush",
    "queue": "queue",
}


def _why(name: str, graph: Graph) -> str:
    """Why a root is one: how it holds, and what it does."""
    notes = [
        e.note
        for e in graph.touching.get(name, ())
        if e.target == name and e.kind == "held_by" and e.note
    ]
    if notes:
        return f"{notes[0][0].upper()}{notes[0][1:]}."
    resource = graph.resources.get(name)
    if resource is not None:
        return resource.detail if resource.inferred else "No layer names who holds it."
    return "It waits for nobody."


def headline_of(graph: Graph, counts: Counts, waiters: int) -> str:
    """'Trx 26478 · session 390 (idle in transaction 26 s) blocks 300 threads through 1 level'."""
    if not waiters:
        return "Nobody waits at this moment."
    top = counts.roots[0] if counts.roots else None
    if top is None:
        return f"{waiters} threads wait in a circle: a deadlock."
    node = node_doc(top, graph, counts)
    depth = max(1, max(counts.levels.values(), default=1))
    longest = max((e.waited_s or 0.0 for e in graph.edges if e.kind == "waits_for"), default=0.0)
    threads = "1 thread" if node.blocks_total == 1 else f"{node.blocks_total} threads"
    name = f"{node.label[0].upper()}{node.label[1:]}"
    detail = f" ({node.detail})" if node.detail and top in graph.actors else ""
    behind = f"blocks {threads}" if top in graph.actors else f"has {threads} behind it"
    level = "1 level" if depth == 1 else f"{depth} levels"
    waited = f", for up to {longest:.0f} s" if longest >= 1 else ""
    inferred = " (inferred)" if node.inferred else ""
    others = len(counts.roots) - 1
    more = f"; {others} more root{'s' if others > 1 else ''}" if others > 0 else ""
    return f"{name}{detail} {behind} through {level}{waited}{inferred}{more}."


def flush_of(name: str, graph: Graph) -> str:
    """The flush that a root is in, when nothing else waits for it.

    Who is in the flush changes with every commit; the flush stays.
    """
    held = [e.source for e in graph.touching.get(name, ()) if e.target == name]
    kinds = {graph.resources[one].kind for one in held if one in graph.resources}
    return held[0] if kinds == {"fsync"} and len(set(held)) == 1 else name


def lasting_key(name: str, graph: Graph) -> str:
    """What stays the same between snapshots: the transaction, the thread, the latch's origin."""
    actor = graph.actors.get(name)
    if actor is None:
        resource = graph.resources[name]
        return f"{resource.kind}:{resource.label}"
    if actor.session_id is not None:
        return f"session:{actor.session_id}"
    return actor.id


def _blocker_kind(node: WaitNode) -> str:
    if node.kind != "thread":
        return "latch" if node.kind == "latch" else node.kind
    if node.trx_id is not None:
        return "transaction"
    return "session" if node.session_id is not None else "thread"


def _weight(best: tuple[WaitNode, WaitMoment, _Root], times: int) -> float:
    """A root that lasts counts more than one that was there once; one that is known, more too."""
    node, _, root = best
    return node.blocks_total * times * (_UNHELD if root.unheld else 1.0)


def spread(found: Sequence[WaitMoment]) -> list[WaitMoment]:
    """At most BLOCKER_MOMENTS moments with waiters, evenly spread, the worst among them."""
    some = [m for m in found if m.waiting > 0]
    if len(some) <= BLOCKER_MOMENTS:
        return some
    step = len(some) / BLOCKER_MOMENTS
    chosen = {int(i * step) for i in range(BLOCKER_MOMENTS)}
    chosen.add(max(range(len(some)), key=lambda i: some[i].waiting))
    return [some[i] for i in sorted(chosen)]


def lasting_s(chosen: Sequence[WaitMoment]) -> dict[int, float]:
    """Seconds that each moment stands for: half the way to its neighbours of the same host."""
    found: dict[int, float] = {id(one): 0.0 for one in chosen}
    by_host: defaultdict[str | None, list[WaitMoment]] = defaultdict(list)
    for one in chosen:
        if one.time is not None:
            by_host[one.host].append(one)
    for some in by_host.values():
        for before, after in itertools.pairwise(some):
            assert before.time is not None
            assert after.time is not None
            half = min((after.time - before.time) / 2e6, _LASTS_AT_MOST_S)
            found[id(before)] += half
            found[id(after)] += half
    return found


def _inside(moment: WaitMoment, span: Span) -> bool:
    return moment.time is not None and span.start <= moment.time <= span.end


# ---- moments per layer


def _dumps(evidence: Evidence) -> list[WaitMoment]:
    frame = evidence.frame("snapshot")
    if frame is None:
        return []
    dumps = frame.filter(pl.col("kind") == "innodb_status").select(
        "artifact", "snapshot", "time", "host"
    )
    keys = ["artifact", "snapshot"]
    for kind, count_as, longest in (
        ("semaphore_wait", "waiters", "waited_s"),
        ("transaction", "lock_waits", "wait_s"),
    ):
        rows = evidence.frame(kind)
        if rows is None:
            dumps = dumps.with_columns(
                pl.lit(0).alias(count_as), pl.lit(None, dtype=pl.Float64).alias(f"{count_as}_s")
            )
            continue
        if kind == "transaction":
            rows = rows.filter(pl.col("lock_wait"))
        counted = rows.group_by(keys).agg(
            pl.len().alias(count_as), pl.col(longest).max().alias(f"{count_as}_s")
        )
        dumps = dumps.join(counted, on=keys, how="left").with_columns(pl.col(count_as).fill_null(0))
    return [
        WaitMoment(
            time=row["time"],
            artifact=row["artifact"],
            snapshot=row["snapshot"],
            kind="innodb_status",
            host=row["host"],
            waiters=row["waiters"],
            lock_waits=row["lock_waits"],
            max_waited_s=max(
                (s for s in (row["waiters_s"], row["lock_waits_s"]) if s is not None), default=None
            ),
        )
        for row in dumps.iter_rows(named=True)
    ]


def _processlists(evidence: Evidence) -> list[WaitMoment]:
    """Sessions whose state says that they wait for a lock, the commit or a cache."""
    frame = evidence.frame("session")
    if frame is None:
        return []
    pairs = frame.select("command", "state").unique()
    known = knowledge()
    waiting = [
        {"command": command, "state": state, "waits": True}
        for command, state in pairs.iter_rows()
        if ((meaning := known.state_for(command, state)) and meaning.category in _WAITING_STATES)
        or queues.by_state([state] if state else []) is not None
    ]
    table = pl.DataFrame(
        waiting, schema={"command": pl.String, "state": pl.String, "waits": pl.Boolean}
    )
    marked = frame.join(table, on=["command", "state"], how="left", nulls_equal=True)
    grouped = marked.group_by(
        "artifact", pl.col("snapshot").fill_null(0), "time", "host", maintain_order=True
    ).agg(
        pl.col("waits").fill_null(False).sum().alias("waiters"),
        pl.col("time_s").filter(pl.col("waits")).max().alias("longest"),
    )
    return [
        WaitMoment(
            time=row["time"],
            artifact=row["artifact"],
            snapshot=row["snapshot"],
            kind="processlist",
            host=row["host"],
            waiters=row["waiters"],
            lock_waits=0,
            max_waited_s=row["longest"],
        )
        for row in grouped.iter_rows(named=True)
    ]


_WAITING_STATES = frozenset({"waiting_lock", "waiting_commit", "waiting_table_cache"})
_WAITING_STACKS = frozenset({"latch_wait", "lock_wait", "page_wait", "commit_wait"})


def _stack_samples(evidence: Evidence) -> list[WaitMoment]:
    """Threads whose stack waits for a latch, a lock, a page or the commit."""
    frame = evidence.frame("stack")
    if frame is None:
        return []
    found: dict[tuple[str, int], WaitMoment] = {}
    columns = ["artifact", "snapshot", "time", "host", "count", "samples", "frames"]
    for sha, snapshot, time, host, threads, samples, frames in frame.select(columns).iter_rows():
        functions = [one["function"] for one in frames]
        meaning = knowledge().stack_for(functions)
        waits = (
            commit_queue.waits_by_stack(functions)
            or (meaning is not None and meaning.category in _WAITING_STACKS)
            or queues.by_stack(functions) is not None
            or latch_stacks.waits_for(functions) is not None
        )
        key = (sha, snapshot or 0)
        before = found.get(key)
        mine = threads // max(1, samples) if waits else 0
        found[key] = WaitMoment(
            time=time,
            artifact=sha,
            snapshot=key[1],
            kind="stacks",
            host=host,
            waiters=mine + (before.waiters if before else 0),
            lock_waits=0,
            max_waited_s=None,
        )
    return list(found.values())


_LOCK_TABLES = ("transactions", "lock_waits", "metadata_locks", "event_waits")


def _lock_tables(evidence: Evidence) -> list[WaitMoment]:
    """Samples of lock tables in which somebody waits: transactions, pairs, metadata locks."""
    dumps = evidence.frame("snapshot")
    if dumps is None:
        return []
    tables = dumps.filter(pl.col("kind").is_in(_LOCK_TABLES))
    layers = (
        ("transaction", pl.col("lock_wait"), ["trx_id"], pl.col("wait_s")),
        (
            "lock_wait",
            pl.col("waiters").is_null(),
            ["waiting_trx", "waiting_session", "waiting_ps_thread"],
            pl.col("waiting_s"),
        ),
        (
            "metadata_lock",
            pl.col("status") == "PENDING",
            ["ps_thread_id", "session_id"],
            pl.lit(None, dtype=pl.Float64),
        ),
        (
            "event_wait",
            pl.col("ongoing").fill_null(True) & pl.col("event").str.contains(instruments.WAITS),
            ["ps_thread_id", "session_id"],
            pl.col("waited_s"),
        ),
    )
    found = []
    keys = ["artifact", "snapshot"]
    for kind, waits, who, longest in layers:
        rows = evidence.frame(kind)
        if rows is None:
            continue
        counted = (
            rows.filter(waits)
            .group_by(keys)
            .agg(pl.struct(who).n_unique().alias("waiting"), longest.max().alias("longest"))
        )
        found += [
            WaitMoment(
                time=row["time"],
                artifact=row["artifact"],
                snapshot=row["snapshot"],
                kind=row["kind"],
                host=row["host"],
                waiters=0,
                lock_waits=row["waiting"],
                max_waited_s=row["longest"],
            )
            for row in tables.join(counted, on=keys, how="inner").iter_rows(named=True)
        ]
    return found


# ---- hot places


def semaphores(evidence: Evidence, span: Span | None) -> pl.DataFrame | None:
    """Semaphore waits of the stall (all of them without one), with their latch."""
    frame = evidence.frame("semaphore_wait")
    if frame is None:
        return None
    if span is not None:
        inside = frame.filter(span.holds())
        if inside.is_empty():
            return None
        frame = inside
    columns = ["created_file", "created_line", "latch_name", "mode"]
    known = knowledge()
    rows = []
    for file, line, name, mode in frame.select(columns).unique().iter_rows():
        latch = known.latch_for(file, line, name, mode)
        label = name or (f"created {file}:{line}" if file else "unnamed")
        rows.append((file, line, name, mode, latch.id if latch else None, label))
    schema = {
        "created_file": pl.String,
        "created_line": pl.Int64,
        "latch_name": pl.String,
        "mode": pl.String,
        "latch": pl.String,
        "label": pl.String,
    }
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.join(table, on=columns, how="left", nulls_equal=True).with_columns(
        pl.col("mode").str.replace(" wait_ex", "", literal=True)
    )


def _ranked(frame: pl.DataFrame, keys: list[str]) -> list[Row]:
    """Groups of waits with their worst snapshot, the most waits first."""
    moment = ["artifact", "snapshot"]
    per_moment = (
        frame.group_by([*keys, *moment], maintain_order=True)
        .agg(
            pl.len().alias("at_once"),
            pl.col("time").first(),
            pl.col("line_first").min(),
            pl.col("line_last").max(),
        )
        .sort("at_once", "time", descending=[True, False], nulls_last=True, maintain_order=True)
        .group_by(keys, maintain_order=True)
        .agg(
            pl.col("at_once").first().alias("most"),
            pl.col("time").first().alias("most_at"),
            pl.col("artifact").first(),
            pl.col("line_first").first(),
            pl.col("line_last").first(),
        )
    )
    position = pl.concat_str("file", pl.lit(":"), "line", pl.lit(" "), "mode")
    places = (
        frame.group_by([*keys, position.alias("position")], maintain_order=True)
        .len()
        .sort("len", "position", descending=[True, False])
        .group_by(keys, maintain_order=True)
        .agg(pl.col("position").head(12).alias("positions"))
    )
    grouped = frame.group_by(keys).agg(
        pl.len().alias("waits"),
        pl.col("waited_s").max().alias("longest"),
        pl.col("latch").first(),
        pl.col("latch_address").n_unique().alias("addresses"),
        pl.col("latch_address").mode().sort().first().alias("top_address"),
    )
    joined = grouped.join(per_moment, on=keys, how="inner", nulls_equal=True)
    joined = joined.join(places, on=keys, how="inner", nulls_equal=True)
    return joined.sort("waits", *keys, descending=[True, *(False for _ in keys)]).to_dicts()


def _example(evidence: Evidence, row: Row, text: str) -> Locator:
    return Locator(
        kind="lines",
        artifact=row["artifact"],
        path=evidence.path(row["artifact"]),
        line_first=row["line_first"],
        line_last=row["line_last"],
        text=text,
    )


def _site(row: Row, server: Server) -> Site | None:
    return site(
        row["file"],
        row["line"],
        family=server.family,
        numbers=server.numbers,
        mode=row["mode"],
    )


def _latch(latch_id: str | None, field: str) -> str | None:
    latch = knowledge().latches.get(latch_id) if latch_id else None
    return getattr(latch, field) if latch else None
