"""Result sets of the client: what is read of any layout, and which tables become which records."""

from __future__ import annotations

import json
import tarfile
import tempfile
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from pileup.formats.driver import parse_path
from pileup.formats.tables import (
    lock_tables,
    open_tables,
    processlist,
    replication,
    result_set,
)
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet, Stray, read
from pileup.formats.tables.meanings import reader as result_records
from pileup.formats.tables.meanings import tables as result_tables
from pileup.records import (
    Event,
    LockWait,
    MetadataLock,
    Problem,
    Samples,
    ServerThread,
    Session,
    Setting,
    Skipped,
    Table,
    Transaction,
    TrxLock,
)
from tests.formats.checks import SAMPLES, parse_bytes, samples

FORMATS = (
    "lock-tables",
    "replication",
    "open-tables",
    "result-json",
    "result-set",
    "slow-log-table",
)
EVERY = [(name, path) for name in FORMATS for path in samples(name)]


def test_a_header_that_is_cut_cuts_no_row() -> None:
    """The rules say how many columns there are."""
    rule = "+------+------+"
    lines = [rule, "| name |", rule, "| a    | 1    |", rule]
    rows = [part for part in read(lines) if isinstance(part, ResultRow)]
    assert [(row.values, row.missing) for row in rows] == [(("a", "1"), 0)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda item: getattr(item, "stem", item))
def test_sample(name, path, check_sample):
    check_sample(path)


def items(module, name: str) -> list[object]:
    folder = module.NAME
    return list(module.parse((SAMPLES / folder / name).read_text().split("\n")))


def of(kind, found):
    return [item for item in found if isinstance(item, kind)]


def test_the_pages_of_a_pool_by_index_are_a_table_named_by_its_query() -> None:
    found = items(result_set, "8.0-several-queries-pasted.txt")
    pages, waits, notes = of(Table, found)
    assert pages.name.startswith("SELECT table_name, index_name, COUNT(*) AS page_count, ROUND(")
    assert pages.name.endswith("ORDER BY page_count DESC LIMIT 4")
    assert pages.columns == ("table_name", "index_name", "page_count", "data_size_in_MB")
    assert pages.rows[0] == ("`game`.`entity_state`", "PRIMARY", "181022", "2634.18")
    assert pages.rows[2] == (None, None, "9133", "0.00")
    assert waits.rows[0][1:] == ("88120394", "4120093847561100")
    assert [row[0] for row in notes.rows] == ["1", "2", "3"]
    assert notes.rows[0][1] == "first line\n| second | line"
    assert notes.rows[1][1] == "日本語テキスト"
    assert not of(Skipped, found)


def test_batch_output_undoes_escapes_and_a_blank_line_parts_results() -> None:
    digests, schemas = of(Table, items(result_set, "batch-tab-two-results.txt"))
    assert digests.rows[1][0] == "UPDATE `t` SET `n` = `n` + ?\nWHERE `id` = ?"
    assert digests.rows[0][3] is None
    assert schemas.rows == (("app", "14"), ("mysql", "38"))
    (verbose,) = of(Table, items(processlist, "connections-by-user-and-host.txt"))
    assert verbose.name.startswith("SELECT user, host, COUNT(*) FROM information_schema")


def test_raw_line_breaks_in_a_tab_separated_cell_are_joined_again() -> None:
    text = "id\tnote\tn\n1\tone\n two\t5\n2\tthree\t6\n"
    rows = [item.values for item in read(text.split("\n")) if isinstance(item, ResultRow)]
    assert rows == [("1", "one\n two", "5"), ("2", "three", "6")]


def test_a_statement_that_looks_like_rows_stays_one_value() -> None:
    """Keys count only at the first row's width and in its order."""
    text = (
        "*************************** 1. row ***************************\n"
        "        id: 1\n"
        "trx_query: x\n"  # not aligned with id: part of nothing yet, so it continues the value
        " trx_query: SELECT 1\n"
        "*************************** 2. row ***************************\n"
        "        id: 2\n"
        " trx_query: SELECT\n"
        "        id: 9\n"
        "\n"
        " FROM t\n"
    )
    rows = [item for item in read(text.split("\n")) if isinstance(item, ResultRow)]
    assert rows[0].values == ("1\ntrx_query: x", "SELECT 1")
    assert rows[1].values == ("2", "SELECT\n        id: 9\n\n FROM t")
    assert (rows[1].line_first, rows[1].line_last) == (5, 10)


def test_what_is_no_table_is_said() -> None:
    parts = list(read(["mysql> SELECT 1;", "some prose", "+---+", "| 1 |", "+---+", "| 1 |"]))
    assert [type(part) for part in parts] == [Stray, ResultSet, ResultRow]
    assert parts[1].title == "SELECT 1"


