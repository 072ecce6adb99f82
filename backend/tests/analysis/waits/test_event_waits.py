"""performance_schema's waits and lists of latches as edges of the graph, with their holders."""

from __future__ import annotations

from pileup.analysis.contract import WaitEdge, WaitGraph
from pileup.analysis.stacks import instruments
from pileup.analysis.waits import moment_graph
from tests.analysis.waits.test_lock_graph import edges, evidence, roots
from tests.formats.checks import SAMPLES

EVENTS = (SAMPLES / "lock-tables" / "8.0-events-waits-and-latch-holders.txt").read_text()
DEBUG = (SAMPLES / "innodb-status" / "5.6-debug-two-sync-arrays-latch-info.txt").read_text()


def edge(graph: WaitGraph, source: str, target: str) -> WaitEdge:
    (found,) = [item for item in graph.edges if (item.source, item.target) == (source, target)]
    return found


def test_a_latch_of_performance_schema_has_its_waiters_and_its_holder() -> None:
    """Threads 58 and 59 serve sessions 19 and 20; rwlock_instances says that 57 (18) has it."""
    graph = moment_graph.wait_graph(evidence(EVENTS), None)
    (latch,) = [node for node in graph.nodes if "btr_search_latch" in node.label]
    assert latch.latch == "btr_search_latch"
    wait = edge(graph, "session:19", latch.id)
    assert (wait.mode, wait.confidence) == ("S", 0.95)
    assert round(wait.waited_s or 0) == 4
    assert "wait/synch/rwlock/innodb/btr_search_latch" in wait.note
    assert edge(graph, "session:20", latch.id)
    held = edge(graph, latch.id, "session:18")
    assert (held.mode, held.inferred) == ("X", False)
    assert "session:18" in roots(graph)


def test_the_commit_by_performance_schema_has_its_stages_and_its_flush() -> None:
    """60 syncs the binary log; 61 waits in the group commit, 62 for the mutex of the sync stage."""
    graph = moment_graph.wait_graph(evidence(EVENTS), None)
    assert edge(graph, "session:22", "commit").mode == "binary log group commit"
    assert edge(graph, "session:23", "commit").mode == "sync stage"
    assert ("commit", "fsync:binary log") in edges(graph, "held_by")
    assert ("fsync:binary log", "session:21") in edges(graph, "held_by")
    assert graph.waiters == 4


def test_a_wait_that_has_ended_and_an_idle_thread_are_no_edges() -> None:
    graph = moment_graph.wait_graph(evidence(EVENTS), None)
    sources = {item.source for item in graph.edges if item.kind == "waits_for"}
    assert not sources & {"session:18", "session:24", "ps_thread:13"}


def test_without_the_column_that_ends_a_wait_it_is_less_sure() -> None:
    text = (
        "THREAD_ID\tPROCESSLIST_ID\tEVENT_NAME\tOPERATION\n"
        "58\t19\twait/synch/mutex/innodb/buf_pool_mutex\tlock\n"
        "59\t20\twait/lock/metadata/sql/mdl\tmetadata lock\n"
    )
    graph = moment_graph.wait_graph(evidence(text), None)
    found = {item.source: item for item in graph.edges}
    assert found["session:19"].confidence == 0.6
    assert "whether it has ended" in found["session:19"].note
    assert found["session:20"].target.startswith("mdl:")


def test_readers_that_a_debug_build_lists_are_named_and_not_inferred() -> None:
    """RW-LATCH INFO: hash0hash.cc:64 has 7f684c0a1b10 for itself; who waits for it points there."""
    text = DEBUG.replace(
        "Locked: thread 140085412345600 file hash0hash.cc line 64  X-LOCK",
        "Locked: thread 140085412345600 file row0sel.cc line 4138  S-LOCK",
    )
    graph = moment_graph.wait_graph(evidence(text), None)
    readers = "readers:latch:0x7f684c0a1b10"
    held = edge(graph, readers, "thread:140085412345600")
    assert (held.mode, held.confidence, held.inferred) == ("S", 1.0, False)
    assert "row0sel.cc:4138" in held.note


def test_the_owner_of_a_mutex_is_read_from_mutex_info() -> None:
    graph = moment_graph.wait_graph(evidence(DEBUG), None)
    assert ("latch:0x2b01a8", "thread:140085412345600") in edges(graph, "held_by")


def test_what_is_a_wait_for_somebody() -> None:
    def row(event: str, operation: str | None = None) -> dict[str, object]:
        return {"event": event, "operation": operation, "ongoing": True}

    assert instruments.counts(row("wait/synch/sxlock/innodb/index_tree_rw_lock"))
    assert instruments.counts(row("wait/io/file/innodb/innodb_log_file", "sync"))
    assert not instruments.counts(row("wait/io/file/innodb/innodb_log_file", "write"))
    assert not instruments.counts(row("wait/synch/cond/sql/COND_thread_cache", "wait"))
    assert not instruments.counts(row("wait/io/socket/sql/client_connection", "recv"))
    assert not instruments.counts(row("wait/io/table/sql/handler", "fetch"))
    assert instruments.stage_of("wait/synch/mutex/sql/MYSQL_BIN_LOG::LOCK_log") == "flush stage"
    assert instruments.stage_of("wait/synch/mutex/sql/LOCK_open") is None
