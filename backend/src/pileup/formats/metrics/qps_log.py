"""A value per line beside its time: 'Wed Oct 24 22:27:19 UTC 2012: 18660'.

Source: shell loops such as ``while sleep 1; do echo "$(date): $(...)"; done``, or with date +%s;
        Zabbix prints the time twice, as a date and as an epoch;
        ``aws cloudwatch get-metric-statistics --output text``, which prints the time behind the
        value and the metric's name on a line of its own.
Yields: the gauge metric.qps (the name such logs have), or metric.value<n> for further numbers;
        after an epoch, or before a time, the meaning of a number is unknown: metric.value1, or
        metric.<name> below a line with a name alone. Numbers behind their names
        (``Threads_running 388 qps=12``) are mysql.<Variable> or metric.<name>; below times of day
        alone, they count from the first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.meanings.server_variables import UNITS, variable_kind, variable_unit
from pileup.records import Clock, Item, Problem

NAME = "qps-log"
TITLE = "One value per line with date"
GIVES = (
    "The gauge `metric.qps`, or `metric.value<n>`, or `metric.<name>` below a name; behind names "
    "`mysql.<Variable>` or `metric.<name>`."
)
PRINTED_BY = "shell loops with `date` or `date +%s`; `aws cloudwatch` with `--output text`"
VERSION = 6
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
# 2026-11-20 10:11:01 Threads_running 388 Threads_connected 412 | 10:11:02 queue=388, qps=3
_NAMED = re.compile(
    r"\[?(?P<stamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z| UTC|[+-]\d\d:?\d\d)?"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d\d? \d\d:\d\d:\d\d(?: [A-Z]{1,5})? \d{4}"
    r"|1\d{9}(?:\.\d{1,9})?|(?P<time>\d\d:\d\d:\d\d(?:\.\d+)?))\]?[:;,|]?\s+"
    r"(?:\[[\w.:-]{1,80}\]:?\s+|[A-Za-z][\w.-]{0,80}:\s+)?"
    r"(?P<pairs>[A-Za-z]\w{1,80}(?:\s*[=:]\s*|\s+)-?\d+(?:\.\d+)?"
    r"(?:[\s,;|]+[A-Za-z]\w{1,80}(?:\s*[=:]\s*|\s+)-?\d+(?:\.\d+)?){0,20})\s*$"
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
    if _are_named(lines):
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
    for number, text in enumerate(lines, start=1):
        match = _match(text)
        if match is None and (named := _named(text)) is not None:
            _add_named(columns, named, days, number)
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


class _Days:
    """Counts times of day from the first, over midnight."""

    def __init__(self) -> None:
        self._first: int | None = None

    def wall(self, time: str) -> int:
        """Return the microseconds since the first time of day."""
        hours, minutes, seconds = time.split(":")
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


def _is_header(first: str, second: str) -> bool:
    """Return whether the first line names the columns of a table: others know their names."""
    if _match(first) is not None:
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
