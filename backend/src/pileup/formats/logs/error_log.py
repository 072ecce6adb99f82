"""The server's error log: MySQL, Percona and MariaDB of every age, with dumps inside.

Source: sql_print_message_func() in sql/log.cc (to 5.7, MariaDB); log_line_submit() and the
        traditional sink from 8.0. Until 5.5 and for InnoDB's own lines a stamp may be missing: such
        a line gets the time of the dated line before it.
Yields: an Event per dated line (log, restart, crash, cluster, semaphore_warning); a status dump
        inside the log is read by innodb_status, with the log's line numbers. So are the waits below
        'a long semaphore wait' and the deadlocks of innodb_print_all_deadlocks: the time of both is
        that of the dated line before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pileup.formats.innodb.innodb_status import BANNER, DumpReader
from pileup.formats.innodb.parts.deadlock import (
    BARE_TRANSACTION,
    VICTIM,
    UnmarkedDeadlocks,
    has_unmarked,
)
from pileup.formats.reading.server_versions import find_versions
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.reading.wall_clock import local_us
from pileup.records import Clock, Event, Item, Skipped

NAME = "error-log"
TITLE = "MySQL / MariaDB error log"
GIVES = (
    "Events: restarts, crashes, changes of a Galera cluster, warnings; the status dumps inside are "
    "read as such."
)
PRINTED_BY = "MySQL 4.1 to 9.x (also `log_sink_json`), Percona, MariaDB"
VERSION = 13
LINE_STARTS = (
    r"\d{4}-\d\d-\d\d[T ]|\d{6} +\d\d?:\d\d:\d\d|InnoDB: |\[(?:Note|Warning|ERROR|System)\] "
)
HINTS = ("-log_error", "error.log", ".err")

# 2023-03-12T19:35:05.838493Z 0 [Warning] [MY-011068] [Server] ...
# 2026-11-20 22:10:30 20105 [Note] ... | 2026-11-20  9:16:25 0 [Note] InnoDB: ...
_NEW = re.compile(
    r"\[?(?P<stamp>\d{4}-\d\d-\d\d(?:T| +)\d\d?:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)\]? +"
    r"(?:(?P<id>0x[0-9a-f]+|[0-9a-f]{6,16}|\d+) +)?(?:\[(?P<severity>[A-Za-z]+)\] )?"
    r"(?:\[(?P<code>MY-\d+)\] \[(?P<subsystem>[^\]]+)\] )?(?P<message>.*)"
)
# 090902  8:15:00 [Note] ... | 091121 13:17:58InnoDB: Warning... | 080721 03:03:57  mysqld started
_OLD = re.compile(
    r"(?P<yy>\d\d)(?P<mm>\d\d)(?P<dd>\d\d) +(?P<hour>\d?\d):(?P<minute>\d\d):(?P<second>\d\d) ?"
    r"(?:\[(?P<severity>[A-Za-z]+)\] )?(?P<message>.*)"
)
_CRASH = re.compile(r"mysqld got (?:signal|exception)|Assertion failure|mariadbd got signal", re.I)
# What a node of a Galera cluster reports about the group: membership, state, transfers, conflicts.
_CLUSTER = re.compile(
    r"Shifting \w{3,20}(?:/\w+)? -> |[Cc]luster view|view\(view_id\(|New COMPONENT|Quorum results"
    r"|Member \S{1,40} ?\([^)]{0,200}\) (?:requested state transfer|synced with group|desyncs"
    r"|resyncs|initiates vote)|State transfer|state transfer|[Ss]ynchronized with group"
    r"|cluster conflict|BF[- ]abort|high priority abort|[Ff]low[- ]control"
    r"|no nodes coming from prim view|[Nn]on-[Pp]rimary|NON-PRIM|primary view|suspecting node"
    r"|declaring (?:node|\S{8,80} at) |connection to peer|evict|[Ii]nconsisten|Server status change"
    r"|Provider (?:paused|resumed)|gcs_caused|desynced|donor"
)
_RESTART = re.compile(
    r"ready for connections|mysqld (?:re)?started|starting as process|Version: '", re.I
)
_SEMAPHORE = re.compile(r"a long semaphore wait|semaphore wait has lasted", re.IGNORECASE)
_CLIENT_ERROR = re.compile(r"[\s`]{0,8}ERROR \d{1,5} \(\w{5}\)(?: at line \d{1,9})?: ")
_SESSION_LINES = 20
_WAIT = "--Thread "
"""The beginning of a wait, which a log prints below 'a long semaphore wait'."""
_SEVERITY = {
    "error": "error",
    "warning": "warning",
    "note": "note",
    "system": "system",
    "entry": "note",
}
# What the server answers, in the log of an application: [2024-09-01 12:00:00] production.ERROR: ...
_ANSWERS = (
    "SQLSTATE[", "Deadlock found when trying to get lock", "Lock wait timeout exceeded",
    "Too many connections",
)  # fmt: skip
_SIGNS = (
    *("[Note]", "[Warning]", "[ERROR]", "[System]", "InnoDB:", "mysqld", "[MY-"),
    *_ANSWERS,
)
_SEVERITIES = ("[Note]", "[Warning]", "[ERROR]", "[System]", "[Entry]")
# [Note] [MY-012468] [InnoDB] Transactions deadlock detected, dumping detailed information.
# InnoDB: transactions deadlock detected, dumping detailed information.                   (<= 5.6)
_DEADLOCK = re.compile(r"transactions deadlock detected", re.IGNORECASE)
_OF_DEADLOCK = re.compile(
    r"(?:InnoDB: ?)?\*\*\* (?:\(\d{1,9}\) (?:TRANSACTION:|HOLDS THE LOCK|WAITING FOR)|"
    r"(?:WAITING FOR THIS LOCK|CONFLICTING WITH))"
)
"""A line inside of a deadlock, whose heading a paste may lack."""
# 11:40:21 UTC - mysqld got signal 11 ;                     (5.6 to 8.0.27: the time of day alone)
_CRASH_ALONE = re.compile(
    r"^(?:\d\d:\d\d:\d\d UTC - (?:mysqld|mariadbd) got |Attempting backtrace\. You can use )",
    re.MULTILINE,
)
# A line without its time: InnoDB: Difficult to find free blocks ... | [Note] InnoDB: ... |
# 0 [Warning] [MY-010055] [Server] ... | mysqld: Table ... | Version: '5.6.16-log'  socket: ... |
# ERROR 1040 (HY000): Too many connections                                 (a client's own line)
_UNDATED = re.compile(
    r"\s{0,8}(?:[*-] )?(?:InnoDB: \S|"
    r"(?:[^\[\n]{0,60}(?=\b\d{1,20} \[\w{4,7}\] \[MY-))?"
    r"(?:\d{1,20} )?\[(?P<severity>Note|Warning|ERROR|System|Entry)\] "
    r"(?:\[(?P<code>MY-\d{1,9})\] \[(?P<subsystem>[^\]]{1,40})\] )?|"
    r"(?:/\S{0,300}/)?(?:mysqld|mariadbd): \S|Version: '\d|\d{2,20} \[Note\] |"
    r"`?ERROR \d{1,5} \(\w{5}\)(?: at line \d{1,9})?: )"
)
_OF_SERVER = re.compile(
    r"InnoDB|\bMY-\d|mysqld|mariadbd|\b(?:Aborted connection|Access denied|Slave |Replica|Plugin |"
    r"Event Scheduler|WSREP|Server |Hostgroup \d|ERROR \d{1,5} \(|Got an? error|"
    r"Too many connections)|Version: '\d"
)
_MOSTLY = 0.5
"""Share of lines without a time that are the server's, where another line comes first."""
_CONTINUED = 40
_CONTINUED_CRASH = 160
"""Lines: what the crash handler prints of itself, the stack and the statement."""
_MOST_MESSAGE = 4_000
_MOST_CRASH = 12_000
_MOST_DEADLOCK = 5_000
"""Lines that the print of one deadlock may have."""


