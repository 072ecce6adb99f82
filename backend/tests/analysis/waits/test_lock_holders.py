"""Table, metadata and global locks that only their waiters show: who must hold them, how surely."""

from __future__ import annotations

import pytest

from pileup.analysis.contract import WaitEdge, WaitGraph
from pileup.analysis.evidence.statements import tables_of, wants_exclusive
from pileup.analysis.waits import moment_graph
from tests.analysis.waits.test_waits import dump, evidence, sessions

FTWRL = "FLUSH TABLES WITH READ LOCK"
GLOBAL, METADATA = "Waiting for global read lock", "Waiting for table metadata lock"


def graph(*rows: tuple[int, str, int, str | None, str]) -> WaitGraph:
    return moment_graph.wait_graph(evidence(sessions(*rows)), None)


def writers(state: str, seconds: int = 30) -> list[tuple[int, str, int, str | None, str]]:
    return [(n, "Query", seconds, state, "UPDATE t SET a = 1") for n in range(20, 26)]


def holder(found: WaitGraph, resource: str) -> WaitEdge:
    return next(edge for edge in found.edges if edge.kind == "held_by" and edge.source == resource)


def test_the_flush_that_waits_for_a_table_holds_the_global_lock() -> None:
    """Writers, FTWRL, a long SELECT: the SELECT is the root, the flush stands between."""
    found = graph(
        *writers(GLOBAL),
        (5, "Query", 40, "Waiting for table flush", FTWRL),
        (7, "Query", 900, "Sending data", "SELECT COUNT(*) FROM t"),
    )
    edge = holder(found, "queue:global-read-lock")
    assert edge.target == "session:5"
    assert edge.confidence == 0.9
    assert "runs FLUSH TABLES" in edge.note
    assert [root.node for root in found.roots] == ["session:7"]
    assert found.roots[0].blocks_total == 7
    assert found.roots[0].amplification.endswith("1 directly behind it, 7 in all")


def test_the_flush_that_is_not_granted_yet_waits_for_a_running_write() -> None:
    found = graph(
        *writers(GLOBAL, 10),
        (5, "Query", 12, GLOBAL, FTWRL),
        (7, "Query", 700, "updating", "UPDATE big SET a = 1"),
    )
    assert holder(found, "queue:global-read-lock").target == "session:5"
    assert holder(found, "queue:global-read-lock:granting").target == "session:7"
    assert [root.node for root in found.roots] == ["session:7"]
    assert not found.cycles


@pytest.mark.parametrize(
    ("row", "confidence"),
    [
        ((6, "Query", 60, "Sending data", "SELECT /*!40001 SQL_NO_CACHE */ * FROM `t`"), 0.6),
        ((6, "Sleep", 33, None, ""), 0.45),
        ((6, "Sleep", 31, None, ""), 0.5),
    ],
)
def test_no_statement_takes_it(row: tuple[int, str, int, str, str], confidence: float) -> None:
    """A dump's own query, or the one idle session: inferred, with less confidence, and why."""
    edge = holder(graph(*writers(GLOBAL), row), "queue:global-read-lock")
    assert (edge.target, edge.inferred, edge.confidence) == ("session:6", True, confidence)
    assert edge.note.startswith("inferred: ")


@pytest.mark.parametrize(
    ("rows", "whom"),
    [
        ([(6, "Sleep", 31, None, "")], "session:6"),
        ([(6, "Sleep", 31, None, ""), (5, "Sleep", 29, None, "")], "session:6"),
        ([(6, "Sleep", 31, None, ""), (7, "Query", 60, "executing", "CALL work()")], "session:7"),
        ([(6, "Sleep", 3, None, "")], None),
    ],
)
def test_whoever_took_a_user_lock_has_done_one_thing_since(
    rows: list[tuple[int, str, int, str | None, str]], whom: str | None
) -> None:
    """An idle session, or rather one at work; its seconds are cut, so one less may be enough."""
    waiting = [(n, "Query", 30, "User lock", "SELECT GET_LOCK('x', 60)") for n in range(20, 26)]
    found = graph(*waiting, *rows)
    held = [edge for edge in found.edges if edge.kind == "held_by"]
    assert [edge.target for edge in held] == ([whom] if whom else [])
    assert all(edge.inferred and edge.confidence <= 0.6 for edge in held)


def test_many_idle_sessions_name_nobody() -> None:
    idle = [(n, "Sleep", 100 + n, None, "") for n in range(40, 60)]
    found = graph(*writers(GLOBAL), *idle)
    assert not [edge for edge in found.edges if edge.kind == "held_by"]
    assert found.roots[0].label == "global read lock"


