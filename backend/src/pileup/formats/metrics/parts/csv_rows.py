"""Reader of a table's rows by a mapping: times, values and names, collected as series.

Plain rows are collected and read column by column; a row with quotes, or with a cell that cannot be
read, is read by itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from pileup.formats.metrics.parts import csv_mapping
from pileup.formats.metrics.parts.csv_cells import is_null, read_number, read_time
from pileup.formats.metrics.parts.csv_mapping import Column, Mapping
from pileup.formats.metrics.parts.prometheus_names import make_metric, split_name
from pileup.formats.reading.series_columns import Kind, Labels
from pileup.records import Clock, Problem, Samples
from pileup.records.zones import UTC as UTC_ZONE
from pileup.records.zones import time_zone

_FLUSH_VALUES = 200_000
_MOST_REPORTED = 100
_MOST_NUMBERS = 50_000
_SHORT = 64
_TO_THE_SECOND = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:[0-5]\d", re.ASCII)
_SECONDS = {f"{second:02d}": second * 1_000_000 for second in range(60)}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# avg:mysql.performance.threads_running{host:db1,shard:7}
_DATADOG = re.compile(
    r"(?:(?P<by>[a-z]{3,5}|p\d\d):)?(?P<name>[A-Za-z][\w.]*)\{(?P<tags>[^{}\"=]{0,500})\}$"
)


@dataclass(frozen=True, slots=True)
class CellProblem:
    """A cell that could not be read; ``column`` is 0-based, None for a whole row."""

    line: int
    column: int | None
    message: str
    found: str

    def as_problem(self, mapping: Mapping) -> Problem:
        """Convert to a problem of the artifact, with the column's name."""
        message = f"{self.message[0].upper()}{self.message[1:]}."
        if self.column is not None:
            name = mapping.columns[self.column].name
            message = f"Column {self.column + 1} ({name}): {self.message}."
        return Problem(self.line, message, found=self.found[:200])


@dataclass(frozen=True, slots=True)
class Row:
    """A row as read: its time, the value of each value column, and the unreadable cells."""

    line: int
    cells: tuple[str, ...]
    time: tuple[int, Clock] | None
    values: dict[int, float | None]
    problems: tuple[CellProblem, ...]


@dataclass(slots=True)
class _Series:
    kind: Kind
    walls: list[int | None] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    unit: str | None = None


_Key = tuple[str, Labels, str | None, Clock]
_Number = tuple[float | None, str | None]
_Named = tuple[str, Labels, str | None, Kind, str | None]


