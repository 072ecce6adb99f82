"""What sessions meet inside the storage engine: latches, redo space, free pages."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.incidents.mechanisms.catalogue import ALL, SEMAPHORES, mechanism
from benchmarks.incidents.scenario import Scenario
from benchmarks.incidents.simulation import Free, Program, Session, Step, Take, Work


def _latched(
    s: Scenario, name: str, builder: str, share: float, hold: tuple[float, float], verbs: str
) -> None:
    """Make operations pass a latch: mostly shared, a share of them exclusive and slow."""
    latch = s.app.lock("latch", name)

    def inside(_: Session, verb: str) -> Iterator[Step]:
        if not s.on or verb not in verbs.split():
            return
        if s.rng.random() < share:
            yield Take(latch, "X")
            yield Work(s.rng.uniform(*hold), builder)
        else:
            yield Take(latch, "S")
            yield Work(s.rng.uniform(0.001, 0.01), "latched")
        yield Free(latch)

    s.app.inside = inside
    s.app.think_s = 0.15


@mechanism("adaptive-hash", least=3, shown="dump stacks log", rooted="dump", servers=SEMAPHORES)
def adaptive_hash(s: Scenario) -> None:
    """Make all sessions meet at the latch of the adaptive hash index."""
    _latched(s, "adaptive hash", "building hash", 0.2, (0.3, 1.5), "select update")
    s.app.write_share = 0.2
    s.truth.root = r"btr_search|btr0sea|adaptive"
    s.settings["innodb_adaptive_hash_index"] = "ON"


@mechanism("index-tree", least=3, shown="dump stacks log", rooted="dump", servers=SEMAPHORES)
def index_tree(s: Scenario) -> None:
    """Split pages of one index: its tree latch is exclusive while a page is read."""
    _latched(s, "index tree", "splitting", 0.25, (0.3, 2.0), "insert update")
    s.app.write_share = 0.9
    s.truth.root = r"index|dict0dict"


@mechanism("auto-increment", shown="dump", rooted="dump")
def auto_increment(s: Scenario) -> None:
    """Run INSERT ... SELECT: it keeps the table's AUTO-INC lock, and all inserts wait."""
    s.app.write_share, s.app.hot_table_share = 0.9, 0.8
    table = s.app.tables[0]
    lock = s.app.lock("autoinc", table)
    s.settings["innodb_autoinc_lock_mode"] = s.rng.choice(("0", "1"))

    def inside(session: Session, verb: str) -> Iterator[Step]:
        if verb == "insert" and session.table == table:
            yield Take(lock, "X")
            yield Work(0.0005, "inserting")
            yield Free(lock)

    def program(session: Session) -> Program:
        text = f"INSERT INTO {table} ({s.app.columns[0]}) SELECT {s.app.columns[0]} FROM {table}_in"
        s.world.query(session, "insert_select", text, table)
        yield Take(s.app.lock("metadata", table), "S")
        trx = s.world.begin(session)
        trx.tables.append(table)
        yield Take(lock, "X")
        trx.undo, trx.row_locks = s.rng.randrange(9000, 800_000), 1
        trx.phase = "inserting"
        yield Work(1e9, "inserting")

    s.app.inside = inside
    s.after(0.0, program, s.culprit(user="etl"))


@mechanism("redo-full", least=3, shown="stacks")
def redo_full(s: Scenario) -> None:
    """Fill the redo log: writers wait until pages are flushed and the checkpoint moves."""
    s.app.write_share = s.rng.uniform(0.6, 0.95)
    gate = s.app.lock("redo", "redo space")
    flusher = s.app.client()
    flusher.connected, flusher.background = False, "page cleaner"

    def inside(_: Session, verb: str) -> Iterator[Step]:
        if verb != "select":
            yield Take(gate, "S")
            yield Free(gate)

    def program(_: Session) -> Program:
        while s.on or s.world.now == s.onset:
            yield Take(gate, "X")
            yield Work(s.rng.uniform(4, 20), "flushing pages")
            yield Free(gate)
            yield Work(s.rng.uniform(0.02, 0.1), "flushing pages")

    s.app.inside = inside
    s.after(0.0, program, flusher)
    s.world.gauges["redo_used"] = s.rng.uniform(0.1, 0.4)
    s.world.at(s.onset, lambda: s.world.gauges.__setitem__("redo_used", s.rng.uniform(0.9, 0.99)))
    s.world.at(s.end, lambda: s.world.gauges.__setitem__("redo_used", 0.3))
    s.settings |= {"innodb_log_file_size": "50331648", "innodb_log_files_in_group": "2"}
    s.machine |= {"io_util": 95.0, "iowait": 20.0}
    s.truth.root = r"redo|checkpoint|flush|log"


@mechanism("no-free-pages", least=3, shown="stacks dump", servers=ALL)
def no_free_pages(s: Scenario) -> None:
    """Run out of clean pages: each session that needs one must write one first."""
    s.app.think_s = 0.15
    gate = s.app.lock("free_page", "free page", 2)

    def inside(_: Session, __: str) -> Iterator[Step]:
        if s.on and s.rng.random() < 0.7:
            yield Take(gate, "X")
            yield Work(s.rng.uniform(0.1, 0.7), "freeing page")
            yield Free(gate)

    s.app.inside = inside
    s.world.at(s.onset, lambda: s.world.gauges.update(free_pages=0, dirty=0.93))
    s.world.at(s.end, lambda: s.world.gauges.update(free_pages=900, dirty=0.3))
    s.machine |= {"io_util": 100.0, "iowait": 35.0}
    s.truth.root = r"free|LRU|page|flush|storage|pwrite|fil_io"
