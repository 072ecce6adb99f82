"""Parse the result of a query as JSON, as if the client had printed it as rows.

Source: MySQL Shell (--result-format=json, json/raw, json/array, ndjson; --json wraps the rows of a
        result in an object of its own), JSON_OBJECT() and JSON_ARRAYAGG() queries, exporters.
            {"Variable_name":"Uptime","Value":"100"}
            {"hasData":true,"rows":[{"ENGINE":"INNODB","THREAD_ID":48}],"executionTime":"0.0 sec"}
Yields: what the format yields that reads these columns as tab-separated rows: locks, transactions,
        status, variables, sessions, replication, a status dump; any other result is a Table.
Note:   a result ends where the columns differ or a new array begins. JSON inside a column is text.
"""

from __future__ import annotations

import itertools
import re
from array import array
from collections.abc import Iterable, Iterator

import msgspec

from pileup.formats.detect import Format
from pileup.formats.errors import FormatError
from pileup.formats.reading import json_text
from pileup.formats.reading.line_numbers import renumber
from pileup.formats.tables.layouts.reader import ResultSet
from pileup.formats.tables.meanings.handlers import Seen
from pileup.formats.tables.meanings.server_variables import UNITS
from pileup.records import Item, Problem

NAME = "result-json"
TITLE = "the result of a query as JSON"
GIVES = "The same as these rows printed by the client: locks, status, sessions, or a table."
PRINTED_BY = "MySQL Shell (`--result-format=json`, `ndjson`, `--json`), `JSON_OBJECT()`, exporters"
VERSION = 2
HINTS = ()
LONG_LINES = True

_STRING = r'"(?:[^"\\]|\\.)*+"'
_LIST = rf"\[(?:[^\[\]{{}}\"]|{_STRING})*+\]"
_INNER = rf"(?<=[:\s])\{{(?:[^{{}}\"]|{_STRING})*+\}}"
# A row: flat but for one level of JSON in a column. Or the bracket before the first row.
_PART = re.compile(rf"\[(?=\s*\{{)|\{{(?:[^{{}}\"\[\]]|{_STRING}|{_LIST}|{_INNER})*+\}}", re.DOTALL)
_OF_SHELL = {"hasData", "rows", "executionTime", "info", "warning", "error", "note", "status"}
# {"hasData":true,"rows":[        {"Parameters": [        {"rows": {"data": [
_KEYS = r'(?:"[^"\\\n]{1,100}"\s*:[^\[\]{}"]{0,200}(?:"[^"\\\n]{0,200}"\s*,\s*)?)+'
_AROUND = rf"(?:\{{\s*{_KEYS}){{1,3}}\[\s*"
_WRAPPED = re.compile(rf"[\s,\]}}]*{_AROUND}")
_START = re.compile(rf"\s*(?:\[\s*)?(?:{_AROUND})?(?=\{{)")
_BETWEEN = re.compile(r"[\s,\[\]]*|.*\[\s*", re.DOTALL)
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\0": "\\0", "\r": "\\r"})
_BANNER = "INNODB MONITOR OUTPUT"
_LONGEST = 2 * 1024 * 1024
_HEAD = 64 * 1024
_HEAD_LINES = 500
_OBJECTS = re.compile(r"\s*[\[{]")
_SNIFFED = 32_768
_ROWS_SNIFFED = 20
_MOST_REPORTED = 100
_OTHERS = ("result-set", "result-json")


def sniff(head: str) -> bool | None:
    """Whether the text begins with rows of the same columns that no other format claims."""
    start = _START.match(head)
    if not start:
        return False
    first = _PART.match(head, start.end())
    columns = _columns(first[0]) if first else None
    if first is None or columns is None:
        return False
    second = _PART.search(head, first.end())
    if second is not None:
        if not _are_alike(columns, _columns(second[0])) or not _BETWEEN.fullmatch(
            head, first.end(), second.start()
        ):
            return False
    elif "{" in head[first.end() :] and '"executionTime"' not in head[first.end() :]:
        return False
    from pileup.formats import FORMATS  # the list holds this module too

    return not any(item.NAME not in _OTHERS and item.sniff(head) is True for item in FORMATS)


def _are_alike(columns: tuple[str, ...], others: tuple[str, ...] | None) -> bool:
    """Whether two objects are rows of one list: it may omit what a row has no value for."""
    shared = set(columns) & set(others or ())
    return bool(others) and 2 * len(shared) >= max(len(columns), len(others or ()))


