"""The vocabulary: one frozen record per kind of machine fact, and its frame schema.

Every format yields these records and nothing else; every analysis reads frames of them. The
module imports nothing of ours.

Units:  times are int64 microseconds since the epoch, durations are seconds, sizes are bytes.
Time:   a parser reports what is printed: ``wall_us`` is the printed wall clock *as if it were UTC*
        and ``clock`` says what kind of clock that is. ``analysis.clock`` places it on UTC and adds
        the column ``time``. Nothing here knows a zone.
Null:   ``None`` means not known. A zero was read as zero.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, ClassVar, Literal, TypeAlias, get_args, get_origin, get_type_hints

import polars as pl

Clock = Literal["utc", "local", "relative", "yearless", "dayless"]
"""utc: absolute (epoch, Z, or offset already applied). local: server-local, zone not printed.
relative: no time in the file; microseconds since its first sample at the nominal interval.
yearless: local, and the year is not printed either (RFC 3164 syslog): as if in 1972.
dayless: a local time of day (strace -tt): microseconds since midnight of the file's first day."""

UINT64_MAX = 2**64 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every record carries: where it stands in the artifact, and when.

    The driver adds the column ``artifact`` (SHA-256 of the file) to each frame.
    """

    KIND: ClassVar[str] = ""

    line_first: int
    line_last: int
    host: str | None = None
    """Only where the record itself names its host (a CSV column); else the clock stage fills it."""
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
    uptime_s: int | None = None
    complete: bool = True
    """False when the dump ends before its end marker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SemaphoreWait(Record):
    """One thread waiting for a latch: a ``--Thread`` paragraph of SEMAPHORES.

    Source: sync_array_cell_print(), storage/innobase/sync/sync0arr.cc (all versions).
    """

    KIND: ClassVar[str] = "semaphore_wait"

    thread_id: int
    """pthread_t, decimal, as printed."""
    file: str
    """Base name with its last directory when printed (btr0sea.ic, handler/ha_innodb.cc)."""
    line: int
    waited_s: float
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
    """performance_schema's THREAD_ID, which is not the connection's id: ServerThread joins it."""
    lock_data: str | None = None
    """The key of the locked row as the server prints it: which row of the index it is."""


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
    """Where the server asked for it: 'sql_base.cc:3104'."""
    ps_thread_id: int | None = None
    session_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerThread(Record):
    """One row of performance_schema.threads: the three ids of one thread, side by side.

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
class LatchHold(Record):
    """Who has a latch or mutex, where a list of latches says so.

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
    """performance_schema's THREAD_ID, where that is what is printed."""
    session_id: int | None = None
    readers: int | None = None
    """READ_LOCKED_BY_COUNT: how many share it; nothing says who."""
    file: str | None = None
    line: int | None = None
    """Where it was locked."""
    waiters_flag: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWait(Record):
    """What a thread waits for, or waited for last, by performance_schema's wait instruments.

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
    holds: tuple[str, ...] = ()
    """Lock descriptions: 'record app.accounts PRIMARY X locks rec but not gap'."""
    waits_for: str | None = None


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
    constraint: str | None = None
    message: str = ""
    original: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Record):
    """One processlist row."""

    KIND: ClassVar[str] = "session"

    session_id: int
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
class Frame:
    """One frame of a stack."""

    function: str
    file: str | None = None
    line: int | None = None
    library: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StackThread:
    """One thread that shows a stack."""

    number: int | None = None
    """gdb's own number: no meaning across captures."""
    pthread: int | None = None
    lwp: int | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack(Record):
    """One distinct stack in one sample, innermost frame first."""

    KIND: ClassVar[str] = "stack"

    count: int
    """Threads with this stack (times samples, when ``samples`` > 1)."""
    samples: int = 1
    frames: tuple[Frame, ...]
    threads: tuple[StackThread, ...] = ()
    addresses: tuple[str, ...] = ()
    """lock=, mutex=, latch addresses seen in arguments: link to SEMAPHORES addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Record):
    """Something that happened: a log line, a trigger, a configuration change."""

    KIND: ClassVar[str] = "event"

    kind: str
    """log, trigger, restart, crash, semaphore_warning, ..."""
    severity: str | None = None
    """error, warning, note, system."""
    subsystem: str | None = None
    code: str | None = None
    message: str
    original: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Record):
    """One variable's value."""

    KIND: ClassVar[str] = "setting"

    name: str
    """Lower case, underscores; my.cnf names are normalised ('-' to '_', no loose_)."""
    value: str | None
    source: str
    """my.cnf, SHOW VARIABLES, pt-stalk, ..."""
    section: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryCount:
    """One further field of a slow log entry, by its printed name: Pages_read, Sort_rows, Filesort.

    Units: as printed (Pages_read_time and Engine_time of MariaDB are milliseconds); Yes is 1, No 0.
    """

    name: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(Record):
    """One statement of a slow query log.

    Source: MYSQL_QUERY_LOG::write(), sql/log.cc; log_slow_extra (8.0.14+); Percona's and MariaDB's
    log_slow_verbosity.
    Time:   when it ended, where the log says so (``# Time:``), else SET timestamp, when it began.
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
    db: str | None = None
    errno: int | None = None
    innodb_rec_lock_wait_s: float | None = None
    innodb_queue_wait_s: float | None = None
    innodb_io_r_wait_s: float | None = None
    started_us: int | None = None
    """SET timestamp, in microseconds UTC (whole seconds before MariaDB 10): when it began."""
    administrator: bool = False
    """A command that is not a statement: Quit, Ping, Prepare."""
    query: str | None = None
    counts: tuple[QueryCount, ...] = ()
    """What else this server prints of a statement, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Record):
    """A result set worth comparing (buffer pool pages by index, query digests, df)."""

    KIND: ClassVar[str] = "table"

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Samples:
    """Values of one series, in time order: bulk, so columns and not one record per value.

    series: dotted name with its collector: mysql.Threads_running, innodb.history_list_length,
            vmstat.us, iostat.util (labels device=vda), csv.qps, mpstat.usr (cpu=all).
    kind:   counter (only grows until a reset), gauge, or rate (already a difference over time).
    lines:  the line of each value.
    """

    series: str
    kind: Literal["counter", "gauge", "rate"]
    unit: str | None
    clock: Clock
    wall_us: Sequence[int | None]
    values: Sequence[float | int | None]
    lines: Sequence[int]
    labels: tuple[tuple[str, str], ...] = ()
    host: str | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Many records of one kind, or many samples, as one frame: for parsers of large files.

    frame: exactly ``frame_schema(kind)``, its columns in that order; ``frame_of`` makes it. Kind
           SAMPLE is the long frame of the sample schema. Rows stand in file order, as single
           records would.
    """

    kind: str
    frame: pl.DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Many series at the same moments, as a matrix: a tenth of what the same samples are as Rows.

    series:  one row per series: series, labels, kind, unit, host (as in the sample schema).
    wall_us: one per moment; the clock is the same for all.
    lines:   the line of each moment's first value, and ``offsets`` of each series from there.
    values:  Float64, moment by moment and in each the series in order; a null is a gap.
    """

    series: pl.DataFrame
    clock: Clock
    wall_us: pl.Series
    lines: pl.Series
    offsets: pl.Series
    values: pl.Series

    def frames(self, rows: int = 500_000) -> Iterator[pl.DataFrame]:
        """As frames of the sample schema, of some so many rows each."""
        width = self.series.height
        step = max(1, rows // max(1, width))
        for first in range(0, len(self.wall_us), step):
            moments = min(step, len(self.wall_us) - first)
            moment = pl.int_range(moments * width, eager=True) // width
            place = pl.concat([pl.int_range(width, eager=True)] * moments)
            columns = {
                **{name: self.series[name].gather(place) for name in self.series.columns},
                "clock": self.clock,
                "wall_us": self.wall_us.slice(first, moments).gather(moment),
                "value": self.values.slice(first * width, moments * width),
                "line_first": self.lines.slice(first, moments).gather(moment)
                + self.offsets.gather(place),
            }
            yield frame_of(SAMPLE, columns)


@dataclass(frozen=True, slots=True, eq=False)
class Stacks:
    """Stacks as runs of frames that come often: a tenth of what they are as Rows.

    rows:   the columns of the stack schema that ``frame_of`` cannot default, but for the frames.
    widths: runs per row, UInt32.
    places: which runs, row by row and innermost first, UInt32.
    runs:   lists of places in the table, UInt32, none of them empty; several Stacks may share it.
    table:  frames as structs.
    """

    rows: pl.DataFrame
    widths: pl.Series
    places: pl.Series
    runs: pl.Series
    table: pl.Series

    def frame(self) -> pl.DataFrame:
        """As a frame of the stack schema."""
        single = self.runs.explode()
        if len(single) == len(self.runs):  # each is one frame
            places = single.gather(self.places)
            frames = list_column(self.table.gather(places), self.widths.to_list())
            return frame_of("stack", {**self.rows.to_dict(), "frames": frames})
        runs = self.runs.gather(self.places)
        lengths = pl.DataFrame(
            [_repeated(self.widths.to_list()).alias("row"), runs.list.len().alias("length")]
        )
        depths = lengths.group_by("row", maintain_order=True).agg(pl.col("length").sum())
        frames = list_column(self.table.gather(runs.explode()), depths["length"].to_list())
        return frame_of("stack", {**self.rows.to_dict(), "frames": frames})


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that the parser could not read. Damage is data: it is stored and shown."""

    line: int | None
    message: str
    """What happened, where, what is lost: a sentence."""
    expected: str | None = None
    found: str | None = None
    """Up to 200 characters of the offending text."""
    severity: Literal["warning", "error"] = "warning"


@dataclass(frozen=True, slots=True)
class Section:
    """A named part of the artifact, for the sections tree of the raw viewer."""

    title: str
    line_first: int
    line_last: int
    level: int = 0
    understood: bool = True


@dataclass(frozen=True, slots=True)
class Skipped:
    """A range of lines that was not understood. Everything else counts as understood."""

    line_first: int
    line_last: int
    why: str


Item: TypeAlias = Record | Samples | Rows | Grid | Stacks | Problem | Section | Skipped
"""What a format's ``parse`` yields, in file order."""

KINDS: dict[str, type[Record]] = {
    cls.KIND: cls
    for cls in (
        Snapshot,
        SemaphoreWait,
        Transaction,
        TrxLock,
        MetadataLock,
        LatchHold,
        EventWait,
        LockWait,
        Deadlock,
        ForeignKeyError,
        Session,
        ServerThread,
        Stack,
        Event,
        Setting,
        Query,
        Table,
    )
}
"""Record kind -> record type. Samples are the one kind without a record type."""

SAMPLE = "sample"

_SAMPLE_SCHEMA: dict[str, pl.DataType] = {
    "series": pl.String(),
    "labels": pl.String(),
    "kind": pl.String(),
    "unit": pl.String(),
    "host": pl.String(),
    "wall_us": pl.Int64(),
    "clock": pl.String(),
    "value": pl.Float64(),
    "line_first": pl.Int64(),
}


def frame_schema(kind: str) -> dict[str, pl.DataType]:
    """The polars schema of a record kind's frame, before the driver adds ``artifact``."""
    if kind == SAMPLE:
        return dict(_SAMPLE_SCHEMA)
    return dict(_dataclass_schema(KINDS[kind]))


def frame_of(kind: str, columns: Mapping[str, Any]) -> pl.DataFrame:
    """Columns as a frame of ``frame_schema(kind)``: what ``Rows`` takes.

    columns: by name, one value per row (a Series or a list) or one value for all rows. Columns
             left out have the record's default; ``line_last`` is then ``line_first``, and a
             sample's labels are empty. A list decides the height, so one must be given.
             Types are cast strictly: what does not fit raises.
    """
    height = next(len(one) for one in columns.values() if isinstance(one, pl.Series | list))
    return pl.DataFrame(
        [
            _full_column(name, dtype, _given(kind, name, columns), height)
            for name, dtype in frame_schema(kind).items()
        ]
    )


def _given(kind: str, name: str, columns: Mapping[str, Any]) -> Any:
    if name in columns:
        return columns[name]
    if name == "line_last":
        return columns["line_first"]
    if kind == SAMPLE:
        return "" if name == "labels" else None
    default = KINDS[kind].__dataclass_fields__[name].default
    if default is dataclasses.MISSING:
        raise TypeError(f"a frame of {kind} needs the column {name}")
    return default


def _full_column(name: str, dtype: pl.DataType, given: Any, height: int) -> pl.Series:
    if isinstance(given, pl.Series):
        return given.cast(dtype).alias(name)
    if isinstance(given, list):
        return pl.Series(name, given, dtype=dtype, strict=True)
    if isinstance(given, tuple):
        given = list(given)
    return pl.Series(name, [given], dtype=dtype, strict=True).new_from_index(0, height)


def records_frame(kind: str, records: Iterable[Record]) -> pl.DataFrame:
    """Records of one kind as a frame of ``frame_schema(kind)``, in the given order."""
    return pl.DataFrame(_columns(KINDS[kind], list(records)))


def with_all_columns(kind: str, frame: pl.DataFrame) -> pl.DataFrame:
    """A frame that an older parser wrote, with the fields it did not know as nulls."""
    missing = {
        name: dtype for name, dtype in frame_schema(kind).items() if name not in frame.columns
    }
    if not missing:
        return frame
    return frame.with_columns(pl.lit(None, dtype=dtype).alias(n) for n, dtype in missing.items())


def samples_frame(chunks: Iterable[Samples]) -> pl.DataFrame:
    """Sample chunks as one frame of the sample schema; labels become 'device=vda,cpu=0'."""
    chunks = list(chunks)
    series = pl.DataFrame(
        {
            "series": [one.series for one in chunks],
            "labels": [labels_text(one.labels) for one in chunks],
            "kind": [one.kind for one in chunks],
            "unit": [one.unit for one in chunks],
            "host": [one.host for one in chunks],
            "clock": [one.clock for one in chunks],
        },
        schema={
            name: _SAMPLE_SCHEMA[name]
            for name in ("series", "labels", "kind", "unit", "host", "clock")
        },
    )
    lengths = [len(one.values) for one in chunks]
    return series[_repeated(lengths)].with_columns(
        pl.Series("wall_us", _joined(chunks, "wall_us"), dtype=pl.Int64, strict=True),
        _floats("value", _joined(chunks, "values")),
        pl.Series("line_first", _joined(chunks, "lines"), dtype=pl.Int64, strict=True),
    )[list(_SAMPLE_SCHEMA)]


def _joined(chunks: Iterable[Samples], name: str) -> list[Any]:
    return list(chain.from_iterable(map(attrgetter(name), chunks)))


def _floats(name: str, values: list[float | int | None]) -> pl.Series:
    try:
        return pl.Series(name, values, dtype=pl.Float64, strict=True)
    except OverflowError:  # an integer of more than 38 digits, which a float may hold
        floats = [None if value is None else float(value) for value in values]
        return pl.Series(name, floats, dtype=pl.Float64)


def _repeated(lengths: Sequence[int]) -> pl.Series:
    """0, 0, 0, 1, 2, 2 for 3, 1, 2."""
    numbers = pl.int_range(len(lengths), eager=True)
    return numbers.repeat_by(pl.Series(lengths, dtype=pl.Int64)).explode().drop_nulls()


def labels_text(labels: Iterable[tuple[str, str]]) -> str:
    """Labels as one text, sorted by name: 'cpu=0,device=vda'; empty for none."""
    return ",".join(f"{name}={value}" for name, value in sorted(labels))


def record_from_row(kind: str, row: dict[str, Any]) -> Record:
    """The record that a frame's row (``frame.row(i, named=True)``) was made of."""
    cls = KINDS[kind]
    hints = _hints(cls)
    return cls(**{name: _revive(hints[name], row[name]) for name in _fields(cls)})


def _fields(cls: type[Any]) -> tuple[str, ...]:
    return tuple(_hints(cls))


def _hints(cls: type[Any]) -> dict[str, Any]:
    """Field to type; kept, for ``get_type_hints`` reads source text."""
    if cls not in _HINTS:
        hints = get_type_hints(cls)
        _HINTS[cls] = {field.name: hints[field.name] for field in dataclasses.fields(cls)}
    return _HINTS[cls]


def _dataclass_schema(cls: type[Any]) -> dict[str, pl.DataType]:
    if cls not in _SCHEMAS:
        _SCHEMAS[cls] = {name: _dtype(name, hint) for name, hint in _hints(cls).items()}
    return _SCHEMAS[cls]


_HINTS: dict[type[Any], dict[str, Any]] = {}
_SCHEMAS: dict[type[Any], dict[str, pl.DataType]] = {}


def _columns(cls: type[Any], rows: Sequence[Any]) -> list[pl.Series]:
    """One series per field of the dataclass that the rows are."""
    hints = _hints(cls)
    return [
        _column(name, hints[name], dtype, list(map(attrgetter(name), rows)))
        for name, dtype in _dataclass_schema(cls).items()
    ]


def _column(name: str, hint: Any, dtype: pl.DataType, values: list[Any]) -> pl.Series:
    if not dtype.is_nested():
        return pl.Series(name, values, dtype=dtype, strict=True)
    (inner, *_) = get_args(_without_none(hint)) or (None,)
    if dataclasses.is_dataclass(inner) and None not in values:
        # Flat columns and then lists of them: per item 100 times cheaper than lists of dicts.
        items = list(chain.from_iterable(values))
        flat = struct_column(typing.cast(type[Any], inner), items)
        return list_column(flat, [len(one) for one in values]).alias(name)
    if inner is str and None not in values:
        strings = pl.Series(list(chain.from_iterable(values)), dtype=pl.String, strict=True)
        return list_column(strings, [len(one) for one in values]).alias(name)
    if get_origin(inner) is tuple and None not in values:
        rows = list(chain.from_iterable(values))
        cells = pl.Series(list(chain.from_iterable(rows)), dtype=pl.String, strict=True)
        lists = list_column(cells, [len(row) for row in rows])
        return list_column(lists, [len(value) for value in values]).alias(name)
    return pl.Series(name, [_plain(value) for value in values], dtype=dtype, strict=True)


def struct_column(cls: type[Any], rows: Sequence[Any]) -> pl.Series:
    """Dataclass objects as structs; one that comes often (a frame of a stack) is converted once."""
    distinct = dict(zip(map(id, rows), rows, strict=True))
    if 2 * len(distinct) > len(rows):
        return pl.DataFrame(_columns(cls, rows)).to_struct()
    place = dict(zip(distinct, range(len(distinct)), strict=True))
    table = pl.DataFrame(_columns(cls, list(distinct.values()))).to_struct()
    return table.gather(pl.Series([place[id(row)] for row in rows], dtype=pl.UInt32))


def list_column(items: pl.Series, lengths: Sequence[int]) -> pl.Series:
    """The items in lists of these lengths, one per row."""
    dtype = pl.List(items.dtype)
    if not lengths or items.is_empty():
        return pl.Series([[]], dtype=dtype).new_from_index(0, len(lengths))
    # Sorted: the rows of a group stand together, which halves the cost.
    flat = pl.DataFrame([_repeated(lengths).set_sorted().alias("row"), items.alias("items")])
    lists = flat.group_by("row", maintain_order=True).agg("items")
    if lists.height < len(lengths):
        rows = pl.DataFrame([pl.int_range(len(lengths), eager=True).alias("row")])
        lists = rows.join(lists, on="row", how="left", maintain_order="left").with_columns(
            pl.when(pl.col("items").is_null())
            .then(pl.lit([], dtype=dtype))
            .otherwise("items")
            .alias("items")
        )
    return lists["items"]


_UINT64_FIELDS = frozenset({"thread_id", "holder_thread", "os_thread", "pthread"})


def _dtype(name: str, hint: Any) -> pl.DataType:
    hint = _without_none(hint)
    if get_origin(hint) is tuple:
        return pl.List(_dtype(name, get_args(hint)[0]))
    if get_origin(hint) is Literal or hint is str:
        return pl.String()
    if dataclasses.is_dataclass(hint):
        return pl.Struct(_dataclass_schema(typing.cast(type[Any], hint)))
    if hint is bool:
        return pl.Boolean()
    if hint is float:
        return pl.Float64()
    if hint is int:
        return pl.UInt64() if name in _UINT64_FIELDS else pl.Int64()
    raise TypeError(f"no frame type for field {name}: {hint!r}")


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (typing.Union, types.UnionType):
        (hint,) = (arg for arg in get_args(hint) if arg is not type(None))
    return hint


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(getattr(value, name)) for name in _fields(type(value))}
    return value


def _revive(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    hint = _without_none(hint)
    if get_origin(hint) is tuple:
        return tuple(_revive(get_args(hint)[0], item) for item in value)
    if dataclasses.is_dataclass(hint):
        cls = typing.cast(type[Any], hint)
        hints = _hints(cls)
        return cls(**{name: _revive(hints[name], value[name]) for name in _fields(cls)})
    return value


__all__ = [
    "KINDS",
    "SAMPLE",
    "UINT64_MAX",
    "Clock",
    "Deadlock",
    "DeadlockTrx",
    "Event",
    "EventWait",
    "ForeignKeyError",
    "Frame",
    "Grid",
    "Item",
    "LatchHold",
    "LockWait",
    "MetadataLock",
    "Problem",
    "Query",
    "Record",
    "Rows",
    "Samples",
    "Section",
    "SemaphoreWait",
    "ServerThread",
    "Session",
    "Setting",
    "Skipped",
    "Snapshot",
    "Stack",
    "StackThread",
    "Stacks",
    "Table",
    "Transaction",
    "TrxLock",
    "frame_of",
    "frame_schema",
    "labels_text",
    "list_column",
    "record_from_row",
    "records_frame",
    "samples_frame",
    "struct_column",
    "with_all_columns",
]
