"""Metrics as CSV: wide (a time column and one column per series) or long (time, metric, value).

Source: exports of Grafana, PMM, spreadsheets and scripts; no two agree, so the time column is
        found by what it holds. A delimiter of comma, semicolon or tab; decimal commas with ';'.
Yields: gauges named metric.<header>: what a dashboard exports is already a rate or a level.
        An empty cell, 'null' or 'NaN' is a gap, never a zero.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import TypeAlias

import polars as pl

from pileup.formats.errors import FormatError
from pileup.formats.metrics.parts import metric_csv_blocks
from pileup.formats.metrics.parts.csv_cells import read_number
from pileup.formats.reading.lines import tile
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.registry import RESULT
from pileup.records import (
    SAMPLE,
    Clock,
    Grid,
    Item,
    Problem,
    Rows,
    Section,
    build_frame,
    labels_text,
)

NAME = "metric-csv"
TITLE = "Metrics as CSV"
GIVES = "Gauges `metric.<header>`, with the labels of the long form; an empty cell is a gap."
PRINTED_BY = "Grafana, PMM, spreadsheets, scripts; wide or long"
VERSION = 3
HINTS = (".csv", ".tsv")

_DELIMITERS = (",", ";", "\t")
_TIMES = re.compile(
    r"^(time|timestamp|date|datetime|zeit|ts|epoch|date_?time|_time)\b", re.IGNORECASE
)
_METRIC = re.compile(r"^(metric|series|name|variable|__name__|metric_name)$", re.IGNORECASE)
_VALUE = re.compile(r"^(value|val|wert|metric_value)$", re.IGNORECASE)
_HOST = re.compile(r"^(host|hostname|instance|node|node_name|server)$", re.IGNORECASE)
_NULLS = {"", "null", "nan", "none", "-", "n/a", "undefined"}
_NO_NUMBER = _NULLS | {"inf", "+inf", "-inf", "infinity"}
"""Words for a missing number: a gap, a ratio without a base."""
_FLUSH_ROWS = 2_000
_MOST_PROSE = 8
_LONG_HEADER = 32 * 1024
MOST_COLUMNS = 20_000
_LONGEST_CELL = 64
_NAMELESS = "metric."


def sniff(head: str) -> bool | None:
    """Return whether the text is a header and rows as wide, with a column of times."""
    if format_of(head) not in (None, RESULT):
        return False  # the times of a processlist or of transactions
    lines = [line for line in head.split("\n")[:12] if line.strip()]
    if lines and lines[0].lower().startswith("sep="):
        lines = lines[1:]
    if len(lines) == 1 and len(head) > _LONG_HEADER:
        return _is_long_header(lines[0])
    lines = lines[_prose_above(lines) :]
    if len(lines) < 2:
        return False
    for delimiter in _DELIMITERS:
        rows = [_cells(line, delimiter) for line in lines[:8]]
        if names_sessions(rows[0]):
            return False
        if (
            len(rows[0]) >= 2
            and _time_column(rows[0], rows[1:], complete=len(lines) < 12) is not None
        ):
            return True
    return False


def names_sessions(header: Iterable[str]) -> bool:
    """Return whether columns are a processlist's, also where one is printed twice: its Time is an
    age, and its Host a client.
    """
    return {"user", "host", "command", "time"} <= {name.strip().lower() for name in header}


def _prose_above(lines: Sequence[str]) -> int:
    """Count the lines above a header of times of day; tables with dates are for csv_table."""
    for at, line in enumerate(lines[1:_MOST_PROSE], start=1):
        name, delimiter, _ = re.split(r"([,;\t])", f"{line[:_LONG_HEADER]},", maxsplit=1)
        below = lines[at + 1].split(delimiter, 1)[0] if at + 1 < len(lines) else ""
        if _TIMES.fullmatch(name.strip()) and _time_of_day(below) is not None:
            return at
    return 0


def _is_long_header(line: str) -> bool:
    """Return whether the line is a header of so many columns that it fills the sniffed head."""
    delimiter = max(_DELIMITERS, key=line.count)
    first = line.partition(delimiter)[0].strip().strip('"')
    return line.count(delimiter) > 100 and _TIMES.match(first) is not None


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every column of numbers as a series; the header decides between wide and long.

    Raises FormatError for a file without a column of times.
    """
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks; plain chunks are read as columns."""
    chunks = iter(chunks)
    text, lines, header_line = "", [], 1
    for chunk in chunks:
        text += chunk.text
        lines = text.split("\n", 12)[:12]
        if len(lines) == 12:
            break
    if not lines:
        raise FormatError("The file is empty.")
    if lines[0].lower().startswith("sep="):
        header_line = 2
    sample = [line for line in lines[header_line - 1 :] if line.strip()]
    above = _prose_above(sample)
    if above:
        header_line += lines[header_line - 1 :].index(sample[above])
        sample = sample[above:]
    delimiter = _delimiter(sample)
    if delimiter is None:
        raise FormatError("There is no column of times: a table of metrics needs one.")
    header_line += next(at for at, line in enumerate(lines[header_line - 1 :]) if line.strip())
    header = [cell.strip() for cell in _cells(sample[0], delimiter)]
    if len(header) > MOST_COLUMNS:
        yield Problem(
            header_line, f"Only the first {MOST_COLUMNS} of {len(header)} columns are read."
        )
        header = header[:MOST_COLUMNS]
    times = _time_column(header, [_cells(line, delimiter) for line in sample[1:]], complete=True)
    if times is None:
        raise FormatError("There is no column of times: a table of metrics needs one.")
    yield Section(" · ".join(header[:8]), header_line, header_line)
    reader = _Reader(_layout(header, times), delimiter)
    body = text.split("\n", header_line)[header_line]
    first = Chunk(header_line + 1, body, body.count("\n"))
    chunks = chain([first], chunks)
    if reader.is_long:
        chunks = metric_csv_blocks.at_moments(chunks, delimiter, times)
    for chunk in chunks:
        plain = reader.plain(chunk)
        if plain is not None:
            yield from plain
            continue
        for number, line in enumerate(chunk.text.split("\n")[:-1], start=chunk.first):
            if line.strip():
                yield from reader.row(number, _cells(line, delimiter))
    yield from reader.flush()


@dataclass(slots=True)
class _Layout:
    header: list[str]
    time: int
    metric: int | None
    value: int | None
    host: int | None
    labels: list[int]


_Key: TypeAlias = tuple[str, str | None, tuple[tuple[str, str], ...]]
"""Name, host and labels of a series."""


class _Reader:
    """Reads rows into samples, in file order; a column is a series from its first number on."""

    def __init__(self, layout: _Layout, delimiter: str) -> None:
        self._layout = layout
        self._delimiter = delimiter
        self._comma = delimiter == ";"
        self._units: dict[_Key, str | None] = {}
        self._points: list[tuple[_Key, int, float | None, int]] = []
        self._wide: tuple[pl.DataFrame, pl.Series] | None = None
        self._long: tuple[pl.DataFrame, pl.DataFrame] | None = None
        self._cycle: metric_csv_blocks.Cycle | None = None
        self._clock: Clock | None = None
        self._of_day: timedelta | None = None
        self._days = 0
        """Midnights so far, where rows have times of day alone."""
        self._odd: list[tuple[int, str, str]] = []
        """Line, series and text of cells that should be numbers but are not."""
        self._rows = 0
        self._reported = 0

    @property
    def is_long(self) -> bool:
        """Whether the layout is long: a metric's name and one value per row."""
        return self._layout.metric is not None

    def plain(self, chunk: Chunk) -> list[Item] | None:
        """Read a plain chunk at once; return None if it must be read row by row."""
        if self._comma and "," in chunk.text:
            return None
        if self._layout.metric is not None:
            return self._plain_long(chunk)
        header = self._layout.header
        if self._layout.host is not None or len(set(header)) < len(header):
            return None
        return self._plain_wide(chunk)

    def _plain_wide(self, chunk: Chunk) -> list[Item] | None:
        header, time = self._layout.header, self._layout.time
        read = metric_csv_blocks.wide(chunk, self._delimiter, len(header), time)
        if read is None:
            return None
        times, values = read
        width = len(header)
        if self._wide is None:
            keys: list[_Key] = [(name, None, ()) for name in header]
            begun = values.head(width).is_not_null().to_list()
            numbers = [at for at, key in enumerate(keys) if begun[at] or key in self._units]
            self._units = {keys[at]: self._units.get(keys[at]) for at in numbers} | self._units
            at = pl.Series(numbers, dtype=pl.Int64)
            self._wide = self._series([keys[at] for at in numbers]), at
        series, positions = self._wide
        mask = tile(pl.int_range(width, eager=True).is_in(positions.implode()), chunk.lines)
        if values.filter(~mask).null_count() < (width - len(positions)) * chunk.lines:
            self._wide = None
            return None  # a column begins inside the chunk
        values = values.filter(mask)
        items = list(self.flush())
        self._clock = times.clock
        lines = pl.int_range(chunk.first, chunk.first + chunk.lines, eager=True)
        offsets = pl.repeat(0, len(positions), dtype=pl.Int64, eager=True)
        grid = Grid(series, times.clock, times.wall_us, lines, offsets, values)
        return [*items, grid] if series.height else items

    def _plain_long(self, chunk: Chunk) -> list[Item] | None:
        layout = self._layout
        assert layout.metric is not None
        assert layout.value is not None
        if self._long and self._cycle and (known := self._cycle.read(chunk)):
            return [*self.flush(), self._cycle_grid(chunk, len(self._cycle.middles), *known)]
        read = metric_csv_blocks.long(
            chunk, self._delimiter, layout.header, layout.time, layout.value
        )
        if read is None:
            return None
        times, cells = read
        keys = [str(layout.metric)]
        keys += [str(at) for at in (layout.host, *layout.labels) if at is not None]
        items = list(self.flush())
        self._clock = times.clock
        lines = pl.int_range(chunk.first, chunk.first + chunk.lines, eager=True)
        texts, values = cells.select(keys), cells[str(layout.value)]
        width = metric_csv_blocks.cyclic(times, texts)
        if width is not None and self._same_series(texts[:width]) is not None:
            if layout.time == 0 and layout.value == len(layout.header) - 1:
                self._cycle = metric_csv_blocks.Cycle.of(chunk, self._delimiter, width)
            moments = metric_csv_blocks.Times(times.clock, times.wall_us.gather_every(width))
            return [*items, self._cycle_grid(chunk, width, moments, values)]
        names = texts.unique(maintain_order=True)
        named = names.hstack(self._named_series(names)).filter(pl.col("series") != _NAMELESS)
        rows = texts.with_columns(
            values.alias("value"), times.wall_us.alias("wall_us"), lines.alias("line_first")
        )
        columns = rows.join(named, on=keys, maintain_order="left")
        if not columns.height:
            return items
        wanted = ("series", "labels", "kind", "unit", "host", "wall_us", "value", "line_first")
        frame = {name: columns[name] for name in wanted} | {"clock": times.clock}
        return [*items, Rows(SAMPLE, build_frame(SAMPLE, frame))]

    def _cycle_grid(
        self, chunk: Chunk, width: int, moments: metric_csv_blocks.Times, values: pl.Series
    ) -> Grid:
        """Build the grid of a chunk in which each moment has the series in ``_long``."""
        assert self._long is not None
        self._clock = moments.clock
        lines = pl.int_range(chunk.first, chunk.first + chunk.lines, width, eager=True)
        offsets = pl.int_range(width, eager=True)
        return Grid(self._long[1], moments.clock, moments.wall_us, lines, offsets, values)

    def _same_series(self, names: pl.DataFrame) -> pl.DataFrame | None:
        """Return the series that every moment has, by their cells; None if one has no name."""
        if self._long is None or not self._long[0].equals(names):
            series = self._named_series(names)
            if (series["series"] == _NAMELESS).any():
                return None
            self._long = names, series
        return self._long[1]

    def _named_series(self, names: pl.DataFrame) -> pl.DataFrame:
        """Return the series of rows of cells, and register each one that has a name."""
        cells = names.select(pl.all().str.strip_chars())
        places = [int(name) for name in cells.columns]
        rows = [self._series_key(dict(zip(places, row, strict=True))) for row in cells.iter_rows()]
        for key in rows:
            if key[0]:
                self._units.setdefault(key, None)
        return self._series(rows)

    def _series_key(self, cells: dict[int, str]) -> _Key:
        layout = self._layout
        labels = tuple((layout.header[at], cells[at]) for at in layout.labels if cells[at])
        host = cells[layout.host] if layout.host is not None else None
        return cells[layout.metric or 0], host or None, labels

    def _series(self, keys: Sequence[_Key]) -> pl.DataFrame:
        columns = {
            "series": [f"metric.{name}" for name, _, _ in keys],
            "labels": [labels_text(labels) for _, _, labels in keys],
            "kind": ["gauge"] * len(keys),
            "unit": [self._units.get(key) for key in keys],
            "host": [host for _, host, _ in keys],
        }
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))

    def row(self, number: int, cells: Sequence[str]) -> Iterator[Item]:
        layout = self._layout
        stamp = self._stamp(cells[layout.time]) if len(cells) > layout.time else None
        if stamp is None:
            if self._reported < 100:
                self._reported += 1
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
            self._long_row(number, wall, cells)
        else:
            self._wide_row(number, wall, cells)
        self._rows += 1
        if self._rows % _FLUSH_ROWS == 0:
            yield from self.flush()

    def _stamp(self, cell: str) -> tuple[int, Clock] | None:
        """Read a time; a time of day alone counts from midnight of the first row's day."""
        if (stamp := read_stamp(cell)) is not None:
            return stamp
        at = _time_of_day(cell)
        if at is None or self._clock not in (None, "dayless"):
            return None
        if self._of_day is not None and at < self._of_day - _HALF_A_DAY:
            self._days += 1  # it is past midnight
        self._of_day = at
        return (timedelta(days=self._days) + at) // timedelta(microseconds=1), "dayless"

    def _wide_row(self, number: int, wall: int, cells: Sequence[str]) -> None:
        layout = self._layout
        host = self._cell(cells, layout.host)
        for column, cell in enumerate(cells[: len(layout.header)]):
            if column in (layout.time, layout.host):
                continue
            self._add((layout.header[column], host, ()), number, wall, cell)

    def _long_row(self, number: int, wall: int, cells: Sequence[str]) -> None:
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

    def _add(self, key: _Key, number: int, wall: int, cell: str) -> None:
        value, unit = _number(cell, self._comma)
        if key not in self._units:
            if value is None:
                return
            self._wide = None
        elif value is None and cell.strip().lower() not in _NO_NUMBER:
            self._odd.append((number, key[0], cell))
        if self._units.get(key) is None:
            self._wide = self._wide if unit is None else None
            self._long = self._long if unit is None else None
            self._units[key] = unit
        self._points.append((key, wall, value, number))

    def flush(self) -> Iterator[Item]:
        """Yield the collected samples in file order, and a Problem per cell that is no number."""
        for number, name, cell in self._odd:
            yield Problem(number, f"{name}: not a number; it is a gap.", found=cell[:200])
        self._odd.clear()
        if not self._points:
            return
        keys = list(dict.fromkeys(key for key, *_ in self._points))
        place = {key: at for at, key in enumerate(keys)}
        at = pl.Series([place[key] for key, *_ in self._points], dtype=pl.Int64)
        series = self._series(keys)
        columns = {
            **{name: series[name].gather(at) for name in series.columns},
            "clock": self._clock or "local",
            "wall_us": [wall for _, wall, _, _ in self._points],
            "value": [value for _, _, value, _ in self._points],
            "line_first": [number for *_, number in self._points],
        }
        yield Rows(SAMPLE, build_frame(SAMPLE, columns))
        self._points.clear()

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
        _numbered(header),
        times,
        metric if long else None,
        value if long else None,
        host,
        [i for i in range(len(header)) if i not in used] if long else [],
    )


