"""One value per second beside the output of date: 'Wed Oct 24 22:27:19 UTC 2012: 18660'.

Source: shell loops such as ``while sleep 1; do echo "$(date): $(...)"; done``.
Yields: the gauge metric.qps (the name such logs have), or metric.value<n> for further numbers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from pileup.formats.stamps import read_stamp
from pileup.records import Clock, Item, Problem, Samples

NAME = "qps-log"
TITLE = "One value per second with date"
GIVES = "The gauge `metric.qps`, or `metric.value<n>`."
PRINTED_BY = "shell loops with `date`"
VERSION = 1
HINTS = ("qps.log",)

_LINE = re.compile(
    r"(?P<stamp>[A-Z][a-z]{2} [A-Z][a-z]{2} +\d\d? \d\d?:\d\d:\d\d(?: [AP]M)?(?: [A-Z]{1,5})? \d{4}"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC|[+-]\d\d:?\d\d)?)"
    r"\s*[:;,]?\s+(?P<values>-?\d+(?:\.\d+)?(?:\s+-?\d+(?:\.\d+)?)*)\s*$"
)
_FLUSH = 50_000
_LONGEST = 200
"""A longer line is no date and a value; it is not looked at."""


def sniff(head: str) -> bool | None:
    """Nearly every line is a date and a number."""
    lines = [line for line in head.split("\n")[:60] if line.strip()]
    if len(lines) < 2:
        return False
    fit = sum(_match(line) is not None for line in lines[:-1] or lines)
    return fit >= 0.8 * max(1, len(lines) - 1)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every line's values; a line of another form is a problem."""
    walls: defaultdict[tuple[int, Clock], list[int | None]] = defaultdict(list)
    values: defaultdict[tuple[int, Clock], list[float | None]] = defaultdict(list)
    numbers: defaultdict[tuple[int, Clock], list[int]] = defaultdict(list)

    def flush() -> Iterator[Item]:
        for (column, clock), some in walls.items():
            yield Samples(
                series="metric.qps" if column == 0 else f"metric.value{column + 1}",
                kind="gauge",
                unit="1/s" if column == 0 else None,
                clock=clock,
                wall_us=some,
                values=values[column, clock],
                lines=numbers[column, clock],
            )
        for store in (walls, values, numbers):
            store.clear()

    told = 0
    for number, text in enumerate(lines, start=1):
        match = _match(text)
        stamp = read_stamp(match["stamp"]) if match else None
        if match is None or stamp is None:
            if text.strip() and told < 100:
                told += 1
                yield Problem(
                    number, "Not a date and a value; the line is left out.", found=text[:200]
                )
            continue
        for column, value in enumerate(match["values"].split()):
            key = (column, stamp[1])
            walls[key].append(stamp[0])
            values[key].append(float(value))
            numbers[key].append(number)
        if number % _FLUSH == 0:
            yield from flush()
    yield from flush()


def _match(text: str) -> re.Match[str] | None:
    return _LINE.match(text.strip()) if len(text) <= _LONGEST else None
