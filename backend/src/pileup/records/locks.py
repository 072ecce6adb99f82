"""Transactions, the locks they hold and wait for, and deadlocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pileup.records.base import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction(Record):
    """One InnoDB transaction, from SHOW ENGINE INNODB STATUS or INNODB_TRX."""

    KIND: ClassVar[str] = "transaction"

    trx_id: str
    """As printed (hexadecimal in 5.1 plugin and 5.5, two halves in 5.0); compare as text."""
    state: str
    """not started, ACTIVE, ACTIVE (PREPARED), COMMITTED IN MEMORY, LOCK WAIT, ..."""
    lock_wait: bool = False
    active_s: float | None = None
    operation: str | None = None
    """InnoDB's op_info, such as 'starting index read'."""
    session_id: int | None = None
    os_thread: int | None = None
    """pthread_t, whatever base it was printed in."""
    query_id: int | None = None
    client_host: str | None = None
    user: str | None = None
    thread_state: str | None = None
    query: str | None = None
    tables_in_use: int | None = None
    tables_locked: int | None = None
    lock_structs: int | None = None
    row_locks: int | None = None
    lock_memory: int | None = None
    """Bytes of the heap that holds its locks."""
    undo_entries: int | None = None
    declared_inside: bool = False
    wait_s: float | None = None
    waits_space: int | None = None
    waits_page: int | None = None
    waits_heap: int | None = None
    waits_index: str | None = None
    waits_table: str | None = None
    """schema.table without back-ticks."""
    waits_mode: str | None = None
    """X, S, IX, ... with its suffix, such as 'X locks rec but not gap'."""
    waits_kind: str | None = None
    """record or table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrxLock(Record):
    """One row or table lock that a dump or a lock table lists, held or waited for."""

    KIND: ClassVar[str] = "trx_lock"

    trx_id: str
    session_id: int | None = None
    lock_kind: str
    """record or table."""
    table: str
    index: str | None = None
    space: int | None = None
    page: int | None = None
    heap: int | None = None
    mode: str
    waiting: bool = False
    lock_id: str | None = None
    ps_thread_id: int | None = None
    """performance_schema's THREAD_ID, not the connection's id; ServerThread maps them."""
    lock_data: str | None = None
    """The key of the locked row as the server prints it; identifies the row in the index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataLock(Record):
    """One metadata lock, granted or pending.

    Source: performance_schema.metadata_locks (5.7+), METADATA_LOCK_INFO (MariaDB, granted only).
    """

    KIND: ClassVar[str] = "metadata_lock"

    object_type: str
    """TABLE, SCHEMA, GLOBAL, COMMIT, ... as printed."""
    object_name: str | None = None
    """schema.table, or the schema; None for GLOBAL and the like."""
    mode: str
    """As printed: SHARED_WRITE, EXCLUSIVE, ... (MDL_SHARED_WRITE of MariaDB without MDL_)."""
    duration: str | None = None
    status: str
    """GRANTED, PENDING, ... as printed."""
    source: str | None = None
    """Where the server requested it: 'sql_base.cc:3104'."""
    ps_thread_id: int | None = None
    session_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LockWait(Record):
    """One waiter and one blocker as a lock table pairs them (row or metadata lock).

    Source: INNODB_LOCK_WAITS (<= 5.7, MariaDB), performance_schema.data_lock_waits (8.0+),
    sys.innodb_lock_waits, sys.schema_table_lock_waits, pt-stalk's lock-waits.
    Note:   every conflicting pair is listed; a blocker that waits itself is not the root.
    """

    KIND: ClassVar[str] = "lock_wait"

    lock_kind: str
    """record, table or metadata."""
    waiting_trx: str | None = None
    waiting_session: int | None = None
    waiting_query: str | None = None
    waiting_s: float | None = None
    blocking_trx: str | None = None
    blocking_session: int | None = None
    blocking_query: str | None = None
    blocking_idle_s: float | None = None
    table: str | None = None
    index: str | None = None
    mode: str | None = None
    blocking_mode: str | None = None
    """Of a metadata lock: sys.schema_table_lock_waits pairs every holder, in conflict or not."""
    lock_id: str | None = None
    waiters: int | None = None
    """For aggregated rows (who_blocks ... num_waiters): how many wait behind the blocker."""
    waiting_ps_thread: int | None = None
    """performance_schema's THREAD_ID, where that is all that is printed."""
    blocking_ps_thread: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlockTrx:
    """One transaction of a LATEST DETECTED DEADLOCK."""

    number: int
    trx_id: str
    session_id: int | None = None
    os_thread: int | None = None
    active_s: float | None = None
    query: str | None = None
    user: str | None = None
    holds: tuple[str, ...] = ()
    """Lock descriptions: 'record app.accounts PRIMARY X locks rec but not gap'."""
    holds_rows: tuple[str, ...] = ()
    """The rows of each lock in ``holds``: '7:309:2 3' (space, page, heap numbers); '' without any.
    A lock that is itself waited for ends in ' waiting'."""
    waits_for: str | None = None
    waits_rows: str | None = None
    """The rows of ``waits_for``, printed likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlock(Record):
    """LATEST DETECTED DEADLOCK, deduplicated within one artifact by time and trx ids."""

    KIND: ClassVar[str] = "deadlock"

    transactions: tuple[DeadlockTrx, ...]
    victim: int | None = None
    """The number of the transaction rolled back; None when cut off or search too deep."""
    original: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKeyError(Record):
    """LATEST FOREIGN KEY ERROR."""

    KIND: ClassVar[str] = "foreign_key_error"

    table: str | None = None
    """The child, which has the constraint."""
    constraint: str | None = None
    columns: str | None = None
    """Of the child: 'customer, region'."""
    parent_table: str | None = None
    parent_columns: str | None = None
    index: str | None = None
    """In which the row at fault was looked up."""
    row: tuple[str, ...] = ()
    """The fields of the row at fault as printed: 'len 4; hex 80000063; asc    c;'."""
    trx_id: str | None = None
    session_id: int | None = None
    query: str | None = None
    message: str = ""
    original: str | None = None
