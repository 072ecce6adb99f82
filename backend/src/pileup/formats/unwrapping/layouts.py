"""Guess how a pasted text was laid out: a prefix before every line, lines wrapped at a width,
typographic characters and entities of HTML.

Source: mail clients and chats wrap at 60 to 100 columns, terminals and PDFs cut at a column;
        quotes, containers, log viewers and shippers put a prefix before each line, perhaps with a
        time.
Gives:  the layouts that a text may have. The driver reads the text with each of them and keeps the
        one that reads best, so that a guess costs nothing where a file reads well as it is.
        A box whose rules are wrapped tells how many bars each of its rows has.
Note:   a prefix is what nine of ten lines begin with, whatever it is: digits may differ. A line was
        wrapped where the first word of the next line would not have fitted; a line that begins
        like a line of a known format is never joined to the line above it.
"""

from __future__ import annotations

import dataclasses
import html
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from pileup.formats.unwrapping import client_layouts
from pileup.formats.unwrapping.scanned_text import is_rule, looks_scanned, unscanned
from pileup.formats.unwrapping.speakers import between, is_speaker, turn_of

_MOST_LINES = 400
_MOST_PREFIX = 120
_MOST_PREFIXES = 4
_MOST_INDENT = 16
_LEAST_LINES = 2
_NARROWEST, _WIDEST = 30, 132
"""Columns of a wrapped text."""
_FEW_LINES = 12
_LEAST_JOINTS = 3
"""Lines to join in a longer text: there a stray line may follow the longest one by chance."""
_STATEMENT = r"(?:SELECT|INSERT|UPDATE|DELETE|REPLACE|ALTER|CREATE|DROP|LOAD|COMMIT|CALL)\b"
_LEAST_FLAT = 3
"""Beginnings inside a line; a statement may hold one or two."""
_LEAST_OPEN = 2
"""Rows between bars that go on in the next line; a single one may be a statement's own lines."""
_TYPOGRAPHIC = re.compile(
    r"&(?:nbsp|lt|gt|amp|quot|apos|#\d{1,6}|#x[0-9a-f]{1,6});|[\xa0“”„‘’‚′″\u200b]"
)
_PLAIN = str.maketrans(
    {"\xa0": " ", **dict.fromkeys("“”„″", '"'), **dict.fromkeys("‘’‚′", "'"), "\u200b": ""}
)
_JOINED_DASHES = re.compile(
    r"[\u2013\u2014]{2,}|(?<=[+|-])[\u2013\u2014]|^[\s>]{0,40}[\u2013\u2014]"
    r"|(?<= )[\u2013\u2014](?=[a-z][a-z-]{1,40}=)"
)
"""Of a rule or a line's beginning: an editor made one dash of each two hyphens."""
_TO_HYPHENS = str.maketrans({"\u2013": "--", "\u2014": "--"})
_DIGITS = re.compile(r"\d+")
_ALIGNED = re.compile(r" +(?=\d)")
"""Blanks that align the numbers of lines to the right."""
_BOUNDARY = re.compile(r"[\s|>:\])]")
_LONGEST_JOINED = 64 * 1024
"""Characters of a line joined from parts; a longer line is left in pieces."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A prefix before every line, and the width at which lines were wrapped."""

    prefix: re.Pattern[str] | None
    width: int | None
    """Columns; None: not wrapped."""
    exact: bool
    """Cut at the column, inside words; else between words."""
    starts: re.Pattern[str]
    """Matches a line that begins a line of its own."""
    bars: bool = False
    """A row that begins with a bar goes on until a line ends with a bar."""
    box: int = 0
    """So many bars has each row of a box, and so many corners its rules; 0: no box is wrapped."""
    typographic: bool = False
    """Has entities of HTML, typographic quotes, joined hyphens or blanks that do not break."""
    anywhere: bool = False
    """Cut at the column, so that what goes on may look like the beginning of a line."""
    parts: int = 0
    """So many lines is each row of columns; 0: not known, or not the same for each."""
    rows: re.Pattern[str] | None = None
    """Matches the beginning of each row of columns; other lines continue the row above."""
    spaced: bool = False
    """An empty line is behind every line."""
    flat: bool = False
    """A line holds many: each begins where ``starts`` matches behind a blank."""
    tabs: bool = False
    """The cells of a listing lie between tabs, as a page's table is copied."""
    scanned: bool = False
    """Has letters where a picture has digits or bars."""
    inside: bool = False
    """The prefix is before the lines that a container or a journal wrapped in JSON."""
    pane: str = ""
    """The pane of a split terminal that is read: left or right; the prefix is the other one."""
    turns: frozenset[str] = frozenset()
    """Shapes of lines that name who wrote what is below them in a chat."""

    @property
    def joins_lines(self) -> bool:
        """Whether lines are joined to longer ones."""
        parts = self.width or self.bars or self.box or self.parts or self.rows or self.anywhere
        return bool(parts)

    @property
    def keeps_lines(self) -> bool:
        """Whether each line stays one: of it a prefix, tabs or odd characters are replaced."""
        return not (self.joins_lines or self.spaced or self.flat)

    @property
    def is_viewed(self) -> bool:
        """Whether a viewer or a journal printed its time, host or number before each line."""
        return self.prefix is _VIEWED

    def split(self, line: str) -> list[str]:
        """Return the lines that a flat line holds."""
        inside = (match.start() for match in _behind_blank(self.starts).finditer(line))
        return [line[at:end].rstrip() for at, end in pairwise([0, *inside, len(line)])]

    def describe(self) -> str:
        """Describe what was removed, for the receipt."""
        parts = []
        if self.typographic:
            parts.append("typographic characters and HTML entities were replaced")
        if self.scanned:
            parts.append("letters that a scan put for digits or bars were replaced")
        if self.tabs:
            parts.append("tabs between cells became blanks")
        if self.turns:
            parts.append("the lines that name who wrote what is below them were removed")
        if self.spaced:
            parts.append("the empty line behind each line was removed")
        if self.pane:
            parts.append(f"of two panes side by side the {self.pane} one was read")
        elif self.prefix is not None:
            parts.append("a prefix before each line was removed")
        if self.box:
            parts.append("the lines of each row of a box were joined")
        elif self.parts or self.rows:
            parts.append("the lines of each wrapped row were joined")
        elif self.width is not None:
            parts.append(f"lines wrapped at {self.width} columns were joined")
        if self.bars:
            parts.append("the lines of each row between bars were joined")
        if self.flat:
            parts.append("lines that were put on one were split")
        return " and ".join(parts)


