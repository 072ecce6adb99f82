"""The commonest collector: ``while :; do date; mysql -e ...; sleep 2; done``, in any locale."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from pileup.formats.driver import parse_stream
from pileup.formats.parsed import Parsed

START = 1_795_418_640
DATES: dict[str, Callable[[datetime], str]] = {
    "C": lambda t: f"Mon Nov 23 {t:%H:%M:%S} UTC 2026",
    "en_US": lambda t: f"Mon 23 Nov 2026 {t:%I:%M:%S} AM UTC",
    "de_DE": lambda t: f"Mo 23. Nov {t:%H:%M:%S} CET 2026",
    "fr_FR": lambda t: f"lundi 23 novembre 2026, {t:%H:%M:%S} (UTC+0100)",
    "es_ES": lambda t: f"lun 23 nov 2026 {t:%H:%M:%S} CET",
    "ja_JP": lambda t: f"2026年 11月 23日 月曜日 {t:%H:%M:%S} JST",
    "zh_CN": lambda t: f"2026年11月23日 星期一 {t:%H}时{t:%M}分{t:%S}秒 CST",
    "iso": lambda t: f"{t:%Y-%m-%d %H:%M:%S}",
    "comment": lambda t: f"# {t:%Y-%m-%dT%H:%M:%SZ}",
    "ruler": lambda t: f"===== {t:%Y-%m-%d %H:%M:%S} =====",
    "time": lambda t: f"{t:%H:%M:%S}",
    "time in a rule": lambda t: f"--- {t:%H:%M:%S} ---",
    "epoch": lambda t: f"{t.timestamp():.0f}",
    "pt-stalk": lambda t: f"TS {t.timestamp():.1f} {t:%Y-%m-%d %H:%M:%S}",
}
STARS = "*************************** 1. row ***************************\n"
LISTINGS = {
    "processlist, tabs": (
        "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n"
        "{n}\tapp\t10.0.0.9:5\tshop\tQuery\t3\tupdating\tUPDATE t SET a = 1\n"
    ),
    "processlist, rows": (
        STARS
        + "     Id: {n}\n   User: app\n   Host: 10.0.0.9:5100\n     db: shop\nCommand: Query\n"
        "   Time: 3\n  State: updating\n   Info: UPDATE t SET a = 1\n"
    ),
    "status, box": (
        "+-----------------+-------+\n| Variable_name   | Value |\n+-----------------+-------+\n"
        "| Threads_running | {n}    |\n+-----------------+-------+\n"
    ),
    "status, no head": "Queries\t9{n}\nThreads_connected\t20\nThreads_running\t{n}\n",
    "transactions": (
        STARS + "             trx_id: 4{n}\n          trx_state: LOCK WAIT\n"
        "        trx_started: 2026-11-23 07:20:00\ntrx_mysql_thread_id: {n}\n"
        "          trx_query: UPDATE t SET a=1\n"
    ),
    "replication": (
        STARS + "             Replica_IO_State: Waiting for source to send event\n"
        "                  Source_Host: 10.0.0.1\n        Seconds_Behind_Source: {n}\n"
    ),
    "grouped": "State\tcount(*)\nupdating\t{n}\nSending data\t2\n",
}


def read(text: str) -> Parsed:
    return parse_stream(io.BytesIO(text.encode()), name="out.txt")


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize("date", DATES)
def test_a_date_above_any_listing_is_its_time(date: str, listing: str) -> None:
    """Six rounds two seconds apart: every record has the time of its own round."""
    moments = [datetime.fromtimestamp(START + 2 * round_, UTC) for round_ in range(6)]
    body = LISTINGS[listing]
    text = "".join(
        f"{DATES[date](moment)}\n{body.format(n=11 + at)}" for at, moment in enumerate(moments)
    )
    walls: set[int] = set()
    for kind, frame in read(text).frames.items():
        if "wall_us" in frame.columns and kind not in ("setting", "event"):
            walls |= set(frame["wall_us"].drop_nulls().to_list())
    steps = sorted(walls)
    assert [b - a for a, b in itertools.pairwise(steps)] == [2_000_000] * 5


def test_times_of_day_go_on_over_midnight() -> None:
    rows = LISTINGS["processlist, tabs"]
    text = "".join(f"-- {time}\n{rows.format(n=3)}" for time in ("23:59:59", "00:00:01"))
    frame = read(text).frames["session"]
    assert frame["wall_us"].diff().to_list() == [None, 2_000_000]
    assert set(frame["clock"]) == {"dayless"}


def test_tables_of_as_many_columns_one_below_the_other() -> None:
    """``mysql -e 'select ...; select ...'`` prints no line between two tables."""
    waits = (
        "ENGINE\tREQUESTING_ENGINE_LOCK_ID\tREQUESTING_ENGINE_TRANSACTION_ID\t"
        "REQUESTING_THREAD_ID\tREQUESTING_EVENT_ID\tREQUESTING_OBJECT_INSTANCE_BEGIN\t"
        "BLOCKING_ENGINE_LOCK_ID\tBLOCKING_ENGINE_TRANSACTION_ID\tBLOCKING_THREAD_ID\t"
        "BLOCKING_EVENT_ID\tBLOCKING_OBJECT_INSTANCE_BEGIN\n"
    )
    locks = (
        "OBJECT_TYPE\tOBJECT_SCHEMA\tOBJECT_NAME\tCOLUMN_NAME\tOBJECT_INSTANCE_BEGIN\t"
        "LOCK_TYPE\tLOCK_DURATION\tLOCK_STATUS\tSOURCE\tOWNER_THREAD_ID\tOWNER_EVENT_ID\n"
    )
    wait = "INNODB\t1:2:4:{n}:9\t18{n}\t5{n}\t7\t1\t1:2:4:9:9\t1700\t49\t6\t1\n"
    lock = "TABLE\tshop\tt{n}\tNULL\t14{n}\tSHARED_WRITE\tTRANSACTION\tGRANTED\tx.cc:1\t5{n}\t3\n"
    for rows in (1, 12, 40):
        text = ""
        for at in range(3):
            text += f"2026-11-23 07:24:{10 + at}\n" + waits
            text += "".join(wait.format(n=n) for n in range(rows)) + locks
            text += "".join(lock.format(n=n) for n in range(rows))
        found = read(text).frames
        assert set(found["lock_wait"]["blocking_trx"]) == {"1700"}
        assert found["lock_wait"].height == found["metadata_lock"].height == 3 * rows


def test_a_client_that_gets_no_answer_is_an_event_at_the_time_of_its_round() -> None:
    rows = LISTINGS["processlist, tabs"].format(n=3)
    failed = "ERROR 1040 (HY000): Too many connections\n"
    wrong = "ERROR 1064 (42000) at line 1: You have an error in your SQL syntax\n"
    text = "".join(
        f"2026-11-23 07:24:{10 + at}\n{body}"
        for at, body in enumerate((*[rows] * 6, failed, wrong, *[rows] * 6))
    )
    event = read(text).frames["event"]
    assert event.select("subsystem", "code", "severity").rows() == [("client", "1040", "error")]
    sessions = read(text).frames["session"]
    assert event["wall_us"][0] - sessions["wall_us"][0] == 6_000_000


_WAIT = (
    "--Thread 14000{n} has waited at btr0sea.ic line 122 for 241.00 seconds the semaphore:\n"
    "S-lock on RW-latch at 0x2db49f8 created in file btr0sea.cc line 202\n"
)
WAITS = (
    "InnoDB: Warning: a long semaphore wait:\n"
    + "".join(_WAIT.format(n=number) for number in range(4))
    + "InnoDB: ###### Starts InnoDB Monitor for 30 secs to print diagnostic info:\n"
)


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "db_1  | ",
        "[pod/mysql-0/mysql] ",
        "2026-11-23T07:24:47.123456789Z ",
        "2026-11-23T07:24:47.123456789Z stderr F ",
        "Nov 23 07:24:47 db1 mysqld[1234]: ",
        "2026-11-23T07:24:47+0000 db1 mysqld[1234]: ",
    ],
)
def test_waits_of_the_watchdog_behind_any_prefix(prefix: str) -> None:
    """Compose, Kubernetes, Docker, syslog and the journal: the waits are the same four."""
    waits = read("".join(f"{prefix}{line}\n" for line in WAITS.splitlines())).frames[
        "semaphore_wait"
    ]
    assert waits["thread_id"].to_list() == [140000, 140001, 140002, 140003]
    assert waits["line_first"].to_list() == [2, 4, 6, 8]
    assert set(waits["created_file"]) == {"btr0sea.cc"}


def test_part_of_a_stack_without_addresses() -> None:
    quoted = "#3  MDL_wait::timed_wait\n#4  MDL_context::acquire_lock\n#5  open_table\n"
    for text in (quoted, "Thread 12 (LWP 4242):\n" + quoted):
        (frames,) = read(text).frames["stack"]["frames"].to_list()
        assert next(frame["function"] for frame in frames) == "MDL_wait::timed_wait"
    assert read("#1 fix the parser\n#2 buy milk\n#3 call_home\n#4 done\n").format is None


def test_variables_without_a_head() -> None:
    text = "innodb_buffer_pool_size\t134217728\nversion\t8.0.36\nsync_binlog\t1\nport\t3306\n"
    parsed = read(text)
    assert parsed.format == "variables"
    assert set(parsed.frames["setting"]["name"]) >= {"innodb_buffer_pool_size", "version"}
