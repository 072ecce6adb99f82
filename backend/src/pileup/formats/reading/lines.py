"""Split a chunk into a polars column of lines, for parsers that process many lines at once."""

from __future__ import annotations

import polars as pl


def split_lines(text: str | bytes) -> pl.Series:
    """Split a text, in which every line ends with LF, into lines without the LF.

    ``read_lines`` splits twice as fast as ``str.split``, and without the interpreter's lock.
    """
    return pl.read_lines(text.encode() if isinstance(text, str) else text).to_series()


def tile(column: pl.Series, times: int) -> pl.Series:
    """Return a column repeated ``times`` times."""
    return pl.concat([column] * times, rechunk=True) if times > 1 else column
