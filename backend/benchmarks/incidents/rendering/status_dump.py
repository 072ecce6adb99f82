"""SHOW ENGINE INNODB STATUS, in the layouts of MySQL 5.6 to 8.4 and MariaDB 10.2 to 11.4."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from benchmarks.incidents.rendering.deadlocks import deadlock
from benchmarks.incidents.rendering.latches import Latch, latches
from benchmarks.incidents.rendering.printed import Printed, is_idle, state, waits_for
from benchmarks.incidents.servers import Server
from benchmarks.incidents.simulation import Moment, Resource, Session


def status_dump(printed: Printed, moment: Moment, *, head: str = "g") -> str:
    """Print one dump; ``head`` is g for a row of \\G, t for tabs, empty for the bare text."""
    lines = [line for section in _sections(printed, moment) for line in section]
    text = "\n".join(lines)
    if head == "g":
        stars = "*" * 27
        row = f"{stars} 1. row {stars}\n  Type: InnoDB\n  Name: \nStatus: \n{text}\n"
        return f"{row}\n1 row in set (0.00 sec)\n"
    if head == "t":
        escaped = text.replace("\n", "\\n")
        return f"Type\tName\tStatus\nInnoDB\t\t\\n{escaped}\\n\n"
    return text + "\n"


def _sections(printed: Printed, moment: Moment) -> Iterator[list[str]]:
    yield _head(printed, moment)
    yield _semaphores(printed, moment)
    if latest := [d for d in printed.scenario.deadlocks if d[0] <= moment.time]:
        yield _latest_deadlock(printed, *latest[-1])
    yield _transactions(printed, moment)
    yield _file_io(printed, moment)
    if printed.server.key not in ("ma106", "ma114"):
        yield _hash(printed)
    yield _log(printed, moment)
    yield _pool(printed, moment)
    yield _rows(printed, moment)


def _titled(title: str, rule: int = 0) -> list[str]:
    line = "-" * (rule or len(title))
    return [line, title, line]


def _head(printed: Printed, moment: Moment) -> list[str]:
    thread = printed.thread(moment.sessions[0])
    handle = {"my56": f"{thread:x}", "my80": str(thread), "my84": str(thread)}.get(
        printed.server.generation, f"{thread:#x}"
    )
    if printed.server.release == "8.0.15":
        handle = f"{thread:#x}"
    rule = "=" * 37
    loops = int(moment.time) + printed.rng.randrange(90_000)
    return [
        rule,
        f"{printed.at(moment):%Y-%m-%d %H:%M:%S} {handle} INNODB MONITOR OUTPUT",
        rule,
        f"Per second averages calculated from the last {printed.rng.randrange(1, 40)} seconds",
        *_titled("BACKGROUND THREAD", 17),
        f"srv_master_thread loops: {loops} srv_active, 0 srv_shutdown, {loops // 3} srv_idle",
        f"srv_master_thread log flush and writes: {loops if printed.server.old else 0}",
    ]


# ---- semaphores


def _semaphores(printed: Printed, moment: Moment) -> list[str]:
    lines = _titled("SEMAPHORES", 10)
    server, rng = printed.server, printed.rng
    if not server.semaphores:
        return lines
    known = latches(server, random.Random(server.release))
    count = rng.randrange(3000, 900_000)
    lines.append(f"OS WAIT ARRAY INFO: reservation count {count}")
    lines += itertools.chain.from_iterable(semaphore_waits(printed, moment, 0.0))
    lines += _unrelated(printed, known["page"])
    lines.append(f"OS WAIT ARRAY INFO: signal count {int(count * 0.8)}")
    if server.old or server.key == "my57":
        lines.append(f"Mutex spin waits {count * 3}, rounds {count * 40}, OS waits {count // 5}")
    lines += [
        f"RW-shared spins {count // 2}, rounds {count * 9}, OS waits {count // 3}",
        f"RW-excl spins {count // 4}, rounds {count * 4}, OS waits {count // 9}",
    ]
    if not server.old:
        lines.append(f"RW-sx spins {count // 90}, rounds {count // 20}, OS waits {count // 400}")
    lines.append("Spin rounds per wait: 13.33 mutex, 18.00 RW-shared, 16.00 RW-excl")
    return lines


def _unrelated(printed: Printed, page: Latch) -> list[str]:
    """Print what any busy server has: a thread that waits for a page this very moment."""
    rng, lines = printed.rng, []
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        file, line, mode = rng.choice(page.shared + page.exclusive)
        thread = 0x7F0000000000 + rng.randrange(1 << 30) * 256
        seconds = "0" if printed.server.key == "my84" else "0.00"
        lines += [
            (
                f"--Thread {thread} has waited at {file} line {line} for {seconds} "
                "seconds the semaphore:"
            ),
            (
                f"{mode}-lock on RW-latch at {thread ^ 0x5A5A58:#x} "
                f"created in file {page.created[0]} line {page.created[1]}"
            ),
            "number of readers 1, waiters flag 1, lock_word: 1fffffff",
            f"Last time read locked in file {page.shared[0][0]} line {page.shared[0][1]}",
            f"Last time write locked in file {page.exclusive[0][0]} line {page.exclusive[0][1]}",
        ]
    return lines


def semaphore_waits(printed: Printed, moment: Moment, longer_s: float) -> list[list[str]]:
    """Return the paragraph of each latch wait, as if all had begun so many seconds before."""
    known = latches(printed.server, random.Random(printed.server.release))
    addresses: dict[Resource, int] = {}
    waits = []
    for session in moment.sessions:
        resource = waits_for(session, "latch")
        if resource is None or session.wait is None:
            continue
        address = addresses.setdefault(
            resource, 0x7F0000000000 + printed.rng.randrange(1 << 36) * 8
        )
        waited = moment.time - session.wait.since + longer_s
        holders = moment.holders.get(resource, [])
        waits.append(_wait(printed, session, known[resource.name], address, waited, holders))
    return waits


def _wait(
    printed: Printed,
    session: Session,
    latch: Latch,
    address: int,
    waited: float,
    holders: list[tuple[int, str]],
) -> list[str]:
    server = printed.server
    assert session.wait is not None
    sites = latch.shared if session.wait.mode == "S" else latch.exclusive
    file, line, mode = sites[session.id % len(sites)]
    seconds = (
        f"{int(waited)}" if server.key in ("my84",) or server.release > "8.0.2" else f"{waited:.2f}"
    )
    if server.old or server.generation == "my57":
        seconds = f"{waited:.2f}"
    waits = f"--Thread {printed.thread(session)} has waited at {file} line {line} "
    waits += f"for {seconds} seconds the semaphore:"
    if latch.mutex:
        return [waits, *_mutex(server, latch, address)]
    writer = next((id_ for id_, held in holders if held == "X"), None)
    readers = sum(held == "S" for _, held in holders)
    first = latch.exclusive[0]
    path = {"my56": "/export/home/pb2/build/sb_0-2/mysql-{}/storage/innobase/", "ma102": ""}.get(
        server.generation, "../../../mysql-{}/storage/innobase/"
    ).format(server.release)
    folder = f"{path}{first[0][:3]}/" if path else ""
    lines = [
        waits,
        (
            f"{mode}-lock on RW-latch at {address:#x} "
            f"created in file {latch.created[0]} line {latch.created[1]}"
        ),
    ]
    if writer is not None:
        held = first[2] if first[2] == "SX" else " exclusive" if server.old else "exclusive"
        thread = printed.thread(printed.scenario.world.sessions[writer])
        lines.append(f"a writer (thread id {thread}) has reserved it in mode {held}")
    free = 0x20000000 if writer is None else 0x10000000 if first[2] == "SX" else readers
    word = f"{free - readers:x}"
    return [
        *lines,
        f"number of readers {readers}, waiters flag 1, lock_word: {word}",
        f"Last time read locked in file {latch.shared[0][0]} line {latch.shared[0][1]}",
        f"Last time write locked in file {folder}{first[0]} line {first[1]}",
    ]


# ---- transactions


def _mutex(server: Server, latch: Latch, address: int) -> list[str]:
    file, line = latch.created
    if server.key == "my56":
        mutex = f"Mutex at {address:#x} created file {file} line {line}, lock var 1"
        return [mutex, "waiters flag 1"]
    held = "lock var 2" if server.generation in ("my57", "ma102") else "locked"
    return [f"Mutex at {address:#x}, Mutex {latch.mutex} created {file}:{line}, {held}", ""]


def _latest_deadlock(printed: Printed, time: float, first: Session, second: Session) -> list[str]:
    lines = _titled("LATEST DETECTED DEADLOCK", 24)
    handle = f"{printed.thread(second):x}"
    prefix = "" if printed.server.key == "my56" else "0x"
    lines.append(f"{printed.at(time):%Y-%m-%d %H:%M:%S} {prefix}{handle}")
    return [*lines, *deadlock(printed, time, first, second, lambda text: text)]


def _transactions(printed: Printed, moment: Moment) -> list[str]:
    world = printed.scenario.world
    history = int(moment.gauges.get("history", printed.rng.randrange(4, 900)))
    top = world.next_transaction + 1
    purged = top - printed.rng.randrange(2, 60)
    purge = printed.rng.choice(("running", "running but idle"))
    lines = [
        *_titled("TRANSACTIONS", 12),
        f"Trx id counter {top}",
        f"Purge done for trx's n:o < {purged} undo n:o < 0 state: {purge}",
        f"History list length {history}",
        "LIST OF TRANSACTIONS FOR EACH SESSION:",
    ]
    idle = [s for s in moment.sessions if s.transaction is None and not s.background]
    for session in idle:
        lines += _not_started(printed, session)
    active = [s for s in moment.sessions if s.transaction is not None]
    for session in sorted(active, key=lambda s: -(s.transaction.id if s.transaction else 0)):
        lines += _active(printed, moment, session)
    return lines


def _not_started(printed: Printed, session: Session) -> list[str]:
    server = printed.server
    if server.key == "my56":
        lines = ["---TRANSACTION 0, not started"]
        lines.append(_thread_line(printed, session))
        if session.statement:
            lines.append(session.statement)
        return lines
    number = 421_000_000_000_000 + (printed.thread(session) >> 4) % 900_000_000_000
    name = f"({number - 280_000_000_000_000:#x})" if server.key in ("ma106", "ma114") else number
    heap = 1128 if server.key in ("ma106", "ma114") else 1136
    queued = " sleeping before entering InnoDB" * bool(waits_for(session, "slot"))
    lines = [f"---TRANSACTION {name}, not started{queued}"]
    if session.statement and (session.wait is None or queued):
        lines.append("mysql tables in use 1, locked 0")
    return [*lines, f"0 lock struct(s), heap size {heap}, 0 row lock(s)"]


def _active(printed: Printed, moment: Moment, session: Session) -> list[str]:
    trx, server = session.transaction, printed.server
    assert trx is not None
    row, auto = waits_for(session, "row"), waits_for(session, "autoinc")
    phase = "" if is_idle(session) else trx.phase
    if row is not None:
        phase = "starting index read"
    elif waits_for(session, "slot"):
        phase = "sleeping before entering InnoDB"
    elif auto is not None:
        phase = "setting auto-inc lock"
    elif session.verb == "select" and not is_idle(session):
        phase = "fetching rows"
    lines = [
        f"---TRANSACTION {trx.id}, ACTIVE {int(moment.time - trx.since)} sec"
        + f" {phase}" * bool(phase)
    ]
    if not is_idle(session):
        lines.append(f"mysql tables in use 1, locked {0 if session.verb == 'select' else 1}")
    structs = 1 + bool(trx.row_locks) + trx.row_locks // 90 + bool(row) + bool(auto)
    if trx.row_locks or trx.undo or row or auto or session.verb != "select":
        lines.append(
            ("LOCK WAIT " if row or auto else "")
            + f"{structs} lock struct(s), heap size {max(1136, 24 * structs)}, "
            + f"{trx.row_locks + bool(row)} row lock(s)"
            + f", undo log entries {trx.undo}" * bool(trx.undo)
        )
    elif server.key not in ("my56",):
        lines.append("0 lock struct(s), heap size 1136, 0 row lock(s)")
    lines.append(_thread_line(printed, session))
    if session.statement:
        lines.append(session.statement)
    if trx.snapshot or (server.generation in ("my57", "my80", "my84") and row):
        lines.append(f"Trx read view will not see trx with id >= {trx.id + 1}, sees < {trx.id - 9}")
    if row is not None and session.wait is not None:
        lines += _row_wait(printed, session, int(moment.time - session.wait.since))
    if auto is not None and session.wait is not None:
        lines += [
            _waiting_line(printed, int(moment.time - session.wait.since)),
            (
                f"TABLE LOCK table {_table(session, auto.name)} trx id {trx.id} "
                "lock mode AUTO-INC waiting"
            ),
            "-" * 18,
        ]
    return lines


def _waiting_line(printed: Printed, seconds: int) -> str:
    if printed.server.key in ("ma106", "ma114"):
        waited = f"{seconds * 1_000_000 + 4211} us"
    else:
        waited = f"{seconds} SEC"
    return f"------- TRX HAS BEEN WAITING {waited} FOR THIS LOCK TO BE GRANTED:"


def _table(session: Session, name: str) -> str:
    return f"`{session.database}`.`{name}`"


def _row_wait(printed: Printed, session: Session, seconds: int) -> list[str]:
    trx = session.transaction
    row = waits_for(session, "row")
    assert trx is not None
    assert row is not None
    index = "`PRIMARY`" if printed.server.key == "my56" else "PRIMARY"
    holder = next((s for s in row.holders), None)
    table = _table(session, row.name)
    lock = (
        f"RECORD LOCKS space id {23 + len(row.name)} page no 4 n bits 144 index {index} of table "
    )
    lock += f"{table} trx id {trx.id} lock_mode X locks rec but not gap waiting"
    writer = holder.transaction.id if holder and holder.transaction else trx.id - 5
    return [
        _waiting_line(printed, seconds),
        lock,
        "Record lock, heap no 43 PHYSICAL RECORD: n_fields 4; compact format; info bits 0",
        " 0: len 8; hex 800000000000002a; asc        *;;",
        f" 1: len 6; hex {writer:012x}; asc       ;;",
        " 2: len 7; hex 010000014a2751; asc     J'Q;;",
        " 3: len 4; hex 800016cd; asc     ;;",
        "",
        "-" * 18,
    ]


def _thread_line(printed: Printed, session: Session) -> str:
    server, thread = printed.server, printed.thread(session)
    handle = f"{thread:#x}" if server.key == "my56" else str(thread)
    word = {"ma106": "MariaDB", "ma114": "MariaDB"}.get(server.key, "MySQL")
    host = session.host.split(":")[0]
    where = host if host == "localhost" else f"{host}" + f" {host}" * (session.id % 2)
    shown = "cleaning up" if is_idle(session) and server.key == "my56" else state(session, server)
    query = 1000 + session.id * 7 + int(max(0.0, session.since) * 40)
    return (
        f"{word} thread id {session.id}, OS thread handle {handle}, query id {query} "
        f"{where} {session.user}" + f" {shown}" * bool(shown)
    )


# ---- the rest


def _file_io(printed: Printed, moment: Moment) -> list[str]:
    rng, server = printed.rng, printed.server
    lines = _titled("FILE I/O", 8)
    committing = any(s.doing == "flushing" for s in moment.sessions)
    reads = rng.randrange(1000, 9_000_000)
    if server.key in ("ma106", "ma114"):
        lines.append(f"Pending flushes (fsync): {int(committing)}")
    else:
        kinds = ["insert buffer", "log", *["read"] * 4, *["write"] * 4]
        if server.generation in ("my84",):
            kinds.remove("log")
        lines += [
            f"I/O thread {n} state: waiting for completed aio requests ({kind} thread)"
            for n, kind in enumerate(kinds)
        ]
        if server.old:
            lines += [
                "Pending normal aio reads: 0 [0, 0, 0, 0] , aio writes: 0 [0, 0, 0, 0] ,",
                " ibuf aio reads: 0, log i/o's: 0, sync i/o's: 0",
            ]
        else:
            lines += [
                "Pending normal aio reads: [0, 0, 0, 0] , aio writes: [0, 0, 0, 0] ,",
                " ibuf aio reads:, log i/o's:, sync i/o's:"
                if server.generation != "my84"
                else " ibuf aio reads:",
            ]
        lines.append(f"Pending flushes (fsync) log: {int(committing)}; buffer pool: 0")
    return [
        *lines,
        f"{reads} OS file reads, {reads * 2} OS file writes, {reads // 3} OS fsyncs",
        (
            f"{rng.uniform(0, 40):.2f} reads/s, 16384 avg bytes/read, "
            f"{rng.uniform(5, 300):.2f} writes/s, {rng.uniform(1, 90):.2f} fsyncs/s"
        ),
    ]


def _hash(printed: Printed) -> list[str]:
    size = printed.rng.choice((34673, 276707, 553253, 2365361))
    parts = 1 if printed.server.old else 8
    return [
        *_titled("INSERT BUFFER AND ADAPTIVE HASH INDEX", 37),
        "Ibuf: size 1, free list len 0, seg size 2, 0 merges",
        "merged operations:",
        " insert 0, delete mark 0, delete 0",
        "discarded operations:",
        " insert 0, delete mark 0, delete 0",
        *[f"Hash table size {size}, node heap has {n * 7} buffer(s)" for n in range(parts)],
        (
            f"{printed.rng.uniform(0, 9000):.2f} hash searches/s, "
            f"{printed.rng.uniform(50, 9000):.2f} non-hash searches/s"
        ),
    ]


def _log(printed: Printed, moment: Moment) -> list[str]:
    server, rng = printed.server, printed.rng
    capacity = 2 * 50331648
    used = moment.gauges.get("redo_used", rng.uniform(0.05, 0.6))
    lsn = 10_000_000_000 + printed.scenario.world.next_transaction * 700
    age = int(capacity * 0.9 * used)
    modern = server.generation in ("my80", "my84")
    if modern:
        names = [("Log sequence number", lsn), ("Log buffer assigned up to", lsn)]
        names += [("Log buffer completed up to", lsn), ("Log written up to", lsn)]
        names += [("Log flushed up to", lsn - 300), ("Added dirty pages up to", lsn)]
        names += [("Pages flushed up to", lsn - age + 9000), ("Last checkpoint at", lsn - age)]
        if server.key == "my84" or server.release >= "8.0.30":
            names += [("Log minimum file id is", 1880), ("Log maximum file id is", 1890)]
        lines = [f"{name:<29}{value}" for name, value in names]
    else:
        lines = [
            f"Log sequence number {lsn}",
            f"Log flushed up to   {lsn - 2000}",
            f"Pages flushed up to {lsn - age + 9000}",
            f"Last checkpoint at  {lsn - age}",
        ]
        if server.key in ("ps57",):
            lines += [
                f"Max checkpoint age    {int(capacity * 0.9)}",
                f"Checkpoint age        {age}",
            ]
        if server.key not in ("ma106", "ma114"):
            word = "writes" if server.key == "my56" else "flushes"
            lines.append(f"0 pending log {word}, 0 pending chkp writes")
    if server.key not in ("ma106", "ma114"):
        lines.append(f"{lsn // 900} log i/o's done, {rng.uniform(1, 90):.2f} log i/o's/second")
    return [*_titled("LOG", 3), *lines]


def _pool(printed: Printed, moment: Moment) -> list[str]:
    size = 8192 * printed.rng.choice((1, 4, 16, 64))
    free = int(moment.gauges.get("free_pages", size // 50))
    data = size - free - size // 40
    dirty = int(data * moment.gauges.get("dirty", printed.rng.uniform(0.01, 0.2)))
    gap = "" if printed.server.generation not in ("my80", "my84", "my57") else "     "
    freeing = sum(s.doing == "freeing page" for s in moment.sessions)
    single = "" if printed.server.key in ("ma106", "ma114") else f", single page {freeing}"
    return [
        *_titled("BUFFER POOL AND MEMORY", 22),
        f"Total large memory allocated {size * 16900}",
        "Dictionary memory allocated 453400",
        f"Buffer pool size   {size}",
        f"Free buffers       {free}",
        f"Database pages     {data}",
        f"Old database pages {data // 3}",
        f"Modified db pages  {dirty}",
        f"Pending reads {gap} 0",
        f"Pending writes: LRU {4 * (free == 0)}, flush list 0{single}",
        f"Pages made young {data * 2}, not young {data * 9}",
        "1.50 youngs/s, 0.00 non-youngs/s",
        f"Pages read {data * 3}, created {data // 5}, written {data * 7}",
        "0.00 reads/s, 0.50 creates/s, 11.00 writes/s",
        "Buffer pool hit rate 1000 / 1000, young-making rate 0 / 1000 not 0 / 1000",
        "Pages read ahead 0.00/s, evicted without access 0.00/s, Random read ahead 0.00/s",
        f"LRU len: {data}, unzip_LRU len: 0",
        "I/O sum[420]:cur[0], unzip sum[0]:cur[0]",
    ]


def _rows(printed: Printed, moment: Moment) -> list[str]:
    server = printed.server
    views = sum(s.transaction is not None and s.transaction.snapshot for s in moment.sessions)
    thread = printed.thread(moment.sessions[0]) + 0x9000000
    inside = int(moment.gauges.get("inside", 0))
    queued = int(moment.gauges.get("queued", 0))
    lines = _titled("ROW OPERATIONS", 14)
    if server.key in ("ma106", "ma114"):
        lines += [f"{views} read views open inside InnoDB", "state: sleeping"]
    else:
        main = (
            f"Main thread process no. 2450, id {thread}, state: sleeping"
            if server.key == "my56"
            else f"Process ID=2450, Main thread ID={thread} , state=sleeping"
            if server.generation in ("my80", "my84")
            else f"Process ID=2450, Main thread ID={thread}, state: sleeping"
        )
        done = int(moment.counters.get("questions", 0)) + 9000
        lines += [
            f"{inside} queries inside InnoDB, {queued} queries in queue",
            f"{views} read views open inside InnoDB",
            main,
            f"Number of rows inserted {done}, updated {done // 2}, deleted 90, read {done * 80}",
            (
                f"{printed.rng.uniform(0, 40):.2f} inserts/s, {printed.rng.uniform(0, 40):.2f} "
                f"updates/s, 0.00 deletes/s, {printed.rng.uniform(10, 9000):.2f} reads/s"
            ),
        ]
    return [*lines, "-" * 28, "END OF INNODB MONITOR OUTPUT", "=" * 28]
