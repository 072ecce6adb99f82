"""Convert rows of lock, transaction and thread tables to records, by the server's column names.

Source: INNODB_TRX, INNODB_LOCKS, INNODB_LOCK_WAITS (<= 5.7, MariaDB), performance_schema.
        data_locks, data_lock_waits (8.0+), metadata_locks, threads (5.7+), METADATA_LOCK_INFO
        (MariaDB), XA RECOVER, sys.innodb_lock_waits, sys.schema_table_lock_waits, sys.processlist
        and sys.session, SHOW PROCESSLIST, the two queries of pt-stalk's -lock-waits, and innotop's
        screens of locks and of lock waits; what threads wait for by performance_schema is read by
        ``event_waits``.
Ids:    THREAD_ID of performance_schema is its own, not the connection's: it is kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.event_waits import event_wait, last_wait, latch_hold
from pileup.formats.tables.meanings.handlers import (
    Cells,
    Handler,
    Ready,
    Seen,
    Where,
    first,
    integer,
    local_us,
    now_of,
    seconds,
)
from pileup.formats.tables.meanings.tables import Shared
from pileup.records import (
    Item,
    LockWait,
    MetadataLock,
    Record,
    ServerThread,
    Session,
    Transaction,
    TrxLock,
)

_S = 1_000_000
_SAME_ZONE_US = 15 * 60 * _S
_MOST_HELD = 5_000
_COUNTED_BY = frozenset(("command",))
_LOCK_ID = re.compile(r"[0-9A-Fa-f]+:(\d{1,18}):(\d{1,18}):(\d{1,18})$")
# 12738:20 (5.7, MariaDB)    140012:1063:140066 (8.0): transaction, table
_TABLE_LOCK_ID = re.compile(r"[0-9A-Fa-f]{1,20}:\d{1,20}(?::\d{1,20})?")

Make = Callable[[Cells, ResultRow, Where], Iterator[Record]]


@dataclass(frozen=True, slots=True)
class _Known:
    kind: str
    """The snapshot's kind."""
    columns: frozenset[str]
    """A result set with all of these columns is of this kind."""
    make: Make


def snapshot_kind(columns: tuple[str, ...]) -> str | None:
    """Return the kind of snapshot for a table of these (lower-case) columns, or None."""
    known = _known(columns)
    return known.kind if known else None


def is_lock_table(seen: Seen) -> bool:
    """Whether a table has the columns of locks, transactions or threads."""
    return _known(seen.columns) is not None


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    known = _known(seen.columns)
    assert known is not None
    if known.make is _transaction:
        return _Transactions(seen.columns, where)
    if known.kind == "threads":
        return _Threads(seen, where, known.make, shared)
    return _Rows(seen.columns, where, known.make)


def _known(columns: tuple[str, ...]) -> _Known | None:
    names = frozenset(columns)
    found = next((known for known in _TABLES if known.columns <= names), None)
    joined = found is _SOME_OF_THREADS and not all(map(_IS_OF_THREADS.match, names))
    return None if joined else found


class _Rows(Ready):
    def __init__(self, columns: tuple[str, ...], where: Where, make: Make) -> None:
        super().__init__()
        self._columns, self._where, self._make = columns, where, make

    def row(self, row: ResultRow) -> None:
        cells = dict(zip(self._columns, row.values, strict=True))
        self._ready.extend(self._make(cells, row, self._where))


class _Threads(_Rows):
    """Converts rows of threads, and counts the sessions among them."""

    def __init__(self, seen: Seen, where: Where, make: Make, shared: Shared) -> None:
        super().__init__(seen.columns, where, make)
        self._shared = shared
        self._counts = shared.begin_count(where, seen.result.line)

    def row(self, row: ResultRow) -> None:
        before = len(self._ready)
        super().row(row)
        for item in self._ready[before:]:
            if isinstance(item, Session):
                self._counts.take(row.line_last, item.command, item.state, item.query, _COUNTED_BY)

    def end(self) -> list[Item]:
        if self._counts.sessions:
            self._ready += self._shared.listings.count(self._counts)
        return self.drain()