class Rejoiner:
    """Applies a layout to the lines of a text in order, and maps joined lines to raw lines."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._held: list[str] = []
        self._size = 0
        self._last = ""
        """The last part of the held line, as it was wrapped."""
        self._raw = 0
        self._is_below_text = False
        self._parts = 0
        """Lines of the held row."""
        self._firsts: list[int] = []
        """The first raw line of each joined line."""

    def feed(self, text: str) -> str:
        """Return the joined lines that these whole lines complete."""
        lines = text.split("\n")
        lines.pop()
        return "".join(f"{line}\n" for line in self._join(lines))

    def finish(self) -> str:
        """Return the last line."""
        return f"{self._release()}\n" if self._held else ""

    def raw_first(self, line: int) -> int:
        """Return the first raw line of a joined line."""
        return self._firsts[min(line, len(self._firsts)) - 1] if self._firsts else line

    def raw_last(self, line: int) -> int:
        """Return the last raw line of a joined line."""
        return self._firsts[line] - 1 if 0 < line < len(self._firsts) else max(self._raw, 1)

    def _join(self, lines: list[str]) -> Iterator[str]:
        layout = self._layout
        for line in lines:
            self._raw += 1
            if layout.turns and turn_of(line) in layout.turns:
                continue
            if layout.spaced:
                is_added = self._is_below_text and not line.strip()
                self._is_below_text = bool(line.strip())
                if is_added:
                    continue
            if layout.typographic:
                line = plain(line)
            if layout.prefix is not None:
                line = layout.prefix.sub("", line, count=1)
            if layout.scanned:
                if self._last.startswith("|") and is_rule(line):
                    continue
                line = unscanned(line)
            if layout.tabs:
                line = line.replace("\t", "  ")
            above = self._last
            if layout.bars and self._held:
                above = self._held[0] + self._last
            elif layout.box:
                above = "".join(self._held)
            goes_on = continues(layout, above, line) and self._parts != layout.parts
            if self._held and self._size < _LONGEST_JOINED and goes_on:
                self._parts += 1
                if layout.box and layout.exact and layout.width:  # blanks at an end are gone
                    self._held[-1] = self._held[-1].ljust(layout.width)
                above = above if layout.box else self._last
                self._held.append(line if joint(layout, above, line) else f" {line.lstrip()}")
            else:
                if self._held:
                    yield self._release()
                self._firsts.append(self._raw)
                self._held = [line]
                self._parts = 1
            self._last = line
            self._size += len(line)

    def _release(self) -> str:
        is_cut = self._layout.box and self._layout.exact  # then blanks at a joint pad a column
        line = "".join(
            part if is_cut or at == len(self._held) - 1 else _without_end(part, self._held[at + 1])
            for at, part in enumerate(self._held)
        )
        self._held, self._size = [], 0
        return line


def continues(layout: Layout, above: str, line: str) -> bool:
    """Return whether a line continues the line above it."""
    width = layout.width
    if layout.parts or layout.rows:
        begins = layout.rows is not None and layout.rows.match(line)
        return bool(above.strip() and line.strip() and not begins)
    if layout.box:
        return _is_open_part(above, layout.box) and not line.startswith(
            "+-" if above[:1] == "|" else "|"
        )
    if layout.bars:
        return _is_open_row(above) and not line.startswith(("|", "+"))
    if width is None or not above.strip() or not line.strip():
        return False
    if not layout.anywhere and layout.starts.match(line):
        return False
    if above.startswith("***") and client_layouts.ROW.match(above.rstrip()):
        return False  # as wide as the widest line, and whole
    if layout.exact:
        return len(above) == width and not (is_speaker(above) or is_speaker(line))
    above = above.rstrip()
    if len(above) > width or line[:1].isspace():
        return False
    is_full = len(above) + 1 + len(_first_word(line)) > width
    return is_full and not (is_speaker(above) or is_speaker(line))


def _is_open_row(line: str) -> bool:
    """Return whether a row between bars goes on in the next line."""
    return line.startswith("|") and not line.rstrip().endswith("|")


def _is_open_part(above: str, bars: int) -> bool:
    """Return whether a rule or a row of a box lacks some of its corners or bars."""
    mark = above[:1]
    whole = above.count(mark) >= bars and above.rstrip().endswith(mark)
    return mark in ("+", "|") and not whole


def _in_boxes(lines: list[str], starts: re.Pattern[str]) -> Layout | None:
    """Return the layout of boxes whose rules are wrapped; None without such a box.

    A row that was cut at the column is as long as its rule again; one wrapped between words is not.
    """
    at = next((at for at, line in enumerate(lines) if line.startswith("+-")), len(lines))
    parts = list(itertools.takewhile(_RULE.fullmatch, map(str.rstrip, lines[at:])))
    rule = "".join(parts)
    if len(parts) < 2 or not rule.endswith("+"):
        return None
    cut = Layout(None, len(parts[0]), True, starts, box=rule.count("+"))
    joined = Rejoiner(cut).feed("".join(f"{line}\n" for line in lines[at:])).split("\n")
    rows = [line.rstrip() for line in joined if line.startswith("|")]
    is_cut = sum(len(row) == len(rule) for row in rows) * 2 >= len(rows)
    return dataclasses.replace(cut, exact=is_cut) if rows else None


_RULE = re.compile(r"[-+=]{1,500}")


def joint(layout: Layout, above: str, line: str) -> bool:
    """Return whether a word goes on from the line above to the next line."""
    if layout.exact or (layout.box and above.startswith("+")):
        return True
    if layout.bars or layout.box or layout.parts or layout.rows:
        return False
    assert layout.width is not None
    if above[-1:] in ("-", "/") and not above.endswith((" -", "--")):
        return True
    above = above.rstrip()
    last = above.rpartition(" ")[2]
    return len(above) == layout.width and len(last) + len(_first_word(line)) > layout.width


def guess_layouts(
    head: str, starts: re.Pattern[str], own: re.Pattern[str] | None = None
) -> list[Layout]:
    """Return the layouts that a text with this beginning may have, without the plain one.

    own: matches the beginnings of lines of the format that the text as it is seems to have.
    """
    lines = head.split("\n")[: _MOST_LINES + 1]
    if len(lines) > 1 and len(lines[-1]) <= _WIDEST:
        lines.pop()  # the head may end inside a line; one that is too long already tells as much
    flat = [Layout(None, None, False, own, flat=True)] if own and _are_flat(lines, own) else []
    speakers = [_SPEAKER] if _have_speakers(lines) else []
    typographic = any(map(_is_typographic, lines))
    if sum(bool(line.strip()) for line in lines) < _LEAST_LINES:
        bare = [Layout(None, None, False, starts, typographic=True)] if typographic else []
        prefixes = [*speakers, *_viewed(lines)]
        return [*flat, *bare, *(Layout(prefix, None, False, starts) for prefix in prefixes)]
    if typographic:
        lines = list(map(plain, lines))
    layouts = [*flat, Layout(None, None, False, starts)] if typographic else flat
    if _are_spaced(lines):
        layouts = [*layouts, Layout(None, None, False, starts, spaced=True)]
    if sum("\t" in line for line in lines) >= _LEAST_LINES:
        layouts = [*layouts, Layout(None, None, False, starts, tabs=True)]
    layouts += [
        Layout(beside, None, False, starts, pane=pane) for pane, beside in _panes(lines).items()
    ]
    if turns := between(lines):
        rest = [line for line in lines if turn_of(line) not in turns]
        layouts.append(Layout(None, None, False, starts, turns=turns, spaced=_are_spaced(rest)))
    prefixes = list(dict.fromkeys((*speakers, *_viewed(lines), *_prefixes(lines))))
    if looks_scanned(lines):
        found = (None, *prefixes[:1])
        layouts += [Layout(prefix, None, False, starts, scanned=True) for prefix in found]
    for prefix in prefixes if _are_quoted(lines) else (None, *prefixes):
        rest = lines if prefix is None else [prefix.sub("", line, count=1) for line in lines]
        if prefix is not None:
            layouts.append(Layout(prefix, None, False, starts))
        if sum(map(_is_open_row, rest)) >= _LEAST_OPEN:
            layouts.append(Layout(prefix, None, False, starts, bars=True))
        if (boxed := _in_boxes(rest, starts)) is not None:
            layouts.append(dataclasses.replace(boxed, prefix=prefix))
        if prefix in (None, *prefixes[:1]):
            rows = _of_rows(rest, starts)
            layouts += [dataclasses.replace(layout, prefix=prefix) for layout in rows]
        for width, exact in _widths(rest):
            layout = Layout(prefix, width, exact, starts)
            joints = sum(continues(layout, above, line) for above, line in pairwise(rest))
            if joints >= (_LEAST_JOINTS if len(rest) > _FEW_LINES else 1):
                layouts.append(layout)
            if exact and sum(len(line) == width for line in rest) >= _LEAST_CUT:
                layouts.append(dataclasses.replace(layout, anywhere=True))
    return [dataclasses.replace(layout, typographic=typographic) for layout in layouts]


_LEAST_CUT = 2
"""Lines as long as the longest: where they were cut, any word may begin the next line."""
_MOST_PARTS = 3
_LEAST_ROW = 40
"""Columns of the first line of a wrapped row."""
_SHAPES = (
    r"[0-9a-f]{8,16}\b(?:-[0-9a-f]{8,16})?",
    r"\d{1,4}[-/]\d\d[-/]\d{1,4}\b",
    r"\d\d:\d\d:\d\d\b",
    r"\d{10}(?:\.\d+)?\b",
    r"\d{1,9}(?=\s)",
    r"[a-z][\w.-]{1,40}:?(?=\s)",
)
"""How the rows of listings begin: an address, a date, a time, an epoch, a number, a name."""


def _of_rows(lines: list[str], starts: re.Pattern[str]) -> Iterator[Layout]:
    """Yield layouts of a listing whose rows are too long: by their beginning, and by their number.

    The blanks between columns do not show at which column a row was wrapped.
    """
    filled = [line for line in lines if line.strip()]
    long = [line for line in filled if len(line) >= _LEAST_ROW]
    if len(long) < _LEAST_JOINTS or len(long) == len(filled):
        return
    for shape in _SHAPES:
        pattern = re.compile(rf"\s{{0,12}}{shape}")
        begin = sum(map(bool, map(pattern.match, long)))
        if begin >= len(long) // 2 and begin >= _LEAST_JOINTS:
            yield Layout(None, None, False, starts, rows=pattern)
    for parts in range(2, _MOST_PARTS + 1):
        if len(filled) >= _LEAST_JOINTS * parts:
            yield Layout(None, None, False, starts, parts=parts)


# [10:12] bob: ...     10:12:33 <@bob> ...     <alice> ...
_SPEAKER = re.compile(
    r" {0,4}(?:\[?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]? {1,3}"
    r"(?:<[ @+~&%]?[\w.|-]{1,40}>|[\w.-]{1,40}:)|<[ @+~&%]?[\w.|-]{1,40}>)(?: |$)"
)


# 2026-11-20T22:15:00.000Z ...     17:...     evidence.log:17:...     what a viewer prints first
# <30>1 2026-11-20T22:15:00Z db-7 mysqld 4197 - - ...     2026-11-20T22:15:00Z db-7 mysqld[4197]:
_BY_PROGRAM = r"[\w.-]{1,80} [\w./-]{1,60}(?:\[\d{1,9}\])?: "
_VIEWED = re.compile(
    r"(?:<\d{1,3}>(?:1 )?)?"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?[ \t]"
    rf"(?:{_BY_PROGRAM}"
    r"|[\w.-]{1,80} [\w./-]{1,60} (?:\d{1,9}|-) [\w.-]{1,32} (?:-|(?:\[[^\]]{1,200}\]){1,4}) ?)?"
    r"|(?:[\w./-]{1,100}\.(?:log|txt|out)[:-])?\d{1,7}[:-](?=[^\d:])"
    rf"|(?:<\d{{1,3}}>)?[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{{1,6}})? (?:{_BY_PROGRAM})?"
)


def viewed_inside(head: str, starts: re.Pattern[str]) -> list[Layout]:
    """Return the layout of unwrapped lines that still have a viewer's prefix, if they do."""
    lines = head.split("\n")[:_MOST_LINES]
    return [Layout(prefix, None, False, starts, inside=True) for prefix in _viewed(lines)]


