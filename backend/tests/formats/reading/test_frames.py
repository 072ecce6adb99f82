"""Frames wait on disk when they are much, bulk rows equal single records, skips count once."""

from __future__ import annotations

import dataclasses
import io
import itertools
import pickle
import random
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from unittest import mock

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pileup import formats, records
from pileup.formats.driver import parse_stream
from pileup.formats.reading import frame_buffer as frames_module
from pileup.formats.reading import skipped_lines
from pileup.formats.reading.frame_buffer import Frames
from pileup.formats.reading.text import Chunk, LineReader
from pileup.records import Event, Frame, Item, Rows, Samples, Skipped, Stack, StackThread


def _events(first: int, count: int) -> pl.DataFrame:
    lines = list(range(first, first + count))
    return records.build_frame("event", {"line_first": lines, "kind": "log", "message": "text"})


def test_columns_become_the_frame_that_records_give() -> None:
    rows = [Event(line_first=n, line_last=n, kind="log", message="text") for n in (1, 2)]
    assert_frame_equal(_events(1, 2), records.records_frame("event", rows))
    stack = Stack(line_first=1, line_last=1, count=2, frames=(Frame(function="f"),))
    columns = {"line_first": [1], "count": pl.Series([2]), "frames": [[{"function": "f"}]]}
    assert_frame_equal(
        records.build_frame("stack", columns), records.records_frame("stack", [stack])
    )
    with pytest.raises(TypeError, match="needs the column message"):
        records.build_frame("event", {"line_first": [1], "kind": "log"})


def test_lists_of_records_keep_their_rows_also_the_empty_ones() -> None:
    threads = (StackThread(number=1, lwp=2**40), StackThread(pthread=2**64 - 1, name="x"))
    rows = [
        Stack(line_first=n, line_last=n, count=1, frames=frames, threads=some, addresses=("0x1",))
        for n, (frames, some) in enumerate(
            [
                ((), ()),
                ((Frame(function="a"), Frame(function="b", line=1)), threads),
                ((), threads[:1]),
                ((Frame(function="a"),), ()),
            ],
            start=1,
        )
    ]
    frame = records.records_frame("stack", rows)
    again = [records.record_from_row("stack", row) for row in frame.iter_rows(named=True)]
    assert again == rows
    assert_frame_equal(records.records_frame("stack", rows[:1]), frame[:1])


def test_samples_become_columns() -> None:
    chunks = [
        Samples("a", "gauge", "s", "utc", [1, None], [1, None], [1, 2], (("x", "1"), ("b", "2"))),
        Samples("b", "rate", None, "relative", [], [], []),
        Samples("c", "counter", None, "relative", [3], [10**40], [9], host="h"),
    ]
    assert records.samples_frame(chunks).rows() == [
        ("a", "b=2,x=1", "gauge", "s", None, 1, "utc", 1.0, 1),
        ("a", "b=2,x=1", "gauge", "s", None, None, "utc", None, 2),
        ("c", "", "counter", None, "h", 3, "relative", 1e40, 9),
    ]
    assert records.samples_frame([]).schema == pl.Schema(records.frame_schema(records.SAMPLE))


def test_much_waits_on_disk_and_little_does_not(tmp_path: Path) -> None:
    with mock.patch.object(frames_module, "HELD_BYTES", 100_000):
        frames = Frames(folder=tmp_path)
        for at in range(20):
            frames.add("event", _events(at * 1000 + 1, 1000))
        frames.add("setting", _events(1, 0))
    assert len(list(tmp_path.glob("*/event.*.arrow"))) > 3
    assert (dict.fromkeys(frames), frames.heights) == ({"event": None}, {"event": 20_000})
    assert frames["event"]["line_first"].to_list() == list(range(1, 20_001))
    assert_frame_equal(pl.concat(frames.parts("event")), frames["event"])
    assert_frame_equal(pickle.loads(pickle.dumps(frames))["event"], frames["event"])
    del frames
    assert not list(tmp_path.iterdir())


def _parse(lines: Iterable[str]) -> Iterator[Item]:
    raise AssertionError("chunks are preferred")
    yield


def test_the_driver_prefers_chunks_and_keeps_the_order_of_rows_and_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
        for chunk in chunks:
            yield Event(line_first=chunk.first, line_last=chunk.first, kind="log", message="text")
            yield Rows("event", _events(chunk.first + 1, chunk.lines - 1))

    chosen = types.SimpleNamespace(
        NAME="x",
        TITLE="x",
        VERSION=1,
        HINTS=(),
        sniff=lambda head: True,
        parse=_parse,
        parse_chunks=parse_chunks,
    )
    monkeypatch.setattr(formats, "FORMATS", (chosen,))
    parsed = parse_stream(io.BytesIO(b"1\n2\n3"))
    assert_frame_equal(parsed.frames["event"], _events(1, 3))
    folded = rb"InnoDB \n=\nINNODB MONITOR OUTPUT\n==\nx" + b"\nend\n"
    assert parse_stream(io.BytesIO(folded)).frames["event"]["line_last"].to_list() == [
        *[1] * 5,
        2,
    ]
    chosen.parse_chunks = lambda chunks: iter([Rows("event", pl.DataFrame({"a": [1]}))])
    assert "must have its schema" in (parse_stream(io.BytesIO(b"1\n")).failed or "")