class _Transactions(Ready):
    """Converts rows of INNODB_TRX; computes ages when the whole sample is known.

    INNODB_TRX prints when a transaction began, in the session's zone; a TS line's local time is in
    the collector's. The zones are the same when the youngest transaction is minutes old at most;
    otherwise no age is computed.
    """

    def __init__(self, columns: tuple[str, ...], where: Where) -> None:
        super().__init__()
        self._columns, self._where = columns, where
        self._held: list[tuple[Transaction, int | None, int | None]] = []
        self._youngest: int | None = None
        self._now: int | None = None
        """The time that a column of the query prints: ``now()``."""

    def row(self, row: ResultRow) -> None:
        cells = dict(zip(self._columns, row.values, strict=True))
        began, waits = local_us(cells.get("trx_started")), local_us(cells.get("trx_wait_started"))
        if (now := now_of(self._columns, row.values)) is not None and now[1] == "local":
            self._now = now[0]
        for each in (began, waits):
            if each is not None:
                self._youngest = max(each, self._youngest or each)
        for record in _transaction(cells, row, self._where):
            assert isinstance(record, Transaction)
            self._held.append((record, began, waits))
        if len(self._held) >= _MOST_HELD:
            self._age_held()

    def end(self) -> list[Item]:
        self._age_held()
        return self.drain()

    def _age_held(self) -> None:
        """Set the age of each transaction, now that the youngest of its sample is known."""
        now = local_us(self._where.local)
        if self._now is not None:
            now = self._now
        elif now is not None:
            now += (self._where.wall_us or 0) % _S  # the text has whole seconds
        youngest = self._youngest
        same = now is not None and youngest is not None
        same = same and -_S <= (now or 0) - (youngest or 0) <= _SAME_ZONE_US
        for record, began, waits in self._held:
            if same and now is not None:
                active = _age(now, began) if record.active_s is None else record.active_s
                record = replace(record, active_s=active, wait_s=_age(now, waits))
            self._ready.append(record)
        self._held.clear()


def _age(now: int, then: int | None) -> float | None:
    return None if then is None else max(0.0, (now - then) / _S)


# age   trx_seconds   timestampdiff(second, trx_started, now())
_AGE = re.compile(
    r"(?:trx_)?(?:age|duration|seconds|secs|running|active|open)(?:_?(?:s|sec|secs|seconds|for))?"
    r"|timestampdiff\(second, ?(?:\w{1,20}\.)?trx_started\b.{0,40}"
    r"|unix_timestamp\(.{0,20}\) ?- ?unix_timestamp\((?:\w{1,20}\.)?trx_started\)"
    r"|(?:timediff|subtime)\((?:now|sysdate|current_timestamp)\(?\)?, ?(?:\w{1,20}\.)?trx_started\)"
)
_ALIASES = {
    "trx_mysql_thread_id": "processlist_id thread thd conn_id conn connection_id pid",
    "trx_query": "query info sql statement",
    "trx_rows_locked": "rows_locked row_locks locked_rows",
    "trx_rows_modified": "rows_modified modified_rows",
    "trx_wait_started": "wait_started waiting_since",
    "trx_operation_state": "operation_state operation",
}


def _by_server_names(cells: Cells) -> dict[str, str | None]:
    """Return the cells by the names of INNODB_TRX, also below an alias of a query."""
    named = dict(cells)
    for name, aliases in _ALIASES.items():
        if not named.get(name) and (
            alias := next((a for a in aliases.split() if a in cells), None)
        ):
            named[name] = cells[alias]
    return named


