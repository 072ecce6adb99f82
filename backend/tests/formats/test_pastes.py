"""What people paste from clients, chats, pages, trackers and consoles gives its records at once."""

from __future__ import annotations

import html
import json
import random
from typing import Any

import pytest

from pileup.formats.driver import parse_with_fallback
from pileup.formats.parsed import Parsed
from tests.formats.checks import assert_sound, parse_bytes

WAIT = """--Thread 140211902330624 has waited at btr0cur.cc line 1042 for 17 seconds the semaphore:
SX-lock on RW-latch at 0x7f8a1c02a3b8 created in file dict0dict.cc line 2737
a writer (thread id 140211897538304) has reserved it in mode  SX
number of readers 0, waiters flag 1, lock_word: 10000000
"""
FRAMES = """Thread 41 (Thread 0x7f1c2a7fc700 (LWP 9122)):
0x00007f2a1f9d9360 in pthread_cond_wait () from /lib64/libpthread.so.0
0x0000000001b4c7f8 in MYSQL_BIN_LOG::ordered_commit (this=0x3f2, thd=0x7f1) at sql/binlog.cc:9204
handler::commit (all=true) at sql/handler.cc:501
"""

CLOUD_LOG = [
    {
        "insertId": "a1",
        "jsonPayload": {"message": "2026-11-20T22:15:01.1Z 12 [ERROR] [InnoDB] Assertion failure"},
        "timestamp": "2026-11-20T22:15:01.1Z",
    },
    {
        "textPayload": '2026-11-20T22:15:03.0Z 0 [Warning] [Server] "db-7" is not resolved',
        "severity": "WARNING",
    },
]

DEADLOCK = """\
server\tts\tthread\tuser\thostname\tip\tdb\ttbl\tlock_type\tlock_mode\twait_hold\tvictim\tquery
db1\t2024-05-14T09:11:02\t81\tapp\tweb-1\t\tshop\torders\tRECORD\tX\tw\t1\tUPDATE orders SET b=1
db1\t2024-05-14T09:11:02\t82\tapp\tweb-2\t\tshop\tstock\tRECORD\tX\tw\t0\tDELETE FROM stock
"""

