"""Parse LATEST DETECTED DEADLOCK and LATEST FOREIGN KEY ERROR.

Source: DeadlockChecker::notify() / lock_deadlock_*() in lock0lock.cc; row_ins_foreign_report_err()
        in row0ins.cc. The text is repeated unchanged in every later dump: the caller keeps one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pileup.formats.innodb.parts.locks import PrintedLock, plain_table, read_lock, read_row
from pileup.formats.innodb.parts.transaction_text import (
    UNKNOWN,
    Parts,
    find_headless,
    read_above,
    read_client,
    read_session,
    take_apart,
    take_headless_apart,
)
from pileup.formats.reading.wall_clock import local_us
from pileup.records import Clock, Deadlock, DeadlockTrx, ForeignKeyError, Item, Problem

# 120613 12:00:00 | 2013-06-19 13:47:37 7f68… | 2026-11-20 22:16:31 0x77eda82316c0
STAMP = re.compile(
    r"\s*(?:(?P<yy>\d\d)(?P<mm>\d\d)(?P<dd>\d\d)|(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d))"
    r"[ T]+(?P<hour>\d{1,2}):(?P<minute>\d\d):(?P<second>\d\d)"
)
# *** (1) TRANSACTION: | *** (2) HOLDS THE LOCK(S): | *** (1) WAITING FOR THIS LOCK TO BE GRANTED:
# *** CONFLICTING WITH:                                  MariaDB >= 10.6: locks of the others follow
# *** TRANSACTION: | *** WAITING FOR THIS LOCK TO BE GRANTED:         after TOO DEEP OR LONG SEARCH
MARKER = re.compile(
    r"\*\*\* ?\(?(?P<number>\d{1,9})?\)? ?(?P<what>TRANSACTION:|HOLDS THE LOCK|"
    r"WAITING FOR THIS LOCK|CONFLICTING WITH)"
)
VICTIM = re.compile(r"\*\*\* WE ROLL BACK TRANSACTION \((?P<number>\d{1,9})\)")
BARE_TRANSACTION = re.compile(r"TRANSACTION [0-9A-F]{1,20}(?: \d{1,20})?, (?:ACTIVE|not started)")
"""The first line of a transaction outside of a list of transactions, which prints dashes before."""
_MOST_UNMARKED = 200
"""Transactions of one deadlock: InnoDB gives up a search before that."""
_TOO_DEEP = "WE WILL ROLL BACK FOLLOWING TRANSACTION"
_TABLE = re.compile(
    r"(?:foreign key constraint (?:of|fails for) table|of table|cannot drop table):? "
    r"(?P<table>`?\S+?)[:,]?$",
    re.IGNORECASE,
)
_MOST_ROWS = 64
"""Rows of a lock that are kept; a page may have thousands."""
_LONGEST = 2_000
"""Characters of a line in which a table's name is searched."""
_CONSTRAINT = re.compile(r"CONSTRAINT `?(?P<name>[^`\s]+)`? FOREIGN KEY")
# FOREIGN KEY (`parent_id`) REFERENCES `parent` (`id`) ON DELETE CASCADE
_REFERENCES = re.compile(
    r"FOREIGN KEY \((?P<columns>[^()]{1,1000})\) REFERENCES (?P<parent>\S{1,400}) "
    r"\((?P<parent_columns>[^()]{1,1000})\)"
)
# Trying to add in child table, in index parent_id tuple:
_INDEX = re.compile(
    r"Trying to [^,]{1,80} table,? ?(?:`[^`]+`\.`[^`]+`,? )?in index (?P<index>\S{1,200})"
)
_FIELD = re.compile(r"\s*\d{1,4}: (?P<field>len \d.{0,400}?);$|\s*\d{1,4}: (?P<null>SQL NULL);$")


def stamp_us(text: str) -> int | None:
    """Return the local wall clock that a line begins with, in microseconds; None without one."""
    match = STAMP.match(text)
    if not match:
        return None
    if match["yy"]:
        year: str | int = 2000 + int(match["yy"])
        month, day = match["mm"], match["dd"]
    else:
        year, month, day = match["year"], match["month"], match["day"]
    return local_us(year, month, day, match["hour"], match["minute"], match["second"])


