"""Mapping of a table's columns, made by a person or guessed from the first rows.

A Mapping is plain data: the parser takes it, it is stored under the header that it was made for,
and it is used again for the next file with that header. The header may follow a preamble (an
export's title, its period), so it is searched among the first lines.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import msgspec

from pileup.formats.metrics.parts.csv_cells import (
    TimeFormat,
    day_order,
    detect_decimal,
    is_null,
    read_number,
    read_time,
)
from pileup.json_values import resolve_types
from pileup.records.zones import time_zone

Role = Literal["time", "value", "label", "host", "metric", "ignore"]
ROLES: tuple[Role, ...] = get_args(Role)
Kind = Literal["gauge", "counter", "rate"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DELIMITERS = (",", ";", "\t", "|", " ")
MOST_COLUMNS = 20_000
HEAD_LINES = 200
"""Lines that a guess uses."""

_TIME_NAMES = re.compile(
    r"\W*(_?time(stamp)?|date[_ /]?(time)?|zeit(punkt|stempel)?|uhrzeit|datum|ts|epoch|hora|fecha|"
    r"temps|heure|horodatage|data|ora|tijd|czas|время|дата|時間|時刻|日時|时间|時間戳|시간)\b",
    re.IGNORECASE,
)
_METRIC = re.compile(r"(metric|series|name|variable|__name__|metric_name|serie)$", re.IGNORECASE)
_VALUE = re.compile(r"(value|val|wert|metric_value|valor|valeur)$", re.IGNORECASE)
_HOST = re.compile(r"(host|hostname|instance|node|node_name|server)$", re.IGNORECASE)
_ELAPSED = re.compile(r"(elapsed|seconds?|secs?|t|time_s|runtime)\b", re.IGNORECASE)
_LABEL_ROW = re.compile(r"(full )?label$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table and the role of its cells."""

    name: str
    """The cell of the header."""
    role: Role = "value"
    series: str | None = None
    """Name of the series; without one the header names it."""
    kind: Kind = "gauge"
    unit: str | None = None
    """Unit that a person chose; without one, the unit printed in the cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """How a table is read: separator, decimal sign, header, times and columns."""

    delimiter: str
    decimal: str = "."
    header: str | None = None
    """The header's line, normalised; None for a table without one."""
    time_format: TimeFormat = "auto"
    zone: str | None = None
    """Zone of printed times without one: IANA name or +hh:mm; None leaves it to the clock."""
    columns: tuple[Column, ...] = ()

    def positions(self, role: Role) -> list[int]:
        """Return the positions of the columns with this role."""
        return [at for at, column in enumerate(self.columns) if column.role == role]


resolve_types(Mapping)


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed mapping, whether it is certain, and a sentence that says why."""

    mapping: Mapping
    header_line: int | None
    sure: bool
    why: str


def normalised(line: str) -> str:
    """Normalise a header: remove case, quotes and spaces around cells, which differ by export."""
    return re.sub(r"\s*([,;|\t])\s*", r"\1", line.strip().strip("\ufeff").replace('"', "")).lower()


def mapping_key(header: str | None, sha256: str) -> str:
    """Return the key under which a mapping is stored: its header, or without one this file."""
    if header is None:
        return f"file:{sha256}"
    return "header:" + hashlib.sha256(header.encode("utf-8", "replace")).hexdigest()


def load(data: bytes) -> Mapping:
    """Load a mapping saved as JSON. Raises ValueError, which says what is wrong in it."""
    mapping = msgspec.json.decode(data, type=Mapping)
    if mapping.header is None:
        raise ValueError("it is for a table without a header, so it matches no other file")
    if rows := find_problems(mapping):
        raise ValueError("; ".join(sentence for _, sentence in rows))
    return mapping


def keys_in(head: str, sha256: str) -> list[str]:
    """Return every key under which a file may have been mapped, by its first lines."""
    lines = [line for line in head.split("\n")[:HEAD_LINES] if line.strip()][:40]
    tables = [line for line in lines if any(d in line for d in DELIMITERS) and len(line) < 200_000]
    return [
        *dict.fromkeys(mapping_key(normalised(line), sha256) for line in tables),
        f"file:{sha256}",
    ]


def find_problems(mapping: Mapping) -> list[tuple[str, str]]:
    """Return what makes a mapping unusable, as field and sentence; empty if it can be used."""
    problems = []
    times = mapping.positions("time")
    if mapping.delimiter not in DELIMITERS:
        problems.append(("delimiter", "the separator is a comma, semicolon, tab, bar or space"))
    if mapping.decimal not in (".", ","):
        problems.append(("decimal", "the decimal sign is a point or a comma"))
    if not times:
        problems.append(("columns", "say which column holds the time"))
    if len(times) > 2:
        problems.append(("columns", "the time is in one column, or in two: date and time of day"))
    if not mapping.positions("value"):
        problems.append(("columns", "say which columns hold values"))
    if mapping.positions("metric") and len(mapping.positions("value")) != 1:
        problems.append(
            ("columns", "with a column that names the metric, exactly one column holds its values")
        )
    if len(mapping.positions("metric")) > 1 or len(mapping.positions("host")) > 1:
        problems.append(("columns", "one column names the metric, and one the host"))
    if mapping.zone is not None and not is_zone(mapping.zone):
        problems.append(
            ("zone", f"{mapping.zone!r} is no zone: use America/Vancouver or an offset (-08:00)")
        )
    return problems


def holds_cells(number: int, line: str) -> bool:
    """Whether a line is a row: not blank, no ``sep=`` of Excel, no rule of Markdown or a box."""
    bare = line.lstrip()
    if bare[:1] in ("|", "+") and _RULE.fullmatch(line):
        return False
    return bool(bare) and not (number == 1 and line.lower().startswith("sep="))


_RULE = re.compile(r"\s*[|+](?:\s*:?-+:?\s*[|+])+\s*")


def split_cells(line: str, delimiter: str) -> list[str]:
    """Split a line into cells; a line that is no CSV (giant cell, open quote) at each delimiter."""
    if delimiter == " ":
        return line.split()
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)


def guess(
    lines: Sequence[str],
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header_line: int | None = None,
    time_format: TimeFormat | None = None,
) -> Guess:
    """Guess the likeliest mapping of a table from its first lines.

    Arguments other than None are used as given. ``header_line`` is 1-based; 0 means no header.
    """
    given = (delimiter,) if delimiter else DELIMITERS
    guesses = [_guess_columns(lines, name, decimal, header_line, time_format) for name in given]
    return max(guesses, key=_worth)


def _worth(item: Guess) -> tuple[bool, bool, int]:
    columns = item.mapping.columns
    # Times and names contain spaces too: a space separates only when nothing else does.
    return (
        item.sure,
        bool(item.mapping.positions("time")) and len(columns) > 1,
        len(columns) if item.mapping.delimiter != " " else 0,
    )


_NumberedRow = tuple[int, list[str]]
"""A line's number and its cells."""


