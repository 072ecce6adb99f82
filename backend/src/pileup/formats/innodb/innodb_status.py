"""Parse SHOW ENGINE INNODB STATUS: one dump or many, from 4.1 to 9.x, Percona and MariaDB.

Source: srv_printf_innodb_monitor(), storage/innobase/srv/srv0srv.cc. The server caps the output
        at 1 MB: the start of the list of transactions is then missing, the rest is there.
Yields: per dump a Snapshot, its sections, semaphore waits, transactions and their locks, the
        deadlock and the foreign key error (once per artifact), and its numbers as series.
Units:  the header prints the server's local time, without a zone; nothing in a dump is absolute.
Parts:  sections without the banner, titled or not, are a dump without a time. Where waits or
        transactions are missing or cannot be read, their number is null.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from typing import NamedTuple

from pileup.formats.innodb.parts.counter_series import HEXADECIMAL, IDS, RULES, Series
from pileup.formats.innodb.parts.counters import Counted, Counters, Value
from pileup.formats.innodb.parts.deadlock import (
    has_unmarked,
    parse_deadlock,
    parse_foreign_key_error,
    stamp_us,
)
from pileup.formats.innodb.parts.fragments import find_section, implied_sections, is_elided
from pileup.formats.innodb.parts.latches import TITLES as HOLDERS
from pileup.formats.innodb.parts.latches import read_holds
from pileup.formats.innodb.parts.semaphores import Waits
from pileup.formats.innodb.parts.transactions import Transactions
from pileup.formats.reading.pt_stalk_samples import clock_event, read_ts
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.records import (
    Clock,
    Deadlock,
    ForeignKeyError,
    Item,
    Problem,
    Section,
    Skipped,
    Snapshot,
)

NAME = "innodb-status"
TITLE = "SHOW ENGINE INNODB STATUS"
GIVES = (
    "Snapshots, semaphore waits, transactions with their locks, deadlocks, foreign key "
    "errors; every number as a series."
)
PRINTED_BY = "MySQL 4.1 to 9.x, Percona, MariaDB"
VERSION = 17
HINTS = ("-innodbstatus1", "-innodbstatus2", "-innodbstatus.txt")

LINE_STARTS = (
    r"--Thread \d|(?:S|X|SX)-lock |Mutex |a writer \(|number of readers |Last time |wait has ended|"
    r"---TRANSACTION |(?:MySQL|MariaDB) thread id |mysql tables in use |LOCK WAIT \d|"
    r"\d+ lock struct|ROLLING BACK|COMMITTING|-{4,}|={4,}|Trx |TABLE LOCK |RECORD LOCKS |"
    r"Record lock, | \d+: len |\*\*\* |(?:LATEST|END OF|INDIVIDUAL) |[A-Z][A-Z /]+$|"
    r"Log (?:seq|flu|buf|wri)|Last checkpoint|Pages |Buffer pool |Free buffers|Database pages|"
    r"Old database|Modified db|Pending (?:read|writ|normal|flush)|Percent of|Total |Dictionary |"
    r"Number of |\d+ (?:OS file|queries|read views|log i/o|pending) |OS WAIT ARRAY|"
    r"RW-\w+ spins|Spin rounds|"
    r"Ibuf: |merged op|discarded op| ?insert |Hash table |I/O |LRU len|Main thread |Process ID|"
    r"History list|Purge done|LIST OF|srv_master|[\d.]+ (?:hash|inserts|reads)[/ ]|"
    r"Per second averages|Without merge|Locked|RW-LOCK|RW-LATCH INFO|state[:=]"
)
"""Beginnings of lines: such a line never continues a wrapped line."""

# 2026-11-20 22:19:09 0x7fc0b8ffe6c0 INNODB MONITOR OUTPUT
# 120125  6:06:34 INNODB MONITOR OUTPUT
BANNER = "INNODB MONITOR OUTPUT"
_HEADER = re.compile(
    r"(?P<stamp>\d{6} +\d{1,2}:\d\d:\d\d|\d{4}-\d\d-\d\d[ T]+\d{1,2}:\d\d:\d\d)?\s{0,8}"
    r"(?P<thread>\S{1,40})?\s{0,8}INNODB MONITOR OUTPUT\s*$"
)
_END = "END OF INNODB MONITOR OUTPUT"
_WRAPPER = re.compile(
    r"\*{10,} \d+\. row \*{10,}$|\s*(?:Type|Name|Status): ?(?:InnoDB)?$|={10,}$|-{10,}$|"
    r"\d+ rows? in set.*$|mysql> .*$|MariaDB.*> .*$|mysql: \[Warning\].*$|"
    r"Type\tName\tStatus$|InnoDB\t\t$|Per second averages calculated.*$|"
    r"\+[-+]{3,}$|\| Type +\| Name +\| Status +\|?$|\| InnoDB \|.*$|\s*\|$"
)
_LOGGED = re.compile(r"\d\d:\d\d.{0,200} (?:mysqld?|mariadbd?)[\w@./-]{0,80}(?:\[\d{1,10}\])?: ")
"""Nov 20 22:20:15 db1 mysqld[2159]: """
_AVERAGES = re.compile(r"Per second averages calculated from the last (\d{1,9}) seconds?")
# ------------         a row of dashes, TITLE, a row of dashes
_TITLED = re.compile(r"\n-{3,}[ \t]*\n(?:## )?(?P<title>[A-Z][A-Z0-9 /()_-]{2,60}?)[ \t]*(?=\n|$)")
_ROW = re.compile(r"\n-{3,}[ \t]*(?=\n|$)")
_BARE = re.compile(r"^(?:## )?(?P<title>[A-Z][A-Z /]{2,60}?)[ \t]*$", re.MULTILINE)
_DASHES = re.compile(r"-{3,}\s*$")
_LAST_DASHES = re.compile(r"\n-{3,}\s*$")
_WAITS = Series("semaphore_waits", "gauge", "threads")
_LOCK_WAITS = Series("lock_wait_transactions", "gauge", "transactions")
_ACTIVE = Series("active_transactions", "gauge", "transactions")
_INTERVAL = Series("averages_interval", "gauge", "s")
_AGE = Series("checkpoint_age", "gauge", "B")
_AGE_OF = ("log_sequence_number", "last_checkpoint", _AGE.name)
# Main thread process no. 2593, id 1179, state: sleeping | Main thread ID=140, state=sleeping
_MAIN_THREAD = re.compile(
    r"Main thread (?:process no\. ?\d{1,20}, )?(?:id |ID=)\d{1,20}, "
    r"state(?:: ?|=)(?P<state>.{1,100})"
)
_ID = re.compile(r"(?P<high>[0-9A-Fa-f]{1,16})(?: (?P<low>\d{1,16}))?(?= undo n:o| state:|\s*$)")
_SEMAPHORES = ("SEMAPHORES", *HOLDERS)
"""Debug builds print the last two inside the first, so that the rest of it follows them."""
_TEXTS = {*_SEMAPHORES, "LATEST FOREIGN KEY ERROR", "LATEST DETECTED DEADLOCK"}
_TITLES = {*RULES, *_TEXTS}

_OF_LOGS = ("InnoDB: ", "[Note]", "[Warning]", "[ERROR]", "[System]")
"""Signs of an error log: it was cut inside InnoDB's output."""
_NO_TIME = "This dump has no time in its header."
_NO_BANNER = (
    "This is a part of a status dump without the banner: it has no time. Set its time on the "
    "Clock tab, or capture the dump whole."
)
_MOST_BEFORE = 20
"""Lines that people write above a pasted section."""
_OF_TITLE = 3
"""Lines of a title between rows of dashes."""
_WAIT = re.compile(
    r"^--Thread \d{1,20} has waited at .*(?:\n|$)"
    r"(?:(?:(?:S|X|SX)-lock |Mutex |a writer |number of readers |Last time |wait |waiters ).*"
    r"(?:\n|$))*",
    re.MULTILINE,
)
"""A wait, wherever it is printed."""
_SPINS = re.compile(r"^(?:Mutex spin waits|RW-\w+ spins|Spin rounds per wait)", re.MULTILINE)
"""What SEMAPHORES prints below its waits."""

