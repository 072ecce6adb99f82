"""Causes of pastes beside what looks like them: a rival, and a server that is well.

Each case has three texts of one shape. Written by hand in the words of servers and of people.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pileup.analysis import analyse, gather
from pileup.analysis.contract import Analysis
from pileup.cli.captures import Captures

_FTWRL = "FLUSH TABLES WITH READ LOCK"
_ORDER = "Waiting for preceding transaction to commit"


@dataclass(frozen=True)
class Case:
    """What is named, what is named of the rival, and the root of the first."""

    issue: str
    text: str
    rival: str
    rival_text: str
    healthy: str
    root: str = ""


CASES = {
    "a backup's lock and appliers in commit order": Case(
        issue="applier-order-circle",
        text=f"""
| 31 | system user |           | NULL | Query | 77 | {_ORDER}             | NULL     |
| 32 | system user |           | NULL | Query | 77 | Waiting for global read lock | NULL |
| 33 | system user |           | NULL | Query | 76 | {_ORDER}             | NULL     |
| 60 | nightly     | localhost | NULL | Query | 76 | Waiting for commit lock | {_FTWRL} |
""",
        rival="ftwrl",
        rival_text=f"""
| 31 | system user |           | NULL | Query | 77 | {_ORDER}             | NULL     |
| 32 | system user |           | NULL | Query | 77 | Waiting for global read lock | NULL |
| 60 | nightly     | localhost | NULL | Sleep | 78 |                      | NULL     |
""",
        healthy=f"""
| 31 | system user |           | NULL | Query | 0 | {_ORDER} | NULL |
| 32 | system user |           | NULL | Query | 0 | System lock | NULL |
| 60 | nightly     | localhost | NULL | Sleep | 8 |             | NULL |
""",
        root="A circle of waits",
    ),
    "keys of a row that somebody left out": Case(
        issue="applier-order-circle",
        text=f"""
   Id: 15
 User: system user
State: {_ORDER}
 Time: 412
   Id: 16
 User: system user
State: Waiting for commit lock
 Time: 412
   Id: 70
 User: ops
State: Waiting for commit lock
 Time: 410
 Info: SET GLOBAL read_only = 1
""",
        rival="mdl-pileup",
        rival_text="""
   Id: 15
 User: app
State: Waiting for table metadata lock
 Time: 412
 Info: SELECT * FROM parts
   Id: 16
 User: app
State: Waiting for table metadata lock
 Time: 413
 Info: ALTER TABLE parts ADD note text
   Id: 70
 User: app
State: Sending data
 Time: 900
   db: shop
 Info: SELECT count(*) FROM parts JOIN parts p USING (kind)
""",
        healthy="""
   Id: 15
 User: app
State: updating
 Time: 0
 Info: UPDATE parts SET n = 1 WHERE id = 7
   Id: 16
 User: app
State: statistics
 Time: 0
   db: shop
 Info: SELECT * FROM parts WHERE id = 8
""",
        root="A circle of waits",
    ),
    "tools that look through all tables": Case(
        issue="information-schema",
        text="""
| 71 | mon | localhost  | NULL | Query | 95 | Opening tables | SELECT table_schema, SUM(data_length) FROM information_schema.tables GROUP BY 1 |
| 72 | mon | localhost  | NULL | Query | 65 | Opening tables | SELECT table_schema, SUM(data_length) FROM information_schema.tables GROUP BY 1 |
| 90 | app | web2:41001 | a    | Query | 21 | Opening tables | SELECT v FROM options WHERE k = 'x' |
""",  # noqa: E501
        rival="lock-open",
        rival_text="""
| 71 | app | web1:41001 | a    | Query | 25 | Opening tables | SELECT v FROM options WHERE k = 'y' |
| 72 | app | web1:41002 | a    | Query | 25 | Opening tables | SELECT v FROM pages WHERE k = 'y' |
| 90 | app | web2:41001 | a    | Query | 21 | Opening tables | SELECT v FROM options WHERE k = 'x' |
""",
        healthy="""
