"""The work of an application: connections that think, read, write and commit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.incidents.simulation import (
    IDLE,
    Commit,
    Free,
    Program,
    Resource,
    Session,
    Step,
    Take,
    Work,
    World,
)

Hook = Callable[[Session, str], Iterator[Step]]
"""Steps that an operation passes through, from the session and its verb."""

SCHEMAS = (
    ("shop", ("orders", "customers", "order_items", "stock"), ("status", "note", "quantity")),
    ("bank", ("accounts", "transfers", "ledger_entries", "holders"), ("balance", "state", "memo")),
    ("forum", ("posts", "threads", "members", "votes"), ("score", "body", "views")),
    ("telemetry", ("devices", "readings", "alerts", "sites"), ("value", "last_seen", "level")),
    ("booking", ("rooms", "reservations", "guests", "rates"), ("price", "state", "nights")),
    ("mail", ("messages", "folders", "recipients", "attachments"), ("seen", "flags", "size")),
)


@dataclass
class Application:
    """The load of an application on a world, and the hooks by which a mechanism changes it."""

    world: World
    rng: random.Random
    database: str
    tables: Sequence[str]
    columns: Sequence[str]
    think_s: float = 0.5
    read_s: float = 0.003
    write_share: float = 0.4
    hot_share: float = 0.0
    """Share of operations that go for the hot row of the first table."""
    hot_table_share: float = 0.25
    """Share of operations on the first table."""
    before: Hook | None = None
    """Steps before the server opens tables."""
    inside: Hook | None = None
    """Steps inside the storage engine."""
    hot_trx_s: tuple[float, float] = (0.001, 0.003)
    """Time that a transaction keeps the hot row before it commits."""
    explicit_share: float = 0.2
    """Share of writes in a transaction with a COMMIT of its own."""
    locks: dict[tuple[str, str], Resource] = field(default_factory=dict)
    accounts: Sequence[str] = ("app",)
    hosts: Sequence[str] = ("10.0.3.17",)

    def lock(self, kind: str, name: str, slots: int = 0) -> Resource:
        """Return the resource of this kind and name."""
        return self.locks.setdefault((kind, name), Resource(kind, name, slots))

    def arrive(self, count: int, start: float, spread: float = 1.0) -> list[Session]:
        """Connect sessions that work from ``start`` on."""
        arrived = []
        for _ in range(count):
            session = self.client()
            self.world.start(session, self.work(session), start + self.rng.uniform(0, spread))
            arrived.append(session)
        return arrived

    def client(self, user: str | None = None) -> Session:
        """Connect one session that does nothing yet."""
        host = f"{self.rng.choice(self.hosts)}:{self.rng.randrange(32768, 60999)}"
        return self.world.connect(
            user=user or self.rng.choice(self.accounts), host=host, database=self.database
        )

    def work(self, session: Session) -> Program:
        """Think and operate without end."""
        while True:
            yield Work(self.rng.expovariate(1 / self.think_s), IDLE)
            if self.rng.random() < self.hot_share:
                yield from self.update(session, self.tables[0], hot=True)
            elif self.rng.random() < self.write_share:
                if self.rng.random() < 0.5:
                    yield from self.insert(session, self.table())
                else:
                    yield from self.update(session, self.table())
            else:
                yield from self.read(session, self.table())

    def table(self) -> str:
        """Choose a table."""
        if self.rng.random() < self.hot_table_share:
            return self.tables[0]
        return self.rng.choice(self.tables[1:])

    # ---- operations

    def read(self, session: Session, table: str) -> Program:
        """Run one SELECT."""
        self.world.query(session, "select", self.select_text(table), table)
        yield from self._enter(session, table)
        yield from self._inside(session)
        yield Work(self.rng.expovariate(1 / self.read_s), "reading")
        yield from self._leave(session)
        self.world.finish(session)

    def update(self, session: Session, table: str, *, hot: bool = False) -> Program:
        """Run one UPDATE, in a transaction of its own or with a COMMIT."""
        key = 42 if hot else self.rng.randrange(1, 5_000_000)
        column = self.columns[0]
        self.world.query(
            session, "update", f"UPDATE {table} SET {column} = {column} + 1 WHERE id = {key}", table
        )
        yield from self._enter(session, table)
        trx = self.world.begin(session)
        trx.tables.append(table)
        row = self.lock("row", table) if hot else None
        yield from self._inside(session)
        if row is not None:
            yield Take(row, "X")
        trx.undo, trx.row_locks = trx.undo + 1, trx.row_locks + 1
        trx.phase = "updating or deleting"
        yield Work(self.rng.expovariate(1 / self.read_s), "updating")
        explicit = hot or self.rng.random() < self.explicit_share
        if explicit:
            self.world.finish(session)
            gap = self.rng.uniform(*self.hot_trx_s) if hot else self.rng.expovariate(1 / 0.002)
            yield Work(gap, IDLE)
            self.world.query(session, "commit", self.rng.choice(("COMMIT", "commit")))
        yield from self._commit(session)

    def insert(self, session: Session, table: str) -> Program:
        """Run one INSERT in a transaction of its own."""
        values = ", ".join(str(self.rng.randrange(1, 99_999)) for _ in self.columns)
        text = f"INSERT INTO {table} ({', '.join(self.columns)}) VALUES ({values})"
        self.world.query(session, "insert", text, table)
        yield from self._enter(session, table)
        trx = self.world.begin(session)
        trx.tables.append(table)
        yield from self._inside(session)
        trx.undo, trx.phase = 1, "inserting"
        yield Work(self.rng.expovariate(1 / self.read_s), "inserting")
        yield from self._commit(session)

    def select_text(self, table: str) -> str:
        """Return a statement as applications send it."""
        columns = ", ".join(("id", *self.columns[:2]))
        key = self.rng.randrange(1, 5_000_000)
        return self.rng.choice(
            (
                f"SELECT {columns} FROM {table} WHERE id = {key}",
                f"SELECT * FROM {table} WHERE {self.columns[1]} = {key % 97} LIMIT 20",
                f"SELECT count(*) FROM {table} WHERE id BETWEEN {key} AND {key + 100}",
            )
        )

    # ---- the way through the server

    def _enter(self, session: Session, table: str) -> Iterator[Step]:
        session.doing = "opening"
        if self.before is not None:
            yield from self.before(session, session.verb)
        if session.verb != "select":
            yield Take(self.lock("global", "global"), "S")
        yield Take(self.lock("metadata", table), "S")

    def _inside(self, session: Session) -> Iterator[Step]:
        if self.inside is not None:
            yield from self.inside(session, session.verb)

    def _leave(self, session: Session) -> Iterator[Step]:
        for resource in list(session.held):
            yield Free(resource)

    def _commit(self, session: Session) -> Program:
        session.doing = "committing"
        if session.transaction is not None:
            session.transaction.phase = "committing"
        yield Take(self.lock("commit_lock", "commit"), "S")
        yield Commit()
        session.transaction = None
        yield from self._leave(session)
        self.world.finish(session)


def application(world: World, rng: random.Random) -> Application:
    """Return an application with a schema of its own."""
    database, tables, columns = rng.choice(SCHEMAS)
    names = rng.sample(("app", "web", "api", "svc_main", "backend", "worker"), k=2)
    return Application(
        world,
        rng,
        database,
        tables,
        columns,
        accounts=names[: rng.choice((1, 2))],
        hosts=[f"10.{rng.randrange(9)}.{rng.randrange(40)}.{rng.randrange(2, 250)}" for _ in "ab"],
    )