_FLUSH_ROWS = 20_000
_FLUSH_DUMPS = 200
_MOST_HELD = 128 * 1024 * 1024
"""Characters of one dump: SHOW prints 1 MB at most, the monitor in an error log somewhat more."""
_MOST_OUTLINED = 5_000
"""Dumps whose sections are listed too."""


def sniff(head: str) -> bool | None:
    """Whether the head has the banner of the monitor, or begins with a section of its output.

    The banners of the tablespace and table monitors are others.

    False for a dump whose lines each begin like those of syslog: that is read as a log.
    """
    if " MONITOR OUTPUT" in head:
        banner = re.search(r"^.{0,300}\bINNODB MONITOR OUTPUT", head, re.MULTILINE)
        ends = banner is not None and banner[0].endswith(_END)
        if banner is not None and not (ends and any(sign in head for sign in _OF_LOGS)):
            return _LOGGED.search(banner[0]) is None
    if any(sign in head for sign in _OF_LOGS) or has_unmarked(head):
        return False
    first = "\n".join(head.split("\n", _MOST_BEFORE + _OF_TITLE)[: _MOST_BEFORE + _OF_TITLE])
    begin = find_section(first)
    return begin >= 0 and first.count("\n", 0, begin) <= _MOST_BEFORE


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the records of every dump; a Skipped for the lines between dumps."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield the same as ``parse`` from chunks of some MiB."""
    reader = DumpReader(with_parts=True)
    for chunk in chunks:
        first, text = chunk.first, chunk.text
        yield from reader.feed(text, first)
    yield from reader.finish()


