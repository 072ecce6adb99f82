"""Parse what the `aws` command prints for people: metrics and events as nested boxes or tabs.

Source: awscli 1.x and 2.x, awscli/table.py and awscli/text.py: `aws cloudwatch
        get-metric-statistics`, `get-metric-data` with `--output table`, `get-metric-data` with
        `--output text`; `aws pi get-resource-metrics` with `--output text`, which names a metric
        below its points; `aws rds describe-events` with any output. Each level of a box has one
        more bar at its ends.
            ||                   Datapoints                    ||
            |+----------+-----------------------------+--------+|
            ||  Average |          Timestamp          |  Unit  ||
            METRICDATARESULTS   m1   CPUUtilization   Complete
            EVENTS  2024-05-14T09:13:05.123Z  Failover started.  arn:...  db-1  db-instance
            DATAPOINTS  2024-05-14T09:13:00+00:00  41.5
            KEY     db.load.avg
            DIMENSIONS  wait/io/table/sql/handler  wait
Yields: cloudwatch.<Label> as the service's JSON does, with the label stat where a statistic is
        named; metric.db.load.avg of Performance Insights with its dimension; an Event per event, on
        the instance that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from pileup.formats.metrics.parts.cloudwatch_points import Point, datapoints
from pileup.formats.reading.series_columns import decimal
from pileup.formats.reading.timestamps import read_stamp
from pileup.json_values import json_value
from pileup.records import Event, Item, Skipped

NAME = "aws-output"
TITLE = "metrics or events that the aws command printed"
GIVES = (
    "Gauges `cloudwatch.<Label>` with the label stat, `metric.<name>` of Performance Insights; "
    "events of instances."
)
PRINTED_BY = (
    "`aws cloudwatch get-metric-statistics`, `get-metric-data`, `aws rds describe-events` with "
    "`--output table` or `text`; `aws pi get-resource-metrics --output text`"
)
VERSION = 2
HINTS = ()

LONG_LINES = True

_LONGEST = 4_000
_BARS = re.compile(r"(?P<bars>\|{1,8})(?P<inside>.*?)\|{1,8}\s*$")
_RULE = re.compile(r"[|+-]+\s*$")
_TAG = re.compile(
    r"(?P<tag>METRICDATARESULTS|TIMESTAMPS|VALUES|DATAPOINTS|EVENTS|METRICLIST|KEY|DIMENSIONS)"
    r"(?:\s+(?P<rest>.*))?$"
)
_SKIPPED_TAGS = re.compile(r"EVENTCATEGORIES\s")
_GAP = re.compile(r"\t| {2,}")
# 2024-05-14T09:13:05.123Z  Failover started.  arn:aws:rds:...  db-1  db-instance
_EVENT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\dT\S{1,40})\s+(?P<message>\S.*?)\s+(?:arn:\S+\s+)?"
    r"(?P<host>[\w.-]{1,255})\s+(?P<type>db-[\w-]{1,40}|[a-z-]{1,40})$"
)
_FIELD = re.compile(
    r'"(?P<name>Date|Message|SourceIdentifier|SourceType)"\s*:\s*(?P<value>"(?:[^"\\]|\\.)*+")'
)
_WORDS = ("Datapoints", "MetricDataResults", "Events", "METRICDATARESULTS", "DATAPOINTS", "EVENTS")
_SIGNS = re.compile(
    r"^(?:\|+ +(?:Datapoints|MetricDataResults|Events) +\|+\s*$"
    r"|METRICDATARESULTS\s|DATAPOINTS\s+-?\d|EVENTS\s+\d{4}-\d\d-\d\dT)",
    re.MULTILINE,
)
_OF_EVENT = ("Date", "Message", "SourceIdentifier", "SourceType")
_SOURCE = '"SourceIdentifier"'
_LISTS = ("Timestamps", "Values")
_TITLES = ("Datapoints", "MetricDataResults", "Messages", *_LISTS)
_OF_JSON = re.compile(r'[\[\]{},"]')
_Fields: TypeAlias = dict[str, tuple[str, int]]
"""Values and their lines, by name."""


def sniff(head: str) -> bool | None:
    """Return whether the text has the title of a list of points or of events."""
    if head.lstrip().startswith(("{", "[")):
        names = {match["name"] for match in _FIELD.finditer(head)} if _SOURCE in head else ()
        return set(names) >= set(_OF_EVENT[:3])
    return any(word in head for word in _WORDS) and _SIGNS.search(head) is not None


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every point and every event; a line that is none of them is skipped."""
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        text = line[:_LONGEST].strip()
        if not text or _RULE.fullmatch(text):
            continue
        if match := _BARS.match(text):
            cells = [cell.strip() for cell in match["inside"].split("|")]
            reader.box(number, len(match["bars"]), cells)
        elif match := _TAG.match(text):
            reader.tagged(number, match["tag"], match["rest"] or "")
        elif fields := list(_FIELD.finditer(line)):
            for field in fields:
                reader.pair(number, field["name"], _decoded(field["value"]))
        elif not (_SKIPPED_TAGS.match(text) or _OF_JSON.match(text) or reader.title(text)):
            yield Skipped(number, number, "no part of an answer of aws")
        yield from reader.drain()
    yield from reader.end()


