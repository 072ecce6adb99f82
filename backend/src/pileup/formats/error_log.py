"""The server's error log: MySQL, Percona and MariaDB of every age, with dumps inside.

Source: sql_print_message_func() in sql/log.cc (to 5.7, MariaDB); log_line_submit() and the
        traditional sink from 8.0. Until 5.5 and for InnoDB's own lines a stamp may be missing: such
        a line gets the time of the dated line before it.
Yields: an Event per dated line (log, restart, crash, semaphore_warning); a status dump inside
        the log is read by innodb_status, with the log's line numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.innodb_status import DumpReader
from pileup.formats.stamps import read_stamp
from pileup.formats.times import local_us
from pileup.records import Clock, Event, Item, Skipped

NAME = "error-log"
TITLE = "MySQL / MariaDB error log"
GIVES = "Events: restarts, crashes, warnings; the status dumps inside are read as such."
PRINTED_BY = "MySQL 4.1 to 9.x, Percona, MariaDB"
VERSION = 1
HINTS = ("-log_error", "error.log", ".err")

# 2023-03-12T19:35:05.838493Z 0 [Warning] [MY-011068] [Server] ...
# 2026-11-20 22:10:30 20105 [Note] ... | 2026-11-20  9:16:25 0 [Note] InnoDB: ...
_NEW = re.compile(
    r"(?P<stamp>\d{4}-\d\d-\d\d(?:T| +)\d\d?:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?) +"
    r"(?:(?P<id>0x[0-9a-f]+|[0-9a-f]{6,16}|\d+) +)?(?:\[(?P<severity>[A-Za-z]+)\] )?"
    r"(?:\[(?P<code>MY-\d+)\] \[(?P<subsystem>[^\]]+)\] )?(?P<message>.*)"
)
# 090902  8:15:00 [Note] ... | 091121 13:17:58InnoDB: Warning... | 080721 03:03:57  mysqld started
_OLD = re.compile(
    r"(?P<yy>\d\d)(?P<mm>\d\d)(?P<dd>\d\d) +(?P<hour>\d?\d):(?P<minute>\d\d):(?P<second>\d\d) ?"
    r"(?:\[(?P<severity>[A-Za-z]+)\] )?(?P<message>.*)"
)
_CRASH = re.compile(r"mysqld got (?:signal|exception)|Assertion failure|mariadbd got signal", re.I)
_RESTART = re.compile(
    r"ready for connections|mysqld (?:re)?started|starting as process|Version: '", re.I
)
_SEMAPHORE = re.compile(r"a long semaphore wait|semaphore wait has lasted", re.IGNORECASE)
_SEVERITY = {
    "error": "error",
    "warning": "warning",
    "note": "note",
    "system": "system",
    "entry": "note",
}
_SIGNS = ("[Note]", "[Warning]", "[ERROR]", "[System]", "InnoDB:", "mysqld", "[MY-")
_CONTINUED = 40


def sniff(head: str) -> bool | None:
    """Dated log lines before any dump; a dump alone is a status dump."""
    before = head.split("INNODB MONITOR OUTPUT", 1)[0]
    lines = [line for line in before.split("\n")[:200] if line.strip()]
    dated = [line for line in lines if _is_dated(line)]
    if not dated:
        return False
    return any(any(sign in line for sign in _SIGNS) for line in dated)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every dated line as an event; undated ones belong to the line before."""
    dumps = DumpReader()
    wall: int | None = None
    clock: Clock | None = None
    open_event: Event | None = None
    continued: list[str] = []
    undated: list[int] = []

    for number, text in enumerate(lines, start=1):
        if dumps.held is not None or ("INNODB MONITOR OUTPUT" in text and "END OF" not in text):
            if open_event is not None:
                yield _closed(open_event, continued, number - 1)
                open_event, continued = None, []
            yield from dumps.feed(number, text)
            continue
        event = _event(text, number)
        if event is not None:
            if open_event is not None:
                yield _closed(open_event, continued, number - 1)
            open_event, continued = event, []
            wall, clock = event.wall_us, event.clock
            continue
        if not text.strip() or text.startswith(("====", "----")):
            continue
        kind = _kind(text)
        if kind != "log":
            if open_event is not None:
                yield _closed(open_event, continued, number - 1)
            open_event = Event(
                line_first=number,
                line_last=number,
                wall_us=wall,
                clock=clock,
                kind=kind,
                severity="error" if kind == "crash" else "warning",
                message=text.strip()[:4000],
            )
            continued = []
        elif open_event is not None:
            if len(continued) < _CONTINUED:
                continued.append(text)
        else:
            undated.append(number)
    if open_event is not None:
        yield _closed(open_event, continued, open_event.line_first + len(continued))
    yield from dumps.finish()
    for number in undated[:100]:
        yield Skipped(number, number, "before the first dated line")


def _event(text: str, number: int) -> Event | None:
    if match := _NEW.match(text):
        stamp = read_stamp(" ".join(match["stamp"].split()))
        if stamp is None:
            return None
        wall, clock = stamp
        code, subsystem = match["code"], match["subsystem"]
    elif match := _OLD.match(text):
        found = local_us(
            2000 + int(match["yy"]),
            match["mm"],
            match["dd"],
            match["hour"],
            match["minute"],
            match["second"],
        )
        if found is None:
            return None
        wall, clock = found, "local"
        code = subsystem = None
    else:
        return None
    message = match["message"].strip()
    if subsystem is None and message.startswith("InnoDB: "):
        subsystem = "InnoDB"
    severity = _SEVERITY.get((match["severity"] or "").lower())
    return Event(
        line_first=number,
        line_last=number,
        wall_us=wall,
        clock=clock,
        kind=_kind(message),
        severity=severity,
        subsystem=subsystem,
        code=code,
        message=message[:4000],
        original=text[: match.start("message")].strip()[:64],
    )


def _closed(event: Event, continued: list[str], last: int) -> Event:
    """The event with its undated lines."""
    if not continued:
        return event
    text = "\n".join([event.message, *continued])[:4000]
    return Event(
        line_first=event.line_first,
        line_last=max(event.line_first, last),
        wall_us=event.wall_us,
        clock=event.clock,
        kind=event.kind,
        severity=event.severity,
        subsystem=event.subsystem,
        code=event.code,
        message=text,
        original=event.original,
    )


def _kind(message: str) -> str:
    if _SEMAPHORE.search(message):
        return "semaphore_warning"
    if _CRASH.search(message):
        return "crash"
    return "restart" if _RESTART.search(message) else "log"


def _is_dated(line: str) -> bool:
    return bool(_NEW.match(line) or _OLD.match(line))
