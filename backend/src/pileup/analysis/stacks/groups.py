"""Group identical stacks of one sample, and name the groups.

A group's key is a hash of its cleaned functions, so the same stack has the same key in other
samples, other files and later analyses. A stack without a signature in the knowledge base is named
by its wait and its caller: 'rw_lock_s_lock_spin in row_search_mvcc'.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pileup.analysis.evidence.activity import Activity, activity
from pileup.analysis.stacks.hot_stacks import clean
from pileup.knowledge import StackMeaning, knowledge

_DEPTH = 120
_WAITS = re.compile(
    r"rw_lock_\w*lock|mutex_spin_wait|PolicyMutex|TTASEventMutex|ssux_lock|srw_\w*lock"
    r"|MDL_context::acquire|MDL_wait::timed_wait|lock_wait_suspend_thread|log_write_up_to"
    r"|fil_flush$|os_file_fsync|vio_io_wait|vio_read|buf_read_page|Stage_manager::enroll_for"
    r"|nap$|fsync|fdatasync|os_aio_linux_collect|LinuxAIOHandler::collect"
)
"""Functions that show what a thread waits for; the caller shows where."""
_PLUMBING = re.compile(
    r"_|futex|lll_|pthread|syscall|poll$|ppoll|select$|epoll|sched_yield|nanosleep|clock_nanosleep"
    r"|os_event|os_cond|os_thread_sleep|os_mutex|sync_array|rw_lock_|pfs_|mutex_|ut_delay"
    r"|PolicyMutex|TTASEventMutex|safe_|inline_mysql_|native_|int$|\?\?|lib\w+(\.so\S*)?::|psi_"
    r"|ssux_|srw_|ib_mutex|my_(mutex|cond)_|my_sync|vio_|net_read|my_net_read|my_real_read"
    r"|net_before_header|os_file_flush|os_file_fsync|row_mysql_handle_errors|start_thread$|clone"
    r"|fil_flush|MDL_wait|MDL_context"
    # methods of mutexes and events, which a compiler inlined without the name of their class
    r"|(?:(?:try_|spin_and_)?(?:enter|lock|wait|acquire)|exit|reset|set|unlock|release|signal"
    r"|broadcast|is_set|wait_low|wait_time_low|(?:rd|wr|s|x|sx|u)_(?:lock|wait)(?:_low)?)$"
)
"""Frames of libraries and of waiting itself, which do not show where a thread waits."""


@dataclass(slots=True)
class StackGroup:
    """Threads with the same stack of functions."""

    key: str
    name: str
    activity: Activity
    known: StackMeaning | None
    count: int = 0
    """Threads at once (per sample, where several were merged)."""
    frames: list[dict[str, Any]] = field(default_factory=list)
    """Innermost first, with their places in the source, of the commonest variant."""
    threads: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    """Its records, the most frequent first."""

    @property
    def idle(self) -> bool:
        return self.activity == "idle"


def stack_groups(rows: Sequence[dict[str, Any]]) -> list[StackGroup]:
    """Group stack records, most threads first."""
    known = knowledge()
    found: dict[str, StackGroup] = {}
    for row in sorted(rows, key=lambda r: (-int(r["count"]), r["line_first"])):
        functions = tuple(clean(frame["function"] or "??") for frame in row["frames"][:_DEPTH])
        key = stack_key(functions)
        group = found.get(key)
        if group is None:
            meaning = known.stack_for(functions)
            group = found[key] = StackGroup(
                key,
                name_of(functions),
                activity(functions, meaning),
                meaning,
                frames=row["frames"],
            )
        is_profile = row.get("event") is not None
        at_once = max(1, round(row["count"] / max(row["samples"] or 1, 1)))
        group.count += row["count"] if is_profile else at_once
        group.threads += row["threads"]
        group.rows.append(row)
    return sorted(found.values(), key=lambda group: (-group.count, group.key))


def sample_rows(frame: pl.DataFrame | None, artifact: str, snapshot: int) -> list[dict[str, Any]]:
    """Return the stack records of one sample."""
    if frame is None:
        return []
    return frame.filter(
        (pl.col("artifact") == artifact) & (pl.col("snapshot").fill_null(0) == snapshot)
    ).to_dicts()


def stack_key(functions: Sequence[str]) -> str:
    """Hash cleaned functions, innermost first, to 16 hex digits."""
    return hashlib.sha256("\n".join(functions).encode()).hexdigest()[:16]


def name_of(functions: Sequence[str]) -> str:
    """Name a stack by its functions: 'rw_lock_s_lock_spin in row_search_mvcc'.

    functions: cleaned, innermost first.
    """
    waits: list[str] = []
    for function in functions:
        if _WAITS.match(function):
            waits.append(function)
        elif not _PLUMBING.match(function):
            return f"{waits[-1]} in {function}" if waits else function
    known = (name for name in (*waits[-1:], *functions) if name != "??")
    return next(known, "unknown functions")
