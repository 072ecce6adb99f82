"""gdb ``thread apply all bt`` (also ``bt``, ``bt full``, pstack, pt-stalk's -stacktrace).

Source: thread_apply_all_command(), gdb/thread.c; print_frame(), gdb/stack.c (gdb 6 to 16);
        pt-eustack-resolver prints the same shape with file:line:column.
Yields: per sample one Snapshot, one Stack per distinct stack with its threads (in order of first
        appearance, lines of its first thread), and the number of threads as series stacks.threads.
Units:  none. There is no time in the file except pt-stalk's TS lines, and the dates that people
        print above a sample.
Note:   gdb's thread numbers count down to 1 and mean nothing across captures. The join keys are
        pthread (``Thread 0x7f...``; decimal in very old gdb) and LWP (the kernel thread id).
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Generator, Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading import pt_stalk_samples
from pileup.formats.reading.date_lines import read_date_line
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.stacks.parts.function_names import gdb_frame, open_parentheses
from pileup.formats.stacks.parts.known_shapes import BLANK, Shape, Shapes
from pileup.formats.stacks.parts.samples import StackSamples, notice
from pileup.records import (
    UINT64_MAX,
    Frame,
    Item,
    Problem,
    Skipped,
    StackThread,
)

NAME = "gdb"
TITLE = "gdb thread apply all bt"
GIVES = (
    "Stacks with their threads (pthread, LWP, name), file:line and latch addresses; "
    "`stacks.threads`."
)
PRINTED_BY = (
    "gdb 6 to 16: `thread apply all bt`, `bt`, `bt full`, `info threads`; pstack, quickstack, "
    "pt-eustack-resolver; lldb, `coredumpctl info`"
)
VERSION = 7
LINE_STARTS = r"#\d{1,5} |Thread \d{1,18} \(|\[(?:New|Switching|Thread|Inferior)"
HINTS = ("-stacktrace",)

# Thread 362 (Thread 0x410c8940 (LWP 20816)):
# Thread 2408 (Thread 1098357056 (LWP 5557)):            (decimal: gdb 6)
# Thread 42 (Thread 0x7f274d19f640 (LWP 3772082) "connection"):
# Thread 1 (process 1234):          Thread 3441765 (LWP 3441765):
# Thread 0x7f274d19f640 (LWP 3772082):          (quickstack)
_THREAD = re.compile(
    r"(?:\(gdb\) )?Thread (?:(?P<number>\d{1,18})|(?P<handle>0x[0-9a-fA-F]{1,16})) \("
    r"(?:Thread (?P<pthread>0x[0-9a-fA-F]{1,16}|\d{1,20}))?\s*"
    r"(?:\(?(?:LWP|process) (?P<lwp>\d{1,18})\)?)?"
    r"(?: (?:\"(?P<name>.*)\"|\([^)]*\)))?\):?\s*$"
)
_COMMON_HEADER = re.compile(
    rb"(\d{1,18}) \((?:Thread (0x[0-9a-fA-F]{1,16}|\d{1,20}) \()?(?:LWP|process) (\d{1,18})\)?"
    rb'(?: "([^"\n]*)")?\):\n'
)
_NEXT_THREAD = b"\nThread "
# What only the slow reader can read: anything but frames, a second stack, a pager's line.
_NOT_PLAIN = re.compile(rb"\A[^#]|\n[^#\n]|\n#0+\s|Type <")
_AFTER_STACK = re.compile(rb"\n(?=[\n\[])")
_MORE_THAN_CHATTER = re.compile(rb"\A[^\[\n]|\n[^\[\n]")
_FRAME = re.compile(r"#(?P<level>\d+)\s+(?:(?:0x[0-9a-fA-F]+ )?in )?(?P<text>.*)")
_BARE_ADDRESS = re.compile(r"0x[0-9a-fA-F]+$")
_PAGER = re.compile(r"--?-?Type <(?:return|RET)>.{0,80}?(?:quit---|without paging--)")
_STOPPED = re.compile(r"Backtrace stopped|Cannot access memory|\(More stack frames follow")
# * 1    Thread 0x7f6443cbd740 (LWP 419717) "mysqld" 0x00007f64 in poll () from libc.so.6
_ROW_OF_THREADS = re.compile(
    r"[* ] {0,6}(?P<number>\d{1,9}) +(?P<ids>Thread 0x[0-9a-f]{1,16} \(LWP \d{1,18}\)"
    r"(?: \"[^\"]{0,64}\")?) +(?P<frame>(?:0x[0-9a-f]{1,16} in )?[^\s\"(][^\n]{0,4000}? \(.*)"
)
"""A row of ``info threads``: a thread with its innermost frame."""
# Messages of gdb before, between and after stacks. "29\t../sysdeps/..." is the current source line.
_CHATTER = re.compile(
    r"\[|Using host |warning: |Downloading |\(no debugging|Reading symbols|Loaded symbols|done\.|"
    r"Attaching to|Detaching from|Symbol |0x[0-9a-f]+ in |\d+\t|\(gdb\)|No symbol table|No locals|"
    r"GNU gdb|Copyright |License |This GDB|There is NO|Type \"|For (?:bug|help)|Missing separate|"
    r"Try: |Core was generated|Program terminated|Excess command|A debugging session|"
    r"Find the GDB|and \"show|Quit anyway|Inferior |ptrace: |Enable debuginfod|debuginfod|"
    r"To make this"
)
_SNIFF_THREAD = re.compile(
    r"^(?:\(gdb\) )?Thread (?:\d+|0x[0-9a-f]+) "
    r"\((?:Thread (?:0x[0-9a-fA-F]+|\d+)|LWP \d+|process \d+)",
    re.MULTILINE,
)
# A frame of a plain ``bt``: a space precedes the arguments; eu-stack prints no "in".
_SNIFF_PLAIN = re.compile(r"#0*(?P<level>\d{1,5}) +(?:0x[0-9a-fA-F]+ in )?[^\s#/].* \(")
_SNIFF_PART = re.compile(
    r"^#\d{1,5} +(?:0x[0-9a-f]{1,16} in )?[^\n]{1,2000} \([^\n]{0,2000}\) (?:at \S+:\d|from /?\S)",
    re.MULTILINE,
)
_SNIFF_LEVEL = re.compile(r"^#\d{1,5} .*", re.MULTILINE)
# #0 of gdb, #00 or #01 of quickstack
_SNIFF_FRAME = re.compile(r"^#(?:0?0|01)\s+\S", re.MULTILINE)
# #3  MDL_wait::timed_wait        #4  MDL_context::acquire_lock (this=0x7f) at mdl.cc:3400
_SNIFF_BARE = re.compile(
    r"^#(?P<level>\d{1,5})[ \t]{1,4}(?:(?:0x[0-9a-f]{1,16} )?in )?"
    r"(?P<name>[A-Za-z_~][\w:~<>$@.,*&]{2,300})(?:[ \t]{0,2}\([^\n]{0,2000})?[ \t]*$",
    re.MULTILINE,
)
_SNIFF_PROLOGUE = re.compile(r"^\[New (?:LWP \d+|Thread (?:0x[0-9a-f]+|\d+) )", re.MULTILINE)

_SNIFF_ROW = re.compile(
    r"^[* ] {0,6}\d{1,9} +Thread 0x[0-9a-f]{1,16} \(LWP \d{1,18}\) [^\n]{0,300} \(", re.MULTILINE
)

_ROW_HEAD = 20
_MOST_DIGITS = 18
_MAX_FRAME_CHARS = 64 * 1024
_MAX_FRAMES = 4096
_MAX_ADDRESSES = 256
_MOST_HEADERS = 20_000
_MOST_HEADER = 200
_MOST_FRAMES = 4_000
_MOST_FRAME = 1_000
"""Characters of a frame that is remembered."""
_HEAD_BYTES = 64 * 1024
_MAX_REST = 1024 * 1024
"""Bytes of a thread that are carried from chunk to chunk; a longer thread is read line by line."""


def sniff(head: str) -> bool | None:
    """Return True for thread headers with frames, a plain ``bt``, or the prologue of gdb.

    None for thread headers without a frame.
    """
    if "Thread " in head and _SNIFF_THREAD.search(head):
        return True if _SNIFF_FRAME.search(head) or _are_levels(head) else None
    if " Thread 0x" in head and _SNIFF_ROW.search(head):
        return True
    first = [match[0] for match in itertools.islice(_SNIFF_LEVEL.finditer(head), 6)]
    levels = [int(match["level"]) for match in map(_SNIFF_PLAIN.match, first) if match]
    for level, following in itertools.pairwise(levels):
        # A part of a stack, as bug reports quote it, begins at any level.
        if following == level + 1 and (level == 0 or _SNIFF_PART.search(head)):
            return True
    if "#" in head and _are_levels(head):
        return True
    # Thousands of "[New LWP n]" lines can fill the head before the first stack.
    return head.count("[New ") >= 5 and len(_SNIFF_PROLOGUE.findall(head)) >= 5


def _are_levels(head: str) -> bool:
    """Return whether the head quotes part of a stack: levels in order, each a bare function.

    The names must look like functions of a program, so that numbered remarks are no stack.
    """
    frames = [match for match in itertools.islice(_SNIFF_BARE.finditer(head), 12) if match]
    levels = [int(match["level"]) for match in frames]
    rising = [b == a + 1 for a, b in itertools.pairwise(levels)]
    named = [bool(re.search(r"_|::", match["name"])) for match in frames]
    return sum(rising) >= 2 and all(rising[:2]) and sum(named) * 2 > len(named)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every sample; a TS line, a date, a detach or a repeated thread number ends it.

    Raises FormatError for a file without a stack.
    """
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks of text.

    A thread whose stack is known is read as a whole, all else line by line.
    """
    reader = _Reader()
    reader.part, chunks = _without_thread(iter(chunks))
    rest = b""  # the last thread: its stack may go on in the next chunk
    for chunk in chunks:
        data, stop = chunk.data, len(chunk.data) - 1  # each line has its LF before it
        first = data.find(_NEXT_THREAD, 0, stop)
        until = stop if first < 0 else first
        before = b"".join((rest, b"\n", data[:until]))
        rest = yield from reader.text(before, 0, len(before), whole=until < stop)
        if until < stop:  # the rest is read in place, not copied
            rest = yield from reader.text(data, first, stop)
    for line in _lines(rest):
        yield from reader.next_line(line)
    yield from reader.end()
    if not reader.samples.seen:
        raise FormatError(
            "No stack was found: the file has no 'Thread N (...)' header followed by '#0' frames. "
            "Capture again with: gdb -p PID -batch -ex 'thread apply all bt'."
        )


def _without_thread(chunks: Iterator[Chunk]) -> tuple[bool, Iterator[Chunk]]:
    """Return whether the head of the text names no thread, and an iterator over all chunks."""
    first = []
    head = b""
    for chunk in chunks:
        first.append(chunk)
        head += chunk.data[: _HEAD_BYTES - len(head)]
        if len(head) == _HEAD_BYTES:
            break
    return b"Thread " not in head, itertools.chain(first, chunks)


def _lines(data: bytes) -> list[str]:
    """Split data in which each line follows its line feed."""
    return data.decode().split("\n")[1:]


def _whole_frame(line: str) -> tuple[Frame, tuple[str, ...]] | None:
    match = _FRAME.match(line)
    return _read_frame(match["text"]) if match else None


def _read_frame(text: str) -> tuple[Frame, tuple[str, ...]]:
    return gdb_frame("?? ()" if _BARE_ADDRESS.match(text) else text)


class _Thread:
    """The thread being read."""

    __slots__ = ("addresses", "first", "frames", "header", "last")

    def __init__(self, first: int, header: StackThread | None) -> None:
        self.first = first
        self.last = first
        self.header = header
        self.frames: list[Frame] = []
        self.addresses: list[str] = []


class _Reader:
    def __init__(self) -> None:
        self.samples = StackSamples()
        self.part = False
        """Whether the text has frames and no thread: a part of a stack may begin at any level."""
        self._is_first = True
        """No header of a thread was read: frames in front of it are the end of another."""
        self._thread: _Thread | None = None
        self._level = -1
        self._frame: list[str] = []
        self._frame_size = 0
        self._open = 0
        self.shapes = Shapes(_whole_frame)
        self._number = 0  # of the last line that was read
        self._headers: dict[bytes, tuple[int, StackThread]] = {}  # recent headers by text
        self._frames: dict[str, tuple[Frame, tuple[str, ...]]] = {}  # recent frames by text
        self._new_sample()

    def _new_sample(self) -> None:
        if self.shapes.full:
            self.shapes.forget()
        self._numbers: set[int] = set()
        self._previous: int | None = None
        self._counts_down = True
        self._stopped: list[int] = []
        self._empty: list[int] = []

    def text(
        self, data: bytes, at: int, stop: int, *, whole: bool = False
    ) -> Generator[Item, None, bytes]:
        """Read the lines of data[at:stop], each with its LF before it.

        Returns the last thread unread if it may continue, which a ``whole`` text does not.
        """
        first = data.find(_NEXT_THREAD, at, stop)
        for line in _lines(data[at : stop if first < 0 else first]):
            yield from self.next_line(line)
        at = stop if first < 0 else first
        while at < stop:
            at = self._known_threads(data, at, stop)
            if at == stop:
                break
            begin = at + len(_NEXT_THREAD)
            body = data.find(b"\n", begin, stop) + 1
            end = data.find(_NEXT_THREAD, begin, stop)
            if end < 0:
                if not whole and stop - at < _MAX_REST:
                    return data[at:stop]
                end = stop
            yield from self._thread_text(data, at, body, end)
            at = end
        return b""

    def next_line(self, line: str) -> Iterator[Item]:
        """Read the next line, whose number follows the last one that was read."""
        self._number += 1
        return self._line(self._number, line)

    def _line(self, number: int, line: str) -> Iterator[Item]:
        if "Type <" in line:
            line = _PAGER.sub("", line)
        if line.startswith("#"):
            yield from self._frame_line(number, line)
        elif line.startswith(("Thread ", "(gdb) Thread ")):
            yield from self._thread_line(number, line)
        elif " Thread 0x" in line[:_ROW_HEAD] and (row := _ROW_OF_THREADS.match(line)):
            yield from self._thread_line(number, f"Thread {row['number']} ({row['ids']}):")
            yield from self._frame_line(number, f"#0  {row['frame']}")
        elif line.startswith((" ", "\t")):
            self._continuation(number, line)
        elif line.startswith("TS ") and (time := pt_stalk_samples.read_ts(line)):
            yield from self._end_sample()
            yield from self.samples.at(number, time)
        elif not line.strip():
            self._end_frame()
        else:
            yield from self._other(number, line)

    def end(self) -> Iterator[Item]:
        number = self._number
        if self._thread and self._frame and self._open > 0:
            yield Problem(number, "The file ends inside a stack frame.")
        yield from self._end_sample(at_end_of_file=True)

    def _thread_line(self, number: int, line: str) -> Iterator[Item]:
        match = _THREAD.match(line)
        if not match:
            self._end_thread()
            yield Problem(
                number,
                "Not a readable thread header; its stack was left out.",
                expected='Thread N (Thread 0x... (LWP n) "name"):',
                found=line[:200],
            )
            yield Skipped(number, number, "damaged thread header")
            return
        pthread = match["pthread"] or match["handle"]
        thread = None if match["handle"] else int(match["number"])
        yield from self._begin_thread(number, int(pthread, 16) if thread is None else thread)
        header = StackThread(
            number=thread,
            pthread=_pthread(pthread),
            lwp=int(match["lwp"]) if match["lwp"] else None,
            name=match["name"],
        )
        self._thread = _Thread(number, header)

    def _header(self, text: bytes) -> tuple[int, StackThread] | None:
        """Parse a thread's header of the common form: its number, and the thread without stack."""
        match = _COMMON_HEADER.fullmatch(text)
        if not match:
            return None
        number, pthread, lwp, name = match.groups()
        thread = StackThread(
            number=int(number),
            pthread=_pthread(None if pthread is None else pthread.decode()),
            lwp=int(lwp),
            name=None if name is None else sys.intern(name.decode()),
        )
        if len(self._headers) >= _MOST_HEADERS:
            self._headers.clear()
        if len(text) <= _MOST_HEADER:
            self._headers[text] = int(number), thread
        return int(number), thread

    def _known_threads(self, data: bytes, at: int, stop: int) -> int:
        """Read threads of this sample from ``at`` on while their stacks are known.

        The result is the same as when their lines are read one by one. Returns the offset of the
        next thread. Parsing gigabytes of backtraces spends its time here: this loop makes as few
        calls as possible.
        """
        number, numbers, previous = self._number, self._numbers, self._previous
        if self._thread or previous is None:
            return at
        find, starts_with, get_header = data.find, data.startswith, self._headers.get
        groups, group, last = self.samples.groups, self.samples.group, self.samples.last
        shapes, after = self.shapes, self.shapes.after
        skip = len(_NEXT_THREAD)
        length = 0  # of the last header: most have the same length
        while at < stop:
            begin = at + skip
            body = begin + length
            header = get_header(data[begin:body])
            if header is None:
                body = find(b"\n", begin, stop) + 1
                header = get_header(data[begin:body]) or self._header(data[begin:body])
            if header is None or header[0] in numbers:
                break
            length = body - begin
            for shape in after:
                if (
                    starts_with(_NEXT_THREAD, body + shape.size)
                    and shape.same(data, body) == shape.constant
                    and b"".join(shape.varied(data, body)).translate(BLANK) == shape.blanked
                ):
                    if shape is not after[0]:  # tried first the next time: halves the comparisons
                        after.remove(shape)
                        after.appendleft(shape)
                    after = shape.after
                    break
            else:
                shapes.after = after
                end = find(_NEXT_THREAD, body, stop)
                match = shapes.find(data[body:end]) if end >= 0 else None
                if match is None:
                    break
                shape, after = match, shapes.after
            thread, stack_thread = header
            numbers.add(thread)
            if thread != previous - 1:
                self._counts_down = False
            previous = thread
            last = number + 1 + shape.last
            item = groups.get(shape.stack) or group(shape.stack, shape.frames, number + 1, last)
            item.threads.append(stack_thread)
            for address in shape.latches(data, body):
                item.addresses[address] = None
            number += shape.lines + 2
            at = body + shape.size
        shapes.after = after
        self.samples.last = last
        self._previous = previous
        self._number = number
        return at

    def _thread_text(self, data: bytes, at: int, start: int, end: int) -> Iterator[Item]:
        """Read a thread at ``data[at:end]``, whose frames begin at ``start``.

        The last thread of a sample is followed by messages of gdb.
        """
        text = data[at + len(_NEXT_THREAD) : start]
        if header := self._headers.get(text) or self._header(text):
            body, tail = data[start:end], b""
            shape = self.shapes.find(body)
            if shape is None and (last := _AFTER_STACK.search(body)):
                body, tail = body[: last.start() + 1], body[last.start() + 1 :]
                shape = self.shapes.find(body)
            if shape and not _MORE_THAN_CHATTER.search(tail):
                yield from self._known_thread(header, body, shape)
                for line in tail.decode().split("\n"):  # what follows the last LF, at least
                    yield from self.next_line(line)
                return
            if shape is None and not _NOT_PLAIN.search(body):
                self.shapes.learn(body)
        for line in _lines(data[at:end]):
            yield from self.next_line(line)

    def _known_thread(
        self, header: tuple[int, StackThread], body: bytes, shape: Shape
    ) -> Iterable[Item]:
        """Count a thread whose stack is known; return the records of the sample that it ends.

        The result is the same as when its lines are read one by one.
        """
        number = self._number + 1
        done = self._begin_thread(number, header[0])
        group = self.samples.group(shape.stack, shape.frames, number, number + shape.last)
        group.threads.append(header[1])
        group.addresses.update(dict.fromkeys(shape.latches(body, 0)))
        self._number += shape.lines + 1
        return done

    @property
    def _may_be_part(self) -> bool:
        """Whether a stack may begin at any level."""
        return self.part or self._is_first

    def _begin_thread(self, number: int, thread: int) -> Iterable[Item]:
        """End the previous thread; return the records of its sample if a new sample begins."""
        self._is_first = False
        done: Iterable[Item] = ()
        if thread in self._numbers:
            done = list(self._end_sample())
        elif self._thread:
            self._end_thread()
        self._numbers.add(thread)
        if self._previous is not None and thread != self._previous - 1:
            self._counts_down = False
        self._previous = thread
        self.samples.first = self.samples.first or number
        return done

    def _frame_line(self, number: int, line: str) -> Iterator[Item]:
        match = _FRAME.match(line)
        if not match:
            yield from self._other(number, line)
            return
        self._end_frame()
        level = int(match["level"][:_MOST_DIGITS])
        if (level == 0 or (self.part and level <= self._level)) and (
            not self._thread or self._thread.frames
        ):
            # "#0" without a header: a plain ``bt``, the frame shown at attach, a lost header.
            # Parts of several stacks: each begins where the level falls.
            self._end_thread()
            if level == 0 or self.samples.first:
                self._thread = _Thread(number, None)
                self.samples.first = self.samples.first or number
        self._level = level
        if self._thread is None and self._may_be_part and not self.samples.first:
            yield Problem(
                number,
                f"The stack begins at frame {match['level']}: the innermost frames "
                "are not in the file.",
            )
            self._thread = _Thread(number, None)
            self.samples.first = number
        if self._thread is None:
            yield Skipped(number, number, "a frame without its thread")
            return
        self._frame = [match["text"][:_MAX_FRAME_CHARS]]
        self._frame_size = len(line)
        self._open = open_parentheses(match["text"])
        self._thread.last = number

    def _continuation(self, number: int, line: str) -> None:
        """Read the rest of a wrapped frame, or skip a local variable of ``bt full``."""
        if not self._frame or self._thread is None:
            return
        text = line.strip()
        self._thread.last = number
        wrapped = text.startswith(("at ", "from ")) or self._open > 0
        if wrapped and self._frame_size < _MAX_FRAME_CHARS:
            self._frame.append(" " + text)
            self._frame_size += len(text)
            self._open += open_parentheses(text)
        else:
            self._end_frame()

    def _other(self, number: int, line: str) -> Iterator[Item]:
        if _STOPPED.match(line):
            self._end_frame()
            self._stopped.append(number)
            if self._thread:
                self._thread.last = number
        elif line.startswith("[Inferior ") and line.rstrip().endswith("detached]"):
            yield from self._end_sample()
        elif _CHATTER.match(line):
            self._end_frame()
        elif self._frame and self._open > 0:
            self._continuation(number, " " + line)  # a string argument with a newline in it
        elif date := read_date_line(line):
            yield from self._end_sample()
            self.samples.dated(date)
        else:
            self._end_frame()
            yield Skipped(number, number, "not part of a stack")

    def _end_frame(self) -> None:
        if not self._frame or self._thread is None:
            self._frame = []
            return
        text = "".join(self._frame)
        self._frame = []
        if len(self._thread.frames) >= _MAX_FRAMES:
            return
        frame, addresses = self._read_frame(text)
        self._thread.frames.append(frame)
        self._thread.addresses.extend(addresses)

    def _read_frame(self, text: str) -> tuple[Frame, tuple[str, ...]]:
        read = self._frames.get(text)
        if read is None:
            read = _read_frame(text)
            if len(text) <= _MOST_FRAME:
                if len(self._frames) >= _MOST_FRAMES:
                    self._frames.clear()
                self._frames[text] = read
        return read

    def _end_thread(self) -> None:
        self._end_frame()
        thread, self._thread = self._thread, None
        if thread is None:
            return
        if not thread.frames:
            self._empty.append(thread.first)
            return
        if thread.header is None and len(thread.frames) == 1:
            return  # the current frame that gdb prints when it attaches
        stack, frames = self.shapes.intern(thread.frames)
        group = self.samples.group(stack, frames, thread.first, thread.last)
        group.threads.append(thread.header or StackThread())
        group.addresses.update(dict.fromkeys(map(str.encode, thread.addresses)))

    def _end_sample(self, *, at_end_of_file: bool = False) -> Iterator[Item]:
        self._end_thread()
        counted = self._counts_down and self.samples.threads >= 2 and self._previous is not None
        complete = not (counted and self._previous and self._previous > 1)
        threads, last = self.samples.threads, self.samples.last
        yield from self.samples.end(complete=complete)
        if not threads and not self._empty:
            self._new_sample()
            return
        if threads and not complete and at_end_of_file:
            lost = (self._previous or 1) - 1
            yield Problem(
                last,
                f"The file ends after thread {self._previous}: gdb counts down to 1, so {lost} "
                "threads are missing. Counts of stacks are too low.",
            )
        if self._stopped:
            yield notice(
                self._stopped, "gdb could not follow the stack to its end (corrupt or stripped)"
            )
        if self._empty:
            yield notice(self._empty, "A thread header without any frame; the thread was left out")
        self._new_sample()


def _pthread(text: str | None) -> int | None:
    """Parse a thread's handle: hexadecimal after 0x, decimal in very old gdb (zeros may lead)."""
    return None if text is None else _uint64(int(text, 16 if text.startswith("0x") else 10))


def _uint64(value: int | None) -> int | None:
    return value if value is not None and value <= UINT64_MAX else None