def sniff(head: str) -> bool | None:
    """Return whether dated log lines precede any dump; a dump alone is a status dump."""
    before = head[: _dump_begin(head, 0)]
    lines = [line for line in before.split("\n")[:200] if line.strip()]
    dated = [line for line in lines if _is_dated(line)]
    if not dated:
        undated = [line for line in lines[:40] if _UNDATED.match(line)]
        begins = bool(undated) and (
            undated[0] == lines[0]
            or lines[0].startswith(_WAIT)
            or len(undated) >= _MOSTLY * min(len(lines), 40)
        )
        return bool(
            _CRASH_ALONE.search(before)
            or _is_client_error(lines)
            or has_unmarked(before)
            or (begins and _OF_SERVER.search("\n".join(undated)))
        )
    return any(any(sign in line for sign in _SIGNS) for line in dated)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every dated line as an Event that includes the undated lines below it."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks of text; a dump may span chunks."""
    log = _Log()
    for chunk in chunks:
        first, text = chunk.first, chunk.text
        yield from log.feed(text, first)
    yield from log.finish()


_OF_CLIENT = re.compile(r"mysql> |(?:MariaDB|mysql) \[[^]]*\]> |\+-{2,}[-+]*\+\s*$|\|.*\|\s*$")
"""Lines pasted below a log: a prompt with its statement, and the table that it printed."""