class Reader:
    """Reads rows by a mapping and collects them as series."""

    def __init__(self, mapping: Mapping) -> None:
        self._mapping = mapping
        self._times = mapping.positions("time")
        self._values = mapping.positions("value")
        self._labels = mapping.positions("label")
        self._host = next(iter(mapping.positions("host")), None)
        self._metric = next(iter(mapping.positions("metric")), None)
        self._zone = _Zone(mapping.zone) if mapping.zone else None
        self._series: dict[_Key, _Series] = {}
        self._known: dict[tuple[int, str | None], _Named] = {}
        named_by = (*self._labels, self._host, self._metric)
        self._named_by = [at for at in named_by if at is not None]
        self._least = 1 + max((*self._named_by, *self._times, *self._values), default=0)
        self._lanes: dict[tuple[str, ...], list[_Series]] = {}
        self._numbers: dict[str, _Number] = {}
        self._waiting: list[tuple[int, str, list[str]]] = []
        self.waiting = 0
        """Cells of the lines taken by ``plain`` since the last ``settle``."""
        self._minute: tuple[str, int, Clock] = ("none", 0, "local")
        self._held = 0
        self._reported = 0
        self.unreported = 0
        """Problems beyond the first hundred."""

    @property
    def full(self) -> bool:
        """Whether to flush, so that memory stays bounded for any size of file."""
        return self._held >= _FLUSH_VALUES

    def row(self, number: int, text: str) -> Row:
        """Read a line and collect its values."""
        mapping = self._mapping
        cells = csv_mapping.split_cells(text, mapping.delimiter)
        printed, time = self._time(cells)
        problems: list[CellProblem] = []
        if time is None:
            at = self._times[0] if self._times and self._times[0] < len(cells) else None
            self._report(
                problems,
                CellProblem(
                    number, at, "no readable time; the row is left out", printed or text[:200]
                ),
            )
            return Row(number, tuple(cells), None, {}, tuple(problems))
        values: dict[int, float | None] = {}
        host, metric, labels = self._names(cells)
        for at in self._values:
            cell = cells[at] if at < len(cells) else ""
            read = None
            if not is_null(cell):
                read = read_number(cell, mapping.decimal)
                if read is None:
                    self._report(problems, CellProblem(number, at, "not a number", cell))
            values[at] = read[0] if read else None
            self._keep(number, at, time, read, host, metric, labels)
        return Row(number, tuple(cells), time, values, tuple(problems))

    def plain(self, number: int, text: str) -> bool:
        """Take a plain line, to be read in bulk by ``settle``.

        Returns False for a line with quotes or too few cells, which ``row`` must read.
        """
        if '"' in text or "\r" in text:
            return False
        delimiter = self._mapping.delimiter
        cells = text.split() if delimiter == " " else text.split(delimiter)
        if len(cells) < self._least:
            return False
        self._waiting.append((number, text, cells))
        self.waiting += len(cells)
        return True

    def settle(self) -> Iterator[CellProblem]:
        """Collect the values of the waiting lines, in bulk or, if a line is odd, one by one."""
        rows, self._waiting = self._waiting, []
        self.waiting = 0
        if not rows or self._read_in_bulk(rows):
            return
        for number, text, cells in rows:
            if not self._read_row(number, cells):
                yield from self.row(number, text).problems

    def _read_in_bulk(self, rows: list[tuple[int, str, list[str]]]) -> bool:
        """Collect rows of the same series; return False if a time or cell cannot be read."""
        if self._named_by:
            return False
        times = [self._time(cells)[1] for _, _, cells in rows]
        walls = [time[0] for time in times if time is not None]
        if len(walls) < len(rows) or len({time[1] for time in times if time}) != 1:
            return False
        columns = list(zip(*[cells for *_, cells in rows], strict=False))  # of the least width
        read = [self._column(columns[at]) for at in self._values]
        readable = [row for row in read if row is not None]
        if len(readable) < len(read) or times[0] is None:
            return False
        numbers = [number for number, *_ in rows]
        for at, (values, unit) in zip(self._values, readable, strict=True):
            series = self._find_series(at, times[0][1], None, None, ())
            series.walls += walls
            series.values += values
            series.lines += numbers
            series.unit = series.unit or unit
            self._held += len(rows)
        return True

    def _column(self, cells: Sequence[str]) -> tuple[Sequence[float | None], str | None] | None:
        """Return the values of a column's cells and the first unit; None if one is no number."""
        text = "".join(cells)
        if self._mapping.decimal == "." and "_" not in text and max(map(len, cells)) <= _SHORT:
            try:
                values = list(map(float, cells))
                if math.isfinite(sum(values)):
                    return values, None
            except ValueError:
                pass
        known = self._numbers
        read = [known.get(cell) or self._number(cell) for cell in cells]
        if None in read:
            return None
        units = (row[1] for row in read if row and row[1])
        return [row[0] for row in read if row], next(units, None)

    def _read_row(self, number: int, cells: Sequence[str]) -> bool:
        """Collect the values of a row; return False if its time or a cell cannot be read."""
        _, time = self._time(cells)
        if time is None:
            return False
        numbers: list[_Number] = []
        for at in self._values:
            value_and_unit = self._numbers.get(cells[at]) or self._number(cells[at])
            if value_and_unit is None:
                return False
            numbers.append(value_and_unit)
        key = (*[cells[at] for at in self._named_by], time[1])
        lanes = self._lanes.get(key) or self._make_lanes(key, cells, time[1])
        wall = time[0]
        for series, (value, unit) in zip(
            lanes, numbers, strict=False
        ):  # no lanes: an unnamed metric
            series.walls.append(wall)
            series.values.append(value)
            series.lines.append(number)
            series.unit = series.unit or unit
        self._held += len(lanes)
        return True

    def _make_lanes(
        self, key: tuple[str, ...], cells: Sequence[str], clock: Clock
    ) -> list[_Series]:
        """Return the series of the values of a row with these names, until the next flush."""
        host, metric, labels = self._names(cells)
        lanes = []
        if self._metric is None or metric is not None:
            lanes = [self._find_series(at, clock, host, metric, labels) for at in self._values]
        self._lanes[key] = lanes
        return lanes

    def _number(self, cell: str) -> _Number | None:
        """Return a cell's value and unit, (None, None) for a gap; None if it is no number."""
        read: _Number | None = (None, None)
        if not is_null(cell):
            read = read_number(cell, self._mapping.decimal)
        if read is not None:
            if len(self._numbers) >= _MOST_NUMBERS:
                self._numbers.clear()
            self._numbers[cell] = read
        return read

    def _time(self, cells: Sequence[str]) -> tuple[str, tuple[int, Clock] | None]:
        """Return the time of a row as printed, and as read or None."""
        printed = " ".join([cells[at].strip() for at in self._times if at < len(cells)])
        minute = printed[:-2]
        time: tuple[int, Clock] | None
        if minute == self._minute[0] and printed[-2:] in _SECONDS:
            time = self._minute[1] + _SECONDS[printed[-2:]], self._minute[2]
        else:
            time = read_time(printed, self._mapping.time_format)
            if time is not None and _TO_THE_SECOND.fullmatch(printed):
                self._minute = minute, time[0] - _SECONDS[printed[-2:]], time[1]
        if time is not None and time[1] == "local" and self._zone is not None:
            time = self._zone.to_utc(time[0]), "utc"
        return printed, time

    def _names(self, cells: Sequence[str]) -> tuple[str | None, str | None, Labels]:
        """Return host, metric and labels of a row, which name its series with the header."""
        labels = tuple(
            (self._mapping.columns[at].name, value)
            for at in self._labels
            if (value := self._cell(cells, at))
        )
        return self._cell(cells, self._host), self._cell(cells, self._metric), labels

    def _report(self, problems: list[CellProblem], problem: CellProblem) -> None:
        if self._reported < _MOST_REPORTED:
            self._reported += 1
            problems.append(problem)
        else:
            self.unreported += 1

    def _keep(
        self,
        number: int,
        at: int,
        time: tuple[int, Clock],
        read: tuple[float, str | None] | None,
        host: str | None,
        metric: str | None,
        labels: Labels,
    ) -> None:
        if self._metric is not None and metric is None:
            return
        series = self._find_series(at, time[1], host, metric, labels)
        series.walls.append(time[0])
        series.values.append(read[0] if read else None)
        series.lines.append(number)
        if series.unit is None and read is not None:
            series.unit = read[1]
        self._held += 1

    def _find_series(
        self, at: int, clock: Clock, host: str | None, metric: str | None, labels: Labels
    ) -> _Series:
        """Return the series of a column's values in rows with these names, or create it."""
        column = self._mapping.columns[at]
        name, own, legend_host, kind, unit = self._named(at, column, metric)
        key = (name, tuple(sorted((*own, *labels))), host or legend_host, clock)
        series = self._series.get(key)
        if series is None:
            series = self._series[key] = _Series(kind, unit=column.unit or unit)
        return series

    def _named(self, at: int, column: Column, metric: str | None) -> _Named:
        known = self._known.get((at, metric))
        if known is None:
            known = _named(column, metric)
            if len(self._known) < 200_000:
                self._known[at, metric] = known
        return known

    def flush(self) -> Iterator[Samples]:
        """Yield the collected samples by series; a column without a number is no series."""
        for (name, labels, host, clock), series in self._series.items():
            if any(value is not None for value in series.values):
                yield Samples(
                    series=name,
                    kind=series.kind,
                    unit=series.unit,
                    clock=clock,
                    wall_us=series.walls,
                    values=series.values,
                    lines=series.lines,
                    labels=labels,
                    host=host,
                )
        self._series.clear()
        self._lanes.clear()
        self._held = 0

    @staticmethod
    def _cell(cells: Sequence[str], at: int | None) -> str | None:
        if at is None or at >= len(cells):
            return None
        return cells[at].strip() or None


