"""JSON samples: an array of flat objects, or one object per line, each with a time.

Source: scripts, log shippers and dashboards' APIs; no two agree, so the time is found by its key.
            {"time":"2026-11-20T22:19:10Z","host":"db1","threads_running":12,"qps":1830.5}
            {"ts":1795213150,"metric":"qps","value":1830.5}
Yields: gauges named metric.<key>, or metric.<metric> in long form; a short text in an object is a
        label. null, booleans and nested values are no samples.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from pileup.formats.reading import json_text
from pileup.formats.reading.series_columns import GaugeKey, Points, gauges, number_of
from pileup.formats.reading.timestamps import read_stamp
from pileup.json_values import json_value
from pileup.records import Clock, Item, Problem

NAME = "json-samples"
TITLE = "Samples as JSON objects"
GIVES = "Gauges `metric.<key>`; short texts are labels."
PRINTED_BY = "arrays of flat objects, or one object per line"
VERSION = 1
HINTS = (".json", ".jsonl", ".ndjson")
LONG_LINES = True

_TIMES = ("time", "timestamp", "@timestamp", "ts", "datetime", "date", "epoch", "at", "t")
_NAMES = ("metric", "name", "series", "metric_name", "__name__")
_VALUES = ("value", "val", "metric_value", "v")
_HOSTS = ("host", "hostname", "instance", "node", "node_name", "server")
_TEXTS = re.compile(r'"(?:msg|message|log|err_code|prio|level|query|sql|info)"\s*:', re.IGNORECASE)
_MOST_REPORTED = 100
_FLUSH = 100_000
_LONGEST_LABEL = 100


def sniff(head: str) -> bool | None:
    """Return whether the objects are flat, nearly all with time and number, none with a message."""
    if not head.lstrip().startswith(("{", "[")) or '"Datapoints"' in head:
        return False  # the latter is CloudWatch's
    matches = list(json_text.OBJECT.finditer(head[:16_384]))[:50]
    if not matches or any(_TEXTS.search(match[0]) for match in matches):
        return False
    good = sum(_row(match[0]) is not None for match in matches)
    return good >= 0.9 * len(matches)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the numbers of every flat object with a time."""
    points: defaultdict[GaugeKey, Points] = defaultdict(lambda: ([], [], []))
    held = count = 0

    def flush() -> Iterator[Item]:
        yield from gauges(points)
        points.clear()

    for match, number in json_text.matches(lines, json_text.OBJECT):
        row = _row(match[0])
        if row is None:
            if count < _MOST_REPORTED:
                count += 1
                yield Problem(
                    number,
                    "An object without a readable time and a number; it is left out.",
                    '{"time": "2026-11-20T22:19:10Z", "value": 1}',
                    match[0][:200],
                )
            continue
        wall, clock, host, labels, numbers_of = row
        for name, value in numbers_of:
            walls, values, numbers = points[name, host, labels, clock]
            walls.append(wall)
            values.append(value)
            numbers.append(number)
            held += 1
        if held >= _FLUSH:
            held = 0
            yield from flush()
    yield from flush()


def _row(text: str) -> _Row | None:
    """Return time, clock, host, labels and numbers of an object; None if it is no sample."""
    item = json_value(text)
    if not isinstance(item, dict):
        return None
    by_lower = {key.lower(): key for key in item}
    time_key = _find_key(_TIMES, by_lower)
    stamp = read_stamp(str(item[time_key])) if time_key is not None else None
    if stamp is None:
        return None
    host_key = _find_key(_HOSTS, by_lower)
    host = str(item[host_key]) if host_key is not None and item[host_key] else None
    taken = {time_key, host_key}
    name_key, value_key = _find_key(_NAMES, by_lower), _find_key(_VALUES, by_lower)
    if name_key and value_key and isinstance(item[name_key], str):
        taken |= {name_key, value_key}
        numbers = [(item[name_key], number_of(item[value_key]))]
    else:
        numbers = [
            (key, number_of(value))
            for key, value in item.items()
            if key not in taken and (value is None or _is_number(value))
        ]
    if all(value is None for _, value in numbers):
        return None
    return stamp[0], stamp[1], host, _labels(item, taken), numbers


def _find_key(names: Iterable[str], by_lower: dict[str, str]) -> str | None:
    """Return the object's key for the first of these names that it has, or None."""
    return next((by_lower[name] for name in names if name in by_lower), None)


def _labels(sample: dict[str, Any], taken: set[str | None]) -> _Labels:
    """Return the short texts of an object, sorted by key."""
    return tuple(
        sorted(
            (key, value)
            for key, value in sample.items()
            if key not in taken and isinstance(value, str) and len(value) <= _LONGEST_LABEL
        )
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_Labels = tuple[tuple[str, str], ...]
_Row = tuple[int, Clock, str | None, _Labels, list[tuple[str, float | None]]]