def _guess_columns(
    lines: Sequence[str],
    delimiter: str,
    decimal: str | None,
    header_line: int | None,
    time_format: TimeFormat | None,
) -> Guess:
    rows = [
        (number, split_cells(line, delimiter)[:MOST_COLUMNS])
        for number, line in enumerate(lines[:HEAD_LINES], start=1)
        if holds_cells(number, line)
    ]
    body, width = _body(rows, header_line)
    time = _find_time(body, width, time_format)
    first = time.first if time else min(1, len(body) - 1 if body else 0)
    if header_line == 0:
        first = 0
    header = next((row for row in rows if row[0] == header_line), None) or _header(body, first)
    data = [cells for _, cells in body[first:]]
    decimal = decimal or _decimal(data, delimiter, time)
    names = [
        (header[1][at].strip() if header and at < len(header[1]) else "") or f"column {at + 1}"
        for at in range(width)
    ]
    columns = _columns(names, data, decimal, time)
    mapping = Mapping(
        delimiter=delimiter,
        decimal=decimal,
        header=normalised(lines[header[0] - 1]) if header else None,
        time_format=time.how if time else time_format or "auto",
        columns=columns,
    )
    sure, why = _verdict(mapping, time, len(data), header is not None)
    return Guess(mapping, header[0] if header else None, sure, why)


def _body(rows: list[_NumberedRow], header_line: int | None) -> tuple[list[_NumberedRow], int]:
    """Return the rows of the most common width above one, from the header on, and that width."""
    widths = Counter(len(cells) for _, cells in rows)
    width = max((w for w in widths if w > 1), key=lambda w: (widths[w], w), default=1)
    least = header_line or 0
    return [row for row in rows if len(row[1]) == width and row[0] >= least], width


def _header(body: list[_NumberedRow], first: int) -> _NumberedRow | None:
    """Return the row of names above the first row of data: a row of labels, else the last row."""
    label_row = next((row for row in body[:first] if _LABEL_ROW.match(row[1][0].strip())), None)
    return label_row or (body[first - 1] if 0 < first <= len(body) else None)


def _verdict(mapping: Mapping, time: _Time | None, rows: int, headed: bool) -> tuple[bool, str]:
    if len(mapping.columns) < 2:
        return False, "no separator gives more than one column"
    if time is None:
        return False, "no column holds times in nine of ten rows"
    if not mapping.positions("value"):
        return False, "no column holds numbers"
    name = mapping.columns[time.columns[0]].name
    if not time.sure:
        return False, f"the times in {name!r} can be read in more than one way"
    if rows < 2 or not headed:
        return False, "there is no header above the rows" if not headed else "there is one row only"
    return True, f"{name!r} holds times, and {len(mapping.positions('value'))} columns hold numbers"


@dataclass(frozen=True, slots=True)
class _Time:
    columns: tuple[int, ...]
    how: TimeFormat
    first: int
    """Index in the body of the first row with a time."""
    sure: bool


