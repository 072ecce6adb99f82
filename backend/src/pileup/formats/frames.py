"""The frames of one artifact by kind: in memory while they are small, as Parquet parts when not.

A 5 GB file of counters makes 80 million samples: as one frame more memory than many machines have.
So a parse holds some 64 MiB of frames; what is more waits in a temporary folder that lives as long
as the object. Whoever only passes frames on (storage) goes through ``parts``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from pileup import records

HELD_BYTES = 64 * 1024 * 1024
_ORDER = (*records.KINDS, records.SAMPLE)


class Frames(Mapping[str, pl.DataFrame]):
    """Kind to frame; asking for a frame joins its parts in memory, ``parts`` does not."""

    def __init__(
        self, frames: Mapping[str, pl.DataFrame] | None = None, *, folder: Path | None = None
    ) -> None:
        """``folder``: where the temporary folder is made, if one is needed."""
        self._parts: dict[str, list[Path | pl.DataFrame]] = {}
        self._heights: dict[str, int] = {}
        self._held: dict[str, int] = {}
        self._folder = folder
        self._spill: tempfile.TemporaryDirectory[str] | None = None
        for kind, frame in (frames or {}).items():
            self.add(kind, frame)

    def add(self, kind: str, frame: pl.DataFrame) -> None:
        """Append rows; an empty frame adds nothing."""
        if not frame.height:
            return
        self._parts.setdefault(kind, []).append(frame)
        self._heights[kind] = self._heights.get(kind, 0) + frame.height
        self._held[kind] = self._held.get(kind, 0) + int(frame.estimated_size())
        while sum(self._held.values()) > HELD_BYTES:
            self._put_aside(max(self._held, key=self._held.__getitem__))

    @property
    def heights(self) -> dict[str, int]:
        """Rows per kind."""
        return {kind: self._heights[kind] for kind in self}

    def parts(self, kind: str) -> Iterator[pl.DataFrame]:
        """The rows of a kind in order, some MiB at a time."""
        held: list[pl.DataFrame] = []
        for part in self._parts[kind]:
            if isinstance(part, Path):
                yield pl.read_parquet(part)
            else:
                held.append(part)  # these follow what was put aside, and are small together
        if held:
            yield pl.concat(held, rechunk=True)

    def __getitem__(self, kind: str) -> pl.DataFrame:
        parts = list(self.parts(kind))
        frame = parts[0] if len(parts) == 1 else pl.concat(parts, rechunk=True)
        if not any(isinstance(part, Path) for part in self._parts[kind]):
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
        if self._spill is None:
            self._spill = tempfile.TemporaryDirectory(prefix="pileup-frames-", dir=self._folder)
        aside = [part for part in self._parts[kind] if isinstance(part, Path)]
        held = [part for part in self._parts[kind] if isinstance(part, pl.DataFrame)]
        path = Path(self._spill.name) / f"{kind}.{len(aside)}.parquet"
        pl.concat(held).write_parquet(path, compression="lz4", statistics=False)
        self._parts[kind] = [*aside, path]
        self._held[kind] = 0


__all__ = ["HELD_BYTES", "Frames"]
