import pytest

from tests.formats.checks import SAMPLES, parse_bytes, samples


@pytest.mark.parametrize("path", samples("processlist"), ids=lambda path: path.stem)
def test_processlist(path, check_sample):
    check_sample(path)


def test_a_row_that_is_cut_has_no_cells_made_up_and_is_told() -> None:
    parsed = parse_bytes((SAMPLES / "processlist" / "8.0-box-rows-cut.txt").read_bytes())
    cut = parsed.frames["session"].row(1, named=True)
    assert (cut["user"], cut["client_host"], cut["query"]) == ("root", None, None)
    assert [problem.line for problem in parsed.problems] == [5, 7]
    running = parsed.frames["sample"].filter(series="processlist.running")
    assert running["value"].to_list() == [1]


def test_columns_are_read_by_what_the_statement_selects() -> None:
    text = b"""mysql> select user, time, state, left(info, 60) as q from processlist;
+------+------+--------------+--------------------+
| user | time | state        | q                  |
+------+------+--------------+--------------------+
| etl  |  712 | Sending data | SELECT a FROM t    |
| app  |    3 | updating     | UPDATE t SET a = 1 |
+------+------+--------------+--------------------+
"""
    rows = parse_bytes(text).frames["session"]
    assert rows["session_id"].to_list() == [None, None]
    assert rows["query"].to_list() == ["SELECT a FROM t", "UPDATE t SET a = 1"]
    assert rows["time_s"].to_list() == [712, 3]
