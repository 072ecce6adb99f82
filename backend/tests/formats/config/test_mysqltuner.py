"""MySQLTuner's remarks keep their section, and its numbers are values."""

from __future__ import annotations

import pytest

from pileup.formats.config import mysqltuner
from pileup.records import Samples, Setting, Skipped, Table
from tests.formats.checks import SAMPLES, samples


@pytest.mark.parametrize("path", samples(mysqltuner.NAME), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


def test_a_remark_has_its_mark_and_section_and_a_number_is_a_value() -> None:
    text = (SAMPLES / mysqltuner.NAME / "2.5-sections.txt").read_text()
    items = list(mysqltuner.parse(text.split("\n")))
    (table,) = (item for item in items if isinstance(item, Table))
    assert (
        "!!",
        "Performance Metrics",
        "Highest connection usage: 100%  (1501/1500)",
    ) in table.rows
    assert (None, "Variables to adjust", "max_connections (> 1500)") in table.rows
    (used,) = (item for item in items if isinstance(item, Samples))
    assert (used.series, used.values) == ("mysql.Max_used_connections", [1501.0])
    settings = {item.name: item.value for item in items if isinstance(item, Setting)}
    assert settings == {"version": "8.0.36-28", "max_connections": "1500"}


def test_a_line_in_colours_is_a_remark_and_any_other_is_left_out() -> None:
    lines = ["---- InnoDB ----", "[\x1b[0;31m!!\x1b[0m] too small", "prose"]
    table, left_out = sorted(
        (item for item in mysqltuner.parse(lines) if isinstance(item, Table | Skipped)),
        key=lambda item: item.line_first if isinstance(item, Table) else 99,
    )
    assert isinstance(table, Table)
    assert table.rows == (("!!", "InnoDB", "too small"),)
    assert left_out == Skipped(3, 3, "no remark of MySQLTuner")
