"""Pastes as people file them: one part of one file, a handful of waiters, no version, no baseline.

Each shows its cause in another way than a whole capture does. Written by hand in the words of the
servers; none is a real incident.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pileup.analysis import analyse, gather
from pileup.analysis.contract import Analysis
from pileup.analysis.story.sentence import MOST_WORDS
from pileup.cli.captures import Captures

PASTES = {
    "columns that somebody left out": (
        """| Id  | ... | db   | ... | Time | State                           | Info           |
| 501 | ... | shop | ... |  812 | Waiting for table metadata lock | ALTER TABLE t  |
| 502 | ... | shop | ... |  811 | Waiting for table metadata lock | INSERT INTO t  |
| 503 | ... | shop | ... |  901 | Sending data                    | SELECT b FROM t |
""",
        "mdl-pileup",
    ),
    "a row whose rest somebody replaced by dots": (
        "| 88123 | app | 10.0.0.7:4410 | s | Query | 31 | Waiting for table flush | SELECT a ...\n",
        "flush-tables",
    ),
    "a line of a log behind a clock and a sign": (
        (
            "> 10:11:12 2026-02-03T10:11:10.123456Z 0 [ERROR] [MY-012640] [InnoDB] Error number 28"
            " means 'No space left on device'\n"
        ),
        "disk-full",
    ),
    "the last error of a replica alone": (
        (
            "Last_SQL_Error: Could not execute Write_rows event on table a.b; Duplicate entry '7'"
            " for key 'PRIMARY', Error_code: 1062; handler error HA_ERR_FOUND_DUPP_KEY\n"
        ),
        "replication-stopped",
    ),
    "a report of a script in Chinese": (
        (
            "Last_Error\u9519\u8bef\u4fe1\u606f\u662f\uff1aCould not execute Write_rows event on"
            " table a.b; Duplicate entry '7' for key 'PRIMARY', Error_code: 1062; handler error\n"
        ),
        "replication-stopped",
    ),
    "innotop's lock waits": (
        """WThread  Waiting Query           WWait  BThread  BAge  BWait  BStatus  Blocking Query
   4711  UPDATE stock SET n = 1    38s     4690   41s         Sleep
   4712  UPDATE stock SET n = 2    31s     4690   41s         Sleep
""",
        "hot-row",
    ),
    "innotop's locks": (
        """ID    Type    Waiting  Wait   Active  Mode  DB    Table  Index
4711  RECORD        1  00:38   00:40  X     shop  stock  PRIMARY
4712  RECORD        1  00:31   00:33  X     shop  stock  PRIMARY
4690  TABLE         0  00:00   00:41  IX    shop  stock
""",
        "hot-row",
    ),
    "innotop's deadlocks": (
        """ID    Timestring           User  Host  Victim  Time   Undo  LStrcts  Query Text
4711  2026-02-03 10:11:12  app   web1  Yes     00:00     1        3  UPDATE a SET n = 1 WHERE id = 2
4712  2026-02-03 10:11:12  app   web2  No      00:00     1        3  UPDATE a SET n = 2 WHERE id = 1
""",
        "deadlock-storm",
    ),
    "a transaction of a deadlock alone": (
        """LATEST DETECTED DEADLOCK
------------------------
*** (1) TRANSACTION:
TRANSACTION 81234, ACTIVE 2 sec inserting
mysql tables in use 1, locked 1
LOCK WAIT 3 lock struct(s), heap size 1128, 2 row lock(s)
MySQL thread id 12, OS thread handle 140123, query id 232 web1 app update
INSERT INTO shop.stock (sku) VALUES ('a')
*** (1) WAITING FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 25 page no 4 n bits 144 index sku of table `shop`.`stock` trx id 81234 lock_mode X locks gap before rec insert intention waiting
""",  # noqa: E501
        "deadlock-storm",
    ),
    "a table that CHECK TABLE finds damaged": (
        """+-----------+-------+----------+----------------------------+
| Table     | Op    | Msg_type | Msg_text                   |
+-----------+-------+----------+----------------------------+
| a.options | check | warning  | Table is marked as crashed |
| a.options | check | error    | Corrupt                    |
+-----------+-------+----------+----------------------------+
""",
        "corruption",
    ),
    "a dump that meets a crashed table": (
        (
            "mysqldump: Couldn't execute 'show create table `log`': Table './a/log' is marked as"
            " crashed and should be repaired (145)\n"
        ),
        "corruption",
    ),
    "a container that was killed, in a list": (
        (
            "CONTAINER ID   IMAGE       COMMAND    CREATED       STATUS                     NAMES\n"
            'd2c9d3f4a1b2   mysql:8.4   "mysqld"   3 hours ago   Exited (137) 2 minutes ago db\n'
        ),
        "out-of-memory",
    ),
    "a row of that list among words": (
        (
            "The container ends all the time, nothing is in its log:\n\n"
            'd2c9d3f4a1b2   mysql:8.4   "mysqld"      3 hours ago   Exited (137) 2 minutes ago\n'
        ),
        "out-of-memory",
    ),
    "the state of a container": (
        '  "Status": "exited",\n  "OOMKilled": true,\n  "ExitCode": 137,\n  "Error": "",\n',
        "out-of-memory",
    ),
    "a proxy that takes a late replica out": (
        (
            "2026-02-03 01:03:24 MySQL_Session.cpp:4225:handler(): [ERROR] Detected a lagging"
            " server during query: 10.3.1.41, 3306\n"
        ),
        "applier-behind",
    ),
    "sessions that end without a goodbye": (
        "".join(
            f"2026-02-03 10:11:{n} {n} [Warning] Aborted connection {n} to db: 'a' user: 'b' host:"
            " 'web' (Got timeout reading communication packets)\n"
            for n in range(10, 18)
        ),
        "lost-connection",
    ),
    "a disk that is always busy with few slow requests": (
        """Device  r/s   w/s  rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sda    0.00 131.00   0.00  1232.00    18.53     0.99    7.46    0.00    7.46   7.46  99.20

Device  r/s   w/s  rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sda    0.00 128.00   0.00  1212.00    19.24     0.98    7.84    0.00    7.84   7.81  98.40
""",
        "io-saturated",
    ),
    "a node that the others have evicted": (
        """2024-05-02 10:11:12 0 [Warning] WSREP: handshake with 1f2e3d4c tcp://10.1.2.3:4567 failed: 'evicted'
2024-05-02 10:11:12 0 [ERROR] WSREP: exception from gcomm, backend must be restarted: this node has been evicted out of the cluster, gcomm backend restart is required (FATAL)
""",  # noqa: E501
        "galera-non-primary",
    ),
    "transactions of a week, and no other line of the dump": (
        """Trx read view will not see trx with id >= 7712345, sees < 7700001
---TRANSACTION 7712340, ACTIVE 604911 sec
2 lock struct(s), heap size 376, 0 row lock(s), undo log entries 1
""",
        "purge-lag",
    ),
    "a watchdog that ends the server, which says so": (
        """2024-03-04T05:06:07.123456Z 0 [ERROR] [MY-012872] [InnoDB] [FATAL] Semaphore wait has lasted > 600 seconds. We intentionally crash the server because it appears to be hung.
2024-03-04T05:06:07Z UTC - mysqld got signal 6 ;
""",  # noqa: E501
        "semaphore-abort",
    ),
    "memory that has been in swap": (
        """MemTotal:       32765440 kB
MemFree:          293980 kB
MemAvailable:     899644 kB
SwapCached:      1950824 kB
Active:         22374964 kB
""",
        "swapping",
    ),
    "a container that ends a second after its start": (
        """    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Mon, 04 Mar 2024 05:06:07 +0000
      Finished:     Mon, 04 Mar 2024 05:06:08 +0000
    Ready:          False
    Restart Count:  31
""",
        "start-failed",
    ),
    "a directory that another server uses, by its Aria log": (
        """[ERROR] mariadbd: Can't lock aria control file '/srv/db/aria_log_control' for exclusive use, error: 11. Will retry for 30 seconds
[ERROR] mariadbd: Got error 'Could not get an exclusive lock; file is probably in use by another process' when trying to use aria control file '/srv/db/aria_log_control'
""",  # noqa: E501
        "start-failed",
    ),
    "a key at its end, with the number that PDO prints first": (
        "PDOException: SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry '32767' for key 'PRIMARY'\n",  # noqa: E501
        "autoinc-exhausted",
    ),
    "a key that has reached the end of its type": (
        "ERROR 1062 (23000): Duplicate entry '4294967295' for key 'logins.PRIMARY'\n",
        "autoinc-exhausted",
    ),
    "writes that reach a replica": (
        "django.db.utils.OperationalError: (1290, 'The MySQL server is running with the --super-read-only option so it cannot execute this statement')\n",  # noqa: E501
        "read-only",
    ),
    "a statement above the limit of a packet": (
        "com.mysql.cj.jdbc.exceptions.PacketTooBigException: Packet for query is too large (7,340,032 > 4,194,304).\n",  # noqa: E501
        "packet-too-large",
    ),
    "warnings as a table": (
        """Level\tCode\tMessage
Error\t1467\tFailed to read auto-increment value from storage engine
""",
        "autoinc-exhausted",
    ),
    "a row of SHOW WARNINGS": (
        "| Warning | 3170 | Memory capacity of 8388608 bytes for 'range_optimizer_max_mem_size' exceeded. Range optimization was not done for this query. |\n",  # noqa: E501
        "range-memory",
    ),
    "a port that is in use when the server starts": (
        "2024-01-02T10:11:12.120311Z 0 [ERROR] [MY-010262] [Server] Can't start server: Bind on TCP/IP port: Address already in use\n",  # noqa: E501
        "start-failed",
    ),
    "a driver that trusts no certificate": (
        "javax.net.ssl.SSLHandshakeException: PKIX path validation failed: validity check failed\n",
        "tls-failed",
    ),
    "events of a cluster as a list": (
        """LAST SEEN   TYPE      REASON             OBJECT        MESSAGE
41s         Warning   FailedScheduling   pod/mysql-2   0/3 nodes are available: 3 Insufficient memory.
""",  # noqa: E501
        "pod-not-placed",
    ),
    "a backup that the log overtook": (
        "xtrabackup: error: it looks like InnoDB log has wrapped around before xtrabackup could process all records\n",  # noqa: E501
        "redo-too-small",
    ),
    "memory that the kernel corrects again and again": (
        "kernel: EDAC MC1: 31 CE memory read error on CPU_SrcID#1_Ha#0_Chan#0_DIMM#0\n",
        "device-fault",
    ),
    "a line of the kernel without its date": (
        "kernel: rcu: INFO: rcu_sched detected stalls on CPUs/tasks:\n",
        "process-paused",
    ),
    "groups of a thread pool with queues": (
        """+----------+----------------+--------------+------------+
| GROUP_ID | ACTIVE_THREADS | QUEUE_LENGTH | IS_STALLED |
+----------+----------------+--------------+------------+
|        0 |             31 |           24 |          1 |
|        1 |             30 |           33 |          1 |
+----------+----------------+--------------+------------+
""",
        "thread-pool-full",
    ),
    "periods of a quota as totals": (
        """container_cpu_cfs_periods_total{pod="db-0"} 41200
container_cpu_cfs_throttled_periods_total{pod="db-0"} 30911
""",
        "cpu-quota",
    ),
    "pairs of metadata locks without their object": (
        """+-------------+------------------------------+-------------------+--------------+--------------------+
| waiting_pid | waiting_query                | waiting_lock_type | blocking_pid | blocking_lock_type |
+-------------+------------------------------+-------------------+--------------+--------------------+
|         310 | alter table stock add x int  | EXCLUSIVE         |          208 | SHARED_WRITE       |
+-------------+------------------------------+-------------------+--------------+--------------------+
""",  # noqa: E501
        "mdl-pileup",
    ),
    "flushes that a trace times": (
        """[pid 411] fdatasync(28)               = 0 <1.403112>
[pid 411] fdatasync(28)               = 0 <1.118020>
[pid 412] fsync(9)                    = 0 <0.930441>
""",
        "fsync-stall",
    ),
    "a migration that waits for a replica": (
        "Copy: 51000/8120331 0.6%; Applied: 311; Backlog: 12/1000; Time: 9m2s(total), 9m1s(copy); streamer: bin.000031:2110; Lag: 0.02s, HeartbeatLag: 640.12s, State: throttled, lag=640.121s; ETA: N/A\n",  # noqa: E501
        "applier-behind",
    ),
    "a daemon that sets the clock, without the date of its line": (
        "ntpd[812]: time reset -81.331213 s\n",
        "clock-step",
    ),
    "a router that lost its quorum": (
        "2024-01-02 10:11:12 metadata_cache ERROR [7f81] quorum is lost, no writable members\n",
        "group-replication",
    ),
    "a backup that waits for a statement": (
        "[01] 2024-01-02 10:11:12 Waiting for 1 queries to complete before FTWRL; query 8123 running for 812 seconds\n",  # noqa: E501
        "ftwrl",
    ),
    "an alarm of a volume": (
        "BurstBalance is 0% for volume vol-0812 (DB prod-main), IOPS limited to 300\n",
        "burst-credits",
    ),
    "a state transfer that failed": (
        "2024-01-02 10:11:12 0 [ERROR] WSREP: SST failed: 2 (No such file or directory)\n",
        "galera-sst",
    ),
    "an interface that hangs": (
        "Nov 21 10:11:31 db1 kernel: igb 0000:01:00.0 eth0: Reset adapter; Detected Tx Unit Hang\n",
        "network-loss",
    ),
    "a pool of a volume manager that is full": (
        "Nov 21 10:11:31 db1 kernel: device-mapper: thin: 252:2: thin pool out of data space\n",
        "disk-full",
    ),
    "a monitor that saw its primary die": (
        "2024-01-02T10:11:12 orchestrator: ERROR discovered topology: DeadMaster on db1:3306\n",
        "failover",
    ),
    "a test of small writes, each of which takes long": (
        """# dd if=/dev/zero of=/var/lib/mysql/t bs=512 count=1000 oflag=dsync
1000+0 records in
1000+0 records out
512000 bytes (512 kB) copied, 74.2 s, 6.9 kB/s
""",
        "io-saturated",
    ),
    "a gauge of row lock waits": (
        """| Innodb_row_lock_current_waits | 71      |
| Innodb_row_lock_time          | 9123312 |
""",
        "hot-row",
    ),
    "a peer of a node is not reached": (
        "2023-04-02 11:11:11 0 [Note] WSREP: (a1b2c3d4, 'tcp://0.0.0.0:4567') turning message relay requesting on, nonlive peers: tcp://10.0.0.3:4567\n",  # noqa: E501
        "galera-non-primary",
    ),
    "a transaction over a limit": (
        "2023-04-02 11:11:11 8 [Warning] WSREP: transaction size limit (2147483647) exceeded: 2147516416\n",  # noqa: E501
        "large-transaction",
    ),
    "an event with the date of a provider": (
        "Jul 12, 2023, 10:02 AM UTC  The database process was killed by the OS due to excessive memory consumption.\n",  # noqa: E501
        "out-of-memory",
    ),
    "a node that pauses its cluster, by myq_status": (
        """Wsrep    Cluster  Node           Repl  Queue     Ops       Bytes     Flow
    time P cnf  #  cmt sta  Up  Dn  Up   Dn   Up   Dn pause_ns snt rcv
14:12:12 P  42  3 Dono T/T   0 412   0  12K  0.0  31K    920ms   0  12
14:12:13 P  42  3 Dono T/T   0 431   0  14K  0.0  31K    970ms   0  14
""",
        "galera-fc",
    ),
    "a copy of Vitess that does not get on": (
        "E0819 11:00:55.666607 dbclient.go:139] error in stream 3, will retry after 5s: relay log I/O stalled: progress stalled\n",  # noqa: E501
        "applier-behind",
    ),
    "the transactions of a tablet of Vitess, in a log of glog": (
        """Under load the tablet says:
E0801 10:30:14.116411   17492 throttled.go:61] TxPoolFull: skipped 21 log messages
E0801 10:33:05.479648   17492 tablet_error.go:245] TxPoolFull:tx_pool_full: Transaction pool connection limit exceeded
""",  # noqa: E501
        "client-pool",
    ),
    "a tablet of Vitess ends a transaction": (
        "W0801 10:52:15.888677    1368 tx_pool.go:127] killing transaction (exceeded timeout: 30s): 159053\n",  # noqa: E501
        "statement-limit",
    ),
    "a filer that does not answer": (
        """Oct  2 10:15:42 db7 kernel: nfs: server filer1 not responding, still trying
Oct  2 10:16:40 db7 kernel: nfs: server filer1 OK
""",
        "host-hung-io",
    ),
    "an alert about a replica": (
        """Status: PROBLEM
1. MySQL: Replication Seconds Behind Master (db-r3:mysql.seconds_behind_master["10.2.0.1"]): 2417 s
""",
        "applier-behind",
    ),
    "an event of a managed server": (
        "The allocated storage has been exhausted for DB instance main-1. Status: storage-full\n",
        "disk-full",
    ),
    "a watchdog that kills statements": (
        """# 2024-06-12T10:00:01 KILL 81231 (Query 65 sec) SELECT COUNT(*) FROM m WHERE b LIKE '%x%'
# 2024-06-12T10:00:06 KILL 81240 (Query 62 sec) SELECT COUNT(*) FROM m WHERE b LIKE '%y%'
""",
        "statement-limit",
    ),
    "a recovery that no line explains": (
        """2024-01-10  3:12:45 0 [Note] InnoDB: Starting crash recovery from checkpoint LSN=9188
2024-01-10  3:12:55 0 [Note] InnoDB: Read redo log up to LSN=1083221233
2024-01-10  3:13:12 0 [Note] /usr/sbin/mariadbd: ready for connections.
""",
        "server-ended",
    ),
    "waits with their load, below names and blanks": (
        """Top waits                                      Load by waits (AAS)
wait/synch/cond/sql/MDL_context::COND_wait_status     78.40
CPU                                                    1.22
wait/io/table/sql/handler                              0.61
""",
        "mdl-pileup",
    ),
    "a plan that was run for long, in quotes": (
        """"-> Limit: 20 row(s)  (actual time=21193.021..21193.025 rows=20 loops=1)
    -> Sort: o.c DESC  (actual time=21193.020..21193.022 rows=20 loops=1)
        -> Table scan on o  (cost=811203.10 rows=3812001) (actual time=0.121..3811.120 rows=3900012 loops=1)"
