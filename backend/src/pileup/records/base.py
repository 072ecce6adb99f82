"""Record, the base of every machine fact, and the records that any artifact can yield."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Clock = Literal["utc", "local", "relative", "yearless", "dayless"]
"""utc: absolute (epoch, Z, or offset already applied). local: server-local, zone not printed.
relative: no time in the file; microseconds since its first sample at the nominal interval.
yearless: local, and the year is not printed either (RFC 3164 syslog): as if in 1972.
dayless: a local time of day (strace -tt): microseconds since midnight of the file's first day."""


UINT64_MAX = 2**64 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Fields of every record: its lines in the artifact, and its time.

    The driver adds the column ``artifact`` (SHA-256 of the file) to each frame.
    """

    KIND: ClassVar[str] = ""

    line_first: int
    line_last: int
    host: str | None = None
    """Set when the record itself names its host (a CSV column); else the clock stage sets it."""
    wall_us: int | None = None
    clock: Clock | None = None
    snapshot: int | None = None
    """Ordinal of the Snapshot in this artifact that the record belongs to, if any (0-based)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Record):
    """One moment that a dump, processlist or stack sample describes."""

    KIND: ClassVar[str] = "snapshot"

    kind: str
    """innodb_status, processlist, stacks, lock_waits, transactions, metadata_locks, threads,
    event_waits or latch_holds."""
    time_quality: str = "unknown"
    """exact (printed), inferred, file name, unknown."""
    original: str | None = None
    """The time exactly as printed."""
    server_version: str | None = None
    main_thread: str | None = None
    """State of InnoDB's main thread, as a status dump prints it: 'sleeping', 'flushing log'."""
    uptime_s: int | None = None
    complete: bool = True
    """False when the dump ends before its end marker."""


CLIENT = "client"
"""The subsystem of an Event that a client printed instead of the server's answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Record):
    """An event at one moment: a log line, a trigger, a configuration change."""

    KIND: ClassVar[str] = "event"

    kind: str
    """log, trigger, restart, crash, cluster, semaphore_warning, ..."""
    severity: str | None = None
    """error, warning, note, system."""
    subsystem: str | None = None
    code: str | None = None
    message: str
    original: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Record):
    """The value of one variable."""

    KIND: ClassVar[str] = "setting"

    name: str
    """Lower case, underscores; my.cnf names are normalised ('-' to '_', no loose_)."""
    value: str | None
    source: str
    """my.cnf, SHOW VARIABLES, pt-stalk, ..."""
    section: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Record):
    """A result set worth comparing (buffer pool pages by index, query digests, df)."""

    KIND: ClassVar[str] = "table"

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
