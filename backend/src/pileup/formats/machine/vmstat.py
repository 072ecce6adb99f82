"""vmstat: columns mapped by the second header line; with -t the time of each line.

Source: vmstat(8) of procps. The first line of numbers is the average since boot and is left out.
        Without -t there is no time: nominal seconds from the first line.
        Shell loops print the time in front of each line instead ("date +%T", ts of moreutils).
        The heading is in the collector's language: its columns are mapped by position.
Time:   the head of the time column names its zone, mostly as letters without an offset, except UTC.
Units:  memory in KiB, si/so KiB/s, bi/bo blocks/s, in/cs per second, CPU columns in percent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import polars as pl

from pileup.formats.reading.number_rows import read_chunks, row_by_row, table
from pileup.formats.reading.pt_stalk_samples import clock_event, read_ts
from pileup.formats.reading.series_columns import Columns, Header, decimal
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Clock, Item, Problem

NAME = "vmstat"
TITLE = "vmstat"
GIVES = "Each column (`vmstat.*`), without the average since boot."
PRINTED_BY = "procps; `-t`, `-a`, `-w`; with the time in front of each line"
VERSION = 8
HINTS = ("-vmstat", "-vmstat-overall", "vmstat.txt")

_STAMPED = re.compile(
    r"\s*\[?(?P<stamp>\d{10}(?:\.\d{1,9})?|[A-Z][\w ]{5,16}\d\d:\d\d:\d\d(?: \w{2,5} \d{4})?"
    r"|(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)[]:|,]*\s+"
    r"(?P<rest>(?:-*procs-* *-|r +b +|-?\d{1,6} +\d{1,6} +\d).*)"
)
_GROUPS = re.compile(r"procs-* *-")
"""The heading above the columns: 'procs ---', or '--procs-- ---' of the wide output."""
"""A time that a loop or ts(1) prints first: date, ISO, epoch, 'Nov 20 22:12:43', '22:12:43'."""
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)")
_LONGEST = 1000
_BY_PLACE = {2: "swpd", 3: "free", 4: "buff", 5: "cache"}
_ACTIVE = {4: "inact", 5: "active"}
_NOT_WHOLE = r"[^ 0-9-]"
_UNITS = {
    **dict.fromkeys(("swpd", "free", "buff", "cache", "inact", "active"), "KiB"),
    **dict.fromkeys(("si", "so"), "KiB/s"),
    **dict.fromkeys(("bi", "bo"), "blocks/s"),
    **dict.fromkeys(("in", "cs"), "1/s"),
    **dict.fromkeys(("us", "sy", "id", "wa", "st", "gu"), "%"),
    **dict.fromkeys(("r", "b"), "processes"),
}


def sniff(head: str) -> bool | None:
    """Return whether the text holds the heading of vmstat, its line of columns, or rows alone."""
    if "sy" not in head or "cs" not in head:
        return _are_rows(head)
    words = " ".join(head.replace("**", "").split())
    return " cs us sy id" in words and (bool(_GROUPS.search(head)) or "r b swpd free" in words)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every line of numbers after the first."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks; lines of only numbers are read in bulk."""
    reader = _Reader()
    yield from read_chunks(chunks, reader)
    yield from reader.end()


