"""Match many rows of a processlist at a time, by patterns over their text.

A pattern is built from what was read: the keys of a \\G row with their width, the offsets of a box,
the names of a tab table. It matches only complete adjacent rows, each with all its cells on as many
lines as it has keys, and only where the next line begins something new; so a statement over several
lines, a broken box or damage never matches and is read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from pileup.formats.unwrapping import client_layouts

COLUMNS = ("id", "user", "host", "db", "command", "time", "state", "info")
AFTER_INFO = frozenset(
    (
        "time_ms",
        "stage",
        "max_stage",
        "progress",
        "memory_used",
        "max_memory_used",
        "examined_rows",
        "sent_rows",
        "query_id",
        "info_binary",
        "tid",
        "rows_sent",
        "rows_examined",
        "rows_read",
        "execution_engine",
    )
)
# Not doing a statement: they would hide the pileup in the count.
NOT_RUNNING = frozenset({"Sleep", "Daemon", "Binlog Dump", "Binlog Dump GTID", None})

_NUMBER = re.compile(r"-?[0-9]{1,19}$")
_ID = r"-?[0-9]{1,18}"
_ROW_LINE = r"\*{10,40} [0-9]{1,9}\. row \*{10,40}\n"
_TS = r"TS [0-9]{9,11}(?:\.[0-9]+)?(?: [0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8})?\n"
_AFTER_VERTICAL = rf"(?={_ROW_LINE} *(?i:id): ?{_ID}\n|{_TS})"
_AFTER_TAB = (
    rf"(?={_ID}\t(?:[^\t\n]*\t){{6}}|(?i:id\tuser\thost\tdb\tcommand\ttime\tstate\tinfo\b)|{_TS})"
)
_VERTICAL = re.compile(
    rf"{_ROW_LINE}(?P<keys>(?: *[A-Za-z_]{{1,30}}:.*\n){{8,30}}){_AFTER_VERTICAL}"
)
_KEY = re.compile(r"^ *[A-Za-z_]+(?=:)", re.MULTILINE)
_MOST_ROWS = 4096
_MOST_PATTERNS = 32

Layout = Literal["vertical", "box", "tab"]
Cells = dict[str, Sequence[str]]
"""The cells of many rows by the name of their column."""


@dataclass(frozen=True, slots=True)
class RowPattern:
    """A pattern of rows: ``run`` matches adjacent rows, ``row`` finds the cells of each."""

    layout: Layout
    names: tuple[str, ...]
    lines: int
    run: re.Pattern[str]
    row: re.Pattern[str]

    def cells(self, text: str, start: int, end: int) -> Cells:
        """Return the cells of a run."""
        found = self.row.findall(text, start, end)
        return dict(zip(self.names, zip(*found, strict=True), strict=True))

    def columns(self, cells: Cells) -> dict[str, Any]:
        """Convert the cells of rows to columns of Session."""
        if self.layout == "box":
            cells = {name: list(map(str.strip, column)) for name, column in cells.items()}
        elif self.layout == "tab":
            for name, column in cells.items():
                if "\\" in "".join(column):
                    cells[name] = list(map(client_layouts.unescape, column))
        ms = cells.get("time_ms")
        times = map(seconds, cells["time"], ms) if ms else map(seconds, cells["time"])
        text: dict[str, Sequence[str | None]] = {
            name: [None if v == "NULL" else v for v in cells[name]]
            if "NULL" in cells[name]
            else list(cells[name])
            for name in ("user", "host", "db", "command", "state", "info")
        }
        columns: dict[str, Any] = {
            "session_id": list(map(int, cells["id"])),
            "user": text["user"],
            "client_host": text["host"],
            "db": text["db"],
            "command": text["command"],
            "time_s": list(times),
            "state": text["state"],
            "query": text["info"],
        }
        if "tid" in cells:
            columns["os_tid"] = [integer(cell) or None for cell in cells["tid"]]
        return columns


class RowPatterns:
    """The patterns that a file needed so far."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], RowPattern] = {}

    def vertical(self, text: str, at: int) -> RowPattern | None:
        """Build the row pattern of the \\G row at this offset; None when it is not plain."""
        match = _VERTICAL.match(text, at)
        if match is None:
            return None
        keys = tuple(_KEY.findall(match["keys"]))
        names = tuple(key.strip().lower() for key in keys)
        after = names[len(COLUMNS) :]
        plain = names[: len(COLUMNS)] == COLUMNS and AFTER_INFO.issuperset(after)
        if not plain or len(set(names)) < len(names) or len(set(map(len, keys))) > 1:
            return None
        cells = "".join(rf"{re.escape(key)}: ?(.*)\n" for key in keys[1:])
        row_line = _ROW_LINE.replace("[0-9]{1,9}", "([0-9]{1,9})")
        row = rf"{row_line}{re.escape(keys[0])}: ?({_ID})\n{cells}"
        return self._make(
            ("vertical", keys), "vertical", ("row", *names), len(keys) + 1, row, _AFTER_VERTICAL
        )

    def box(self, offsets: Sequence[int], names: Sequence[str]) -> RowPattern | None:
        """Build the row pattern of a box with bars at these offsets."""
        if len(offsets) != len(names) + 1 or tuple(names[: len(COLUMNS)]) != COLUMNS:
            return None
        cells = "".join(rf"\|(.{{{b - a - 1}}})" for a, b in pairwise(offsets))
        row = rf"(?=\| *{_ID} *\|){cells}\|\n"
        return self._make(("box", *offsets), "box", tuple(names), 1, row, "")

    def tab(self, names: Sequence[str]) -> RowPattern | None:
        """Build the row pattern of a tab-separated table with these columns."""
        if tuple(names[: len(COLUMNS)]) != COLUMNS:
            return None
        row = rf"({_ID})" + r"\t([^\t\n]*)" * (len(names) - 1) + r"\n"
        return self._make(("tab", *names), "tab", tuple(names), 1, row, _AFTER_TAB)

    def _make(
        self,
        key: tuple[Any, ...],
        layout: Layout,
        names: tuple[str, ...],
        lines: int,
        row: str,
        after: str,
    ) -> RowPattern | None:
        if key not in self._made:
            if len(self._made) >= _MOST_PATTERNS:
                return None
            # A row that is the first of a listing ends the listing before it.
            first = r"(?!\*+ 1\. row)" if layout == "vertical" else ""
            plain = (
                row.replace("(.", "(?:.").replace("([", "(?:[").replace(f"({_ID})", f"(?:{_ID})")
            )
            run = rf"(?:{plain}{after})(?:{first}{plain}{after}){{0,{_MOST_ROWS}}}+"
            self._made[key] = RowPattern(layout, names, lines, re.compile(run), re.compile(row))
        return self._made[key]


def null_as_none(value: str | None) -> str | None:
    return None if value is None else client_layouts.null(value)


def integer(value: str | None) -> int | None:
    value = (value or "").strip()
    if not _NUMBER.match(value):
        return None
    number = int(value)
    return number if -(2**63) <= number < 2**63 else None


@lru_cache(maxsize=65536)
def seconds(time: str | None, time_ms: str | None = None) -> float | None:
    """Return the seconds in the state, with the decimals of TIME_MS where they fit."""
    seconds = integer(time)
    if seconds is None:
        return None
    try:
        precise = float(time_ms) / 1000 if time_ms else None
    except ValueError:
        precise = None
    if precise is not None and abs(precise - seconds) <= 1:
        return precise
    return float(seconds)
