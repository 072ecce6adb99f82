"""Frames of a parse are stored part by part, read back as one, and leave nothing behind."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import polars as pl
from polars.testing import assert_frame_equal

from pileup import records
from pileup.formats.reading import frame_buffer as formats_frames
from pileup.formats.reading.frame_buffer import Frames
from pileup.storage.files.frames import FrameKey, FrameStore

KEY = FrameKey("ab" * 32, "x", 1)


def _events(first: int, count: int) -> pl.DataFrame:
    lines = list(range(first, first + count))
    return records.build_frame("event", {"line_first": lines, "kind": "log", "message": "text"})


def test_frames_that_waited_on_disk_are_stored_whole(tmp_path: Path) -> None:
    store = FrameStore(tmp_path)
    with mock.patch.object(formats_frames, "HELD_BYTES", 100_000):
        frames = Frames(folder=store.drafts())
        for at in range(20):
            frames.add("event", _events(at * 1000 + 1, 1000))
        frames.add(
            "setting",
            records.build_frame(
                "setting", {"line_first": [1], "name": "a", "value": "1", "source": "my.cnf"}
            ),
        )
        store.replace(KEY, frames)
    loaded = store.load(KEY)
    assert loaded is not None
    assert list(loaded) == ["event", "setting"]
    assert_frame_equal(loaded["event"], _events(1, 20_000))
    assert_frame_equal(store.load_kind(KEY, "event"), _events(1, 20_000))  # type: ignore[arg-type]
    assert store.load_kind(KEY, "stack") is None
    store.replace(KEY, {"event": _events(1, 3)})
    assert_frame_equal(store.load(KEY)["event"], _events(1, 3))  # type: ignore[index]
    del frames
    assert not list(store.drafts().iterdir())


def test_old_drafts_are_swept(tmp_path: Path) -> None:
    store = FrameStore(tmp_path)
    for name in ("old", "young"):
        (store.drafts() / name).mkdir()
    os.utime(store.drafts() / "old", (0, 0))
    store.sweep_drafts()
    assert [draft.name for draft in store.drafts().iterdir()] == ["young"]
