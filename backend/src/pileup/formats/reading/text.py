"""Decode bytes to numbered text lines: encodings, line ends, overlong lines and wrappers.

Every format sees clean text and never bytes: lines, or chunks of some MiB of whole lines for those
that read many lines at once. ``LineReader`` streams them and knows what the receipt and the raw
viewer need (see ``blocks``) and which raw line a logical line came from.

Encodings: a BOM decides; without one, NULs in every second byte mean UTF-16; all else is UTF-8
with replacement, because query text is arbitrary bytes and one bad byte must not cost a dump.
Line ends: LF or CR LF; CR alone where the first 64 KB have CRs and no LF (old Macs, some chats).
Wrappers:  docker-compose prefixes, Markdown fences, log lines in JSON or with a container's stamp
        (see ``wrapped_logs``), a dump printed on one line with literal ``\\n`` (client batch mode
        without --raw, a repr of the row), a gdb trace whose line ends a bug report dropped,
        pasted text (see ``pasted_text``), and the prefix and wrapped lines of a ``Layout`` that
        the caller gives. Peeling never changes the line number that a person
        sees: where one raw line yields many logical ones, ``raw_line`` maps them back.
Speed:  a chunk is decoded and peeled as a whole, and peeled only when a search at memory speed
        finds something to peel. Lines come from splitting chunks.
Units:  offsets and sizes in bytes, lines 1-based.
"""

from __future__ import annotations

import bisect
import codecs
import itertools
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import AnyStr, BinaryIO

from pileup.formats.errors import ArchiveError
from pileup.formats.reading.blocks import MAX_LINE_BYTES, Block, Blocks
from pileup.formats.unwrapping.escaped_text import DUMP, split_dump
from pileup.formats.unwrapping.layouts import Layout, Rejoiner
from pileup.formats.unwrapping.one_line import choose_splitter
from pileup.formats.unwrapping.pasted_text import choose_cleaner
from pileup.formats.unwrapping.wrapped_logs import Unwrap, choose_unwrapper
from pileup.records import Problem

HEAD_BYTES = 64 * 1024

_MAX_LONG_LINE_PROBLEMS = 20

# mariadb_1  | 2023-05-01 10:00:00 0 [Note] ...
_PREFIX = re.compile(r"([A-Za-z][\w.-]{0,60}?) *\| ?")
_MARGIN = re.compile(r"[ \t>]+")
_MARGIN_LINES = 500
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)[\w-]*[^\S\n]*$", re.MULTILINE)
_BEFORE_ESCAPE = len(DUMP) - 1


class Chunk:
    """Whole clean lines (see the module), each ended by one LF, also the last of the file.

    Bytes that need no cleaning are passed on as they were read: code that uses ``data`` alone saves
    decoding them, which for stacks and counters costs as much as a third of reading them.
    """

    __slots__ = ("_data", "_text", "first", "lines")

    def __init__(self, first: int, text: str | bytes, lines: int) -> None:
        """Make a chunk from ``text``: bytes when it is ASCII."""
        self.first = first
        """Number of the first line: logical, as ``enumerate(lines, 1)`` counts."""
        self.lines = lines
        """``text.count("\\n")``."""
        self._text = text if isinstance(text, str) else None
        self._data = None if isinstance(text, str) else text

    @property
    def text(self) -> str:
        """The lines as text."""
        if self._text is None:
            self._text = (self._data or b"").decode("ascii")
        return self._text

    @property
    def data(self) -> bytes:
        """The lines in UTF-8."""
        if self._data is None:
            self._data = (self._text or "").encode()
        return self._data


def decode_lines(stream: BinaryIO) -> Iterator[str]:
    """Yield the logical lines of a stream, without terminators. Use ``LineReader`` for more."""
    return iter(LineReader(stream))


