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
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts import aligned, headless, pairs
from pileup.formats.tables.layouts.aligned import Place
from pileup.formats.tables.layouts.quoted import split_cut, split_quoted, split_row

MOST_CELL = 1024 * 1024
_BAR_ROW = re.compile(r"\s*\|.*\|\s*$", re.DOTALL)
# ID  |USER |HOST        ----|-----|----        ----+-----+----
_OPEN_ROW = re.compile(r"\s*[^|\s][^|]*\|[^|]*\|")
_OPEN_RULE = re.compile(r"\s*:?-[-:]*\s*(?:[|+]\s*:?-[-:]*\s*)+[|+]?\s*$")
_DASHED = re.compile(r"\s*[|+](?:\s*:?-+:?\s*[|+])+\s*$")
_NAME = re.compile(r"(?![\d.,]+$)[\w@`#$*(][\w@`#$()*/%+.:<>=\[\] -]{0,95}")
_FIRST_CELL = re.compile(r"#?\s*+(?:[\"']|[\w@`#$()*/%+.:<>=\[\] -]+[,;])")
_NAME_FIRST = re.compile(r"#?\s*(?=\D)[\w@`\"'$*(%]")
"""How names between blanks begin: ``Id User``, ``# Id``, ``count(*)``; no number, no '#0'."""
_NUMBER = re.compile(r"[-+]?(?=[.,]*+\d)[\d.,]++(?:[eE][-+]?\d+)?%?$|NULL$|\\N$|$", re.IGNORECASE)
_VALUE = re.compile(
    r"(?:^|[,;])\s*(?:(?:[-+\d.][\d.eE+%-]*|NULL|\\N)\s*)?(?=[,;]|$)", re.IGNORECASE
)
"""A cell that ``_NUMBER`` matches, or may match."""
_LONGEST_HEADER = 20_000
_MOST_WORDS = 5
_COMMAS = (",", ";")
_GAP = re.compile(r" {2,}")
# uniq -c:     412 10.0.0.21
_COUNT = re.compile(r" +(\d{1,9}) +([^\s|:.)\]].*)$")
# cut -f7 | sort | uniq -c:     288 Waiting for query cache lock        sleepers: 12
_STACK = re.compile(r"[A-Za-z_~][\w:~]{2,200}(?:\([^()\s]{0,200}\))?(?:,[^\s,]{1,300}){2,200}\s*$")
"""A collapsed stack of pt-pmp."""
_SESSIONS = re.compile(r"(?:threads|sessions|connections|queries|clients) (?:are |wait|in )", re.I)
"""A sentence that counts sessions, and no row of ``uniq -c``."""
_COUNT_OF_STATE = re.compile(r" *(\d{1,9})(?:$| +(?=\S)(.*?) *$)")
_STATE = "State"
# -----  ---------  ------        below names between blanks
_DASHES = re.compile(r"[\s#]*[-=]{2,}(?: +[-=]{2,})+\s*$")
_ANY_VALUE = "value"
_STATE_AND_INFO = ("state", "info")
# grep State: | uniq -c:     388 State: Sending data
_KEY = re.compile(r"([A-Za-z]\w{1,63}):(?: |$)")
_WIDE = re.compile(r"(?:^|(?<= {2}))\S")
_LEAST_WIDE = 3
_LEAST_UNNAMED = 3
_LONGEST_WORDS = 400
_MOST_WIDE = 32
_DIGITS = re.compile(r"-?\d[\d.,]*(?:%|[A-Za-z]{1,3})?$|(?:\d{1,6}[dhms]){1,4}$")
"""A number, with its unit, or an age as kubectl prints it."""
# 177, 'myuser', 'myhost:62932', NULL
_APOSTROPHES = re.compile(r"(?:^|[,;]) ?'[^'\"]*'(?=\s*(?:[,;]|$))")


