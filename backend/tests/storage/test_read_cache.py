"""Local copies of stored files: up to a size, the longest unused go first, those in use stay."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pileup.storage.errors import Damaged, NoSpace
from pileup.storage.files.read_cache import ReadCache

SIZE = 1000


def copy(cache: ReadCache, name: str) -> Path:
    return cache.file(name, lambda out: out.write(name[:1].encode() * SIZE))


def age(path: Path, hours: float) -> None:
    then = time.time() - 3600 * hours
    os.utime(path, (then, then))


def names(cache: ReadCache) -> set[str]:
    return {path.name for path in cache.root.rglob("*") if path.is_file()}


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    cache = ReadCache(tmp_path, 4 * SIZE)
    for at, name in enumerate(("a", "b", "c", "d")):
        age(copy(cache, name), hours=10 - at)
    copy(cache, "a")  # used again
    copy(cache, "e")
    assert names(cache) == {"a", "d", "e"}
    for name in names(cache):
        copy(cache, name)
    copy(cache, "f")
    copy(cache, "g")  # over the size, but all are in use
    assert names(cache) == {"a", "d", "e", "f", "g"}
    age(tmp_path / "d", hours=25)
    cache.trim(10 * SIZE)
    assert names(cache) == {"a", "e", "f", "g"}


def test_a_copy_that_fails_its_check_has_no_name(tmp_path: Path) -> None:
    cache = ReadCache(tmp_path, 10 * SIZE)

    def damaged(out: object) -> None:
        raise Damaged("other bytes")

    with pytest.raises(Damaged):
        cache.file("x", damaged)
    assert names(cache) == set()


def test_a_full_disk_takes_unused_copies_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads may use most of the reserve, and give up copies before they fail."""
    cache = ReadCache(tmp_path, 100 * SIZE, min_free_bytes=4 * SIZE)
    age(copy(cache, "old"), hours=1)
    free = SimpleNamespace(free=2 * SIZE)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    copy(cache, "new")
    assert names(cache) == {"old", "new"}
    free.free = 0
    with pytest.raises(NoSpace):
        copy(cache, "third")
    assert names(cache) == {"new"}
