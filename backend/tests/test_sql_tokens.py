"""The lexer of SQL: shapes, that a column gives the same, and that no text is lost or slow."""

# ruff: noqa: E501  # statements

from __future__ import annotations

import time

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.sql_tokens import shape, shapes, tokens

PIECES = st.sampled_from(
    ["select ", "SELECT", "'it''s'", "\"a\\\"b\"", "'open", "12", "0xFF", "3.14", ".5", "1e5", "6e-30",
     "0b1010", "-", "+", "a1", "1a", " , ", "(?, ?)", "(", ")", "values (", "VALUES(?),(", "\n\t",
     "\\", "é", "`t`", "`t-1`", "`a``b`", "`", "--x", "-- x\n", "# x\n", "/* y */", "/*!50000 ",
     "*/", "/**/", "/*", ",1", "\u00a0", "x'4D'", "_utf8'a'", "null", ".", "@v", "\x01", "\x02", ";"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map("".join)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * FROM t WHERE id = 12 AND name='O''Neil'", "SELECT * FROM t WHERE id = ? AND name=?"),
        ("insert into t values (1,'a'), (2,'b'),  (3, 'c')", "INSERT INTO t VALUES (?)"),
        ("insert into t values (1,now()),\n (2,now())", "INSERT INTO t VALUES (?,now())"),
        ("select 1  in (1, 2,3)\n from dual", "SELECT ? IN (?) FROM dual"),
        ("select 1 from t where (a,b) in ((1,2),(3,4))", "SELECT ? FROM t WHERE (a,b) IN (?)"),
        ("select .5, 0b1010, 0xff, x'4D', _utf8'a'", "SELECT ?, ?, ?, ?, ?"),
        ("select a-1, a - 1, t1.c2 from 1st", "SELECT a-?, a - ?, t1.c2 FROM 1st"),
        ("select /*!40001 SQL_NO_CACHE */ * from T", "SELECT SQL_NO_CACHE * FROM T"),
        ("select `key`, t.key from `select`;", "SELECT `key`, t.key FROM `select`"),
        ("select 'cut off", "SELECT ?"),
    ],
)  # fmt: skip
def test_a_shape(query: str, expected: str) -> None:
    assert shape(query) == expected


@pytest.mark.parametrize(
    "alike",
    [
        ["select 1", "SELECT -1", "Select + 1", "select 1e5", "select 6e-30", "select .5", "select 'x'"],
        ["select a from t", "select /* req 8f3a-c */ a from t", "select a from t -- req a",
         "select a # b\n from t", "/* 1 */ select a from t", "select a from t;"],
        ["select a in (1)", "select a in (1, NULL)", "select a in (-1,null,'x',true)"],
        ["insert into t values (1)", "insert into t values (NULL, 1), (DEFAULT, 2)"],
        ["select `a-1` from t where b < -1", "select `a-1` from t where b < 1"],
    ],
)  # fmt: skip
def test_what_differs_in_its_literals_has_one_shape(alike: list[str]) -> None:
    assert len({shape(query) for query in alike}) == 1, [shape(query) for query in alike]


@pytest.mark.parametrize(
    ("statement", "other"),
    [
        ("select * from `table-1`", "select * from `table-2`"),
        ("select * from T", "select * from t"),
        ("select a-1", "select a"),
        ("select a from t1", "select a from t2"),
        ("insert into t values (1, now())", "insert into t values (1, uuid())"),
    ],
)
def test_other_statements_have_other_shapes(statement: str, other: str) -> None:
    assert shape(statement) != shape(other)


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_a_column_gives_the_same(query: str) -> None:
    """Both are one definition; the column is for many."""
    frame = pl.DataFrame({"query": [query, None]}, schema={"query": pl.String})
    assert frame.select(shapes(pl.col("query")))["query"].to_list() == [shape(query), None]


@given(TEXTS)
def test_tokens_are_the_whole_text(query: str) -> None:
    clean = query.replace("\x01", "").replace("\x02", "")
    assert "".join(token.text for token in tokens(clean)) == clean


@pytest.mark.parametrize("word", ["with…", "select$x", "a@b", "naïve"])
def test_a_word_is_one_token(word: str) -> None:
    assert [token.text for token in tokens(word)] == [word]


@pytest.mark.parametrize(
    "piece",
    ["(", ")", "'", "\\'", "''", "`", "/*", "/**", "*", "-", "1e", "1,", "(1),", "((", "values ("],
)
def test_no_text_is_slow(piece: str) -> None:
    text = "select " + piece * 50_000
    begun = time.process_time()
    list(tokens(text))
    shape(text)
    pl.DataFrame({"q": [text]}).select(shapes(pl.col("q")))
    assert time.process_time() - begun < 2