@dataclass(slots=True)
class Delimited:
    """The layout of a table whose header was split into ``columns``."""

    kind: str
    """The delimiter: '|', ',', ';', ' ' for columns of blanks, ':' for pairs on a line, '=' for a
    name and its value on each line, or '#' for a count and what was counted."""
    columns: tuple[str, ...]
    quote: str = '"'
    starts: tuple[int, ...] = ()
    """Where the columns begin, when blanks separate them."""
    gap: int = 0
    """So many blanks separate all names of the header: a tab that became blanks, or one."""
    stop: int = 0
    """Each name begins at the next tab stop behind the one before: blanks up to it were a tab."""
    head: str = ""
    """The header, when its words alone may be names."""
    places: tuple[Place, ...] = ()
    """Where the columns of unknown names are, by the header and the line below it."""
    is_open: bool = False
    """No bar is at the ends of a row."""
    is_ended: bool = False
    """A comma also ends the header and each row."""
    is_keyed: bool = True
    """What was counted has its key in front: 'State: init'."""
    is_unnamed: bool = False
    """The header is cut off: the first line is a row, between blanks of numbers."""
    is_cut: bool = False
    """Rows may lack their first or last cells."""
    held: list[str] = field(default_factory=list)
    """The lines so far of a row that ends inside quotes."""
    _size: int = 0

    @property
    def is_headless(self) -> bool:
        """Whether the first line is a row: such a layout has no header."""
        return self.kind in ("=", "#") or self.is_unnamed

    def fits_box(self, columns: int) -> bool:
        """Whether the header can be that of a box with so many columns."""
        return self.kind == "|" and len(self.columns) == columns and not self.is_unnamed

    def is_rule(self, text: str) -> bool:
        """Whether the line is the row of dashes below the names."""
        if self.kind == " ":
            return bool(_DASHES.match(text))
        return self.kind == "|" and bool((_OPEN_RULE if self.is_open else _DASHED).match(text))

    def confirms(self, text: str, is_known: bool) -> bool:
        """Whether the line below the header shows that there is a table."""
        if self.is_rule(text):
            return self.kind != " " or (
                self._is_placed_by(text) if is_known else self._takes(aligned.ruled(text))
            )
        if self.kind == "=":
            return headless.may_be_named_value(text)
        if self.kind == "#":
            return self._counted(text) is not None
        if self.is_unnamed and self.kind == " ":
            return self.cells(text) is not None
        if self.kind == " " and not is_known:
            return self._is_above(text) or self._takes(aligned.shared(self.head, text))
        if self.kind in _COMMAS and self.quote != "'" and _APOSTROPHES.search(text):
            self.quote = "'"
        if self.is_unnamed:
            cells = self._between_bars(text)
            return cells is not None and len(cells) == len(self.columns)
        cells = self.cells(text)
        opened, self.held = bool(self.held), []
        if cells is None:
            return opened and is_known
        if len(cells) != len(self.columns) or (self.kind == "|" and "|" in cells[0]):
            return False
        sure = is_known or (self.kind == "|" and not self.is_open)
        return sure or '"' in text or any(_NUMBER.match(cell) for cell in cells)

    def _is_placed_by(self, rule: str) -> bool:
        """Take the places of the columns from the dashes below their names."""
        starts = tuple(match.start() for match in re.finditer("[-=]+", rule))
        if len(starts) != len(self.columns):
            return False
        self.starts = starts
        return True

    def _is_above(self, text: str) -> bool:
        """Whether a cell begins below each name, so that unknown names are those of columns."""
        cells = self._between_blanks(text) if self.starts else None
        return (
            cells is not None
            and len(cells) == len(self.columns)
            and all(
                text[at : at + 1].strip() and not text[max(0, at - 1) : at].strip()
                for at in self.starts
            )
            and any(map(_DIGITS.match, cells))
        )

    def _takes(self, places: Sequence[Place]) -> bool:
        """Take the columns that the line below the header shows, if it shows any."""
        names = aligned.names(self.head, places)
        if len(names) < len(places) or not _LEAST_WIDE <= len(names) <= _MOST_WIDE:
            return False
        if len({name.lower() for name in names}) < len(names):
            return False
        self.columns, self.places = tuple(names), tuple(places)
        return True

    def cells(self, text: str) -> list[str] | None:
        """Split a row; None for a line that is not a row, or not its end (then ``held`` is set)."""
        if self.kind == "|":
            return self._between_bars(text)
        if self.places:
            return aligned.cells(text, self.places)
        if self.is_unnamed and self.kind == " ":
            numbers = headless.numbers(text)
            return numbers if numbers and len(numbers) == len(self.columns) else None
        if self.kind == " ":
            spaced = headless.spaced_cells(text, self.columns) if self.gap == 1 else None
            cells = self._between_stops(text) if self.stop else spaced
            cells = cells or self._between_blanks(text)
            cells = cells or headless.spaced_cells(text, self.columns)
            if cells and self._ends == _STATE_AND_INFO:
                cells[-2:] = headless.state_and_info(*cells[-2:])
            return cells
        if self.kind == ":":
            return pairs.cells(text, self.columns)
        if self.kind == "=":
            return headless.named_value(text)
        if self.kind == "#":
            return self._counted(text)
        opens = (text.count(self.quote) - text.count("\\" + self.quote)) % 2 == 1
        if not self.held and not opens:
            row = text.strip().removesuffix(self.kind) if self.is_ended else text.strip()
            return split_row(row, self.kind, self.quote, len(self.columns))
        if not self.held or not opens:  # still, or from now on, inside quotes
            self._size = self._size + len(text) if self.held else 0
            self.held.append(text if self.held else text.lstrip())
            if self._size > MOST_CELL:
                self.held = []
            return None
        whole = "\n".join([*self.held, text])
        self.held = []
        return split_row(whole, self.kind, self.quote, len(self.columns))

    def rest(self) -> list[str]:
        """Return the cells of a row in which the text ends, inside quotes."""
        held, self.held = "\n".join(self.held), []
        return split_cut(held, self.kind, self.quote) if held else []

    @property
    def _ends(self) -> tuple[str, ...]:
        return tuple(name.lower() for name in self.columns[-2:])

    @property
    def _are_states(self) -> bool:
        """Whether counts are those of states without their key."""
        return self.columns[1] == _STATE and not self.is_keyed

    def _counted(self, text: str) -> list[str] | None:
        match = (_COUNT_OF_STATE if self._are_states else _COUNT).match(text)
        if match is None or self.columns[1] == _ANY_VALUE or self._are_states:
            return [cell or "" for cell in match.groups()] if match else None
        key, colon, value = match[2].partition(":")
        return [match[1], value.strip()] if colon and key == self.columns[1] else None

    def _between_bars(self, text: str) -> list[str] | None:
        if self.is_open:
            most = len(self.columns)
            cells = open_bars(text.strip() if self.is_cut else text, most)
            if self.is_cut and len(cells) < most and headless.cut_columns(text):
                cells += [""] * (most - len(cells))
            return cells if len(cells) == most else None
        if not _BAR_ROW.match(text):
            return None
        cells = bars(text.replace("\\|", "\ufffc"), most=len(self.columns))
        return [cell.replace("\ufffc", "|") for cell in cells]

    def _between_stops(self, text: str) -> list[str] | None:
        """Split a row whose tabs became blanks up to the next stop: a cell may be empty."""
        cells: list[str] = []
        begin = 0
        for gap in _BLANKS.finditer(text.rstrip()):
            tabs = _tabs(gap.start(), gap.end(), self.stop)
            if tabs and len(cells) + tabs < len(self.columns) and self._ends_cell(text, gap, cells):
                cells += [text[begin : gap.start()], *[""] * (tabs - 1)]
                begin = gap.end()
        cells.append(text[begin:].strip())
        return cells if len(cells) == len(self.columns) else None

    def _ends_cell(self, text: str, gap: re.Match[str], cells: Sequence[str]) -> bool:
        """Return whether blanks end a cell: one may stand at a tab stop inside a State or a query.

        'Sending data', 'Waiting for table flush': the first word ends right before a stop.
        """
        name, rest = self.columns[len(cells)].lower(), text[gap.end() :]
        if len(gap[0]) > 1 or name not in _STATE_AND_INFO:
            return True
        if name == _STATE_AND_INFO[0]:
            return not rest[:1].islower() or headless.begins_statement(rest)
        return len(rest.split()) < len(self.columns) - len(cells)

    def _between_blanks(self, text: str) -> list[str] | None:
        at = self.starts
        if not at or any(start < len(text) and start and text[start - 1] != " " for start in at):
            return self._between_gaps(text.rstrip())
        ends = (*at[1:], max(len(text), at[-1]))
        return [text[start:end].strip() for start, end in zip(at, ends, strict=True)]

    def _between_gaps(self, text: str) -> list[str] | None:
        """Split a row that is not below the names: by the gap of the header, or by wide gaps."""
        most = len(self.columns)
        if self.gap == 1:
            cells = text.split(None, 1) if most == _NAME_AND_VALUE else text.split()
            if len(cells) > most:
                cells = self._with_statement(text)
        else:
            cells = text.split(" " * self.gap) if self.gap else []
            if len(cells) != most:
                cells = _GAP.split(text.strip(), most - 1)
            if len(cells) != most and _are_mostly_numbers(text.split()):
                cells = text.split()
        return [cell.strip() for cell in cells] if len(cells) == most else None

    def _with_statement(self, text: str) -> list[str]:
        """Split a row whose last cell is a statement; its time shows that it is a row."""
        names = [name.lower() for name in self.columns]
        if names[-1] != "query" or "ts" not in names:
            return []
        cells = text.split(" ", len(names) - 1)
        return cells if read_stamp(cells[names.index("ts")]) is not None else []


