"""ps: processes, with any options; columns mapped by the header.

Source: ps(1) of procps. pt-stalk's -ps is ``ps -eaF``; loops print a date or a TS line above each
        listing, and may grep the header away: ``ps aux`` is then recognised by the form of a row.
Yields: ps.processes; ps.state with label state (R, S, D, ...: D is a wait for a disk that no
        signal ends); ps.cpu and ps.rss with labels command and pid, for a process from its first
        percent of CPU or GiB on; the first and the last listing as Tables.
Note:   %CPU of ps is the share since the process started, not the current share.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from pileup.formats.machine.parts.process_labels import program
from pileup.formats.reading.pt_stalk_samples import TsClock
from pileup.formats.reading.series_columns import Columns, number
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Item, Problem, Record, Table

NAME = "ps"
TITLE = "ps"
GIVES = "Processes by state, the heavy ones (`ps.*`); the first and the last listing as tables."
PRINTED_BY = "procps: `aux`, `-ef`, `-eaF`, `-eLf`, `-o`; with and without header"
VERSION = 2
HINTS = ("-ps", "ps.txt", "-ps.txt")

_HEADER = re.compile(r"^ *(?:[A-Z%][\w%+]* +){1,20}(?:CMD|COMMAND|ARGS|COMM) *$")
_HEADER_IN = re.compile(
    r"^ *(?:F +S +)?(?:UID|USER|PID) +[A-Z%][\w%+ ]{0,200}(?:CMD|COMMAND|ARGS) *$", re.MULTILINE
)
# mysql 3168089  5.4  1.4 91345508 1907492 pts/3 Sl  22:50   0:01 /usr/sbin/mysqld
_AUX = re.compile(
    r"[\w.+-]{1,32} +\d{1,7} +(?:\d{1,4}\.\d|\d{4,6})"
    r" +\d{1,3}\.\d +\d{1,15} +\d{1,12} +(?:\?|[\w/]{1,12}) +"
    r"[RSDTtZXIWP][<NLsl+]{0,5} +\S{4,7} +[\d:-]{4,12} +\S"
)
_AUX_COLUMNS = (
    "USER",
    "PID",
    "%CPU",
    "%MEM",
    "VSZ",
    "RSS",
    "TTY",
    "STAT",
    "START",
    "TIME",
    "COMMAND",
)
# Fri Nov 20 22:19:58 2026 (lstart) | Nov 20 (start)
_STARTED = re.compile(
    r"(?<= )(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}"
    r"|[A-Z][a-z]{2} [ \d]\d)(?= )"
)
_BLANK = "\ue000"
_MOST_ROWS = 5_000
_LEAST_CPU = 1.0
_LEAST_RSS_KIB = 1024.0**2
_LONGEST = 16_384
_CELL = 300


def sniff(head: str) -> bool | None:
    """Return whether the text holds a header with PID and a command, or lines of ``ps aux``."""
    if "PID" in head and any(
        "PID" in match[0] and "TIME+" not in match[0] for match in _HEADER_IN.finditer(head)
    ):
        return True
    lines = [line for line in head.split("\n")[:60] if line.strip()][:40]
    rows = sum(_AUX.match(line[:_LONGEST]) is not None for line in lines)
    return (rows >= 2 and rows >= 0.6 * len(lines)) or 0 < rows == len(lines)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield counts and heavy processes of every listing, the first and last listing as Tables."""
    reader = _Reader()
    for line_number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if stamp := reader.time.stamp(line_number, text):
            yield from reader.finish()
            if not isinstance(stamp, bool):
                yield stamp
            continue
        if not text.strip():
            continue
        if "PID" in text and _HEADER.match(text):
            yield from reader.finish()
            reader.columns = tuple(text.split())
            continue
        if (date := read_stamp(text.strip())) is not None:
            yield from reader.finish()
            reader.time.date(*date)
            continue
        if not reader.row(line_number, text):
            yield Problem(line_number, "Not a line of ps; it is left out.", found=raw[:200])
        if reader.samples.full:
            yield from reader.samples.flush()
    yield from reader.finish()
    if reader.last is not None and reader.last is not reader.first:
        yield reader.last
    yield from reader.samples.flush()


class _Reader:
    def __init__(self) -> None:
        self.samples = Columns()
        self.time = TsClock()
        self.columns: tuple[str, ...] = ()
        self.first: Table | None = None
        self.last: Table | None = None
        self._rows: list[tuple[str | None, ...]] = []
        self._states: Counter[str] = Counter()
        self._processes = 0
        self._lines = (0, 0)
        self._heavy: set[str] = set()

    def row(self, line: int, text: str) -> bool:
        """Read a row of the listing; return False if it was not understood."""
        if not self.columns:
            if not _AUX.match(text):
                return False
            self.columns = _AUX_COLUMNS
        columns = self.columns
        cells = _cells(text, columns)
        at = columns.index("PID") if "PID" in columns else -1
        if at < 0 or len(cells) <= at or not cells[at].isdecimal():
            return False
        if not self._processes:
            self.time.copy()
            self._lines = (line, line)
        self._lines = (self._lines[0], line)
        self._processes += 1
        row = dict(zip(columns, cells, strict=False))
        if state := row.get("STAT", row.get("S", ""))[:1]:
            self._states[state] += 1
        self._weigh(line, row, cells[at], cells[-1] if len(cells) == len(columns) else "")
        if len(self._rows) < _MOST_ROWS:
            short = tuple(cell[:_CELL] for cell in cells)
            self._rows.append((*short, *(None for _ in columns[len(short) :])))
        return True

    def finish(self) -> Iterator[Record]:
        """Add the counts of the listing that ends; yield the first listing as a Table."""
        if not self._processes:
            return
        self._add("processes", float(self._processes), self._lines[0], "processes")
        for state, count in self._states.items():
            labels = (("state", state),)
            self._add("state", float(count), self._lines[0], "processes", labels)
        self.last = Table(
            line_first=self._lines[0],
            line_last=self._lines[1],
            wall_us=self.time.wall if self.time.clock != "relative" else None,
            clock=self.time.clock if self.time.clock != "relative" else None,
            name="ps",
            columns=self.columns,
            rows=tuple(self._rows),
        )
        if self.first is None:
            self.first = self.last
            yield self.first
        self._rows, self._processes = [], 0
        self._states.clear()

    def _weigh(self, line: int, row: dict[str, str], pid: str, command: str) -> None:
        cpu = number(row["%CPU"]) if "%CPU" in row else None
        rss = number(row["RSS"]) if "RSS" in row else None
        if pid not in self._heavy:
            if (cpu or 0.0) < _LEAST_CPU and (rss or 0.0) < _LEAST_RSS_KIB:
                return
            self._heavy.add(pid)
        labels = (("command", program(command)), ("pid", pid))
        if cpu is not None:
            self._add("cpu", cpu, line, "%", labels)
        if rss is not None:
            self._add("rss", rss, line, "KiB", labels)

    def _add(
        self,
        name: str,
        value: float,
        line: int,
        unit: str,
        labels: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.samples.add(
            f"ps.{name}",
            value,
            wall=self.time.wall,
            clock=self.time.clock,
            line=line,
            unit=unit,
            labels=labels,
        )


def _cells(text: str, columns: tuple[str, ...]) -> list[str]:
    """Split a row into cells; a start with spaces ('Fri Nov 20 22:19:58 2026') is one cell."""
    if "STARTED" in columns:
        text = _STARTED.sub(lambda match: match[0].replace(" ", _BLANK), text, count=1)
    cells = text.split(None, len(columns) - 1)
    return [cell.strip().replace(_BLANK, " ") for cell in cells]
