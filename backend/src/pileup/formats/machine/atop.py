"""atop: the machine's load per interval, and the processes of each as a table.

Source: showhdrline.c and showlinux.c of atop 1.23 to 2.x, text mode (``atop -r``, ``atop 10``): a
        head with host and time, lines of cells between bars, then the processes. pmatop alike.
            CPL | avg1   0.05 | avg5    0.27 | avg15   0.31 | csw    21034 | intr    9127 |
Yields: atop.<line>_<cell> with label device (DSK, LVM, MDD, NET) or cpu: atop.cpu_sys (%; of the
        line CPU, which adds up the CPUs, as a share of all of them),
        atop.cpl_avg1, atop.mem_free (KiB), atop.dsk_busy (%), atop.dsk_avio (ms), atop.pag_swout;
        the table 'processes' of each interval.
Time:   local, as the head prints it. The first head of a session counts since boot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns, Labels, decimal
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Item, Skipped, Table

NAME = "atop"
TITLE = "atop"
GIVES = "CPU, load, memory, paging, disks and interfaces (`atop.*`); the processes as tables."
PRINTED_BY = "atop 1.23 to 2.x (`atop 10`, `atop -r`), pmatop"
VERSION = 1
HINTS = ("-atop", "atop.txt", "atop.log")
LINE_STARTS = r"ATOP - |(?:PRC|CPU|cpu|CPL|MEM|SWP|PAG|LVM|MDD|DSK|NET|PSI|NUM|NUC|NFM|NFC|NFS) \|"

# ATOP - leslie-desktop     2009/11/02  20:49:24               10 seconds elapsed
_HEAD = re.compile(
    r"ATOP - (?P<host>(?![A-Z][a-z]{2} [A-Z])[\w.-]{1,64})?\s*"
    r"(?P<time>\d{4}/\d\d/\d\d\s+\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]?\d [\d:]{8} \d{4})"
)
_LINE = re.compile(
    r"(?P<what>PRC|CPU|cpu|CPL|MEM|SWP|PAG|LVM|MDD|DSK|NET|PSI|NUM|NUC) \|(?P<cells>.*)"
)
_CELL = re.compile(
    r"\s*(?P<name>[a-z#][a-z#/+_-]*\d{0,2})\s+(?P<value>-?\d[\d.]*(?:e[+]?\d{1,2})?)\s*"
    r"(?P<unit>%|ms|s|[KMGTP]B?|[KMG]bps|[KMG]Hz)?\s*$"
)
_CPU = re.compile(r"\s*cpu(?P<cpu>\d{1,4})(?: w)?\s+(?P<wait>\d{1,4})%")
_PROCESSES = re.compile(r"\s*PID\s+.*\b(?:CMD|COMMAND)\b")
_OF_DEVICES = ("LVM", "MDD", "DSK", "NET")
_KIB = {"K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4}
_STATES = ("sys", "user", "irq", "idle", "wait", "steal")
_MOST_PROCESSES = 500
_LONGEST = 1_000
_LEAST_LINES = 2


def sniff(head: str) -> bool | None:
    """Return whether two lines of cells have the names and form of atop's."""
    lines = head.split("\n")[:200]
    cells = sum(line.count("|") >= 2 and _LINE.match(line[:_LONGEST]) is not None for line in lines)
    return cells >= _LEAST_LINES


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the series, and a Table of processes for each interval."""
    reader = _Reader()
    for number, raw in enumerate(lines, start=1):
        yield from reader.line(number, raw[:_LONGEST].rstrip())
    yield from reader.end()


class _Reader:
    def __init__(self) -> None:
        self._columns = Columns()
        self._printed: tuple[int, Clock] | None = None
        self._intervals = 0
        self._names: tuple[str, ...] = ()
        self._rows: list[tuple[str | None, ...]] = []
        self._first = self._last = 0

    def line(self, number: int, text: str) -> Iterator[Item]:
        """Read the next line."""
        if match := _HEAD.match(text):
            yield from self._end_table()
            self._printed = read_stamp(" ".join(match["time"].split()))
            self._intervals += 1
        elif match := _LINE.match(text):
            yield from self._end_table()
            self._cells(number, match["what"], match["cells"])
            if self._columns.full:
                yield from self._columns.flush()
        elif _PROCESSES.match(text):
            yield from self._end_table()
            self._names = tuple(text.split())
        elif self._names and text.strip():
            yield from self._process(number, text)
        elif text.strip(" |"):
            yield Skipped(number, number, "not a line of atop")

    def _process(self, number: int, text: str) -> Iterator[Item]:
        cells = text.split(None, len(self._names) - 1)
        if len(cells) != len(self._names) or not cells[0].isdecimal():
            yield Skipped(number, number, "not a process")
            return
        self._first, self._last = self._first or number, number
        if len(self._rows) < _MOST_PROCESSES:
            self._rows.append(tuple(cells))

    def _end_table(self) -> Iterator[Item]:
        if self._rows:
            at = self._printed
            yield Table(
                line_first=self._first,
                line_last=self._last,
                wall_us=at[0] if at else None,
                clock=at[1] if at else None,
                name="processes",
                columns=self._names,
                rows=tuple(self._rows),
            )
        self._names, self._rows, self._first = (), [], 0

    def _cells(self, number: int, what: str, text: str) -> None:
        cells = text.split("|")
        labels: Labels = ()
        if what in _OF_DEVICES:
            words = cells[0].split()
            if not words:
                return
            labels = (("device", words[0]),)
        elif what == "cpu":
            if (cpu := next(filter(None, map(_CPU.match, cells)), None)) is None:
                return
            labels = (("cpu", cpu["cpu"]),)
            self._add(number, "cpu_wait", float(cpu["wait"]), "%", labels)
        found = [match for cell in cells if (match := _CELL.match(cell))]
        share = _share(found) if what == "CPU" else 1.0
        for match in found:
            value, unit = _scaled(decimal(match["value"]), match["unit"])
            if value is not None and unit == "%":
                value *= share
            self._add(number, f"{what.lower()}_{match['name'].lstrip('#')}", value, unit, labels)

    def _add(
        self, number: int, name: str, value: float | None, unit: str | None, labels: Labels
    ) -> None:
        wall, clock = self._printed or (max(0, self._intervals - 1) * 1_000_000, "relative")
        self._columns.add(
            f"atop.{name}", value, wall=wall, clock=clock, line=number, unit=unit, labels=labels
        )

    def end(self) -> Iterator[Item]:
        """Yield the last table and what is left of the series."""
        yield from self._end_table()
        yield from self._columns.flush()


def _share(found: list[re.Match[str]]) -> float:
    """Return what makes shares of one CPU those of all CPUs: their states are 100 % for each."""
    states = {match["name"]: decimal(match["value"]) or 0 for match in found}
    total = sum(states.get(name, 0) for name in _STATES)
    return 100 / total if total and "idle" in states else 1.0


def _scaled(value: float | None, unit: str | None) -> tuple[float | None, str | None]:
    """Convert sizes to KiB; other units stay."""
    if value is None or unit is None:
        return value, None
    if unit.endswith(("bps", "Hz")):
        return value, unit
    factor = _KIB.get(unit[0]) if unit not in ("ms", "s", "%") else None
    return (value * factor, "KiB") if factor else (value, unit)
