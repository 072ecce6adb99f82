"""sar: the tables of system activity, and their export by sadf -d; columns mapped by their header.

Source: sar(1), sadf(1) of sysstat 4 to 12; print_*_stats() in pr_stats.c, render_*() in
        rndr_stats.c.
        A table has a header that repeats, then a line per interval and item (CPU, device,
        interface); the item is in the first column, or in the last with -h and --pretty.
        Rows of sar -u without their heading are known by their shares of a hundred.
Yields: sar.<column> with the label of its item: cpu, device, iface, ...; of the interrupts (-I)
        sar.intr/s, their sum, and of each with label irq (and cpu) from its first one on.
        'LINUX RESTART' and comments as Events.
Time:   text has the date in the banner only, in the collector's zone (or UTC, which it does not
        mention), carried over midnight; 12 and 24 hours. 'Average:' is left out in any language.
        sadf prints the date on each line, with 'UTC' or as an epoch where that applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.machine.parts.sysstat import (
    TIME,
    WIDE,
    DayClock,
    are_rows_of_cpus,
    cells_after_time,
    columns_of_cpu,
    sized,
)
from pileup.formats.reading.series_columns import Columns, Labels, number
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Event, Item, Problem

NAME = "sar"
TITLE = "sar"
GIVES = (
    "Each column of each table (`sar.*`) per CPU, device, interface or mount; restarts as events."
)
PRINTED_BY = "sysstat 4 to 12: `sar -A` and each table alone, any language; `sadf -d`"
VERSION = 4
HINTS = ("-sar", "sar.txt", ".csv")
""".csv: output of sadf -d is also a table of metrics; this module extracts more from it."""

# Headers of sar only: the table by CPU of mpstat has %irq before %steal.
_HEADER = re.compile(
    rf"^{TIME} +"
    r"(?:CPU +%us\w+ .*%iowait +(?:%steal|%idle)"
    r"|CPU +%user +%nice +%system +%idle *$|proc/s +cswch/s"
    r"|cswch/s *$|pswpin/s|pgpgin/s|tps +rtps|runq-sz|kbmemfree|kbswpfree|frmpg/s|dentunusd"
    r"|(?:DEV|TTY|IFACE|BUS|FCHOST|FILESYSTEM|INTR) +\S|call/s +|scall/s|totsck|irec/s|active/s"
    r"|tps .* DEV *$|%scpu-10|%sio-10|%smem-10|kbhugfree)",
    re.MULTILINE,
)
_SADF = re.compile(r"^#? ?hostname;interval;timestamp;", re.MULTILINE)
_DEFAULT = (("%user", "%nice", "%system", "%iowait", "%steal", "%idle"), *WIDE)
"""Columns of sar -u and sar -u ALL."""
_LABELS = {
    "CPU": "cpu", "DEV": "device", "IFACE": "iface", "TTY": "tty", "INTR": "irq", "BUS": "bus",
    "FCHOST": "host", "FILESYSTEM": "filesystem", "MOUNTPOINT": "mount", "TEMP": "sensor",
    "FAN": "sensor", "IN": "sensor", "BAT": "battery", "DEVICE": "device", "MAXPOWER": "device",
}  # fmt: skip
_TABLES = {"call/s": "nfs_", "scall/s": "nfsd_", "total/s": "softnet_"}
"""First column -> prefix that makes a table's names distinct (TCP also has retrans/s)."""
_RESTART = re.compile(r"(?:LINUX RESTART|RESTART)\b")
_LONGEST = 8_192


