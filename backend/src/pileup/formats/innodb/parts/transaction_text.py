"""Read the text of one transaction, as TRANSACTIONS and the deadlocks print it.

Source: trx_print_low() (trx0trx.cc), innobase_mysql_print_thd() (ha_innodb.cc) for the line with
        'thread id', lock_trx_print_locks() (lock0lock.cc) for the text below the statement.
Note:   a statement has no terminator and may hold anything; it ends where a line begins that only
        InnoDB prints. The fields after the query id are all optional.
Units:  active_s, wait_s in seconds (MariaDB >= 10.6 prints the wait in microseconds).
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from pileup.formats.innodb.parts.locks import LockPlace, read_fields, read_lock, read_row
from pileup.formats.innodb.parts.semaphores import whole
from pileup.records import UINT64_MAX

# ---TRANSACTION 421941407733584, not started
# ---TRANSACTION 0 1170663851, ACTIVE 7 sec, process no 2593, OS thread id 1179 starting index read
# ---TRANSACTION 1B588AD6, ACTIVE (PREPARED) 0 sec committing
# ---TRANSACTION (0x7f8a4c0), not started
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
    r"(?P<structs>\d{1,18}) lock struct\(s\), heap size (?P<heap>\d{1,18})(?=[\s,]|$)"
    r"(?:, (?P<rows>-?\d{1,18}) row lock\(s\))?"
)
_UNDO = re.compile(r"undo log entries (?P<undo>\d{1,18})(?=[\s,]|$)")
_TABLES = re.compile(r"mysql tables in use (?P<use>\d{1,18}), locked (?P<locked>\d{1,18})(?=\s|$)")
# ------- TRX HAS BEEN WAITING 3 SEC FOR THIS LOCK TO BE GRANTED:
_WAITING = re.compile(r"-+ ?TRX HAS BEEN WAITING (?P<time>\d{1,18}) (?P<unit>SEC|us|ms)", re.I)
# What a transaction prints, in this order; the first line has lost its dashes.
_LINES_OF_TRANSACTION = (
    r"TRANSACTION [0-9A-Fa-f]{1,20}(?: \d{1,20})?, [A-Zn]",
    r"mysql tables in use \d{1,18}, locked \d",
    r"(?:ROLLING BACK |COMMITTING |LOCK WAIT )*\d{1,18} lock struct\(s\), heap size \d",
    r"(?:MySQL|MariaDB) thread id \d{1,18}, OS thread ",
    r"-{2,9} ?TRX HAS BEEN WAITING \d",
)
OF_TRANSACTION = "|".join(_LINES_OF_TRANSACTION)
"""Matches a line of a transaction below its first, which a paste may lack."""
_LINE_OF_TRANSACTION = re.compile(
    f"^(?:{'|'.join(f'({line})' for line in _LINES_OF_TRANSACTION)})", re.MULTILINE
)
_LOCK_TRX = re.compile(r" trx id (\S{1,40}) lock[_ ]mode ")
_HEAD = "TRANSACTION "
_LOCK_WAIT = "LOCK WAIT"
UNKNOWN = "unknown"
"""The id of a transaction that a paste does not show."""
_IP = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|[0-9a-fA-F]*+:[0-9a-fA-F:]++)$")

# A line that ends a statement; of rows of dashes only the one of exactly 18, which is printed
# below the lock that is waited for: a longer one is part of the statement.
_AFTER = re.compile(
    r"\n(?:RECORD LOCKS|TABLE LOCK|Trx read view|Trx #rec lock waits|"
    r"Trx total (?:rec|table) lock wait time|------- TRX HAS BEEN|-{18}(?:\n|$))"
)
_LONG = 500
"""Characters: no server prints a longer state or client."""
_LONG_HEAD = 250
"""Characters: a longer first line holds more than a state."""
_KNOWN = re.compile(
    r"\s*$|-+$|Trx read view|Trx #rec lock waits|Trx total (?:rec|table) lock wait time|"
    r"\d+ LOCKS PRINTED FOR THIS TRX|\.\.\. truncated|TOO MANY LOCKS PRINTED|"
    r"mysql tables in use|Foreign key|\s*\d+: |DATA TUPLE|read view|"
    r"COMMITTING|TRANSACTION |locks? rec|Record lock"
)


class Above(NamedTuple):
    """The text above the session: the state, and the counts below it."""

    state: str
    active_s: float | None
    operation: str | None
    declared_inside: bool
    lock_wait: bool
    tables_in_use: int | None
    tables_locked: int | None
    lock_structs: int | None
    row_locks: int | None
    lock_memory: int | None
    undo_entries: int | None
    os_thread: int | None
    """Where the head prints it (to 5.1)."""
    active: bool
    unread: tuple[int, ...]
    """Lines from the head on, which is line 0."""


class Client(NamedTuple):
    client_host: str | None
    user: str | None
    thread_state: str | None


class Lock(NamedTuple):
    """A row or table lock of a list; ``first`` and ``last`` are lines from the list's start."""

    lock_kind: str
    table: str
    index_name: str | None
    space: int | None
    page: int | None
    heap: int | None
    mode: str
    waiting: bool
    lock_data: str | None
    first: int
    last: int


