"""The commit's part of the wait graph: its queue, its head, and the flush that the head is in."""

from __future__ import annotations

from pileup.analysis.contract import WaitGraph
from pileup.analysis.stacks import commit_queue
from pileup.analysis.waits import moment_graph
from tests.analysis.waits.test_waits import evidence, sessions


def pmp(*stacks: tuple[int, str]) -> str:
    """pt-pmp's lines: how many threads, and their functions, innermost first."""
    return "".join(f"{count:>7} {','.join(names.split())}\n" for count, names in stacks)


SYNC_STAGE = pmp(
    (
        1,
        (
            "fsync my_sync MYSQL_BIN_LOG::sync_binlog_file "
            "MYSQL_BIN_LOG::ordered_commit MYSQL_BIN_LOG::commit ha_commit_trans"
        ),
    ),
    (
        40,
        (
            "pthread_cond_wait Stage_manager::enroll_for "
            "MYSQL_BIN_LOG::change_stage MYSQL_BIN_LOG::ordered_commit "
            "ha_commit_trans"
        ),
    ),
)
# 8.0: the flush stage's leader waits for the log_flusher thread, and so does who prepares
FLUSHER = pmp(
    (
        1,
        (
            "fsync os_file_fsync_posix os_file_flush_func fil_flush log_flush_low "
            "log_flusher start_thread"
        ),
    ),
    (
        1,
        (
            "pthread_cond_wait os_event::wait_low log_wait_for_flush "
            "log_write_up_to innobase_flush_logs "
            "MYSQL_BIN_LOG::process_flush_stage_queue MYSQL_BIN_LOG::ordered_commit "
            "ha_commit_trans"
        ),
    ),
    (
        30,
        (
            "pthread_cond_wait Stage_manager::enroll_for "
            "MYSQL_BIN_LOG::change_stage MYSQL_BIN_LOG::ordered_commit "
            "ha_commit_trans"
        ),
    ),
    (
        5,
        (
            "pthread_cond_wait os_event::wait_low log_wait_for_flush "
            "log_write_up_to trx_flush_log_if_needed trx_prepare ha_prepare_low "
            "ha_commit_trans"
        ),
    ),
)
MARIADB = pmp(
    (
        1,
        (
            "fdatasync my_sync MYSQL_BIN_LOG::flush_and_sync "
            "MYSQL_BIN_LOG::trx_group_commit_leader "
            "MYSQL_BIN_LOG::write_transaction_to_binlog_events ha_commit_trans"
        ),
    ),
    (
        20,
        (
            "pthread_cond_wait inline_mysql_cond_wait "
            "MYSQL_BIN_LOG::queue_for_group_commit "
            "MYSQL_BIN_LOG::write_transaction_to_binlog_events ha_commit_trans"
        ),
    ),
    (
        6,
        (
            "futex_wait group_commit_lock::acquire log_write_up_to trx_prepare "
            "ha_prepare_low ha_commit_trans"
        ),
    ),
)
EACH_ITS_OWN = pmp(
    (
        25,
        (
            "fdatasync os_file_flush_func fil_flush log_write_up_to "
            "trx_commit_complete_for_mysql ha_commit_trans"
        ),
    ),
)
DUMP = """=====================================
2026-11-20 22:20:15 0x7fc0b8ffe6c0 INNODB MONITOR OUTPUT
=====================================
---
LOG
---
Log sequence number 1000
{pending} pending log flushes, 0 pending chkp writes
----------------------------
END OF INNODB MONITOR OUTPUT
============================
"""


def graph(*texts: str) -> WaitGraph:
    return moment_graph.wait_graph(evidence(*texts), None)


def chain(found: WaitGraph) -> list[str]:
    """Kinds from the commit queue to the root."""
    at, kinds = "commit", []
    held = {edge.source: edge.target for edge in found.edges}
    nodes = {node.id: node for node in found.nodes}
    while at in nodes:
        kinds.append(nodes[at].kind)
        at = held.get(at, "")
    return kinds


