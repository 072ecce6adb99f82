"""Metrics as CSV: wide (a time column and one column per series) or long (time, metric, value).

Source: exports of Grafana, PMM, spreadsheets and scripts; no two agree, so the time column is
        found by what it holds. A delimiter of comma, semicolon or tab; decimal commas with ';'.
Yields: gauges named metric.<header>: what a dashboard exports is already a rate or a level.
        An empty cell, 'null' or 'NaN' is a gap, never a zero.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pileup.formats.errors import FormatError
from pileup.formats.stamps import read_stamp
from pileup.records import Clock, Item, Problem, Samples, Section

NAME = "metric-csv"
TITLE = "Metrics as CSV"
GIVES = "Gauges `metric.<header>`, with the labels of the long form; an empty cell is a gap."
PRINTED_BY = "Grafana, PMM, spreadsheets, scripts; wide or long"
VERSION = 1
HINTS = (".csv", ".tsv")

_DELIMITERS = (",", ";", "\t")
_TIMES = re.compile(
    r"^(time|timestamp|date|datetime|zeit|ts|epoch|date_?time|_time)\b", re.IGNORECASE
)
_METRIC = re.compile(r"^(metric|series|name|variable|__name__|metric_name)$", re.IGNORECASE)
_VALUE = re.compile(r"^(value|val|wert|metric_value)$", re.IGNORECASE)
_HOST = re.compile(r"^(host|hostname|instance|node|node_name|server)$", re.IGNORECASE)
_NULLS = {"", "null", "nan", "none", "-", "n/a", "undefined"}
# 1.23 K | 45% | 12 ms | 3.4 MiB
_UNITS = re.compile(r"^(-?[\d.,]+(?:[eE][+-]?\d+)?)\s*([a-zA-Zµ%/]+(?: ?/ ?s)?)$")
_FACTORS = {
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "Mil": 1e6,
    "G": 1e9,
    "Bil": 1e9,
    "KiB": 1024.0,
    "MiB": 1024.0**2,
    "GiB": 1024.0**3,
}
_FLUSH_ROWS = 2_000
MOST_COLUMNS = 20_000
_LONGEST_CELL = 64


def sniff(head: str) -> bool | None:
    """A header and rows of as many cells, of which one column holds times."""
    lines = [line for line in head.split("\n")[:12] if line.strip()]
    if lines and lines[0].lower().startswith("sep="):
        lines = lines[1:]
    if len(lines) < 2:
        return False
    for delimiter in _DELIMITERS:
        rows = [_cells(line, delimiter) for line in lines[:8]]
        if (
            len(rows[0]) >= 2
            and _time_column(rows[0], rows[1:], complete=len(lines) < 12) is not None
        ):
            return True
    return False


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every column of numbers as a series; the header decides between wide and long."""
    numbered = iter(enumerate(lines, start=1))
    first = list(islice(numbered, 12))
    if not first:
        raise FormatError("The file is empty.")
    start = 1 if first[0][1].lower().startswith("sep=") else 0
    delimiter = _delimiter([text for _, text in first[start:] if text.strip()])
    if delimiter is None:
        raise FormatError("There is no column of times: a table of metrics needs one.")
    body = _chain(first[start:], numbered)
    header_line, header_text = next(body)
    header = [cell.strip() for cell in _cells(header_text, delimiter)]
    if len(header) > MOST_COLUMNS:
        yield Problem(
            header_line, f"Only the first {MOST_COLUMNS} of {len(header)} columns are read."
        )
        header = header[:MOST_COLUMNS]
    rows = [_cells(text, delimiter) for _, text in first[start + 1 :] if text.strip()]
    times = _time_column(header, rows, complete=True)
    if times is None:
        raise FormatError("There is no column of times: a table of metrics needs one.")
    yield Section(" · ".join(header[:8]), header_line, header_line)
    layout = _layout(header, times)
    reader = _Reader(layout, decimal_comma=delimiter == ";")
    for number, text in body:
        if not text.strip():
            continue
        cells = _cells(text, delimiter)
        yield from reader.row(number, cells)
    yield from reader.flush()


@dataclass(slots=True)
class _Layout:
    header: list[str]
    time: int
    metric: int | None
    value: int | None
    host: int | None
    labels: list[int]


@dataclass(slots=True)
class _Series:
    walls: list[int | None] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    unit: str | None = None


