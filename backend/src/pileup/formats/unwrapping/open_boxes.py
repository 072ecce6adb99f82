"""Close the boxes of a client that lost edges: a selection began in a row, a page ate the bars.

Source: a table of the client whose rows have no bar before the first cell, or behind the last, or
        whose rules are of other strokes, or have no corners.
Gives:  the rows between bars and the rules of the client, so that no cell is taken for what is
        outside the table.
Note:   a statement inside a cell may have lines of its own: a row is known by how many bars it has.
"""

from __future__ import annotations

import re
from collections import Counter

_STROKES = "-=_~\u2013\u2014\u2500"
_RULE = re.compile(rf"[ +*{_STROKES}]{{4,4000}}$")
_PART = re.compile(rf"[{_STROKES}]{{2,4000}}")
_BAR = re.compile(r"\|(?!\| )(?<! \|\|)")
"""Not of the operator of SQL between blanks: the client puts blanks around a cell."""
_CLIENT_RULE = re.compile(r"\+(?:-+\+)+$")
_NUMBERED = re.compile(r"\d{1,20} *\|")
_LEAST_ROWS = 2
_LEAST_BARE = 3
"""Columns of rows without any rule: fewer may be a sentence, or lines of another tool."""


def choose_box_closer(lines: list[str]) -> BoxCloser | None:
    """Return what closes the boxes of a text that begins with these lines; None if they are."""
    if sum("|" in line for line in lines) < _LEAST_ROWS:
        return None
    bare = [line.strip() for line in lines if line.strip()]
    rows = [line for line in bare if "|" in line]
    columns, count = Counter(map(_cells, rows)).most_common(1)[0]
    if columns < 2 or count < _LEAST_ROWS:
        return None
    edges = Counter(_edges(line) for line in rows if _cells(line) == columns)
    rules = _rules_beside_rows(bare, columns)
    if rules:
        is_closed = edges[True, True] == edges.total() and all(map(_CLIENT_RULE.match, rules))
        if is_closed:
            return None
    else:
        without_left = edges[False, True] + edges[False, False]
        if columns < _LEAST_BARE or without_left < max(0.9 * len(rows), 0.6 * len(bare)):
            return None
        if not all(map(_NUMBERED.match, rows[1:])):
            return None  # the first cells may be cut
        if edges[False, False] and not all(line.count(" | ") >= columns - 1 for line in rows):
            return None  # bars alone, as between the groups of columns of dstat
    most = edges.total() / 2
    has_left = edges[True, True] + edges[True, False] > most
    has_right = edges[True, True] + edges[False, True] > most
    return BoxCloser(columns, has_left=has_left, has_right=has_right)


def _rules_beside_rows(lines: list[str], columns: int) -> list[str]:
    """Return the rules above or below rows of so many columns."""
    return [
        line
        for at, line in enumerate(lines)
        if _RULE.match(line)
        and _PART.search(line)
        and any(
            "|" in beside and _cells(beside) == columns
            for beside in (*lines[max(0, at - 1) : at], *lines[at + 1 : at + 2])
        )
    ]


def _cells(line: str) -> int:
    """Return the number of cells of a row, whether it has its edges or not."""
    left, right = _edges(line)
    return len(_BAR.findall(line)) + 1 - left - right


def _edges(line: str) -> tuple[bool, bool]:
    """Return whether a row has its left and its right edge."""
    return line.startswith("|"), len(line) > 1 and line.endswith("|")


class BoxCloser:
    """Adds the missing edges of rows and rules."""

    def __init__(self, columns: int, *, has_left: bool, has_right: bool) -> None:
        """Initialise; has_left, has_right: whether most rows have that edge."""
        self._columns = columns
        self._has_left, self._has_right = has_left, has_right
        self._above: str | None = None
        """The row above, closed."""
        self._rule: str | None = None
        """The first rule of the table: the others are like it."""
        self._is_inside = False
        """Whether a cell of the row above goes on here."""

    def __call__(self, line: str) -> str:
        """Return a line as the client prints it."""
        bare = line.strip()
        if _RULE.match(bare) and (parts := _PART.findall(bare)):
            return self._closed_rule(line, parts)
        left, right = _edges(bare)
        if not self._has_left and left and line[0] == " " and _cells(bare) == self._columns - 1:
            left = False  # its first cell is empty
        is_row = len(_BAR.findall(bare)) + 1 - left - right == self._columns
        if not is_row or (self._is_inside and not left) or not self._may_lack(left, right):
            self._is_inside = bool(bare) and (self._is_inside or left) and not right
            self._above = None
            return line
        before = "" if left else "|" if line.startswith(" ") else "| "
        behind = "" if right else " |"
        self._above = f"{before}{line.rstrip()}{behind}" if not (left and right) else line.rstrip()
        self._is_inside = False
        return self._above

    def _closed_rule(self, line: str, parts: list[str]) -> str:
        above, self._above, self._is_inside = self._above, None, False
        if above is None and len(parts) != self._columns:
            return line
        if above is None:
            self._rule = f"+{'+'.join('-' * len(part) for part in parts)}+"
        elif self._rule is None:
            self._rule = re.sub(r"[^+]", "-", _BAR.sub("+", above.replace("+", "-")))
        return self._rule

    def _may_lack(self, left: bool, right: bool) -> bool:
        """Return whether a row of this box may have these edges alone.

        A single row lost its left edge where a selection began; one that has not its right edge
        goes on in the next line, unless that is what all rows lack.
        """
        return (right or not self._has_right) and (left or right or not self._has_left)
