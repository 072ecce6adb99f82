"""iostat -dx: per device, columns mapped by their header in every version.

Source: iostat(1) of sysstat 7 to 12. The first block is the average since boot and is left out.
        A time is printed only with -t; else blocks are a nominal second apart. A long name has a
        line of its own; with -h it is in the last column, and a block has several tables.
        -m prints megabytes: they are converted to KiB and named as without the flag.
        iostat -x of FreeBSD and Solaris: columns that print the same are named as sysstat does.
Yields: iostat.<column> with label device; the CPU block as iostat.cpu_<column>.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import polars as pl

from pileup.formats.machine.parts.iostat_columns import columns_of
from pileup.formats.machine.parts.sysstat import DayClock, sized, stamp, time_of_day
from pileup.formats.reading.number_rows import read_chunks, row_by_row, table
from pileup.formats.reading.series_columns import Columns, Header
from pileup.formats.reading.series_columns import number as number_of
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Item, Problem

NAME = "iostat"
TITLE = "iostat"
GIVES = "Each column per device (`iostat.*`), the CPU as `iostat.cpu_*`."
PRINTED_BY = (
    "sysstat 7 to 12: also `-t`, `-N`, `-h`, `-m`, `-s`, `-c`; any language; `-x` of FreeBSD and "
    "Solaris"
)
VERSION = 10
HINTS = ("-iostat", "-iostat-overall", "iostat.txt")

_HEADER = re.compile(r"^[Dd]evice:?\s+\S")
_SNIFF = re.compile(
    r"^(?:[Dd]evice:?\s.*(?:%util|(?:kB|MB|Blk)_read|r[kM]B/s|r/s)"
    r"| *r/s +w/s .*\bdevice *$"
    r"|  .*(?:%util|_read/s|r[kM]B/s) .*Device *$"
    r"|avg-cpu: +%user +%nice +%sys)",
    re.MULTILINE,
)
_IN_KIB = {
    "MB_read/s": "kB_read/s",
    "MB_wrtn/s": "kB_wrtn/s",
    "MB_dscd/s": "kB_dscd/s",
    "MB_w+d/s": "kB_w+d/s",
    "MB_read": "kB_read",
    "MB_wrtn": "kB_wrtn",
    "MB_dscd": "kB_dscd",
    "MB_w+d": "kB_w+d",
    "rMB/s": "rkB/s",
    "wMB/s": "wkB/s",
    "dMB/s": "dkB/s",
}
"""Columns in megabytes (-m), and the column that prints the same without the flag."""
_SAME = {
    "kr/s": "rkB/s",
    "kw/s": "wkB/s",
    "ms/r": "r_await",
    "ms/w": "w_await",
    "ms/t": "await",
    "svc_t": "await",
    "asvc_t": "await",
    "qlen": "avgqu-sz",
    "actv": "avgqu-sz",
    "%b": "%util",
}
"""Columns of BSD and Solaris, and the column of sysstat that prints the same."""
_COLUMN = re.compile(r"%\w{1,20}|\w{0,20}/s|\w{0,20}await|[a-z]{1,20}-sz|svctm", re.ASCII)
"""What a heading that is wrapped goes on with."""
_KNOWN = frozenset(
    [f"{of}{what}" for of in "rwdf" for what in ("/s", "_await")]
    + [f"{of}{unit}/s" for of in "rwd" for unit in ("kB", "MB", "sec", "rqm")]
    + [f"%{of}rqm" for of in "rwd"]
    + [f"{of}areq-sz" for of in ("r", "w", "d", "")]
    + [f"{unit}_{of}" for unit in ("kB", "MB", "Blk") for of in ("read", "wrtn", "dscd")]
    + [f"{unit}_{of}/s" for unit in ("kB", "MB", "Blk") for of in ("read", "wrtn", "dscd")]
    + ["await", "avgrq-sz", "avgqu-sz", "aqu-sz", "svctm", "%util", "tps"]
)
"""Columns of sysstat of any version."""
_MOST_DEVICES = 10_000
_BANNER = re.compile(r"extended device statistics\s*$")
_LONGEST_TIME = 60
_UNITS = {
    "%util": "%",
    "await": "ms",
    "r_await": "ms",
    "w_await": "ms",
    **dict.fromkeys(("rkB/s", "wkB/s", "dkB/s", "kB_read/s", "kB_wrtn/s", "kB_dscd/s"), "KiB/s"),
    **dict.fromkeys(("kB_read", "kB_wrtn", "kB_dscd", "kB_w+d"), "KiB"),
}


def sniff(head: str) -> bool | None:
    """Return whether the text holds a header of devices or CPUs that only iostat prints.

    So are rows of disks alone, with as many numbers as iostat -x prints.
    """
    if not any(word in head for word in ("Device", "device", "avg-cpu:")):
        lines = [line for line in head.split("\n")[:40] if line.strip()]
        return bool(lines) and all(columns_of(line.split()) for line in lines[:-1] or lines)
    return bool(_SNIFF.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every block after the first; of the only one where no banner is."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks; the lines of known devices are read in bulk."""
    reader = _Reader()
    yield from read_chunks(chunks, reader)
    yield from reader.end()


