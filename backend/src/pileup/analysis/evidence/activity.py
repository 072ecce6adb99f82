"""Classify a thread by its stack: waits for a latch, a lock, I/O or the network, or runs.

The knowledge base decides if it knows the stack, else the innermost frames decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from pileup.knowledge import StackMeaning

Activity = Literal["latch", "lock", "commit", "io", "net", "queue", "waiting", "cpu", "idle"]
ACTIVITIES: tuple[Activity, ...] = get_args(Activity)

_BY_CATEGORY: dict[str, Activity] = {
    "latch_wait": "latch",
    "spin": "latch",
    "lock_wait": "lock",
    "commit_wait": "commit",
    "repl_wait": "waiting",
    "admission_wait": "queue",
    "page_wait": "io",
    "io": "io",
    "net": "net",
    "idle": "idle",
    "user": "waiting",
    "work": "cpu",
    "commit_work": "cpu",
}
# innermost frames of libc and of the kernel's entry, as gdb prints them
_IO = frozenset(
    {
        "fsync", "__fsync", "fdatasync", "__fdatasync", "datasync", "pread", "pread64",
        "__libc_pread64", "__pread64_nocancel", "pwrite", "pwrite64", "__libc_pwrite64",
        "__pwrite64", "io_getevents", "__io_getevents_0_4", "io_submit",
        "os_file_fsync_posix", "sync_file_range", "open64", "unlink", "ftruncate64",
        "fallocate64", "io_uring_wait_cqe",
    }
)  # fmt: skip
_NET = frozenset(
    {
        "poll", "__poll", "__GI___poll", "ppoll", "__ppoll", "recv", "__libc_recv", "send",
        "__libc_send", "sendto", "recvfrom", "accept", "accept4", "epoll_wait", "select",
        "__select", "vio_io_wait", "vio_write", "net_write_packet",
    }
)  # fmt: skip
_WAIT = (
    "futex",
    "pthread_cond",
    "__pthread_cond",
    "___pthread_cond",
    "__lll_lock_wait",
    "__GI___lll_lock_wait",
    "pthread_mutex_lock",
    "__pthread_mutex_lock",
    "__GI___pthread_mutex_lock",
    "nanosleep",
    "__clock_nanosleep",
    "clock_nanosleep",
    "sigwait",
    "__sigwait",
    "do_sigwait",
    "os_event_wait",
    "__futex",
)
_LATCH = (
    "rw_lock_",
    "sync_array_wait",
    "mutex_spin_wait",
    "PolicyMutex",
    "TTASEventMutex",
    "ssux_",
)
_INNERMOST = 6


def activity(functions: Sequence[str], known: StackMeaning | None) -> Activity:
    """Classify a stack. functions: cleaned, innermost first. known: its knowledge-base entry."""
    if known is not None and known.category in _BY_CATEGORY:
        if known.set_aside:
            return "idle"
        name = _BY_CATEGORY[known.category]
        if name != "cpu":
            return name
    inner = [function for function in functions[:_INNERMOST] if function != "??"]
    if any(name.startswith(_LATCH) for name in inner):
        return "latch"
    if any(name in _IO for name in inner[:3]):
        return "io"
    if any(name in _NET for name in inner[:3]):
        return "net"
    if any(name.startswith(_WAIT) for name in inner[:3]):
        return "waiting"
    return "cpu"


__all__ = ["ACTIVITIES", "Activity", "activity"]