def first_tables(head: str) -> Iterator[Seen]:
    """Yield the columns of the first objects of a text, each as a table without rows."""
    if not _OBJECTS.match(head):
        return
    for match in itertools.islice(json_text.OBJECT.finditer(head[:_SNIFFED]), _ROWS_SNIFFED):
        columns = tuple(name.lower() for name in _columns(match[0]) or ())
        yield Seen(ResultSet(0, "", columns, 1, "tab"), columns, None)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield what the format of these columns yields for the rows."""
    text = _Rendered(lines)
    head = list(itertools.islice(text, _HEAD_LINES))
    if not head:
        raise FormatError(
            "No row was found: expected objects of one level, each with the columns of a result."
        )
    reader = _reader("\n".join(head)[:_HEAD])
    for item in reader.parse(itertools.chain(head, text)):
        yield renumber(item, text.first.__getitem__, text.last.__getitem__)
        yield from text.drain_problems()
    yield from text.drain_problems()


def _reader(head: str) -> Format:
    from pileup.formats import FORMATS
    from pileup.formats.tables import result_set

    return next((item for item in FORMATS if item.NAME != NAME and item.sniff(head)), result_set)


class _Rendered:
    """Renders rows as lines of ``mysql --batch``; ``first`` and ``last`` map each to raw lines."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.first, self.last = array("q", [1]), array("q", [1])  # lines count from 1
        self._problems: list[Problem] = []
        self._lost_rows = 0
        self._lines = self._render(lines)

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def drain_problems(self) -> Iterator[Item]:
        """Yield the problems met since the last call."""
        problems, self._problems = self._problems, []
        yield from problems

    def _render(self, lines: Iterable[str]) -> Iterator[str]:
        before: tuple[str, ...] | None = None
        for span in json_text.spans(lines, _PART, _LONGEST):
            if span.match and span.match[0] == "[":
                before = None
                continue
            if "{" in span.before and not _WRAPPED.fullmatch(span.before):
                self._lost(span.first, span.before)
            if span.match is None:
                return
            row = _row(span.match[0])
            if row is None:
                self._lost(span.first, span.match[0])
                continue
            if _OF_SHELL.issuperset(row) or "executionTime" in row:
                continue
            if _are_variables(row):
                row_lines = [f"{_cell(name)}\t{_cell(value)}" for name, value in row.items()]
                for line in (*_NAMED_VALUES, *row_lines):
                    self.first.append(span.first)
                    self.last.append(span.last)
                    yield line
                before = None
                continue
            columns = tuple(row)
            rendered = ["\t".join(map(_cell, columns))] if columns != before else []
            before = columns
            dump = next((cell for cell in row.values() if _BANNER in cell), None)
            if dump is None:
                rendered.append("\t".join(map(_cell, row.values())))
            else:
                rendered = dump.split("\n")
                before = None
            for line in rendered:
                self.first.append(span.first)
                self.last.append(span.last)
                yield line

    def _lost(self, line: int, text: str) -> None:
        self._lost_rows += 1
        if self._lost_rows <= _MOST_REPORTED:
            self._problems.append(
                Problem(
                    line,
                    "Not a readable row; it was left out.",
                    '{"column": "value", ...}',
                    text.strip()[:200],
                )
            )


def _are_variables(row: dict[str, str]) -> bool:
    """Whether an object has the names of SHOW STATUS as its keys, with a value of each."""
    known = sum(name.lower() in UNITS or name.lower().startswith("innodb_") for name in row)
    is_flat = not any(value.startswith(("{", "[")) for value in row.values())
    return is_flat and known >= _LEAST_KNOWN and known >= _MOSTLY * len(row)


_NAMED_VALUES = ("Variable_name\tValue",)
_LEAST_KNOWN = 2
_MOSTLY = 0.6


def _cell(text: str) -> str:
    return text.translate(_ESCAPES)


def _columns(text: str) -> tuple[str, ...] | None:
    row = _row(text)
    return tuple(row) if row else None


def _row(text: str) -> dict[str, str] | None:
    """Decode a row with each cell as the client prints it: numbers as written, JSON as its text."""
    try:
        found = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        return {name: _value(bytes(value)) for name, value in found.items()}
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError, UnicodeDecodeError):
        return None


def _value(raw: bytes) -> str:
    if raw.startswith(b'"'):
        return msgspec.json.decode(raw, type=str)
    return "NULL" if raw == b"null" else raw.decode()