def make_chunks(lines: Iterable[str], size: int = 4096) -> Iterator[Chunk]:
    """Group lines into chunks: for a ``parse(lines)`` that calls its ``parse_chunks``."""
    first = 1
    taken: list[str] = []
    for line in lines:
        taken.append(line)
        if len(taken) == size:
            yield Chunk(first, "\n".join(taken) + "\n", size)
            first += size
            taken = []
    if taken:
        yield Chunk(first, "\n".join(taken) + "\n", len(taken))


class LineReader:
    """Reads the text of one artifact, once, in order: as lines (iterate) or as chunks.

    The attributes are complete after the last one. Lines and chunks come from one source: what
    was taken as lines does not come again as chunks.
    """

    def __init__(self, stream: BinaryIO, layout: Layout | None = None) -> None:
        """Read a stream; layout: a prefix and wraps to undo, before all else."""
        source = _Rewound(stream)
        self._inner = layout.prefix if layout and layout.inside else None
        if self._inner is not None:
            layout = None
        self._rejoiner = Rejoiner(layout) if layout else None
        self.magic = source.first[:64]
        self.encoding = encoding_of(source.first)
        self._line_end = line_end(source.first, self.encoding)
        self.problems: list[Problem] = []
        self._expanded_at: list[int] = []  # logical number of the first line of an expansion
        self._expanded: list[tuple[int, int]] = []  # (raw line, logical lines) of that expansion
        self._long_lines = 0
        self._logical_lines = 0
        self._passed = 0
        """Rejoined lines passed on."""
        self._source = source
        self._blocks = Blocks(source, self._line_end.encode(self.encoding))
        text = source.first.decode(self.encoding, "replace").removeprefix("\ufeff")
        text = with_line_feeds(text, self._line_end).rstrip("\r")
        self.first_bytes = source.first
        self.plain_head = text
        """The first 64 KB as text, before anything was peeled."""
        self.head_is_whole = len(source.first) < HEAD_BYTES
        """Whether there is no more text than the head."""
        if layout:
            joined = Rejoiner(layout)
            text = joined.feed(f"{text}\n") + joined.finish()
            text = text.removesuffix("\n")
        self._prefix = _prefix_pattern(text)
        self._split_line = layout.split if layout and layout.flat else choose_splitter(text)
        self.head = self._read_head(text)
        self._chunks = self._read()
        self._line: Iterator[str] = iter(())
        self._lines = itertools.chain.from_iterable(map(self._split, self._chunks))

    def __iter__(self) -> Iterator[str]:
        """Yield the remaining lines; a second iteration continues, it does not start over."""
        return self._lines

    def chunks(self) -> Iterator[Chunk]:
        """Yield the rest of the text, some MiB of whole lines at a time."""
        return self._chunks

    def _read_head(self, text: str) -> str:
        """Choose what unwraps the lines, and return the clean text that formats sniff."""
        self._unwrap = _choose_unwrapper(text, self._inner)
        head = "\n".join(self._expanded_lines(self._peeled(text)))
        if self._unwrap is not None:
            # an expansion without any part of the head's last line
            self._unwrap = _choose_unwrapper(text, self._inner)
        return head

    @property
    def is_unwrapped(self) -> bool:
        """Whether lines are shown without what a program or a person put around them."""
        return self._unwrap is not None

    def remove_margin(self, is_wanted: Callable[[str], bool]) -> bool:
        """Remove the blanks or quotes that every line begins with, if the head is then wanted.

        Call it before the first line is read. Return whether they are removed.
        """
        margin = None if self._prefix else margin_pattern(self.head)
        if margin is None or not is_wanted(margin.sub("", self.head)):
            return False
        self._prefix = margin
        self.head = self._read_head(margin.sub("", self.head))
        return True

    @property
    def has_prefix(self) -> bool:
        """Whether lines are shown without a margin, or a container's name, before each."""
        return self._prefix is not None

    def as_text(self, data: bytes) -> str:
        """Return bytes of the artifact as text, of which LF or CR LF ends each line."""
        text = data.decode(self.encoding, "replace").removeprefix("\ufeff")
        return text.replace("\r", "\n") if self._line_end == "\r" else text

    def keep_long_lines(self) -> None:
        """Yield a line of more than MAX_LINE_BYTES in pieces, each a line, instead of cut."""
        self._blocks.keep_long_lines = True

    @property
    def failure(self) -> Exception | None:
        """Why the lines ended before the artifact did: its stream could not be read further."""
        return self._source.failure

    @property
    def bytes_read(self) -> int:
        """The bytes of the lines read so far."""
        return self._blocks.bytes_read

    @property
    def raw_lines(self) -> int:
        """The number of raw lines read so far, perhaps not all yielded yet."""
        return self._blocks.lines

    @property
    def line_index(self) -> list[int]:
        """The index of raw lines: ``line_index[i]`` is the offset of line ``i * 256 + 1``."""
        return self._blocks.line_index

    @property
    def at(self) -> int:
        """The raw line yielded last; with chunks, the last line of the last chunk."""
        return min(
            self.last_raw_line(self._logical_lines - operator.length_hint(self._line)),
            self.raw_lines,
        )

    @property
    def has_expansions(self) -> bool:
        """Whether raw lines were split or joined, so that line numbers differ."""
        return bool(self._expanded_at) or self._rejoiner is not None

    def raw_line(self, logical: int) -> int:
        """Convert a logical line number to a raw one: the first of those that were joined."""
        line = self._unexpanded(logical)
        return self._rejoiner.raw_first(line) if self._rejoiner else line

    def last_raw_line(self, logical: int) -> int:
        """Convert a logical line number to a raw one: the last of those that were joined."""
        line = self._unexpanded(logical)
        return self._rejoiner.raw_last(line) if self._rejoiner else line

    def _unexpanded(self, logical: int) -> int:
        at = bisect.bisect_right(self._expanded_at, logical) - 1
        if at < 0:
            return logical
        first, (raw, count) = self._expanded_at[at], self._expanded[at]
        return raw + max(0, logical - first - count + 1)

    def count_bytes(self, first: int, last: int) -> int:
        """Count the bytes of the raw lines first..last with their terminators."""
        return self._blocks.line_offset(last + 1) - self._blocks.line_offset(first)

    def line_offset(self, line: int) -> int:
        """Return where a raw line begins; for the line after the last, the end."""
        return self._blocks.line_offset(line)

    def _read(self) -> Iterator[Chunk]:
        for block in self._blocks:
            if self._is_clean(block):
                first = self._logical_lines + 1
                self._logical_lines += block.lines
                yield Chunk(first, block.data, block.lines)
                continue
            text = block.data.decode(self.encoding, "replace").replace("\0", "\ufffd")
            if block.offset == 0:
                text = text.removeprefix("\ufeff")
            text = with_line_feeds(text, self._line_end)
            if self._rejoiner:
                if block.long:
                    self._too_long(block.first, block.size)
                text = self._rejoiner.feed(text)
                if text:
                    yield self._chunk(text)
                continue
            lines = 1
            if not block.long:
                text, lines = self._peeled(text), block.lines
            elif self._blocks.keep_long_lines:
                self._piece(block)
            else:
                self._too_long(block.first, block.size)
                text = self._peeled(text)
            inside = "\0" in text or _has(text, DUMP, _BEFORE_ESCAPE)
            if (inside or self._unwrap or self._split_line) and not block.long:
                expanded = self._expanded_lines(text, block.first, self._logical_lines + 1)
                text, lines = "\n".join(expanded), len(expanded) - 1
            first = self._logical_lines + 1
            self._logical_lines += lines
            yield Chunk(first, text, lines)
        if self._rejoiner and (text := self._rejoiner.finish()):
            yield self._chunk(text)

    def _chunk(self, text: str) -> Chunk:
        """Make a chunk of rejoined lines."""
        expanded = self._expanded_lines(
            self._peeled(text), self._passed + 1, self._logical_lines + 1
        )
        self._passed += text.count("\n")
        first = self._logical_lines + 1
        self._logical_lines += len(expanded) - 1
        return Chunk(first, "\n".join(expanded), len(expanded) - 1)

    def _is_clean(self, block: Block) -> bool:
        """Whether the bytes of a block are its clean text, as for nearly all of a large file."""
        data = block.data
        return (
            self.encoding == "utf-8"
            and not (block.long or self._rejoiner or self._prefix or self._unwrap)
            and self._split_line is None
            and data.isascii()
            and b"\0" not in data
            and b"\r" not in data
            and not _has(data, DUMP.encode(), _BEFORE_ESCAPE)
            and not _has_three(data, b"`")
            and not _has_three(data, b"~")
        )

    def _piece(self, block: Block) -> None:
        """Make a piece of a long line a logical line of its own."""
        if block.lines:
            self._expanded_at.append(self._logical_lines + 1)
            self._expanded.append((block.first, 1))
        else:
            raw, pieces = self._expanded[-1]
            self._expanded[-1] = (raw, pieces + 1)

    def _split(self, chunk: Chunk) -> Iterator[str]:
        lines = chunk.text.split("\n")
        lines.pop()  # the empty text after the last terminator
        self._line = iter(lines)
        return self._line

    def _too_long(self, number: int, size: int) -> None:
        self._long_lines += 1
        if self._long_lines <= _MAX_LONG_LINE_PROBLEMS:
            self.problems.append(
                Problem(
                    number,
                    f"This line is {size} bytes long; only its first {MAX_LINE_BYTES} bytes "
                    "were read. Open the raw artifact to see the rest.",
                )
            )

    def _peeled(self, text: str) -> str:
        """Remove prefixes and fences; the number of lines stays the same."""
        if self._prefix:
            text = self._prefix.sub("", text)
        if _has_three(text, "`") or _has_three(text, "~"):
            text = _FENCE.sub("", text)
        return text

    def _expanded_lines(self, text: str, raw: int = 0, logical: int = 0) -> list[str]:
        """Expand each line of a text into the original lines that were wrapped into it.

        raw, logical: numbers of the first line, to note where expansions are; 0 for the head.
        """
        lines: list[str] = []
        for number, line in enumerate(text.split("\n"), start=raw):
            parts = self._expanded_line(line)
            if raw and len(parts) > 1:
                self._expanded_at.append(logical + len(lines))
                self._expanded.append((number, len(parts)))
            lines += parts
        return lines

    def _expanded_line(self, line: str) -> list[str]:
        if self._line_end == "\r" and "\0" in line:
            return line.strip("\0").split("\0")
        if self._unwrap:
            line = self._unwrap(line)
            if "\n" in line:
                return line.split("\n")
        if (parts := split_dump(line)) is not None:
            return parts
        return self._split_line(line) if self._split_line else [line]