""",  # noqa: E501
        "slow-statement",
    ),
    "a single commit of a slow log that took long": (
        """# Time: 2020-11-10T13:00:14.214331Z
# User@Host: app[app] @  [10.1.2.3]  Id: 91
# Query_time: 13.618231  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
SET timestamp=1605013200;
COMMIT;
""",
        "fsync-stall",
    ),
    "grants alone: a change of a table that is in use": (
        """| THREAD_ID | LOCK_MODE       | LOCK_DURATION | LOCK_TYPE           | TABLE_SCHEMA | TABLE_NAME |
|        31 | MDL_SHARED_READ | NULL          | Table metadata lock | shop         | carts      |
|        77 | MDL_EXCLUSIVE   | NULL          | Table metadata lock | shop         | carts      |
""",  # noqa: E501
        "mdl-pileup",
    ),
    "a list of MariaDB whose tabs became blanks": (
        """Id      User    Host    db      Command Time    State   Info    Progress
7       app     10.1.2.3:41122  shop    Query   91      Sending data    SELECT a FROM orders    0.000
8       app     10.1.2.3:41123  shop    Query   21      Waiting for table metadata lock alter table orders add x int    0.000
9       app     10.1.2.3:41124  shop    Query   20      Waiting for table metadata lock SELECT * FROM orders WHERE id = 9       0.000
""",  # noqa: E501
        "mdl-pileup",
    ),
    "events of a pod without their heading": (
        """  Normal   Started     28m                 kubelet  Started container mariadb
  Warning  Unhealthy   15m (x25 over 25m)  kubelet  Liveness probe failed: command timed out
  Warning  BackOff     5m (x39 over 12m)   kubelet  Back-off restarting failed container
""",
        "probe-restart",
    ),
    "a container that a signal ended": (
        """Containers:
  mysql:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
    Restart Count:  47
""",
        "server-ended",
    ),
    "a plan that reads a whole table": (
        """| id | select_type | table | type | possible_keys | key  | rows   | Extra       |
|  1 | SIMPLE      | files | ALL  | NULL          | NULL | 424023 | Using where |
""",
        "slow-statement",
    ),
    "a donor, and nothing else": (
        "| wsrep_local_state_comment | Donor/Desynced |\n",
        "galera-donor",
    ),
    "what was begun long before is certified": (
        "2026-05-06T11:21:05.594417Z 2 [Warning] [MY-000000] [Galera] certification interval 98123 for trx source: 0c66cd6f version: 6 local: 0 flags: 65 conn_id: 25 trx_id: 126 exceeds the limit of 16384\n",  # noqa: E501
        "galera-donor",
    ),
    "a proxy sets a server aside": (
        """2023-08-15 21:10:41 [ERROR] Timeout on group replication health check for 10.1.2.3:3306 after 2001ms.
2023-08-15 21:10:41 [WARNING] Group Replication: setting host 10.1.2.3:3306 offline because: timeout check
""",  # noqa: E501
        "proxy-no-server",
    ),
    "a quarter of the time is a wait for the disk": (
        """ r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa
 0  5 888552  86748 321944 712592    0    0  2072   264 15592 19435 27  6 40 27
 4  6 888552  86296 321944 712796    0    0  2172   244 15392 19135 25  6 44 25
""",
        "io-saturated",
    ),
    "an applier locks a million rows to change a few": (
        """---TRANSACTION 421988, ACTIVE 7190 sec fetching rows
mysql tables in use 1, locked 1
48211 lock struct(s), heap size 6201552, 9812331 row lock(s), undo log entries 512
MySQL thread id 12, OS thread handle 139, query id 881 Applying batch of row changes (delete)
delete from audit where created_at < '2024-01-01'
""",
        "applier-no-key",
    ),
    "a State inside a sentence without blanks": (
        "\u7ebf\u7a0b\u5904\u4e8e\u5835\u585e\u4e0b,\u4e5f\u5c31\u662fWaiting for table metadata lock\u3002\n",  # noqa: E501
        "mdl-pileup",
    ),
    "a report that tells what a counter was": (
        "The value of Open_tables was 3430, and the value of table_open_cache was 2000.\n",
        "table-cache",
    ),
    "a message that a sentence quotes": (
        "Every night at two we hit \"The table 'sessions' is full\" on this server. What helps?\n",
        "disk-full",
    ),
    "a class of a digest without its count": (
        """{"attribute": "fingerprint", "checksum": "30C2F139D3692B3F", "distillate": "SELECT logs",
 "fingerprint": "select count(*) from logs", "metrics": {
 "Query_time": {"avg": "3.784464", "max": "22.579888", "sum": "41.629109"}}}
""",
        "slow-statement",
    ),
    "a replica with an error, both of whose threads run": (
        """Slave_IO_Running: Yes
Slave_SQL_Running: Yes
Last_Errno: 1105
Last_Error: received unknown event
""",
        "replication-stopped",
    ),
    "sessions in statistics, and a stack that waits for a slot": (
        """| 8 | app | 10.1.2.3:41 | web | Query | 107 | statistics | SELECT c FROM t WHERE id=4 |
| 9 | app | 10.1.2.3:42 | web | Query | 107 | statistics | SELECT c FROM t WHERE id=5 |

Thread 66 (Thread 0x7f6468312700 (LWP 13987)):
#0  0x00007f648718cc60 in __GI___nanosleep () at nanosleep.c:28
#1  0x000056189f40e19f in os_thread_sleep (tm=<optimized out>) at os0thread.cc:287
#2  0x000056189f4b4f2e in srv_conc_enter_innodb_with_atomics (trx=0x1) at srv0conc.cc:235
#3  0x000056189f4b4f2f in srv_conc_enter_innodb (prebuilt=0x1) at srv0conc.cc:300
""",
        "thread-concurrency-limit",
    ),
    "the line of the CPUs alone": (
        "%Cpu(s): 12.1 us,  3.2 sy,  0.0 ni, 11.0 id,  2.0 wa,  0.0 hi,  0.4 si, 71.3 st\n",
        "cpu-steal",
    ),
    "the number of an error whose text is in another language": (
        "2020-04-29 18:03:14 | Info | failed; mysql_errno = 1205, mysql_error = Timeout sur l'obtention du verrou\n",  # noqa: E501
        "hot-row",
    ),
    "a commit that a cluster refused": (
        "ERROR 1213 (40001): WSREP detected deadlock/conflict and aborted the transaction. Try restarting the transaction\n",  # noqa: E501
        "galera-conflict",
    ),
    "appliers that a sentence counts": (
        "Sixteen worker threads were seen: 4 in Waiting for preceding transaction to commit, 11 in Applying batch of row changes.\n",  # noqa: E501
        "applier-order",
    ),
    "a list that a mail quotes and wraps": (
        """> | 1201 | app | 10.3.1.20:51002 | pay | Query |  4 | waiting
> for handler commit | COMMIT |
> | 1202 | app | 10.3.1.20:51004 | pay | Query |  4 | waiting
> for handler commit | UPDATE wallet SET amount = amount - 12
> WHERE id = 19 |
> | 1207 | app | 10.3.1.21:40222 | pay | Query |  4 | waiting
> for handler commit | COMMIT |
> | 1209 | app | 10.3.1.21:40230 | pay | Query |  3 | waiting
> for handler commit | COMMIT |
""",
        "fsync-stall",
    ),
    "a status of a replica with its last error alone": (
        """Slave_IO_Running: Yes
Slave_SQL_Running: Yes
Last_Errno: 1205
Last_Error: Coordinator stopped because there were error(s) in the worker(s).
""",
        "replication-stopped",
    ),
    "prepared transactions of XA RECOVER": (
        """
mysql> xa recover;
+----------+--------------+--------------+---------------------------+
| formatID | gtrid_length | bqual_length | data                      |
+----------+--------------+--------------+---------------------------+
|     9752 |           12 |           12 | 10.0.0.3:809110.0.0.3:809 |
+----------+--------------+--------------+---------------------------+
""",
        "xa-prepared",
    ),
    "the top waits of Performance Insights without their heading": (
        """Average active sessions by wait
synch/cond/sql/MDL_context::COND_wait_status	118.42
cpu	11.03
io/aurora_redo_log_flush	2.91
""",
        "mdl-pileup",
    ),
    "statements of a node of Galera that do not end": (
        """
| 21 | check | localhost    |      | Query | 191 | Filling schema table | SHOW STATUS LIKE 'wsrep_local_state'     | 0.000 |
| 25 | shop  | 10.0.0.3:381 | shop | Query | 243 | query end            | INSERT INTO basket (id, n) VALUES (8, 2) | 0.000 |
| 26 | shop  | 10.0.0.3:392 | shop | Query | 229 | query end            | UPDATE visit SET n = n + 1 WHERE id = 77 | 0.000 |
""",  # noqa: E501
        "galera-fc",
    ),
    "a session that ends and waits for the sum of the status": (
        """
Thread 539 (Thread 0x7f00347e0700 (LWP 19419)):
#0  0x00007f005ce814ed in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x00007f005ce7cda2 in pthread_mutex_lock () from /lib64/libpthread.so.0
#2  0x0000000000ca6490 in native_mutex_lock (mutex=<optimized out>) at include/thr_mutex.h:84
#3  0x0000000000ca6490 in inline_mysql_mutex_lock (src_line=1792) at include/mysql_thread.h:730
#4  THD::release_resources (this=this@entry=0x104fc000) at sql/sql_class.cc:1792
#5  0x0000000000db07de in handle_connection (arg=0xfb2fae0) at sql/conn_handler/x.cc:321
""",
        "lock-status",
    ),
    "a connection that a driver of Go lost": (
        """[mysql] 2018/07/27 09:38:09 packets.go:32: unexpected EOF
2018-07-27 09:38:10 ERROR driver: bad connection; query=update /* tool */ shop.t set a = ?
""",
        "lost-connection",
    ),
    "a slow log of nothing but commits": (
        """
# Query_time: 8.812331  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
SET timestamp=1682935251;
COMMIT;
# Query_time: 7.812331  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
SET timestamp=1682935251;
COMMIT;
# Query_time: 9.112331  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
SET timestamp=1682935252;
commit;
""",
        "fsync-stall",
    ),
    "a list that a terminal cut at its width": (
        """
+-----+------+---------------+------+---------+------+--------------------------
-------+------------------------------------------------+
| Id  | User | Host          | db   | Command | Time | State                    
       | Info                                           |
+-----+------+---------------+------+---------+------+--------------------------
-------+------------------------------------------------+
|  31 | app  | 10.0.0.3:5511 | shop | Query   |   44 | Waiting for table metadat
a lock | alter table orders add column note varchar(20) |
|  33 | app  | 10.0.0.3:5513 | shop | Sleep   |   91 |                          
       | NULL                                           |
| 990 | root | localhost     | NULL | Query   |    0 | starting                 
       | show full processlist                          |
+-----+------+---------------+------+---------+------+--------------------------
-------+------------------------------------------------+
""",  # noqa: W291
        "mdl-pileup",
    ),
    "a line of the kernel without its time": (
        "kernel: Out of memory: Killed process 2211 (mysqld) total-vm:9182212kB\n",
        "out-of-memory",
    ),
    "a message of a blocked host": (
        "Host '10.0.0.3' is blocked because of many connection errors; unblock with 'mariadb-admin flush-hosts'\n",  # noqa: E501
        "host-blocked",
    ),
    "an exception of a pool of .NET": (
        "MySqlException: error connecting: Timeout expired.  The timeout period elapsed prior to obtaining a connection from the pool.\n",  # noqa: E501
        "client-pool",
    ),
    "a user at the limit of one user": (
        "SQLSTATE[42000] [1226] User 'shop' has exceeded the 'max_user_connections' resource (current value: 20)\n",  # noqa: E501
        "too-many-connections",
    ),
    "more connections than the limit, at some time": (
        "max_connections\t151\nMax_used_connections\t152\nUptime\t91231\n",
        "too-many-connections",
    ),
    "an end by systemd's killer": (
        """
May 01 10:00:01 db1 systemd[1]: mysql.service: A process of this unit has been killed by the OOM killer.
May 01 10:00:01 db1 systemd[1]: mysql.service: Main process exited, code=killed, status=9/KILL
""",  # noqa: E501
        "out-of-memory",
    ),
    "a start after a crash": (
        """
2023-05-01T10:00:00.000000Z 0 [Note] InnoDB: Database was not shutdown normally!
2023-05-01T10:00:00.000000Z 0 [Note] InnoDB: Starting crash recovery.
""",
        "server-ended",
    ),
    "a receiver that gets no connection": (
        """
| 11 | system user | | NULL | Connect | 912 | Connecting to source | NULL |
| 12 | system user | | NULL | Connect | 912 | Replica has read all relay log; waiting for more updates | NULL |
""",  # noqa: E501
        "replication-stopped",
    ),
    "appliers that commit in order": (
        """
| 10 | system user | | NULL | Query | 300 | Waiting for dependent transaction to commit | NULL |
| 11 | system user | | NULL | Query | 300 | Waiting for preceding transaction to commit | NULL |
| 12 | system user | | NULL | Query | 300 | Waiting for preceding transaction to commit | NULL |
| 13 | system user | | NULL | Query | 300 | Waiting for preceding transaction to commit | NULL |
| 14 | system user | | NULL | Query | 300 | Waiting for preceding transaction to commit | NULL |
""",
        "applier-order",
    ),
    "a DROP that is past its locks and does not end": (
        "| 30 | root | localhost | shop | Query | 640 | checking permissions | DROP TABLE old_events |\n",  # noqa: E501
        "drop-table",
    ),
    "a rollback in INNODB_TRX": (
        """
*************************** 1. row ***************************
             trx_id: 8812345
          trx_state: ROLLING BACK
        trx_started: 2023-05-01 10:00:01
   trx_wait_started: NULL
trx_mysql_thread_id: 31
          trx_query: NULL
  trx_rows_modified: 48812000
""",
        "long-rollback",
    ),
    "a node without a majority, by its status": (
        "wsrep_cluster_size\t1\nwsrep_cluster_status\tnon-Primary\nwsrep_ready\tOFF\n",
        "galera-non-primary",
    ),
    "a donor with a long queue, by its status": (
        "wsrep_local_recv_queue\t88121\nwsrep_local_state_comment\tDonor/Desynced\n",
        "galera-donor",
    ),
    "a node whose data differ": (
        """
2023-05-01 10:00:00 2 [ERROR] WSREP: Failed to apply trx: source: 3e11fa47 version: 4 local: 0
2023-05-01 10:00:00 2 [ERROR] WSREP: Node consistency compromised, leaving cluster...
""",
        "galera-inconsistent",
    ),
    "threads of a poor man's profile that wait for the adaptive hash index": (
        "      7 pthread_cond_wait,wait(os0event.cc:179),os_event_wait_low(os0event.cc:179),sync_array_wait_event(sync0arr.cc:475),rw_lock_s_lock_spin(sync0rw.cc:352),btr_search_guess_on_hash(btr0sea.ic:128),btr_cur_search_to_nth_level(btr0cur.cc:920),row_search_mvcc(row0sel.cc:5025),handler::ha_index_read_map(handler.cc:2962)\n",  # noqa: E501
        "mysql-100512",
    ),
    "a disk of BSD that is busy all the time": (
        """
$ iostat -x 2
                        extended device statistics
device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b
ada0          12      40    310.0    980.0     9    12     0    11    0  30
                        extended device statistics
device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b
ada0         188     120   6010.5   3820.0     6    41     0    19    2  99
                        extended device statistics
device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b
ada0         192     117   6120.0   3700.5     7    38     0    18    3  98
""",
        "io-saturated",
    ),
    "a laptop slept, and the page cleaner had nothing to do": (
        """
db_1  | 2019-03-11T08:02:11.100201Z 0 [Note] mysqld: ready for connections.
db_1  | 2019-03-11T09:40:02.771902Z 0 [Note] InnoDB: page_cleaner: 1000ms intended loop took 1840221ms. The settings might not be optimal. (flushed=0 and evicted=0, during the time.)
""",  # noqa: E501
        "process-paused",
    ),
    "a purge that came to its end with millions left": (
        """
120311  1:12:09  InnoDB: Warning: purge reached the head of the history list,
InnoDB: but its length is still reported as 5120331! Make a detailed bug
InnoDB: report, and post it to bugs.mysql.com
""",
        "purge-lag",
    ),
    "each value of a session in brackets": (
        """
The writer hangs since the replica was stopped:
[Id:88121]
[User:shop]
[Host:10.0.0.4:41220]
[db:shop]
[Command:Query]
[Time:44]
[State:Waiting for semi-sync ACK from slave]
[Info:COMMIT]

[Id:88190]
[User:failover]
[Host:10.0.0.9:50112]
[db:null]
[Command:Query]
[Time:43]
[State:Waiting for commit lock]
[Info:SET GLOBAL read_only = ON]
""",
        "semisync-stall",
    ),
    "a worker of a replica failed": (
        """
2021-02-03T10:11:12.100101Z 77 [ERROR] Slave SQL for channel 'group_replication_applier': Worker 3 failed executing transaction '3ffe0e9c-0000-11eb-8d2f-0242ac110002:551' at master log , end_log_pos 9120; Column 2 of table 'shop.items' cannot be converted from type 'varchar(40(bytes))' to type 'varchar(160(bytes) utf8mb4)', Error_code: 1677
2021-02-03T10:11:12.100188Z 76 [Warning] Slave SQL for channel 'group_replication_applier': ... The slave coordinator and worker threads are stopped, possibly leaving data in inconsistent state.
""",  # noqa: E501
        "replication-stopped",
    ),
    "a member of the group recovers for ever": (
        """
mysql> select member_host, member_state, member_role from performance_schema.replication_group_members;
+-------------+--------------+-------------+
| member_host | member_state | member_role |
+-------------+--------------+-------------+
| db-1        | ONLINE       | PRIMARY     |
| db-2        | RECOVERING   | SECONDARY   |
+-------------+--------------+-------------+
""",  # noqa: E501
        "group-replication",
    ),
    "a row lock of sys with remarks, cut before its holder": (
        """
