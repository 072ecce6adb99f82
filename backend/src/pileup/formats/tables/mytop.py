"""Parse a screen of mytop: the server's numbers in its head, and the sessions below it.

Source: mytop 1.4 to 1.99, and MariaDB's (scripts/mytop.sh), which also prints the state.
            MySQL on db1 (5.7.29-log)                      up 12+03:14:55 [10:12:33]
             Queries: 1.2G  qps: 1183 Slow:    12.3k         Se/In/Up/De(%):    71/05/12/01
                         qps now: 2410 Slow qps: 14.0  Threads:  612 ( 318/  12) 78/04/09/00
Yields: sessions as a processlist does; mysql.Threads_connected, Threads_running and Threads_cached,
        and the gauge metric.qps of the last interval.
Note:   a screen shows as many sessions as fit: they are counted only where its head does not.
Time:   the time of day alone is printed, so screens are a second apart (relative).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pileup.formats.reading.series_columns import decimal
from pileup.formats.tables.layouts.headless import COMMANDS, PROCESSLIST, begins_statement
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.reader import TableReader
from pileup.records import Item, Samples, Skipped, Snapshot

NAME = "mytop"
TITLE = "a screen of mytop"
GIVES = "Sessions; `mysql.Threads_connected`, `mysql.Threads_running`, `metric.qps`."
PRINTED_BY = "mytop 1.4 to 1.99, MariaDB's mytop"
VERSION = 1
HINTS = ("mytop.txt",)

_LONGEST = 4_000
_HEADER = re.compile(r"\s*Id\s+User\s+Host/IP\s+DB\s+Time\s+Cmd\s+(?P<state>State\s+)?Query\b")
_THREADS = re.compile(
    r"Threads:\s*(?P<connected>\d{1,7})\s*\(\s*(?P<running>\d{1,7})/\s*(?P<cached>\d{1,7})\)"
)
_RATE = re.compile(r"\bqps now:\s*(?P<rate>[\d.]{1,12}[kMG]?)(?!\S)")
_HEAD = re.compile(
    r"(?:MySQL|MariaDB) on \S{1,255} \(|\s*(?:MyISAM )?(?:Key Efficiency|Queries|Sorts|Handler): |"
    r"\s*qps now: |\s*--\s+----\s+---"
)
_COMMAND = "|".join(sorted(COMMANDS, key=len, reverse=True))
_ROW = re.compile(
    r"\s*(?P<id>\d{1,20})\s+(?P<user>\S{1,80})\s+(?P<host>\S{1,255})\s+(?:(?P<db>\S{1,64})\s+)?"
    rf"(?P<time>-?\d{{1,10}}(?:\.\d+)?)\s+(?P<command>{_COMMAND})"
    r"(?:\s+(?P<rest>\S.*))?\s*$"
)
_THOUSANDS = {"k": 1e3, "M": 1e6, "G": 1e9}
_GAP = re.compile(r"\s{2,}")


def sniff(head: str) -> bool | None:
    """Return whether a line has mytop's names of columns."""
    return "Host/IP" in head and any(map(_HEADER.match, head.split("\n")[:200]))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the sessions of every screen, and the numbers of its head."""
    reader = TableReader()
    screens = 0
    has_counts = False
    result: ResultSet | None = None
    has_state = False
    for number, line in enumerate(lines, start=1):
        text = line[:_LONGEST]
        if not text.strip():
            continue
        if header := _HEADER.match(text):
            has_state = header["state"] is not None
            result = ResultSet(screens, "", PROCESSLIST, number, "cells")
            screens += 1
            yield from _of_screen(reader.part(result), has_counts=has_counts)
        elif _HEAD.match(text):
            result = None if text.startswith("M") else result
            numbers = list(_numbers(text, number, screens))
            has_counts |= len(numbers) > 1
            yield from numbers
        elif result is not None and (row := _ROW.match(text)):
            values = _cells(row, has_state=has_state)
            row_items = reader.part(ResultRow(result, values, number, number))
            yield from _of_screen(row_items, has_counts=has_counts)
        else:
            yield Skipped(number, number, "no session of a screen of mytop")
    yield from _of_screen(reader.end(), has_counts=has_counts)


def _of_screen(items: Iterable[Item], *, has_counts: bool) -> Iterator[Item]:
    """Yield the items of a list that may be cut: without its counts where the head has them."""
    for item in items:
        if isinstance(item, Snapshot):
            yield replace(item, complete=False)
        elif not (has_counts and isinstance(item, Samples) and item.series in _COUNTS):
            yield item


_COUNTS = ("processlist.sessions", "processlist.running")


def _cells(row: re.Match[str], *, has_state: bool) -> tuple[str | None, ...]:
    rest = (row["rest"] or "").strip()
    state, info = "", rest
    if has_state:
        parts = _GAP.split(rest, maxsplit=1)
        state, info = (parts[0], parts[1]) if len(parts) > 1 else ("", rest)
    if state == "" and not begins_statement(info):
        state, info = info, ""  # 'Query or State'
    session = (row["id"], row["user"], row["host"], row["db"])
    return (*session, row["command"], row["time"], state, info or None)


def _numbers(text: str, line: int, screen: int) -> Iterator[Samples]:
    if match := _THREADS.search(text):
        for name in ("connected", "running", "cached"):
            yield _sample(f"mysql.Threads_{name}", float(match[name]), line, screen)
    if match := _RATE.search(text):
        printed = match["rate"]
        value = decimal(printed.rstrip("kMG"))
        if value is not None:
            scaled = value * _THOUSANDS.get(printed[-1], 1.0)
            yield _sample("metric.qps", scaled, line, screen, unit="1/s")


def _sample(series: str, value: float, line: int, screen: int, unit: str | None = None) -> Samples:
    return Samples(series, "gauge", unit, "relative", [screen * 1_000_000], [value], [line])


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
