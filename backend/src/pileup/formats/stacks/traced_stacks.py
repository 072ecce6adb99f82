"""Stacks that tracers counted: bpftrace's maps of stacks; offcputime, profile, stackcount of bcc.

Source: print_map() of bpftrace: '@[', a frame per line, then ']: 412', with a comma between two
        stacks and before a name. print of offcputime, profile, stackcount and wakeuptime: the
        frames, then '-  mysqld (4231)', then the count, or microseconds, alone on a line.
Yields: per map a Snapshot and a Stack per distinct stack, innermost frame first; ``event`` says
        what was counted. It has no time.
Units:  samples, or microseconds that threads were off the CPU (``by_period``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pileup.formats.errors import FormatError
from pileup.formats.stacks.parts.function_names import bare_function
from pileup.records import Frame, Item, Section, Skipped, Snapshot, Stack, StackThread

NAME = "traced-stacks"
TITLE = "stacks counted by bpftrace or bcc"
GIVES = "Stacks with how often, or how long, each was seen, and the threads that bcc names."
PRINTED_BY = "bpftrace: `@[ustack]`, `@[kstack]`; bcc: offcputime, profile, stackcount, wakeuptime"
VERSION = 1
HINTS = (".bt.txt", "offcputime.txt", "profile.txt")
LINE_STARTS = r"@\w{0,64}(?:\[|: )|\](?:: \d|, )"

_MAP = re.compile(r"\s*(?P<name>@\w{0,64})\[(?P<first>[^\]]{0,400})$")
_END = re.compile(r"(?P<last>[^\]\[]{0,200})\]: (?P<count>\d{1,18})\s*$")
_THREAD = re.compile(r"\s+-\s{2,}(?P<name>\S.{0,63}?) \((?P<id>\d{1,10})\)\s*$")
_COUNT = re.compile(r"\s+(?P<count>\d{1,18})\s*$")
# MYSQL_BIN_LOG::ordered_commit(THD*, bool, bool)+512     b'schedule'     [unknown]
# 0xffffffff81a0 schedule     do_syscall_64 [kernel]
_FRAME = re.compile(
    r"\s+(?:0x[0-9a-f]{1,16}\s+)?(?:b')?(?P<name>[A-Za-z_~\[?][^\n]{0,2000}?)'?"
    r"(?:\+(?:0x)?[0-9a-f]{1,16})?(?: \[(?P<library>[^\]]{1,200})\])?\s*$"
)
_BARE = re.compile(r"\s+0x[0-9a-f]{4,16}\s*$")
_OFF_CPU = re.compile(r"off-CPU time|blocked time", re.IGNORECASE)
_SWITCHES = ("finish_task_switch", "schedule", "__schedule")
"""Innermost in the kernel where a thread leaves the CPU."""
_NO_FRAME = ("--", "[Missed Kernel Stack]", "[Missed User Stack]")
_LONGEST = 4_000
_DEEPEST = 512
_DISTINCT = 20_000
_MOST = 2**62


def sniff(head: str) -> bool | None:
    """Return whether the text holds a whole stack of bpftrace, or one of bcc with its thread."""
    lines = [line[:_LONGEST] for line in head.split("\n")]
    if any(_MAP.match(line) for line in lines) and any(map(_END.match, lines)):
        return True
    return any(
        _THREAD.match(line) and _COUNT.match(below) and _FRAME.match(above)
        for above, line, below in zip(lines, lines[1:], lines[2:], strict=False)
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Sum equal stacks; yield a Snapshot and the Stacks of each map at the end.

    Raises FormatError for a file without a whole stack.
    """
    reader = _Reader()
    for number, raw in enumerate(lines, start=1):
        yield from reader.line(number, raw[:_LONGEST].rstrip())
    yield from reader.end()


@dataclass(slots=True)
class _Stack:
    first: int
    last: int
    count: int = 0
    threads: dict[int, str] = field(default_factory=dict)


class _Reader:
    def __init__(self) -> None:
        self._maps: dict[str, dict[tuple[Frame, ...], _Stack]] = {}
        self._map = ""
        """The map whose stack is open; empty between the stacks of bpftrace."""
        self._frames: list[Frame] = []
        self._first = 0
        self._thread: tuple[int, str] | None = None
        self._is_off_cpu = False

    def line(self, number: int, text: str) -> Iterator[Item]:
        if not text.strip():
            if not self._map:
                yield from self._drop(number - 1)
        elif begins := _MAP.match(text):
            yield from self._drop(number - 1)
            self._map, self._first = begins["name"], number
        elif self._map and (ends := _END.match(text.strip())):
            self._add(number, self._map, int(ends["count"]))
            self._map = ""
        elif not self._map and (thread := _THREAD.match(text)):
            self._thread = int(thread["id"]), thread["name"]
        elif not self._map and self._frames and (count := _COUNT.match(text)):
            self._add(number, "", int(count["count"]))
        elif (frame := _frame(text)) is not None:
            self._first = self._first or number
            self._is_off_cpu |= not self._frames and frame.function in _SWITCHES
            if len(self._frames) < _DEEPEST:
                self._frames.append(frame)
        elif text.strip(" ,") not in ("", *_NO_FRAME):
            self._is_off_cpu |= _OFF_CPU.search(text) is not None
            yield Skipped(number, number, "not part of a stack")

    def _drop(self, last: int) -> Iterator[Item]:
        """Report the lines of a stack whose count is cut off."""
        if self._frames:
            yield Skipped(self._first, last, "a stack without its count")
        self._frames, self._first, self._map, self._thread = [], 0, "", None

    def _add(self, number: int, name: str, count: int) -> None:
        stacks = self._maps.setdefault(name, {})
        key = tuple(self._frames) or (Frame(function="??"),)
        if key in stacks or sum(map(len, self._maps.values())) < _DISTINCT:
            stack = stacks.setdefault(key, _Stack(self._first or number, number))
            stack.count = min(stack.count + count, _MOST)
            if self._thread:
                stack.threads.setdefault(*self._thread)
        self._frames, self._first, self._thread = [], 0, None

    def end(self) -> Iterator[Item]:
        yield from self._drop(self._first)
        if not self._maps:
            raise FormatError("No stack with its count was found.")
        for snapshot, (name, stacks) in enumerate(self._maps.items()):
            counted = "samples" if name in ("", "@") else name
            event = "off-CPU us" if self._is_off_cpu and not name else counted
            first = min(stack.first for stack in stacks.values())
            last = max(stack.last for stack in stacks.values())
            total = min(sum(stack.count for stack in stacks.values()), _MOST)
            yield Snapshot(line_first=first, line_last=last, snapshot=snapshot, kind="stacks")
            yield Section(f"{total} {event}", first, last)
            for frames, stack in sorted(stacks.items(), key=lambda each: -each[1].count):
                yield Stack(
                    line_first=stack.first,
                    line_last=stack.last,
                    snapshot=snapshot,
                    count=stack.count,
                    samples=total,
                    event=event,
                    by_period=event.startswith("off-CPU"),
                    frames=frames,
                    threads=tuple(
                        StackThread(lwp=lwp, name=of) for lwp, of in stack.threads.items()
                    ),
                )


def _frame(text: str) -> Frame | None:
    """Parse a frame; None for any other line."""
    if text.strip() in _NO_FRAME:
        return None
    if _BARE.match(text):
        return Frame(function="??")
    match = _FRAME.match(text)
    if match is None:
        return None
    library = match["library"]
    name = match["name"]
    if name.startswith("[unknown"):
        name = "??"
    elif name.startswith("["):
        return None
    return Frame(function=bare_function(name, library), library=library)
