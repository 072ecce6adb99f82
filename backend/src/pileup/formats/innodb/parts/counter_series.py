"""Map the numbers that the counter sections of a status dump print to series.

Source: srv_printf_innodb_monitor() and what it calls: sync_print_wait_info() (sync0sync.cc),
        lock_print_info_summary() (lock0lock.cc), os_aio_print() (os0file.cc), ibuf_print()
        (ibuf0ibuf.cc), btr_search_print_info(), log_print() (log0log.cc) and buf_print_io()
        (buf0buf.cc) of MySQL 4.1 to 9.x; XtraDB's and Facebook's additions as their dumps show.
Units:  pages, bytes (B), events. A ``rate`` is printed per second since the last SHOW by anyone:
        noise when that was a moment ago, but the only form of some (hash searches).

In a pattern ``<name>`` matches a number, ``<name:kind:unit>`` one that differs from its line (an
LSN is two 32-bit halves up to 5.1); a blank matches any run of blanks.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["counter", "gauge", "rate"]


class Series(NamedTuple):
    name: str
    """Without the collector's 'innodb.'."""
    kind: Kind
    unit: str


class Rule(NamedTuple):
    pattern: re.Pattern[str]
    series: tuple[Series, ...]
    """One per group of the pattern."""


_PLACE = re.compile(r"<(\w+)(?::(\w+):([^>]+))?>")
_LSN = r"(\d+(?: \d+)?)"
_NUMBER = r"(-?\d+(?:\.\d+)?)"


def _rule(kind: Kind, unit: str, pattern: str, *, number: str = _NUMBER) -> Rule:
    series = tuple(
        Series(name, own_kind or kind, own_unit or unit)
        for name, own_kind, own_unit in _PLACE.findall(pattern)
    )
    expression = _PLACE.sub(lambda _: number, pattern).replace(" ", r"\s+")
    return Rule(re.compile(rf"\s*{expression}[\s,;]*$"), series)


def _lsn(name: str, words: str) -> Rule:
    return _rule("counter", "B", f"{words} <{name}>", number=_LSN)


def _log_sync(who: str) -> Rule:
    """Build the rule of Facebook's count of log syncs by their cause."""
    pattern = (
        "log sync WHO: <log_sync_WHO_pool> buffer pool, "
        "background <log_sync_WHO_background> sync and <log_sync_WHO_background_async> async, "
        "<log_sync_WHO_internal> internal, "
        "checkpoint <log_sync_WHO_checkpoint> sync and <log_sync_WHO_checkpoint_async> async, "
        "<log_sync_WHO_archive> archive, "
        "commit <log_sync_WHO_commit> sync and <log_sync_WHO_commit_async> async"
    )
    return _rule("counter", "syncs", pattern.replace("WHO", who))


