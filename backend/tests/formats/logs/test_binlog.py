"""mysqlbinlog: transactions with their begin, size and rows; what a server changed, and when."""

from __future__ import annotations

import pytest

from pileup.formats.logs import binlog
from pileup.records import Event, Item, Samples, Table
from tests.formats.checks import SAMPLES, samples


@pytest.mark.parametrize("path", samples("binlog"), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


def read(name: str) -> list[Item]:
    return list(binlog.parse((SAMPLES / "binlog" / name).read_text().split("\n")))


def test_a_change_of_the_schema_has_the_time_at_which_it_began_and_how_long_it_took() -> None:
    items = read("8.0-statements-and-a-change.txt")
    start, change = (item for item in items if isinstance(item, Event))
    assert "8.0.36" in start.message
    assert (change.wall_us, change.clock) == (1795213091_000000, "utc")
    assert change.message == "ALTER TABLE accounts ADD COLUMN note varchar(40) (456 s)"


def test_a_transaction_has_the_bytes_and_the_thread_of_all_its_events() -> None:
    (table,) = (i for i in read("8.0-statements-and-a-change.txt") if isinstance(i, Table))
    first, second = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert (first["thread"], first["seconds"]) == ("237", "456")
    assert (second["thread"], second["bytes"], second["events"]) == ("240", "304", "4")
    assert second["statement"] == "UPDATE accounts SET balance = balance - 10 WHERE id = 12"


def test_rows_are_counted_and_what_is_cut_off_counts_too() -> None:
    items = read("mariadb-10.6-rows-cut.txt")
    (table,) = (item for item in items if isinstance(item, Table))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["rows"], row["tables"]) == ("3", "`shop`.`sessions`")
    assert row["statement"] == "DELETE FROM sessions WHERE seen < NOW() - INTERVAL 30 DAY"
    sizes = next(i for i in items if isinstance(i, Samples) and i.series == "binlog.bytes")
    assert sizes.values == [16555.0]
