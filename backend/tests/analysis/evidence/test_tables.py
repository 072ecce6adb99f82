"""Two tables compared: answers known by thought."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pileup.analysis.evidence.table_diff import NotComparable, TableData, compare, number
from tests.formats.checks import parse_bytes
from tests.support.cpu import growth

BEFORE = TableData(
    ("table", "index", "pages", "dirty"),
    [
        ("app.a", "PRIMARY", "100", "1"),
        ("app.a", "k", "50", "0"),
        ("app.b", "PRIMARY", "7", None),
    ],
)
AFTER = TableData(
    ("table", "index", "pages", "dirty"),
    [
        ("app.c", "PRIMARY", "3", "0"),
        ("app.a", "k", "50.0", "0"),
        ("app.a", "PRIMARY", "391", "1"),
    ],
)


def test_added_gone_changed_and_by_how_much() -> None:
    found = compare(BEFORE, AFTER)
    assert found.keys == ("table", "index")
    assert [(row.state, row.key) for row in found.rows] == [
        ("added", ("app.c", "PRIMARY")),
        ("same", ("app.a", "k")),  # 50 and 50.0 are one number
        ("changed", ("app.a", "PRIMARY")),
        ("gone", ("app.b", "PRIMARY")),
    ]
    pages = found.rows[2].cells[0]
    assert (pages.before, pages.after, pages.change, pages.ratio) == ("100", "391", "291", 3.91)
    assert found.rows[0].cells[0].before is None
    assert found.ambiguous == 0


def test_every_digit_counts() -> None:
    """64-bit counters and small fractions differ by exactly what was printed."""
    found = compare(
        TableData(("name", "n"), [("lsn", "18446744073709551614"), ("cpu", "0.000397")]),
        TableData(("name", "n"), [("lsn", "18446744073709551615"), ("cpu", "0.000362")]),
    )
    assert [row.cells[0].change for row in found.rows] == ["1", "-0.000035"]


def test_zero_before_has_no_ratio_and_text_no_difference() -> None:
    found = compare(
        TableData(("name", "n", "word"), [("a", "0", "on")]),
        TableData(("name", "n", "word"), [("a", "5", "off")]),
        keys=["name"],
    )
    first, second = found.rows[0].cells
    assert (first.change, first.ratio) == ("5", None)
    assert (second.change, second.ratio) == (None, None)


def test_a_key_that_stands_twice_is_matched_in_order() -> None:
    found = compare(
        TableData(("name", "n"), [("a", "1"), ("a", "2"), ("a", "3")]),
        TableData(("name", "n"), [("a", "1"), ("a", "9")]),
    )
    assert [row.state for row in found.rows] == ["same", "changed", "gone"]
    assert found.ambiguous == 2


def test_columns_of_one_table_alone_are_named() -> None:
    found = compare(
        TableData(("name", "n", "old"), [("a", "1", "x")]),
        TableData(("new", "name", "n"), [("y", "a", "1")]),
    )
    assert (found.only_before, found.only_after) == (("old",), ("new",))
    assert found.rows[0].state == "same"
    with pytest.raises(NotComparable, match="no column in common"):
        compare(TableData(("a",), [("1",)]), TableData(("b",), [("1",)]))
    with pytest.raises(NotComparable, match="'old'"):
        compare(BEFORE, AFTER, keys=["old"])


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234", "1234"), ("45 %", "45"), ("-0.5", "-0.5"), ("1e3", "1000"), ("1,23", None)]
    + [(text, None) for text in ("", "nan", "inf", "1_000", "12:30", "²", "1e999999", "9" * 99)],
)
def test_numbers(text: str, value: str | None) -> None:
    found = number(text)
    assert (None if found is None else found.normalize()) == (
        None if value is None else number(value)
    )


cells = st.one_of(st.none(), st.text(max_size=8), st.integers().map(str), st.floats().map(str))
rows = st.lists(st.tuples(cells, cells, cells), max_size=12)


@given(rows, rows)
def test_every_row_is_told_once(
    before: list[tuple[str, ...]], after: list[tuple[str, ...]]
) -> None:
    columns = ("a", "b", "c")
    found = compare(TableData(columns, before), TableData(columns, after))
    assert found.count("gone") + found.count("changed") + found.count("same") == len(before)
    assert found.count("added") + found.count("changed") + found.count("same") == len(after)


def test_a_large_table_takes_time_in_proportion() -> None:
    def comparison(count: int) -> Callable[[], None]:
        old = TableData(("name", "n"), [(f"row {at}", str(at)) for at in range(count)])
        new = TableData(("name", "n"), [(f"row {at}", str(at + 1)) for at in range(count)])

        def run() -> None:
            assert compare(old, new).count("changed") == count

        return run

    assert growth(comparison(2_000), comparison(16_000)) < 40


_POOL_BOX = """\
mysql> SELECT table_name, index_name, COUNT(*) AS page_count, SUM(data_size)/1024/1024 AS data_size_in_MB
    ->   FROM information_schema.innodb_buffer_page GROUP BY table_name, index_name;
+-----------------+------------+------------+-----------------+
| table_name      | index_name | page_count | data_size_in_MB |
+-----------------+------------+------------+-----------------+
| `shop`.`entity` | PRIMARY    |     181022 |     2634.180000 |
| `shop`.`entity` | by_owner   |      40211 |      512.040000 |
| `shop`.`log`    | PRIMARY    |        917 |       14.300000 |
| NULL            | NULL       |       9133 |        0.000000 |
+-----------------+------------+------------+-----------------+
4 rows in set (12.34 sec)
"""  # noqa: E501  # as pasted
_POOL_TABS = """\
table_name\tindex_name\tpage_count\tdata_size_in_MB
`shop`.`entity`\tPRIMARY\t905110\t13170.900000
`shop`.`entity`\tby_owner\t40211\t512.040000
`shop`.`log`\tPRIMARY\t917\t14.300000
"""
_POOL_VERTICAL = """\
*************************** 1. row ***************************
     table_name: `shop`.`entity`
     index_name: PRIMARY
     page_count: 905110
data_size_in_MB: 13170.900000
*************************** 2. row ***************************
     table_name: `shop`.`entity`
     index_name: by_owner
     page_count: 40211
data_size_in_MB: 512.040000
*************************** 3. row ***************************
     table_name: `shop`.`log`
     index_name: PRIMARY
     page_count: 917
data_size_in_MB: 14.300000
3 rows in set (0.34 sec)
"""


@pytest.mark.parametrize("other", [_POOL_TABS, _POOL_VERTICAL], ids=["tabs", "vertical"])
def test_the_pages_of_two_pools_pasted_in_different_ways(other: str) -> None:
    """The case of the games backend: production's box against the test's tabs or ``\\G``."""
    tables = []
    for text in (_POOL_BOX, other):
        (row,) = parse_bytes(text.encode(), "upload").frames["table"].iter_rows(named=True)
        tables.append(TableData(tuple(row["columns"]), row["rows"]))
    found = compare(*tables)
    assert found.keys == ("table_name", "index_name")
    assert {(*item.key, item.state) for item in found.rows} == {
        ("`shop`.`entity`", "PRIMARY", "changed"),
        ("`shop`.`entity`", "by_owner", "same"),
        ("`shop`.`log`", "PRIMARY", "same"),
        (None, None, "gone"),
    }
    (changed,) = [item for item in found.rows if item.state == "changed"]
    assert [cell.change for cell in changed.cells] == ["724088", "10536.720000"]
    assert changed.cells[0].ratio == pytest.approx(5.0)