# name: the text, the kind of record or the series, and how many there must be at least
PASTES: dict[str, tuple[str, str, int]] = {
    "a tree of orchestrator in a chat": (
        (
            "[10:12] bob: db1.prod:3306   [0s,ok,5.7.29-log,rw,ROW,>>,GTID]\n"
            "[10:12] bob: + db2.prod:3306 [95s,lag,5.7.29-log,ro,ROW,>>,GTID]\n"
            "[10:12] bob: + db3.prod:3306 [0s,ok,5.7.29-log,ro,ROW,>>,GTID]\n"
        ),
        "replication.seconds_behind",
        2,
    ),
    "rows of sar without their heading": (
        (
            "22:10:01            3      1802      2.11      1.90      1.75         0\n"
            "22:20:01           41      1855     38.20     12.40      6.01        17\n"
        ),
        "table",
        1,
    ),
    "a result of mysqlslap in a mail": (
        (
            "From: a@example.com\nTo: b@example.com\nSubject: stall\n\nHi,\n\n"
            "innodb,mixed,2.011,1.940,2.120,64,1000\n\n-- \nAda\n"
        ),
        "table",
        1,
    ),
    "a status between bars that are no table": (
        (
            "| Uptime: 812  Threads: 12  Questions: 90  Slow queries: 0  Opens: 1 |\n"
            "| Uptime: 813  Threads: 130  Questions: 91  Slow queries: 0  Opens: 1 |\n"
            "| Uptime: 814  Threads: 1300  Questions: 92  Slow queries: 0  Opens: 1 |\n"
            "|  |\n"
        ),
        "mysql.Threads_connected",
        3,
    ),
    "counters of a device in a chat": (
        (
            "[10:12] bob: 2: eth0: <BROADCAST,MULTICAST,UP> mtu 9001 qdisc mq state UP\n"
            "[10:12] bob:     RX:  bytes packets errors dropped  missed   mcast\n"
            "[10:12] bob:     80210220102 102210220      0    4022       0     120\n"
        ),
        "netdev.rx_drop",
        1,
    ),
    "a limit of a process in a mail": (
        "> Max open files            1024                 4096                 files     \n",
        "table",
        1,
    ),
    "strace -c in a comment of a script that calls it": (
        (
            "# Summary with timing per call\nstrace -c -f mysqld\n"
            "# % time     seconds  usecs/call     calls    errors syscall\n"
            "# ------ ----------- ----------- --------- --------- --------\n"
            "#  45.00    0.002340         234        10           read\n"
            "#  30.00    0.001560         156        10           write\n"
        ),
        "table",
        1,
    ),
    "the pressure of all resources as grep prints it": (
        (
            "$ grep . /proc/pressure/*\n"
            "/proc/pressure/cpu:some avg10=2.00 avg60=1.00 avg300=0.50 total=12\n"
            "/proc/pressure/io:some avg10=85.37 avg60=63.13 avg300=23.13 total=1\n"
            "/proc/pressure/io:full avg10=38.46 avg60=20.76 avg300=7.13 total=2\n"
        ),
        "pressure.some_avg10",
        2,
    ),
    "keys that are not aligned, up to three dots": (
        (
            "*************************** 1. row ***************************\n"
            "           Replica_IO_Running: Yes\n"
            "            Replica_SQL_Running: Yes\n"
            "       Seconds_Behind_Source: 440\n"
            "                ...\n"
        ),
        "replication.seconds_behind",
        1,
    ),
    "info threads of gdb": (
        (
            "(gdb) info thread\n  Id   Target Id                                  Frame\n"
            '* 1    Thread 0x7f6443cbd740 (LWP 4197) "mysqld" 0x00007f in poll () from libc.so.6\n'
            '  2    Thread 0x7f6443cb9700 (LWP 4198) "ib_log" wait_low (this=0x0) at os.cc:1\n'
        ),
        "stack",
        2,
    ),
    "the end of a thread before the next thread": (
        (
            "#2  0x0000000001b4c7f8 in os_event_wait_low () from /usr/sbin/mysqld\n"
            "#3  0x000000000066480e in start_thread () from /lib64/libpthread.so.0\n\n"
            "Thread 41 (Thread 0x7f1c2a7fc700 (LWP 9122)):\n"
            "#0  0x00007f2a1f9d9360 in poll () from /lib64/libc.so.6\n"
            "#1  0x00007f2a1f9d9361 in handle_connections_sockets () from /usr/sbin/mysqld\n"
        ),
        "stack",
        2,
    ),
    "a status dump in the comment of a source": (
        "".join(
            f"//{line}\n" for line in f"----------\nSEMAPHORES\n----------\n{WAIT}".split("\n")
        ),
        "semaphore_wait",
        1,
    ),
    "a plan as a list of a ticket": (
        (
            "* -> Nested loop inner join  (cost=2032.51 rows=1488)\n"
            "* -> Table scan on orders  (cost=11.8 rows=14876) (actual time=0.03..8.3 rows=15"
            " loops=1)\n"
        ),
        "table",
        1,
    ),
    "a server's line as journalctl -o json-pretty": (
        (
            '{\n        "__REALTIME_TIMESTAMP" : "1795213198123456",\n'
            '        "_HOSTNAME" : "db1",\n        "SYSLOG_IDENTIFIER" : "mysqld",\n'
            '        "MESSAGE" : "2026-11-20T22:19:58.1Z 0 [ERROR] [MY-012872] [InnoDB] hung"\n}\n'
        ),
        "event",
        1,
    ),
    "an error log, and below it what somebody measured": (
        (
            "2024-05-14T09:11:02.1Z 0 [Note] InnoDB: page_cleaner: 1000ms loop took 8744ms.\n"
            "2024-05-14T09:11:12.1Z 81 [Note] Aborted connection 81 to db: 'shop' user: 'app'\n\n"
            "iostat at the same time:\n\n"
            "Device            r/s     w/s     rkB/s     wkB/s   await  aqu-sz  %util\n"
            "sda              1.00  312.00     16.00  98000.00  188.20  58.70  100.00\n"
        ),
        "iostat.util",
        1,
    ),
    "numastat -p": (
        (
            "Per-node process memory usage (in MBs) for PID 1122 (mysqld)\n"
            "                           Node 0          Node 1           Total\n"
            "                  --------------- --------------- ---------------\n"
            "Heap                       412.31           12.00          424.31\n"
            "Private                 120112.31         4112.33       124224.64\n"
        ),
        "numastat.Private",
        2,
    ),
    "tabs that became blanks up to the next stop": (
        (
            "Id      User    Host    db      Command Time    State   Info\n"
            "55821   web     10.9.0.3:41222  cms     Query   96      Waiting for flush SELECT 1\n"
            "55702   backup  localhost       NULL    Query   97      Waiting for flush FLUSH T\n"
        ),
        "session",
        2,
    ),
    "sessions as YAML": (
        (
            "- Id: 4711\n  User: app\n  Host: h:55012\n  db: shop\n  Command: Query\n  Time: 88\n"
            "  State: updating\n  Info: SELECT 1\n- Id: 4650\n  User: root\n  Host: localhost\n"
            "  db: shop\n  Command: Query\n  Time: 120\n  State: altering table\n  Info: ALTER\n"
        ),
        "session",
        2,
    ),
    "sys.metrics": (
        (
            "Variable_name;Variable_value;Type;Enabled\nthreads_running;412;Global Status;YES\n"
            "trx_rseg_history_len;912331;InnoDB Metrics - transaction;YES\n"
        ),
        "innodb_metrics.trx_rseg_history_len",
        1,
    ),
    "INNODB_METRICS without its header": (
        "lock_deadlocks\t41\tcounter\tenabled\nlock_timeouts\t812\tcounter\tenabled\n",
        "innodb_metrics.lock_timeouts",
        1,
    ),
    "/proc/pressure": (
        (
            "some avg10=12.10 avg60=44.20 avg300=20.10 total=91233123\n"
            "full avg10=11.00 avg60=40.10 avg300=18.00 total=81233123\n"
        ),
        "pressure.some_avg10",
        1,
    ),
    "perf top without its head": (
        (
            "    41.22%  mysqld               [.] ut_delay\n"
            "     8.01%  [kernel]             [k] native_queued_spin_lock_slowpath\n"
        ),
        "table",
        1,
    ),
    "kubectl top": (
        (
            "NAME      CPU(cores)   MEMORY(bytes)\n"
            "mysql-0   7991m        63590Mi\nmysql-1   412m         61200Mi\n"
        ),
        "table",
        1,
    ),
    "sadf -j": (
        (
            '{"statistics": [{"timestamp": {"date": "2024-06-01", "time": "10:01:02", "utc": 1},'
            ' "cpu-load": [{"cpu": "all", "user": 11.2, "idle": 1.3}]}]}'
        ),
        "metric.cpu-load.user",
        1,
    ),
    "a page whose line ends are tags": (
        (
            "mysql&gt; show processlist;<br>+-----+------+------+------+---------+------+---------+"
            "----------+<br>| Id  | User | Host | db   | Command | Time | State   | Info     |<br>"
            "+-----+------+------+------+---------+------+---------+----------+<br>"
            "| 101 | app  | h:5  | shop | Query   |   41 | updating | select 1 |<br>"
            "| 102 | root | h:6  | shop | Sleep   |   55 |          | NULL     |<br>"
        ),
        "session",
        2,
    ),
    "counters in a sentence": (
        "Threads_connected 512 Threads_running 233, Innodb_row_lock_current_waits 188\n",
        "mysql.Threads_running",
        1,
    ),
    "names and values without their tab": (
        "Threads_cached8\nThreads_connected512\nThreads_running233\n",
        "mysql.Threads_running",
        1,
    ),
    "a session's fields on a line": (
        (
            "Id: 4711 User: app Host: h:55 db: shop Command: Query Time: 88 State: updating Info: "
            "SELECT a, b FROM orders WHERE id = 4\n"
            "Id: 4712 User: app Host: h:56 db: shop Command: Query Time: 87 State: updating Info: "
            "SELECT 1\n"
        ),
        "session",
        2,
    ),
    "fields behind equals signs": (
        (
            "Id=4711, User=app, Host=h:55, db=shop, Command=Query, Time=88, State=updating, "
            "Info=SELECT a, b FROM t WHERE id = 4\n"
        ),
        "session",
        1,
    ),
    "INNODB_TRX below a header that is cut": (
        (
            "cted | trx_weight | trx_mysql_thread_id | trx_query\n"
            "| 4213 | LOCK WAIT | 2024-03-02 10:11:12 | 4213:23:4:3 | 2024-03-02 10:11:14 | 2 | 21 "
            "| update t set a=1 | starting index read | 1 | 1 | 2 | 1136 | 1 | 0 | 0 |\n"
        ),
        "transaction",
        1,
    ),
    "some columns of INNODB_TRX": (
        (
            "trx_started\ttrx_mysql_thread_id\ttrx_query\n"
            "2024-03-02 10:11:14\t21\tupdate t set a=1\n2024-03-02 10:11:15\t20\tNULL\n"
        ),
        "transaction",
        2,
    ),
    "data_lock_waits without its header": (
        (
            "INNODB\t140283:1059:140\t4213\t63\t18\t1402\t140284:1059:140\t4212\t62\t22\t1403\n"
            "INNODB\t140285:1059:140\t4214\t64\t18\t1404\t140284:1059:140\t4212\t62\t22\t1403\n"
        ),
        "lock_wait",
        2,
    ),
    "metadata_locks without its header": (
        (
            "| TABLE | shop | stock | NULL | 1402 | SHARED_READ | TRANSACTION | GRANTED | a.cc:1 "
            "| 4387 | 11 |\n"
            "| TABLE | shop | stock | NULL | 1403 | EXCLUSIVE | TRANSACTION | PENDING | a.cc:1 "
            "| 4390 | 7 |\n"
        ),
        "metadata_lock",
        2,
    ),
    "a list directly below SHOW SLAVE STATUS": (
        (
            "             Slave_IO_Running: Yes\n        Seconds_Behind_Master: 812\n"
            "      Slave_SQL_Running_State: Waiting for dependent transaction to commit\n"
            "101\tsystem user\t\tshop\tConnect\t812\tupdating\tupdate t set a=1\n"
            "102\tapp\th:6\tshop\tQuery\t855\tSending data\tselect 1\n"
        ),
        "session",
        2,
    ),
    "dmesg directly below a list": (
        (
            "101\tapp\th:55\tshop\tQuery\t125\tupdating\tupdate t set n=1\n"
            "102\tapp\th:6\tshop\tQuery\t122\tstarting\tcommit\n"
            "[1209312.120011] INFO: task jbd2/sda1-8:412 blocked for more than 120 seconds.\n"
            "[1209312.120019]       Not tainted 5.4.0-91-generic\n"
        ),
        "event",
        1,
    ),
    "a box whose right edge is cut": (
        (
            "> +------+------+------+------+---------+------+----------+--------\n"
            "> | Id   | User | Host | db   | Command | Time | State    | Info\n"
            "> +------+------+------+------+---------+------+----------+--------\n"
            "> | 8812 | rw   | h:48 | shop | Query   |  312 | updating | UPDATE\n"
            "> | 8814 | rw   | h:40 | shop | Sleep   |   17 |          | NULL\n"
        ),
        "session",
        2,
    ),
    "a list of which only single blanks are left": (
        (
            "Id User Host db Command Time State Info\n"
            "88 rw h:48 shop Query 312 Waiting for table metadata lock ALTER TABLE t ADD c int\n"
            "89 system user Connect 812 Slave has read all relay log NULL\n"
            "90 rw h:40 shop Sleep 17 NULL\n"
        ),
        "session",
        3,
    ),
    "names to the right, dashes below": (
        (
            "    Id  User       Host    db      Command    Time  State     Info\n"
            "------  ---------  ------  ------  -------  ------  --------  --------\n"
            "881204  orders_rw  h:4821  shop    Query       312  updating  UPDATE t\n"
            "881378  orders_ro  h:5101  shop    Query      1290  executing SELECT 1\n"
        ),
        "session",
        2,
    ),
    "numbers of lines that an editor put in front": (
        (
            "  8 | ------------\n  9 | TRANSACTIONS\n 10 | ------------\n"
            " 11 | ---TRANSACTION 4213, ACTIVE 12 sec starting index read\n"
            " 12 | MySQL thread id 21, OS thread handle 140, query id 501 localhost root updating\n"
            " 13 | update t set a=1 where id=3\n"
        ),
        "transaction",
        1,
    ),
    "a pane of tmux": (
        (
            "top - 09:12:44 up 41 days,  3:12,  2 users,  load average: 72.44, 30.10, 11.20\u2502\n"
            "Tasks: 281 total,  66 running, 215 sleeping,   0 stopped,   0 zombie         \u2502\n"
            "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\u2502\n"
            "   1122 mysql     20   0   41.2g  21.9g  33120 S 732.0  69.8  41220:11 mysqld\u2502\n"
        ),
        "top.load1",
        1,
    ),
    "numbers in thousands": (
        "\u2022 Threads_connected: 1,998\n\u2022 Threads_running: 412\n",
        "mysql.Threads_connected",
        1,
    ),
    "a log below the head of a message": (
        (
            "[14.05. 11:12] Jens: seen on the host\n"
            "May 14 11:12:44 db-7 kernel: INFO: task mysqld:1122 blocked for more than 120 s.\n"
            "May 14 11:12:44 db-7 kernel: Out of memory: Killed process 1122 (mysqld)\n"
        ),
        "event",
        2,
    ),
    "a mail with a quoted result": (
        (
            "From: dba@example.com\nSubject: Re: it hangs\n\nHi all,\n\n"
            "> +-----------------+-------+\n> | Variable_name   | Value |\n"
            "> +-----------------+-------+\n> | Threads_running | 377   |\n"
            "> +-----------------+-------+\n\nBest\nAnn\n"
        ),
        "mysql.Threads_running",
        1,
    ),
    "a list with tabs, then kernel lines": (
        (
            "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n"
            "13\tapp\t10.0.0.3:4456\tshop\tQuery\t30\tupdating\tUPDATE stock SET n=1\n"
            "14\tapp\t10.0.0.3:4457\tshop\tSleep\t2\t\tNULL\n"
            "[81234.551] Out of memory: Killed process 4121 (mysqld)\n"
            "[81234.660] oom_reaper: reaped process 4121 (mysqld)\n"
        ),
        "event",
        1,
    ),
    "a list with tabs, then dmesg -T": (
        (
            "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n"
            "13\tapp\t10.0.0.3:4456\tshop\tQuery\t30\tupdating\tUPDATE stock SET n=1\n"
            "[Sat Nov 28 07:12:44 2026] Out of memory: Killed process 4121 (mysqld)\n"
        ),
        "event",
        1,
    ),
    "an export of Cloud Logging in one line": (json.dumps(CLOUD_LOG), "event", 2),
    "an export of Cloud Logging, indented": (json.dumps(CLOUD_LOG, indent=2), "event", 2),
    "a box whose line ends were lost between its bars": (
        (
            "mysql> show processlist;+----+------+------+----+---------+------+-------+------+| Id "
            "| User | Host | db | Command | Time | State | Info |+----+------+------+----+--------"
            "-+------+-------+------+| 7 | app | h:1 | d | Query | 31 | updating | UPDATE t SET a=1"
            " WHERE b <= 3 AND c = 4 || 8 | app | h:2 | d | Sleep | 9 | | NULL |\n"
        ),
        "session",
        2,
    ),
    "a box without its right edge and the rule below its header": (
        (
            ".. code::\n\n"
            "    +----+------+--------+----+---------+------+-------------------+--------------+\n"
            "    | Id | User | Host   | db | Command | Time | State             | Info\n"
            "    | 18 | app  | h:5393 | d  | Query   | 5879 | Waiting for table | LOCK TABLES u\n"
            "    | 19 | app  | h:5394 | d  | Query   | 5878 | Waiting for table | SELECT 1\n"
        ),
        "session",
        2,
    ),
    "a box in the comments of a source": (
        (
            "select * from information_schema.processlist;\n"
            "  //+----+------+---------+------+----------+\n"
            "  //| ID | USER | COMMAND | TIME | STATE    |\n"
            "  //+----+------+---------+------+----------+\n"
            "  //| 46 | app  | Query   |  222 | updating |\n"
            "  //+----+------+---------+------+----------+\n"
        ),
        "session",
        1,
    ),
    "rules and rows that an editor moved": (
        (
            "+----+------+------+----+---------+------+----------+---------\n"
            "  | Id | User | Host | db | Command | Time | State    | Info\n"
            " +----+------+------+----+---------+------+----------+---------\n"
            "  |  2 | app | h | d | Query  |  18 | Sending data   | create table b as select 1\n"
            "  |  3 | app | h | d | Query  |   7 | Waiting for a longer lock | select * from b\n"
        ),
        "session",
        2,
    ),
    "rows of an unknown table without its header": (
        (
            "| 64 | 28 | shop | updating | update t set i = 4 | INTENTION_EXCLUSIVE |\n"
            "| 65 | 29 | shop | update   | insert into t (2)  | SHARED_WRITE        |\n"
            "+----+----+------+----------+--------------------+---------------------+\n"
        ),
        "table",
        1,
    ),
    "sys.metrics without its header": (
        (
            "| trx_active_transactions | 4      | InnoDB Metrics - transaction | NO  |\n"
            "| trx_rseg_history_len    | 912233 | InnoDB Metrics - transaction | YES |\n"
        ),
        "innodb_metrics.trx_rseg_history_len",
        1,
    ),
    "a CSV that is cut inside a statement": (
        (
            "Id, User, Host, db, Command, Time, State, Info, Progress\n"
            "177, 'me', 'h:629', 'x', 'Query', 23994, 'Waiting for locks', 'SELECT 1', 0.0\n"
            "175, 'me', 'h:500', 'x', 'Query', 28227, 'Repair by sorting', 'CREATE TABLE `n` (\n"
            "  `Id` bigint NOT NULL,\n"
        ),
        "session",
        2,
    ),
    "counters as small tables below their names": (
        (
            "Threads_connected\n---\n| Variable_name | Value | \n| --- | --- | \n"
            "| Threads_connected | 1900 | \n\n\nAborted_connects\n---\n"
            "| Variable_name | Value | \n| --- | --- | \n| Aborted_connects | 12 | \n"
        ),
        "mysql.Threads_connected",
        1,
    ),
    "what a script prints of a cluster": (
        (
            "[INFO] Test 5: Reading data...\n[INFO]   Data read\n\n"
            "[INFO] Test 6: Checking the cluster...\nwsrep_cluster_size = 2\n"
            "wsrep_local_state_comment = Donor/Desynced\n"
        ),
        "mysql.wsrep_cluster_size",
        1,
    ),
    "a variable of Galera": (
        (
            "+------------------+-------+\n| Variable_name    | Value |\n"
            "+------------------+-------+\n| wsrep_OSU_method | RSU   |\n"
        ),
        "setting",
        1,
    ),
    "rows whose last cells wrapped below them": (
        (
            "+----+------+------+----+---------+------+----------+----------+----------+\n"
            "| Id | User | Host | db | Command | Time | State    | Info\n"
            "                 | Progress |\n"
            "+----+------+------+----+---------+------+----------+----------+----------+\n"
            "| 31 | app  | h:1  | d  | Query   | 4261 | updating | DELETE FROM f WHERE a < 15\n"
            "                 |    0.000 |\n"
            "| 32 | app  | h:2  | d  | Sleep   | 2296 |          | NULL\n"
            "                 |    0.000 |\n"
        ),
        "session",
        2,
    ),
    "columns of words above numbers": (
        (
            "Checking if all tables can be checksummed ...\nStarting checksum ...\n"
            "            TS ERRORS  DIFFS     ROWS  DIFF_ROWS  CHUNKS SKIPPED    TIME TABLE\n"
            "06-11T10:22:36      0      0        0          0       1       0   0.563 shop.stock\n"
            "06-11T10:22:38      0      2   182602         14       4       0   2.242 shop.orders\n"
        ),
        "table",
        1,
    ),
    "slabtop": (
        (
            " Active / Total Objects (% used)    : 1718090 / 1895312 (90.6%)\n"
            " Active / Total Slabs (% used)      : 48101 / 48101 (100.0%)\n\n"
            "  OBJS ACTIVE  USE OBJ SIZE  SLABS OBJ/SLAB CACHE SIZE NAME\n"
            "842205 743124  88%    0.10K  21595       39     86380K buffer_head\n"
            "382368 368286  96%    0.19K   9104       42     72832K dentry\n"
        ),
        "table",
        1,
    ),
    "events of a pod": (
        (
            "Events:\n"
            "  Type     Reason     Age                From               Message\n"
            "  ----     ------     ----               ----               -------\n"
            "  Normal   Scheduled  38s                default-scheduler  Assigned to node2\n"
            "  Warning  BackOff    3s (x4 over 32s)   kubelet            Back-off restarting\n"
        ),
        "event",
        2,
    ),
    "a proxy's log behind its container": (
        (
            "### ProxySQL logs\n"
            "proxysql  | 2026-11-20 22:19:15 MySQL_Monitor.cpp:7392:ping(): [ERROR] Error on db-1\n"
            "proxysql  | 2026-11-20 22:19:18 MySQL_Session.cpp:1616:again(): [ERROR] broken\n"
        ),
        "event",
        2,
    ),
    "/proc/pressure without its totals": (
        ("some avg10=82.71 avg60=58.68 avg300=20.55\nfull avg10=51.17 avg60=34.93 avg300=12.29\n"),
        "pressure.some_avg10",
        1,
    ),
    "ss -s": (
        (
            "Total: 76052 (kernel 76254)\n"
            "TCP:   75924 (estab 123, closed 75524, orphaned 0, synrecv 0, timewait 173/0)\n"
            "\nTransport Total     IP        IPv6\n*         76254    -         -\n"
            "TCP       116       80        36\n"
        ),
        "netstat.sockets",
        4,
    ),
    "pt-summary": (
        (
            "# Percona Toolkit System Summary Report ######################\n"
            "        Date | 2026-11-20 22:19:15 UTC (local TZ: CET +0100)\n"
            "    Hostname | db-7\n      Kernel | 5.15.0-107-generic\n"
            "# Memory #####################################################\n"
            "       Total | 187.6G\n        Free | 4.3G\n"
        ),
        "setting",
        5,
    ),
    "pt-mysql-summary": (
        (
            "# Instances ##################################################\n"
            "  Port  Data Directory             Nice OOM Socket\n"
            "  ===== ========================== ==== === ======\n"
            "   3306 /data/mysql                0    0   /run/mysql.sock\n"
            "# Report On Port 3306 ########################################\n"
            "                  Version | 8.4.6-6 Source distribution\n"
            "                Processes | 512 connected, 233 running\n"
        ),
        "setting",
        2,
    ),
    "an audit log": (
        (
            "20261120 22:19:58,db1,app,10.0.0.7,8,7,QUERY,shop,'SELECT 1',0\n"
            "20261120 22:19:59,db1,app,10.0.0.7,9,0,CONNECT,shop,,0\n"
        ),
        "general_log.commands",
        2,
    ),
    "the audit log of Aurora": (
        (
            "1795213198810074,db-1,app,10.0.0.7,223153,20070830,QUERY,,'SELECT 1',0\n"
            "1795213199910074,db-1,app,10.0.0.7,223154,0,CONNECT,,,0\n"
        ),
        "general_log.commands",
        2,
    ),
    "deadlocks whose tabs became blanks": (DEADLOCK.expandtabs(), "deadlock", 1),
    "what aws logs prints as text": (
        (
            "EVENTS\t1795213203000\t2026-11-20T22:20:03.1Z 0 [ERROR] [InnoDB] Hung\t1795213203000\n"
            "EVENTS\t1795213204000\t2026-11-20T22:20:04.1Z 7 [Note] Aborted\t1795213204000\n"
        ),
        "event",
        2,
    ),
    "what aws pi prints as text": (
        (
            "2026-11-20T23:00:00+00:00\t2026-11-20T22:00:00+00:00\tdb-AB12\nMETRICLIST\n"
            "DATAPOINTS\t2026-11-20T22:19:00+00:00\t1.25\n"
            "DATAPOINTS\t2026-11-20T22:20:00+00:00\t41.5\nKEY\tdb.load.avg\n"
            "DIMENSIONS\twait/io/table/sql/handler\twait\n"
        ),
        "metric.db.load.avg",
        2,
    ),
    "what aws logs prints": (json.dumps({"events": CLOUD_LOG}, indent=4), "event", 2),
    "journalctl -o export": (
        (
            "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1715677965120331\n_HOSTNAME=db-7\n"
            "SYSLOG_IDENTIFIER=kernel\nMESSAGE=Out of memory: Killed process 1122 (mysqld)\n\n"
            "__CURSOR=s=2\n__REALTIME_TIMESTAMP=1715677966120331\n"
            "SYSLOG_IDENTIFIER=kernel\nMESSAGE=INFO: task mysqld:1 blocked for more than 9 s\n\n"
        ),
        "event",
        2,
    ),
    "HeidiSQL, tabs as four blanks, with an empty cell": (
        (
            "Id    User    Host    db    Command    Time    State    Info\n"
            "1044    app    10.2.0.14:51022    shop    Query    311    Sending data    SELECT 1\n"
            "1050    app    10.2.0.15:44412    shop    Sleep    420        NULL\n"
        ),
        "session",
        2,
    ),
    "DBeaver's grid": (
        (
            "ID  |USER  |HOST     |DB |COMMAND|TIME|STATE   |INFO\n"
            "----|------|---------|---|-------|----|--------|--------\n"
            "   5|daemon|localhost|   |Daemon |9120|Waiting |\n"
            "1187|app   |10.0.0.6 |crm|Query  |  61|updating|SELECT 1\n"
        ),
        "session",
        2,
    ),
    "a CSV quoted by hand": (
        (
            "Id, User, Host, db, Command, Time, State, Info\n"
            "177, 'me', 'h:629', 'x', 'Query', 23994, 'Waiting for metadata lock', 'SELECT 1'\n"
            "175, 'me', 'h:500', 'x', 'Query', 28227, 'Repair by sorting', 'CREATE TABLE n'\n"
        ),
        "session",
        2,
    ),
    "rows of Percona Server without a header": (
        (
            "| 38779 | u | h:40206 | d | Query | 0 | freeing items | INSERT | 511 | 0 | 0 |\n"
            "| 38780 | u | h:40214 | d | Query | 0 | starting      | NULL   |  28 | 0 | 0 |\n"
        ),
        "session",
        2,
    ),
    "rows that Python prints": (
        (
            "[{'Id': 91, 'User': 'a', 'db': '', 'Command': 'Query', 'Time': 4, 'Info': \"it's\"},\n"
            " {'Id': 92, 'User': 'a', 'db': 'h', 'Command': 'Query', 'Time': 40, 'Info': None}]\n"
        ),
        "session",
        2,
    ),
    "a box as the lines of a diff": (
        (
            "++----+------+---------+------+----------+\n"
            "+| Id | User | Command | Time | State    |\n"
            "++----+------+---------+------+----------+\n"
            "+|  8 | app  | Query   |   31 | updating |\n"
            "+|  9 | app  | Query   |   30 | updating |\n"
            "++----+------+---------+------+----------+\n"
        ),
        "session",
        2,
    ),
    "rules with blanks": (
        (
            "+ --- + ---- + ------- + ---- + -------- +\n"
            "| Id  | User | Command | Time | State    |\n"
            "+ --- + ---- + ------- + ---- + -------- +\n"
            "| 41  | app  | Query   | 12   | updating and more |\n"
        ),
        "session",
        1,
    ),
    "entities of HTML": (html.escape(WAIT).replace(" ", "&nbsp;"), "semaphore_wait", 1),
    "typographic quotes around": (f"“{WAIT.rstrip()}”\n", "semaphore_wait", 1),
    "escaped to one line of JSON": (
        '"message": "' + WAIT.replace("\n", "\\n") + '"\n',
        "semaphore_wait",
        1,
    ),
    "frames without numbers": (FRAMES, "stack", 1),
    "kernel stacks of /proc": (
        "[<0>] jbd2_log_wait_commit+0xd1/0x140\n[<0>] ext4_sync_file+0x2b0/0x330\n",
        "stack",
        1,
    ),
    "a slow log whose signs were headings": (
        (
            "Time: 2026-11-20T22:20:49.120331Z\nUser@Host: app[app] @  [10.0.0.9]  Id:  4401\n"
            "Query_time: 37.000122  Lock_time: 36.990111 Rows_sent: 0  Rows_examined: 1\n"
            "SET timestamp=1795213249;\nupdate accounts set bal=bal-1 where id=7;\n"
        ),
        "query",
        1,
    ),
    "counters as a list": (
        "Threads_connected: 1499\n- Threads_running: 312\nAborted_clients = 298\n",
        "mysql.Threads_running",
        1,
    ),
    "variables whose header lost its tabs": (
        "Variable_name Value\ninnodb_lock_wait_timeout 50\ninnodb_rollback_on_timeout OFF\n",
        "setting",
        2,
    ),
    "variables in columns without a header": (
        "innodb_flush_method      O_DIRECT\ninnodb_flush_neighbors   0\n",
        "setting",
        2,
    ),
    "parameters of a cloud's console": (
        (
            '{\n  "Parameters": [\n    {"ParameterName": "innodb_adaptive_hash_index", '
            '"ParameterValue": "0", "Source": "user", "Description": "on or off"},\n'
            '    {"ParameterName": "max_connections", "ParameterValue": "2000", "Source": "user"}\n'
            "  ]\n}\n"
        ),
        "setting",
        2,
    ),
    "options below a sentence": (
        (
            "This is our configuration, please have a look:\n\n[mysqld]\n"
            "innodb_buffer_pool_size = 48G\nsync_binlog=1\n"
        ),
        "setting",
        2,
    ),
    "options on a command line": (
        "command: --innodb-buffer-pool-size=8G --max-connections=500\n",
        "setting",
        2,
    ),
    "options in a list": ("innodb_buffer_pool_size=48G, sync_binlog=1\n", "setting", 2),
    "options in the values of a chart": (
        "configuration: |-\n  [mysqld]\n  max_connections=500\n  sync_binlog=1\n",
        "setting",
        2,
    ),
    "metrics of InnoDB by name and count": (
        (
            "name                     count\ntrx_rseg_history_len     912233\n"
            "log_lsn_checkpoint_age   8122\n"
        ),
        "innodb_metrics.trx_rseg_history_len",
        1,
    ),
    "waits of latches without a header": (
        (
            "| InnoDB | rwlock: hash0hash.cc:353 | waits=30440 |\n"
            "| InnoDB | rwlock: hash0hash.cc:353 | waits=30345 |\n"
        ),
        "sample",
        1,
    ),
    "some lines of a replication status": (
        "Seconds_Behind_Source: 4122\nReplica_IO_Running: Yes\nReplica_SQL_Running: Yes\n",
        "replication.seconds_behind",
        1,
    ),
    "values before their times": (
        (
            "CPUUtilization\nDATAPOINTS\t97.3\t2026-11-20T10:01:00+00:00\tPercent\n"
            "DATAPOINTS\t12.0\t2026-11-20T10:02:00+00:00\tPercent\n"
        ),
        "cloudwatch.CPUUtilization",
        2,
    ),
    "a table of times and numbers in any order": (
        (
            "| Average | Timestamp | Unit |\n|---|---|---|\n"
            "| 980 | 2026-11-20 10:02:00 | Count |\n| 212 | 2026-11-20 10:01:00 | Count |\n"
        ),
        "metric.Average",
        2,
    ),
    "sockets without a header": (
        "ESTAB 0 0   10.0.0.5:3306 10.0.0.21:51022\nESTAB 0 312 10.0.0.5:3306 10.0.0.22:40122\n",
        "netstat.connections",
        2,
    ),
    "counted lines": ("    412 10.0.0.21\n     12 10.0.0.22\n", "table", 1),
    "columns of any names": (
        (
            "Variable_name           before      after\n"
            "Innodb_row_lock_waits   4412        91223\n"
            "Threads_running         12          412\n"
        ),
        "table",
        1,
    ),
    "faults of the kernel, some without a time": (
        (
            "[812.120011] mysqld invoked oom-killer: gfp_mask=0x100, order=0\n"
            "INFO: task mysqld:1199 blocked for more than 120 seconds.\n"
        ),
        "event",
        2,
    ),
    "an application's log with a comma before the milliseconds": (
        (
            "2026-11-18 09:38:27,129 WARN  [SqlExceptionHelper] SQL Error: 1213, SQLState: 40001\n"
            "2026-11-18 09:38:27,131 ERROR [SqlExceptionHelper] Deadlock found when trying to get "
            "lock; try restarting transaction\n"
        ),
        "event",
        1,
    ),
    "the summary of sysbench alone": (
        (
            "SQL statistics:\n    queries performed:\n        read:     14000\n"
            "    transactions:      1000   (99.87 per sec.)\n"
        ),
        "table",
        1,
    ),
    "rows cut off at their left": (
        (
            "lapp | Query   |   58 | Waiting for table metadata lock | SELECT * FROM orde"
            "rs WHERE id = 4471        |\n"
            "lapp | Query   |   57 | Waiting for table metadata lock | SELECT * FROM orde"
            "rs WHERE id = 1190        |\n"
            "lapp | Query   |   61 | Waiting for table metadata lock | ALTER TABLE orders"
            " ADD COLUMN note text     |\n"
            "lapp | Sleep   |  312 |                                 | NULL              "
            "                          |\n"
        ),
        "session",
        4,
    ),
    "a box cut off at its left": (
        (
            "----+---------+------+--------------+---------------------------------------"
            "---------------------+\n"
            " db | Command | Time | State        | Info                                  "
            "                     |\n"
            "----+---------+------+--------------+---------------------------------------"
            "---------------------+\n"
            "hop | Query   |   14 | Sending data | select count(*) from items join tags u"
            "sing (item_id)       |\n"
            "hop | Query   |   12 | statistics   | select name from items where id in (3,"
            "4,9)                 |\n"
            "hop | Sleep   |   90 |              | NULL                                  "
            "                     |\n"
            "----+---------+------+--------------+---------------------------------------"
            "---------------------+\n"
        ),
        "session",
        3,
    ),
    "a box on one line": (
        (
            "+-----+------+-----------+------+---------+------+-------+------------------"
            "+ | Id | User | Host | db | Command | Time | State | Info | +-----+------+--"
            "---------+------+---------+------+-------+------------------+ | 101 | app | "
            "10.0.0.4:4411 | shop | Query | 33 | updating | UPDATE stock SET n=n-1 WHERE "
            "id=7 | | 102 | app | 10.0.0.5:4412 | shop | Query | 31 | updating | UPDATE s"
            "tock SET n=n-1 WHERE id=7 | | 103 | app | 10.0.0.6:4413 | shop | Query | 30 "
            "| updating | UPDATE stock SET n=n-1 WHERE id=7 | +-----+------+-----------+-"
            "-----+---------+------+-------+------------------+ 3 rows in set (0.00 sec)\n"
        ),
        "session",
        3,
    ),
    "counters on one line between words": (
        (
            "our status right now: +-------------------+-------+ | Variable_name | Value "
            "| +-------------------+-------+ | Threads_cached | 9 | | Threads_connected |"
            " 1503 | | Threads_running | 1201 | +-------------------+-------+ any ideas?\n"
        ),
        "mysql.Threads_running",
        1,
    ),
    "rows of \\G on one line": (
        (
            "*************************** 1. row *************************** Id: 9 User: a"
            "pp Host: 10.0.0.2:1 db: shop Command: Query Time: 66 State: Waiting for tabl"
            "e metadata lock Info: select * from orders *************************** 2. ro"
            "w *************************** Id: 10 User: root Host: localhost db: shop Com"
            "mand: Query Time: 70 State: Waiting for table metadata lock Info: alter tabl"
            "e orders engine=innodb\n"
        ),
        "session",
        2,
    ),
    "transactions on one line": (
        (
            "---TRANSACTION 8812, ACTIVE 51 sec starting index read mysql tables in use 1"
            ", locked 1 LOCK WAIT 2 lock struct(s), heap size 1136, 1 row lock(s) MySQL t"
            "hread id 71, OS thread handle 1403, query id 4411 10.0.0.2 app updating UPDA"
            "TE t SET a=1 WHERE id=1 ------- TRX HAS BEEN WAITING 51 SEC FOR THIS LOCK TO"
            " BE GRANTED: RECORD LOCKS space id 5 page no 3 n bits 72 index PRIMARY of ta"
            "ble `d`.`t` trx id 8812 lock_mode X locks rec but not gap waiting ---TRANSAC"
            "TION 8810, ACTIVE 300 sec 2 lock struct(s), heap size 1136, 1 row lock(s) My"
            "SQL thread id 70, OS thread handle 1404, query id 4400 10.0.0.2 app\n"
        ),
        "transaction",
        2,
    ),
    "remarks between the rows": (
        (
            "+------+------+-----------------+-------+---------+------+------------------"
            "---------------+----------------------------+\n"
            "| Id   | User | Host            | db    | Command | Time | State            "
            "               | Info                       |\n"
            "+------+------+-----------------+-------+---------+------+------------------"
            "---------------+----------------------------+\n"
            "| 3301 | etl  | 10.2.0.9:51000  | bank  | Sleep   | 2201 |                  "
            "               | NULL                       |\n"
            "^^^^ this one has been idle in a transaction for half an hour\n"
            "| 3382 | root | localhost       | bank  | Query   |   95 | Waiting for table"
            " metadata lock | DROP INDEX i ON accounts   |\n"
            "<-- my drop\n"
            "| 3390 | app  | 10.2.0.4:51110  | bank  | Query   |   93 | Waiting for table"
            " metadata lock | select * from accounts     |\n"
            "(about 200 more like the last one)\n"
            "| 3600 | app  | 10.2.0.4:51400  | bank  | Query   |    2 | Waiting for table"
            " metadata lock | select * from accounts     |\n"
        ),
        "session",
        4,
    ),
    "the end of a deadlock": (
        (
            "*** (2) WAITING FOR THIS LOCK TO BE GRANTED:\n"
            "RECORD LOCKS space id 212 page no 4 n bits 80 index PRIMARY of table `pay`.`"
            "wallet` trx id 88123 lock_mode X locks rec but not gap waiting\n"
            "Record lock, heap no 9 PHYSICAL RECORD: n_fields 5; compact format; info bits 0\n"
            " 0: len 4; hex 80000009; asc     ;;\n"
            "\n"
            "*** WE ROLL BACK TRANSACTION (2)\n"
        ),
        "deadlock",
        1,
    ),
    "a wait without its transaction": (
        (
            "------- TRX HAS BEEN WAITING 12 SEC FOR THIS LOCK TO BE GRANTED:\n"
            "RECORD LOCKS space id 77 page no 5 n bits 120 index `idx_email` of table `cr"
            "m`.`contact` trx id 771234 lock_mode X locks gap before rec insert intention"
            " waiting\n"
            "------------------\n"
        ),
        "trx_lock",
        1,
    ),
    "a transaction without its first line": (
        (
            "MySQL thread id 4410, OS thread handle 0x7f1c, query id 991122 10.0.0.12 bil"
            "ling update\n"
            "INSERT INTO invoice (customer, total) VALUES (912, 10.5)\n"
            "------- TRX HAS BEEN WAITING 41 SEC FOR THIS LOCK TO BE GRANTED:\n"
            "RECORD LOCKS space id 31 page no 9 n bits 88 index PRIMARY of table `fin`.`i"
            "nvoice` trx id 5534 lock_mode X insert intention waiting\n"
            "---TRANSACTION 5530, ACTIVE 410 sec\n"
            "2 lock struct(s), heap size 1136, 1 row lock(s)\n"
            "MySQL thread id 4400, OS thread handle 0x7f2c, query id 990000 10.0.0.13 billing\n"
        ),
        "transaction",
        2,
    ),
    "connections by host": (
        (
            "mysql> select substring_index(host,':',1) as client, count(*) from informati"
            "on_schema.processlist group by 1 order by 2 desc;\n"
            "+------------+----------+\n"
            "| client     | count(*) |\n"
            "+------------+----------+\n"
            "| 10.8.1.21  |      702 |\n"
            "| 10.8.1.22  |      690 |\n"
            "| localhost  |        3 |\n"
            "+------------+----------+\n"
        ),
        "processlist.connections",
        3,
    ),
    "states that uniq counted": (
        (
            "    388 State: Waiting for table metadata lock\n"
            "     51 State:\n"
            "      4 State: Sending data\n"
        ),
        "processlist.state",
        2,
    ),
    "rows without lines of stars": (
        (
            "               trx_id: 99123\n"
            "          trx_started: 2026-01-04 10:11:12\n"
            "            trx_state: LOCK WAIT    <---- waiting\n"
            "  trx_mysql_thread_id: 12\n"
            "            trx_query: delete from s where id = 9\n"
            "\n"
            "               trx_id: 99100\n"
            "          trx_started: 2026-01-04 09:50:00     <---- 20 minutes!\n"
            "            trx_state: RUNNING\n"
            "  trx_mysql_thread_id: 8\n"
            "            trx_query: NULL\n"
        ),
        "transaction",
        2,
    ),
    "counts in a sentence": (
        (
            "Every night we end up with about 400 threads in 'Waiting for table metadata "
            "lock' and the site is down until I kill the ALTER.\n"
        ),
        "processlist.state",
        1,
    ),
    "counts in a list": (
        (
            "show processlist gives:\n"
            '- 212 connections in state "statistics"\n'
            '- 31 in "Sending data"\n'
            '- 4 sessions are "Waiting for table flush"\n'
        ),
        "processlist.state",
        3,
    ),
    "quotes of a chat": (
        (
            "Jana Kovac  3:14 PM\n"
            "> | 88 | app | 10.1.0.1:999 | shop | Query | 120 | "
            "Waiting for table metadata lock | SELECT * FROM carts |\n"
            "> | 89 | app | 10.1.0.1:998 | shop | Query | 119 | "
            "Waiting for table metadata lock | SELECT * FROM carts |\n"
            ":eyes: 3 replies\n"
        ),
        "session",
        2,
    ),
    "a number before rows that are alike": (
        (
            "1) | 5 | a | x:1 | d | Query | 31 | updating | update t set a=1 |\n"
            "2) | 6 | a | x:2 | d | Query | 30 | updating | update t set a=2 |\n"
        ),
        "session",
        2,
    ),
    "a transaction whose first line has no dashes": (
        (
            "TRANSACTION 99812, ACTIVE 120 sec\n"
            "3 lock struct(s), heap size 1136, 2 row lock(s), undo log entries 4\n"
            "MySQL thread id 81, OS thread handle 1401, query id 5121 10.0.0.2 app\n"
        ),
        "transaction",
        1,
    ),
    "commands counted under a foreign name": (
        (
            "+---------+--------+\n"
            "| command | anzahl |\n"
            "+---------+--------+\n"
            "| Sleep   |    120 |\n"
            "| Query   |    388 |\n"
            "+---------+--------+\n"
        ),
        "processlist.running",
        1,
    ),
    "connections with their sum": (
        (
            "mysql> SELECT USER, COUNT(1) AS N FROM performance_schema.processlist "
            "GROUP BY USER WITH ROLLUP;\n"
            "+------+-----+\n"
            "| USER | N   |\n"
            "+------+-----+\n"
            "| app  | 300 |\n"
            "| etl  |  12 |\n"
            "| NULL | 312 |\n"
            "+------+-----+\n"
        ),
        "processlist.connections",
        2,
    ),
}


