"""mysqlbinlog: the transactions of a binary log, with their size, and its schema changes.

Source: Log_event::print_header() and Query_log_event::print() of MySQL and MariaDB: '# at N', then
        '#date time server id N  end_log_pos N  Type', then the statement up to the delimiter;
        ``-v`` prints a row as '###' lines. exec_time is whole seconds.
Yields: the table 'transactions of the binary log' (the longest, then the largest: begin, thread,
        seconds, bytes, events, rows, tables, statement); binlog.transactions and binlog.bytes per
        second; an Event for each schema change, each statement of a second and more, and where a
        log of the server begins or ends.
Time:   SET TIMESTAMP is absolute; the header prints local time.
"""

from __future__ import annotations

import heapq
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pileup.formats.reading.series_columns import Columns
from pileup.formats.reading.wall_clock import local_us
from pileup.records import Clock, Event, Item, Problem, Table

NAME = "binlog"
TITLE = "mysqlbinlog output"
GIVES = "Transactions as a table and per second (`binlog.*`); schema changes and long statements."
PRINTED_BY = "`mysqlbinlog`, `mariadb-binlog`; also `-v`, `--base64-output=decode-rows`"
VERSION = 1
LINE_STARTS = r"# at \d|#\d{6} [ \d]\d:\d\d:\d\d server id "
HINTS = ("binlog.txt", "mysqlbinlog.txt", "-binlog.sql")

COLUMNS = ("begin", "thread", "seconds", "bytes", "events", "rows", "tables", "statement")
# #200316 21:30:45 server id 1  end_log_pos 219 CRC32 0x3854f2b3 \tQuery\tthread_id=3\texec_time=0
_HEADER = re.compile(
    r"#(?P<y>\d\d)(?P<m>\d\d)(?P<d>\d\d) (?P<h>[ \d]\d):(?P<min>\d\d):(?P<s>\d\d) server id \d+ +"
    r"end_log_pos (?P<end>\d{1,19})\s*(?:CRC32 0x[0-9a-f]+\s*)?(?P<type>[A-Z]\w+)?(?P<rest>.*)"
)
_AT = re.compile(r"# at (\d{1,19})")
_THREAD = re.compile(r"thread_id=(\d{1,19})\s+exec_time=(\d{1,10})")
_MAPPED = re.compile(r":? *(`[^`]{1,64}`\.`[^`]{1,64}`) mapped to number")
_TIMESTAMP = re.compile(r"SET TIMESTAMP=(\d{9,11})(?:\.(\d{1,6}))?\s*/\*!\*/")
_ROW = re.compile(r"### (?:INSERT INTO|UPDATE|DELETE FROM) (`[^`]{1,64}`\.`[^`]{1,64}`)")
# #Q> DELETE FROM sessions        MariaDB: the statement of the rows below
_ANNOTATED = re.compile(r"#Q> (.*)")
_DAMAGED = re.compile(r"# at \S|#\S{1,8} +\S{1,10} server id |#.{0,40}end_log_pos ")
_SET = re.compile(r"(?:SET\s|use\s|DELIMITER\b|/\*|BINLOG\s|#|\s*$)", re.IGNORECASE)
_ENDS = ("COMMIT", "ROLLBACK")
_DDL = re.compile(
    r"\s*(?:/\*.{0,200}?\*/\s*)?(?:ALTER|CREATE|DROP|TRUNCATE|RENAME|OPTIMIZE|ANALYZE|GRANT|REVOKE)\b",
    re.IGNORECASE,
)
_BOUNDS = ("Start", "Rotate", "Stop")
_OF_THE_FILE = (*_BOUNDS, "Previous", "Binlog", "Ignorable", "Heartbeat")
_LONG_S = 1
_FIRSTS = 2
"""Events whose time is the begin: that of a GTID is the commit, the next one has the begin."""
_MOST_ROWS = 500
_MOST_SECONDS = 100_000
_MOST_EVENTS = 5_000
_MOST_TABLES = 5
_MOST_STATEMENT = 1_000
_MOST_BEGINS = 100
_LONGEST = 4_096


