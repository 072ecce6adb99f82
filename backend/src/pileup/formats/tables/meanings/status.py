"""Convert samples of SHOW STATUS to series, row by row or many samples of one shape at a time.

Both ways give the same values: a number is read by ``parse_value`` or by polars; a text is yielded
once, as a setting; differences (``-r``) are summed up by name.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pileup.formats.reading.lines import tile
from pileup.formats.reading.pt_stalk_samples import clock_event
from pileup.formats.tables.layouts.headless import VARIABLE, pair
from pileup.formats.tables.layouts.reader import (
    Block,
    IsKnown,
    Reader,
    ResultRow,
    ResultSet,
    RowBlock,
    Stamp,
    is_never_known,
)
from pileup.formats.tables.layouts.repeated import Shape, learn_shape
from pileup.formats.tables.meanings.server_variables import (
    FIRST_VARIABLES,
    UNITS,
    is_variable,
    not_a_number_problem,
    parse_value,
    shown,
    variable_kind,
    variable_unit,
)
from pileup.formats.unwrapping.client_layouts import stray
from pileup.records import SAMPLE, Clock, Grid, Item, Problem, Rows, Setting, build_frame

_HEADER = "variable_name"
_CHATTER = ("mysql", "Variable_name", "ERROR")
_WHOLE = re.compile(r"-?\d{1,19}")
_SMALL = ("wsrep", "rocksdb_", "tokudb_", "binlog_", "option_tracker")
"""Counters of these begin with a small letter (RocksDB, TokuDB, and the binary log in Percona
Server 5.5)."""
_UNSET = 2**64 - 1
"""(size_t)-1: not set (Ssl_verify_depth without SSL, wsrep_local_index outside a cluster)."""
_S = 1_000_000
_FLUSH = 60
"""Samples held before their series are handed on."""


@dataclass(slots=True)
class _Sample:
    wall: int = 0
    clock: Clock = "relative"
    cells: dict[str, tuple[str, int]] = field(default_factory=dict)


_FOREVER_S = 100 * 366 * 86_400
"""No server has run that long."""


class UptimeClock:
    """Places samples without a printed time, in microseconds from the first."""

    def __init__(self) -> None:
        self._start: int | None = None
        self._uptime: int | None = None
        self._wall: int | None = None

    def next(self, uptime: int | None) -> int:
        """Return a second after the last sample, but inside the second that Uptime shows."""
        if uptime is not None and not 0 <= uptime < _FOREVER_S:
            uptime = None
        if self._wall is None:
            self._start, self._uptime, self._wall = uptime, uptime, 0
            return 0
        last, nominal = self._wall, self._wall + _S
        if uptime is None or self._start is None or self._uptime is None:
            self._wall = nominal
            return nominal
        if uptime < self._uptime:  # a restart: how long the server was down is not known
            self._start = uptime - nominal // _S
        self._uptime = uptime
        count = (uptime - self._start) * _S
        self._wall = max(min(max(nominal, count), count + _S - 1), last + 1)
        return self._wall


class StatusReader:
    """Reads status tables; holds the current sample, the clock and what was already yielded."""

    def __init__(self, is_known: IsKnown = is_never_known) -> None:
        """``is_known``: of tables whose layout alone is no proof of a table."""
        self.samples = 0
        """Number of samples read line by line and closed so far."""
        self._sample: _Sample | None = None
        self._stamp: tuple[int, Clock] | None = None
        self._clock_yielded = False
        self._clock = UptimeClock()
        self._held: list[_Sample] = []
        self._first: dict[str, tuple[str, int]] | None = None
        self._relative: bool | None = None
        self._sums: dict[str, float] = {}
        self._yielded_texts: set[str] = set()
        self._starts: str | None = None
        self._header: int | None = None
        """The line of the header that was read last, until a row follows."""
        self._variables = False
        self._is_plain = True
        """Whether all lines since the last sample are rows of the table and what is around it."""
        self._lines = Reader(is_known)
        self._made: tuple[Shape | None, pl.Series, tuple[pl.DataFrame, pl.Series]] = (
            None,
            pl.Series(dtype=pl.Boolean),
            (pl.DataFrame(), pl.Series(dtype=pl.Int64)),
        )
        """The series of the last grid, with its shape and the lines without a number."""

    @property
    def between_samples(self) -> bool:
        """Whether no sample is open."""
        return self._sample is None

    @property
    def ready(self) -> bool:
        """Whether the next line begins a sample and the kind of samples is known."""
        return self.between_samples and self._relative is not None

    @property
    def starts(self) -> str | None:
        """The name that the first sample began with: the next sample begins with it too."""
        return self._starts

    def line(self, number: int, text: str) -> Iterator[Item]:
        """Read the next line."""
        for part in self._lines.line(number, text):
            yield from self._part(part)

    def text(self, number: int, text: str) -> Iterator[Item]:
        """Read the next whole lines."""
        for part in self._lines.text(number, text):
            yield from self._part(part)

    def _part(self, part: Block) -> Iterator[Item]:
        if isinstance(part, ResultRow):
            yield from self._cells(part.values, part.line_first)
        elif isinstance(part, RowBlock):
            for row in part.rows():
                yield from self._cells(row.values, row.line_first)
        elif isinstance(part, ResultSet):
            yield from self._cells(part.columns, part.line)  # a row, if the header is missing
        elif isinstance(part, Stamp):
            yield from self.close()
            self._stamp = part.wall_us, part.clock
            if part.is_ts and part.local and not self._clock_yielded:
                self._clock_yielded = True
                yield clock_event(part.line, part.wall_us, part.local)
        elif found := pair(part.text):
            yield from self._cells(found, part.line)
        elif not part.text.startswith(_CHATTER):
            yield from self._stray(part.line, part.text)

    def _cells(self, values: Sequence[str | None], number: int) -> Iterator[Item]:
        name, *more = ("NULL" if value is None else value for value in values)
        header, self._header = self._header, None
        if header is not None and number > header:  # rows without it continue the sample
            yield from self.close()
        if name.lower() == _HEADER:
            self._header = number
        elif more and VARIABLE.fullmatch(name):
            yield from self.row(name, " | ".join(more).strip(), number)
        else:
            yield from self._stray(number, "\t".join((name, *more)))

    def _stray(self, number: int, text: str) -> Iterator[Item]:
        self._is_plain = False
        yield from stray(number, text, f"not a row of a status table: {text[:80]!r}")

    def row(self, name: str, value: str, number: int) -> Iterator[Item]:
        """Read the next name and value."""
        if name in FIRST_VARIABLES or (self._sample is None and is_variable(name)):
            self._variables = True  # SHOW VARIABLES and SHOW STATUS in one file
        if self._variables and name[0].islower():
            self._is_plain = False
            name = name.lower()
            yield _setting(name, shown(name, value) or "", number, "SHOW VARIABLES")
            return
        if self._is_among_counters(name):
            self._is_plain = False
            yield _setting(name, shown(name, value) or "", number, "SHOW VARIABLES")
            return
        if self._sample is not None and (name in self._sample.cells or name == self._starts):
            yield from self.close()
        if self._sample is None:
            self._starts = self._starts or name
            self._sample = _Sample()
            self._variables = False
        self._sample.cells[name] = (value, number)

    def _is_among_counters(self, name: str) -> bool:
        """Return whether a name is a variable's that somebody pasted among counters.

        Where counters begin with a capital, one of small letters is a variable, but for those of
        engines and of Galera.
        """
        cells = self._sample.cells if self._sample else {}
        if not name[0].islower() or name.lower() in UNITS or name.startswith(_SMALL):
            return False
        return any(first[0].isupper() for first in itertools.islice(cells, 1))

    def run(
        self, shape: Shape, lines: pl.Series, at: int, samples: int, first: int
    ) -> Iterator[Item]:
        """Read ``samples`` samples of one shape from line ``at``; ``first`` is its file line."""
        yield from self._flush()
        size = shape.size
        values = shape.numbers(lines, at, samples)
        for line in _texts(shape, values):
            name = shape.names[line % size]
            if name not in self._yielded_texts and (found := pair(lines[at + line])):
                yield from self._text(name, found[1], first + line, difference=bool(self._relative))
        if self._relative:
            values = self._summed(shape, values, samples)
        walls = pl.Series(self._walls(shape, values, samples), dtype=pl.Int64)
        places = pl.int_range(first, first + samples * size, size, eager=True)
        clock: Clock = "relative" if self._stamp is None else self._stamp[1]
        yield from self._grids(shape, values, clock, walls, places)

    def _grids(
        self, shape: Shape, values: pl.Series, clock: Clock, walls: pl.Series, lines: pl.Series
    ) -> Iterator[Grid]:
        """Build grids: consecutive samples with numbers in the same rows share one."""
        samples = len(walls)
        nulls = values.is_null()
        missing = nulls.head(shape.size)
        if samples == 1 or (nulls == tile(missing, samples)).all():
            series, offsets = self._series_of(shape, missing)
            yield Grid(series, clock, walls, lines, offsets, values.filter(~nulls))
            return
        half = samples // 2
        for first, count in ((0, half), (half, samples - half)):
            part = values.slice(first * shape.size, count * shape.size)
            yield from self._grids(
                shape, part, clock, walls.slice(first, count), lines.slice(first, count)
            )

    def _series_of(self, shape: Shape, missing: pl.Series) -> tuple[pl.DataFrame, pl.Series]:
        """Return the series of the lines with a number, and which lines they are.

        missing: per line, whether it has no number.
        """
        made_for, made_without, made = self._made
        if made_for is not shape or not made_without.equals(missing):
            at = (~missing).arg_true().cast(pl.Int64)
            names = [shape.names[line] for line in at]
            columns = {
                "series": [f"mysql.{name}" for name in names],
                "labels": [""] * len(names),
                "kind": [variable_kind(name) for name in names],
                "unit": [variable_unit(name) for name in names],
                "host": [None] * len(names),
            }
            made = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)), at
            self._made = shape, missing, made
        return made

    def shape_of(self, lines: Sequence[str], first: int) -> Shape | None:
        """Return the shape of the open sample by its lines, of which the first has this number."""
        if self._sample is None or not self._is_plain:
            return None
        rows = {number - first: name for name, (_, number) in self._sample.cells.items()}
        return learn_shape(lines, rows) if min(rows) >= 0 else None

    def finish(self) -> Iterator[Item]:
        """Yield everything that is still held."""
        for part in self._lines.end():
            yield from self._part(part)
        yield from self.close()
        yield from self._flush()

    def _walls(self, shape: Shape, values: pl.Series, samples: int) -> list[int]:
        if self._stamp is not None:
            return [self._stamp[0]] * samples
        uptimes: list[float | None] = [None] * samples
        uptime = next((at for at, name in shape.names.items() if name == "Uptime"), None)
        if uptime is not None:
            uptimes = values.gather_every(shape.size, uptime).to_list()
        return [
            self._clock.next(
                int(uptime) if uptime is not None and abs(uptime) < _FOREVER_S else None
            )
            for uptime in uptimes
        ]

    def _summed(self, shape: Shape, steps: pl.Series, samples: int) -> pl.Series:
        """Convert differences of many samples to values, as ``_sum_up`` does for one."""
        at = range(shape.size)
        sums = pl.Series(
            [self._sums.get(shape.names.get(line, "")) for line in at], dtype=pl.Float64
        )
        parts = []
        for sample in range(samples):
            sums = sums + steps.slice(sample * shape.size, shape.size)
            parts.append(sums)
        self._sums = {
            name: value for line, name in shape.names.items() if (value := sums[line]) is not None
        }
        return pl.concat(parts)

    def close(self) -> Iterator[Item]:
        """End the open sample."""
        sample, self._sample = self._sample, None
        self._is_plain = True
        if sample is None:
            return
        self.samples += 1
        if self._first is None:
            self._first = sample.cells
        elif self._relative is None:
            self._relative = _is_relative(self._first, sample.cells)
            values = {name: parse_value(text) for name, (text, _) in self._first.items()}
            self._sums = {name: value for name, value in values.items() if value is not None}
        if self._relative:
            yield from self._sum_up(sample)
        if self._stamp is not None:
            sample.wall, sample.clock = self._stamp
        else:
            sample.wall = self._clock.next(_integer(sample.cells.get("Uptime", ("", 0))[0]))
        self._held.append(sample)
        if len(self._held) >= _FLUSH:
            yield from self._flush()

    def _sum_up(self, sample: _Sample) -> Iterator[Item]:
        """Convert differences to values; a name missing from a sample is dropped afterwards."""
        sums: dict[str, float] = {}
        for name, (text, number) in sample.cells.items():
            step = parse_value(text)
            if step is None:
                yield from self._text(name, text, number, difference=True)
            elif name in self._sums:
                sums[name] = self._sums[name] + step
        self._sums = sums
        sample.cells = {name: (f"{sums[name]:.15g}", sample.cells[name][1]) for name in sums}

    def _flush(self) -> Iterator[Item]:
        columns: defaultdict[str, list[Any]] = defaultdict(list)
        for sample in self._held:
            is_picked = "Uptime" not in sample.cells and not self._relative
            for name, (text, number) in sample.cells.items():
                value = parse_value(text)
                if value is None:
                    yield from self._text(name, text, number)
                    continue
                if value < 0 and is_picked and name.startswith(_COUNTED):
                    yield Problem(
                        number,
                        f"{name} is negative, so these samples are differences (mysqladmin -r), "
                        "but the first does not show it. It is left out; copy more variables.",
                        found=text[:200],
                    )
                    continue
                columns["series"].append(f"mysql.{name}")
                columns["kind"].append(variable_kind(name))
                columns["unit"].append(variable_unit(name))
                columns["wall_us"].append(sample.wall)
                columns["clock"].append(sample.clock)
                columns["value"].append(value)
                columns["line_first"].append(number)
        if columns:
            yield Rows(SAMPLE, build_frame(SAMPLE, columns))
        self._held.clear()

    def _text(
        self, name: str, text: str, number: int, *, difference: bool = False
    ) -> Iterator[Item]:
        if name in self._yielded_texts or len(text) > 2000:
            return
        wrapped = text.isdecimal() and int(text[:40]) != _UNSET
        problem = not_a_number_problem(name, text, number)
        if difference and not (wrapped or problem):
            return  # a difference of texts has no meaning
        self._yielded_texts.add(name)
        if wrapped:
            yield Problem(number, f"{name} wrapped around and is not a count.", found=text[:200])
        elif problem:
            yield problem
        else:
            yield _setting(f"status.{name.lower()}", text, number, "SHOW STATUS")


def _texts(shape: Shape, values: pl.Series) -> Iterator[int]:
    """Return the first line of each row that holds no number in one of the samples."""
    nulls = values.is_null().arg_true()
    place = nulls % shape.size
    for line in nulls.filter(place.is_first_distinct()):
        if line % shape.size in shape.names:
            yield line


def _is_relative(first: dict[str, tuple[str, int]], second: dict[str, tuple[str, int]]) -> bool:
    """Whether the second sample is a difference to the first.

    Differences are whole numbers, of texts and decimals too; that of the page size is 0. A few
    cells may be unreadable: they must not turn differences into values.
    """
    whole = sum(_WHOLE.fullmatch(text) is not None for text, _ in second.values())
    if whole < 0.9 * len(second):
        return False
    if "Innodb_page_size" in first and "Innodb_page_size" in second:
        before, after = first["Innodb_page_size"][0], second["Innodb_page_size"][0]
        if before.isdecimal() and after.isdecimal():
            return before != after and after == "0"
    if whole < len(second) and any(text in ("ON", "OFF") for text, _ in second.values()):
        return False
    earlier, later = (_integer(row.get("Uptime", ("", 0))[0]) for row in (first, second))
    if earlier is None or later is None:
        return _have_all_shrunk(first, second)
    return later < min(earlier, 60)


def _have_all_shrunk(first: dict[str, tuple[str, int]], second: dict[str, tuple[str, int]]) -> bool:
    """Whether picked counters, which only grow, are all smaller, or a number of threads negative.

    A restart would end the client that prints the samples.
    """
    if any(
        name.startswith(_COUNTED) and text.startswith("-") for name, (text, _) in second.items()
    ):
        return True
    pairs = [
        (_integer(first[name][0]) or 0, _integer(text) or 0)
        for name, (text, _) in second.items()
        if name in first and variable_kind(name) == "counter"
    ]
    return any(before for before, _ in pairs) and all(before > after for before, after in pairs)


_COUNTED = ("Threads_",)
"""How many there are now: never negative, unlike gauges of InnoDB that lose count."""


def _setting(name: str, value: str, number: int, source: str) -> Setting:
    return Setting(line_first=number, line_last=number, name=name, value=value, source=source)


def _integer(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 20 else None
