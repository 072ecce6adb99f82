"""Folding: blockers that are alike become groups, level by level; what stands out does not."""

from __future__ import annotations

from collections import Counter

from pileup.analysis import analyse
from pileup.analysis.contract import WaitGraph, WaitNode
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.statements import short_shape
from pileup.analysis.waits import moment_graph
from pileup.analysis.waits.draft import Edge
from pileup.analysis.waits.fold import fold
from pileup.analysis.waits.groups import READABLE, place_of
from pileup.analysis.waits.groups import groups as assign
from pileup.analysis.waits.inspect_node import wait_node
from tests.analysis.waits.test_lock_graph import evidence as timed
from tests.analysis.waits.test_lock_graph import pairs
from tests.analysis.waits.test_waits import evidence

ROOT = 100
Pair = tuple[int, int, int]


def blocker(number: int, waiters: int, heap: int = 1) -> list[Pair]:
    """A session that waits for the root's row and has one itself, that others wait for."""
    mine = [(number * 100 + item, number, number) for item in range(1, waiters + 1)]
    return [(number, ROOT, heap), *mine]


def pileup(*waiters: int) -> Evidence:
    """One blocker behind session 100 per number, with that many behind it."""
    some = [pair for n, waiter in enumerate(waiters, 101) for pair in blocker(n, waiter)]
    return evidence(pairs(*some))


def groups(graph: WaitGraph) -> list[WaitNode]:
    return [node for node in graph.nodes if node.kind == "group"]


def test_blockers_that_are_alike_fold_with_their_rows_and_waiters() -> None:
    """36 sessions with 7 behind each: three groups behind the root and its row."""
    graph = moment_graph.wait_graph(pileup(*[7] * 36), None)
    assert [(node.label, node.detail) for node in graph.nodes if node.of == "thread"] == [
        ("36 sessions, each blocking 7", ""),
        ("252 waiters", ""),
    ]
    assert len(graph.nodes) == 5
    assert graph.roots[0].node == "session:100"
    blockers, rows, last = groups(graph)
    assert (blockers.blocks_direct, blockers.blocks_total, blockers.waiting) == (252, 252, True)
    assert (rows.label, rows.of, rows.blocks_total) == (
        "36 × row of app.stock (PRIMARY)", "row_lock", 252,
    )  # fmt: skip
    assert sorted((e.source == last.id, e.count) for e in graph.edges) == [
        (False, 1), (False, 36), (False, 36), (True, 252),
    ]  # fmt: skip
    assert "blocks 288 threads through 2 levels" in graph.headline
    assert graph.waiters == graph.roots[0].blocks_total == 36 + 252


def test_groups_behind_groups_are_followed_over_the_moments() -> None:
    """In the last of three moments one of the 36 sessions is left: no group of three or more."""
    some = [pair for number in range(101, 137) for pair in blocker(number, 7)]
    few = blocker(101, 7)
    moments = timed(pairs(*some), pairs(*some), pairs(*few))
    blockers = analyse(moments).persistence
    assert blockers
    by_key = {item.key: item for item in blockers.nodes}
    graph = moment_graph.wait_graph(moments, None)
    stuck = {node.label: by_key[node.lasting] for node in groups(graph)}
    assert {label: (item.seen, item.blocking) for label, item in stuck.items()} == {
        "36 sessions, each blocking 7": (2, 2),
        "36 × row of app.stock (PRIMARY)": (2, 2),
        "252 waiters": (3, 0),
    }


def test_one_that_blocks_far_more_stays_on_its_own() -> None:
    """A near miss: the 37th has 40 behind it where the others have 7."""
    graph = moment_graph.wait_graph(pileup(*[7] * 36, 40), None)
    assert sorted(n.members for n in groups(graph) if n.of == "thread") == [36, 40, 252]
    alone = next(node for node in graph.nodes if node.id == "session:137")
    assert alone.blocks_total == 40


def test_few_blockers_are_shown_one_by_one() -> None:
    """A near miss: eight are read more easily than a group; only those behind them fold."""
    graph = moment_graph.wait_graph(pileup(*[7] * 8), None)
    assert sum(node.kind == "thread" for node in graph.nodes) == 1 + 8
    assert [node.label for node in groups(graph)] == ["7 waiters"] * 8