*************************** 1. row ***************************
                wait_started: 2023-05-01 10:00:01
                    wait_age: 00:00:41
               wait_age_secs: 41
                locked_table: `shop`.`stock`          # the table
                locked_index: PRIMARY
                 locked_type: RECORD
              waiting_trx_id: 88123                   # who waits
                 waiting_pid: 31                      # its connection
               waiting_query: UPDATE stock SET n = n - 1 WHERE id = 7
""",
        "hot-row",
    ),
    "a list without its right edge and the rule above it": (
        """
| Id    | User        | Host          | db   | Command | Time   | State                           | Info
+-------+-------------+---------------+------+---------+--------+---------------------------------+----------
|    11 | system user |               | NULL | Connect | 912331 | Waiting for master to send event | NULL
|    12 | system user |               | shop | Connect |  88121 | Waiting for table metadata lock | DROP TABLE
|    77 | report      | 10.0.0.5:4001 | shop | Sleep   |  91200 |                                 | NULL
|    90 | root        | localhost     | NULL | Query   |      0 | starting                        | show proce
""",  # noqa: E501
        "mdl-pileup",
    ),
    "rows as code in a list, an applier of row changes": (
        """
What we see on the replica:
- `| Id | User        | Host      | db   | Command | Time | State                            | Info             |`
- `+----+-------------+-----------+------+---------+------+----------------------------------+------------------+`
- `|  4 | system user |           | NULL | Connect | 9492 | Waiting for master to send event | NULL             |`
- `|  5 | system user |           | NULL | Connect |  704 | System lock                      | NULL             |`
- `|  6 | root        | localhost | shop | Query   |    0 | starting                         | show processlist |`
""",  # noqa: E501
        "applier-behind",
    ),
    "metadata locks with escaped rows and remarks": (
        """
*************************** 1\\. row ***************************
 processlist_id: 14
 object_type: TABLE
 lock_type: EXCLUSIVE
 lock_status: PENDING -- waits
*************************** 2\\. row ***************************
 processlist_id: 15
 object_type: TABLE
 lock_type: SHARED_READ
 lock_status: GRANTED -- has it
""",
        "mdl-pileup",
    ),
    "a monitoring query in the slow log": (
        """
# Time: 2024-05-05T15:25:35.470941Z
# User@Host: mon[mon] @  [10.0.0.9]  Id: 3942
# Query_time: 132.047229  Lock_time: 0.000005  Rows_sent: 15  Rows_examined: 15
SET timestamp=1714922735;
/* dashboard */ SELECT waiting_pid, blocking_pid FROM sys.innodb_lock_waits;
""",
        "slow-statement",
    ),
    "a state of Galera in a sentence": (
        """
Since the deployment hundreds of threads are stuck permanently in wsrep: preparing for TO isolation
and nothing is written on any node.
""",
        "galera-toi",
    ),
    "nodes of a cluster that do not answer": (
        """
2024-03-01  9:08:36 0 [Note] WSREP: (c912f31f-884c, 'tcp://0.0.0.0:4567') connection to peer 00000000-0000 with addr tcp://10.0.0.7:4567 timed out, no messages seen in PT3S
2024-03-01  9:08:40 0 [Note] WSREP: (c912f31f-884c, 'tcp://0.0.0.0:4567') connection to peer 00000000-0000 with addr tcp://10.0.0.7:4567 timed out, no messages seen in PT3S
2024-03-01  9:08:42 0 [Note] WSREP: (c912f31f-884c, 'tcp://0.0.0.0:4567') reconnecting to 8d40a1f1-a3b7 (tcp://10.0.0.9:4567), attempt 60
""",  # noqa: E501
        "galera-non-primary",
    ),
    "a lag in a sentence": (
        """
The replica gets further behind every day (`Seconds_Behind_Source = 52110`), although
`Replica_IO_Running=Yes` and `Replica_SQL_Running=Yes`.
""",
        "applier-behind",
    ),
    "every CPU waits for the disk": (
        """
top - 09:41:10 up 12 days,  1:15,  2 users,  load average: 14.10, 12.02, 9.50
%Cpu0  : 12.1 us,  6.0 sy,  0.0 ni,  0.3 id, 80.9 wa,  0.0 hi,  0.7 si,  0.0 st
%Cpu1  : 15.2 us,  5.1 sy,  0.0 ni,  9.4 id, 69.3 wa,  0.0 hi,  1.0 si,  0.0 st
%Cpu2  : 11.9 us,  4.7 sy,  0.0 ni,  1.0 id, 81.7 wa,  0.0 hi,  0.7 si,  0.0 st
""",
        "io-saturated",
    ),
    "a time limit ends statements": (
        """
[2026-01-05 11:02:11] production.ERROR: SQLSTATE[HY000]: General error: 3024 Query execution was interrupted, maximum statement execution time exceeded (SQL: select count(*) from `visits`)
""",  # noqa: E501
        "statement-limit",
    ),
    "a driver lost its connection": (
        """
sqlalchemy.exc.OperationalError: (pymysql.err.OperationalError) (2013, 'Lost connection to MySQL server during query')
[SQL: SELECT * FROM jobs WHERE state = 'new']
""",  # noqa: E501
        "lost-connection",
    ),
    "no room for row locks": (
        """
PHP Warning:  mysqli::query(): (HY000/1206): The total number of locks exceeds the lock table size in /srv/app/job.php on line 12
""",  # noqa: E501
        "lock-table-full",
    ),
    "a pool of connections gives up": (
        """
Caused by: java.sql.SQLTransientConnectionException: HikariPool-2 - Connection is not available, request timed out after 30002ms.
	at com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:601)
""",  # noqa: E501
        "client-pool",
    ),
    "a pool's own counts": (
        """
2024-08-15 08:47:28,122 [adder] DEBUG HikariPool - HikariPool-1 - Added connection com.mysql.cj.jdbc.ConnectionImpl@67005bd
2024-08-15 08:47:37,780 [job-2] DEBUG HikariPool - HikariPool-1 - Timeout failure stats (total=4, active=4, idle=0, waiting=35)
""",  # noqa: E501
        "client-pool",
    ),
    "a driver of Python prints 1040 with a message that lost its beginning": (
        """
My jobs end with the error of "(1040, 'ny connections')" when I start eight of them
""",
        "too-many-connections",
    ),
    "a server that ended without a word": (
        """
240315 23:20:01 [Note] /usr/sbin/mysqld: ready for connections.
240319 01:46:59 mysqld_safe Number of processes running now: 0
240319 01:46:59 mysqld_safe mysqld restarted
240319  1:46:59 [Note] InnoDB: Using Linux native AIO
""",
        "server-ended",
    ),
    "the source no longer has what a replica needs, and the row is cut": (
        """
*************************** 1. row ***************************
               Slave_IO_State:
                  Master_Host: db-0.shop
             Slave_IO_Running: No
            Slave_SQL_Running: Yes
                   Last_Errno: 0
        Seconds_Behind_Master: NULL
                Last_IO_Errno: 1236
                Last_IO_Error: Got fatal e
""",
        "replication-stopped",
    ),
    "a transaction of two hours with millions of changes": (
        """
---TRANSACTION 884411, ACTIVE 7311 sec
41 lock struct(s), heap size 1128, 9000000 row lock(s), undo log entries 8814213
MySQL thread id 71, OS thread handle 140509924382464, query id 44 10.0.0.3 app
""",
        "large-transaction",
    ),
    "an old kernel's line of a killed server, found by grep": (
        """
[root@db7 log]# grep -i killed messages
Apr  9 03:12:44 db7 kernel: [912201.118204] Killed process 20417, UID 27, (mysqld) total-vm:9120044kB, anon-rss:7120188kB, file-rss:512kB
""",  # noqa: E501
        "out-of-memory",
    ),
    "the shell that started the server says that it was killed": (
        """
ERROR 2013 (HY000) at line 1: Lost connection to MySQL server during query
/opt/db/scripts/entry.sh: line 211:   381 Killed                  "$@" --skip-networking --socket="${SOCKET}"
""",  # noqa: E501
        "out-of-memory",
    ),
    "a list of pods": (
        """
$ kubectl get pods -n shop
NAME            READY   STATUS      RESTARTS      AGE
web-5d9c-x2x1   1/1     Running     0             3d
shop-mysql-0    0/2     OOMKilled   4 (31s ago)   19m
""",
        "out-of-memory",
    ),
    "the events of a pod alone": (
        """
Events:
  Type     Reason     Age                   From     Message
  ----     ------     ----                  ----     -------
  Warning  Unhealthy  12m (x31 over 2h)     kubelet  Liveness probe failed:
  Normal   Killing    11m (x9 over 2h)      kubelet  Container mysql failed liveness probe, will be restarted
""",  # noqa: E501
        "probe-restart",
    ),
    "the log of gh-ost, which waits with the tables locked": (
        """
2024-05-11 02:10:55 INFO Locking `shop`.`orders`, `shop`.`_orders_del`
2024-05-11 02:10:55 INFO Tables locked
2024-05-11 02:10:55 INFO Waiting for events up to lock
2024-05-11 02:11:01 ERROR Timeout while waiting for events up to lock
2024-05-11 02:11:01 INFO Will now proceed to drop magic table and unlock tables
""",
        "cut-over",
    ),
    "a swap of two tables behind a long read": (
        """
| 7001 | app | 10.0.0.4:1 | shop | Query | 310 | Sending data | SELECT SUM(total) FROM orders |
| 7010 | osc | 10.0.0.9:1 | shop | Query | 12 | Waiting for table metadata lock | RENAME TABLE `shop`.`orders` TO `shop`.`_orders_old`, `shop`.`_orders_new` TO `shop`.`orders` |
| 7011 | app | 10.0.0.4:2 | shop | Query | 11 | Waiting for table metadata lock | SELECT * FROM orders WHERE id = 9 |
| 7012 | app | 10.0.0.4:3 | shop | Query | 10 | Waiting for table metadata lock | SELECT * FROM orders WHERE id = 8 |
""",  # noqa: E501
        "cut-over",
    ),
    "a driver of Python prints the errors as pairs": (
        """
I get these now and then:

`2024-02-11 09:43:44,689 [worker_3] WARNING (1205, u'Lock wait timeout exceeded; try restarting transaction')... Retrying`
""",  # noqa: E501
        "hot-row",
    ),
    "the watchdog of MariaDB, quoted in a mail": (
        """
* MariaDB 10.6, 3 nodes * at 02:41 the node shut down * error log: [ERROR][FATAL] InnoDB: innodb_fatal_semaphore_wait_threshold for dict_sys.latch was exceeded. See the manual
""",  # noqa: E501
        "dict-latch",
    ),
    "ProxySQL's words inside of a sentence, with its JSON": (
        """
With more load we get this:

`MySQL_Session.cpp:2688:handler(): [ERROR] Max connect timeout reached while reaching hostgroup 3 after 10000ms . HG status: [{"ConnERR":"0","ConnFree":"0","ConnOK":"39","ConnUsed":"5","MaxConnUsed":"5","hostgroup":"3","srv_host":"x","srv_port":"3306","status":"ONLINE"}]`
""",  # noqa: E501
        "proxysql-pool",
    ),
    "most stacks have no names, and all that have some open tables": (
        """
    140
     70 pthread_cond_wait@@GLIBC_2.3.2,end_thread,handle_one_connection,start_thread,clone
      6 __lll_lock_wait,_L_lock_1233,pthread_mutex_lock,open_table,open_tables,open_and_lock_tables,mysql_execute_command,dispatch_command,handle_one_connection
      1 select,os_thread_sleep,srv_error_monitor_thread,start_thread,clone
""",  # noqa: E501
        "lock-open",
    ),
    "the inner frames of a trace on one line are left out": (
        """
All wait for LOCK_open, and this one holds it:
Thread 902 (Thread 1637624128 (LWP 22113)): #3 mutex_spin_wait (mutex=0x2aaaac3232b8, file_name=0x8b3bf7 "trx0trx.c", line=220) at sync0sync.c:565 #4 trx_allocate_for_mysql #5 ha_innobase::allocate_trx #6 check_trx_exists #7 ha_innobase::info #8 ha_innobase::open #9 open_table
""",  # noqa: E501
        "kernel-mutex",
    ),
    "the times that performance_schema keeps for latches": (
        """
+------------+------------------+----------------+-----------------------------------------+
| COUNT_STAR | SUM_TIMER_WAIT   | AVG_TIMER_WAIT | EVENT_NAME                              |
+------------+------------------+----------------+-----------------------------------------+
|   41847781 | 2052968694795446 |       49057621 | wait/synch/mutex/innodb/lock_mutex      |
|   12318491 |    1928008466219 |         156446 | wait/synch/mutex/innodb/trx_sys_mutex   |
|   36481800 |    1294486175099 |          35397 | wait/synch/mutex/innodb/trx_mutex       |
+------------+------------------+----------------+-----------------------------------------+
""",
        "lock-sys-shard",
    ),
    "a profile of statements in which COMMIT leads": (
        """
# Profile
# Rank Query ID           Response time   Calls  R/Call V/M   Item
# ==== ================== =============== ====== ====== ===== ============
#    1 0x813031B8BBC3B329 1676.7355 57.6%  70006 0.0240  0.02 COMMIT
#    2 0xBC10C51A724ECD57  961.8928 33.1%  41211 0.0233  0.08 SELECT users
#    3 0x0C10C51A724ECD58  271.8928  9.3%  91211 0.0030  0.08 UPDATE users
""",
        "fsync-stall",
    ),
    "a crowd at work, by its count alone": (
        """
| State                        | count(*) |
|------------------------------|----------|
| Sending data                 |      811 |
| Sleep                        |       40 |
| Waiting for table level lock |        4 |
""",
        "slow-statement",
    ),
    "read_only against appliers, by the list of threads": (
        """
| THREAD_ID | NAME                      | TYPE       | PROCESSLIST_ID | PROCESSLIST_USER | PROCESSLIST_HOST | PROCESSLIST_DB | PROCESSLIST_COMMAND | PROCESSLIST_TIME | PROCESSLIST_STATE                           | PROCESSLIST_INFO         |
|       611 | thread/sql/one_connection | FOREGROUND |            580 | monitor          | 10.0.0.9         | NULL           | Query               |              311 | Waiting for commit lock                     | set global read_only=on  |
|       412 | thread/sql/slave_sql      | FOREGROUND |            381 | root             | localhost        | NULL           | Query               |              420 | Waiting for dependent transaction to commit | NULL                     |
|       413 | thread/sql/slave_worker   | FOREGROUND |            382 | root             | localhost        | NULL           | Query               |              431 | Waiting for global read lock                | INSERT INTO t VALUES (1) |
|       414 | thread/sql/slave_worker   | FOREGROUND |            383 | root             | localhost        | NULL           | Query               |              431 | Waiting for commit lock                     | NULL                     |
|       415 | thread/sql/slave_worker   | FOREGROUND |            384 | root             | localhost        | NULL           | Query               |              431 | Waiting for preceding transaction to commit | NULL                     |
""",  # noqa: E501
        "applier-order-circle",
    ),
    "seven ask for the locks of their tables, and one reads": (
        """
| 4001 | app | 10.0.0.11:41012 | shop | Query | 41 | Sending data | SELECT COUNT(*) FROM visits v JOIN log l ON l.id = v.id |
| 4002 | app | 10.0.0.11:41013 | shop | Query | 40 | System lock | UPDATE visits SET data = 'x' WHERE id = 33 |
| 4003 | app | 10.0.0.11:41014 | shop | Query | 39 | System lock | UPDATE visits SET data = 'x' WHERE id = 34 |
| 4004 | app | 10.0.0.11:41015 | shop | Query | 38 | System lock | INSERT INTO visits VALUES (12, 'x') |
| 4005 | app | 10.0.0.11:41016 | shop | Query | 37 | System lock | SELECT data FROM visits WHERE id = 99 |
| 4006 | app | 10.0.0.11:41017 | shop | Query | 30 | System lock | SELECT data FROM visits WHERE id = 97 |
""",  # noqa: E501
        "myisam-lock",
    ),
    "a list that is cut in its last row, in which the name of the host was replaced": (
        """
+-------+-------------+--------------------+------+---------+--------+-------------------------+------------------+-----------+
| Id    | User        | Host               | db   | Command | Time   | State                   | Info             | Rows_sent |
+-------+-------------+--------------------+------+---------+--------+-------------------------+------------------+-----------+
| 81499 | root        | localhost          | NULL | Query   |      0 | starting                | show processlist |         0 |
| 81501 | user_backup | 10.x.x.51:37654 | NULL | Query   |      41 | Waiting for binlog lock | START SLAVE SQL_TH
""",  # noqa: E501
        "ftwrl",
    ),
    "the State and the statement of a session, in a sentence's own line": (
        """
The primary hangs since the replicas are away:
Waiting for semi-sync ACK from slave | INSERT INTO beat (ts, shard) VALUES (1720576630, '-') ON DUPLICATE KEY UPDATE ts = 1
""",  # noqa: E501
        "semisync-stall",
    ),
    "RocksDB holds its writers back": (
        """
    311 pthread_cond_wait,std::condition_variable::wait,rocksdb::WriteThread::BlockingAwaitState,rocksdb::WriteThread::AwaitState,rocksdb::WriteThread::JoinBatchGroup,rocksdb::DBImpl::WriteImpl,rocksdb::TransactionImpl::Prepare,myrocks::rocksdb_prepare,ha_prepare_low,ha_commit_trans,trans_commit,do_command
     32 pthread_cond_wait,ConditionWait,rocksdb::ThreadPool::BGThread,start_thread,clone
""",  # noqa: E501
        "rocksdb-write-stall",
    ),
    "a full-text latch, while a disk takes a minute for two hundred pages": (
        """
