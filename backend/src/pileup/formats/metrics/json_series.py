"""Answers of monitoring services: a JSON document in which points lie below what names them.

Source: Performance Insights (get-resource-metrics), Enhanced Monitoring of RDS, Datadog, Azure
        Monitor, Google Cloud Monitoring, Graphite; no two agree: points are found by their times.
            {"Key": {"Metric": "db.load.avg"},
             "DataPoints": [{"Timestamp": "2024-05-14T09:11:00+00:00", "Value": 4.5}]}
            {"metric": "mysql.performance.threads_running", "pointlist": [[1715677920000, 4]]}
            {"instanceID": "db-1", "timestamp": "2024-05-14T09:12:00Z",
             "cpuUtilization": {"total": 96.7}}
Yields: gauges named metric.<name>, or metric.<name>.<key> where a point has several numbers. A
        short text beside the points, or around them, is a label if it tells series apart. null and
        booleans are no samples.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from pileup.formats.reading.series_columns import GaugeKey, Points, decimal, gauges, number_of
from pileup.formats.reading.timestamps import read_stamp
from pileup.json_values import json_value
from pileup.records import Clock, Item, Problem

NAME = "json-series"
TITLE = "Series as nested JSON"
GIVES = "Gauges `metric.<name>`; short texts beside the points are labels."
PRINTED_BY = (
    "Performance Insights, Enhanced Monitoring, Datadog, Azure Monitor, Google Cloud Monitoring, "
    "Graphite"
)
VERSION = 1
HINTS = (".json",)
LONG_LINES = True
ONLY_UNCLAIMED = True

_MOST_TEXT = 16 * 1024 * 1024
_DEEPEST = 24
_MOST_LABELS, _LONGEST_LABEL = 8, 100
_LEAST_POINTS = 2
_PIECE = 256 * 1024
"""Characters from which on a line may be a piece of a longer one, which goes on in the next."""
_MOST_MISSES = 100
"""Times of points that are looked for from the beginning; each costs a pass over the document."""
_TIMES = ("timestamp", "time", "@timestamp", "ts", "datetime", "date", "endtime", "starttime")
_NAMES = ("metric", "metricname", "__name__", "name", "type", "target", "label", "displayname")
_VALUES = frozenset(
    (
        *("value", "val", "v", "y", "average", "avg", "mean", "maximum", "max", "minimum", "min"),
        *("total", "sum", "last", "doublevalue", "int64value"),
    )
)
_HOSTS = ("host", "hostname", "instance", "instanceid", "server", "node", "databaseid")
_TEXTS = frozenset(("msg", "message", "log", "textpayload", "jsonpayload", "query", "sql", "info"))
_HOST_OF_SCOPE = re.compile(r"(?:^|,)(?:host|hostname|instance):([\w.-]{1,100})")
_TIME = re.compile(
    r'"(?:[a-z@]*time(?:stamp)?|ts|date|datetime)"\s*:\s*(?:"[^"]{8,40}"|\d{10})|\[\s*\d{10,13}(?:\.\d+)?\s*,'
    r"|,\s*\d{10,13}(?:\.\d+)?\s*\]",
    re.IGNORECASE,
)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{},]')

_Labels: TypeAlias = tuple[tuple[str, str], ...]


def sniff(head: str) -> bool | None:
    """Return whether a document has points: times, with numbers beside or below them."""
    if not head.lstrip().startswith(("{", "[")) or not _TIME.search(head):
        return False
    points = list(_points_of(head))
    return any(point.values for point in points) and not any(point.is_text for point in points)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the numbers of every point in the documents of a file."""
    text, starts, is_whole = _joined(lines)
    if not is_whole:
        yield Problem(
            len(starts),
            f"Only the first {_MOST_TEXT // 1024 // 1024} MB are read. Export a shorter period.",
        )
    rows: list[_Row] = []
    at = misses = 0
    for point in _points_of(text):
        place = text.find(point.printed, at) if misses < _MOST_MISSES else -1
        if place < 0 and misses < _MOST_MISSES:
            misses += 1
            place = text.find(point.printed)
        at = at if place < 0 else place
        line = max(1, bisect.bisect_right(starts, at))
        rows += (
            _Row(name, point.host, labels, point.clock, point.wall_us, value, line)
            for name, labels, value in point.values
        )
    yield from _series(rows)