def test_blockers_of_a_chain_do_not_fold_with_those_of_one_level() -> None:
    """Of 24 that are alike so far, twelve have waiters with others behind them in turn."""
    some = [pair for number in range(101, 125) for pair in blocker(number, 4)]
    some += [(9000 + number, number * 100 + 1, 200 + number) for number in range(101, 113)]
    graph = moment_graph.wait_graph(evidence(pairs(*some)), None)
    level = [node for node in groups(graph) if node.of == "thread" and node.depth == 2]
    assert sorted(node.label for node in level) == [
        "12 sessions, each blocking 4", "12 sessions, each blocking 5",
    ]  # fmt: skip
    assert [node.members for node in level] == [12, 12]


def test_the_members_of_a_deadlock_are_never_folded() -> None:
    """21 and 18 wait for each other; nine alike stand behind each."""
    some = [(21, 18, 8), (18, 21, 9)]
    some += [(n * 1000, [18, 21][n % 2], [8, 9][n % 2]) for n in range(1, 19)]
    graph = moment_graph.wait_graph(evidence(pairs(*some)), None, fold=True)
    assert {"session:18", "session:21"} <= {node.id for node in graph.nodes}
    assert [node.members for node in groups(graph)] == [9, 9]


def test_a_large_tree_is_readable_and_counts_stay_exact() -> None:
    """A chain of fans: 1,600 sessions of unlike shape; each waiter counts once."""
    some: list[Pair] = []
    for number in range(101, 1701):
        holder = ROOT if number < 120 else 101 + (number - 120) * 7919 % (number - 119) // 3
        some.append((number, holder, holder))
    graph = moment_graph.wait_graph(evidence(pairs(*some)), None)
    assert len(graph.nodes) <= READABLE
    assert graph.roots[0].blocks_total == graph.waiters == 1600
    shown = sum(node.members for node in graph.nodes if node.waiting)
    assert shown == 1600


def test_a_group_of_blockers_opens_and_tells_its_members() -> None:
    found = pileup(*[7] * 36)
    folded = moment_graph.wait_graph(found, None)
    (group,) = [node for node in groups(folded) if node.label.startswith("36 sessions")]
    opened = moment_graph.wait_graph(found, None, opened=frozenset({group.id}))
    assert {node.label for node in groups(opened)} == {
        "36 × row of app.stock (PRIMARY)", "252 waiters",
    }  # fmt: skip
    assert sum(node.kind == "thread" for node in opened.nodes) == 37
    node = wait_node(found, None, group.id)
    assert node is not None
    assert [member.blocks_total for member in node.members] == [7] * 36


def test_waiters_fold_by_the_shape_of_their_statement() -> None:
    """40 readers and 9 writers behind one row; two other statements are too few for a group."""
    statements = [f"SELECT a FROM stock WHERE id = {n}" for n in range(40)]
    statements += [f"UPDATE stock SET a = {n}" for n in range(9)]
    statements += ["DELETE FROM stock", "REPLACE INTO stock VALUES (1)"]
    nodes = [
        WaitNode(id=f"session:{n}", kind="thread", label="", depth=1, waiting=True,
                 shape=short_shape(text), table="stock")
        for n, text in enumerate(statements)
    ]  # fmt: skip
    lock = WaitNode(id="row", kind="row_lock", label="row", blocks_total=len(nodes))
    edges = [Edge(node.id, "row", "waits_for", mode="X") for node in nodes]
    names = assign([lock, *nodes], edges)
    sizes = Counter(names.values())
    assert sorted(sizes.values()) == [9, 40]
    largest, second = (group for group, _ in sizes.most_common())
    assert largest == "group:row|X|"  # the id of the place: links and pins of it stay true
    assert second.startswith(largest)
    assert place_of(second, "") == place_of(largest, "") == "row|X|"
    folded, _ = fold([lock, *nodes], [], edges, names)
    assert {node.shape: node.members for node in folded if node.kind == "group"} == {
        "SELECT a FROM stock WHERE id = ?": 40, "UPDATE stock SET a = ?": 9,
    }  # fmt: skip
