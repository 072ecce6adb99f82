"""The wait graph at one moment as the screens show it, and the hottest wait positions and latches.

Waits are ranked both by source position and by latch: threads at several positions may all wait for
one latch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import polars as pl

from pileup.analysis.contract import (
    HotLatchDoc,
    HotWaitDoc,
    Locator,
    WaitGraph,
    WaitNode,
    WaitRoot,
)
from pileup.analysis.evidence import servers
from pileup.analysis.evidence.actors import Row
from pileup.analysis.evidence.context import Server, Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.line_ranges import line_ranges
from pileup.analysis.evidence.scene import scene
from pileup.analysis.evidence.times import iso
from pileup.analysis.waits.by_latches import known_latch
from pileup.analysis.waits.counts import Counts, count
from pileup.analysis.waits.draft import Graph, ResourceKind
from pileup.analysis.waits.graph import build
from pileup.analysis.waits.group_roles import lasting_label
from pileup.analysis.waits.headline import at_least, headline
from pileup.analysis.waits.moments import worst
from pileup.analysis.waits.node_documents import edge_doc, resource_node, thread_node
from pileup.analysis.waits.view import WholeGraph, shown
from pileup.knowledge import knowledge
from pileup.knowledge.source_sites import Site, site
from pileup.numerals import grouped

MOST = 50
_MOST_PLACES = 6
_STATEMENT = 200
"""Letters of a statement by which a session without an id is the same in all moments."""


def wait_graph(
    evidence: Evidence,
    at_us: int | None,
    *,
    fold: bool | None = None,
    opened: frozenset[str] = frozenset(),
    find: str = "",
) -> WaitGraph:
    """Build the graph at the snapshot nearest to an instant, reduced to what a screen shows.

    at_us: UTC µs; None: the worst moment. fold, opened, find: see ``view.shown``.
    """
    return shown(whole_graph(evidence, at_us), folded=fold, opened=opened, find=find)


def whole_graph(evidence: Evidence, at_us: int | None) -> WholeGraph:
    """Build the whole graph at the snapshot nearest to ``at_us`` (UTC µs; None: the worst)."""
    host = None
    if at_us is None:
        moment = worst(evidence)
        at_us = moment.time if moment else None
        host = moment.host if moment else None
    moment_scene = scene(evidence, at_us, host)
    server = servers.server(evidence, servers.effective_settings(evidence))
    graph = build(evidence, moment_scene, server)
    counts = count_graph(graph)
    waiters = len(graph.counted)
    return WholeGraph(
        graph=graph,
        counts=counts,
        at=iso(moment_scene.at),
        snapshots=moment_scene.locators,
        headline=build_headline(graph, counts, waiters, counts.roots),
        waiters=waiters,
        nodes=[node_doc(name, graph, counts) for name in (*graph.resources, *graph.actors)],
        edges=[edge_doc(e) for e in graph.edges],
        raw=graph.edges,
        roots=roots_doc(graph, counts, counts.roots),
        notes=graph.notes,
        scene=moment_scene,
    )


def hot_waits(
    evidence: Evidence, span: Span | None, server: Server | None = None
) -> list[HotWaitDoc]:
    """Rank semaphore waits by source position and mode; empty without semaphore waits."""
    frame = semaphores(evidence, span, server)
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
            function=source_site.function if source_site else None,
            source=source_site.says if source_site else "",
        )
        for row in rows[:MOST]
        for source_site in (_site(row, server or Server()),)
    ]


def hot_latches(
    evidence: Evidence, span: Span | None, server: Server | None = None
) -> list[HotLatchDoc]:
    """Rank semaphore waits by latch, across positions; empty without semaphore waits."""
    frame = semaphores(evidence, span, server)
    if frame is None:
        return []
    rows = _ranked(frame, ["label", "latch"])  # unnamed ones may be of several latches
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


def roots_doc(graph: Graph, counts: Counts, names: Sequence[str]) -> list[WaitRoot]:
    """Describe these nodes as root blockers."""
    return [
        WaitRoot(
            node=name,
            label=node_doc(name, graph, counts).label,
            blocks_direct=counts.direct[name],
            blocks_total=counts.total[name],
            why=why_root(name, graph),
            inferred=_is_inferred(name, graph),
            confidence=confidence(name, graph),
            amplification=amplification(name, graph, counts),
            longest_s=at_least(name, graph),
        )
        for name in names[:MOST]
    ]


def count_graph(graph: Graph) -> Counts:
    return count(
        [*graph.resources, *graph.actors],
        [(e.source, e.target) for e in graph.edges],
        graph.waiting(),
        graph.counted,
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
        locators=_once(locators)[:_MOST_PLACES],
    )


def _once(locators: Iterable[Locator]) -> list[Locator]:
    """Return each place of a file once: what two edges cite is one place."""
    places: dict[tuple[object, ...], Locator] = {}
    for each in locators:
        place = (each.kind, each.artifact, each.line_first, each.line_last, each.at, each.series)
        places.setdefault(place, each)
    return list(places.values())


def _is_inferred(name: str, graph: Graph) -> bool:
    holds = [e for e in graph.touching.get(name, ()) if e.target == name and e.kind == "held_by"]
    return bool(holds) and all(e.inferred for e in holds)


def confidence(name: str, graph: Graph) -> float:
    """Return the confidence that others wait for this node: that of its surest edge."""
    edges = [e for e in graph.touching.get(name, ()) if e.target == name]
    return max((e.confidence for e in edges), default=1.0)


def amplification(name: str, graph: Graph, counts: Counts) -> str:
    """Explain why few direct waits block many: 'One latch: 222 directly behind it, 948 in all'."""
    direct, total = counts.direct[name], counts.total[name]
    if total <= direct:
        return ""
    held = [e.source for e in graph.touching.get(name, ()) if e.target == name]
    kinds = {graph.resources[name].kind for name in held if name in graph.resources}
    if name in graph.resources:
        what = f"one {_WORDS[graph.resources[name].kind]}"
    elif len(kinds) == 1:
        (kind,) = kinds
        what = f"one {_WORDS[kind]}" if len(held) == 1 else f"{len(held)} {_WORDS[kind]}s"
    else:
        what = "one thread"
    behind = f"{grouped(direct)} directly behind it, {grouped(total)} in all"
    return f"{what[0].upper()}{what[1:]}: {behind}"


_WORDS: dict[ResourceKind, str] = {
    "latch": "latch",
    "row_lock": "row lock",
    "table_lock": "table lock",
    "metadata_lock": "metadata lock",
    "commit": "commit queue",
    "fsync": "flush",
    "queue": "queue",
}


def why_root(name: str, graph: Graph) -> str:
    """Explain why a node is a root: how it holds its resource, or what is known of it."""
    notes = [
        e.note
        for e in graph.touching.get(name, ())
        if e.target == name and e.kind == "held_by" and e.note
    ]
    if notes:
        return f"{notes[0][0].upper()}{notes[0][1:]}."
    resource = graph.resources.get(name)
    if resource is not None:
        return resource.detail if resource.inferred else "Holder unknown."
    return "Not blocked itself."


def build_headline(graph: Graph, counts: Counts, waiters: int, roots: Sequence[str]) -> str:
    """Write the headline of a graph. roots: node ids of its root blockers, the first one first."""
    top = node_doc(roots[0], graph, counts) if roots else None
    return headline(graph, counts, waiters, top, len(roots) - 1)


def lasting_key(name: str, graph: Graph) -> str:
    """Return the key of a node that stays the same between snapshots: session or origin."""
    actor = graph.actors.get(name)
    if actor is None:
        resource = graph.resources[name]
        return f"{resource.kind}:{lasting_label(resource.label)}"
    if actor.session_id is not None:
        return f"session:{actor.session_id}"
    if (row := actor.session) is not None and actor.trx is None:
        return f"listed:{row['user']}:{row['client_host']}:{(row['query'] or '')[:_STATEMENT]}"
    return actor.id


# ---- hot positions


def semaphores(
    evidence: Evidence, span: Span | None, server: Server | None = None
) -> pl.DataFrame | None:
    """Return the semaphore waits in ``span`` (None: all) with columns latch and label.

    server: wrote the dumps; None: as the evidence shows.
    """
    frame = evidence.frame("semaphore_wait")
    if frame is None:
        return None
    if span is not None:
        inside = frame.filter(span.holds())
        if inside.is_empty():
            return None
        frame = inside
    server = server or servers.server(evidence, servers.effective_settings(evidence))
    columns = ["created_file", "created_line", "latch_name", "mode", "file", "line"]
    rows = []
    for row in frame.select(columns).unique().iter_rows(named=True):
        latch = known_latch(row, server)
        file, name = row["created_file"], row["latch_name"]
        label = name or (f"created {file}:{row['created_line']}" if file else _UNNAMED)
        rows.append((*row.values(), latch.id if latch else None, label))
    schema = {name: frame.schema[name] for name in columns}
    table = pl.DataFrame(
        rows, schema=schema | {"latch": pl.String, "label": pl.String}, orient="row"
    )
    # Waits for a latch created at one place are waits for the same latch: they decide together.
    same = pl.col("latch").drop_nulls().n_unique().over("label") == 1
    agreed = pl.col("latch").drop_nulls().first().over("label")
    table = table.with_columns(
        pl.when(pl.col("label") == _UNNAMED)
        .then("latch")
        .otherwise(pl.when(same).then(agreed))
        .alias("latch")
    )
    return frame.join(table, on=columns, how="left", nulls_equal=True).with_columns(
        pl.col("mode").str.replace(" wait_ex", "", literal=True)
    )


_UNNAMED = "unnamed"


def _ranked(frame: pl.DataFrame, keys: list[str]) -> list[Row]:
    """Group waits by ``keys`` with their worst snapshot, most waits first."""
    moment = ["artifact", "snapshot"]
    per_moment = (
        frame.group_by([*keys, *moment], maintain_order=True)
        .agg(
            pl.len().alias("at_once"),
            pl.col("time").first(),
            pl.col("line_first").min(),
            pl.col("line_last").max(),
            pl.concat_list("line_first", "line_last").alias("parts"),
        )
        .sort("at_once", "time", descending=[True, False], nulls_last=True, maintain_order=True)
        .group_by(keys, maintain_order=True)
        .agg(
            pl.col("at_once").first().alias("most"),
            pl.col("time").first().alias("most_at"),
            pl.col("artifact").first(),
            pl.col("line_first").first(),
            pl.col("line_last").first(),
            pl.col("parts").first(),
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
        *(() if "latch" in keys else (pl.col("latch").first(),)),
        pl.col("latch_address").drop_nulls().n_unique().alias("addresses"),
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
        ranges=line_ranges(row["parts"]),
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