# db-7: {"MESSAGE": ...      a tool that runs a command on several hosts
_BEFORE_OBJECT = re.compile(r'^[\w.-]{1,80}: ?(?=\{"|$)')


def before_objects(head: str) -> re.Pattern[str] | None:
    """Return the pattern of the name before the JSON object of every line; None without it."""
    lines = [line for line in head.split("\n")[:_MOST_LINES] if line.strip()]
    named = lines and all(map(_BEFORE_OBJECT.match, lines))
    return _BEFORE_OBJECT if named else None


_LEAST_PANE = 10
_EDGE = "\u2502"
_DRAWN = re.compile("[\u2500\u251c-\u254b]{2}")
"""A rule of a table: its bars are no edge of a pane."""


def _panes(lines: list[str]) -> dict[str, re.Pattern[str]]:
    """Return what to remove of each line to see one pane of a terminal that is split by an edge.

    Nine of ten lines have the edge at one column; no other line has another.
    """
    columns = Counter(line.find(_EDGE) for line in lines if line.strip())
    column, count = max(columns.items(), key=lambda pair: (pair[0] >= 0, pair[1]), default=(-1, 0))
    if column < _LEAST_PANE or count < max(_LEAST_LINES, _MOSTLY * columns.total()):
        return {}
    if any(map(_DRAWN.search, lines)):
        return {}
    return {
        "left": re.compile(rf"(?<![ \t])[ \t]{{0,4000}}{_EDGE}.*$"),
        "right": re.compile(rf"^[^{_EDGE}\n]{{0,400}}{_EDGE} ?"),
    }