def _named(column: Column, metric: str | None) -> _Named:
    """Return series, labels, host, kind and unit from a person's choice, else from the header.

    A header may be a legend of Prometheus or a query of Datadog, with labels in braces.
    """
    text = metric if metric is not None else column.series or column.name
    legend = split_name(text)
    if legend is not None and (legend[0] or legend[1]):
        item = make_metric(*legend)
        kind = item.kind if column.kind == "gauge" else column.kind
        return item.series, item.labels, item.host, kind, item.unit
    if tagged := _DATADOG.match(text.strip()[:1000]):
        tags = dict(tag.strip().split(":", 1) for tag in tagged["tags"].split(",") if ":" in tag)
        host = tags.pop("host", None)
        tags |= {"by": tagged["by"]} if tagged["by"] else {}
        return f"metric.{tagged['name']}", tuple(sorted(tags.items())), host, column.kind, None
    series = text if column.series and metric is None and "." in text else f"metric.{text}"
    return series, (), None, column.kind, None


class _Zone:
    """Converts printed times to UTC; an hour that the clock shows twice is taken as the first."""

    def __init__(self, name: str) -> None:
        zone = time_zone(name) or UTC_ZONE
        self._fixed: int | None = None
        if zone.minutes is not None:
            self._fixed = zone.minutes * 60_000_000
        else:
            self._zone = ZoneInfo(name)
        self._quarter = (-1, 0)

    def to_utc(self, wall_us: int) -> int:
        """Convert microseconds to UTC; the offset is looked up once per quarter of an hour."""
        if self._fixed is not None:
            return wall_us - self._fixed
        quarter = wall_us // 900_000_000
        if self._quarter[0] != quarter:
            local = (_EPOCH + timedelta(microseconds=wall_us)).replace(tzinfo=self._zone)
            offset = local.utcoffset() or timedelta(0)
            self._quarter = quarter, round(offset.total_seconds() * 1e6)
        return wall_us - self._quarter[1]