| 71 | mon | localhost  | NULL | Query |  0 | Opening tables | SELECT table_schema, SUM(data_length) FROM information_schema.tables GROUP BY 1 |
| 90 | app | web2:41001 | a    | Query |  0 | statistics     | SELECT v FROM options WHERE k = 'x' |
""",  # noqa: E501
    ),
    "a full listen queue": Case(
        issue="listen-queue",
        text="""
$ ss -ltn
State      Recv-Q Send-Q Local Address:Port               Peer Address:Port
LISTEN     151    150          *:3306                     *:*
LISTEN     0      128          *:22                       *:*
""",
        rival="network-loss",
        rival_text="""
--- db2 ping statistics ---
200 packets transmitted, 151 received, 24% packet loss, time 200100ms
""",
        healthy="""
$ ss -ltn
State      Recv-Q Send-Q Local Address:Port               Peer Address:Port
LISTEN     3      150          *:3306                     *:*
LISTEN     0      128          *:22                       *:*
""",
    ),
    "counters of the network, grepped twice": Case(
        issue="listen-queue",
        text="""
    9120 times the listen queue of a socket overflowed
    9166 SYNs to LISTEN sockets dropped
    9480 times the listen queue of a socket overflowed
    9533 SYNs to LISTEN sockets dropped
""",
        rival="network-loss",
        rival_text="""
--- db2 ping statistics ---
200 packets transmitted, 151 received, 24% packet loss, time 200100ms
""",
        healthy="""
    9120 times the listen queue of a socket overflowed
    9166 SYNs to LISTEN sockets dropped
    9120 times the listen queue of a socket overflowed
    9166 SYNs to LISTEN sockets dropped
""",
    ),
    "a leap second": Case(
        issue="leap-second",
        text="""
Jun 30 23:59:59 db4 kernel: [11233.1123] Clock: inserting leap second 23:59:60 UTC

  PID USER      PR  NI  VIRT  RES  SHR S %CPU %MEM    TIME+  COMMAND
 1811 mysql     20   0 20.1g  11g 6120 S  388 46.2  9122:11 mysqld
   11 root      20   0     0    0    0 R   97  0.0   121:02 ksoftirqd/1
""",
        rival="clock-step",
        rival_text="""
Jun 30 23:59:59 db4 chronyd[771]: System clock was stepped by -61.003344 seconds
""",
        healthy="""
Jun 30 23:59:59 db4 kernel: [11233.1123] Clock: inserting leap second 23:59:60 UTC

  PID USER      PR  NI  VIRT  RES  SHR S %CPU %MEM    TIME+  COMMAND
 1811 mysql     20   0 20.1g  11g 6120 S   38 46.2  9122:11 mysqld
""",
    ),
    "a node of the machine without memory": Case(
        issue="numa-imbalance",
        text="""
available: 2 nodes (0-1)
node 0 size: 65000 MB
node 0 free: 71 MB
node 1 size: 65000 MB
node 1 free: 21000 MB
""",
        rival="swapping",
        rival_text="""
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 3  9 900000  99000   1000 900000 4100 5200   999   999 9000 8000  5  9 40 46  0
 3  9 901000  98000   1000 900000 4900 5100   999   999 9000 8000  5  9 40 46  0
""",
        healthy="""
available: 2 nodes (0-1)
node 0 size: 65000 MB
node 0 free: 1100 MB
node 1 size: 65000 MB
node 1 free: 1300 MB
""",
    ),
    "a chain of calls, callees first": Case(
        issue="mysql-100512",
        text="""
 80 pthread_cond_wait < os_event_wait_low < sync_array_wait_event < rw_lock_s_lock_spin < btr_search_guess_on_hash < btr_cur_search_to_nth_level
  7 pthread_cond_wait < os_event_wait_low < sync_array_wait_event < rw_lock_x_lock_func < btr_search_build_page_hash_index < btr_search_info_update_slow
""",  # noqa: E501
        rival="mdl-pileup",
        rival_text="""