class _Rewound:
    """A stream with the bytes that were read for sniffing put back in front."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        try:
            self._origin = stream.tell() if stream.seekable() else None
        except AttributeError:  # a member of a tar that is read as a stream has no such method
            self._origin = None
        self.first = _read_up_to(stream, HEAD_BYTES)
        self._waiting = self.first
        self.failure: Exception | None = None
        """Why the stream ended before its end."""

    def read(self, size: int, /) -> bytes:
        """Read the next bytes, at most about ``size`` of them; none at the end.

        A damaged stream ends where it cannot be read, and ``failure`` says why: an exception would
        cost the lines that a parser still holds back.
        """
        return b"".join(self.read_parts(size))

    def read_parts(self, size: int, /) -> list[bytes]:
        """Read bytes like ``read``, as the parts in which they came; no part is empty."""
        if self.failure:
            return []
        parts = [self._waiting[:size]] if self._waiting else []
        self._waiting = self._waiting[size:]
        size -= sum(map(len, parts))
        try:
            while size > 0 and (part := self._stream.read(min(size, HEAD_BYTES))):
                parts.append(part)
                size -= len(part)
        except (OSError, EOFError, ArchiveError) as error:
            self.failure = error
        return parts

    @property
    def can_go_back(self) -> bool:
        return self._origin is not None

    def read_at(self, offset: int, size: int, /) -> bytes | None:
        """Read bytes at an earlier offset; None when the stream cannot seek."""
        if self._origin is None:
            return None
        here = self._stream.tell()
        self._stream.seek(self._origin + offset)
        data = _read_up_to(self._stream, size)
        self._stream.seek(here)
        return data


def _read_up_to(stream: BinaryIO, size: int) -> bytes:
    parts = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _choose_unwrapper(head: str, inner: re.Pattern[str] | None = None) -> Unwrap | None:
    """Return what unwraps lines; inner: a prefix of what was wrapped, to be removed too."""
    unwrap = choose_unwrapper(head) or choose_cleaner(head)
    if unwrap is None or inner is None:
        return unwrap
    return lambda line: "\n".join(inner.sub("", part, count=1) for part in unwrap(line).split("\n"))


def _has_three(text: AnyStr, character: AnyStr) -> bool:
    """Whether a character occurs three times in a row."""
    return _has(text, 3 * character)


def _has(text: AnyStr, what: AnyStr, rare: int = 0) -> bool:
    """Whether ``what`` occurs; its ``rare``-th character alone is found many times faster."""
    character = what[rare : rare + 1]
    at = -1
    for _ in range(1000):
        at = text.find(character, at + 1)
        if at < 0 or (at >= rare and text.startswith(what, at - rare)):
            return at >= 0
    return text.find(what, max(0, at - rare)) >= 0


def line_end(first: bytes, encoding: str) -> str:
    """Return what ends the lines of a text by its first 64 KB: LF, or CR where they have no LF."""
    text = first[:HEAD_BYTES].decode(encoding, "replace")
    return "\r" if "\r" in text[:-1] and "\n" not in text else "\n"


def with_line_feeds(text: str, line_end: str) -> str:
    """Let each line end with LF; where CRs end lines, an LF between them becomes a NUL."""
    if line_end == "\r":
        return text.replace("\n", "\0").replace("\r", "\n")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r\n" in text:
            text = "\n".join(line.rstrip("\r") for line in text.split("\n"))
    return text


def encoding_of(first: bytes) -> str:
    """Return the encoding of a text by its first bytes: UTF-8 unless it is UTF-16."""
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


def margin_pattern(text: str) -> re.Pattern[str] | None:
    """Build the pattern of the blanks or quotes that every line begins with; None without any."""
    filled = [line for line in text.split("\n")[:_MARGIN_LINES] if line.strip(" \t>")]
    if not filled:
        return None
    first, last = min(filled), max(filled)
    longest = _MARGIN.match(first)
    if longest is None:
        return None
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(longest[0], last, strict=False))
    margin = _MARGIN.match("".join(letter for letter, _ in same))
    if margin is None:
        return None
    return re.compile(rf"^(?:{re.escape(margin[0])}|[ \t>]+$)", re.MULTILINE)


def _prefix_pattern(text: str) -> re.Pattern[str] | None:
    """Build the pattern of a container name that docker-compose prints before nearly every line."""
    filled = [line for line in text.split("\n")[:500] if line.strip()]
    found = Counter(match[1] for line in filled if (match := _PREFIX.match(line)))
    if not found:
        return None
    name, count = found.most_common(1)[0]
    if count < 5 or count < 0.9 * len(filled):
        return None
    return re.compile(rf"^(?={re.escape(name)}){_PREFIX.pattern}", re.MULTILINE)
