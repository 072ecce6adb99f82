"""Read a pasted table of results: one row per run, with parameters, values and outcomes.

Markdown, boxes of the mysql client, CSV, tabs and columns aligned with blanks are one table of
cells, with the quotes and the words of a message around it. A column has a role, guessed from its
cells and decided by a person. A value that is no number is left out and reported, never zero.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pileup.storage.errors import Refused

Role = Literal["parameter", "value", "outcome", "title", "ignore"]
MOST_ROWS = 500
MOST_COLUMNS = 40
_MOST_PARAMETERS = 10
_NAME, _TEXT = 60, 200
"""Most characters of a parameter's name and of its value."""

_MOST_ABOVE = 30
"""Most lines of words above a table."""
_QUOTE = re.compile(r"\s{0,3}(?:> ?)+")
_RULE = re.compile(r"[\s|+:=-]*-[\s|+:=-]*")
_UNIT = re.compile(r"[\[(]([^\[\]()]{1,30})[\])]$| (ns|µs|us|ms|s|sec|min|%|[kKMG]i?B(?:/s)?)$")
_NUMBER = re.compile(
    r"[~≈]?\s*([+-]?(?:\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:[,\u2009\u202f\u00a0 ]\d{3})+(?:\.\d+)?"
    r"|\d+(?:[.,]\d+)?|\.\d+)"
    r"(?:[eE][+-]?\d+)?)\s*+([kKMGT](?![A-Za-z]))?\s*+((?:[A-Za-zµ%×]+)?(?:/[A-Za-z]+)?)"
)
_SCALE = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_FAILED = re.compile(
    r"\b(fail\w*|yes|true|collapse\w*|stall\w*|pile\w*|hang\w*|hung)\b|✗|✕|❌", re.I
)
_OUTCOME_HEAD = re.compile(r"fail|outcome|result|stall|collapse|pile|ok\b|verdict|status", re.I)
_TIME = re.compile(
    r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4})(?:[T ,]{1,2}\d{1,2}:\d\d\S{0,16})?(?: ?UTC)?"
    r"|\d{1,2}:\d\d(?::\d\d)?(?: ?UTC)?"
)
_TITLE_HEAD = re.compile(r"^(title|name|run|test|experiment|notes?|comment)$", re.I)


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    role: Role
    unit: str
    """Of a value; from the heading or from all of its cells."""


@dataclass(frozen=True, slots=True)
class Cells:
    head: list[str]
    rows: list[list[str]]
    """Each with as many cells as the head."""
    lines: list[int]
    """The line of each row in the pasted text, from 1."""
    problems: list[str]


@dataclass(frozen=True, slots=True)
class Value:
    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class TableRun:
    """One row, as the run that it becomes."""

    line: int
    title: str
    parameters: dict[str, str]
    values: list[Value]
    outcome: str
    """The cell of the outcome; empty without one."""
    failed: bool | None
    """None: the table does not say."""


def cells_of(text: str) -> Cells:
    """Split a pasted table into a heading and rows.

    Raises:
        Refused: it is no table, or too large.
    """
    lines = [(n, line.strip("\r\n")) for n, line in enumerate(text.splitlines(), start=1)]
    lines = [(n, line) for n, line in lines if line.strip()]
    if all(_QUOTE.match(line) for _, line in lines):
        lines = [(n, _QUOTE.sub("", line, count=1)) for n, line in lines]
    lines = [(n, line) for n, line in lines if line.strip() and not _RULE.fullmatch(line)]
    if len(lines) < 2:
        raise Refused("Paste a heading and at least one row of results.", "text")
    rows = _table_in(lines)
    head = rows[0][1] if rows else []
    if len(head) < 2:
        raise Refused(
            "This is no table: separate its columns with |, tabs, commas, semicolons or at least "
            "two blanks, and give it a heading.",
            "text",
        )
    if len(head) > MOST_COLUMNS or len(rows) - 1 > MOST_ROWS:
        raise Refused(f"Paste at most {MOST_COLUMNS} columns and {MOST_ROWS} rows.", "text")
    names = [name or f"column {at}" for at, name in enumerate(head, start=1)]
    found = Cells(_unique(names), [], [], [])
    for n, row in rows[1:]:
        if len(row) != len(head):
            found.problems.append(
                f"Line {n} has {_columns(len(row))} and the heading {len(head)}: it is left out."
            )
            continue
        found.rows.append(row)
        found.lines.append(n)
    if not found.rows:
        raise Refused(found.problems[0] if found.problems else "The table has no rows.", "text")
    return found