30x do_command -> mysql_parse -> open_tables -> open_table -> MDL_context::acquire_lock -> MDL_wait::timed_wait
""",  # noqa: E501
        healthy="""
 40 poll < vio_io_wait < vio_socket_io_wait < net_read_raw_loop < my_net_read < do_command
  2 btr_cur_search_to_nth_level < row_search_mvcc < ha_innobase::index_read
""",
    ),
    "one reading of what the latches count": Case(
        issue="mysql-100512",
        text="""
+--------+---------------+-------------------+
| Type   | Name          | Status            |
+--------+---------------+-------------------+
| InnoDB | btr0sea.c:178 | os_waits=31120441 |
| InnoDB | log0log.c:775 | os_waits=901120   |
+--------+---------------+-------------------+
""",
        rival="mysql-100512",
        rival_text="""
+--------+---------------+-------------------+
| Type   | Name          | Status            |
+--------+---------------+-------------------+
| InnoDB | btr0sea.c:178 | os_waits=31120441 |
+--------+---------------+-------------------+
""",
        healthy="""
+--------+---------------+-------------------+
| Type   | Name          | Status            |
+--------+---------------+-------------------+
| InnoDB | btr0sea.c:178 | os_waits=311      |
| InnoDB | log0log.c:775 | os_waits=90       |
+--------+---------------+-------------------+
""",
    ),
    "a dashboard's export with times of day": Case(
        issue="burst-credits",
        text="""
What the volume did (UTC):

time, BurstBalance, DiskQueueDepth
23:50, 9, 2
23:55, 3, 4
00:00, 0, 58
00:05, 0, 60
the sessions were at their commit
""",
        rival="cpu-steal",
        rival_text="""
time,st,us
11:00,31,40
11:01,35,41
11:02,33,40
""",
        healthy="""
time, BurstBalance, DiskQueueDepth
23:50, 99, 2
23:55, 98, 1
00:00, 97, 2
00:05, 98, 1
""",
    ),
    "two readings with a pause between them": Case(
        issue="table-cache",
        text="""
mysql> show global status like 'open%tables'; select sleep(10); show global status like 'open%tables';
+---------------+--------+
| Variable_name | Value  |
+---------------+--------+
| Open_tables   | 400    |
| Opened_tables | 710233 |
+---------------+--------+
+---------------+--------+
| Variable_name | Value  |
+---------------+--------+
| Open_tables   | 400    |
| Opened_tables | 713901 |
+---------------+--------+
""",  # noqa: E501
        rival="lock-open",
        rival_text="""
 40 threads in 'Opening tables'
  3 threads in 'Sending data'
""",
        healthy="""
mysql> show global status like 'open%tables'; select sleep(10); show global status like 'open%tables';
+---------------+--------+
| Variable_name | Value  |
+---------------+--------+
| Open_tables   | 400    |
| Opened_tables | 710233 |
+---------------+--------+
+---------------+--------+
| Variable_name | Value  |
+---------------+--------+
| Open_tables   | 400    |
| Opened_tables | 710331 |
+---------------+--------+
""",  # noqa: E501
    ),
    "sessions in a chat, in own words": Case(
        issue="mdl-pileup",
        text="""
it hangs since the deploy:
7188 deploy@10.8.0.9 "ALTER TABLE parts ADD note text" 211s Waiting for table metadata lock
7190 web@10.8.0.21 "select * from parts where id = 8" 209s Waiting for table metadata lock
7120 bi@10.8.4.2 "select count(*) from parts join kinds using (kind)" 902s Sending data
""",
        rival="flush-tables",
        rival_text="""
7121 bi@10.8.4.2 "select count(*) from parts join kinds using (kind)" 902s Sending data
7188 dba@10.8.0.9 "FLUSH TABLES" 211s Waiting for table flush
7190 web@10.8.0.21 "select * from parts where id = 8" 209s Waiting for table flush
""",
        healthy="""
mails of today:
7188 deploy@10.8.0.9 "deploy of the parts page" took 11s as always
7190 web@10.8.0.21 "nothing to do" took 2s
""",
        root="7120",
    ),
    "nodes side by side": Case(
        issue="galera-fc",
        text="""
