r"""Find the rows of a result that a program printed as it keeps them: tuples, lists, dictionaries.

Source: ``print(cursor.fetchall())`` and the like: a list of tuples or of dictionaries, records with
        names, one row per line or all on one; arrays of JSON.
            [(8801, 'app', '10.0.3.4:51122', 'shop', 'Query', 193, 'updating', None), (...)]
Gives:  the rows as the client prints them in batch mode: between tabs, below their names.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

_STRING = r"[bu]?(?:'(?:[^'\\\n]|\\.)*+'|\"(?:[^\"\\\n]|\\.)*+\")"
_WORD = r"(?:None|null|NULL|True|true|False|false|-?\d[\w.+-]*+)"
# datetime.datetime(2026, 11, 20, 22, 19)     Decimal('1.5')
_CALL = rf"[A-Za-z_][\w.]{{0,60}}\((?:[\w.+-]++|{_STRING}|[, ])*+\)"
_VALUE = rf"(?:{_STRING}|{_WORD}|{_CALL})"
_ROW = re.compile(
    rf"(?<![\w)\]])[(\[]\s*+(?P<values>{_VALUE}\s*+(?:,\s*+{_VALUE}\s*+)++,?\s*+)[)\]]"
    rf"|\{{\s*+(?P<keyed>{_STRING}\s*+:\s*+{_VALUE}\s*+(?:,\s*+{_STRING}\s*+:\s*+{_VALUE}\s*+)*+),?\s*+\}}"
    rf"|(?<!\w)\w{{1,60}}\(\s*+(?P<named>\w{{1,64}}={_VALUE}\s*+(?:,\s*+\w{{1,64}}={_VALUE}\s*+)++)\)"
    rf"|OrderedDict\(\[(?P<pairs>\({_STRING}, {_VALUE}\)(?:,\s*+\({_STRING}, {_VALUE}\))*+)\]\)"
)
_EACH = re.compile(rf"(?:(?P<key>{_STRING}|\w{{1,64}}) ?[:=,] ?+)?(?P<value>{_VALUE})")
_EACH_VALUE = re.compile(rf"(?P<value>{_VALUE})")
_MOST_ROWS = 20_000
_PARTS_OF_A_TIME = re.compile(r"\d{1,9}")


class Row(NamedTuple):
    """The cells of a row, between tabs."""

    cells: str
    names: str
    """Between tabs; nothing for a row without names."""
    at: int
    """Where it begins in the document."""


def rows(document: str) -> Iterator[Row]:
    """Yield each row in a document."""
    for match in islice(_ROW.finditer(document), _MOST_ROWS):
        inside = match["keyed"] or match["named"] or match["pairs"]
        if inside:
            found = list(_EACH.finditer(inside))
            names = "\t".join(_text(each["key"]) for each in found if each["key"])
        else:
            found, names = list(_EACH_VALUE.finditer(match["values"])), ""
        yield Row("\t".join(_text(each["value"]) for each in found), names, match.start())


def _text(literal: str) -> str:
    """Return a value as the client prints it in batch mode."""
    if literal in ("None", "null"):
        return "NULL"
    if literal in ("True", "true", "False", "false"):
        return "1" if literal in ("True", "true") else "0"
    if literal.endswith(")"):
        return _of_call(literal)
    if literal[-1:] not in ("'", '"'):
        return literal
    return _decoded(literal).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def _of_call(literal: str) -> str:
    """Return what a time, a decimal or another object holds."""
    name, _, inside = literal.partition("(")
    inside = inside[:-1]
    if name.endswith(("datetime", "date")):
        parts = [int(part) for part in _PARTS_OF_A_TIME.findall(inside)[:6]]
        year, month, day, hour, minute, second = (*parts, *(0,) * (6 - len(parts)))
        return f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
    return _text(inside) if inside[-1:] in ("'", '"') else inside


def _decoded(literal: str) -> str:
    if "\\" not in literal:
        return literal.lstrip("bu")[1:-1]
    try:
        value = (
            json.loads(literal, strict=False) if literal[0] == '"' else ast.literal_eval(literal)
        )
    except (ValueError, SyntaxError, MemoryError):
        return literal[1:-1]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


__all__ = ["Row", "rows"]
