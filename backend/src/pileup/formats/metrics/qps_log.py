"""A value per line beside its time: 'Wed Oct 24 22:27:19 UTC 2012: 18660'.

Source: shell loops such as ``while sleep 1; do echo "$(date): $(...)"; done``, or with date +%s;
        Zabbix prints the time twice, as a date and as an epoch;
        ``aws cloudwatch get-metric-statistics --output text``, which prints the time behind the
        value and the metric's name on a line of its own.
Yields: the gauge metric.qps (the name such logs have), or metric.value<n> for further numbers;
        after an epoch, or before a time, the meaning of a number is unknown: metric.value1, or
        metric.<name> below a line with a name alone. Numbers behind their names
        (``Threads_running 388 qps=12``) are mysql.<Variable> or metric.<name>; below times of day
        alone, they count from the first. Long rows without their heading (time, host, name,
        value) are named so too.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import MOST_VALUES, Columns
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.meanings.server_variables import UNITS, variable_kind, variable_unit
from pileup.records import Clock, Item, Problem, Samples

NAME = "qps-log"
TITLE = "One value per line with date"
GIVES = (
    "The gauge `metric.qps`, or `metric.value<n>`, or `metric.<name>` below a name; behind names "
    "`mysql.<Variable>` or `metric.<name>`."
)
PRINTED_BY = "shell loops with `date` or `date +%s`; `aws cloudwatch` with `--output text`"
VERSION = 7
HINTS = ("qps.log",)

_LINE = re.compile(
    r"(?P<stamp>[A-Z][a-z]{2} [A-Z][a-z]{2} +\d\d? \d\d?:\d\d:\d\d(?: [AP]M)?(?: [A-Z]{1,5})? \d{4}"
    r"|[A-Z][a-z]{2} \d\d? [A-Z][a-z]{2} \d{4} \d\d?:\d\d:\d\d(?: [AP]M)?(?: [A-Z]{1,5})?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC|[+-]\d\d:?\d\d)?)"
    r"\s*[:;,]?\s+(?P<values>-?\d+(?:\.\d+)?(?:\s+-?\d+(?:\.\d+)?)*)\s*$"
)
# 1351117639 18660 | 1351117639.25: 18660 12 | 1351117639000,18660,12
_EPOCH = re.compile(
    r"(?P<stamp>1\d{9}(?:\.\d{1,9})?|1\d{12})(?:\s*[:;,]\s*|\s+)"
    r"(?P<values>-?\d+(?:\.\d+)?(?:(?:\s*[,;]\s*|\s+)-?\d+(?:\.\d+)?)*)\s*$"
)
# DATAPOINTS  97.3  2024-05-04T10:01:00+00:00  Percent
_BEFORE = re.compile(
    r"(?:[A-Za-z]\w{0,60}\s+)?(?P<values>-?\d+(?:\.\d+)?(?:\s+-?\d+(?:\.\d+)?){0,3})\s+"
    r"(?P<stamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC|[+-]\d\d:?\d\d)?)"
    r"(?:\s+[A-Za-z%][\w%/]{0,30})?\s*$"
)
# 2026-11-20 10:11:12,412,1900     the rows of a CSV without their heading
_BEFORE_COMMAS = re.compile(
    r"(?P<stamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC|[+-]\d\d:?\d\d)?)"
    r"(?P<mark>[,;])(?P<values>-?\d+(?:\.\d+)?(?:(?P=mark)-?\d+(?:\.\d+)?){0,40})\s*$"
)
# 2026-11-20T22:55:46Z,db-wiki-06,mysql.threads_running,1     long rows without their heading
_LONG = re.compile(
    r"(?P<stamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC|[+-]\d\d:?\d\d)?"
    r"|1\d{9}(?:\d{3})?)(?P<mark>[,;\t])(?:\"?(?P<host>[A-Za-z0-9][\w.:-]{0,80})\"?(?P=mark))?"
    r"\"?(?P<name>[A-Za-z][\w.:/%-]{1,120})\"?(?P=mark)(?P<value>-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?)\s*$"
)
# 2026-11-20 10:11:01 Threads_running 388 Threads_connected 412 | 10:11:02 queue=388, qps=3
_NAMED = re.compile(
    r"\[?(?P<stamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| UTC|[+-]\d\d:?\d\d)?"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d\d? \d\d:\d\d:\d\d(?: [A-Z]{1,5})? \d{4}"
    r"|1\d{9}(?:\.\d{1,9})?|(?P<time>\d\d:\d\d:\d\d(?:\.\d+)?))\]?(?! [AP]M\b)[:;,|]?\s+"
    r"(?:\[[\w.:-]{1,80}\]:?\s+|[A-Za-z][\w.-]{0,80}:\s+)?"
    r"(?P<pairs>[A-Za-z]\w{1,80}(?:\s*[=:]\s*|\s+)-?\d+(?:\.\d+)?"
    r"(?:[\s,;|]+[A-Za-z]\w{1,80}(?:\s*[=:]\s*|\s+)-?\d+(?:\.\d+)?){0,20})\s*$"
)
# 22:15:01 12300     10:15:01 PM 12300 12
_OF_DAY = re.compile(
    r"\[?(?P<time>\d\d?:\d\d:\d\d(?:\.\d+)?)(?: (?P<half>[AP]M))?\]?[:;,|]?\s+"
    r"(?P<values>-?\d+(?:\.\d+)?(?:\s+-?\d+(?:\.\d+)?){0,2})\s*$"
)
_PAIR = re.compile(r"(?P<name>[A-Za-z]\w{1,80})(?:\s*[=:]\s*|\s+)(?P<value>-?\d+(?:\.\d+)?)")
_TITLE = re.compile(r"[A-Za-z][\w./%-]{1,60}$")
_TIME_FIRST = re.compile(r"\s*(?:date_?time|time_?stamp|time|date|ts)\s", re.IGNORECASE)
"""The name of a first column."""
_SPLIT = re.compile(r"\s*[,;]\s*|\s+")
_MOST_ZONE_US = 15 * 3600 * 1_000_000
_LONGEST = 200
"""Longest line that can be a date and values."""


def sniff(head: str) -> bool | None:
    """Return whether nearly every line is a date and a number."""
    lines = [line for line in head.split("\n")[:60] if line.strip()]
    if len(lines) < 2 or _is_header(lines[0], lines[1]):
        return False
    if _are_named(lines) or _are_long(lines) or _are_of_day(lines):
        return True
    fit = sum(_match(line) is not None or _is_title(line) for line in lines[:-1] or lines)
    if not any(map(_match, lines)):
        return False
    return fit >= 0.8 * max(1, len(lines) - 1)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every line's values; a line of another form is a Problem."""
    columns = Columns()
    count = 0
    title = ""
    days = _Days()
    hosts = _Hosts()
    for number, text in enumerate(lines, start=1):
        match = _match(text)
        if match is None and (named := _named(text)) is not None:
            _add_named(columns, named, days, number)
            continue
        if match is None and (of_day := _of_day(text)) is not None:
            wall = days.wall(of_day["time"], of_day["half"])
            for column, value in enumerate(of_day["values"].split(), start=1):
                series = f"metric.value{column}"
                columns.add(series, float(value), wall=wall, clock="relative", line=number)
            continue
        if match is None and (long := _long(text)) is not None:
            yield from hosts.add(long, number)
            continue
        stamp = read_stamp(match["stamp"]) if match else None
        if match is None or stamp is None:
            if _is_title(text):
                title = text.strip()
            elif text.strip() and count < 100:
                count += 1
                yield Problem(
                    number, "Not a date and a value; the line is left out.", found=text[:200]
                )
            continue
        values = _SPLIT.split(match["values"])
        again = read_stamp(values[0]) if len(values) > 1 else None
        if again is not None and abs(again[0] - stamp[0]) <= _MOST_ZONE_US:
            stamp = again  # the time once more, as an epoch: it needs no zone
            values.pop(0)
        for column, value in enumerate(values, start=1):
            is_qps = column == 1 and match.re is _LINE and again is None
            is_titled = column == 1 and match.re is _BEFORE and title
            columns.add(
                "metric.qps" if is_qps else f"metric.{title if is_titled else f'value{column}'}",
                float(value),
                wall=stamp[0],
                clock=stamp[1],
                line=number,
                unit="1/s" if is_qps else None,
            )
        if columns.full:
            yield from columns.flush()
    yield from columns.flush()
    yield from hosts.flush()


