"""Runs of frames that repeat in collapsed stacks: each text is parsed once.

Threads of one pool show the same stack below their names. What stacks share is stored as a run: a
list of positions in a table of frames. A stack is then a list of runs (``records.Stacks``).
"""

from __future__ import annotations

import typing
from collections.abc import Callable

import polars as pl

from pileup.formats.stacks.parts.function_names import pmp_frame
from pileup.records import Frame, list_column, struct_column

_MOST_FRAMES = 50_000
"""Distinct frames that are remembered by their text."""
_MOST_PLACES = 400_000
"""Frames of all runs."""
_MOST_TEXT = 16 * 1024 * 1024
"""Characters of stacks that are remembered."""


class _Places(dict[str, int]):
    """Mapping of a frame's text to its position in ``frames``; each text is parsed once."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def __missing__(self, text: str) -> int:
        self.frames.append(pmp_frame(text))
        self[text] = place = len(self.frames) - 1
        return place


class _Texts:
    """Bulk lookup of runs by their text."""

    def __init__(self) -> None:
        self._texts = pl.Categories.random()
        self.dtype = pl.Categorical(self._texts)
        self._held = pl.Series(dtype=self.dtype)  # keeps polars from dropping the categories
        self._runs: list[int] = []

    def runs(self, texts: pl.Series, add: Callable[[str], int]) -> pl.Series:
        """Return the run of each text, a string or of ``dtype``; ``add`` makes a new run."""
        numbers = texts.cast(self.dtype).to_physical()
        for number in range(len(self._runs), 1 + typing.cast(int, numbers.max())):
            self._runs.append(add(str(self._texts[number])))
        return pl.Series(self._runs, dtype=pl.UInt32).gather(numbers)


class Runs:
    """The runs of one artifact by number; ``forget`` restarts the numbers."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Drop all runs, frames and texts."""
        self.lengths: list[int] = []
        """Frames per run."""
        self.known = 0
        """Characters of the runs' texts."""
        self._frames = _Places()
        self._places: list[int] = []
        self._lists = pl.Series(dtype=pl.List(pl.UInt32))
        self._table = struct_column(Frame, [])
        self._each, self._folded = _Texts(), _Texts()

    @property
    def has_too_much_text(self) -> bool:
        """Whether the runs' texts alone take too much memory."""
        return self.known > _MOST_TEXT

    @property
    def full(self) -> bool:
        """Whether the runs take so much memory that they should be forgotten."""
        many = len(self._frames) > _MOST_FRAMES or len(self._places) > _MOST_PLACES
        return many or self.has_too_much_text

    def add(self, names: list[str]) -> int:
        """Add a run of frames, innermost first, and return its number."""
        self.known += sum(map(len, names))
        self._places += map(self._frames.__getitem__, names)
        self.lengths.append(len(names))
        return len(self.lengths) - 1

    def frame_runs(self, names: pl.Series) -> pl.Series:
        """Return for each name the number of the run of this one frame."""
        return self._each.runs(names, lambda name: self.add([name]))

    def reversed_runs(self, stacks: pl.Series) -> pl.Series:
        """Return the run of each name of lists of names, each list from its end to its start."""
        names = stacks.cast(pl.List(self._each.dtype)).list.reverse()  # categories, not strings
        return self.frame_runs(names.explode())

    def folded_runs(self, texts: pl.Series) -> pl.Series:
        """Return the run of each text of frames joined by semicolons, the innermost last."""
        return self._folded.runs(texts, lambda text: self.add(text.split(";")[::-1]))

    def columns(self) -> tuple[pl.Series, pl.Series]:
        """Return the runs as lists of positions, and the table of frames.

        Both are the same objects until another run is added.
        """
        done, built = len(self._lists), len(self._table)
        if done < len(self.lengths):
            frames = self._frames.frames[built:]
            if frames:
                self._table = pl.concat([self._table, struct_column(Frame, frames)], rechunk=True)
            lengths = self.lengths[done:]
            places = pl.Series(self._places[-sum(lengths) :], dtype=pl.UInt32)
            self._lists = pl.concat([self._lists, list_column(places, lengths)], rechunk=True)
        return self._lists, self._table