_BACKGROUND = (
    _rule(
        "counter",
        "loops",
        "srv_master_thread loops: <master_active> srv_active(?:, <master_shutdown> srv_shutdown)?, "
        "<master_idle> srv_idle",
    ),
    _rule(
        "counter",
        "loops",
        "srv_master_thread loops: <master_1_second> 1_second, <master_sleeps> sleeps, "
        "<master_10_second> 10_second, <master_background> background, <master_flush> flush",
    ),
    _rule(
        "counter",
        "writes",
        "srv_master_thread log flush and writes: <master_log_flushes>"
        "(?: log writes only: <master_log_writes>)?",
    ),
    _rule(
        "counter",
        "writes",
        "srv_master_thread log flush: <master_log_flush_sync> sync, <master_log_flush_async> async",
    ),
    _rule(
        "counter",
        "fsyncs",
        "fsync callers: <fsync_by_buffer_pool> buffer pool, <fsync_by_other> other, "
        "<fsync_by_checkpoint> checkpoint, <fsync_by_log_aio> log aio, "
        "<fsync_by_log_sync> log sync, <fsync_by_archive> archive",
    ),
)
_SEMAPHORES = (
    _rule(
        "counter",
        "waits",
        "OS WAIT ARRAY INFO: reservation count <reservation_count>"
        "(?:, signal count <signal_count:counter:signals>)?",
    ),
    _rule("counter", "signals", "OS WAIT ARRAY INFO: signal count <signal_count>"),
    _rule(
        "counter",
        "waits",
        "Mutex spin waits <mutex_spin_waits>, rounds <mutex_spin_rounds:counter:rounds>, "
        "OS waits <mutex_os_waits>",
    ),
    _rule(
        "counter",
        "spins",
        "RW-shared spins <rw_shared_spins>(?:, rounds <rw_shared_rounds:counter:rounds>)?, "
        "OS waits <rw_shared_os_waits:counter:waits>; RW-excl spins <rw_excl_spins>"
        "(?:, rounds <rw_excl_rounds:counter:rounds>)?, OS waits <rw_excl_os_waits:counter:waits>",
    ),
    *(
        _rule(
            "counter",
            "spins",
            f"RW-{word} spins <rw_{word}_spins>, rounds <rw_{word}_rounds:counter:rounds>, "
            f"OS waits <rw_{word}_os_waits:counter:waits>",
        )
        for word in ("shared", "excl", "sx")
    ),
    _rule(
        "gauge",
        "rounds/wait",
        "Spin rounds per wait: (?:<mutex_rounds_per_wait> mutex, )?<rw_shared_rounds_per_wait> "
        "RW-shared, <rw_excl_rounds_per_wait>(?: RW-excl)?(?:, <rw_sx_rounds_per_wait> RW-sx)?",
    ),
    _rule("counter", "timeouts", "Lock wait timeouts <lock_wait_timeouts>"),
    # Debug builds list every held mutex and rw-lock here, under titles of their own.
    _rule("gauge", "latches", "Total number of rw-locks <rw_latches>"),
    _rule("gauge", "mutexes", "Total number of mutexes <mutexes>"),
)
# Trx id counter 0 1170664159 (4.1 to 5.1) | EF861B144C (5.1 plugin, 5.5: hex) | 118219 (5.6 on)
# Purge done for trx's n:o < 115638 undo n:o < 0 state: running but idle
# Read view low limit trx n:o 2380F2E0                             (XtraDB, under ---OLDEST VIEW---)
IDS = (
    (Series("trx_id_counter", "counter", "transactions"), "Trx id counter "),
    (Series("purge_trx_no", "counter", "transactions"), "Purge done for trx's n:o < "),
    (Series("purge_undo_no", "counter", "undo records"), " undo n:o < "),
    (Series("oldest_view_trx_no", "counter", "transactions"), "Read view low limit trx n:o "),
    (Series("oldest_view_up_limit", "counter", "transactions"), "Read view up limit trx id "),
    (Series("oldest_view_low_limit", "counter", "transactions"), "Read view low limit trx id "),
)
HEXADECIMAL = {
    "TRANSACTIONS": "TRANSACTIONS with hexadecimal ids",
    "ROW OPERATIONS": "ROW OPERATIONS with hexadecimal ids",
}
"""In RULES, the sections as 5.1's plugin and 5.5 print them: IDS are read apart."""
_DECIMAL_IDS = (
    _rule("counter", "transactions", "Trx id counter <trx_id_counter>", number=_LSN),
    _rule(
        "counter",
        "transactions",
        "Purge done for trx's n:o < <purge_trx_no>"
        "(?: undo n:o < <purge_undo_no:counter:undo records>)?(?: state: .*)?",
        number=_LSN,
    ),
)
_TRANSACTIONS = (
    _rule("gauge", "undo logs", "History list length <history_list_length>"),
    _rule(
        "gauge",
        "structs",
        "Total number of lock structs in row lock hash table <row_lock_structs>",
    ),
    _rule("counter", "timeouts", "Lock wait timeouts <lock_wait_timeouts>"),
)
_FILE_IO = (
    _rule("gauge", "fsyncs", r"Pending flushes \(fsync\): <pending_fsyncs>"),
    _rule(
        "gauge",
        "fsyncs",
        r"Pending flushes \(fsync\) ?log: <pending_log_fsyncs>; buffer pool: <pending_pool_fsyncs>",
    ),
    _rule(
        "counter",
        "reads",
        "<os_file_reads> OS file reads, <os_file_writes:counter:writes> OS file writes, "
        "<os_fsyncs:counter:fsyncs> OS fsyncs",
    ),
    _rule(
        "gauge",
        "reads",
        "<pending_preads> pending preads, <pending_pwrites:gauge:writes> pending pwrites",
    ),
    _rule(
        "rate",
        "/s",
        "<os_reads_per_s> reads/s, <avg_bytes_per_read:gauge:B> avg bytes/read, "
        "<os_writes_per_s> writes/s, <os_fsyncs_per_s> fsyncs/s",
    ),
)
_INSERT_BUFFER = (
    _rule(
        "gauge",
        "pages",
        r"Ibuf(?: for space \d+)?: size <ibuf_size>, free list len <ibuf_free_list>, "
        "seg size <ibuf_segment_size>(?:, <ibuf_merges:counter:merges> merges)?",
    ),
    _rule(
        "counter",
        "records",
        "<ibuf_inserts> inserts, <ibuf_merged_records> merged recs, "
        "<ibuf_merges:counter:merges> merges",
    ),
    _rule(
        "rate",
        "/s",
        "<hash_searches_per_s> hash searches/s, <non_hash_searches_per_s> non-hash searches/s",
    ),
)
_MERGED, _DISCARDED = (
    _rule(
        "counter",
        "operations",
        f"insert <ibuf_{what}_inserts>, delete mark <ibuf_{what}_delete_marks>, "
        f"delete <ibuf_{what}_deletes>",
    )
    for what in ("merged", "discarded")
)
_HASH = _rule(
    "gauge",
    "cells",
    "Hash table size <hash_cells>(?:, used cells <hash_used_cells>)?"
    r"(?:, node heap has <hash_heap_buffers:gauge:buffers> buffer\(s\))?",
)
_LOG = (
    _lsn("log_sequence_number", "Log sequence number"),
    _lsn("log_assigned_up_to", "Log buffer assigned up to"),
    _lsn("log_completed_up_to", "Log buffer completed up to"),
    _lsn("log_written_up_to", "Log written up to"),
    _lsn("log_flushed_up_to", "Log flushed up to"),
    _lsn("log_tracked_up_to", "Log tracked up to"),
    _lsn("dirty_pages_added_up_to", "Added dirty pages up to"),
    _lsn("pages_flushed_up_to", "Pages flushed up to"),
    _lsn("last_checkpoint", "Last checkpoint at"),
    _rule("gauge", "file id", "Log minimum file id is <log_minimum_file>"),
    _rule("gauge", "file id", "Log maximum file id is <log_maximum_file>"),
    _rule("gauge", "B", "Log capacity <log_capacity>"),
    _rule("gauge", "B", "Log capacity used <log_capacity_used>"),
    _rule("gauge", "B", "Max checkpoint age <max_checkpoint_age>"),
    _rule("gauge", "B", "Checkpoint age target <checkpoint_age_target>"),
    _rule("gauge", "B", "Modified age(?: no less than)? <modified_age>"),
    _rule("gauge", "B", "Checkpoint age <checkpoint_age>"),
    _rule("gauge", "B", "Max tracked LSN age <max_tracked_lsn_age>"),
    _rule(
        "gauge",
        "flushes",
        "<pending_log_flushes> pending log (?:writes|flushes), "
        "<pending_checkpoint_writes:gauge:writes> pending chkp writes",
    ),
    _rule(
        "counter",
        "writes",
        "<log_ios> log i/o's done, <log_ios_per_s:rate:/s> log i/o's/second"
        "(?:, <log_syncs:counter:syncs> syncs, <log_checkpoints:counter:checkpoints> checkpoints)?",
    ),
    _log_sync("callers"),
    _log_sync("syncers"),
)
_POOL = (
    _rule(
        "gauge",
        "B",
        "Total memory allocated <memory_total>"
        "(?:; in additional pool allocated <memory_additional>)?",
    ),
    _rule("gauge", "B", "Total large memory allocated <memory_total>"),
    _rule("gauge", "B", "Total memory allocated by read views <memory_read_views>"),
    _rule("gauge", "B", "Dictionary memory allocated <memory_dictionary>"),
    _rule("gauge", "frames", "AWE: Buffer pool memory frames <awe_frames>"),
    _rule(
        "gauge",
        "frames",
        "AWE: Database pages and free buffers mapped in frames <awe_mapped_frames>",
    ),
    _rule("gauge", "pages", "Buffer pool size <pool_pages>"),
    _rule("gauge", "B", "Buffer pool size, bytes:? <pool_bytes>"),
    _rule("gauge", "pages", "Free buffers <pool_free_pages>"),
    _rule("gauge", "pages", "Database pages <pool_database_pages>"),
    _rule("gauge", "pages", "Old database pages <pool_old_pages>"),
    _rule("gauge", "pages", "Modified db pages <pool_modified_pages>"),
    _rule(
        "gauge", "%", r"Percent of dirty pages\(LRU & free pages\): <pool_modified_pages_percent>"
    ),
    _rule("gauge", "%", "Max dirty pages percent: <pool_modified_pages_percent_max>"),
    _rule("gauge", "pages", "Pending reads <pool_pending_reads>"),
    _rule(
        "gauge",
        "pages",
        "Pending writes: LRU <pool_pending_lru_writes>, "
        "flush list <pool_pending_flush_list_writes>"
        "(?:, single page <pool_pending_single_page_writes>)?",
    ),
    _rule(
        "counter",
        "pages",
        "Pages made young <pool_pages_made_young>, not young <pool_pages_not_young>",
    ),
    _rule("rate", "/s", "<pool_youngs_per_s> youngs/s, <pool_non_youngs_per_s> non-youngs/s"),
    _rule(
        "counter",
        "pages",
        "Pages read <pool_pages_read>, created <pool_pages_created>, written <pool_pages_written>",
    ),
    _rule(
        "rate",
        "/s",
        "<pool_reads_per_s> reads/s, <pool_creates_per_s> creates/s, <pool_writes_per_s> writes/s",
    ),
    _rule(
        "gauge",
        "per mille",
        "Buffer pool hit rate <pool_hit_rate> / 1000"
        "(?:, young-making rate <pool_young_rate> / 1000 not <pool_not_young_rate> / 1000)?",
    ),
    _rule(
        "rate",
        "/s",
        "Pages read ahead <pool_read_ahead_per_s>/s, "
        "evicted without access <pool_evicted_unused_per_s>/s"
        "(?:, Random read ahead <pool_random_read_ahead_per_s>/s)?",
    ),
    _rule("gauge", "pages", "LRU len: <pool_lru_pages>, unzip_LRU len: <pool_unzip_lru_pages>"),
    _rule(
        "gauge",
        "pages",
        r"I/O sum\[<pool_io_sum>\]:cur\[<pool_io_now>\], "
        r"unzip sum\[<pool_unzip_sum>\]:cur\[<pool_unzip_now>\]",
    ),
)
_ROWS = (
    _rule(
        "gauge",
        "queries",
        "<queries_inside> queries inside InnoDB, <queries_in_queue> queries in queue",
    ),
    _rule("gauge", "read views", "<read_views_open> read views open inside InnoDB"),
    _rule(
        "gauge", "transactions", "<transactions_inside>(?: RW)? transactions active inside InnoDB"
    ),
    _rule(
        "gauge",
        "transactions",
        "<read_only_transactions_inside> RO transactions active inside InnoDB",
    ),
    _rule(
        "gauge",
        "descriptors",
        "<descriptors_used> out of <descriptors> descriptors used",
    ),
    _rule(
        "counter",
        "rows",
        "Number of rows inserted <rows_inserted>, updated <rows_updated>, deleted <rows_deleted>, "
        "read <rows_read>",
    ),
    _rule(
        "counter",
        "rows",
        "Number of system rows inserted <system_rows_inserted>, updated <system_rows_updated>, "
        "deleted <system_rows_deleted>, read <system_rows_read>",
    ),
)
_OLDEST_VIEW = tuple(
    _rule("counter", "transactions", f"{words}<{series.name}>", number=_LSN)
    for series, words in IDS
    if words.startswith("Read view")
)
ROW_RATES, SYSTEM_ROW_RATES = (
    _rule(
        "rate",
        "/s",
        f"<{what}inserts_per_s> inserts/s, <{what}updates_per_s> updates/s, "
        f"<{what}deletes_per_s> deletes/s, <{what}reads_per_s> reads/s",
    )
    for what in ("row_", "system_row_")
)

