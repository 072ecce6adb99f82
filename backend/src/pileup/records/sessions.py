"""Sessions, server threads and query classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pileup.records.base import Record

LONGEST_SESSION_S = 10 * 365 * 86_400
"""A printed time in a state beyond this is no time: a counter that went below zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerThread(Record):
    """One row of performance_schema.threads: the three ids of one thread.

    Joins what prints only the kernel's id (eu-stack, pidstat, top -H) or performance_schema's own
    (data_locks, metadata_locks) to the connection.
    """

    KIND: ClassVar[str] = "thread"

    ps_thread_id: int
    session_id: int | None = None
    """PROCESSLIST_ID; None for a background thread."""
    os_tid: int | None = None
    """THREAD_OS_ID: the kernel's thread id (LWP)."""
    name: str | None = None
    """'thread/innodb/page_flush_coordinator_thread'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Record):
    """One row of a processlist."""

    KIND: ClassVar[str] = "session"

    session_id: int | None = None
    """None where the listing has no column of ids."""
    user: str | None = None
    client_host: str | None = None
    db: str | None = None
    command: str | None = None
    time_s: float | None = None
    """Seconds in the current state; may be negative or 2^32-ish as printed by some servers."""
    state: str | None = None
    query: str | None = None
    os_tid: int | None = None
    """Kernel thread id where printed (MariaDB TID)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryCount:
    """A further field of a slow log entry, by its printed name: Pages_read, Sort_rows, Filesort.

    Units: as printed (Pages_read_time and Engine_time of MariaDB are milliseconds); Yes is 1, No 0.
    """

    name: str
    value: float | None = None
    """None for a field that is no number."""
    text: str | None = None
    """The field as printed when it is no number: Stored_routine, explain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(Record):
    """One statement of a slow query log.

    Source: MYSQL_QUERY_LOG::write(), sql/log.cc; log_slow_extra (8.0.14+); Percona's and MariaDB's
    log_slow_verbosity.
    Time:   when it ended, where the log prints it (``# Time:``), else SET timestamp, when it began.
    Units:  seconds; InnoDB's waits are printed by Percona and MariaDB only.
    """

    KIND: ClassVar[str] = "query"

    query_time_s: float | None = None
    lock_time_s: float | None = None
    rows_sent: int | None = None
    rows_examined: int | None = None
    rows_affected: int | None = None
    session_id: int | None = None
    user: str | None = None
    client_host: str | None = None
    """The host name, or the address where no name is printed."""
    client_ip: str | None = None
    db: str | None = None
    errno: int | None = None
    trx_id: str | None = None
    """InnoDB's transaction, hexadecimal as Percona prints it; compare as text."""
    innodb_rec_lock_wait_s: float | None = None
    innodb_queue_wait_s: float | None = None
    innodb_io_r_wait_s: float | None = None
    started_us: int | None = None
    """SET timestamp, in microseconds UTC (whole seconds before MariaDB 10): when it began."""
    administrator: bool = False
    """A command that is not a statement: Quit, Ping, Prepare."""
    query: str | None = None
    counts: tuple[QueryCount, ...] = ()
    """Further fields that this server prints for a statement, in its order."""
    weight: int | None = None
    """How many statements this one represents in a sampled log; None: 1. Sums multiply by it."""
