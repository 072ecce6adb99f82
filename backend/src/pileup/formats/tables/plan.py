"""EXPLAIN FORMAT=TREE, EXPLAIN ANALYZE and FORMAT=JSON: the steps of a plan, as rows.

Source: the iterators of MySQL 8.0.16 and later, sql/join_optimizer/explain_access_path.cc: '-> '
        and a description, four blanks deeper per level, then '(cost=1.5 rows=10)' and of ANALYZE
        '(actual time=0.1..2.3 rows=10 loops=1)', times in milliseconds per loop. As JSON
        (version 1, MariaDB's ANALYZE too) a table is an object that begins with its name; version 2
        has an object per step of the tree, and the optimizer's trace one per way that it considered
        (``meanings/plan_steps``).
Yields: the table 'plan': level, step, table, index, cost, estimated_rows, first_row_ms,
        all_rows_ms, rows, loops, total_ms (of all loops). Of JSON of version 1: table,
        access, index, estimated_rows, filtered, cost, condition, rows, loops, total_ms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import decimal
from pileup.formats.tables.meanings import plan_steps
from pileup.records import Item, Section, Skipped, Table

NAME = "plan"
TITLE = "EXPLAIN as a tree or JSON"
GIVES = (
    "A table: a row per step of the plan, with its cost, rows, time and loops; of an optimizer "
    "trace a row per way to read a table that was considered."
)
PRINTED_BY = (
    "MySQL: `EXPLAIN FORMAT=TREE`, `FORMAT=JSON` (versions 1 and 2), `EXPLAIN ANALYZE`; MariaDB: "
    "`ANALYZE FORMAT=JSON`"
)
VERSION = 3
LINE_STARTS = r"(?:\* |[\"'])?-> [A-Z<(]"
HINTS = ("explain.txt", "plan.txt", "optimizer_trace.txt")

COLUMNS = (
    *("level", "step", "table", "index", "cost", "estimated_rows"),
    *("first_row_ms", "all_rows_ms", "rows", "loops", "total_ms"),
)
# EXPLAIN: -> Nested loop inner join  (cost=13 rows=10) (actual time=0.2..22.1 rows=1 loops=1)
_BEGIN = re.compile(r"(?:[\s*|•\"']|EXPLAIN:){0,400}-> ")
_N = r"[\d.e+-]{1,24}"
_COST = re.compile(rf"\(cost=(?P<cost>{_N}?)(?:\.\.{_N})? rows=(?P<estimate>{_N})\)")
_ACTUAL = re.compile(
    rf"\((?:actual time=(?P<first>{_N}?)\.\.(?P<all>{_N}) rows=(?P<rows>{_N})"
    rf" loops=(?P<loops>{_N})|(?P<never>never executed))\)"
)
_ON = re.compile(
    r"(?:scan|lookup|search|Insert into|Update|Delete from|on) (?:on )?"
    r"(?P<table><[\w ]{1,60}>|[\w$]{1,64})(?: using (?P<index>[\w$]{1,64}))?"
)
_BLOCK = re.compile(r'"query_block\\?"\s*:\s*\{')
_STRING = r'"((?:[^"\\\n]|\\.){0,1000})"'
_KEY = re.compile(rf'"(?P<key>[a-z_]{{3,30}})"\s*:\s*(?:{_STRING}|(?P<number>-?\d[\d.eE+-]*))')
_COLUMNS_OF_JSON = {
    "table": ("table_name",),
    "access": ("access_type",),
    "index": ("key",),
    "estimated_rows": ("rows_examined_per_scan", "rows"),
    "filtered": ("filtered",),
    "cost": ("prefix_cost", "cost"),
    "condition": ("attached_condition",),
    "rows": ("r_rows",),
    "loops": ("r_loops",),
    "total_ms": ("r_table_time_ms", "r_total_time_ms"),
}
"""The names of the keys that a column is printed as: MySQL's and MariaDB's."""
_NAMES_OF_KEYS = {key: name for name, keys in _COLUMNS_OF_JSON.items() for key in keys}
_OF_JSON = ('"', "{", "}", "[", "]", ",")
_MOST_ROWS = 5_000
_LONGEST = 8_000
_MOST_STEPS_TEXT = 1_000_000
_LEAST = 0.5
_HEAD = 300
_FRAME = re.compile(r"[\s|+*-]*+(?:(?:EXPLAIN|ANALYZE):?|\d{1,9}\. row)?[\s|+*{-]*+$")


def sniff(head: str) -> bool | None:
    """Return whether a step has a cost or a time, or half of the lines are steps.

    Of JSON, whether it is the block of a query with a table.
    """
    if _BLOCK.search(head) and '"table_name"' in head:
        return True
    if plan_steps.TRACE.search(head) and plan_steps.BEGIN.search(head):
        return '"chosen"' in head and '"cost"' in head
    if plan_steps.KNOWN.search(head) and plan_steps.BEGIN.search(head):
        return '"query_plan"' in head or '"estimated_total_cost"' in head
    if "-> " not in head:
        return False
    lines = [line[:_LONGEST] for line in head.split("\n")[:_HEAD] if line.strip()]
    steps = [line for line in lines if _step(line)]
    if any(map(_has_numbers, steps)):
        return True
    return len(steps) >= _LEAST * len(lines) and any(" scan on " in line for line in steps)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Table for each plan."""
    reader = _Reader()
    for number, raw in enumerate(lines, start=1):
        if reader.is_of_steps(raw):
            yield from reader.step_line(number, raw)
            continue
        for text in raw[:_LONGEST].split("\\n"):  # a client in batch mode escapes the ends
            yield from reader.line(number, text)
    yield from reader.end()


