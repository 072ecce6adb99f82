"""Sums over the calls of a strace: by call, by second, by futex, by file."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from pileup.formats.reading.series_columns import Columns
from pileup.records import Clock, Event, Item, Table

_STORAGE = frozenset(
    ("fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync", "io_submit", "read",
     "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "preadv2", "pwritev2",
     "open", "openat", "close", "unlink", "unlinkat", "rename", "renameat2", "ftruncate",
     "truncate", "fallocate", "mmap", "munmap", "madvise", "stat", "fstat", "newfstatat", "statx",
     "flock", "fcntl", "lseek", "mkdir", "rmdir", "getdents64", "copy_file_range", "sendfile")
)  # fmt: skip
"""Calls that end by themselves: one that takes long shows slowness. A futex merely waits."""
_OF_FILES = frozenset(
    ("fsync", "fdatasync", "read", "write", "pread64", "pwrite64", "readv", "writev", "preadv",
     "pwritev", "preadv2", "pwritev2", "lseek", "ftruncate", "fallocate", "sync_file_range",
     "fstat", "flock")
)  # fmt: skip
_MOVES = frozenset(name for name in _OF_FILES if "read" in name or "write" in name)
_SLOW_S = 0.1
_VERY_SLOW_S = 1.0
_MOST_SLOW = 500
_MOST_KEYS = 50_000
_MOST_SECONDS = 100_000
_MOST_ZEROS = 250_000
_SHOWN = 100
_SERIES = 40
_RESULT = re.compile(
    r" = (?P<value>-?\d{1,19}|0x[0-9a-f]{1,16}|\?)(?: (?P<error>E[A-Z0-9]{2,20}))?\b"
)
_DURATION = re.compile(r"<(?P<s>\d{1,9}\.\d{6,9})>\s*$")
_FD = re.compile(r"(?P<fd>\d{1,9})(?:<(?P<name>[^>]{1,300})>)?")
_ADDRESS = re.compile(r"(?P<address>0x[0-9a-f]{1,16}), (?P<op>FUTEX_\w{1,40})")


@dataclass(slots=True)
class Call:
    """A system call, as its first line shows it."""

    name: str
    thread: str
    wall: int | None
    line: int
    arguments: str


@dataclass(slots=True)
class _Sum:
    calls: int = 0
    errors: int = 0
    seconds: float = 0.0
    timed: int = 0
    longest: float | None = None
    bytes: int = 0
    changed: int = 0
    """Waits for a futex that had another value already (EAGAIN): somebody was faster."""
    threads: set[str] = field(default_factory=set)
    line: int = 0

    def add(self, call: Call, seconds: float | None, failed: bool) -> None:
        self.calls += 1
        self.errors += failed
        self.line = self.line or call.line
        if len(self.threads) < 10_000:
            self.threads.add(call.thread)
        if seconds is not None:
            self.timed += 1
            self.seconds += seconds
            if self.longest is None or seconds > self.longest:
                self.longest = seconds

    @property
    def total(self) -> str | None:
        return f"{self.seconds:.6f}" if self.timed else None

    @property
    def peak(self) -> str | None:
        return None if self.longest is None else f"{self.longest:.6f}"


class Calls:
    """Collects the calls of a trace and yields their sums, series and slow calls."""

    def __init__(self) -> None:
        self._pending: dict[str, Call] = {}
        self._calls: dict[str, _Sum] = {}
        self._futexes: dict[str, _Sum] = {}
        self._files: dict[str, _Sum] = {}
        self._names: dict[int, str] = {}
        self._counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._seconds: defaultdict[str, defaultdict[int, float]]
        self._seconds = defaultdict(lambda: defaultdict(float))
        self._slow: list[tuple[float, int, str, str, int | None]] = []
        self._lines: tuple[int, int] | None = None

    def name(self, fd: int | None, name: str) -> None:
        """Note the file behind a descriptor, from an lsof listing above the trace."""
        if fd is not None and len(self._names) < _MOST_KEYS:
            self._names[fd] = name

    def unfinished(self, call: Call) -> None:
        """Note that a thread's call goes on; at most one per thread."""
        self._pending[call.thread] = call
        if self._lines is None:
            self._lines = (call.line, call.line)

    def resumed(self, line: int, thread: str, name: str, wall: int | None, tail: str) -> None:
        """End the thread's open call, which may have begun before the file."""
        call = self._pending.pop(thread, None)
        if call is None or call.name != name:
            call = Call(name, thread, None, line, "")
        if tail.endswith("<unfinished ...>"):  # restarted
            self._pending[thread] = call
            return
        apart = None
        if wall is not None and call.wall is not None:
            apart = max(0, wall - call.wall) / 1e6
        self.finished(call, tail, apart, wall)

    def finished(
        self, call: Call, tail: str, apart: float | None, ended: int | None = None
    ) -> None:
        """Count a whole call; ``apart`` is the seconds between its two lines, if it has two."""
        if self._lines is None:
            self._lines = (call.line, call.line)
        opened = tail.rfind("<")
        timed = _DURATION.match(tail, opened) if opened >= 0 else None
        seconds = float(timed["s"]) if timed else apart
        result = _RESULT.search(tail)
        failed = bool(result and result["error"])
        _sum(self._calls, call.name).add(call, seconds, failed)
        at = ended if ended is not None else call.wall
        if at is not None:
            if timed and ended is None and seconds is not None:
                at += int(seconds * 1e6)
            second = at // 1_000_000
            counts = self._counts[call.name]
            if second in counts or len(counts) < _MOST_SECONDS:
                counts[second] += 1
                if seconds is not None:
                    self._seconds[call.name][second] += seconds
        if call.name == "futex" and (match := _ADDRESS.match(call.arguments)):
            if "WAIT" in match["op"] or "LOCK" in match["op"]:
                futex = _sum(self._futexes, match["address"])
                futex.add(call, seconds, failed)
                futex.changed += bool(result and result["error"] == "EAGAIN")
        elif call.name in _OF_FILES:
            self._file(call, seconds, failed, result)
        if seconds is not None and seconds >= _SLOW_S and call.name in _STORAGE:
            text = f"{call.name}({self._short_arguments(call)})"
            slow = (seconds, -call.line, text, call.thread, call.wall)
            if len(self._slow) < _MOST_SLOW:
                heapq.heappush(self._slow, slow)
            else:
                heapq.heappushpop(self._slow, slow)

    def _file(
        self, call: Call, seconds: float | None, failed: bool, result: re.Match[str] | None
    ) -> None:
        fd = _FD.match(call.arguments)
        if fd is None:
            return
        name = fd["name"] or self._names.get(int(fd["fd"])) or f"descriptor {fd['fd']}"
        total = _sum(self._files, name)
        total.add(call, seconds, failed)
        if call.name in _MOVES and result and result["value"].isdecimal():
            total.bytes += int(result["value"])

    def _short_arguments(self, call: Call) -> str:
        """Shorten the arguments of a call, and name the file of its descriptor."""
        arguments = re.split(r" <unfinished|\) +=", call.arguments, maxsplit=1)[0].rstrip(", ")
        fd = _FD.match(arguments)
        if call.name in _OF_FILES and fd and not fd["name"] and int(fd["fd"]) in self._names:
            arguments = f"{fd['fd']}<{self._names[int(fd['fd'])]}>{arguments[fd.end() :]}"
        return arguments[:120]

    # ---- results ---------------------------------------------------------------------------------

    def result(self, clock: Clock | None, last: int | None, lines: int) -> Iterator[Item]:
        """Yield the tables, series and slow calls of a trace of ``lines`` lines.

        ``last`` is its last time in microseconds, at which open calls still wait.
        """
        if self._lines is None:
            return
        self._lines = (self._lines[0], lines)
        yield from self._tables(last)
        if clock is not None:
            yield from self._series(clock)
        for seconds, line, text, thread, wall in sorted(self._slow, reverse=True):
            yield Event(
                line_first=-line,
                line_last=-line,
                wall_us=wall,
                clock=clock if wall is not None else None,
                kind="slow_call",
                severity="warning" if seconds >= _VERY_SLOW_S else "note",
                subsystem="strace",
                code=text.partition("(")[0],
                message=f"{text} took {seconds:.3f} s" + (f" in thread {thread}" if thread else ""),
            )

    def _tables(self, last: int | None) -> Iterator[Table]:
        by_time = sorted(self._calls.items(), key=lambda each: (-each[1].seconds, -each[1].calls))
        yield from self._table(
            "system calls",
            ("call", "calls", "errors", "seconds", "longest_s", "threads"),
            [
                (name, str(s.calls), str(s.errors), s.total, s.peak, str(len(s.threads)))
                for name, s in by_time
            ],
        )
        yield from self._table(
            "futexes",
            ("address", "waits", "threads", "seconds", "longest_s", "changed_before"),
            [
                (address, str(s.calls), str(len(s.threads)), s.total, s.peak, str(s.changed))
                for address, s in sorted(self._futexes.items(), key=_weight)
            ],
        )
        yield from self._table(
            "files",
            ("file", "calls", "bytes", "seconds", "longest_s"),
            [
                (name, str(s.calls), str(s.bytes), s.total, s.peak)
                for name, s in sorted(self._files.items(), key=_weight)
            ],
        )
        yield from self._table(
            "waiting at the end",
            ("call", "on", "threads", "seconds_at_least"),
            list(self._waiting(last)),
        )

    def _waiting(self, last: int | None) -> Iterator[tuple[str | None, ...]]:
        groups: defaultdict[tuple[str, str], list[Call]] = defaultdict(list)
        for call in self._pending.values():
            address = _ADDRESS.match(call.arguments)
            fd = _FD.match(call.arguments) if call.name in _OF_FILES else None
            on = address["address"] if address else ""
            if fd:
                on = fd["name"] or self._names.get(int(fd["fd"])) or f"descriptor {fd['fd']}"
            groups[call.name, on].append(call)
        for (name, on), calls in sorted(groups.items(), key=lambda each: -len(each[1])):
            begun = [call.wall for call in calls if call.wall is not None]
            most = f"{(last - min(begun)) / 1e6:.6f}" if begun and last is not None else None
            yield name, on or None, str(len(calls)), most

    def _table(
        self, name: str, columns: tuple[str, ...], rows: list[tuple[str | None, ...]]
    ) -> Iterator[Table]:
        if not rows or self._lines is None:
            return
        yield Table(
            line_first=self._lines[0],
            line_last=self._lines[1],
            name=name,
            columns=columns,
            rows=tuple(rows[:_SHOWN]),
        )

    def _series(self, clock: Clock) -> Iterator[Item]:
        """Yield calls and seconds per second of the trace; a second without calls is zero."""
        columns = Columns()
        every = [second for counts in self._counts.values() for second in counts]
        if not every:
            return
        first, last = min(every), max(every)
        busiest = sorted(self._counts.items(), key=lambda each: -sum(each[1].values()))[:_SERIES]
        # A single damaged time can stretch a trace of a minute to a day: then no zeros are written.
        dense = (last - first) * len(busiest) < _MOST_ZEROS
        for name, counts in busiest:
            line = self._calls[name].line
            seconds = self._seconds.get(name)
            for second in range(first, last + 1) if dense else sorted(counts):
                wall, labels = second * 1_000_000, (("call", name),)
                columns.add(
                    "strace.calls", float(counts.get(second, 0)), wall=wall, clock=clock, line=line,
                    unit="1/s", labels=labels,
                )  # fmt: skip
                if seconds is not None:
                    columns.add(
                        "strace.seconds", float(seconds.get(second, 0.0)), wall=wall, clock=clock,
                        line=line, unit="s/s", labels=labels,
                    )  # fmt: skip
            if columns.full:
                yield from columns.flush()
        yield from columns.flush()


def _sum(sums: dict[str, _Sum], key: str) -> _Sum:
    total = sums.get(key)
    if total is None:
        if len(sums) >= _MOST_KEYS:
            key = "others"
        total = sums.setdefault(key, _Sum())
    return total


def _weight(each: tuple[str, _Sum]) -> tuple[float, int]:
    return -each[1].seconds, -each[1].calls
