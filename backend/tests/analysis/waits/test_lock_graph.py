"""The wait graph from lock tables alone: rows, metadata, and threads by their three ids."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.analysis import gather
from pileup.analysis.contract import WaitGraph
from pileup.analysis.evidence.evidence import Evidence, EvidenceArtifact
from pileup.analysis.waits import moment_graph, moments
from pileup.analysis.waits.metadata_conflicts import excludes
from pileup.formats.driver import parse_stream
from pileup.records import Frame, Snapshot, Stack, StackThread, records_frame
from tests.formats.checks import SAMPLES

ALL = (SAMPLES / "lock-tables" / "8.0-locks-waits-and-threads-box.txt").read_text()
OLD = (SAMPLES / "lock-tables" / "5.7-pt-stalk-transactions-sampled.txt").read_text()


def evidence(*texts: str) -> Evidence:
    parsed = []
    for number, text in enumerate(texts):
        read = parse_stream(io.BytesIO(text.encode()), name=f"2026_11_20_22_20_0{number}-x.txt")
        assert read.failed is None, read.failed
        described = EvidenceArtifact(
            f"{number:064x}", f"2026_11_20_22_20_0{number}-x.txt", len(text), read.format
        )
        parsed.append((described, read.frames))
    return gather(parsed)


def part(*wanted: str) -> str:
    """The queries of the sample that name one of these."""
    return "".join(
        f"mysql> {line}"
        for line in ALL.split("mysql> ")
        if any(word in line[:400] for word in wanted)
    )


def edges(graph: WaitGraph, kind: str) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in graph.edges if edge.kind == kind}


def roots(graph: WaitGraph) -> list[str]:
    return [root.node for root in graph.roots]


def test_a_pending_metadata_lock_waits_for_the_granted_ones_that_exclude_it() -> None:
    """19 wants it exclusively, 20 queues behind; 18 reads the table: 18 is the root of both."""
    graph = moment_graph.wait_graph(
        evidence(part("performance_schema.threads", "metadata_locks")), None
    )
    assert edges(graph, "waits_for") >= {
        ("session:19", "mdl:app.orders:granting"),
        ("session:20", "mdl:app.orders"),
    }
    assert edges(graph, "held_by") >= {
        ("mdl:app.orders:granting", "session:18"),
        ("mdl:app.orders", "session:19"),
    }
    assert "session:18" in roots(graph)
    (blocker,) = [node for node in graph.nodes if node.id == "session:18"]
    assert blocker.blocks_total == 2
    assert blocker.command == "Sleep"


@given(st.lists(st.sampled_from(("SHARED_READ", "SHARED_WRITE", "EXCLUSIVE")), max_size=6))
@settings(max_examples=25, deadline=None)
def test_who_asks_after_an_exclusive_request_waits_for_it(modes: list[str]) -> None:
    """Every request has one thing to wait for, and all end at the session with the granted lock."""
    asked = ["EXCLUSIVE", *modes]
    rows = "".join(
        f"TABLE\tapp\torders\t{mode}\tTRANSACTION\tPENDING\t{n}\n"
        for n, mode in enumerate(asked, start=1)
    )
    text = (
        "OBJECT_TYPE\tOBJECT_SCHEMA\tOBJECT_NAME\tLOCK_TYPE\tLOCK_DURATION\tLOCK_STATUS\t"
        f"OWNER_THREAD_ID\nTABLE\tapp\torders\tSHARED_READ\tTRANSACTION\tGRANTED\t500\n{rows}"
    )
    graph = moment_graph.wait_graph(evidence(text), None)
    assert graph.waiters == len(asked)
    assert roots(graph) == ["ps_thread:500"]
    waits = dict(edges(graph, "waits_for"))
    queued = {f"ps_thread:{n}" for n, mode in enumerate(asked, start=1) if mode != "EXCLUSIVE"}
    first = waits["ps_thread:1"]
    assert {waits[thread] for thread in waits.keys() - queued} == {first}
    assert all(waits[thread] != first for thread in queued)


def test_metadata_locks_without_threads_are_still_drawn() -> None:
    graph = moment_graph.wait_graph(evidence(part("metadata_locks")), None)
    assert "ps_thread:57" in roots(graph)


def test_data_locks_alone_name_the_holder_of_the_row() -> None:
    graph = moment_graph.wait_graph(
        evidence(part("data_locks;", "performance_schema.threads")), None
    )
    (row,) = [target for source, target in edges(graph, "waits_for") if source == "session:21"]
    assert (row, "session:18") in edges(graph, "held_by")
    assert not next(node for node in graph.nodes if node.id == row).inferred


@pytest.mark.parametrize("tables", [("data_lock_waits", "performance_schema.threads"), ("sys.",)])
def test_pairs_of_lock_waits_name_sessions(tables: tuple[str, ...]) -> None:
    """performance_schema's thread ids are mapped; the sys views print connections themselves."""
    graph = moment_graph.wait_graph(evidence(part(*tables)), None)
    assert "session:18" in roots(graph)
    assert "session:21" in {source for source, _ in edges(graph, "waits_for")}