def _table_in(lines: Sequence[tuple[int, str]]) -> list[tuple[int, list[str]]]:
    """Return the rows of cells from the heading on: the line that most of the others are like."""
    best: list[tuple[int, list[str]]] = []
    most = 0
    for start in range(min(len(lines) - 1, _MOST_ABOVE)):
        rows = [(n, cells) for n, cells in _split(lines[start:]) if any(cells)]
        width = len(rows[0][1]) if rows else 0
        alike = sum(len(cells) == width for _, cells in rows[1:]) if width > 1 else 0
        if not best or alike > most:
            best, most = rows, alike
    return best


def _columns(count: int) -> str:
    return f"{count} column{'' if count == 1 else 's'}"


def guessed_columns(cells: Cells) -> list[Column]:
    """Guess the role of each column; the first one that can be a load is a parameter.

    It may be behind a name that several rows have in common: a build, run at several loads.
    """
    columns: list[Column] = []
    has_value = has_load = False
    for at, head in enumerate(cells.head):
        name, unit = _name_and_unit(head)
        column = [row[at] for row in cells.rows if row[at]]
        read = [number for cell in column if (number := read_number(cell)) is not None]
        if not column:
            role: Role = "ignore"
        elif all(map(_TIME.fullmatch, column)):
            role = "title"  # a run has its time in its name, and its load in a parameter
        elif _TITLE_HEAD.match(name) and len(read) < len(column):
            role = "title"
        elif 2 * len(read) > len(column):
            is_load = not (has_value or has_load or _identify(cells, columns))
            role = "parameter" if is_load else "value"
            has_load = has_load or is_load
        elif _OUTCOME_HEAD.search(name) or any(_FAILED.search(cell) for cell in column):
            role = "outcome"
        else:
            role = "title" if has_value else "parameter"
        units = {found for _, found in read if found}
        if not unit and len(units) == 1 and len(read) == len(column):
            unit = units.pop()
        has_value = has_value or role == "value"
        columns.append(Column(name, role, unit if role == "value" else ""))
    return columns


def _identify(cells: Cells, columns: Sequence[Column]) -> bool:
    """Return whether the parameters so far are of one row each."""
    named = [at for at, column in enumerate(columns) if column.role == "parameter"]
    keys = [tuple(row[at] for at in named) for row in cells.rows]
    return bool(named) and len(set(keys)) == len(keys)


def guessed_failures(cells: Cells, columns: Sequence[Column]) -> list[str]:
    """List the outcomes that sound like a failure; a negated one does not."""
    found: dict[str, None] = {}
    for at, column in enumerate(columns):
        if column.role == "outcome":
            for row in cells.rows:
                if _FAILED.search(row[at]) and not re.search(r"\b(not?|never)\b", row[at], re.I):
                    found[row[at]] = None
    return list(found)