2021-06-08T09:11:02.120Z 0 [Note] InnoDB: page_cleaner: 1000ms intended loop took 61300ms. The settings might not be optimal. (flushed=200 and evicted=0, during the time.)
2021-06-08T09:12:41.120Z 0 [Note] InnoDB: page_cleaner: 1000ms intended loop took 97120ms. The settings might not be optimal. (flushed=200 and evicted=0, during the time.)
2021-06-08T09:13:20.120Z 0 [Note] InnoDB: page_cleaner: 1000ms intended loop took 38110ms. The settings might not be optimal. (flushed=188 and evicted=0, during the time.)
2021-06-08T09:17:20.120Z 0 [Warning] InnoDB: A long semaphore wait:
--Thread 140406840436480 has waited at fts0fts.cc line 3622 for 271.00 seconds the semaphore:
X-lock on RW-latch at 0x55d0a1b2c3d8 created in file fts0fts.cc line 626
a writer (thread id 140406840436999) has reserved it in mode  exclusive
""",  # noqa: E501
        "io-saturated",
    ),
    "a transaction of thread 0 holds the rows, and the lock tables name them": (
        """
+--------+-----------+---------------------+-----------------------+---------------------+---------------------+-------------------------------+
| trx_id | trx_state | trx_started         | trx_requested_lock_id | trx_wait_started    | trx_mysql_thread_id | trx_query                     |
+--------+-----------+---------------------+-----------------------+---------------------+---------------------+-------------------------------+
|   7001 | RUNNING   | 2025-01-02 10:00:01 | NULL                  | NULL                |                   0 | NULL                          |
|   7044 | LOCK WAIT | 2025-01-02 10:00:40 | 7044:9:3:2            | 2025-01-02 10:00:40 |                  31 | UPDATE stock SET n=1 WHERE i=1 |
|   7045 | LOCK WAIT | 2025-01-02 10:00:41 | 7045:9:3:3            | 2025-01-02 10:00:41 |                  32 | UPDATE stock SET n=1 WHERE i=2 |
+--------+-----------+---------------------+-----------------------+---------------------+---------------------+-------------------------------+
+-------------------+-------------------+-----------------+------------------+
| requesting_trx_id | requested_lock_id | blocking_trx_id | blocking_lock_id |
+-------------------+-------------------+-----------------+------------------+
|              7044 | 7044:9:3:2        |            7001 | 7001:9:3:2       |
|              7045 | 7045:9:3:3        |            7001 | 7001:9:3:3       |
+-------------------+-------------------+-----------------+------------------+
+------------+-------------+-----------+-----------+----------------+------------+------------+-----------+----------+-----------+
| lock_id    | lock_trx_id | lock_mode | lock_type | lock_table     | lock_index | lock_space | lock_page | lock_rec | lock_data |
+------------+-------------+-----------+-----------+----------------+------------+------------+-----------+----------+-----------+
| 7044:9:3:2 |        7044 | X         | RECORD    | `shop`.`stock` | PRIMARY    |          9 |         3 |        2 | 1         |
| 7001:9:3:2 |        7001 | X         | RECORD    | `shop`.`stock` | PRIMARY    |          9 |         3 |        2 | 1         |
| 7045:9:3:3 |        7045 | X         | RECORD    | `shop`.`stock` | PRIMARY    |          9 |         3 |        3 | 2         |
+------------+-------------+-----------+-----------+----------------+------------+------------+-----------+----------+-----------+
""",  # noqa: E501
        "xa-prepared",
    ),
    "lock tables of inserts behind a long one, by the lock of the counter": (
        """
+--------+-----------+-----------------------+---------------------+---------------------+-------------------------------------+
| trx_id | trx_state | trx_requested_lock_id | trx_wait_started    | trx_mysql_thread_id | trx_query                           |
+--------+-----------+-----------------------+---------------------+---------------------+-------------------------------------+
|    811 | RUNNING   | NULL                  | NULL                |                  70 | INSERT INTO bill(x) SELECT y FROM z |
|    812 | LOCK WAIT | 812:44                | 2025-01-02 10:00:40 |                  71 | INSERT INTO bill(x) VALUES (1)      |
|    813 | LOCK WAIT | 813:44                | 2025-01-02 10:00:41 |                  72 | INSERT INTO bill(x) VALUES (2)      |
|    814 | LOCK WAIT | 814:44                | 2025-01-02 10:00:41 |                  73 | INSERT INTO bill(x) VALUES (3)      |
+--------+-----------+-----------------------+---------------------+---------------------+-------------------------------------+
+-------------------+-------------------+-----------------+------------------+
| requesting_trx_id | requested_lock_id | blocking_trx_id | blocking_lock_id |
+-------------------+-------------------+-----------------+------------------+
|               812 | 812:44            |             811 | 811:44           |
|               813 | 813:44            |             811 | 811:44           |
|               814 | 814:44            |             811 | 811:44           |
+-------------------+-------------------+-----------------+------------------+
+---------+-------------+-----------+-----------+---------------+------------+------------+-----------+----------+-----------+
| lock_id | lock_trx_id | lock_mode | lock_type | lock_table    | lock_index | lock_space | lock_page | lock_rec | lock_data |
+---------+-------------+-----------+-----------+---------------+------------+------------+-----------+----------+-----------+
| 812:44  |         812 | AUTO_INC  | TABLE     | `pay`.`bill`  | NULL       |       NULL |      NULL |     NULL | NULL      |
| 811:44  |         811 | AUTO_INC  | TABLE     | `pay`.`bill`  | NULL       |       NULL |      NULL |     NULL | NULL      |
| 813:44  |         813 | AUTO_INC  | TABLE     | `pay`.`bill`  | NULL       |       NULL |      NULL |     NULL | NULL      |
| 814:44  |         814 | AUTO_INC  | TABLE     | `pay`.`bill`  | NULL       |       NULL |      NULL |     NULL | NULL      |
+---------+-------------+-----------+-----------+---------------+------------+------------+-----------+----------+-----------+
""",  # noqa: E501
        "mysql-16979",
    ),
    "stripped stacks of commits that wait for the lock of a backup": (
        "".join(
            f"""
Thread {n} (Thread 0x7f00{n:04x} (LWP {900 + n}) "one_connection"):
#0  0x00007f31f30a672e in ?? () from /lib/x86_64-linux-gnu/libc.so.6
#1  0x00007f31f309e05d in pthread_cond_timedwait () from /lib/x86_64-linux-gnu/libc.so.6
#2  0x0000559335819259 in MDL_wait::timed_wait(MDL_context_owner*, timespec*, bool) ()
#3  0x000055933581abef in MDL_context::acquire_lock(MDL_request*, double) ()
#4  0x000055933595d576 in ha_commit_trans(THD*, bool) ()
#5  0x0000559335822005 in trans_commit_stmt(THD*) ()
#6  0x00005593356df834 in mysql_execute_command(THD*, bool) ()
"""
            for n in range(2, 11)
        ),
        "ftwrl",
    ),
    "stripped stacks below a libc without names": (
        "".join(
            f"""
Thread {n} (Thread 0x7f00{n:04x} (LWP {900 + n}) "one_connection"):
#0  0x00007f4e35ea672e in ?? () from /lib/x86_64-linux-gnu/libc.so.6
#1  0x00007f4e35e9b388 in ?? () from /lib/x86_64-linux-gnu/libc.so.6
#2  0x00007f4e35e9b9ac in ?? () from /lib/x86_64-linux-gnu/libc.so.6
#3  0x00007f4e35e9e05d in pthread_cond_timedwait () from /lib/x86_64-linux-gnu/libc.so.6
#4  0x000055befb64a833 in Repl_semi_sync_master::commit_trx(char const*, unsigned long long) ()
#5  0x000055befb64abdd in Repl_semi_sync_master::wait_after_commit(THD*, bool) ()
#6  0x000055befb711412 in ha_commit_trans(THD*, bool) ()
"""
            for n in range(2, 11)
        ),
        "semisync-stall",
    ),
    "the kernel's table of connections is full": (
        """
[Tue Jan  3 04:02:11 2023] nf_conntrack: nf_conntrack: table full, dropping packet
[Tue Jan  3 04:02:16 2023] nf_conntrack: nf_conntrack: table full, dropping packet
""",
        "network-loss",
    ),
    "the saving of statistics waits for room in the redo log, and all who open tables for it": (
        """
    400 nanosleep,os_thread_sleep,TTASEventMutex::enter,PolicyMutex::enter,dict_table_open_on_name,ha_innobase::open,handler::ha_open,open_table,open_tables,mysql_execute_command,do_command
     20 nanosleep,os_thread_sleep,buf_flush_wait_flushed,log_preflush_pool_modified_pages,log_checkpoint_margin,log_free_check,row_upd_clust_step,row_upd,ha_innobase::update_row,mysql_update,do_command
      1 nanosleep,os_thread_sleep,buf_flush_wait_flushed,log_preflush_pool_modified_pages,log_checkpoint_margin,log_free_check,row_ins_clust_index_entry,que_eval_sql,dict_stats_exec_sql,dict_stats_save,dict_stats_update,dict_stats_thread,start_thread
      1 pwrite64,os_file_io,fil_io,buf_dblwr_flush_buffered_writes,buf_flush_page_cleaner_coordinator,start_thread
""",  # noqa: E501
        "sync-flush",
    ),
    "a list every two seconds, with the time before each row": (
        """
The backup hangs our shop. We look every two seconds:

[2021-03-04 05:06:07]| Id | User | Host | db | Command | Time | State | Info |
[2021-03-04 05:06:07]| 31 | dump | h:1 | NULL | Query | 41 | Waiting for table flush | FLUSH TABLES WITH READ LOCK |
[2021-03-04 05:06:07]| 22 | bi | h:2 | dw | Query | 2904 | Sending data | SELECT sum(x) FROM facts |
[2021-03-04 05:06:07]| 51 | app | h:3 | dw | Query | 40 | Waiting for global read lock | UPDATE t SET n = 1 |
[2021-03-04 05:06:07]| 52 | app | h:3 | dw | Query | 39 | Waiting for global read lock | UPDATE t SET n = 2 |
""",  # noqa: E501
        "ftwrl",
    ),
    "the calls of each thread between colons": (
        """
Thread 7 (LWP 911):
unlink:os_file_delete_func:fil_delete_tablespace:row_drop_table_for_mysql:ha_innobase::delete_table:mysql_execute_command:do_command:clone

Thread 8 (LWP 912):
pthread_cond_wait:os_event_wait_low:sync_array_wait_event:mutex_spin_wait:dict_table_open_on_name:ha_innobase::open:open_table:open_tables:do_command:clone

Thread 9 (LWP 913):
pthread_cond_wait:os_event_wait_low:sync_array_wait_event:mutex_spin_wait:dict_table_open_on_name:ha_innobase::open:open_table:open_tables:do_command:clone
""",
        "drop-unlink",
    ),
    "a member of the group that does not reply, and commits": (
        """
| 11 | system user |     | NULL | Connect | 912231 | waiting for handler commit | Group replication applier module |
| 71 | app         | h:1 | pay  | Query   |     21 | waiting for handler commit | COMMIT |
| 72 | app         | h:1 | pay  | Query   |     20 | waiting for handler commit | COMMIT |
| 73 | app         | h:2 | pay  | Query   |     18 | waiting for handler commit | COMMIT |

+-------------+--------------+-------------+
| member_host | member_state | member_role |
+-------------+--------------+-------------+
| a           | ONLINE       | PRIMARY     |
| b           | UNREACHABLE  | SECONDARY   |
| c           | ONLINE       | SECONDARY   |
+-------------+--------------+-------------+
""",  # noqa: E501
        "group-replication",
    ),
    "waits of Aurora as its page names them": (
        """
| Wait event | Load by waits (AAS) |
|---|---|
| synch/mutex/innodb/aurora_lock_thread_slot_futex | 40.10 |
| io/table/sql/handler | 3.10 |
| CPU | 2.00 |
""",
        "hot-row",
    ),
    "a session of SHOW PROCESSLIST, then the only stack of its thread": (
        """
Behind for hours, a table without primary key. SHOW PROCESSLIST on the replica:

    Id: 12
  User: system user
  Host:
    db: NULL
Command: Connect
  Time: 9122
 State: Reading event from the relay log
  Info: NULL

pt-pmp of that thread
      1 row_search_mvcc,ha_innobase::general_fetch,ha_innobase::rnd_next,handler::ha_rnd_next,Rows_log_event::next_record_scan,Rows_log_event::do_scan_and_update,Rows_log_event::do_apply_event,Log_event::apply_event,apply_event_and_update_pos,exec_relay_log_event,handle_slave_sql,start_thread,clone

show slave status: Seconds_Behind_Master: 9122, Slave_SQL_Running_State: Reading event from the relay log
""",  # noqa: E501
        "applier-no-key",
    ),
    "a list of which single blanks and four columns are left": (
        """
Id Time State Info
91 12 Waiting for table metadata lock DROP TABLE tmp_x
92 11 Waiting for table metadata lock SELECT * FROM tmp_x
93 11 Waiting for table metadata lock SELECT * FROM tmp_x
60 300 Sending data SELECT a.* FROM tmp_x a JOIN b USING (id)
""",
        "mdl-pileup",
    ),
    "a dashboard's list of waits": (
        """
Top waits (average active sessions)
wait/synch/sxlock/innodb/btr_search_latch   88.1 AAS
CPU                                         31.0 AAS
wait/io/table/sql/handler                    4.4 AAS
""",
        "mysql-100512",
    ),
    "a dashboard's table of waits": (
        """
| wait_event                 | AAS  |
|----------------------------|------|
| wait/lock/metadata/sql/mdl | 61.2 |
| CPU                        |  3.0 |
""",
        "mdl-pileup",
    ),
    "wait events that are counted, without names of columns": (
        """
    120 wait/io/aurora_redo_log_flush
      9 wait/io/table/sql/handler
""",
        "fsync-stall",
    ),
    "the quota of a container": (
        """
nr_periods 10233
nr_throttled 6120
throttled_usec 81223311
""",
        "cpu-quota",
    ),
    "a clone of the server stops its schema changes": (
        """
| 912 | copy | db9:511 | NULL | Clone | 5512 | Sending to client       | NULL                     |
| 921 | app  | db4:411 | a    | Query | 5301 | Waiting for backup lock | CREATE TABLE t2 (id int) |
| 922 | app  | db4:412 | a    | Query | 5288 | Waiting for backup lock | ALTER TABLE t1 ADD x int |
""",
        "ftwrl",
    ),
    "commands and what they print, with the prompt of root": (
        """
# ping -c 100 -q replica
--- replica ping statistics ---
100 packets transmitted, 81 received, 19% packet loss, time 99412ms
# df -h /var/lib/mysql
Filesystem      Size  Used Avail Use% Mounted on
/dev/sda1        50G   22G   26G  46% /var/lib/mysql
""",
        "network-loss",
    ),
    "logins of a directory's accounts": (
        """
     31 poll,ldap_result,ldap_sasl_bind_s,pam_sm_authenticate,pam_authenticate,pam_auth_base,do_auth_once,acl_authenticate,check_connection
      7 poll,vio_io_wait,vio_socket_io_wait,net_read_raw_loop,my_net_read,do_command,handle_connection
""",  # noqa: E501
        "auth-service",
    ),
    "a key is fetched, others queue behind it": (
        """
Thread 21 (Thread 0x7f0a (LWP 301)):
#0  poll () from /lib64/libc.so.6
#1  curl_easy_perform () from /lib64/libcurl.so.4
#2  HCData::curl_run () from hashicorp_key_management.so
#3  HCData::get_key_from_vault ()
#4  fil_crypt_get_latest_key_version ()
Thread 20 (Thread 0x7f0b (LWP 302)):
#0  __lll_lock_wait ()
#1  pthread_mutex_lock ()
#2  HCData::get_latest_version ()
#3  fil_crypt_get_latest_key_version ()
""",
        "key-service",
    ),
    "the time daemon sets the clock": (
        """
Mar 03 02:10:11 db9 chronyd[771]: System clock wrong by 61.003344 seconds, adjustment started
Mar 03 02:11:12 db9 chronyd[771]: System clock was stepped by 61.003344 seconds
""",
        "clock-step",
    ),
    "a list of metadata locks alone": (
        """
+-------------+---------------+-------------+--------------+---------------+-------------+-----------------+
| OBJECT_TYPE | OBJECT_SCHEMA | OBJECT_NAME | LOCK_TYPE    | LOCK_DURATION | LOCK_STATUS | OWNER_THREAD_ID |
+-------------+---------------+-------------+--------------+---------------+-------------+-----------------+
| TABLE       | crm           | contacts    | SHARED_WRITE | TRANSACTION   | GRANTED     |              71 |
| TABLE       | crm           | contacts    | EXCLUSIVE    | TRANSACTION   | PENDING     |              80 |
| TABLE       | crm           | contacts    | SHARED_READ  | TRANSACTION   | PENDING     |              81 |
| TABLE       | crm           | contacts    | SHARED_READ  | TRANSACTION   | PENDING     |              82 |
+-------------+---------------+-------------+--------------+---------------+-------------+-----------------+
""",  # noqa: E501
        "mdl-pileup",
    ),
    "a slow statement with a remark below it": (
        """
# Time: 2024-02-07T10:00:41.122110Z
# User@Host: app[app] @  [10.9.1.1]  Id: 51221
# Query_time: 14.118023  Lock_time: 0.000004 Rows_sent: 1  Rows_examined: 42811202
SET timestamp=1707300041;
SELECT * FROM notes WHERE book = 81 AND gone = 0 ORDER BY id DESC LIMIT 1;
# Time: 2024-02-07T10:00:42.001100Z
# User@Host: app[app] @  [10.9.1.2]  Id: 51233
# Query_time: 13.900411  Lock_time: 0.000003 Rows_sent: 1  Rows_examined: 42811190
SET timestamp=1707300042;
SELECT * FROM notes WHERE book = 97 AND gone = 0 ORDER BY id DESC LIMIT 1;

With the other index it takes 2 ms.
""",
        "slow-statement",
    ),
    "a replica's lag above a profile of its applier": (
        """
             Slave_IO_Running: Yes
            Slave_SQL_Running: Yes
        Seconds_Behind_Master: 7711

  51.20%  mysqld  [.] row_search_mvcc
  11.11%  mysqld  [.] Rows_log_event::do_hash_scan_and_update
   8.91%  mysqld  [.] rec_get_offsets_func
""",
        "applier-no-key",
    ),
    "a thread that wakes for a row lock waits for the latch of all of them": (
        """
