"""Read result sets as the mysql client prints them: box, tab-separated (batch) and \\G.

Source: print_table_data(), print_tab_data(), print_table_data_vertically(), client/mysql.cc.
Note:   the box pads to the widest value; a newline inside a cell breaks the row, and offsets come
        from the +---+ rule, in characters or (old clients, foreign character sets) in bytes.
        Batch mode escapes \\n, \\t, \\0 and \\\\ unless --raw was given.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from pileup.records import Problem, Skipped

ROW = re.compile(r"\*{10,} (?P<number>\d+)\. row \*{10,}\s*$")
RULE = re.compile(r"\+(?:-+\+)+\s*$")
CUT_RULE = re.compile(r"\+(?:-+\+){2,}-+\s*$")
"""A rule whose last column is cut."""
# What the client prints around a result set.
CHATTER = re.compile(
    r"(?:mysql|mariadb|MariaDB|MySQL)\b.*(?:>|\[Warning\])|\d+ rows? in set|Empty set|Query OK|"
    r"(?:mysql|mysqladmin|mariadb): \[Warning\]|Warning: Using a password|ERROR \d+|-{14}\s*$|"
    r"Bye\s*$|\[[\w@.~ -]+\][#$] |Welcome to |Type 'help|Your M|Server version|Copyright "
)

# The client got no answer: the server, not the statement, is why.
_CODES = "1040|1041|1053|1129|1135|1203|1226|2002|2003|2006|2013"
NO_ANSWER = re.compile(
    rf"ERROR (?P<code>{_CODES}) \(\w{{5}}\)(?: at line \d{{1,9}}[^:\n]{{0,200}})?: ?\S.{{0,500}}"
)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "0": "\ufffd", "\\": "\\", "r": "\r"}


def unescape(cell: str) -> str:
    """Undo the escapes of a batch-mode cell."""
    if "\\" not in cell:
        return cell
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), cell)


def null(cell: str) -> str | None:
    """Return a cell, or None for the word NULL."""
    return None if cell == "NULL" else cell


def box_offsets(rule: str) -> list[int]:
    """Return the positions of the + in a +---+ rule, where each row has its |."""
    return [at for at, character in enumerate(rule.rstrip()) if character == "+"]


def box_cells(line: str, offsets: list[int]) -> list[str] | None:
    """Split a complete one-line row into cells; None when its bars are not at the offsets."""
    line = line.rstrip()
    if len(line) == offsets[-1] + 1 and all(line[at] == "|" for at in offsets):
        return [line[a + 1 : b].strip() for a, b in itertools.pairwise(offsets)]
    raw = line.encode("utf-8", "replace")
    if len(raw) == offsets[-1] + 1 and all(raw[at] == 0x7C for at in offsets):
        return [
            raw[a + 1 : b].decode("utf-8", "replace").strip()
            for a, b in itertools.pairwise(offsets)
        ]
    return None


def starts_box_row(line: str, offsets: list[int], columns: int) -> bool:
    """Whether a row's first bars are at the offsets: a row, not the next line of a cell."""
    return (
        not line[: offsets[0]].strip()
        and len(line) > offsets[columns]
        and all(line[at] == "|" for at in offsets[: columns + 1])
    )


def stray(number: int, text: str, why: str) -> Iterator[Problem | Skipped]:
    """Yield a Skipped for a line outside of tables, or a Problem for a box row that is cut."""
    if text.startswith("| "):
        yield Problem(number, "A row that is cut; it was left out.", found=text[:200])
    yield Skipped(number, number, why)