@pytest.mark.parametrize(
    ("state", "query", "queue"),
    [
        ("Waiting for commit lock", FTWRL, "commit-lock"),
        ("Waiting for backup lock", "LOCK INSTANCE FOR BACKUP", "backup-lock"),
    ],
)
def test_commit_and_backup_locks(state: str, query: str, queue: str) -> None:
    found = graph(*writers(state), (5, "Query", 60, "User sleep", query))
    assert holder(found, f"queue:{queue}").target == "session:5"


def test_an_alter_behind_a_long_select_and_all_behind_the_alter() -> None:
    """Only states are known: the SELECT on the same table holds the lock, not the older report."""
    reads = [(n, "Query", 25, METADATA, f"SELECT * FROM orders o WHERE id={n}") for n in range(30)]
    found = graph(
        *[(100 + n, *row[1:]) for n, row in enumerate(reads)],
        (4, "Query", 30, METADATA, "ALTER TABLE orders ADD COLUMN x INT"),
        (9, "Query", 400, "Sending data", "SELECT SUM(x) FROM shop.orders JOIN items USING (id)"),
        (8, "Query", 900, "Sending data", "SELECT 1 FROM other"),
    )
    assert holder(found, "mdl:shop.orders").target == "session:4"
    edge = holder(found, "mdl:shop.orders:granting")
    assert (edge.target, edge.inferred, edge.confidence) == ("session:9", True, 0.85)
    assert found.roots[0].blocks_total == 31
    assert any("Session 4 requested" in note for note in found.notes)


def test_an_idle_transaction_holds_the_metadata_lock() -> None:
    """No statement runs on the table: the transaction that began before the first waited."""
    idle = (
        "---TRANSACTION 26478, ACTIVE 600 sec\n"
        "MySQL thread id 390, OS thread handle 140464743184064, query id 1 localhost root\n"
    )
    rows = [(n, "Query", 25, METADATA, "SELECT * FROM orders") for n in range(20, 26)]
    alter = (4, "Query", 30, METADATA, "ALTER TABLE orders ADD COLUMN x INT")
    found = moment_graph.wait_graph(
        evidence(dump(transactions=idle), sessions(*rows, alter, (390, "Sleep", 500, None, ""))),
        None,
    )
    edge = holder(found, "mdl:shop.orders:granting")
    assert "idle transaction" in edge.note
    assert edge.confidence == 0.65


def test_a_table_lock_is_of_who_writes_the_table() -> None:
    rows = [
        (n, "Query", 20, "Waiting for table level lock", "SELECT * FROM log") for n in range(6, 12)
    ]
    insert = (3, "Query", 50, "Copying to tmp table", "INSERT INTO log SELECT * FROM staging")
    edge = holder(graph(*rows, insert), "queue:table-lock")
    assert (edge.target, edge.confidence) == ("session:3", 0.85)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SELECT a FROM `shop`.`Orders` AS o, items i JOIN c USING (id)", {"orders", "items", "c"}),
        ("UPDATE IGNORE t SET x = 'from nowhere'", {"t"}),
        ("INSERT INTO a (x) VALUES (1)", {"a"}),
        ("ALTER TABLE IF EXISTS t ADD INDEX (x)", {"t"}),
        ("CREATE UNIQUE INDEX i ON shop.t (a)", {"t"}),
        ("SELECT * FROM (SELECT 1 FROM deep) x", {"deep"}),
        ("SHOW TABLES", set()),
        ("COMMIT", set()),
    ],
)
def test_tables_of_a_statement(query: str, names: set[str]) -> None:
    assert tables_of(query) == names


def test_a_hostile_statement_costs_little() -> None:
    assert len(tables_of("FROM `" * 100_000)) < 5
    assert wants_exclusive("/* " + "x" * 100_000) is False
    assert wants_exclusive("  /* deploy */ alter table t add x int")
    assert not wants_exclusive("SELECT * FROM alter_log")


def test_a_select_for_update_delays_the_global_read_lock_and_a_collector_never_does() -> None:
    found = graph(
        (18, "Query", 30, GLOBAL, FTWRL),
        (3, "Query", 90, "User sleep", "SELECT SLEEP(1000)\nFROM stock FOR UPDATE"),
        (6, "Query", 95, "executing", "SELECT id FROM information_schema.processlist FOR UPDATE"),
    )
    assert [root.node for root in found.roots] == ["session:3"]