def _are_mostly_numbers(cells: Sequence[str]) -> bool:
    """Whether words are a row whose tabs became single blanks, and no remark."""
    return 2 * sum(map(bool, map(_NUMBER.match, cells))) >= len(cells)


_NAME_AND_VALUE = 2
# ||Id||User||State||
_HEAD_OF_WIKI = re.compile(r"\s*\|\|(?:[^|\n]{1,64}\|\|){2,64}\s*")


def _without_edge(text: str, is_known: Callable[[Sequence[str]], bool]) -> Delimited | None:
    """Return the layout of a box that lacks its right edge, if its names are known, or both."""
    bare = text.strip()
    if not bare.startswith("|"):
        names = open_bars(text)
        return Delimited("|", tuple(names), is_open=True) if _are_names(names, least=3) else None
    names = [name.strip() for name in bare[1:].split("|")]
    is_header = not bare.endswith("|") and len(names) > _LEAST_WIDE and is_known(names)
    return Delimited("|", tuple(names)) if is_header else None


def header(
    text: str,
    is_known: Callable[[Sequence[str]], bool],
    *,
    may_have_commas: bool = True,
    any_words: bool = False,
) -> Delimited | None:
    """Return the layout that begins with this line, if its cells can be names of columns.

    ``any_words`` may be names, if the line below has cells below them.
    """
    if len(text) > _LONGEST_HEADER:
        return None
    if _BAR_ROW.match(text):
        names = bars(text.replace("||", "|") if _HEAD_OF_WIKI.fullmatch(text) else text)
        names = _named_elided(names)
        if _are_names(names, least=1):
            return Delimited("|", tuple(names))
        unnamed = tuple(f"column_{at}" for at in range(1, len(names) + 1))
        return Delimited("|", unnamed, is_unnamed=True) if len(names) >= _LEAST_UNNAMED else None
    bare = text.strip()
    for comma in _COMMAS if may_have_commas and _FIRST_CELL.match(bare) else ():
        if comma not in bare:
            continue
        quote = "'" if bare.startswith("#") else '"'
        cells = split_quoted(bare.removeprefix("#").strip(), comma, quote) or []
        ended = len(cells) > _LEAST_WIDE and not cells[-1].strip()
        cells = cells[:-1] if ended else cells
        if len(cells) > _LEAST_WIDE and is_known(cells):
            cells = _numbered(cells)
        if cells and _are_names(cells):
            columns = tuple(cell.strip() for cell in cells)
            return Delimited(comma, columns, quote, is_ended=ended)
    if " " in bare and "|" not in bare and _NAME_FIRST.match(bare):
        names = bare.split()
        if 2 <= len(names) <= 64 and _may_be_names(names) and is_known(names):
            starts = tuple(match.start() for match in re.finditer(r"\S+", text))
            gaps = {len(gap) for gap in re.findall(" +", bare)}
            gap = gaps.pop() if len(gaps) == 1 else 0
            return Delimited(" ", tuple(names), starts=starts, gap=gap, stop=_tab_stop(text))
        if (layout := _wide_columns(text, any_words=any_words)) is not None:
            return layout
    if bare.startswith("|") or _OPEN_ROW.match(text):
        return _without_edge(text, is_known)
    if (counted := _COUNT_OF_STATE.match(text)) and headless.is_state(counted[2] or ""):
        return Delimited("#", ("count", _STATE), is_keyed=False)
    counted = _COUNT.match(text)
    if counted and not (
        headless.numbers(text)
        or _is_row_of_numbers(counted[2])
        or _SESSIONS.match(counted[2])
        or _STACK.match(counted[2])
    ):
        key = _KEY.match(counted[2])
        return Delimited("#", ("count", key[1] if key else _ANY_VALUE))
    if any_words and (numbers := headless.numbers(text)):
        columns = tuple(f"value_{at}" for at in range(1, len(numbers) + 1))
        return Delimited(" ", columns, is_unnamed=True)
    return _any_words(text) if any_words else None


