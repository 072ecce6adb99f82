"""Waits and blocked time: direct calls with rivals in the wrong order, and a tie."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any
from unittest import mock

import polars as pl

from pileup.analysis.blocked_time import active_sessions, blame, classes, moment_roots, roots
from pileup.analysis.contract import WaitNode
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.waits import (
    by_commits,
    by_locks,
    counts,
    draft,
    fold,
    groups,
    headline,
    inspect_node,
    lock_holders,
    moment_graph,
    moments,
    node_documents,
    one_population,
    over_time,
    view,
)
from pileup.analysis.waits.draft import Edge, Resource
from pileup.analysis.waits.moments import WaitMoment
from pileup.records import Transaction
from tests.analysis.frames import T0, S, evidence, gauge
from tests.analysis.turning.tools import always, given, instead

# ---- blocked time ------------------------------------------------------------------------------


def _series(*rows: tuple[str, list[float]]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"id": name, "series": name, "host": host, "time": T0 + n * S, "value": value}
            for name, values in rows
            for host in (name[-1],)
            for n, value in enumerate(values)
        ]
    )


def hosts_that_count() -> object:
    values = _series(("x.c", [1.0]), ("x.a", [1.0]), ("x.b", [1.0]))
    with instead(active_sessions, _counting=always(["x.a", "x.b", "x.c"])):
        return active_sessions.hosts_of(values)


def densest_count() -> object:
    """The highest, of equals one that is no list of ours, then by name; in the order of time."""
    listed_ = active_sessions._LISTED
    values = pl.concat(
        [
            _series(("few", [3.0])), _series((listed_, [9.0])),
            _series(("tie_b", [9.0, 1.0])).reverse(), _series(("tie_a", [2.0, 9.0])).reverse(),
        ]
    )  # fmt: skip
    found = active_sessions._densest(values, ["few", "tie_a", "tie_b", listed_], None, None)
    return found and (found.source, found.values)


def _mix(time: int | None, **sessions: float) -> Any:
    return active_sessions.Mix(time, sessions, complete=True)


def level_of_moments() -> object:
    """The mixes come in no order; the peak is the first of the highest."""
    mixes = [_mix(T0 + at * S, io=value) for at, value in ((9, 9.0), (1, 2.0), (5, 9.0))]
    doc = active_sessions.active_sessions(None, mixes, "x")
    return doc and (doc.times, doc.level, doc.peak_at)


def fullest_moment() -> object:
    mixes = [_mix(None, io=1.0), _mix(None, io=9.0), _mix(None, io=5.0)]
    doc = active_sessions._of_one_moment(mixes, "x")
    return doc and doc.peak


def moments_far_from_all() -> object:
    near = active_sessions._MIX_NEAR_US
    mixes = [_mix(T0 + n * 9 * near) for n in (9, 1, 5)]
    others = [_mix(T0 + n * 9 * near) for n in (1, 3, 5, 9)]
    found = active_sessions.far_from(mixes, others)
    return [((mix.time or 0) - T0) // (9 * near) for mix in found]


def nearest_time() -> object:
    times = [T0, T0 + 9, T0 + 30]
    return [active_sessions._nearest(times, T0 + at) for at in (1, 8, 10, 29)]


def way_of_most_time() -> object:
    """Of equals the last by name."""
    names = ["root", "few", "tie", "even", "first"]
    into: list[dict[str, float]] = [
        {"few": 1.0, "tie": 3.0, "even": 3.0}, {}, {"first": 3.0}, {}, {}
    ]  # fmt: skip
    flowing: Any = given(population=given(members={}))
    of = {name: at for at, name in enumerate(names)}
    return blame._path(flowing, of, into, given(names=["root"], sessions=1.0))


def surest_wait() -> object:
    edges = [
        given(source="a", kind="waits_for", target=name, confidence=sure)
        for name, sure in (("weak", 0.4), ("even", 0.9), ("sure", 0.9))
    ]
    graph: Any = given(touching={"a": edges}, resources={n: n for n in ("weak", "even", "sure")})
    with instead(classes, of_resource=lambda resource: resource):
        return classes.of_waiter("a", graph)


def roots_of_a_moment() -> object:
    """As in the table of the stall; then by time, by who waits behind them, by name."""
    ended = {"z": 5.0, "b": 3.0, "c": 5.0, "a": 3.0, "listed": 3.0, "more": 3.0, "minor": 0.1}
    total = {"z": 1, "c": 1, "b": 1, "a": 1, "listed": 0, "more": 9, "minor": 0}
    table: Any = [given(key=name, known=False, why="", label="") for name in ("minor", "listed")]
    whole: Any = given(
        graph=None, counts=given(roots=[], total=total), scene=given(), notes=[], waiters=0,
        nodes=[],
    )  # fmt: skip
    with (
        instead(
            moment_roots,
            _ended=always((ended, {})),
            flow=always(None),
            population=always(None),
            key_of=lambda name, _: name,
            replace=lambda _, **changes: changes["roots"],
        ),
        instead(
            moment_roots.moment_graph,
            roots_doc=lambda _, __, names: [given(node=name) for name in names],
            build_headline=always(""),
        ),
    ):
        return [doc.node for doc in moment_roots.with_roots(whole, table)]  # type: ignore[attr-defined]


def table_of_roots() -> object:
    """Most seconds first; then what is known, then by key."""
    rows = {"few": 0.2, "tie_b": 0.5, "most": 0.9, "tie_a": 0.5, "known": 0.5}
    found = roots.Roots(given(), 50.0, weights=[1.0])
    settled = {name: ({0: share}, False) for name, share in rows.items()}
    document = lambda _, key, __, share, *___, **____: given(  # noqa: E731
        share=share, known=key == "known", key=key
    )
    with instead(roots.Roots, _settled=always(settled), _document=document):
        return [root.key for root in found.documents(9.0)]


def heir() -> object:
    """Who holds it in most moments, then for most time, then by name."""
    holders = {
        "once": {0: 9.0}, "often": {0: 0.1, 1: 0.1}, "more": {0: 0.2, 1: 0.1},
        "tie": {0: 0.1, 1: 0.2},
    }  # fmt: skip
    return roots.Roots(given(), 50.0)._heir("row_lock:x", holders, {1: 1.0})


def handed_on() -> object:
    """Moments that were measured in another order: nobody waits in two of them in a row."""
    found = roots.Roots(given(), 50.0, times=[T0 + at * S for at in range(5)])
    found.queues["row"] = {at: {"even" if at % 2 else "odd": 1.0} for at in (0, 2, 4, 1, 3)}
    return found._is_handed_on("row", {})


def usual_reason() -> object:
    """What is said most often, of equals the last by its words."""
    found = roots.Roots(given(), 50.0)
    seen: Any = given(cycle=False)
    ending = roots._BY_STACK
    found.reasons["k"] = {f"Few{ending}": 1, f"Tie{ending}": 3, f"Most{ending}": 3}
    found.reasons["two"] = {f"Most{ending}": 3, f"Tie{ending}": 3}
    node: Any = given(kind="latch")
    with instead(roots, _holder_of=always("holder")):
        by_stack = found._by_stack("two", node)
    return found._why(seen, given(why=""), "k", rotates=True), by_stack


def usual_class() -> object:
    found = roots.Roots(given(), 50.0)
    for name, share in (("commit", 0.4), ("cpu", 0.4)):
        found.through["gate"][name] = {0: share}
        found.ends[name].member = given(time_class=name)
    node: Any = given(kind="latch")
    with instead(roots, _holder_of=always("holder"), _class_title=lambda name: name):
        return found._by_class("gate", node)


def circle_of_any_order() -> object:
    graph: Any = given()
    with instead(roots, key_of=lambda name, _: name):
        return roots._cycle_key(["c", "a", "b", "a"], graph)


# ---- who holds what ----------------------------------------------------------------------------


def _session(number: int, seconds: float, query: str | None, command: str = "Query") -> Any:
    row = {"command": command, "query": query, "time_s": seconds, "user": "app", "db": "shop"}
    return Actor(f"session:{number}", session_id=number, session=row)


def longest_reply() -> object:
    replies = next(iter(by_commits._REPLIES))
    edges = [
        Edge(f"a{n}", replies, "waits_for", waited_s=waited)
        for n, waited in enumerate((3.0, 90.0, None, 5.0))
    ]
    made: Any = mock.MagicMock(edges=edges)
    made.resources = {"commit": given(id="commit"), replies: given(label="the reply")}
    made.scene.actors = {
        f"a{n}": given(id=f"a{n}", session=None, trx=None, stack=None) for n in range(4)
    }
    by_commits.behind_a_reply(made)
    return made.hold.call_args.args[1].id


def largest_row() -> object:
    """Waiters with the same holders wait for one row; the largest keeps the name of the table."""
    waiters = {f"w{n}": (given(id=f"w{n}"), {}) for n in range(6)}
    held = {"w0": {"a"}, "w1": {"b"}, "w2": {"b"}, "w3": {"c"}, "w4": {"c"}, "w5": {"a", "c"}}
    made: Any = given(resources={"t": Resource("t", "row_lock", "t")})
    with instead(
        by_locks,
        _holders=always({name: frozenset(each) for name, each in held.items()}),
        _lock_resource=always(made.resources["t"]),
    ):
        return by_locks._split_by_holders(made, waiters, [])


def holders_of_rows() -> object:
    """Who only waits earlier in the queue is none."""
    blockers = {"w1": ("h",), "w3": ("h", "w1", "w2"), "w2": ("h", "w1")}
    pairs: Any = [
        ({}, given(id=name), given(id=each))
        for name in ("w3", "w2", "w1")
        for each in blockers[name]
    ]
    found = by_locks._holders(pairs)
    return {name: sorted(each) for name, each in sorted(found.items())}


def table_that_most_name() -> object:
    actor = _session(1, 1.0, "SELECT 1 FROM c, a, b, d")
    return by_locks._object(actor, Counter({"b": 3, "a": 3, "d": 1}))


def first_exclusive_request() -> object:
    """Who waits longest, of equals the last by its id."""
    alters = [
        _session(n, took, "ALTER TABLE t ADD x INT") for n, took in ((1, 5.0), (3, 20.0), (2, 20.0))
    ]
    read = _session(4, 1.0, "SELECT 1 FROM t")
    lock = Resource("lock", "metadata_lock", "lock")
    made: Any = mock.MagicMock(edges=[], resources={}, notes={})
    by_locks._behind_exclusive_request(made, lock, [*alters, read])
    return made.hold.call_args.args[1].id


def likeliest_holder() -> object:
    actors = [
        Actor(
            f"trx:{n}",
            trx={"trx_id": f"{n}", "wait_s": None, "row_locks": 1, "state": "ACTIVE",
                 "active_s": 90.0, "lock_wait": False},
        )
        for n in (1, 3, 2)
    ]  # fmt: skip
    made: Any = mock.MagicMock()
    made.scene.actors = {actor.id: actor for actor in actors}
    likely = {"trx:1": 1, "trx:3": 9, "trx:2": 5}
    with instead(
        by_locks, _likely_holder=lambda actor: likely[actor.id], _why_holder=always(""),
        _row_holder=always(0.5),
    ):  # fmt: skip
        by_locks._infer_holder_by_age(made, given(label="x"), [])  # type: ignore[arg-type]
    return made.hold.call_args.args[1].id


def tables_in_common() -> object:
    reads = [_session(1, 50.0, "SELECT 1 FROM c, a, b")]
    found = lock_holders.guess_table_holder(frozenset({"a", "b", "c"}), reads, 9.0, set())
    return found and found.why


def oldest_candidate() -> object:
    actors = [
        _session(n, took, "SELECT 1") for n, took in ((1, 5.0), (3, 90.0), (2, 90.0), (4, 9.0))
    ]
    return lock_holders._choose_oldest(actors, "", 0.9).actor.id


def idle_for_hardly_longer() -> object:
    actors = [_session(n, took, None, "Sleep") for n, took in ((1, 90.0), (3, 60.0), (2, 60.0))]
    found = lock_holders._idle(actors, 55.0)
    return found and found.actor.id


# ---- graphs ------------------------------------------------------------------------------------


def roots_of_a_graph() -> object:
    edges = [("w1", "few"), *((f"m{n}", "many") for n in range(3))]
    edges += [(f"{twin}{n}", twin) for twin in ("tb", "ta") for n in range(2)]
    names = ["few", "tb", "many", "ta", *(source for source, _ in edges)]
    return counts.count(names, edges, {source for source, _ in edges}).roots


def lines_of_a_dump() -> object:
    samples = gauge("innodb.x", [3.0, 1.0, 2.0])
    frame = evidence({"a": [samples]}).frame("sample")
    assert frame is not None
    made: Any = given(
        scene=given(dump={"artifact": frame["artifact"][0], "line_first": 1, "line_last": 9}),
        evidence=given(frame=always(frame.reverse())),
    )
    found = draft.Draft.dump_samples(made, ["innodb.x"])
    return found is not None and found["line_first"].to_list()


def _node(name: str, **more: Any) -> WaitNode:
    usual: dict[str, Any] = {"kind": "thread", "label": name, "depth": 1}
    return WaitNode(id=name, **usual | more)


def longest_of_a_group() -> object:
    members = [_node(f"n{n}", waited_s=waited) for n, waited in enumerate((3.0, 90.0, 5.0))]
    with instead(fold, place_of=always(""), _lasting=always("")):
        return fold._group("group:x", members, (0, 0), {}).waited_s


def usual_labels() -> object:
    labels = ("few", "most", "some", "most", "most", "some")
    nodes = [_node(f"r{n}", kind="row_lock", label=label) for n, label in enumerate(labels)]
    return fold._resources(nodes)


def _shape(*nodes: WaitNode, edges: tuple[tuple[str, str], ...] = ()) -> Any:
    return groups._Shape(list(nodes), [Edge(a, b, "waits_for") for a, b in edges])


def longest_paths() -> object:
    nodes = [_node("root", depth=0), _node("middle", depth=1), _node("deep", depth=2)]
    return _shape(*nodes, edges=(("middle", "root"), ("deep", "middle"))).levels


def most_outstanding() -> object:
    """Whoever blocks far more than is usual stays out of a group."""
    blocks = (2, 90, 2, 40, 2, 2)
    nodes = [_node(f"n{n}", blocks_total=most) for n, most in enumerate(blocks)]
    root = _node("root", depth=0)
    shape = _shape(root, *nodes, edges=tuple((node.id, "root") for node in nodes))
    shape.behind = {node.id for node in nodes}
    grain: Any = given(exact=True, by_parent=False, blockers=2)
    return [node.id for node in groups._folded(nodes, shape, grain, {})]


def statements_of_a_group() -> object:
    """The shape of most statements keeps the place; of equals the first by its text."""
    texts = ["few"] * 3 + ["tie_b"] * 4 + ["most"] * 5 + ["tie_a"] * 4
    nodes = [_node(f"n{n}", shape=text) for n, text in enumerate(texts)]
    shape: Any = given(behind=set())
    grain: Any = given(exact=True)
    found = groups._by_statement(nodes, shape, grain)
    return [(bool(suffix), members[0].shape) for suffix, members in found]


def largest_circle() -> object:
    cycles = [("a",), ("b",), ("c",)]
    sizes = {"a": 3, "b": 9, "c": 5}
    known: Any = given(cycles=cycles)
    graph: Any = given()
    with instead(
        headline, _circle=lambda each, *_: (sizes[each[0]], f"circle {each[0]}"),
        deadlocks=always(cycles),
    ):  # fmt: skip
        return headline.headline(graph, known, 9, None, 0)


def members_of_a_group() -> object:
    """By whom they block, then by how long they wait, then by id."""
    rows = (("d", 1, 9.0), ("c", 5, 1.0), ("b", 1, 9.0), ("a", 5, 3.0), ("e", 1, None))
    nodes = [_node(name, blocks_total=blocks, waited_s=waited) for name, blocks, waited in rows]
    whole: Any = given(
        graph=given(actors={}), nodes=nodes, groups={name: "group:x" for name, _, _ in rows}
    )
    with instead(inspect_node, _latch=always(None), _latch_id=always(None)):
        found = inspect_node.describe_node(whole, "group:x")
    return found and [member.id for member in found.members]


def _moment(name: str, time: int | None, waiters: int = 0, kind: str = "processlist") -> WaitMoment:
    return WaitMoment(
        None if time is None else T0 + time * S, name, len(name), kind, None, waiters, 0, None
    )


def moments_in_time() -> object:
    rows = [
        _moment("c", 9), _moment("d", None), _moment("b", 5), _moment("a", 5),
        replace(_moment("b", 5), snapshot=0),
    ]  # fmt: skip
    with instead(
        moments, _dumps=always(rows), _processlists=always([]), _stack_samples=always([]),
        _lock_tables=always([]),
    ):  # fmt: skip
        return [(each.artifact, each.snapshot) for each in moments.moments(evidence({}))]


def worst_moment() -> object:
    """Of equals a status dump, then the earliest."""
    rows = [
        _moment("few", 1, 3), _moment("list", 1, 9), _moment("late", 9, 9, "innodb_status"),
        _moment("dump", 5, 9, "innodb_status"),
    ]  # fmt: skip
    found = moments.worst_of(rows)
    return found and found.artifact


def moments_of_most() -> object:
    rows = [
        _moment("s", 1, 1, "stacks"), *(_moment("l", n, 1) for n in range(3)),
        *(_moment("d", n, 0, "innodb_status") for n in range(9)),
    ]  # fmt: skip
    with instead(moments, _waiting=always(0), _choose_spread=lambda unit, *_: unit):
        return moments.choose_moments(rows, None, None)


def evenly_of_most() -> object:
    rows = [
        *(_moment("d", n, 0, "innodb_status") for n in range(2)),
        *(_moment("s", n, 0, "stacks") for n in range(9)),
        _moment("x", 1, 0, "lock_waits"),
    ]
    with instead(
        moments, choose_moments=always(given(scope="with waiters", unit="x")),
        _choose_spread=lambda unit, *_: unit,
    ):  # fmt: skip
        return moments.choose_evenly(rows, None, None)


def spread_with_the_worst() -> object:
    rows = [_moment(f"{n}", n, 9 if n == 13 else n % 3) for n in range(20)]
    return [each.artifact for each in moments.spread(rows, 4)]


def tables_of_a_statement() -> object:
    return node_documents._table(_session(1, 1.0, "SELECT 1 FROM c, a, b"))


def those_that_count() -> object:
    """Who is known best, of equals the first by name."""
    known = {"d": 2, "c": 1, "b": 0, "a": 1}
    actors: Any = {name: given(name=name) for name in known}
    with instead(
        one_population, is_background=always(False), _most=always(2),
        _known=lambda actor: known[actor.name],
    ):  # fmt: skip
        return sorted(one_population.counted(actors, frozenset(known)))


def _transactions() -> Any:
    rows = [
        (10.0, "b", 90, 1), (40.0, "c", 90, 2), (20.0, "d", 50, 3), (20.0, "a", 50, 4),
        (20.0, "d", 50, 5),
    ]  # fmt: skip
    return evidence(
        {
            name: [
                Transaction(
                    trx_id=trx, state=f"ACTIVE {line}", active_s=age, snapshot=line,
                    line_first=line, line_last=line, wall_us=T0 + at * S, clock="utc",
                )
                for age, trx, at, line in rows
            ]
            for name in ("y", "x")
        }
    )  # fmt: skip


def longest_transactions() -> object:
    with mock.patch.object(over_time, "_MOST_SPANS", 3):
        spans = over_time.transaction_spans(_transactions())
    return [(span.trx_id, span.state, span.artifact[0]) for span in spans]


def rows_of_heat() -> object:
    """Most waits first, then by label, then by host; what others have comes last."""
    rows = [
        (host, label, n)
        for host, label, count in (
            ("h1", "few", 1), ("h1", "tie_b", 3), ("h2", "tie_a", 3), ("h1", "tie_a", 3),
            ("h1", "most", 5),
        )
        for n in range(count)
    ]  # fmt: skip
    frame = pl.DataFrame(
        [
            {"artifact": host, "snapshot": 0, "label": label, "detail": f"d{n}"}
            for host, label, n in rows
        ]
    )
    at = pl.DataFrame(
        {"artifact": ["h1", "h2"], "snapshot": [0, 0], "host": ["h1", "h2"], "time": [T0, T0]}
    )
    kind: Any = next(iter(over_time._MOST_ROWS))
    with mock.patch.object(over_time, "_MOST_ROWS", {kind: 4}):
        return [(row.host, row.label, row.detail) for row in over_time._rows(kind, frame, at)]


def thinned_cells() -> object:
    with mock.patch.object(over_time, "_MOST_CELLS", 2):
        return over_time._thinned([(0, 1), (1, 9), (2, 5), (3, 2)])


def nodes_of_a_view() -> object:
    rows = (("d", 1, 1), ("c", 0, 1), ("b", 1, 5), ("a", 1, 1), ("e", 0, 9))
    nodes = [_node(name, depth=depth, blocks_total=blocks) for name, depth, blocks in rows]
    whole: Any = given(
        nodes=nodes, edges=[], raw=[], against="x", graph=given(uncounted=None), groups={},
        at=None, snapshots=[], headline="", waiters=0, roots=[], counts=given(cycles=[]), notes=[],
        difference="",
    )  # fmt: skip
    with instead(
        view, _without=always(frozenset()), slimmed=lambda nodes, edges, _: (nodes, edges, False),
        deadlocks=always([]),
    ):  # fmt: skip
        return [node.id for node in view.shown(whole, folded=False).nodes]


def ranked_waits() -> object:
    """Most waits first, equals by their keys, each with its worst and earliest moment."""
    rows = [
        (latch, snapshot, line)
        for latch, per_snapshot in (("b", (1, 2, 2)), ("a", (2, 1, 2)), ("few", (1, 0, 0)),
                                    ("most", (3, 3, 3)))
        for snapshot, count in enumerate(per_snapshot)
        for line in range(count)
    ]  # fmt: skip
    frame = pl.DataFrame(
        [
            {
                "label": latch, "artifact": "x", "snapshot": snapshot, "time": T0 - snapshot * S,
                "line_first": 9 * snapshot + line, "line_last": 9 * snapshot + line,
                "file": f"f{(line * 2 + snapshot) % 3}", "line": 1, "mode": "S", "waited_s": 1.0,
                "latch": latch, "latch_address": f"0x{(line + 2 * snapshot) % 4}",
            }
            for latch, snapshot, line in rows
        ]
    )  # fmt: skip
    found = moment_graph._ranked(frame, ["label"])
    return [
        (row["label"], row["waits"], row["most"], row["line_first"], row["positions"],
         row["top_address"])
        for row in found
    ]  # fmt: skip


ORDERED: dict[str, Any] = {
    "blocked_time.active_sessions hosts_of": hosts_that_count,
    "blocked_time.active_sessions _densest": densest_count,
    "blocked_time.active_sessions active_sessions": level_of_moments,
    "blocked_time.active_sessions _of_one_moment": fullest_moment,
    "blocked_time.active_sessions far_from": moments_far_from_all,
    "blocked_time.active_sessions _nearest": nearest_time,
    "blocked_time.blame _path": way_of_most_time,
    "blocked_time.classes of_waiter": surest_wait,
    "blocked_time.moment_roots with_roots": roots_of_a_moment,
    "blocked_time.roots Roots.documents": table_of_roots,
    "blocked_time.roots Roots._heir": heir,
    "blocked_time.roots Roots._is_handed_on": handed_on,
    "blocked_time.roots Roots._why": usual_reason,
    "blocked_time.roots Roots._by_stack": usual_reason,
    "blocked_time.roots Roots._by_class": usual_class,
    "blocked_time.roots _cycle_key": circle_of_any_order,
    "waits.by_commits behind_a_reply": longest_reply,
    "waits.by_locks _holders": holders_of_rows,
    "waits.by_locks _object": table_that_most_name,
    "waits.by_locks _behind_exclusive_request": first_exclusive_request,
    "waits.by_locks _infer_holder_by_age": likeliest_holder,
    "waits.draft Draft.dump_samples": lines_of_a_dump,
    "waits.fold _group": longest_of_a_group,
    "waits.fold _resources": usual_labels,
    "waits.groups _Shape._levels": longest_paths,
    "waits.groups _by_statement": statements_of_a_group,
    "waits.headline headline": largest_circle,
    "waits.inspect_node describe_node": members_of_a_group,
    "waits.lock_holders guess_table_holder": tables_in_common,
    "waits.lock_holders _choose_oldest": oldest_candidate,
    "waits.lock_holders _idle": idle_for_hardly_longer,
    "waits.moment_graph _ranked": ranked_waits,
    "waits.moments moments": moments_in_time,
    "waits.moments worst_of": worst_moment,
    "waits.moments choose_moments": moments_of_most,
    "waits.moments choose_evenly": evenly_of_most,
    "waits.moments spread": spread_with_the_worst,
    "waits.node_documents _table": tables_of_a_statement,
    "waits.one_population counted": those_that_count,
    "waits.over_time _thinned": thinned_cells,
    "waits.view shown": nodes_of_a_view,
}

ALSO: dict[str, Any] = {
    "waits.by_locks _split_by_holders": largest_row,
    "waits.counts count": roots_of_a_graph,
    "waits.groups _folded": most_outstanding,
    "waits.over_time transaction_spans": longest_transactions,
    "waits.over_time _rows": rows_of_heat,
}
"""They notice some of the sorts of their functions."""
