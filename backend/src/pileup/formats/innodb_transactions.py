"""TRANSACTIONS section: transactions with their sessions, statements and printed locks.

Source: lock_print_info_all_transactions() and trx_print_low(), innobase lock0lock.cc, trx0trx.cc;
        the 'thread id' line is innobase_mysql_print_thd() in ha_innodb.cc. Beyond 1 MB the server
        omits the begin of the list (innodb_show_status()) and says 'truncated...'.
Note:   with innodb_status_output_locks off only the waited-for lock is printed; holders are for
        the analysis to infer. Statements have no terminator and may hold anything.
Units:  active_s, wait_s in seconds (MariaDB >= 10.6 prints the wait in microseconds).
Speed:  what repeats from transaction to transaction (its state, its counts, whose it is, the place
        of a lock) is read once per distinct text and then looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from pileup.formats.innodb_locks import LockPlace, read_fields, read_lock, read_row
from pileup.formats.innodb_semaphores import whole
from pileup.records import (
    UINT64_MAX,
    Item,
    Problem,
    Rows,
    Skipped,
    Transaction,
    TrxLock,
    frame_of,
)

# ---TRANSACTION 421941407733584, not started
# ---TRANSACTION 0 1170663851, ACTIVE 7 sec, process no 2593, OS thread id 1179 starting index read
# ---TRANSACTION 1B588AD6, ACTIVE (PREPARED) 0 sec committing
# ---TRANSACTION (0x7f8a4c0), not started
_START = "---TRANSACTION "
_ID = re.compile(r"\(0x[0-9a-fA-F]+\)|[0-9A-Fa-f]+(?: \d+)?")
_STATE = re.compile(
    r"(?P<state>not started(?:, forced rollback)?|ACTIVE \(PREPARED\)|ACTIVE recovered|ACTIVE|"
    r"COMMITTED IN MEMORY(?: flushing log)?|[A-Z][A-Za-z ()]+?)"
    r"(?: (?P<seconds>\d{1,18}) sec)?"
    r"(?:,? process no \d+)?(?:, OS thread id (?P<os>\d{1,18}))?"
    r"(?: recovered trx)?(?: (?P<op>[^,]+?))?"
    r"(?:, ?thread declared inside InnoDB (?P<inside>\d+))?$"
)
# MySQL thread id 317, OS thread handle 140648691181248, query id 1864880 localhost app Updating
_SESSION = re.compile(r"(?:^|\n)(?:MySQL|MariaDB) thread id ")
_HANDLE = re.compile(r"0x[0-9a-fA-F]{1,16}|[0-9a-fA-F]{1,20}")
_LOCKS = re.compile(
    r"(?P<prefix>(?:ROLLING BACK |COMMITTING |LOCK WAIT |que state \d+ )*)"
    r"(?P<structs>\d{1,18}) lock struct\(s\), heap size \d+"
    r"(?:, (?P<rows>-?\d{1,18}) row lock\(s\))?"
)
_UNDO = re.compile(r"undo log entries (?P<undo>\d{1,18})")
_TABLES = re.compile(r"mysql tables in use (?P<use>\d{1,18}), locked (?P<locked>\d{1,18})")
# ------- TRX HAS BEEN WAITING 3 SEC FOR THIS LOCK TO BE GRANTED:
_WAITING = re.compile(r"-+ ?TRX HAS BEEN WAITING (?P<time>\d{1,18}) (?P<unit>SEC|us|ms)", re.I)
_IP = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:]+)(?::\d+)?$")

# A line that ends a statement; of rows of dashes only the one of exactly 18, which is printed
# below the lock that is waited for: a longer one is part of the statement.
_AFTER = re.compile(
    r"^(?:RECORD LOCKS|TABLE LOCK|Trx read view|Trx #rec lock waits|Trx total rec lock wait time|"
    r"------- TRX HAS BEEN|-{18}$)",
    re.MULTILINE,
)
_MAY_END = ("\nRECORD LOCKS", "\nTABLE LOCK", "\nTrx ", "\n-------")
_TRUNCATED = re.compile(r"^\.\.\. truncated\.\.\.$", re.MULTILINE)
_KNOWN = re.compile(
    r"\s*$|-+$|Trx read view|Trx #rec lock waits|Trx total rec lock wait time|"
    r"\d+ LOCKS PRINTED FOR THIS TRX|\.\.\. truncated|TOO MANY LOCKS PRINTED|"
    r"mysql tables in use|Foreign key|\s*\d+: |DATA TUPLE|read view|"
    r"COMMITTING|TRANSACTION |locks? rec|Record lock"
)


class State(NamedTuple):
    state: str
    active_s: float | None = None
    os_thread: int | None = None
    operation: str | None = None
    inside: bool = False


class Counts(NamedTuple):
    """The lines between the head and the session."""

    lock_wait: bool = False
    state: str | None = None
    tables_in_use: int | None = None
    tables_locked: int | None = None
    lock_structs: int | None = None
    row_locks: int | None = None
    undo_entries: int | None = None
    unread: tuple[int, ...] = ()


class Client(NamedTuple):
    client_host: str | None
    user: str | None
    thread_state: str | None


class Lock(NamedTuple):
    """One row or table lock of a list; ``first`` and ``last`` are lines from the list's begin."""

    place: LockPlace
    mode: str
    waiting: bool
    heap: int | None
    data: str | None
    first: int
    last: int