class _Days:
    """Counts times of day from the first, over midnight."""

    def __init__(self) -> None:
        self._first: int | None = None

    def wall(self, time: str, half: str | None = None) -> int:
        """Return the microseconds since the first time of day."""
        hours, minutes, seconds = time.split(":")
        if half:
            hours = str(int(hours) % 12 + 12 * (half == "PM"))
        at = int((int(hours) * 3600 + int(minutes) * 60 + float(seconds)) * 1_000_000)
        self._first = at if self._first is None else self._first
        return (at - self._first) % 86_400_000_000


def _are_named(lines: list[str]) -> bool:
    """Return whether nearly all lines are a time with names and numbers, the same in each."""
    counts: Counter[str] = Counter()
    fit = 0
    for line in lines:
        if (named := _named(line)) is not None:
            fit += 1
            counts.update({pair["name"] for pair in _PAIR.finditer(named["pairs"])})
    return fit >= max(_LEAST_NAMED, 0.8 * len(lines)) and all(
        count >= _LEAST_NAMED for count in counts.values()
    )


_LEAST_NAMED = 2


def _named(text: str) -> re.Match[str] | None:
    return _NAMED.match(text.strip()) if len(text) <= _LONGEST_NAMED else None


_LONGEST_NAMED = 1_000


def _add_named(columns: Columns, named: re.Match[str], days: _Days, line: int) -> None:
    clock: Clock
    if named["time"]:
        wall, clock = days.wall(named["time"]), "relative"
    elif stamp := read_stamp(named["stamp"]):
        wall, clock = stamp
    else:
        return
    for pair in _PAIR.finditer(named["pairs"]):
        name = pair["name"]
        is_status = name.lower() in UNITS
        columns.add(
            f"mysql.{name[0].upper()}{name[1:]}" if is_status else f"metric.{name}",
            float(pair["value"]),
            wall=wall,
            clock=clock,
            line=line,
            kind=variable_kind(name) if is_status else "gauge",
            unit=variable_unit(name) if is_status else None,
        )