def sniff(head: str) -> bool | None:
    """Return whether the text holds a header of sar or sadf -d, or rows of sar -u alone."""
    return bool(_HEADER.search(head) or _SADF.search(head)) or are_rows_of_cpus(head, _DEFAULT)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every table, and restarts and comments as Events."""
    reader = _Reader()
    for line_number, text in enumerate(lines, start=1):
        line = text[:_LONGEST].strip()
        if not line or reader.day.banner(text[:_LONGEST]):
            continue
        if line.count(";") >= 3:
            timed = _sadf_cells(line, reader)
        else:
            timed = _text_cells(line, reader)
        if timed is None:
            if _is_average(line):
                reader.day.restart()  # the tables of a file follow one another
            else:
                yield Problem(line_number, "Not a line of sar; it is left out.", found=text[:200])
            continue
        when, cells = timed
        if not reader.has_columns and (names := columns_of_cpu(line, cells, _DEFAULT)):
            reader.header(["CPU", *names])
        if _RESTART.match(" ".join(cells[:2])):
            yield _event(line_number, when, "restart", line)
        elif cells[0] == "COM":
            yield _event(line_number, when, "log", " ".join(cells[1:]))
        elif not reader.row(line_number, when, cells):
            yield Problem(line_number, "Not a line of sar; it is left out.", found=text[:200])
        if reader.samples.full:
            yield from reader.samples.flush()
    yield from reader.samples.flush()


When = tuple[int | None, Clock]


class _Reader:
    def __init__(self) -> None:
        self.samples = Columns()
        self.day = DayClock()
        self._interrupts = False
        self._came: set[tuple[str, str]] = set()
        self._columns: list[str] = []
        self._table = ""
        self._item: int | None = None

    @property
    def has_columns(self) -> bool:
        return bool(self._columns)

    def header(self, columns: list[str], *, surely: bool = False) -> bool:
        """Use the cells as the header if they are one (only names); return whether they are."""
        if not columns or any(number(cell) is not None for cell in columns):
            return False
        if not surely and not any(
            "/" in c or c[:1] == "%" or c.islower() or "-" in c or c == "MHz" for c in columns
        ):
            return False
        self._columns = columns
        places = [at for at in (0, len(columns) - 1) if columns[at] in _LABELS]
        self._item = places[0] if places else None
        self._interrupts = columns[0] == "INTR"
        first = columns[min(1, len(columns) - 1)] if self._item == 0 else columns[0]
        self._table = _TABLES.get(first, "")
        return True

    def row(self, line: int, when: When, cells: list[str]) -> bool:
        columns = self._columns
        if self.header(cells):
            return True
        if self._interrupts:
            return self._interrupt_row(line, when, cells)
        if len(cells) != len(columns) and not (
            self._item == len(columns) - 1 and len(cells) > len(columns)
        ):
            return False
        labels: Labels = ()
        if self._item is not None:
            last = self._item == len(columns) - 1 and self._item > 0
            item = " ".join(cells[self._item :]) if last else cells[self._item]
            labels = ((_LABELS[columns[self._item]], item[:80]),)
        for at, (name, cell) in enumerate(zip(columns, cells, strict=False)):
            if at == self._item or (value := _value(cell)) is _TEXT:
                continue
            plain = name.lstrip("%")
            if plain != name and plain in columns:
                plain += "_pct"  # Iused and %Iused
            self._add(f"sar.{self._table}{plain}", value, line, when, _unit(name), labels)
        return True

    def _interrupt_row(self, line: int, when: When, cells: list[str]) -> bool:
        """Read a line of -I: an interrupt and its rate; since 12.7 of all CPUs and each CPU."""
        if len(cells) != len(self._columns) or len(cells) < 2:
            return False
        irq = cells[0]
        for name, cell in zip(self._columns[1:], cells[1:], strict=True):
            value = number(cell)
            if value == 0 and irq not in ("sum", "all") and (irq, name) not in self._came:
                continue
            self._came.add((irq, name))
            labels: Labels = () if irq in ("sum", "all") else (("irq", irq[:80]),)
            if name.startswith("CPU"):
                labels = (("cpu", name[3:]), *labels)
            self._add("sar.intr/s", value, line, when, "1/s", labels)
        return True

    def _add(
        self, name: str, value: object, line: int, when: When, unit: str | None, labels: Labels
    ) -> None:
        self.samples.add(
            name,
            value if isinstance(value, float) else None,
            wall=when[0],
            clock=when[1],
            line=line,
            unit=unit,
            labels=labels,
        )


_TEXT = object()


def _value(cell: str) -> float | object | None:
    """Convert a cell to a number; None if it was not measured; _TEXT for a name."""
    value = sized(cell)
    if value is not None:
        return value
    return None if cell in ("-", "nan", "-nan", "", "N/A") else _TEXT


def _text_cells(line: str, reader: _Reader) -> tuple[When, list[str]] | None:
    timed = cells_after_time(line)
    return ((reader.day.wall(timed[0]), "local"), timed[1]) if timed else None


def _is_average(line: str) -> bool:
    """Return whether the line is 'Average:' or 'Summary:' in any language, or a sadf header."""
    return line.split(None, 1)[0].endswith(":") or bool(_SADF.match(line))


def _sadf_cells(line: str, reader: _Reader) -> tuple[When, list[str]] | None:
    """Split 'db1;600;2026-11-21 19:16:45 UTC;-1;57.00;...'; None for a header or no values."""
    cells = line.lstrip("# ").split(";")
    if cells[0] == "hostname":
        reader.header([cell.removesuffix("[...]") for cell in cells[3:]], surely=True)
        return None
    when: When = read_stamp(cells[2]) or (None, "local")
    values = cells[3:]
    if values and values[0] == "-1":
        values[0] = "all"  # CPU or interrupt: sadf prints -1 for the sum
    return (when, values) if values else None


def _event(line: int, when: When, kind: str, message: str) -> Event:
    return Event(
        line_first=line,
        line_last=line,
        wall_us=when[0],
        clock=when[1] if when[0] is not None else None,
        kind=kind,
        subsystem="sar",
        message=message[:2000],
    )


def _unit(name: str) -> str | None:
    if name.startswith("%"):
        return "%"
    low = name.lower()
    if low.startswith(("kb", "rkb", "wkb", "dkb", "rxkb", "txkb")) or low in ("areq-sz",):
        return "KiB/s" if low.endswith("/s") else "KiB"
    if low in ("await", "svctm"):
        return "ms"
    return "1/s" if low.endswith("/s") or low == "tps" else None
