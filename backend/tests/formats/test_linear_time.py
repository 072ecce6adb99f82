"""No pattern backtracks: four times the text costs four times the time, for sniff and for parse.

Nothing here compares seconds with a constant of this machine. A case that costs no more than a
plain scan of its text a few times over is fine; any other is run at a quarter of its size too, and
must not have grown by much more than four (a square grows by sixteen).
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterator

import pytest

from pileup import formats
from pileup.formats.logs import query_digest
from tests.formats.checks import parse_bytes, samples
from tests.support.cpu import cpu_seconds, seconds_per_run
from tests.support.rounds import Rounds

_SIZES = (64 * 1024, 12 * 1024)
"""Of a head or a line: also one below the lengths at which some formats stop looking."""
_TURNS = 3
"""The days over which the texts are dealt."""
_RUNS = (" ", "\t", "9", "9" * 19 + " ", "1 ", "1,", "a", "a ", "a=", "a,", "a.", "a:", "A_")
_RUNS += (
    "|",
    "| ",
    "(",
    ")",
    "[",
    "{",
    "<a,",
    "*",
    "-",
    "+",
    "#",
    ";x",
    "\\n",
    '"',
    "'",
    "`",
    "\n",
)
_RUNS += ("0x", "--", "/*", "é", "=", ":", "/", "%", '[{"a":', '{"values":[[1,"1"],')
_SCAN = re.compile(r"\w+|\W")
_SCANS = 4
_GROWTH = 9
_SURELY_LINEAR = 6
"""Measured once; above it, the growth is measured with more care."""
_LONG_S = 0.05
"""Any clock can tell a quarter of that."""
_FORMATS = pytest.mark.parametrize("item", formats.FORMATS, ids=lambda item: item.NAME)


@_FORMATS
@pytest.mark.dealt(2)
def test_no_head_is_sniffed_in_quadratic_time(item: formats.Format, rounds: Rounds) -> None:
    for what, make, size in _dealt(item, _heads(item.NAME), rounds):
        assert_linear(f"{item.NAME}: {what}", item.sniff, make, size)


@_FORMATS
@pytest.mark.dealt(12)
def test_no_line_is_read_in_quadratic_time(item: formats.Format, rounds: Rounds) -> None:
    for what, make, size in _dealt(item, _lines(item.NAME, rounds), rounds):
        assert_linear(f"{item.NAME}: {what}", _reader(item.NAME), make, size)


def test_a_digest_with_cut_ids_is_read_in_linear_time() -> None:
    """Each block has the whole id of a class of which the profile prints the beginning."""
    assert_linear("query-digest: cut ids", _read_digest, _cut_ids, 240_000)


def _read_digest(text: str) -> None:
    assert list(query_digest.parse(text.split("\n")))


def _cut_ids(size: int) -> str:
    ids = [f"0x{at:08X}{at:024X}" for at in range(size // 150)]
    profile = (
        f"# {at:4} {key[:-3]}... 1.0 1.0% 9 0.1 0.0 SELECT t" for at, key in enumerate(ids, 1)
    )
    blocks = (f"# Query {at}: 1 QPS, 1x concurrency, ID {key} at" for at, key in enumerate(ids, 1))
    return "\n".join(("# Profile", *profile, *blocks, ""))


def _dealt(
    item: formats.Format, texts: Iterator[tuple[str, Callable[[int], str]]], rounds: Rounds
) -> Iterator[tuple[str, Callable[[int], str], int]]:
    """Deal the texts over three days and the sizes over the texts, another way for the next format.

    A long run takes all.
    """
    order = formats.FORMATS.index(item)
    for at, (what, make) in enumerate(rounds.in_turn(texts, _TURNS, order), order):
        for size in rounds.deal(_SIZES, at % len(_SIZES), len(_SIZES)):
            yield what, make, size


def assert_linear(
    what: str, run: Callable[[str], object], make: Callable[[int], str], size: int
) -> None:
    """``make(size)`` gives the text; it is run at that size and, when slow, in other sizes too.

    A limit of the code may lie between two sizes, and a step there is no growth: a square shows
    from a quarter to the whole and from the whole to four times it.
    """
    large = make(size)
    seconds = _seconds(run, large)
    if seconds <= _SCANS * _scan_seconds() * max(_SIZES):
        return
    small = make(size // 4)
    runs = 1 if seconds > _LONG_S else 4
    if seconds < _SURELY_LINEAR / runs * cpu_seconds(lambda: [run(small) for _ in range(runs)]):
        return
    growth = _growth(run, small, large)
    if growth >= _GROWTH and _growth(run, large, make(size * 4)) >= _GROWTH:
        raise AssertionError(f"{what}: four times the text takes {growth:.1f} times as long")


def _growth(run: Callable[[str], object], small: str, large: str) -> float:
    """Return how many times longer the large text takes, unless another process had its turn."""
    growth = 0.0
    for _ in range(3):
        slow = seconds_per_run(lambda: run(large))
        growth = slow / seconds_per_run(lambda: run(small))
        if growth < _GROWTH:
            break
    return growth


def _heads(name: str) -> Iterator[tuple[str, Callable[[int], str]]]:
    opening = "\n".join(_sample(name)[:8])
    for run in _RUNS:
        yield f"nothing but {run!r}", lambda size, run=run: run * (size // len(run))
        lines = run * (100 // len(run)) + "\n"
        yield f"lines of {run!r}", lambda size, lines=lines: lines * (size // len(lines))
        yield f"{run!r} behind a word", lambda size, run=run: "a" + run * (size // len(run)) + "\n!"
        yield (
            f"{run!r} behind its first lines",
            lambda size, run=run: opening + run * (size // len(run)),
        )


def _lines(name: str, rounds: Rounds) -> Iterator[tuple[str, Callable[[int], str]]]:
    lines = _sample(name)
    dice = random.Random(name)
    start = "\n".join(lines[:20])
    chosen = dice.sample(lines, min(rounds.times(2, 2), len(lines)))
    for at, line in enumerate(chosen):
        own = dict.fromkeys((*line.split()[:2], line or "-"))
        runs = [run for run in rounds.deal(_RUNS, at, len(chosen)) if run not in own]
        for run in (*runs, *own):

            def make(size: int, line: str = line, run: str = run) -> str:
                return "\n".join((start, line + run * (size // len(run)), line, run * 1000))

            yield f"{run!r} at the end of {line[:80]!r}", make


def _sample(name: str) -> list[str]:
    """Return the first lines of a committed sample of that format."""
    path = samples(name)[0]
    return path.read_bytes().decode("utf-8", "replace").splitlines()[:400]


def _reader(name: str) -> Callable[[str], object]:
    def read(text: str) -> None:
        parsed = parse_bytes(text.encode(), "x", name)
        assert not parsed.crashed, parsed.failed

    return read


@functools.cache
def _scan_seconds() -> float:
    """What a plain scan of one character costs here, at best."""
    text = "word " * 20_000
    return min(_seconds(_scan, text) for _ in range(5)) / len(text)


def _scan(text: str) -> int:
    return sum(1 for _ in _SCAN.finditer(text))


def _seconds(run: Callable[[str], object], text: str) -> float:
    return cpu_seconds(lambda: run(text))
