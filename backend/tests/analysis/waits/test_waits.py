"""The wait graph: by construction, on the published cases, and at a thousand waiters."""

from __future__ import annotations

import io

from pileup.analysis import gather
from pileup.analysis.blocked_time import blockers, measure
from pileup.analysis.contract import WaitGraph, WaitNode
from pileup.analysis.evidence import series
from pileup.analysis.evidence.evidence import Evidence, EvidenceArtifact
from pileup.analysis.waits import moment_graph, moments
from pileup.analysis.waits.counts import count
from pileup.formats.driver import parse_stream
from tests.support.cpu import growth

HEAD = """=====================================
2026-11-20 22:20:15 0x7fc0b8ffe6c0 INNODB MONITOR OUTPUT
=====================================
----------
SEMAPHORES
----------
OS WAIT ARRAY INFO: reservation count 4
{waits}OS WAIT ARRAY INFO: signal count 4
------------
TRANSACTIONS
------------
Trx id counter 1582
LIST OF TRANSACTIONS FOR EACH SESSION:
{transactions}----------------------------
END OF INNODB MONITOR OUTPUT
============================
"""


def evidence(*texts: str) -> Evidence:
    parsed = []
    for number, text in enumerate(texts):
        read = parse_stream(io.BytesIO(text.encode()), name=f"{number}.txt")
        assert read.failed is None, read.failed
        described = EvidenceArtifact(f"{number:064x}", f"{number}.txt", len(text), read.format)
        parsed.append((described, read.frames))
    return gather(parsed)


def dump(semaphores: str = "", transactions: str = "") -> str:
    return HEAD.format(waits=semaphores, transactions=transactions)


def semaphore(thread: int, writer: int | None = None, mode: str = "S-lock") -> str:
    held = f"a writer (thread id {writer}) has reserved it in mode  exclusive\n" if writer else ""
    return (
        f"--Thread {thread} has waited at btr0sea.ic line 122 for 2 seconds the semaphore:\n"
        f"{mode} on RW-latch at 0x2db49f8 created in file btr0sea.cc line 202\n{held}"
        "number of readers 0, waiters flag 1, lock_word: 0\n"
    )


def row_waiter(number: int) -> str:
    return (
        f"---TRANSACTION {30000 + number}, ACTIVE 20 sec starting index read\n"
        "LOCK WAIT 2 lock struct(s), heap size 1136, 1 row lock(s)\n"
        f"MySQL thread id {number}, OS thread handle {140464743184100 + number}, query id {number} "
        "localhost app updating\n"
        "UPDATE c SET n=n+1 WHERE id=42\n"
        "------- TRX HAS BEEN WAITING 20 SEC FOR THIS LOCK TO BE GRANTED:\n"
        "RECORD LOCKS space id 3 page no 4 n bits 72 index PRIMARY of table `app`.`c` "
        f"trx id {30000 + number} lock_mode X locks rec but not gap waiting\n"
        "------------------\n"
    )


IDLE_HOLDER = (
    "---TRANSACTION 26478, ACTIVE 26 sec\n"
    "2 lock struct(s), heap size 1136, 1 row lock(s), undo log entries 1\n"
    "MySQL thread id 390, OS thread handle 140464743184064, query id 63455 localhost root\n"
)


def node(graph: WaitGraph, name: str) -> WaitNode:
    return next(n for n in graph.nodes if n.id == name)


def test_two_waiters_and_a_holder() -> None:
    """Threads 1 and 2 want the latch that thread 9 has reserved: 9 blocks both, directly."""
    graph = moment_graph.wait_graph(evidence(dump(semaphore(1, 9) + semaphore(2, 9))), None)
    holder = node(graph, "thread:9")
    assert (holder.blocks_direct, holder.blocks_total, holder.depth, holder.root) == (2, 2, 0, True)
    assert graph.waiters == 2
    assert [root.node for root in graph.roots] == ["thread:9"]
    latch = node(graph, "latch:0x2db49f8")
    assert latch.latch == "btr_search_latch"
    assert node(graph, "thread:1").locators[0].line_first is not None
    for each in graph.nodes:
        places = [(at.artifact, at.line_first, at.line_last) for at in each.locators]
        assert len(places) == len(set(places)), each.id


def test_chain_counts_each_waiter_once() -> None:
    """3 waits for 2, 2 waits for 1: 1 blocks one directly and two in all."""
    second = semaphore(3, 2).replace("0x2db49f8", "0x999")
    graph = moment_graph.wait_graph(evidence(dump(semaphore(2, 1) + second)), None)
    first = node(graph, "thread:1")
    assert (first.blocks_direct, first.blocks_total) == (1, 2)
    assert node(graph, "thread:3").depth > node(graph, "thread:2").depth


