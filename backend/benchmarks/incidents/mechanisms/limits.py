"""Limits that are reached: connections, slots, caches, disk, memory, the machine."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.incidents.mechanisms.catalogue import mechanism
from benchmarks.incidents.scenario import Scenario
from benchmarks.incidents.simulation import IDLE, Free, Program, Session, Step, Take, Work

_CONCURRENCY = ("my56", "my57", "my80", "ma102", "ps57", "ps80")
_QUERY_CACHE = ("my56", "my57", "ma102", "ma106", "ps57")


@mechanism(
    "too-many-connections",
    shown="log",
    servers=("my56", "my57", "ma102", "ma106", "ma114", "ps57"),
    least=0,
)
def too_many_connections(s: Scenario) -> None:
    """Leak connections in the application until the server refuses new ones."""
    s.settings["max_connections"] = "151"
    s.truth.root = r"connection|max_connections|pool|client"

    def leak() -> None:
        while sum(session.connected for session in s.world.sessions.values()) < 151:
            session = s.app.client()
            session.since = s.world.now - s.rng.uniform(0, 300)
            s.culprits.append(session)

    s.world.at(s.onset, leak)
    gap = s.rng.uniform(0.1, 1.0)
    s.log += [(s.onset + n * gap, "Warning", "Too many connections") for n in range(1, 30)]


@mechanism("disk-full", shown="log", least=1)
def disk_full(s: Scenario) -> None:
    """Fill the disk of the binary log: the leader of the group commit waits for space."""
    s.app.write_share = 0.7
    quick = s.world.fsync_s
    s.world.fsync_s = lambda: 60.0 if s.on else quick()
    s.world.leader_doing = lambda: "disk full" if s.on else "flushing"
    s.truth.root = r"disk|space|commit|binlog|flush"
    file = "./binlog.000417" if s.server.generation in ("my80", "my84") else "./mysql-bin.000417"
    text = (
        f"Disk is full writing '{file}' (Errcode: 28 - No space left on device). "
        "Waiting for someone to free space..."
    )
    s.log.append((s.onset + 1, "ERROR", text))
    s.log.append((s.onset + 1, "ERROR", "Retry in 60 secs. Message reprinted in 600 secs"))


@mechanism("table-cache", shown="list stacks", least=3)
def table_cache(s: Scenario) -> None:
    """Let a table cache that is too small make every statement open its table again."""
    s.settings |= {"table_open_cache": "64", "table_definition_cache": "400"}
    cache = s.app.lock("table_cache", "table cache")
    s.app.think_s = 0.2

    def before(_: Session, __: str) -> Iterator[Step]:
        if s.on:
            yield Take(cache, "X")
            yield Work(s.rng.uniform(0.02, 0.2), "opening table")
            yield Free(cache)

    s.app.before = before
    s.truth.root = r"open|table|cache"


@mechanism("thread-concurrency", shown="dump stacks", servers=_CONCURRENCY, least=3)
def thread_concurrency(s: Scenario) -> None:
    """Occupy the slots of innodb_thread_concurrency with slow statements."""
    slots = s.rng.choice((4, 8, 16))
    s.settings["innodb_thread_concurrency"] = str(slots)
    gate = s.app.lock("slot", "concurrency", slots)

    def inside(_: Session, __: str) -> Iterator[Step]:
        if s.on:
            yield Take(gate, "X")
            if s.rng.random() < 0.3:
                yield Work(s.rng.uniform(1.0, 9.0), "scanning")
            yield Free(gate)

    def count() -> None:
        s.world.gauges["inside"], s.world.gauges["queued"] = len(gate.holders), len(gate.queue)
        s.world.at(s.world.now + 0.2, count)

    s.app.inside = inside
    s.world.at(s.onset, count)
    s.truth.root = r"concurrency|slot|InnoDB|thread"


@mechanism("query-cache", shown="list stacks", servers=_QUERY_CACHE, least=3)
def query_cache(s: Scenario) -> None:
    """Invalidate a large query cache: everybody waits for its one lock."""
    s.settings |= {"query_cache_type": "ON", "query_cache_size": "536870912"}
    lock = s.app.lock("query_cache", "query cache")
    s.app.think_s = 0.2

    def before(_: Session, verb: str) -> Iterator[Step]:
        if s.on:
            yield Take(lock, "X")
            low = 0.1 if verb != "select" else 0.001
            yield Work(s.rng.uniform(low, 4 * low), "invalidating" if low > 0.05 else "reading")
            yield Free(lock)

    s.app.before = before
    s.truth.root = r"query.cache"


@mechanism("slow-reads", shown="stacks", least=3)
def slow_reads(s: Scenario) -> None:
    """Saturate the storage with reads of a table that does not fit into memory."""
    disk = s.app.lock("disk", "storage", 4)
    s.machine |= {"io_util": 100.0, "io_await_ms": s.rng.uniform(40, 300), "iowait": 60.0}
    s.app.think_s = 0.2

    def inside(_: Session, __: str) -> Iterator[Step]:
        if s.on:
            for _n in range(3):
                yield Take(disk, "X")
                yield Work(s.rng.uniform(0.04, 0.3), "reading disk")
                yield Free(disk)

    s.app.inside = inside
    s.truth.root = r"read|storage|disk|pread|I/O|page"


@mechanism("login-storm", shown="list", least=0)
def login_storm(s: Scenario) -> None:
    """Resolve the names of clients with a name server that does not answer."""
    s.truth.root = r"login|unauthenticated|DNS|resol|connect"

    def storm() -> None:
        for _ in range(s.size):
            session = s.app.client("unauthenticated user")
            session.command, session.state, session.database = "Connect", "login", "NULL"
            session.since = s.world.now - s.rng.uniform(0, 9)
            s.culprits.append(session)

    s.world.at(s.onset, storm)


@mechanism("old-read-view", shown="dump", rooted="", least=0)
def old_read_view(s: Scenario) -> None:
    """Keep a snapshot open for hours: purge stops, and reads walk long version chains."""
    age = s.rng.uniform(6_000, 90_000)
    culprit = s.culprit(user=s.rng.choice(("report", "app", "etl")))
    busy = s.rng.random() < 0.5
    table = s.app.tables[0]

    def program(session: Session) -> Program:
        s.world.query(session, "select", f"SELECT * FROM {table} ORDER BY 2", table)
        trx = s.world.begin(session)
        trx.since, trx.snapshot = s.world.now - age, True
        trx.id -= 5_000_000
        session.since -= age
        if not busy:
            s.world.finish(session)
            session.since -= age
            yield Work(1e9, IDLE)
        yield Work(1e9, "scanning")

    s.world.gauges["history"] = s.rng.uniform(800_000, 40_000_000)
    s.app.read_s = 0.3
    s.after(-1.0, program, culprit)


@mechanism("drop-table", shown="dump stacks", servers=("my56", "my57", "ma102", "ps57"), least=3)
def drop_table(s: Scenario) -> None:
    """Drop a large table: the scan of the buffer pool keeps the dictionary's mutex."""
    mutex = s.app.lock("latch", "dictionary")
    culprit = s.culprit(user=s.rng.choice(("root", "cron", "deploy")))
    s.app.think_s = 0.3

    def before(_: Session, __: str) -> Iterator[Step]:
        if s.on:
            yield Take(mutex, "X")
            yield Free(mutex)

    def program(session: Session) -> Program:
        s.world.query(session, "drop", f"DROP TABLE {s.app.tables[1]}_2017", "dropped")
        trx = s.world.begin(session)
        trx.phase, trx.undo, trx.row_locks = "dropping table", 9, 6
        yield Take(mutex, "X")
        yield Work(1e9, "dropping")

    s.app.before = before
    s.after(0.0, program, culprit)


@mechanism("full-text-sync", shown="stacks", servers=("my56",), least=3)
def full_text_sync(s: Scenario) -> None:
    """Sync a full-text cache inside the ordered commit of another group."""
    s.app.write_share = 0.8
    quick = s.world.fsync_s
    s.world.fsync_s = lambda: s.rng.uniform(4, 20) if s.on else quick()
    s.world.leader_doing = lambda: "syncing full text" if s.on else "flushing"
    s.truth.root = r"fts|full.?text|sync"


@mechanism("swapping", shown="machine", least=3)
def swapping(s: Scenario) -> None:
    """Take the memory away: pages of the server come back from the swap device."""
    s.machine |= {"swap_kb": s.rng.uniform(3000, 40_000), "iowait": 40.0, "cpu_system": 25.0}
    s.truth.root = r"swap|memory|read|running|working|CPU"
    memory = s.app.lock("disk", "swap device", 3)

    def inside(_: Session, __: str) -> Iterator[Step]:
        if s.on:
            yield Take(memory, "X")
            yield Work(s.rng.uniform(0.05, 0.4), "scanning")
            yield Free(memory)

    s.app.inside = inside