@dataclass(slots=True)
class _Lock:
    """A printed lock and the heap numbers of the rows printed below it."""

    printed: PrintedLock
    heaps: list[int] = field(default_factory=list)

    @property
    def rows(self) -> str:
        """Return '7:309:2 3', or '' without printed rows."""
        place = self.printed.place
        return f"{place.space}:{place.page}:{' '.join(map(str, self.heaps))}" if self.heaps else ""


@dataclass(slots=True)
class _Trx:
    number: int
    body: Parts | None = None
    holds: list[_Lock] = field(default_factory=list)
    waits_for: _Lock | None = None
    trx_id: str | None = None
    """Of a transaction that only its lock names, as the text ends before it."""


def has_unmarked(head: str) -> bool:
    """Return whether a text prints deadlocks without marks: whole transactions one below another.

    Each names locks that it holds and waits for; a list of transactions prints dashes before each,
    and above its wait for how long it has lasted.
    """
    if "***" in head or "---TRANSACTION" in head or " HAS BEEN WAITING " in head:
        return False
    found = UnmarkedDeadlocks()
    for number, text in enumerate(head.split("\n")):
        if not (found.is_open or BARE_TRANSACTION.match(text)):
            continue
        if any(len(each.transactions) > 1 for each in found.feed(text, number)):
            return True
    return any(len(each.transactions) > 1 for each in found.close())


def parse_deadlock(
    text: str,
    line: int,
    *,
    snapshot: int | None,
    wall_us: int | None = None,
    clock: Clock | None = None,
) -> Iterator[Item]:
    """Yield the section, or the same text in an error log, as one Deadlock.

    The transactions are in their printed order. ``line`` is the number of the text's first line,
    ``wall_us`` the time of a text that has none of its own.
    """
    lines = text.split("\n")
    filled = [at for at, name in enumerate(lines) if name.strip()]
    if not filled:
        return
    reader = _Reader()
    for name in lines:
        reader.read(name)
    reader.close()
    first, last = line + filled[0], line + filled[-1]
    if not reader.transactions:
        yield Problem(first, "A deadlock is announced but none of its transactions is shown.")
        return
    original = next((line for line in lines if STAMP.match(line)), None)
    if original is not None:
        wall_us = stamp_us(original)
        clock = None if wall_us is None else "local"
    yield Deadlock(
        line_first=first,
        line_last=last,
        wall_us=wall_us,
        clock=clock,
        snapshot=snapshot,
        transactions=tuple(_trx(trx) for _, trx in sorted(reader.transactions.items())),
        victim=reader.victim,
        original=original.strip()[:200] if original else None,
        truncated=reader.victim is None,
    )


