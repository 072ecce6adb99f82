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