def _are_of_day(lines: list[str]) -> bool:
    """Return whether all lines are a time of day and the same number of values."""
    rows = [row for line in lines if (row := _of_day(line)) is not None]
    widths = {len(row["values"].split()) for row in rows}
    return len(rows) >= _LEAST_LONG and len(rows) == len(lines) and len(widths) == 1


def _of_day(text: str) -> re.Match[str] | None:
    return _OF_DAY.match(text.strip()) if len(text) <= _LONGEST else None


def _are_long(lines: list[str]) -> bool:
    """Return whether nearly all lines are a time, a name and its value, and a name comes again."""
    rows = [row for line in lines if (row := _long(line)) is not None]
    names = Counter((row["host"], row["name"]) for row in rows)
    return len(rows) >= max(_LEAST_LONG, 0.9 * len(lines)) and len(names) <= len(rows) - 1


_LEAST_LONG = 3


def _long(text: str) -> re.Match[str] | None:
    return _LONG.match(text.strip()) if len(text) <= _LONGEST_NAMED else None


class _Hosts:
    """Values of long rows, by their host; named as a table with a heading would name them."""

    def __init__(self) -> None:
        self._columns: defaultdict[str | None, Columns] = defaultdict(Columns)
        self._held = 0

    def add(self, row: re.Match[str], line: int) -> Iterator[Item]:
        if (stamp := read_stamp(row["stamp"])) is not None:
            wall, clock = stamp
            series = f"metric.{row['name']}"
            value = float(row["value"])
            self._columns[row["host"]].add(series, value, wall=wall, clock=clock, line=line)
            self._held += 1
        if self._held >= MOST_VALUES:
            yield from self.flush()

    def flush(self) -> Iterator[Item]:
        for host, columns in self._columns.items():
            for item in columns.flush():
                if host is not None and isinstance(item, Samples):
                    yield dataclasses.replace(item, host=host)
                else:
                    yield item
        self._columns.clear()
        self._held = 0


def _is_header(first: str, second: str) -> bool:
    """Return whether the first line names the columns of a table: others know their names."""
    if _match(first) is not None or _long(first) is not None:
        return False
    if any(0 < second.count(mark) <= first.count(mark) for mark in (",", ";", "\t")):
        return True
    values = _LINE.match(second.strip())
    names = first.split() if values and _TIME_FIRST.match(first) else []
    return values is not None and len(names) == 1 + len(values["values"].split())


def _match(text: str) -> re.Match[str] | None:
    if len(text) > _LONGEST:
        return None
    text = text.strip()
    lines = (_LINE, _EPOCH, _BEFORE, _BEFORE_COMMAS)
    return next((match for line in lines if (match := line.match(text))), None)


def _is_title(text: str) -> bool:
    return len(text) <= _LONGEST and _TITLE.match(text.strip()) is not None