def test_cycle_is_found_and_named() -> None:
    """1 waits for 2 and 2 for 1: no root, one cycle."""
    other = semaphore(2, 1).replace("0x2db49f8", "0x999")
    graph = moment_graph.wait_graph(evidence(dump(semaphore(1, 2) + other)), None)
    assert graph.roots == []
    assert len(graph.cycles) == 1
    assert {"thread:1", "thread:2"} <= set(graph.cycles[0])
    assert "deadlock" in graph.headline


def test_one_thread_alone_in_a_circle_is_no_deadlock() -> None:
    """2 waits for 1, which seems to wait for what it holds: something of it is guessed wrong."""
    graph = moment_graph.wait_graph(evidence(dump(semaphore(1, 1) + semaphore(2, 1))), None)
    assert graph.cycles == []
    assert "deadlock" not in graph.headline
    assert graph.headline == "2 sessions wait; what blocks them seems to wait for itself."


def test_reserved_writer_waits_for_readers_and_is_not_blocked_by_itself() -> None:
    """The quirk of the games backend: wait_ex, lock_word -1, one reader left."""
    quirk = (
        "--Thread 139718536591104 has waited at mtr0mtr.ic line 161 for 0 seconds the semaphore:\n"
        "X-lock (wait_ex) on RW-latch at 0x7f2162eae30 created in file buf0buf.cc line 1433\n"
        "a writer (thread id 139718536591104) has reserved it in mode  wait exclusive\n"
        "number of readers 1, waiters flag 1, lock_word: ffffffffffffffff\n"
        "Last time read locked in file row0ins.cc line 2520\n"
    )
    behind = semaphore(5, 139718536591104).replace("0x2db49f8", "0x7f2162eae30")
    graph = moment_graph.wait_graph(evidence(dump(quirk + behind)), None)
    assert graph.cycles == []
    (note,) = graph.notes
    assert "does not block itself" in note
    assert "row0ins.cc:2520" in note
    readers = next(n for n in graph.nodes if n.id.startswith("readers:"))
    assert readers.inferred
    assert (readers.root, readers.blocks_total) == (True, 2)


def test_idle_transaction_is_inferred_as_holder() -> None:
    """Only waited-for locks are printed: the old idle transaction with undo holds the row."""
    text = dump(transactions="".join(row_waiter(n) for n in range(1, 301)) + IDLE_HOLDER)
    graph = moment_graph.wait_graph(evidence(text), None)
    root = graph.roots[0]
    assert (root.blocks_total, root.inferred) == (300, True)
    assert "session 390" in root.label
    assert "without a running query" in root.why
    assert graph.headline.startswith("Trx 26478 · session 390 (idle in transaction 26 s")
    assert graph.folded
    group = next(n for n in graph.nodes if n.kind == "group")
    assert group.members == 300
    opened = moment_graph.wait_graph(evidence(text), None, opened=frozenset({group.id}))
    assert sum(n.kind == "thread" and n.waiting for n in opened.nodes) == 300


def test_two_rows_of_one_page_are_two_locks() -> None:
    """The small table of hot counters: who waits for row 3 does not stand behind row 4."""
    row = "Record lock, heap no {} PHYSICAL RECORD: n_fields 4; compact format; info bits 0\n---"
    text = "".join(row_waiter(n).replace("---", row.format(3 + n % 2)) for n in range(1, 6))
    graph = moment_graph.wait_graph(evidence(dump(transactions=text)), None)
    rows = {item.id: item.blocks_total for item in graph.nodes if item.kind == "row_lock"}
    assert sorted(rows.values()) == [2, 3]
    assert {item.rpartition(":")[2] for item in rows} == {"3", "4"}


def test_the_headline_tells_of_what_stands_behind_its_root() -> None:
    """A latch with three behind it for 2 s; the row that one waits for 20 s is another's."""
    latch = "".join(semaphore(n, 9) for n in (1, 2, 3))
    found = evidence(dump(latch, row_waiter(7) + IDLE_HOLDER))
    graph = moment_graph.wait_graph(found, None)
    said = graph.headline
    assert said.startswith("Thread 9 blocks 3 threads for at least 2 s"), said
    assert "1 more root" in said
    longest = {root.node: root.longest_s for root in graph.roots}
    assert longest["thread:9"] == 2.0
    assert 20.0 in longest.values()