metric                               a-0      a-1      a-2
wsrep_flow_control_paused            0.88     0.87     0.89
wsrep_local_recv_queue               0        1        290
""",
        rival="galera-conflict",
        rival_text="""
2024-05-05T10:00:00.000000Z 7 [Note] WSREP: cluster conflict due to high priority abort for threads:
2024-05-05T10:00:00.000001Z 7 [Note] WSREP: Winning thread:
2024-05-05T10:00:00.000002Z 7 [Note] WSREP: Victim thread:
""",
        healthy="""
metric                               a-0      a-1      a-2
wsrep_flow_control_paused            0.001    0.002    0.001
wsrep_local_recv_queue               0        1        2
""",
    ),
    "a graph in numbers": Case(
        issue="connection-storm",
        text="""
Threads_created/s: 4 -> 610
Threads_running: 9 -> 240
""",
        rival="connection-storm",
        rival_text="""
Threads_created per second went from 4 to 480
Threads_connected went from 90 to 700
""",
        healthy="""
Threads_created/s: 1 -> 2
Threads_running: 9 -> 11
""",
    ),
    "the rest of a crash is rolled back": Case(
        issue="long-rollback",
        text="""
2021-03-03 11:01:33 0 [Note] InnoDB: 1 transaction(s) which must be rolled back or cleaned up in total 51827312 row operations to undo
2021-03-03 11:05:33 0 [Note] InnoDB: To roll back: 1 transactions, 51027312 rows
""",  # noqa: E501
        rival="disk-full",
        rival_text="""
2021-03-03 11:01:33 7 [ERROR] Disk is full writing './binlog.000117' (Errcode: 28). Waiting for someone to free space...
""",  # noqa: E501
        healthy="""
2021-03-03 11:01:33 0 [Note] InnoDB: 1 transaction(s) which must be rolled back or cleaned up in total 2 row operations to undo
2021-03-03 11:01:34 0 [Note] InnoDB: Rollback of non-prepared transactions completed
""",  # noqa: E501
    ),
    "a drop holds up whoever opens tables": Case(
        issue="drop-table",
        text="""
| 50 | batch | localhost | s | Query | 31 | NULL           | DROP TABLE old_hits |
| 61 | web   | w1:4001   | s | Query | 30 | Opening tables | SELECT * FROM hits WHERE u = 1 |
| 62 | web   | w1:4002   | s | Query | 30 | Opening tables | SELECT * FROM hits WHERE u = 2 |
| 63 | web   | w1:4003   | s | Query | 29 | Opening tables | SELECT * FROM sites WHERE u = 2 |

#0  buf_LRU_flush_or_remove_pages () at buf0lru.c:312
#1  fil_delete_tablespace () at fil0fil.c:2221
#2  row_drop_table_for_mysql () at row0mysql.c:3411
#3  mysql_rm_table () at sql_table.cc:1942
""",
        rival="lock-open",
        rival_text="""
| 50 | batch | localhost | s | Query |  1 | NULL           | DROP TABLE old_hits |
| 61 | web   | w1:4001   | s | Query | 30 | Opening tables | SELECT * FROM hits WHERE u = 1 |
| 62 | web   | w1:4002   | s | Query | 30 | Opening tables | SELECT * FROM hits WHERE u = 2 |
| 63 | web   | w1:4003   | s | Query | 29 | Opening tables | SELECT * FROM sites WHERE u = 2 |
""",
        healthy="""
| 50 | batch | localhost | s | Query |  1 | NULL       | DROP TABLE old_hits |
| 61 | web   | w1:4001   | s | Query |  0 | statistics | SELECT * FROM hits WHERE u = 1 |
""",
        root="50",
    ),
    "one job holds a user lock, others of its kind wait": Case(
        issue="user-lock",
        text="""
| 15 | cron | j1:401 | a | Query | 871 | executing | UPDATE stock JOIN feed USING (sku) SET q = 1 |
| 61 | cron | j1:418 | a | Query | 600 | User lock | SELECT GET_LOCK('stock', 3600) |
| 74 | cron | j1:419 | a | Query | 540 | User lock | SELECT GET_LOCK('stock', 3600) |
""",
        rival="user-lock",
        rival_text="""
