"""The shape of a statement, one by one and by the column."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pileup.analysis.evidence.statement_shapes import digest, shapes

PIECES = st.sampled_from(
    ["select ", "'it''s'", "\"a\\\"b\"", "'open", "12", "0xFF", "3.14", "a1", " , ", "(?, ?)", "(",
     ")", "values (", "VALUES(?),(", "\n\t", "\\", "é", "`t`", "--x", ",1", "\u00a0"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("query", "shape"),
    [
        (
            "SELECT * FROM t WHERE id = 12 AND name='O''Neil'",
            "SELECT * FROM t WHERE id = ? AND name=?"),
        ("insert into t values (1,'a'), (2,'b'),  (3, 'c')", "insert into t values (?)"),
        ("select 1  in (1, 2,3)\n from dual", "select ? in (?) from dual"),
    ],
)  # fmt: skip
def test_a_shape(query: str, shape: str) -> None:
    assert digest(query) == shape


@given(st.lists(PIECES, max_size=30).map("".join))
def test_a_column_says_the_same(query: str) -> None:
    """Both are one definition; the column is for many."""
    frame = pl.DataFrame({"query": [query, None]}, schema={"query": pl.String})
    assert frame.select(shapes(pl.col("query")))["query"].to_list() == [digest(query), None]
