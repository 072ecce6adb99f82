"""Items on other line numbers: those of the artifact, when a reader was given text made of it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

import polars as pl

from pileup import records
from pileup.records import Grid, Item, Problem, Rows, Samples, Stacks

_TOLD = re.compile(r"line (\d{1,18})\b")
Numbers = Callable[[int], int]


def relined(item: Item, first: Numbers, last: Numbers) -> Item:
    """The item with its first and its last line as these say; so is the line a message names."""
    match item:
        case Problem():
            line = None if item.line is None else first(item.line)
            message = item.message
            if line is not None and (told := _TOLD.match(message)) and int(told[1]) == item.line:
                message = f"line {line}{message[told.end() :]}"
            return dataclasses.replace(item, line=line, message=message)
        case Samples():
            known = {line: first(line) for line in set(item.lines)}  # one for a whole document
            return dataclasses.replace(item, lines=[known[line] for line in item.lines])
        case Rows(kind, frame):
            lines = [
                pl.Series(name, map(numbers, frame[name]), pl.Int64)
                for name, numbers in (("line_first", first), ("line_last", last))
                if name in frame.columns
            ]
            return Rows(kind, frame.with_columns(lines))
        case Grid():
            return relined(Rows(records.SAMPLE, pl.concat(item.frames())), first, last)
        case Stacks():
            return relined(Rows("stack", item.frame()), first, last)
        case _:
            return dataclasses.replace(
                item, line_first=first(item.line_first), line_last=last(item.line_last)
            )
