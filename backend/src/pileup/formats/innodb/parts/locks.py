"""Read the RECORD LOCKS and TABLE LOCK lines and rows of TRANSACTIONS and of deadlocks.

Source: lock_rec_print(), lock_table_print() and rec_print(), storage/innobase/lock/lock0lock.cc
        and rem/rem0rec.cc (4.1 to 9.x); XtraDB adds the trx's counts of table locks.
Note:   one RECORD LOCKS line may cover several rows of a page: each is a lock of its own here, as
        in performance_schema.data_locks. A page that is not in the buffer pool prints no rows.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# RECORD LOCKS space id 7 page no 4 n bits 320 index PRIMARY of table `sbtest`.`sbtest4` trx id
#   10059 lock_mode X locks rec but not gap waiting
# RECORD LOCKS space id 0 page no 309 n bits 80 index `PRIMARY` of table `a`.`b`
#   /* Partition `p0` */ trx id 0 117066 lock_mode X locks gap before rec insert intention waiting
_RECORD = re.compile(
    r"RECORD LOCKS space id (?P<space>\d{1,18}) page no (?P<page>\d{1,18}) n bits \d+(?: \d+)? "
    r"index `?(?P<index>.+?)`? of table (?P<table>`.*?`(?:\.`.*?`)?|\S+)"
    r"(?: /\*.*?\*/)?(?: trx table locks \d+ total table locks \d+)? *$"
)
# TABLE LOCK table `sbtest`.`sbtest1` trx id 10059 lock mode IX
_TABLE = re.compile(
    r"TABLE LOCK table (?P<table>`.*?`(?:\.`.*?`)?|\S+)(?: /\*.*?\*/)?"
    r"(?: trx table locks \d+ total table locks \d+)? *$"
)
_TRX = re.compile(r"(?P<trx>\(?(?:0x)?[0-9A-Fa-f]+\)?(?: \d+)?) lock[_ ]mode (?P<mode>.+)")
# Record lock, heap no 2 PHYSICAL RECORD: n_fields 6; compact format; info bits 0
# Record lock, heap no 12
_ROW = re.compile(r"Record lock, heap no (?P<heap>\d{1,18})(?=\s|$)")
#  0: len 4; hex 80000001; asc     ;;
#  1: SQL NULL;
_FIELD = re.compile(r"\s*\d+: (?:len \d+; hex (?P<hex>[0-9a-f]*);|SQL (?P<word>[A-Z]+))")
_MOST_FIELDS = 64


class LockPlace(NamedTuple):
    """The locked object of a lock line."""

    kind: str
    """record or table."""
    table: str
    """schema.table without back-ticks."""
    index_name: str | None
    space: int | None
    page: int | None


class PrintedLock(NamedTuple):
    place: LockPlace
    trx_id: str
    mode: str
    """Without the word waiting: 'X locks rec but not gap'."""
    waiting: bool

    @property
    def words(self) -> str:
        """Return the lock as text: 'record app.accounts PRIMARY X locks rec but not gap'."""
        place = self.place
        return " ".join(filter(None, (place.kind, place.table, place.index_name, self.mode)))


def read_lock(text: str) -> PrintedLock | None:
    """Return the lock that a line prints, or None for another line."""
    left, _, right = text.rpartition(" trx id ")
    match = _TRX.match(right)
    place = read_place(left) if match else None
    if match is None or place is None:
        return None
    mode, waiting = read_mode(match["mode"])
    return PrintedLock(place, match["trx"], mode, waiting)


@lru_cache(maxsize=10_000)
def read_place(left: str) -> LockPlace | None:
    """Read a lock line up to its trx id; waiters for one row share this part."""
    if match := _RECORD.match(left):
        table, index = plain_table(match["table"]), match["index"]
        return LockPlace("record", table, index, int(match["space"]), int(match["page"]))
    if match := _TABLE.match(left):
        return LockPlace("table", plain_table(match["table"]), None, None, None)
    return None


@lru_cache(maxsize=1_000)
def read_mode(words: str) -> tuple[str, bool]:
    """Return a lock's mode, and whether it is waited for."""
    mode = words.split(" total ")[0].strip()
    return mode.removesuffix("waiting").strip(), mode.endswith("waiting")


def read_row(text: str) -> int | None:
    """Return the heap number of a 'Record lock' line, or None for another line."""
    match = _ROW.match(text)
    return int(match["heap"]) if match else None


@lru_cache(maxsize=10_000)
def read_fields(text: str) -> str | None:
    """Return the fields of a printed row: '80000001, 000000002de4, NULL'; None without fields."""
    lines = text.split("\n")[:_MOST_FIELDS]
    matches = [match for line in lines if (match := _FIELD.match(line))]
    return ", ".join(match["word"] or match["hex"] for match in matches) or None


def plain_table(quoted: str) -> str:
    """Convert `a`.`b` to a.b; a/b (5.0) likewise."""
    return quoted.replace("`", "").replace("/", ".", 1) if quoted else quoted