class _Row(NamedTuple):
    """A number of a point."""

    name: str
    host: str | None
    labels: _Labels
    clock: Clock
    wall_us: int
    value: float
    line: int


def _series(rows: list[_Row]) -> Iterator[Item]:
    """Yield the series of the numbers, each in order of time."""
    keys = _telling(rows)
    points: defaultdict[GaugeKey, Points] = defaultdict(lambda: ([], [], []))
    for row in sorted(rows, key=lambda row: row.wall_us):
        labels = tuple(pair for pair in row.labels if pair[0] in keys)
        walls, values, lines = points[row.name, row.host, labels, row.clock]
        walls.append(row.wall_us)
        values.append(row.value)
        lines.append(row.line)
    yield from gauges(points)


def _telling(rows: list[_Row]) -> set[str]:
    """Return the keys of labels that tell series apart.

    A text that all points have says nothing; one that is another at each time is a value.
    """
    texts: defaultdict[str, set[str]] = defaultdict(set)
    at_times: defaultdict[str, set[tuple[int, str]]] = defaultdict(set)
    count: Counter[str] = Counter()
    for row in rows:
        for key, text in row.labels:
            texts[key].add(text)
            at_times[key].add((row.wall_us, text))
            count[key] += 1
    return {
        key
        for key, values in texts.items()
        if (len(values) > 1 or count[key] < len(rows)) and not 1 < len(values) == len(at_times[key])
    }


def _joined(lines: Iterable[str]) -> tuple[str, list[int], bool]:
    """Join lines up to the limit: the text, each line's offset, and whether the text is whole."""
    parts: list[str] = []
    starts: list[int] = []
    size = 0
    for line in lines:
        if size >= _MOST_TEXT:
            return "".join(parts), starts, False
        starts.append(size)
        parts.append(line if len(line) >= _PIECE else f"{line}\n")
        size += len(parts[-1])
    return "".join(parts), starts, True


class _Point(NamedTuple):
    printed: str
    """Its time, as printed."""
    wall_us: int
    clock: Clock
    host: str | None
    values: list[tuple[str, _Labels, float]]
    """Name, labels and value of each of its numbers."""
    is_text: bool
    """It has a message: it is a line of a log."""


@dataclass(frozen=True, slots=True)
class _Around:
    """What names the points below a place of a document."""

    name: str = ""
    labels: _Labels = ()
    host: str | None = None


def _points_of(text: str) -> Iterator[_Point]:
    """Yield the points of a document, of one per line, or of one that is cut."""
    whole = json_value(text)
    if whole is None:
        whole = [json_value(line) for line in text.split("\n") if line.lstrip().startswith("{")]
        if not any(isinstance(item, dict) for item in whole):
            whole = json_value(_closed(text))
    yield from _walk(whole, _Around(), _DEEPEST)


def _closed(text: str) -> str:
    """Cut a document behind its last complete value, and close what is open there."""
    opened: list[str] = []
    best, closing = 0, ""
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "[{":
            opened.append("]" if mark == "[" else "}")
        elif mark in "]}":
            if not opened or opened.pop() != mark:
                break
            best, closing = token.end(), "".join(reversed(opened))
        elif mark == ",":
            best, closing = token.start(), "".join(reversed(opened))
        if len(opened) > _DEEPEST:
            break
    return text[:best] + closing


def _walk(node: Any, around: _Around, depth: int) -> Iterator[_Point]:
    if depth == 0:
        return
    if isinstance(node, list):
        pairs = _pairs(node)
        for printed, (wall_us, clock), value in pairs:
            values = [(around.name or "value", around.labels, value)] if value is not None else []
            yield _Point(printed, wall_us, clock, around.host, values, is_text=False)
        for item in node if not pairs else ():
            yield from _walk(item, around, depth - 1)
    elif isinstance(node, dict):
        stamp = _stamp(node)
        if stamp is not None:
            yield _point(node, stamp, around, depth)
            return
        around = _below(node, around)
        for value in node.values():
            if isinstance(value, list | dict):
                yield from _walk(value, around, depth - 1)


