"""docker stats and podman stats: the CPU and memory of containers.

Source: docker stats --no-stream (also a stream of listings), podman stats.
            9f1c2d3e4a5b   db   112.11%   3.1GiB / 4GiB   77.50%   1GB / 2GB   3GB / 4GB   88
Yields: container.cpu_pct, container.memory_pct and container.pids with label container.
Time:   none is printed; each listing is a nominal second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.series_columns import Columns
from pileup.records import Item, Skipped

NAME = "container-stats"
TITLE = "docker stats"
GIVES = "CPU, memory in percent of its limit and processes of each container (`container.*`)."
PRINTED_BY = "`docker stats`, `podman stats`"
VERSION = 1
HINTS = ("docker-stats.txt",)

_SIZE = r"\d{1,6}(?:\.\d{1,4})?[kKMGTP]?i?B"
_ROW = re.compile(
    r"\s*(?P<id>[0-9a-f]{4,64})\s+(?P<name>\S{1,120})\s+(?P<cpu>\d{1,6}\.\d{1,3})%\s+"
    rf"{_SIZE} / {_SIZE}\s+(?P<memory>\d{{1,4}}\.\d{{1,3}})%"
    rf"(?:\s+{_SIZE} / {_SIZE}\s+{_SIZE} / {_SIZE}\s+(?P<pids>\d{{1,7}}))?"
)
_HEAD = re.compile(
    r"\s*(?:\x1b\[[0-9;]{0,8}[A-Za-z])*(?:CONTAINER ID|ID)\s+NAME\s+CPU %\s+MEM USAGE"
)
_LONGEST = 500
_SECOND = 1_000_000


def sniff(head: str) -> bool | None:
    """Return whether a line is a row of such a listing."""
    return "iB / " in head and any(
        _ROW.match(line[:_LONGEST]) is not None for line in head.split("\n")[:200]
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the gauges of every row.

    Raises FormatError for a text without a row.
    """
    columns = Columns()
    listing = -1
    seen: set[str] = set()
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        match = _ROW.match(text)
        if match is None:
            if text.strip() and not _HEAD.match(text):
                yield Skipped(number, number, "no row of docker stats")
            continue
        if listing < 0 or match["id"] in seen:
            listing, seen = listing + 1, set()
        seen.add(match["id"])
        values = {"cpu_pct": "cpu", "memory_pct": "memory", "pids": "pids"}
        for name, group in values.items():
            if match[group] is not None:
                columns.add(
                    f"container.{name}",
                    float(match[group]),
                    wall=listing * _SECOND,
                    clock="relative",
                    line=number,
                    unit="%" if name.endswith("pct") else None,
                    labels=(("container", match["name"]),),
                )
        if columns.full:
            yield from columns.flush()
    if listing < 0:
        raise FormatError("No row of docker stats was found: expected a container and its shares.")
    yield from columns.flush()