def _viewed(lines: list[str]) -> list[re.Pattern[str]]:
    """Return what a viewer prints first, where nine of ten lines begin so."""
    return [_VIEWED] if _mostly(lines, _VIEWED.match) else []


def _have_speakers(lines: list[str]) -> bool:
    """Return whether nine of ten lines begin with who wrote them in a chat, and when."""
    return _mostly(lines, _SPEAKER.match)


def _are_quoted(lines: list[str]) -> bool:
    """Return whether nine of ten lines have a mail's mark, which no line keeps when joined."""
    return _mostly(lines, lambda line: line.startswith(">"))


def _mostly(lines: list[str], fits: Callable[[str], object]) -> bool:
    """Return whether nine of ten lines that are not empty fit."""
    filled = [line for line in lines if line.strip()]
    return sum(map(bool, map(fits, filled))) >= _MOSTLY * max(1, len(filled))


_MOSTLY = 0.9
_LEAST_WITH_STRAY = 5
"""Lines of a text of which one may lack the marks of a comment or quote: a command, a remark.

Not a prefix with words or bars: that may be the first cell of rows below a header.
"""
_MARKS = re.compile(r"[#>/*] ?")
_ONLY_MARKS = re.compile(r"[>|#*+/\s]+ ")
_MARKED = re.compile(r"[|>\]] +$")
"""What ends a prefix that is not the beginning of the text behind it."""