def _is_row_of_numbers(text: str) -> bool:
    """Return whether what is behind a number is a row of a listing; uniq counts words."""
    cells = _GAP.split(text.strip(), _FEW_CELLS)
    return sum(_DIGITS.match(cell) is not None for cell in cells) >= _LEAST_DIGITS


_FEW_CELLS = 8
_LEAST_DIGITS = 2


def _tab_stop(header: str) -> int:
    """Return how far apart the tab stops are at which all names of a header begin; else 0."""
    gaps = [match.span() for match in _BLANKS.finditer(header.strip())]
    if header[:1] == " ":
        return 0
    return next((stop for stop in _STOPS if all(_tabs(*gap, stop) == 1 for gap in gaps)), 0)


def _tabs(start: int, end: int, stop: int) -> int:
    """Return how many tabs may have become the blanks of a range; 0 where they end at no stop."""
    return 0 if end % stop else end // stop - start // stop


_BLANKS = re.compile(" +")
_STOPS = (8, 4)


def _wide_columns(text: str, *, any_words: bool) -> Delimited | None:
    """Return the layout of columns that wide gaps separate, whatever their names are."""
    names = _GAP.split(text.strip())
    if not _LEAST_WIDE <= len(names) <= _MOST_WIDE or not _are_names(names):
        return None
    starts = tuple(match.start() for match in _WIDE.finditer(text))
    if len(starts) != len(names):
        return None
    return Delimited(" ", tuple(names), starts=starts, head=text if any_words else "")


