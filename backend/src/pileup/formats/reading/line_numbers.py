"""Map the line numbers of items back to the artifact when a parser read text derived from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import polars as pl

from pileup import records
from pileup.records import Grid, Item, Problem, Rows, Samples, Stacks

Numbers = Callable[[int], int]


def renumber(item: Item, first: Numbers, last: Numbers) -> Item:
    """Return the item with its first and last line numbers mapped by these functions."""
    match item:
        case Problem():
            return dataclasses.replace(item, line=None if item.line is None else first(item.line))
        case Samples():
            known = {
                line: first(line) for line in set(item.lines)
            }  # a single line for a whole document
            return dataclasses.replace(item, lines=[known[line] for line in item.lines])
        case Rows(kind, frame):
            lines = [
                _mapped(frame[name], numbers)
                for name, numbers in (("line_first", first), ("line_last", last))
                if name in frame.columns
            ]
            return Rows(kind, frame.with_columns(lines))
        case Grid():
            return renumber(Rows(records.SAMPLE, pl.concat(item.frames())), first, last)
        case Stacks():
            return renumber(Rows("stack", item.frame()), first, last)
        case _:
            return dataclasses.replace(
                item, line_first=first(item.line_first), line_last=last(item.line_last)
            )


def _mapped(lines: pl.Series, numbers: Numbers) -> pl.Series:
    """Map each line once: many records may be of the same line."""
    known = lines.unique().drop_nulls()
    mapped = pl.Series(map(numbers, known), dtype=pl.Int64)
    return lines.replace_strict(known, mapped, default=None, return_dtype=pl.Int64)