class _Reader:
    """Reads the lines of one deadlock."""

    def __init__(self) -> None:
        self.transactions: dict[int, _Trx] = {}
        self.victim: int | None = None
        self._current = 0
        self._what = ""
        self._body: list[str] = []
        self._too_deep = False
        self._conflicts: list[_Lock] = []
        self._last: _Lock | None = None
        """The lock whose rows follow."""

    def read(self, line: str) -> None:
        if match := VICTIM.match(line):
            self._end_body()
            self.victim, self._what = int(match["number"]), ""
        elif match := MARKER.match(line):
            beginning = self._body if not self._what else None
            self._end_body()
            self._what = match["what"]
            if match["number"]:
                self._current = int(match["number"])
            elif self._what == "TRANSACTION:":
                self._current = max(self.transactions, default=0) + 1
            elif not self.transactions:  # MariaDB numbers only the first line, which is cut off
                self._current = 1
            trx = self.transactions.setdefault(self._current, _Trx(self._current))
            if beginning and not self._what.startswith("TRANSACTION"):
                trx.body = _headless_body(beginning)
        elif _TOO_DEEP in line:
            self._too_deep = True
        elif self._what == "TRANSACTION:" or not (self._what or self.transactions):
            self._body.append(line)
        elif self._what and (lock := read_lock(line)):
            self._lock(_Lock(lock))
        elif self._what and self._last and len(self._last.heaps) < _MOST_ROWS:
            heap = read_row(line)
            self._last.heaps += () if heap is None else (heap,)

    def close(self) -> None:
        self._end_body()
        holders = {
            transaction.body[0]: transaction
            for transaction in self.transactions.values()
            if transaction.body
        }
        for lock in self._conflicts:  # the lock of another transaction, which it names
            holder = holders.get(lock.printed.trx_id)
            if holder is None and self.victim is None and lock.printed.trx_id:
                number = max(self.transactions, default=0) + 1
                holder = _Trx(number, trx_id=lock.printed.trx_id)
                self.transactions[number] = holders[lock.printed.trx_id] = holder
            if holder is not None and lock not in holder.holds:
                holder.holds.append(lock)
        if self._too_deep and self.victim is None and len(self.transactions) == 1:
            (self.victim,) = self.transactions

    def read_unmarked(self, line: str) -> None:
        """Read a line of a print without marks: a lock says by itself whether it is waited for."""
        if BARE_TRANSACTION.match(line):
            self._end_body()
            self._current = len(self.transactions) + 1
            self.transactions[self._current] = _Trx(self._current)
            self._what, self._body, self._last = "TRANSACTION:", [line], None
        elif lock := read_lock(line):
            self._end_body()
            self._what = "WAITING" if lock.waiting else "HOLDS"
            self._lock(_Lock(lock))
        elif self._what == "TRANSACTION:":
            self._body.append(line)
        elif self._last and len(self._last.heaps) < _MOST_ROWS:
            heap = read_row(line)
            self._last.heaps += () if heap is None else (heap,)

    @property
    def is_circle(self) -> bool:
        """Whether each transaction waits for a lock that another one holds.

        Before MySQL 8.0.18 the first one prints what it waits for and not what it holds.
        """
        every = list(self.transactions.values())
        return len(every) > 1 and all(
            any(
                not other.holds or any(_is_same_place(held, trx.waits_for) for held in other.holds)
                for other in every
                if other is not trx
            )
            for trx in every
        )

    def _lock(self, lock: _Lock) -> None:
        self._last = lock
        trx = self.transactions[self._current]
        if self._what.startswith("CONFLICTING"):
            self._conflicts.append(lock)
        elif self._what.startswith("HOLDS"):
            trx.holds.append(lock)
        elif trx.waits_for is None:
            trx.waits_for = lock

    def _end_body(self) -> None:
        while self._body and not self._body[0].strip():
            self._body.pop(0)
        if self._body and self._what:
            text = "\n".join(self._body)
            body = take_apart(text.removeprefix("---").removeprefix("TRANSACTION "))
            self.transactions[self._current].body = body
        self._body = []


def _is_same_place(held: _Lock, wanted: _Lock | None) -> bool:
    if wanted is None:
        return False
    place, other = held.printed.place, wanted.printed.place
    if (place.space, place.page, place.table) != (other.space, other.page, other.table):
        return False
    return not held.heaps or not wanted.heaps or not set(held.heaps).isdisjoint(wanted.heaps)


class UnmarkedDeadlocks:
    """Finds the deadlocks of a log that prints them without their marks, one after another.

    Source: innodb_print_all_deadlocks of MySQL 8.0 with log_error_verbosity=2, its default: the
    marks '*** (1) TRANSACTION:' are notes, which the log leaves out, and so are the time and
    the victim. A deadlock ends where its waits form a circle and another transaction begins.
    """

    def __init__(self) -> None:
        self._reader = _Reader()
        self._first = self._last = 0

    @property
    def is_open(self) -> bool:
        """Whether the last line that was fed belongs to a deadlock that is still open."""
        return bool(self._reader.transactions)

    def feed(self, text: str, line: int) -> Iterator[Deadlock]:
        """Read one line: the first of a transaction, or one below it."""
        if BARE_TRANSACTION.match(text):
            if self._reader.is_circle or len(self._reader.transactions) >= _MOST_UNMARKED:
                yield from self.close()
            if not self.is_open:
                self._first = line
        self._reader.read_unmarked(text)
        if text.strip():
            self._last = line

    def close(self) -> Iterator[Deadlock]:
        """Yield the open deadlock."""
        reader, self._reader = self._reader, _Reader()
        reader.close()
        if reader.transactions:
            yield Deadlock(
                line_first=self._first,
                line_last=self._last,
                transactions=tuple(_trx(trx) for trx in reader.transactions.values()),
                truncated=True,
            )


