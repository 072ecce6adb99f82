"""Bytes become numbered lines whatever the encoding, and every line leads back to the raw file."""

from __future__ import annotations

import io
import json
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.formats.reading import blocks
from pileup.formats.reading.blocks import INDEX_EVERY, MAX_LINE_BYTES
from pileup.formats.reading.text import HEAD_BYTES, LineReader, decode_lines, line_end


def _read(data: bytes) -> tuple[LineReader, list[str]]:
    reader = LineReader(io.BytesIO(data))
    return reader, list(reader)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        ("ä\nb\n".encode("utf-16"), ["ä", "b"]),
        ("first line\nsecond line\n".encode("utf-16-be"), ["first line", "second line"]),
        (b"caf\xe9 \xf0\x9f\n\0x\n", ["caf\ufffd \ufffd", "\ufffdx"]),
        (b"\n\n", ["", ""]),
        (b"a\rb\r\rc", ["a", "b", "", "c"]),
        (b"\xef\xbb\xbfa\rb\r", ["a", "b"]),
        ("\u00e4\rb\r".encode("utf-16"), ["\u00e4", "b"]),
        ("first line\rsecond line".encode("utf-16-be"), ["first line", "second line"]),
        (b"a\r", ["a"]),
        (b"10%\r20%\rdone\n", ["10%\r20%\rdone"]),
    ],
)
def test_lines_are_decoded_without_terminators(data: bytes, lines: list[str]) -> None:
    reader, found = _read(data)
    assert found == lines
    assert reader.bytes_read == len(data)


