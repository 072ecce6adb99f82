"""Prometheus text exposition and OpenMetrics: one scrape, several after each other, or a dump.

Source: the exposition format (prometheus.io/docs/instrumenting/exposition_formats) and OpenMetrics
        1.0: milliseconds behind a value in the first, seconds with a fraction in the second.
            # TYPE mysql_up gauge
            mysql_up{instance="db1:9104"} 1 1795213154000
        promtool and the table of Prometheus' own pages: mysql_up{...} => 1 @[1795213154.123]
Yields: as prometheus_json. Without a printed time the samples have none, unless a line with only a
        time (date, or pt-stalk's TS) precedes a scrape.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from pileup.formats.metrics.parts.prometheus_names import Metric, make_metric, read_labels
from pileup.formats.reading.series_columns import MOST_VALUES, Columns, Points
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Item, Problem, Samples, Section

NAME = "openmetrics"
TITLE = "Prometheus text exposition (OpenMetrics)"
GIVES = "Series as above; without a printed time they have none."
PRINTED_BY = "exporters' `/metrics`, `/federate`, OpenMetrics 1.0, with and without timestamps"
VERSION = 2
HINTS = (".prom", ".metrics", ".openmetrics")

_TYPE = re.compile(r"# TYPE (?P<name>[a-zA-Z_:][\w:]*) (?P<type>\w+)\s*$")
_LINE = re.compile(
    r'(?P<name>[a-zA-Z_:][\w:]*+)(?:\s*+\{(?P<labels>(?:[^"}]|"(?:[^"\\]|\\.)*+")*+)\})?\s++'
    r"(?P<value>[-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|[Nn]a[Nn]|Inf|inf))"
    r"(?:\s+(?P<time>-?\d{1,16}(?:\.\d{1,9})?))?\s*(?:# \{.*)?$"
)
# mysql_up{instance="db1:9104"} => 1 @[1795213154.123]
_RESULT = re.compile(r"(?P<value>\S{1,40}) @\[(?P<time>\d{9,11}(?:\.\d{1,9})?)\]")
_EXPORTED = tuple(
    f"mysql_{part}_"
    for part in ("global_status", "global_variables", "info_schema", "perf_schema", "slave_status")
)
"""How names of mysqld_exporter begin, of which a part has no labels."""
_SMALL = 2_000
_PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_PRINTED = re.compile(r"-?\d{1,16}(?:\.\d{1,9})?")
_TS = re.compile(r"TS (?P<epoch>\d{9,11}(?:\.\d+)?)")
_LONGEST = 20_000
_MOST_REPORTED = 100
_MOST_KNOWN = 50_000
_LONGEST_KNOWN = 500


def sniff(head: str) -> bool | None:
    """Return whether the text holds a # TYPE line, or nearly every line is a metric with labels."""
    if "# TYPE " in head and re.search(
        r"^# TYPE [a-zA-Z_:][\w:]* (counter|gauge|untyped|unknown|histogram|summary|info|"
        r"stateset|gaugehistogram)\s*$",
        head,
        re.MULTILINE,
    ):
        return True
    lines = [line for line in head.split("\n")[:60] if line.strip()][: 60 if len(head) > 60 else 1]
    lines = lines[:-1] if len(lines) > 1 and len(head) > _SMALL else lines
    named = [line for line in lines if len(line) <= _LONGEST and _LINE.match(_plain(line))]
    labelled = sum("{" in line or line.startswith(_EXPORTED) for line in named)
    return bool(lines) and labelled > 0 and len(named) >= 0.9 * len(lines)


def _plain(line: str) -> str:
    """Convert a line of a query's result to the exposition format; leave any other as it is."""
    if " => " not in line[:_LONGEST]:
        return line
    name, _, rest = line.strip().rpartition(" => ")
    match = _RESULT.fullmatch(rest)
    return f"{name} {match['value']} {match['time']}" if match else line


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every line; a # TYPE line declares the type for the lines below it."""
    types: dict[str, str] = {}
    values = _Values()
    scrape: tuple[int, Clock] | None = None
    count = 0

    @lru_cache(maxsize=2_000)
    def metric(name: str, labels: str, declared: str | None) -> Metric | None:
        read = read_labels(labels)
        return None if read is None else make_metric(name, read, declared)

    for number, text in enumerate(lines, start=1):
        if values.add_known(number, text, scrape):
            if values.full:
                yield from values.flush()
            continue
        if text.startswith("#"):
            if (match := _TYPE.match(text)) and len(types) < 100_000:
                if types.get(match["name"]) != match["type"]:
                    values.forget()
                types[match["name"]] = match["type"]
            continue
        line = _plain(text).strip()
        if not line:
            continue
        if stamp := _scrape_time(line):
            scrape = stamp
            yield Section(line[:60], number, number)
            continue
        sample = _LINE.match(line) if len(line) <= _LONGEST else None
        declared = _declared(types, sample["name"]) if sample else None
        item = metric(sample["name"], sample["labels"] or "", declared) if sample else None
        value = _value(sample["value"]) if sample else None
        if sample is None or item is None or value is None:
            if count < _MOST_REPORTED:
                count += 1
                yield Problem(
                    number,
                    "Not a metric with a value; it is left out.",
                    'name{label="value"} 1',
                    text[:200],
                )
            continue
        wall, clock = _time(sample["time"], scrape)
        values.add(item, number, value, wall, clock)
        if sample["labels"] is not None and text.rfind("}") == sample.end("labels"):
            values.know(text[: sample.end("labels")], item)
        if values.full:
            yield from values.flush()
    yield from values.flush()