RULES: dict[str, tuple[Rule, ...]] = {
    "BACKGROUND THREAD": _BACKGROUND,
    "SEMAPHORES": _SEMAPHORES,
    "TRANSACTIONS": (*_TRANSACTIONS, *_DECIMAL_IDS),
    HEXADECIMAL["TRANSACTIONS"]: _TRANSACTIONS,
    "FILE I/O": _FILE_IO,
    "INSERT BUFFER AND ADAPTIVE HASH INDEX": _INSERT_BUFFER,
    "INSERT BUFFER": _INSERT_BUFFER,
    "ADAPTIVE HASH INDEX": _INSERT_BUFFER,
    "LOG": _LOG,
    "BUFFER POOL AND MEMORY": _POOL,
    "INDIVIDUAL BUFFER POOL INFO": _POOL,
    "ROW OPERATIONS": (*_ROWS, *_OLDEST_VIEW),
    HEXADECIMAL["ROW OPERATIONS"]: _ROWS,
}
"""Section title -> the lines of fixed form that it may contain."""

MERGED, DISCARDED, HASH = _MERGED, _DISCARDED, _HASH
"""Lines whose series depend on the line above, or on how many there are."""

# Pending normal aio reads: 18 [0, 12, 0, 6] , aio writes: 1 [1, 0, 0, 0] ,
# Pending normal aio reads: [0, 0, 0, 0] , aio writes: [0, 0, 0, 0] ,
#  ibuf aio reads:, log i/o's:, sync i/o's:
PENDING_IO = re.compile(
    r"(?P<what>normal aio reads|aio writes|ibuf aio reads|log i/o's|sync i/o's):"
    r" ?(?P<total>\d+)?(?: ?\[(?P<threads>[\d, ]*)\])?"
)
PENDING_IO_SERIES = {
    "normal aio reads": Series("pending_aio_reads", "gauge", "reads"),
    "aio writes": Series("pending_aio_writes", "gauge", "writes"),
    "ibuf aio reads": Series("pending_ibuf_reads", "gauge", "reads"),
    "log i/o's": Series("pending_log_ios", "gauge", "writes"),
    "sync i/o's": Series("pending_sync_ios", "gauge", "requests"),
}
# I/O thread 1 state: waiting for i/o request (log thread) reads 0 writes 1528 requests 1528 io secs
#   0.010483 io msecs/request 0.006861 max_io_wait 0.027000                              (XtraDB)
IO_THREAD = re.compile(
    r"I/O thread (?P<thread>\d+) state: .* reads (\d+) writes (\d+) requests (\d+) "
    r"io secs ([\d.]+) io msecs/request ([\d.]+) max_io_wait ([\d.]+)"
)
IO_THREAD_SERIES = (
    Series("io_thread_reads", "counter", "pages"),
    Series("io_thread_writes", "counter", "pages"),
    Series("io_thread_requests", "counter", "requests"),
    Series("io_thread_time", "counter", "s"),
    Series("io_thread_time_per_request", "gauge", "ms"),
    Series("io_thread_max_wait", "gauge", "ms"),
)
#     Adaptive hash index 2216932 \t(2212772 + 4160)
#     Page hash           69556 (buffer pool 0 only)
MEMORY = re.compile(r" {2,}(?P<area>[A-Za-z_][\w ]*?) +(\d+)(?:\s+\((?:(\d+) \+ (\d+)|.*)\))?\s*$")
MEMORY_SERIES = (
    Series("memory", "gauge", "B"),
    Series("memory_constant", "gauge", "B"),
    Series("memory_variable", "gauge", "B"),
)

WORDS = re.compile(
    r"-*\s*$|srv_master_thread|Spin rounds per wait|RW-excl|[\d.]+ RW-excl|"
    r"Pending normal aio|\s*ibuf aio reads|I/O thread \d+ state:|merged operations:|"
    r"discarded operations:|Internal hash tables|No buffer pool page gets|---BUFFER POOL \d+|"
    r"-+OLDEST VIEW|-+$|(?:Normal|Foreign|Cursor) read view|Read view |"
    r"Main thread |Process ID=\d+|state[:=]|RW-LOCK: |Locked: thread |Waiters for the lock|"
    r"Locked mutex: |LIST OF TRANSACTIONS|Trx id counter|Purge done for|Log tracking enabled"
)
"""Known lines without a number for a series."""