def have_turns(head: str) -> bool:
    """Return whether lines of a text name who wrote what is below them in a chat."""
    return bool(between(head.split("\n")[:_MOST_LINES]))


def are_spaced(head: str) -> bool:
    """Return whether an empty line is behind each line of a text: a listing would end there."""
    return "\n\n" in head and _are_spaced(head.split("\n")[:_MOST_LINES])


def _are_spaced(lines: list[str]) -> bool:
    """Return whether an empty line is behind nine of ten lines, as some pages copy them."""
    behind = [not below.strip() for line, below in pairwise(lines) if line.strip()]
    return sum(behind) >= max(_LEAST_JOINTS, _MOSTLY * len(behind))


def _are_flat(lines: list[str], starts: re.Pattern[str]) -> bool:
    """Return whether a line holds several that each begin like a line of their own."""
    inside = _behind_blank(starts)
    return any(
        len(line) > _WIDEST and len(list(islice(inside.finditer(line), _LEAST_FLAT))) == _LEAST_FLAT
        for line in lines
    )


@lru_cache(maxsize=2)
def _behind_blank(starts: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<=\s)(?:{starts.pattern}|{_STATEMENT})")


def plain(line: str) -> str:
    """Replace entities of HTML, typographic quotes, joined hyphens and blanks that do not break."""
    if _JOINED_DASHES.search(line):
        line = line.translate(_TO_HYPHENS)
    if not _TYPOGRAPHIC.search(line):
        return line
    return html.unescape(line.lstrip("“„").rstrip("”")).translate(_PLAIN)


