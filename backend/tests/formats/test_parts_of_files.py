"""Parts of files without what says what they are, and evidence among what people say in a chat."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from pileup.formats.driver import _has_evidence
from pileup.formats.unwrapping.cut_json import complete
from tests.formats.checks import assert_sound, parse_bytes, samples
from tests.formats.test_pastes import counts, read
from tests.formats.unwrapping.test_layouts import records
from tests.support.rounds import Rounds

DISK = "nvme0n1 1812.00 9912.00 {} {} 0.00 812.00 0.00 7.57 0.31 1.12 11.66 16.00 16.00 0.09 99.60"
VMSTAT = (
    "64  1      0 812344 120384 9412300    0    0    12   980 41200 98211 71 27  1  1  0\n"
    "71  0      0 811200 120384 9412312    0    0     0  1044 43911 101922 73 26  1  0  0\n"
)
# name: the text, the kind of record or the series, and how many there must be
PARTS: dict[str, tuple[str, str, int]] = {
    "lines of meminfo that grep chose": (
        "Cached:         41233440 kB\nSwapCached:      1223344 kB\nDirty:            812344 kB\n",
        "meminfo.Dirty",
        1,
    ),
    "the same lines again are the next copy": (
        "Dirty:   812344 kB\nWriteback:   91 kB\nDirty:   912344 kB\nWriteback:   92 kB\n",
        "meminfo.Dirty",
        2,
    ),
    "the end of meminfo, from inside a line": (
        "  568204 kB\nSReclaimable:     511812 kB\nPageTables:        10864 kB\nPercpu: 976 kB\n",
        "meminfo.PageTables",
        1,
    ),
    "the middle of /proc/vmstat": (
        "pswpout 0\nallocstall_normal 12\npgmajfault 12772\noom_kill 0\n",
        "procvmstat.allocstall_normal",
        1,
    ),
    "the end of /proc/stat": (
        "ctxt 11444105\nbtime 1795208453\nprocesses 57205\nprocs_running 54\nprocs_blocked 0\n",
        "procstat.procs_running",
        1,
    ),
    "lines of netstat -s that grep chose": (
        (
            "    8123 times the listen queue of a socket overflowed\n"
            "    8123 SYNs to LISTEN sockets dropped\n    91233 segments retransmitted\n"
        ),
        "netstat.tcpext_times_the_listen_queue_of_a_socket_overflowed",
        1,
    ),
    "rows of vmstat": (VMSTAT, "vmstat.r", 2),
    "a row of iostat": (f"{DISK.format('28992.00', '158592.00')}\n", "iostat.util", 1),
    "a status line of a script in a chat": (
        (
            "**bot** \u2014 Today at 10:11\n```\ndb-7 threads_running=412 threads_connected=1900 "
            "innodb_row_lock_current_waits=380\n```\n"
        ),
        "mysql.Threads_running",
        1,
    ),
    "names of status without their capital": (
        "threads_running: 412\nthreads_connected: 1900\ninnodb_row_lock_current_waits: 380\n",
        "mysql.Threads_connected",
        1,
    ),
    "times, names and numbers": (
        (
            "2026-11-20 10:11:01 Threads_running 12 Threads_connected 100\n"
            "2026-11-20 10:11:02 Threads_running 388 Threads_connected 400\n"
        ),
        "mysql.Threads_connected",
        2,
    ),
    "times of day and a number behind an equals sign": (
        "10:11:01 queue_depth=12\n10:11:02 queue_depth=388\n10:11:03 queue_depth=512\n",
        "metric.queue_depth",
        3,
    ),
    "rows of a CSV without their heading": (
        "2026-11-20 10:11:12,412,1900,31.2\n2026-11-20 10:11:22,433,1912,28.9\n",
        "metric.value3",
        2,
    ),
    "times, a host, names and numbers": (
        (
            "2026-11-20 10:11:12.000 UTC [db-7] Threads_running=412 cpu=99.1\n"
            "2026-11-20 10:11:22.000 UTC [db-7] Threads_running=433 cpu=99.4\n"
        ),
        "metric.cpu",
        2,
    ),
    "counters in the text of an alert": (
        json.dumps(
            {
                "labels": {"alertname": "running", "instance": "db-7:9104"},
                "annotations": {
                    "description": "Threads_running 412\nThreads_connected 1900\n"
                    "Innodb_row_lock_current_waits 380\nQuestions 91233"
                },
                "startsAt": "2026-11-20T10:11:12Z",
            }
        ),
        "mysql.Threads_running",
        1,
    ),
    "a CSV between remarks": (
        (
            "[29/11/2026 14:03] Marta Silva\nsee below\n\n"
            "date,qps,running\n2026-11-20 10:19:10,2100,2\n2026-11-20 10:19:20,216,391\n\n"
            "[29/11/2026 14:05] Jonas Berg\nok\n"
        ),
        "metric.running",
        2,
    ),
    "rows of tabs between remarks": (
        (
            "Priya Nair  3:42 PM\nhave a look\nschema_name\ttables\napp\t14\nmysql\t38\n"
            "Tom Weber  3:44 PM\nthanks\n"
        ),
        "table",
        1,
    ),
    "statements below the name of a person": (
        (
            "[29/11/2026 14:03] Marta Silva\nthis query please\n\n"
            "SELECT p.id\nFROM players p\nWHERE p.account = 'acme'\nLIMIT 50\n\n"
            "[29/11/2026 14:05] Jonas Berg\nok\n"
        ),
        "table",
        1,
    ),
    "rows of top": (
        (
            " 4197 mysql     20   0   92.4g  61.2g  18324 S 398.2  48.6  91233:12 mysqld\n"
            " 4197 mysql     20   0   92.4g  61.2g  18324 S 412.0  48.6  91239:31 mysqld\n"
        ),
        "top.process_cpu",
        2,
    ),
    "rows of mpstat": (
        (
            "22:15:01  all  71.20   0.00   27.31    0.09    0.00    0.41    0.00    0.00    0.99\n"
            "22:15:01    0  70.20   0.00   28.31    0.09    0.00    0.41    0.00    0.00    0.99\n"
        ),
        "mpstat.usr",
        2,
    ),
    "rows of sar -u": (
        (
            "22:15:01        all     71.20      0.00     27.31      0.09      0.00      1.40\n"
            "22:16:01        all     73.20      0.00     26.31      0.09      0.00      0.40\n"
        ),
        "sar.user",
        2,
    ),
    "rows of pidstat": (
        (
            "22:15:02      999      4197  312.00   88.00    0.00    1.00  400.00     3  mysqld\n"
            "22:15:03      999      4197  322.00   78.00    0.00    1.00  400.00     3  mysqld\n"
        ),
        "pidstat.wait",
        2,
    ),
    "rows of pidstat -d": (
        (
            "22:15:02      999      4197   1204.00  88123.00      0.00      12  mysqld\n"
            "22:15:03      999      4197   1304.00  98123.00      0.00      19  mysqld\n"
        ),
        "pidstat.kB_wr/s",
        2,
    ),
    "rows of pidstat -t": (
        (
            "22:15:02   999     -    4231   71.00   28.00    0.00    1.00   99.00   3  |__mysqld\n"
            "22:15:02   999     -    4232   72.00   27.00    0.00    1.00   99.00   5  |__mysqld\n"
        ),
        "pidstat.thread_cpu",
        2,
    ),
    "rows of dstat": (
        (
            " 71  27   1   1   0   0|  12k  980k| 120k  912k|   0     0 |  41k   98k\n"
            " 73  26   1   0   0   0|   0  1044k| 131k  922k|   0     0 |  43k  101k\n"
        ),
        "dstat.system_csw",
        2,
    ),
    "dstat without the first line of its heading": (
        (
            "usr sys idl wai hiq siq| read  writ| recv  send|  in   out | int   csw \n"
            "  1   1  98   0   0   0|  12k  980k| 120k  912k|   0     0 |  41k   98k\n"
            " 73  26   1   0   0   0|   0  1044k| 131k  922k|   0     0 |  43k  101k\n"
        ),
        "dstat.usr",
        1,
    ),
    "rows of vmstat with their times": (
        "".join(f"22:15:0{at} {row}\n" for at, row in enumerate(VMSTAT.splitlines())),
        "vmstat.us",
        2,
    ),
    "long rows of a CSV without their heading": (
        (
            "2026-11-20T22:55:46Z,db-6,mysql.running,1\n2026-11-20T22:55:46Z,db-6,mysql.qps,51\n"
            "2026-11-20T22:55:47Z,db-6,mysql.running,412\n"
        ),
        "metric.mysql.running",
        2,
    ),
    "metrics of an exporter without labels": (
        "mysql_global_status_threads_running 412\nmysql_global_status_threads_connected 1900\n",
        "mysql.Threads_running",
        1,
    ),
    "the table of a query to Prometheus": (
        (
            'mysql_global_status_threads_running{instance="db-7:9104"} => 412 @[1795212901.123]\n'
            'mysql_global_status_threads_running{instance="db-8:9104"} => 12 @[1795212901.123]\n'
        ),
        "mysql.Threads_running",
        2,
    ),
    "two logs below their names": (
        (
            "==> /var/log/mysql/error.log <==\n2026-11-20T22:15:01.1Z 0 [Warning] [Server] x\n\n"
            "==> /var/log/mysql/slow.log <==\n# Time: 2026-11-20T22:15:01.123456Z\n"
            "# User@Host: app[app] @  [10.0.3.4]  Id:  8801\n"
            "# Query_time: 12.312334  Lock_time: 11.912334 Rows_sent: 0  Rows_examined: 1\n"
            "SET timestamp=1795212901;\nUPDATE stock SET n=n-1 WHERE id=7;\n"
        ),
        "event",
        1,
    ),
    "a listing below the head of a tool that runs it": (
        "db-7 | CHANGED | rc=0 >>\nThreads_running: 412\nThreads_connected: 1900\n",
        "mysql.Threads_running",
        1,
    ),
    "keys of a map of bpftrace": (
        "Attaching 2 probes...\n@[futex]: 8812334\n@[pread64]: 91233\n@[fsync]: 8123\n",
        "table",
        1,
    ),
    "picked columns of INNODB_TRX below aliases": (
        (
            "trx_id\ttrx_started\tage\tthread\tquery\n26478\t2026-11-20 22:19:50\t193\t8799\tNULL\n"
            "26512\t2026-11-20 22:19:53\t190\t8802\tUPDATE stock SET n=1 WHERE id=7\n"
        ),
        "transaction",
        2,
    ),
    "what a script sends to Graphite": (
        "db-7.mysql.running 412 1795212901\ndb-7.mysql.running 12 1795212911\n",
        "metric.db-7.mysql.running",
        2,
    ),
    "times of day and numbers": (
        "22:15:00 12300\n22:15:01 12311\n22:15:02 130\n",
        "metric.value1",
        3,
    ),
    "twelve hours and numbers": (
        "11:59:59 AM 9\n12:00:00 PM 8\n12:00:01 PM 7\n",
        "metric.value1",
        3,
    ),
    "the line of a busy server that grep chose": (
        "mysql  4197 3988 48.6 968123 641712 ?   Sl   Nov01 91233:12 /usr/sbin/mysqld\n",
        "ps.cpu",
        1,
    ),
    "the end of a line of uptime": ("load average: 212.31, 88.12, 24.12\n", "uptime.load1", 1),
    "places of waits as CSV": (
        "count,file,line,mode\n4,btr0sea.ic,98,X-lock\n3,buf0buf.cc,1433,S-lock\n",
        "semaphore_wait",
        7,
    ),
    "parameters of Terraform": (
        'parameter {\n  name  = "innodb_io_capacity"\n  value = "2000"\n}\n',
        "setting",
        1,
    ),
    "a table of a mail, with a cell on each line": (
        (
            "From: Marta Silva <marta@example.com>\n\nSubject: RE: db-7 stuck again\n\n\n"
            + "\n\n".join(
                (
                    *("Id", "User", "Host", "db", "Command", "Time", "State", "Info"),
                    *("8801", "app", "h:51122", "shop", "Query", "193", "updating", "COMMIT"),
                    *("8802", "app", "h:51123", "shop", "Query", "190", "updating", "COMMIT"),
                )
            )
            + "\n"
        ),
        "session",
        2,
    ),
    "events of Kubernetes": (
        (
            "LAST SEEN   TYPE      REASON      OBJECT           MESSAGE\n"
            "4m12s       Warning   Unhealthy   pod/db-mysql-0   Liveness probe failed\n"
            "3m58s       Normal    Killing     pod/db-mysql-0   will be restarted\n"
        ),
        "event",
        2,
    ),
    "an alert beside a wait": (
        (
            "FIRING: running db-7 Threads_running 412 Threads_connected 1,900\n"
            "--Thread 14021 has waited at btr0cur.cc line 1042 for 17 seconds the semaphore:\n"
            "SX-lock on RW-latch at 0x7f8a1c02a3b8 created in file dict0dict.cc line 2737\n"
        ),
        "mysql.Threads_connected",
        1,
    ),
    "cells of ps between tabs": (
        (
            "USER\tPID\t%CPU\t%MEM\tVSZ\tRSS\tTTY\tSTAT\tSTART\tTIME\tCOMMAND\n"
            "mysql\t4197\t398\t48.6\t96812344\t64171234\t?\tSl\tNov01\t91233:12\tmysqld\n"
            "root\t911\t5.9\t0.1\t712344\t88120\t?\tSl\tNov01\t12:10\tnode_exporter\n"
        ),
        "ps.cpu",
        2,
    ),
    "code that a chat put on the line of its marks": (
        "Priya Nair\n  3:42 PM\n```  3 poll,vio_read,do_command\n  9 fsync,log_write```\nwow\n",
        "stack",
        2,
    ),
    "a box whose hyphens became dashes": (
        (
            "+\u2013\u2013\u2013+\u2013\u2013\u2013-+\u2013\u2013\u2013+\n"
            "| Id  | User | db  |\n+\u2013\u2013\u2013+\u2013\u2013\u2013-+\u2013\u2013\u2013+\n"
            "| 101 | app  | s   |\n+\u2013\u2013\u2013+\u2013\u2013\u2013-+\u2013\u2013\u2013+\n"
        ),
        "table",
        1,
    ),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_gives_its_records(part: str) -> None:
    text, kind, many = PARTS[part]
    parsed = read(text)
    assert counts(parsed).get(kind, 0) == many, (parsed.format, counts(parsed))


def values(text: str) -> dict[str, list[float]]:
    frame = read(text).frames["sample"].drop_nulls("value")
    return {
        series: frame.filter(frame["series"] == series)["value"].to_list()
        for series in frame["series"].unique()
    }


@pytest.mark.parametrize(
    ("rates", "read_kib"),
    [(("28992.00", "158592.00"), 28992.0), (("28.31", "154.88"), 28.31 * 1024)],
)
def test_the_unit_of_a_disk_follows_from_the_size_of_its_requests(
    rates: tuple[str, str], read_kib: float
) -> None:
    assert values(DISK.format(*rates) + "\n")["iostat.rkB/s"] == [pytest.approx(read_kib)]


@pytest.mark.parametrize(
    "text",
    [
        "  999      4197  312.00   88.00    0.00    1.00  400.00     3  mysqld\n" * 2,
        " 4197 mysql     20   0   92.4g  61.2g  18324 S 398.2  48.6  91233:12 mysqld\n" * 2,
        "all   71.20    0.00   27.31    0.09    0.00    0.41    0.00    0.00    0.00    0.99\n" * 2,
    ],
)
def test_a_row_of_a_listing_is_no_count_of_words(text: str) -> None:
    tables = read(text).frames.get("table")
    columns = [] if tables is None else tables["columns"].to_list()
    assert ["count", "value"] not in columns


def test_rows_of_shares_are_of_mpstat_or_of_sar_by_their_width() -> None:
    shares = ["71.20", "0.00", "27.31", "0.09", "0.41", "0.00", "0.00", "0.00", "0.00", "0.99"]
    for width, format_, series in ((8, "mpstat", "mpstat.irq"), (10, "sar", "sar.steal")):
        row = "22:15:01     all" + "".join(f"{share:>{width}}" for share in shares) + "\n"
        assert read(row * 2).format == format_
        assert values(row * 2)[series] == [0.41] * 2
    wrong = "22:15:01     all" + "".join(f"{share:>8}" for share in shares[:-1]) + "   50.00\n"
    assert read(wrong * 2).format not in ("mpstat", "sar")


HEADS = {
    "ansible": ("db-7 | CHANGED | rc=0 >>", "db-8 | CHANGED | rc=0 >>"),
    "pssh": ("[1] 22:15:01 [SUCCESS] db-7", "[2] 22:15:01 [SUCCESS] db-8"),
}


@pytest.mark.parametrize("tool", HEADS)
def test_what_a_tool_ran_on_several_hosts_is_of_each(tool: str) -> None:
    listing = (
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        " 4  0      0 812344 120384 9412300    0    0    12   980 1200 9211  7  2 90  1  0\n"
    )
    text = "".join(f"{head}\n{listing}{VMSTAT}" for head in HEADS[tool])
    frame = read(text).frames["sample"]
    found = frame.filter(frame["series"] == "vmstat.us").select("host", "value").rows()
    assert found == [("db-7", 71.0), ("db-7", 73.0), ("db-8", 71.0), ("db-8", 73.0)]


def test_an_object_of_counters_is_show_status() -> None:
    assert values(json.dumps({"Threads_running": 412, "Questions": 9, "note": "x"}))[
        "mysql.Threads_running"
    ] == [412.0]
    rows = [{"thread_id": 1, "event_id": 2, "event_name": "x"}] * 2
    assert "sample" not in read(json.dumps(rows)).frames


def test_noon_is_a_second_after_the_morning() -> None:
    frame = read("11:59:59 AM 9\n12:00:00 PM 8\n12:00:01 PM 7\n").frames["sample"]
    assert frame["wall_us"].to_list() == [0, 1_000_000, 2_000_000]


def test_packets_of_a_network_are_no_variables() -> None:
    text = "NIC statistics:\n     rx_packets: 91\n     tx_packets: 81\n     rx_dropped: 8\n"
    assert "setting" not in read(text).frames


@pytest.mark.parametrize("above", ["", "Hi,\n\nsee below.\n\n", "a\n" * 9 + "```\n"])
def test_the_line_of_the_source_is_not_that_of_the_text(above: str) -> None:
    wait = (
        "--Thread 140 has waited at btr0sea.ic line 98 for 7 seconds the semaphore:\n"
        "X-lock on RW-latch at 0x2db49f8 created in file btr0sea.cc line 238\n"
    )
    text = f"{above}{wait}" + ("```\n" if "```" in above else "")
    (row,) = read(text).frames["semaphore_wait"].to_dicts()
    assert (row["line"], row["created_line"]) == (98, 238)
    assert row["line_first"] == above.count("\n") + 1


def test_columns_of_one_name_are_two_series() -> None:
    rows = "".join(f"2026-11-20T22:19:0{at}Z,{at},-{at}\n" for at in range(1, 5))
    found = values(f"time,qps,qps\n{rows}")
    assert found == {"metric.qps": [1, 2, 3, 4], "metric.qps (2)": [-1, -2, -3, -4]}


def test_the_times_of_a_list_with_a_column_twice_are_ages() -> None:
    head = "Id,User,Host,db,Command,Time,Time,State,Info\n"
    row = "390,app,h:1,d,Query,1795213140,1795213140,updating,COMMIT\n"
    parsed = read(head + row * 3)
    assert parsed.format == "processlist"
    assert "host" not in str(values(head + row * 3))


def test_the_address_of_a_client_is_no_version() -> None:
    text = (
        "mysqld  4197 mysql   88u  IPv4 912334      0t0      TCP db-7:mysql->10.0.3.4:51122 (X)\n"
    )
    assert "setting" not in read(text).frames


@pytest.mark.parametrize(
    ("samples_", "expected"),
    [
        ((("Questions", 9123, 233), ("Threads_running", 12, 400)), [12.0, 412.0]),
        ((("Questions", 9123, 9356), ("Threads_running", 12, 400)), [12.0, 400.0]),
        ((("Threads_running", 12, -3),), [12.0, 9.0]),
    ],
)
def test_picked_counters_that_shrink_are_differences(
    samples_: tuple[tuple[str, int, int], ...], expected: list[float]
) -> None:
    text = "".join(f"| {name:<40} | {row[at]:<12} |\n" for at in (0, 1) for name, *row in samples_)
    assert values(text)["mysql.Threads_running"] == expected


def test_a_number_of_threads_is_never_negative() -> None:
    text = "".join(f"| Threads_running    | {value}   |\n" for value in (12, 400, -3, 5))
    parsed = read(text)
    assert min(values(text)["mysql.Threads_running"]) > 0
    assert any("differences" in problem.message for problem in parsed.problems)


def test_rows_of_vmstat_without_a_heading_are_no_disks() -> None:
    assert values(VMSTAT)["vmstat.us"] == [71.0, 73.0]
    numbers = "64 1 0 812344 120384 9412300 0 0 12 980 41200 98211 71 27 9 9 9\n"
    assert not {"vmstat.us", "diskstats.reads"} & values(numbers * 2 + "Uptime 3\n").keys()


@pytest.mark.parametrize(
    "text",
    [
        "12:30 we met Anna\n12:40 we met Bob\n",
        "Anna Berg  3:42 PM\nthe server is slow again\nTom Weber  3:44 PM\nthanks, checking\n",
        "10:11:01 Killed 5\n10:11:02 Started 3\n",
        "Cached:         41233440 kB\n",
        '{"name": "x", "colours": ["re',
    ],
)
def test_what_is_no_part_stays_text(text: str) -> None:
    assert "sample" not in read(text).frames


def _documents(dice: random.Random) -> Any:
    kinds = [
        lambda: dice.randint(-5, 10**6),
        lambda: dice.choice(["a", 'q"]}', "x, y", "\\", ""]),
        lambda: dice.choice([None, True, 1.5]),
        lambda: [_documents(dice) for _ in range(dice.randint(0, 3))],
        lambda: {f"k{at}": _documents(dice) for at in range(dice.randint(1, 3))},
    ]
    return dice.choices(kinds, [2, 2, 1, 2, 3])[0]()


_CUTS = 1500
"""Of a long document; the time of all of them would grow with the square of its length."""


@pytest.mark.seeds(20, 400)
def test_a_document_cut_at_its_end_is_its_beginning(seed: int) -> None:
    """What is completed is JSON, and each value in it was in the document at that place."""
    dice = random.Random(seed)
    whole = {"rows": [_documents(dice) for _ in range(4)], "more": _documents(dice)}
    text = json.dumps(whole, indent=dice.choice([None, 1]))
    for end in dice.sample(range(len(text)), min(_CUTS, len(text))):
        completed = complete(text[:end])
        assert completed is None or _is_part(json.loads(completed), whole), text[:end]


def _is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and _is_part(value, whole[key]) for key, value in part.items()
        )
    if isinstance(part, list):
        return (
            isinstance(whole, list)
            and len(part) <= len(whole)
            and all(map(_is_part, part, whole[: len(part)]))
        )
    return bool(part == whole)


@pytest.mark.seeds(20, 400)
def test_a_document_without_its_beginning_invents_nothing(seed: int) -> None:
    """Whatever is cut from it, its numbers and texts were in the document."""
    dice = random.Random(seed)
    text = json.dumps([_documents(dice) for _ in range(5)], indent=dice.choice([None, 1]))
    known = set(_leaves(json.loads(text)))
    for _ in range(40):
        low, high = sorted(dice.randrange(len(text) + 1) for _ in range(2))
        if text[:low].count('"') % 2 or (completed := complete(text[low:high])) is None:
            continue
        try:
            found = json.loads(completed)
        except ValueError:
            continue  # it begins inside of a text: a reader refuses it
        assert set(_leaves(found)) <= known, text[low:high]


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [repr(value)]


JSON_SAMPLES = [
    path
    for name in ("prometheus-json", "result-json", "processlist-json", "json-series", "aws-output")
    for path in samples(name)
    if path.suffix == ".json"
]


@pytest.mark.parametrize("path", JSON_SAMPLES, ids=lambda path: path.name)
@pytest.mark.dealt(3)
def test_a_cut_export_gives_what_is_whole_in_it(path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    for share in (0.6, 0.8, 0.95):
        part = text[: int(len(text) * share)]
        parsed = parse_bytes(part.encode(), "x")
        assert_sound(parsed, len(part.encode()))
        assert _has_evidence(parsed.frames), part


SPACED = ("dstat", "processlist", "variables", "vmstat", "lock-tables")


@pytest.mark.parametrize("name", SPACED)
def test_an_empty_line_behind_each_line_changes_no_record(name: str, rounds: Rounds) -> None:
    for path in rounds.in_turn(samples(name), 3):
        text = path.read_bytes()[:6_000].decode("utf-8", "replace").rpartition("\n")[0]
        if "\n\n\n" in text or not text:
            continue
        plain = parse_bytes(f"{text}\n".encode(), "x")
        spaced = parse_bytes(f"{text}\n".replace("\n", "\n\n").encode(), "x")
        assert spaced.format == plain.format, path.name
        kinds = plain.frames.keys() - {"table"}
        found, wanted = records(spaced), records(plain)
        assert {kind: len(found.get(kind, ())) for kind in kinds} == {
            kind: len(wanted[kind]) for kind in kinds
        }, path.name
