"""vmstat: columns by the second header line; with -t the time of each line.

Source: vmstat(8) of procps. The first line of numbers is the average since boot and is left out.
        Without -t there is no time: nominal seconds from the first line.
Time:   the head of the time column names its zone, mostly by letters that say no offset; UTC does.
Units:  memory in KiB, si/so KiB/s, bi/bo blocks/s, in/cs per second, CPU columns in percent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from pileup.formats.columns import Columns, Header, decimal
from pileup.formats.number_rows import read_chunks, row_by_row, table
from pileup.formats.pt_stalk import clock_event, read_ts
from pileup.formats.stamps import read_stamp
from pileup.formats.text import Chunk, chunks_of
from pileup.records import Item, Problem

NAME = "vmstat"
TITLE = "vmstat"
GIVES = "Each column (`vmstat.*`), without the average since boot."
PRINTED_BY = "procps; `-t`, `-a`, `-w`"
VERSION = 2
HINTS = ("-vmstat", "-vmstat-overall", "vmstat.txt")

_NOT_WHOLE = r"^ *-?[0-9]*[^ 0-9-]"
_UNITS = {
    **dict.fromkeys(("swpd", "free", "buff", "cache", "inact", "active"), "KiB"),
    **dict.fromkeys(("si", "so"), "KiB/s"),
    **dict.fromkeys(("bi", "bo"), "blocks/s"),
    **dict.fromkeys(("in", "cs"), "1/s"),
    **dict.fromkeys(("us", "sy", "id", "wa", "st", "gu"), "%"),
    **dict.fromkeys(("r", "b"), "processes"),
}


def sniff(head: str) -> bool | None:
    return "procs -" in head and " cs us sy id" in " ".join(head.split())


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every line of numbers after the first."""
    return parse_chunks(chunks_of(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """The same: lines of nothing but numbers together, all else line by line."""
    reader = _Reader()
    yield from read_chunks(chunks, reader)
    yield from reader.end()


class _Reader:
    def __init__(self) -> None:
        self._columns: list[str] = []
        self._header = Header(())
        self._headings = ["", ""]
        """The two lines above the numbers, as printed last."""
        self.found = Columns()
        self._seen = 0
        self._utc = False
        self._said = False

    @property
    def ready(self) -> bool:
        """The line since boot was seen."""
        return bool(self._seen and self._columns)

    def rows(self, first: int, lines: pl.Series) -> list[Item] | None:
        """Lines of a number for each column, between headings like the last ones."""
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
        self.found.lane(self._header, "relative").add_numbers(row_by_row(cells), walls, numbers)
        self._seen += len(rows)
        return list(self.found.flush()) if self.found.full else []

    def line(self, number: int, text: str) -> Iterator[Item]:
        if text.startswith("TS ") and (stamp := read_ts(text)):
            if stamp[1] and not self._said:
                self._said = True
                yield clock_event(number, stamp[0], stamp[1])
            return
        cells = text.split()
        if not cells:
            return
        if cells[0].startswith("procs"):
            self._headings[0] = text
            return
        if cells[:2] == ["r", "b"]:
            names = [c for c in cells if c in _UNITS]
            if names != self._columns:
                self._columns = names
                self._header = Header((f"vmstat.{name}", "gauge", _UNITS[name]) for name in names)
            self._headings[1] = text
            self._utc = cells[-1] in ("UTC", "GMT")
            return
        if not self._columns or not cells[0].lstrip("-").isdigit():
            yield Problem(number, "Not a line of vmstat; it is left out.", found=text[:200])
            return
        self._seen += 1
        if self._seen == 1:
            return  # since boot
        self._row(number, cells)
        if self.found.full:
            yield from self.found.flush()

    def _row(self, number: int, cells: list[str]) -> None:
        columns = self._columns
        rest = cells[len(columns) : len(columns) + 2]
        when = read_stamp(" ".join(rest)) if rest else None
        wall, clock = when if when else ((self._seen - 2) * 1_000_000, "relative")
        if self._utc and clock == "local":
            clock = "utc"
        values = cells[: len(columns)]
        if len(values) == len(columns):
            self.found.row(self._header, values, wall=wall, clock=clock, line=number)
            return
        # cut off: what is missing was not read as nothing
        for name, cell in zip(columns, values, strict=False):
            self.found.add(
                f"vmstat.{name}",
                decimal(cell),
                wall=wall,
                clock=clock,
                line=number,
                unit=_UNITS[name],
            )

    def end(self) -> Iterator[Item]:
        if self._seen == 1:
            yield Problem(
                None,
                "There is only vmstat's first line, the average since boot: nothing of the moment "
                "is in it. Capture with an interval and a count: vmstat 1 30.",
            )
