"""Waits for latches and their holders: semaphores, latch lists, performance_schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pileup.records.base import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class SemaphoreWait(Record):
    """One thread waiting for a latch: a ``--Thread`` paragraph of SEMAPHORES.

    Source: sync_array_cell_print(), storage/innobase/sync/sync0arr.cc (all versions).
    """

    KIND: ClassVar[str] = "semaphore_wait"

    thread_id: int | None
    """pthread_t, decimal, as printed; None where only a count of waits is printed."""
    file: str
    """Base name with its last directory when printed (btr0sea.ic, handler/ha_innodb.cc)."""
    line: int
    waited_s: float | None
    mode: str
    """S, X, SX, X wait_ex, mutex, unknown."""
    latch_address: str | None = None
    """Hex with 0x, lower case."""
    latch_name: str | None = None
    """The quoted C expression (&kernel_mutex) or mutex name (BUF_POOL), without quotes."""
    created_file: str | None = None
    created_line: int | None = None
    holder_thread: int | None = None
    """pthread_t of the thread that has reserved the latch or mutex; may equal thread_id."""
    holder_mode: str | None = None
    """exclusive, wait exclusive, SX, or mutex."""
    readers: int | None = None
    waiters_flag: int | None = None
    lock_word: int | None = None
    """Signed: ffffffffffffffff is -1 (one reader left while a writer waits)."""
    last_read_file: str | None = None
    last_read_line: int | None = None
    last_write_file: str | None = None
    last_write_line: int | None = None
    ended: bool = False
    """True when 'wait has ended' is printed: signalled, not yet left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatchHold(Record):
    """The holder of a latch or mutex, from a list of latches.

    Source: RW-LATCH INFO and MUTEX INFO of a status dump (debug builds: rw_lock_list_print_info(),
    sync0rw.cc; mutex_list_print_info(), sync0sync.cc), performance_schema.mutex_instances and
    rwlock_instances. The first also names those who share a latch.
    """

    KIND: ClassVar[str] = "latch_hold"

    latch_address: str
    """Hex with 0x, lower case."""
    latch_name: str | None = None
    """'wait/synch/rwlock/innodb/btr_search_latch'; a dump prints none."""
    mode: str
    """S, X, SX, X wait_ex, mutex."""
    thread_id: int | None = None
    """pthread_t, where a dump names the thread."""
    ps_thread_id: int | None = None
    """performance_schema's THREAD_ID, where that is printed."""
    session_id: int | None = None
    readers: int | None = None
    """READ_LOCKED_BY_COUNT: how many threads share it; the server does not print which."""
    file: str | None = None
    line: int | None = None
    """Where it was locked."""
    waiters_flag: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWait(Record):
    """The current or last wait of a thread, from performance_schema's wait instruments.

    Source: events_waits_current (5.5+, MariaDB), last_wait of sys.processlist and sys.session.
    """

    KIND: ClassVar[str] = "event_wait"

    ps_thread_id: int | None = None
    session_id: int | None = None
    event: str
    """EVENT_NAME: 'wait/synch/sxlock/innodb/index_tree_rw_lock', 'wait/lock/metadata/sql/mdl'."""
    ongoing: bool | None = None
    """False: it has ended, and the thread may do anything since. None: not printed."""
    waited_s: float | None = None
    file: str | None = None
    line: int | None = None
    operation: str | None = None
    """lock, exclusive_lock, shared_lock, sync, write, timed_wait, ..."""
    object_address: str | None = None
    """OBJECT_INSTANCE_BEGIN in hex with 0x."""
    object_name: str | None = None
    """schema.table, or a file."""
