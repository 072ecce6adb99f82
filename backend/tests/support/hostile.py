"""Small hostile files: each stopped or choked the analysis once, or is a near relative.

``PILEUP_HOSTILE`` or a folder of reviews next to the checkout adds further files to the tests.
"""

from __future__ import annotations

import os
from pathlib import Path

from tests.conftest import REPOSITORY

_HUGE = "9" * 309


def _variables(zone: str) -> str:
    return (
        f"Variable_name\tValue\nsystem_time_zone\t{zone}\ntime_zone\t{zone}\nhostname\tdb1\n"
        "version\t8.0.30\nport\t3306\nmax_connections\t5\n"
    )


def _slow_log(query_time: str, timestamp: str = "1795213215") -> str:
    return (
        "# Time: 2026-11-20T22:20:15.000000Z\n# User@Host: a[a] @ h [10.0.0.1]  Id: 5\n"
        f"# Query_time: {query_time}  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 1\n"
        f"SET timestamp={timestamp};\nselect 1;\n"
    )


def _csv(*values: str) -> str:
    rows = (f"2026-11-20 22:20:{at % 60:02},{v},{v}\n" for at, v in enumerate(values * 8))
    return "time,threads_running,qps\n" + "".join(rows)


def _pmp(count: int, stacks: int = 400) -> str:
    frames = "pthread_cond_wait,os_event_wait_low,trx_commit_complete_for_mysql,ha_commit_trans"
    return "".join(f"{count:7} {frames},f{at}\n" for at in range(stacks))


def _uptimes(*seconds: str) -> str:
    return "".join(f"Uptime: {at}  Threads: 5  Questions: 50312\n" for at in seconds)


def _one_id(rows: int) -> str:
    head = "=====================================\n2020-01-05 03:20:10 0x7f INNODB MONITOR OUTPUT\n"
    body = (
        "---TRANSACTION 421, ACTIVE 3 sec\nMySQL thread id 7, OS thread handle 140, query id 9 a\n"
    )
    return (
        f"{head}=====================================\n------------\nTRANSACTIONS\n------------\n"
        f"Trx id counter 500\n{body * rows}----------------------------\n"
        "END OF INNODB MONITOR OUTPUT\n============================\n"
    )


FILES: dict[str, str] = {
    **{
        f"variables-{at}.txt": _variables(zone)
        for at, zone in enumerate(
            ("+99:99", "+41:30", "-12:60", "Factory", "posixrules", "localtime", "right/UTC",
             "../x", "\u0661\u0662:00", "A" * 5000)
        )
    },
    "slow-negative-clock.log": _slow_log("18446744073709.551615"),
    "slow-huge.log": _slow_log("9223372036854775807.5"),
    "slow-year-9999.log": _slow_log("1.0", "253402300799999"),
    "csv-1e306.csv": "a, 1e306\n" * 12,
    "csv-1e308.csv": "name,1e308\n" * 3,
    "csv-309-digits.csv": f"name,{_HUGE}\n" * 3,
    "csv-time-1e308.csv": "time,x\n" + "".join(f"1e308,{at}\n" for at in range(30)),
    "csv-extreme.csv": _csv("nan", "inf", "-inf", "1e308", "-1e308", "1e-320", _HUGE, "NULL", ""),
    "csv-years.csv": "time,qps\n0001-01-01 00:00:00,1\n9999-12-31 23:59:59,2\n"
    "1899-01-01 00:00:00,3\n",
    "csv-lines-end-with-cr.csv": _csv("4", "5").replace("\n", "\r").replace("2026", "0026"),
    "csv-heads-repeated.csv": "time,threads_running\n" * 3_000,
    "csv-quote-left-open.csv": 'time,threads_running\n2026-11-20 22:20:00,"' + "a\n" * 3_000,
    "json-deep.json": "[" * 20_000 + "]" * 20_000,
    "processlist-of-64-bits.txt": (
        "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n18446744073709551615\t\u202eapp\u200b\t"
        "h:99999999\ts\tQuery\t18446744073709551615\tupdating\tUPDATE x\n"
    ),
    "slow-spliced.log": (
        "use sakila;\n# User@Host: root[root] @ localhost []\n# Time: 071015 21:43:52\nuse a;\n\n"
        f"# Query_time: {_HUGE}  Lock_time: -1  Rows_sent: {_HUGE}  Rows_examined: 0\nselect 1;"
    ),
    "status-utf-16-cut.txt": "Variable_name\tValue\n\0Threads_running\t77\n\ufeff\n",
    "status-uptime-of-64-bits.txt": "".join(
        f"Threads_running\t5\nUptime\t{at}\nQuestions\t7\n"
        for at in ("7", "8", "9", "18446744073709551615", "1e308", "-1", "10", "11")
    ),
    "uptime-of-64-bits.txt": _uptimes("133", "18446744073709551615"),
    "pmp-six-billion.txt": _pmp(6_000_000_000),
    "pmp-many-threads.txt": _pmp(4_000),
    "innodb-one-id.txt": _one_id(2_000),
    "mysqladmin-uptime.txt": (
        "+---------------+-------+\n| Variable_name | Value |\n+---------------+-------+\n"
        f"| Uptime | {_HUGE} |\n| Threads_running | -9223372036854775808 |\n"
        "| Questions | 1e308 |\n+---------------+-------+\n"
    )
    * 3,
}  # fmt: skip
"""File name to content."""


def shared_files() -> list[Path]:
    """Return further hostile files; none without the folder."""
    folder = Path(
        os.environ.get("PILEUP_HOSTILE") or REPOSITORY.parent / "shared" / "review" / "hostile"
    )
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.name != "README.md")