def _numbered(header: list[str]) -> list[str]:
    """Number the columns of one name: two of them are two series."""
    seen: Counter[str] = Counter()
    names = []
    for name in header:
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


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
    """Return the first column whose rows are times; the sniffed head may cut the last row."""
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
    for column in named:
        cells = [row[column] for row in body if len(row) > column]
        of_day = sum(_time_of_day(cell) is not None for cell in cells)
        if of_day >= max(_LEAST_OF_DAY, _MOSTLY * len(body)):
            return column
    return None


_LEAST_OF_DAY, _MOSTLY = 2, 0.8
"""Rows with a time of day, and their share: a remark may stand below the table."""
_HALF_A_DAY = timedelta(hours=12)
_OF_DAY = re.compile(r"\s*([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?\s*$")


def _time_of_day(cell: str) -> timedelta | None:
    """Return the time since midnight of a cell such as 12:50 or 12:50:31.5."""
    match = _OF_DAY.match(cell[:_LONGEST_CELL])
    if match is None:
        return None
    hour, minute, second, fraction = match.groups("0")
    micros = int(fraction.ljust(6, "0"))
    return timedelta(hours=int(hour), minutes=int(minute), seconds=int(second), microseconds=micros)


def _number(cell: str, decimal_comma: bool) -> tuple[float | None, str | None]:
    """Convert a cell to a number and its unit (12 ms are 0.012 s); (None, None) for gap or text."""
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
        return read_number(cell, "," if decimal_comma and "," in cell else ".") or (None, None)
    return (value, None) if value - value == 0 else (None, None)


def _cells(text: str, delimiter: str) -> list[str]:
    """Split a line into cells; a line that is no CSV (giant cell, open quote) at each delimiter."""
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        return text.split(delimiter)