def test_a_young_holder_has_not_blocked_for_longer_than_it_lives() -> None:
    """The lock tables name it; who waits has waited for others before."""
    young = IDLE_HOLDER.replace("ACTIVE 26 sec", "ACTIVE 19 sec")
    graph = moment_graph.wait_graph(evidence(dump(transactions=row_waiter(1) + young)), None)
    assert "for at least 19 s" in graph.headline


def test_nobody_old_enough_is_not_invented() -> None:
    """A young transaction with locks cannot hold what others waited 20 s for: say so."""
    young = IDLE_HOLDER.replace("ACTIVE 26 sec", "ACTIVE 1 sec")
    graph = moment_graph.wait_graph(evidence(dump(transactions=row_waiter(1) + young)), None)
    assert not any(e.kind == "held_by" for e in graph.edges)
    assert "unknown: no active transaction with row locks is old enough" in graph.notes[0]


def test_positions_differ_and_one_latch_is_hot() -> None:
    """Two places, one latch: one row by latch, two rows by place."""
    elsewhere = semaphore(3).replace("btr0sea.ic line 122", "row0sel.cc line 4506")
    found = evidence(dump(semaphore(1) + semaphore(2) + elsewhere))
    assert [(w.file, w.line, w.waits) for w in moment_graph.hot_waits(found, None)] == [
        ("btr0sea.ic", 122, 2),
        ("row0sel.cc", 4506, 1),
    ]
    (latch,) = moment_graph.hot_latches(found, None)
    assert (latch.latch, latch.waits, latch.max_at_once, latch.share) == (
        "btr_search_latch",
        3,
        3,
        1.0,
    )
    assert latch.positions == ["btr0sea.ic:122 S", "row0sel.cc:4506 S"]


PMP_46459 = (
    "     31 __lll_mutex_lock_wait,_L_mutex_lock_1133,pthread_mutex_lock,innobase_xa_prepare,"
    "ha_commit_trans,ha_autocommit_or_rollback\n"
    "      1 datasync,my_sync,MYSQL_LOG::flush_and_sync,MYSQL_LOG::write,MYSQL_LOG::write,"
    "MYSQL_LOG::log_xid\n"
)


def test_thousand_waiters_graph_quickly() -> None:
    """Folded to a handful of rows, without quadratic work (ten times as many take about so)."""
    small = dump("".join(semaphore(n, 1) for n in range(2, 1002)))
    large = dump("".join(semaphore(n, 1) for n in range(2, 10002)))
    first, second = evidence(small), evidence(large)
    graph = moment_graph.wait_graph(first, None)
    assert graph.waiters == 1000
    assert len(graph.nodes) <= 5
    assert (
        growth(
            lambda: moment_graph.wait_graph(first, None),
            lambda: moment_graph.wait_graph(second, None),
        )
        < 40
    )


def test_counts_over_a_diamond() -> None:
    """d waits for b and c, both wait for a: a blocks three, d once."""
    edges = [("b", "a"), ("c", "a"), ("d", "b"), ("d", "c")]
    counts = count(["a", "b", "c", "d"], edges, {"b", "c", "d"})
    assert (counts.total["a"], counts.total["b"], counts.direct["a"]) == (3, 1, 2)
    assert counts.depth == {"a": 0, "b": 1, "c": 1, "d": 2}
    assert list(counts.roots) == ["a"]


def test_empty_incident_has_an_empty_graph() -> None:
    """No dump at all: nobody waits, and nothing fails."""
    graph = moment_graph.wait_graph(evidence(), None)
    assert (graph.nodes, graph.waiters) == ([], 0)
    assert graph.headline == "Nobody waits at this moment."


PMP = """     31 __lll_mutex_lock_wait,pthread_mutex_lock,innobase_xa_prepare,ha_commit_trans
      1 fdatasync,my_sync,MYSQL_LOG::flush_and_sync,MYSQL_LOG::write,MYSQL_LOG::log_xid
      9 pthread_cond_wait,srv_conc_enter_innodb,row_search_for_mysql
      5 read,vio_read,net_read_packet
"""


def test_stacks_alone_give_queues_and_the_one_at_the_head() -> None:
    """pt-pmp without thread ids: 31 at XA prepare behind one flush, 9 for a slot, 5 idle."""
    graph = moment_graph.wait_graph(evidence(PMP), None)
    assert graph.waiters == 40
    commit = next(root for root in graph.roots if "thread in MYSQL_LOG" in root.label)
    assert commit.blocks_total == 31
    assert "flushes the binary log" in commit.why.lower()
    queue = next(root for root in graph.roots if root.label == "InnoDB concurrency queue")
    assert queue.blocks_total == 9
    assert any("XA prepare" in edge.note for edge in graph.edges)