class _Log:
    """Parser of the log's text: reads lines outside of dumps itself and passes dumps on whole."""

    def __init__(self) -> None:
        self._dumps = DumpReader()
        self._wall: int | None = None
        self._clock: Clock | None = None
        self._event: Event | None = None
        self._continued: list[str] = []
        self._undated: list[int] = []
        self._waits: list[str] = []
        self._deadlock: list[str] = []
        self._unmarked = UnmarkedDeadlocks()
        self._since = 0
        """The first line of the waits or the deadlock being collected."""

    def feed(self, text: str, line: int) -> Iterator[Item]:
        """Read whole lines, each ended by a line feed; ``line`` is the number of the first."""
        start = 0
        while start < len(text):
            if self._dumps.in_dump:
                end = _dump_end(text, start)
                yield from self._inside(text[start:end], line)
            else:
                end = _dump_begin(text, start)
                outside = text[start:end].removesuffix("\n")
                if end > start:
                    for number, words in enumerate(outside.split("\n"), start=line):
                        yield from self._line(number, words)
                else:
                    end = text.find("\n", start) + 1 or len(text)
                    yield from self._close()
                    yield from self._dumps.feed(text[start:end], line)
            line += text.count("\n", start, end)
            start = end

    def finish(self) -> Iterator[Item]:
        """Yield the last event and the open dump, and skip undated lines at the start."""
        yield from self._close()
        yield from self._dumps.finish()
        for number in self._undated[:100]:
            yield Skipped(number, number, "undated, and no dated line before it to belong to")

    def _inside(self, text: str, line: int) -> Iterator[Item]:
        """Read part of a dump, without the dated lines that other threads wrote into it."""
        if any(sign in text for sign in _SEVERITIES):
            lines = text.split("\n")
            for at, words in enumerate(lines):
                if any(sign in words for sign in _SEVERITIES):
                    event = read_line(words, line + at)
                    if event is not None and event.severity is not None:
                        yield event
                        lines[at] = ""
            text = "\n".join(lines)
        yield from self._dumps.feed(text, line)

    def _line(self, number: int, text: str) -> Iterator[Item]:
        event = read_line(text, number)
        if self._deadlock and self._goes_on(event):
            self._deadlock.append(event.message.removeprefix("InnoDB:").lstrip() if event else text)
            if VICTIM.match(self._deadlock[-1]) or len(self._deadlock) > _MOST_DEADLOCK:
                yield from self._end_parts()
            return
        if event is None and not self._waits and self._is_unmarked(text):
            yield from self._dumps.once(self._unmarked.feed(text, number))
            return
        if self._waits and event is None and text.strip() and not text.startswith("InnoDB:"):
            self._waits.append(text)
        elif self._waits or self._deadlock or self._unmarked.is_open:
            yield from self._end_parts()
        if event is not None:
            yield from self._close()
            self._event = event
            self._wall, self._clock = event.wall_us, event.clock
            if event.kind == "restart":
                for setting in find_versions(text, number):
                    yield replace(setting, wall_us=event.wall_us, clock=event.clock)
            if _DEADLOCK.search(event.message):
                self._deadlock, self._since = [""], number
            elif _OF_DEADLOCK.match(event.message):
                self._deadlock = [event.message.removeprefix("InnoDB:").lstrip()]
                self._since = number
            return
        if not text.strip() or text.startswith(("====", "----")):
            return
        if _OF_CLIENT.match(text):
            yield from self._close()
            yield Skipped(number, number, "a client's session or its result, and no line of a log")
            return
        if text.startswith(_WAIT) and not self._waits:
            self._waits, self._since = [text], number
        elif _DEADLOCK.search(text):
            self._deadlock, self._since = [""], number
        yield from self._undated_line(number, text)

    def _goes_on(self, event: Event | None) -> bool:
        """Return whether a line may belong to the deadlock being printed."""
        return event is None or (
            (event.subsystem == "InnoDB" or event.message == "InnoDB:")
            and not _DEADLOCK.search(event.message)
        )

    def _is_unmarked(self, text: str) -> bool:
        """Return whether a line belongs to a deadlock that is printed without its marks."""
        if self._unmarked.is_open:
            return not text.startswith("InnoDB:")
        return not self._deadlock and BARE_TRANSACTION.match(text) is not None

    def _undated_line(self, number: int, text: str) -> Iterator[Item]:
        kind = _kind(text)
        match = _UNDATED.match(text) if self._wall is None else None
        if match is not None:
            # No line above has a time: this is an event of its own, not a part of a dated one.
            yield from self._end_event()
            message = text[match.end("severity") + 1 if match["severity"] else 0 :].strip()
            self._event = Event(
                line_first=number,
                line_last=number,
                kind=kind,
                severity=_SEVERITY.get((match["severity"] or "").lower()),
                subsystem=match["subsystem"] or ("InnoDB" if "InnoDB:" in message[:40] else None),
                code=match["code"],
                message=message[:_MOST_MESSAGE],
            )
        elif kind != "log":
            yield from self._end_event()
            self._event = Event(
                line_first=number,
                line_last=number,
                wall_us=self._wall,
                clock=self._clock,
                kind=kind,
                severity="error" if kind == "crash" else "warning",
                message=text.strip()[:_MOST_MESSAGE],
            )
        elif self._event is not None:
            crash = self._event.kind == "crash"
            if len(self._continued) < (_CONTINUED_CRASH if crash else _CONTINUED):
                self._continued.append(text)
        else:
            self._undated.append(number)

    def _close(self) -> Iterator[Item]:
        """Yield the event, the waits or the deadlock collected so far."""
        yield from self._end_parts()
        yield from self._end_event()

    def _end_event(self) -> Iterator[Item]:
        if self._event is not None:
            last = self._event.line_first + len(self._continued)
            yield _closed(self._event, self._continued, last)
        self._event, self._continued = None, []

    def _end_parts(self) -> Iterator[Item]:
        waits, deadlock = "\n".join(self._waits), "\n".join(self._deadlock)
        self._waits, self._deadlock = [], []
        if waits:
            yield from self._dumps.read_waits(waits, self._since, self._wall, self._clock)
        yield from self._dumps.once(self._unmarked.close())
        if "TRANSACTION" in deadlock:
            yield from self._dumps.read_deadlock(deadlock, self._since, self._wall, self._clock)


