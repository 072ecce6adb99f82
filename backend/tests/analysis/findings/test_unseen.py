"""Incidents of known mechanisms, made by thought: the right finding first, and no other above 0.5.

They differ from the captures that the rules were written with. Shapes of the texts are those that
the servers print; the numbers are ours.
"""

from __future__ import annotations

import re

import pytest

from pileup.analysis import analyse
from pileup.knowledge.signature import Example
from tests.analysis.cases import case

SLOWER = {"mysql.Questions": [3000.0, 100.0]}
_COMMIT = "trx_prepare,ha_prepare_low,ha_commit_trans"

INCIDENTS = {
    "an ALTER behind a long SELECT, and all behind the ALTER": (
        Example(
            says="",
            states=["60 Waiting for table metadata lock", "1 Sending data"],
            queries=["1 ALTER TABLE orders ADD COLUMN x INT", "60 SELECT * FROM orders"],
            series=SLOWER,
        ),
        {"mdl-pileup"},
        "",
    ),
    "a backup's global read lock": (
        Example(
            says="",
            server="5.6.30",
            states=["50 Waiting for global read lock", "3 Sending data"],
            queries=["1 FLUSH TABLES WITH READ LOCK"],
            series=SLOWER,
        ),
        {"ftwrl"},
        "session",
    ),
    "old row versions pile up": (
        Example(
            says="",
            server="8.0.30",
            states=["60 Sending data"],
            settings={"innodb_purge_threads": "1"},
            series={"innodb.history_list_length": [1000, 4_000_000], **SLOWER},
        ),
        {"purge-lag"},
        "",
    ),
    "the redo log is full": (
        Example(
            says="",
            server="8.0.25",
            stacks=[
                (
                    "40 pthread_cond_wait,os_event::wait_low,log_free_check_wait,log_free_check,"
                    "row_upd_clust_step,mysql_update"
                ),
                (
                    "1 pwrite64,os_file_io,fil_io,buf_flush_write_block_low,pc_flush_slot,"
                    "buf_flush_page_coordinator_thread"
                ),
            ],
            settings={"innodb_log_file_size": "50331648", "innodb_log_files_in_group": "2"},
            series={"innodb.checkpoint_age": [2e7, 9.4e7], **SLOWER},
        ),
        {"sync-flush"},
        "fil_io",
    ),
    "the adaptive hash latch of 5.6, which has a name and no place of creation": (
        Example(
            says="",
            server="5.6.26",
            waits=[
                "120 S btr0sea.cc:914 &btr_search_latch",
                "20 X btr0sea.cc:610 &btr_search_latch",
            ],
            settings={"innodb_adaptive_hash_index": "ON"},
            series=SLOWER,
        ),
        {"mysql-100512", "mysql-56277"},  # one mechanism, two descriptions of it
        "btr_search_latch",
    ),
    "a device that does not answer, 8.0": (
        Example(
            says="",
            server="8.0.25",
            states=["70 waiting for handler commit"],
            stacks=[
                (
                    "1 fsync,os_file_fsync_posix,os_file_flush_func,fil_flush,log_flush_low,"
                    "log_flusher,start_thread"
                ),
                f"60 pthread_cond_wait,log_wait_for_flush,log_write_up_to,{_COMMIT}",
            ],
            settings={"sync_binlog": "1", "innodb_flush_log_at_trx_commit": "1"},
            series={"mysql.Innodb_os_log_fsyncs": [500, 2], **SLOWER},
        ),
        {"fsync-stall"},
        "fsync of the redo log",
    ),
    "a device that does not answer, MariaDB": (
        Example(
            says="",
            server="10.6.5-MariaDB",
            states=["70 Waiting for prior transaction to commit"],
            stacks=[
                (
                    "1 fdatasync,my_sync,MYSQL_BIN_LOG::flush_and_sync,"
                    "MYSQL_BIN_LOG::trx_group_commit_leader,ha_commit_trans"
                ),
                (
                    "60 pthread_cond_wait,wait_for_commit::wait_for_prior_commit2,"
                    "MYSQL_BIN_LOG::queue_for_group_commit,ha_commit_trans"
                ),
            ],
            settings={"sync_binlog": "1"},
            series=SLOWER,
        ),
        {"fsync-stall"},
        "fsync of the binary log",
    ),
    "a dropped table under the dictionary's mutex": (
        Example(
            says="",
            server="5.5.21",
            waits=["60 mutex dict0dict.cc:980 &dict_sys->mutex"],
            stacks=[
                (
                    "1 buf_LRU_drop_page_hash_for_tablespace,buf_LRU_flush_or_remove_pages,"
                    "fil_delete_tablespace,row_drop_table_for_mysql,mysql_rm_table"
                )
            ],
            queries=["1 DROP TABLE old_events"],
            series=SLOWER,
        ),
        {"mysql-64284"},
        "dict_sys",
    ),
    "splits of one index": (
        Example(
            says="",
            server="5.6.30",
            waits=[
                "70 X btr0cur.cc:600 dict0dict.cc:2500 0x2d1",
                "50 S btr0cur.cc:610 dict0dict.cc:2500 0x2d1",
            ],
            stacks=["2 btr_page_split_and_insert,btr_cur_pessimistic_insert,row_ins_step"],
            series=SLOWER,
        ),
        {"index-lock"},
        "index_tree_lock",
    ),
    "a replica that does not acknowledge": (
        Example(
            says="",
            states=["60 Waiting for semi-sync ACK from slave"],
            series=SLOWER,
        ),
        {"semisync-stall"},
        "acknowledgement",
    ),
    "the adaptive hash is off in 8.0, the tree latch of one index is hot": (
        Example(
            says="",
            server="8.0.36",
            waits=[
                "80 SX btr0cur.cc:970 dict0dict.cc:2400 0x7f3a",
                "120 S btr0cur.cc:988 dict0dict.cc:2400 0x7f3a",
            ],
            stacks=[
                "1 btr_page_split_and_insert,btr_cur_pessimistic_insert,row_ins_clust_index_entry"
            ],
            settings={"innodb_adaptive_hash_index": "OFF"},
            series=SLOWER,
        ),
        {"index-lock"},
        "",
    ),
    "only the binary log's device is slow": (
        Example(
            says="",
            server="8.0.36",
            states=["64 waiting for handler commit"],
            stacks=[
                (
                    "1 fsync,my_sync,MYSQL_BIN_LOG::sync_binlog_file,"
                    "MYSQL_BIN_LOG::ordered_commit,MYSQL_BIN_LOG::commit,ha_commit_trans"
                ),
                (
                    "63 pthread_cond_wait,Commit_stage_manager::enroll_for,"
                    "MYSQL_BIN_LOG::change_stage,MYSQL_BIN_LOG::ordered_commit,"
                    "MYSQL_BIN_LOG::commit,ha_commit_trans"
                ),
            ],
            settings={"sync_binlog": "1", "innodb_flush_log_at_trx_commit": "2"},
            series=SLOWER,
        ),
        {"fsync-stall"},
        "fsync of the binary log",
    ),
    "appliers of a replica wait for the commit of the one before": (
        Example(
            says="",
            server="8.0.32",
            states=[
                "15 Waiting for preceding transaction to commit",
                "60 waiting for handler commit",
            ],
            stacks=[
                (
                    "1 fdatasync,my_sync,MYSQL_BIN_LOG::sync_binlog_file,"
                    "MYSQL_BIN_LOG::ordered_commit,MYSQL_BIN_LOG::commit,ha_commit_trans,"
                    "Xid_apply_log_event::do_commit,slave_worker_exec_job_group,"
                    "handle_slave_worker"
                ),
                (
                    "15 pthread_cond_wait,Commit_order_manager::wait_on_graph,"
                    "Commit_order_manager::wait,ha_commit_low,Xid_apply_log_event::do_commit,"
                    "slave_worker_exec_job_group,handle_slave_worker"
                ),
                (
                    "60 pthread_cond_wait,Commit_stage_manager::enroll_for,"
                    "MYSQL_BIN_LOG::change_stage,MYSQL_BIN_LOG::ordered_commit,"
                    "ha_commit_trans"
                ),
            ],
            settings={"sync_binlog": "1"},
            series=SLOWER,
        ),
        {"fsync-stall"},
        "fsync of the binary log",
    ),
    "no free page: every reader flushes one itself, 5.6": (
        Example(
            says="",
            server="5.6.40",
            stacks=[
                (
                    "50 pthread_cond_wait,os_event_wait_low,buf_flush_wait_batch_end,"
                    "buf_LRU_get_free_block,buf_page_init_for_read,buf_read_page,"
                    "buf_page_get_gen,row_search_for_mysql"
                ),
                (
                    "8 fsync,os_file_flush_func,fil_flush,buf_dblwr_flush_buffered_writes,"
                    "buf_flush_single_page_from_LRU,buf_LRU_get_free_block,buf_read_page"
                ),
            ],
            log=[
                "InnoDB: Warning: difficult to find free blocks in the buffer pool (21 iterations)!"
            ],
            series={
                "mysql.Innodb_buffer_pool_pages_free": [1024, 0],
                "mysql.Innodb_buffer_pool_wait_free": [0, 400],
                **SLOWER,
            },
        ),
        {"free-pages", "doublewrite-single"},
        "",
    ),
    "MariaDB without a sync array: the index latch shows on stacks alone": (
        Example(
            says="",
            server="10.11.6-MariaDB",
            stacks=[
                (
                    "70 syscall,ssux_lock_impl::rd_wait,index_lock::s_lock,mtr_t::s_lock,"
                    "btr_cur_t::search_leaf,row_ins_sec_index_entry_low,row_ins_step"
                ),
                (
                    "9 syscall,ssux_lock_impl::wr_wait,index_lock::x_lock,"
                    "btr_cur_t::pessimistic_search_leaf,row_ins_sec_index_entry,row_ins_step"
                ),
                (
                    "1 btr_page_split_and_insert,btr_cur_pessimistic_insert,"
                    "row_ins_sec_index_entry_low,row_ins_step"
                ),
            ],
            series=SLOWER,
        ),
        {"index-lock"},
        "",
    ),
    "new connections pile up, no lock anywhere": (
        Example(
            says="",
            server="5.7.30",
            states=["90 login"],
            series={
                "mysql.Threads_connected": [200, 4000],
                "mysql.Connections": [20, 900],
                "mysql.Threads_created": [0, 800],
                "mysql.Aborted_connects": [0, 100],
                **SLOWER,
            },
        ),
        {"connection-storm", "dns-login"},
        "",
    ),
    "every insert asks for the table's AUTO-INC lock": (
        Example(
            says="",
            server="5.7.30",
            transactions=["50 LOCK WAIT | table AUTO-INC app.orders", "1 ACTIVE | inserting"],
            queries=[
                "50 INSERT INTO orders (a) VALUES (1)",
                "1 INSERT INTO orders SELECT * FROM old_orders",
            ],
            settings={"innodb_autoinc_lock_mode": "0"},
            series=SLOWER,
        ),
        {"mysql-16979"},
        "",
    ),
    "invalidation of a large query cache": (
        Example(
            says="",
            server="5.6.30",
            states=["70 Waiting for query cache lock"],
            stacks=[
                (
                    "69 pthread_cond_wait,Query_cache::try_lock,"
                    "Query_cache::send_result_to_client,mysql_parse"
                ),
                (
                    "1 Query_cache::free_query_internal,Query_cache::invalidate_table,"
                    "Query_cache::invalidate,mysql_update"
                ),
            ],
            settings={"query_cache_type": "ON", "query_cache_size": "2147483648"},
            series=SLOWER,
        ),
        {"query-cache", "mysql-21074"},
        "",
    ),
    "a backup stage holds off DDL and commits, MariaDB": (
        Example(
            says="",
            server="10.6.12-MariaDB",
            states=["60 Waiting for backup lock"],
            queries=["1 BACKUP STAGE BLOCK_COMMIT", "60 UPDATE t SET a = 1"],
            series=SLOWER,
        ),
        {"ftwrl"},
        "session",
    ),
}


