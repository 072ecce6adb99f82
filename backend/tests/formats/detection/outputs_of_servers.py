"""Short logs of servers, one per version and setting that changes the layout; written by hand."""

# ruff: noqa: E501

from __future__ import annotations

GENERAL_LOG = {
    "5.0, blanks": """\
/usr/sbin/mysqld, Version: 5.0.45-log (Source). started with:
Tcp port: 3306  Unix socket: /var/lib/mysql/mysql.sock
Time                 Id Command    Argument
051007 21:55:24      42 Connect     root@localhost on db1
                     42 Query       SELECT 1
                     42 Query       SELECT a
FROM t
051007 21:55:25      42 Quit       \n""",
    "5.1, tabs": """\
051007 21:55:24\t   42 Connect\troot@localhost on db1
\t\t   42 Query\tSELECT 1
051007 21:55:25\t   42 Quit\t
""",
    "8.0": """\
2026-11-20T22:22:58.255330Z\t    8 Connect\troot@localhost on db1 using Socket
2026-11-20T22:22:58.255430Z\t    8 Query\tSELECT 1
""",
}

_TIMES = "# Query_time: 1.500000  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 10\n"
_END = "SET timestamp=1795213378;\nSELECT 1;\n"
SLOW_LOG = {
    "5.1": "# Time: 071015 21:43:52\n# User@Host: root[root] @ localhost []\n"
    + _TIMES
    + "SELECT 1;\n",
    "8.0": "# Time: 2026-11-20T22:22:58.255330Z\n# User@Host: root[root] @ localhost []  Id:     8\n"
    + _TIMES
    + _END,
    "8.0, log_slow_extra": "# Time: 2026-11-20T22:22:58.255330Z\n"
    "# User@Host: root[root] @ localhost []  Id:     8\n"
    + _TIMES.rstrip("\n")
    + " Thread_id: 8 Errno: 0 Killed: 0 Bytes_received: 24 Bytes_sent: 57 Read_first: 0 "
    "Sort_rows: 0 Created_tmp_tables: 0 Start: 2026-11-20T22:22:56.755330Z "
    "End: 2026-11-20T22:22:58.255330Z\n" + _END,
    "Percona, full verbosity": "# Time: 2026-11-20T22:22:58.255330Z\n"
    "# User@Host: root[root] @ web1 [10.0.0.1]  Id:     8\n"
    "# Schema: shop  Last_errno: 0  Killed: 0\n"
    "# Query_time: 1.500000  Lock_time: 0.000002  Rows_sent: 1  Rows_examined: 10  "
    "Rows_affected: 0  Bytes_sent: 57\n"
    "# Tmp_tables: 0  Tmp_disk_tables: 0  Tmp_table_sizes: 0\n"
    "# InnoDB_trx_id: 5A3F1\n"
    "# QC_Hit: No  Full_scan: Yes  Full_join: No  Tmp_table: No  Tmp_table_on_disk: No\n"
    "# Filesort: No  Filesort_on_disk: No  Merge_passes: 0\n"
    "#   InnoDB_IO_r_ops: 0  InnoDB_IO_r_bytes: 0  InnoDB_IO_r_wait: 0.000000\n"
    "#   InnoDB_rec_lock_wait: 0.000000  InnoDB_queue_wait: 0.000000\n"
    "#   InnoDB_pages_distinct: 3\n" + _END,
    "MariaDB": "# User@Host: root[root] @ web1 [10.0.0.1]\n"
    "# Thread_id: 8  Schema: shop  QC_hit: No\n" + _TIMES + "# Rows_affected: 0  Bytes_sent: 57\n"
    "#\n# explain: id\tselect_type\ttable\n# explain: 1\tSIMPLE\tt\n#\n" + _END,
}