def test_everything_together_counts_each_waiter_once() -> None:
    graph = moment_graph.wait_graph(evidence(ALL), None)
    assert graph.waiters == 3
    assert roots(graph) == ["session:18"]


def test_a_blocker_that_waits_itself_only_stands_in_the_queue() -> None:
    """INNODB_LOCK_WAITS lists every pair: 3 behind 2 and 1, 2 behind 1. Only 1 holds the row."""
    rows = [("3", "2"), ("3", "1"), ("2", "1")]
    text = "".join(
        f"*************************** {at}. row ***************************\n"
        f"requesting_trx_id: {waiter}\nrequested_lock_id: {waiter}:7:4:2\n"
        f"  blocking_trx_id: {blocker}\n blocking_lock_id: {blocker}:7:4:2\n"
        for at, (waiter, blocker) in enumerate(rows, start=1)
    )
    graph = moment_graph.wait_graph(evidence(text), None)
    assert {target for _, target in edges(graph, "held_by")} == {"trx:1"}
    assert roots(graph) == ["trx:1"]


def test_transactions_of_pt_stalk_are_a_moment_of_their_own() -> None:
    found = moments.moments(evidence(OLD))
    assert [(m.kind, m.lock_waits) for m in found] == [("transactions", 1), ("lock_waits", 1)]
    graph = moment_graph.wait_graph(evidence(OLD), found[0].time)
    assert roots(graph) == ["session:390"]


def test_eu_stack_s_kernel_threads_are_sessions_by_performance_schema() -> None:
    """A stack that only has a TID joins the session that performance_schema.threads names."""
    base = evidence(part("performance_schema.threads", "metadata_locks"))
    at = base.frames["thread"]["time"][0]
    where = {"line_first": 1, "line_last": 2, "wall_us": at, "clock": "utc", "snapshot": 0}
    stack = Stack(
        **where,
        count=1,
        frames=(Frame(function="poll"),),
        threads=(StackThread(lwp=4240),),
    )
    snapshot = Snapshot(**where, kind="stacks")
    frames = {
        "stack": records_frame("stack", [stack]),
        "snapshot": records_frame("snapshot", [snapshot]),
    }
    described = EvidenceArtifact("e" * 64, "eu.txt", 1, "eu-stack")
    text = part("performance_schema.threads", "metadata_locks")
    read = parse_stream(io.BytesIO(text.encode()), name="2026_11_20_22_20_00-x.txt")
    both = gather(
        [
            (
                EvidenceArtifact("0" * 64, "2026_11_20_22_20_00-x.txt", 1, "lock-tables"),
                read.frames,
            ),
            (described, frames),
        ]
    )
    graph = moment_graph.wait_graph(both, at)
    (blocker,) = [node for node in graph.nodes if node.id == "session:18"]
    assert blocker.stack == ["poll"]
    assert "performance_schema.threads" in blocker.join


