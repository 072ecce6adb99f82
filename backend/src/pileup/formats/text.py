"""Bytes to numbered text lines: encodings, line ends, absurd lines and wrappers.

Every format sees clean lines and never bytes. ``LineReader`` streams them and remembers what the
receipt and the raw viewer need: bytes per line, the offset of every 256th line, and which raw line
a logical line came from.

Encodings: a BOM decides; without one, NULs in every second byte mean UTF-16; all else is UTF-8
with replacement, because query text is arbitrary bytes and one bad byte must not cost a dump.
Wrappers:  docker-compose prefixes, Markdown fences, a dump printed on one line with literal
        ``\\n`` (client batch mode without --raw, a repr of the row). Peeling never changes the
        line number that a person sees: the last kind yields many logical lines for one raw line,
        and ``raw_line`` maps them back.
Units:  offsets and sizes in bytes, lines 1-based.
"""

from __future__ import annotations

import bisect
import codecs
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from pileup.records import Problem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEAD_BYTES = 64 * 1024
MAX_LINE_BYTES = 1024 * 1024
INDEX_EVERY = 256
"""``line_index[i]`` is the offset of raw line ``i * 256 + 1``."""

_MAX_LONG_LINE_PROBLEMS = 20

# mariadb_1  | 2023-05-01 10:00:00 0 [Note] ...
_PREFIX = re.compile(r"([A-Za-z][\w.-]{0,60}?) *\| ?")
_FENCE = re.compile(r"\s*(?:```|~~~)[\w-]*\s*$")
# InnoDB\t\t\n=====================================\n2023-... INNODB MONITOR OUTPUT\n====
_ESCAPED_DUMP = re.compile(r"INNODB MONITOR OUTPUT(?:\\r)?\\n=")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "0": "\ufffd", "r": "", "'": "'", '"': '"'}


def decode_lines(stream: BinaryIO) -> Iterator[str]:
    """The logical lines of a stream, without terminators. Use ``LineReader`` for more."""
    return iter(LineReader(stream))


