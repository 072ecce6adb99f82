"""Parse screens of innotop: the server's numbers in the first line, and the tables below it.

Source: innotop 1.9 to 1.15: '[RO] Query List (? for help)   db1, 91d3h, InnoDB 8s, 812.20 QPS,
        1500/312/41 con/run/cac thds, 8.0.36', the same in each of its modes.
Yields: mysql.Threads_connected, Threads_running and Threads_cached, metric.qps, the version; the
        tables below as ``result_set`` does, among them the query list as sessions.
Time:   no screen has one, so screens are a second apart (relative).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import decimal
from pileup.formats.tables.meanings import reader
from pileup.records import Item, Samples, Setting

NAME = "innotop"
TITLE = "a screen of innotop"
GIVES = "`mysql.Threads_connected`, `mysql.Threads_running`, `metric.qps`; the tables below."
PRINTED_BY = "innotop 1.9 to 1.15, every mode"
VERSION = 1
HINTS = ("innotop.txt",)

_LONGEST = 1_000
_HEAD = re.compile(
    r"[^\n]{0,400}?\b(?P<qps>\d{1,9}(?:\.\d{1,3})?)(?P<scale>[kMG]?) QPS, "
    r"(?P<connected>\d{1,7})/(?P<running>\d{1,7})/(?P<cached>\d{1,7}) con/run/cac thds"
    r"(?:, (?P<version>\d{1,2}\.\d{1,2}\.\d{1,3}[\w.-]{0,40}))?"
)
_SCALE = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


def sniff(head: str) -> bool | None:
    """Return whether a line is the first of a screen."""
    return "con/run/cac" in head and any(
        _HEAD.match(line[:_LONGEST]) for line in head.split("\n") if "con/run/cac" in line
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the numbers of each screen's first line, and the tables below it."""
    numbers: list[Item] = []
    for item in reader.parse(_without_heads(lines, numbers)):
        yield from numbers
        numbers.clear()
        yield item
    yield from numbers


def _without_heads(lines: Iterable[str], numbers: list[Item]) -> Iterator[str]:
    """Yield the lines, blank in place of a screen's first one, whose numbers are added."""
    screen = 0
    for number, text in enumerate(lines, start=1):
        head = _HEAD.match(text[:_LONGEST]) if "con/run/cac" in text else None
        if head is None:
            yield text
            continue
        numbers += _of_head(head, number, screen)
        screen += 1
        yield ""


def _of_head(head: re.Match[str], line: int, screen: int) -> Iterator[Item]:
    values = {f"mysql.Threads_{name}": head[name] for name in ("connected", "running", "cached")}
    for series, value in values.items():
        yield _sample(series, float(value), None, line, screen)
    if (rate := decimal(head["qps"])) is not None:
        yield _sample("metric.qps", rate * _SCALE[head["scale"]], "1/s", line, screen)
    if head["version"] and screen == 0:
        version = head["version"]
        yield Setting(line_first=line, line_last=line, name="version", value=version, source=NAME)


def _sample(series: str, value: float, unit: str | None, line: int, screen: int) -> Samples:
    return Samples(series, "gauge", unit, "relative", [screen * 1_000_000], [value], [line])


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
