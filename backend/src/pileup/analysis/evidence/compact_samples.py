"""Store the text of samples as categories: four bytes a row and one copy of each text.

Six million samples with names, labels, hosts and artifacts as text in every row take 4 GB; as
categories 0.4 GB. Categories compare, join and sort as the text they stand for; what looks into a
name goes through the few names that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from pileup.records import SAMPLE

TEXT = ("series", "labels", "kind", "unit", "host", "clock", "artifact", "id")
_ROWS = 500_000
"""Rows per piece of ``by_series``."""
_FEW = 200
"""Rows that are sooner compared here than by an expression, whose start costs 0.2 ms."""
_NOT_MANY = 10_000
"""Rows that are hashed faster than compared."""


def compact(samples: pl.DataFrame) -> pl.DataFrame:
    """Convert the text columns of a sample frame, or of a part of it, to categories."""
    text = [name for name in TEXT if samples.schema.get(name) == pl.String]
    return samples.with_columns(pl.col(text).cast(pl.Categorical)) if text else samples


def compact_frames(frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Compact the samples among the frames (by kind) of one artifact."""
    return {kind: compact(frame) if kind == SAMPLE else frame for kind, frame in frames.items()}


def by_series(samples: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the rows of a compact frame in pieces of whole series, in the order of their ids.

    Takes: ``id``, never null. A piece has about ``_ROWS`` rows, or one series that is larger.
    """
    sizes = samples.group_by("id").len().sort("id")
    if sizes.height == 0:
        return
    place = ranks(samples["id"], sizes["id"])
    piece = (sizes["len"].cum_sum() - 1) // _ROWS
    ends = [*(number for number in range(1, len(piece)) if piece[number] != piece[number - 1])]
    for first, end in zip([0, *ends], [*ends, len(piece)], strict=True):
        yield samples.filter((place >= first) & (place < end))


def ranks(texts: pl.Series, known: pl.Series | None = None) -> pl.Series:
    """Return the number of each category among the sorted ones: it sorts as its text does.

    Sorting by numbers costs half of sorting by text. known: the distinct categories, sorted.
    """
    known = texts.drop_nulls().unique().sort() if known is None else known
    return texts.cast(pl.Enum(known.cast(pl.String))).to_physical()


def distinct(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the distinct rows of some columns, in the order of their first rows.

    Rows of one file and series follow each other: what only repeats the row before it is dropped
    first, which costs a tenth of hashing every row.
    """
    rows = frame[list(columns)]
    if rows.height < _FEW:
        places = {row: at for at, row in reversed(list(enumerate(rows.rows())))}
        return rows if len(places) == rows.height else rows[sorted(places.values())]
    if rows.height < _NOT_MANY:
        return rows.unique(maintain_order=True)
    keys = [
        pl.col(name).to_physical() if rows.schema[name] == pl.Categorical else pl.col(name)
        for name in columns
    ]
    differs = pl.any_horizontal(key.ne_missing(key.shift(1)) for key in keys)
    first = pl.int_range(pl.len()) == 0
    return rows.filter(differs | first).unique(maintain_order=True)


__all__ = ["TEXT", "by_series", "compact", "compact_frames", "distinct", "ranks"]
