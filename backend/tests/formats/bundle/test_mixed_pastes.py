"""Pastes of several tools with remarks between them, as people put them into a chat or a mail."""

from __future__ import annotations

import pytest

from tests.formats.checks import assert_sound, parse_bytes

LIST = """\
+-----+------+-----------------+------+---------+------+---------------------------------+
| Id  | User | Host            | db   | Command | Time | State                           |
+-----+------+-----------------+------+---------+------+---------------------------------+
| 197 | rep  | 10.0.0.9:51234  | shop | Query   |  188 | Sending data                    |
| 237 | root | localhost       | shop | Query   |   61 | Waiting for table metadata lock |
+-----+------+-----------------+------+---------+------+---------------------------------+
"""
IOSTAT = """\
Device            r/s     w/s     rkB/s     wkB/s  r_await w_await aqu-sz  %util
sda              1.00  312.00     16.00  98000.00    2.00  188.20  58.70 100.00
"""
ERROR_LOG = """\
2024-05-14T09:11:02.123456Z 0 [Note] InnoDB: page_cleaner: 1000ms intended loop took 8744ms.
2024-05-14T09:11:12.123456Z 8123 [Note] Aborted connection 8123 to db: 'shop' user: 'app'
"""
HUNG = "[Tue May 14 09:11:20 2024] INFO: task jbd2/dm-0-8:411 blocked for more than 120 seconds.\n"
VMSTAT = """\
vmstat 1 3
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 2 31 981234  99120   1200  88120 8120 9911  9100 10020 9900 1501  4 12  0 84  0
 1 30 981234  99100   1200  88120 8120 9911  9100 10020 9900 1501  4 12  0 84  0
"""
EVERYTHING = (
    f"hey, db-7 went crazy around 09:11, here is what I have:\n\n{LIST}2 rows in set (0.00 sec)\n\n"
    f"error log says\n\n{ERROR_LOG}\nand iostat\n\n{IOSTAT}\n"
    f"dmesg has this one line:\n{HUNG}\nany idea?\n"
)
_ALL = {"session": 2, "event": 3, "iostat.util": 1}


def _each_line(prefix: str, text: str) -> str:
    return "".join(f"{prefix}{line}\n" if line else "\n" for line in text.split("\n"))


# name: the paste, and how many records of a kind or values of a series it has
MIXED: dict[str, tuple[str, dict[str, int]]] = {
    "a list, a log, a listing and a line of the kernel": (EVERYTHING, _ALL),
    "the same in a chat": (_each_line("[09:21] bob: ", EVERYTHING), _ALL),
    "the same as a quote in a mail": (
        f"Hi,\n\nsee below.\n\n{_each_line('> ', EVERYTHING)}\n-- \nAlice\n",
        _ALL,
    ),
    "the same in a chat of two": (
        _each_line("<bob> ", EVERYTHING) + _each_line("<alice> ", "no idea, ask db-7's owner\n"),
        _ALL,
    ),
    "one line of a journal in a chat": (
        (
            "[10:12] bob: Nov 20 22:19:58 db1 mysqld[2159]: 2026-11-20T22:19:58.1Z 0 [Warning] "
            "[MY-010055] [Server] IP address '10.0.0.1' could not be resolved\n"
        ),
        {"event": 1},
    ),
    "lists of two hosts, and the load of a third": (
        (
            "bob@bastion:~$ ssh db1 mysql -e 'show processlist'\n"
            "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n"
            "197\trep\t10.0.0.9:51234\tshop\tQuery\t188\tSending data\tSELECT "
            "count(*) FROM accounts\n"
            "bob@bastion:~$ ssh db2 mysql -e 'show processlist'\n"
            "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n"
            "12\tapp\t10.0.0.9:51234\tshop\tQuery\t2\tSending data\tSELECT 1\n"
            "bob@bastion:~$ ssh db3 uptime\n"
            " 09:12:01 up 12 days,  3:14,  2 users,  load average: 88.10, 45.20, 20.11\n"
        ),
        {"session": 2, "snapshot": 2, "uptime.load1": 1},
    ),
    "logs in three zones": (
        (
            "from the app (Berlin time):\n"
            "2024-05-14 11:11:04,120 ERROR [pool-4] com.acme.Repo - com.mysql.cj.jdbc.exceptions."
            "MySQLTransactionRollbackException: Lock wait timeout exceeded; try restarting\n"
            f"\nmysql error log (UTC):\n{ERROR_LOG}"
            "\nand journald on the box (New York):\n"
            "May 14 05:11:20 db1 kernel: INFO: task mysqld:2159 blocked for more "
            "than 120 seconds.\n"
        ),
        {"event": 4},
    ),
    "a listing, a list and the end of the server": (
        (
            f"{VMSTAT}\nit swaps like hell, look at the list:\n\n{LIST}\n"
            "OOM killer came by at the end:\n"
            "[1209321.123456] Out of memory: Killed process 2159 (mysqld) total-vm:73400320kB\n"
        ),
        {"vmstat.us": 1, "session": 2, "event": 1},
    ),
    "options, counters and a list": (
        "my.cnf:\n[mysqld]\ninnodb_buffer_pool_size = 48G\nsync_binlog = 1\n\n"
        "and show global status like 'threads%':\nThreads_cached\t12\nThreads_running\t233\n\n"
        + LIST,
        {"setting": 2, "mysql.Threads_running": 1, "session": 2},
    ),
    "an entry of the slow log, and a list below it": (
        (
            "# Time: 2024-05-14T09:10:58.255330Z\n# User@Host: app[app] @ web1 "
            "[10.0.0.1]  Id:   197\n"
            "# Query_time: 188.500000  Lock_time: 0.000002 Rows_sent: 1  Rows_examined: 918273645\n"
            f"SET timestamp=1715677858;\nSELECT count(*) FROM accounts a;\n\nmeanwhile:\n{LIST}"
        ),
        {"query": 1, "session": 2},
    ),
}


@pytest.mark.parametrize("paste", MIXED)
@pytest.mark.dealt(2)
def test_each_part_of_a_mixed_paste_is_read(paste: str) -> None:
    text, expected = MIXED[paste]
    parsed = parse_bytes(text.encode(), "pasted.txt")
    assert_sound(parsed, len(text.encode()))
    found = dict(parsed.frames.heights)
    if "sample" in parsed.frames:
        samples = parsed.frames["sample"].drop_nulls("value")
        found |= dict(samples.group_by("series").len().rows())
    assert {name: found.get(name, 0) for name in expected} == expected, parsed.detection.why


def test_what_commands_printed_is_of_their_hosts() -> None:
    text = MIXED["lists of two hosts, and the load of a third"][0]
    frames = parse_bytes(text.encode(), "pasted.txt").frames
    assert frames["session"]["host"].to_list() == ["db1", "db2"]
    assert set(frames["sample"]["host"]) == {"db1", "db2", "db3"}
    prompts = text.replace("bob@bastion:~$ ssh db3 uptime", "[root@db3 ~]# uptime")
    assert set(parse_bytes(prompts.encode()).frames["sample"]["host"]) == {"db1", "db2", "db3"}
    alone = parse_bytes(f"[root@db3 ~]# uptime\n{text.splitlines()[-1]}\n".encode())
    assert set(alone.frames["sample"]["host"]) == {None}