@pytest.mark.parametrize("name", INCIDENTS)
@pytest.mark.dealt(2)
def test_the_right_finding_comes_first(name: str) -> None:
    example, causes, root = INCIDENTS[name]
    found = analyse(case(example))
    said = [(finding.id, finding.score, finding.against) for finding in found.findings[:4]]
    assert found.findings[0].id in causes, said
    assert found.findings[0].score >= 0.5, said
    assert not [
        finding for finding in found.findings if finding.score > 0.5 and finding.id not in causes
    ], said
    if root:
        assert re.search(root, found.blockers[0].holder), found.blockers[:2]


def test_a_blocker_is_counted_once_in_a_snapshot() -> None:
    """Forty pages of one origin are one blocker: it is in 6 of 6 dumps, not in 240."""
    waits = [f"3 X btr0cur.cc:{700 + n} buf0buf.cc:1021 0x{n:03x}" for n in range(40)]
    found = analyse(case(Example(says="", server="5.6.30", waits=waits)))
    assert all(blocker.seen <= blocker.of for blocker in found.blockers)
    assert found.blockers[0].persistence == (
        "Root blocker in 6 of 6 status dumps of the stall (40 similar ones combined)"
    )


CALM = {
    "busy, and keeping up": Example(
        says="",
        server="8.0.36",
        states=["20 executing", "10 Sending data"],
        stacks=["20 row_search_mvcc,ha_innobase::index_read,handler::read_range_first,do_select"],
        settings={"innodb_adaptive_hash_index": "ON", "sync_binlog": "1"},
        series={"mysql.Questions": [3000.0, 3300.0]},
    ),
    "MariaDB threads that take and release slim latches": Example(
        says="",
        server="10.11.6-MariaDB",
        stacks=[
            (
                "30 ssux_lock_impl<true>::rd_unlock,page_hash_latch::unlock_shared,"
                "buf_page_get_low,"
                "btr_cur_t::search_leaf,row_search_mvcc"
            ),
            (
                "20 ssux_lock_impl<true>::rd_lock_try,ssux_lock_impl<true>::rd_lock,"
                "buf_page_get_low,"
                "btr_cur_t::search_leaf,row_search_mvcc"
            ),
        ],
        series={"mysql.Questions": [3000.0, 3300.0]},
    ),
}


@pytest.mark.parametrize("name", CALM)
def test_nothing_is_made_of_a_server_that_works(name: str) -> None:
    """Sessions run and the answers per second do not fall: whatever is shown, it is no cause."""
    found = analyse(case(CALM[name]))
    said = [(finding.id, finding.score) for finding in found.findings if finding.score > 0.5]
    assert not [sentence for sentence in said if sentence[0] != "thread-concurrency-zero"], said
    assert not found.blockers
