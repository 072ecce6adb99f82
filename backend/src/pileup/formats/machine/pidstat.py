"""pidstat: resources used per process, and with -t per thread; columns mapped by their header.

Source: pidstat(1) of sysstat 10 to 12; print_pid_*() in pidstat.c. -h prints all columns on one
        line under a '#' header, with an epoch (up to 12.1, and with -H) or a time of day. -1.00
        is a number that the kernel does not provide: null.
Yields: pidstat.<column> with labels command and pid, from a process' first activity on: pidstat
        itself leaves idle processes out. Per thread, if either is a percent or more, its CPU use
        and its wait for a CPU: pidstat.thread_cpu, pidstat.thread_wait with label tid (gdb's LWP).
        Over the threads of a process: pidstat.threads_busy, the threads that used a CPU, and
        pidstat.threads_wait, the sum of their waits for one: 3 is three threads always in a queue.
        Rows without their heading are known by their cells.
Time:   only the banner has the date, which is carried over midnight. 'Average:' is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.machine.parts.process_labels import program
from pileup.formats.machine.parts.sysstat import BANNER, TIME, DayClock, cells_after_time
from pileup.formats.reading.series_columns import Columns, number
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Item, Problem

NAME = "pidstat"
TITLE = "pidstat"
GIVES = "Per process each column (`pidstat.*`); threads that use or wait for a CPU, with their LWP."
PRINTED_BY = (
    "sysstat 10 to 12: `-u`, `-r`, `-d`, `-w`, `-s`, `-v`, `-t`, `-h`, `-H`, `-l`, `-T ALL`"
)
VERSION = 4
HINTS = ("-pidstat", "pidstat.txt")

_HEADER = re.compile(
    rf"^(?:# *Time|{TIME}) +"
    r"(?:(?:UID|USER) +)?(?:PID|TGID) +"
    r"[\w%/ .-]{1,400}Command *$",
    re.MULTILINE,
)
_WHO = ("UID", "USER", "PID", "TGID", "TID", "CPU", "Command", "policy")
_UNITS = {
    "VSZ": "KiB", "RSS": "KiB", "StkSize": "KiB", "StkRef": "KiB", "iodelay": "ticks",
    "threads": "threads", "fd-nr": "files", "usr-ms": "ms", "system-ms": "ms", "guest-ms": "ms",
    "prio": None,
}  # fmt: skip
_LEVELS = ("VSZ", "RSS", "MEM", "StkSize", "StkRef", "threads", "fd-nr", "prio")
"""Columns of levels, which do not show whether the process was active."""
_LEAST_THREAD = 1.0
_LONGEST = 8_192


def sniff(head: str) -> bool | None:
    """Return whether the text holds a header of pidstat, or rows alone."""
    return ("Command" in head and bool(_HEADER.search(head))) or _are_rows(head)


def _are_rows(head: str) -> bool:
    """Return whether nearly all lines are rows of which the heading is cut."""
    lines = [line[:_LONGEST].strip() for line in head.split("\n")[:_MOST_SNIFFED]]
    lines = [line for line in lines if line and not BANNER.match(line)]
    timed = [cells_after_time(line) for line in lines]
    rows = sum(bool(row and _columns_of(row[1])) for row in timed)
    return rows >= _LEAST_ROWS and rows >= len(lines) - 1


def _columns_of(cells: list[str]) -> list[str] | None:
    """Return the columns of a row without its heading; None for any other line.

    The numbers between who it is and the command tell the table: use of the CPU adds up, I/O has
    three rates and a delay, memory two rates and two sizes, switches two rates.
    """
    if not cells[0].isdecimal() and not _USER.fullmatch(cells[0]):
        return None
    who = "UID PID" if len(cells) > 1 and cells[1].isdecimal() else "UID TGID TID"
    numbers = cells[len(who.split()) :]
    ids = cells[1 : len(who.split())]
    if not all(cell.isdecimal() or cell == "-" for cell in ids) or ids.count("-") > 1:
        return None
    if who == "UID PID" and len(numbers) > 1 and numbers[0] == "-":
        who, numbers = "UID TGID TID", numbers[1:]
    for names, shape in _TABLES:
        width = len(names)
        if len(numbers) <= width or not all(
            kind.fullmatch(cell) for kind, cell in zip(shape, numbers, strict=False)
        ):
            continue
        if names[-1] == "CPU" and not _adds_up(numbers[: width - 1]):
            continue
        if _FLOAT.fullmatch(numbers[width]) or numbers[width].isdecimal():
            continue
        return [*who.split(), *names, "Command"]
    return None


def _adds_up(cells: list[str]) -> bool:
    """Return whether the last share is the sum of the first three, of which guests may be part."""
    *parts, whole = (float(cell.replace(",", ".")) for cell in cells)
    return any(abs(sum(parts[:many]) - whole) <= _ROUNDED for many in (2, 3))


_MOST_SNIFFED = 40
_LEAST_ROWS = 2
_ROUNDED = 0.031
_USER = re.compile(r"[a-z_][\w.+-]{0,31}")
_FLOAT = re.compile(r"\d{1,12}[.,]\d\d")
_RATE = re.compile(r"-?\d{1,12}[.,]\d\d")
_WHOLE = re.compile(r"\d{1,15}")
_TABLES = tuple(
    (tuple(names.split()), tuple({"f": _FLOAT, "r": _RATE, "w": _WHOLE}[kind] for kind in kinds))
    for names, kinds in (
        ("%usr %system %guest %wait %CPU CPU", "fffffw"),
        ("%usr %system %guest %CPU CPU", "ffffw"),
        ("minflt/s majflt/s VSZ RSS %MEM", "ffwwf"),
        ("kB_rd/s kB_wr/s kB_ccwr/s iodelay", "rrrw"),
        ("cswch/s nvcswch/s", "ff"),
    )
)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every process and thread in every table."""
    reader = _Reader()
    for line_number, text in enumerate(lines, start=1):
        line = text[:_LONGEST].strip()
        if not line or reader.day.banner(text[:_LONGEST]):
            continue
        if line.startswith("#"):
            reader.header(line.lstrip("# ").split()[1:])
            continue
        timed = cells_after_time(line)
        if timed is None:
            if line.split(None, 1)[0].endswith(":"):
                continue  # Average: in any language
            yield Problem(line_number, "Not a line of pidstat; it is left out.", found=text[:200])
            continue
        time, cells = timed
        if not reader.columns and (columns := _columns_of(cells)):
            reader.header(columns)
        if cells[-1:] == ["Command"]:
            reader.header(cells)
            reader.day.wall(time)  # midnight may lie between it and the next line
            continue
        if not reader.row(line_number, time, cells):
            yield Problem(line_number, "Not a line of pidstat; it is left out.", found=text[:200])
        if reader.samples.full:
            yield from reader.samples.flush()
    reader.close()
    yield from reader.samples.flush()


