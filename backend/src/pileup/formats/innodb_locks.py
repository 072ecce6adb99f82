"""RECORD LOCKS and TABLE LOCK lines, as TRANSACTIONS and the deadlock sections print them.

Source: lock_rec_print() and lock_table_print(), storage/innobase/lock/lock0lock.cc (5.0 to 9.x).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# RECORD LOCKS space id 7 page no 4 n bits 320 index PRIMARY of table `sbtest`.`sbtest4` trx id
#   10059 lock_mode X locks rec but not gap waiting
# RECORD LOCKS space id 0 page no 309 n bits 80 index `PRIMARY` of table `a`.`b`
#   /* Partition `p0` */ trx id 0 117066 lock_mode X locks gap before rec insert intention waiting
_RECORD = re.compile(
    r"RECORD LOCKS space id (?P<space>\d+) page no (?P<page>\d+) n bits \d+(?: \d+)? "
    r"index `?(?P<index>.+?)`? of table (?P<table>`.*?`(?:\.`.*?`)?|\S+)"
    r"(?: /\*.*?\*/)?(?: trx table locks \d+ total table locks \d+ )? +trx id "
    r"(?P<trx>\(0x[0-9a-fA-F]+\)|[0-9A-Fa-f]+(?: \d+)?) lock[_ ]mode (?P<mode>.+)"
)
# TABLE LOCK table `sbtest`.`sbtest1` trx id 10059 lock mode IX
_TABLE = re.compile(
    r"TABLE LOCK table (?P<table>`.*?`(?:\.`.*?`)?|\S+)(?: /\*.*?\*/)?"
    r"(?: trx table locks \d+ total table locks \d+ )? +trx id "
    r"(?P<trx>\(0x[0-9a-fA-F]+\)|[0-9A-Fa-f]+(?: \d+)?) lock[_ ]mode (?P<mode>.+)"
)


@dataclass(frozen=True, slots=True)
class PrintedLock:
    kind: str
    """record or table."""
    trx_id: str
    table: str
    """schema.table without back-ticks."""
    index: str | None
    space: int | None
    page: int | None
    mode: str
    """Without the word waiting: 'X locks rec but not gap'."""
    waiting: bool

    @property
    def words(self) -> str:
        """'record app.accounts PRIMARY X locks rec but not gap'."""
        return " ".join(filter(None, (self.kind, self.table, self.index, self.mode)))


def read_lock(text: str) -> PrintedLock | None:
    """The lock that a line prints, or None for another line."""
    if text.startswith("RECORD LOCKS"):
        match = _RECORD.match(text)
    elif text.startswith("TABLE LOCK"):
        match = _TABLE.match(text)
    else:
        return None
    if not match:
        return None
    mode = match["mode"].split(" total ")[0].strip()
    waiting = mode.endswith("waiting")
    record = text.startswith("R")
    return PrintedLock(
        kind="record" if record else "table",
        trx_id=match["trx"],
        table=plain_table(match["table"]),
        index=match["index"] if record else None,
        space=int(match["space"]) if record else None,
        page=int(match["page"]) if record else None,
        mode=mode.removesuffix("waiting").strip(),
        waiting=waiting,
    )


def plain_table(quoted: str) -> str:
    """`a`.`b` as a.b; a/b (5.0) likewise."""
    return quoted.replace("`", "").replace("/", ".", 1) if quoted else quoted
