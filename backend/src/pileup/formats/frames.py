"""The frames of one artifact by kind: in memory while they are small, as files of parts when not.

A 5 GB file of counters makes 80 million samples: as one frame more memory than many machines have.
So a parse holds some 32 MiB of frames; what is more waits in a temporary folder that lives as long
as the object. Whoever only passes frames on (storage) goes through ``parts``. The files are Arrow
IPC: writing Parquet took half as long again and twice the memory (stacks of 25 MB of pt-pmp).
"""

from __future__ import annotations

import dataclasses
import itertools
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import polars as pl

from pileup import records
from pileup.records import Grid

HELD_BYTES = 32 * 1024 * 1024
"""As polars estimates; lists of structs take about twice as much."""
_MOST_SERIES = 500_000
_ORDER = (*records.KINDS, records.SAMPLE)


class Frames(Mapping[str, pl.DataFrame]):
    """Kind to frame; asking for a frame joins its parts in memory, ``parts`` does not."""

    def __init__(
        self, frames: Mapping[str, pl.DataFrame] | None = None, *, folder: Path | None = None
    ) -> None:
        """``folder``: where the temporary folder is made, if one is needed."""
        self._parts: dict[str, list[_Part]] = {}
        self._heights: dict[str, int] = {}
        self._held: dict[str, int] = {}
        self._folder = folder
        self._spill: tempfile.TemporaryDirectory[str] | None = None
        self._last_series: pl.DataFrame | None = None
        self._series_held = 0
        for kind, frame in (frames or {}).items():
            self.add(kind, frame)

    def add(self, kind: str, frame: pl.DataFrame) -> None:
        """Append rows; an empty frame adds nothing."""
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

    def _append(self, kind: str, part: pl.DataFrame | Grid, height: int, size: int | float) -> None:
        self._parts.setdefault(kind, []).append(part)
        self._heights[kind] = self._heights.get(kind, 0) + height
        self._held[kind] = self._held.get(kind, 0) + int(size)
        while sum(self._held.values()) > HELD_BYTES:
            self._put_aside(max(self._held, key=self._held.__getitem__))

    def _room_for(self, series: pl.DataFrame) -> bool:
        """Names are held in memory: not those of a file that has others in every sample."""
        if series is not self._last_series:
            self._last_series = series
            self._series_held += series.height
        return self._series_held <= _MOST_SERIES

    @property
    def heights(self) -> dict[str, int]:
        """Rows per kind."""
        return {kind: self._heights[kind] for kind in self}

    def parts(self, kind: str) -> Iterator[pl.DataFrame]:
        """The rows of a kind in order, some MiB at a time."""
        held: list[pl.DataFrame] = []
        for part in self._parts[kind]:
            if isinstance(part, pl.DataFrame):
                held.append(part)  # small together: what is large was put aside
                continue
            if held:
                yield pl.concat(held, rechunk=True)
                held = []
            if isinstance(part, Path):
                yield pl.read_ipc(part)
            else:
                yield from (part if isinstance(part, Grid) else part.grid()).frames()
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
        """Another process gets the frames, not our folder."""
        return Frames, (dict(self),)

    def _put_aside(self, kind: str) -> None:
        """Write what is held, in order: frames as one file, and the values of grids as another."""
        if self._spill is None:
            self._spill = tempfile.TemporaryDirectory(prefix="pileup-frames-", dir=self._folder)
        parts = self._parts[kind]
        aside = [part for part in parts if not isinstance(part, pl.DataFrame | Grid)]
        held = [part for part in parts if isinstance(part, pl.DataFrame | Grid)]
        for is_frames, group in itertools.groupby(held, lambda one: isinstance(one, pl.DataFrame)):
            path = Path(self._spill.name) / f"{kind}.{len(aside)}.arrow"
            if is_frames:
                frames = [part for part in group if isinstance(part, pl.DataFrame)]
                pl.concat(frames).write_ipc(path, compression="lz4")
                aside.append(path)
            else:
                grids = [part for part in group if isinstance(part, Grid)]
                aside += _grids_aside(grids, path.parent, path.stem)
        self._parts[kind] = list(aside)
        self._held[kind] = 0


@dataclass(frozen=True, slots=True)
class _GridAside:
    """A grid whose values and moments wait in two files, at these places."""

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


_Part: TypeAlias = pl.DataFrame | Grid | Path | _GridAside


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


__all__ = ["HELD_BYTES", "Frames"]
