"""Committed samples broken in every way that files break: they may fail, they must not crash.

The samples of a format share the ways among them, over two days; with ``--rounds`` each is broken
in every way.
"""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from pileup import formats
from pileup.formats.driver import parse_stream
from pileup.formats.reading.text import LineReader
from pileup.storage.files.frames import FrameKey, FrameStore
from tests.formats.checks import all_samples, assert_sound, parse_bytes, samples
from tests.formats.damage import ways
from tests.support.rounds import Rounds

_MOST = 96 * 1024
_ALL = all_samples()
_each_sample = pytest.mark.parametrize(
    "path", _ALL, ids=lambda path: f"{path.parent.name}-{path.name}"
)


@_each_sample
@pytest.mark.dealt(9)
def test_damage_is_data(path: Path, rounds: Rounds) -> None:
    data = path.read_bytes()[:_MOST]
    whole = parse_bytes(data, path.name, path.parent.name)
    assert_sound(whole, len(data))
    borders = {
        line for section in whole.sections for line in (section.line_first - 1, section.line_last)
    } - {0}
    siblings = samples(path.parent.name)
    for round_ in range(rounds.count):
        every = ways(data, random.Random(f"{path.name} {round_}"), borders)
        own = rounds.deal(every, siblings.index(path), len(siblings))
        for what, broken in rounds.in_turn(own, 2, siblings.index(path)):
            # As whatever it now looks like, and where that is another format, as what it was too.
            parsed = parse_bytes(broken, "x")
            assert_sound(parsed, len(broken), what, whole.frames)
            if parsed.format != path.parent.name:
                parsed = parse_bytes(broken, "x", path.parent.name)
                assert_sound(parsed, len(broken), what, whole.frames)


@pytest.mark.parametrize("item", formats.FORMATS, ids=lambda item: item.NAME)
def test_what_stands_above_a_read_error_is_kept(item: formats.Format) -> None:
    """As much as of a file that ends there, and a sentence that says why it ends."""
    data = samples(item.NAME)[0].read_bytes()
    data = data[: len(data) // 2]
    parsed = parse_stream(_Breaks(data), format=item.NAME)  # type: ignore[arg-type]
    assert "disk went away" in (parsed.failed or "")
    assert not parsed.crashed
    whole = parse_bytes(data, "", item.NAME)
    assert parsed.receipt.records == whole.receipt.records
    assert parsed.receipt.bytes_read == len(data)


class _Breaks:
    """A stream that fails behind its data; a head smaller than its 64 KB ends there first."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        if data := self._data.read(size):
            return data
        if self._ended:
            raise OSError("the disk went away")
        self._ended = True
        return b""


@_each_sample
@pytest.mark.dealt(9)
def test_frames_come_back_from_the_store_as_they_were(path: Path, tmp_path: Path) -> None:
    parsed = parse_bytes(path.read_bytes(), path.name, path.parent.name)
    store = FrameStore(tmp_path)
    key = FrameKey("ab" * 32, path.parent.name, parsed.version)
    store.replace(key, parsed.frames)
    back = store.load(key)
    assert back is not None
    assert back.keys() == parsed.frames.keys()
    for kind, frame in parsed.frames.items():
        assert_frame_equal(back[kind], frame)


@_each_sample
@pytest.mark.dealt(9)
def test_no_name_changes_what_content_says(path: Path) -> None:
    """A name may decide between formats that both claim the content, and nothing else."""
    with path.open("rb") as stream:
        head = LineReader(stream).head
    answers = {known.NAME: known.sniff(head) for known in formats.FORMATS}
    claimed = {name for name, answer in answers.items() if answer is True}
    answered = [_Answered(known, answers[known.NAME]) for known in formats.FORMATS]
    hints = [hint for known in formats.FORMATS for hint in known.HINTS]
    for name in (
        "",
        "/",
        "..",
        "\0",
        "A" * 5000,
        "ü\ud800",
        "x.gz",
        *hints,
        *map(str.upper, hints),
    ):
        found = formats.choose(answered, head, name).format
        if claimed:
            assert found in claimed, f"the name {name[:80]!r} made it {found}"
        else:
            assert found is None or answers[found] is None


class _Answered:
    """A format that has been asked already."""

    def __init__(self, item: formats.Format, answer: bool | None) -> None:
        self.NAME, self.TITLE, self.HINTS = item.NAME, item.TITLE, item.HINTS
        self.ONLY_UNCLAIMED = getattr(item, "ONLY_UNCLAIMED", False)
        self.answer = answer

    def sniff(self, head: str) -> bool | None:
        return self.answer