class _Reader:
    def __init__(self) -> None:
        self.samples = Columns()
        self.day = DayClock()
        self.columns: list[str] = []
        self._active: set[str] = set()
        self._threads: _Threads | None = None
        self._process = ("", "")
        self._printed: tuple[str, tuple[int | None, Clock]] | None = None

    def header(self, columns: list[str]) -> None:
        self.columns = columns
        self.close()

    def row(self, line: int, time: str, cells: list[str]) -> bool:
        """Add a row's values; return False if the line was not understood."""
        columns = self.columns
        if len(cells) < len(columns) or not columns:
            return False
        command = " ".join(cells[len(columns) - 1 :])
        row = dict(zip(columns[:-1], cells, strict=False))
        wall, clock = self._when(time)
        if row.get("TGID", row.get("PID")) == "-" or command.startswith("|__"):
            return self._thread(line, row, wall, clock)
        pid = row.get("TGID") or row.get("PID") or ""
        if not pid.isdecimal():
            return False
        self.close()
        self._process = (program(command), pid)
        values = {name: _value(cell) for name, cell in row.items() if name not in _WHO}
        if pid not in self._active:
            if not any(v for name, v in values.items() if _plain(name) not in _LEVELS):
                return True
            self._active.add(pid)
        labels = (("command", self._process[0]), ("pid", pid))
        for name, value in values.items():
            self.samples.add(
                f"pidstat.{_plain(name)}",
                value,
                wall=wall,
                clock=clock,
                line=line,
                unit=_unit(name),
                labels=labels,
            )
        return True

    def _thread(self, line: int, row: dict[str, str], wall: int | None, clock: Clock) -> bool:
        tid = row.get("TID", "")
        if not tid.isdecimal():
            return False
        if "%CPU" not in row:
            return True  # memory and I/O are per process; a thread shares them or adds little
        cpu, wait = _value(row["%CPU"]), _value(row.get("%wait", ""))
        if self._threads is None:
            self._threads = _Threads(line, wall, clock)
        self._threads.add(cpu, wait)
        if max(cpu or 0.0, wait or 0.0) < _LEAST_THREAD:
            return True
        named = (("command", self._process[0]), ("pid", self._process[1]), ("tid", tid))
        labels = tuple(pair for pair in named if pair[1])  # the line of the process may be cut
        for name, value in (("thread_cpu", cpu), ("thread_wait", wait)):
            if value is not None:
                self.samples.add(
                    f"pidstat.{name}",
                    value,
                    wall=wall,
                    clock=clock,
                    line=line,
                    unit="%",
                    labels=labels,
                )
        return True

    def close(self) -> None:
        """Add the sums over the threads since the process' own line."""
        threads, self._threads = self._threads, None
        if threads is None or not self._process[1]:
            return
        labels = (("command", self._process[0]), ("pid", self._process[1]))
        sums = (("threads_busy", float(threads.busy)), ("threads_wait", threads.waited))
        for name, value in sums:
            if value is not None:
                self.samples.add(
                    f"pidstat.{name}",
                    value,
                    wall=threads.wall,
                    clock=threads.clock,
                    line=threads.line,
                    unit="threads",
                    labels=labels,
                )

    def _when(self, time: str) -> tuple[int | None, Clock]:
        """Parse a time once for the many lines that repeat it."""
        if self._printed is not None and self._printed[0] == time:
            return self._printed[1]
        stamp = read_stamp(time)
        when: tuple[int | None, Clock] = stamp if stamp else (self.day.wall(time), "local")
        self._printed = (time, when)
        return when


class _Threads:
    """Sums over the threads of a process in an interval."""

    def __init__(self, line: int, wall: int | None, clock: Clock) -> None:
        self.line, self.wall, self.clock = line, wall, clock
        self.busy = 0
        self.waited: float | None = None

    def add(self, cpu: float | None, wait: float | None) -> None:
        self.busy += bool(cpu)
        if wait is not None:
            self.waited = (self.waited or 0.0) + wait / 100


def _value(cell: str) -> float | None:
    value = number(cell)
    return None if value is not None and value < 0 and "." in cell else value


def _plain(name: str) -> str:
    return name.lstrip("%").lower() if name == "%CPU" else name.lstrip("%")


def _unit(name: str) -> str | None:
    if name.startswith("%"):
        return "%"
    if name.startswith("kB_"):
        return "KiB/s"
    return _UNITS.get(name, "1/s" if name.endswith("/s") else None)
