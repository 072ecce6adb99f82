"""The general query log: how many statements, connections and departures came in each second.

Source: File_query_log::write_general(), sql/log.cc (MySQL 5.1 to 9.x); MYSQL_QUERY_LOG::write(),
        sql/log.cc (MariaDB); the audit log of MariaDB, RDS and Aurora (plugin/server_audit), which
        has its fields between commas. The server writes it when a statement arrives, so it shows
        the offered load and no durations: no Query records are made of it.
Yields: the rate general_log.commands by command, a value per second; a second of the log's range
        without any is a true zero.
Time:   5.7 and later print one per entry; before, only where the second changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import polars as pl

from pileup.formats.errors import FormatError
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.reading.wall_clock import local_us
from pileup.records import SAMPLE, Clock, Item, Problem, Rows, Skipped, build_frame

NAME = "general-log"
TITLE = "general query log"
GIVES = "The rate `general_log.commands` per second, by command: Query, Connect, Quit, Execute."
PRINTED_BY = "MySQL 5.0 to 9.x, Percona, MariaDB; the audit log of MariaDB, RDS and Aurora"
VERSION = 3
HINTS = ("general.log", "general_log", "query.log")

# 2026-11-20T22:22:58.255330Z\t    8 Query\tSELECT 1          (MySQL 5.7 and later)
# 071015 21:43:52\t    8 Connect\troot@localhost on test    or    \t\t    8 Query\tSELECT 1
# 071015 21:43:52      8 Connect     root@localhost on test    (5.0 and 5.1; below: blanks alone)
_ENTRY = re.compile(
    r" {0,8}(?P<stamp>\d{6} [ \d]\d:\d\d:\d\d|\t| {15}|"
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d))[\t ] *\d{1,20} "
    r"(?P<command>Query|Connect|Quit|Init DB|Prepare|Execute|Close stmt|Reset stmt|Fetch|"
    r"Field List|Statistics|Ping|Change user|Sleep|Binlog Dump(?: GTID)?|Register Slave|"
    r"Register Replica|Refresh|Shutdown|Processlist|Kill|Debug|Delayed insert|Daemon|Long Data|"
    r"Set option|Create DB|Drop DB|Reset Connection)(?:\t| {2}|$)"
)
# 20261120 22:22:58,db1,app,10.0.0.7,8,7,QUERY,shop,'SELECT 1',0     (Aurora: microseconds first)
_AUDIT = re.compile(
    r" {0,8}(?P<stamp>\d{8} \d\d:\d\d:\d\d|\d{16}),(?:[^,]{0,255},){3}\d{1,20},\d{1,20},"
    r"(?P<command>[A-Z]{4,20}(?:_[A-Z]{2,20})?),"
)
_BANNER = ("Tcp port: ", "TCP Port: ", "Time    ")
_FIRST = frozenset("0123456789\t ")
_S = 1_000_000
_MOST_SECONDS = 2 * 86_400
"""Most seconds that get a value for each command."""


def sniff(head: str) -> bool | None:
    """Return whether two entries are present, and the first line or half of all lines are entries.

    A rotated log may begin inside a statement.
    """
    lines = [line for line in head.split("\n", 400)[:400] if line.strip()][:200]
    entries = [_entry(line) is not None for line in lines if not _is_banner(line)]
    return sum(entries) >= 2 and (entries[0] or sum(entries) >= 0.5 * len(entries))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Count the entries per second and command, and yield a rate per command.

    Raises FormatError for a file without an entry.
    """
    counts: Counter[tuple[Clock, int, str]] = Counter()
    placed: dict[tuple[Clock, int], int] = {}
    now: tuple[Clock, int] | None = None
    untimed = entries = 0
    for number, text in enumerate(lines, start=1):
        match = _entry(text) if text[:1] in _FIRST else None
        if match is None:
            if not entries and text.strip() and not _is_banner(text):
                yield Skipped(number, number, "the rest of a statement that begins above the file")
            continue
        entries += 1
        if not match["stamp"].isspace():
            now = _second(match["stamp"])
        if now is None:
            untimed += 1
            continue
        if now not in placed and len(placed) < _MOST_SECONDS:
            placed[now] = number
        if now in placed:
            command = match["command"]
            counts[(*now, command.capitalize() if command.isupper() else command)] += 1
        else:
            untimed += 1
    if not entries:
        raise FormatError("No entry of a general query log was found.")
    if untimed:
        yield Problem(
            None,
            f"{untimed} entries are not counted: they are above the first time, or beyond the "
            f"first {_MOST_SECONDS} seconds.",
        )
    for clock in sorted({clock for clock, _ in placed}):
        yield from _rates(clock, counts, placed)


def _entry(text: str) -> re.Match[str] | None:
    return _ENTRY.match(text) or _AUDIT.match(text)


def _rates(
    clock: Clock, counts: Counter[tuple[Clock, int, str]], placed: dict[tuple[Clock, int], int]
) -> Iterator[Item]:
    seconds = sorted(second for of, second in placed if of == clock)
    if seconds[-1] - seconds[0] < _MOST_SECONDS:
        seconds = list(range(seconds[0], seconds[-1] + 1))
    lines: list[int] = []
    for second in seconds:  # a second without an entry gets the line of the last one with entries
        lines.append(placed.get((clock, second), lines[-1] if lines else 1))
    at = {second: position for position, second in enumerate(seconds)}
    by_command: dict[str, list[tuple[int, int]]] = {}
    for (of, second, command), count in counts.items():
        if of == clock:
            by_command.setdefault(command, []).append((at[second], count))
    for command, entries in sorted(by_command.items()):
        values = [0.0] * len(seconds)  # most commands occur in few of the seconds
        for position, count in entries:
            values[position] = float(count)
        columns = {
            "series": "general_log.commands",
            "labels": f"command={command}",
            "kind": "rate",
            "unit": "1/s",
            "clock": clock,
            "wall_us": pl.Series(seconds, dtype=pl.Int64) * _S,
            "value": pl.Series(values, dtype=pl.Float64),
            "line_first": pl.Series(lines, dtype=pl.Int64),
        }
        yield Rows(SAMPLE, build_frame(SAMPLE, columns))


def _second(stamp: str) -> tuple[Clock, int] | None:
    if "T" in stamp:
        time = read_stamp(stamp)
        return (time[1], time[0] // _S) if time else None
    if stamp.isdigit():  # microseconds
        return "utc", int(stamp) // _S
    if stamp[8:9] == " ":
        stamp = stamp[2:]
    # a two-digit year: this log is younger than 1970
    year = int(stamp[:2])
    wall = local_us(
        year + (2000 if year < 70 else 1900),
        stamp[2:4],
        stamp[4:6],
        stamp[7:9].strip(),
        stamp[10:12],
        stamp[13:15],
    )
    return None if wall is None else ("local", wall // _S)


def _is_banner(line: str) -> bool:
    return line.lstrip().startswith(_BANNER) or line.endswith("started with:")
