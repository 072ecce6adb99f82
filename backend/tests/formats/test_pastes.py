"""What people paste from clients, chats, pages, trackers and consoles gives its records at once."""

from __future__ import annotations

import html
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

# name: the text, the kind of record or the series, and how many there must be at least
PASTES: dict[str, tuple[str, str, int]] = {
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
        "metric.CPUUtilization",
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
    ],
)
def test_prose_is_no_evidence(text: str) -> None:
    parsed = read(text)
    assert set(counts(parsed)) <= {"setting"} or parsed.format is None
    assert not counts(parsed).get("setting")


def test_an_option_file_stays_one() -> None:
    """A variable before an equals sign is an option; passwords on a line stay hidden."""
    parsed = read("innodb_buffer_pool_size = 8G\nmax_connections = 500\n")
    assert parsed.format == "my-cnf"
    (setting,) = rows("command: --max-connections=5\n", "setting")
    assert (setting["name"], setting["value"]) == ("max_connections", "5")
