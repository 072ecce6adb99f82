r"""lsof: open files, counted by process and type.

Source: lsof(8); print_file() in print.c. Spaces inside COMMAND are printed as \x20; TID and
        TASKCMD are only on lines of a thread, DEVICE, SIZE/OFF and NODE only where known.
Yields: lsof.open with labels command, pid and type; lsof.deleted and lsof.deleted_size, files that
        hold disk space without a name, with labels command and pid; the Table of files by process,
        type and whether deleted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pileup.formats.machine.parts.process_labels import program
from pileup.formats.reading.pt_stalk_samples import TsClock
from pileup.formats.reading.series_columns import Columns
from pileup.records import Item, Problem, Table

NAME = "lsof"
TITLE = "lsof"
GIVES = "Open and deleted files per process (`lsof.*`) and as a table."
PRINTED_BY = "lsof 4"
VERSION = 2
HINTS = ("-lsof", "lsof.txt")

HEADER = re.compile(
    r"^COMMAND +PID +(?:TID +)?(?:TASKCMD +)?(?:PGID +|PPID +)?USER +FD +TYPE ", re.MULTILINE
)
# mysqld  30161 root   mem    REG   254,0  2190440 326789 /usr/lib/libstdc++.so.6.0.30
_FD = (
    r"(?P<fd>cwd|rtd|txt|mem(?:-[rwuRWU])?|mmap|DEL(?:-[rwuRWU])?|NOFD|err|ltx|jld|m86|pd|tr|v86|Mxx|L\d{1,4}|l\d{1,3}"
    r"|\d{1,7}[rwu\- ]?[NrRwWuUxX ]?|\*\d{1,6}\w?)"
)
_ROW = re.compile(
    r"(?P<command>\S{1,64}) +(?P<pid>\d{1,8}) +(?P<more>(?:\S{1,64} +){0,4}?)(?P<user>\S{1,64}) +"
    + _FD
    + r" +(?P<type>[A-Z][A-Z0-9_]{1,11}|IPv[46]|unix|sock|a_inode|netlink|pack|raw|inet6?"
    r"|unknown|systm|0\d{3})(?: +(?P<rest>.*))?$"
)
_MESSAGES = ("lsof: ", "      Output information")
_MOST_GROUPS = 5_000
_LONGEST = 4_096


@dataclass(frozen=True, slots=True)
class OpenFile:
    """An open file as one line of lsof shows it."""

    command: str
    pid: str
    fd: int | None
    type: str
    size_bytes: int | None
    """Size of a file or directory; an offset (0t...) is not a size."""
    name: str
    deleted: bool


def sniff(head: str) -> bool | None:
    """Return whether the text holds the header of lsof."""
    return "COMMAND " in head and bool(HEADER.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Count the open files of each listing; yield series and a Table per listing."""
    reader = _Reader()
    for line_number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if text.startswith("TS "):
            yield from reader.finish()  # at its own time
        if stamp := reader.time.stamp(line_number, text):
            if not isinstance(stamp, bool):
                yield stamp
            continue
        if HEADER.match(text):
            yield from reader.finish()
            continue
        if not text.strip() or text.startswith(_MESSAGES) or " NOFD " in text:
            continue  # a warning, or a process whose files lsof could not read
        row = read_row(text)
        if row is None:
            yield Problem(line_number, "Not a line of lsof; it is left out.", found=raw[:200])
            continue
        reader.add(line_number, row)
        if reader.samples.full:
            yield from reader.samples.flush()
    yield from reader.finish()
    yield from reader.samples.flush()


def read_row(text: str) -> OpenFile | None:
    """Parse a line of lsof; return None for any other line."""
    match = _ROW.match(text[:_LONGEST])
    if match is None:
        return None
    rest = match["rest"] or ""
    # DEVICE SIZE/OFF NODE NAME; a deleted mapping (DEL) has no size, a socket no node
    cells = rest.split(None, 3)
    size = None
    if match["type"] in ("REG", "DIR") and not match["fd"].startswith("DEL") and len(cells) == 4:
        if cells[1].isdecimal() and len(cells[1]) < 19:
            size = int(cells[1])
        elif not cells[1].startswith("0t"):
            return None  # an unreadable size must be reported, not missing from a sum
    number = re.match(r"\d+", match["fd"])
    name = cells[-1] if cells else ""
    return OpenFile(
        command=program(match["command"]),
        pid=match["pid"],
        fd=int(number[0]) if number else None,
        type=match["type"],
        size_bytes=size,
        name=name.removesuffix(" (deleted)"),
        deleted=name.endswith("(deleted)") or match["fd"].startswith("DEL"),
    )


class _Reader:
    def __init__(self) -> None:
        self.samples = Columns()
        self.time = TsClock()
        self._files: defaultdict[tuple[str, str, str, bool], list[int]]
        self._files = defaultdict(lambda: [0, 0, 0])
        self._lines = (0, 0)

    def add(self, line: int, row: OpenFile) -> None:
        key = (row.command, row.pid, row.type, row.deleted)
        if key not in self._files and len(self._files) >= _MOST_GROUPS:
            key = ("others", "", row.type, row.deleted)
        if not self._files:
            self.time.copy()
            self._lines = (line, line)
        self._lines = (self._lines[0], line)
        counts = self._files[key]
        counts[0] += 1
        counts[1] += row.size_bytes or 0
        counts[2] += row.size_bytes is not None

    def finish(self) -> Iterator[Item]:
        """Yield the Table and add the series of the listing that ends."""
        if not self._files:
            return
        opened: defaultdict[tuple[str, str, str], int] = defaultdict(int)
        gone: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        for (command, pid, kind, deleted), (files, size, sized) in self._files.items():
            opened[command, pid, kind] += files
            if deleted:
                gone[command, pid][0] += files
                gone[command, pid][1] += size
                gone[command, pid][2] += sized
        for (command, pid, kind), files in opened.items():
            self._add("open", files, "files", (("command", command), ("pid", pid), ("type", kind)))
        for (command, pid), (files, size, sized) in gone.items():
            labels = (("command", command), ("pid", pid))
            self._add("deleted", files, "files", labels)
            if sized:  # a deleted mapping has no size
                self._add("deleted_size", size, "bytes", labels)
        rows = sorted(self._files.items(), key=lambda each: -each[1][0])
        yield Table(
            line_first=self._lines[0],
            line_last=self._lines[1],
            wall_us=self.time.wall if self.time.clock != "relative" else None,
            clock=self.time.clock if self.time.clock != "relative" else None,
            name="open files",
            columns=("command", "pid", "type", "deleted", "files", "size_bytes"),
            rows=tuple(
                (
                    command,
                    pid,
                    kind,
                    "yes" if deleted else "no",
                    str(files),
                    str(size) if sized else None,
                )
                for (command, pid, kind, deleted), (files, size, sized) in rows
            ),
        )
        self._files.clear()

    def _add(self, name: str, value: int, unit: str, labels: tuple[tuple[str, str], ...]) -> None:
        self.samples.add(
            f"lsof.{name}",
            float(value),
            wall=self.time.wall,
            clock=self.time.clock,
            line=self._lines[0],
            unit=unit,
            labels=labels,
        )