| 15 | bi   | j1:401 | a | Query | 871 | executing | SELECT count(*) FROM sales JOIN days |
| 61 | cron | j1:418 | a | Query | 600 | User lock | SELECT GET_LOCK('stock', 3600) |
| 74 | cron | j1:419 | a | Query | 540 | User lock | SELECT GET_LOCK('stock', 3600) |
""",
        healthy="""
| 15 | cron | j1:401 | a | Query | 871 | executing | UPDATE stock JOIN feed USING (sku) SET q = 1 |
| 61 | cron | j1:418 | a | Sleep |  60 |           | NULL |
""",
        root="15",
    ),
    "a schema change of a Galera cluster": Case(
        issue="galera-toi",
        text="""
| 27 | dba | localhost | c | Query | 212 | altering table            | ALTER TABLE people ADD INDEX (mail) |
| 81 | crm | a:4001    | c | Query | 210 | Waiting for certification | UPDATE deals SET stage = 3 WHERE id = 4 |
| 82 | crm | a:4002    | c | Query | 209 | Waiting for certification | INSERT INTO notes (id) VALUES (8) |
""",  # noqa: E501
        rival="galera-fc",
        rival_text="""
| 27 | dba | localhost | c | Query | 0   | Sending data              | SELECT mail FROM people |
| 81 | crm | a:4001    | c | Query | 210 | Waiting for certification | UPDATE deals SET stage = 3 WHERE id = 4 |
| 82 | crm | a:4002    | c | Query | 209 | Waiting for certification | INSERT INTO notes (id) VALUES (8) |
""",  # noqa: E501
        healthy="""
| 27 | dba | localhost | c | Query | 212 | altering table | ALTER TABLE people ADD INDEX (mail) |
| 81 | crm | a:4001    | c | Query |   0 | Commit         | UPDATE deals SET stage = 3 |
""",
        root="27",
    ),
    "rows of a transaction that rolls back": Case(
        issue="long-rollback",
        text="""
---TRANSACTION 8101, ACTIVE 900 sec rollback
ROLLING BACK 812 lock struct(s), heap size 61123, 88123 row lock(s), undo log entries 511231
MySQL thread id 44, OS thread handle 0x7f, query id 88 localhost root
DELETE FROM log WHERE ts < '2015-01-01'
---TRANSACTION 8102, ACTIVE 31 sec inserting
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 360, 1 row lock(s)
MySQL thread id 99, OS thread handle 0x7e, query id 98 10.0.0.3 app update
INSERT INTO log (ts, m) VALUES (now(), 'x')
------- TRX HAS BEEN WAITING 31 SEC FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 12 page no 991 n bits 120 index `ts` of table `a`.`log` trx id 8102 lock_mode X insert intention waiting
""",  # noqa: E501
        rival="hot-row",
        rival_text="""
---TRANSACTION 8101, ACTIVE 900 sec
812 lock struct(s), heap size 61123, 88123 row lock(s), undo log entries 511231
MySQL thread id 45, OS thread handle 0x7f, query id 88 localhost root
---TRANSACTION 8102, ACTIVE 31 sec inserting
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 360, 1 row lock(s)
MySQL thread id 99, OS thread handle 0x7e, query id 98 10.0.0.3 app update
INSERT INTO log (ts, m) VALUES (now(), 'x')
------- TRX HAS BEEN WAITING 31 SEC FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 12 page no 991 n bits 120 index `ts` of table `a`.`log` trx id 8102 lock_mode X insert intention waiting
""",  # noqa: E501
        healthy="""
---TRANSACTION 8101, ACTIVE 0 sec
2 lock struct(s), heap size 611, 8 row lock(s), undo log entries 5
MySQL thread id 44, OS thread handle 0x7f, query id 88 localhost root
""",
        root="44",
    ),
    "a part of INNODB_TRX": Case(
        issue="hot-row",
        text="""