def test_the_queue_hangs_on_the_flush_of_the_binary_log() -> None:
    found = graph(SYNC_STAGE)
    assert chain(found) == ["commit", "fsync", "thread"]
    fsync = next(node for node in found.nodes if node.kind == "fsync")
    assert fsync.label == "fsync of the binary log"
    assert (fsync.blocks_direct, fsync.blocks_total) == (40, 40)
    (root,) = found.roots
    assert (root.blocks_direct, root.confidence) == (40, 0.9)
    assert "in this flush" in next(e.note for e in found.edges if e.kind == "held_by")


def test_the_leader_of_the_flush_stage_waits_for_the_log_flusher() -> None:
    """30 behind the leader, the leader and 5 that prepare behind the one in fsync: two levels."""
    found = graph(FLUSHER)
    assert chain(found) == ["commit", "thread", "fsync", "thread"]
    (root,) = found.roots
    assert (root.blocks_direct, root.blocks_total) == (6, 36)
    assert root.amplification == "One flush: 6 directly behind it, 36 in all"
    assert "2 levels" in found.headline


def test_mariadb_s_group_commit() -> None:
    found = graph(MARIADB)
    assert chain(found) == ["commit", "fsync", "thread"]
    assert found.roots[0].blocks_total == 26


def test_threads_in_flushes_of_their_own_wait_for_the_storage() -> None:
    """No group commit: all flush, nobody stands behind another. The storage is the root."""
    found = graph(EACH_ITS_OWN)
    assert found.waiters == 25
    assert [root.label for root in found.roots] == ["fsync of the redo log"]


def test_a_pending_flush_of_the_dump_is_inferred() -> None:
    """States and a dump, no stacks: commits hang on the flush that the dump counts."""
    rows = sessions(*[(n, "Query", 9, "waiting for handler commit", "COMMIT") for n in range(12)])
    found = graph(DUMP.format(pending=1), rows)
    (root,) = found.roots
    assert (root.label, root.inferred, root.confidence) == ("fsync of the redo log", True, 0.6)
    assert root.blocks_total == 12
    assert "pending_log_flushes is 1" in root.why


def test_no_pending_flush_is_not_invented() -> None:
    rows = sessions(*[(n, "Query", 9, "waiting for handler commit", "COMMIT") for n in range(12)])
    found = graph(DUMP.format(pending=0), rows)
    assert [root.label for root in found.roots] == ["commit queue"]
    assert any("who leads the commit queue" in note for note in found.notes)


def modes(graph: WaitGraph) -> dict[str | None, int]:
    """How many wait in the commit queue, by the stage that is said."""
    found: dict[str | None, int] = {}
    for edge in graph.edges:
        if edge.kind == "waits_for" and edge.target == "commit":
            found[edge.mode] = found.get(edge.mode, 0) + 1
    return found


def unfolded(text: str) -> WaitGraph:
    return moment_graph.wait_graph(evidence(text), None, fold=False)


_FOLLOWER = (
    "pthread_cond_wait Stage_manager::enroll_for MYSQL_BIN_LOG::change_stage "
    "MYSQL_BIN_LOG::ordered_commit ha_commit_trans"
)


def test_followers_wait_for_the_one_stage_that_somebody_works_in() -> None:
    """A follower's stack names no stage: its leader in sync_binlog_file tells it (5.6 to 8.0)."""
    assert modes(unfolded(SYNC_STAGE)) == {"sync stage": 40}
    folded = moment_graph.wait_graph(evidence(SYNC_STAGE), None, fold=True)
    assert [node.detail for node in folded.nodes if node.kind == "group"] == ["sync stage"]
    flush = pmp(
        (
            1,
            (
                "write my_write MYSQL_BIN_LOG::flush_cache_to_file MYSQL_BIN_LOG::"
                "process_flush_stage_queue MYSQL_BIN_LOG::ordered_commit ha_commit_trans"
            ),
        ),
        (9, _FOLLOWER),
    )
    assert modes(unfolded(flush)) == {"flush stage": 9}
    commit = pmp(
        (
            1,
            (
                "fsync os_file_fsync fil_flush log_write_up_to trx_commit_complete_for_mysql "
                "innobase_commit MYSQL_BIN_LOG::process_commit_stage_queue "
                "MYSQL_BIN_LOG::ordered_commit ha_commit_trans"
            ),
        ),
        (9, _FOLLOWER.replace("Stage_manager", "Commit_stage_manager")),
    )
    assert modes(unfolded(commit)) == {"commit stage": 9}


