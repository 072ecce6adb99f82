"""Runs of frames that come often in collapsed stacks: each text is read once.

Threads of one pool show the same stack below their names. What stacks share is kept as a run: a
list of places in a table of frames. A stack is then some runs (``records.Stacks``).
"""

from __future__ import annotations

import typing
from collections.abc import Callable

import polars as pl

from pileup.formats.stacks.parts.function_names import pmp_frame
from pileup.records import Frame, list_column, struct_column

_MOST_FRAMES = 50_000
"""Distinct frames that are kept by their text."""
_MOST_PLACES = 400_000
"""Frames of all runs."""
_MOST_TEXT = 16 * 1024 * 1024
"""Characters of stacks that are kept to be known again."""


class _Places(dict[str, int]):
    """The text of a frame to its place in ``frames``; each text is read once."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def __missing__(self, text: str) -> int:
        self.frames.append(pmp_frame(text))
        self[text] = place = len(self.frames) - 1
        return place


class _Texts:
    """Runs by their text, asked for by the thousand."""

    def __init__(self) -> None:
        self._texts = pl.Categories.random()
        self.dtype = pl.Categorical(self._texts)
        self._held = pl.Series(dtype=self.dtype)  # or polars forgets them
        self._runs: list[int] = []

    def runs(self, texts: pl.Series, add: Callable[[str], int]) -> pl.Series:
        """The run of each text, be it a string or of ``dtype`` already."""
        numbers = texts.cast(self.dtype).to_physical()
        for number in range(len(self._runs), 1 + typing.cast(int, numbers.max())):
            self._runs.append(add(str(self._texts[number])))
        return pl.Series(self._runs, dtype=pl.UInt32).gather(numbers)


class Runs:
    """The runs of one artifact by number, until ``forget``; numbers then begin anew."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """What was read so often that it is known, and the runs that it became."""
        self.lengths: list[int] = []
        """Frames per run."""
        self.known = 0
        """Characters of their texts."""
        self._frames = _Places()
        self._places: list[int] = []
        self._lists = pl.Series(dtype=pl.List(pl.UInt32))
        self._table = struct_column(Frame, [])
        self._each, self._folded = _Texts(), _Texts()

    @property
    def wordy(self) -> bool:
        """Their texts alone are too much."""
        return self.known > _MOST_TEXT

    @property
    def many(self) -> bool:
        """Enough is held that one had better forget."""
        return len(self._frames) > _MOST_FRAMES or len(self._places) > _MOST_PLACES or self.wordy

    def add(self, names: list[str]) -> int:
        """A new run of frames, innermost first."""
        self.known += sum(map(len, names))
        self._places += map(self._frames.__getitem__, names)
        self.lengths.append(len(names))
        return len(self.lengths) - 1

    def of_each(self, names: pl.Series) -> pl.Series:
        """The run of each name: of one frame."""
        return self._each.runs(names, lambda name: self.add([name]))

    def of_each_turned(self, stacks: pl.Series) -> pl.Series:
        """The run of each name of lists of names, each list from its end to its beginning."""
        turned = stacks.cast(pl.List(self._each.dtype)).list.reverse()  # numbers by now, not names
        return self.of_each(turned.explode())

    def of_each_folded(self, texts: pl.Series) -> pl.Series:
        """The run of each text: of frames with semicolons between them, the innermost last."""
        return self._folded.runs(texts, lambda text: self.add(text.split(";")[::-1]))

    def columns(self) -> tuple[pl.Series, pl.Series]:
        """The runs as lists of places, and the table of frames; the same while none was added."""
        done, built = len(self._lists), len(self._table)
        if done < len(self.lengths):
            frames = self._frames.frames[built:]
            if frames:
                self._table = pl.concat([self._table, struct_column(Frame, frames)], rechunk=True)
            lengths = self.lengths[done:]
            places = pl.Series(self._places[-sum(lengths) :], dtype=pl.UInt32)
            self._lists = pl.concat([self._lists, list_column(places, lengths)], rechunk=True)
        return self._lists, self._table
