"""Detect log flushes, and waits for them, by the functions on a stack.

Source: log_write_up_to() and log_flusher() (log0log.cc, log0write.cc), fil_flush() (fil0fil.cc),
        MYSQL_BIN_LOG::sync_binlog_file() (binlog.cc, MySQL), MYSQL_BIN_LOG::flush_and_sync()
        (log.cc, up to 5.5 and MariaDB), group_commit_lock (log0sync.cc, MariaDB 10.5+).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pileup.analysis.stacks.hot_stacks import is_waiting
from pileup.knowledge import function_key

Log = Literal["redo log", "binary log", "data files"]

_CALLS = frozenset(
    {
        "fsync", "fdatasync", "msync", "sync_file_range", "my_sync", "os_file_fsync",
        "os_file_fsync_posix", "os_file_flush", "os_file_flush_func", "pfs_os_file_flush_func",
    }
)  # fmt: skip
_TOP = 6
"""Frames from the top that may contain the system call."""
# the innermost match decides: a redo flush may run inside the binary log's group commit
_OF: dict[str, Log] = {
    "log_write_up_to": "redo log",
    "log_write_flush_to_disk_low": "redo log",
    "log_flush_low": "redo log",
    "log_flusher": "redo log",
    "log_self_write_up_to": "redo log",
    "log_buffer_flush_to_disk": "redo log",
    "log_buffer_sync_in_background": "redo log",
    "log_t::flush": "redo log",
    "log_t::persist": "redo log",
    "log_t::file::flush": "redo log",
    "log_file_t::flush": "redo log",
    "trx_flush_log_if_needed_low": "redo log",
    "MYSQL_BIN_LOG::sync_binlog_file": "binary log",
    "MYSQL_BIN_LOG::flush_and_sync": "binary log",
    "MYSQL_LOG::flush_and_sync": "binary log",
    "MYSQL_BIN_LOG::ordered_commit": "binary log",
    "MYSQL_BIN_LOG::trx_group_commit_leader": "binary log",
    "Binlog_ofile::sync": "binary log",
    "buf_dblwr_flush_buffered_writes": "data files",
    "buf_dblwr_update": "data files",
    "buf_flush_page_cleaner_thread": "data files",
    "buf_flush_page_cleaner": "data files",
    "fil_flush_file_spaces": "data files",
    "fil_flush": "data files",
}
_REDO_WAITS = frozenset(
    {
        "log_write_up_to", "log_wait_for_flush", "log_wait_for_write", "log_self_write_up_to",
        "group_commit_lock::acquire",
    }
)  # fmt: skip
_FLUSH_STAGE = frozenset(
    {
        "MYSQL_BIN_LOG::process_flush_stage_queue", "MYSQL_BIN_LOG::ordered_commit",
        "MYSQL_BIN_LOG::fetch_and_process_flush_stage_queue",
        "MYSQL_BIN_LOG::trx_group_commit_leader",
    }
)  # fmt: skip


def flushes(functions: Sequence[str]) -> Log | None:
    """Return the log that a thread is flushing; None if it is in no fsync."""
    keys = [function_key(function) for function in functions]
    if not _CALLS.intersection(keys[:_TOP]) or is_waiting(functions):
        return None
    name = next((_OF[key] for key in keys if key in _OF and _OF[key] != "data files"), None)
    return name or next((_OF[key] for key in keys if key in _OF), None)


def waits_for_redo(functions: Sequence[str]) -> bool:
    """Return whether a thread waits for another thread's flush of the redo log."""
    keys = {function_key(function) for function in functions}
    return bool(keys & _REDO_WAITS) and is_waiting(functions)


def leads_flush_stage(functions: Sequence[str]) -> bool:
    """Return whether a stack leads a group of commits in the flush stage."""
    return bool(_FLUSH_STAGE.intersection(function_key(function) for function in functions))


__all__ = ["Log", "flushes", "leads_flush_stage", "waits_for_redo"]
