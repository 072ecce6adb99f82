"""Match many rows of a table at a time: the fast path of the layouts of a client.

A pattern is built from what was read: the keys of a \\G row with their width, the offsets of a box,
the number of tabs. It matches only complete adjacent rows, each with all its cells on as many lines
as it has keys, and only where the next line begins something new; so a statement over several
lines, a broken box or damage never matches and is read line by line. Both ways give the same cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

ROW_LINE = r"\*{10,40} [0-9]{1,9}\. row \*{10,40}\n"
_FIRST_ROW = re.compile(r"\*{10,40} (?P<number>[0-9]{1,9})\. row \*{10,40}\n")
_TS = r"TS [0-9]{9,11}(?:\.[0-9]+)?(?: [0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8})?\n"
_KEY = re.compile(r"(?P<key> *[^\s:*+|\n][^:\n]{0,127}):.*\n")
_MOST_ROWS = 4096
_MOST_PATTERNS = 32
_MOST_KEYS = 200
_LEAST_TAB_ROWS = 8
# Cells that may hold several lines: statements and the server's own prose.
PROSE = ("query", "info", "sql_text", "statement", "digest_text", "error", "status", "state")
_CALL = re.compile(r"\w+\([\w*.@, ]*\)")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\0": "\ufffd", "\\\\": "\\", "\\r": "\r"}


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of adjacent rows, and how many lines and characters they take."""

    frame: pl.DataFrame
    """A column of strings for each column of the table, named '0', '1', ...; NULL is null."""
    lines: int
    """Lines of one row."""
    size: int

    def rows(self) -> Iterator[tuple[str | None, ...]]:
        """Yield the rows one by one."""
        return self.frame.iter_rows()


@dataclass(frozen=True, slots=True)
class Pattern:
    """``run`` matches adjacent rows, ``row`` finds the cells of each."""

    keys: tuple[str, ...]
    """The names of the columns in \\G."""
    lines: int
    run: re.Pattern[str]
    row: re.Pattern[str]

    def read(self, text: str, at: int) -> Cells | None:
        """Read the rows from an offset on; None when the first does not match."""
        match = self.run.match(text, at)
        if match is None:
            return None
        found = self.row.findall(text, at, match.end())
        columns = zip(*found, strict=True)
        frame = pl.DataFrame(
            {str(number): _stripped(column) for number, column in enumerate(columns)}
        )
        return Cells(frame, self.lines, match.end() - at)


def _stripped(column: Sequence[str]) -> pl.Series:
    cells = list(map(str.strip, column))
    if "NULL" in cells:
        return pl.Series([None if cell == "NULL" else cell for cell in cells], dtype=pl.String)
    return pl.Series(cells, dtype=pl.String)


class Patterns:
    """The patterns that a file needed so far."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], Pattern | None] = {}
        self._vertical: Pattern | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the \\G row that was matched last."""
        return self._vertical.keys if self._vertical else ()

    def vertical(self, text: str, at: int) -> Pattern | None:
        """Return the pattern of the \\G row at an offset; None when it is not plain."""
        if self._vertical is not None and self._vertical.row.match(text, at):
            return self._vertical
        first = _FIRST_ROW.match(text, at)
        if first is None:
            return None
        keys: list[str] = []
        end = first.end()
        while len(keys) <= _MOST_KEYS and (match := _KEY.match(text, end)):
            key = match["key"]
            if keys and len(key) != len(keys[0]):
                return None
            if keys and keys[-1].lower().endswith(PROSE) and not is_name(key.lstrip()):
                return None  # a line of a statement
            keys.append(key)
            end = match.end()
        names = tuple(key.lstrip() for key in keys)
        if not keys or len(keys) > _MOST_KEYS or len(set(names)) < len(names):
            return None
        after = rf"(?={ROW_LINE}{re.escape(keys[0])}:|{_TS})"
        row = ROW_LINE + "".join(rf"{re.escape(key)}: ?+(.*+)\n" for key in keys)
        pattern = self._make(("vertical", *keys), names, len(keys) + 1, row, after)
        self._vertical = pattern or self._vertical
        return pattern

    def box(self, offsets: Sequence[int]) -> Pattern | None:
        """Return the pattern of rows with bars at these offsets."""
        cells = "".join(rf"\|(.{{{b - a - 1}}})" for a, b in pairwise(offsets))
        return self._make(("box", *offsets), (), 1, rf"{cells}\|\n", "")

    def _make(
        self, key: tuple[object, ...], keys: tuple[str, ...], lines: int, row: str, after: str
    ) -> Pattern | None:
        if key not in self._made:
            if len(self._made) >= _MOST_PATTERNS:
                return None
            # A row that is the first of a table ends the table before it.
            first = r"(?!\*+ 1\. row)" if keys else ""
            plain = row.replace("(.", "(?:.")
            run = rf"(?:{plain}{after})(?:{first}{plain}{after}){{0,{_MOST_ROWS}}}+"
            self._made[key] = Pattern(keys, lines, re.compile(run), re.compile(row))
        return self._made[key]


def is_name(key: str) -> bool:
    """Whether a key is a column's or a function's, and not the beginning of a statement's line."""
    return key.isidentifier() or _CALL.fullmatch(key) is not None


def row_number(text: str, at: int) -> int:
    """Return the number in the line of stars at an offset."""
    match = _FIRST_ROW.match(text, at)
    return int(match["number"]) if match else 0


class TabRows:
    """Reads tab-separated rows as columns, without an object per cell."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._width = len(columns)
        self._run = re.compile(rf"(?:(?:[^\t\n]*\t){{{self._width - 1}}}[^\t\n]*\n)*+")
        self._header = "\n" + "\t".join(columns) + "\n"
        self._name = columns[0].lower() + "\t"
        self._may_continue = columns[-1].lower().endswith(PROSE)
        self._until = self._again = (-1, -1)

    def read(self, text: str, at: int) -> Cells | None:
        """Read the rows from an offset on, but for the last if its last cell may continue.

        None for a few rows, and where a row may be a header.
        """
        if self._until[0] == len(text) and at < self._until[1]:
            return None
        limit = self._next_header(text, at)
        match = self._run.match(text, at, limit)
        end = match.end() if match else at
        if self._may_continue and end < limit and not text.startswith("TS ", end):
            end = max(at, text.rfind("\n", at, max(at, end - 1)) + 1)
        lines = text.count("\n", at, end)
        if lines < _LEAST_TAB_ROWS or text[at : at + len(self._name)].lower() == self._name:
            self._until = len(text), end
            return None
        frame = self._frame(text[at:end])
        return None if frame is None or frame.height != lines else Cells(frame, 1, end - at)

    def _next_header(self, text: str, at: int) -> int:
        """Return where the header is printed again, or the end of the text."""
        size, found = self._again
        if size != len(text) or found < at:
            place = text.find(self._header, at)
            found = place + 1 if place >= 0 else len(text)
            self._again = len(text), found
        return found

    def _frame(self, text: str) -> pl.DataFrame | None:
        names = [str(number) for number in range(self._width)]
        try:
            frame = pl.read_csv(
                text.encode(),
                has_header=False,
                separator="\t",
                schema=dict.fromkeys(names, pl.String),
                quote_char=None,
                null_values="NULL",
                empty_string_is_null=False,
            )
        except pl.exceptions.PolarsError:
            return None
        if "\\" not in text:
            return frame
        return frame.with_columns(pl.all().str.replace_many(_ESCAPES, leftmost=True))


__all__ = ["Cells", "Pattern", "Patterns", "TabRows", "is_name", "row_number"]