Thread 9 (Thread 0x7f01 (LWP 91)):
#0  syscall ()
#1  srw_mutex_impl<true>::wait_and_lock ()
#2  LockGuard::LockGuard ()
#3  lock_rec_lock ()
#4  sel_set_rec_lock ()
Thread 8 (Thread 0x7f02 (LWP 92)):
#0  syscall ()
#1  srw_mutex_impl<true>::wait_and_lock ()
#2  LockGuard::LockGuard ()
#3  lock_rec_lock ()
#4  btr_cur_upd_lock_and_undo ()
Thread 7 (Thread 0x7f03 (LWP 93)):
#0  syscall ()
#1  srw_lock_impl<true>::wr_wait ()
#2  lock_sys_t::wr_lock ()
#3  lock_wait ()
#4  row_mysql_handle_errors ()
""",
        "lock-sys-shard",
    ),
    "a latch whose name tells its partition": (
        """
--Thread 140000000000101 has waited at btr0sea.c line 1201 for 712.00 seconds the semaphore:
X-lock on RW-latch at 0x7f0012ab 'btr_search_latch_part[i]'
a writer (thread id 140000000000102) has reserved it in mode exclusive
number of readers 0, waiters flag 1, lock_word: 0
InnoDB: Warning: a long semaphore wait:
""",
        "mysql-100512",
    ),
    "the copy of a rebuilt table is dropped until the watchdog acts": (
        """
---TRANSACTION 7719023, ACTIVE 4022 sec dropping table
3 lock struct(s), heap size 1128, 2 row lock(s), undo log entries 9
MySQL thread id 511, OS thread handle 140011, query id 8123 localhost ops altering table
OPTIMIZE TABLE shop.visits
----------------------------
END OF INNODB MONITOR OUTPUT
============================
2025-02-11T04:07:57.321836Z 0 [ERROR] [MY-012872] [InnoDB] [FATAL] Semaphore wait has lasted > 600 seconds. We intentionally crash the server because it appears to be hung.
""",  # noqa: E501
        "drop-table",
    ),
    "the kernel's log in the language of its locale": (
        """
[Mi Mär 12 04:10:41 2025]  [<ffffffffb9683a07>] do_fsync+0x67/0xb0
[Mi Mär 12 04:12:41 2025] INFO: task mysqld:4433 blocked for more than 120 seconds.
[Mi Mär 12 04:12:41 2025] mysqld          D ffff98eb48645280     0  4433   3920 0x00000080
""",
        "host-hung-io",
    ),
    "a change behind one that waits for a replica": (
        """
+----+-------+---------+------+--------------------------------------+------------------------------------------+
| Id | User  | Command | Time | State                                | Info                                     |
+----+-------+---------+------+--------------------------------------+------------------------------------------+
| 71 | shop  | Query   | 9102 | Waiting for semi-sync ACK from slave | UPDATE settings SET v = 1 WHERE k = 'at' |
| 88 | shop  | Query   |   41 | updating                             | UPDATE settings SET v = 2 WHERE k = 'at' |
| 93 | shop  | Query   |   12 | updating                             | UPDATE settings SET v = 3 WHERE k = 'at' |
+----+-------+---------+------+--------------------------------------+------------------------------------------+
""",  # noqa: E501
        "semisync-stall",
    ),
    "time, state and statement alone, in a box without a line below its head": (
        """
+------+-------------------------+---------------------------------+
| Time | State                   | Info                            |
|   41 | Writing to net          | select * from stock             |
|   15 | Waiting for table flush | select * from stock where id=1  |
|   15 | Waiting for table flush | select * from stock where id=2  |
|   14 | Waiting for table flush | select * from stock where id=7  |
+------+-------------------------+---------------------------------+
""",
        "flush-tables",
    ),
    "the binary log is locked for a backup": (
        """
| 141 | backup | 10.0.0.5:3765 | NULL | Query | 9 | Waiting for binlog lock | START SLAVE |
""",
        "ftwrl",
    ),
    "one line of a log, quoted": (
        """
Looking at the pod's log, it is flooded with
> `disk is full writing './binlog.~rec~'`
""",
        "disk-full",
    ),
    "FLUSH TABLE in the singular, without times": (
        """
+----+------------------------------+-----------------------------------------+
| Id | State                        | Info                                    |
+----+------------------------------+-----------------------------------------+
| 52 | Waiting for global read lock | FLUSH TABLE WITH READ LOCK              |
| 47 | User sleep                   | SELECT SLEEP(600) FROM stock FOR UPDATE |
+----+------------------------------+-----------------------------------------+
""",
        "ftwrl",
    ),
    "log lines behind a collector's word and the rest of a date": (
        """
Warning: 1T03:11:04.143766Z 0 [Warning] [MY-014084] [InnoDB] Threads are unable to reserve space in redo log which can't be reclaimed due to the 'log_checkpointer' consumer still lagging behind at LSN = 991.
Warning: 1T03:11:24.213766Z 0 [Warning] [MY-014084] [InnoDB] Threads are unable to reserve space in redo log which can't be reclaimed due to the 'log_checkpointer' consumer still lagging behind at LSN = 998.
""",  # noqa: E501
        "sync-flush",
    ),
    "the server says that its redo log is full": (
        """
2025-03-02T01:37:40.9Z 0 [ERROR] [MY-013059] [InnoDB] Out of space in the redo log. Checkpoint LSN: 61.
""",  # noqa: E501
        "sync-flush",
    ),
    "one stack of a causal read in a cluster": (
        """
Thread 31 (Thread 0x7f11 (LWP 412)):
#0  pthread_cond_timedwait@@GLIBC_2.3.2 () from /lib64/libpthread.so.0
#1  0x0000000000a1 in gu::Lock::wait (cond=..., date=...) at gu_lock.hpp:70
#2  0x0000000000a2 in galera::Monitor<galera::ReplicatorSMM::CommitOrder>::wait (this=0x1) at monitor.hpp:280
#3  0x0000000000a3 in galera::ReplicatorSMM::causal_read (this=0x2) at replicator_smm.cpp:970
#4  0x0000000000a4 in wsrep_sync_wait (thd=0x3) at wsrep_mysqld.cc:810
#5  0x0000000000a5 in mysql_execute_command (thd=0x3) at sql_parse.cc:3860
""",  # noqa: E501
        "replica-wait",
    ),
    "sessions that end wait below the coordinator's log": (
        """
    910 __lll_lock_wait,pthread_mutex_lock,inline_mysql_mutex_lock,TC_LOG_MMAP::log_xid,TC_LOG_MMAP::commit,THD::cleanup,THD::release_resources,one_thread_per_connection_end,handle_one_connection,start_thread,clone
      9 poll,vio_io_wait,vio_read,my_net_read,do_command,handle_one_connection,start_thread,clone
""",  # noqa: E501
        "tc-log",
    ),
    "a coordinator and its workers wait for each other": (
        """
| 21 | system user | | NULL | Connect | 9140 | Waiting for source to send event | NULL |
| 22 | system user | | x | Connect | 907 | Waiting for Replica Worker to release partition | NULL |
| 23 | system user | | NULL | Connect | 9140 | Waiting for an event from Coordinator | NULL |
| 24 | system user | | NULL | Connect | 9140 | Waiting for an event from Coordinator | NULL |
""",
        "applier-behind",
    ),
    "lines of a replication status that grep left": (
        """
# mysql -e 'show replica status\\G' | grep -i -e seconds -e running_state
          Seconds_Behind_Source: 61204
      Replica_SQL_Running_State: Reading event from the relay log
""",
        "applier-behind",
    ),
    "a client's error as code below a heading": (
        """
**What the application gets**
`ERROR 9001 (HY000): Max connect timeout reached while reaching hostgroup 7 after 10004ms`
""",
        "proxysql-pool",
    ),
    "a proxy's own line without a time": (
        """
[ERROR] Hostgroup 31 has no servers available! Checking servers shunned for more than 1 second
""",
        "proxy-no-server",
    ),
    "a logged statement that ran for half an hour": (
        """
# Time: 2024-03-21T21:26:11.783246Z
# User@Host: app[app] @  [10.6.3.8]  Id:   381
# Query_time: 1911.175542  Lock_time: 0.000072 Rows_sent: 0  Rows_examined: 41550
SET timestamp=1711056371;
SELECT body FROM attachment WHERE owner_code = 'DC4495E7';
""",
        "slow-statement",
    ),
    "two readings of SHOW ENGINE INNODB MUTEX": (
        """
2026-11-20 22:20:10
+--------+------------------------------+-----------------+
| Type   | Name                         | Status          |
+--------+------------------------------+-----------------+
| InnoDB | rwlock: btr0sea.cc:202       | waits=1043250   |
| InnoDB | rwlock: fil0fil.cc:3166      | waits=14        |
| InnoDB | rwlock: dict0dict.cc:2737    | waits=300       |
| InnoDB | sum rwlock: buf0buf.cc:1460  | waits=90211     |
+--------+------------------------------+-----------------+
4 rows in set (0.22 sec)

2026-11-20 22:20:20
+--------+------------------------------+-----------------+
| Type   | Name                         | Status          |
+--------+------------------------------+-----------------+
| InnoDB | rwlock: btr0sea.cc:202       | waits=1943250   |
| InnoDB | rwlock: fil0fil.cc:3166      | waits=14        |
| InnoDB | rwlock: dict0dict.cc:2737    | waits=340       |
| InnoDB | sum rwlock: buf0buf.cc:1460  | waits=93211     |
+--------+------------------------------+-----------------+
4 rows in set (0.22 sec)
""",
        "mysql-100512",
    ),
    "rows between bars, each over two lines of any length": (
        """
| 71823 | ops | 10.0.3.1:41233 | crm | Query | 88 | Waiting for
table metadata lock | alter table contacts add index idx_mail (mail) | 0.000 |
| 71830 | php | 10.0.3.7:55121 | crm | Query | 87 | Waiting for
table metadata lock | select id from contacts where mail='a' | 0.000 |
| 60012 | cron | 10.0.3.9:1233 | crm | Query | 4210 | Sending data |
select * from contacts order by rand() limit 100000 | 0.000 |
""",
        "mdl-pileup",
    ),
    "sys.session without its lines of stars": (
        """
                thd_id: 1412
               conn_id: 1377
                  user: app@10.3.3.1
               command: Query
                 state: Waiting for semi-sync ACK from replica
                  time: 8
     current_statement: COMMIT
                thd_id: 1413
               conn_id: 1378
                  user: app@10.3.3.1
               command: Query
                 state: Waiting for semi-sync ACK from replica
                  time: 7
     current_statement: COMMIT
""",
        "semisync-stall",
    ),
    "what the server answers, in an application's log": (
        "".join(
            f"[2024-09-01 12:00:{at:02d}] production.ERROR: SQLSTATE[40001]: Serialization failure:"
            f" 1213 Deadlock found when trying to get lock; (SQL: insert into seats values ({at}))"
            "\n"
            for at in range(0, 40, 2)
        ),
        "deadlock-storm",
    ),
    "no page is free, and sessions write single pages: a part of BUFFER POOL AND MEMORY": (
        """
OS WAIT ARRAY INFO: reservation count 12988102
--Thread 140211006420736 has waited at buf0flu.cc line 1209 for 0.00 seconds the semaphore:
SX-lock on RW-latch at 0x7f88a3b1c0b8 created in file buf0buf.cc line 1460
a writer (thread id 140211006420736) has reserved it in mode  SX
--Thread 140211004290816 has waited at buf0lru.cc line 1341 for 1.00 seconds the semaphore:
Mutex at 0x4b86d28, Mutex BUF_POOL_FREE_LIST created buf0buf.cc:1680, lock var 1

OS WAIT ARRAY INFO: signal count 28199102
----------------------
BUFFER POOL AND MEMORY
----------------------
Buffer pool size   1638200
Free buffers       0
Database pages     1601992
Modified db pages  901123
Pending reads      37
Pending writes: LRU 0, flush list 0, single page 24
""",
        "free-pages",
    ),
    "a redo log without room: a line of 5.5": (
        """
121103 10:00:01  InnoDB: ERROR: the age of the last checkpoint is 9433092,
InnoDB: which exceeds the log group capacity 9433498.
""",
        "sync-flush",
    ),
    "pages that are being read: latches last locked where pages are read in": (
        """
--Thread 140008 has waited at buf0buf.cc line 3099 for 0.00 seconds the semaphore:
S-lock on RW-latch at 0x7f0e3c1d5c98 created in file buf0buf.cc line 1035
a writer (thread id 140021) has reserved it in mode  exclusive
Last time write locked in file /mysql-5.5/storage/innobase/buf/buf0buf.cc line 3811
--------
FILE I/O
--------
Pending normal aio reads: 88 [22, 20, 26, 20] , aio writes: 0 [0, 0, 0, 0] ,
 ibuf aio reads: 0, log i/o's: 0, sync i/o's: 0
""",
        "io-bound",
    ),
    "the leader waits for a replica, the others for the leader": (
        """
| 8812 | app | 10.0.0.9:50112 | prod | Query | 9 | Waiting for semi-sync ACK from replica | COMMIT |
| 8813 | app | 10.0.0.9:50114 | prod | Query | 9 | waiting for handler commit | COMMIT |
| 8822 | app | 10.0.0.9:50120 | prod | Query | 8 | waiting for handler commit | COMMIT |
| 8829 | app | 10.0.0.9:50121 | prod | Query | 7 | waiting for handler commit | COMMIT |
""",
        "semisync-stall",
    ),
    "GET_LOCK is a metadata lock since 5.7": (
        """
     12 pthread_cond_timedwait,MDL_wait::timed_wait,MDL_context::acquire_lock,Item_func_get_lock::val_int,Item::send,dispatch_command
      3 poll,vio_io_wait,vio_read,net_read_packet,do_command
""",  # noqa: E501
        "user-lock",
    ),
    "a killed statement still changes rows": (
        """
+-----+------+------+------+---------+-------+----------+---------------------------------+
| Id  | User | Host | db   | Command | Time  | State    | Info                            |
+-----+------+------+------+---------+-------+----------+---------------------------------+
|  88 | etl  | h:1  | dw   | Killed  | 10290 | updating | DELETE FROM fact WHERE d < 2019 |
|  91 | app  | h:2  | dw   | Query   |    44 | updating | UPDATE fact SET x=1 WHERE id=99 |
+-----+------+------+------+---------+-------+----------+---------------------------------+
""",
        "long-rollback",
    ),
    "an applier scans a table for each row": (
        """
| 21 | system user | | NULL | Connect | 88291 | Waiting for master to send event | NULL |
| 22 | system user | | NULL | Connect | 7210 | Delete_rows_log_event::find_row(-1) | NULL |
""",
        "applier-behind",
    ),
    "sessions that are only counted by their State": (
        """
+---------------------------------+----------+
| state                           | count(*) |
+---------------------------------+----------+
| Waiting for table metadata lock |      118 |
| executing                       |        3 |
+---------------------------------+----------+
""",
        "mdl-pileup",
    ),
    "metadata_locks with a choice of columns": (
        """
+-------------+---------------------+-------------+-----------------+
| object_name | lock_type           | lock_status | owner_thread_id |
+-------------+---------------------+-------------+-----------------+
| orders      | SHARED_READ         | GRANTED     |             812 |
| orders      | EXCLUSIVE           | PENDING     |             901 |
| orders      | SHARED_READ         | PENDING     |             911 |
+-------------+---------------------+-------------+-----------------+
""",
        "mdl-pileup",
    ),
    "what a client answers": (
        """
$ mysql -uapp -p
ERROR 1040 (HY000): Too many connections
""",
        "too-many-connections",
    ),
    "the watchdog of MariaDB names the latch": (
        """
2023-04-04 10:11:12 0 [Warning] InnoDB: A long wait (241 seconds) was observed for dict_sys.latch
""",
        "dict-latch",
    ),
    "the global read lock waits for its flush, others wait for both": (
        """
| 41 | copy | localhost | NULL | Query | 122 | Waiting for table flush | FLUSH TABLES WITH READ LOCK |
| 17 | bi | 10.2.0.4:1 | dw | Query | 2210 | Sending data | SELECT c, SUM(x) FROM fact GROUP BY c |
| 44 | app | 10.2.0.5:2 | dw | Query | 121 | Waiting for global read lock | INSERT INTO fact VALUES (3) |
| 45 | app | 10.2.0.5:3 | dw | Query | 119 | Waiting for table flush | SELECT 1 FROM fact LIMIT 1 |
""",  # noqa: E501
        "ftwrl",
    ),
    "a list in a block, and a transaction in another": (
        """
We see this since the deployment (MariaDB 10.6.12):

{noformat}
|  7 | app | 10.0.0.1:3310 | crm | Sleep | 1210 |  | NULL |
| 55 | ops | 10.0.0.4:991 | crm | Query | 300 | Waiting for table metadata lock | ALTER TABLE customer ADD vat INT |
| 56 | app | 10.0.0.1:3311 | crm | Query | 298 | Waiting for table metadata lock | SELECT * FROM customer WHERE id=12 |
{noformat}
and
{noformat}
---TRANSACTION 421590, ACTIVE 1210 sec
0 lock struct(s), heap size 1128, 0 row lock(s)
MariaDB thread id 7, OS thread handle 139912, query id 88112 10.0.0.1 app
{noformat}
""",  # noqa: E501
        "mdl-pileup",
    ),
    "counts since the start, over the uptime: tables are opened all the time": (
        """
Table_open_cache_hits\t102331
Table_open_cache_misses\t812312201
Table_open_cache_overflows\t812311801
Opened_tables\t812312201
Uptime\t86401
""",
        "table-cache",
    ),
    "flushes are pending, and there is one in three seconds": (
        """
Pending normal aio reads: [0, 0, 0, 0] , aio writes: [0, 0, 0, 0] ,
Pending flushes (fsync) log: 1; buffer pool: 2
912233 OS file reads, 81230012 OS file writes, 9912234 OS fsyncs
0.00 reads/s, 0 avg bytes/read, 12.10 writes/s, 0.31 fsyncs/s
""",
        "fsync-stall",
    ),
    "vmstat alone: the machine swaps": (
        """
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 2 18 8291020  98112   1022 201911 18220 22011 18800 29112 9121 18221  6 14 12 68  0
 1 21 8310021  91022    998 200110 20112 19102 21011 20110 9212 19002  5 12 10 73  0