class _Reader:
    def __init__(self) -> None:
        self._rows: list[tuple[str | None, ...]] = []
        self._margins: list[int] = []
        self._objects: list[dict[str, str]] = []
        self._steps: list[str] = []
        """Lines of JSON of version 2."""
        self._size = 0
        self._first = self._last = 0
        self._plans = 0

    def is_of_steps(self, text: str) -> bool:
        """Whether a line is of JSON of version 2."""
        begun = self._steps and text.lstrip("| \t")[:1] in _OF_JSON
        return bool(begun or plan_steps.BEGIN.search(text[:_LONGEST])) and not self._objects

    def step_line(self, number: int, text: str) -> Iterator[Item]:
        """Keep a line of JSON of version 2: an object is read as a whole."""
        if '"query_plan"' in text and self._steps:  # the next plan
            yield from self._plan()
        self._take(number)
        if self._size < _MOST_STEPS_TEXT:
            self._steps.append(text.replace("\\n", "\n"))
            self._size += len(text)

    def line(self, number: int, text: str) -> Iterator[Item]:
        """Read the next line."""
        if match := _step(text):
            if match[0].lstrip(" *|").startswith("EXPLAIN"):
                yield from self._plan()
            self._take(number)
            margin = match.end()
            while self._margins and self._margins[-1] >= margin:
                self._margins.pop()
            self._margins.append(margin)
            if len(self._rows) < _MOST_ROWS:
                self._rows.append(_row(len(self._margins), text[margin:]))
        elif _BLOCK.search(text) and not self._objects:
            yield from self._plan()
            self._take(number)
        else:
            yield from self._keys(number, text)

    def _keys(self, number: int, text: str) -> Iterator[Item]:
        """Add the keys of JSON to the table that they describe."""
        is_any = False
        for match in _KEY.finditer(text):
            is_any = True
            name = _NAMES_OF_KEYS.get(match["key"])
            if match["key"] == "table_name" and len(self._objects) < _MOST_ROWS:
                self._objects.append({})
            if name and self._objects:
                self._objects[-1].setdefault(name, match[2] or match["number"] or "")
        if is_any or (self._first and text.lstrip()[:1] in _OF_JSON):
            self._take(number)
        elif not _FRAME.match(text):
            yield Skipped(number, number, "not a step of a plan")

    def _take(self, number: int) -> None:
        self._first, self._last = self._first or number, number

    def _plan(self) -> Iterator[Item]:
        """Yield the plan that ends."""
        columns: tuple[str, ...] = COLUMNS
        rows = self._rows
        if self._steps:
            text = "\n".join(self._steps)
            rows = plan_steps.rows(text, _MOST_ROWS)
            if not rows:
                columns, rows = plan_steps.COLUMNS_OF_WAYS, plan_steps.ways(text, _MOST_ROWS)
        elif self._objects:
            columns = tuple(_COLUMNS_OF_JSON)
            rows = [tuple(map(found.get, columns)) for found in self._objects]
        if rows:
            self._plans += 1
            yield Section(f"Plan {self._plans}", self._first, self._last)
            yield Table(
                line_first=self._first,
                line_last=self._last,
                name="plan",
                columns=columns,
                rows=tuple(rows),
            )
        self._rows, self._margins, self._objects = [], [], []
        self._steps, self._size = [], 0
        self._first = self._last = 0

    def end(self) -> Iterator[Item]:
        """Yield the last plan."""
        yield from self._plan()


def _step(line: str) -> re.Match[str] | None:
    return _BEGIN.match(line) if "-> " in line else None


def _has_numbers(line: str) -> bool:
    return bool(_COST.search(line) or _ACTUAL.search(line))


def _row(level: int, step: str) -> tuple[str | None, ...]:
    cost, actual = _COST.search(step), _ACTUAL.search(step)
    ends = [match.start() for match in (cost, actual) if match]
    what = step[: min(ends, default=len(step))].strip(" \t|")
    on = _ON.search(what)
    times = actual.group("first", "all", "rows", "loops") if actual else (None,) * 4
    whole, loops = decimal(times[1] or ""), decimal(times[3] or "")
    total = None if whole is None or loops is None else f"{whole * loops:.6g}"
    is_unused = actual is not None and actual["never"] is not None
    return (
        str(level),
        what,
        on["table"] if on else None,
        on["index"] if on else None,
        *(cost.group("cost", "estimate") if cost else (None, None)),
        *times[:3],
        "0" if is_unused else times[3],
        total,
    )