class _Reader:
    """Collects points until their metric ends, and the fields of an event until it ends."""

    def __init__(self) -> None:
        self._label = "unnamed"
        self._family = "cloudwatch"
        self._labels: tuple[tuple[str, str], ...] = ()
        self._points: list[Point] = []
        self._list = ""
        """The list whose items follow: Timestamps or Values."""
        self._times: list[str] = []
        self._names: dict[int, list[str]] = {}
        """The header of a table, by its depth."""
        self._event: _Fields = {}
        self._ready: list[Item] = []

    def drain(self) -> list[Item]:
        ready, self._ready = self._ready, []
        return ready

    def end(self) -> list[Item]:
        self._end_metric()
        self._end_event()
        return self.drain()

    def box(self, line: int, depth: int, cells: list[str]) -> None:
        """Read a row of a box: a title or an item, a name and its value, or cells of a table."""
        if len(cells) == 1:
            self._names.pop(depth, None)
            if not self._item(line, cells[0]):
                self.title(cells[0])
        elif "Timestamp" in cells or "Date" in cells[1:]:
            self._names[depth] = cells
        elif len(names := self._names.get(depth, [])) == len(cells):
            self._row(line, dict(zip(names, cells, strict=True)))
        elif len(cells) == _PAIR:
            self.pair(line, *cells)

    def title(self, text: str) -> bool:
        """Read a line of one name: what follows belongs to it."""
        if len(text.split()) != 1:
            return False
        if text == "Events":
            self._end_event()
        elif text in _LISTS:
            self._list = text
        elif text not in _TITLES and not text.startswith(("GetMetric", "Describe")):
            self._begin_metric(text)
        if text == "MetricDataResults":
            self._end_metric()
        return True

    def tagged(self, line: int, tag: str, rest: str) -> None:
        """Read a line of `--output text`: the name of a list, and one of its items."""
        if tag == "METRICDATARESULTS":
            cells = _GAP.split(rest)
            self._begin_metric(cells[1] if len(cells) > 1 else rest.split()[-1])
        elif tag == "EVENTS":
            self._end_event()
            if match := _EVENT.match(rest):
                values = zip(_OF_EVENT, match.groups(), strict=True)
                self._event = {name: (value, line) for name, value in values}
        elif tag == "DATAPOINTS":
            self._datapoint(line, rest.split())
        elif tag == "METRICLIST":
            self._end_metric()
        elif tag == "KEY":
            self._label, self._family = rest.strip()[:_LONGEST_LABEL] or "unnamed", "metric"
        elif tag == "DIMENSIONS":
            self._labels = (_dimension(rest),)
        else:
            self._list = tag.capitalize()
            for cell in rest.split():
                self._item(line, cell)

    def _item(self, line: int, text: str) -> bool:
        if self._list == "Timestamps" and read_stamp(text):
            self._times.append(text)
            return True
        value = decimal(text) if self._list == "Values" else None
        if value is not None and self._times:
            self._points.append(Point(self._times.pop(0), "", value, "", line))
        return value is not None

    def pair(self, line: int, name: str, value: str) -> None:
        """Read a name and its value: the label of a metric, or a field of an event."""
        if name == "Label":
            self._begin_metric(value)
        elif name in _OF_EVENT:
            if name in self._event:
                self._end_event()
            self._event[name] = value, line

    def _row(self, line: int, cells: dict[str, str]) -> None:
        if "Timestamp" not in cells:
            self._end_event()
            self._event = {name: (cell, line) for name, cell in cells.items()}
            return
        for name, cell in cells.items():
            if name not in ("Timestamp", "Unit") and (value := decimal(cell)) is not None:
                point = Point(cells["Timestamp"], name, value, cells.get("Unit", ""), line)
                self._points.append(point)

    def _datapoint(self, line: int, cells: list[str]) -> None:
        """Read the numbers, the time and the unit of a point, whose statistics have no names."""
        stamp = next((cell for cell in cells if read_stamp(cell) and decimal(cell) is None), "")
        numbers = [value for cell in cells if (value := decimal(cell)) is not None]
        unit = cells[-1] if cells and cells[-1].isalpha() else ""
        for at, value in enumerate(numbers if stamp else ()):
            self._points.append(Point(stamp, str(at + 1) if at else "", value, unit, line))

    def _begin_metric(self, label: str) -> None:
        self._end_metric()
        self._label = label[:_LONGEST_LABEL]

    def _end_metric(self) -> None:
        self._ready += datapoints(self._label, self._points, self._family, self._labels)
        self._label, self._points, self._times, self._list = "unnamed", [], [], ""
        self._family, self._labels = "cloudwatch", ()

    def _end_event(self) -> None:
        event, self._event = self._event, {}
        message, _ = event.get("Message", ("", 0))
        if not message:
            return
        date, _ = event.get("Date", ("", 0))
        wall, clock = read_stamp(date) or (None, None)
        lines = [line for _, line in event.values()]
        self._ready.append(
            Event(
                line_first=min(lines),
                line_last=max(lines),
                host=event.get("SourceIdentifier", ("", 0))[0] or None,
                wall_us=wall,
                clock=clock,
                kind="restart" if "restarted" in message.lower() else "log",
                severity="note",
                subsystem="RDS",
                message=message,
                original=date or None,
            )
        )


_PAIR = 2
_LONGEST_LABEL = 200


def _dimension(text: str) -> tuple[str, str]:
    """Return the label of a metric: a wait by its first value, else what is printed."""
    value = _GAP.split(text)[0][:_LONGEST_LABEL]
    return ("db.wait_event.name" if "/" in value or value == "CPU" else "dimension", value)


def _decoded(text: str) -> str:
    value = json_value(text)
    return text.strip('"') if value is None else str(value)


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
