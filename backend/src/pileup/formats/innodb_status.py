"""SHOW ENGINE INNODB STATUS: one dump or many, from 4.1 to 9.x, Percona and MariaDB.

Source: srv_printf_innodb_monitor(), storage/innobase/srv/srv0srv.cc. The server caps the output at
        1 MB: the middle of TRANSACTIONS is then missing, the sections after it are there.
Yields: per dump a Snapshot, its sections, semaphore waits, transactions and their locks, the
        deadlock and the foreign key error (once per artifact), and its numbers as series.
Units:  the header prints the server's local time, without a zone; nothing in a dump is absolute.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pileup.formats.innodb_counters import Value, read_counters
from pileup.formats.innodb_deadlock import parse_deadlock, parse_foreign_key_error, stamp_us
from pileup.formats.innodb_semaphores import Numbered, parse_semaphores
from pileup.formats.innodb_transactions import parse_transactions
from pileup.formats.pt_stalk import clock_event, read_ts
from pileup.records import (
    Clock,
    Deadlock,
    ForeignKeyError,
    Item,
    Problem,
    Samples,
    Section,
    SemaphoreWait,
    Skipped,
    Snapshot,
    Transaction,
)

NAME = "innodb-status"
TITLE = "SHOW ENGINE INNODB STATUS"
GIVES = (
    "Snapshots, semaphore waits, transactions with their locks, deadlocks, foreign key "
    "errors; every number as a series."
)
PRINTED_BY = "MySQL 4.1 to 9.x, Percona, MariaDB"
VERSION = 1
HINTS = ("-innodbstatus1", "-innodbstatus2", "-innodbstatus.txt")

# 2026-11-20 22:19:09 0x7fc0b8ffe6c0 INNODB MONITOR OUTPUT
# 120125  6:06:34 INNODB MONITOR OUTPUT
_HEADER = re.compile(
    r"(?P<stamp>\d{6} +\d{1,2}:\d\d:\d\d|\d{4}-\d\d-\d\d[ T]+\d{1,2}:\d\d:\d\d)?\s{0,8}"
    r"(?P<thread>\S{1,40})?\s{0,8}INNODB MONITOR OUTPUT\s*$"
)
_DASHES = re.compile(r"-{3,}\s*$")
_TITLE = re.compile(r"(?:## )?[A-Z][A-Z0-9 /()_-]{2,60}$")
_WRAPPER = re.compile(
    r"\*{10,} \d+\. row \*{10,}$|\s*(?:Type|Name|Status): ?(?:InnoDB)?$|={10,}$|-{10,}$|"
    r"\d+ rows? in set.*$|mysql> .*$|MariaDB.*> .*$|mysql: \[Warning\].*$|"
    r"Type\tName\tStatus$|InnoDB\t\t$|Per second averages calculated.*$"
)
_END = "END OF INNODB MONITOR OUTPUT"
_TITLES = {
    "BACKGROUND THREAD",
    "SEMAPHORES",
    "LATEST FOREIGN KEY ERROR",
    "LATEST DETECTED DEADLOCK",
    "TRANSACTIONS",
    "FILE I/O",
    "INSERT BUFFER AND ADAPTIVE HASH INDEX",
    "INSERT BUFFER",
    "ADAPTIVE HASH INDEX",
    "LOG",
    "BUFFER POOL AND MEMORY",
    "INDIVIDUAL BUFFER POOL INFO",
    "ROW OPERATIONS",
    "RW-LATCH INFO",
}
FLUSH = 200
"""Dumps whose numbers are held before they are handed on."""


def sniff(head: str) -> bool | None:
    """The monitor's banner decides; other banners (tablespace, table monitor) are not this."""
    if " MONITOR OUTPUT" not in head:
        return False
    return re.search(r"\bINNODB MONITOR OUTPUT", head) is not None


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every dump of the text; what stands between dumps is skipped and said so."""
    reader = DumpReader()
    said_clock = False
    for number, text in enumerate(lines, start=1):
        held = reader.held
        if held is not None and "INNODB MONITOR" not in text and not text.startswith("TS "):
            held.append((number, text))  # the common case, kept out of the generator below
            continue
        if text.startswith("TS ") and (stamp := read_ts(text)):
            yield from reader.close()
            if stamp[1] and not said_clock:
                said_clock = True
                yield clock_event(number, stamp[0], stamp[1])
            continue
        if "\\n" in text and "INNODB MONITOR OUTPUT" in text:
            for part in text.split("\\n"):  # client batch mode: the dump is one raw line
                yield from reader.feed(number, part)
            continue
        yield from reader.feed(number, text)
    yield from reader.finish()


@dataclass(slots=True)
class _Part:
    title: str
    first: int
    lines: list[Numbered] = field(default_factory=list)


class DumpReader:
    """Takes lines, gives records; also used by the error log, which has dumps in it."""

    def __init__(self) -> None:
        self._snapshots = 0
        self.held: list[Numbered] | None = None
        """The lines of the open dump; None outside of one."""
        self._header: tuple[int, int | None, str | None] | None = None
        self._seen: set[tuple[object, ...]] = set()
        self._values: defaultdict[str, list[tuple[int | None, Value]]] = defaultdict(list)
        self._skipped: tuple[int, int] | None = None

    def feed(self, number: int, text: str) -> Iterator[Item]:
        """One line; yields the records of a dump when it is complete."""
        if "INNODB MONITOR OUTPUT" in text and _END not in text:
            match = _HEADER.search(text.removeprefix("## "))
            yield from self.close()
            stamp = match["stamp"] if match else None
            self._header = (number, stamp_us(stamp) if stamp else None, stamp)
            self.held = []
        elif self.held is None:
            yield from self._outside(number, text)
        elif text.startswith((_END, "## " + _END)):
            yield from self._dump(number, complete=True)
        else:
            self.held.append((number, text))

    def close(self) -> Iterator[Item]:
        """The open dump ends here, without its end marker."""
        if self.held is not None and self._header is not None:
            last = self.held[-1][0] if self.held else self._header[0]
            yield Problem(
                last,
                "The dump ends before its end marker; the sections above are shown. Capture it "
                "whole to see the rest.",
                _END,
                self.held[-1][1][:200] if self.held else None,
            )
            yield from self._dump(last, complete=False)

    def finish(self) -> Iterator[Item]:
        """The end of the artifact."""
        yield from self.close()
        yield from self._flush_skipped()
        yield from self._flush_values()

    def _outside(self, number: int, text: str) -> Iterator[Item]:
        if not text.strip() or _WRAPPER.match(text):
            return
        if self._skipped and self._skipped[1] == number - 1:
            self._skipped = (self._skipped[0], number)
        else:
            yield from self._flush_skipped()
            self._skipped = (number, number)

    def _flush_skipped(self) -> Iterator[Item]:
        if self._skipped:
            yield Skipped(*self._skipped, "outside of any dump")
            self._skipped = None

    def _dump(self, last: int, *, complete: bool) -> Iterator[Item]:
        assert self.held is not None
        assert self._header is not None
        first, wall_us, original = self._header
        lines, self.held, self._header = self.held, None, None
        yield from self._flush_skipped()
        index = self._snapshots
        self._snapshots += 1
        clock: Clock | None = "local" if wall_us is not None else None
        yield Snapshot(
            line_first=first,
            line_last=last,
            wall_us=wall_us,
            clock=clock,
            snapshot=index,
            kind="innodb_status",
            time_quality="exact" if wall_us is not None else "unknown",
            original=original,
            complete=complete,
        )
        if wall_us is None:
            yield Problem(first, "This dump has no time in its header.")
        parts = _sections(lines)
        waits = trx_waits = active = 0
        for part in parts:
            yield Section(part.title, part.first, part.lines[-1][0] if part.lines else part.first)
            for item in self._records(part, wall_us, index):
                if isinstance(item, SemaphoreWait):
                    waits += 1
                elif isinstance(item, Transaction):
                    trx_waits += item.lock_wait
                    active += item.state.startswith("ACTIVE")
                yield item
        values = read_counters((part.title, part.lines) for part in parts)
        titles = {part.title: part.first for part in parts}
        if "SEMAPHORES" in titles:
            line = titles["SEMAPHORES"]
            values.append(Value("innodb.semaphore_waits", "gauge", "threads", waits, line))
        if "TRANSACTIONS" in titles:
            line = titles["TRANSACTIONS"]
            for name, value in (("lock_wait", trx_waits), ("active", active)):
                series = f"innodb.{name}_transactions"
                values.append(Value(series, "gauge", "transactions", value, line))
        for one in values:
            self._values[one.series].append((wall_us, one))
        if index % FLUSH == FLUSH - 1:
            yield from self._flush_values()

    def _records(self, part: _Part, wall_us: int | None, snapshot: int) -> Iterator[Item]:
        if part.title == "SEMAPHORES":
            yield from parse_semaphores(part.lines, wall_us=wall_us, snapshot=snapshot)
        elif part.title == "TRANSACTIONS":
            for number, text in part.lines:
                if "truncated..." in text and text.strip(" .") == "truncated":
                    yield Problem(
                        number,
                        "The server cut the list of transactions here (its output is limited to "
                        "1 MB); those in the middle are missing.",
                    )
            yield from parse_transactions(part.lines, wall_us=wall_us, snapshot=snapshot)
        elif part.title == "LATEST DETECTED DEADLOCK":
            yield from self._once(parse_deadlock(part.lines, snapshot=snapshot))
        elif part.title == "LATEST FOREIGN KEY ERROR":
            yield from self._once(parse_foreign_key_error(part.lines, snapshot=snapshot))

    def _once(self, items: Iterator[Item]) -> Iterator[Item]:
        """A deadlock or key error is repeated in every later dump: the first is kept."""
        for item in items:
            key: tuple[object, ...] | None = None
            if isinstance(item, Deadlock):
                key = ("deadlock", item.original, *(t.trx_id for t in item.transactions))
            elif isinstance(item, ForeignKeyError):
                key = ("key", item.original, item.message)
            if key is None or key not in self._seen:
                if key is not None:
                    self._seen.add(key)
                yield item

    def _flush_values(self) -> Iterator[Item]:
        for series, points in self._values.items():
            first = points[0][1]
            yield Samples(
                series=series,
                kind=first.kind,
                unit=first.unit,
                clock="local",
                wall_us=[wall for wall, _ in points],
                values=[value.value for _, value in points],
                lines=[value.line for _, value in points],
            )
        self._values.clear()


def _sections(lines: Sequence[Numbered]) -> list[_Part]:
    """The titled parts of a dump: dashes, TITLE, dashes; or a known title on its own."""
    parts: list[_Part] = []
    starts: list[int] = []
    for index, (_, text) in enumerate(lines):
        if text[:1].isupper() or text.startswith("## "):
            title = text.removeprefix("## ").strip()
            if title in _TITLES or _is_title(lines, index, title):
                starts.append(index)
                parts.append(_Part(title, lines[index][0]))
    for part, start, end in zip(parts, starts, [*starts, len(lines)][1:], strict=True):
        first = start + 1
        if first < end and _DASHES.match(lines[first][1]):
            first += 1
        if end > first and _DASHES.match(lines[end - 1][1]):
            end -= 1
        part.lines.extend(lines[first:end])
    return parts


def _is_title(lines: Sequence[Numbered], index: int, title: str) -> bool:
    """An unknown title between two rows of dashes: kept as a raw section."""
    return (
        0 < index < len(lines) - 1
        and lines[index - 1][1].startswith("---")
        and lines[index + 1][1].startswith("---")
        and _TITLE.match(title) is not None
        and _DASHES.match(lines[index - 1][1]) is not None
        and _DASHES.match(lines[index + 1][1]) is not None
    )