def _find_time(
    body: Sequence[tuple[int, Sequence[str]]],
    width: int,
    given: TimeFormat | None,
) -> _Time | None:
    """Find the column (or date and time of day) that holds a time in nearly every row."""
    places = [(at,) for at in range(min(width, 8))] + [
        (at, at + 1) for at in range(min(width - 1, 3))
    ]
    named: list[tuple[bool, int, _Time]] = []
    for order, place in enumerate(places):
        cells = [" ".join(row[at].strip() for at in place) for _, row in body]
        time = _time_at(cells, place, given)
        if time is None:
            continue
        above = body[time.first - 1][1][place[0]] if time.first else ""
        is_named = bool(_TIME_NAMES.match(above))
        if time.how in ("excel", "elapsed_s") and given is None:
            fits = _ELAPSED if time.how == "elapsed_s" else _TIME_NAMES
            if not fits.match(above.strip()):
                continue
        if place[0] > 2 and not is_named and given is None:
            continue
        named.append((is_named and len(place) == 1, -order, time))
    return max(named, key=lambda row: row[:2])[2] if named else None


def _time_at(cells: list[str], place: tuple[int, ...], given: TimeFormat | None) -> _Time | None:
    tried: list[TimeFormat] = [given] if given else ["auto", "dmy", "excel", "elapsed_s"]
    for how in tried:
        kinds: list[TimeFormat] = ["dmy", "mdy"] if how == "dmy" and not given else [how]
        fits = [any(read_time(cell, kind) is not None for kind in kinds) for cell in cells]
        first = next((at for at, fit in enumerate(fits) if fit), None)
        if first is None or first > 30 or sum(fits[first:]) < 0.9 * len(fits[first:]):
            continue
        if len(kinds) == 1:
            sure = how not in ("excel", "elapsed_s") or bool(given)
            return _Time(place, how, first, sure)
        good = [cell for cell, fit in zip(cells, fits, strict=True) if fit]
        if order := day_order(good):
            return _Time(place, order[0], first, order[1])
    return None


def _decimal(data: Sequence[Sequence[str]], delimiter: str, time: _Time | None) -> str:
    skip = set(time.columns) if time else set()
    cells = [
        cell for row in data[:50] for at, cell in enumerate(row[:200]) if at not in skip and cell
    ]
    return detect_decimal(cells) or (
        "," if delimiter == ";" and any("," in c for c in cells) else "."
    )


def _columns(
    names: Sequence[str],
    data: Sequence[Sequence[str]],
    decimal: str,
    time: _Time | None,
) -> tuple[Column, ...]:
    columns = [
        Column(name=name, role=_role(at, name, data, decimal, time))
        for at, name in enumerate(names)
    ]
    values = [at for at, column in enumerate(columns) if column.role == "value"]
    texts = [at for at, column in enumerate(columns) if column.role == "label"]
    metric = next((at for at in texts if _METRIC.match(columns[at].name)), None)
    value = next((at for at in values if _VALUE.match(columns[at].name)), None)
    if metric is not None and (value is not None or len(values) == 1):
        columns[metric] = replace(columns[metric], role="metric")
        for at in values:  # other numbers (a shard, a port) distinguish series
            if at != (value if value is not None else values[0]):
                columns[at] = replace(columns[at], role="label")
    elif time is not None and _all_distinct(data, time):
        for at in texts:  # one row per moment: a text that changes is a remark, not a label
            if len({row[at] for row in data if at < len(row)}) > 1:
                columns[at] = replace(columns[at], role="ignore")
    return tuple(_with_kind(column) for column in columns)


def _all_distinct(data: Sequence[Sequence[str]], time: _Time) -> bool:
    moments = [tuple(row[at] for at in time.columns if at < len(row)) for row in data]
    return len(set(moments)) == len(moments)


def _role(
    at: int, name: str, data: Sequence[Sequence[str]], decimal: str, time: _Time | None
) -> Role:
    if time and at in time.columns:
        return "time"
    filled = [row[at] for row in data if at < len(row) and not is_null(row[at])]
    numbers = sum(read_number(cell, decimal) is not None for cell in filled)
    if _HOST.match(name) and filled and numbers < len(filled):
        return "host"
    if not filled or numbers >= 0.6 * len(filled):
        return "value"
    return "label" if all(len(cell) <= 100 for cell in filled) else "ignore"


def _with_kind(column: Column) -> Column:
    """Make a column whose name ends in _total a counter; other exports are levels or rates."""
    cumulative = column.role == "value" and column.name.lower().endswith("_total")
    return replace(column, kind="counter") if cumulative else column


_OFFSET = re.compile(r"[+-]\d\d:\d\d", re.ASCII)


def is_zone(zone: str) -> bool:
    """Return whether the zone is an IANA name or an offset such as -08:00."""
    half_typed = zone[:1] in ("+", "-") and not _OFFSET.fullmatch(zone)
    return not half_typed and time_zone(zone) is not None


def find_header(lines: Sequence[str], header: str) -> int | None:
    """Return the 1-based number of the header's line among these lines, or None."""
    return next(
        (number for number, line in enumerate(lines, start=1) if normalised(line) == header), None
    )


def head_lines(lines: Iterator[str]) -> list[str]:
    """Take the lines that a guess uses from an iterator."""
    return [line for _, line in zip(range(HEAD_LINES), lines, strict=False)]
