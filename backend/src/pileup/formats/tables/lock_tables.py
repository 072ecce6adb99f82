"""Parse lock, transaction and thread tables: which waiter waits for which blocker.

Source: see ``meanings.locks``; pt-stalk's -lock-waits, -transactions and -ps-locks-transactions.
Yields: Transaction, TrxLock, LockWait, MetadataLock, EventWait, LatchHold, ServerThread and Session
        records, a Snapshot per sample of them, and a Table for any other result set.
        The wait list holds every conflicting pair: a blocker that waits itself is not the root.
"""

from __future__ import annotations

import re

from pileup.formats.reading.pt_stalk_samples import read_ts
from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.reader import parse

NAME = "lock-tables"
TITLE = "lock, transaction and thread tables"
GIVES = (
    "Transactions, locks, metadata locks, lock waits with their blockers; waits and latch holders "
    "of performance_schema; threads with their three ids; other tables as tables."
)
PRINTED_BY = (
    "`INNODB_TRX`, `INNODB_LOCKS`, `data_locks`, `data_lock_waits`, `metadata_locks`, `threads`, "
    "`events_waits_current`, `mutex_instances`, `rwlock_instances`, sys; box, tabs, `\\G`"
)
VERSION = 17
HINTS = ("-lock-waits", "-transactions", "-ps-locks-transactions", "-prepared-statements")

_KEYS = (
    "who_blocks",
    "waiting_trx_id",
    "requesting_trx_id",
    "trx_mysql_thread_id",
    "lock_trx_id",
    "ENGINE_LOCK_ID",
    "REQUESTING_ENGINE_LOCK_ID",
    "waiting_pid",
    "OWNER_THREAD_ID",
    "THREAD_OS_ID",
    "thd_id",
    "processlist_id",
    "LOCKED_BY_THREAD_ID",
    "WRITE_LOCKED_BY_THREAD_ID",
    "NUMBER_OF_BYTES",
)
_KEY = re.compile(
    rf"(?:^|[\t|]) *(?:{'|'.join(_KEYS)})(?::|\t| *\||$)", re.MULTILINE | re.IGNORECASE
)
_EVENTS = re.compile(
    r"^[\t |]*(?:THREAD|PROCESSLIST)_ID[\t |]+(?:\w{1,64}[\t |]+){0,8}EVENT_NAME[\t |]"
    r"(?=[^\n]{0,600}\bOPERATION\b)",
    re.MULTILINE | re.IGNORECASE,
)
_WORDS = ("event_name", *map(str.lower, _KEYS))
_TABLE = re.compile(r"^(?:\*{10,} 1\. row|\+-[-+]+\+$|[a-z_]+\t[a-z_\t]+$)", re.M | re.I)
_IDLE = "Lock collection already running"


def sniff(head: str) -> bool | None:
    """Whether a result set has a column that only these tables have, or samples are all empty."""
    if format_of(head) == NAME:
        return True
    lower = head.lower()
    if (
        any(word in lower for word in _WORDS)
        and (_KEY.search(head) or _EVENTS.search(head))
        and _TABLE.search(head)
    ):
        return True
    if _IDLE in head or not head.startswith("TS "):
        return _IDLE in head
    lines = [line for line in head.split("\n") if line.strip()]
    return None if all(read_ts(line) for line in lines[:1000]) else False


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