def sniff(head: str) -> bool | None:
    """Return whether a line is the header of an event."""
    return "end_log_pos " in head and any(
        _HEADER.match(line[:_LONGEST]) for line in head.split("\n")[:2000]
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the Events while reading, then the Table and the series."""
    reader = _Reader()
    number = 0
    for number, raw in enumerate(lines, start=1):
        yield from reader.line(number, raw[:_LONGEST].rstrip())
    yield from reader.end(number)


@dataclass(slots=True)
class _Transaction:
    line: int
    begin: int | None = None
    clock: Clock | None = None
    printed: str = ""
    thread: str | None = None
    seconds: int = 0
    size: int | None = 0
    """Bytes; None where an event has no readable begin or end."""
    events: int = 0
    rows: int = 0
    tables: list[str] = field(default_factory=list)
    statement: str = ""
    is_open: bool = False
    """BEGIN was read."""

    def touches(self, table: str) -> None:
        if table not in self.tables and len(self.tables) < _MOST_TABLES:
            self.tables.append(table)

    def cells(self) -> tuple[str | None, ...]:
        size = None if self.size is None else str(self.size)
        numbers = (str(self.seconds), size, str(self.events), str(self.rows))
        texts = (", ".join(self.tables) or None, self.statement or None)
        return (self.printed or None, self.thread, *numbers, *texts)


@dataclass(slots=True)
class _Second:
    """The transactions that began in a second."""

    line: int
    count: int = 0
    size: int | None = 0

    def add(self, size: int | None) -> None:
        self.count += 1
        self.size = None if self.size is None or size is None else self.size + size


class _Reader:
    def __init__(self) -> None:
        self._now = _Transaction(1)
        self._begins_at: deque[int] = deque(maxlen=_MOST_BEGINS)
        """Of the events whose headers follow: MariaDB prints several in front of the first."""
        self._is_statement = False
        """The lines below the header are a statement."""
        self._parts: list[str] = []
        self._begins = 0
        self._seconds = 0
        self._largest: list[tuple[int, int, int, tuple[str | None, ...]]] = []
        self._counts: dict[Clock, dict[int, _Second]] = {}
        self._yielded = 0
        self._first = 0

    def line(self, number: int, text: str) -> Iterator[Item]:
        """Read the next line."""
        if match := _AT.match(text):
            self._begins_at.append(int(match[1]))
        elif match := _HEADER.match(text):
            yield from self._statement(number - 1)
            yield from self._header(number, match)
        elif _DAMAGED.match(text):
            self._begins_at.clear()
            self._now.size = None
            yield Problem(number, "Not the begin of an event; it is left out.", found=text[:200])
        elif match := _TIMESTAMP.match(text):
            if self._now.clock != "utc":
                micros = int((match[2] or "").ljust(6, "0"))
                self._now.begin, self._now.clock = int(match[1]) * 1_000_000 + micros, "utc"
        elif match := _ANNOTATED.match(text):
            self._now.statement = self._now.statement or match[1].strip()[:_MOST_STATEMENT]
        elif match := _ROW.match(text):
            self._now.rows += 1
            self._now.touches(match[1])
        elif self._is_statement and (self._parts or not _SET.match(text)):
            yield from self._part(number, text)

    def _header(self, number: int, match: re.Match[str]) -> Iterator[Item]:
        self._first = self._first or number
        kind = match["type"] or ""
        if kind.upper().endswith("GTID"):
            self._now = _Transaction(number)
        now = self._now
        now.line = now.line if now.events else number
        if now.clock != "utc" and now.events < _FIRSTS:
            year, month, day, hour = match.group("y", "m", "d", "h")
            now.begin = local_us(f"20{year}", month, day, hour, match["min"], match["s"])
            now.clock = "local"
            date = "-".join(match.group("y", "m", "d"))
            now.printed = f"20{date} {match['h'].strip():0>2}:{match['min']}:{match['s']}"
        end = int(match["end"])
        begin = self._begins_at.popleft() if self._begins_at else end
        now.size = None if now.size is None or begin >= end else now.size + end - begin
        now.events += 1
        self._is_statement = kind == "Query"
        if thread := _THREAD.search(match["rest"]):
            now.thread, self._seconds = thread[1], int(thread[2])
            now.seconds = max(now.seconds, self._seconds)
        if kind == "Table_map" and (table := _MAPPED.match(match["rest"])):
            now.touches(table[1])
        if kind == "Xid":
            self._commit()
        elif not (now.is_open or now.thread) and kind in _OF_THE_FILE:
            self._now = _Transaction(number)
            if kind in _BOUNDS:
                message = f"{kind}{match['rest']}".strip()
                yield _event(number, number, now, " ".join(message.split()))

    def _part(self, number: int, text: str) -> Iterator[Item]:
        """Add a line to the statement, which ends with the delimiter."""
        self._begins = self._begins if self._parts else number
        if sum(map(len, self._parts)) < _MOST_STATEMENT:
            self._parts.append(text.removesuffix("/*!*/;").strip())
        if text.endswith("/*!*/;"):
            yield from self._statement(number)

    def _statement(self, last: int) -> Iterator[Item]:
        if not self._parts:
            return
        statement = " ".join(filter(None, self._parts))[:_MOST_STATEMENT]
        self._parts, self._is_statement = [], False
        word = statement[:9].upper().rstrip(";")
        now = self._now
        if word in ("BEGIN", "START TRA"):
            now.is_open = True
            return
        if word.startswith(_ENDS):
            self._commit()
            return
        now.statement = now.statement or statement
        is_change = bool(_DDL.match(statement))
        if (is_change or self._seconds >= _LONG_S) and self._yielded < _MOST_EVENTS:
            self._yielded += 1
            took = f" ({self._seconds} s)" if self._seconds >= _LONG_S else ""
            yield _event(self._begins, last, now, f"{statement}{took}")
        if is_change or not now.is_open:
            self._commit()

    def _commit(self) -> None:
        """End the transaction: keep it if it is among the longest, and count it."""
        now, self._now = self._now, _Transaction(0)
        entry = (now.seconds, now.size or 0, -now.line, now.cells())
        if len(self._largest) < _MOST_ROWS:
            heapq.heappush(self._largest, entry)
        else:
            heapq.heappushpop(self._largest, entry)
        if now.begin is None or now.clock is None:
            return
        counts = self._counts.setdefault(now.clock, {})
        second = now.begin // 1_000_000
        if second in counts or len(counts) < _MOST_SECONDS:
            counts.setdefault(second, _Second(now.line)).add(now.size)

    def end(self, last: int) -> Iterator[Item]:
        """Yield the Table and the series."""
        yield from self._statement(last)
        if self._now.events:  # the text ends inside of it
            self._commit()
        if self._largest:
            yield Table(
                line_first=self._first or 1,
                line_last=last,
                name="transactions of the binary log",
                columns=COLUMNS,
                rows=tuple(entry[3] for entry in sorted(self._largest, reverse=True)),
            )
        columns = Columns()
        for clock, counts in self._counts.items():
            for at, second in sorted(counts.items()):
                for name, value, unit in (
                    ("transactions", second.count, "1/s"),
                    ("bytes", second.size, "B/s"),
                ):
                    columns.add(
                        f"binlog.{name}", value, wall=at * 1_000_000, clock=clock,
                        line=second.line, kind="rate", unit=unit,
                    )  # fmt: skip
        yield from columns.flush()


def _event(first: int, last: int, transaction: _Transaction, message: str) -> Event:
    is_timed = transaction.begin is not None
    return Event(
        line_first=first,
        line_last=last,
        wall_us=transaction.begin,
        clock=transaction.clock if is_timed else None,
        kind="log",
        severity="note",
        subsystem="binlog",
        message=message,
    )
