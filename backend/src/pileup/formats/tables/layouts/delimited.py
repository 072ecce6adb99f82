"""Split rows between bars, commas, semicolons or columns of blanks: Markdown, CSV, ``column -t``.

Source: Markdown tables; boxes without their rules, as web pages and tickets quote them; CSV of
        MySQL Workbench (``# Id, User``, quoted by '), DBeaver, HeidiSQL, phpMyAdmin, DataGrip;
        ``column -t``.
Note:   a line of prose has commas too. So a header of cells is believed only when the line below it
        has as many, and between commas only when a cell below is a number, NULL, empty or quoted,
        or when the names are those of a known table (``is_known``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pileup.formats.tables.layouts import pairs

MOST_CELL = 1024 * 1024
_BAR_ROW = re.compile(r"\s*\|.*\|\s*$", re.DOTALL)
_DASHED = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_NAME = re.compile(r"(?![\d.,]+$)[\w@`#$*(][\w@`#$()*/%+.:<>=\[\] -]{0,95}")
_FIRST_CELL = re.compile(r"#?\s*(?:[\"']|[\w@`#$()*/%+.:<>=\[\] -]+[,;])")
_NAME_FIRST = re.compile(r"#?\s*(?=\D)[\w@`\"'$*(%]")
"""How names between blanks begin: ``Id User``, ``# Id``, ``count(*)``; no number, no '#0'."""
_NUMBER = re.compile(r"[-+]?[\d.,]*\d[\d.,]*(?:[eE][-+]?\d+)?%?$|NULL$|\\N$|$", re.IGNORECASE)
_VALUE = re.compile(
    r"(?:^|[,;])\s*(?:(?:[-+\d.][\d.eE+%-]*|NULL|\\N)\s*)?(?=[,;]|$)", re.IGNORECASE
)
"""A cell that ``_NUMBER`` matches, or may match."""
_LONGEST_HEADER = 20_000
_MOST_WORDS = 5
_COMMAS = (",", ";")
_GAP = re.compile(r" {2,}")


@dataclass(slots=True)
class Delimited:
    """The layout of a table whose header was split into ``columns``."""

    kind: str
    """The delimiter: '|', ',', ';', ' ' for columns of blanks, or ':' for pairs on a line."""
    columns: tuple[str, ...]
    quote: str = '"'
    starts: tuple[int, ...] = ()
    """Where the columns begin, when blanks separate them."""
    held: list[str] = field(default_factory=list)
    """The lines so far of a row that ends inside quotes."""
    _size: int = 0

    def fits_box(self, columns: int) -> bool:
        """Whether the header can be that of a box with so many columns."""
        return self.kind == "|" and len(self.columns) == columns

    def is_rule(self, text: str) -> bool:
        """Whether the line is the row of dashes below a Markdown header."""
        return self.kind == "|" and bool(_DASHED.match(text))

    def confirms(self, text: str, is_known: bool) -> bool:
        """Whether the line below the header shows that there is a table."""
        if self.is_rule(text):
            return True
        cells = self.cells(text)
        opened, self.held = bool(self.held), []
        if cells is None:
            return opened and is_known
        if len(cells) != len(self.columns) or (self.kind == "|" and "|" in cells[0]):
            return False
        sure = is_known or self.kind == "|"
        return sure or '"' in text or any(_NUMBER.match(cell) for cell in cells)

    def cells(self, text: str) -> list[str] | None:
        """Split a row; None for a line that is not a row, or not its end (then ``held`` is set)."""
        if self.kind == "|":
            return self._between_bars(text)
        if self.kind == " ":
            return self._between_blanks(text)
        if self.kind == ":":
            return pairs.cells(text, self.columns)
        opens = (text.count(self.quote) - text.count("\\" + self.quote)) % 2 == 1
        if not self.held and not opens:
            return split_quoted(text.strip(), self.kind, self.quote)
        if not self.held or not opens:  # still, or from now on, inside quotes
            self._size = self._size + len(text) if self.held else 0
            self.held.append(text if self.held else text.lstrip())
            if self._size > MOST_CELL:
                self.held = []
            return None
        whole = "\n".join([*self.held, text])
        self.held = []
        return split_quoted(whole, self.kind, self.quote)

    def _between_bars(self, text: str) -> list[str] | None:
        if not _BAR_ROW.match(text):
            return None
        cells = bars(text.replace("\\|", "\ufffc"), most=len(self.columns))
        return [cell.replace("\ufffc", "|") for cell in cells]

    def _between_blanks(self, text: str) -> list[str] | None:
        at = self.starts
        if any(start < len(text) and start and text[start - 1] != " " for start in at):
            cells = _GAP.split(text.strip(), len(at) - 1)
            return cells if len(cells) == len(at) else None
        ends = (*at[1:], max(len(text), at[-1]))
        return [text[start:end].strip() for start, end in zip(at, ends, strict=True)]


