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
}


@pytest.mark.parametrize("name", INCIDENTS)
def test_the_right_finding_comes_first(name: str) -> None:
    example, causes, root = INCIDENTS[name]
    found = analyse(case(example))
    said = [(one.id, one.score, one.against) for one in found.findings[:4]]
    assert found.findings[0].id in causes, said
    assert found.findings[0].score >= 0.5, said
    assert not [one for one in found.findings if one.score > 0.5 and one.id not in causes], said
    if root:
        assert re.search(root, found.blockers[0].holder), found.blockers[:2]


def test_a_blocker_is_counted_once_in_a_snapshot() -> None:
    """Forty pages of one origin are one blocker: it is in 6 of 6 dumps, not in 240."""
    waits = [f"3 X btr0cur.cc:{700 + n} buf0buf.cc:1021 0x{n:03x}" for n in range(40)]
    found = analyse(case(Example(says="", server="5.6.30", waits=waits)))
    assert all(one.seen <= one.of for one in found.blockers)
    assert found.blockers[0].persistence == "In 6 of 6 snapshots"
