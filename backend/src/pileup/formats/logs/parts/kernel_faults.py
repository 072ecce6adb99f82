"""Recognise faults of the machine in lines of the kernel's log.

Source: Linux, mm/oom_kill.c, kernel/hung_task.c, kernel/watchdog.c, block/blk-core.c, drivers/ata,
        drivers/scsi/sd.c, drivers/nvme, fs/{ext4,xfs}, arch/x86/kernel/cpu/mce, net/sched.
"""

from __future__ import annotations

import re
from typing import Literal

Severity = Literal["error", "warning"]

_LONGEST = 400
"""Characters of a line that are searched: a fault is named at its start."""

Fault = tuple[str, Severity, re.Pattern[str]]


def _fault(kind: str, severity: Severity, *alternatives: str) -> Fault:
    return kind, severity, re.compile("|".join(alternatives))


# The first match decides. Repetitions are bounded, because the lines are untrusted input.
_FAULTS: tuple[Fault, ...] = (
    # mysqld invoked oom-killer: gfp_mask=... | Out of memory: Killed process 2159 (mysqld)
    # Memory cgroup out of memory: Kill process 2159 (mysqld) score 972 or sacrifice child
    _fault(
        "oom_kill",
        "error",
        r"invoked oom-killer|[Oo]ut of memory|Killed process \d|oom-kill:|oom_reaper:",
    ),
    # INFO: task jbd2/dm-0-8:411 blocked for more than 120 seconds.
    _fault("hung_task", "error", r"task \S{1,64} blocked (?:in I/O wait )?for more than \d"),
    # BUG: soft lockup - CPU#3 stuck for 22s! [mysqld:2159] | rcu_sched self-detected stall
    _fault(
        "lockup",
        "error",
        r"soft lockup|hard LOCKUP|hard lockup|detected stalls? on CPU|self-detected stall",
    ),
    _fault(
        "memory_error",
        "error",
        r"[Mm]achine check|\bmce: |EDAC .{0,60}[CU]E |Hardware Error",
    ),
    # blk_update_request: I/O error, dev sda, sector 123 | Buffer I/O error on dev dm-0
    # nvme nvme0: I/O 23 QID 4 timeout, aborting | ata1.00: failed command: READ FPDMA QUEUED
    _fault(
        "io_error",
        "error",
        r"I/O error|Medium Error|critical (?:medium|target|space allocation) error",
        r"UNRECOVERED READ|nvme\d*\b.{0,60}(?:timeout|controller is down|Abort status)",
        r"failed command: (?:READ|WRITE|FLUSH)|task abort|TASK ABORT|aborting command",
        r"ata\d+(?:\.\d\d)?: (?:exception|hard resetting link|error:|SError)",
        r"rejecting I/O to (?:offline|dead) device|[Dd]evice offlined|DEVICE RESET",
        r"timing out command",
    ),
    # EXT4-fs error (device dm-0): ... | XFS (sda3): metadata I/O error
    _fault(
        "filesystem_error",
        "error",
        r"EXT[234]-fs (?:error|\([\w-]{1,32}\): error)|Remounting filesystem read-only",
        r"XFS \([^)]{1,32}\): .{0,60}(?:[Cc]orrupt|[Ss]hutdown|[Ss]hutting down|error)",
        r"BTRFS (?:error|critical)|JBD2: .{0,40}(?:error|Error)",
    ),
    _fault("disk_full", "error", r"No space left on device"),
    _fault(
        "kernel_fault",
        "error",
        r"Kernel panic|kernel panic|BUG: unable to handle|general protection fault|Oops: ",
    ),
    _fault(
        "segfault", "error", r"segfault at [0-9a-f]|traps: \S{1,64} ?(?:\[\d+\])? (?:trap|general)"
    ),
    _fault("page_allocation", "warning", r"page allocation (?:failure|stalls)"),
    _fault(
        "network_error",
        "warning",
        r"nf_conntrack: table full|[Pp]ossible SYN flooding|NETDEV WATCHDOG|Link is Down",
        r"transmit queue \d+ timed out|neighbou?r table overflow",
    ),
    _fault("throttled", "warning", r"temperature above threshold|cpu clock throttled"),
    _fault(
        "clock_jump",
        "warning",
        r"[Cc]locksource .{0,60}unstable|Marking clocksource .{0,40}unstable",
    ),
    _fault(
        "raid_degraded",
        "warning",
        r"md/raid.{0,40}(?:Disk failure|Operation continuing)|resync of RAID",
    ),
)
_WORDS = (
    "oom", "emory", "illed", "blocked", "ockup", "LOCKUP", "stall", "achine check", "mce: ", "EDAC",
    "ardware Error", "rror", "imeout", "abort", "ABORT", "reset", "RESET", "offline", "timing out",
    "failed command", "controller is down", "Remounting", "hutdown", "hutting down", "orrupt",
    "No space", "panic", "BUG", "Oops", "fault", "traps:", "allocation", "table full", "flooding",
    "WATCHDOG", "timed out", "ink is", "overflow", "temperature", "throttl", "unstable",
    "Disk failure", "continuing", "resync", "exception", "UNRECOVERED",
)  # fmt: skip
_ANY = re.compile("|".join(map(re.escape, _WORDS)))


def fault(message: str) -> tuple[str, Severity] | None:
    """Return the kind of fault and its severity; None for an ordinary line."""
    text = message[:_LONGEST]
    if not _ANY.search(text):
        return None
    return next((known[:2] for known in _FAULTS if known[2].search(text)), None)