def test_a_long_line_is_cut_and_reported_and_the_next_one_keeps_its_number() -> None:
    data = b"x\n" + b"y" * (3 * MAX_LINE_BYTES) + b"\nz\n"
    for encoded, characters in (
        (data, MAX_LINE_BYTES),
        (data.decode().encode("utf-16"), MAX_LINE_BYTES // 2),
    ):
        reader, found = _read(encoded)
        assert [len(line) for line in found] == [1, characters, 1]
        assert [problem.line for problem in reader.problems] == [2]
        assert reader.bytes_read == len(encoded)


def test_the_line_index_points_at_every_256th_raw_line() -> None:
    data = b"".join(b"line %d\n" % number for number in range(1, 1001))
    reader, _ = _read(data)
    assert len(reader.line_index) == 4
    for at, offset in enumerate(reader.line_index):
        assert data[offset:].split(b"\n")[0] == b"line %d" % (at * INDEX_EVERY + 1)
    assert reader.count_bytes(1, 2) == len(b"line 1\nline 2\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_lines_that_end_with_cr_alone_have_numbers_and_an_index(encoding: str) -> None:
    data = "".join(f"line {number}\r" for number in range(1, 1001)).encode(encoding)
    reader, found = _read(data)
    assert found == [f"line {number}" for number in range(1, 1001)]
    assert (reader.raw_lines, reader.at) == (1000, 1000)
    start = reader.line_index[2]
    assert data[start:].decode(encoding).startswith("line 513\r")
    assert reader.count_bytes(1, 1000) == len(data)


def test_an_lf_below_the_head_of_a_text_with_crs_also_ends_a_line() -> None:
    head = b"x\r" * (HEAD_BYTES // 2)
    reader, found = _read(head + b"a\nb\rc\r\nd\r")
    assert found[-4:] == ["a", "b", "c", "d"]
    last = len(found)
    assert [reader.raw_line(last - at) - HEAD_BYTES // 2 for at in (3, 2, 1, 0)] == [1, 1, 2, 3]


def test_asking_twice_goes_on_and_does_not_start_anew() -> None:
    reader = LineReader(io.BytesIO(b"a\nb\nc\n"))
    assert next(iter(reader)) == "a"
    assert list(reader) == ["b", "c"]
    assert list(reader) == []
    assert reader.bytes_read == 6


def test_a_docker_prefix_on_every_line_is_peeled() -> None:
    data = b"".join(b"mariadb_1  | line %d\n" % number for number in range(10))
    reader, found = _read(data)
    assert found[3] == "line 3"
    assert reader.head.startswith("line 0\nline 1")


def test_a_prefix_on_some_lines_is_text() -> None:
    data = b"app | a\napp | b\napp | c\n" + b"other\n" * 20
    assert _read(data)[1][0] == "app | a"


def test_a_markdown_fence_becomes_a_blank_line() -> None:
    found = list(decode_lines(io.BytesIO(b"text\n```sql\nSELECT `a`\n```\n")))
    assert found == ["text", "", "SELECT `a`", ""]


def test_a_dump_on_one_line_is_expanded_and_keeps_its_raw_line_number() -> None:
    dump = rb"InnoDB\t\t\n=====\n2023-08-21 22:25:51 0x7f INNODB MONITOR OUTPUT\n=====\nSEMAPHORES"
    reader, found = _read(b"Type\tName\tStatus\n" + dump + b"\nafter\n")
    assert found[1:5] == [
        "InnoDB\t\t",
        "=====",
        "2023-08-21 22:25:51 0x7f INNODB MONITOR OUTPUT",
        "=====",
    ]
    assert found[-1] == "after"
    assert [reader.raw_line(number) for number in range(1, len(found) + 1)] == [
        1,
        *[2] * (len(found) - 2),
        3,
    ]
    assert reader.raw_lines == 3


_BYTES = st.lists(
    st.sampled_from(
        [b"a", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xc3\xa9", b"```\n", b"x | ", b"\t", b"\\n"]
    ),
    max_size=60,
).map(b"".join)


@given(_BYTES, st.sampled_from([1, 2, 7, 64]))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_any_bytes_are_the_same_lines_whatever_the_blocks(data: bytes, size: int) -> None:
    """As many lines as there are line ends, all bytes counted, every block border invisible."""
    reader, found = _read(data)
    assert reader.bytes_read == len(data)
    end = line_end(data, "utf-8").encode()
    assert reader.raw_lines == data.count(end) + bool(data and not data.endswith(end))
    assert reader.count_bytes(1, reader.raw_lines) == len(data)
    assert not any("\0" in line or "\n" in line for line in found)
    with mock.patch.object(blocks, "BLOCK_BYTES", size):
        again, lines = _read(data)
    assert lines == found
    assert again.line_index == reader.line_index


def docker(text: str, stream: str = "stderr") -> str:
    entry = {"log": text, "stream": stream, "time": "2026-11-20T22:20:15.000000001Z"}
    return json.dumps(entry, separators=(",", ":"))


def test_a_line_that_docker_cut_is_one_line_in_the_place_of_its_last_part() -> None:
    parts = [docker("a" * 16384), docker("of stdout\n", "stdout"), docker("b" * 10 + "\n")]
    reader = LineReader(
        io.BytesIO("\n".join([docker("first\n"), *parts, docker("last\n")]).encode())
    )
    whole = ["first", "", "of stdout", "a" * 16384 + "b" * 10, "last"]
    assert [line.removeprefix("2026-11-20T22:20:15.000000001Z ") for line in reader] == whole
    assert not reader.has_expansions


def test_a_line_that_the_cri_cut_is_one_line() -> None:
    at = "2023-05-02T04:00:00.123456789Z stderr"
    text = f"{at} F first\n{at} P one \n{at} P two \n{at} F three\n{at} F last\n"
    lines = LineReader(io.BytesIO(text.encode()))
    whole = ["first", "", "", "one two three", "last"]
    assert [line.removeprefix("2023-05-02T04:00:00.123456789Z ") for line in lines] == whole


def test_entries_without_line_feeds_are_not_parts() -> None:
    """fluentd strips the line feed of every entry."""
    text = "\n".join(docker(item) for item in ("first", "second"))
    assert list(LineReader(io.BytesIO(text.encode()))) == ["first", "second"]
