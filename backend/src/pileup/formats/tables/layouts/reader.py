"""Read the tables of a text, row by row, in any mix of layouts.

Source: print_table_data(), print_tab_data(), print_table_data_vertically(), client/mysql.cc; MySQL
        Shell prints the same boxes and rows. pt-stalk puts TS lines and the statement above them,
        loops of a shell the output of ``date``. Other programs show the same rows as Markdown, CSV
        or columns of blanks (``delimited``), and tickets quote rows without names (``headless``).
Yields: Stamp for the time of what follows, ResultSet when a table begins, ResultRow for each row,
        Stray for a line that is none of these, in file order. Statements, prompts, warnings and "n
        rows in set" are peeled; the statement above a table becomes its title.
Note:   NULL is None. The client does not mark the text 'NULL', so that reads as None too. A cell
        over several lines is joined again: in \\G by the aligned keys, in a box by its bars,
        in --raw batch output by counting tabs, in CSV by its quotes. Tables may be indented.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pileup.formats.reading.date_lines import read_date_line
from pileup.formats.reading.foreign_lines import is_foreign
from pileup.formats.reading.pt_stalk_samples import read_ts
from pileup.formats.reading.text import Chunk
from pileup.formats.tables.layouts import delimited, headless, pairs
from pileup.formats.tables.layouts.blocks import (
    MANY_COLUMNS,
    PROSE,
    Cells,
    Pattern,
    Patterns,
    TabRows,
    is_name,
    row_number,
)
from pileup.formats.tables.layouts.delimited import Delimited
from pileup.formats.unwrapping import client_layouts
from pileup.records import Clock

Layout = Literal["vertical", "box", "tab", "cells"]
IsKnown = Callable[[Sequence[str]], bool]
"""Whether columns of these names are those of a known table."""

# mysql> SHOW ENGINE ...      MariaDB [(none)]> ...      MySQL  localhost:33060+ ssl  sql > ...
_PROMPT = re.compile(r"\s?(?:mysql|mariadb)\b[^>]{0,100}> ?(?P<sql>.*)$", re.IGNORECASE)
_MORE = re.compile(r" {2,}(?:->|'>|\">|`>|/\*>) ?(?P<sql>.*)$")
_SQL = re.compile(
    r"\s*(?:\(?select|show|with|table|call|explain|describe|desc|analyze|check)\b", re.IGNORECASE
)
_END_OF_SQL = re.compile(r"(?:;|\\[Gg])\s*$")
_DASHES = re.compile(r"-{14}\s*$")
_FIRST_KEY = re.compile(r"(?P<key> *[^\s:*+|][^:]{0,127}): ?(?P<value>.*)$", re.DOTALL)
_MOVED_KEY = re.compile(r" {1,60}([A-Za-z]\w{1,63}):(?: |$)")
_MOST_MOVED = 4
"""Columns by which a key is moved whose name somebody replaced."""
_NUMBER = re.compile(r"-?[\d.]+$")
_COUNTED = re.compile(r"\d+ rows? in set|\d+ rows? \(")
_LONGEST_DATE = 80
_BOX_DRAWING = "┌╔╭┏├╠┣╞╟└╚╰┗│║┃"
_TO_ASCII = str.maketrans(
    {
        **dict.fromkeys("─━═╌", "-"),
        **dict.fromkeys("│┃║", "|"),
        **dict.fromkeys("┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╭╮╰╯┏┳┓┣╋┫┗┻┛╞╪╡╟╫╢", "+"),
    }
)
_LEAST_ALIGNED, _LEAST_CELLS = 3, 5
"""Fewer bars at their offsets: a row keeps to none, and is one by its number of cells."""
_HOUR = 3_600_000_000
_MOST_ROW = 1024 * 1024
_MOST_HEADERS = 32
_PAIR = 2
_MOST_REMARKS = 3
"""Lines that somebody wrote between two rows of a table."""
_LONGEST_REST = 64 * 1024
_MOST_TITLE = 2000
_MOST_COLUMNS = 4096
"""Most columns of a table in MySQL; a result of more is not a table."""


_CUT_STARS = re.compile(r"\*{3,40}(?: \d{0,9}(?:\. ?(?:r|ro|row ?\**)?)?)?$")
"""The line above a row, at which a copy ends."""
_MARKS = re.compile(rf"\s*(?:[+{_BOX_DRAWING}]|\*{{10}}|\|.*\|\s*$)|.*\t")
"""A rule, the line above a row of \\G, a row between bars or tabs."""


def may_begin(text: str, below: str, is_known: IsKnown, *, any_words: bool = False) -> bool:
    """Whether a table may begin with a line, by itself and the line below it."""
    if _MARKS.match(text) or headless.is_named_value(text) or headless.cut_columns(text):
        return True
    if headless.may_be_named_value(text) and headless.may_be_named_value(below):
        return True
    if headless.spaced_cells(text, headless.PROCESSLIST):
        return True
    return delimited.begins(text, below, is_known, any_words=any_words)


@dataclass(frozen=True, slots=True)
class Stamp:
    """The time of the tables below a line."""

    line: int
    wall_us: int
    clock: Clock
    local: str | None
    """The wall clock as printed; None for a TS line without it."""
    is_ts: bool = True
    """The line is pt-stalk's, which prints both clocks."""


