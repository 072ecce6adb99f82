"""The frames of one artifact by kind: in memory while they are small, in temporary files when not.

A 5 GB file of counters makes 80 million samples: as one frame more memory than many machines have.
So a parse holds some 32 MiB of frames; the rest waits in a temporary folder that lives as long as
the object. Code that only passes frames on (storage) uses ``parts``. The files are Arrow IPC:
writing Parquet took half as long again and twice the memory (stacks of 25 MB of pt-pmp).
"""

from __future__ import annotations

import dataclasses
import itertools
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import polars as pl

from pileup import records
from pileup.records import Grid, Stacks

HELD_BYTES = 32 * 1024 * 1024
"""As polars estimates; lists of structs take about twice as much."""
_MOST_SERIES = 500_000
_ORDER = (*records.KINDS, records.SAMPLE)


class Frames(Mapping[str, pl.DataFrame]):
    """Frames by kind: indexing joins the parts of a kind in memory, ``parts`` does not."""

    def __init__(
        self, frames: Mapping[str, pl.DataFrame] | None = None, *, folder: Path | None = None
    ) -> None:
        """Start with ``frames``; make the temporary folder, when needed, in ``folder``."""
        self._parts: dict[str, list[_Part]] = {}
        self._heights: dict[str, int] = {}
        self._held: dict[str, int] = {}
        self._folder = folder
        self._spill: tempfile.TemporaryDirectory[str] | None = None
        self._last_series: pl.DataFrame | None = None
        self._series_held = 0
        self._last_runs: pl.Series | None = None
        self._runs_held: int | float = 0
        for kind, frame in (frames or {}).items():
            self.add(kind, frame)

    def add(self, kind: str, frame: pl.DataFrame) -> None:
        """Append rows of a kind; an empty frame adds nothing."""
        if not frame.height:
            return
        self._append(kind, frame, frame.height, frame.estimated_size())

    def add_grid(self, grid: Grid) -> None:
        """Append the samples of a grid; they stay a matrix while that saves memory."""
        width, moments = grid.series.height, len(grid.wall_us)
        if not width or not moments:
            return
        if not self._room_for(grid.series):
            for frame in grid.frames():
                self.add(records.SAMPLE, frame)
            return
        self._append(records.SAMPLE, grid, width * moments, 8 * (width + 2) * moments)

    def add_stacks(self, stacks: Stacks) -> None:
        """Append stacks; their frames stay runs of a table while that saves memory."""
        if not stacks.rows.height:
            return
        if stacks.runs is not self._last_runs:
            self._last_runs = stacks.runs
            self._runs_held += stacks.runs.estimated_size() + stacks.table.estimated_size()
        if self._runs_held > HELD_BYTES:
            self.add("stack", stacks.frame())
            return
        size = stacks.rows.estimated_size() + 4 * (len(stacks.widths) + len(stacks.places))
        self._append("stack", stacks, stacks.rows.height, size)

    def _append(self, kind: str, part: _Held, height: int, size: int | float) -> None:
        self._parts.setdefault(kind, []).append(part)
        self._heights[kind] = self._heights.get(kind, 0) + height
        self._held[kind] = self._held.get(kind, 0) + int(size)
        while sum(self._held.values()) > HELD_BYTES:
            self._put_aside(max(self._held, key=self._held.__getitem__))

    def _room_for(self, series: pl.DataFrame) -> bool:
        """Whether these series fit into memory; a file may name new series in every sample."""
        if series is not self._last_series:
            self._last_series = series
            self._series_held += series.height
        return self._series_held <= _MOST_SERIES

    @property
    def heights(self) -> dict[str, int]:
        """Return the number of rows per kind."""
        return {kind: self._heights[kind] for kind in self}

    def has_a_number(self) -> bool:
        """Return whether any sample has a value; without building the rows of a grid."""
        return any(
            values.null_count() < len(values)
            for values in map(_values_of, self._parts.get(records.SAMPLE, []))
        )

    def parts(self, kind: str) -> Iterator[pl.DataFrame]:
        """Yield the rows of a kind in order, some MiB at a time."""
        held: list[pl.DataFrame] = []
        for part in self._parts[kind]:
            if isinstance(part, pl.DataFrame):
                held.append(part)  # small together: large parts are in files
                continue
            if held:
                yield pl.concat(held, rechunk=True)
                held = []
            match part:
                case Path():
                    yield pl.read_ipc(part)
                case Grid():
                    yield from part.frames()
                case Stacks():
                    yield part.frame()
                case _GridAside():
                    yield from part.grid().frames()
                case _:
                    yield part.stacks().frame()
        if held:
            yield pl.concat(held, rechunk=True)

    def __getitem__(self, kind: str) -> pl.DataFrame:
        parts = list(self.parts(kind))
        frame = parts[0] if len(parts) == 1 else pl.concat(parts, rechunk=True)
        if all(isinstance(part, pl.DataFrame) for part in self._parts[kind]):
            self._parts[kind] = [frame]
        return frame

    def __iter__(self) -> Iterator[str]:
        return (kind for kind in _ORDER if kind in self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __reduce__(self) -> tuple[type[Frames], tuple[dict[str, pl.DataFrame]]]:
        """Pickle the frames without the temporary folder."""
        return Frames, (dict(self),)

    def _put_aside(self, kind: str) -> None:
        """Write what is held to files, in order, the values of grids to a file of their own."""
        if self._spill is None:
            self._spill = tempfile.TemporaryDirectory(prefix="pileup-frames-", dir=self._folder)
        aside: list[_Part] = []
        for of, group in itertools.groupby(self._parts[kind], type):
            path = Path(self._spill.name) / f"{kind}.{len(aside)}.arrow"
            parts = list(group)
            if of is pl.DataFrame:
                pl.concat(_only(pl.DataFrame, parts)).write_ipc(path, compression="lz4")
                aside.append(path)
            elif of is Grid:
                aside += _grids_aside(_only(Grid, parts), path.parent, path.stem)
            elif of is Stacks:
                aside += _stacks_aside(_only(Stacks, parts), path.parent, path.stem)
            else:
                aside += parts
        self._parts[kind] = aside
        self._held[kind] = 0


@dataclass(frozen=True, slots=True)
class _GridAside:
    """A grid whose values and moments wait in two files, at these offsets."""

    without: Grid
    values: Path
    first_value: int
    moments: Path
    first_moment: int
    count: int
    """Moments."""

    def grid(self) -> Grid:
        width = self.without.series.height
        values = pl.scan_ipc(self.values).slice(self.first_value, self.count * width).collect()
        moments = pl.scan_ipc(self.moments).slice(self.first_moment, self.count).collect()
        return dataclasses.replace(
            self.without,
            values=values["value"],
            wall_us=moments["wall_us"],
            lines=moments["line"],
        )


@dataclass(frozen=True, slots=True)
class _StacksAside:
    """Stacks whose rows and places wait in two files, at these offsets; their runs do not."""

    runs: pl.Series
    table: pl.Series
    rows: Path
    first_row: int
    row_count: int
    places: Path
    first_place: int
    place_count: int

    def stacks(self) -> Stacks:
        rows = pl.scan_ipc(self.rows).slice(self.first_row, self.row_count).collect()
        places = pl.scan_ipc(self.places).slice(self.first_place, self.place_count).collect()
        return Stacks(rows.drop("width"), rows["width"], places["place"], self.runs, self.table)


_Held: TypeAlias = pl.DataFrame | Grid | Stacks
_Part: TypeAlias = _Held | Path | _GridAside | _StacksAside
_T = TypeVar("_T")


def _only(cls: type[_T], parts: list[_Part]) -> list[_T]:
    return [part for part in parts if isinstance(part, cls)]


def _stacks_aside(parts: list[Stacks], folder: Path, name: str) -> Iterator[_StacksAside]:
    rows, places = folder / f"{name}.rows", folder / f"{name}.places"
    pl.concat(stacks.rows.with_columns(stacks.widths.alias("width")) for stacks in parts).write_ipc(
        rows, compression="lz4"
    )
    pl.concat(stacks.places.alias("place") for stacks in parts).to_frame().write_ipc(
        places, compression="lz4"
    )
    first_row = first_place = 0
    for stacks in parts:
        height, count = stacks.rows.height, len(stacks.places)
        yield _StacksAside(
            stacks.runs, stacks.table, rows, first_row, height, places, first_place, count
        )
        first_row += height
        first_place += count


def _grids_aside(grids: list[Grid], folder: Path, name: str) -> Iterator[_GridAside]:
    values, moments = folder / f"{name}.values", folder / f"{name}.moments"
    frame = pl.concat(grid.values.alias("value") for grid in grids).to_frame()
    frame.write_ipc(values, compression="lz4")
    pl.concat(
        pl.DataFrame([grid.wall_us.alias("wall_us"), grid.lines.alias("line")]) for grid in grids
    ).write_ipc(moments, compression="lz4")
    first_value = first_moment = 0
    nothing = pl.Series(dtype=pl.Int64)
    for grid in grids:
        without = dataclasses.replace(grid, values=nothing, wall_us=nothing, lines=nothing)
        count = len(grid.wall_us)
        yield _GridAside(without, values, first_value, moments, first_moment, count)
        first_value += len(grid.values)
        first_moment += count


def _values_of(part: _Part) -> pl.Series:
    """Return the values of a part of the samples."""
    match part:
        case Grid():
            return part.values
        case _GridAside():
            return part.grid().values
        case Path():
            return pl.read_ipc(part, columns=["value"])["value"]
        case pl.DataFrame():
            return part["value"]
    raise TypeError(f"{type(part).__name__} holds no samples")


__all__ = ["HELD_BYTES", "Frames"]