trx_id: 81 trx_state: LOCK WAIT trx_wait_started: 2023-09-09 12:00:11 trx_mysql_thread_id: 801 trx_query: UPDATE seats SET h = 5 WHERE id = 10
trx_id: 80 trx_state: LOCK WAIT trx_wait_started: 2023-09-09 12:00:10 trx_mysql_thread_id: 800 trx_query: UPDATE seats SET h = 4 WHERE id = 10
trx_id: 71 trx_state: RUNNING trx_wait_started: NULL trx_mysql_thread_id: 771 trx_query: NULL
""",  # noqa: E501
        rival="hot-row",
        rival_text="""
trx_id: 81 trx_state: LOCK WAIT trx_wait_started: 2023-09-09 12:00:11 trx_mysql_thread_id: 801 trx_query: UPDATE seats SET h = 5 WHERE id = 10
trx_id: 80 trx_state: LOCK WAIT trx_wait_started: 2023-09-09 12:00:10 trx_mysql_thread_id: 800 trx_query: UPDATE seats SET h = 4 WHERE id = 10
""",  # noqa: E501
        healthy="""
trx_id: 71 trx_state: RUNNING trx_wait_started: NULL trx_mysql_thread_id: 771 trx_query: NULL
trx_id: 72 trx_state: RUNNING trx_wait_started: NULL trx_mysql_thread_id: 772 trx_query: NULL
""",
        root="771",
    ),
    "an applier waits for a row that a local session holds": Case(
        issue="galera-conflict",
        text="""
2021-10-12 18:10:02 8 [Note] InnoDB: WSREP: BF lock wait long for trx:0xf3a1 query: UPDATE c SET q = 2
2021-10-12 18:10:03 8 [Note] InnoDB: WSREP: BF lock wait long for trx:0xf3a1 query: UPDATE c SET q = 2
""",  # noqa: E501
        rival="galera-non-primary",
        rival_text="""
2021-10-12 18:10:02 0 [Warning] WSREP: no nodes coming from prim view, prim not possible
2021-10-12 18:10:02 0 [Note] WSREP: Received NON-PRIMARY.
2021-10-12 18:10:02 0 [Note] WSREP: Shifting SYNCED -> OPEN (TO: 88123)
""",
        healthy="""
2021-10-12 18:10:02 8 [Note] WSREP: Member 1.0 (db2) synced with group.
2021-10-12 18:10:03 8 [Note] WSREP: Shifting JOINED -> SYNCED (TO: 9123)
""",
    ),
    "commits that are prepared, and a flush that is pending": Case(
        issue="fsync-stall",
        text="""
---TRANSACTION 9912, ACTIVE (PREPARED) 3 sec
2 lock struct(s), heap size 1136, 1 row lock(s), undo log entries 1
MySQL thread id 51, OS thread handle 1401, query id 12 10.0.0.1 app starting
COMMIT
---TRANSACTION 9911, ACTIVE (PREPARED) 3 sec
2 lock struct(s), heap size 1136, 1 row lock(s), undo log entries 1
MySQL thread id 52, OS thread handle 1402, query id 13 10.0.0.1 app starting
COMMIT
---TRANSACTION 9910, ACTIVE (PREPARED) 2 sec
2 lock struct(s), heap size 1136, 1 row lock(s), undo log entries 1
MySQL thread id 53, OS thread handle 1403, query id 14 10.0.0.1 app starting
COMMIT
Pending flushes (fsync) log: 1; buffer pool: 0
""",
        rival="xa-prepared",
        rival_text="""
---TRANSACTION 9912, ACTIVE (PREPARED) 86400 sec recovered trx
2 lock struct(s), heap size 1136, 1 row lock(s), undo log entries 1
---TRANSACTION 9915, ACTIVE 31 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 360, 1 row lock(s)
MySQL thread id 99, OS thread handle 0x7e, query id 98 10.0.0.3 app updating
UPDATE orders SET s = 2 WHERE id = 1
------- TRX HAS BEEN WAITING 31 SEC FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 12 page no 9 n bits 120 index PRIMARY of table `a`.`orders` trx id 9915 lock_mode X locks rec but not gap waiting
""",  # noqa: E501
        healthy="""
