"""mpstat -P ALL: CPU percentages with the time of day; the date stands in the banner only.

Source: mpstat(1) of sysstat. 12-hour clocks shift the columns by one. 'Average:' is left out.
Yields: mpstat.<column> with label cpu (all, 0, 1, ...). Of the tables of -A and -I the sum of
        interrupts is read, not one series for each interrupt and CPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import polars as pl

from pileup.formats.columns import Columns, Header
from pileup.formats.number_rows import read_chunks, row_by_row, table
from pileup.formats.sysstat import DayClock
from pileup.formats.text import Chunk, chunks_of
from pileup.records import Item, Problem, Skipped

NAME = "mpstat"
TITLE = "mpstat"
GIVES = "Each column per CPU (`mpstat.*`)."
PRINTED_BY = "sysstat; 12 and 24 hour clocks"
VERSION = 3
HINTS = ("-mpstat", "-mpstat-overall", "mpstat.txt")

_HEADER = re.compile(r"^\d{1,2}:\d\d:\d\d(?: [AP]M)?\s+CPU\s+\S")

_SNIFF = re.compile(
    r"^\d{1,2}:\d\d:\d\d(?: [AP]M)? +(?:CPU|NODE) +%us\w* .*(?:%iowait +%irq|%idle +intr/s)",
    re.MULTILINE,
)


def sniff(head: str) -> bool | None:
    """sar -u begins alike, but knows no interrupts before the idle time."""
    return "%us" in head and bool(_SNIFF.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every line of every CPU."""
    return parse_chunks(chunks_of(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """The same: tables with the same columns together, all else line by line."""
    return read_chunks(chunks, _Reader())


class _Reader:
    def __init__(self) -> None:
        self.found = Columns()
        self._day = DayClock()
        self._columns: list[str] = []
        self._header = Header(())
        self._heading = ""
        """What stands behind the time above the columns."""
        self._skipping = False

    @property
    def ready(self) -> bool:
        """The columns are known."""
        return bool(self._columns)

    def rows(self, first: int, lines: pl.Series) -> list[Item] | None:
        """Lines of CPUs under headings like the last one."""
        is_row = ~(lines.str.ends_with(self._heading) | (lines == ""))
        rows = lines.filter(is_row)
        width = len(self._columns)
        words = len(rows[0].split()) - width if len(rows) else 0
        cells = table(rows, [*[pl.String] * words, *[pl.Float64] * width])
        if cells is None or words not in (2, 3) or (cells["0"] == "Average:").any():
            return None
        times = cells["0"]
        halves = cells["1"].is_in(["AM", "PM"])
        if words == 3:
            times = times + " " + cells["1"]
        if halves.any() != (words == 3) or halves.all() != (words == 3):
            return None
        place = times.rle_id()
        walls = [self._day.wall(time) for time in times.filter(place.diff().fill_null(1) != 0)]
        cells = cells.with_columns(
            pl.Series(walls, dtype=pl.Int64).gather(place).alias("wall"),
            (is_row.arg_true().cast(pl.Int64) + first).alias("line"),
        )
        numbers = [str(at + words) for at in range(width)]
        for one in cells.partition_by(str(words - 1), maintain_order=True):
            labels = (("cpu", one[str(words - 1)][0]),)
            lane = self.found.lane(self._header, "local", labels)
            lane.add_numbers(row_by_row(one.select(numbers)), one["wall"], one["line"])
        return list(self.found.flush()) if self.found.full else []

    def line(self, number: int, text: str) -> Iterator[Item]:
        line = text.strip()
        if not line or self._day.banner(text) or line.startswith("Average:"):
            return
        cells = text.split()
        time = cells.pop(0)
        if cells and cells[0] in ("AM", "PM"):
            time += f" {cells.pop(0)}"
        if _HEADER.match(line):
            self._heading = text[text.index("CPU") :]
            self._begin_table(cells[1:])
            self._day.wall(time)  # midnight may lie between it and the next line
        elif self._skipping:
            yield Skipped(number, number, "interrupts one by one")
        elif not self._columns or len(cells) != len(self._columns) + 1:
            yield Problem(number, "Not a line of mpstat; it is left out.", found=text[:200])
        else:
            lane = self.found.lane(self._header, "local", (("cpu", cells[0]),))
            lane.add(cells[1:], self._day.wall(time), number)
            if self.found.full:
                yield from self.found.flush()

    def _begin_table(self, names: list[str]) -> None:
        known = names[0][0] == "%" or names == ["intr/s"]
        self._skipping = not known
        self._columns = names if known else []
        self._header = _header(tuple(self._columns))


@lru_cache(maxsize=64)
def _header(columns: tuple[str, ...]) -> Header:
    return Header((f"mpstat.{column.lstrip('%')}", "gauge", _unit(column)) for column in columns)


def _unit(column: str) -> str:
    return "%" if column.startswith("%") else "1/s"
