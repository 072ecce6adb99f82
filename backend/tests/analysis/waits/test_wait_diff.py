"""Two moments in one graph, what lasts over moments, and thousands of nodes."""

from __future__ import annotations

import msgspec

from pileup.analysis import analyse
from pileup.analysis.contract import WaitGraph, encode
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.times import parse
from pileup.analysis.waits import moment_graph
from pileup.analysis.waits.diff import wait_diff
from pileup.analysis.waits.inspect_node import wait_node
from tests.analysis.waits.test_waits import IDLE_HOLDER, dump, evidence, row_waiter, semaphore

FIRST, SECOND, THIRD = "2026-11-20 22:20:15", "2026-11-20 22:20:45", "2026-11-20 22:21:15"


def at(time: str, text: str) -> str:
    return text.replace(FIRST, time)


def us(time: str) -> int:
    return parse(time.replace(" ", "T") + "Z")


def two_moments() -> Evidence:
    """First threads 1 to 4 behind 9, then 3 to 8 behind 9."""
    first = "".join(semaphore(n, 9) for n in (1, 2, 3, 4))
    second = "".join(semaphore(n, 9) for n in (3, 4, 5, 6, 7, 8))
    return evidence(dump(first), at(SECOND, dump(second)))


def marks(graph: WaitGraph) -> dict[str, str]:
    return {node.id: node.mark for node in graph.nodes}


def test_a_difference_says_who_came_who_left_and_who_stayed() -> None:
    graph = wait_diff(two_moments(), us(SECOND), us(FIRST), folded=False)
    said = marks(graph)
    assert {name for name, mark in said.items() if mark == "gone"} == {"thread:1", "thread:2"}
    assert {name for name, mark in said.items() if mark == "added"} == {
        "thread:5", "thread:6", "thread:7", "thread:8",
    }  # fmt: skip
    assert {said[name] for name in ("thread:3", "thread:9", "latch:0x2db49f8")} == {"kept"}
    assert graph.difference == (
        "Since 22:20:15 UTC: 4 threads started to wait, 2 left, 2 still wait. "
        "Thread 9 is a root of both."
    )
    assert (graph.at, graph.against) == ("2026-11-20T22:20:45Z", "2026-11-20T22:20:15Z")
    edges = {(edge.source, edge.mark) for edge in graph.edges}
    assert {("thread:1", "gone"), ("thread:3", "kept"), ("thread:5", "added")} <= edges


def test_groups_of_a_difference_are_of_one_mark() -> None:
    """Four that came are one group, and none that stayed is in it."""
    graph = wait_diff(two_moments(), us(SECOND), us(FIRST), folded=True)
    (group,) = [node for node in graph.nodes if node.kind == "group"]
    assert (group.members, group.mark) == (4, "added")
    assert group.lasting == "place:latch:0x2db49f8|S|btr0sea.ic:122"


def test_a_pthread_that_serves_another_session_is_another_waiter() -> None:
    """The thread cache gives pthread 140464743184101 to session 7 after session 1 has gone."""
    other = row_waiter(1).replace("MySQL thread id 1,", "MySQL thread id 7,")
    found = evidence(
        dump("", IDLE_HOLDER + row_waiter(1)), at(SECOND, dump("", IDLE_HOLDER + other))
    )
    graph = wait_diff(found, us(SECOND), us(FIRST))
    assert "1 thread started to wait, 1 left, 0 still wait" in graph.difference


def test_a_difference_with_itself_is_none() -> None:
    graph = wait_diff(two_moments(), us(FIRST), us(FIRST))
    assert set(marks(graph).values()) == {"kept"}
    assert "the same 4 threads wait" in graph.difference


def test_persistence_counts_the_dumps_in_which_one_is_stuck() -> None:
    """Thread 3 waits in two of three dumps; 9 blocks in all, for 30 s around each."""
    found = evidence(
        dump(semaphore(1, 9)),
        at(SECOND, dump(semaphore(3, 9))),
        at(THIRD, dump(semaphore(3, 9))),
    )
    document = analyse(found).persistence
    assert document
    assert (document.unit, document.of, document.moments) == ("status dump", 3, 3)
    by_key = {node.key: node for node in document.nodes}
    assert (by_key["thread:3"].seen, by_key["thread:3"].waiting) == (2, 2)
    assert (by_key["thread:9"].seen, by_key["thread:9"].root, by_key["thread:9"].most) == (3, 3, 1)
    assert by_key["thread:9"].blocked_thread_s == 60.0
    assert by_key["latch:0x2db49f8"].seen == 3
    assert by_key["thread:3"].first == "2026-11-20T22:20:45Z"


def test_what_is_asked_for_is_found_and_not_folded() -> None:
    """Session 17 of fifty stands on its own; a word finds all who have it."""
    text = dump("", IDLE_HOLDER + "".join(row_waiter(n) for n in range(1, 51)))
    graph = moment_graph.wait_graph(evidence(text), None, fold=True, find="17")
    (found,) = graph.found
    node = next(node for node in graph.nodes if node.id == found)
    assert node.session_id == 17
    assert [n.members for n in graph.nodes if n.kind == "group"] == [49]
    assert (
        len(moment_graph.wait_graph(evidence(text), None, fold=True, find="update c").found) == 50
    )


def test_a_node_alone_is_told_with_its_latch_and_a_group_with_its_members() -> None:
    found = evidence(dump("".join(semaphore(n, 99) for n in range(1, 61))))
    document = wait_node(found, None, "thread:7")
    assert document is not None
    assert document.latch is not None
    assert document.latch.id == "btr_search_latch"
    assert "hash" in document.latch.shared_by
    graph = moment_graph.wait_graph(found, None)
    group = next(node for node in graph.nodes if node.kind == "group")
    members = wait_node(found, None, group.id)
    assert members is not None
    assert len(members.members) == 60
    assert wait_node(found, None, "thread:4711") is None


def test_five_thousand_open_nodes_are_told_in_two_megabytes() -> None:
    """Nothing is folded, and still the answer stays small: details are asked for one by one."""
    text = dump("", IDLE_HOLDER + "".join(row_waiter(n) for n in range(1000, 6000)))
    graph = moment_graph.wait_graph(evidence(text), None, fold=False)
    assert len(graph.nodes) >= 5000
    assert graph.slim
    wire = encode(graph)
    assert len(wire) < 2_000_000
    assert msgspec.json.decode(wire, type=WaitGraph).nodes == graph.nodes