def test_where_two_stages_are_busy_no_stage_is_claimed() -> None:
    both = SYNC_STAGE + pmp(
        (
            1,
            (
                "write my_write MYSQL_BIN_LOG::process_flush_stage_queue "
                "MYSQL_BIN_LOG::ordered_commit ha_commit_trans"
            ),
        ),
        (3, _FOLLOWER.replace("pthread_cond_wait Stage_manager::enroll_for", "__lll_lock_wait")),
    )
    graph = unfolded(both)
    assert modes(graph) == {"binary log group commit": 43}
    notes = {edge.note for edge in graph.edges if edge.target == "commit"}
    assert any("flush stage and sync stage" in note for note in notes)
    assert any("leads a group, waits for its turn" in note for note in notes)


def test_mariadb_followers_wait_for_their_leader_in_the_sync() -> None:
    """MariaDB: the leader syncs under LOCK_log, followers wait for the commit before theirs."""
    graph = unfolded(
        pmp(
            (
                1,
                (
                    "fdatasync my_sync MYSQL_BIN_LOG::flush_and_sync "
                    "MYSQL_BIN_LOG::trx_group_commit_leader "
                    "MYSQL_BIN_LOG::write_transaction_to_binlog_events ha_commit_trans"
                ),
            ),
            (
                7,
                (
                    "pthread_cond_wait wait_for_commit::wait_for_prior_commit2 "
                    "MYSQL_BIN_LOG::queue_for_group_commit "
                    "MYSQL_BIN_LOG::write_transaction_to_binlog_events ha_commit_trans"
                ),
            ),
            (
                2,
                (
                    "__lll_lock_wait pthread_mutex_lock MYSQL_BIN_LOG::trx_group_commit_leader "
                    "MYSQL_BIN_LOG::write_transaction_to_binlog_events ha_commit_trans"
                ),
            ),
        )
    )
    assert modes(graph) == {"sync stage": 9}
    assert ("commit", "fsync:binary log") in {(edge.source, edge.target) for edge in graph.edges}


def test_a_dump_tells_the_phase_of_the_commit_by_the_transaction() -> None:
    """'preparing' is XA prepare, PREPARED the binary log, 'committing' the engine's commit."""
    base = {"state": "ACTIVE", "operation": None}
    stage_of = commit_queue.stage_by_transaction
    assert stage_of({**base, "operation": "preparing"}) == "XA prepare (redo flush)"
    assert stage_of({**base, "state": "ACTIVE (PREPARED)"}).startswith("flush or sync stage")
    assert stage_of({**base, "operation": "committing"}).startswith("commit stage")
    assert stage_of({**base, "state": "COMMITTED IN MEMORY"}).startswith("commit stage")
    assert stage_of(base) == stage_of(None) == ""


def test_commits_wait_for_the_one_that_waits_for_a_replica() -> None:
    """The leader of the group commit waits for the acknowledgement, the others for the leader."""
    reply = (7, "Query", 9, "Waiting for semi-sync ACK from slave", "COMMIT")
    others = [(n, "Query", 8, "query end", "COMMIT") for n in range(20, 32)]
    (root,) = graph(sessions(reply, *others)).roots
    assert (root.label, root.blocks_total) == ("acknowledgement of a replica", 13)


def test_commits_of_mariadb_wait_for_the_cluster() -> None:
    writes = [(n, "Query", 9, "wsrep: replicating and certifying write set", "x") for n in range(3)]
    others = [(n, "Query", 8, "Commit", "COMMIT") for n in range(20, 32)]
    (root,) = graph(sessions(*writes, *others)).roots
    assert (root.label.partition(" (")[0], root.blocks_total) == ("the cluster", 15)