def read(text: str) -> Parsed:
    data = text.encode()
    parsed = parse_with_fallback(lambda chosen: parse_bytes(data, "pasted.txt", chosen))
    assert_sound(parsed, len(data))
    return parsed


def counts(parsed: Parsed) -> dict[str, int]:
    """Count records by kind, and values by series."""
    found = {kind: frame.height for kind, frame in parsed.frames.items()}
    if "sample" in parsed.frames:
        samples = parsed.frames["sample"].drop_nulls("value")
        found |= dict(samples.group_by("series").len().rows())
    return found


@pytest.mark.parametrize("paste", PASTES)
def test_a_paste_gives_its_records(paste: str) -> None:
    text, kind, least = PASTES[paste]
    parsed = read(text)
    assert counts(parsed).get(kind, 0) >= least, (parsed.format, counts(parsed))


def rows(text: str, kind: str) -> list[dict[str, Any]]:
    return read(text).frames[kind].to_dicts()


def test_what_the_cells_of_such_pastes_are() -> None:
    heidi = rows(PASTES["HeidiSQL, tabs as four blanks, with an empty cell"][0], "session")
    assert [(row["time_s"], row["state"] or None, row["query"]) for row in heidi] == [
        (311.0, "Sending data", "SELECT 1"),
        (420.0, None, None),
    ]
    (deadlock,) = rows(DEADLOCK.expandtabs(), "deadlock")
    assert deadlock == rows(DEADLOCK, "deadlock")[0]
    assert deadlock["transactions"][0]["query"] == "UPDATE orders SET b=1"
    python = rows(PASTES["rows that Python prints"][0], "session")
    assert [row["query"] for row in python] == ["it's", None]
    (stack,) = rows(FRAMES, "stack")
    assert [frame["function"] for frame in stack["frames"]] == [
        "pthread_cond_wait",
        "MYSQL_BIN_LOG::ordered_commit",
        "handler::commit",
    ]
    options = rows(PASTES["options in a list"][0], "setting")
    assert {row["name"]: row["value"] for row in options} == {
        "innodb_buffer_pool_size": "48G",
        "sync_binlog": "1",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Hi all,\n\nour server hangs every night and we do not know why.\n\nThanks!\n",
        "Queries are slow\nConnections were refused\n",
        "max_connections was reached, so we raised it\n",
        "red,green,blue\n1 apple and 2 pears\n",
        "I have 12 threads of questions: is 'Sending data' normal? A state may last 5 seconds.\n",
        "We found 5 errors in 'orders'\n",
    ],
)
def test_prose_is_no_evidence(text: str) -> None:
    parsed = read(text)
    assert set(counts(parsed)) <= {"setting"} or parsed.format is None
    assert not counts(parsed).get("setting")


