"""Files of many kinds with planted values: every literal, user, host and address has a mark."""

# ruff: noqa: E501  (lines of logs)
from __future__ import annotations

import io
import re
import zipfile
from html import unescape

from pypdf import PdfReader

MARK = re.compile(r"zq9|10\.77\.\d|5500005555555559|DE89370400440532013000|88812345", re.IGNORECASE)
"""What only a planted value has."""
SECRET = re.compile(r"zq9pw\w*", re.IGNORECASE)
"""A planted password: it leaves in no file, redacted or not."""

STATUS = """
=====================================
2026-11-20 22:19:50 0x7f0000 INNODB MONITOR OUTPUT
=====================================
Per second averages calculated from the last 20 seconds
------------------------
LATEST FOREIGN KEY ERROR
------------------------
2026-11-20 22:19:41 0x7f0000 Transaction:
TRANSACTION 420, ACTIVE 0 sec inserting
MySQL thread id 8, OS thread handle 140, query id 41 zq9host-7 10.77.0.7 zq9user_a update
INSERT INTO orders VALUES (88812345, 'Zq9fk1')
Foreign key constraint fails for table `shop`.`orders`:
Trying to add in child table, in index `fk` tuple:
DATA TUPLE: 2 fields;
 0: len 6; hex 5a7139666b32; asc Zq9fk2;;
------------
TRANSACTIONS
------------
Trx id counter 500
History list length 3
LIST OF TRANSACTIONS FOR EACH SESSION:
---TRANSACTION 421, ACTIVE 5 sec starting index read
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 1136, 1 row lock(s)
MySQL thread id 7, OS thread handle 141, query id 42 zq9host-7 10.77.0.7 zq9user_a updating
UPDATE accounts SET note='Zq9upd', card=5500005555555559 WHERE id=88812345
------- TRX HAS BEEN WAITING 5 SEC FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 2 page no 4 n bits 72 index PRIMARY of table `shop`.`accounts` trx id 421 lock_mode X waiting
Record lock, heap no 2 PHYSICAL RECORD: n_fields 3; compact format; info bits 0
 0: len 4; hex 8000000a; asc     ;;
 1: len 12; hex 613b62205a71396173632020; asc a;b Zq9asc  ;;
 2: len 30; hex 5a71396c6f6e67; asc Zq9long; (total 300 bytes);

------------------
---TRANSACTION 419, ACTIVE 60 sec
3 lock struct(s), heap size 1136, 2 row lock(s), undo log entries 1
MySQL thread id 6, OS thread handle 142, query id 40 zq9host-8 10.77.0.8 zq9user_b
--------
ROW OPERATIONS
--------
0 queries inside InnoDB, 0 queries in queue
----------------------------
END OF INNODB MONITOR OUTPUT
============================
"""
PROCESSLIST = """+----+-----------+-----------------+------+---------+------+----------+-----------------------------------------+
| Id | User      | Host            | db   | Command | Time | State    | Info                                    |
+----+-----------+-----------------+------+---------+------+----------+-----------------------------------------+
|  6 | zq9user_b | zq9host-8:51234 | shop | Sleep   |   60 |          | NULL                                    |
|  7 | zq9user_a | zq9host-7:51235 | shop | Query   |    5 | updating | UPDATE accounts SET note='Zq9upd' WHERE |
+----+-----------+-----------------+------+---------+------+----------+-----------------------------------------+
"""
GENERAL = """2026-11-20T22:19:40.100000Z\t7 Connect\tzq9user_a@zq9host-7 on shop using TCP/IP
2026-11-20T22:19:41.100000Z\t7 Query\tCREATE USER 'zq9user_c'@'10.77.0.%' IDENTIFIED /* x */ BY 'Zq9pw1' REQUIRE SSL
2026-11-20T22:19:42.100000Z\t7 Query\tINSERT INTO users (email, password) VALUES ('x@zq9mail.example', 'Zq9pw2'), ('y@zq9mail.example', SHA2('Zq9pw3', 256))
2026-11-20T22:19:43.100000Z\t7 Query\tSET PASSWORD FOR zq9user_c = 'Zq9pw4' REPLACE 'Zq9pw5'
2026-11-20T22:19:44.100000Z\t7 Prepare\tPREPARE s FROM 'ALTER USER zq9user_c IDENTIFIED BY ''Zq9pw6'''
2026-11-20T22:19:45.100000Z\t7 Query\tSELECT /* Zq9comment */ * FROM t WHERE doc->'$.Zq9path' = "Zq9json" AND iban = 'DE89370400440532013000'
2026-11-20T22:19:46.100000Z\t7 Query\tCHANGE REPLICATION SOURCE TO SOURCE_HOST='zq9host-9', SOURCE_USER='zq9user_r', SOURCE_PASSWORD=_utf8mb4'Zq9pw7'
2026-11-20T22:19:47.100000Z\t7 Query\tCREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'zq9user_f', PASSWORD 'Zq9pw8', HOST '10.77.0.9')
"""
SLOW = """# Time: 2026-11-20T22:19:50.000000Z
# User@Host: zq9user_a[zq9user_a] @ zq9host-7 [10.77.0.7]  Id:     7
# Query_time: 5.000000  Lock_time: 4.900000 Rows_sent: 0  Rows_examined: 1
SET timestamp=1795299585;
UPDATE accounts SET note='Zq9slow',
  card=5500005555555559
WHERE id=88812345;
"""
ERRORS = """2026-11-20T22:19:48.100000Z 12 [ERROR] [MY-010584] [Repl] Replica SQL: Could not execute Write_rows event on table shop.users; Duplicate entry 'x@zq9mail.example' for key 'users.mail', Error_code: 1062
2026-11-20T22:19:48.200000Z 12 [ERROR] [MY-010584] [Repl] error connecting to source 'zq9user_r:Zq9pw9@zq9host-9:3306'; retry-time: 60
2026-11-20T22:19:48.300000Z 7 [Note] [MY-010914] [Server] Aborted connection 7 to db: 'shop' user: 'zq9user_a' host: 'zq9host-7' (Got timeout reading communication packets).
2026-11-20T22:19:48.400000Z 0 [Warning] [MY-010055] [Server] IP address '10.77.0.7' could not be resolved: Name or service not known
"""
CONFIG = """[mysqld]
port = 3306
report_host = zq9host-7
init_connect = "SET @x = 'Zq9init'"
wsrep_sst_auth = zq9user_s:Zq9pw10
wsrep_cluster_address = gcomm://10.77.0.1,10.77.0.2
[client]
user = zq9user_d
password = "Zq9pw11 with blanks"
"""
PROCESSES = """USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
mysql     4711 99.0 10.0 100000 50000 ?        Ssl  22:00   9:59 /usr/sbin/mysqld --wsrep_sst_auth=zq9user_s:Zq9pw12
root      4712  0.0  0.0   1000   500 ?        S    22:01   0:00 mysqldump -uzq9user_d -p'Zq9pw13' -h zq9host-7 shop
root      4713  0.0  0.0   1000   500 ?        S    22:01   0:00 pt-archiver --source h=zq9host-7,u=zq9user_d,p=Zq9pw14,D=shop --purge
"""
STRACE = """[pid  4711] 22:19:50.100000 read(40, "\\26\\0\\0\\0\\3UPDATE accounts SET note='Zq9strace' WHERE id=88812345", 16384) = 56
[pid  4711] 22:19:50.200000 sendto(40, "\\7Zq9row1\\20x@zq9mail.example", 44, MSG_DONTWAIT, NULL, 0) = 44
[pid  4711] 22:19:50.300000 execve("/usr/bin/mysql", ["mysql", "-uroot", "-pZq9pw15"], 0x7 /* 20 vars */) = 0
"""
LOCKS = """*************************** 1. row ***************************
               ENGINE: INNODB
       ENGINE_LOCK_ID: 1:2:3
ENGINE_TRANSACTION_ID: 421
            THREAD_ID: 47
        OBJECT_SCHEMA: shop
          OBJECT_NAME: accounts
           INDEX_NAME: PRIMARY
            LOCK_TYPE: RECORD
            LOCK_MODE: X
          LOCK_STATUS: GRANTED
            LOCK_DATA: 'x@zq9mail.example', 88812345
"""
BINLOG = """# at 4
#261120 22:19:50 server id 1  end_log_pos 200 CRC32 0x00000000 \tQuery\tthread_id=7\texec_time=0\terror_code=0
SET PASSWORD FOR 'zq9user_c'@'%'='*Zq9pw16'/*!*/;
### INSERT INTO `shop`.`users`
### SET
###   @1=88812345
###   @2='Zq9bin; x'
"""
REPLICA = """*************************** 1. row ***************************
               Slave_IO_State: Connecting to master
                  Master_Host: zq9host-9
                  Master_User: zq9user_r
                Last_IO_Error: error connecting to master 'zq9user_r@zq9host-9:3306' - retry-time: 60
               Last_SQL_Error: Error 'Duplicate entry 'Zq9dup' for key 'uk'' on query. Default database: 'shop'. Query: 'INSERT INTO t VALUES (88812345, 'Zq9query')'
"""
AUDIT = """{"audit_record":{"name":"Query","record":"1_2026","timestamp":"2026-11-20T22:19:50Z","command_class":"update","sqltext":"UPDATE t SET a=\\"Zq9audit\\" WHERE b='Zq9audit2'","user":"zq9user_a[zq9user_a] @ zq9host-7 [10.77.0.7]","host":"zq9host-7","ip":"10.77.0.7"}}
"""
SYSLOG = """Nov 20 22:19:50 zq9host-7 mysqld[4711]: 2026-11-20T22:19:50.000000Z 0 [Note] ready for connections
Nov 20 22:19:51 zq9host-7 app[1]: connecting to mysql://zq9user_a:Zq9pw17@zq9host-7:3306/shop with token ghp_Zq9pw18aaaabbbbccccdddd
"""
FILES = {
    "innodb-status.txt": STATUS,
    "processlist.txt": PROCESSLIST,
    "general.log": GENERAL,
    "slow.log": SLOW,
    "error.log": ERRORS,
    "my.cnf": CONFIG,
    "ps.txt": PROCESSES,
    "strace.txt": STRACE,
    "data_locks.txt": LOCKS,
    "binlog.txt": BINLOG,
    "replica.txt": REPLICA,
    "audit.json": AUDIT,
    "messages": SYSLOG,
}


def words_of(content: bytes) -> str:
    """Return every text of an exported file: of archives, documents and pages."""
    if content.startswith(b"%PDF"):
        return " ".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "\n".join(words_of(archive.read(name)) for name in archive.namelist())
    text = content.decode("utf-8", "replace")
    return text + unescape(text) if "&" in text else text


def left(content: bytes, pattern: re.Pattern[str] = MARK) -> list[str]:
    """Return the planted values in a file, each with what is around it."""
    text = words_of(content)
    return [text[max(m.start() - 60, 0) : m.end() + 20] for m in pattern.finditer(text)][:5]