def _headless_body(lines: list[str]) -> Parts | None:
    """Read the lines of a transaction above the first marker of a deadlock that is cut there."""
    text = "\n".join(lines)
    starts = find_headless(text)
    return take_headless_apart(text[starts[0] :]) if starts else None


def parse_foreign_key_error(text: str, line: int, *, snapshot: int | None) -> Iterator[Item]:
    """Yield the section as one ForeignKeyError."""
    lines = text.split("\n")
    filled = [at for at, name in enumerate(lines) if name.strip()]
    if not filled:
        return
    original = next((line for line in lines if STAMP.match(line)), None)
    text = "\n".join(lines[at] for at in filled)
    table = next((m for line in lines if (m := _TABLE.search(line[:_LONGEST]))), None)
    constraint = _CONSTRAINT.search(text)
    references = _REFERENCES.search(text)
    index = _INDEX.search(text)
    trx_id, session_id, query = _culprit(lines)
    yield ForeignKeyError(
        line_first=line + filled[0],
        line_last=line + filled[-1],
        wall_us=stamp_us(original) if original else None,
        clock="local" if original and stamp_us(original) is not None else None,
        snapshot=snapshot,
        table=plain_table(table["table"].rstrip(":")) if table else None,
        constraint=constraint["name"] if constraint else None,
        columns=_names(references["columns"]) if references else None,
        parent_table=plain_table(references["parent"]) if references else None,
        parent_columns=_names(references["parent_columns"]) if references else None,
        index=index["index"].strip("`") if index else None,
        row=_row_at_fault(text[index.end() :]) if index else (),
        trx_id=trx_id,
        session_id=session_id,
        query=query,
        message=text[:4000],
        original=original.strip()[:200] if original else None,
    )


def _names(text: str) -> str:
    """Return the names of columns without their quotes: 'customer, region'."""
    return ", ".join(name.strip().strip("`") for name in text.split(","))


def _row_at_fault(text: str) -> tuple[str, ...]:
    """Return the fields of the first tuple or record that follows."""
    fields: list[str] = []
    for line in text.split("\n")[1:]:
        if match := _FIELD.match(line[:_LONGEST]):
            fields.append(match["field"] or "NULL")
        elif fields or not line.startswith(("DATA TUPLE", "PHYSICAL RECORD")):
            break
    return tuple(fields[:_MOST_ROWS])


def _culprit(lines: list[str]) -> tuple[str | None, int | None, str | None]:
    """Return transaction id, session id and statement of the transaction that is printed."""
    first = next((at for at, line in enumerate(lines) if line.startswith("TRANSACTION ")), None)
    if first is None:
        return None, None, None
    ends = ("Foreign key constraint", "Error in foreign key", "Cannot drop")
    body = list(itertools.takewhile(lambda line: not line.startswith(ends), lines[first:]))
    taken = take_apart("\n".join(body).removeprefix("TRANSACTION "))
    if taken is None:
        return None, None, None
    trx_id, _, session, query, _, _ = taken
    return trx_id, read_session(session or "")[0], query


def _trx(trx: _Trx) -> DeadlockTrx:
    locks: dict[str, Any] = {
        "holds": tuple(lock.printed.words for lock in trx.holds),
        "holds_rows": tuple(lock.rows + " waiting" * lock.printed.waiting for lock in trx.holds),
        "waits_for": trx.waits_for.printed.words if trx.waits_for else None,
        "waits_rows": trx.waits_for.rows or None if trx.waits_for else None,
    }
    if trx.body is None:
        return DeadlockTrx(number=trx.number, trx_id=trx.trx_id or UNKNOWN, **locks)
    trx_id, text, session, query, _, _ = trx.body
    above = read_above(text)
    session_id, os_thread, _, words = read_session(session or "")
    return DeadlockTrx(
        number=trx.number,
        trx_id=trx_id,
        session_id=session_id,
        os_thread=above.os_thread if os_thread is None else os_thread,
        active_s=above.active_s,
        query=query,
        user=read_client(words).user,
        **locks,
    )
