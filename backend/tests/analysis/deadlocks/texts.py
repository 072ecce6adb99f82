"""Texts of deadlocks as servers print them, built from who holds and wants what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from pileup.formats.innodb.parts.deadlock import parse_deadlock
from pileup.records import Deadlock

ROW = "lock_mode X locks rec but not gap"
S_ROW = "lock mode S locks rec but not gap"
NEXT_KEY, S_NEXT_KEY = "lock_mode X", "lock mode S"
GAP, S_GAP = "lock_mode X locks gap before rec", "lock mode S locks gap before rec"
INSERT = "lock_mode X locks gap before rec insert intention"
AT_END = "lock_mode X insert intention"


@dataclass(frozen=True)
class L:
    """A lock: mode, row (heap number), index and table; index None: of the table."""

    mode: str
    row: int = 2
    index: str | None = "PRIMARY"
    table: str = "app.t"


@dataclass(frozen=True)
class T:
    """A transaction."""

    query: str
    wants: L
    holds: tuple[L, ...] = field(default=())


def printed(transactions: Sequence[T], *, old: bool = False, victim: int | None = 1) -> str:
    """Return the text; old: as up to 5.7, which prints the locks of the last transaction only."""
    lines = ["2026-11-20 22:16:31 0x77eda82316c0"]
    for number, each in enumerate(transactions, start=1):
        trx = 1000 + number
        lines += [
            f"*** ({number}) TRANSACTION:",
            f"TRANSACTION {trx}, ACTIVE 3 sec starting index read",
            "mysql tables in use 1, locked 1",
            "LOCK WAIT 3 lock struct(s), heap size 1136, 2 row lock(s), undo log entries 1",
            f"MySQL thread id {number + 7}, OS thread handle 14, query id 18 localhost app update",
            each.query,
        ]
        if each.holds and (not old or number == len(transactions)):
            lines += ["", f"*** ({number}) HOLDS THE LOCK(S):"]
            for lock in each.holds:
                lines += _lock(lock, trx)
        lines += ["", f"*** ({number}) WAITING FOR THIS LOCK TO BE GRANTED:"]
        lines += _lock(each.wants, trx, " waiting")
    if victim:
        lines.append(f"*** WE ROLL BACK TRANSACTION ({victim})")
    return "\n".join(lines)


def _lock(lock: L, trx: int, waiting: str = "") -> list[str]:
    schema, _, name = lock.table.partition(".")
    table = f"`{schema}`.`{name}`"
    if lock.index is None:
        return [f"TABLE LOCK table {table} trx id {trx} lock mode {lock.mode}{waiting}"]
    page = 4 + sum(map(ord, lock.index + lock.table)) % 50
    place = f"space id 7 page no {page} n bits 72 index {lock.index} of table {table}"
    return [
        f"RECORD LOCKS {place} trx id {trx} {lock.mode}{waiting}",
        f"Record lock, heap no {lock.row} PHYSICAL RECORD: n_fields 5; compact format",
        " 0: len 4; hex 80000001; asc     ;;",
        "",
    ]


def read(text: str) -> dict[str, Any] | None:
    """Return the record of a text as the analysis sees it, None without one."""
    for item in parse_deadlock(text, 1, snapshot=None):
        if isinstance(item, Deadlock):
            return msgspec.to_builtins(replace(item)) | {"time": item.wall_us}
    return None
