"""Read raw lines of a blob by number, without reading the file before them.

Lines end at LF (CR LF is shown without the CR), or at CR as in ``line_end``, in the file's own
encoding: UTF-8, or UTF-16 where a byte order mark or the pattern of zero bytes says so; what does
not decode becomes U+FFFD.

Reads: a page reads the blocks of 256 lines that it touches, a search up to ``BUDGET`` bytes and the
rest of the line in which they end. A block with a giant line is walked once and remembered.
"""

from __future__ import annotations

import codecs
import functools
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import AnyStr, BinaryIO

from pileup.formats.reading.text import HEAD_BYTES, encoding_of, line_end

EVERY = 256
"""The index holds the byte offset of lines 1, 257, 513, ..."""

CUT = 4000
"""Bytes of one line that a page shows (twice that in UTF-16)."""

PAGE = 300_000
"""Characters of one page: when its lines are long, each is cut earlier."""

PIECE = 100_000
"""Bytes of a giant line in one response at most."""

BUDGET = 64 * 1024 * 1024
"""Bytes that one search reads before it returns its progress."""

CONTEXT = 120
"""Bytes before and after a hit that are shown of its line."""

_CHUNK = 1024 * 1024
_BACK = 8 * _CHUNK
_OVERLAP = 2048
"""Bytes of a giant line that two pieces share: a searched text is shorter."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A line of which only the beginning is included."""

    line: int
    shown: int
    """Bytes; where the next piece begins."""
    bytes: int


@dataclass(frozen=True, slots=True)
class Page:
    lines: list[str]
    cut: list[Cut]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of one line."""

    text: str
    first: int
    end: int
    """Bytes from the line's beginning, half open."""
    bytes: int
    """Of the whole line."""


@dataclass(frozen=True, slots=True)
class Hit:
    line: int
    text: str
    """The line around the hit, cut where it is long."""


@dataclass(frozen=True, slots=True)
class Hits:
    hits: list[Hit]
    resume: int | None
    """The line at which a search goes on; None when it came to the end of the file."""


def index_lines(path: Path) -> tuple[list[int], int]:
    """Return the byte offset of every 256th line, and the number of lines."""
    with path.open("rb") as stream:
        _, newline = _encoding(stream)
        stream.seek(0)
        width = len(newline)
        offsets = [0]
        lines = 0
        base = 0
        last_end = 0
        tail = b""
        while chunk := stream.read(_CHUNK):
            data = tail + chunk
            at = data.find(newline)
            while at != -1:
                if width == 2 and (base + at) % 2:
                    at = data.find(newline, at + 1)
                    continue
                lines += 1
                last_end = base + at + width
                if lines % EVERY == 0:
                    offsets.append(last_end)
                at = data.find(newline, at + width)
            keep = width - 1
            tail = data[len(data) - keep :] if keep else b""
            base += len(data) - len(tail)
        size = base + len(tail)
    if last_end < size:
        lines += 1  # the last line has no line end
    elif len(offsets) > 1 and offsets[-1] == size:
        offsets.pop()
    return offsets, lines