class _Reader:
    def __init__(self) -> None:
        self.collected = Columns()
        self._clock_of = DayClock()
        self._columns: list[str] = []
        self._header = Header(())
        self._heading = ""
        self._cpu: list[str] = []
        self._block = -1
        self._since_boot = False
        """Whether a banner shows that the first block is the average since boot."""
        self._first_block: list[tuple[int, list[str], Header]] = []
        """Its lines, which count where it is the only block and no banner was copied."""
        self._in_block: set[str] = set()
        """Its devices: one that is printed again begins the next (grep keeps one heading)."""
        self._printed: tuple[int | None, Clock] | None = None
        self._devices: set[str] = set()
        self._mega: list[int] = []
        """Positions of the columns that -m prints in megabytes."""
        self._cpu_alone = False
        """Whether no devices followed the last CPU table."""
        self._first_heading = ""
        self._most_blocks = 0
        self._last = False
        """Whether the device is in the last column."""
        self._wrapped = ""
        self._may_go_on = False
        """Whether the line above is of a heading, whose columns may go on."""
        self._row: list[str] | None = None
        """The cells of a row so far, where the heading goes over lines; None where it does not.

        The lines so far, where a width cut columns in two.
        """
        self._parts = 1
        """Lines of the heading."""
        self._is_cut = False
        """Whether a line of the heading ends inside of a column: numbers are cut in two as well."""

    @property
    def ready(self) -> bool:
        """Whether rows can be read in bulk: a block after the one since boot named the devices."""
        is_plain = not self._last and self._row is None
        return self._block > 1 and bool(self._devices) and is_plain

    def rows(self, first: int, lines: pl.Series) -> list[Item] | None:
        """Read blocks with the current heading in bulk; None to read their lines singly."""
        is_row = lines.str.extract("^([^ ]+) ", 1).is_in(list(self._devices)).fill_null(value=False)
        is_heading = lines == self._heading
        is_other = ~(is_row | is_heading | (lines == ""))
        others = lines.filter(is_other)
        if others.str.contains("Device|Linux").any() or (is_other.shift(1) & is_row).any():
            return None  # other columns, another run, or the CPU table runs into the devices
        cells = table(lines.filter(is_row), [pl.String, *[pl.Float64] * len(self._columns)])
        if cells is None:
            return None
        blocks = is_heading.cum_sum().cast(pl.Int64) + self._block
        of_devices = pl.DataFrame({"block": blocks.filter(is_row), "device": cells["0"]})
        if of_devices.is_duplicated().any() or not self._in_block.isdisjoint(
            of_devices.filter(pl.col("block") == self._block)["device"]
        ):
            return None  # devices whose headings were removed
        items: list[Item] = []
        printed = [self._printed]
        before = -1
        for at, text in zip(is_other.arg_true().to_list(), others.to_list(), strict=True):
            self._block, self._cpu_alone = blocks[at], False
            self._cpu = self._cpu if at == before + 1 else []
            items += self.line(first + at, text)
            printed.append(self._printed)
            before = at
        self._block = blocks[-1]
        if is_heading[before + 1 :].any():
            self._cpu_alone = False
        self._cpu = self._cpu if is_other[-1] else []
        column = is_other.cum_sum().filter(is_row)
        known = [row if row and row[0] is not None else (None, None) for row in printed]
        walls, clocks = zip(*known, strict=True)
        cells = cells.with_columns(
            pl.Series(walls, dtype=pl.Int64)
            .gather(column)
            .fill_null((blocks.filter(is_row) - 1) * 1_000_000)
            .alias("wall"),
            pl.Series(clocks, dtype=pl.String).gather(column).fill_null("relative").alias("clock"),
            (is_row.arg_true().cast(pl.Int64) + first).alias("line"),
        )
        numbers = [str(at + 1) for at in range(len(self._columns))]
        cells = cells.with_columns(pl.col(numbers[at]) * 1024.0 for at in self._mega)
        for frame in cells.partition_by("0", "clock", maintain_order=True):
            labels = (("device", frame["0"][0].rstrip(":")),)
            lane = self.collected.lane(self._header, frame["clock"][0], labels)
            lane.add_numbers(row_by_row(frame.select(numbers)), frame["wall"], frame["line"])
        return [*items, *self.collected.flush()] if self.collected.full else items

    def line(self, number: int, text: str) -> Iterator[Item]:
        cells = text.split()
        line = text.strip()
        goes_on, self._may_go_on = self._may_go_on, False
        if not cells:
            self._cpu = []
        elif _HEADER.match(line):
            yield from self._cut(number - 1)
            self._begin_block(text, cells[1:])
            self._may_go_on = True
        elif goes_on and (columns := _continued(self._columns, cells)):
            self._is_cut = self._is_cut or len(columns) < len(self._columns) + len(cells)
            self._use(columns)
            self._may_go_on, self._row = True, []
            self._parts += 1
        elif self._clock_of.banner(text):
            self._block = -1  # another run: its first block is since boot as well
            self._since_boot = True
            self._cpu_alone = False
            self._devices.clear()
        elif cells[-1] in ("Device", "device") and len(cells) > 1:
            self._begin_block(text, cells[:-1], last=True)
        elif _BANNER.match(line) or self._time(line):
            pass
        elif cells[0] == "avg-cpu:":
            self._begin_cpu(cells[1:])
        elif self._cpu and all(number_of(cell) is not None for cell in cells):
            self._cpu_row(number, cells)
        else:
            if not self._columns and (columns := columns_of(cells)):
                self._block = 0  # the heading is cut: nothing shows an average since boot
                self._begin_block("", columns)
            yield from self._device(number, text, cells)

    def _time(self, line: str) -> bool:
        """Read the time that -t prints above a report; return False for another line."""
        if (printed := read_stamp(line)) is not None:
            self._printed = printed  # ISO with an offset is absolute
        elif line.startswith("Time: ") and (time := time_of_day(line[6:])):
            self._printed = self._clock_of.wall(time), "local"
        elif len(line) < _LONGEST_TIME and (wall := stamp(line)) is not None:
            self._printed = wall, "local"
        else:
            return False
        return True

    def _device(self, number: int, text: str, cells: list[str]) -> Iterator[Item]:
        width = len(self._columns)
        if self._row is not None and self._is_cut:
            self._row.append(text)
            if len(self._row) < self._parts:
                return
            cells, self._row = "".join(self._row).split(), []
        elif self._row is not None:
            is_rest = bool(self._row) and all(number_of(cell) is not None for cell in cells)
            cells = [*self._row, *cells] if is_rest else cells
            self._row = cells if len(cells) <= width else []
            if self._row:
                return
        wrapped, self._wrapped = self._wrapped, ""
        if wrapped and len(cells) == width:
            cells = [wrapped, *cells]
        elif width > 1 and len(cells) == 1 and number_of(cells[0]) is None and not self._last:
            self._wrapped = cells[0]
            return
        elif wrapped:
            yield Problem(number - 1, "A device without its numbers.", found=wrapped[:200])
        if self._last:
            cells = [*cells[width:], *cells[:width]]
        if not width or len(cells) != width + 1 or not _is_row(cells):
            yield Problem(number, "Not a line of iostat; it is left out.", found=text[:200])
        else:
            yield from self._numbers(number, cells)

    def _cut(self, number: int | None) -> Iterator[Item]:
        """Report a row over lines that ends before its last column."""
        if self._row:
            yield Problem(number, "A device without all of its numbers.", found=self._row[0][:200])

    def _numbers(self, number: int, cells: list[str]) -> Iterator[Item]:
        if cells[0] in self._in_block:
            self._next_block()
        self._in_block.add(cells[0])
        for at in self._mega:
            cells[at + 1] = _in_kib(cells[at + 1])
        if self._last:
            cells[1:] = [_plain(cell) for cell in cells[1:]]
        if self._block > 0:  # the first is since boot
            yield from self._numbers_of_device(number, cells, self._header)
        elif not self._since_boot and len(self._first_block) < _MOST_DEVICES:
            self._first_block.append((number, cells, self._header))

    def _numbers_of_device(self, number: int, cells: list[str], header: Header) -> Iterator[Item]:
        wall, clock = self._moment()
        if len(self._devices) < _MOST_DEVICES:
            self._devices.add(cells[0])
        labels = (("device", cells[0].rstrip(":")),)
        self.collected.lane(header, clock, labels).add(cells[1:], wall, number)
        if self.collected.full:
            yield from self.collected.flush()

    def _begin_cpu(self, columns: list[str]) -> None:
        if self._cpu_alone:  # -c prints no devices: a block is a CPU table
            self._block += 1
            self._most_blocks = max(self._most_blocks, self._block + 2)
        elif self._block < 0:
            self._most_blocks = max(self._most_blocks, 1)
        self._cpu, self._cpu_alone = columns, True

    def _begin_block(self, text: str, columns: list[str], *, last: bool = False) -> None:
        self._cpu = []
        self._cpu_alone = False
        self._wrapped = ""
        self._in_block.clear()
        if not (last and self._last and text != self._first_heading):
            self._next_block()
            self._first_heading = text
        self._heading, self._last, self._row = text, last, None
        self._is_cut, self._parts = False, 1
        if columns != self._columns:
            self._use(columns)

    def _use(self, columns: list[str]) -> None:
        self._columns = columns
        self._header = _header(tuple(columns))
        self._mega = [at for at, column in enumerate(columns) if column in _IN_KIB]
        self._devices.clear()

    def _next_block(self) -> None:
        self._block += 1
        self._in_block.clear()
        self._most_blocks = max(self._most_blocks, self._block + 1)

    def end(self) -> Iterator[Item]:
        yield from self._cut(None)
        if self._most_blocks == 1 and self._first_block:  # a part of a report, as people paste it
            for number, cells, header in self._first_block:
                yield from self._numbers_of_device(number, cells, header)
            yield from self.collected.flush()
        elif self._most_blocks == 1:
            yield Problem(
                None,
                "There is only iostat's first report, the average since boot, which does not show "
                "the incident. Capture with an interval and a count: iostat -dxt 1 30.",
            )

    def _cpu_row(self, number: int, cells: list[str]) -> None:
        if self._block < 0:
            return
        wall, clock = self._moment()
        for name, cell in zip(self._cpu, cells, strict=False):
            series = f"iostat.cpu_{name.lstrip('%')}"
            self.collected.add(
                series, number_of(cell), wall=wall, clock=clock, line=number, unit="%"
            )

    def _moment(self) -> tuple[int | None, Clock]:
        """Return the time and clock of the next line of numbers."""
        if self._printed is not None and self._printed[0] is not None:
            return self._printed
        # The CPU table precedes the devices of its block, which are not counted yet.
        block = self._block + 1 if self._cpu else self._block
        return max(0, block - 1) * 1_000_000, "relative"