class _Reader:
    def __init__(self) -> None:
        self._columns: list[str] = []
        self._header = Header(())
        self._headings = ["", ""]
        """The last two heading lines, as printed."""
        self.collected = Columns()
        self._seen = 0
        self._utc = False
        self._clock_reported = False
        self._stamped = False
        self._first_s: int | None = None

    @property
    def ready(self) -> bool:
        """Whether rows can be read in bulk: the line since boot was read."""
        return bool(self._seen and self._columns)

    def rows(self, first: int, lines: pl.Series) -> list[Item] | None:
        """Read lines under the current headings in bulk; None to read them singly."""
        is_row = ~lines.is_in(self._headings)
        rows = lines.filter(is_row)
        if rows.str.contains(_NOT_WHOLE).any():
            return None
        cells = table(rows, [pl.Float64] * len(self._columns))
        if cells is None:
            return None
        start, end = self._seen - 1, self._seen - 1 + len(rows)
        walls = pl.int_range(start, end, eager=True) * 1_000_000
        numbers = is_row.arg_true().cast(pl.Int64) + first
        self.collected.lane(self._header, "relative").add_numbers(row_by_row(cells), walls, numbers)
        self._seen += len(rows)
        return list(self.collected.flush()) if self.collected.full else []

    def line(self, number: int, text: str) -> Iterator[Item]:
        if text.startswith("TS ") and (stamp := read_ts(text)):
            if stamp[1] and not self._clock_reported:
                self._clock_reported = True
                yield clock_event(number, stamp[0], stamp[1])
            return
        when = None
        if (self._stamped or not self._columns) and (match := _STAMPED.match(text[:_LONGEST])):
            text, when = match["rest"], self._printed(match)
            self._stamped = self._stamped or text.lstrip("-")[:1] in ("p", "r")
        cells = text.replace("**", "").split()  # **wa**: a column that a post points at
        if not cells:
            return
        if _GROUPS.match(text.lstrip(" \t-")):
            self._headings[0] = text
            return
        if cells[:2] == ["r", "b"]:
            names = _names(cells)
            if names != self._columns:
                self._columns = names
                self._header = Header(
                    (f"vmstat.{name}", "gauge", _UNITS.get(name)) for name in names
                )
            self._headings[1] = text
            self._utc = cells[-1] in ("UTC", "GMT")
            return
        if not self._columns and (columns := _columns_of(cells)):
            # rows of which the heading is cut: none is known to be the average since boot
            self._columns, self._seen, self._stamped = columns, 1, when is not None
            self._header = Header((f"vmstat.{name}", "gauge", _UNITS.get(name)) for name in columns)
        if not self._columns or not _is_row(cells):
            yield Problem(number, "Not a line of vmstat; it is left out.", found=text[:200])
            return
        self._seen += 1
        if self._seen == 1:
            return  # since boot
        self._row(number, cells, when)
        if self.collected.full:
            yield from self.collected.flush()

    def _printed(self, match: re.Match[str]) -> tuple[int, Clock] | None:
        """Parse the time before a line; without a date or year it counts from the first."""
        if stamp := read_stamp(match["stamp"]):
            return stamp
        if not (time := _CLOCK.search(match["stamp"])):
            return None
        second = int(time[1]) * 3600 + int(time[2]) * 60 + int(time[3])
        self._first_s = second if self._first_s is None else self._first_s
        return ((second - self._first_s) % 86_400) * 1_000_000, "relative"

    def _row(self, number: int, cells: list[str], when: tuple[int, Clock] | None) -> None:
        columns = self._columns
        rest = cells[len(columns) : len(columns) + 2]
        if rest:
            when = read_stamp(" ".join(rest)) or when
        wall, clock = when if when else ((self._seen - 2) * 1_000_000, "relative")
        if self._utc and clock == "local":
            clock = "utc"
        values = [_whole(cell) for cell in cells[: len(columns)]]
        if len(values) == len(columns):
            self.collected.row(self._header, values, wall=wall, clock=clock, line=number)
            return
        # a row that was cut: its missing values stay null, not zero
        for name, cell in zip(columns, values, strict=False):
            self.collected.add(
                f"vmstat.{name}",
                decimal(cell),
                wall=wall,
                clock=clock,
                line=number,
                unit=_UNITS.get(name),
            )

    def end(self) -> Iterator[Item]:
        if self._seen == 1:
            yield Problem(
                None,
                "There is only vmstat's first line, the average since boot, which does not show "
                "the incident. Capture with an interval and a count: vmstat 1 30.",
            )


def _are_rows(head: str) -> bool:
    """Return whether nearly all lines are rows of vmstat, as their shares of the CPU show."""
    lines = [line for line in head.split("\n")[:40] if line.strip()]
    rows = []
    for line in lines:
        match = _STAMPED.match(line[:_LONGEST])
        rows.append(_columns_of((match["rest"] if match else line).split()) is not None)
    return sum(rows) >= _LEAST_ROWS and sum(rows) >= len(rows) - 1


def _columns_of(cells: list[str]) -> list[str] | None:
    """Return the columns of a row without its heading; None for other numbers.

    The shares of the CPU add up to a hundred, each rounded.
    """
    columns = _DEFAULT.get(len(cells))
    if columns is None or not all(map(str.isdecimal, cells)):
        return None
    shares = sum(int(cell[:6]) for cell in cells[columns.index("us") :])
    return columns if abs(shares - 100) <= _ROUNDED else None


_BEFORE_CPU = ["r", "b", "swpd", "free", "buff", "cache", "si", "so", "bi", "bo", "in", "cs"]
_DEFAULT = {
    len(_BEFORE_CPU) + len(shares): [*_BEFORE_CPU, *shares]
    for shares in (
        ["us", "sy", "id", "wa"],
        ["us", "sy", "id", "wa", "st"],
        ["us", "sy", "id", "wa", "st", "gu"],
    )
}
_ROUNDED = 2
_LEAST_ROWS = 2


def _whole(cell: str) -> str:
    """Return a cell that is a whole number without marks between its thousands; else nothing.

    Every column of vmstat is whole, so that 1.200 are twelve hundred and 1.2 is damaged.
    """
    if cell.lstrip("-").isdecimal():
        return cell
    return re.sub(r"[.,]", "", cell) if _THOUSANDS.fullmatch(cell) else ""


_THOUSANDS = re.compile(r"-?\d{1,3}(?:\.\d{3}){1,6}|-?\d{1,3}(?:,\d{3}){1,6}")


def _is_row(cells: list[str]) -> bool:
    """Return whether a line has numbers in its first and in most of its columns."""
    numbers = sum(cell.lstrip("-")[:1].isdigit() for cell in cells)
    return cells[0].lstrip("-").isdigit() and 2 * numbers > len(cells)


def _names(heading: list[str]) -> list[str]:
    """Return the columns; memory columns in another language are mapped by position."""
    last = max(at for at, name in enumerate(heading) if name in _UNITS)
    names = []
    for at, name in enumerate(heading[: last + 1]):
        if name in _UNITS or at not in _BY_PLACE:
            names.append(name)
        elif at in _ACTIVE and name[:2].lower() in ("in", "ac", "ak"):
            names.append(_ACTIVE[at])
        else:
            names.append(_BY_PLACE[at])
    return names
