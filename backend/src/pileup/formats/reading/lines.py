"""The lines of a chunk as a polars column: for parsers that look at many lines at once."""

from __future__ import annotations

import polars as pl


def lines_of(text: str | bytes) -> pl.Series:
    """The lines of a text whose every line ends with LF, without it.

    ``read_lines`` splits twice as fast as ``str.split``, and without the interpreter's lock.
    """
    return pl.read_lines(text.encode() if isinstance(text, str) else text).to_series()


def tiled(column: pl.Series, times: int) -> pl.Series:
    """A column, so many times over."""
    return pl.concat([column] * times, rechunk=True) if times > 1 else column