def runs_of(
    cells: Cells, columns: Sequence[Column], failures: Sequence[str]
) -> tuple[list[TableRun], list[str]]:
    """Make a run of each row; return them with the problems of single cells.

    Raises:
        Refused: there is not one column per column of the table, or none is a value or an outcome.
    """
    if len(columns) != len(cells.head):
        raise Refused(
            f"The table has {len(cells.head)} columns, and {len(columns)} were described.",
            "columns",
        )
    if not any(column.role in ("value", "outcome") for column in columns):
        raise Refused("Choose at least one column as a value or as an outcome.", "columns")
    if sum(column.role == "parameter" for column in columns) > _MOST_PARAMETERS:
        raise Refused(f"A run has at most {_MOST_PARAMETERS} parameters.", "columns")
    failing = set(failures)
    runs: list[TableRun] = []
    problems: list[str] = []
    for line, row in zip(cells.lines, cells.rows, strict=True):
        named = list(zip(columns, row, strict=True))
        values = []
        for column, cell in named:
            if column.role != "value" or not cell:
                continue
            read = read_number(cell)
            if read is None:
                problems.append(f"Line {line}: “{cell[:40]}” of {column.name} is no number.")
                continue
            values.append(Value(column.name[:_TEXT], read[0], column.unit or read[1]))
        parameters = {
            c.name[:_NAME]: cell[:_TEXT] for c, cell in named if c.role == "parameter" and cell
        }
        outcome = "; ".join(cell for c, cell in named if c.role == "outcome" and cell)
        words = [cell for c, cell in named if c.role == "title" and cell]
        title = ", ".join(words) or ", ".join(f"{k} {v}" for k, v in parameters.items())
        failed = any(cell in failing for c, cell in named if c.role == "outcome")
        runs.append(TableRun(line, title, parameters, values, outcome, failed if outcome else None))
    return runs, problems


def read_number(cell: str) -> tuple[float, str] | None:
    """Read a number and its unit: '90K', '1,234.5 ms', '25×'; None when the cell is no number."""
    match = _NUMBER.fullmatch(cell.strip().strip("*`_"))
    if match is None:
        return None
    digits = re.sub(r"[\u2009\u202f\u00a0 ]", "", match[1])
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", digits):
        digits = digits.replace(",", "")
    elif "." in digits and "," in digits:  # 41.000,5
        digits = digits.replace(".", "")
    return float(digits.replace(",", ".")) * _SCALE.get((match[2] or "").lower(), 1), match[3] or ""


def _name_and_unit(head: str) -> tuple[str, str]:
    text = head.rstrip()
    match = _UNIT.search(text)
    name = text[: match.start()].rstrip() if match else ""
    return (name, match[1] or match[2]) if match and name else (head, "")


def _unique(names: Sequence[str]) -> list[str]:
    """Number the names that occur twice, as a parameter's name means one column."""
    counts: dict[str, int] = {}
    found = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name} {counts[name]}")
    return found


def _split(lines: Sequence[tuple[int, str]]) -> list[tuple[int, list[str]]]:
    """Split lines by the separator that the heading has."""
    head = lines[0][1]
    if head.count("|") >= 1:
        bars = [(n, line) for n, line in lines if "|" in line]
        return [(n, _cells_of_bars(line)) for n, line in bars]
    if "\t" in head:
        return [(n, _trimmed(line.split("\t"))) for n, line in lines]
    for separator in (",", ";"):
        if separator in head:
            read = csv.reader((line for _, line in lines), delimiter=separator)
            rows = [_trimmed(row) for row in read]
            if len(rows) == len(lines):  # no cell runs over several lines
                return [(n, row) for (n, _), row in zip(lines, rows, strict=True)]
    return [(n, _trimmed(re.split(r"\s{2,}", line.strip()))) for n, line in lines]


def _cells_of_bars(line: str) -> list[str]:
    bare = line.strip()
    if bare.startswith("||") and bare.endswith("||") and len(bare) > 4:  # a heading of a wiki
        bare = bare[1:-1].replace("||", "|")
    inner = bare.removeprefix("|").removesuffix("|")
    cells = re.split(r"(?<!\\)\|", inner)
    return [cell.strip().replace("\\|", "|").strip("*`") for cell in cells]


def _trimmed(cells: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in cells]
