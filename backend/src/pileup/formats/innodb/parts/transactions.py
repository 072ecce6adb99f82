"""Parse the TRANSACTIONS section: transactions with their sessions, statements and printed locks.

Source: lock_print_info_all_transactions() and trx_print_low(), innobase lock0lock.cc, trx0trx.cc.
        Beyond 1 MB the server omits the start of the list (innodb_show_status()) and prints
        'truncated...'.
Note:   with innodb_status_output_locks off only the waited-for lock is printed; holders are for
        the analysis to infer.
Speed:  what repeats from transaction to transaction (state and counts, whose it is, the locks) is
        read once per distinct text and then looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from pileup.formats.innodb.parts.transaction_text import (
    Above,
    Client,
    Lock,
    Locks,
    Parts,
    find_headless,
    read_above,
    read_client,
    read_locks,
    read_session,
    read_wait,
    take_apart,
    take_headless_apart,
)
from pileup.formats.reading.repeated_text import Interned
from pileup.records import (
    Item,
    Problem,
    Rows,
    Skipped,
    Transaction,
    TrxLock,
    build_frame,
    frame_schema,
)
from pileup.records.columns import group_of_rows

_START = "---TRANSACTION "
_TRUNCATED = re.compile(r"^\.\.\. truncated\.\.\.$", re.MULTILINE)
_LOCK_LINE = re.compile(r"(?:RECORD LOCKS|TABLE LOCK) ")
_LOCK_TRX = re.compile(r" trx id (.{1,60}?) lock[_ ]mode ")
_OTHER_FORM = re.compile(r"^[^\w\n]{0,8}TRANSACTION \(?[0-9A-Fa-f]", re.MULTILINE)
_SCHEMA = frame_schema(Transaction.KIND)
_ABOVE_FIELDS = Above._fields[:11]
_CLIENT_FIELDS = Client._fields
_WAITED = {
    "waits_kind": "lock_kind",
    "waits_table": "table",
    "waits_index": "index_name",
    "waits_space": "space",
    "waits_page": "page",
    "waits_heap": "heap",
    "waits_mode": "mode",
}
_LOCK_FIELDS = {name.removesuffix("_name"): name for name in Lock._fields[:9]}


class Listed(NamedTuple):
    """The contents of a section other than its transactions."""

    before: str
    """The text above the first of them."""
    waiting: int
    """Transactions that wait for a lock."""
    active: int
    items: list[Item]
    unreadable: int = 0
    """Transactions that are printed and could not be read."""


_Row = tuple[
    int,
    int,
    str,
    int | None,
    int | None,
    int | None,
    str | None,
    float | None,
    int,
    int | None,
    int | None,
]
"""First and last line, trx, session, OS thread, query id, statement, seconds waited; and the rows
in their tables of the text above the session, the client, and the lock that is waited for."""


class Transactions:
    """Collects the transactions of many dumps; ``flush`` yields them as frames."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._rows: list[_Row] = []
        self._above: Interned[Above] = Interned()
        self._clients: Interned[Client] = Interned()
        self._locks: Interned[Locks] = Interned()
        self._lock_rows: list[Lock] = []
        self._lock_start: list[int] = []
        """Per text of locks: the first of its rows."""
        self._lock_index: list[int] = []
        self._lock_trx: list[int] = []
        self._lock_line: list[int] = []
        self._dumps: list[tuple[int, int | None, int]] = []

    def __len__(self) -> int:
        return len(self._rows) + len(self._lock_index)

    def read(self, text: str, line: int, *, wall_us: int | None, snapshot: int) -> Listed:
        """Read one section; its first line is ``line``."""
        before, *blocks = f"\n{text}".split(f"\n{_START}")
        items: list[Item] = []
        number = line + before.count("\n")
        if cut := _TRUNCATED.search(before):
            rest, at = before[cut.start() :], line + before.count("\n", 0, cut.start()) - 1
            items += _truncated(rest, at, wall_us=wall_us, snapshot=snapshot)
            before = before[: cut.start()]
        held = len(self._rows)
        waiting = active = unreadable = 0
        if headless := find_headless(before):
            waiting, active = self._take_headless(before, headless, line - 1, items)
            before = before[: headless[0]]
        any_truncated = "truncated..." in text
        for block in blocks:
            lines = block.count("\n")
            if any_truncated and (cut := _TRUNCATED.search(block)):
                rest, at = block[cut.start() :], number + block.count("\n", 0, cut.start())
                items += _truncated(rest, at, wall_us=wall_us, snapshot=snapshot)
                block = block[: cut.start()]
                last = number + block.rstrip().count("\n")
            elif block[-1:].isspace():
                last = number + block.rstrip().count("\n")
            else:
                last = number + lines
            above = self._take(block, number, last, items)
            if above is not None:
                waiting += above.lock_wait
                active += above.active
            else:
                unreadable += 1
            number += lines + 1
        if len(self._rows) > held:
            self._dumps.append((len(self._rows) - held, wall_us, snapshot))
        if not blocks and _OTHER_FORM.search(before):
            items.append(Problem(line, "Transactions are listed in a form that cannot be read."))
            unreadable += 1
        return Listed(before[1:], waiting, active, items, unreadable)

    def _take_headless(
        self, text: str, starts: list[int], line: int, items: list[Item]
    ) -> tuple[int, int]:
        """Add the transactions that lack their first line; return how many wait and are active."""
        waiting = active = 0
        for start, end in pairwise([*starts, len(text)]):
            block = text[start:end].rstrip()
            first = line + text.count("\n", 0, start)
            last = first + block.count("\n")
            above = self._add(take_headless_apart(block), (first - 1, first, last), items)
            waiting += above.lock_wait
            active += above.active
        return waiting, active

    def flush(self) -> Iterator[Rows]:
        """Yield all transactions since the last flush, in print order."""
        if self._rows:
            transactions, locks = self._frames()
            yield Rows(Transaction.KIND, transactions)
            if locks.height:
                yield Rows(TrxLock.KIND, locks)
        self._clear()

    def _take(self, block: str, line: int, last: int, items: list[Item]) -> Above | None:
        """Add one transaction; append problems and skipped lines to ``items``."""
        parts = take_apart(block)
        if parts is None:
            items.append(_unreadable_problem(line, block))
            return None
        return self._add(parts, (line, line, last), items)

    def _add(self, parts: Parts, place: tuple[int, int, int], items: list[Item]) -> Above:
        """Add a transaction; ``place``: the line of its head, and its first and last line."""
        line, first, last = place
        trx_id, text, session, query, below, below_line = parts
        number = self._above.get(text)
        if number is None:
            number = self._above.add(text, read_above(text))
        above = self._above.rows[number]
        session_id = query_id = client = wait_s = waited = None
        os_thread = above.os_thread
        if session is not None:
            session_id, handle, query_id, words = read_session(session)
            if handle is not None:
                os_thread = handle
            client = self._clients.get(words)
            if client is None:
                client = self._clients.add(words, read_client(words))
        if below:
            wait_s, passed = read_wait(below)
            if passed:
                below = below.split("\n", passed)[passed] if below.count("\n") >= passed else ""
            below_line += line + passed
            waited, unread = self._list(below, trx_id, below_line)
            items.extend(_skipped_line(below_line + at) for at in unread)
        if above.unread:
            items.extend(_skipped_line(line + at) for at in above.unread)
        self._rows.append(
            (
                first,
                last,
                trx_id,
                session_id,
                os_thread,
                query_id,
                query,
                wait_s,
                number,
                client,
                waited,
            )
        )
        return above

    def _list(self, text: str, trx_id: str, line: int) -> tuple[int | None, tuple[int, ...]]:
        """Add the locks of the current transaction; return the one waited for, and lines unread."""
        text = text.replace(f" trx id {trx_id} ", " trx id 0 ")  # waiters for a row then agree
        number = self._locks.get(text)
        if number is None:
            locks = read_locks(text)
            number = self._locks.add(text, locks)
            self._lock_start.append(len(self._lock_rows))
            self._lock_rows += locks.listed
        listed, unread = self._locks.rows[number]
        start = self._lock_start[number]
        self._lock_index += range(start, start + len(listed))
        self._lock_trx += [len(self._rows)] * len(listed)
        self._lock_line += [line] * len(listed)
        for at, lock in enumerate(listed):
            if lock.waiting:
                return start + at, unread
        return None, unread

    def _frames(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        first, last, trx_id, session, os_thread, query_id, query, wait_s, above, client, waited = (
            map(list, zip(*self._rows, strict=True))
        )
        counts, walls, snapshots = zip(*self._dumps, strict=True)
        dump = group_of_rows(list(counts))
        wall_us = pl.Series(walls, dtype=pl.Int64).gather(dump)
        clocks = [None if wall is None else "local" for wall in walls]
        common = {
            "wall_us": wall_us,
            "clock": pl.Series(clocks, dtype=pl.String).gather(dump),
            "snapshot": pl.Series(snapshots, dtype=pl.Int64).gather(dump),
            "trx_id": pl.Series(trx_id, dtype=pl.String),
            "session_id": pl.Series(session, dtype=pl.Int64),
        }
        locks = pl.DataFrame(self._lock_rows, schema=_LOCK_TABLE, orient="row")
        waits = locks[pl.Series(waited, dtype=pl.UInt32)] if self._lock_rows else None
        transactions = build_frame(
            Transaction.KIND,
            {
                **common,
                "line_first": first,
                "line_last": last,
                "os_thread": os_thread,
                "query_id": query_id,
                "query": query,
                "wait_s": wait_s,
                **self._above.columns(_ABOVE_FIELDS, _SCHEMA, pl.Series(above, dtype=pl.UInt32)),
                **self._clients.columns(
                    _CLIENT_FIELDS, _SCHEMA, pl.Series(client, dtype=pl.UInt32)
                ),
                **(
                    {name: waits[field] for name, field in _WAITED.items()}
                    if waits is not None
                    else {}
                ),
            },
        )
        of_trx = pl.Series(self._lock_trx, dtype=pl.UInt32)
        listed = locks[pl.Series(self._lock_index, dtype=pl.UInt32)]
        line = pl.Series(self._lock_line, dtype=pl.Int64)
        return transactions, build_frame(
            TrxLock.KIND,
            {
                **{name: column.gather(of_trx) for name, column in common.items()},
                "line_first": line + listed["first"],
                "line_last": line + listed["last"],
                **{name: listed[field] for name, field in _LOCK_FIELDS.items()},
            },
        )


_LOCK_SCHEMA = frame_schema(TrxLock.KIND)
_LOCK_TABLE = {
    name: _LOCK_SCHEMA["index" if name == "index_name" else name]
    for name in Lock._fields
    if name not in ("first", "last")
} | {"first": pl.Int64(), "last": pl.Int64()}


def _truncated(text: str, line: int, *, wall_us: int | None, snapshot: int) -> Iterator[Item]:
    """Yield the notice of a cut list and the locks below it: the rest of a cut transaction."""
    yield Problem(
        line,
        "The server cut the list of transactions here (its output is limited to 1 MB); those "
        "in the middle are missing.",
    )
    _, *rest = text.rstrip().split("\n")
    starts = [at for at, below in enumerate(rest) if _LOCK_LINE.match(below)]
    unread = [*range(starts[0] if starts else len(rest))]
    for start, end in pairwise([*starts, len(rest)]):
        lock = "\n".join(rest[start:end])
        trx = _LOCK_TRX.search(lock)
        listed, odd = read_locks(lock) if trx else ((), range(end - start))
        unread += [start + at for at in odd]
        for each in listed:
            yield TrxLock(
                line_first=line + 1 + start + each.first,
                line_last=line + 1 + start + each.last,
                wall_us=wall_us,
                clock=None if wall_us is None else "local",
                snapshot=snapshot,
                trx_id=trx[1] if trx else "",
                **{name: getattr(each, field) for name, field in _LOCK_FIELDS.items()},
            )
    for at in unread:
        why = "the rest of a transaction that was cut"
        yield Skipped(line + 1 + at, line + 1 + at, why)


def _unreadable_problem(number: int, block: str) -> Problem:
    return Problem(
        number,
        "A transaction whose first line cannot be read; it is missing from this dump.",
        "---TRANSACTION ID, STATE",
        (_START + block[:200]).split("\n")[0],
    )


def _skipped_line(line: int) -> Skipped:
    return Skipped(line, line, "not a line of a transaction")
