"""top -b: load, tasks, CPU and memory per block, and the processes.

Source: top(1) of procps. Only the time of day is printed. The first block's CPU figures cover
        another interval than the rest: since boot and since each process' start, or (procps 4) the
        few milliseconds of top's own start. They are left out when there is another block.
Yields: top.load1, .load5, .load15, top.tasks and top.tasks_<state>, top.cpu_<state>, top.mem_* and
        top.swap_* (KiB), and for processes above one percent of a CPU top.process_cpu and
        .process_res (KiB) with labels command and pid; with -H top.thread_cpu with label tid. The
        first and the last listing of all processes are tables.
        Its line of the CPUs alone, as people pick it, is a block.
        Rows without their heading have the default columns, as their cells show.
Time:   of day, without a date (dayless); a date that a loop prints above a block applies to it.
        Rows alone have none: each listing, or the next row of a process, is a nominal second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.pt_stalk_samples import read_ts
from pileup.formats.reading.series_columns import Columns, Labels, number
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Item, Skipped, Table

NAME = "top"
TITLE = "top"
GIVES = (
    "Load, tasks, CPU, memory and the busiest processes (`top.*`); the first and the last listing "
    "of processes as tables."
)
PRINTED_BY = "procps 3 and 4, `top -b`, `-H`, `-c`, `-E`"
VERSION = 6
HINTS = ("-top", "top.txt")

_HEAD = re.compile(r"^top - (?P<time>\d\d:\d\d:\d\d) up .*load average: (?P<loads>[\d., ]+)")
_TASKS = re.compile(r"^(?:Tasks|Threads): *(?P<total>\d+) total, *(?P<states>\d+ running.*)")
_STATE = re.compile(r"(?<![^\s,])(?P<count>\d+) (?P<state>running|sleeping|stopped|zombie)")
_CPUS = re.compile(r"%?Cpu(?:\(s\)|(?P<cpu>\d{1,4}) *):")
_CPUS_ALONE = re.compile(_CPUS.pattern + r" *\d+[.,]\d+[ %]*us,.{0,80}\bid,")
_CPU = re.compile(r"(?<![^\s:,])(?P<value>\d+[.,]\d+)[ %]*(?P<state>us|sy|ni|id|wa|hi|si|st)\b")
_MEM = re.compile(r"^(?:(?P<unit>[KMGTPE])iB )?(?P<what>Mem|Swap) *: *(?P<rest>.*)")
_PART = re.compile(
    r"(?:^|(?<=[\s:])|(?<=total,)|(?<=free,)|(?<=used,))(?P<value>\d+(?:[.,]\d+)?)[kK]? *\+?"
    r"(?P<name>total|free|used|buff/cache|buffers|avail)"
)
_ABOVE = re.compile(r"^top - \d\d:\d\d:\d\d up ", re.MULTILINE)
_LIST = re.compile(
    r"^ *PID USER +PR +NI +VIRT +RES +SHR +S +%CPU +%MEM +TIME\+ +COMMAND *$", re.MULTILINE
)
# 4197 mysql     20   0   92.4g  61.2g  18324 S 398.2  48.6  91233:12 mysqld
_ROW = re.compile(
    r" *\d{1,10} +[a-z_][\w.+-]{0,40} +(?:rt|-?\d{1,3}) +-?\d{1,2}"
    r"(?: +\d{1,15}(?:[.,]\d{1,3})?[kmgtpe]?){3} +[A-Zt] +\d{1,6}[.,]\d +\d{1,3}[.,]\d"
    r" +(?:\d{1,9}:\d\d(?:[.,]\d\d)?|\d{1,9}[.,]?\d*[hdw]) +\S"
)
_DEFAULT = [
    *("PID", "USER", "PR", "NI", "VIRT", "RES", "SHR"),
    *("S", "%CPU", "%MEM", "TIME+", "COMMAND"),
]
_SIZES = {unit: 1024.0**at for at, unit in enumerate("KMGTPE")}
"""KiB per unit of -E; RES prints its unit in lower case."""
_RES = re.compile(r"(?P<value>\d+(?:[.,]\d+)?)(?P<unit>[kmgtpe]?)$")
_LEAST_CPU = 1.0
_MOST_ROWS = 20_000
_MOST_SNIFFED = 40
_LONGEST = 2_000


def sniff(head: str) -> bool | None:
    """Return whether the text holds top's first line, or begins with another line of it."""
    return bool(
        ("top - " in head and _ABOVE.search(head))
        or _LIST.match(head.lstrip("\n"))
        or (_TASKS.match(head.lstrip()) and _LIST.search(head))
        or _CPUS_ALONE.match(head.lstrip())
        or _are_rows(head)
    )