""",
        "swapping",
    ),
    "a user lock in a list of metadata locks": (
        """
+-----------------+-------------+-----------+-------------+-----------------+
| OBJECT_TYPE     | OBJECT_NAME | LOCK_TYPE | LOCK_STATUS | OWNER_THREAD_ID |
+-----------------+-------------+-----------+-------------+-----------------+
| USER LEVEL LOCK | nightly     | EXCLUSIVE | GRANTED     |              71 |
| USER LEVEL LOCK | nightly     | EXCLUSIVE | PENDING     |              82 |
| USER LEVEL LOCK | nightly     | EXCLUSIVE | PENDING     |              83 |
+-----------------+-------------+-----------+-------------+-----------------+
""",
        "user-lock",
    ),
    "data_locks without the ids of locks and transactions": (
        """
+-----------+-------------+------------+-----------+--------------------+-------------+-----------+
| THREAD_ID | OBJECT_NAME | INDEX_NAME | LOCK_TYPE | LOCK_MODE          | LOCK_STATUS | LOCK_DATA |
+-----------+-------------+------------+-----------+--------------------+-------------+-----------+
|        61 | seat        | PRIMARY    | RECORD    | X,INSERT_INTENTION | WAITING     | 880       |
|        58 | seat        | PRIMARY    | RECORD    | X                  | GRANTED     | 880       |
+-----------+-------------+------------+-----------+--------------------+-------------+-----------+
""",
        "hot-row",
    ),
    "logins without a time: they have run no statement": (
        """
| 81 | unauthenticated user | 10.2.3.4:4012 | NULL | Connect | NULL | login | NULL |
| 82 | unauthenticated user | 10.2.3.4:4014 | NULL | Connect | NULL | login | NULL |
| 83 | unauthenticated user | 10.2.3.5:4015 | NULL | Connect | NULL | login | NULL |
""",
        "dns-login",
    ),
    "the limit as a selected variable": (
        """
+--------------------------+-------+
| Variable_name            | Value |
+--------------------------+-------+
| Threads_connected        | 201   |
+--------------------------+-------+
+--------------------------+
| @@global.max_connections |
+--------------------------+
|                      200 |
+--------------------------+
""",
        "too-many-connections",
    ),
    "commits of a Galera node wait for their order in the cluster, and for no disk": (
        """
     15 pthread_cond_wait,gcs_sm_enter,gcs_sendv,galera::ReplicatorSMM::send,galera_certify,wsrep_before_prepare,ha_commit_trans,trans_commit
      3 poll,vio_io_wait,vio_read,do_command
""",  # noqa: E501
        "galera-fc",
    ),
    "prose above two collapsed stacks": (
        """
general_log=ON with log_output=TABLE (I know ...)
     47 __lll_lock_wait,pthread_mutex_lock,Log_to_csv_event_handler::log_general,LOGGER::general_log_write,general_log_write,dispatch_command
      5 poll,vio_io_wait,vio_read,do_command
""",  # noqa: E501
        "slow-log",
    ),
    "the AUTO-INC lock on stacks is no row lock": (
        """
      6 pthread_cond_wait,os_event::wait_low,lock_wait_suspend_thread,row_mysql_handle_errors,row_lock_table_autoinc_for_mysql,ha_innobase::innobase_lock_autoinc,ha_innobase::write_row
      4 poll,vio_io_wait,vio_read,do_command
""",  # noqa: E501
        "mysql-16979",
    ),
    "a flush that belongs to a rotation of the binary log": (
        """
      1 fsync,my_sync,MYSQL_BIN_LOG::open_binlog,MYSQL_BIN_LOG::new_file_impl,MYSQL_BIN_LOG::rotate,MYSQL_BIN_LOG::ordered_commit,ha_commit_trans
     26 pthread_cond_wait,Stage_manager::enroll_for,MYSQL_BIN_LOG::change_stage,MYSQL_BIN_LOG::ordered_commit,ha_commit_trans
""",  # noqa: E501
        "binlog-rotate-purge",
    ),
    "a commit of 5.5 that waits for a latch of its own, and for no log": (
        """
     88 pthread_cond_wait,os_event_wait_low,sync_array_wait_event,mutex_spin_wait,mutex_enter_func,pfs_mutex_enter_func,trx_commit_off_kernel,trx_commit_for_mysql,innobase_commit_low,innobase_commit,ha_commit_low
      4 poll,vio_poll_read
""",  # noqa: E501
        "kernel-mutex",
    ),
    "sessions that wait for a slot before their transaction starts": (
        """
---TRANSACTION 881, not started sleeping before entering InnoDB
mysql tables in use 1, locked 0
MySQL thread id 1, OS thread handle 0x7f1, query id 1 h app statistics
SELECT a FROM t WHERE id=1
---TRANSACTION 882, not started sleeping before entering InnoDB
mysql tables in use 1, locked 0
MySQL thread id 2, OS thread handle 0x7f2, query id 2 h app statistics
SELECT a FROM t WHERE id=2
---TRANSACTION 883, ACTIVE 31 sec fetching rows, thread declared inside InnoDB 4011
mysql tables in use 1, locked 0
MySQL thread id 3, OS thread handle 0x7f3, query id 3 h app Sending data
SELECT SUM(a) FROM u
""",
        "thread-concurrency-limit",
    ),
    "one insert for a minute and a half, beside sessions that sleep as long": (
        """
| 311 | shop | 10.1.2.3:51200 | cart | Sleep   |   94 |        | NULL                                |
| 312 | shop | 10.1.2.3:51204 | cart | Query   |   93 | update | INSERT INTO numbers VALUES (88, 12) |
| 315 | shop | 10.1.2.4:51310 | cart | Sleep   |   95 |        | NULL                                |
""",  # noqa: E501
        "hot-row",
    ),
    "an applier that sleeps by its Command waits for a DDL of the cluster": (
        """
+----+-------------+------+------+---------+-------+---------------------+------------------------+
| Id | User        | Host | db   | Command | Time  | State               | Info                   |
+----+-------------+------+------+---------+-------+---------------------+------------------------+
|  2 | system user |      | NULL | Sleep   | 40122 | Waiting for TOI DDL | update job set n = n+1 |
|  3 | system user |      | NULL | Sleep   | 40122 | wsrep applier idle  | NULL                   |
+----+-------------+------+------+---------+-------+---------------------+------------------------+
""",
        "galera-toi",
    ),
    "appliers of a cluster that do not end their commits": (
        """
| 4 | system user | | NULL | Sleep | 812 | wsrep: committing write set (88110) | NULL | 0 | 0 |
| 5 | system user | | NULL | Sleep | 812 | wsrep: committing write set (88112) | NULL | 0 | 0 |
| 6 | system user | | NULL | Sleep | 811 | wsrep: committing write set (88115) | NULL | 0 | 0 |
""",
        "galera-fc",
    ),
    "threads with a choice of columns": (
        """
mysql> select thread_id, processlist_id, processlist_db, processlist_state from performance_schema.threads;
+-----------+----------------+----------------+------------------------------+
| thread_id | processlist_id | processlist_db | processlist_state            |
+-----------+----------------+----------------+------------------------------+
|        71 |             22 | NULL           | Waiting for global read lock |
|        72 |             23 | NULL           | Waiting for global read lock |
+-----------+----------------+----------------+------------------------------+
""",  # noqa: E501
        "ftwrl",
    ),
    "rows of threads without their header": (
        """
| 812 | thread/sql/slave_worker | FOREGROUND | 771 | root | localhost | NULL | Query | 4012 | Waiting for global read lock | INSERT INTO ledger VALUES (1) | 811 | NULL | YES | YES | NULL | 60111 | SYS_default |
| 813 | thread/sql/slave_worker | FOREGROUND | 772 | root | localhost | NULL | Query | 4012 | Waiting for global read lock | INSERT INTO ledger VALUES (2) | 811 | NULL | YES | YES | NULL | 60112 | SYS_default |
""",  # noqa: E501
        "ftwrl",
    ),
    "each row as code in a list": (
        """
- `+----+-------------------------+------------------------------+`
- `| Id | State                   | Info                         |`
- `+----+-------------------------+------------------------------+`
- `| 31 | User sleep              | select sleep(600) from parts |`
- `| 33 | Waiting for table flush | flush tables                 |`
- `+----+-------------------------+------------------------------+`
""",
        "flush-tables",
    ),
    "a listing without ids, as Markdown without its rule": (
        """
| Command | Time | State | Info | Progress |
| Query | 611 | Creating sort index | SELECT * FROM meta ORDER BY id, k LIMIT 6 OFFSET 4111 | 0.000 |
| Query | 420 | Creating sort index | SELECT * FROM meta ORDER BY id, k LIMIT 6 OFFSET 4111 | 0.000 |
""",  # noqa: E501
        "slow-statement",
    ),
    "a row of innodb_lock_waits that begins inside": (
        """
                locked_table: `zoo`.`animal`
                locked_index: PRIMARY
              waiting_trx_id: 81141
             waiting_trx_age: 00:00:46
                 waiting_pid: 26
               waiting_query: delete from animal where id > 1
           waiting_lock_mode: X,REC_NOT_GAP
             blocking_trx_id: 81135
                blocking_pid: 24
              blocking_query: NULL
          blocking_lock_mode: X,REC_NOT_GAP
            blocking_trx_age: 00:11:19
""",
        "hot-row",
    ),
    "metrics by name and count alone": (
        """
+-----------------------+-----------+
| NAME                  | COUNT     |
+-----------------------+-----------+
| trx_rseg_history_len  | 668936356 |
| purge_invoked         |     57622 |
+-----------------------+-----------+
""",
        "purge-lag",
    ),
    "a log that begins inside its waits": (
        """
--Thread 12649 has waited at fts0fts.cc line 3500 for 271.00 seconds the semaphore:
X-lock on RW-latch at 0xb1b7728 created in file fts0fts.cc line 640
a writer (thread id 99) has reserved it in mode  exclusive
InnoDB: Warning: a long semaphore wait:
--Thread 13225 has waited at fts0fts.cc line 3500 for 271.00 seconds the semaphore:
X-lock on RW-latch at 0xb1b7728 created in file fts0fts.cc line 640
a writer (thread id 99) has reserved it in mode  exclusive
InnoDB: ###### Starts InnoDB Monitor for 30 secs to print diagnostic info:
""",
        "fts-sync",
    ),
    "a log after the end of a dump": (
        """
----------------------------
END OF INNODB MONITOR OUTPUT
============================
InnoDB: ###### Diagnostic info printed to the standard error stream
InnoDB: Error: semaphore wait has lasted > 600 seconds
InnoDB: We intentionally crash the server, because it appears to be hung.
""",
        "semaphore-abort",
    ),
    "no memory for the buffer pool": (
        """
db_1 | 150305 23:19:49 InnoDB: Initializing buffer pool, size = 8.0G
db_1 | InnoDB: mmap(8790802432 bytes) failed; errno 12
db_1 | 150305 23:19:49 InnoDB: Fatal error: cannot allocate memory for the buffer pool
""",
        "out-of-memory",
    ),
    "dmesg with the time between its lines, and prose around": (
        """
This is what the node says:
[  +0.000000] Total swap = 0kB
[  +0.000082] Out of memory: Kill process 6556 (mysqld) score 663 or sacrifice child
[  +0.000003] Killed process 6556 (mysqld) total-vm:6816660kB, anon-rss:4469476kB, file-rss:4kB
Does anybody know why?
""",
        "out-of-memory",
    ),
    "a node of a cluster that is cut off": (
        """
Dec 24 01:19:26 db-2 mysqld: 2017-12-24 01:19:26 16002 [Note] WSREP: Received NON-PRIMARY.
Dec 24 01:19:26 db-2 mysqld: 2017-12-24 01:19:26 16002 [Note] WSREP: New cluster view: global state: x:6268, view# -1: non-Primary, number of nodes: 1
""",  # noqa: E501
        "galera-non-primary",
    ),
    "the log writer of 8.0 waits for the checkpoint": (
        """
2018-05-22T15:52:27.2876Z 0 [Warning] [MY-013060] [InnoDB] Log writer is waiting for checkpointer to to catch up lag: 3865 bytes
2018-05-22T15:52:28.2876Z 0 [Warning] [MY-013060] [InnoDB] Log writer is waiting for checkpointer to to catch up lag: 3866 bytes
""",  # noqa: E501
        "sync-flush",
    ),
    "transactions that set the AUTO-INC lock": (
        """
---TRANSACTION 7509250, ACTIVE 4 sec setting auto-inc lock
TABLE LOCK table `x`.`y` trx id 7509250 lock mode AUTO-INC waiting
---TRANSACTION 7509251, ACTIVE 4 sec setting auto-inc lock
TABLE LOCK table `x`.`y` trx id 7509251 lock mode AUTO-INC waiting
""",
        "mysql-16979",
    ),
    "an exception of Java with its trace": (
        """
java.sql.SQLException: Can't read dir of './crm/' (errno: 24 "Too many open files")
\tat com.example.Driver.check(Driver.java:998)
\tat com.example.Driver.send(Driver.java:383)
""",
        "open-files",
    ),
    "a warning of PHP in the log of a web server": (
        """
[Sun Aug 12 00:59:58.266883 2018] [:error] [pid 24] [client 192.0.2.8:57] PHP Warning:  mysqli::__construct(): (08004/1040): Too many connections in /srv/db.php on line 26
""",  # noqa: E501
        "too-many-connections",
    ),
    "a row that is cut behind its State, in a box that keeps to no columns": (
        """
+-------+------------+---------------------+------+----------+------+-----------+--------------+
| Id | User | Host | db | Command | Time | State | Info |
+-------+------------+---------------------+------+----------+------+-----------+--------------+
| 28452 | ops | 10.1.6.18:45674 | crm | Query | 7 | Waiting for table metadata lock
""",
        "mdl-pileup",
    ),
    "a log with a pod and a container in front": (
        """
from the cluster:
db-0 mysql 2024-02-20T22:10:31.337812Z 18 [ERROR] [MY-000035] [Server] Disk is full writing './b.1'
db-0 mysql 2024-02-20T22:20:31.337812Z 18 [ERROR] [MY-000035] [Server] Disk is full writing './b.1'
""",
        "disk-full",
    ),
    "counters in a box that lost its edges": (
        """
wsrep_local_state_comment  | Synced
wsrep_local_recv_queue     | 287
wsrep_flow_control_paused  | 0.640000
""",
        "galera-fc",
    ),
    "states that a shell has counted": (
        """
$ mysqladmin pr | awk -F'|' '{print $8}' | sort | uniq -c | sort -rn
    164  Waiting for query cache lock
     17  Sending data
      9
""",
        "query-cache",
    ),
    "clients that log in, without the first bar": (
        "".join(
            f"  {number} | unauthenticated user | 10.9.1.2:4{number} | NULL | Connect | NULL |"
            " login | NULL |\n"
            for number in range(811, 819)
        ),
        "dns-login",
    ),
    "a profile that shortens its ids": (
        """
# Profile
# Rank Query ID                           Response time    Calls R/Call  V/M
# ==== ================================== ================ ===== ======= =====
#    1 0x1D2E0A9D2B1A17F3A19CE5F0B7A0... 90122.3312 91.1% 10001  9.0113  3.12 SELECT bookings rooms
#    2 0x77F1A0BB01A2C3D4E5F60718293A...  8802.1122  8.9% 31002  0.2839  0.40 SELECT hotels
""",
        "slow-statement",
    ),
    "credits that ran out in the second half": (
        """
Timestamp            BurstBalance  WriteIOPS
2023-02-01 09:00:00  71.0          512
2023-02-01 09:30:00  40.5          530
2023-02-01 10:00:00  9.2           541
2023-02-01 10:30:00  0.0           300
2023-02-01 11:00:00  0.0           300
""",
        "burst-credits",
    ),
    "a statement that changed rows for long, at its commit": (
        """
Id User Host db Command Time State Info
51 job 10.0.0.2:5512 app Query 2400 waiting for handler commit UPDATE visits SET seen = 1
60 app 10.0.0.3:4412 app Query 25 waiting for handler commit COMMIT
61 app 10.0.0.3:4415 app Query 25 waiting for handler commit COMMIT
65 app 10.0.0.3:4419 app Query 24 waiting for handler commit COMMIT
""",
        "binlog-large-transaction",
    ),
    "a backup's lock in a list of metadata locks": (
        """
OBJECT_TYPE	OBJECT_SCHEMA	OBJECT_NAME	LOCK_TYPE	LOCK_DURATION	LOCK_STATUS	OWNER_THREAD_ID
BACKUP LOCK	NULL	NULL	SHARED	EXPLICIT	GRANTED	91
BACKUP LOCK	NULL	NULL	INTENTION_EXCLUSIVE	TRANSACTION	PENDING	131
BACKUP LOCK	NULL	NULL	INTENTION_EXCLUSIVE	TRANSACTION	PENDING	137
""",
        "ftwrl",
    ),
    "the redo log's size by the counters of 8.0.30": (
        """
Innodb_redo_log_capacity_resized  104857600
Innodb_redo_log_logical_size      104801280
Innodb_redo_log_current_lsn       882416022400
""",
        "sync-flush",
    ),
    "undo tablespaces truncated every minute": (
        """
2021-04-02T12:10:01.112233Z 0 [Note] [MY-013029] [InnoDB] Truncating UNDO tablespace 'undo_a'.
2021-04-02T12:10:04.312233Z 0 [Note] [MY-013030] [InnoDB] Completed truncate of 'undo_a'.
2021-04-02T12:11:02.112233Z 0 [Note] [MY-013029] [InnoDB] Truncating UNDO tablespace 'undo_b'.
""",
        "undo-truncate",
    ),
    "stacks of pt-pmp below a line that ends in a number, a word and a colon": (
        """
pt-pmp of the primary, 5.7 with 64 connections:

     51 __lll_lock_wait(libpthread.so.0),pthread_mutex_lock(libpthread.so.0),native_mutex_lock(thr_mutex.h:84),my_mutex_lock(thr_mutex.h:84),logger_write(file_logger.c:231),audit_handler_file_write(audit_file.c:118),audit_log_write(audit_log.c:166),plugins_dispatch(sql_audit.cc:1290),mysql_audit_notify(sql_audit.cc:398),dispatch_command(sql_parse.cc:1499)
     12 poll(libc.so.6),vio_io_wait(viosocket.c:786),vio_read(viosocket.c:132),my_net_read(net_serv.cc:899)
