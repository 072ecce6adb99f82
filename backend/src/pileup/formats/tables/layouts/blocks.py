"""Match many rows of a table at a time: the fast path of the layouts of a client.

A pattern is built from what was read: the keys of a \\G row with their width, the offsets of a box,
the number of tabs. It matches only complete adjacent rows, each with all its cells on as many lines
as it has keys, and only where the next line begins something new; so a statement over several
lines, a broken box or damage never matches and is read line by line. Both ways give the same cells.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from pileup.formats.reading.date_lines import read_date_line

ROW_LINE = r"\*{10,40} [0-9]{1,9}\. row \*{10,40}\n"
_FIRST_ROW = re.compile(r"\*{10,40} (?P<number>[0-9]{1,9})\. row \*{10,40}\n")
_TS = r"TS [0-9]{9,11}(?:\.[0-9]+)?(?: [0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8})?\n"
_KEY = re.compile(r"(?P<key> *[^\s:*+|\n][^:\n]{0,127}):.*\n")
_MOST_ROWS = 4096
_MOST_PATTERNS = 32
_MOST_KEYS = 200
_LEAST_TAB_ROWS = 8
MANY_COLUMNS = 4
"""A row of so many words, which are the names of a known table, is its header."""
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
    source: tuple[pl.DataFrame, int] | None = None
    """The frame of which this is a slice, and its first row there: for what is done once."""
    texts: Sequence[list[str | None]] = ()
    """The columns as lists, where the frame was made of them."""

    def column(self, name: str) -> list[str | None]:
        """Return the cells of a column of the frame."""
        return self.texts[int(name)] if self.texts else self.frame[name].to_list()

    def rows(self) -> Iterator[tuple[str | None, ...]]:
        """Yield the rows one by one."""
        return self.frame.iter_rows()


@dataclass(frozen=True, slots=True)
class Pattern:
    """``run`` matches adjacent rows, ``row`` the first; ``places`` has the cells of each."""

    keys: tuple[str, ...]
    """The names of the columns in \\G."""
    lines: int
    run: re.Pattern[str]
    row: re.Pattern[str]
    places: tuple[tuple[int, int, int | None], ...]
    """For each column its line in the row, and where its cell begins and ends there."""

    def read(self, text: str, at: int) -> Cells | None:
        """Read the rows from an offset on; None when the first does not match."""
        match = self.run.match(text, at)
        if match is None:
            return None
        lines = text[at : match.end() - 1].split("\n")
        texts = [
            _stripped([line[start:end] for line in lines[place :: self.lines]])
            for place, start, end in self.places
        ]
        frame = pl.DataFrame({str(at): pl.Series(c, dtype=pl.String) for at, c in enumerate(texts)})
        return Cells(frame, self.lines, match.end() - at, texts=texts)


def _stripped(column: list[str]) -> list[str | None]:
    cells: list[str | None] = list(map(str.strip, column))
    return [None if cell == "NULL" else cell for cell in cells] if "NULL" in cells else cells


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
            if keys and key[-1:].isdecimal() and read_date_line(match[0].rstrip(), most_words=3):
                break  # the time of the next row, with its colon below those of the keys
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
        row = ROW_LINE + "".join(rf"{re.escape(key)}:.*+\n" for key in keys)
        places = tuple((line, len(key) + 1, None) for line, key in enumerate(keys, start=1))
        pattern = self._make(("vertical", *keys), names, places, row, after)
        self._vertical = pattern or self._vertical
        return pattern

    def box(self, offsets: Sequence[int]) -> Pattern | None:
        """Return the pattern of rows with bars at these offsets."""
        cells = "".join(rf"\|.{{{b - a - 1}}}" for a, b in pairwise(offsets))
        left = offsets[0]
        places = tuple((0, a + 1 - left, b - left) for a, b in pairwise(offsets))
        return self._make(("box", *offsets), (), places, rf"{cells}\|\n", "")

    def _make(
        self,
        key: tuple[object, ...],
        keys: tuple[str, ...],
        places: tuple[tuple[int, int, int | None], ...],
        row: str,
        after: str,
    ) -> Pattern | None:
        if key not in self._made:
            if len(self._made) >= _MOST_PATTERNS:
                return None
            # A row that is the first of a table ends the table before it.
            first = r"(?!\*+ 1\. row)" if keys else ""
            run = rf"(?:{row}{after})(?:{first}{row}{after}){{0,{_MOST_ROWS}}}+"
            lines = len(keys) + 1 if keys else 1
            self._made[key] = Pattern(keys, lines, re.compile(run), re.compile(row), places)
        return self._made[key]


def is_name(key: str) -> bool:
    """Whether a key is a column's or a function's, and not the beginning of a statement's line."""
    return key.isidentifier() or _CALL.fullmatch(key) is not None


def row_number(text: str, at: int) -> int:
    """Return the number in the line of stars at an offset."""
    match = _FIRST_ROW.match(text, at)
    return int(match["number"]) if match else 0


