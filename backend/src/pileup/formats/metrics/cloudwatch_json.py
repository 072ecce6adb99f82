"""CloudWatch: responses of get-metric-statistics and get-metric-data, as the AWS CLI prints them.

Source: GetMetricStatistics (Label, Datapoints: Timestamp, Average, Sum, ..., Unit) and
        GetMetricData (MetricDataResults: Label, Timestamps, Values), Amazon CloudWatch API.
Yields: cloudwatch.<Label>, with the label stat where a statistic is named; gauges in UTC. The
        service returns datapoints in no order: they are sorted by time here.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Callable, Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.metrics.parts.cloudwatch_points import Point, datapoints
from pileup.formats.reading import json_text
from pileup.formats.reading.series_columns import number
from pileup.json_values import json_value
from pileup.records import Item, Problem, Samples, Section

NAME = "cloudwatch-json"
TITLE = "CloudWatch metrics (JSON)"
GIVES = "Gauges `cloudwatch.<Label>` in UTC, with the label stat."
PRINTED_BY = "`aws cloudwatch get-metric-statistics`, `get-metric-data`"
VERSION = 1
HINTS = (".json",)
LONG_LINES = True

_MOST_TEXT = 32 * 1024 * 1024
"""A response has at most 100,800 datapoints, about 10 MB."""
_LABEL = re.compile(r'"Label"\s*:\s*("(?:[^"\\]|\\.)*+")')
_RESULT = re.compile(
    r'"(?P<key>Id|Label|Timestamps|Values)"\s*:\s*'
    r'(?:(?P<text>"(?:[^"\\]|\\.)*+")|\[(?P<array>[^\]]*+)(?:\]|$))'
)
_ELEMENT = re.compile(r'"([^"]*)"|([^\s",]++)')
_LineOf = Callable[[int], int]


def sniff(head: str) -> bool | None:
    """Return whether the text is a response of either command."""
    start = head.lstrip()
    if not start.startswith("{"):
        return False
    if re.search(r'"MetricDataResults"\s*:\s*\[', start):
        return True
    return bool(re.search(r'"Datapoints"\s*:\s*\[', start) and '"Timestamp"' in start)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every datapoint of every document in the file."""
    text, starts, whole = _joined(lines)
    if not whole:
        yield Problem(
            len(starts),
            f"Only the first {_MOST_TEXT // 1024 // 1024} MB of the response are read. Query a "
            "shorter period.",
        )

    def line_of(at: int) -> int:
        return max(1, bisect.bisect_right(starts, at))

    has_samples = False
    for first, last, complete in _documents(text):
        body = text[first:last]
        if not complete:
            yield Problem(
                line_of(max(first, last - 1)),
                "The document ends before its last bracket; the samples before it are kept.",
            )
        reader = _results if '"MetricDataResults"' in body else _statistics
        for item in reader(body, first, line_of):
            has_samples = has_samples or isinstance(item, Samples)
            yield item
    if not has_samples:
        yield Problem(1, "There is no datapoint in this response.")


def _joined(lines: Iterable[str]) -> tuple[str, list[int], bool]:
    """Join lines up to the limit: the text, each line's offset, and whether the text is whole."""
    parts: list[str] = []
    starts: list[int] = []
    size = 0
    whole = True
    for line in lines:
        if size >= _MOST_TEXT:
            whole = False
            continue
        starts.append(size)
        parts.append(line)
        size += len(line)
    if not starts:
        raise FormatError("The file is empty.")
    return "".join(parts), starts, whole


def _documents(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield start, end and completeness of each JSON document: a file may hold several."""
    decoder = json.JSONDecoder()
    at = 0
    while (begin := text.find("{", at)) >= 0:
        try:
            _, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            yield begin, len(text), False
            return
        yield begin, end, True
        at = end


def _statistics(body: str, base: int, line_of: _LineOf) -> Iterator[Item]:
    match = _LABEL.search(body)
    label = str(json_value(match[1])) if match else "unnamed"
    if match:
        yield Section(label, line_of(base + match.start()), line_of(base + match.start()))
    points: list[Point] = []
    for item in json_text.OBJECT.finditer(body):
        found = json_value(item[0])
        if not isinstance(found, dict):
            continue
        unit = found["Unit"] if isinstance(found.get("Unit"), str) else ""
        line = line_of(base + item.start())
        points += (
            Point(str(found.get("Timestamp")), stat, float(value), unit, line)
            for stat, value in found.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        )
    yield from datapoints(label, points)


def _results(body: str, base: int, line_of: _LineOf) -> Iterator[Item]:
    label = "unnamed"
    times: list[str] = []
    for match in _RESULT.finditer(body):
        at = line_of(base + match.start())
        if match["key"] in ("Id", "Label"):
            if match["text"] and (match["key"] == "Label" or label == "unnamed"):
                label = str(json_value(match["text"]))
                yield Section(label, at, at)
            continue
        if match["array"] is None:
            continue
        inside = base + match.start("array")
        elements = list(_ELEMENT.finditer(match["array"]))
        if match["key"] == "Timestamps":
            times = [element[1] or element[2] or "" for element in elements]
            continue
        if len(times) != len(elements):
            yield Problem(
                at,
                f"{label} has {len(times)} times and {len(elements)} values; those "
                "without a partner are left out.",
            )
        points = [
            Point(time, "", value, "", line_of(inside + element.start()))
            for time, element in zip(times, elements, strict=False)
            if (value := number(element[2] or "")) is not None
        ]
        yield from datapoints(label, points)
        label, times = "unnamed", []
