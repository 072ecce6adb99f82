"""Responses of the Prometheus HTTP API: range queries (matrix) and instant queries (vector).

Source: /api/v1/query_range and /api/v1/query; also Thanos, Mimir and VictoriaMetrics.
            {"metric":{"__name__":"mysql_up","instance":"db1:9104"},"values":[[1795213154,"1"],
Yields: mysql.<Variable> for status variables that mysqld_exporter scraped, metric.<name> for the
        rest; the host is the label node_name, else instance. The result of an expression such as
        rate(...) has no name: metric.unnamed, a gauge.
Note:   "NaN" and "+Inf" are not known (null). A point that is missing is a hole, never filled: a
        stalled server leaves one exactly during the pileup.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from pileup.formats.metrics.parts.prometheus_names import Metric, make_metric
from pileup.formats.reading import json_text
from pileup.formats.reading.series_columns import decimal, microseconds
from pileup.json_values import json_value
from pileup.records import Item, Problem, Samples, Section

NAME = "prometheus-json"
TITLE = "Prometheus query result (JSON)"
GIVES = (
    "Series in UTC: `mysql.<Variable>` of mysqld_exporter, `metric.<name>` of others; "
    "holes stay holes."
)
PRINTED_BY = "`/api/v1/query_range`, `/api/v1/query`; Thanos, Mimir, VictoriaMetrics"
VERSION = 2
HINTS = (".json",)
LONG_LINES = True
"""One line may be the whole document: it comes in pieces, whose concatenation is the line."""

_POINT = r'\[\s*(?P<time>\d{9,13}(?:\.\d{1,9})?(?:e\+?\d+)?)\s*,\s*"(?P<value>[^"]{1,40})"\s*\]'
_TOKEN = re.compile(
    r'"metric"\s*:\s*(?P<metric>\{(?:[^{}"]|"(?:[^"\\]|\\.)*+")*+\})'
    r"|(?P<run>\[\d[^\[\]]*+\](?:,\[\d[^\[\]]*+\])++)"
    rf"|{_POINT}"
)
_ONE = re.compile(_POINT)
_DIGITS = b"0123456789.-+e"
_WHOLE_TIME = re.compile(r"\d{9,13}(?:\.\d{1,9})?")
_ERROR = re.compile(r'"status"\s*:\s*"error"')
_NO_FRAME = str.maketrans("", "", '[]"')
_LONGEST_VALUE = 40
_FLUSH = 100_000
_MOST_REPORTED = 20


def sniff(head: str) -> bool | None:
    """Return whether the text is a response, or its series alone (jq .data.result)."""
    start = head.lstrip()[:4000]
    if not start.startswith(("{", "[")):
        return False
    if re.search(r'"resultType"\s*:\s*"(matrix|vector|scalar)"', start):
        return True
    if re.match(r'\{\s*"status"\s*:\s*"(success|error)"', start):
        return '"data"' in start or '"errorType"' in start
    return bool(
        re.match(r'\[?\s*\{\s*"metric"\s*:\s*\{', start) and re.search(r'"values?"\s*:\s*\[', start)
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every point of every series, in the order printed."""
    item = _Series(None)
    count = series = 0
    seen = _Seen(lines)
    for match, window in json_text.windowed(seen, _TOKEN):
        if match["metric"] is None:
            for problem in item.points(match, window):
                if count < _MOST_REPORTED:
                    count += 1
                    yield problem
                if len(item.values) >= _FLUSH:
                    yield from item.flush()
            if len(item.values) >= _FLUSH:
                yield from item.flush()
            continue
        number = window.line_at(match.start())
        yield from item.flush()
        labels = json_value(match["metric"], dict[str, str])
        if labels is None:
            yield Problem(number, "The labels of a series are unreadable.")
            labels = {}
        metric = make_metric(labels.get("__name__", ""), labels)
        item = _Series(metric)
        series += 1
        if series <= 200:
            title = metric.series + (f" of {metric.host}" if metric.host else "")
            yield Section(title, number, number)
    yield from item.flush()
    if _ERROR.search(seen.start):
        yield Problem(
            1,
            "Prometheus returned an error: there are no samples in this file.",
            found=seen.start[:200],
            severity="error",
        )
    if not seen.last.rstrip().endswith(("}", "]")):
        yield Problem(
            seen.count,
            "The document ends before its last bracket; the samples before it are kept. "
            "Run the query again for the rest.",
        )


class _Seen:
    """Iterator over lines that remembers how the text begins and ends."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.start = ""
        self.last = ""
        self.count = 1

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self._lines, start=1):
            if len(self.start) < 1000:
                self.start += line[:1000]
            if line.strip():
                self.last, self.count = line, number
            yield line


class _Series:
    """The points of one series since the last flush."""

    def __init__(self, metric: Metric | None) -> None:
        self.metric = metric or make_metric("", {})
        self.walls: list[int | None] = []
        self.values: list[float | None] = []
        self.lines: list[int] = []

    def points(self, match: re.Match[str], window: json_text.Window) -> Iterator[Problem]:
        """Add a point, or a run of points without spaces, those of a line at once."""
        at, end = match.span()
        while at < end:
            stop = min(end, window.line_end(at))
            if stop < end:  # a point belongs to the line that it begins on
                following = window.text.find("[", stop, end)
                stop = end if following < 0 else following
            number = window.line_at(at)
            if match["run"] is None or not self._plain(number, window.text[at:stop].rstrip(",")):
                for item in _ONE.finditer(window.text, at, stop):
                    problem = self.point(number, item["time"], item["value"])
                    if problem:
                        yield problem
            at = stop

    def _plain(self, number: int, text: str) -> bool:
        """Add points that are plain numbers; return False if one of them is anything else."""
        count = text.count("[")
        if text.encode().translate(None, _DIGITS) != b",".join([b'[,""]'] * count):
            return False
        cells = text.translate(_NO_FRAME).split(",")
        times, values = cells[::2], cells[1::2]
        if max(map(len, values)) > _LONGEST_VALUE:
            return False
        try:
            read = list(map(float, values))
        except ValueError:
            return False
        if not math.isfinite(sum(read)):
            return False
        if set(map(len, times)) == {10} and "".join(times).isdecimal():
            self.walls += [1_000_000 * second for second in map(int, times)]
        elif all(map(_WHOLE_TIME.fullmatch, times)) and max(map(float, times)) <= 1e11:
            self.walls += [round(second * 1e6) for second in map(float, times)]
        else:
            return False
        self.values += read
        self.lines += [number] * count
        return True

    def point(self, number: int, time: str, value: str) -> Problem | None:
        """Add a point; return a Problem for a value that is no number, which stays null."""
        seconds = float(time)
        if seconds > 1e11:  # milliseconds, as VictoriaMetrics and Grafana print
            seconds /= 1000
        known = value in ("NaN", "+Inf", "-Inf", "Inf")
        read = None if known else decimal(value)
        self.walls.append(microseconds(seconds))
        self.values.append(read)
        self.lines.append(number)
        if read is None and not known:
            return Problem(number, "A value that is no number.", found=value[:200])
        return None

    def flush(self) -> Iterator[Item]:
        if self.values:
            yield Samples(
                series=self.metric.series,
                kind=self.metric.kind,
                unit=self.metric.unit,
                clock="utc",
                wall_us=self.walls,
                values=self.values,
                lines=self.lines,
                labels=self.metric.labels,
                host=self.metric.host,
            )
        self.walls, self.values, self.lines = [], [], []