def sessions(*rows: tuple[int, str, int, str | None, str]) -> str:
    return "".join(
        f"*************************** {i}. row ***************************\n"
        f"     Id: {session}\n   User: app\n   Host: web:1\n     db: shop\nCommand: {command}\n"
        f"   Time: {seconds}\n  State: {state or ''}\n   Info: {query}\n"
        for i, (session, command, seconds, state, query) in enumerate(rows, start=1)
    )


def test_a_table_flush_waits_for_the_longest_query() -> None:
    """Nothing names the holder: who runs longest is inferred, and marked so."""
    rows = [(n, "Query", 40, "Waiting for table flush", "SELECT 1 FROM t") for n in range(10, 18)]
    long = (7, "Query", 900, "Sending data", "SELECT COUNT(*) FROM t")
    quick = (8, "Query", 0, "Sending data", "SELECT 2")
    graph = moment_graph.wait_graph(evidence(sessions(*rows, long, quick)), None)
    assert graph.waiters == 8
    top = graph.roots[0]
    assert "session 7" in top.label
    assert top.inferred


def test_an_unheld_queue_is_its_own_root() -> None:
    rows = [(n, "Query", 4, "Waiting for global read lock", "UPDATE t SET a=1") for n in range(6)]
    graph = moment_graph.wait_graph(evidence(sessions(*rows)), None)
    assert graph.roots[0].label == "global read lock"
    assert any(note.startswith("Holder of ") and "unknown" in note for note in graph.notes)


def test_blocked_thread_seconds_sum_over_snapshots() -> None:
    """Forty waiters for one latch in three dumps ten seconds apart: 40 x 20 s."""
    text = "".join(
        dump("".join(semaphore(n) for n in range(1, 41))).replace("22:20:15", f"22:20:{second}")
        for second in (15, 25, 35)
    )
    found = evidence(text)
    every = moments.moments(found)
    choice = moments.choose_moments(every, None, None)
    values = series.values(found.frame("sample"))
    (top, *_) = blockers.blockers(measure.blocked_time(found, every, choice, values, None, None))
    assert (top.blocks_total, top.seen, top.of) == (40, 3, 3)
    assert top.blocked_thread_s == 800.0


def test_a_place_is_named_by_the_server_s_source() -> None:
    """5.7.32 was read: btr0sea.ic line 98 is btr_search_x_lock."""
    text = dump("".join(semaphore(n) for n in range(1, 6))).replace("line 122", "line 98")
    text = text.replace("S-lock", "X-lock")
    names = "basedir datadir log_bin max_connections port sync_binlog thread_cache_size tmpdir"
    rows = {"Variable_name": "Value", **dict.fromkeys(names.split(), "1"), "version": "5.7.32"}
    variables = "".join(f"{name}\t{value}\n" for name, value in rows.items())
    found = evidence(text, variables)
    graph = moment_graph.wait_graph(found, None)
    assert {edge.source_site for edge in graph.edges} >= {"btr_search_x_lock (mysql-5.7.32)"}


def test_stacks_before_a_latch_join_the_latch_of_the_dump() -> None:
    """A thread at the adaptive hash by its stack alone waits with those that the dump lists."""
    stack = (
        'Thread 2 (Thread 0x7f01 (LWP 12) "connection"):\n'
        "#0  0x01 in __lll_lock_wait () from libc.so.6\n"
        "#1  0x02 in rw_lock_x_lock_func () at sync0rw.cc:787\n"
        "#2  0x03 in btr_search_info_update_slow () at btr0sea.cc:775\n"
        "#3  0x04 in do_command () at sql_parse.cc:1\n"
    )
    name = "2026_11_20_22_20_15-gdb.txt"
    parsed = []
    for number, (path, text) in enumerate({"0.txt": dump(semaphore(1)), name: stack}.items()):
        read = parse_stream(io.BytesIO(text.encode()), name=path)
        described = EvidenceArtifact(f"{number:064x}", path, len(text), read.format)
        parsed.append((described, read.frames))
    graph = moment_graph.wait_graph(gather(parsed), None)
    assert [root.blocks_total for root in graph.roots] == [2]
    assert not any(item.kind == "queue" for item in graph.nodes)