def test_a_table_is_bounded_and_says_so() -> None:
    lines = ["a\tb", *("1\t2" for _ in range(20_010))]
    found = list(result_set.parse(lines))
    (table,) = of(Table, found)
    assert len(table.rows) == 20_000
    (problem,) = of(Problem, found)
    assert "10 more rows" in problem.message
    (skip,) = of(Skipped, found)
    assert (skip.line_first, skip.line_last) == (20_002, 20_011)


def test_locks_and_threads_of_performance_schema() -> None:
    found = items(lock_tables, "8.0-locks-waits-and-threads-box.txt")
    threads = of(ServerThread, found)
    assert [(thread.ps_thread_id, thread.session_id, thread.os_tid) for thread in threads[:2]] == [
        (13, None, 4201),
        (57, 18, 4240),
    ]
    assert [session.session_id for session in of(Session, found)] == [18, 19, 20, 21]
    pending = [lock for lock in of(MetadataLock, found) if lock.status == "PENDING"]
    assert [(item.object_name, item.mode, item.ps_thread_id) for item in pending] == [
        ("app.orders", "EXCLUSIVE", 58),
        ("app.orders", "SHARED_READ", 59),
    ]
    locks = of(TrxLock, found)
    assert [lock.waiting for lock in locks] == [False, True, False, False]
    assert (locks[1].lock_data, locks[1].ps_thread_id, locks[1].table) == ("7", 60, "app.stock")
    by_table, by_sys, metadata = of(LockWait, found)
    assert (by_table.waiting_session, by_table.waiting_ps_thread) == (None, 60)
    assert (by_table.waiting_trx, by_table.blocking_trx) == ("9034", "9011")
    assert (by_sys.waiting_session, by_sys.blocking_session, by_sys.waiting_s) == (21, 18, 6)
    assert by_sys.waiting_query == "UPDATE stock SET n=n-1\nWHERE id=7"
    assert (metadata.lock_kind, metadata.table, metadata.waiting_s) == (
        "metadata",
        "app.orders",
        44,
    )
    assert not of(Skipped, found)


def test_how_old_a_transaction_is_when_the_clocks_are_of_one_zone() -> None:
    found = items(lock_tables, "5.7-pt-stalk-transactions-sampled.txt")
    waiter, holder, other_zone = of(Transaction, found)
    assert (waiter.active_s, waiter.wait_s, waiter.waits_page) == (2.25, 1.25, 4)
    assert waiter.query == "UPDATE c SET n=n+1\n\n WHERE id=42"
    assert holder.active_s == 26.25
    assert other_zone.active_s is None  # eight hours apart: not one zone, so no age is made up
    assert {item.clock for item in (waiter, holder, other_zone)} == {"utc"}
    assert not of(Skipped, found)


def test_metadata_locks_of_mariadb() -> None:
    text = (
        "| THREAD_ID | LOCK_MODE       | LOCK_DURATION | LOCK_TYPE           | TABLE_SCHEMA | "
        "TABLE_NAME |\n|        12 | MDL_SHARED_READ | NULL          | Table metadata lock | app"
        "          | t1         |"
    )
    head, row = text.split("\n")
    rule = "".join("+" if character == "|" else "-" for character in head)
    (lock,) = of(MetadataLock, lock_tables.parse([rule, head, rule, row, rule]))
    assert (lock.session_id, lock.object_type, lock.object_name, lock.mode, lock.status) == (
        12,
        "TABLE",
        "app.t1",
        "SHARED_READ",
        "GRANTED",
    )


def test_replication_keeps_what_is_not_known_apart_from_zero() -> None:
    found = items(replication, "8.0-two-channels.txt")
    behind = {item.labels[0][1]: item for item in of(Samples, found) if "behind" in item.series}
    assert list(behind["orders"].values) == [412.0]
    assert list(behind["ads"].values) == [None]
    running = {
        item.labels[0][1]: item for item in of(Samples, found) if "io_running" in item.series
    }
    assert list(running["ads"].values) == [0.0]
    (error,) = of(Event, found)
    assert (error.code, error.wall_us, error.clock) == ("13114", 1795212849_000000, "local")
    gtids = [
        setting.value
        for setting in of(Setting, found)
        if setting.name.endswith("executed_gtid_set")
    ]
    assert gtids[0].endswith(":1-8117,\n9e4c2b51-0000-11ee-8000-0242ac110003:1-44")


def test_a_replication_status_by_the_second() -> None:
    found = items(replication, "5.5-pt-stalk-sampled.txt")
    behind = [item for item in of(Samples, found) if item.series == "replication.seconds_behind"]
    assert [(waiter.wall_us[0], waiter.values[0]) for waiter in behind] == [
        (1795213200_004979, 3.0),
        (1795213201_006597, None),
    ]
    hosts = [setting for setting in of(Setting, found) if setting.name == "replication.master_host"]
    assert len(hosts) == 1  # said again only when it changes


