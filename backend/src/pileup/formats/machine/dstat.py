"""dstat: a line per second of the selected statistics, as text and as CSV.

Source: dstat(1) 0.7 and pcp-dstat(1): two header lines, groups above and columns below, repeated
        every screen. Text rounds to three digits and a letter; --output has the whole numbers.
        The first line is the average since the machine started and is left out. Columns without
        the header line above them, and rows of dstat without options, are known by their shape.
Yields: dstat.<column> of the CPU, dstat.<group>_<column> of the rest, per second; with label cpu,
        device or iface where a group is of one.
Time:   with -t '21-11 19:16:44', a day and no year ('yearless'; the CSV's Date has it), or as
        DSTAT_TIMEFMT says ('Nov-21 19:16:44', ISO); with -T the epoch; with neither, or in a format
        that is not known, nominal seconds from the first line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from pileup.formats.reading.series_columns import Columns, Labels
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.reading.wall_clock import MONTHS, local_us
from pileup.records import Clock, Item, Problem, Setting

NAME = "dstat"
TITLE = "dstat"
GIVES = "Each column (`dstat.*`), without the average since boot."
PRINTED_BY = "dstat 0.7 and 0.8, pcp-dstat; text and `--output` CSV"
VERSION = 4
HINTS = ("dstat.txt", "dstat.csv", ".csv")

_CSV = re.compile(r'"(?:Dstat|pcp-dstat|dool)[ \w.-]{0,40} CSV output"', re.IGNORECASE)
_GROUPS = re.compile(r"^-{1,24}[a-z0-9/][\w/ .-]{0,30}-{1,24} .*$", re.MULTILINE)
_COLUMNS = re.compile(r"^[\w ./:#-]{3,400}\|[\w ./:|#-]{3,2000}$", re.MULTILINE)
_WORDS = ("usr sys idl", "read  writ", "recv  send", "run blk new", "int   csw", "used  free")
_NOISE = ("You did not select any stats", "Terminal width too small", "Module dstat_")
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,10}[a-zA-Z]")
_CELL = re.compile(r"(?P<number>-?\d{1,18}(?:\.\d{0,9})?(?:e[+-]?\d{1,2})?)(?P<unit>[BkMGTP]?)$")
_POWER = {"": 0, "B": 0, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_DAY = re.compile(
    r"(?:(?P<d>\d\d)-(?P<mo>\d\d)|(?P<name>[A-Z][a-z]{2})[- ](?P<nd>[\d ]\d)) "
    r"(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)(?:\.\d+)?$"
)
_DATE = re.compile(r'"Date:","\d{1,2} \w{3} (?P<year>\d{4}) [\d:]{8}(?: (?P<zone>\w{2,5}))?"')
_HOST = re.compile(r'"Host:","(?P<host>[\w.-]{1,255})"')
_NO_YEAR = 1972
_CPU = ("total cpu usage", "total-cpu-usage", "cpu usage", "total usage", "total-usage")
_SHORT = {
    "dsk": "disk", "net": "net", "io": "io", "memory usage": "memory", "memory-usage": "memory",
    "load avg": "load", "load-avg": "load", "interrupts": "interrupts", "file system": "fs",
    "filesystem": "fs", "virtual memory": "vm", "virtual-memory": "vm",
}  # fmt: skip
_PER_SECOND = frozenset(("disk", "net", "io", "paging", "system"))
_BYTES = frozenset(("disk", "net", "memory", "paging", "swap"))
_LONGEST = 8_192


def sniff(head: str) -> bool | None:
    """Return whether the text holds the first line of dstat's CSV, or its two header lines."""
    if _CSV.match(head.lstrip()):
        return True
    lines = [_COLOUR.sub("", line[:_LONGEST]) for line in head.split("\n")[:30]]
    for above, below in pairwise(lines):
        if _GROUPS.match(above) and (_COLUMNS.match(below) or any(w in below for w in _WORDS)):
            return any(word in below for word in _WORDS) and not above.startswith("procs ")
    filled = [line for line in lines if line.strip()]
    if filled and _groups_of(filled[0]):
        filled = filled[1:]
        return bool(filled) and "|" in filled[0] and bool(_CELL.match(filled[0].split()[0]))
    rows = sum(_default_of(line) is not None for line in filled)
    return rows >= _LEAST_ROWS and rows >= len(filled) - 1


