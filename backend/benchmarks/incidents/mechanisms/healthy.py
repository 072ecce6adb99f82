"""Loads that are fine: nothing may be reported."""

from __future__ import annotations

from benchmarks.incidents.mechanisms.catalogue import mechanism
from benchmarks.incidents.scenario import Scenario
from benchmarks.incidents.simulation import Program, Session, Work


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