def _any_words(text: str) -> Delimited | None:
    """Return the layout of columns whose names are words: the line below shows where they are."""
    if len(text) > _LONGEST_WORDS or "|" in text or not _NAME_FIRST.match(text.strip()):
        return None
    words = text.split()
    if len(words) < _LEAST_WIDE or any(word[0].isdigit() for word in words):
        return None
    return Delimited(" ", tuple(words), head=text)


def begins(
    text: str, below: str, is_known: Callable[[Sequence[str]], bool], *, any_words: bool = False
) -> bool:
    """Whether a table begins with a line, as ``header`` and ``confirms`` find."""
    both = text + below
    may_have_commas = '"' in both or "'" in both
    for comma in _COMMAS if not may_have_commas else ():
        if comma in text and text.count(comma) == below.count(comma):
            may_have_commas |= bool(_VALUE.search(below)) or is_known(text.split(comma))
    layout = header(text, is_known, may_have_commas=may_have_commas, any_words=any_words)
    if layout is None:
        return False
    are_words = bool(layout.head) and not layout.starts
    return layout.confirms(below, not are_words and is_known(layout.columns))


def bars(text: str, most: int = 0) -> list[str]:
    """Split a row between bars into its cells; further bars are part of the last of ``most``.

    Where the bars without SQL's operator give as many cells, it is one.
    """
    if most and " || " in text and len(cells := lone_bars(text)) == most:
        return cells
    return [cell.strip() for cell in text.strip()[1:-1].split("|", most - 1)]


_LONE_BAR = re.compile(r"\|(?!\| )(?<! \|\|)")


def lone_bars(text: str) -> list[str]:
    """Split a row between bars at those that are not SQL's operator between blanks."""
    return [cell.strip() for cell in _LONE_BAR.split(text.strip()[1:-1])]


def open_bars(text: str, most: int = 0) -> list[str]:
    """Split a row without a bar in front of it; a bar may be at its end."""
    cells = [cell.strip() for cell in text.split("|", most or -1)]
    if len(cells) > 1 and not cells[-1] and len(cells) == (most + 1 if most else len(cells)):
        cells.pop()
    if most and len(cells) > most:  # a bar inside the last cell
        cells[most - 1 :] = [f"{cells[most - 1]} | {cells[most]}".removesuffix("|").rstrip()]
    return cells


def is_bar_row(text: str) -> bool:
    return bool(_BAR_ROW.match(text))


def _may_be_names(words: Sequence[str]) -> bool:
    """Whether words can be names, unlike 'Threads 12', '# Query_time: 0.5', 'SET timestamp=1;'."""
    return not (
        words[-1].isdigit() or words[-1].endswith(";") or ":" in (words[0][-1], words[1][-1])
    )


def _numbered(cells: Sequence[str]) -> list[str]:
    """Number the names that come again, as a query may select a column twice."""
    seen: Counter[str] = Counter()
    names = []
    for cell in map(str.strip, cells):
        seen[cell.lower()] += 1
        names.append(cell if seen[cell.lower()] == 1 else f"{cell} ({seen[cell.lower()]})")
    return names


def _named_elided(cells: Sequence[str]) -> list[str]:
    """Name the columns that somebody left out of a table, and printed as '...', by their place."""
    names = [cell.strip() for cell in cells]
    if all(map(_ELIDED.fullmatch, names)):
        return names
    return [f"column_{at}" if _ELIDED.fullmatch(name) else name for at, name in enumerate(names, 1)]


_ELIDED = re.compile(r"\.{2,5}")


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


__all__ = ["Delimited", "bars", "header", "is_bar_row"]