def test_what_a_paste_that_lost_something_says() -> None:
    cut = rows(PASTES["rows cut off at their left"][0], "session")
    assert cut[2]["query"] == "ALTER TABLE orders ADD COLUMN note text"
    assert {row["user"] for row in cut} == {None}  # "lapp" may be the end of any name
    between = read(PASTES["remarks between the rows"][0])
    assert between.receipt.records["snapshot"] == 1
    (victim,) = rows(PASTES["the end of a deadlock"][0], "deadlock")
    assert victim["victim"] == 2
    assert victim["transactions"][0]["waits_rows"] == "212:4:9"
    (trx, other) = rows(PASTES["transactions on one line"][0], "transaction")
    assert (trx["query"], trx["wait_s"]) == ("UPDATE t SET a=1 WHERE id=1", 51.0)
    assert other["session_id"] == 70
    waits = rows(PASTES["a wait without its transaction"][0], "transaction")
    assert [(row["trx_id"], row["lock_wait"], row["wait_s"]) for row in waits] == [
        ("771234", True, 12.0)
    ]
    (first, holder) = rows(PASTES["rows without lines of stars"][0], "transaction")
    assert first["lock_wait"]
    assert not holder["lock_wait"]
    bare = rows(PASTES["a transaction whose first line has no dashes"][0], "transaction")
    assert [(row["trx_id"], row["active_s"]) for row in bare] == [("99812", 120.0)]
    rolled_up = rows(PASTES["connections with their sum"][0], "sample")
    assert [row["value"] for row in rolled_up if row["series"] == "processlist.sessions"] == [312]
    headless = rows(PASTES["a transaction without its first line"][0], "transaction")
    assert sorted((row["line_first"], row["session_id"]) for row in headless) == [
        (1, 4410),
        (5, 4400),
    ]