---TRANSACTION 9912, ACTIVE (PREPARED) 0 sec
2 lock struct(s), heap size 1136, 1 row lock(s), undo log entries 1
MySQL thread id 51, OS thread handle 1401, query id 12 10.0.0.1 app starting
COMMIT
Pending flushes (fsync) log: 0; buffer pool: 0
""",
    ),
    "a container that used more memory than it may": Case(
        issue="out-of-memory",
        text="""
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    Restart Count:  7
""",
        rival="cpu-quota",
        rival_text="""
nr_periods 10233
nr_throttled 6120
throttled_usec 81223311
""",
        healthy="""
    Last State:     Terminated
      Reason:       Completed
      Exit Code:    0
    Restart Count:  1
""",
    ),
    "a truncate drops hash entries": Case(
        issue="mysql-68184",
        text="""
 1 btr_search_drop_page_hash_index,buf_LRU_drop_page_hash_for_tablespace,buf_LRU_flush_or_remove_pages,row_truncate_table_for_mysql,ha_innobase::truncate
33 pthread_cond_wait,os_event::wait_low,sync_array_wait_event,rw_lock_s_lock_spin,btr_search_guess_on_hash,btr_cur_search_to_nth_level,row_search_mvcc
""",  # noqa: E501
        rival="mysql-100512",
        rival_text="""
 9 pthread_cond_wait,os_event::wait_low,sync_array_wait_event,rw_lock_x_lock_func,btr_search_build_page_hash_index,btr_search_info_update_slow,row_search_mvcc
33 pthread_cond_wait,os_event::wait_low,sync_array_wait_event,rw_lock_s_lock_spin,btr_search_guess_on_hash,btr_cur_search_to_nth_level,row_search_mvcc
""",  # noqa: E501
        healthy="""
 1 btr_search_drop_page_hash_index,buf_LRU_free_page,buf_LRU_scan_and_free_block
33 poll,vio_io_wait,vio_socket_io_wait,net_read_raw_loop,my_net_read,do_command
""",
    ),
    "readers wait for a position of the source": Case(
        issue="replica-wait",
        text="""
| 51 | app | r:1 | a | Query | 40 | Waiting for the slave SQL thread to advance position | SELECT WAIT_FOR_EXECUTED_GTID_SET('3e11:1-99', 60) |
| 52 | app | r:2 | a | Query | 39 | Waiting for the slave SQL thread to advance position | SELECT WAIT_FOR_EXECUTED_GTID_SET('3e11:1-99', 60) |
""",  # noqa: E501
        rival="slow-statement",
        rival_text="""
| 51 | app | r:1 | a | Query | 40 | Sending data | SELECT count(*) FROM log WHERE m LIKE '%x%' |
| 52 | app | r:2 | a | Query | 39 | Sending data | SELECT count(*) FROM log WHERE m LIKE '%y%' |
""",
        healthy="""
| 51 | app | r:1 | a | Query | 0 | Waiting for the slave SQL thread to advance position | SELECT WAIT_FOR_EXECUTED_GTID_SET('3e11:1-99', 1) |
| 52 | app | r:2 | a | Query | 0 | executing | SELECT 1 |
""",  # noqa: E501
    ),
    "monitors sum up all sessions": Case(
        issue="lock-status",
        text="""
 51 __lll_lock_wait,pthread_mutex_lock,THD::release_resources,one_thread_per_connection_end
  1 add_to_status,calc_sum_of_all_status,fill_status,get_schema_tables_result
  4 __lll_lock_wait,pthread_mutex_lock,fill_status,get_schema_tables_result
""",
        rival="lock-thread-count",
        rival_text="""
 51 __lll_lock_wait,pthread_mutex_lock,remove_global_thread,one_thread_per_connection_end
  4 poll,vio_io_wait,vio_socket_io_wait,net_read_raw_loop,my_net_read,do_command