class _Part(NamedTuple):
    title: str
    line: int
    """Of the title."""
    first: int
    """Of the text."""
    last: int
    text: str
    titled: bool = True


class _Header(NamedTuple):
    line: int
    wall_us: int | None
    original: str | None
    banner: bool = True


class DumpReader:
    """Reads dumps from text; the error log, which contains dumps, uses it too."""

    def __init__(self, *, with_parts: bool = False) -> None:
        """Read dumps; with_parts: also sections without a banner."""
        self._with_parts = with_parts
        self._snapshots = 0
        self._header: _Header | None = None
        self._held: list[str] = []
        self._held_size = 0
        self._clock_yielded = False
        self._skipped: tuple[int, int] | None = None
        self._seen: set[tuple[object, ...]] = set()
        self._waits = Waits()
        self._waiting: int | None = 0
        self._transactions = Transactions()
        self._counters = Counters()

    @property
    def in_dump(self) -> bool:
        """Whether the last line that was fed belongs to a dump that is still open."""
        return self._header is not None

    def next_snapshot(self) -> int:
        """Return the ordinal for a snapshot of the same artifact that another reader makes."""
        self._snapshots += 1
        return self._snapshots - 1

    def feed(self, text: str, line: int) -> Iterator[Item]:
        """Read whole lines, each ended by a line feed; yield the records of dumps that they end."""
        start = 0
        at = text.find(BANNER)
        while at >= 0:
            begin = text.rfind("\n", start, at) + 1 if at > start else start
            begin = max(begin, start)
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            words = text[begin:end]
            is_end = words.startswith((_END, "## " + _END))
            header = None if is_end or _END in words else _HEADER.search(words[-200:])
            if header or is_end:
                yield from self._take(text[start:begin], line)
                if header or self._header is None:
                    line += text.count("\n", start, begin)
                start = begin
            if header:
                yield from self.close()
                stamp = header["stamp"]
                self._header = _Header(line, stamp_us(stamp) if stamp else None, stamp)
                line, start = line + 1, end + 1
            elif is_end and self._header is not None:
                line = yield from self._dump(complete=True)
                line, start = line + 1, end + 1
            at = text.find(BANNER, end)
        yield from self._take(text[start:] if start else text, line)

    def close(self) -> Iterator[Item]:
        """End the open dump without its end marker."""
        if self._header is None:
            return
        text = "".join(self._held)
        end = _ts_line(text)
        text, rest = text[:end], text[end:]
        begin = self._header.line + self._header.banner
        next_line = begin + text.count("\n")
        text = text.rstrip("\n")
        self._held = [text]
        last = begin - 1 + (text.count("\n") + 1 if text else 0)
        found = text[text.rfind("\n") + 1 :][:200]
        if self._header.banner:
            yield Problem(
                last,
                "The dump ends before its end marker; the sections above are shown. Capture it "
                "whole to see the rest.",
                _END,
                found or None,
            )
        yield from self._dump(complete=False)
        if rest:
            yield from self._outside(rest, next_line)

    def finish(self) -> Iterator[Item]:
        """End the artifact: yield everything that is left."""
        yield from self.close()
        yield from self._flush_skipped()
        yield from self.flush()

    def flush(self) -> Iterator[Item]:
        """Yield the collected records."""
        yield from self._waits.flush()
        yield from self._transactions.flush()
        yield from self._counters.flush()

    def read_waits(
        self, text: str, line: int, wall_us: int | None, clock: Clock | None
    ) -> Iterator[Item]:
        """Read waits that an error log prints outside of a dump."""
        found = self._waits.read(text, line, wall_us=wall_us, clock=clock, snapshot=None)
        yield from found.items

    def read_deadlock(
        self, text: str, line: int, wall_us: int | None, clock: Clock | None
    ) -> Iterator[Item]:
        """Read a deadlock outside of a dump in an error log (innodb_print_all_deadlocks)."""
        yield from self.once(
            parse_deadlock(text, line, wall_us=wall_us, clock=clock, snapshot=None)
        )

    def _take(self, text: str, line: int) -> Iterator[Item]:
        """Take lines of the open dump, or lines outside of any."""
        if not text:
            return
        if self._header is None:
            begin = find_section(text) if self._with_parts else -1
            if begin < 0:
                yield from self._outside(text, line)
                return
            begin = _with_row_above(text, begin)
            if begin:
                yield from self._outside(text[:begin], line)
                line += text.count("\n", 0, begin)
                text = text[begin:]
            # The dump begins at this line and has no banner above it.
            self._header = _Header(line, None, None, banner=False)
        self._held.append(text)
        self._held_size += len(text)
        if self._held_size > _MOST_HELD:
            yield from self.close()

    def _outside(self, text: str, line: int) -> Iterator[Item]:
        for number, words in enumerate(text.removesuffix("\n").split("\n"), start=line):
            if not words.strip() or _WRAPPER.match(words):
                continue
            if stamp := read_ts(words):
                if stamp[1] and not self._clock_yielded:
                    self._clock_yielded = True
                    yield clock_event(number, stamp[0], stamp[1])
            elif self._skipped and self._skipped[1] == number - 1:
                self._skipped = (self._skipped[0], number)
            else:
                yield from self._flush_skipped()
                self._skipped = (number, number)

    def _flush_skipped(self) -> Iterator[Item]:
        if self._skipped:
            yield Skipped(*self._skipped, "outside of any dump")
            self._skipped = None

    def _dump(self, *, complete: bool) -> Generator[Item, None, int]:
        """Yield all records of the held lines; return the number of the line below them."""
        assert self._header is not None
        header, self._header = self._header, None
        text = "".join(("\n", *self._held)).removesuffix("\n")
        self._held, self._held_size = [], 0
        yield from self._flush_skipped()
        snapshot = self.next_snapshot()
        wall_us = header.wall_us
        before, parts, end = _sections(text, header.line + header.banner)
        last = max(header.line, end if complete else end - 1)
        yield Snapshot(
            line_first=header.line,
            line_last=last,
            wall_us=wall_us,
            clock=None if wall_us is None else "local",
            snapshot=snapshot,
            kind="innodb_status",
            time_quality="unknown" if wall_us is None else "exact",
            original=header.original,
            complete=complete,
            main_thread=_main_thread(text),
        )
        if wall_us is None:
            yield Problem(header.line, _NO_TIME if header.banner else _NO_BANNER)
        yield from self._preface(before, header)
        hexadecimal = header.original is not None and header.original[:6].isdigit()
        self._waiting = 0
        title = header.original or f"dump {snapshot + 1}"
        yield Section(title, header.line, last)
        for part in parts:
            whole = part.titled and (complete or part is not parts[-1] or _has_spins(part))
            if whole and not header.banner:
                whole = not is_elided(part.text)
            if snapshot < _MOST_OUTLINED:
                known = part.title in _TITLES
                yield Section(part.title, part.line, part.last, level=1, understood=known)
            yield from self._section(part, wall_us, snapshot, hexadecimal, whole=whole)
        # MariaDB >= 10.6 keeps no list of waiting threads: its empty section counts as no waits.
        lines = [
            part.line
            for part in parts
            if part.title in _SEMAPHORES and part.titled and part.text.strip(" \n-")
        ]
        if lines:
            self._counters.add([Value(_WAITS, self._waiting, lines[0])], wall_us)
        if len(self._waits) >= _FLUSH_ROWS:
            yield from self._waits.flush()
        if len(self._transactions) >= _FLUSH_ROWS:
            yield from self._transactions.flush()
        if snapshot % _FLUSH_DUMPS == _FLUSH_DUMPS - 1:
            yield from self._counters.flush()
        return end

    def _preface(self, text: str, header: _Header) -> Iterator[Item]:
        """Read the lines above the first section."""
        for number, words in enumerate(text.split("\n"), start=header.line + header.banner):
            if match := _AVERAGES.match(words):
                seconds = Value(_INTERVAL, int(match[1]), number)
                self._counters.add([seconds], header.wall_us)
            elif words.strip() and not _WRAPPER.match(words):
                yield Skipped(number, number, "in no section of the dump")

    def _section(
        self,
        part: _Part,
        wall_us: int | None,
        snapshot: int,
        hexadecimal: bool,
        *,
        whole: bool,
    ) -> Iterator[Item]:
        """Yield the records of a section; whole: nothing of it is missing."""
        title, text, line = part.title, part.text, part.first
        if title in _SEMAPHORES:
            found = self._waits.read(text, line, wall_us=wall_us, snapshot=snapshot)
            if self._waiting is not None:
                known = whole and not found.unreadable
                # Lines that were left out by hand are unread lines; searching all costs a third.
                known = known and not (found.items and is_elided(text))
                self._waiting = self._waiting + found.waits if known else None
            yield from found.items
            if title in HOLDERS:
                clock: Clock | None = None if wall_us is None else "local"
                yield from read_holds(text, line, wall_us=wall_us, clock=clock, snapshot=snapshot)
            for first, counters in found.counters:
                yield from self._count("SEMAPHORES", counters, first, wall_us)
        elif title == "TRANSACTIONS":
            listed = self._transactions.read(text, line, wall_us=wall_us, snapshot=snapshot)
            yield from listed.items
            yield from self._count(title, listed.before, line, wall_us, hexadecimal)
            known = whole and not listed.unreadable
            if part.titled:
                waiting = Value(_LOCK_WAITS, listed.waiting if known else None, part.line)
                active = Value(_ACTIVE, listed.active if known else None, part.line)
                self._counters.add([waiting, active], wall_us)
        elif title == "LATEST DETECTED DEADLOCK":
            if self._is_new(title, text):
                yield from self.once(parse_deadlock(text, line, snapshot=snapshot))
        elif title == "LATEST FOREIGN KEY ERROR":
            if self._is_new(title, text):
                yield from self.once(parse_foreign_key_error(text, line, snapshot=snapshot))
        elif title in RULES:
            yield from self._count(title, text, line, wall_us, hexadecimal)
        elif text:
            why = f"a section that is not known: {title}"
            yield Skipped(part.line, line + text.count("\n"), why)

    def _count(
        self, title: str, text: str, line: int, wall_us: int | None, hexadecimal: bool = False
    ) -> Iterator[Item]:
        if hexadecimal and title in HEXADECIMAL:
            self._counters.add(_hex_ids(text, line), wall_us)
            title = HEXADECIMAL[title]
        found = self._counters.read(title, text, line, wall_us)
        if title == "LOG":
            self._counters.add(_checkpoint_age(found, line), wall_us)
        for offset in found.unread:
            yield Skipped(
                line + offset, line + offset, f"not a line of {title.partition(' with ')[0]}"
            )

    def _is_new(self, title: str, text: str) -> bool:
        """Whether a deadlock or key error is not one that an earlier dump printed."""
        key = (title, hash(text))
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def once(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield an event unless it came before, perhaps with another cut of its statements."""
        for item in items:
            key: tuple[object, ...] | None = None
            if isinstance(item, Deadlock):
                # The deadlock removed one of these transactions: they meet in no other deadlock.
                key = ("deadlock", *(t.trx_id for t in item.transactions))
            elif isinstance(item, ForeignKeyError):
                key = ("key", item.original, item.message)
            if key is None or key not in self._seen:
                if key is not None:
                    self._seen.add(key)
                yield item


def _checkpoint_age(section: Counted, line: int) -> Iterator[Value]:
    """Compute LSN minus last checkpoint, where the server does not print it itself."""
    found = section.whole_numbers(_AGE_OF)
    if found.keys() == {*_AGE_OF[:2]}:
        (lsn, _), (checkpoint, offset) = (found[name] for name in _AGE_OF[:2])
        if lsn >= checkpoint:
            yield Value(_AGE, lsn - checkpoint, line + offset)


def _hex_ids(text: str, line: int) -> Iterator[Value]:
    """Read the ids of transactions that are printed in hex without a mark."""
    for offset, words in enumerate(text.split("\n")):
        for series, start in IDS:
            _, _, rest = words[:200].partition(start)
            if match := _ID.match(rest):
                yield Value(series, _id(match["high"], match["low"]), line + offset)


def _id(high: str, low: str | None) -> int | None:
    if low is None:
        return int(high, 16)
    # Two 32-bit halves, decimal: servers up to 5.1 date their dumps in the same way.
    return (int(high) << 32) + int(low) if high.isdecimal() else None


def _ts_line(text: str) -> int:
    """Return where a collector's TS line before a dump begins; the end when there is none."""
    at = text.find("\nTS ")
    while at >= 0:
        if read_ts(text[at + 1 : at + 200].partition("\n")[0]):
            return at + 1
        at = text.find("\nTS ", at + 1)
    return len(text)


def _sections(text: str, line: int) -> tuple[str, list[_Part], int]:
    """Split a dump into the text above the first title, the titled parts, and the next line number.

    A title is between two rows of dashes; a known one may lack the row below. In a dump without any
    such rows (pasted through something that dropped them), known titles count on their own.
    ``text`` begins with a line feed, ``line`` is the number of the line behind it.
    """
    rows: list[tuple[int, int, str]] = []
    for match in _TITLED.finditer(text):
        row = _ROW.match(text, match.end())
        if row or match["title"] in _TITLES:
            # Of a damaged dump one row may end a title and begin the next.
            start = max(match.start(), rows[-1][1]) if rows else match.start()
            rows.append((start, row.end() if row else match.end(), match["title"]))
    if not rows:
        rows = [
            (match.start() - 1, match.end(), match["title"])
            for match in _BARE.finditer(text)
            if match["title"] in _TITLES
        ]
    parts: list[_Part] = []
    first_line = line
    passed, line = 0, line - 1
    for index, (start, end, title) in enumerate(rows):
        dashes = line + text.count("\n", passed, start + 1)
        title_line = dashes + text.count("\n", start + 1, text.find(title, start))
        first = dashes + text.count("\n", start + 1, end) + 1
        passed = rows[index + 1][0] if index + 1 < len(rows) else len(text)
        line = last = first - 1 + text.count("\n", end, passed)
        body = text[end + 1 : passed]
        if index + 1 == len(rows) and (row := _LAST_DASHES.search(body)):
            last -= body.count("\n", row.start())
            body = body[: row.start()]
        parts.append(_Part(title, title_line, first, last if body else title_line, body))
    end = line + text.count("\n", passed) + 1
    before = text[1 : rows[0][0]] if rows else text[1:]
    if implied := implied_sections(before):
        untitled = _untitled(before, implied, first_line)
        before = before[: implied[0][1]]
        parts = [*untitled, *parts]
    return before, [apart for part in parts for apart in _waits_apart(part)], end


def _waits_apart(part: _Part) -> Iterator[_Part]:
    """Yield a section, and behind it the waits that a paste put between its lines."""
    if part.title in _SEMAPHORES or " has waited at " not in part.text:
        yield part
        return
    waits = list(_WAIT.finditer(part.text))
    yield part._replace(text=_WAIT.sub(lambda wait: "\n" * wait[0].count("\n"), part.text))
    for wait in waits:
        first = part.first + part.text.count("\n", 0, wait.start())
        text = wait[0].removesuffix("\n")
        last = first + text.count("\n")
        yield _Part("SEMAPHORES", first, first, last, text, titled=False)


def _untitled(text: str, implied: list[tuple[str, int]], line: int) -> list[_Part]:
    """Return the parts of a text above the first title; ``line`` is its first line."""
    parts = []
    for at, (title, start) in enumerate(implied):
        end = implied[at + 1][1] - 1 if at + 1 < len(implied) else len(text)
        first = line + text.count("\n", 0, start)
        body = text[start:end]
        last = first + body.rstrip().count("\n")
        parts.append(_Part(title, first, first, last, body, titled=False))
    return parts


def _main_thread(text: str) -> str | None:
    """Return the state of the main thread, which ROW OPERATIONS prints near the end of a dump."""
    match = _MAIN_THREAD.match(text, max(text.rfind("Main thread "), 0))
    return match["state"].strip() if match else None


def _has_spins(part: _Part) -> bool:
    return part.title in _SEMAPHORES and bool(_SPINS.search(part.text))


def _with_row_above(text: str, at: int) -> int:
    """Return the offset of the row of dashes above the line at ``at``, or ``at`` without one."""
    above = text.rfind("\n", 0, max(at - 1, 0)) + 1
    return above if at and _DASHES.match(text, above, at) else at
