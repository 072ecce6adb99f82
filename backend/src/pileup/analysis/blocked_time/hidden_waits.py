"""Old changes that only a list shows: their State is the same whether they work or wait for a row.

A processlist prints 'updating' for both. One old change may read many rows; several of one table
beside each other rather wait for one another, so that what they do is unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import polars as pl

from pileup.analysis.evidence.statements import tables_of

_ALIKE, _OLD_S = 2, 5.0
_CHANGES = (
    r"(?i)^(updating|update|searching rows for update|updating (main|reference) tables?|end)$"
)


def may_hide(frame: pl.DataFrame) -> pl.Series:
    """Return for each row of a processlist whether it is an old change beside another of its table.

    Rows of one moment have the same time, or none.
    """
    old = (
        frame.with_row_index("row")
        .filter(
            pl.col("state").str.contains(_CHANGES)
            & (pl.col("time_s") >= _OLD_S)
            & pl.col("query").is_not_null()
        )
        .select("row", "time", "query")
    )
    rows = _alike((row, time, query) for row, time, query in old.iter_rows())
    return pl.int_range(frame.height, eager=True).is_in(list(rows))


def _alike(changes: Iterable[tuple[int, Hashable, str]]) -> set[int]:
    by_table: defaultdict[tuple[Hashable, str], list[int]] = defaultdict(list)
    for row, time, query in changes:
        for table in _tables(query):
            by_table[time, table].append(row)
    return {row for rows in by_table.values() if len(rows) >= _ALIKE for row in rows}


@lru_cache(maxsize=4096)
def _tables(query: str) -> tuple[str, ...]:
    return tuple(tables_of(query))


def of_moment(sessions: Iterable[Mapping[str, Any]]) -> set[int]:
    """Return the session ids of such changes among the sessions of one moment."""
    rows = [
        {name: session[name] for name in ("session_id", "state", "time_s", "query")}
        for session in sessions
    ]
    schema = {"session_id": pl.Int64, "state": pl.String, "time_s": pl.Float64, "query": pl.String}
    frame = pl.DataFrame(rows, schema=schema).with_columns(time=pl.lit(0))
    return set(frame.filter(may_hide(frame))["session_id"].drop_nulls().to_list())


__all__ = ["may_hide", "of_moment"]
