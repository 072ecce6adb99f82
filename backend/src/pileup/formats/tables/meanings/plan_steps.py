"""Read EXPLAIN FORMAT=JSON, version 2, and the optimizer's trace: JSON of objects in objects.

Source: MySQL 8.3 and later with explain_json_format_version=2: an object per operation, with its
        inputs inside. The keys have no fixed order: the inputs may come before the name.
        The trace (information_schema.OPTIMIZER_TRACE, MySQL 5.6 and MariaDB 10.4 and later): an
        object with a cost per way to read a table that was considered.
Gives:  the columns of a plan as a tree; of a trace a row per way. A text that is cut gives what is
        above the cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pileup.formats.reading.series_columns import decimal

_TOKEN = re.compile(
    r'"(?P<key>[a-z_#]{1,40})"\s*:\s*(?:"(?P<text>(?:[^"\\]|\\.)*+)"|(?P<bare>-?\d[\d.eE+-]*+|true|false)|)'
    r"|(?P<open>\{)|(?P<close>\})"
    r'|"(?:[^"\\]|\\.)*+"'
)
BEGIN = re.compile(r'"(?:query_plan|inputs|operation|steps)"\s*:')
TRACE = re.compile(r'"(?:considered_access_paths|considered_execution_plans|rows_estimation)"\s*:')
KNOWN = re.compile(r'"operation"\s*:\s*"')
_KEYS = ("operation", "table_name", "index_name", "estimated_total_cost", "estimated_rows")
_ACTUAL = ("actual_first_row_ms", "actual_last_row_ms", "actual_rows", "actual_loops")
_WAY = frozenset(("cost", "chosen"))
_ROWS_OF_WAY = ("rows", "rows_to_scan", "resulting_rows")
COLUMNS_OF_WAYS = ("table", "access", "index", "rows", "cost", "chosen", "cause")
_LONGEST_STEP = 1_000
_DEEPEST = 200

Row = tuple[str | None, ...]


@dataclass(slots=True)
class _Object:
    level: int
    inside: _Object | None = None
    values: dict[str, str] = field(default_factory=dict)


def rows(text: str, most: int) -> list[Row]:
    """Return level, step, table, index, cost, rows and times of each operation, outermost first."""
    steps = [item for item in _objects(text, most) if "operation" in item.values]
    levels = {level: at for at, level in enumerate(sorted({item.level for item in steps}), 1)}
    return [_row(levels[item.level], item.values) for item in steps]


def ways(text: str, most: int) -> list[Row]:
    """Return the ways that a trace considered: table, access, index, rows, cost, chosen, cause."""
    found = (item for item in _objects(text, most) if item.values.keys() >= _WAY)
    return [
        (
            _table_of(item),
            item.values.get("access_type"),
            item.values.get("index"),
            next((item.values[key] for key in _ROWS_OF_WAY if key in item.values), None),
            item.values["cost"],
            item.values["chosen"],
            item.values.get("cause"),
        )
        for item in found
    ]


def _table_of(item: _Object) -> str | None:
    outer: _Object | None = item
    while outer is not None and "table" not in outer.values:
        outer = outer.inside
    return outer.values["table"].strip("`") if outer else None


def _objects(text: str, most: int) -> list[_Object]:
    """Return the objects of a JSON text, outer ones first."""
    found = [_Object(0)]
    path = [found[0]]
    for token in _TOKEN.finditer(text):
        if token["open"] and len(path) < _DEEPEST:
            path.append(_Object(len(path), path[-1]))
            if len(found) < most:
                found.append(path[-1])
        elif token["close"]:
            path[1:] = path[1:-1]
        elif token["key"]:
            value = token["text"] if token["text"] is not None else token["bare"]
            if value is not None:
                path[-1].values.setdefault(token["key"], value)
    return found


def _row(level: int, values: dict[str, str]) -> Row:
    step, *named = (values.get(key) for key in _KEYS)
    actual = [values.get(key) for key in _ACTUAL]
    last, loops = (decimal(text) if text else None for text in (actual[1], actual[3]))
    total = f"{last * loops:.6g}" if last is not None and loops is not None else None
    return (str(level), (step or "").replace('\\"', '"')[:_LONGEST_STEP], *named, *actual, total)
