"""iotop: which threads read and write, and how much of the time each waits for the disk.

Source: iotop(8) in Python, iotop-c; also -b (batch), -o, -P. Columns TID (or PID), PRIO, USER, DISK
        READ, DISK WRITE, SWAPIN, IO> and COMMAND, below two lines of totals; rows that somebody
        copied without them.
Yields: iotop.disk_read and iotop.disk_write (B/s); iotop.server_io_wait_pct, the most that a thread
        of the server waits, and iotop.io_wait_pct with label command of each program that waits;
        the first listing as a Table.
Time:   none is printed but with -t; each listing is a nominal second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.series_columns import Columns, Labels
from pileup.records import Item, Skipped, Table

NAME = "iotop"
TITLE = "iotop"
GIVES = "Reads and writes per second, and how long programs wait for the disk (`iotop.*`)."
PRINTED_BY = "iotop, iotop-c: the screen, `-b`, `-o`, `-P`"
VERSION = 1
HINTS = ("-iotop", "iotop.txt")

_RATE = r"(?P<{name}>\d{{1,9}}(?:\.\d{{1,3}})?) (?P<{name}_unit>[BKMGT])(?:/s)?"
_TOTALS = re.compile(
    r"\s*(?:Total|Actual|Current) DISK READ ?: {1,20}"
    + _RATE.format(name="read")
    + r" {0,4}\| {0,4}(?:Total|Actual|Current) DISK WRITE ?: {1,20}"
    + _RATE.format(name="write")
)
_HEAD = re.compile(r"\s*(?:TIME\s+)?[TP]ID\s+PRIO\s+USER\s+DISK READ\s+DISK WRITE\b")
_ROW = re.compile(
    r"\s*(?:\d\d:\d\d:\d\d\s+)?b?'?(?P<tid>\d{1,10})\s+(?P<prio>[?a-z]{2,4}(?:/\d)?)\s+(?P<user>\S{1,40})\s+"
    + _RATE.format(name="read")
    + r"\s+"
    + _RATE.format(name="write")
    + r"\s+(?:\d{1,3}\.\d{2} %\s+)?(?P<io>\d{1,3}\.\d{2}) %\s+(?P<command>\S.{0,200})$"
)
_UNIT = {"B": 1.0, "K": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4}
_SERVER = re.compile(r"(?:\S{0,120}/)?(?:mysqld|mariadbd|ib_\S{1,20}|connection)\b")
_COLUMNS = ("TID", "PRIO", "USER", "DISK READ", "DISK WRITE", "IO", "COMMAND")
_LEAST_WAIT = 1.0
_LONGEST = 400
_MOST_ROWS = 200
_SECOND = 1_000_000


def sniff(head: str) -> bool | None:
    """Return whether the text has the head of iotop, or two of its rows."""
    lines = [line[:_LONGEST] for line in head.split("\n")[:200]]
    if any(map(_HEAD.match, lines)):
        return True
    return any(map(_TOTALS.match, lines)) or sum(map(bool, map(_ROW.match, lines))) > 1


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield totals of each listing, the waits of its programs, and the first listing.

    Raises FormatError for a text without a row or a total.
    """
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        if not reader.line(number, line[:_LONGEST].rstrip()) and line.strip():
            yield Skipped(number, number, "no row of iotop")
        if reader.columns.full:
            yield from reader.columns.flush()
    reader.end_listing()
    if not reader.listings:
        raise FormatError("No row of iotop was found: expected TID, PRIO, USER, DISK READ, ...")
    yield from reader.columns.flush()
    if reader.rows:
        yield Table(
            name="iotop",
            columns=_COLUMNS,
            rows=tuple(reader.rows),
            line_first=reader.first,
            line_last=reader.last,
        )


class _Reader:
    def __init__(self) -> None:
        self.columns = Columns()
        self.listings = 0
        self.rows: list[tuple[str | None, ...]] = []
        self.first = self.last = 0
        self._waits: dict[str, tuple[float, int]] = {}
        self._begun = False

    def line(self, number: int, text: str) -> bool:
        """Read a line; return False for one that is of no listing."""
        if match := _TOTALS.match(text):
            if self._waits or not text.lstrip().startswith("Actual"):
                self.end_listing()
            self._begun = True
            if not text.lstrip().startswith("Actual"):
                for name in ("read", "write"):
                    rate = float(match[name]) * _UNIT[match[f"{name}_unit"]]
                    self._add(f"disk_{name}", rate, number, "B/s")
            return True
        if _HEAD.match(text):
            return True
        match = _ROW.match(text)
        if match is None:
            return False
        self._begun = True
        waits, command = float(match["io"]), match["command"].rstrip("'")
        name = "server" if _SERVER.match(command) else command.split()[0][:60]
        if waits > self._waits.get(name, (-1.0, 0))[0]:
            self._waits[name] = waits, number
        if not self.listings and len(self.rows) < _MOST_ROWS:
            self.first, self.last = self.first or number, number
            cells = [f"{match[each]} {match[f'{each}_unit']}" for each in ("read", "write")]
            self.rows.append(
                (match["tid"], match["prio"], match["user"], *cells, match["io"], command)
            )
        return True

    def end_listing(self) -> None:
        """Add how long the programs of a listing wait."""
        if not self._begun:
            return
        for name, (waits, number) in self._waits.items():
            if name == "server":
                self._add("server_io_wait_pct", waits, number, "%")
            elif waits >= _LEAST_WAIT:
                self._add("io_wait_pct", waits, number, "%", (("command", name),))
        self._waits.clear()
        self._begun = False
        self.listings += 1

    def _add(self, name: str, value: float, number: int, unit: str, labels: Labels = ()) -> None:
        self.columns.add(
            f"iotop.{name}", value, wall=self.listings * _SECOND, clock="relative", line=number,
            unit=unit, labels=labels,
        )  # fmt: skip