@pytest.mark.parametrize(
    ("bound", "says"),
    [
        ("_MOST_CELLS_OF_FILE", "the tables of one file keep 8 cells together"),
        ("_MOST_CELLS", "a table keeps 20\u202f000 rows and 8 cells at most"),
    ],
)
def test_open_tables_without_room_are_counted_all_the_same(
    bound: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left out says which bound it met, and that the gauges know of it."""
    monkeypatch.setattr(result_tables, bound, 8)
    if bound == "_MOST_CELLS_OF_FILE":
        monkeypatch.setattr(result_tables.Shared, "__init__", _with_room_for_eight)
    rows = "".join(f"shop\tt{n}\t{n % 2}\t0\n" for n in range(5))
    text = f"Database\tTable\tIn_use\tName_locked\n{rows}"
    parsed = parse_bytes(text.encode(), "opentables1")
    values = dict(parsed.frames["sample"].select("series", "value").iter_rows())
    assert (values["open_tables.open"], values["open_tables.in_use"]) == (5, 2)
    assert parsed.frames["table"]["rows"].list.len().to_list() == [2]
    (problem,) = parsed.problems
    assert f"has 3 more rows than the 2 that were kept ({says})" in problem.message
    assert "open_tables.* count them all the same" in problem.message
    assert [item.why for item in parsed.receipt.skipped] == ["no room in the table, but counted"]


def _with_room_for_eight(self: result_tables.Shared) -> None:
    self.cells = 8
    self.yielded = {}


def test_open_tables_are_counted() -> None:
    found = items(open_tables, "mariadb-box.txt")
    counts = {item.series: item.values[0] for item in of(Samples, found)}
    assert counts == {
        "open_tables.open": 3,
        "open_tables.in_use": 1,
        "open_tables.uses": 12,
        "open_tables.name_locked": 1,
    }
    (only,) = items(open_tables, "pt-stalk-too-many.txt")
    assert (only.series, list(only.values)) == ("open_tables.open", [2314])


def test_a_capture_of_metadata_locks_agrees_with_a_count_of_its_lines(captures) -> None:
    """Ten thousand locks of pt-stalk's -ps-locks-transactions, counted by another way."""
    bundle = next(captures.glob("hot-row/pt-stalk-*.tar.gz"))
    with tarfile.open(bundle) as tar, tempfile.TemporaryDirectory() as folder:
        name = next(item for item in tar.getnames() if item.endswith("-ps-locks-transactions"))
        tar.extract(name, folder, filter="data")
        path = Path(folder) / name
        assert _agreed_locks(path) > 10_000


def test_a_sample_of_metadata_locks_agrees_with_a_count_of_its_lines() -> None:
    (path,) = (path for path in samples("lock-tables") if "ps-locks-transactions" in path.name)
    assert _agreed_locks(path) > 5


def _agreed_locks(path: Path) -> int:
    """Compare the metadata locks with a count of lines; return how many there are."""
    text, parsed = path.read_text(), parse_path(path)
    locks = parsed.frames["metadata_lock"]
    assert locks.height == text.count(" LOCK_STATUS: ")
    assert (locks["status"] == "GRANTED").sum() == text.count(" LOCK_STATUS: GRANTED")
    assert locks["session_id"].null_count() == 0
    assert parsed.frames["snapshot"].height == text.count("metadata_locks ml join")
    assert parsed.receipt.bytes_skipped == 0
    return locks.height


def test_rows_as_json_are_what_the_client_would_have_printed() -> None:
    rows = [("Aborted_clients", "0"), ("Uptime", "100"), ("Threads_running", "3")]
    as_json = "\n".join(json.dumps({"Variable_name": n, "Value": v}) for n, v in rows)
    as_tabs = "\n".join(["Variable_name\tValue", *("\t".join(row) for row in rows)])
    read_twice = [parse_bytes(text.encode()).frames["sample"] for text in (as_json, as_tabs)]
    assert_frame_equal(*(frame.drop("line_first") for frame in read_twice))
    assert read_twice[0]["line_first"].to_list() == [1, 2, 3]


def test_a_status_dump_in_a_row_of_json_is_a_dump() -> None:
    dump = next(path for path in samples("innodb-status")).read_text()
    text = json.dumps([{"Type": "InnoDB", "Name": "", "Status": dump}], indent=4)
    found, whole = parse_bytes(text.encode()), parse_bytes(dump.encode())
    assert found.receipt.records == whole.receipt.records


def test_a_file_keeps_so_many_result_sets(monkeypatch):
    """Tiny ones are a hundred times their text in memory; what is left out is named."""
    monkeypatch.setattr(result_records, "MOST_SETS", 2)
    text = "\n".join(f"name\tn\nrow\t{n}\nother\t{n}\n" for n in range(4))
    found = list(result_set.parse(text.split("\n")))
    assert [item.rows[0] for item in found if isinstance(item, Table)] == [
        ("row", "0"),
        ("row", "1"),
    ]
    assert [(item.line_first, item.line_last) for item in found if isinstance(item, Skipped)] == [
        (9, 15)
    ]
    (problem,) = [item for item in found if isinstance(item, Problem)]
    assert "2 more result sets than the 2" in problem.message