def _are_rows(head: str) -> bool:
    """Return whether nearly all lines are rows of the listing, of which the heading is cut."""
    lines = [line for line in head.split("\n")[:_MOST_SNIFFED] if line.strip()]
    rows = sum(_ROW.match(line[:_LONGEST]) is not None for line in lines)
    return rows > 0 and rows >= len(lines) - 1


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every block, and the first and the last listing as Tables."""
    reader = _Reader()
    for number_, raw in enumerate(lines, start=1):
        yield from reader.line(number_, raw[:_LONGEST])
    yield from reader.end()


class _Reader:
    def __init__(self) -> None:
        self._samples, self._first_cpu = Columns(), Columns()
        self._columns: list[str] = []
        self._blocks = self._days = self._line = 0
        self._wall: int | None = None
        self._clock: Clock = "relative"
        self._stamp: tuple[int, Clock] | None = None
        """A date that a loop prints above the next block."""
        self._second = -1
        self._threads = False
        self._rows: list[tuple[str | None, ...]] = []
        self._lines = (0, 0)
        self._listings = 0
        self._pids: set[str] = set()
        """Of the current listing, where no block names its time."""

    def line(self, line: int, text: str) -> Iterator[Item]:
        self._line = line
        if match := _HEAD.match(text):
            yield from self._begin(match)
        elif match := _TASKS.match(text):
            self._threads = text.startswith("Threads")
            self._add("tasks", match["total"], "tasks")
            for part in _STATE.finditer(match["states"]):
                self._add(f"tasks_{part['state']}", part["count"], "tasks")
        elif match := _CPUS.match(text):
            labels = (("cpu", match["cpu"]),) if match["cpu"] else ()  # one per line with -1
            for part in _CPU.finditer(text):
                value = number(part["value"])
                self._value(f"cpu_{part['state']}", value, "%", self._cpu_samples, labels)
        elif match := _MEM.match(text):
            scale = _SIZES[match["unit"] or "K"]
            for part in _PART.finditer(match["rest"]):
                value = number(part["value"])
                name = f"{match['what'].lower()}_{part['name'].replace('/', '_')}"
                self._value(name, None if value is None else value * scale, "KiB")
        elif text.split()[:2] == ["PID", "USER"]:
            self._columns = text.split()
            self._lines = (line, line)
        elif cells := self._cells(text):
            self._process(cells)
        elif stamp := read_ts(text):
            self._stamp = stamp[0], "utc"
        elif stamped := read_stamp(text):
            self._stamp = stamped
        elif text.strip():
            yield Skipped(line, line, "not a line of top")
        if self._samples.full:
            yield from self._samples.flush()

    def end(self) -> Iterator[Item]:
        yield from self._table()
        yield from self._samples.flush()
        if self._blocks <= 1:
            yield from self._first_cpu.flush()

    @property
    def _cpu_samples(self) -> Columns:
        return self._first_cpu if self._blocks == 1 else self._samples

    def _begin(self, match: re.Match[str]) -> Iterator[Item]:
        """Begin the block under top's first line."""
        if not self._listings:
            yield from self._table()
        self._rows, self._columns = [], []
        hour, minute, second = match["time"].split(":")
        at = int(hour) * 3600 + int(minute) * 60 + int(second)
        self._days += at < self._second - 3600  # midnight; a clock set back by less is not
        self._second = at
        printed: tuple[int, Clock] = (self._days * 86_400 + at) * 1_000_000, "dayless"
        self._wall, self._clock = self._stamp or printed
        self._stamp = None
        self._blocks += 1
        loads = match["loads"].replace(", ", " ").split()
        for name, load in zip(("load1", "load5", "load15"), loads, strict=False):
            self._add(name, load, "tasks")

    def _cells(self, text: str) -> list[str]:
        """Split a row of the listing; an empty list for another line."""
        if not self._columns and _ROW.match(text):
            self._columns = _DEFAULT
            self._lines = (self._line, self._line)
        cells = _process_cells(text, len(self._columns)) if self._columns else []
        if cells and not self._blocks:
            if cells[0] in self._pids or len(self._pids) >= _MOST_ROWS:
                self._wall = (self._wall or 0) + 1_000_000
                self._pids.clear()
            self._pids.add(cells[0])
        return cells

    def _process(self, cells: list[str]) -> None:
        if len(self._rows) < _MOST_ROWS:
            width = len(self._columns)
            self._rows.append((*cells, *[None] * (width - len(cells))))
            self._lines = (self._lines[0], self._line)
        row = dict(zip(self._columns, cells, strict=False))
        cpu = number(row.get("%CPU", ""))
        if cpu is None or cpu < _LEAST_CPU or "COMMAND" not in row:
            return
        # with -H a line is a thread, with its own name, and its LWP in the column of the process
        command = row["COMMAND"].strip()[:80].replace(",", "_").replace("=", "_")
        labels = (("command", command), ("tid" if self._threads else "pid", row["PID"]))
        if self._threads:
            self._value("thread_cpu", cpu, "%", self._cpu_samples, labels)
            return
        self._value("process_cpu", cpu, "%", self._cpu_samples, labels)
        if size := _RES.match(row.get("RES", "")):
            value = number(size["value"])
            scaled = None if value is None else value * _SIZES[(size["unit"] or "k").upper()]
            self._value("process_res", scaled, "KiB", labels=labels)

    def _table(self) -> Iterator[Table]:
        if self._rows:
            self._listings += 1
            yield Table(
                line_first=self._lines[0],
                line_last=self._lines[1],
                wall_us=self._wall,
                clock=None if self._wall is None else self._clock,
                name="top",
                columns=tuple(column.lower() for column in self._columns),
                rows=tuple(self._rows),
            )

    def _add(self, name: str, text: str, unit: str | None, into: Columns | None = None) -> None:
        self._value(name, number(text), unit, into)

    def _value(
        self,
        name: str,
        value: float | None,
        unit: str | None,
        into: Columns | None = None,
        labels: Labels = (),
    ) -> None:
        (self._samples if into is None else into).add(
            f"top.{name}",
            value,
            wall=self._wall or 0,
            clock=self._clock,
            line=self._line,
            unit=unit,
            labels=labels,
        )


def _process_cells(text: str, width: int) -> list[str]:
    """Split a line of the listing; an empty list for another line."""
    cells = text.split(None, width - 1)
    return cells if len(cells) > 1 and cells[0].isdecimal() else []
