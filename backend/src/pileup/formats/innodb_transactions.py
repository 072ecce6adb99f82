"""TRANSACTIONS section: transactions with their sessions, statements and waited-for locks.

Source: lock_print_info_all_transactions() and trx_print_low(), innobase lock0lock.cc, trx0trx.cc;
        the 'thread id' line is innobase_mysql_print_thd() in ha_innodb.cc.
Note:   with innodb_status_output_locks off only the waited-for lock is printed; holders are for
        the analysis to infer. Statements have no terminator and may hold anything.
Units:  active_s, wait_s in seconds (MariaDB >= 10.6 prints the wait in microseconds).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pileup.formats.innodb_locks import PrintedLock, read_lock
from pileup.formats.innodb_semaphores import Numbered
from pileup.records import Clock, Item, Problem, Transaction, TrxLock

# ---TRANSACTION 421941407733584, not started
# ---TRANSACTION 0 1170663851, ACTIVE 7 sec, process no 2593, OS thread id 1179 starting index read
# ---TRANSACTION 1B588AD6, ACTIVE (PREPARED) 0 sec committing
# ---TRANSACTION (0x7f8a4c0), not started
_HEAD = re.compile(
    r"(?:---)?TRANSACTION (?P<id>\(0x[0-9a-fA-F]+\)|[0-9A-Fa-f]+(?: \d+)?), ?(?P<rest>.*)"
)
_STATE = re.compile(
    r"(?P<state>not started(?:, forced rollback)?|ACTIVE \(PREPARED\)|ACTIVE recovered|ACTIVE|"
    r"COMMITTED IN MEMORY(?: flushing log)?|[A-Z][A-Za-z ()]+?)"
    r"(?: (?P<seconds>\d+) sec)?"
    r"(?:,? process no \d+)?(?:, OS thread id (?P<os>\d+))?"
    r"(?: recovered trx)?(?: (?P<op>[^,]+?))?"
    r"(?:, ?thread declared inside InnoDB (?P<inside>\d+))?$"
)
# MySQL thread id 317, OS thread handle 140648691181248, query id 1864880 localhost app Updating
_THREAD = re.compile(
    r"(?:MySQL|MariaDB) thread id (?P<session>\d+)"
    r"(?:, OS thread handle (?P<handle>0x[0-9a-fA-F]+|[0-9a-fA-F]+))?"
    r"(?:, query id (?P<query>\d+))?(?P<rest>.*)"
)
_LOCKS = re.compile(
    r"(?P<prefix>(?:ROLLING BACK |COMMITTING |LOCK WAIT |que state \d+ )*)"
    r"(?P<structs>\d+) lock struct\(s\), heap size \d+(?:, (?P<rows>-?\d+) row lock\(s\))?"
)
_UNDO = re.compile(r"undo log entries (?P<undo>\d+)")
_TABLES = re.compile(r"mysql tables in use (?P<use>\d+), locked (?P<locked>\d+)")
# ------- TRX HAS BEEN WAITING 3 SEC FOR THIS LOCK TO BE GRANTED:
_WAITING = re.compile(r"-+ ?TRX HAS BEEN WAITING (?P<time>\d+) (?P<unit>SEC|us|ms)", re.IGNORECASE)
_IP = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:]+)(?::\d+)?$")
_AFTER_STATEMENT = (
    "RECORD LOCKS",
    "TABLE LOCK",
    "Trx read view",
    "Trx #rec lock waits",
    "Trx total rec lock wait time",
    "------- TRX HAS BEEN",
)
_AFTER_LOCK = "-" * 18
"""Printed below the lock that is waited for; a longer row of dashes is part of a statement."""


def parse_transactions(
    lines: Sequence[Numbered], *, wall_us: int | None, snapshot: int
) -> Iterator[Item]:
    """Every transaction in print order, then its printed locks."""
    start = 0
    heads = [i for i, (_, text) in enumerate(lines) if text.startswith("---TRANSACTION")]
    for position, start in enumerate(heads):
        end = heads[position + 1] if position + 1 < len(heads) else len(lines)
        yield from _transaction(lines[start:end], wall_us, snapshot)
    if not heads and any("TRANSACTION" in text for _, text in lines):
        number = lines[0][0]
        yield Problem(number, "Transactions are listed in a form that cannot be read.")


def read_body(
    lines: Sequence[Numbered],
) -> tuple[dict[str, Any], list[tuple[Numbered, PrintedLock]]]:
    """Fields of a Transaction (without its place) and the printed locks; also for deadlocks."""
    fields: dict[str, Any] = {}
    locks: list[tuple[Numbered, PrintedLock]] = []
    statement: list[str] | None = None
    match = _HEAD.match(lines[0][1])
    if match:
        fields["trx_id"] = match["id"]
        _read_state(match["rest"].strip(), fields)
    for numbered in lines[1:]:
        text = numbered[1]
        if statement is not None and not text.startswith(_AFTER_STATEMENT) and text != _AFTER_LOCK:
            statement.append(text)
            continue
        if statement is not None:
            _close(fields, statement)
            statement = None
        first = text[:1]
        if first == "M" and (found := _THREAD.match(text)):
            _read_thread(found, fields)
            statement = []
        elif (first.isdigit() or first in "LRCq") and (found := _LOCKS.match(text)):
            prefix = found["prefix"]
            fields["lock_wait"] = "LOCK WAIT" in prefix
            if "ROLLING BACK" in prefix:
                fields["state"] = "ROLLING BACK"
            fields["lock_structs"] = int(found["structs"])
            fields["row_locks"] = int(found["rows"]) if found["rows"] else None
            if undo := _UNDO.search(text):
                fields["undo_entries"] = int(undo["undo"])
        elif first == "m" and (found := _TABLES.match(text)):
            fields["tables_in_use"] = int(found["use"])
            fields["tables_locked"] = int(found["locked"])
        elif first == "-" and (found := _WAITING.match(text)):
            unit = {"SEC": 1.0, "MS": 1e-3, "US": 1e-6}[found["unit"].upper()]
            fields["wait_s"] = int(found["time"]) * unit
        elif lock := read_lock(text):
            locks.append((numbered, lock))
    if statement is not None:
        _close(fields, statement)
    for _, lock in locks:
        if lock.waiting and "waits_table" not in fields:
            fields |= {
                "waits_space": lock.space,
                "waits_page": lock.page,
                "waits_index": lock.index,
                "waits_table": lock.table,
                "waits_mode": lock.mode,
                "waits_kind": lock.kind,
            }
    return fields, locks


def _transaction(lines: Sequence[Numbered], wall_us: int | None, snapshot: int) -> Iterator[Item]:
    number, text = lines[0]
    lines = [line for line in lines if line[1].strip()]
    fields, locks = read_body(lines)
    if "trx_id" not in fields:
        yield Problem(
            number,
            "A transaction whose first line cannot be read; it is missing from this dump.",
            "---TRANSACTION ID, STATE",
            text[:200],
        )
        return
    clock: Clock | None = "local" if wall_us is not None else None
    yield Transaction(
        line_first=number,
        line_last=lines[-1][0],
        wall_us=wall_us,
        clock=clock,
        snapshot=snapshot,
        **fields,
    )
    for (line, _), lock in locks:
        yield TrxLock(
            line_first=line,
            line_last=line,
            wall_us=wall_us,
            clock=clock,
            snapshot=snapshot,
            trx_id=fields["trx_id"],
            session_id=fields.get("session_id"),
            lock_kind=lock.kind,
            table=lock.table,
            index=lock.index,
            space=lock.space,
            page=lock.page,
            mode=lock.mode,
            waiting=lock.waiting,
        )


def _read_state(rest: str, fields: dict[str, Any]) -> None:
    match = _STATE.match(rest)
    if not match:
        fields["state"] = rest or "unknown"
        return
    fields["state"] = match["state"]
    if match["seconds"]:
        fields["active_s"] = float(match["seconds"])
    if match["os"]:
        fields["os_thread"] = int(match["os"])
    fields["operation"] = match["op"]
    fields["declared_inside"] = match["inside"] is not None


def _read_thread(found: re.Match[str], fields: dict[str, Any]) -> None:
    fields["session_id"] = int(found["session"])
    if handle := found["handle"]:
        fields["os_thread"] = int(handle, 16) if handle.startswith("0x") else _decimal(handle)
    if found["query"]:
        fields["query_id"] = int(found["query"])
    host: list[str] = []
    words = found["rest"].split()
    if words and not _IP.match(words[0]) and (words[0] == "localhost" or _host_follows(words)):
        host.append(words.pop(0))
    if words and _IP.match(words[0]):
        host.append(words.pop(0))
    if host:
        fields["client_host"] = host[-1] if len(host) > 1 else host[0]
        fields["user"] = words.pop(0) if words else None
    fields["thread_state"] = " ".join(words) or None


def _host_follows(words: Sequence[str]) -> bool:
    """A host name is followed by its address; replication threads have only a state."""
    return len(words) > 1 and bool(_IP.match(words[1]))


def _decimal(handle: str) -> int | None:
    return int(handle) if handle.isdecimal() else int(handle, 16)


def _close(fields: dict[str, Any], statement: list[str]) -> None:
    query = "\n".join(statement).strip()
    fields["query"] = query or None