class _Values:
    """Values by host and series; a line of a known series is read without a pattern."""

    def __init__(self) -> None:
        self._hosts: defaultdict[str | None, Columns] = defaultdict(Columns)
        self._known: dict[str, Metric] = {}  # by the text before the last brace
        self._points: dict[tuple[str, Clock], Points] = {}  # the same, until the next flush
        self._stamp: tuple[str, tuple[int | None, Clock]] = ("", (None, "relative"))
        self._held = 0

    def know(self, head: str, metric: Metric) -> None:
        """Remember that lines beginning with ``head`` are of this series, until ``forget``."""
        if len(head) > _LONGEST_KNOWN:
            return
        if len(self._known) >= _MOST_KNOWN:
            self.forget()
        self._known[head] = metric

    def forget(self) -> None:
        """Forget the series of all line beginnings, as after a newly declared type."""
        self._known.clear()
        self._points.clear()

    def add_known(self, number: int, text: str, scrape: tuple[int, Clock] | None) -> bool:
        """Add a line of a known series; return False unless only a plain value and time follow."""
        head, _, rest = text.rpartition("}")
        if head not in self._known or not rest.startswith(" "):
            return False
        cells = rest.split()
        if not 1 <= len(cells) <= 2:
            return False
        if not cells[0].isdecimal() and not _PLAIN.fullmatch(cells[0]):
            return False
        value = float(cells[0])
        moment: tuple[int | None, Clock] = scrape or (None, "relative")
        if len(cells) == 2:
            if cells[1] == self._stamp[0]:
                moment = self._stamp[1]
            elif _PRINTED.fullmatch(cells[1]):
                moment = _time(cells[1], scrape)
                self._stamp = cells[1] if scrape is None else "", moment
            else:
                return False
        wall, clock = moment
        points = self._points.get((head, clock))
        if points is None:
            metric = self._known[head]
            points = self._points[head, clock] = self._hosts[metric.host].points(
                metric.series, kind=metric.kind, unit=metric.unit, labels=metric.labels, clock=clock
            )
        walls, values, lines = points
        walls.append(wall)
        values.append(value if value - value == 0 else None)
        lines.append(number)
        self._held += 1
        return True

    def add(
        self, metric: Metric, number: int, value: float, wall: int | None, clock: Clock
    ) -> None:
        """Add a value of a metric."""
        self._hosts[metric.host].add(
            metric.series,
            value if value - value == 0 else None,
            wall=wall,
            clock=clock,
            line=number,
            kind=metric.kind,
            unit=metric.unit,
            labels=metric.labels,
        )
        self._held += 1

    @property
    def full(self) -> bool:
        """Whether to flush, so that memory stays bounded for any size of file."""
        return self._held >= MOST_VALUES or len(self._hosts) > 10_000

    def flush(self) -> Iterator[Item]:
        for host, columns in self._hosts.items():
            for item in columns.flush():
                if host is not None and isinstance(item, Samples):
                    yield dataclasses.replace(item, host=host)
                else:
                    yield item
        self._hosts.clear()
        self._points.clear()
        self._held = 0


def _value(printed: str) -> float | None:
    try:
        return float(printed)
    except ValueError:  # 1.2.3
        return None


def _declared(types: dict[str, str], name: str) -> str | None:
    if name in types:
        return types[name]
    family = re.sub(r"_(?:total|bucket|sum|count|created|info)$", "", name)
    return types.get(family)


def _scrape_time(line: str) -> tuple[int, Clock] | None:
    if line[:1] not in "TMFSW0123456789":
        return None
    if match := _TS.match(line):
        return round(float(match["epoch"]) * 1e6), "utc"
    return read_stamp(line)


def _time(printed: str | None, scrape: tuple[int, Clock] | None) -> tuple[int | None, Clock]:
    """Convert milliseconds (exposition) or seconds (OpenMetrics), or return the scrape's time."""
    if printed is not None:
        value = float(printed)
        seconds = value / 1000 if abs(value) > 1e11 else value
        if 0 < seconds < 4_102_444_800:
            return round(seconds * 1e6), "utc"
    return scrape if scrape is not None else (None, "relative")