def _groups_of(text: str) -> list[str] | None:
    """Return the groups of a line of columns whose first header line is cut; else None."""
    groups: list[str] = []
    parts = [tuple(part.split()) for part in text.split("|")]
    for part in parts:
        known = [group for names, group in _GROUP_OF if part[: len(names)] == names]
        group = next((group for group in known if group not in groups), None)
        if group is None:
            return None
        groups.append(group)
    return groups if len(groups) > 1 else None


def _default_of(text: str) -> tuple[list[str], str] | None:
    """Return both header lines of a row of dstat without options; None for another line.

    Its groups have so many cells, and the shares of the CPU add up to a hundred.
    """
    groups = [part.split() for part in text.split("|")]
    cells = [cell for group in groups for cell in group]
    if not all(map(_CELL.match, cells)):
        return None
    below = next((names for names in _DEFAULT if _sizes(names) == list(map(len, groups))), None)
    if below is None or not all(map(str.isdecimal, groups[0])):
        return None
    if abs(sum(int(cell) for cell in groups[0]) - 100) > _ROUNDED:
        return None
    return _groups_of(below) or [], below


def _sizes(columns: str) -> list[int]:
    return [len(part.replace(":", " ").split()) for part in columns.split("|")]


_GROUP_OF = (
    (("usr", "sys", "idl"), "total-cpu-usage"),
    (("read", "writ"), "dsk/total"),
    (("read", "writ"), "io/total"),
    (("recv", "send"), "net/total"),
    (("in", "out"), "paging"),
    (("int", "csw"), "system"),
    (("1m", "5m", "15m"), "load-avg"),
    (("run", "blk", "new"), "procs"),
    (("used", "free", "buff"), "memory-usage"),
    (("used", "buff"), "memory-usage"),
    (("used", "free"), "swap"),
    (("time",), "system"),
)
_DEFAULT = (
    "usr sys idl wai hiq siq| read writ| recv send| in out | int csw",
    "usr sys idl wai stl| read writ| recv send| in out | int csw",
)
_LEAST_ROWS = 2
_ROUNDED = 3


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every line of numbers after the first."""
    reader = _Reader()
    csv = False
    above: list[str] = []
    for number, raw in enumerate(lines, start=1):
        text = _COLOUR.sub("", raw[:_LONGEST]).rstrip()
        if not text.strip():
            continue
        if number == 1 or text.startswith('"'):
            csv = csv or bool(_CSV.match(text))
        if csv and text.startswith('"'):
            if date := _DATE.search(text):
                reader.year = int(date["year"])
                reader.utc = date["zone"] in ("UTC", "GMT")
            if host := _HOST.match(text):
                yield _hostname(number, host["host"])
            cells = [cell.strip().strip('"') for cell in text.split(",")]
            if above:
                reader.columns = list(_named(above, cells))
                above = []
            elif not cells[0].endswith(":") and not _CSV.match(text) and "URL:" not in cells:
                above = _filled(cells)
            continue
        if csv:
            known = reader.row(number, [cell.strip().strip('"') for cell in text.split(",")])
        elif _GROUPS.match(text) and "|" not in text:
            above = text.split()
            continue
        elif above:
            reader.begin(above, text)
            above = []
            continue
        elif not reader.columns and (groups := _groups_of(text)):
            reader.begin(groups, text)
            continue
        else:
            if not reader.columns and (default := _default_of(text)):
                reader.begin(*default, is_cut=True)
            known = text.startswith(_NOISE) or reader.text_row(number, text)
        if not known:
            yield Problem(number, "Not a line of dstat; it is left out.", found=raw[:200])
        if reader.samples.full:
            yield from reader.samples.flush()
    yield from reader.samples.flush()


@dataclass(frozen=True, slots=True)
class _Column:
    group: str
    name: str
    series: str
    unit: str | None
    labels: Labels


class _Reader:
    def __init__(self) -> None:
        self.samples = Columns()
        self.columns: list[_Column] = []
        self.sizes: list[int] = []
        """Of a text: how many columns lie between two bars."""
        self.year: int | None = None
        self.utc = False
        self._rows = 0

    def begin(self, above: list[str], below: str, *, is_cut: bool = False) -> None:
        """Begin the rows below two header lines; of rows that are cut none is since boot."""
        self.columns = list(_text_columns(above, below))
        self.sizes = _sizes(below)
        self._rows = max(self._rows, int(is_cut))

    def text_row(self, line: int, text: str) -> bool:
        """Read a row of text: bars separate groups, spaces separate columns; a time is one cell.

        A group with other cells than its columns has no values: they would be those of a neighbour.
        """
        text = re.sub(r"missed \d+ ticks?$", "", text).rstrip()
        groups = [group.strip() for group in text.split("|")]
        if len(groups) != len(self.sizes):
            return False
        cells: list[str] = []
        for size, group in zip(self.sizes, groups, strict=True):
            own = [group] if size == 1 else group.replace(":", " ").split()
            cells += own if len(own) == size else [""] * size
        return any(cells) and self.row(line, cells)

    def row(self, line: int, cells: list[str]) -> bool:
        """Add a row's values; return False if the line was not understood."""
        if not self.columns or len(cells) < len(self.columns):
            return False
        self._rows += 1
        if self._rows == 1:
            return True  # since boot
        wall, clock = self._when(cells)
        for column, cell in zip(self.columns, cells, strict=False):
            if column.name in ("time", "epoch", "date/time"):
                continue
            self.samples.add(
                column.series,
                _value(cell, column.unit),
                wall=wall,
                clock=clock,
                line=line,
                unit=column.unit,
                labels=column.labels,
            )
        return True

    def _when(self, cells: list[str]) -> tuple[int | None, Clock]:
        for column, cell in zip(self.columns, cells, strict=False):
            if column.name == "epoch":
                return read_stamp(cell.partition(".")[0]) or (None, "utc")
            if column.name in ("time", "date/time"):
                if (match := _DAY.match(cell)) and (day := _day(match)):
                    wall = local_us(self.year or _NO_YEAR, *day, match["h"], match["m"], match["s"])
                    if self.year is None:
                        return wall, "yearless"
                    return wall, "utc" if self.utc else "local"
                if printed := read_stamp(cell):
                    return printed
        return (self._rows - 2) * 1_000_000, "relative"


