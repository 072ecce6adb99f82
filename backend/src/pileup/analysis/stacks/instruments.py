"""Interpret wait events of performance_schema: latches, locks, commit stages, log flushes.

Source: PSI_mutex_info, PSI_rwlock_info and PSI_cond_info lists of sync0sync.cc (InnoDB), mysqld.cc,
        binlog.cc and mdl.cc; EVENT_NAME is 'wait/synch/<class>/<component>/<name>' (5.5 to 9.x,
        MariaDB). Waits that are no trouble (a pool's idle condition, a socket) are left out.
"""

from __future__ import annotations

from pileup.analysis.evidence.actors import Row
from pileup.analysis.stacks.log_flushes import Log

WAITS = r"^wait/(synch/(mutex|rwlock|sxlock|prlock)|lock)/|/sql/.*::COND_(done|flush_queue)$"
"""Pattern of events that wait for another thread; ``counts`` decides for one row."""
_LATCHES = ("mutex", "rwlock", "sxlock", "prlock")
_MODES = {
    "shared_lock": "S",
    "read_lock": "S",
    "exclusive_lock": "X",
    "write_lock": "X",
    "shared_exclusive_lock": "SX",
    "lock": "mutex",
}
_STAGES = {
    "LOCK_log": "flush stage",
    "LOCK_flush_queue": "flush stage",
    "COND_flush_queue": "flush stage",
    "LOCK_sync": "sync stage",
    "LOCK_sync_queue": "sync stage",
    "LOCK_commit": "commit stage",
    "LOCK_commit_queue": "commit stage",
    "LOCK_after_commit": "after-commit stage",
    "LOCK_after_binlog_sync": "sync stage",
    "LOCK_commit_ordered": "commit stage",
    "LOCK_prepare_ordered": "XA prepare",
    "COND_prepare_ordered": "XA prepare",
    "LOCK_done": "binary log group commit",
    "COND_done": "binary log group commit",
    "LOCK_wait_for_group_turn": "binary log group commit",
    "COND_wait_for_group_turn": "binary log group commit",
    "COND_wait_commit": "binary log group commit",
}
_LOGS: dict[str, Log] = {
    "sql/binlog": "binary log",
    "innodb/innodb_log_file": "redo log",
    "innodb/innodb_data_file": "data files",
    "innodb/innodb_dblwr_file": "data files",
}


def goes_on(row: Row) -> bool:
    """Return whether a thread may still be in this wait."""
    return row["ongoing"] is not False


def latch_of(event: str) -> str | None:
    """Return the latch name: 'btr_search_latch', 'MYSQL_BIN_LOG::LOCK_log'; None: no latch."""
    wait, _, rest = event.partition("/")
    parts = rest.split("/", 3)
    if wait != "wait" or len(parts) != 4 or parts[0] != "synch" or parts[1] not in _LATCHES:
        return None
    return parts[3]


def mode_of(row: Row) -> str | None:
    """Return the mode S, X, SX or mutex; None if the operation is not printed."""
    operation = row["operation"]
    if operation is None:
        return "mutex" if "/mutex/" in row["event"] else None
    return _MODES.get(operation.removeprefix("try_"))


def stage_of(event: str) -> str | None:
    """Return the commit stage of an event: 'sync stage'; None for other events."""
    name = event.rpartition("/")[2].rpartition("::")[2]
    return _STAGES.get(name) if "/sql/" in event and "/synch/" in event else None


def flushes(row: Row) -> Log | None:
    """Return the log that a thread is syncing to disk, or None."""
    event = row["event"]
    if not event.startswith("wait/io/file/") or row["operation"] not in ("sync", "fsync"):
        return None
    return _LOGS.get(event.removeprefix("wait/io/file/"))


def counts(row: Row) -> bool:
    """Return whether a row waits for another thread: latch, lock, commit or flush."""
    event = row["event"]
    return goes_on(row) and bool(
        latch_of(event) or stage_of(event) or event.startswith("wait/lock/") or flushes(row)
    )


__all__ = ["WAITS", "counts", "flushes", "goes_on", "latch_of", "mode_of", "stage_of"]