def test_the_compatibility_of_metadata_locks() -> None:
    assert excludes("TABLE", "SHARED_READ", "EXCLUSIVE")
    assert not excludes("TABLE", "SHARED_READ", "SHARED_WRITE")
    assert not excludes("TABLE", "SHARED_UPGRADABLE", "SHARED_READ")
    assert excludes("TABLE", "SHARED_UPGRADABLE", "SHARED_UPGRADABLE")
    assert excludes("GLOBAL", "SHARED", "INTENTION_EXCLUSIVE")
    assert not excludes("GLOBAL", "INTENTION_EXCLUSIVE", "INTENTION_EXCLUSIVE")
    assert not excludes("TABLE", "BACKUP_DDL", "EXCLUSIVE")


def test_a_thousand_pending_metadata_locks_take_no_time() -> None:
    """A waiter costs its own row, not a look at every other."""
    rows = "".join(
        f"TABLE\tapp\torders\tSHARED_READ\tTRANSACTION\t{status}\t{thread}\n"
        for thread, status in [(n, "PENDING") for n in range(2, 2000)] + [(1, "PENDING")]
    )
    text = (
        "OBJECT_TYPE\tOBJECT_SCHEMA\tOBJECT_NAME\tLOCK_TYPE\tLOCK_DURATION\tLOCK_STATUS\t"
        f"OWNER_THREAD_ID\nTABLE\tapp\torders\tEXCLUSIVE\tTRANSACTION\tGRANTED\t5000\n{rows}"
    )
    graph = moment_graph.wait_graph(evidence(text), None)
    assert graph.waiters == 1999
    assert roots(graph) == ["ps_thread:5000"]


def pairs(*some: tuple[int, int, int]) -> str:
    """sys.innodb_lock_waits: (waiting session, blocking session, heap number of the row)."""
    return lock_waits((waiting, blocking, "stock", heap) for waiting, blocking, heap in some)


def pairs_of_tables(*some: tuple[int, int, str]) -> str:
    """The same, of a server or a tool that lists the tables and no rows (pt-stalk's lock-waits)."""
    return lock_waits((waiting, blocking, table, None) for waiting, blocking, table in some)


def lock_waits(some: Iterable[tuple[int, int, str, int | None]]) -> str:
    """As the client prints them: waiting and blocking session, table, heap number or None."""
    rows = []
    for number, (waiting, blocking, table, heap) in enumerate(some, start=1):
        waiting_lock = blocking_lock = ""
        if heap is not None:
            waiting_lock = f"             waiting_lock_id: 1400{waiting}:12:4:{heap}:140066\n"
            blocking_lock = f"            blocking_lock_id: 1400{blocking}:12:4:{heap}:140066\n"
        rows.append(
            f"*************************** {number}. row ***************************\n"
            f"               wait_age_secs: 6\n"
            f"                locked_table: `app`.`{table}`\n"
            f"                locked_index: PRIMARY\n"
            f"              waiting_trx_id: 90{waiting}\n"
            f"                 waiting_pid: {waiting}\n{waiting_lock}"
            f"             blocking_trx_id: 90{blocking}\n"
            f"                blocking_pid: {blocking}\n{blocking_lock}"
        )
    text = "".join(rows)
    return f"mysql> SELECT * FROM sys.innodb_lock_waits\\G\n{text}{len(rows)} rows in set\n\n"


def table_lock_waits(*some: tuple[int, str, int, str]) -> str:
    """sys.schema_table_lock_waits: waiting session and its mode, blocking session and its mode."""
    rows = "".join(
        f"*************************** {number}. row ***************************\n"
        f"               object_schema: app\n"
        f"                 object_name: stock\n"
        f"                 waiting_pid: {waiting}\n"
        f"           waiting_lock_type: {requested}\n"
        f"          waiting_query_secs: 8\n"
        f"                blocking_pid: {blocking}\n"
        f"          blocking_lock_type: {granted}\n"
        for number, (waiting, requested, blocking, granted) in enumerate(some, start=1)
    )
    return f"mysql> SELECT * FROM sys.schema_table_lock_waits\\G\n{rows}\n"


