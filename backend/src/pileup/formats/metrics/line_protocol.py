"""Line protocol of InfluxDB: what Telegraf and scripts write to a file.

Source: measurement, tags, fields and a time of nanoseconds.
            mysql,server=db-7 threads_running=412i,connections=1998i 1717236062000000000
        The text that Graphite takes: a path, a value, an epoch.
            servers.db-7.mysql.threads_running 412 1717236062
Yields: gauges named metric.<measurement>_<field> with the tags as labels; a tag that names a host
        is the host. Texts and booleans are no samples.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import GaugeKey, Labels, Points, gauges
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Item, Skipped

NAME = "line-protocol"
TITLE = "InfluxDB line protocol"
GIVES = "Gauges `metric.<measurement>_<field>` with the tags as labels."
PRINTED_BY = "Telegraf (`outputs.file`), InfluxDB; Graphite's text"
VERSION = 2
HINTS = (".influx", ".lp")

_LINE = re.compile(
    r"(?P<measurement>[A-Za-z][\w.-]{0,100})(?P<tags>(?:,[\w.-]{1,64}=[^\s,=]{1,200}){0,40}) "
    r"(?P<fields>[A-Za-z_][\w.:-]{0,100}=\S.{0,20000}?) (?P<time>\d{10}(?:\d{3}){0,3})\s*$"
)
_FIELD = re.compile(
    r"(?P<name>[A-Za-z_][\w.:-]{0,100})=(?:(?P<value>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)[iu]?"
    r"|\"(?:[^\"\\]|\\.)*\"|[A-Za-z]+)(?:,|$)"
)
_GRAPHITE = re.compile(
    r"(?P<name>[A-Za-z][\w-]{0,100}(?:\.[\w:%/-]{1,100}){1,20}) "
    r"(?P<value>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) (?P<time>1\d{9})\s*$"
)
_HOSTS = ("host", "server", "hostname", "instance")
_LONGEST = 32 * 1024
_FLUSH = 100_000


def sniff(head: str) -> bool | None:
    """Return whether nine of ten lines are of the protocol."""
    lines = [line for line in head.split("\n")[:50] if line.strip() and not line.startswith("#")]
    fits = sum(bool(_match(line) or _GRAPHITE.match(line[:_LONGEST])) for line in lines)
    return fits > 0 and fits >= 0.9 * (len(lines) - 1)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the numbers of every line."""
    points: defaultdict[GaugeKey, Points] = defaultdict(lambda: ([], [], []))
    held = 0

    def flush() -> Iterator[Item]:
        yield from gauges(points)
        points.clear()

    for number, text in enumerate(lines, start=1):
        match = _match(text)
        if match is None and (sample := _GRAPHITE.match(text[:_LONGEST])):
            walls, values, numbers = points[sample["name"], None, (), "utc"]
            walls.append(int(sample["time"]) * 1_000_000)
            values.append(float(sample["value"]))
            numbers.append(number)
            held += 1
            continue
        stamp = read_stamp(match["time"]) if match else None
        if match is None or stamp is None:
            if text.strip() and not text.startswith("#"):
                yield Skipped(number, number, "not a line of the protocol")
            continue
        host, labels = _tags(match["tags"])
        for field in _FIELD.finditer(match["fields"]):
            if field["value"] is not None:
                name = f"{match['measurement']}_{field['name']}"
                walls, values, numbers = points[name, host, labels, stamp[1]]
                walls.append(stamp[0])
                values.append(float(field["value"]))
                numbers.append(number)
                held += 1
        if held >= _FLUSH:
            yield from flush()
            held = 0
    yield from flush()


def _tags(text: str) -> tuple[str | None, Labels]:
    """Return the host that a tag names, and the other tags."""
    tags = dict(tag.split("=", 1) for tag in text.split(",")[1:])
    name = next((name for name in _HOSTS if name in tags), None)
    host = tags.pop(name) if name else None
    return host, tuple(sorted(tags.items()))


def _match(text: str) -> re.Match[str] | None:
    return _LINE.match(text) if len(text) <= _LONGEST else None