@dataclass(frozen=True, slots=True)
class ResultSet:
    number: int
    """0-based, in the file."""
    title: str
    """The statement above it on one line, without its end; empty when there is none."""
    columns: tuple[str, ...]
    line: int
    layout: Layout


@dataclass(frozen=True, slots=True)
class ResultRow:
    result: ResultSet
    values: tuple[str | None, ...]
    """As many as the set has columns."""
    line_first: int
    line_last: int
    missing: int = 0
    """Cells at the end that a row lacks because it was cut; they are None."""


@dataclass(frozen=True, slots=True)
class Stray:
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Many adjacent rows of one table, with the same cells as if each were a ResultRow."""

    result: ResultSet
    cells: Cells
    line: int
    """The first line of the first row."""

    def rows(self) -> Iterator[ResultRow]:
        """Yield the rows one by one."""
        height = self.cells.lines
        for number, values in enumerate(self.cells.rows()):
            line = self.line + number * height
            yield ResultRow(self.result, values, line, line + height - 1)

    @property
    def first(self) -> ResultRow:
        """The first row."""
        values = self.cells.frame.row(0)
        return ResultRow(self.result, values, self.line, self.line + self.cells.lines - 1)

    @property
    def line_last(self) -> int:
        return self.line + self.cells.frame.height * self.cells.lines - 1


Part: TypeAlias = Stamp | ResultSet | ResultRow | Stray
Block: TypeAlias = Part | RowBlock


def is_never_known(_: Sequence[str]) -> bool:
    return False


def read(
    lines: Iterable[str], first: int = 1, is_known: IsKnown = is_never_known
) -> Iterator[Part]:
    """Yield every part of a text, in order.

    first: the number of its first line.
    is_known: decides about tables whose layout alone is no proof of a table.
    """
    reader = Reader(is_known)
    for number, text in enumerate(lines, start=first):
        yield from reader.line(number, text)
    yield from reader.end()


def read_chunks(
    chunks: Iterable[Chunk], is_known: IsKnown = is_never_known, *, any_words: bool = False
) -> Iterator[Block]:
    """Yield the same as ``read``, but plain adjacent rows as blocks.

    any_words: columns of any names above numbers are a table; they may be another tool's.
    """
    reader = Reader(is_known, any_words=any_words)
    number, rest = 1, ""
    for chunk in chunks:
        text = rest + chunk.text
        end = _last_row(text)
        rest = text[end:]  # the next chunk has the rest of this row
        number = yield from reader.text(number, text[:end] if rest else text)
    for line in rest.split("\n")[:-1]:
        yield from reader.line(number, line)
        number += 1
    yield from reader.end()


def _last_row(text: str) -> int:
    """Return where the last row of \\G begins if its text may go on in the next chunk."""
    at = 0 if text.startswith("***") else len(text)
    at = place + 1 if (place := text.rfind("\n***")) >= 0 else at
    return at if len(text) - at < _LONGEST_REST else len(text)


@dataclass(frozen=True, slots=True)
class _Interrupted:
    """A table above a line that is none of its rows, and how its rows are read."""

    result: ResultSet
    last: int
    """Its last line."""
    layout: Layout | None
    offsets: list[int]
    cells: Delimited | None

    def may_have(self, text: str) -> bool:
        """Whether a line has as many cells as the rows of the table, between the same marks."""
        columns = self.result.columns
        if self.layout == "tab":
            return text.count("\t") == len(columns) - 1 > 0 and not _looks_like_header(text)
        cells = _bars(text)
        if cells is None or len(cells) != len(columns) or tuple(cells) == columns:
            return False
        if self.cells is not None and self.cells.kind == "|":
            return self.cells.cells(text) is not None
        return self.layout == "box" and len(self.offsets) == len(columns) + 1


class Reader:
    """Reads the lines of a text in order; ``end`` completes what they leave open."""

    def __init__(self, is_known: IsKnown = is_never_known, *, any_words: bool = False) -> None:
        self._is_known = is_known
        self._any_words = any_words
        self._sets = 0
        self._interrupted: _Interrupted | None = None
        self._resumed = 0
        """The line with which a table went on behind remarks."""
        self._result: ResultSet | None = None
        self._layout: Layout | None = None
        self._title: list[str] = []
        self._inside_sql = False
        self._verbose = False
        # the row being read, of any layout
        self._values: list[str] = []
        self._more: list[str] = []
        """Further lines of the last value, joined when it is complete."""
        self._first = self._last = 0
        self._size = 0
        self._is_over = False
        """The text has ended, perhaps inside of a cell."""
        # \G
        self._in_row = False
        self._row_number = 0
        self._width = 0
        self._keys: list[str] = []
        self._expected: tuple[str, ...] = ()
        self._blanks = 0
        self._bare_dates = False
        """The file prints times without colons between its tables: epochs, 07时24分47秒."""
        # box
        self._offsets: list[int] = []
        self._cut_at = 0
        """The width of a terminal or a photograph that cut the last column; 0 where none did."""
        self._no_edge = False
        """The header of the box has no bar at its end."""
        self._rules = 0
        self._pending: list[str] = []
        self._closed = False
        """The rule below the rows was read; a row that follows is of a box with more rules."""
        self._patterns = Patterns()
        self._bars: Pattern | None = None
        """The pattern of the rows of the current box."""
        self._row_ahead: tuple[int, str, int] | None = None
        """A line of stars inside a table, and its number: the next line shows what it is."""
        # tab
        self._days = self._of_day = 0
        """The last time of day that had no date, in µs, and the midnights before it."""
        self._tabs: dict[tuple[str, ...], TabRows] = {}
        self._tab_rows: TabRows | None = None
        self._header: tuple[int, str] | None = None
        # other delimiters
        self._candidate: tuple[int, str, Delimited] | None = None
        self._cells: Delimited | None = None
        self._indent = ""
        """Blanks in front of the current table."""

    def text(self, number: int, text: str) -> Generator[Block, None, int]:
        """Read whole lines, plain adjacent rows as blocks; return the number of the next line."""
        at = 0
        while at < len(text):
            if cells := self.cells_at(text, at):
                yield from self.block(text, at, cells, number)
                number += cells.frame.height * cells.lines
                at += cells.size
                continue
            end = text.index("\n", at)
            yield from self.line(number, text[at:end])
            number += 1
            at = end + 1
        return number

    # ---- \G

    def _next_key(self, number: int, text: str) -> bool:
        """Take the line as the next key of the current row; False for any other line."""
        width = self._width
        if not width:
            return False
        if text[width : width + 1] != ":" or text[width - 1] == " ":
            width = self._loose_width(text)
            if not width:
                return False
        key = text[:width].lstrip()
        if self._expected:
            at = len(self._values)
            if key not in self._expected[at:]:
                return False
            left_out = self._expected.index(key, at) - at  # somebody removed these lines
            if left_out and (self._prose() or not is_name(key)):
                return False
            if left_out:
                if self._more:
                    self._join()
                self._values += ["NULL"] * left_out
        elif len(self._keys) >= _MOST_COLUMNS or key in self._keys:
            return False
        elif key[-1:].isdecimal() and read_date_line(text, most_words=3):
            return False  # a time, with its colon below those of the keys
        elif not is_name(key) and self._prose():
            return False  # a line of a statement
        else:
            self._keys.append(key)
        if self._more:
            self._join()
        self._values.append(text[width + 1 :].removeprefix(" "))
        self._last = number
        self._blanks = 0
        self._size += len(text)
        return True

    def _loose_width(self, text: str) -> int:
        """Return where the colon of a key is that somebody moved; 0 for any other line.

        A value that may have several lines goes on with it.
        """
        if text[:1] != " " or not self._values or self._blanks or self._more or self._prose():
            return 0
        match = _MOVED_KEY.match(text)
        moved = abs(match.end(1) - self._width) if match else 0
        return match.end(1) if match and 0 < moved <= _MOST_MOVED else 0

    def _vertical(self, number: int, text: str) -> Iterator[Part]:
        if not self._values:  # the first key of a row
            match = _FIRST_KEY.match(text)
            if match is None or (self._expected and match["key"].lstrip() != self._expected[0]):
                yield from self._end_set()
                yield from self._between(number, text)
                return
            self._width = len(match["key"])
            self._keys = [match["key"].lstrip()]
            self._values = [match["value"]]
            self._last = number
            return
        if not text.strip():
            if self._prose():
                self._blanks += 1
            else:
                yield from self._end_row()
            return
        if not self._prose() and text.strip(" .…") == "":  # somebody left out the other keys
            yield from self._end_row()
            return
        may_be_date = (":" in text or self._bare_dates) and len(text) < _LONGEST_DATE
        if may_be_date and read_date_line(text, most_words=3):
            yield from self._end_set()
            yield from self._between(number, text)
            return
        outside = self._blanks or not self._prose()
        asks = outside and _SQL.match(text) and _END_OF_SQL.search(text)
        # NULL is complete: nothing behind an empty line is its rest
        over = bool(self._blanks) and not self._more and self._values[-1].strip() == "NULL"
        of_client = asks or _COUNTED.match(text) or _PROMPT.match(text)
        if over or of_client or self._is_of_another(text):
            yield from self._end_set()
            yield from self._between(number, text)
            return
        if self._size <= _MOST_ROW:
            self._more += [""] * self._blanks
            self._more.append(text)
            self._size += len(text) + self._blanks + 1
        self._blanks = 0
        self._last = number

    def _is_above_buttons(self, text: str) -> bool:
        """Whether a line has known names behind an empty cell: a page has a button in each row."""
        names = text[1:]
        return text[:1] == "\t" and _looks_like_header(names) and self._is_known(names.split("\t"))

    def _is_of_another(self, text: str) -> bool:
        """Whether a line below a value is of another table or another tool, and not its rest."""
        if "\t" in text:
            return bool(self._columns_of_row(text) or self._is_known(text.split("\t")))
        return is_foreign(text)

    def _prose(self) -> bool:
        name = (self._expected[len(self._values) - 1] if self._expected else self._keys[-1]).lower()
        return name.endswith(PROSE)

    # ---- every line

    def line(self, number: int, text: str) -> Iterator[Part]:
        """Read the next line."""
        if self._row_ahead is not None:
            yield from self._after_row_line(text)
        if not self._next_key(number, text):
            yield from self._other_line(number, text)

    def _other_line(self, number: int, text: str) -> Iterator[Part]:
        bare = text.lstrip(" ") if text[:1] == " " else text
        mark = bare[:1]
        if mark in _BOX_DRAWING and mark:
            text = text.translate(_TO_ASCII)
            bare = text.lstrip(" ")
            mark = bare[:1]
        if mark == "T" and text.startswith("TS ") and (stamp := read_ts(text)):
            yield from self._end_set()
            self._title.clear()
            yield Stamp(number, stamp[0], "utc", stamp[1])
        elif (
            mark == "*"
            and (match := client_layouts.ROW.match(bare))
            and self._is_row_line(text[: len(text) - len(bare)], int(match["number"][:9]))
        ):
            row = int(match["number"][:9])
            if self._layout == "vertical" and self._values:
                self._row_ahead = (number, text, row)
            else:
                yield from self._row_line(number, row)
        elif mark == "+" and client_layouts.RULE.match(bare):
            self._cut_at = 0
            yield from self._rule(text)
        elif mark == "+" and client_layouts.CUT_RULE.match(bare):
            self._cut_at = len(text.rstrip())
            yield from self._rule(f"{text.rstrip()}+")
        elif self._in_row:
            yield from self._vertical(number, text)
        elif self._layout == "box":
            yield from self._box(number, text)
        elif self._layout == "tab":
            yield from self._tab(number, text)
        elif self._layout == "cells":
            yield from self._delimited(number, text)
        else:
            yield from self._between(number, text)

    def _is_row_line(self, indent: str, row: int) -> bool:
        """Whether a line of stars begins a row: inside a table it is indented as the others.

        A row that follows the one above may be indented by itself: a copy lost or gained a blank.
        """
        if self._in_row and self._values and indent != self._indent:
            return row == self._row_number + 1
        self._indent = indent
        return True

    def _after_row_line(self, text: str) -> Iterator[Part]:
        """Begin a row only if a key is below its stars: a statement may hold such a line."""
        assert self._row_ahead is not None
        (number, line, row), self._row_ahead = self._row_ahead, None
        match = _FIRST_KEY.match(text)
        first = (self._expected or self._keys)[0]
        if match is not None and (row == 1 or match["key"].lstrip() == first):
            yield from self._row_line(number, row)
        else:
            yield from self._vertical(number, line)

    # ---- many rows

    def cells_at(self, text: str, at: int) -> Cells | None:
        """Read the rows that begin at an offset; None to read the line on its own."""
        mark = text[at]
        if mark == "*":
            pattern = None if self._row_ahead else self._patterns.vertical(text, at)
            if pattern is None:
                return None
            follows = self._layout == "vertical" and row_number(text, at) != 1
            if follows and self._expected and self._expected != pattern.keys:
                return None
            if follows and not self._expected and self._values:
                return None  # the first row of the table is still being read
            return pattern.read(text, at)
        if mark == "|" and self._layout == "box":
            if self._bars is None or self._rules != 2 or self._closed or self._result is None:
                return None
            return self._bars.read(text, at)
        if self._tab_rows is not None and self._layout == "tab" and not self._is_partial():
            return self._tab_rows.read(text, at)
        return None

    def _is_partial(self) -> bool:
        """Whether the current row lacks cells, so that the next line may hold them."""
        return self._result is not None and 0 < len(self._values) < len(self._result.columns)

    def block(self, text: str, at: int, cells: Cells, number: int) -> Iterator[Block]:
        """Take rows that ``cells_at`` has read; ``number`` is their first line."""
        if text[at] == "*":
            row = row_number(text, at)
            names = self._patterns.keys
            if row == 1 or self._layout != "vertical":
                yield from self._end_set()
            else:
                yield from self._end_row()
            self._layout, self._in_row, self._indent = "vertical", False, ""
            if not self._expected:
                yield from self._begin(number, names, "vertical")
                self._expected = names
        else:
            yield from self._end_row()
        assert self._result is not None
        self._last = number + cells.frame.height * cells.lines - 1
        yield RowBlock(self._result, cells, number)

    def end(self) -> Iterator[Part]:
        """End the table and the row that are open."""
        if self._row_ahead is not None:
            (number, line, _), self._row_ahead = self._row_ahead, None
            yield Stray(number, line)  # a row of which the copy has no more
        elif self._in_row and self._more and _CUT_STARS.match(self._more[-1]):
            yield Stray(self._last, self._more.pop())
        self._is_over = True
        yield from self._end_set()

    def _row_line(self, number: int, row: int) -> Iterator[Part]:
        if row == 1 or self._layout != "vertical":
            yield from self._end_set()
        else:
            yield from self._end_row()
        self._layout = "vertical"
        self._row_number = row
        self._in_row = True
        self._first = self._last = number
        self._width = self._size = self._blanks = 0
        self._values, self._more, self._keys = [], [], []

    def _below_header(self, number: int, text: str) -> Generator[Part, None, bool]:
        """Read the line below what may be a header; return whether a table has begun."""
        if self._header is not None:
            (at, header), self._header = self._header, None
            tabs = text.count("\t")
            fits = tabs == header.count("\t") or (
                0 < tabs < header.count("\t") and not _looks_like_header(text)  # --raw
            )
            if fits and not self._is_chatter(text):
                names = tuple(cell.strip() for cell in header.split("\t"))
                if headless.are_variables(names, text.split("\t")):
                    yield from self._begin(at, headless.NAMED_VALUES, "tab")
                    yield from self._tab(at, header)
                else:
                    yield from self._begin(at, names, "tab")
                yield from self._tab(number, text)
                return True
            yield Stray(at, header)
        if self._candidate is not None:
            (at, header, layout), self._candidate = self._candidate, None
            is_cut = len(self._columns_of_row(text) or ()) > len(layout.columns)
            if not is_cut and layout.confirms(text, self._is_known(layout.columns)):
                named = layout.is_headless or (
                    len(layout.columns) == _PAIR
                    and headless.are_variables(layout.columns, layout.cells(text) or ())
                )
                layout.held = []
                if named and not layout.is_headless:  # the row above is no header
                    layout.columns = headless.NAMED_VALUES
                yield from self._begin(at, layout.columns, "cells")
                if named:
                    self._cells = layout
                    yield from self._delimited(at, header)
                self._cells = layout
                if not layout.is_rule(text):
                    yield from self._delimited(number, text)
                return True
            yield Stray(at, header)
        return False

    def _between(self, number: int, text: str) -> Iterator[Part]:
        """Read a line outside of tables: a statement, chatter, or a tab-separated header."""
        if self._header is not None or self._candidate is not None:
            began = yield from self._below_header(number, text)
            if began:
                return
        interrupted, self._interrupted = self._interrupted, None
        if interrupted is not None and self._goes_on(interrupted, number, text):
            yield from self._other_line(number, text)
        elif not text.strip():
            self._inside_sql = False
        elif match := _PROMPT.match(text) or _MORE.match(text):
            if not _MORE.match(text):
                self._title.clear()
            self._statement(match["sql"])
        elif _DASHES.match(text):
            self._verbose = not self._verbose
            if self._verbose:
                self._title.clear()
        elif self._verbose or (self._inside_sql and not _looks_like_header(text)):
            self._statement(text)
        elif _SQL.match(text):
            self._title.clear()
            self._statement(text)
        elif not text.startswith("TS ") and (stamp := read_date_line(text)):
            self._bare_dates |= ":" not in text
            wall = self._on_day(stamp.wall_us) if stamp.clock == "dayless" else stamp.wall_us
            yield Stamp(number, wall, stamp.clock, stamp.printed, is_ts=False)
        elif columns := self._columns_of_row(text):
            yield from self._first_row(number, text, columns)
        elif columns := headless.cut_columns(text):
            layout = Delimited("|", columns, is_open=True, is_cut=True)
            yield from self._begin_cells(number, text, layout)
        elif headless.spaced_cells(text, headless.PROCESSLIST):
            layout = Delimited(" ", headless.PROCESSLIST, gap=1)
            yield from self._begin_cells(number, text, layout)
        elif columns := pairs.columns(text):
            yield from self._begin_cells(number, text, Delimited(":", columns))
        elif headless.is_named_value(text):
            yield from self._begin_cells(number, text, Delimited("=", headless.NAMED_VALUES))
        elif headless.may_be_named_value(text) and not self._is_known(text.split()):
            self._inside_sql = False
            self._candidate = (number, text, Delimited("=", headless.NAMED_VALUES))
        elif _looks_like_header(text) or self._is_above_buttons(text):
            self._inside_sql = False
            bare = text.lstrip(" ")
            self._indent = text[: len(text) - len(bare)]
            self._header = (number, bare)
        elif self._is_chatter(text):
            if client_layouts.NO_ANSWER.match(text):
                yield Stray(number, text)
        elif candidate := delimited.header(text, self._is_known, any_words=self._any_words):
            self._inside_sql = False
            self._candidate = (number, text, candidate)
            self._interrupted = interrupted  # the line below may show that this is a remark
        else:
            self._interrupted = interrupted
            yield Stray(number, text)

    def _first_row(self, number: int, text: str, columns: tuple[str, ...]) -> Iterator[Part]:
        """Read a row that has no header above it."""
        self._inside_sql = False
        layout: Layout = "tab" if "\t" in text else "cells"
        yield from self._begin(number, columns, layout)
        self._layout = layout
        if layout == "tab":
            yield from self._tab(number, text)
        else:
            self._cells = Delimited("|", columns)
            yield from self._delimited(number, text)

    def _goes_on(self, interrupted: _Interrupted, number: int, text: str) -> bool:
        """Go on with the table above the remarks that somebody wrote between its rows."""
        if number - interrupted.last > _MOST_REMARKS + 1 or not interrupted.may_have(text):
            return False
        if number == self._resumed or self._is_known(_bars(text) or ()):
            return False  # it is none of its rows
        names = tuple(name.lower() for name in interrupted.result.columns)
        own = self._columns_of_row(text) or names
        if names != tuple(name.lower() for name in own):
            return False
        self._inside_sql = False
        self._result, self._layout = interrupted.result, interrupted.layout
        self._cells, self._offsets = interrupted.cells, interrupted.offsets
        self._rules, self._resumed = 2, number
        return True

    def _begin_cells(self, number: int, text: str, layout: Delimited) -> Iterator[Part]:
        """Begin a table with its first row: it has no header."""
        self._inside_sql = False
        yield from self._begin(number, layout.columns, "cells")
        self._cells = layout
        yield from self._delimited(number, text)

    @staticmethod
    def _columns_of_row(text: str) -> tuple[str, ...] | None:
        """Return the columns of a row that has no header above it; None for another line."""
        if len(text) > _MOST_ROW:
            return None
        if "\t" in text:
            return headless.columns(text.lstrip(" ").split("\t"))
        return headless.columns(delimited.bars(text)) if delimited.is_bar_row(text) else None

    def _delimited(self, number: int, text: str) -> Iterator[Part]:
        layout, result = self._cells, self._result
        assert layout is not None
        assert result is not None
        begun = bool(layout.held)
        if not begun and not text.strip():
            yield from self._end_set()
            return
        cells = layout.cells(text)
        if cells is None and layout.held:
            self._first, self._last = self._first if begun else number, number
        elif cells is not None and len(cells) == len(result.columns):
            first = self._first if begun else number
            self._values, self._first, self._last = cells, first, number
            yield from self._end_row()
        elif layout.is_rule(text):
            return
        else:
            yield from self._end_set()
            yield from self._between(number, text)

    def _statement(self, text: str) -> None:
        if sum(map(len, self._title)) < _MOST_TITLE:
            self._title.append(text.strip())
        self._inside_sql = not _END_OF_SQL.search(text)

    @staticmethod
    def _is_chatter(text: str) -> bool:
        return bool(client_layouts.CHATTER.match(text))

    # ---- box

    def _rule(self, text: str) -> Iterator[Part]:
        offsets = client_layouts.box_offsets(text)
        if self._candidate and self._candidate[2].fits_box(len(offsets) - 1):
            (at, names, header), self._candidate = self._candidate, None  # no rule above it
            yield from self._end_set()
            self._layout, self._offsets, self._rules = "box", offsets, 2
            self._no_edge = names.lstrip().startswith("|") and not names.rstrip().endswith("|")
            yield from self._begin(at, header.columns, "box")
            return
        if self._closed:
            yield from self._end_set()
        if self._layout == "box" and _widths(offsets) == _widths(self._offsets):
            self._offsets = offsets  # it may be indented by itself
        if self._layout != "box" or self._rules == 0 or offsets != self._offsets:
            yield from self._end_set()
            self._layout, self._offsets, self._rules = "box", offsets, 1
            self._no_edge = False
            return
        yield from self._end_row()
        if self._result is not None:  # else the rule above was the end of a table that is cut
            self._rules += 1
        self._closed = self._rules >= 3

    def _box(self, number: int, text: str) -> Iterator[Part]:
        columns = len(self._offsets) - 1
        if self._cut_at and client_layouts.starts_box_row(text, self._offsets, min(2, columns)):
            text = f"{text.rstrip()[: self._cut_at]:<{self._cut_at}}|"
        elif self._lacks_edge(text, columns):
            text = f"{text.rstrip()}|"
        if self._rules == 1 and self._result is not None and self._is_known(self._result.columns):
            self._rules = 2 if _bars(text) else 1  # no rule is below the header
        if self._rules == 1:
            cells = client_layouts.box_cells(text, self._offsets) or _bars(text)
            if cells is None or self._result is not None:
                yield from self._end_set()
                yield from self._between(number, text)
                return
            # a header that is cut names fewer columns than the rules have: its rows keep all cells
            unnamed = len(self._offsets) - 1 - len(cells)
            yield from self._begin(number, (*cells, *[""] * unnamed), "box")
            return
        cells = client_layouts.box_cells(text, self._offsets)
        if cells is None and text.lstrip().startswith("|") and text.rstrip().endswith("|"):
            bars = delimited.bars(text, columns) if " || " in text else _bars(text)
            cells = bars if bars and len(bars) == columns and not self._pending else None
        if self._closed and cells is None:
            yield from self._end_set()
            yield from self._between(number, text)
            return
        self._closed = False
        if cells is not None:
            yield from self._end_row()
            self._values, self._first, self._last = cells, number, number
            yield from self._end_row()
        elif client_layouts.starts_box_row(text, self._offsets, min(1, columns)):
            yield from self._end_row()
            self._pending, self._first, self._last = [text], number, number
            self._size = len(text)
        elif self._pending and not (_COUNTED.match(text) or _PROMPT.match(text)):
            if self._size <= _MOST_ROW:
                self._pending.append(text)
                self._size += len(text)
            self._last = number
        elif text.strip():
            yield from self._end_set()
            yield from self._between(number, text)

    def _lacks_edge(self, text: str, columns: int) -> bool:
        """Whether the right edge of a row is cut: the header has none, or all but a cut rule."""
        if text.count("|") != columns or not text.lstrip(" ").startswith("|"):
            return False
        self._no_edge |= self._rules == 1 and self._result is None
        return self._no_edge or bool(self._cut_at)

    def _broken_row(self) -> list[str] | None:
        """Join a row with a line break in a cell: cells before it by offset, after it by bar."""
        first, columns = self._pending[0], len(self._offsets) - 1
        whole = 0
        while whole < columns and first[self._offsets[whole + 1] :][:1] == "|":
            whole += 1
        if whole >= columns:
            whole = columns - 1
        at = self._offsets[: whole + 1]
        cells = [first[a + 1 : b].strip() for a, b in itertools.pairwise(at)]
        rest = "\n".join([first[at[-1] + 1 :], *self._pending[1:]]).rstrip()
        if not rest.endswith("|"):
            return None
        tail = rest[:-1].rsplit("|", columns - whole - 1) if columns - whole > 1 else [rest[:-1]]
        if len(tail) != columns - whole:
            return None
        return [*cells, *(cell.strip() for cell in tail)]

    def _cut_row(self) -> list[str] | None:
        """Return the whole cells of a row that is cut; None when there are not two."""
        if len(self._pending) > 1:
            return None
        text = self._pending[0]
        whole = list(itertools.takewhile(lambda at: text[at : at + 1] == "|", self._offsets))
        cells = [text[a + 1 : b].strip() for a, b in itertools.pairwise(whole)]
        is_shifted = len(whole) < len(self._offsets) and self._offsets[len(whole)] < len(text)
        if len(whole) < _LEAST_ALIGNED or is_shifted:  # the row keeps to no offsets
            bars = [cell.strip() for cell in text.strip().removeprefix("|").split("|")]
            cells = bars[: len(self._offsets) - 1] if len(bars) >= _LEAST_CELLS else cells
        return cells if len(cells) > 1 else None

    # ---- tab

    def _tab(self, number: int, text: str) -> Iterator[Part]:
        assert self._result is not None
        columns = len(self._result.columns)
        tabs = text.count("\t")
        if self._values and len(self._values) < columns:  # --raw: a cell with a line break
            parts = text.split("\t")
            if len(self._values) + len(parts) - 1 <= columns and self._size <= _MOST_ROW:
                self._more.append(parts[0])
                if len(parts) > 1:
                    self._join()
                    self._values += parts[1:]
                self._size += len(text) + 1
                self._last = number
                if len(self._values) == columns:
                    yield from self._end_row()
                return
            yield Stray(self._first, "\t".join(self._values)[:200])
            self._values, self._more = [], []
        if self._values and self._continues(text, tabs, columns):
            self._more.append(text)
            self._size += len(text) + 1
            self._last = number
            return
        yield from self._end_row()
        if tabs == columns - 1:
            values = (text.lstrip(" ") if self._indent else text).split("\t")
            header = self._result
            if values[0].strip() == header.columns[0] and (
                tuple(value.strip() for value in values) == header.columns
            ):  # printed again
                yield from self._end_set()
                yield from self._begin(number, header.columns, "tab")
                return
            if (
                columns >= MANY_COLUMNS and _looks_like_header(text) and self._is_known(values)
            ):  # another table of as many columns
                yield from self._end_set()
                yield from self._begin(number, tuple(map(str.strip, values)), "tab")
                return
            self._values, self._first, self._last = values, number, number
            self._size = len(text)
            if not self._result.columns[-1].lower().endswith(PROSE):
                yield from self._end_row()
        elif 0 < tabs < columns - 1 and not _looks_like_header(text):
            self._values = text.split("\t")
            self._first = self._last = number
            self._size = len(text)
        else:
            yield from self._end_set()
            yield from self._between(number, text)

    def _on_day(self, of_day: int) -> int:
        """Return a time of day on the day on which it follows the time before."""
        self._days += of_day < self._of_day - _HOUR
        self._of_day = of_day
        return self._days * 24 * _HOUR + of_day

    def _continues(self, text: str, tabs: int, columns: int) -> bool:
        """Whether a line is the rest of a statement in the last cell (``mysql --raw``)."""
        if tabs >= columns - 1 or not text.strip() or self._size > _MOST_ROW:
            return False
        return not (
            self._values[-1] == "NULL"  # complete, whatever follows
            or (tabs and text.partition("\t")[0].isdigit() and self._values[0].isdigit())  # cut
            or self._is_chatter(text)
            or _looks_like_header(text)
            or is_foreign(text)
            or _PROMPT.match(text)
            or (_SQL.match(text) and _END_OF_SQL.search(text))
            or (len(text) < _LONGEST_DATE and read_date_line(text, most_words=3))
        )

    # ---- rows and sets

    def _begin(self, line: int, columns: tuple[str, ...], layout: Layout) -> Iterator[Part]:
        title = _END_OF_SQL.sub("", " ".join(" ".join(self._title).split())).strip()[:_MOST_TITLE]
        self._title.clear()
        self._inside_sql = self._verbose = False
        self._result = ResultSet(self._sets, title, columns, line, layout)
        self._layout = layout
        self._sets += 1
        self._bars = self._patterns.box(self._offsets) if layout == "box" else None
        plain = layout == "tab" and not self._indent and len(columns) > 1
        self._tab_rows = self._rows_between_tabs(columns) if plain else None
        yield self._result

    def _rows_between_tabs(self, columns: tuple[str, ...]) -> TabRows | None:
        """Return the reader of such rows: one for all tables with this header."""
        if columns not in self._tabs and len(self._tabs) < _MOST_HEADERS:
            self._tabs[columns] = TabRows(columns, self._is_known)
        return self._tabs.get(columns)

    def _join(self) -> None:
        self._values[-1] = "\n".join([self._values[-1], *self._more])
        self._more = []

    def _end_row(self) -> Iterator[Part]:
        if self._more:
            self._join()
        if self._pending:
            broken = self._broken_row() or self._cut_row()
            if broken is None:
                for line, text in enumerate(self._pending, start=self._first):
                    yield Stray(line, text)
            self._values = broken or []
            self._pending = []
        values, self._values = self._values, []
        keys, self._keys = self._keys, []
        self._width = 0
        vertical = self._layout == "vertical"
        if vertical:
            self._in_row = False
        if not values:
            return
        if vertical and not self._expected:
            yield from self._begin(self._first, tuple(keys), "vertical")
            self._expected = tuple(keys)
        result = self._result
        if result is None:
            return
        if (
            self._is_over
            and len(values) < len(result.columns)
            and _NUMBER.match(values[-1].strip())
        ):
            values = values[:-1]  # it may have had more digits
        if not values:
            yield Stray(self._first, "a row of which nothing is whole")
            return
        missing = max(0, len(result.columns) - len(values))
        cells = tuple(_cell(value, result.layout) for value in values)
        cells = (*cells, *[None] * missing) if missing else cells[: len(result.columns)]
        yield ResultRow(result, cells, self._first, self._last, missing)

    def _end_set(self) -> Iterator[Part]:
        if self._cells is not None and (rest := self._cells.rest()):
            self._values = rest
        yield from self._end_row()
        if self._header is not None:
            (at, header), self._header = self._header, None
            yield from self._begin(at, tuple(cell.strip() for cell in header.split("\t")), "tab")
        if self._candidate is not None:
            (at, header, _), self._candidate = self._candidate, None
            yield Stray(at, header)
        if self._result is not None:
            self._interrupted = _Interrupted(
                self._result,
                max(self._last, self._result.line + 1),  # its header may have a rule below it
                self._layout,
                self._offsets,
                self._cells,
            )
        self._result = self._layout = self._cells = None
        self._expected = ()
        self._in_row = self._closed = False
        self._tab_rows = self._bars = None
        self._rules = 0


def _cell(text: str, layout: Layout) -> str | None:
    text = text.strip() if layout != "tab" else text
    if text == "NULL":
        return None
    return client_layouts.unescape(text) if layout == "tab" else text


def _widths(offsets: Sequence[int]) -> list[int]:
    return [end - start for start, end in itertools.pairwise(offsets)]


def _bars(text: str) -> list[str] | None:
    """Split a row by its bars alone, where widths do not help (wide characters)."""
    text = text.strip()
    if len(text) < 3 or text[0] != "|" or text[-1] != "|":
        return None
    return [cell.strip() for cell in text[1:-1].split("|")]


def _looks_like_header(text: str) -> bool:
    """Whether a line has names between tabs: none empty, none a number, none twice."""
    if "\t" not in text or len(text) > 20_000:
        return False
    text = text.lstrip(" ")
    cells = [cell.strip() for cell in text.split("\t")]
    return (
        all(0 < len(cell) <= 128 and cell != "NULL" and not _NUMBER.match(cell) for cell in cells)
        and len({cell.lower() for cell in cells}) == len(cells)
        and not text.startswith("\t")
    )
