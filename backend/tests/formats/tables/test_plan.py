"""EXPLAIN as a tree or JSON: a row per step, with its table, index, rows and time."""

from __future__ import annotations

from functools import partial

import pytest

from pileup.formats.logs import statements
from pileup.formats.tables import plan
from pileup.records import Table
from tests.formats.checks import SAMPLES, samples
from tests.support.cpu import cpu_seconds


@pytest.mark.parametrize("path", samples("plan"), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path, shared=("result-set", "result-json", "json-samples"))


def read(name: str) -> list[dict[str, str | None]]:
    text = (SAMPLES / "plan" / name).read_text()
    (table,) = (item for item in plan.parse(text.split("\n")) if isinstance(item, Table))
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_a_step_has_its_table_index_and_the_time_of_all_loops() -> None:
    _, covering, never = read("8.0-analyze-in-a-box.txt")
    assert (covering["level"], covering["table"], covering["index"]) == ("2", "t1", "k_a")
    assert (covering["loops"], covering["total_ms"]) == ("3", "0.1251")
    assert (never["loops"], never["total_ms"]) == ("0", None)


def test_steps_whose_ends_a_client_escaped_keep_their_levels() -> None:
    rows = read("8.4-tree-with-escaped-ends.txt")
    assert [row["level"] for row in rows] == ["1", "2", "3"]
    assert rows[-1]["estimated_rows"] == "1e+6"


def test_json_of_both_servers_has_a_row_per_table() -> None:
    first, second = read("8.0-json-in-a-box.txt")
    assert (first["access"], first["index"], first["cost"]) == ("ref", "k_state", "8.40")
    assert (second["table"], second["estimated_rows"]) == ("l", "900")
    (orders,) = read("mariadb-10.11-analyze.json")
    assert (orders["rows"], orders["total_ms"]) == ("1000000", "3110.2")


def test_json_of_version_2_is_the_tree_whatever_the_order_of_its_keys() -> None:
    rows = read("8.3-json-of-version-2.txt")
    assert [(row["level"], row["table"]) for row in rows] == [("1", None), ("2", "o"), ("2", "i")]
    assert rows[0]["step"] == "Nested loop inner join"
    assert (rows[2]["index"], rows[2]["cost"]) == ("order_id", "0.9")


def test_times_of_json_of_version_2_count_all_loops() -> None:
    step = '"operation": "Table scan on t", "actual_last_row_ms": 0.5, "actual_loops": 4'
    lines = ['{"query_plan": {', f'"inputs": [{{ {step} }}],', '"operation": "Sort", "actual_lo']
    (table,) = (item for item in plan.parse(lines) if isinstance(item, Table))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert [(row["level"], row["step"]) for row in rows] == [
        ("1", "Sort"),
        ("2", "Table scan on t"),
    ]
    assert rows[1]["total_ms"] == "2"


def test_a_trace_has_a_row_per_way_that_was_considered() -> None:
    (way,) = read("optimizer-trace-of-one-table.txt")
    assert (way["table"], way["access"], way["cost"]) == ("orders", "scan", "101233")
    assert way["chosen"] == "true"


def test_a_step_far_to_the_right_costs_less_than_as_many_blanks_before_short_ones() -> None:
    """Blanks before a step are matched once, also by the format of statements."""

    def sniff(blanks: int) -> None:
        line = " " * blanks + "-> Table scan on t  (cost=1 rows=1)"
        statements.sniff(line)
        plan.sniff(line)

    def sniff_short() -> None:
        for _ in range(500):
            sniff(6)

    assert cpu_seconds(partial(sniff, 3000)) < 5 * cpu_seconds(sniff_short)
