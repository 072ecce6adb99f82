"""LATEST DETECTED DEADLOCK and LATEST FOREIGN KEY ERROR.

Source: DeadlockChecker::notify() / lock_deadlock_*() in lock0lock.cc; row_ins_foreign_report_err()
        in row0ins.cc. The text is repeated unchanged in every later dump: the caller keeps one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pileup.formats.innodb_locks import read_lock
from pileup.formats.innodb_semaphores import Numbered
from pileup.formats.innodb_transactions import read_body
from pileup.formats.times import local_us
from pileup.records import Deadlock, DeadlockTrx, ForeignKeyError, Item, Problem

# 120613 12:00:00 | 2013-06-19 13:47:37 7f68… | 2026-11-20 22:16:31 0x77eda82316c0
STAMP = re.compile(
    r"\s*(?:(?P<yy>\d\d)(?P<mm>\d\d)(?P<dd>\d\d)|(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d))"
    r"[ T]+(?P<hour>\d{1,2}):(?P<minute>\d\d):(?P<second>\d\d)"
)
_MARKER = re.compile(
    r"\*\*\* ?\(?(?P<number>\d+)?\)? ?(?P<what>TRANSACTION:|HOLDS THE LOCK|"
    r"WAITING FOR THIS LOCK|CONFLICTING WITH)"
)
_VICTIM = re.compile(r"\*\*\* WE ROLL BACK TRANSACTION \((?P<number>\d+)\)")
_TABLE = re.compile(
    r"(?:foreign key constraint (?:of|fails for) table|of table):? (?P<table>`?\S+?)[:,]?$",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(r"CONSTRAINT `?(?P<name>[^`\s]+)`? FOREIGN KEY")


def stamp_us(text: str) -> int | None:
    """The local wall clock that a line begins with."""
    match = STAMP.match(text)
    if not match:
        return None
    if match["yy"]:
        year: str | int = 2000 + int(match["yy"])
        month, day = match["mm"], match["dd"]
    else:
        year, month, day = match["year"], match["month"], match["day"]
    return local_us(year, month, day, match["hour"], match["minute"], match["second"])


def parse_deadlock(lines: Sequence[Numbered], *, snapshot: int) -> Iterator[Item]:
    """The section as one Deadlock; the transactions in their printed order."""
    body = [(n, t) for n, t in lines if t.strip()]
    if not body:
        return
    original = next((t for _, t in body if STAMP.match(t)), None)
    victim: int | None = None
    parts: dict[int, dict[str, Any]] = {}
    current = 0
    mode = ""
    trx_lines: list[Numbered] = []

    def close() -> None:
        nonlocal trx_lines
        if trx_lines:
            fields, _ = read_body(trx_lines)
            parts.setdefault(current, {"holds": []}).update(fields)
        trx_lines = []

    for number, text in body:
        if found := _VICTIM.match(text):
            close()
            victim = int(found["number"])
            mode = ""
        elif found := _MARKER.match(text):
            close()
            what = found["what"]
            if found["number"]:
                current = int(found["number"])
            elif what == "TRANSACTION:":
                current = max(parts, default=0) + 1
            parts.setdefault(current, {"holds": []})
            mode = what
        elif mode == "TRANSACTION:":
            trx_lines.append((number, text))
        elif lock := read_lock(text):
            part = parts.setdefault(current, {"holds": []})
            if mode.startswith("WAITING"):
                part.setdefault("waits", lock.words)
            elif mode.startswith("HOLDS"):
                part["holds"].append(lock.words)
    close()
    if not parts:
        yield Problem(body[0][0], "A deadlock is announced but none of its transactions is shown.")
        return
    yield Deadlock(
        line_first=body[0][0],
        line_last=body[-1][0],
        wall_us=stamp_us(original) if original else None,
        clock="local" if original else None,
        snapshot=snapshot,
        transactions=tuple(_trx(number, part) for number, part in sorted(parts.items())),
        victim=victim,
        original=original.strip() if original else None,
        truncated=victim is None,
    )


def parse_foreign_key_error(lines: Sequence[Numbered], *, snapshot: int) -> Iterator[Item]:
    """The section as one ForeignKeyError."""
    body = [(n, t) for n, t in lines if t.strip()]
    if not body:
        return
    original = next((t for _, t in body if STAMP.match(t)), None)
    text = "\n".join(t for _, t in body)
    table = next((m for _, t in body if (m := _TABLE.search(t))), None)
    constraint = _CONSTRAINT.search(text)
    yield ForeignKeyError(
        line_first=body[0][0],
        line_last=body[-1][0],
        wall_us=stamp_us(original) if original else None,
        clock="local" if original else None,
        snapshot=snapshot,
        table=table["table"].replace("`", "").rstrip(":") if table else None,
        constraint=constraint["name"] if constraint else None,
        message=text[:4000],
        original=original.strip() if original else None,
    )


def _trx(number: int, part: dict[str, Any]) -> DeadlockTrx:
    return DeadlockTrx(
        number=number,
        trx_id=part.get("trx_id", "unknown"),
        session_id=part.get("session_id"),
        os_thread=part.get("os_thread"),
        active_s=part.get("active_s"),
        query=part.get("query"),
        holds=tuple(part["holds"]),
        waits_for=part.get("waits"),
    )
