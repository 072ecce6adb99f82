"""Blocks hold every line once, and the books tell where each stands without keeping all of them."""

from __future__ import annotations

import io
import random
from unittest import mock

import pytest

from pileup.formats.reading import blocks
from pileup.formats.reading.text import LineReader, make_chunks
from tests.support.rounds import Rounds


def _file(dice: random.Random, encoding: str) -> bytes:
    longest = dice.choice((3, 40, 400, 3000))
    lines = [
        "".join(dice.choices("ab \r|é\U0001f600\u0a0a\u0a00", k=dice.randrange(longest)))
        for _ in range(dice.randrange(2000))
    ]
    end = dice.choice(("\n", "\r\n", ""))
    return "\n".join(lines).encode(encoding) + end.encode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.slow
@pytest.mark.dealt(3)
def test_small_blocks_give_the_same_lines_and_books(encoding: str, rounds: Rounds) -> None:
    for seed in range(rounds.times(5, 12)):
        dice = random.Random(seed)
        bom = "\ufeff".encode(encoding)
        data = bom + _file(dice, encoding)
        text = data.decode(encoding)
        lines = text.removeprefix("\ufeff").split("\n")
        if not lines[-1]:
            lines.pop()
        starts = [0]
        for line in text.split("\n"):
            starts.append(starts[-1] + len(f"{line}\n".encode(encoding)))
        starts[-1] = len(data)
        with (
            mock.patch.object(blocks, "BLOCK_BYTES", dice.choice((64, 1000, 100_000))),
            mock.patch.object(blocks, "_RECENT_BYTES", dice.choice((0, 5000, 10**9))),
        ):
            reader = LineReader(io.BytesIO(data))
            numbered = [
                (number, line)
                for chunk in reader.chunks()
                for number, line in enumerate(chunk.text.split("\n")[:-1], chunk.first)
            ]
            assert numbered == list(enumerate((line.rstrip("\r") for line in lines), start=1))
            assert (reader.bytes_read, reader.raw_lines) == (len(data), len(lines))
            assert reader.line_index == starts[: len(lines)][:: blocks.INDEX_EVERY]
            asked = dice.sample(range(1, len(lines) + 1), min(50, len(lines)))
            # What is too far back to be kept is read again.
            assert [reader.line_offset(line) for line in asked] == [starts[at - 1] for at in asked]


def test_a_stream_that_cannot_go_back_tells_the_indexed_line_before() -> None:
    stream = io.BytesIO(b"0123456\n" * 10_000)
    stream.seekable = lambda: False  # type: ignore[method-assign]
    with (
        mock.patch.object(blocks, "BLOCK_BYTES", 4096),
        mock.patch.object(blocks, "_RECENT_BYTES", 8192),
    ):
        reader = LineReader(stream)
        assert len(list(reader)) == 10_000
        assert reader.line_offset(9_999) == 9_998 * 8
        assert reader.line_offset(300) == 256 * 8


def test_a_long_line_is_a_block_of_its_own_wherever_it_begins() -> None:
    with mock.patch.object(blocks, "MAX_LINE_BYTES", 100), mock.patch.object(blocks, "_HALF", 50):
        for size in (64, 90, 1000, 10_000):
            with mock.patch.object(blocks, "BLOCK_BYTES", size):
                for length in (99, 100, 101, 150, 700):
                    for end in ("\n", ""):
                        text = "a\n" * 30 + "x" * length + "\nb\n" + "y" * length + end
                        for encoding in ("utf-8", "utf-16-be"):
                            data = text.encode(encoding)
                            reader = LineReader(io.BytesIO(data))
                            limit = 100 // len("\n".encode(encoding))
                            found = [len(line) for line in reader]
                            cut = min(length, limit)
                            assert found == [*[1] * 30, cut, 1, cut], (size, length, encoding)
                            assert reader.bytes_read == len(data)
                            assert len(reader.problems) == 2 * (length > limit)


def test_a_long_line_may_come_in_pieces_that_are_one_raw_line() -> None:
    line = "xé\U0001f600" * 60
    with mock.patch.object(blocks, "MAX_LINE_BYTES", 100), mock.patch.object(blocks, "_HALF", 50):
        for size in (64, 90, 150, 10_000):
            with mock.patch.object(blocks, "BLOCK_BYTES", size):
                for encoding in ("utf-8", "utf-16-le"):
                    data = f"\ufeffa\nb\n{line}\nc\n{line}".encode(encoding)
                    reader = LineReader(io.BytesIO(data))
                    reader.keep_long_lines()
                    found = list(reader)
                    assert found[:2] == ["a", "b"]
                    last = found.index("c")
                    assert "".join(found[2:last]) == "".join(found[last + 1 :]) == line
                    raw = [reader.raw_line(number) for number in range(1, len(found) + 1)]
                    assert raw == [1, 2, *[3] * (last - 2), 4, *[5] * (len(found) - last - 1)]
                    assert (reader.bytes_read, reader.raw_lines) == (len(data), 5)
                    assert reader.count_bytes(3, 3) == len(f"{line}\n".encode(encoding))
                    assert not reader.problems


def test_lines_and_chunks_share_one_source() -> None:
    with mock.patch.object(blocks, "BLOCK_BYTES", 4):
        reader = LineReader(io.BytesIO(b"a\nb\nc\nd\ne\n"))
        lines = iter(reader)
        assert [next(lines), next(lines), next(lines)] == ["a", "b", "c"]
        assert reader.at == 3
        assert [chunk.text for chunk in reader.chunks()] == ["e\n"]
        assert list(reader) == ["d"]


def test_lines_as_chunks() -> None:
    chunks = list(make_chunks(["a", "b", "c"], size=2))
    assert [(chunk.first, chunk.text, chunk.lines) for chunk in chunks] == [
        (1, "a\nb\n", 2),
        (3, "c\n", 1),
    ]


def test_a_chunk_is_the_same_as_text_and_as_bytes() -> None:
    for data in (b"plain\nlines\n", "caf\u00e9\n".encode(), b"nul\0\n", b"cr\r\n", b"```\nx\n"):
        (chunk,) = LineReader(io.BytesIO(data)).chunks()
        assert chunk.data == chunk.text.encode()
        assert chunk.lines == chunk.text.count("\n")
        assert chunk.text == "\n".join(LineReader(io.BytesIO(data))) + "\n"


def test_no_chunks_of_no_lines() -> None:
    assert list(make_chunks([])) == []
