"""What was not collected, what that hides, and the command that collects it next time.

Takes: how many records of each kind there are. An absent kind is a named gap, never a silent one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gap:
    what: str
    why: str
    how: str


# any of these kinds closes the gap
_GAPS: tuple[tuple[frozenset[str], Gap], ...] = (
    (
        frozenset({"sample"}),
        Gap(
            "No metrics",
            "Onset, duration and what moved first come from samples over time.",
            "mysqladmin ext -i1 -c60 > mysqladmin.txt",
        ),
    ),
    (
        frozenset({"semaphore_wait", "transaction"}),
        Gap(
            "No InnoDB status dump",
            "Latch waits, transactions and row locks are printed nowhere else together.",
            "mysql -e 'SHOW ENGINE INNODB STATUS\\G' >> innodb-status.txt, every few seconds",
        ),
    ),
    (
        frozenset({"stack"}),
        Gap(
            "No thread stacks",
            "Without stacks a latch's readers and a sleeping holder's work are guesses.",
            "pt-pmp --binary mysqld, or gdb -p $(pidof mysqld) -batch -ex 'thread apply all bt'",
        ),
    ),
    (
        frozenset({"session"}),
        Gap(
            "No processlist",
            "Which statements waited, and since when, cannot be counted.",
            "mysql -e 'SHOW FULL PROCESSLIST\\G' > processlist.txt",
        ),
    ),
    (
        frozenset({"lock_wait", "trx_lock"}),
        Gap(
            "No lock tables",
            "Who blocks whom on a row is inferred from the status dump alone.",
            "mysql -e 'SELECT * FROM sys.innodb_lock_waits\\G' > lock-waits.txt",
        ),
    ),
    (
        frozenset({"setting"}),
        Gap(
            "No configuration",
            "Rules that depend on a variable can only say 'unknown'.",
            "mysql -e 'SHOW GLOBAL VARIABLES' > variables.txt",
        ),
    ),
)


def gaps(records: Mapping[str, int]) -> list[Gap]:
    """The gaps of a capture with these record counts, the most costly first."""
    return [gap for kinds, gap in _GAPS if not any(records.get(kind) for kind in kinds)]