def _continued(columns: list[str], cells: list[str]) -> list[str] | None:
    """Return the columns of a heading with those of its next line; None if that is another line.

    A column that was cut in two is one again: a width may end inside of it.
    """
    if columns and not _KNOWN.issuperset((columns[-1], cells[0])):
        whole = columns[-1] + cells[0]
        if whole in _KNOWN:
            columns, cells = [*columns[:-1], whole], cells[1:]
    goes_on = all(map(_COLUMN.fullmatch, cells[:-1])) and all(map(_may_begin, cells[-1:]))
    return [*columns, *cells] if goes_on else None


def _may_begin(cell: str) -> bool:
    """Return whether a cell is a column, or the beginning of a known one."""
    is_part = any(known.startswith(cell) for known in _KNOWN)
    return is_part or _COLUMN.fullmatch(cell) is not None


def _is_row(cells: list[str]) -> bool:
    """Return whether a device and numbers: not the rest of a row or of a heading that wrapped."""
    is_rest = "." in cells[0] and number_of(cells[0]) is not None
    return not is_rest and any(number_of(cell) is not None for cell in cells[1:])


@lru_cache(maxsize=64)
def _header(columns: tuple[str, ...]) -> Header:
    names = [_SAME.get(name, name) for name in (_IN_KIB.get(column, column) for column in columns)]
    return Header((f"iostat.{name.lstrip('%')}", "gauge", _unit(name)) for name in names)


def _unit(column: str) -> str | None:
    return _UNITS.get(column, "1/s" if column.endswith("/s") else None)


def _in_kib(cell: str) -> str:
    """Convert megabytes to KiB; keep a size with its unit, and any other cell."""
    value = number_of(cell)
    return cell if value is None else repr(value * 1024)


def _plain(cell: str) -> str:
    """Convert a size printed by -h to a plain number; keep any other cell."""
    value = sized(cell)
    return cell if value is None else repr(value)