_PERF = """\
mysqld  2161/2188  [001]  4066.138784:   10101010 cpu-clock:
\t          5f3ba2 row_search_mvcc+0x1f (/usr/sbin/mysqld)
\t          5f3000 ha_innobase::index_read+0x2f (/usr/sbin/mysqld)

mysqld  2161/2189  [000]  4066.148784:   10101010 cpu-clock:
\t          5f3ba2 row_search_mvcc+0x1f (/usr/sbin/mysqld)
\t          5f3000 ha_innobase::index_read+0x2f (/usr/sbin/mysqld)

"""
PERF = {
    "-g": _PERF,
    "-g, no margin": _PERF.replace("\t          ", ""),
    "-g, no period": _PERF.replace("10101010 ", ""),
    "-g, no time": _PERF.replace("4066.138784:", "").replace("4066.148784:", ""),
    "two events": _PERF + _PERF.replace("cpu-clock", "page-faults").replace("10101010", "1"),
    "without -g": """\
          mysqld  2161 [001]  4066.138784:   10101010 cycles:   5f3ba2 row_sel (/usr/sbin/mysqld)
          mysqld  2161 [001]  4066.148784:   10101010 cycles:   5f3ba2 row_sel (/usr/sbin/mysqld)
""",
}

MYTOP = {
    "1.4": """\
MySQL on db1.prod (5.7.29-log)                                up 12+03:14:55 [10:12:33]
 Queries: 1.2G  qps: 1183 Slow:    12.3k         Se/In/Up/De(%):    71/05/12/01
             qps now: 2410 Slow qps: 14.0  Threads:  612 ( 318/  12) 78/04/09/00
 Key Efficiency: 99.9%  Bps in/out: 112.3k/ 1.2M   Now in/out: 240.1k/ 3.4M

      Id      User         Host/IP         DB      Time    Cmd Query or State
      --      ----         -------         --      ----    --- ----------
   81234       app      10.0.0.12       shop       118  Query Waiting for table metadata lock
   81002       app      10.0.0.12       shop         0  Sleep
""",
}

TOPOLOGY = {
    "-c topology": """\
db1.prod:3306   [0s,ok,8.0.33,rw,ROW,>>,GTID]
+ db2.prod:3306 [0s,ok,8.0.33,ro,ROW,>>,GTID]
  + db4.prod:3306 [184s,lag,8.0.33,ro,ROW,GTID]
- db5.prod:3306 [unknown,invalid,8.0.33,rw,ROW,>>]
""",
    "-c topology-tabulated": """\
db1.prod:3306  |0s  |ok |8.0.33|rw|ROW|>>,GTID
+ db2.prod:3306|12s |lag|8.0.33|ro|ROW|>>,GTID
""",
}

AWS = {
    "get-metric-statistics, table": """\
-------------------------------------------------------------
|                    GetMetricStatistics                    |
+--------+--------------------------------------------------+
|  Label |  CPUUtilization                                  |
+--------+--------------------------------------------------+
||                       Datapoints                        ||
|+-----------+----------------------------+----------------+|
||  Average  |         Timestamp          |     Unit       ||
|+-----------+----------------------------+----------------+|
||  97.51    |  2024-05-14T09:12:00+00:00 |  Percent       ||
||  12.25    |  2024-05-14T09:10:00+00:00 |  Percent       ||
|+-----------+----------------------------+----------------+|
""",
    "get-metric-data, text": (
        "METRICDATARESULTS\tm1\tCPUUtilization\tComplete\n"
        "TIMESTAMPS\t2024-05-14T09:12:00+00:00\nTIMESTAMPS\t2024-05-14T09:11:00+00:00\n"
        "VALUES\t97.51\nVALUES\t45.83\n"
    ),
    "describe-events, text": (
        "EVENTS\t2024-05-14T09:13:05.123000+00:00\tMulti-AZ instance failover started.\t"
        "arn:aws:rds:us-east-1:123456789012:db:prod-db-1\tprod-db-1\tdb-instance\n"
        "EVENTCATEGORIES\tfailover\n"
    ),
}

OUTPUTS: dict[str, dict[str, str]] = {
    "mytop": MYTOP,
    "replication-topology": TOPOLOGY,
    "aws-output": AWS,
    "general-log": GENERAL_LOG,
    "slow-log": SLOW_LOG,
    "perf-script": PERF,
}
