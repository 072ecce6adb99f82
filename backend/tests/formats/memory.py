"""How much memory this process needs to read hostile streams, one format after another.

Run as a program by test_bounded_memory; prints one JSON object per case. Streams are made while
they are read: nothing of their size exists before.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator

import psutil

from pileup.formats.driver import parse_stream
from tests.formats.checks import samples

MIB = 1024 * 1024
LINE = 100 * MIB


class Made:
    """A stream of the pieces that an iterator makes."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        while len(self._rest) < size and (piece := next(self._pieces, b"")):
            self._rest += piece
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


def long_line(lines: list[bytes]) -> Iterator[bytes]:
    """The sample's first lines, a line of 100 MB that begins like one of its own, the rest."""
    yield b"\n".join(lines[:20]) + b"\n" + lines[-1]
    for _ in range(LINE // MIB):
        yield b"A1 " * (MIB // 3)
    yield b"\n" + b"\n".join(lines[20:])


def long_line_utf16(lines: list[bytes]) -> Iterator[bytes]:
    yield b"\xff\xfe"
    for piece in long_line(lines):
        yield piece.decode("utf-8", "replace").encode("utf-16-le")


def growth(format_name: str, pieces: Callable[[list[bytes]], Iterator[bytes]]) -> float:
    """MiB that the process grew by while it read, at most."""
    lines = samples(format_name)[0].read_bytes().splitlines()[:300]
    me = psutil.Process()
    before = most = me.memory_info().rss
    done = threading.Event()

    def watch() -> None:
        nonlocal most
        while not done.wait(0.002):
            most = max(most, me.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        parsed = parse_stream(Made(pieces(lines)), name="x", format=format_name)  # type: ignore[arg-type]
        most = max(most, me.memory_info().rss)
    finally:
        done.set()
        watcher.join()
    assert not parsed.crashed, parsed.failed
    return (most - before) / MIB


if __name__ == "__main__":
    cases = {item.__name__: item for item in (long_line, long_line_utf16)}
    growth(sys.argv[2], long_line)  # what the libraries take once
    for name in sys.argv[2:]:
        grown = growth(name, cases[sys.argv[1]])
        sys.stdout.write(json.dumps({"format": name, "mib": grown}) + "\n")