def test_skipped_bytes_are_exact_however_many_ranges_there_are() -> None:
    dice = random.Random(5)
    lines = [b"x" * dice.randrange(20) + b"\n" for _ in range(5000)]
    reader = LineReader(io.BytesIO(b"".join(lines)))
    for _ in reader:
        pass
    with (
        mock.patch.object(skipped_lines, "_OPEN", 20),
        mock.patch.object(skipped_lines, "LISTED", 30),
    ):
        found = skipped_lines.Skips(reader)
        wanted = set()
        first = 1
        while first < 4900:
            last = first + dice.randrange(5)
            found.add(Skipped(first, last, dice.choice("ab")))
            wanted |= set(range(first, last + 1))
            first += dice.randrange(-2, 9) if first > 5 else 1
        listed, size = found.all()
    assert size == sum(len(lines[number - 1]) for number in wanted)
    assert len(listed) == 30
    assert all(a.line_last < b.line_first for a, b in itertools.pairwise(listed))


def test_a_grid_is_its_rows_in_memory_and_on_disk(tmp_path: Path, monkeypatch) -> None:
    """20 series at 5 moments beside single rows: the same samples, in the same order."""
    width, moments = 20, 5
    series = pl.DataFrame(
        {
            "series": [f"mysql.{n}" for n in range(width)],
            "labels": [""] * width,
            "kind": ["gauge"] * width,
            "unit": [None] * width,
            "host": [None] * width,
        },
        schema=dict.fromkeys(("series", "labels", "kind", "unit", "host"), pl.String),
    )
    grid = records.Grid(
        series,
        "relative",
        pl.Series([n * 1_000_000 for n in range(moments)]),
        pl.Series([1 + n * 30 for n in range(moments)]),
        pl.Series(range(3, 3 + width)),
        pl.Series([None if n == 7 else float(n) for n in range(width * moments)]),
    )
    single = records.samples_frame(
        [records.Samples("mysql.x", "gauge", None, "utc", [5], [1.0], [999])]
    )
    expected = pl.concat([single, *grid.frames(7), single])
    assert expected.height == width * moments + 2
    assert expected["line_first"].to_list()[1:4] == [4, 5, 6]
    assert expected["value"].to_list()[8] is None
    for held in (frames_module.HELD_BYTES, 1):
        monkeypatch.setattr(frames_module, "HELD_BYTES", held)
        kept = Frames(folder=tmp_path)
        kept.add(records.SAMPLE, single)
        kept.add_grid(grid)
        kept.add(records.SAMPLE, single)
        assert kept.heights == {records.SAMPLE: expected.height}
        assert_frame_equal(kept[records.SAMPLE], expected)
        assert_frame_equal(pl.concat(kept.parts(records.SAMPLE)), expected)
        assert kept.has_a_number()

        unknown = Frames(folder=tmp_path)
        nothing = pl.Series([None] * (width * moments), dtype=pl.Float64)
        unknown.add_grid(dataclasses.replace(grid, values=nothing))
        unknown.add(records.SAMPLE, single.with_columns(value=None))
        assert not unknown.has_a_number()
        unknown.add(records.SAMPLE, single)
        assert unknown.has_a_number()


def test_stacks_are_their_rows_in_memory_and_on_disk(tmp_path: Path, monkeypatch) -> None:
    """Runs of frames beside whole rows: the same stacks, in the same order."""
    frames = records.struct_column(Frame, [Frame(function=name) for name in "abc"])
    runs = pl.Series([[0, 1], [2], [2]], dtype=pl.List(pl.UInt32))
    rows = pl.DataFrame({"line_first": [5, 6, 7], "count": [3, 2, 1]})
    places = pl.Series([0, 1, 2, 0, 0], dtype=pl.UInt32)
    stacks = records.Stacks(rows, pl.Series([1, 3, 1], dtype=pl.UInt32), places, runs, frames)
    single = records.records_frame(
        "stack", [Stack(line_first=1, line_last=1, count=9, frames=(Frame(function="x"),))]
    )
    expected = pl.concat([single, stacks.frame(), stacks.frame(), single])
    assert [
        "".join(frame["function"] for frame in row) for row in expected["frames"].to_list()
    ] == ["x", "ab", "ccab", "ab", "ab", "ccab", "ab", "x"]
    size = int(runs.estimated_size() + frames.estimated_size())
    for held in (frames_module.HELD_BYTES, size, 1):
        monkeypatch.setattr(frames_module, "HELD_BYTES", held)
        kept = Frames(folder=tmp_path)
        kept.add("stack", single)
        kept.add_stacks(stacks)
        kept.add_stacks(stacks)
        kept.add("stack", single)
        assert kept.heights == {"stack": 8}
        assert_frame_equal(kept["stack"], expected)
        assert_frame_equal(pl.concat(kept.parts("stack")), expected)