class LineReader:
    """Reader of one blob's lines, with its index and number of lines."""

    def __init__(self, path: Path, index: Sequence[int], total_lines: int) -> None:
        self._path = path
        self._index = index or [0]
        self.total_lines = total_lines

    def page(self, first: int, count: int) -> Page:
        """Return lines ``first`` to ``first + count - 1``, as far as they exist."""
        lines: list[str] = []
        cut: list[Cut] = []
        with self._path.open("rb") as stream:
            encoding, newline = _encoding(stream)
            width = len(newline)
            spans = list(self._spans(newline, first, count))
            most = CUT * width
            if sum(min(end - begin, most) for begin, end in spans) > PAGE * width:
                most = max(200, PAGE // len(spans)) * width
            for number, span in enumerate(spans, start=first):
                piece = _piece(stream, encoding, newline, span, 0, most)
                if piece.end < piece.bytes:
                    cut.append(Cut(number, piece.end, piece.bytes))
                lines.append(piece.text)
        return Page(lines, cut)

    def piece(self, line: int, first: int = 0, most: int = PIECE) -> Piece | None:
        """Return up to ``most`` bytes of one line from ``first`` on; None without such a line."""
        with self._path.open("rb") as stream:
            encoding, newline = _encoding(stream)
            for span in self._spans(newline, line, 1):
                return _piece(stream, encoding, newline, span, first, min(most, PIECE))
        return None

    def excerpt(self, first: int, last: int) -> list[str]:
        """Return the text of lines ``first`` to ``last``, both included."""
        return self.page(first, last - first + 1).lines

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the byte range, half-open, of lines ``first`` to ``last`` with their line ends."""
        with self._path.open("rb") as stream:
            _, newline = _encoding(stream)
        begin = next(self._spans(newline, first, 1), None)
        end = next(self._spans(newline, min(last, self.total_lines), 1), None)
        return (begin[0], end[1]) if begin and end else None

    def search(self, wanted: str, first: int, limit: int, budget: int = BUDGET) -> Hits:
        """Find lines from ``first`` on that contain the text, whatever its case."""
        hits: list[Hit] = []
        read = 0
        for batch in self._batches(wanted, first):
            for line, at in batch.hits():
                if hits and hits[-1].line == line:
                    continue  # a giant line comes in pieces
                if len(hits) == limit:
                    return Hits(hits, line)
                hits.append(Hit(line, batch.excerpt(at)))
            read += len(batch.data)
            if read >= budget and batch.whole and batch.next_line <= self.total_lines:
                return Hits(hits, batch.next_line)
        return Hits(hits, None)

    def search_back(self, wanted: str, before: int, budget: int = BUDGET) -> Hits:
        """Find the last line above ``before`` that contains the text."""
        end = min(before, self.total_lines + 1)
        read = 0
        while end > 1:
            first = self._window_above(end)
            last: tuple[int, str] | None = None
            for batch in self._batches(wanted, first):
                for line, at in batch.hits():
                    if line < end:
                        last = (line, batch.excerpt(at))
                read += len(batch.data)
                if batch.next_line >= end:
                    break
            if last is not None:
                return Hits([Hit(*last)], None)
            end = first
            if read >= budget and end > 1:
                return Hits([], end)
        return Hits([], None)

    def _window_above(self, end: int) -> int:
        """Return an indexed line some megabytes above this one."""
        step = min((end - 2) // EVERY, len(self._index) - 1)
        first = step
        while first > 0 and self._index[step] - self._index[first] < _BACK:
            first -= 1
        return first * EVERY + 1

    def _spans(self, newline: bytes, first: int, count: int) -> Iterator[tuple[int, int]]:
        """Yield begin and end offsets, line end included, of each of these lines."""
        last = min(first + count - 1, self.total_lines)
        line = first
        while line <= last:
            step = min((line - 1) // EVERY, len(self._index) - 1)
            begin = self._index[step]
            end = self._index[step + 1] if step + 1 < len(self._index) else None
            starts = _line_starts(self._path, newline, begin, end)
            at = line - 1 - step * EVERY
            if at + 1 >= len(starts):
                return  # the file has fewer lines than requested
            for place in range(at, min(len(starts) - 1, at + last - line + 1)):
                yield starts[place], starts[place + 1]
                line += 1

    def _batches(self, wanted: str, first: int) -> Iterator[_Batch]:
        """Yield the file from this line on, about a megabyte at a time."""
        with self._path.open("rb") as stream:
            encoding, newline = _encoding(stream)
            span = next(self._spans(newline, first, 1), None)
            if span is None:
                return
            offset = span[0]
            stream.seek(offset)
            number = first
            pending = b""
            while True:
                chunk = stream.read(_CHUNK)
                data = pending + chunk
                if not data:
                    return
                end = _after_last(data, newline, offset) if chunk else len(data)
                if end:
                    batch = _Batch(data[:end], number, True, wanted, encoding, newline)
                    number = batch.next_line
                    pending = data[end:]
                    offset += end
                    yield batch
                elif len(data) > 2 * _CHUNK:  # inside a giant line
                    yield _Batch(data, number, False, wanted, encoding, newline)
                    pending = data[-_OVERLAP:]
                    offset += len(data) - _OVERLAP
                else:
                    pending = data
                if not chunk:
                    return


class _Batch:
    """Whole lines, or a piece of a giant line, to search."""

    def __init__(
        self, data: bytes, first: int, whole: bool, wanted: str, encoding: str, newline: bytes
    ) -> None:
        self.data = data
        self.whole = whole
        self._first = first
        self._encoding = encoding
        self._newline = newline
        self._line_end = newline.decode(encoding)
        self._plain = wanted.isascii() and len(newline) == 1
        """Bytes can be searched as they are: some hundred megabytes a second."""
        self._wanted = wanted
        self._text = "" if self._plain else data.decode(encoding, "replace")
        lines = data.count(newline) if len(newline) == 1 else self._text.count(self._line_end)
        self.next_line = first + lines
        if whole and not data.endswith(newline):
            self.next_line += 1

    def hits(self) -> Iterator[tuple[int, int]]:
        """Yield (line, offset) of the first hit in each line."""
        if self._plain:
            yield from self._places(self.data.lower(), self._wanted.lower().encode(), self._newline)
        else:
            yield from self._places(self._text.casefold(), self._wanted.casefold(), self._line_end)

    def excerpt(self, at: int) -> str:
        """Return the line around an offset, without its line end."""
        if self._plain:
            begin = max(self.data.rfind(self._newline, 0, at) + 1, at - CONTEXT)
            end = self.data.find(self._newline, at, at + 2 * CONTEXT)
            chunk = self.data[begin : end if end != -1 else at + 2 * CONTEXT]
            return chunk.decode(self._encoding, "replace").rstrip("\r")
        begin = max(self._text.rfind(self._line_end, 0, at) + 1, at - CONTEXT)
        return self._text[begin : at + 2 * CONTEXT].partition(self._line_end)[0].rstrip("\r")

    def _places(self, hay: AnyStr, needle: AnyStr, newline: AnyStr) -> Iterator[tuple[int, int]]:
        line = self._first
        counted = 0
        at = hay.find(needle)
        while at != -1:
            line += hay.count(newline, counted, at)
            counted = at
            yield line, at
            end = hay.find(newline, at)
            if end == -1:
                return
            at = hay.find(needle, end)


def _after_last(data: bytes, newline: bytes, offset: int) -> int:
    """Return the offset after the last whole line; 0 when there is none."""
    at = data.rfind(newline)
    while at != -1 and len(newline) == 2 and (offset + at) % 2:
        at = data.rfind(newline, 0, at + 1)
    return at + len(newline) if at != -1 else 0


def _piece(
    stream: BinaryIO,
    encoding: str,
    newline: bytes,
    span: tuple[int, int],
    first: int,
    most: int,
) -> Piece:
    """Decode bytes of a line; a character at the cut is left for the next piece."""
    begin, end = span
    width = len(newline)
    length = end - begin
    first = min(first - first % width, length)
    stream.seek(begin + first)
    data = stream.read(min(most, length - first))
    last = first + len(data) >= length
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    text = decoder.decode(data, last)
    shown = length if last else first + len(data) - len(decoder.getstate()[0])
    if last:
        text = text.removesuffix("\n").removesuffix("\r")
    if begin + first == 0:
        text = text.removeprefix("\ufeff")
    return Piece(text, first, shown, length)


@functools.lru_cache(maxsize=512)
def _line_starts(path: Path, newline: bytes, begin: int, end: int | None) -> array[int]:
    """Return the line offsets of one block, and of its end; cached, as blobs never change."""
    starts = array("Q", [begin])
    width = len(newline)
    with path.open("rb") as stream:
        stream.seek(begin)
        base = begin
        tail = b""
        while chunk := stream.read(_CHUNK if end is None else min(_CHUNK, end - stream.tell())):
            data = tail + chunk
            at = data.find(newline)
            while at != -1:
                if width == 2 and (base + at) % 2:
                    at = data.find(newline, at + 1)
                    continue
                starts.append(base + at + width)
                at = data.find(newline, at + width)
            tail = data[len(data) - width + 1 :] if width > 1 else b""
            base += len(data) - len(tail)
        base += len(tail)
    if starts[-1] != base:
        starts.append(base)
    return starts


def _encoding(stream: BinaryIO) -> tuple[str, bytes]:
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    encoding = encoding_of(head)
    return encoding, line_end(head, encoding).encode(encoding)
