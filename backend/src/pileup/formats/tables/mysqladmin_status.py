"""Parse the line that mysqladmin status prints: eight numbers of the server at once.

Source: COM_STATISTICS in dispatch_command(), sql/sql_parse.cc, of 4.1 to 9.x; MariaDB prints no
        flush tables since 10.6. com_status(), client/mysql.cc: ``status`` (\\s) of the mysql
        client prints it without the uptime, which it prints above in words.
            Uptime: 4661  Threads: 3  Questions: 200  Slow queries: 16  Opens: 88  Flush tables: 3
            Open tables: 8  Queries per second avg: 0.042                        (all on one line)
Yields: mysql.<Variable> under the names of SHOW GLOBAL STATUS that these numbers have there;
        mysqladmin.flush_tables (the version of the table cache) and
        mysqladmin.queries_per_second_avg, which no variable holds. Of the client's ``status``
        the server's version too.
Time:   TS lines or the output of date above a line; else Uptime, as in ``status``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.pt_stalk_samples import TsClock
from pileup.formats.reading.series_columns import Columns, Kind, decimal
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.meanings.server_variables import variable_kind, variable_unit
from pileup.formats.tables.meanings.status import UptimeClock
from pileup.records import Event, Item, Problem, Setting, Skipped

NAME = "mysqladmin-status"
TITLE = "mysqladmin status"
GIVES = (
    "`mysql.<Variable>` as in SHOW GLOBAL STATUS; `mysqladmin.*` for numbers without a variable; "
    "the version from the client's `status`."
)
PRINTED_BY = "`mysqladmin status`, also with `-i`; `status` (`\\s`) of the mysql client"
VERSION = 2
HINTS = ("mysqladmin-status.txt",)

_LINE = re.compile(r"\s*(?:Uptime: +\S+ +)?Threads: +\S+ +Questions: +\S")
# Connection id:          8      Uptime:                 1 day 2 hours 1 min 20 sec
_CLIENT = re.compile(
    r"(?P<label>Connection id|Current (?:database|user|pager|role)|SSL|Using (?:outfile|delimiter)"
    r"|Server|Server version|Protocol version|Connection|(?:Server|Db|Client|Conn\.) +characterset"
    r"|UNIX socket|TCP port|Binary data as|Insert id|Compression|Protocol|Uptime):"
    r"(?P<value>[ \t].*)?$"
)
_CLIENT_BANNER = re.compile(r"-{10,}$|\S{1,200} +(?:Ver |from )\S.*$")
_WORDS = re.compile(r"(\d{1,6}) (day|hour|min|sec)")
_SECONDS = {"day": 86_400, "hour": 3_600, "min": 60, "sec": 1}
_PAIR = re.compile(r"(?P<name>[A-Z][a-z]+(?: [a-z]+){0,3}): +(?P<value>\S+)")
_VARIABLES = {
    "Uptime": "Uptime",
    "Threads": "Threads_connected",
    "Questions": "Questions",
    "Slow queries": "Slow_queries",
    "Opens": "Opened_tables",
    "Open tables": "Open_tables",
}
_OTHERS: dict[str, tuple[str, Kind, str | None]] = {
    "Flush tables": ("flush_tables", "counter", None),
    "Queries per second avg": ("queries_per_second_avg", "gauge", "1/s"),
}
_LONGEST = 500
_AGES = 1e10
"""Seconds: no server is up for three centuries."""


def sniff(head: str) -> bool | None:
    """Whether an early line is such a line and most others are, as a client prints it too."""
    lines = [line for line in head.split("\n")[:60] if line.strip() and not _is_time(line)]
    fit = sum(_LINE.match(line[:_LONGEST]) is not None for line in lines)
    if fit and sum(_CLIENT.match(line[:_LONGEST]) is not None for line in lines) >= 0.5 * len(
        lines
    ):
        return True
    return fit > 0 and (fit >= 0.5 * len(lines) or lines[0].startswith("Uptime: "))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the numbers of every line."""
    columns, clock, uptimes = Columns(), TsClock(), UptimeClock()
    uptime: tuple[int, int] | None = None
    for number, text in enumerate(lines, start=1):
        line = text[:_LONGEST]
        if not line.strip():
            continue
        if stamp := clock.stamp(number, line):
            if isinstance(stamp, Event):
                yield stamp
        elif date := read_stamp(line):
            clock.date(*date)
        elif _LINE.match(line):
            yield from _take(number, line, columns, clock, uptimes, uptime)
            uptime = None
        elif match := _CLIENT.match(line):
            value = (match["value"] or "").strip()
            if match["label"] == "Uptime":
                seconds = _in_seconds(value)
                uptime = None if seconds is None else (seconds, number)
            elif match["label"] == "Server version" and value:
                yield _version(number, value)
        elif _CLIENT_BANNER.match(line):
            continue
        else:
            yield Skipped(number, number, "not a line of mysqladmin status")
        if columns.full:
            yield from columns.flush()
    yield from columns.flush()


def _take(
    number: int,
    line: str,
    found: Columns,
    clock: TsClock,
    uptimes: UptimeClock,
    above: tuple[int, int] | None,
) -> Iterator[Item]:
    """Read one line.

    ``above``: the uptime that the client printed above it, and the number of that line.
    """
    pairs = [
        (match["name"], decimal(match["value"]), match["value"]) for match in _PAIR.finditer(line)
    ]
    wall = clock.wall
    if clock.clock == "relative":
        known = next((value for name, value, _ in pairs if name == "Uptime"), above and above[0])
        wall = uptimes.next(int(known) if known is not None and 0 <= known < _AGES else None)
    if above:
        found.add("mysql.Uptime", above[0], wall=wall, clock=clock.clock, line=above[1],
                  kind=variable_kind("Uptime"), unit=variable_unit("Uptime"))  # fmt: skip
    for name, value, printed in pairs:
        if name not in _VARIABLES and name not in _OTHERS:
            continue
        if value is None:
            yield Problem(number, f"{name} is not a number.", found=printed[:80])
        variable = _VARIABLES.get(name)
        if variable is None:
            series, kind, unit = _OTHERS[name]
            series = f"mysqladmin.{series}"
        else:
            series, kind, unit = (
                f"mysql.{variable}",
                variable_kind(variable),
                variable_unit(variable),
            )
        found.add(series, value, wall=wall, clock=clock.clock, line=number, kind=kind, unit=unit)


def _in_seconds(words: str) -> int | None:
    """Convert '1 day 2 hours 1 min 20 sec', as nice_time() of the client prints it, to seconds."""
    found = _WORDS.findall(words)
    return sum(int(count) * _SECONDS[unit] for count, unit in found) if found else None


def _version(number: int, value: str) -> Setting:
    version = value.split()[0]
    return Setting(
        line_first=number, line_last=number, name="version", value=version, source="mysql status"
    )


def _is_time(line: str) -> bool:
    return line.startswith("TS ") or read_stamp(line) is not None