def _is_client_error(lines: list[str]) -> bool:
    """Return whether few lines hold a client's error, as it was typed and answered."""
    return len(lines) < _SESSION_LINES and any(_CLIENT_ERROR.match(line) for line in lines)


def _dump_begin(text: str, start: int) -> int:
    """Return the offset of the next line with a dump's banner, or the text's length."""
    at = text.find(BANNER, start)
    while at >= 0:
        begin = max(text.rfind("\n", start, at) + 1, start)
        if not text.startswith("END OF", at - 7):
            return begin
        at = text.find(BANNER, at + 1)
    return len(text)


def _dump_end(text: str, start: int) -> int:
    """Return the offset of the line after a dump's end marker, or the text's length."""
    at = text.find("END OF " + BANNER, start)
    end = text.find("\n", at) + 1 if at >= 0 else 0
    return end or len(text)


def read_line(text: str, number: int) -> Event | None:
    """Return the event of a dated line; None for any other line."""
    if match := _NEW.match(text):
        stamp = read_stamp(" ".join(match["stamp"].split()))
        if stamp is None:
            return None
        wall, clock = stamp
        code, subsystem = match["code"], match["subsystem"]
    elif match := _OLD.match(text):
        count = local_us(
            2000 + int(match["yy"]),
            match["mm"],
            match["dd"],
            match["hour"],
            match["minute"],
            match["second"],
        )
        if count is None:
            return None
        wall, clock = count, "local"
        code = subsystem = None
    else:
        return None
    message = match["message"].strip()
    if subsystem is None and message.startswith(("InnoDB: ", "WSREP: ", "WSREP_SST: ")):
        subsystem = "InnoDB" if message.startswith("InnoDB") else "WSREP"
    severity = _SEVERITY.get((match["severity"] or "").lower())
    return Event(
        line_first=number,
        line_last=number,
        wall_us=wall,
        clock=clock,
        kind=_kind(message, subsystem),
        severity=severity,
        subsystem=subsystem,
        code=code,
        message=message[:_MOST_MESSAGE],
        original=text[: match.start("message")].strip()[:64],
    )


def _closed(event: Event, continued: list[str], last: int) -> Event:
    """Return the event with its undated lines appended to the message."""
    if not continued:
        return event
    most = _MOST_CRASH if event.kind == "crash" else _MOST_MESSAGE
    text = "\n".join([event.message, *continued])[:most]
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


def _kind(message: str, subsystem: str | None = None) -> str:
    if _SEMAPHORE.search(message):
        return "semaphore_warning"
    if _CRASH.search(message):
        return "crash"
    if subsystem in ("WSREP", "Galera") and _CLUSTER.search(message):
        return "cluster"
    return "restart" if _RESTART.search(message) else "log"


def _is_dated(line: str) -> bool:
    return bool(_NEW.match(line) or _OLD.match(line))


__all__ = [
    "GIVES",
    "HINTS",
    "LINE_STARTS",
    "NAME",
    "PRINTED_BY",
    "TITLE",
    "VERSION",
    "parse",
    "parse_chunks",
    "read_line",
    "sniff",
]