def test_an_option_file_stays_one() -> None:
    """A variable before an equals sign is an option; passwords on a line stay hidden."""
    parsed = read("innodb_buffer_pool_size = 8G\nmax_connections = 500\n")
    assert parsed.format == "my-cnf"
    (setting,) = rows("command: --max-connections=5\n", "setting")
    assert (setting["name"], setting["value"]) == ("max_connections", "5")


def test_the_first_lines_of_a_known_format_stay() -> None:
    """Without its banner the average since boot would look like a sample."""
    parsed = read(
        "Linux 5.15.0-105-generic (db-7) \t2024-05-14 \t_x86_64_\t(8 CPU)\n\n"
        "Device             tps    MB_read/s    MB_wrtn/s    MB_read    MB_wrtn\n"
        "nvme0n1        2300.10         9.00        81.00       1812      91233\n"
    )
    assert parsed.format == "iostat"
    assert not parsed.receipt.records


def test_entries_of_an_export_are_lines_of_the_log() -> None:
    """However the document is laid out, and nothing of it stays in a message."""
    for indent in (None, 1, 4):
        parsed = parse_bytes(json.dumps(CLOUD_LOG, indent=indent).encode())
        assert parsed.frames["event"]["message"].to_list() == [
            "[InnoDB] Assertion failure",
            '[Server] "db-7" is not resolved',
        ]


def test_a_statement_ends_where_kernel_lines_begin() -> None:
    parsed = parse_bytes(PASTES["a list with tabs, then dmesg -T"][0].encode())
    assert parsed.frames["session"]["query"].to_list() == ["UPDATE stock SET n=1"]


def test_random_bytes_are_no_evidence() -> None:
    """However a part of them looks: some lines of a file without a format are read alone."""
    dice = random.Random(7)
    for _ in range(400):
        data = b"file 1\n" + dice.randbytes(64)
        assert parse_bytes(data).format is None, data