def _stamp(node: dict[str, Any]) -> tuple[str, tuple[int, Clock]] | None:
    """Return the time of an object as printed and as read; None where it has none, or points."""
    by_lower = {key.lower(): value for key, value in node.items()}
    for name in _TIMES:
        value = by_lower.get(name)
        if isinstance(value, dict):  # {"date": "2024-06-01", "time": "10:01:02", "utc": 1}
            day, hour = value.get("date"), value.get("time")
            if isinstance(day, str) and (read := read_stamp(f"{day} {hour}")):
                return str(hour), (read[0], "utc" if value.get("utc") else read[1])
        if isinstance(value, str | int | float) and (read := read_stamp(str(value))):
            return str(value), read
    interval = by_lower.get("interval")
    return _stamp(interval) if isinstance(interval, dict) else None


def _pairs(node: list[Any]) -> list[tuple[str, tuple[int, Clock], float | None]]:
    """Return the points of a list of pairs of a time and a value, in either order."""
    if not node or not all(isinstance(item, list) and len(item) == 2 for item in node):
        return []
    for at in (0, 1):
        stamps = [read_stamp(str(item[at])) for item in node]
        if all(stamp is not None for stamp in stamps):
            return [
                (str(item[at]), stamp, number_of(item[1 - at]))
                for item, stamp in zip(node, stamps, strict=True)
                if stamp is not None
            ]
    return []


def _point(
    node: dict[str, Any], stamp: tuple[str, tuple[int, Clock]], around: _Around, depth: int
) -> _Point:
    """Read an object with a time: its numbers, also those of objects inside of it."""
    here = _below(node, around)
    values: list[tuple[str, _Labels, float]] = []
    _numbers(node, "", here.labels, values, depth)
    is_one = len(values) == 1 and (here.name or _is_value(values[0][0]))
    named = [
        (_name(here.name, "" if is_one else path) or path, labels, value)
        for path, labels, value in values
    ]
    is_text = any(key.lower() in _TEXTS for key in node)
    return _Point(stamp[0], *stamp[1], here.host, named, is_text)


def _name(name: str, path: str) -> str:
    return f"{name}.{path}" if name and path else name or path


def _is_value(path: str) -> bool:
    """Return whether a key says 'value', by any of its names."""
    return path.rpartition(".")[2].lower() in _VALUES


def _numbers(
    node: Any,
    path: str,
    labels: _Labels,
    values: list[tuple[str, _Labels, float]],
    depth: int,
) -> None:
    """Add the numbers of a point, named by their keys."""
    if depth == 0:
        return
    if isinstance(node, list):
        for item in node:
            own = _texts(item) if isinstance(item, dict) else []
            _numbers(item, path, _labels(labels, own), values, depth - 1)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key.lower() not in _TIMES:
                _numbers(value, f"{path}.{key}" if path else key, labels, values, depth - 1)
    elif (value := number_of(node)) is not None:
        values.append((path, labels, value))


def _below(node: dict[str, Any], around: _Around) -> _Around:
    """Return what names the points below an object: its texts, beside those around it."""
    texts = _texts(node)
    for key, value in node.items():
        if isinstance(value, dict):
            texts += ((_joint_key(key, inner), text) for inner, text in _texts(value))
            for item in value.values():
                texts += _texts(item)
    by_lower = {_plain(key): (key, text) for key, text in reversed(texts)}
    named = next((by_lower[name] for name in _NAMES if name in by_lower), None)
    host = next((by_lower[name][1] for name in _HOSTS if name in by_lower), around.host)
    if scope := _HOST_OF_SCOPE.search(by_lower.get("scope", ("", ""))[1]):
        host = scope[1]
    taken = {*_HOSTS, "scope", *_TIMES}
    own = [
        (key, text)
        for key, text in texts
        if _plain(key) not in taken and (named is None or text != named[1])
    ]
    return _Around(named[1] if named else around.name, _labels(around.labels, own), host)


def _joint_key(outer: str, inner: str) -> str:
    """Name a text inside of an object: {"metric": {"type": ...}}, {"name": {"value": ...}}."""
    both_name = _plain(outer) in _NAMES and _plain(inner) in _NAMES
    return outer if both_name or _plain(inner) in _VALUES else inner


def _plain(key: str) -> str:
    return key.lower().replace("_", "")


def _texts(node: Any) -> list[tuple[str, str]]:
    if not isinstance(node, dict):
        return []
    return [
        (key, value)
        for key, value in node.items()
        if isinstance(value, str) and 0 < len(value) <= _LONGEST_LABEL and decimal(value) is None
    ]


def _labels(labels: _Labels, more: list[tuple[str, str]]) -> _Labels:
    return tuple(sorted(dict((*labels, *more)).items())[:_MOST_LABELS])
