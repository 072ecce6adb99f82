"""Appliers of a replica: behind a reader, and in a cycle with a global lock."""

from __future__ import annotations

from benchmarks.incidents.mechanisms.catalogue import ALL, mechanism
from benchmarks.incidents.scenario import Scenario
from benchmarks.incidents.simulation import Program, Session, Take, Work

_ORDERED = tuple(key for key in ALL if key != "my56")


def applier(s: Scenario, verb: str, statement: str, table: str) -> Session:
    """Connect one applier that runs a statement of the source."""
    session = s.app.client("system user")
    maria, modern = s.server.maria, s.server.generation in ("my80", "my84")
    session.host = "" if not modern else "connecting host"
    session.command = "Slave_worker" if maria else "Query" if modern else "Connect"
    s.world.query(session, verb, statement, table)
    return session


def threads(s: Scenario) -> None:
    """Connect the receiver and the coordinator."""
    maria, modern = s.server.maria, s.server.generation in ("my80", "my84")
    source = "source" if s.server.key == "my84" else "master"
    for command, state in (
        ("Slave_IO", f"Waiting for {source} to send event"),
        (
            "Slave_SQL",
            "Waiting for room in worker thread event queue"
            if maria
            else "Waiting for dependent transaction to commit",
        ),
    ):
        session = s.app.client("system user")
        session.host, session.state = "connecting host" if modern else "", state
        session.command = command if maria else "Connect" if not modern else "Query"
        session.database, session.since = "NULL", -s.rng.uniform(1000, 900_000)


def _workers(s: Scenario, count: int, order: str) -> None:
    """Let appliers finish their work and wait for the one before them to commit."""
    for _ in range(count):
        table = s.rng.choice(s.app.tables[1:])
        text = f"UPDATE {table} SET {s.app.columns[0]} = {s.rng.randrange(9999)} WHERE id = 7"
        session = applier(s, "update", text, table)

        def program(session: Session) -> Program:
            trx = s.world.begin(session)
            trx.undo, trx.row_locks = 1, 1
            yield Work(s.rng.uniform(0.1, 0.5), "updating")
            yield Take(s.app.lock("commit_order", order), "X")

        s.after(0.1, program, session)


@mechanism("applier-behind-reader", shown="list", rooted="list", servers=_ORDERED, least=2)
def applier_behind_reader(s: Scenario) -> None:
    """Apply a DDL while a report reads the table; the other appliers commit in order after it."""
    threads(s)
    s.app.write_share, s.app.hot_table_share = 0.0, 0.2
    table = s.app.tables[0]
    culprit = s.culprit(user="report")
    age = s.rng.uniform(10, 2000)

    def read(session: Session) -> Program:
        s.world.query(session, "select", f"SELECT * FROM {table} ORDER BY 3, 1", table)
        session.since -= age
        yield Take(s.app.lock("metadata", table), "S")
        yield Work(1e9, "scanning")

    def change(session: Session) -> Program:
        yield Take(s.app.lock("commit_order", "order"), "X")
        yield Take(s.app.lock("metadata", table), "X")
        yield Work(0.2, "altering")
        s.world.kill(session)

    s.after(-1.0, read, culprit)
    ddl = applier(s, "alter", f"ALTER TABLE {table} ADD COLUMN flag TINYINT NULL", table)
    s.after(0.0, change, ddl)
    _workers(s, s.rng.randrange(2, 8), "order")


@mechanism("commit-order-cycle", shown="list", servers=_ORDERED, least=2)
def commit_order_cycle(s: Scenario) -> None:
    """Close a cycle: a backup waits for an applier that waits for one that waits for the backup."""
    threads(s)
    s.app.write_share = 0.0
    lock = s.app.lock("commit_lock", "commit")
    order = s.app.lock("commit_order", "order")
    s.truth.root = r"cycle|commit|global|order|backup|flush"
    table = s.app.tables[1]
    text = f"INSERT INTO {table} ({s.app.columns[0]}) VALUES ({s.rng.randrange(999)})"

    def first(_: Session) -> Program:
        yield Take(order, "X")
        yield Work(0.3, "inserting")
        yield Take(lock, "S")

    def later(_: Session) -> Program:
        yield Take(lock, "S")
        yield Work(0.2, "committing")
        yield Take(order, "X")

    def backup(session: Session) -> Program:
        s.world.query(session, "ftwrl", "FLUSH TABLES WITH READ LOCK")
        yield Take(s.app.lock("global", "global"), "X")
        yield Take(lock, "X")

    s.after(0.0, first, applier(s, "insert", text, table))
    s.after(0.05, later, applier(s, "insert", text, table))
    culprit = s.culprit(user="backup")
    s.after(0.1, backup, culprit)
    _workers(s, s.rng.randrange(0, 6), "order")
