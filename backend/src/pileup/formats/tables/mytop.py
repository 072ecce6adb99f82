"""Parse a screen of mytop: the server's numbers in its head, and the sessions below it.

Source: mytop 1.4 to 1.99, and MariaDB's (scripts/mytop.sh), which also prints the state.
            MySQL on db1 (5.7.29-log)                      up 12+03:14:55 [10:12:33]
            MariaDB 10.11.18 on localhost  load (5.62 7.50 8.86) up 0+00:00:06 [22:26:24]
             Queries: 1.2G  qps: 1183 Slow:    12.3k         Se/In/Up/De(%):    71/05/12/01
                         qps now: 2410 Slow qps: 14.0  Threads:  612 ( 318/  12) 78/04/09/00
Yields: sessions as a processlist does; mysql.Threads_connected, Threads_running and Threads_cached,
        and the gauge metric.qps of the last interval.
Note:   a screen shows as many sessions as fit: they are counted only where its head does not.
Time:   of day, without a date (dayless); a date that a loop prints above a screen applies to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pileup.formats.reading.date_lines import DateLine, read_date_line
from pileup.formats.reading.series_columns import decimal
from pileup.formats.tables.layouts.headless import COMMANDS, PROCESSLIST, begins_statement
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet, Stamp
from pileup.formats.tables.meanings.reader import TableReader
from pileup.records import Item, Samples, Skipped, Snapshot

NAME = "mytop"
TITLE = "a screen of mytop"
GIVES = "Sessions; `mysql.Threads_connected`, `mysql.Threads_running`, `metric.qps`."
PRINTED_BY = "mytop 1.4 to 1.99, MariaDB's mytop"
VERSION = 2
HINTS = ("mytop.txt",)

_LONGEST = 4_000
_HEADER = re.compile(
    r"\s*Id\s+User\s+Host/IP\s+DB\s+Time\s+(?:%\s+)?Cmd\s+(?P<state>State\s+)?Query\b"
)
_THREADS = re.compile(
    r"Threads:\s*(?P<connected>\d{1,7})\s*\(\s*(?P<running>\d{1,7})/\s*(?P<cached>\d{1,7})\)"
)
_RATE = re.compile(r"\bqps now:\s*(?P<rate>[\d.]{1,12}[kMG]?)(?!\S)")
_HEAD = re.compile(
    r"(?:MySQL|MariaDB)(?: \d\S{0,60})? on \S{1,255} |"
    r"\s*(?:MyISAM )?(?:Key Efficiency|Queries|Sorts|Handler): |"
    r"\s*qps now: |\s*--\s+----\s+---"
)
_COMMAND = "|".join(sorted(COMMANDS, key=len, reverse=True))
_ROW = re.compile(
    r"\s*(?P<id>\d{1,20})\s+(?P<user>\S{1,80})\s+(?P<host>\S{1,255})\s+(?:(?P<db>\S{1,64})\s+)?"
    rf"(?P<time>-?\d{{1,10}}(?:\.\d+)?)\s+(?:\d{{1,3}}\.\d\s+)?(?P<command>{_COMMAND})"
    r"(?:\s+(?P<rest>\S.*))?\s*$"
)
_THOUSANDS = {"k": 1e3, "M": 1e6, "G": 1e9}
_CLOCK = re.compile(r"\bup +\S{1,20} \[(\d\d:\d\d:\d\d)\]")
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
    has_state = dated = False
    for number, line in enumerate(lines, start=1):
        text = line[:_LONGEST]
        if not text.strip():
            continue
        if "\t" not in text and (date := read_date_line(text)):
            dated = True
            yield from reader.part(_stamp(number, date))
        elif header := _HEADER.match(text):
            has_state = header["state"] is not None
            result = ResultSet(screens, "", PROCESSLIST, number, "cells")
            screens += 1
            yield from _of_screen(reader.part(result), has_counts=has_counts)
        elif _HEAD.match(text):
            result = None if text.startswith("M") else result
            if not dated and (date := _of_day(text)):
                yield from _of_screen(reader.part(_stamp(number, date)), has_counts=has_counts)
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


def _of_day(text: str) -> DateLine | None:
    """Return the time of day at the end of a screen's first line."""
    match = _CLOCK.search(text)
    return read_date_line(match[1]) if match else None


def _stamp(number: int, date: DateLine) -> Stamp:
    return Stamp(number, date.wall_us, date.clock, date.printed, is_ts=False)


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
