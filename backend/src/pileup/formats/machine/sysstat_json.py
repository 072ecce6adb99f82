"""iostat and mpstat as JSON: the same series as their text.

Source: ``iostat -o JSON`` and ``mpstat -o JSON`` of sysstat 11.5 and later: hosts with a list of
        statistics, each with a timestamp, the CPU, and the disks or CPUs.
            {"timestamp": "11/20/26 22:19:10", "avg-cpu": {"user": 1.0}, "disk": [{"disk_device":
Yields: iostat.<column> with label device, iostat.cpu_<column>; mpstat.<column> with label cpu.
Time:   local, as printed; else reports are a nominal second apart. The first of several reports of
        iostat is the average since boot and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pileup.formats.machine.parts.sysstat import DayClock, stamp
from pileup.formats.reading import json_text
from pileup.formats.reading.series_columns import Columns, Labels, number_of
from pileup.formats.reading.timestamps import read_stamp
from pileup.json_values import json_value
from pileup.records import Clock, Item

NAME = "sysstat-json"
TITLE = "iostat or mpstat as JSON"
GIVES = "Each column per device and CPU: the same `iostat.*` and `mpstat.*` as of the text."
PRINTED_BY = "sysstat 11.5 and later: `iostat -o JSON`, `mpstat -o JSON`"
VERSION = 1
HINTS = ("iostat.json", "mpstat.json")
LONG_LINES = True

_TEXT = r'"(?P<key>timestamp|date)"\s*:\s*"(?P<text>[^"]{1,60})"'
_PART = re.compile(
    rf'{_TEXT}|(?P<object>\{{[^{{}}"]*+(?:"(?:disk_device|user|cpu)"\s*:)[^{{}}]*+\}})'
)
_SNIFF = re.compile(r'"(?:avg-cpu|disk|cpu-load)"\s*:\s*[\[{]')
_OF_SADF = re.compile(r'"timestamp"\s*:\s*\{')
"""The time of sadf -j, which prints all that sar knows under other names."""
_DEVICE, _CPU = "disk_device", "cpu"
_IN_KIB = ("MB_read", "MB_wrtn", "MB_dscd", "MB_w+d", "rMB", "wMB", "dMB")
_LEAST_READ = 2
"""Reports after which the first is known to be the average since boot."""


def sniff(head: str) -> bool | None:
    """Return whether the text is JSON with the names of sysstat's lists."""
    named = '"statistics"' in head or '"disk_device"' in head
    return named and bool(_SNIFF.search(head[:16_384])) and not _OF_SADF.search(head)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the series of every report."""
    reader = _Reader()
    for match, number in json_text.matches(lines, _PART):
        if match["object"] is None:
            reader.text(match["key"], match["text"])
        elif isinstance(values := json_value(match["object"]), dict):
            reader.add(values, number)
            if reader.columns.full:
                yield from reader.columns.flush()
    yield from reader.end()


class _Reader:
    def __init__(self) -> None:
        self.columns = Columns()
        self._since_boot = Columns()
        """The values of the first report of iostat, which count if it is the only one."""
        self._day = DayClock()
        self._printed: tuple[int | None, Clock] | None = None
        self._reports = 0
        self._devices: set[str] = set()
        self._is_counted = False
        """The current report has begun: by its time or its CPU table."""

    def text(self, key: str, text: str) -> None:
        """Take the date of a host, or the time of the next report."""
        if key == "date":
            self._day.begin(text)
            return
        self._printed = read_stamp(text)
        if self._printed is None:
            wall = self._day.wall(text)
            wall = stamp(text) if wall is None else wall
            self._printed = None if wall is None else (wall, "local")
        self._begin()
        self._is_counted = True

    def add(self, values: dict[str, Any], line: int) -> None:
        """Add an object: the CPU or a device of iostat, or a CPU of mpstat."""
        labels: Labels = ()
        if isinstance(device := values.pop(_DEVICE, None), str):
            if device in self._devices or not self._reports:
                self._begin()
            self._devices.add(device)
            tool, labels = "iostat.", (("device", device),)
        elif isinstance(cpu := values.pop(_CPU, None), str):
            tool, labels = "mpstat.", (("cpu", cpu),)
            self._reports = self._reports or 1
        else:
            if not self._is_counted:
                self._begin()
            tool = "iostat.cpu_"
        self._is_counted = False
        wall, clock = self._moment()
        is_first = tool != "mpstat." and self._reports == 1
        columns = self._since_boot if is_first else self.columns
        for name, value in values.items():
            if (number := number_of(value)) is None and value is not None:
                continue
            series, unit = name, "%" if tool != "iostat." or name == "util" else None
            if number is not None and name.split("/")[0] in _IN_KIB:
                series, number = name.replace("MB", "kB"), number * 1024
            if series.endswith("/s"):
                unit = "KiB/s" if "kB" in series else "1/s"
            columns.add(
                f"{tool}{series}", number, wall=wall, clock=clock, line=line, unit=unit,
                labels=labels,
            )  # fmt: skip

    def _begin(self) -> None:
        self._reports += 1
        self._devices.clear()

    def _moment(self) -> tuple[int | None, Clock]:
        return self._printed or (max(0, self._reports - 2) * 1_000_000, "relative")

    def end(self) -> Iterator[Item]:
        """Yield what is left; the only report counts, though it may be since boot."""
        if self._reports < _LEAST_READ:
            yield from self._since_boot.flush()
        yield from self.columns.flush()