def header(
    text: str, is_known: Callable[[Sequence[str]], bool], *, may_have_commas: bool = True
) -> Delimited | None:
    """Return the layout that begins with this line, if its cells can be names of columns."""
    if len(text) > _LONGEST_HEADER:
        return None
    if _BAR_ROW.match(text):
        names = bars(text)
        return Delimited("|", tuple(names)) if _are_names(names, least=1) else None
    bare = text.strip()
    for comma in _COMMAS if may_have_commas and _FIRST_CELL.match(bare) else ():
        if comma not in bare:
            continue
        quote = "'" if bare.startswith("#") else '"'
        cells = split_quoted(bare.removeprefix("#").strip(), comma, quote)
        if cells and _are_names(cells):
            return Delimited(comma, tuple(cell.strip() for cell in cells), quote)
    if " " in bare and _NAME_FIRST.match(bare):
        names = bare.split()
        if 2 <= len(names) <= 64 and _may_be_names(names) and is_known(names):
            starts = tuple(match.start() for match in re.finditer(r"\S+", text))
            return Delimited(" ", tuple(names), starts=starts)
    return None


def begins(text: str, below: str, is_known: Callable[[Sequence[str]], bool]) -> bool:
    """Whether a table begins with a line, as ``header`` and ``confirms`` find."""
    both = text + below
    may_have_commas = '"' in both or "'" in both
    for comma in _COMMAS if not may_have_commas else ():
        if comma in text and text.count(comma) == below.count(comma):
            may_have_commas |= bool(_VALUE.search(below)) or is_known(text.split(comma))
    layout = header(text, is_known, may_have_commas=may_have_commas)
    return layout is not None and layout.confirms(below, is_known(layout.columns))


def bars(text: str, most: int = 0) -> list[str]:
    """Split a row between bars into its cells; further bars are part of the last of ``most``."""
    return [cell.strip() for cell in text.strip()[1:-1].split("|", most - 1)]


def is_bar_row(text: str) -> bool:
    return bool(_BAR_ROW.match(text))


def _may_be_names(words: Sequence[str]) -> bool:
    """Whether words can be names, unlike 'Threads 12', '# Query_time: 0.5', 'SET timestamp=1;'."""
    return not (
        words[-1].isdigit() or words[-1].endswith(";") or ":" in (words[0][-1], words[1][-1])
    )


def _are_names(cells: Sequence[str], least: int = 2) -> bool:
    return (
        len(cells) >= least
        and all(map(_is_name, cells))
        and len({cell.strip().lower() for cell in cells}) == len(cells)
    )


def _is_name(cell: str) -> bool:
    return (
        _NAME.fullmatch(cell.strip()) is not None
        and (" " not in cell or len(cell.split()) <= _MOST_WORDS)
        and cell != "NULL"
    )


def split_quoted(line: str, comma: str, quote: str = '"') -> list[str] | None:
    """Split a row of CSV; None when it ends inside quotes."""
    if quote not in line:
        return [cell.lstrip(" ").rstrip() for cell in line.split(comma)]
    cells: list[str] = []
    at = 0
    while True:
        while at < len(line) and line[at] == " ":
            at += 1
        parts: list[str] = []
        inside = line.startswith(quote, at)
        at += inside
        while inside:
            end = line.find(quote, at)
            if end < 0:
                return None
            if line.startswith(quote, end + 1):
                parts.append(line[at : end + 1])
                at = end + 2
            elif quote == "'" and line[end - 1 : end] == "\\":  # Workbench escapes so
                parts.append(line[at : end - 1] + quote)
                at = end + 1
            else:
                parts.append(line[at:end])
                at, inside = end + 1, False
        end = line.find(comma, at)
        parts.append(line[at : end if end >= 0 else len(line)].rstrip())
        cells.append("".join(parts))
        if end < 0:
            return cells
        at = end + 1


__all__ = ["Delimited", "bars", "header", "is_bar_row", "split_quoted"]