class Locks(NamedTuple):
    """The locks below a statement."""

    listed: tuple[Lock, ...]
    unread: tuple[int, ...]


Parts = tuple[str, str, str | None, str | None, str, int]
"""The parts of one transaction, unread.

Its id; the text above the session, from behind the id to the name of the server before 'thread id';
the session, from there to the end of its line; the statement; the text below it; and how many lines
below the head that text begins.
"""


def take_apart(block: str) -> Parts | None:
    """Split one transaction, from its id on, into its parts; None when it has no id."""
    trx_id, _, rest = block.partition(",")
    if not (trx_id.isdecimal() or _ID.fullmatch(trx_id)):
        return None
    at = rest.find(" thread id ")
    if at >= 0 and not rest.endswith(("\nMySQL", "\nMariaDB"), 0, at):
        match = _SESSION.search(rest)
        at = match.end() - len(" thread id ") if match else -1
    end = rest.find("\n", at) if at >= 0 else 0
    if end < 0:
        return trx_id, rest[:at], rest[at + 11 :], None, "", 0
    match = _AFTER.search(rest, end)
    if match is None:
        after, below, below_line = len(rest), "", 0
    else:
        after = match.start()
        below, below_line = rest[after + 1 :], rest.count("\n", 0, after + 1)
    if at < 0:
        return trx_id, rest[:after], None, None, below, below_line
    return (
        trx_id,
        rest[:at],
        rest[at + 11 : end],
        rest[end:after].strip() or None,
        below,
        below_line,
    )


def find_headless(text: str) -> list[int]:
    """Return where the transactions of a text begin that lack their first line."""
    starts: list[int] = []
    last = 0
    for match in _LINE_OF_TRANSACTION.finditer(text):
        place = match.lastindex or 0
        if not starts or place <= last:
            starts.append(match.start())
        last = place
    return starts


def take_headless_apart(block: str) -> Parts:
    """Split a transaction whose first line is missing or has no dashes; its lock may name it.

    Lines count from the missing one.
    """
    if block.startswith(_HEAD) and (parts := take_apart(block.removeprefix(_HEAD))):
        return *parts[:-1], parts[-1] + 1
    waits = "LOCK WAIT " in block or "TRX HAS BEEN WAITING " in block
    head = "ACTIVE" if waits else UNKNOWN
    parts = take_apart(f"0, {head}\n{block}")
    assert parts is not None
    _, above, session, query, below, below_line = parts
    if waits and "LOCK WAIT " not in above:
        above += f"\n{_LOCK_WAIT}"
    named = _LOCK_TRX.search(below)
    return named[1] if named else UNKNOWN, above, session, query, below, below_line


def read_above(text: str) -> Above:
    """Read state and counts; the last line is the server's name, or part of the counts."""
    head, *lines = text.split("\n")
    state, active_s, os_thread, operation, inside = _state(head[:_LONG].strip())
    fields: dict[str, Any] = {}
    unread = [0] if len(head) > _LONG_HEAD else []
    for offset, line in enumerate(lines, start=1):
        if match := _LOCKS.match(line):
            fields["lock_wait"] = "LOCK WAIT" in match["prefix"]
            if "ROLLING BACK" in match["prefix"]:
                state = "ROLLING BACK"
            fields["lock_structs"] = int(match["structs"])
            fields["row_locks"] = int(match["rows"]) if match["rows"] else None
            fields["lock_memory"] = int(match["heap"])
            if undo := _UNDO.search(line):
                fields["undo_entries"] = int(undo["undo"])
        elif line.startswith(", ") and (undo := _UNDO.search(line)):  # wrapped, as in the manual
            fields["undo_entries"] = int(undo["undo"])
        elif match := _TABLES.match(line):
            fields["tables_in_use"] = int(match["use"])
            fields["tables_locked"] = int(match["locked"])
        elif line.startswith(_LOCK_WAIT):  # its counts are cut off
            fields["lock_wait"] = True
        elif line.startswith("ROLLING BACK"):
            state = "ROLLING BACK"
        elif not _KNOWN.match(line) and line not in ("MySQL", "MariaDB"):
            unread.append(offset)
    return Above(
        state,
        active_s,
        operation,
        inside,
        fields.get("lock_wait", False),
        fields.get("tables_in_use"),
        fields.get("tables_locked"),
        fields.get("lock_structs"),
        fields.get("row_locks"),
        fields.get("lock_memory"),
        fields.get("undo_entries"),
        os_thread,
        state.startswith("ACTIVE"),
        tuple(unread),
    )


