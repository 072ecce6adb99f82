"""Parse SHOW ENGINE INNODB MUTEX: how often threads had to wait for each latch, since the start.

Source: see ``meanings.latch_counts``; in any layout of a client. MariaDB from 10.6 prints nothing.
Yields: innodb_mutex.os_waits and the other counts with label latch: file:line of its creation, or
        its name; and label type where it is printed: rwlock or mutex.
Time:   TS lines or a date above a listing, else samples are a nominal second apart.
"""

from __future__ import annotations

from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.reader import parse

NAME = "innodb-mutex"
TITLE = "SHOW ENGINE INNODB MUTEX"
GIVES = "Counters `innodb_mutex.os_waits` by latch; latches of one kind are summed up."
PRINTED_BY = (
    "`SHOW ENGINE INNODB MUTEX` (5.1 to 9.x), `SHOW MUTEX STATUS` (5.0), pt-stalk `-mutex-status1`"
)
VERSION = 4
HINTS = ("-mutex-status1", "-mutex-status2", "innodb-mutex.txt", "innodb_mutex.txt")


def sniff(head: str) -> bool | None:
    """Whether a table of the head is of this kind, in any layout."""
    return format_of(head) == NAME


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
