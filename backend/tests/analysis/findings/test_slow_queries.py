"""Slow queries by shape in the stall, and tables that changed: by construction."""

from __future__ import annotations

from pileup.analysis import analyse
from pileup.analysis.compare.table_changes import table_changes, tables
from pileup.analysis.evidence.context import Span
from pileup.analysis.findings.slow_queries import slow_queries
from pileup.records import Query, Table
from pileup.report import ticket
from tests.analysis.frames import T0, S, evidence, gauge


def query(second: float, took: float, text: str, line: int = 1, session: int = 1) -> Query:
    return Query(
        line_first=line,
        line_last=line + 2,
        wall_us=T0 + round(second * S),
        clock="utc",
        query_time_s=took,
        lock_time_s=0.5,
        rows_examined=10,
        session_id=session,
        query=text,
    )


def test_queries_that_overlap_the_stall_are_grouped_by_shape() -> None:
    """Two updates of one shape ran in it (one ended later), one select; an earlier one did not."""
    found = evidence(
        {
            "slow": [
                query(5, 1, "UPDATE t SET n=1 WHERE id=1"),
                query(32, 1, "SELECT 1", line=10),
                query(40, 5, "UPDATE t SET n=2 WHERE id=7", line=20, session=2),
                query(65, 9, "UPDATE t SET n=3 WHERE id=8", line=30, session=3),
            ]
        }
    )
    stall, quiet = Span(T0 + 30 * S, T0 + 60 * S), Span(T0, T0 + 30 * S)
    update, select = slow_queries(found, stall, quiet)
    assert update.shape == "UPDATE t SET n=? WHERE id=?"
    assert (update.calls, update.total_s, update.max_s, update.sessions) == (2, 14.0, 9.0, 2)
    assert update.share == 14 / 15
    assert update.example.line_first == 30
    assert update.baseline_per_second == 1 / 30
    assert update.row_lock_wait_s is None
    assert (select.calls, select.baseline_per_second) == (1, 0.0)


def test_the_slow_log_answers_where_there_is_no_processlist() -> None:
    """The triage check and the ticket both name the shape that took the time."""
    log = [query(30 + n, 1, f"UPDATE t SET n={n} WHERE id=42", line=n + 1) for n in range(20)]
    running = gauge("metric.threads_running", [2.0] * 30 + [90.0] * 25 + [2.0] * 30)
    analysis = analyse(evidence({"m": [running], "slow": log}))
    assert analysis.slow_queries[0].calls == 20
    (check,) = [item for item in analysis.triage if item.check == "collateral_query"]
    assert check.verdict == "suspect"
    page = ticket.text(ticket.blocks(analysis))
    assert "Slow queries of the stall" in page
    assert "UPDATE t SET n=? WHERE id=?" in page


def table(second: int, rows: list[tuple[str | None, ...]], line: int = 1) -> Table:
    return Table(
        line_first=line,
        line_last=line + len(rows),
        wall_us=T0 + second * S,
        clock="utc",
        name="pages by index",
        columns=("index_name", "pages"),
        rows=tuple(rows),
    )


def test_the_first_and_the_last_table_of_a_kind_are_compared() -> None:
    before = table(0, [("PRIMARY", "100"), ("by_owner", "50"), ("gone", "1")])
    middle = table(10, [("PRIMARY", "1")])
    after = table(20, [("PRIMARY", "110"), ("by_owner", "5000"), ("new", "7")])
    found = evidence({"1": [before], "2": [middle], "3": [after]})
    (change,) = table_changes(found)
    assert (change.added, change.gone, change.changed) == (1, 1, 2)
    assert change.keys == ["index_name"]
    most = change.largest[0]
    assert (most.key, most.before, most.after, most.change, most.ratio) == (
        ["by_owner"],
        "50",
        "5000",
        "4950",
        100.0,
    )
    assert [item.rows for item in tables(found)] == [3, 1, 3]
    assert change.after.path == "3"


def test_tables_that_did_not_change_are_not_told() -> None:
    assert table_changes(evidence({"1": [table(0, [("a", "1")]), table(9, [("a", "1")], 9)]})) == []
    assert table_changes(evidence({"1": [table(0, [("a", "1")])]})) == []
