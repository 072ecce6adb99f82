"""Loads that are fine: nothing may be reported."""

from __future__ import annotations

from benchmarks.incidents.mechanisms.catalogue import mechanism
from benchmarks.incidents.mechanisms.replicas import applier, threads
from benchmarks.incidents.scenario import Scenario
from benchmarks.incidents.simulation import IDLE, Free, Program, Session, Take, Work


def _healthy(s: Scenario) -> None:
    s.truth.onset = None


@mechanism("healthy-calm", shown="", healthy=True)
def calm(s: Scenario) -> None:
    """Do the usual work."""
    _healthy(s)


@mechanism("healthy-busy", shown="", healthy=True)
def busy(s: Scenario) -> None:
    """Work much, with the short waits that a busy server has."""
    _healthy(s)
    s.app.think_s = 0.08
    s.heat(0.05)


@mechanism("healthy-batch", shown="", healthy=True)
def batch(s: Scenario) -> None:
    """Run a long batch that nobody waits for."""
    _healthy(s)
    table = s.app.tables[-1]

    def program(session: Session) -> Program:
        text = f"UPDATE {table} SET {s.app.columns[0]} = 0 WHERE id BETWEEN 100000 AND 900000"
        s.world.query(session, "update", text, table)
        trx = s.world.begin(session)
        trx.undo, trx.row_locks, trx.phase = 72_000, 80_100, "fetching rows"
        trx.tables.append(table)
        yield Work(1e9, "scanning")

    s.after(-1.0, program, s.culprit(user="batch"))
    s.truth.root_session = None


@mechanism("healthy-backup", shown="", healthy=True)
def backup(s: Scenario) -> None:
    """Dump with a consistent snapshot; replicas read the binary log."""
    _healthy(s)
    table = s.app.tables[-1]

    def program(session: Session) -> Program:
        text = f"SELECT /*!40001 SQL_NO_CACHE */ * FROM `{table}`"
        s.world.query(session, "select", text, table)
        trx = s.world.begin(session)
        trx.since, trx.snapshot = s.world.now - s.rng.uniform(10, 600), True
        yield Work(1e9, "sending")

    s.after(-1.0, program, s.culprit(user="dump"))
    s.truth.root_session = None


@mechanism("healthy-growing", shown="", healthy=True)
def growing(s: Scenario) -> None:
    """Do more and more, as in the morning; nothing waits."""
    _healthy(s)
    slow, quick = s.app.think_s * 2, s.app.think_s / 2
    s.app.think_s = slow
    for step in range(20):
        think = slow + (quick - slow) * step / 20
        s.world.at(s.onset + step, lambda think=think: setattr(s.app, "think_s", think))  # type: ignore[misc]


@mechanism("healthy-replica", shown="", healthy=True)
def replica(s: Scenario) -> None:
    """Apply in order; some applier always waits a moment for the one before."""
    _healthy(s)
    threads(s)
    order = s.app.lock("commit_order", "order")

    def program(session: Session) -> Program:
        while True:
            table = s.rng.choice(s.app.tables)
            text = f"UPDATE {table} SET {s.app.columns[0]} = 3 WHERE id = {s.rng.randrange(9999)}"
            s.world.query(session, "update", text, table)
            yield Work(s.rng.uniform(0.001, 0.02), "updating")
            yield Take(order, "X")
            yield Work(s.rng.uniform(0.0005, 0.002), "committing")
            yield Free(order)
            s.world.finish(session)
            yield Work(s.rng.uniform(0.001, 0.05), IDLE)

    for _ in range(4):
        s.after(-1.0, program, applier(s, "update", "", s.app.tables[0]))


@mechanism("healthy-idle-transaction", shown="", healthy=True)
def idle_transaction(s: Scenario) -> None:
    """Leave a transaction open for minutes that nobody waits for."""
    _healthy(s)

    def program(session: Session) -> Program:
        trx = s.world.begin(session)
        trx.since -= s.rng.uniform(30, 400)
        trx.undo, trx.row_locks = 2, 3
        session.since = trx.since + 2
        yield Work(1e9, IDLE)

    s.after(-1.0, program, s.culprit())
    s.truth.root_session = None


@mechanism("healthy-slow-report", shown="", healthy=True)
def slow_report(s: Scenario) -> None:
    """Run one long report; everybody else works as usual."""
    _healthy(s)
    table = s.app.tables[0]

    def program(session: Session) -> Program:
        text = f"SELECT {s.app.columns[0]}, count(*) FROM {table} GROUP BY 1 ORDER BY 2 DESC"
        s.world.query(session, "select", text, table)
        session.since -= s.rng.uniform(10, 900)
        yield Take(s.app.lock("metadata", table), "S")
        yield Work(1e9, "scanning")

    s.after(-1.0, program, s.culprit(user="report"))
    s.truth.root_session = None


@mechanism("healthy-short-ddl", shown="", healthy=True)
def short_ddl(s: Scenario) -> None:
    """Change a table now and then: each ALTER and those behind it wait some tenths of a second."""
    _healthy(s)
    table = s.app.tables[0]
    lock = s.app.lock("metadata", table)

    def reader(session: Session) -> Program:
        while True:
            s.world.query(session, "select", f"SELECT * FROM {table} LIMIT 100000", table)
            yield Take(lock, "S")
            yield Work(s.rng.uniform(0.1, 0.4), "sending")
            yield Free(lock)
            s.world.finish(session)
            yield Work(s.rng.uniform(0.01, 1.0), IDLE)

    def change(session: Session) -> Program:
        while True:
            s.world.query(session, "alter", f"ALTER TABLE {table} COMMENT 'v2'", table)
            yield Take(lock, "X")
            yield Work(0.02, "altering")
            yield Free(lock)
            s.world.finish(session)
            yield Work(s.rng.uniform(1, 6), IDLE)

    s.after(-1.5, reader, s.app.client("export"))
    s.after(-1.0, change, s.app.client("deploy"))


@mechanism("healthy-short-backup", shown="", healthy=True)
def short_backup(s: Scenario) -> None:
    """Take the global read lock for a moment, to read the position of the binary log."""
    _healthy(s)
    s.app.write_share = 0.6

    def program(session: Session) -> Program:
        s.world.query(session, "ftwrl", "FLUSH TABLES WITH READ LOCK")
        yield Take(s.app.lock("global", "global"), "X")
        yield Take(s.app.lock("commit_lock", "commit"), "X")
        yield Work(s.rng.uniform(0.05, 0.3), "flushing")
        yield Free(s.app.lock("commit_lock", "commit"))
        yield Free(s.app.lock("global", "global"))
        s.world.finish(session)
        table = s.app.tables[-1]
        text = f"SELECT /*!40001 SQL_NO_CACHE */ * FROM `{table}`"
        s.world.query(session, "select", text, table)
        yield Work(1e9, "sending")

    s.after(0.0, program, s.app.client("backup"))


@mechanism("healthy-old-deadlock", shown="", healthy=True)
def old_deadlock(s: Scenario) -> None:
    """Keep a deadlock of some hours ago in the status dump and the log."""
    _healthy(s)
    pair = s.app.client(), s.app.client()
    s.deadlocks.append((-s.rng.uniform(600, 40_000), *pair))


@mechanism("healthy-ordinary-disk", shown="", healthy=True)
def ordinary_disk(s: Scenario) -> None:
    """Flush to a disk that takes some milliseconds: commits queue for an instant."""
    _healthy(s)
    s.app.write_share = 0.7
    s.world.fsync_s = lambda: s.rng.uniform(0.004, 0.012)
