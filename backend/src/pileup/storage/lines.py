"""Raw lines of a blob by number, without reading what lies before them.

Lines end at LF (CR LF is shown without the CR), in the file's own encoding: UTF-8, or UTF-16 where
a byte order mark or the pattern of zero bytes says so; what does not decode becomes U+FFFD.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

EVERY = 256
"""The index holds the byte offset of lines 1, 257, 513, ..."""

CUT = 4000
"""Characters of one line that a page shows."""

_CHUNK = 1024 * 1024
_LONGEST = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Page:
    lines: list[str]
    cut: list[int]


def index_lines(path: Path) -> tuple[list[int], int]:
    """Byte offsets of every 256th line, and the number of lines."""
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
        lines += 1  # the last line has no end
    elif len(offsets) > 1 and offsets[-1] == size:
        offsets.pop()
    return offsets, lines


class LineReader:
    """One blob, its index and its number of lines."""

    def __init__(self, path: Path, index: Sequence[int], total_lines: int) -> None:
        self._path = path
        self._index = index or [0]
        self.total_lines = total_lines

    def page(self, first: int, count: int) -> Page:
        """Lines ``first`` to ``first + count - 1``, as far as they exist."""
        lines: list[str] = []
        cut: list[int] = []
        for number, text in self._from(first):
            if number >= first + count:
                break
            if len(text) > CUT:
                cut.append(number)
                text = text[:CUT]
            lines.append(text)
        return Page(lines, cut)

    def excerpt(self, first: int, last: int) -> list[str]:
        """The same for a locator: both ends included."""
        return self.page(first, last - first + 1).lines

    def search(self, wanted: str, first: int, limit: int) -> tuple[list[tuple[int, str]], bool]:
        """Lines from ``first`` on that contain the text, and whether there are more."""
        needle = wanted.casefold()
        hits: list[tuple[int, str]] = []
        for number, text in self._from(first):
            if needle in text.casefold():
                if len(hits) == limit:
                    return hits, True
                hits.append((number, text[:CUT]))
        return hits, False

    def _from(self, first: int) -> Iterator[tuple[int, str]]:
        if first > self.total_lines:
            return
        step = min((first - 1) // EVERY, len(self._index) - 1)
        with self._path.open("rb") as stream:
            encoding, newline = _encoding(stream)
            stream.seek(self._index[step])
            number = step * EVERY
            for line in _split(stream, newline):
                number += 1
                if number < first:
                    continue
                text = line.decode(encoding, "replace").removesuffix("\n").removesuffix("\r")
                yield number, text.removeprefix("﻿")


def _split(stream: BinaryIO, newline: bytes) -> Iterator[bytes]:
    if len(newline) == 1:
        while line := stream.readline(_LONGEST):
            yield line
            while len(line) == _LONGEST and not line.endswith(newline):
                line = stream.readline(_LONGEST)  # the rest of a giant line is not shown
        return
    pending = b""
    while True:
        chunk = stream.read(_CHUNK)
        pending += chunk
        start = at = 0
        while (at := pending.find(newline, at)) != -1:
            if (at - start) % 2:
                at += 1
                continue
            yield pending[start : at + 2]
            start = at = at + 2
        pending = pending[start:]
        if not chunk:
            if pending:
                yield pending
            return


def _encoding(stream: BinaryIO) -> tuple[str, bytes]:
    stream.seek(0)
    head = stream.read(4096)
    if head.startswith(b"\xff\xfe"):
        return "utf-16-le", b"\n\x00"
    if head.startswith(b"\xfe\xff"):
        return "utf-16-be", b"\x00\n"
    half = len(head) // 2
    if half >= 8:
        if head[1::2].count(0) > 0.6 * half and head[0::2].count(0) < 0.1 * half:
            return "utf-16-le", b"\n\x00"
        if head[0::2].count(0) > 0.6 * half and head[1::2].count(0) < 0.1 * half:
            return "utf-16-be", b"\x00\n"
    return "utf-8", b"\n"