def _is_typographic(line: str) -> bool:
    return bool(_TYPOGRAPHIC.search(line) or _JOINED_DASHES.search(line))


def _prefixes(lines: list[str]) -> list[re.Pattern[str]]:
    """Return patterns of what nine of ten lines begin with: the longest, and the shortest.

    Rows that are alike have the beginning of each row in common.
    """
    filled = [line for line in lines if line.strip()]
    counted: Counter[str] = Counter()
    blank: Counter[str] = Counter()
    for line in filled:
        aligned = _ALIGNED.match(line)
        head = _DIGITS.sub("0", line[aligned.end() if aligned else 0 :][: 2 * _MOST_PREFIX])
        bare = head.rstrip()
        for blanks in range(min(aligned.end() if aligned else 0, _MOST_INDENT)):
            counted[" " * (blanks + 1)] += 1  # or it is the indentation of every line
        before_json = head[:_MOST_PREFIX].partition('{"')[0]
        for match in _BOUNDARY.finditer(before_json):
            counted[head[: match.end()]] += 1
        blank[bare] += 1  # a line that had no text behind its prefix
    enough = _MOSTLY * len(filled)
    of_marks = min(enough, len(filled) - 1) if len(filled) >= _LEAST_WITH_STRAY else enough
    found = [
        prefix
        for prefix, count in counted.items()
        if count + (blank[prefix.rstrip()] if prefix != prefix.rstrip() else 0)
        >= (of_marks if _MARKS.fullmatch(prefix) else enough)
        and blank[prefix.rstrip()] < len(filled)
    ]
    longest = sorted(found, key=len, reverse=True)
    of_marks_alone = [prefix for prefix in longest if _ONLY_MARKS.fullmatch(prefix)]
    marked = [prefix for prefix in reversed(longest) if _MARKED.search(prefix)]
    chosen = dict.fromkeys(
        (*longest[: _MOST_PREFIXES - 1], *of_marks_alone[:1], *marked[:1], *longest[-1:])
    )
    return [_prefix_pattern(prefix) for prefix in chosen]


def _prefix_pattern(prefix: str) -> re.Pattern[str]:
    literal = re.escape(prefix).replace("0", r"\d{1,40}")
    bare = re.escape(prefix.rstrip()).replace("0", r"\d{1,40}")
    blanks = " *" if prefix.startswith("0") else ""
    return re.compile(f"{blanks}(?:{literal}|{bare}$)" if bare != literal else blanks + literal)


def _widths(lines: list[str]) -> Iterator[tuple[int, bool]]:
    """Yield widths at which the lines may be wrapped, and whether inside words."""
    lengths = Counter(len(line) for line in lines)
    widest = max(lengths)
    if _NARROWEST <= widest <= _WIDEST and lengths[widest] >= 1:
        yield widest, True
    words = sorted({len(line.rstrip()) for line in lines if " " in line.strip()}, reverse=True)
    for width in words[:1] if words else ():
        if _NARROWEST <= width <= _WIDEST:
            yield width, False


def _first_word(line: str) -> str:
    return line.lstrip().partition(" ")[0]


def _without_end(part: str, following: str) -> str:
    """Return a part without the blanks that its end has before a joint by a blank."""
    return part.rstrip() if following.startswith(" ") else part