class Tail(NamedTuple):
    """What follows the statement."""

    wait_s: float | None
    locks: list[Lock]
    unread: tuple[int, ...]


class Body(NamedTuple):
    """One transaction, taken apart."""

    trx_id: str
    state: State
    counts: Counts
    session_id: int | None
    os_thread: int | None
    query_id: int | None
    client: Client
    query: str | None
    tail: Tail | None
    tail_line: int
    """Lines from the head to the first one after the statement."""


class Listed(NamedTuple):
    """What a section says beside its transactions."""

    before: str
    """The text above the first of them."""
    waiting: int
    """Transactions that wait for a lock."""
    active: int
    said: list[Item]


_LONG = 500
"""Characters: no server prints a longer state or client."""
_NO_CLIENT = Client(None, None, None)
_NO_COUNTS = Counts()


class Transactions:
    """Collects the transactions of many dumps; ``flush`` hands them on as frames."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._rows: list[tuple[Any, ...]] = []
        self._locks: list[tuple[Any, ...]] = []

    def __len__(self) -> int:
        return len(self._rows) + len(self._locks)

    def read(self, text: str, line: int, *, wall_us: int | None, snapshot: int) -> Listed:
        """One section; its first line is ``line``."""
        before, *blocks = f"\n{text}".split(f"\n{_START}")
        said: list[Item] = []
        number = line + before.count("\n")
        waiting = active = 0
        if cut := _TRUNCATED.search(before):
            said += _truncated(before[cut.start() :], line + before.count("\n", 0, cut.start()) - 1)
            before = before[: cut.start()]
        rows = self._rows
        for block in blocks:
            lines = block.count("\n") + 1
            if "truncated..." in block and (cut := _TRUNCATED.search(block)):
                said += _truncated(block[cut.start() :], number + block.count("\n", 0, cut.start()))
                block = block[: cut.start()]
            body = read_body(block)
            if body is None:
                said.append(_unreadable(number, block))
                number += lines
                continue
            state, counts, tail = body.state, body.counts, body.tail
            waits: Lock | None = None
            if tail is not None:
                if tail.locks:
                    waits = next((lock for lock in tail.locks if lock.waiting), None)
                    first = number + body.tail_line
                    for lock in tail.locks:
                        self._locks.append(
                            (
                                first + lock.first,
                                first + lock.last,
                                wall_us,
                                snapshot,
                                body.trx_id,
                                body.session_id,
                                *lock.place,
                                lock.heap,
                                lock.mode,
                                lock.waiting,
                                lock.data,
                            )
                        )
                said += (_skipped(number + body.tail_line + at) for at in tail.unread)
            if counts.unread:
                said += (_skipped(number + at) for at in counts.unread)
            waiting += counts.lock_wait
            active += (counts.state or state.state).startswith("ACTIVE")
            rows.append(
                (
                    number,
                    number + block.rstrip().count("\n"),
                    wall_us,
                    snapshot,
                    body.trx_id,
                    counts.state or state.state,
                    state.active_s,
                    state.operation,
                    state.inside,
                    body.session_id,
                    body.os_thread,
                    body.query_id,
                    *body.client,
                    body.query,
                    *counts[2:7],
                    counts.lock_wait,
                    tail.wait_s if tail is not None else None,
                    *(_waits(waits) if waits is not None else _NO_WAIT),
                )
            )
            number += lines
        if not blocks and "TRANSACTION" in before:
            problem = "Transactions are listed in a form that cannot be read."
            said.append(Problem(line, problem))
        return Listed(before[1:], waiting, active, said)

    def flush(self) -> Iterator[Rows]:
        """All that was read since the last flush, in print order."""
        for kind, names, rows in (
            (Transaction.KIND, _TRX_COLUMNS, self._rows),
            (TrxLock.KIND, _LOCK_COLUMNS, self._locks),
        ):
            if rows:
                values = map(list, zip(*rows, strict=True))
                columns: dict[str, Any] = dict(zip(names, values, strict=True))
                columns["clock"] = [
                    None if wall is None else "local" for wall in columns["wall_us"]
                ]
                yield Rows(kind, frame_of(kind, columns))
        self._clear()


_TRX_COLUMNS = (
    "line_first",
    "line_last",
    "wall_us",
    "snapshot",
    "trx_id",
    "state",
    "active_s",
    "operation",
    "declared_inside",
    "session_id",
    "os_thread",
    "query_id",
    "client_host",
    "user",
    "thread_state",
    "query",
    "tables_in_use",
    "tables_locked",
    "lock_structs",
    "row_locks",
    "undo_entries",
    "lock_wait",
    "wait_s",
    "waits_kind",
    "waits_table",
    "waits_index",
    "waits_space",
    "waits_page",
    "waits_heap",
    "waits_mode",
)
_LOCK_COLUMNS = (
    "line_first",
    "line_last",
    "wall_us",
    "snapshot",
    "trx_id",
    "session_id",
    "lock_kind",
    "table",
    "index",
    "space",
    "page",
    "heap",
    "mode",
    "waiting",
    "lock_data",
)
_NO_WAIT = (None,) * 7


def _waits(lock: Lock) -> tuple[Any, ...]:
    return (*lock.place, lock.heap, lock.mode)


def read_body(block: str) -> Body | None:
    """One transaction from its id on; also for deadlocks. None when it has no id."""
    head, _, rest = block.partition("\n")
    trx_id, _, words = head.partition(",")
    if not (trx_id.isdecimal() or _ID.fullmatch(trx_id)):
        return None
    state = _state(words[:_LONG].strip())
    at = rest.find(" thread id ")
    if at < 0:
        return _without_session(trx_id, state, rest)
    start = at - 5 if rest.startswith("MySQL", at - 5) else at - 7
    if (
        start < 0
        or not rest.startswith(("MySQL", "MariaDB"), start)
        or (start and rest[start - 1] != "\n")
    ):
        found = _SESSION.search(rest)
        if found is None:
            return _without_session(trx_id, state, rest)
        start = found.start() + rest.startswith("\n", found.start())
        at = found.end() - len(" thread id ")
    counts = _counts(rest[:start]) if start else _NO_COUNTS
    end = rest.find("\n", at)
    session, below = (rest[at + 11 : end], rest[end:]) if end >= 0 else (rest[at + 11 :], "")
    number, _, words = session.partition(", ")
    os_thread = None
    if words.startswith("OS thread handle "):
        handle, _, words = words[17:].partition(", ")
        os_thread = _handle(handle)
    query_id = None
    if words.startswith("query id "):
        digits, _, words = words[9:].partition(" ")
        query_id = whole(digits) if digits.isdecimal() else None
    tail = None
    after = len(below)
    if any(sign in below for sign in _MAY_END) and (found := _AFTER.search(below)):
        after = found.start()
        tail = _tail(below[after:])
    return Body(
        trx_id,
        state,
        counts,
        whole(number) if number.isdecimal() else None,
        state.os_thread if os_thread is None else os_thread,
        query_id,
        _client(words[:_LONG]),
        below[:after].strip() or None,
        tail,
        1 + rest.count("\n", 0, end + after) if tail is not None else 0,
    )


def _without_session(trx_id: str, state: State, rest: str) -> Body:
    """A recovered transaction, or one whose session is gone: no statement either."""
    found = _AFTER.search(rest)
    after = found.start() if found else len(rest)
    return Body(
        trx_id,
        state,
        _counts(rest[:after]) if after < _LONG else _read_counts(rest[:after]),
        None,
        state.os_thread,
        None,
        _NO_CLIENT,
        None,
        _tail(rest[after:]) if found else None,
        1 + rest.count("\n", 0, after),
    )


@lru_cache(maxsize=10_000)
def _state(words: str) -> State:
    match = _STATE.match(words)
    if not match:
        return State(words or "unknown")
    return State(
        match["state"],
        float(match["seconds"]) if match["seconds"] else None,
        int(match["os"]) if match["os"] else None,
        match["op"],
        match["inside"] is not None,
    )


def _read_counts(text: str) -> Counts:
    fields: dict[str, Any] = {}
    unread = []
    for offset, line in enumerate(text.split("\n"), start=1):
        if found := _LOCKS.match(line):
            fields["lock_wait"] = "LOCK WAIT" in found["prefix"]
            if "ROLLING BACK" in found["prefix"]:
                fields["state"] = "ROLLING BACK"
            fields["lock_structs"] = int(found["structs"])
            fields["row_locks"] = int(found["rows"]) if found["rows"] else None
            if undo := _UNDO.search(line):
                fields["undo_entries"] = int(undo["undo"])
        elif line.startswith(", ") and (undo := _UNDO.search(line)):  # wrapped, as in the manual
            fields["undo_entries"] = int(undo["undo"])
        elif found := _TABLES.match(line):
            fields["tables_in_use"] = int(found["use"])
            fields["tables_locked"] = int(found["locked"])
        elif line.startswith("ROLLING BACK"):
            fields["state"] = "ROLLING BACK"
        elif not _KNOWN.match(line):
            unread.append(offset)
    return Counts(**fields, unread=tuple(unread))


_counts = lru_cache(maxsize=10_000)(_read_counts)


def _tail(text: str) -> Tail:
    """The waited-for lock, the locks held, read views: line by line."""
    wait_s: float | None = None
    locks: list[Lock] = []
    unread: list[int] = []
    lines = text.split("\n")
    at, end = 0, len(lines)
    while at < end:
        line, first = lines[at], at
        lock = None
        if line.startswith(("RECORD LOCKS", "TABLE LOCK")):
            if at + 1 < end and lines[at + 1].startswith("trx id "):  # wrapped, as in the manual
                at += 1
                line = f"{line} {lines[at]}"
            lock = read_lock(line)
        if lock is not None:
            at += 1
            rows = 0
            while at < end and (heap := read_row(lines[at])) is not None:
                start = at + 1
                at = start
                while at < end and lines[at][:1] == " ":
                    at += 1
                data = read_fields("\n".join(lines[start:at]))
                place = lock.place, lock.mode, lock.waiting
                locks.append(Lock(*place, heap, data, first if rows == 0 else start - 1, at - 1))
                rows += 1
                while at < end and not lines[at]:
                    at += 1
            if not rows:
                locks.append(Lock(lock.place, lock.mode, lock.waiting, None, None, first, first))
            continue
        if found := _WAITING.match(line):
            unit = {"SEC": 1.0, "MS": 1e-3, "US": 1e-6}[found["unit"].upper()]
            wait_s = int(found["time"]) * unit
        elif not _KNOWN.match(line):
            unread.append(at)
        at += 1
    return Tail(wait_s, locks, tuple(unread))


@lru_cache(maxsize=10_000)
def _client(rest: str) -> Client:
    """Free fields after the query id: [host] [ip] [user] [state], none of them certain."""
    host: list[str] = []
    words = rest.split()
    if words and not _IP.match(words[0]) and (words[0] == "localhost" or _host_follows(words)):
        host.append(words.pop(0))
    if words and _IP.match(words[0]):
        host.append(words.pop(0))
    user = words.pop(0) if host and words else None
    return Client(host[-1] if host else None, user, " ".join(words) or None)


def _host_follows(words: list[str]) -> bool:
    """A host name is followed by its address; replication threads have only a state."""
    return len(words) > 1 and bool(_IP.match(words[1]))


def _handle(handle: str) -> int | None:
    """A pthread_t: 0x7f.., 7f.. (5.5, 5.6) or decimal (5.7 on)."""
    if not _HANDLE.fullmatch(handle):
        return None
    number = int(handle, 10 if handle.isdecimal() else 16)
    return number if number <= UINT64_MAX else None


def _truncated(text: str, line: int) -> list[Item]:
    """What follows the notice is the rest of a transaction that was cut in two."""
    found: list[Item] = [
        Problem(
            line,
            "The server cut the list of transactions here (its output is limited to 1 MB); those "
            "in the middle are missing.",
        )
    ]
    if rest := text.rstrip().count("\n"):
        found.append(Skipped(line + 1, line + rest, "the rest of a transaction that was cut"))
    return found


def _unreadable(number: int, block: str) -> Problem:
    return Problem(
        number,
        "A transaction whose first line cannot be read; it is missing from this dump.",
        "---TRANSACTION ID, STATE",
        (_START + block[:200]).split("\n")[0],
    )


def _skipped(line: int) -> Skipped:
    return Skipped(line, line, "not a line of a transaction")