class _Reader:
    """Collects columns and hands them on every few thousand rows."""

    def __init__(self, layout: _Layout, *, decimal_comma: bool) -> None:
        self._layout = layout
        self._comma = decimal_comma
        self._series: defaultdict[tuple[str, str | None, tuple[tuple[str, str], ...]], _Series]
        self._series = defaultdict(_Series)
        self._clock: Clock | None = None
        self._rows = 0
        self._told = 0

    def row(self, number: int, cells: Sequence[str]) -> Iterator[Item]:
        layout = self._layout
        stamp = read_stamp(cells[layout.time]) if len(cells) > layout.time else None
        if stamp is None:
            if self._told < 100:
                self._told += 1
                yield Problem(
                    number,
                    "A row without a readable time; it is left out.",
                    "a time in the column " + layout.header[layout.time],
                    ",".join(cells)[:200],
                )
            return
        wall, clock = stamp
        if self._clock is not None and clock != self._clock:
            yield from self.flush()
        self._clock = clock
        if layout.metric is not None and layout.value is not None:
            self._long(number, wall, cells)
        else:
            self._wide(number, wall, cells)
        self._rows += 1
        if self._rows % _FLUSH_ROWS == 0:
            yield from self.flush()

    def _wide(self, number: int, wall: int, cells: Sequence[str]) -> None:
        layout = self._layout
        host = self._cell(cells, layout.host)
        for column, cell in enumerate(cells[: len(layout.header)]):
            if column in (layout.time, layout.host):
                continue
            self._add((layout.header[column], host, ()), number, wall, cell)

    def _long(self, number: int, wall: int, cells: Sequence[str]) -> None:
        layout = self._layout
        name = self._cell(cells, layout.metric)
        if not name:
            return
        labels = tuple(
            (layout.header[i], value) for i in layout.labels if (value := self._cell(cells, i))
        )
        value = (
            cells[layout.value] if layout.value is not None and len(cells) > layout.value else ""
        )
        self._add((name, self._cell(cells, layout.host), labels), number, wall, value)

    def _add(
        self,
        key: tuple[str, str | None, tuple[tuple[str, str], ...]],
        number: int,
        wall: int,
        cell: str,
    ) -> None:
        value, unit = _number(cell, self._comma)
        series = self._series[key]
        series.walls.append(wall)
        series.values.append(value)
        series.lines.append(number)
        series.unit = series.unit or unit

    def flush(self) -> Iterator[Item]:
        """What was collected, by series; a column without one number is no series."""
        for (name, host, labels), one in self._series.items():
            if any(value is not None for value in one.values):
                yield Samples(
                    series=f"metric.{name}",
                    kind="gauge",
                    unit=one.unit,
                    clock=self._clock or "local",
                    wall_us=one.walls,
                    values=one.values,
                    lines=one.lines,
                    labels=labels,
                    host=host,
                )
        self._series.clear()

    @staticmethod
    def _cell(cells: Sequence[str], column: int | None) -> str | None:
        if column is None or column >= len(cells):
            return None
        return cells[column].strip() or None


def _layout(header: list[str], times: int) -> _Layout:
    def column(pattern: re.Pattern[str]) -> int | None:
        return next(
            (i for i, name in enumerate(header) if i != times and pattern.match(name)), None
        )

    metric, value, host = column(_METRIC), column(_VALUE), column(_HOST)
    long = metric is not None and value is not None
    used = {times, metric, value, host}
    return _Layout(
        header,
        times,
        metric if long else None,
        value if long else None,
        host,
        [i for i in range(len(header)) if i not in used] if long else [],
    )


def _delimiter(lines: Sequence[str]) -> str | None:
    for delimiter in _DELIMITERS:
        rows = [_cells(line, delimiter) for line in lines[:8]]
        if (
            rows
            and len(rows[0]) >= 2
            and _time_column(rows[0], rows[1:], complete=True) is not None
        ):
            return delimiter
    return None


def _time_column(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, complete: bool
) -> int | None:
    """The first column whose rows are times; the last row may be cut off by the sniffed head."""
    body = [row for row in (rows if complete else rows[:-1] or rows) if row]
    if not body or read_stamp(header[0]) is not None:
        return None
    named: list[int] = [
        i for i, name in enumerate(header) if _TIMES.match(name.strip().lstrip("#"))
    ]
    candidates: list[int] = [*named, *range(min(len(header), 6))]
    for column in candidates:
        cells = [row[column] for row in body if len(row) > column]
        if cells and sum(read_stamp(cell) is not None for cell in cells) >= 0.9 * len(body):
            return column
    return None


def _number(cell: str, decimal_comma: bool) -> tuple[float | None, str | None]:
    """A cell as a number, with the unit printed behind it; None for a gap or for text."""
    text = cell.strip()
    if len(text) > _LONGEST_CELL or text.lower() in _NULLS:
        return None, None
    if decimal_comma:
        text = text.replace(".", "").replace(",", ".") if "," in text else text
    if "_" in text:  # Python would read 1_0 as 10
        return None, None
    try:
        value = float(text)
    except ValueError:
        match = _UNITS.match(text)
        if not match:
            return None, None
        try:
            value = float(match[1].replace(",", ""))
        except ValueError:
            return None, None
        factor = _FACTORS.get(match[2])
        return (value * factor, None) if factor else (value, match[2])
    return (value, None) if value - value == 0 else (None, None)


def _cells(text: str, delimiter: str) -> list[str]:
    """The cells of one line; one that is no CSV (a giant cell, an open quote) is split as it is."""
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        return text.split(delimiter)


def _chain(
    first: Iterable[tuple[int, str]], rest: Iterator[tuple[int, str]]
) -> Iterator[tuple[int, str]]:
    yield from first
    yield from rest