class TabRows:
    """Reads tab-separated rows as columns, without an object per cell.

    The rows of all following tables with the same header are converted at once: what is between
    them (headers and TS lines) is cut out, and ``read`` returns slices.
    """

    def __init__(self, columns: Sequence[str], is_known: Callable[[Sequence[str]], bool]) -> None:
        self._width = len(columns)
        self._is_known = is_known
        self._names = re.compile(
            rf"^(?:[A-Za-z_]{{2,64}}\t){{{self._width - 1}}}[A-Za-z_]{{2,64}}$", re.MULTILINE
        )
        self._run = re.compile(rf"(?:(?:[^\t\n]*\t){{{self._width - 1}}}[^\t\n]*\n)*+")
        self._header = "\t".join(columns) + "\n"
        self._may_continue = columns[-1].lower().endswith(PROSE)
        self._segments: list[tuple[int, int, int, int]] = []
        """Rows without anything between them: start, end, number of the first, how many."""
        self._text = ""
        self._until = self._next_header = 0
        self._is_plain = True
        self._frame = pl.DataFrame()

    def read(self, text: str, at: int) -> Cells | None:
        """Read the rows from an offset on, but for the last if its last cell may continue."""
        if self._text is not text or at >= self._until:
            self._read_ahead(text, at)
        place = bisect.bisect_right(self._segments, at, key=lambda segment: segment[0]) - 1
        if place < 0 or at >= self._segments[place][1]:
            return None
        start, end, row, rows = self._segments[place]
        read = text.count("\n", start, at)
        frame = self._frame.slice(row + read, rows - read)
        return Cells(frame, 1, end - at, (self._frame, row + read))

    def _read_ahead(self, text: str, at: int) -> None:
        """Convert the rows from an offset on, past headers and TS lines."""
        if self._text is not text:
            self._text, self._next_header, self._is_plain = text, -1, True
        # The quick way is tried once per text: it converts all of it.
        ways = (self._likely_segment, self._segment) if self._is_plain else (self._segment,)
        for segment in ways:
            self._segments, self._until = [], at + 1
            start, row, goes_on = at, 0, True
            while goes_on and start < len(text):
                end, goes_on = segment(text, start)
                lines = text.count("\n", start, end)
                if lines >= _LEAST_TAB_ROWS:
                    self._segments.append((start, end, row, lines))
                    row += lines
                self._until = max(self._until, end)
                start = text.find("\n", end) + 1 or len(text)
            if not self._segments or self._convert(text, row):
                return
            self._is_plain, self._next_header = False, -1
        self._segments = []

    def _likely_segment(self, text: str, at: int) -> tuple[int, bool]:
        """Return the same as ``_segment`` where all lines up to the next header are rows."""
        if text.startswith(("TS ", self._header), at):
            return at, True
        self._find_header(text, at)
        end = self._next_header
        if (cut := self._other_header(text, at, end)) < end:
            return cut, False
        last = text.rfind("\n", at, end - 1) + 1
        if last and text.startswith("TS ", last):
            end = last
        if end < len(text):
            return end, True
        return (text.rfind("\n", at, end - 1) + 1 or at) if self._may_continue else end, False

    def _other_header(self, text: str, at: int, end: int) -> int:
        """Return where a known table of as many columns begins; ``end`` where none does."""
        if self._width < MANY_COLUMNS:
            return end
        headers = self._names.finditer(text, at, end)
        return next((row.start() for row in headers if self._is_known(row[0].split("\t"))), end)

    def _find_header(self, text: str, at: int) -> None:
        """Find where the header is printed next, once for all rows up to it."""
        if self._next_header < at:
            place = text.find("\n" + self._header, at)
            self._next_header = place + 1 if place >= 0 else len(text)

    def _segment(self, text: str, at: int) -> tuple[int, bool]:
        """Return where the rows at an offset end, and whether a header or a TS line is next."""
        if text.startswith(("TS ", self._header), at):
            return at, True
        self._find_header(text, at)
        match = self._run.match(text, at, self._next_header)
        end = match.end() if match else at
        if (cut := self._other_header(text, at, end)) < end:
            return cut, False
        if end < len(text) and (end == self._next_header or text.startswith("TS ", end)):
            return end, True
        if self._may_continue and end > at:
            end = text.rfind("\n", at, end - 1) + 1 or at
        return end, False

    def _convert(self, text: str, rows: int) -> bool:
        """Convert all rows; return False when one of them has too few or too many cells."""
        names = [str(number) for number in range(self._width)]
        data = "".join(text[start:end] for start, end, *_ in self._segments)
        encoded = data.encode()
        try:
            frame = pl.read_csv(
                encoded,
                has_header=False,
                separator="\t",
                schema=dict.fromkeys(names, pl.String),
                quote_char=None,
                null_values="NULL",
                empty_string_is_null=False,
            )
        except pl.exceptions.PolarsError:
            return False
        # Each null was printed as NULL: a missing cell is null as well.
        every = pl.all()
        sizes = frame.select(pl.sum_horizontal(every.str.len_bytes().sum(), every.null_count() * 4))
        if frame.height != rows or sizes.item() + self._width * rows != len(encoded):
            return False
        if "\\" in data:
            frame = frame.with_columns(pl.all().str.replace_many(_ESCAPES, leftmost=True))
        self._frame = frame
        return True


__all__ = ["MANY_COLUMNS", "Cells", "Pattern", "Patterns", "TabRows", "is_name", "row_number"]