class LineReader:
    """The lines of one artifact, once, in order; the attributes are complete after the last one."""

    def __init__(self, stream: BinaryIO) -> None:
        first = _read_up_to(stream, HEAD_BYTES)
        self.encoding = _encoding(first)
        self.long_lines = False
        """Hand a line of more than MAX_LINE_BYTES on in pieces instead of cutting it (UTF-8)."""
        self.problems: list[Problem] = []
        self.bytes_read = 0
        self.raw_lines = 0
        self.logical_lines = 0
        self.line_index: list[int] = []
        self._lengths = array("L")
        self._expanded_at: list[int] = []  # logical number of the first line of an expansion
        self._expanded: list[tuple[int, int]] = []  # (raw line, logical lines) of that expansion
        self._long_lines = 0
        self._stream = _Rewound(first, stream)
        self._logical = self._logical_lines()
        self._prefix = _common_prefix(_sample_lines(first, self.encoding))
        self.head = "\n".join(self._peeled(_sample_lines(first, self.encoding)))

    def __iter__(self) -> Iterator[str]:
        """The rest of the lines: asking again goes on, it does not start anew."""
        return self._logical

    def _logical_lines(self) -> Iterator[str]:
        raws = self._byte_lines() if self.encoding == "utf-8" else self._utf16_lines()
        pieces = 0
        for text in raws:
            if isinstance(text, _Piece):
                pieces += 1
                self.logical_lines += 1
                self._piece(pieces)
                yield str(text)
                continue
            self.raw_lines += 1
            if pieces:  # the last piece ends the raw line
                self.logical_lines += 1
                self._expanded[-1] = (self.raw_lines, pieces + 1)
                pieces = 0
                yield text
                continue
            peeled = self._peel(text)
            if isinstance(peeled, str):
                self.logical_lines += 1
                yield peeled
                continue
            self._expanded_at.append(self.logical_lines + 1)
            self._expanded.append((self.raw_lines, len(peeled)))
            for line in peeled:
                self.logical_lines += 1
                yield line

    def _piece(self, pieces: int) -> None:
        if pieces == 1:
            self._expanded_at.append(self.logical_lines)
            self._expanded.append((self.raw_lines + 1, 1))
        else:
            self._expanded[-1] = (self.raw_lines + 1, pieces)

    @property
    def has_expansions(self) -> bool:
        """True once a raw line gave several logical lines, so that line numbers differ."""
        return bool(self._expanded_at)

    def raw_line(self, logical: int) -> int:
        """The raw line number of a logical one."""
        at = bisect.bisect_right(self._expanded_at, logical) - 1
        if at < 0:
            return logical
        first, (raw, count) = self._expanded_at[at], self._expanded[at]
        return raw + max(0, logical - first - count + 1)

    def bytes_of(self, first: int, last: int) -> int:
        """Bytes of the raw lines first..last with their terminators."""
        return sum(self._lengths[max(first - 1, 0) : last])

    def _byte_lines(self) -> Iterator[str]:
        readline = self._stream.readline
        first = True
        while raw := readline(MAX_LINE_BYTES + 2):
            length = len(raw)
            if length > MAX_LINE_BYTES and not raw.endswith(b"\n"):
                if self.long_lines:
                    yield from self._pieces(raw, first=first)
                    first = False
                    continue
                while more := readline(MAX_LINE_BYTES):
                    length += len(more)
                    if more.endswith(b"\n"):
                        break
                raw = raw[:MAX_LINE_BYTES]
                self._too_long(length)
            self._count(length)
            if first:
                first = False
                if raw.startswith(codecs.BOM_UTF8):
                    raw = raw[3:]
            yield raw.rstrip(b"\r\n").decode("utf-8", "replace").replace("\0", "\ufffd")

    def _pieces(self, raw: bytes, *, first: bool) -> Iterator[str]:
        """One raw line as several logical ones, without a break between them."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        length = 0
        text = decoder.decode(raw.removeprefix(codecs.BOM_UTF8) if first else raw)
        while True:
            length += len(raw)
            more = b"" if raw.endswith(b"\n") else self._stream.readline(MAX_LINE_BYTES)
            if not more:
                break
            yield _Piece(text.replace("\0", "\ufffd"))
            raw = more
            text = decoder.decode(raw)
        self._count(length)
        text += decoder.decode(b"", final=True)
        yield text.rstrip("\r\n").replace("\0", "\ufffd")

    def _utf16_lines(self) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder(self.encoding)("replace")
        rest = ""
        size = 0
        dropped = 0
        while True:
            chunk = self._stream.read(HEAD_BYTES)
            size += len(chunk)
            *whole, rest = (rest + decoder.decode(chunk, final=not chunk)).split("\n")
            for line in whole:
                yield self._utf16_line(line, dropped, 2)
                dropped = 0
            if len(rest) > MAX_LINE_BYTES:
                dropped += len(rest) - MAX_LINE_BYTES
                rest = rest[:MAX_LINE_BYTES]
            if not chunk:
                break
        if rest:
            yield self._utf16_line(rest, dropped, 0)
        self.bytes_read = size  # exact, also when the file ends inside a character

    def _utf16_line(self, line: str, dropped: int, terminator: int) -> str:
        length = 2 * (len(line) + dropped + sum(map(_is_astral, line))) + terminator
        if dropped or len(line) > MAX_LINE_BYTES:
            self._too_long(length)
            line = line[:MAX_LINE_BYTES]
        first = not self._lengths
        self._count(length)
        return (line.removeprefix("\ufeff") if first else line).rstrip("\r").replace("\0", "\ufffd")

    def _count(self, length: int) -> None:
        if len(self._lengths) % INDEX_EVERY == 0:
            self.line_index.append(self.bytes_read)
        self._lengths.append(length)
        self.bytes_read += length

    def _too_long(self, length: int) -> None:
        self._long_lines += 1
        if self._long_lines <= _MAX_LONG_LINE_PROBLEMS:
            number = len(self._lengths) + 1
            self.problems.append(
                Problem(
                    number,
                    f"line {number} is {length} bytes long; only its first {MAX_LINE_BYTES} bytes "
                    "were read. Open the raw artifact to see the rest.",
                )
            )

    def _peeled(self, lines: list[str]) -> Iterator[str]:
        for line in lines:
            peeled = self._peel(line)
            if isinstance(peeled, str):
                yield peeled
            else:
                yield from peeled

    def _peel(self, line: str) -> str | list[str]:
        if self._prefix and line.startswith(self._prefix):
            match = _PREFIX.match(line)
            line = line[match.end() :] if match else line
        if "`" in line or "~" in line:
            return "" if _FENCE.match(line) else line
        if "INNODB MONITOR OUTPUT" in line and _ESCAPED_DUMP.search(line):
            return _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[0]), line).split("\n")
        return line


class _Piece(str):
    """A part of a raw line that goes on in the next one."""

    __slots__ = ()


class _Rewound(io.BufferedReader):
    """A stream with its first bytes, already read for sniffing, put back in front."""

    def __init__(self, first: bytes, stream: BinaryIO) -> None:
        super().__init__(_Chain(first, stream), buffer_size=HEAD_BYTES)


class _Chain(io.RawIOBase):
    def __init__(self, first: bytes, stream: BinaryIO) -> None:
        self._first = first
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        data = self._first[: len(view)] if self._first else self._stream.read(len(view))
        self._first = self._first[len(data) :]
        view[: len(data)] = data
        return len(data)


def _read_up_to(stream: BinaryIO, size: int) -> bytes:
    parts = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _encoding(first: bytes) -> str:
    if first.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if first.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    sample = first[:4096]
    half = len(sample) // 2
    if half >= 8:
        even, odd = sample[0 : half * 2 : 2].count(0), sample[1 : half * 2 : 2].count(0)
        if odd > half * 0.6 and even < half * 0.1:
            return "utf-16-le"
        if even > half * 0.6 and odd < half * 0.1:
            return "utf-16-be"
    return "utf-8"


def _sample_lines(first: bytes, encoding: str) -> list[str]:
    text = first.decode(encoding, "replace").removeprefix("\ufeff").replace("\0", "\ufffd")
    return [line.rstrip("\r") for line in text.split("\n")]


def _common_prefix(lines: list[str]) -> str | None:
    """The container name that starts (nearly) every line, as docker-compose prints it."""
    filled = [line for line in lines[:500] if line.strip()]
    found = Counter(match[1] for line in filled if (match := _PREFIX.match(line)))
    if not found:
        return None
    name, count = found.most_common(1)[0]
    return name if count >= 5 and count >= 0.9 * len(filled) else None


def _is_astral(character: str) -> bool:
    return character > "\uffff"
