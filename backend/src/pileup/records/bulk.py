"""Many values at once: samples of a series, and rows of one record kind as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, Literal

import polars as pl

from pileup.records.base import Clock
from pileup.records.columns import FEW, group_of_rows, list_column, repeated
from pileup.records.frames import SAMPLE, SAMPLE_SCHEMA, build_frame


@dataclass(frozen=True, slots=True)
class Samples:
    """Values of one series, in time order, as columns: a record per value would cost too much.

    series: dotted name with its collector: mysql.Threads_running, innodb.history_list_length,
            vmstat.us, iostat.util (labels device=vda), csv.qps, mpstat.usr (cpu=all).
    kind:   counter (only grows until a reset), gauge, or rate (already a difference over time).
    lines:  the line of each value.
    """

    series: str
    kind: Literal["counter", "gauge", "rate"]
    unit: str | None
    clock: Clock
    wall_us: Sequence[int | None]
    values: Sequence[float | int | None]
    lines: Sequence[int]
    labels: tuple[tuple[str, str], ...] = ()
    host: str | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Many records of one kind, or many samples, as one frame: for parsers of large files.

    frame: exactly ``frame_schema(kind)``, its columns in that order; ``build_frame`` makes it. Kind
           SAMPLE is the long frame of the sample schema. Rows are in file order, like
           single records.
    """

    kind: str
    frame: pl.DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Many series at the same moments, as a matrix: a tenth of the size of the same Rows.

    series:  one row per series: series, labels, kind, unit, host (as in the sample schema).
    wall_us: one per moment; the clock is the same for all.
    lines:   the line of each moment's first value, and ``offsets`` of each series from there.
    values:  Float64, moment by moment and in each the series in order; a null is a gap.
    """

    series: pl.DataFrame
    clock: Clock
    wall_us: pl.Series
    lines: pl.Series
    offsets: pl.Series
    values: pl.Series

    def frames(self, rows: int = 500_000) -> Iterator[pl.DataFrame]:
        """Yield frames of the sample schema, of about ``rows`` rows each."""
        width = self.series.height
        step = max(1, rows // max(1, width))
        for first in range(0, len(self.wall_us), step):
            moments = min(step, len(self.wall_us) - first)
            moment = pl.int_range(moments * width, eager=True) // width
            place = pl.concat([pl.int_range(width, eager=True)] * moments)
            columns = {
                **{name: self.series[name].gather(place) for name in self.series.columns},
                "clock": self.clock,
                "wall_us": self.wall_us.slice(first, moments).gather(moment),
                "value": self.values.slice(first * width, moments * width),
                "line_first": self.lines.slice(first, moments).gather(moment)
                + self.offsets.gather(place),
            }
            yield build_frame(SAMPLE, columns)


@dataclass(frozen=True, slots=True, eq=False)
class Stacks:
    """Stacks as runs of frames that repeat: a tenth of the size of the same Rows.

    rows:   the columns of the stack schema that ``build_frame`` cannot default, but for the frames.
    widths: runs per row, UInt32.
    places: which runs, row by row and innermost first, UInt32.
    runs:   lists of places in the table, UInt32, none of them empty; several Stacks may share it.
    table:  frames as structs.
    """

    rows: pl.DataFrame
    widths: pl.Series
    places: pl.Series
    runs: pl.Series
    table: pl.Series

    def frame(self) -> pl.DataFrame:
        """Build a frame of the stack schema."""
        single = self.runs.explode()
        if len(single) == len(self.runs):  # each is one frame
            places = single.gather(self.places)
            frames = list_column(self.table.gather(places), self.widths.to_list())
            return build_frame("stack", {**self.rows.to_dict(), "frames": frames})
        runs = self.runs.gather(self.places)
        lengths = pl.DataFrame(
            [group_of_rows(self.widths.to_list()).alias("row"), runs.list.len().alias("length")]
        )
        depths = lengths.group_by("row", maintain_order=True).agg(pl.col("length").sum())
        frames = list_column(self.table.gather(runs.explode()), depths["length"].to_list())
        return build_frame("stack", {**self.rows.to_dict(), "frames": frames})


def samples_frame(chunks: Iterable[Samples]) -> pl.DataFrame:
    """Build a frame of the sample schema from chunks; labels become 'device=vda,cpu=0'."""
    chunks = list(chunks)
    lengths = [len(chunk.values) for chunk in chunks]
    columns: dict[str, list[Any]] = {
        "series": [chunk.series for chunk in chunks],
        "labels": [labels_text(chunk.labels) for chunk in chunks],
        "kind": [chunk.kind for chunk in chunks],
        "unit": [chunk.unit for chunk in chunks],
        "host": [chunk.host for chunk in chunks],
        "clock": [chunk.clock for chunk in chunks],
    }
    few = sum(lengths) <= FEW
    if few:
        columns = {name: repeated(values, lengths) for name, values in columns.items()}
    series = pl.DataFrame(columns, schema={name: SAMPLE_SCHEMA[name] for name in columns})
    rows = series if few else series[group_of_rows(lengths)]
    values = [
        pl.Series("wall_us", _joined(chunks, "wall_us"), dtype=pl.Int64, strict=True),
        _floats("value", _joined(chunks, "values")),
        pl.Series("line_first", _joined(chunks, "lines"), dtype=pl.Int64, strict=True),
    ]
    return rows.hstack(values)[list(SAMPLE_SCHEMA)]


def _joined(chunks: Iterable[Samples], name: str) -> list[Any]:
    return list(chain.from_iterable(map(attrgetter(name), chunks)))


def _floats(name: str, values: list[float | int | None]) -> pl.Series:
    return pl.Series(name, values, dtype=pl.Float64, strict=True)


def labels_text(labels: Iterable[tuple[str, str]]) -> str:
    """Join labels to one text, sorted by name: 'cpu=0,device=vda'; empty without labels."""
    return ",".join(f"{name}={value}" for name, value in sorted(labels))