""",  # noqa: E501
        "audit-log",
    ),
    "sessions that open a read view, below a mutex whose template nobody printed": (
        """
    210 __lll_lock_wait,pthread_mutex_lock,TTASEventMutex::enter,PolicyMutex::enter,MVCC::view_open,trx_assign_read_view,row_search_mvcc,ha_innobase::index_read
     31 __lll_lock_wait,pthread_mutex_lock,TTASEventMutex::enter,PolicyMutex::enter,MVCC::view_close,trx_commit_in_memory,trx_commit
      9 poll,vio_io_wait,vio_read
""",  # noqa: E501
        "trx-sys-mutex",
    ),
    "waits counted by place, with the command above and a remark below": (
        """
grep "has waited at" status.2019_04_04 | awk '{print $6, $7, $8}' | sort | uniq -c
    301 btr0sea.cc line 1111
     44 btr0sea.ic line 120
      5 row0sel.cc line 3901
that is 5.6.38 with the defaults, at 4 in the morning
""",
        "mysql-100512",
    ),
    "time that the hypervisor takes, in the head of top": (
        """
top - 03:12:44 up 3 days,  4:05,  1 user,  load average: 19.02, 17.11, 12.90
%Cpu(s): 12.1 us,  3.3 sy,  0.0 ni,  1.1 id,  0.0 wa,  0.0 hi,  0.2 si, 83.3 st
""",
        "cpu-steal",
    ),
    "states counted by the server, without the names of the columns": (
        """
mysql> select count(*), state from information_schema.processlist group by state order by 1 desc;
| 96 | Waiting for semi-sync ACK from slave |
|  4 | Sending data |
|  1 | executing |
""",
        "semisync-stall",
    ),
    "the semi-sync gauge alone": (
        """
Rpl_semi_sync_master_clients   1
Rpl_semi_sync_master_status    ON
Rpl_semi_sync_master_wait_sessions   64
""",
        "semisync-stall",
    ),
    "commits that are still starting, behind a large one": (
        """
| 901 | job | h:1 | dw | Query | 2410 | query end | INSERT INTO facts_19 SELECT * FROM facts |
| 950 | app | h:2 | dw | Query |   12 | starting  | COMMIT |
| 951 | app | h:2 | dw | Query |   11 | starting  | commit |
| 955 | app | h:3 | dw | Query |    9 | starting  | COMMIT |
""",
        "binlog-large-transaction",
    ),
    "a donor that rsync copies": (
        """
2019-02-03 04:05:06 9 [Note] WSREP: Member 0.0 (db1) requested state transfer from '*any*'. Selected 1.0 (db2)(SYNCED) as donor.
2019-02-03 04:05:06 9 [Note] WSREP: Shifting SYNCED -> DONOR/DESYNCED (TO: 118833)
2019-02-03 04:05:07 9 [Note] WSREP: Running: 'wsrep_sst_rsync --role 'donor' --address '10.1.1.2:4444/rsync_sst' --socket '/run/mysqld.sock''
""",  # noqa: E501
        "galera-donor",
    ),
    "two mutexes, each held by who waits for the other": (
        """
--Thread 139900000000101 has waited at buf0lru.cc line 1291 for 33 seconds the semaphore:
Mutex at 0x7f21a0000110, Mutex BUF_POOL_LRU_LIST created buf0buf.cc:1228, locked by 139900000000102

--Thread 139900000000102 has waited at fil0fil.cc line 2101 for 33 seconds the semaphore:
Mutex at 0x7f21a0000220, Mutex FIL_SHARD created fil0fil.cc:2007, locked by 139900000000101
""",
        "latch-circle",
    ),
    "purge waits for its readers, as 5.1 prints it": (
        """
--Thread 1150000101 has waited at row0vers.c line 107 for 77.00 seconds the semaphore:
S-lock on RW-latch at 0x2aab00000cd8 created in file trx0purge.c line 214
a writer (thread id 1150000102) has reserved it in mode  wait exclusive
number of readers 1, waiters flag 1
Last time read locked in file row0vers.c line 107
Last time write locked in file trx0purge.c line 1059
--Thread 1150000102 has waited at trx0purge.c line 1059 for 77.00 seconds the semaphore:
X-lock on RW-latch at 0x2aab00000cd8 created in file trx0purge.c line 214
a writer (thread id 1150000102) has reserved it in mode  wait exclusive
number of readers 1, waiters flag 1
Last time read locked in file row0vers.c line 107
Last time write locked in file trx0purge.c line 1059
""",
        "purge-latch",
    ),
    "threads wait in the function that waits for reads": (
        """
--Thread 140000000000301 has waited at buf0buf.cc line 2576 for 3.00 seconds the semaphore:
S-lock on RW-latch at 0x7f0100000840 created in file buf0buf.cc line 1069
a writer (thread id 140000000000302) has reserved it in mode  exclusive
number of readers 0, waiters flag 1, lock_word: 0
Last time read locked in file not yet reserved line 0
Last time write locked in file /build/mysql-5.6.29/storage/innobase/buf/buf0buf.cc line 3691
--Thread 140000000000303 has waited at buf0buf.cc line 2576 for 2.00 seconds the semaphore:
S-lock on RW-latch at 0x7f0100000940 created in file buf0buf.cc line 1069
a writer (thread id 140000000000304) has reserved it in mode  exclusive
number of readers 0, waiters flag 1, lock_word: 0
Last time read locked in file not yet reserved line 0
Last time write locked in file /build/mysql-5.6.29/storage/innobase/buf/buf0buf.cc line 3691
""",
        "io-bound",
    ),
    "locks of one row that exclude each other, and no list of who waits": (
        """
select * from information_schema.innodb_locks;
+-------------+-------------+-----------+-----------+--------------+------------+------------+-----------+----------+-----------+
| lock_id     | lock_trx_id | lock_mode | lock_type | lock_table   | lock_index | lock_space | lock_page | lock_rec | lock_data |
+-------------+-------------+-----------+-----------+--------------+------------+------------+-----------+----------+-----------+
| 912:44:3:7  | 912         | X         | RECORD    | `app`.`task` | PRIMARY    |         44 |         3 |        7 | 81        |
| 905:44:3:7  | 905         | S         | RECORD    | `app`.`task` | PRIMARY    |         44 |         3 |        7 | 81        |
| 904:44:3:7  | 904         | S         | RECORD    | `app`.`task` | PRIMARY    |         44 |         3 |        7 | 81        |
+-------------+-------------+-----------+-----------+--------------+------------+------------+-----------+----------+-----------+
""",  # noqa: E501
        "hot-row",
    ),
    "a delete that has run for longer than any wait for a row": (
        """
| 61 | job | h:1 | logs | Query | 5102 | updating | DELETE FROM visits WHERE seen < '2020-01-01' |
| 62 | app | h:2 | logs | Sleep |    7 |          | NULL |
""",
        "slow-statement",
    ),
    "dump threads that all stand between two files": (
        """
| 11 | repl | h:1 | NULL | Binlog Dump | 80123 | Finished reading one binlog; switching to next binlog | NULL |
| 12 | repl | h:2 | NULL | Binlog Dump | 80101 | Finished reading one binlog; switching to next binlog | NULL |
| 13 | repl | h:3 | NULL | Binlog Dump | 79999 | Finished reading one binlog; switching to next binlog | NULL |
""",  # noqa: E501
        "binlog-dump-lock",
    ),
    "a state transfer that waits for the one before": (
        """
WSREP_SST: [INFO] Stale sst_in_progress file: /var/lib/mysql/sst_in_progress (20230102 03:04:05.188)
WSREP_SST: [INFO] previous SST is not completed, waiting for it to exit (20230102 03:04:05.209)
WSREP_SST: [INFO] previous SST is not completed, waiting for it to exit (20230102 03:04:06.219)
""",
        "galera-sst",
    ),
}


FINE = {
    "locks of one row that do not exclude each other": """
| 905:44:3:7  | 905         | S         | RECORD    | `app`.`task` | PRIMARY    |         44 |         3 |        7 | 81        |
| 904:44:3:7  | 904         | S         | RECORD    | `app`.`task` | PRIMARY    |         44 |         3 |        7 | 81        |
""",  # noqa: E501
    "a delete of a second": """
| 61 | job | h:1 | logs | Query |    1 | updating | DELETE FROM visits WHERE seen < '2020-01-01' |
""",
    "a laptop slept": """
2021-06-08T09:11:02.120Z 0 [Note] InnoDB: page_cleaner: 1000ms intended loop took 983505ms. The settings might not be optimal. (flushed=0 and evicted=0, during the time.)
""",  # noqa: E501
    "the appliers of a replica": """
|  5 | system user |           | NULL | Connect | 9121 | Waiting for master to send event | NULL |
|  6 | system user |           | NULL | Connect |  131 | System lock                      | NULL |
|  7 | system user |           | NULL | Connect |  131 | System lock                      | NULL |
| 90 | app         | 10.0.0.1  | shop | Sleep   |   12 |                                  | NULL |
""",
    "all members of a group reply": """
| member_host | member_state |
|-------------|--------------|
| a           | ONLINE       |
| b           | ONLINE       |
""",
    "a flush is pending, of six per second": """
Pending flushes (fsync) log: 1; buffer pool: 0
812 OS file reads, 91233 OS file writes, 8123 OS fsyncs
0.00 reads/s, 0 avg bytes/read, 12.10 writes/s, 6.31 fsyncs/s
""",
    "counts since the start of a server that opens few tables": """
Table_open_cache_hits\t912331821
Table_open_cache_misses\t212201
Table_open_cache_overflows\t211801
Opened_tables\t212301
Uptime\t9886401
""",
    "a report, alone": """
| 50 | bi | h:1 | dw | Query | 902 | Sending data | SELECT r, sum(x) FROM fact GROUP BY r |
| 51 | app | h:2 | dw | Sleep | 3 | | NULL |
""",
    "a cleaner that was late once": """
2017-07-07T07:07:07.1Z 0 [Note] InnoDB: page_cleaner: 1000ms intended loop took 4211ms. The settings might not be optimal.
""",  # noqa: E501
    "old pages lie in swap": """
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 3  0 902400 812202  99122 991822    0    0    12   220 1222 2991 22  4 73  1  0
 2  0 902400 812111  99122 991822    2    0     0   120 1221 2911 20  4 75  1  0
""",
}


@pytest.mark.parametrize("name", PASTES)
@pytest.mark.dealt(2)
def test_a_paste_shows_its_cause(name: str, tmp_path: Path) -> None:
    text, cause = PASTES[name]
    analysis = _analysed(tmp_path, text)
    assert analysis.findings, [absence.id for absence in analysis.absences]
    first = analysis.findings[0]
    assert cause in {first.id, *(known.id for known in first.known_as)}, first.why
    assert not [other.id for other in analysis.findings[1:] if other.score > 0.5]
    assert_short(analysis)


def assert_short(analysis: Analysis) -> None:
    """Its sentence, or that there is none."""
    story = analysis.headline.story
    assert len(story.split()) <= MOST_WORDS
    assert not story or story.endswith((".", "?"))


@pytest.mark.parametrize("name", FINE)
def test_nothing_is_found_where_all_is_fine(name: str, tmp_path: Path) -> None:
    analysis = _analysed(tmp_path, FINE[name])
    assert not [finding.id for finding in analysis.findings if finding.verdict == "found"]


def test_one_session_at_its_commit_is_too_little_for_a_slow_disk(tmp_path: Path) -> None:
    row = "| 7 | app | h:1 | s | Query | 174 | query end | INSERT INTO notes VALUES (NULL, 'x') |\n"
    findings = _analysed(tmp_path, row).findings
    assert [(each.id, each.verdict) for each in findings] == [("fsync-stall", "seen")]


def test_what_shows_in_part_is_not_called_absent(tmp_path: Path) -> None:
    line = "2020-01-02  3:04:05 0 [Note] WSREP: Shifting SYNCED -> DONOR/DESYNCED (TO: 812331)\n"
    analysis = _analysed(tmp_path, line)
    donor = next(each for each in analysis.absences if each.id == "galera-donor")
    assert donor.verdict == "seen"
    assert "not there: " in donor.looked_for


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (
            "2022-10-02T01:00:00Z 9 [ERROR] Disk is full writing './binlog.000912' (Errcode: 28)\n",
            "Free space on the mount that is full (it was writing binlog.000912): ",
        ),
        (  # the shell's kill ends nobody
            "[81231.204127] watchdog: BUG: soft lockup - CPU#3 stuck for 46s! [mysqld:2211]\n",
            "kill -CONT $(pidof mysqld mariadbd), and find who stopped it",
        ),
        (
            "".join(
                f"| {n} | a | h:1 | s | Query | {90 - n} | Sending data | "
                f"SELECT x FROM t WHERE y LIKE '%{n}' |\n"
                for n in range(7, 12)
            ),
            "KILL 7 (the oldest of these statements, running for 83 s)",
        ),
    ],
)
def test_a_remedy_names_what_the_file_shows(text: str, action: str, tmp_path: Path) -> None:
    found = _analysed(tmp_path, text).findings[0]
    assert any(remedy.action.startswith(action) for remedy in found.mitigations), found.mitigations


def test_a_deadlock_alone_is_explained(tmp_path: Path) -> None:
    """Who pastes nothing else asks about it: its finding says which kind it is."""
    lock = "RECORD LOCKS space id 24 page no 4 n bits 72 index uk of table `s`.`slot` trx id"
    waits = f"*** (%d) WAITING FOR THIS LOCK TO BE GRANTED:\n{lock} %d lock_mode X insert intention"
    head = "MySQL thread id %d, OS thread handle 140, query id 100 localhost app update"
    text = f"""------------------------
LATEST DETECTED DEADLOCK
------------------------
*** (1) TRANSACTION:
TRANSACTION 881, ACTIVE 0 sec inserting
{head % 11}
INSERT INTO slot (day, n) VALUES ('2018-06-11', 3)
{waits % (1, 881)} waiting
*** (2) TRANSACTION:
TRANSACTION 882, ACTIVE 0 sec inserting
{head % 12}
INSERT INTO slot (day, n) VALUES ('2018-06-11', 4)
*** (2) HOLDS THE LOCK(S):
{lock} 882 lock_mode X
{waits % (2, 882)} waiting
*** WE ROLL BACK TRANSACTION (2)
"""
    analysis = _analysed(tmp_path, text)
    assert analysis.headline.text.startswith("Deadlock: ")
    (finding,) = analysis.findings
    assert (finding.id, finding.verdict) == ("deadlock-storm", "found")
    label = analysis.headline.text.partition(": ")[2].partition(".")[0]
    assert label.lower() in finding.why.lower()


_DUMP = """=====================================
2026-01-20 {taken} 0x7f0 INNODB MONITOR OUTPUT
=====================================
Per second averages calculated from the last 20 seconds
------------------------
LATEST DETECTED DEADLOCK
------------------------
2026-01-20 14:14:59 0x7f1
*** (1) TRANSACTION:
TRANSACTION 881, ACTIVE 0 sec starting index read
MySQL thread id 11, OS thread handle 140, query id 100 localhost app updating
UPDATE slot SET n = 3 WHERE id = 1
*** (1) WAITING FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 9 page no 3 n bits 80 index PRIMARY of table `s`.`t` trx id 881 lock_mode X locks rec but not gap waiting
*** WE ROLL BACK TRANSACTION (1)
------------
TRANSACTIONS
------------
Trx id counter 990
Purge done for trx's n:o < 990 undo n:o < 0 state: running but idle
History list length 2
LIST OF TRANSACTIONS FOR EACH SESSION:
---TRANSACTION 42159, not started
0 lock struct(s), heap size 1136, 0 row lock(s)
----------------------------
END OF INNODB MONITOR OUTPUT
============================
"""  # noqa: E501


@pytest.mark.parametrize(
    ("taken", "verdicts"), [("14:16:20", ["seen"]), ("14:24:59", ["seen"]), ("14:25:00", [])]
)
def test_a_dump_soon_after_a_deadlock_may_have_been_taken_for_it(
    taken: str, verdicts: list[str], tmp_path: Path
) -> None:
    analysis = _analysed(tmp_path, _DUMP.format(taken=taken))
    assert [finding.verdict for finding in analysis.findings] == verdicts
    assert all(finding.id == "deadlock-storm" for finding in analysis.findings)


_RECORD = "RECORD LOCKS space id 9 page no 3 n bits 80 index PRIMARY of table `s`.`t` trx id"


@pytest.mark.parametrize(
    "text",
    [
        f"""MariaDB thread id 81, OS thread handle 140, query id 7 10.0.0.8 app Update
INSERT INTO t (id) VALUES (8)
*** WAITING FOR THIS LOCK TO BE GRANTED:
{_RECORD} 91 lock_mode X insert intention waiting
*** CONFLICTING WITH:
{_RECORD} 92 lock_mode X
""",
        f"""2026-01-20 14:14:59 27 [Note] InnoDB: *** WAITING FOR THIS LOCK TO BE GRANTED:

{_RECORD} 94 lock_mode X locks rec but not gap waiting
2026-01-20 14:14:59 27 [Note] InnoDB: *** CONFLICTING WITH:

{_RECORD} 96 lock_mode X locks rec but not gap
2026-01-20 14:14:59 27 [Note] InnoDB: *** WE ROLL BACK TRANSACTION (2)
""",
        f"""*** (2) WAITING FOR THIS LOCK TO BE GRANTED:
{_RECORD} 97 lock_mode X locks rec but not gap waiting
*** WE ROLL BACK TRANSACTION (1)
------------
TRANSACTIONS
------------
(left out)
""",
    ],
    ids=["MariaDB's without its first line", "a log's without its heading", "with empty sections"],
)
def test_a_part_of_a_deadlock_is_one(text: str, tmp_path: Path) -> None:
    """It is never 'nothing shows a session that waits', nor a wait that goes on."""
    analysis = _analysed(tmp_path, text)
    assert analysis.headline.text.startswith(("Deadlock, kind unknown", "Deadlock: An insert"))
    assert [finding.id for finding in analysis.findings] == ["deadlock-storm"]


HARMLESS = {
    "images that are always full": """
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p1  194G   61G  133G  32% /
/dev/loop0       56M   56M     0 100% /snap/core18/1880
/dev/sr0        4.4G  4.4G     0 100% /media/cdrom
""",
    "a test of small writes on a fast disk": """
