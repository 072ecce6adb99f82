"""Locks that sessions hold: rows, metadata, tables, the whole server, names."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.incidents.mechanisms.catalogue import SYS, mechanism
from benchmarks.incidents.scenario import Scenario
from benchmarks.incidents.simulation import IDLE, Program, Session, Step, Take, Work

FOREVER = 1e9


@mechanism("idle-transaction", shown="dump locks", rooted="dump locks")
def idle_transaction(s: Scenario) -> None:
    """Make a client update a row and forget to commit."""
    s.heat(s.rng.uniform(0.3, 0.9))
    culprit = s.culprit()
    row = s.app.lock("row", s.app.tables[0])
    age = s.rng.choice((0.0, 0.0, s.rng.uniform(30, 3000)))

    def program(session: Session) -> Program:
        column = s.app.columns[0]
        text = f"UPDATE {s.app.tables[0]} SET {column} = {column} - 1 WHERE id = 42"
        s.world.query(session, "update", text, s.app.tables[0])
        yield Take(s.app.lock("global", "global"), "S")
        yield Take(s.app.lock("metadata", s.app.tables[0]), "S")
        trx = s.world.begin(session)
        trx.since -= age
        yield Take(row, "X")
        trx.undo, trx.row_locks = s.rng.randrange(1, 30), s.rng.randrange(1, 40)
        trx.tables.append(s.app.tables[0])
        yield Work(0.001, "updating")
        s.world.release(session, s.app.lock("global", "global"))
        s.world.finish(session)
        yield Work(FOREVER, IDLE)

    s.after(0.0, program, culprit)


@mechanism("hot-row", shown="dump locks", servers=("my56", "my57", "my80", "ma102", "ps57", "ps80"))
def hot_row(s: Scenario) -> None:
    """Let every client update one row, in transactions with pauses: the holder changes."""
    s.heat(s.rng.uniform(0.6, 0.95))
    low = s.rng.uniform(0.1, 0.4)
    usual = s.app.hot_trx_s
    s.world.at(s.onset, lambda: setattr(s.app, "hot_trx_s", (low, low * 2.5)))
    s.world.at(s.end, lambda: setattr(s.app, "hot_trx_s", usual))


@mechanism("deadlock-storm", shown="log", least=0)
def deadlock_storm(s: Scenario) -> None:
    """Update two rows in opposite orders from many sessions: several deadlocks a second."""
    s.settings["innodb_print_all_deadlocks"] = "ON"
    s.truth.root = r"deadlock|order|row|session"
    sessions = [s.app.client() for _ in range(6)]
    gap = s.rng.uniform(0.15, 1.0)
    for n in range(60):
        first, second = s.rng.sample(sessions, k=2)
        s.deadlocks.append((s.onset + n * gap, first, second))


@mechanism("long-transaction", shown="dump list locks", rooted="dump locks")
def long_transaction(s: Scenario) -> None:
    """Run a batch that changes very many rows in one transaction."""
    s.heat(s.rng.uniform(0.3, 0.9))
    table, column = s.app.tables[0], s.app.columns[0]
    verb, text = s.rng.choice(
        (
            ("update", f"UPDATE {table} SET {column} = 0 WHERE created_at < '2019-07-01'"),
            ("delete", f"DELETE FROM {table} WHERE {column} = 0 OR created_at < '2018-01-01'"),
            (
                "insert_select",
                f"INSERT INTO {table}_old SELECT * FROM {table} WHERE created_at < '2019-01-01'",
            ),
        )
    )
    culprit = s.culprit(user="batch")

    def program(session: Session) -> Program:
        s.world.query(session, verb, text, table)
        yield Take(s.app.lock("global", "global"), "S")
        yield Take(s.app.lock("metadata", table), "S")
        trx = s.world.begin(session)
        trx.tables.append(table)
        yield Take(s.app.lock("row", table), "X")
        trx.undo = s.rng.randrange(20_000, 3_000_000)
        trx.row_locks = trx.undo + s.rng.randrange(5_000)
        trx.phase = "fetching rows"
        yield Work(FOREVER, "scanning")

    s.after(0.0, program, culprit)


def _ddl(s: Scenario, delay: float) -> None:
    table = s.app.tables[0]
    verb, text = s.rng.choice(
        (
            ("alter", f"ALTER TABLE {table} ADD COLUMN region VARCHAR(16) NULL"),
            ("alter", f"ALTER TABLE {table} ADD INDEX idx_{s.app.columns[0]} ({s.app.columns[0]})"),
            ("truncate", f"TRUNCATE TABLE {table}"),
            ("drop", f"DROP TABLE {table}"),
            ("rename", f"RENAME TABLE {table} TO {table}_old, {table}_new TO {table}"),
            ("optimize", f"OPTIMIZE TABLE {table}"),
        )
    )
    session = s.app.client(s.rng.choice(("root", "deploy", "dba")))

    def program(session: Session) -> Program:
        s.world.query(session, verb, text, table)
        yield Take(s.app.lock("global", "global"), "S")
        yield Take(s.app.lock("metadata", table), "X")
        yield Work(s.rng.uniform(0.05, 0.5), "altering")
        s.world.kill(session)

    s.after(delay, program, session)


@mechanism("metadata-lock-select", shown="list stacks locks", rooted="list", locks=SYS)
def metadata_lock_select(s: Scenario) -> None:
    """Run a report; then a DDL waits for it, and everything waits behind the DDL."""
    s.app.hot_table_share = s.rng.uniform(0.5, 0.95)
    table, other = s.app.tables[0], s.app.tables[1]
    culprit = s.culprit(user=s.rng.choice(("report", "bi", "analyst")))
    age = s.rng.choice((s.rng.uniform(5, 60), s.rng.uniform(100, 5000)))

    def program(session: Session) -> Program:
        text = (
            f"SELECT b.id, sum(a.{s.app.columns[0]}), count(*) FROM {table} a "
            f"JOIN {other} b ON a.id = b.id GROUP BY b.id ORDER BY 2 DESC"
        )
        s.world.query(session, "select", text, table)
        session.since -= age
        yield Take(s.app.lock("metadata", table), "S")
        trx = s.world.begin(session)
        trx.since, trx.snapshot = session.since, True
        yield Work(FOREVER, "scanning")

    s.after(-1.0, program, culprit)
    _ddl(s, 0.0)


@mechanism("metadata-lock-idle-transaction", shown="list stacks locks", rooted="locks", locks=SYS)
def metadata_lock_idle(s: Scenario) -> None:
    """Leave a transaction open that once read a table; then a DDL on it waits."""
    s.app.hot_table_share = s.rng.uniform(0.5, 0.95)
    table = s.app.tables[0]
    culprit = s.culprit()
    age = s.rng.uniform(5, 4000)

    def program(session: Session) -> Program:
        s.world.query(session, "select", s.app.select_text(table), table)
        yield Take(s.app.lock("metadata", table), "S")
        trx = s.world.begin(session)
        trx.since, trx.snapshot = s.world.now - age, True
        s.world.finish(session)
        session.since -= age
        yield Work(FOREVER, IDLE)

    s.after(-1.0, program, culprit)
    _ddl(s, 0.0)


@mechanism("global-read-lock", shown="list", rooted="list")
def global_read_lock(s: Scenario) -> None:
    """Hold FLUSH TABLES WITH READ LOCK while a backup copies."""
    s.app.write_share = s.rng.uniform(0.5, 0.9)
    culprit = s.culprit(user=s.rng.choice(("backup", "root", "xtrabackup", "dump")))

    def program(session: Session) -> Program:
        s.world.query(session, "ftwrl", "FLUSH TABLES WITH READ LOCK")
        yield Take(s.app.lock("global", "global"), "X")
        yield Take(s.app.lock("commit_lock", "commit"), "X")
        s.world.finish(session)
        table = s.app.tables[-1]
        text = f"SELECT /*!40001 SQL_NO_CACHE */ * FROM `{table}`"
        s.world.query(session, "select", text, table)
        yield Work(FOREVER, "sending")

    s.after(0.0, program, culprit)


@mechanism("global-read-lock-waits", shown="list", rooted="list")
def global_read_lock_waits(s: Scenario) -> None:
    """Let FLUSH TABLES WITH READ LOCK wait for a long SELECT, and everything behind it."""
    s.app.hot_table_share = 0.7
    s.app.write_share = s.rng.uniform(0.4, 0.8)
    table = s.app.tables[0]
    flush = s.app.lock("table_flush", table)
    culprit = s.culprit(user="report")

    def select(session: Session) -> Program:
        text = f"SELECT * FROM {table} ORDER BY {s.app.columns[0]} DESC"
        s.world.query(session, "select", text, table)
        session.since -= s.rng.uniform(20, 900)
        yield Take(flush, "S")
        yield Take(s.app.lock("metadata", table), "S")
        yield Work(FOREVER, "scanning")

    def backup(session: Session) -> Program:
        s.world.query(session, "ftwrl", "FLUSH TABLES WITH READ LOCK")
        yield Take(s.app.lock("global", "global"), "X")
        yield Take(flush, "X")
        yield Work(FOREVER, "flushing")

    def before(session: Session, verb: str) -> Iterator[Step]:
        if verb == "select" and session.table == table and s.on:
            yield Take(flush, "S")

    s.app.before = before
    s.after(-1.0, select, culprit)
    waiting = s.app.client("backup")
    s.culprits.append(waiting)
    s.after(0.0, backup, waiting)


@mechanism("lock-tables", shown="list", rooted="")
def lock_tables(s: Scenario) -> None:
    """Hold LOCK TABLES ... WRITE and work on, or sleep."""
    s.app.hot_table_share = s.rng.uniform(0.5, 0.9)
    table = s.app.tables[0]
    culprit = s.culprit(user=s.rng.choice(("root", "import", "dump")))
    busy = s.rng.random() < 0.6

    def program(session: Session) -> Program:
        s.world.query(session, "lock_tables", f"LOCK TABLES `{table}` WRITE", table)
        yield Take(s.app.lock("metadata", table), "X")
        s.world.finish(session)
        if busy:
            values = ",".join(f"({n},'x{n}')" for n in range(60))
            s.world.query(session, "insert", f"INSERT INTO `{table}` VALUES {values}", table)
            trx = s.world.begin(session)
            trx.undo, trx.phase = 8200, "inserting"
            yield Work(FOREVER, "inserting")
        yield Work(FOREVER, IDLE)

    s.after(0.0, program, culprit)


@mechanism("cut-over", shown="list", rooted="")
def cut_over(s: Scenario) -> None:
    """Swap the tables of an online schema change: its lock is held, and its rename waits."""
    s.app.hot_table_share = s.rng.uniform(0.5, 0.9)
    table = s.app.tables[0]
    lock = s.app.lock("metadata", table)
    names = f"`app`.`{table}`", f"`app`.`_{table}_del`", f"`app`.`_{table}_gho`"
    user = s.rng.choice(("ghost", "gh-ost", "migrator"))
    renames = s.culprit(user=user)
    holds = s.culprit(user=user)

    def keep(session: Session) -> Program:
        statement = f"lock /* gh-ost */ tables {names[0]} write, {names[1]} write"
        s.world.query(session, "lock_tables", statement, table)
        yield Take(lock, "X")
        s.world.finish(session)
        yield Work(FOREVER, IDLE)

    def swap(session: Session) -> Program:
        statement = f"rename /* gh-ost */ table {names[0]} to {names[1]}, {names[2]} to {names[0]}"
        s.world.query(session, "rename", statement, table)
        yield Take(lock, "X")

    s.after(0.0, keep, holds)
    s.after(0.2, swap, renames)


@mechanism("user-lock", shown="list stacks", rooted="")
def user_lock(s: Scenario) -> None:
    """Keep GET_LOCK in a session that does not come back."""
    name = s.rng.choice(("invoice_run", "job_12", "cron.sync", "migrate"))
    lock = s.app.lock("user", name)
    share = s.rng.uniform(0.4, 0.9)

    def take(session: Session) -> Program:
        s.world.query(session, "get_lock", f"SELECT GET_LOCK('{name}', 300)")
        yield Take(lock, "X")

    def program(session: Session) -> Program:
        yield from take(session)
        s.world.finish(session)
        yield Work(FOREVER, IDLE)

    def worker(session: Session) -> Program:
        yield Work(s.rng.uniform(0, 3), IDLE)
        yield from take(session)
        s.world.finish(session)

    s.after(0.0, program, s.culprit())
    for _ in range(max(1, round(s.size * share))):
        s.after(0.1, worker, s.app.client("worker"))


@mechanism("table-lock", shown="list", rooted="list")
def table_lock(s: Scenario) -> None:
    """Read a MyISAM table for long; an update waits, and all readers behind it."""
    s.app.hot_table_share = s.rng.uniform(0.6, 0.95)
    table = s.app.tables[0]
    lock = s.app.lock("table", table)

    def before(session: Session, verb: str) -> Iterator[Step]:
        if session.table == table:
            yield Take(lock, "S" if verb == "select" else "X")

    def program(session: Session) -> Program:
        text = f"SELECT {s.app.columns[0]}, count(*) FROM {table} GROUP BY {s.app.columns[0]}"
        s.world.query(session, "select", text, table)
        yield Take(lock, "S")
        yield Work(FOREVER, "scanning")

    s.app.before = before
    s.after(0.0, program, s.culprit(user="report"))