def _transaction(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    age = next((value for name, value in cells.items() if _AGE.fullmatch(name)), None)
    cells = _by_server_names(cells)
    state = cells.get("trx_state")
    waits = state == "LOCK WAIT" or bool(first(cells, "trx_wait_started", "trx_requested_lock_id"))
    session = integer(cells.get("trx_mysql_thread_id"))
    requested = cells.get("trx_requested_lock_id") or ""
    lock = _LOCK_ID.match(requested)
    yield Transaction(
        **where.record_fields(row),
        trx_id=cells.get("trx_id") or ("unknown" if session is None else f"of session {session}"),
        state="ACTIVE" if state in ("RUNNING", "LOCK WAIT", None) else state or "unknown",
        lock_wait=waits,
        operation=cells.get("trx_operation_state") or None,
        session_id=session,
        query=cells.get("trx_query"),
        tables_in_use=integer(cells.get("trx_tables_in_use")),
        tables_locked=integer(cells.get("trx_tables_locked")),
        lock_structs=integer(cells.get("trx_lock_structs")),
        row_locks=integer(cells.get("trx_rows_locked")),
        lock_memory=integer(cells.get("trx_lock_memory_bytes")),
        undo_entries=integer(cells.get("trx_rows_modified")),
        active_s=seconds(age),
        declared_inside=(integer(cells.get("trx_concurrency_tickets")) or 0) > 0,
        waits_space=int(lock[1]) if lock else None,
        waits_page=int(lock[2]) if lock else None,
        waits_heap=int(lock[3]) if lock else None,
        waits_kind="record" if lock else "table" if _TABLE_LOCK_ID.fullmatch(requested) else None,
    )


def _prepared(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert a row of XA RECOVER: a transaction that no COMMIT or ROLLBACK has ended."""
    yield Transaction(
        **where.record_fields(row), trx_id=cells.get("data") or "unknown", state="ACTIVE (PREPARED)"
    )


_AUTO_INC = "AUTO-INC"
"""The mode as a status dump prints it; lock tables write AUTO_INC."""


def _lock(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    table = cells.get("lock_table") or ".".join(
        filter(None, (cells.get("object_schema"), cells.get("object_name")))
    )
    yield TrxLock(
        **where.record_fields(row),
        trx_id=first(cells, "lock_trx_id", "engine_transaction_id") or _nameless(cells),
        session_id=integer(cells.get("processlist_id")),
        lock_kind="table" if (cells.get("lock_type") or "").upper() == "TABLE" else "record",
        table=_plain(table) or "unknown",
        index=_plain(first(cells, "lock_index", "index_name")),
        space=integer(cells.get("lock_space")),
        page=integer(cells.get("lock_page")),
        heap=integer(cells.get("lock_rec")),
        mode=(cells.get("lock_mode") or "unknown").replace("AUTO_INC", _AUTO_INC),
        waiting=cells.get("lock_status") == "WAITING",
        lock_id=first(cells, "lock_id", "engine_lock_id"),
        ps_thread_id=integer(cells.get("thread_id")),
        lock_data=cells.get("lock_data"),
    )


def _nameless(cells: Cells) -> str:
    """Name a transaction of which only the thread is printed: a thread has one at a time."""
    thread = first(cells, "thread_id", "processlist_id")
    return f"of thread {thread}" if thread else "unknown"


def _metadata_lock(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    names = (cells.get("object_schema"), cells.get("object_name"))
    yield MetadataLock(
        **where.record_fields(row),
        object_type=cells.get("object_type") or ("unknown" if "object_type" in cells else "TABLE"),
        object_name=".".join(filter(None, names)) or None,
        mode=cells.get("lock_type") or "unknown",
        duration=cells.get("lock_duration"),
        status=cells.get("lock_status") or "unknown",
        source=cells.get("source") or None,
        ps_thread_id=integer(cells.get("owner_thread_id")),
        session_id=integer(cells.get("processlist_id")),
    )


def _metadata_lock_info(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert a row of MariaDB's plugin: THREAD_ID is the connection's id, LOCK_TYPE the object."""
    names = (cells.get("table_schema"), cells.get("table_name"))
    kind = (cells.get("lock_type") or "").lower().removesuffix("lock").strip()
    yield MetadataLock(
        **where.record_fields(row),
        object_type="TABLE" if kind == "table metadata" else kind.upper() or "unknown",
        object_name=".".join(filter(None, names)) or None,
        mode=(cells.get("lock_mode") or "unknown").removeprefix("MDL_"),
        duration=(cells.get("lock_duration") or "").removeprefix("MDL_") or None,
        status="GRANTED",
        session_id=integer(cells.get("thread_id")),
    )


def _wait(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    metadata = "waiting_lock_type" in cells or "blocking_lock_type" in cells
    table = first(cells, "waiting_table_lock", "lock_table", "locked_table") or ".".join(
        filter(None, (cells.get("object_schema"), cells.get("object_name")))
    )
    # INNODB_LOCK_WAITS of sys since 8.0 splits the name
    table = table or ".".join(
        filter(None, (cells.get("locked_table_schema"), cells.get("locked_table_name")))
    )
    lock_id = first(cells, "requested_lock_id", "waiting_lock_id", "requesting_engine_lock_id")
    of_table = _TABLE_LOCK_ID.fullmatch(lock_id or "")
    yield LockWait(
        **where.record_fields(row),
        lock_kind="metadata" if metadata else "table" if of_table else "record",
        waiting_trx=first(
            cells, "waiting_trx_id", "requesting_trx_id", "requesting_engine_transaction_id"
        ),
        waiting_session=integer(first(cells, "waiting_pid", "waiting_thread")),
        waiting_query=first(cells, "waiting_query", "waiting_trx_query"),
        waiting_s=seconds(
            first(cells, "wait_time", "wait_age_secs", "waiting_query_secs", "wait_age")
        ),
        blocking_trx=first(cells, "blocking_trx_id", "blocking_engine_transaction_id"),
        blocking_session=integer(first(cells, "blocking_pid", "blocking_thread")),
        blocking_query=cells.get("blocking_query"),
        blocking_idle_s=seconds(cells.get("idle_in_trx")),
        table=_plain(table),
        index=_plain(first(cells, "waiting_index_lock", "lock_index", "locked_index")),
        mode=first(cells, "waiting_lock_mode", "lock_mode", "waiting_lock_type"),
        blocking_mode=cells.get("blocking_lock_type") if metadata else None,
        lock_id=lock_id,
        waiting_ps_thread=integer(first(cells, "requesting_thread_id", "waiting_thread_id")),
        blocking_ps_thread=integer(cells.get("blocking_thread_id")),
    )


def _innotop_wait(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert a row of innotop's lock waits: the waiter's and the blocker's connection."""
    yield LockWait(
        **where.record_fields(row),
        lock_kind="record",
        waiting_session=integer(cells.get("wthread")),
        waiting_query=cells.get("waiting query") or None,
        waiting_s=_innotop_seconds(cells.get("wwait")),
        blocking_session=integer(cells.get("bthread")),
        blocking_query=cells.get("blocking query") or None,
    )


def _innotop_lock(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert a row of innotop's locks, which names a transaction by its connection."""
    session, waits = integer(cells.get("id")), cells.get("waiting") == "1"
    if waits:
        yield Transaction(
            **where.record_fields(row),
            trx_id=f"of session {session}" if session is not None else "unknown",
            state="ACTIVE",
            lock_wait=True,
            session_id=session,
            active_s=_innotop_seconds(cells.get("active")),
            wait_s=_innotop_seconds(cells.get("wait")),
        )
    table = ".".join(filter(None, (cells.get("db"), cells.get("table"))))
    yield TrxLock(
        **where.record_fields(row),
        trx_id=f"of session {session}" if session is not None else "unknown",
        session_id=session,
        lock_kind="table" if (cells.get("type") or "").upper() == "TABLE" else "record",
        table=_plain(table) or "unknown",
        index=_plain(cells.get("index")),
        mode=cells.get("mode") or "unknown",
        waiting=waits,
    )


def _innotop_seconds(text: str | None) -> float | None:
    """Convert '18s', '00:45' or '1:02:03' to seconds."""
    parts = (text or "").removesuffix("s").split(":")
    if not all(map(str.isdecimal, parts)) or len(parts) > _CLOCK_PARTS:
        return None
    return float(sum(int(part[:9]) * 60**at for at, part in enumerate(reversed(parts))))


_CLOCK_PARTS = 3


def _aggregate(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert a row of pt-stalk's first query: who_blocks is 'thread 390 from localhost'."""
    match = re.search(r"thread (\d{1,18})(?!\S)", cells.get("who_blocks") or "")
    yield LockWait(
        **where.record_fields(row),
        lock_kind="record",
        blocking_session=int(match[1]) if match else None,
        blocking_idle_s=seconds(cells.get("idle_in_trx")),
        waiting_s=seconds(cells.get("max_wait_time")),
        waiters=integer(cells.get("num_waiters")),
    )


def _thread(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert a row of performance_schema.threads to the thread and the session that it serves."""
    session_id = integer(cells.get("processlist_id"))
    os_tid = integer(cells.get("thread_os_id"))
    thread_id = integer(cells.get("thread_id"))
    if thread_id is not None:
        yield ServerThread(
            **where.record_fields(row),
            ps_thread_id=thread_id,
            session_id=session_id,
            os_tid=os_tid,
            name=cells.get("name"),
        )
    if session_id is not None and any(map(cells.__contains__, _OF_SESSION)):
        yield Session(
            **where.record_fields(row),
            session_id=session_id,
            user=_SYSTEM
            if _REPLICATES.match(cells.get("name") or "")
            else cells.get("processlist_user"),
            client_host=cells.get("processlist_host"),
            db=cells.get("processlist_db"),
            command=cells.get("processlist_command"),
            time_s=seconds(cells.get("processlist_time")),
            state=cells.get("processlist_state"),
            query=cells.get("processlist_info"),
            os_tid=os_tid,
        )


_REPLICATES = re.compile(r"thread/sql/(?:slave|replica)_(?:io|sql|worker)\b")
_SYSTEM = "system user"
"""A processlist's name for threads of replication; performance_schema names who started them."""
_OF_SESSION = ("processlist_command", "processlist_state", "processlist_info")


def _sys_session(cells: Cells, row: ResultRow, where: Where) -> Iterator[Record]:
    """Convert a row of sys.processlist, sys.session or their x$ forms."""
    session_id, thread_id = integer(cells.get("conn_id")), integer(cells.get("thd_id"))
    if thread_id is not None:
        yield ServerThread(
            **where.record_fields(row),
            ps_thread_id=thread_id,
            session_id=session_id,
            name=cells.get("user"),
        )
    if session_id is not None:
        yield Session(
            **where.record_fields(row),
            session_id=session_id,
            user=cells.get("user"),
            db=cells.get("db"),
            command=cells.get("command"),
            time_s=seconds(cells.get("time")),
            state=cells.get("state"),
            query=cells.get("current_statement"),
        )
    yield from last_wait(cells, row, where)


def _plain(name: str | None) -> str | None:
    return (name or "").replace("`", "") or None


_TABLES = tuple(  # '~': a blank in a name
    _Known(kind, frozenset(name.replace("~", " ") for name in columns.split()), make)
    for kind, columns, make in (
        ("transactions", "trx_id trx_state trx_mysql_thread_id", _transaction),
        ("lock_waits", "who_blocks num_waiters", _aggregate),
        ("lock_waits", "waiting_trx_id blocking_trx_id", _wait),
        ("lock_waits", "requesting_trx_id blocking_trx_id", _wait),
        ("lock_waits", "requesting_engine_lock_id blocking_engine_lock_id", _wait),
        ("lock_waits", "requesting_engine_transaction_id blocking_engine_transaction_id", _wait),
        ("lock_waits", "waiting_pid blocking_pid", _wait),
        ("lock_waits", "waiting_thread blocking_thread", _wait),  # aliases of the manual's query
        ("lock_waits", "waiting_pid waiting_query locked_table", _wait),  # cut before the holder
        ("lock_waits", "waiting_trx_id wait_age locked_table", _wait),
        ("lock_waits", "wthread bthread waiting~query", _innotop_wait),
        ("transactions", "waiting active mode table index", _innotop_lock),
        ("transactions", "engine_lock_id engine_transaction_id lock_mode", _lock),
        ("transactions", "lock_id lock_trx_id lock_mode", _lock),
        ("transactions", "engine_transaction_id lock_mode lock_status", _lock),
        ("transactions", "thread_id lock_type lock_mode lock_status", _lock),
        ("metadata_locks", "object_type lock_type lock_status owner_thread_id", _metadata_lock),
        ("metadata_locks", "object_name lock_type lock_status owner_thread_id", _metadata_lock),
        ("metadata_locks", "object_name lock_type lock_status processlist_id", _metadata_lock),
        ("metadata_locks", "object_type lock_type lock_status processlist_id", _metadata_lock),
        ("metadata_locks", "thread_id lock_mode lock_type table_schema", _metadata_lock_info),
        ("event_waits", "thread_id event_name operation", event_wait),
        ("event_waits", "processlist_id event_name operation", event_wait),
        ("latch_holds", "name object_instance_begin locked_by_thread_id", latch_hold),
        ("latch_holds", "name object_instance_begin write_locked_by_thread_id", latch_hold),
        ("threads", "thread_id name type processlist_id", _thread),
        ("threads", "thread_id processlist_id thread_os_id", _thread),
        ("threads", "thd_id conn_id command", _sys_session),
        # some columns of INNODB_TRX
        ("transactions", "trx_mysql_thread_id trx_query", _transaction),
        ("transactions", "trx_mysql_thread_id trx_started", _transaction),
        ("transactions", "trx_mysql_thread_id trx_state", _transaction),
        ("transactions", "trx_id trx_state", _transaction),
        ("transactions", "trx_id trx_started", _transaction),
        ("transactions", "formatid gtrid_length bqual_length", _prepared),
        ("threads", "thread_id processlist_id", _thread),
    )
)
_SOME_OF_THREADS = _TABLES[-1]
_IS_OF_THREADS = re.compile(r"processlist_|thread_id$|thread_os_id$|(?:name|type)$")
"""Columns of threads; any other one is of a table that a query joined to it."""
NAMES = frozenset(max(known.columns, key=len) for known in _TABLES)
"""Each of these tables has one of them: its longest, for words such as 'type' are anywhere."""