def test_a_granted_lock_that_excludes_no_request_blocks_nobody() -> None:
    """The view pairs each request with each granted lock, the requesting session's own included.

    73 reads; the ALTER of 74 holds a lock for its upgrade and waits; 4 to 9 read behind it.
    """
    readers = range(4, 10)
    text = table_lock_waits(
        (74, "EXCLUSIVE", 73, "SHARED_READ"),
        (74, "EXCLUSIVE", 74, "SHARED_UPGRADABLE"),
        *((reader, "SHARED_READ", 73, "SHARED_READ") for reader in readers),
        *((reader, "SHARED_READ", 74, "SHARED_UPGRADABLE") for reader in readers),
    )
    graph = moment_graph.wait_graph(evidence(text), None)
    assert roots(graph) == ["session:73"]
    assert graph.roots[0].blocks_total == 1 + len(readers)
    assert {holder for _, holder in edges(graph, "held_by")} == {"session:73", "session:74"}
    assert not graph.cycles


def test_a_blocker_that_waits_for_another_row_has_this_one() -> None:
    """21 waits for 18, which waits for 17: a chain of two rows, and 17 is the root of both."""
    graph = moment_graph.wait_graph(evidence(pairs((21, 18, 8), (18, 17, 9))), None)
    assert roots(graph) == ["session:17"]
    assert {holder for _, holder in edges(graph, "held_by")} == {"session:17", "session:18"}
    assert graph.roots[0].blocks_total == 2


def test_who_stands_in_the_queue_of_a_row_does_not_hold_it() -> None:
    """The tables list 22 behind 21, too, which only came earlier: 18 has the row."""
    graph = moment_graph.wait_graph(evidence(pairs((21, 18, 8), (22, 18, 8), (22, 21, 8))), None)
    assert {holder for _, holder in edges(graph, "held_by")} == {"session:18"}


def test_two_that_wait_for_each_other_s_row_are_a_deadlock() -> None:
    """innodb_deadlock_detect=OFF: nothing breaks it before the timeout."""
    graph = moment_graph.wait_graph(evidence(pairs((21, 18, 8), (18, 21, 9))), None)
    (cycle,) = graph.cycles
    assert {"session:18", "session:21"} <= set(cycle)
    assert "deadlock" in graph.headline


def test_a_deadlock_with_more_behind_it_than_behind_any_root_is_the_headline() -> None:
    """18 and 21 block each other and three more; 50 blocks one: the circle comes first."""
    circle = [(21, 18, 8), (18, 21, 9), (30, 18, 8), (31, 18, 8), (32, 21, 9)]
    graph = moment_graph.wait_graph(evidence(pairs(*circle, (51, 50, 3))), None)
    said = "2 threads wait in a circle: a deadlock, 3 more behind it; 1 more root blocker."
    assert graph.headline == said
    few = moment_graph.wait_graph(
        evidence(pairs(*circle[:2], *((n, 50, 3) for n in range(60, 70)))), None
    )
    assert few.headline.startswith("Session 50")
    assert few.headline.endswith("; 2 threads wait in a circle: a deadlock.")


def test_a_chain_through_two_tables_is_no_deadlock() -> None:
    """Two rows of stock and one of orders: one lock for a table would close a circle."""
    chain = ((31, 30, "stock"), (30, 29, "orders"), (29, 28, "stock"))
    graph = moment_graph.wait_graph(evidence(pairs_of_tables(*chain)), None)
    assert graph.cycles == []
    assert roots(graph) == ["session:28"]
    assert graph.roots[0].blocks_total == 3


def test_a_circle_through_two_tables_is_a_deadlock() -> None:
    """The same, and 28 waits for a row that 31 has."""
    circle = ((31, 30, "stock"), (30, 29, "orders"), (29, 28, "stock"), (28, 31, "orders"))
    graph = moment_graph.wait_graph(evidence(pairs_of_tables(*circle)), None)
    (cycle,) = graph.cycles
    assert {f"session:{n}" for n in (28, 29, 30, 31)} <= set(cycle)


def test_the_queue_of_a_row_that_is_not_named_is_one_lock() -> None:
    """Whoever is blocked by the same holder, and by those who came before, waits for one row."""
    queue = [
        (waiting, blocking, "stock")
        for waiting in range(21, 25)
        for blocking in (18, *range(21, waiting))
    ]
    graph = moment_graph.wait_graph(evidence(pairs_of_tables(*queue)), None)
    assert {holder for _, holder in edges(graph, "held_by")} == {"session:18"}
    assert len({lock for lock, _ in edges(graph, "held_by")}) == 1