def read_session(text: str) -> tuple[int | None, int | None, int | None, str]:
    """Read session, thread, query id and the fields after it (see read_client).

    Example: '317, OS thread handle 140648691181248, query id 1864880 localhost app Updating'.
    """
    number, _, words = text.partition(", ")
    os_thread = query_id = None
    if words.startswith("OS thread handle "):
        handle, _, words = words[17:].partition(", ")
        if handle.isdecimal() and len(handle) < 20:
            os_thread = int(handle)
        else:
            os_thread = _handle(handle)
    if words.startswith("query id "):
        digits, _, words = words[9:].partition(" ")
        query_id = whole(digits) if digits.isdecimal() else None
    return whole(number) if number.isdecimal() else None, os_thread, query_id, words[:_LONG]


def read_client(words: str) -> Client:
    """Read the free fields [host] [ip] [user] [state], each of them optional."""
    host: list[str] = []
    fields = words.split()
    if fields and not _IP.match(fields[0]) and (fields[0] == "localhost" or _host_follows(fields)):
        host.append(fields.pop(0))
    if fields and _IP.match(fields[0]):
        host.append(fields.pop(0))
    user = fields.pop(0) if host and fields else None
    return Client(host[-1] if host else None, user, " ".join(fields) or None)


def read_wait(below: str) -> tuple[float | None, int]:
    """Return the seconds that a lock is waited for, and how many first lines were read with it."""
    for lines, line in enumerate(below[:_LONG].split("\n"), start=1):
        if match := _WAITING.match(line):
            unit = {"SEC": 1.0, "MS": 1e-3, "US": 1e-6}[match["unit"].upper()]
            return int(match["time"]) * unit, lines
        if not line.startswith("Trx "):
            break
    return None, 0


def read_locks(text: str) -> Locks:
    """Read locks with their rows, line by line."""
    listed: list[Lock] = []
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
        at += 1
        if lock is None:
            if not _KNOWN.match(line):
                unread.append(first)
            continue
        rows = 0
        while at < end and (heap := read_row(lines[at])) is not None:
            start = at if rows else first
            at += 1
            fields = at
            while at < end and lines[at][:1] == " ":
                at += 1
            data = read_fields("\n".join(lines[fields:at]))
            listed.append(_lock(lock.place, heap, lock.mode, lock.waiting, data, start, at - 1))
            rows += 1
            while at < end and not lines[at]:
                at += 1
        if not rows:
            listed.append(_lock(lock.place, None, lock.mode, lock.waiting, None, first, at - 1))
    return Locks(tuple(listed), tuple(unread))


def _lock(
    place: LockPlace,
    heap: int | None,
    mode: str,
    waiting: bool,
    data: str | None,
    first: int,
    last: int,
) -> Lock:
    return Lock(*place, heap, mode, waiting, data, first, last)


def _state(words: str) -> tuple[str, float | None, int | None, str | None, bool]:
    match = _STATE.match(words)
    if not match:
        return words or "unknown", None, None, None, False
    return (
        match["state"],
        float(match["seconds"]) if match["seconds"] else None,
        int(match["os"]) if match["os"] else None,
        match["op"],
        match["inside"] is not None,
    )


def _host_follows(words: list[str]) -> bool:
    """Whether a host name with its address follows; replication threads have only a state."""
    return len(words) > 1 and bool(_IP.match(words[1]))


def _handle(handle: str) -> int | None:
    """Convert a pthread_t: 0x7f.., 7f.. (5.5, 5.6) or decimal (5.7 on)."""
    if not _HANDLE.fullmatch(handle):
        return None
    number = int(handle, 10 if handle.isdecimal() else 16)
    return number if number <= UINT64_MAX else None