# dd if=/dev/zero of=/var/lib/mysql/t bs=512 count=1000 oflag=dsync
1000+0 records in
1000+0 records out
512000 bytes (512 kB) copied, 0.91 s, 562 kB/s
""",
    "grants alone, of two who read": """
| THREAD_ID | LOCK_MODE       | LOCK_DURATION | LOCK_TYPE           | TABLE_SCHEMA | TABLE_NAME |
|        31 | MDL_SHARED_READ | NULL          | Table metadata lock | shop         | carts      |
|        77 | MDL_SHARED_READ | NULL          | Table metadata lock | shop         | carts      |
""",
    "a plan that was run in a moment": """
-> Table scan on o  (cost=11203.10 rows=38120) (actual time=0.121..11.120 rows=39000 loops=1)
""",
    "a server of MariaDB that is no node of a cluster": """
wsrep_cluster_conf_id\t18446744073709551615
wsrep_cluster_size\t0
wsrep_cluster_status\tDisconnected
wsrep_connected\tOFF
wsrep_ready\tOFF
""",
    "a sentence that quotes what was seen once": """
We saw "Deadlock found when trying to get lock" once in two months, is that bad?
The pool never gets near "Too many connections".
""",
    "a schema change that swapped its tables in a part of a second": """
2024-01-19 13:58:07 INFO Issuing and expecting this to block: rename /* gh-ost */ table `a`.`b` to `a`.`_b_del`, `a`.`_b_gho` to `a`.`b`
2024-01-19 13:58:08 INFO Tables renamed
2024-01-19 13:58:08 INFO Lock & rename duration: 412.118ms. During this time, queries on `b` were blocked
""",  # noqa: E501
    "a replica that is delayed on purpose": """
     Slave_IO_Running: Yes
    Slave_SQL_Running: Yes
Seconds_Behind_Master: 3600
            SQL_Delay: 3600
""",
    "a node of a cluster at work": """
wsrep_cluster_size\t3
wsrep_cluster_status\tPrimary
wsrep_local_state_comment\tSynced
wsrep_ready\tON
""",
    "sentences that speak of messages": """
The kernel writes 'nf_conntrack: table full, dropping packet' when the table of connections is
too small. Too many connections, Communications link failure and server has gone away are others.
""",
    "one CPU of four waits for a copy to the disk": """
top - 09:41:10 up 12 days,  1:15,  2 users,  load average: 1.10, 1.02, 0.50
%Cpu0  :  2.1 us,  6.0 sy,  0.0 ni,  0.3 id, 90.9 wa,  0.0 hi,  0.7 si,  0.0 st
%Cpu1  :  5.2 us,  1.1 sy,  0.0 ni, 93.7 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
%Cpu2  :  1.9 us,  0.7 sy,  0.0 ni, 97.4 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
%Cpu3  :  2.0 us,  0.7 sy,  0.0 ni, 97.3 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
""",
    "steal on one CPU of four": """
top - 03:12:44 up 3 days,  4:05,  1 user,  load average: 0.92, 0.81, 0.80
%Cpu0  :  9.1 us,  3.0 sy,  0.0 ni, 45.3 id,  0.9 wa,  0.0 hi,  0.7 si, 41.0 st
%Cpu1  :  5.2 us,  1.1 sy,  0.0 ni, 93.7 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
%Cpu2  :  1.9 us,  0.7 sy,  0.0 ni, 97.4 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
%Cpu3  :  2.0 us,  0.7 sy,  0.0 ni, 97.3 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
""",
    "a pool that has connections left": """
2024-08-15 08:47:28,122 [hk] DEBUG HikariPool - HikariPool-1 - Pool stats (total=10, active=2, idle=8, waiting=0)
2024-08-15 08:47:58,122 [hk] DEBUG HikariPool - HikariPool-1 - Pool stats (total=10, active=1, idle=9, waiting=0)
""",  # noqa: E501
    "an open transaction that has changed four rows": """
---TRANSACTION 3084, ACTIVE 7 sec
4 lock struct(s), heap size 1136, 9 row lock(s), undo log entries 4
MySQL thread id 10, OS thread handle 140509924382464, query id 44 localhost root
""",
    "pods that run, and one that is about to": """
NAME            READY   STATUS              RESTARTS   AGE
shop-mysql-0    2/2     Running             0          19d
shop-mysql-1    0/2     ContainerCreating   0          4s
""",
    "gh-ost copies rows": """
Copy: 11241000/29955038 37.5%; Applied: 0; Backlog: 0/100; Time: 5m0s(total), 3m41s(copy); streamer: binlog.000052:21082625; State: migrating; ETA: 1h34m28s
2024-05-11 02:10:55 INFO Row copy complete
2024-05-11 02:10:56 INFO Setting RENAME timeout as 1 seconds
""",  # noqa: E501
    "commits are a small part of all time": """
# Profile
# Rank Query ID           Response time   Calls  R/Call V/M   Item
# ==== ================== =============== ====== ====== ===== ============
#    1 0xBC10C51A724ECD57  961.8928 83.1% 941211 0.0010  0.08 SELECT users
#    2 0x813031B8BBC3B329  176.7355 17.6%  70006 0.0025  0.02 COMMIT
""",
    "clients of the socket log in": """
|  71 | unauthenticated user | localhost | NULL | Connect | 0 | login | NULL |
|  72 | unauthenticated user | localhost | NULL | Connect | 0 | login | NULL |
|  73 | unauthenticated user | localhost | NULL | Connect | 0 | login | NULL |
|  74 | unauthenticated user | localhost | NULL | Connect | 0 | Reading from net | NULL |
|  75 | unauthenticated user | localhost | NULL | Connect | 0 | Reading from net | NULL |
|  76 | unauthenticated user | localhost | NULL | Connect | 0 | login | NULL |
|  77 | app                  | localhost | shop | Sleep   | 2 |       | NULL |
""",
    "the steps of one statement": """
+--------------------------------+----------+
| Status                         | Duration |
+--------------------------------+----------+
| starting                       | 0.000025 |
| Waiting for query cache lock   | 0.000004 |
| Opening tables                 | 0.000008 |
| System lock                    | 0.000008 |
+--------------------------------+----------+
""",
    "a page that explains States": """
| State | What it means | What to do |
|-------|---------------|------------|
| Waiting for table metadata lock | a DDL waits | end the holder |
| Waiting for table flush | FLUSH waits | end the long statement |
""",
    "a text that speaks of an error": """
Raise max_connections when clients see 'Too many connections' often, and look for
sessions that sleep. 'Lock wait timeout exceeded' has other reasons.
""",
    "sleepers and a collector": """
|  5 | event_scheduler | localhost     | NULL | Daemon | 97602 | Waiting on empty queue | NULL |
| 33 | web             | 10.1.2.3:5863 | shop | Sleep  |  4232 |                        | NULL |
| 34 | web             | 10.1.2.3:5864 | shop | Sleep  |  4232 |                        | NULL |
| 35 | root            | localhost     | NULL | Query  |     0 | init       | show processlist |
""",
    "a node that is stopped": """
2023-03-01 10:00:00 0 [Note] /usr/sbin/mysqld (initiated by: unknown): Normal shutdown
2023-03-01 10:00:01 0 [Note] WSREP: Received self-leave message.
2023-03-01 10:00:01 0 [Note] WSREP: Received NON-PRIMARY.
""",
    "two quick statements of one shape": """
| 41 | app | 10.1.2.3:5863 | shop | Query | 1 | Sending data | SELECT a FROM t WHERE id = 1 |
| 42 | app | 10.1.2.3:5864 | shop | Query | 1 | Sending data | SELECT a FROM t WHERE id = 2 |
""",
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_what_shows_no_problem_has_no_finding(text: str, tmp_path: Path) -> None:
    analysis = _analysed(tmp_path, text)
    assert [finding.id for finding in analysis.findings if finding.verdict == "found"] == []


def test_a_variable_among_counters_is_the_ceiling_of_what_they_count(tmp_path: Path) -> None:
    text = """
Max_used_connections | 801
Threads_connected | 801
Threads_running | 4
Connection_errors_max_connections | 4412
max_connections | 800
Uptime | 90122
"""
    analysis = _analysed(tmp_path, text)
    assert analysis.findings[0].id == "too-many-connections"
    assert "of 800" in analysis.findings[0].why


def test_a_long_list_and_the_transactions_below_it_are_both_read(tmp_path: Path) -> None:
    rows = "".join(
        f"| {at} | app | h:1 | s | Query | {60 - at} | updating | UPDATE acct SET n = n - 1 |\n"
        for at in range(11, 51)
    )
    waiting = "".join(
        f"""---TRANSACTION {9000 + at}, ACTIVE {60 - at} sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 1136, 1 row lock(s)
MySQL thread id {at}, OS thread handle {14000 + at}, query id {at} h app updating
UPDATE acct SET n = n - 1
------- TRX HAS BEEN WAITING {60 - at} SEC FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 5 page no 3 n bits 72 index PRIMARY of table `s`.`acct` trx id {9000 + at} lock_mode X waiting
------------------
"""  # noqa: E501
        for at in range(11, 51)
    )
    holder = """---TRANSACTION 8800, ACTIVE 90 sec
2 lock struct(s), heap size 1136, 1 row lock(s), undo log entries 1
MySQL thread id 9, OS thread handle 13777, query id 5 h app
"""
    names = "| Id | User | Host | db | Command | Time | State | Info |\n"
    analysis = _analysed(tmp_path, f"{names}{rows}\n{waiting}{holder}")
    assert analysis.artifacts[0].records["transaction"] == 41
    assert analysis.findings[0].id == "hot-row"
    assert "session 9 " in analysis.blockers[0].holder


def test_a_locking_read_that_is_planned_for_long_may_wait_for_its_row(tmp_path: Path) -> None:
    rows = "".join(
        f"| {at} | app | h:1 | s | Query | {50 - at} | statistics "
        "| SELECT n FROM acct WHERE id = 7{} |\n"
        for at in range(11, 20)
    )
    locking = _analysed(tmp_path, rows.replace("{}", " FOR UPDATE")).findings
    assert locking[0].id == "hot-row"
    assert locking[0].score <= 0.5
    assert "slow-statement" not in [each.id for each in locking]


def test_the_holder_of_a_latch_that_waits_itself_passes_its_waiters_on(tmp_path: Path) -> None:
    name = "the saving of statistics waits for room in the redo log, and all who open tables for it"
    analysis = _analysed(tmp_path, PASTES[name][0])
    by_id = {finding.id: finding for finding in analysis.findings}
    assert by_id["mysql-70768"].explained_by == "sync-flush"
    assert analysis.roots[0].behind > 400


def test_a_list_of_threads_names_the_session_of_a_metadata_lock(tmp_path: Path) -> None:
    text = """
+-------------+-------------------+-------------+-----------------+
| object_name | lock_type         | lock_status | owner_thread_id |
+-------------+-------------------+-------------+-----------------+
| trips       | SHARED_READ       | GRANTED     |             871 |
| trips       | EXCLUSIVE         | PENDING     |             902 |
+-------------+-------------------+-------------+-----------------+

+-----------+----------------+
| thread_id | processlist_id |
+-----------+----------------+
|       871 |            833 |
|       902 |            864 |
+-----------+----------------+
"""
    analysis = _analysed(tmp_path, text)
    assert [blocker.holder.partition(" (")[0] for blocker in analysis.blockers] == ["session 833"]


def test_a_list_that_has_no_requests_says_of_none_that_it_is_not_there(tmp_path: Path) -> None:
    """MariaDB's METADATA_LOCK_INFO lists what is granted alone."""
    head = "THREAD_ID\tLOCK_MODE\tLOCK_DURATION\tLOCK_TYPE\tTABLE_SCHEMA\tTABLE_NAME"
    row = "612\tMDL_SHARED_READ\tMDL_TRANSACTION\tTable metadata lock\tshop\torders"
    analysis = _analysed(tmp_path, f"{head}\n{row}\n")
    verdicts = {each.id: each.verdict for each in analysis.absences}
    assert verdicts["mdl-pileup"] == "no_data"


PARTS = {
    "two stacks": """
      1 __lll_lock_wait,pthread_mutex_lock,MYSQL_BIN_LOG::purge_logs,mysql_execute_command
      1 __lll_lock_wait,pthread_mutex_lock,show_status_array,mysql_execute_command,do_command
""",
    "one row of a list": """
| 16801 | gho | 127.0.0.1:58 | shop | Query | 10613 | checking permissions | drop table `_a_del` |
""",
}


@pytest.mark.parametrize("text", PARTS.values(), ids=PARTS)
def test_a_few_rows_that_somebody_picked_rule_nothing_out(text: str, tmp_path: Path) -> None:
    analysis = _analysed(tmp_path, text)
    assert analysis.absences
    assert not [each.id for each in analysis.absences if each.verdict == "not_found"]


UNSURE_HOLDER = """
| 71 | web | db:41 | crm | Sleep | 4000 |  | NULL |
| 72 | web | db:42 | crm | Query | 300 | Sending data | SELECT a FROM contacts |
| 73 | web | db:43 | crm | Query | 290 | Sending data | SELECT b FROM contacts |
| 80 | o | db:4 | crm | Query | 200 | Waiting for table metadata lock | ALTER TABLE contacts FORCE |
| 81 | web | db:45 | crm | Query | 199 | Waiting for table metadata lock | SELECT c FROM contacts |
| 82 | web | db:46 | crm | Query | 198 | Waiting for table metadata lock | SELECT d FROM contacts |
"""


def test_a_session_that_only_may_hold_a_lock_is_not_to_be_ended_at_once(tmp_path: Path) -> None:
    finding = _analysed(tmp_path, UNSURE_HOLDER).findings[0]
    assert finding.id == "mdl-pileup"
    ends = [each.action for each in finding.mitigations if "KILL" in each.action]
    assert ends, finding.mitigations
    if "may hold" in finding.chain.holder:
        assert not [action for action in ends if action.startswith(("KILL 72", "KILL 73"))]
    assert finding.next_step


def test_commits_of_less_than_a_second_are_no_finding(tmp_path: Path) -> None:
    """Four commits at Time 0 of nine sessions are a busy server; for three seconds they are not."""

    def listed(seconds: int) -> str:
        rows = [
            f"| 2{n} | app | h:{n} | bench | Execute | {seconds} | waiting for handler commit | "
            "COMMIT |"
            for n in range(4)
        ] + [
            f"| 3{n} | app | h:3{n} | bench | Execute | 0 | updating | UPDATE t SET a = {n} |"
            for n in range(5)
        ]
        return "\n".join(rows)

    assert not _analysed(tmp_path, listed(0)).findings
    assert [finding.id for finding in _analysed(tmp_path, listed(3)).findings] == ["fsync-stall"]


def _analysed(folder: Path, text: str) -> Analysis:
    path = folder / "paste.txt"
    path.write_text(text.lstrip("\n"), encoding="utf-8")
    captures = Captures()
    captures.read([path])
    return analyse(gather(captures.artifacts))


def test_a_transaction_without_a_session_is_no_session_to_end(tmp_path: Path) -> None:
    text, _ = PASTES["a transaction of thread 0 holds the rows, and the lock tables name them"]
    analysis = _analysed(tmp_path, text)
    assert "session 0" not in f"{analysis.blockers}{analysis.headline}{analysis.findings}"
    assert not [m for finding in analysis.findings for m in finding.mitigations if m.command]
    assert "row of shop.stock (PRIMARY)" in analysis.roots[0].path


def test_the_list_of_metadata_locks_names_who_holds_the_lock_of_a_backup(tmp_path: Path) -> None:
    """Every statement that writes holds the same lock in a mode that excludes nobody."""
    held = "".join(
        f"| {n} | MDL_BACKUP_TRANS_DML   | NULL | 9{n} | Backup lock         | def | | |\n"
        f"| {n} | MDL_SHARED_WRITE       | NULL | 9{n} | Table metadata lock | def | s | t |\n"
        for n in (41, 42)
    )
    text = f"""
| Id | User | Host      | db   | Command | Time | State                   | Info                   |
| 30 | job  | localhost | NULL | Sleep   |   95 |                         | NULL                   |
| 31 | job  | localhost | NULL | Sleep   |  940 |                         | NULL                   |
| 41 | app  | localhost | s    | Query   |   80 | Waiting for backup lock | UPDATE t SET n=1       |
| 42 | app  | localhost | s    | Query   |   81 | Waiting for backup lock | COMMIT                 |

| THREAD_ID | LOCK_MODE | LOCK_DURATION | LOCK_TIME_MS | LOCK_TYPE | TABLE_CATALOG | TABLE_SCHEMA | TABLE_NAME |
{held}| 31 | MDL_BACKUP_WAIT_COMMIT | NULL | 81220 | Backup lock         | def | | |
"""  # noqa: E501
    analysis = _analysed(tmp_path, text)
    assert analysis.findings[0].id == "ftwrl"
    assert analysis.roots[0].key == "session:31"
    assert not analysis.blockers[0].inferred


def test_stacks_and_a_list_of_one_wait_for_the_lock_of_a_backup_are_one_finding(
    tmp_path: Path,
) -> None:
    """In stacks it is a metadata lock like any other; the list names it."""
    rows = "".join(
        f"| {n} | app | h:1 | s | Query | 20 | Waiting for backup lock | UPDATE t SET n={n} |\n"
        for n in range(21, 28)
    )
    (tmp_path / "list.txt").write_text(rows)
    stacks = "7 pthread_cond_timedwait,MDL_wait::timed_wait,MDL_context::acquire_lock,open_table\n"
    (tmp_path / "stacks.txt").write_text(stacks)
    captures = Captures()
    captures.read([tmp_path])
    findings = analyse(gather(captures.artifacts)).findings
    assert [each.id for each in findings if each.verdict == "found"] == ["ftwrl"]