""",
        healthy="""
  1 add_to_status,calc_sum_of_all_status,fill_status,get_schema_tables_result
 44 poll,vio_io_wait,vio_socket_io_wait,net_read_raw_loop,my_net_read,do_command
""",
    ),
    "locks that are granted, and the waiter in words": Case(
        issue="mdl-pileup",
        text="""
my ALTER TABLE parts ADD note text waits for ever, "Waiting for table metadata lock", its id is 81.

THREAD_ID\tLOCK_MODE\tLOCK_DURATION\tLOCK_TYPE\tTABLE_SCHEMA\tTABLE_NAME
41\tMDL_SHARED_WRITE\tNULL\tTable metadata lock\tshop\tparts
""",
        rival="flush-tables",
        rival_text="""
all reads are in 'Waiting for table flush' since the backup began

THREAD_ID\tLOCK_MODE\tLOCK_DURATION\tLOCK_TYPE\tTABLE_SCHEMA\tTABLE_NAME
41\tMDL_SHARED_READ\tNULL\tTable metadata lock\tshop\tparts
""",
        healthy="""
the ALTER is through, no session is in "Waiting for table metadata lock" any more

THREAD_ID\tLOCK_MODE\tLOCK_DURATION\tLOCK_TYPE\tTABLE_SCHEMA\tTABLE_NAME
41\tMDL_SHARED_WRITE\tNULL\tTable metadata lock\tshop\tparts
""",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.dealt(2)
def test_a_cause_is_named_and_its_rival_is_not(case: Case, tmp_path: Path) -> None:
    analysis = _analysed(tmp_path, case.text)
    assert case.issue in _first(analysis), _named(analysis)
    if case.root:
        assert case.root in analysis.roots[0].label, analysis.roots
    rival = _analysed(tmp_path, case.rival_text)
    assert case.rival in _first(rival), _named(rival)
    if case.root and case.root.isdecimal():  # the same session is no root there
        assert not any(f"session {case.root}" in root.label for root in rival.roots)
    if case.rival != case.issue:
        assert case.issue not in _first(rival), _named(rival)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.dealt(2)
def test_its_healthy_neighbour_has_no_finding(case: Case, tmp_path: Path) -> None:
    analysis = _analysed(tmp_path, case.healthy)
    assert not [finding.id for finding in analysis.findings if finding.score > 0.5]
    assert not analysis.stalls


def test_a_latch_that_nothing_identifies_rules_out_none(tmp_path: Path) -> None:
    """It may be any of them: no problem of a latch is 'not found' beside such waits."""
    place = "has waited at buf0buf.c line 1209 for 0.00 seconds the semaphore:"
    text = "".join(
        f"--Thread {n} {place}\nMutex at 0x2b8 created file zip0zip.c line 97, lock var 1\n"
        for n in range(1189, 1193)
    )
    verdicts = {each.id: each.verdict for each in _analysed(tmp_path, text).absences}
    assert verdicts["buffer-pool-mutex"] == "no_data"
    known = text.replace("buf0buf.c line 1209", "btr0sea.c line 916")
    known = known.replace("zip0zip.c line 97", "btr0sea.c line 178")
    known = known.replace(
        "Mutex at 0x2b8 created file", "S-lock on RW-latch at 0x2b8 created in file"
    )
    known = known.replace(", lock var 1", "")
    verdicts = {each.id: each.verdict for each in _analysed(tmp_path, known).absences}
    assert verdicts["buffer-pool-mutex"] == "not_found"


def _first(analysis: Analysis) -> set[str]:
    if not analysis.findings:
        return set()
    first = analysis.findings[0]
    return {first.id, *(known.id for known in first.known_as if known.score)}


def _named(analysis: Analysis) -> list[tuple[str, float, str]]:
    return [(finding.id, finding.score, finding.why) for finding in analysis.findings]


def _analysed(folder: Path, text: str) -> Analysis:
    path = folder / "paste.txt"
    path.write_text(text.lstrip("\n"), encoding="utf-8")
    captures = Captures()
    captures.read([path])
    return analyse(gather(captures.artifacts))
