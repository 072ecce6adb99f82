"""eu-stack -p PID, with or without modules (-m), sources (-s) and activations (-v).

Source: print_frames() and main(), src/stack.c of elfutils (0.158 to 0.19x).
Yields: per process listing one Snapshot, one Stack per distinct stack with the kernel ids of its
        threads, and the number of threads as series stacks.threads.
Units:  none. There is no time in the file.
Note:   there are no pthread handles and no thread names: TID is the only join key (P_S
        THREAD_OS_ID, MariaDB's processlist TID, gdb's LWP). Messages of eu-stack are between the
        frames when stderr went to the same file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading import pt_stalk_samples
from pileup.formats.reading.date_lines import read_date_line
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.stacks.parts.function_names import bare_function
from pileup.formats.stacks.parts.known_shapes import Shapes
from pileup.formats.stacks.parts.samples import StackSamples, notice
from pileup.records import Frame, Item, Problem, Skipped, StackThread

NAME = "eu-stack"
TITLE = "eu-stack"
GIVES = "Stacks with the kernel ids of their threads, file:line and library; threads per sample."
PRINTED_BY = "elfutils eu-stack -p, also -m, -s, -v (elfutils 0.158 to 0.19x)"
VERSION = 3
HINTS = ("eu-stack.txt", "eu_stack.txt", "-stacktrace")

# PID 24503 - process
_PROCESS = re.compile(r"PID \d{1,18} - ")
# TID 24534:
_THREAD = re.compile(r"TID (\d{1,18}):\s*$")
# #0  0x00007ff889c0064a
# #1  0x000000000097bbdf os_aio_linux_handle(unsigned long, fil_node_t**, void**, unsigned long*)
# #1  0x0000000000580a6a - 1 handle_connections_sockets() - /usr/sbin/mysqld
# #0  0x00007ff88971a26f     __GI___poll - /usr/lib/x86_64-linux-gnu/libc.so.6
# #1  log_write_up_to(unsigned long, bool)        somebody removed the addresses
_FRAME = re.compile(
    r"#\d{1,6}\s+(?:0x[0-9a-f]{1,16}(?:(?: - 1)?\s*$|(?: - 1(?=\s))?\s+(?P<rest>.*)$)"
    r"|(?P<bare>[A-Za-z_~<?].*)$)"
)
_MODULE = re.compile(r"(?:^| )- (?P<module>/\S+|\[\w+\])(?:\s+(?P<source>\S+:\d+(?::\d+)?))?$")
#     /export/home/pb2/build/mysql-5.6.24/sql/mysqld.cc:6260
#     ../sysdeps/unix/sysv/linux/poll.c:29:10
_SOURCE = re.compile(r"\s+(?P<file>\S.*?):(?P<line>\d{1,9})(?::\d{1,9})?\s*$")
_BUILD_ID = re.compile(r"\s+\[[0-9a-f]+\]@0x")
_SNIFF_THREAD = re.compile(r"^TID \d+:\s*$", re.MULTILINE)
_SNIFF_FRAME = re.compile(r"^#\d+\s+(?:0x[0-9a-f]{8,16}(?:\s|$)|[A-Za-z_~])", re.MULTILINE)

_NEXT_THREAD = b"\nTID "
_MAX_REST = 1024 * 1024
_MAX_FRAMES = 4096
_MOST_KNOWN = 20_000
_MOST_HELD = 32 * 1024 * 1024


def sniff(head: str) -> bool | None:
    """Return whether the text holds a TID header and frames with bare addresses."""
    return bool("TID " in head and _SNIFF_THREAD.search(head) and _SNIFF_FRAME.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every sample; a PID or TS line, a date, or a TID that it already has ends it.

    Raises FormatError for a file without a stack.
    """
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks of text; each distinct stack is parsed once.

    A process has its code at the same addresses for as long as it lives, so threads that wait at
    the same place print the same text, and a lookup replaces the parsing.
    """
    reader = _Reader()
    number = 0  # of the last line that was read
    rest = b""  # the last thread: its stack may go on in the next chunk
    for chunk in chunks:
        data = rest + b"\n" + chunk.data[:-1]
        before, *threads = data.split(_NEXT_THREAD)
        rest = b""
        if threads and len(threads[-1]) < _MAX_REST:
            rest = _NEXT_THREAD + threads.pop()
        for line in _lines(before):
            number += 1
            yield from reader.line(number, line)
        for thread in threads:
            tid, _, body = thread.partition(b":\n")
            known = reader.known(body)
            if known and tid.isdigit() and len(tid) < 19:
                yield from reader.known_thread(number + 1, int(tid), known)
                number += known.lines
                continue
            for line in _lines(_NEXT_THREAD + thread):
                number += 1
                yield from reader.line(number, line)
    for line in _lines(rest):
        number += 1
        yield from reader.line(number, line)
    yield from reader.end_sample()
    if not reader.samples.seen:
        raise FormatError(
            "No stack was found: the file has no 'TID N:' header followed by '#0' frames. "
            "Capture again with: eu-stack -p PID."
        )


def _lines(data: bytes) -> list[str]:
    """Split data in which each line follows its line feed."""
    return data.decode().split("\n")[1:]


class _Known:
    """A stack that was parsed from a text of only frames."""

    __slots__ = ("frames", "last", "lines", "stack")

    def __init__(self, stack: int, frames: tuple[Frame, ...], lines: int, last: int) -> None:
        self.stack = stack
        self.frames = frames
        self.lines = lines
        """Lines of the thread, with its header."""
        self.last = last
        """Lines from the header to the last one of the stack."""


class _Reader:
    def __init__(self) -> None:
        self.samples = StackSamples()
        self._stacks = Shapes(_whole_frame)
        self._known: dict[bytes, _Known] = {}
        self._held = 0
        self._frames_of: dict[str, Frame] = {}
        self._tid: int | None = None
        self._new_sample()

    def _new_sample(self) -> None:
        if self._stacks.full:
            self._stacks.forget()
            self._known.clear()
            self._held = 0
        self._tids: set[int] = set()
        self._failed: list[int] = []
        self._empty: list[int] = []

    def known(self, body: bytes) -> _Known | None:
        """Look up or parse the stack in a text of only frames; None if it holds anything else."""
        known = self._known.get(body)
        if known is None and len(body) < _MAX_REST:
            known = self._learn(body)
        return known

    def _learn(self, body: bytes) -> _Known | None:
        frames: list[Frame] = []
        last = 0
        for number, line in enumerate(body.decode().split("\n"), start=1):
            if line.startswith("#") and (frame := self._frame(line)):
                frames.append(frame)
            elif not (frames and _is_detail(line)):
                return None
            else:
                frames[-1] = _with_source(frames[-1], line)
            last = number
        if not frames or len(frames) > _MAX_FRAMES:
            return None
        if len(self._known) >= _MOST_KNOWN or self._held > _MOST_HELD:
            self._known.clear()
            self._held = 0
        stack, same = self._stacks.intern(frames)
        self._held += len(body)
        self._known[body] = known = _Known(stack, same, last + 1, last)
        return known

    def known_thread(self, number: int, tid: int, known: _Known) -> Iterable[Item]:
        """Count a thread whose stack is known; return the records of the sample that it ends.

        The result is the same as when its lines are read one by one.
        """
        done: Iterable[Item] = ()
        if tid in self._tids:
            done = list(self.end_sample())
        elif self._tid is not None:
            self._end_thread()
        self._tids.add(tid)
        self.samples.first = self.samples.first or number
        group = self.samples.group(known.stack, known.frames, number, number + known.last)
        group.threads.append(StackThread(lwp=tid))
        return done

    def line(self, number: int, line: str) -> Iterator[Item]:
        if line.startswith("#") and (frame := self._frame(line)):
            if self._tid is None:
                yield Skipped(number, number, "a frame without its thread")
            elif len(self._thread) < _MAX_FRAMES:
                self._thread.append(frame)
                self._last = number
        elif match := _THREAD.match(line):
            yield from self._begin_thread(number, int(match[1]))
        elif self._tid is not None and self._thread and _is_detail(line):
            self._thread[-1] = _with_source(self._thread[-1], line)
            self._last = number
        elif _PROCESS.match(line):
            yield from self.end_sample()
        elif line.startswith("eu-stack: "):
            self._failed.append(number)
        elif line.startswith("TS ") and (time := pt_stalk_samples.read_ts(line)):
            yield from self.end_sample()
            yield from self.samples.at(number, time)
        elif line.startswith("TID "):
            self._end_thread()
            yield Problem(
                number,
                "Not a readable thread header; its stack was left out.",
                expected="TID N:",
                found=line[:200],
            )
            yield Skipped(number, number, "damaged thread header")
        elif date := read_date_line(line):
            yield from self.end_sample()
            self.samples.dated(date)
        elif line.strip():
            yield Skipped(number, number, "not part of a stack")

    def end_sample(self) -> Iterator[Item]:
        """Yield the records of the threads since the last sample, and its notices."""
        self._end_thread()
        yield from self.samples.end()
        if self._failed:
            yield notice(self._failed, "eu-stack could not follow a stack, or its thread ended")
        if self._empty:
            yield notice(self._empty, "A thread without any frame; it was left out")
        self._new_sample()

    def _begin_thread(self, number: int, tid: int) -> Iterator[Item]:
        if tid in self._tids:
            yield from self.end_sample()
        else:
            self._end_thread()
        self._tids.add(tid)
        self.samples.first = self.samples.first or number
        self._tid = tid
        self._thread: list[Frame] = []
        self._first = self._last = number

    def _end_thread(self) -> None:
        tid, self._tid = self._tid, None
        if tid is None:
            return
        if not self._thread:
            self._empty.append(self._first)
            return
        stack, frames = self._stacks.intern(self._thread)
        group = self.samples.group(stack, frames, self._first, self._last)
        group.threads.append(StackThread(lwp=tid))

    def _frame(self, line: str) -> Frame | None:
        frame = self._frames_of.get(line)
        if frame is None and (read := _whole_frame(line)):
            frame = read[0]
            if len(self._frames_of) >= 4 * _MOST_KNOWN:
                self._frames_of.clear()
            self._frames_of[line] = frame
        return frame


def _whole_frame(line: str) -> tuple[Frame, tuple[str, ...]] | None:
    match = _FRAME.match(line)
    if not match:
        return None
    text = (match["rest"] or match["bare"] or "").rstrip()
    library = source = None
    if module := _MODULE.search(text):
        text = text[: module.start()]
        source = module["source"]
        # The program itself is no library: gdb does not name it either.
        library = module["module"] if ".so" in module["module"] else None
    frame = Frame(function=bare_function(text, library), library=library)
    return (_with_source(frame, f" {source}") if source else frame), ()


def _is_detail(line: str) -> bool:
    return line.startswith((" ", "\t")) and bool(_SOURCE.match(line) or _BUILD_ID.match(line))


def _with_source(frame: Frame, line: str) -> Frame:
    match = _SOURCE.match(line)
    if not match:
        return frame
    return Frame(
        function=frame.function,
        file=match["file"],
        line=int(match["line"]),
        library=frame.library,
    )
