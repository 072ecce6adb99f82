"""Read bytes as blocks of whole lines, some MiB at a time, and index where each line begins.

The receipt and the raw viewer need the exact bytes of any range of lines and the offset of every
256th line. An offset per line would cost 600 MB for a file of 5 GB. So only the index is kept; a
line between two of its entries is counted on demand: in the last blocks, which are kept, or by
reading 256 lines of the stream again.

Lines:  end at LF or, where the caller says so, at CR; in UTF-16 at an aligned one. A line beyond
        MAX_LINE_BYTES is a block of its own, cut to that size, or several when
        ``keep_long_lines`` is set.
Units:  offsets and sizes in bytes of the artifact, lines 1-based.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

BLOCK_BYTES = 2 * 1024 * 1024
MAX_LINE_BYTES = 1024 * 1024
INDEX_EVERY = 256
"""``line_index[i]`` is the offset of line ``i * 256 + 1``."""

_FEW = 32
"""Requests for lines of a block before all of its line starts are listed."""

_LONG_LINES = 32
"""Average line length in bytes from which jumping between line ends is faster than counting."""

_RECENT_BYTES = 32 * 1024 * 1024
_RECENT_BYTES_OF_SEEKABLE = 4 * 1024 * 1024
"""Used when lines can be read again. Reusing memory saves requests to the kernel, which are a tenth
of the time to read 30 MB of backtraces."""
_MOST_AGAIN = 32 * 1024 * 1024
_HALF = MAX_LINE_BYTES // 2


class Source(Protocol):
    """The byte stream that ``Blocks`` reads."""

    def read(self, size: int, /) -> bytes: ...

    def read_parts(self, size: int, /) -> list[bytes]:
        """Read bytes like ``read``, as the parts in which they came; no part is empty."""
        ...

    @property
    def can_go_back(self) -> bool:
        """Whether ``read_at`` can return bytes."""
        ...

    def read_at(self, offset: int, size: int, /) -> bytes | None:
        """Read bytes at an earlier offset; None when the stream cannot seek."""


@dataclass(slots=True)
class Block:
    """Whole lines, each with its terminator (also the last of a file that has none)."""

    first: int
    offset: int
    size: int
    """Bytes of the artifact."""
    data: bytes
    long: bool = False
    """The first MAX_LINE_BYTES of a line that is longer (``size``), or a later piece of it."""
    lines: int = 1
    """0 for the later pieces of a long line."""
    requests: int = 0
    starts: list[int] | None = None
    """Where each line begins in ``data``: listed after several requests for a line inside."""


class Blocks:
    """Yields the blocks of one artifact, once, in order, and finds the offsets of lines."""

    def __init__(self, source: Source, newline: bytes) -> None:
        self.bytes_read = 0
        self.lines = 0
        self.line_index: list[int] = []
        self._source = source
        self._newline = newline
        self._size = BLOCK_BYTES
        self.keep_long_lines = False
        """Give a line beyond MAX_LINE_BYTES in pieces instead of cutting it."""
        self._average = 64.0
        self._recent: deque[Block] = deque()
        self._recent_bytes = 0
        self._most_recent_bytes = (
            min(_RECENT_BYTES, _RECENT_BYTES_OF_SEEKABLE) if source.can_go_back else _RECENT_BYTES
        )

    def __iter__(self) -> Iterator[Block]:
        rest = b""
        while parts := self._source.read_parts(self._size):
            if len(self._newline) == 1 and (end := parts[-1].rfind(self._newline) + 1):
                last = parts.pop()
                data = b"".join((rest, *parts, last[:end]))  # copied once
                rest = last[end:]
                yield from self._whole_lines(data)
                continue
            data = b"".join((rest, *parts))
            end = _rfind(data, self._newline)
            if end:
                rest = data[end:]
                yield from self._whole_lines(data[:end])
            elif len(data) <= MAX_LINE_BYTES:
                rest = data
            else:
                rest = yield from self._long_line(data)
        yield from self._whole_lines(rest)

    def line_offset(self, line: int) -> int:
        """Return the offset of a line that was passed; for the line after the last, the end of it.

        Exact for the last 32 MiB, and anywhere when the stream can seek; otherwise the offset of
        the indexed line before it.
        """
        if line > self.lines:
            return self.bytes_read
        for block in reversed(self._recent):
            if block.first <= line:
                if line == block.first:
                    return block.offset
                if line >= block.first + block.lines:
                    return block.offset + block.size
                return block.offset + self._inside(block, line)
        at, steps = divmod(line - 1, INDEX_EVERY)
        start = self.line_index[at]
        if not steps:
            return start
        end = self.line_index[at + 1] if at + 1 < len(self.line_index) else self.bytes_read
        data = self._source.read_at(start, end - start) if end - start <= _MOST_AGAIN else None
        if data is None:
            return start
        return start + next(islice(_starts(data, self._newline), steps, None), 0)

    def _inside(self, block: Block, line: int) -> int:
        """Find where a line begins in a block, after many requests by a list of all lines."""
        if block.starts is None and block.requests < _FEW:
            block.requests += 1
            at, steps = divmod(line - 1, INDEX_EVERY)
            start = self.line_index[at] - block.offset
            if start < 0:
                start, steps = 0, line - block.first
            for _ in range(steps):
                start = _find(block.data, self._newline, start, len(block.data))
                start += len(self._newline)
            return start
        if block.starts is None:
            block.starts = list(_starts(block.data, self._newline))
        return block.starts[line - block.first]

    def _whole_lines(self, data: bytes) -> Iterator[Block]:
        """Yield whole lines as a block, or more around a line that is too long."""
        while (at := self._first_long_line(data)) is not None:
            if at:
                yield self._block(data[:at])
            data = yield from self._long_line(data[at:])
        if data:
            yield self._block(data)

    def _first_long_line(self, data: bytes) -> int | None:
        newline = self._newline
        # A line beyond the limit covers at least one of these windows from end to end.
        if all(
            _find(data, newline, at, at + _HALF) >= 0
            for at in range(0, len(data) - _HALF + 1, _HALF)
        ):
            return None
        at = 0
        while at < len(data):
            stop = _find(data, newline, at, len(data))
            if (len(data) if stop < 0 else stop) - at > MAX_LINE_BYTES:
                return at
            at = len(data) if stop < 0 else stop + len(newline)
        return None

    def _long_line(self, data: bytes) -> Generator[Block, None, bytes]:
        """Yield a line beyond the limit, cut or in pieces; return what follows it."""
        line: Block | None = None
        rest = b""
        for piece, rest in self._pieces(data):  # noqa: B007  # returned
            if line is None:
                line = part = self._block(piece, long=True)
            else:
                part = Block(line.first, self.bytes_read, len(piece), self._ended(piece), True, 0)
                line.size += len(piece)
                self.bytes_read += len(piece)
            if self.keep_long_lines:
                yield part
        if line and not self.keep_long_lines:
            yield line
        return rest

    def _pieces(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Yield the first line of data, MAX_LINE_BYTES at a time, and what follows it."""
        while (stop := _find(data, self._newline, 0, len(data))) < 0:
            while len(data) > MAX_LINE_BYTES:
                end = self._character(data)
                yield data[:end], b""
                data = data[end:]
            more = self._source.read(self._size)
            if not more:
                break
            data += more
        end = len(data) if stop < 0 else stop + len(self._newline)
        line, rest = data[:end], data[end:]
        while len(line) > MAX_LINE_BYTES:
            end = self._character(line)
            yield line[:end], b""
            line = line[end:]
        yield line, rest

    def _character(self, data: bytes) -> int:
        """Return where the last whole character within MAX_LINE_BYTES ends."""
        end = MAX_LINE_BYTES
        if len(self._newline) == 1:
            while end > MAX_LINE_BYTES - 4 and data[end] & 0xC0 == 0x80:
                end -= 1
            return end
        high = data[end - 1 if self._newline[0] else end - 2]
        return end - 2 if 0xD8 <= high <= 0xDB else end

    def _ended(self, data: bytes) -> bytes:
        width = len(self._newline)
        if len(data) % width:  # the file ends inside a UTF-16 character
            data = data[:-1] + "\ufffd".encode("utf-16-le" if self._newline[0] else "utf-16-be")
        return data if data.endswith(self._newline) else data + self._newline

    def _block(self, data: bytes, *, long: bool = False) -> Block:
        """Build the next block and record it in the index."""
        block = Block(self.lines + 1, self.bytes_read, len(data), self._ended(data), long)
        if not long:
            block.lines = self._count(block)
        elif self.lines % INDEX_EVERY == 0:
            self.line_index.append(block.offset)
        self.lines += block.lines
        self.bytes_read += block.size
        self._average = max(1.0, len(block.data) / block.lines)
        self._recent.append(block)
        self._recent_bytes += len(block.data)
        while self._recent_bytes > self._most_recent_bytes and len(self._recent) > 1:
            self._recent_bytes -= len(self._recent.popleft().data)
        return block

    def _count(self, block: Block) -> int:
        """Count the lines of a block and index every 256th."""
        need = -self.lines % INDEX_EVERY
        if len(self._newline) > 1:
            block.starts = list(_starts(block.data, self._newline))
            self.line_index += [block.offset + at for at in block.starts[need::INDEX_EVERY]]
            return len(block.starts)
        at = lines = 0
        data = block.data
        while True:
            count, at = self._skip(data, at, need)
            lines += count
            if count < need or at == len(data):
                return lines
            self.line_index.append(block.offset + at)
            need = INDEX_EVERY

    def _skip(self, data: bytes, at: int, need: int) -> tuple[int, int]:
        """Pass up to ``need`` line ends; return how many, and where the last of them ended.

        Counting is many times faster than searching: jump by the average, count, search for the
        rest.
        """
        count = 0
        average = self._average
        while need - count > 16:
            jump = int((need - count) * average * 0.8)
            passed = _line_ends(data, self._newline, at, at + jump, average)
            if count + passed >= need or at + jump >= len(data):
                average *= 0.5
                if jump < 64:
                    break
                continue
            count += passed
            at += jump
            average = max(average * 0.5, jump / (passed + 1))
        while count < need:
            end = data.find(self._newline, at) + 1
            if not end:
                break
            at = end
            count += 1
        return count, at


def _line_ends(data: bytes, newline: bytes, start: int, end: int, average: float) -> int:
    """Count line ends. ``count`` reads every byte; ``replace`` jumps from one match to the next."""
    if average < _LONG_LINES:
        return data.count(newline, start, end)
    part = data[start:end]
    return len(part) - len(part.replace(newline, b""))


def _find(data: bytes, newline: bytes, start: int, end: int) -> int:
    at = data.find(newline, start, end)
    while at >= 0 and at % len(newline):
        at = data.find(newline, at + 1, end)
    return at


def _rfind(data: bytes, newline: bytes) -> int:
    """Return where the last whole line ends; 0 when there is none."""
    at = data.rfind(newline)
    while at >= 0 and at % len(newline):
        at = data.rfind(newline, 0, at + len(newline) - 1)
    return at + len(newline) if at >= 0 else 0


def _starts(data: bytes, newline: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        yield at
        at = _find(data, newline, at, len(data)) + len(newline)
        if at < len(newline):
            return
