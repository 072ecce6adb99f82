"""A thread whose stack is known gives exactly what its lines give one by one."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from polars.testing import assert_frame_equal

from pileup.formats.driver import parse_stream
from pileup.formats.parsed import Parsed
from pileup.formats.reading import blocks
from pileup.formats.stacks import eu_stack, gdb
from pileup.formats.stacks.gdb import _whole_frame
from pileup.formats.stacks.parts.known_shapes import Shape, Shapes
from tests.formats.checks import samples
from tests.formats.damage import ways
from tests.support.rounds import Rounds

_FORMATS = ("gdb", "eu-stack")
_SLOW = ("quickstack", "plain-bt")
_PATHS = [path for name in _FORMATS for path in samples(name) if path.stem not in _SLOW]
"""All but those whose headers only the line reader knows, or that have none."""
_SHARES = 3
"""Files of one format that share the ways of damage in a usual run."""
_THREAD = re.compile(rb"(?<=^Thread )\d+(?= \()|(?<=^TID )\d+", re.MULTILINE)
_ADDRESS = re.compile(rb"(?<=0x)[0-9a-f]{5,}|(?<==)\d+\b")


def _grown(data: bytes, dice: random.Random) -> bytes:
    """Several samples of it: other threads, addresses and counts, at times of another length."""

    def other(match: re.Match[bytes]) -> bytes:
        if dice.random() < 0.5:
            return match[0]
        size = len(match[0]) - (dice.random() < 0.05)
        digits = b"0123456789abcdef" if not match[0].isdigit() else b"123456789"
        return bytes(dice.choices(digits, k=size))

    def renumbered(_: re.Match[bytes]) -> bytes:
        nonlocal number
        number -= 1
        return b"%d" % number

    parts = []
    for _ in range(5):
        number = 2 + len(_THREAD.findall(data))
        parts.append(_THREAD.sub(renumbered, _ADDRESS.sub(other, data)))
    return b"\n".join(parts)


def _read(data: bytes, format_name: str, *, known: bool) -> tuple[Parsed, int]:
    found = 0
    find = Shapes.find

    def counted(self: Shapes, body: bytes) -> Shape | None:
        nonlocal found
        shape = find(self, body) if known else None
        found += shape is not None
        return shape

    known_threads = gdb._Reader._known_threads

    def counted_threads(self: Any, data: bytes, at: int, stop: int) -> int:
        nonlocal found
        before = self.samples.threads
        at = known_threads(self, data, at, stop) if known else at
        found += self.samples.threads - before
        return at

    known_body = eu_stack._Reader.known

    def counted_body(self: Any, body: bytes) -> Any:
        nonlocal found
        stack = known_body(self, body) if known else None
        found += stack is not None
        return stack

    with (
        mock.patch.object(Shapes, "find", counted),
        mock.patch.object(gdb._Reader, "_known_threads", counted_threads),
        mock.patch.object(eu_stack._Reader, "known", counted_body),
    ):
        return parse_stream(io.BytesIO(data), format=format_name), found


def _inputs(path: Path, rounds: Rounds) -> Iterator[tuple[str, bytes]]:
    dice = random.Random(path.name)
    data = _grown(path.read_bytes(), dice)
    yield "grown", data
    siblings = [other for other in _PATHS if other.parent == path.parent]
    players = min(_SHARES, len(siblings))
    yield from rounds.deal(ways(data, dice), siblings.index(path) % players, players)


@pytest.mark.parametrize("path", _PATHS, ids=lambda path: f"{path.parent.name}-{path.stem}")
@pytest.mark.slow
@pytest.mark.dealt(9)
def test_known_stacks_equal_lines_one_by_one(path: Path, rounds: Rounds) -> None:
    known_stacks = 0
    for what, data in _inputs(path, rounds):
        slow, none = _read(data, path.parent.name, known=False)
        assert none == 0
        for size in (blocks.BLOCK_BYTES, 3000):
            with mock.patch.object(blocks, "BLOCK_BYTES", size):
                fast, found = _read(data, path.parent.name, known=True)
            known_stacks += found
            assert (fast.receipt, fast.problems, fast.sections, fast.failed) == (
                slow.receipt,
                slow.problems,
                slow.sections,
                slow.failed,
            ), what
            assert fast.frames.keys() == slow.frames.keys(), what
            for kind, frame in slow.frames.items():
                assert_frame_equal(fast.frames[kind], frame)
    least = 20 if rounds.long else 20 // _SHARES
    assert known_stacks > least, "nothing was known: the comparison compares nothing"


_BODY = (
    b"#0  0x00007f27 in __lll_lock_wait () from /lib64/libpthread.so.0\n"
    b"#1  0x0000aa01 in rw_lock_s_lock (lock=0x90075530, pass=12, key=0x1) at sync0rw.c:415\n"
    b'#2  0x0000bb01 in dispatch (packet=0x7f2b "SELECT \\"x)\\" FROM a", n=5) at parse.cc:14\n'
)


def _known(body: bytes, other: bytes) -> Shape | None:
    shapes = Shapes(_whole_frame)
    shapes.learn(body)
    assert shapes.find(body) is None  # once may be the only time
    shapes.learn(body)
    assert shapes.find(body)
    return shapes.find(other)


@pytest.mark.parametrize(
    ("there", "other"),
    [
        (b"0x00007f27", b"0x0000abcd"),
        (b"lock=0x90075530", b"lock=0xabcdef01"),
        (b"pass=12", b"pass=97"),
        (b"FROM a", b"FROM c"),
    ],
)
def test_addresses_counts_and_statements_may_differ(there: bytes, other: bytes) -> None:
    changed = _BODY.replace(there, other)
    shape = _known(_BODY, changed)
    assert shape
    assert shape.latches(changed, 0) == re.search(rb"lock=(0x\w+)", changed).groups()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("there", "other"),
    [
        (b"c:415", b"c:416"),
        (b"sync0rw.c", b"sync0rw.d"),
        (b"rw_lock_s_lock", b"rw_lock_s_loca"),
        (b"parse.cc:14", b"parse.cc:15"),
        (b"lock=0x9", b"loca=0x9"),
        (b"#1 ", b"#2 "),
        (b"libpthread", b"libpthreab"),
        (b"0x00007f27 in", b"0x0000 f27 in"),
    ],
)
def test_what_tells_a_stack_may_not_differ(there: bytes, other: bytes) -> None:
    assert _BODY.replace(there, other) != _BODY
    assert _known(_BODY, _BODY.replace(there, other)) is None


@pytest.mark.parametrize("name", [b"lock", b"mutex", b"rw_latch", b"this"])
def test_between_two_places_that_differ_no_latch_gets_or_loses_its_name(name: bytes) -> None:
    body = (
        b"#0  0x00007f27 in enter (block=0x11, %s=0x22, page=0x33, n=5) at sync0rw.c:415\n" % name
    )
    shapes = Shapes(_whole_frame)
    shapes.learn(body)
    shapes.learn(body)
    for at, other in ((b"0x11", b"0x12"), (b"0x22", b"0x23"), (b"0x33", b"0x34")):
        assert shapes.find(body.replace(at, other)), "the place is known to differ from now on"
    renamed = body.replace(name, name.replace(b"c", b"d").replace(b"e", b"f"))
    assert (shapes.find(renamed) is None) == (renamed != body)
    assert shapes.find(body.replace(b"page=", b"pagf="))  # the same frame, and no latch


def test_what_followed_is_asked_first() -> None:
    """And stands there only as it was."""
    shapes = Shapes(_whole_frame)
    other = _BODY.replace(b"dispatch", b"execute")
    for body in (_BODY, other, _BODY, other):
        shapes.learn(body)
    first, second = shapes.find(_BODY), shapes.find(other)
    assert shapes.find(_BODY) is first
    (followed,) = shapes.after
    assert followed is second
    data = b"Thread 1:\n" + other + b"\nThread 2:\n"
    assert followed.is_at(data, 10)
    assert not followed.is_at(data.replace(b"execute", b"exemute"), 10)
    assert first
    assert not first.is_at(data, 10)


def test_shapes_stay_few_whatever_comes() -> None:
    shapes = Shapes(_whole_frame)
    with mock.patch("pileup.formats.stacks.parts.known_shapes._MOST_SHAPES", 50):
        for number in range(1000):
            body = b"#0  0x1 in f%s () from a.so" % (b"g" * number)
            shapes.learn(body)
            shapes.learn(body)
        assert shapes.full
        assert sum(map(len, shapes._known.values())) <= 50
    shapes.forget()
    assert not shapes.full