def _day(match: re.Match[str]) -> tuple[int, int] | None:
    """Return month and day."""
    if match["d"]:
        return int(match["mo"]), int(match["d"])
    month = MONTHS.get(match["name"])
    return (month, int(match["nd"])) if month else None


def _hostname(line: int, host: str) -> Setting:
    return Setting(line_first=line, line_last=line, name="hostname", value=host, source="dstat")


def _filled(cells: list[str]) -> list[str]:
    """Fill in the group of each column: the CSV names it over its first column only."""
    filled: list[str] = []
    for cell in cells:
        filled.append(cell or (filled[-1] if filled else ""))
    return filled


def _text_columns(above: list[str], below: str) -> Iterator[_Column]:
    groups: list[str] = []
    names: list[str] = []
    for title, part in zip(above, re.split(r"[|:]", below), strict=False):
        for name in part.split():
            groups.append(title.strip("-"))
            names.append(name)
    yield from _named(groups, names)


def _named(groups: list[str], names: list[str]) -> Iterator[_Column]:
    for group, name in zip(groups, names, strict=False):
        yield _column(group.strip("-").lower(), name)


def _column(group: str, name: str) -> _Column:
    labels: Labels = ()
    if group in _CPU:
        return _Column(group, name, f"dstat.{name}", "%", labels)
    if match := re.fullmatch(r"cpu(\d{1,4})[ -]usage", group):
        return _Column(group, name, f"dstat.{name}", "%", (("cpu", match[1]),))
    what, _, item = group.partition("/")
    if item and item != "total":
        labels = (("iface" if what == "net" else "device", item[:40]),)
    short = _SHORT.get(what, re.sub(r"[^a-z0-9]+", "_", what).strip("_"))
    unit = "bytes" if short in _BYTES else None
    if short in _PER_SECOND:
        unit = f"{unit or '1'}/s".replace("bytes/s", "B/s")
    series = f"dstat.{short}_{re.sub(r'[^a-zA-Z0-9]+', '_', name).strip('_')}"
    return _Column(group, name, series, unit, labels)


def _value(cell: str, unit: str | None) -> float | None:
    """Convert a cell to a number: '1497k' bytes are 1497 KiB, '12k' interrupts are 12,000."""
    match = _CELL.match(cell)
    if match is None:
        return None
    base = 1024.0 if unit in ("bytes", "B/s") else 1000.0
    return float(match["number"]) * base ** _POWER[match["unit"]]
