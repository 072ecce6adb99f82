"""The blob store: once, under its hash, whole or not at all."""

from __future__ import annotations

import hashlib
import io
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pileup.storage.errors import NotFound, TooLarge
from pileup.storage.files.blobs import BlobStore


def files(store: BlobStore) -> list[Path]:
    return [path for path in Path(store.place).rglob("*") if path.is_file()]


def test_the_same_bytes_at_once_are_one_file(tmp_path: Path) -> None:
    """Sixteen writers race; the file is whole whenever it is there."""
    store = BlobStore(tmp_path / "blobs")
    content = bytes(range(256)) * 4000
    with ThreadPoolExecutor(8) as pool:
        stored = list(pool.map(lambda _: store.store(io.BytesIO(content), 2**30), range(16)))
    assert {blob.sha256 for blob in stored} == {hashlib.sha256(content).hexdigest()}
    (only,) = files(store)
    assert only.read_bytes() == content
    folders = [path for path in Path(store.place).rglob("*") if path.is_dir()]
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}


def test_a_broken_stream_leaves_nothing(tmp_path: Path) -> None:
    """Neither a blob nor a draft."""

    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise ConnectionResetError("gone")

    store = BlobStore(tmp_path / "blobs")
    with pytest.raises(ConnectionResetError):
        store.store(Broken(), 100)
    with pytest.raises(TooLarge):
        store.store(io.BytesIO(b"12345"), 4)
    assert files(store) == []


def test_an_adopted_file_stays_until_its_owner_removes_it(tmp_path: Path) -> None:
    """A crash between the two can be repeated."""
    store = BlobStore(tmp_path / "blobs")
    upload = tmp_path / "upload"
    upload.write_bytes(b"content")
    first, second = store.adopt(upload), store.adopt(upload)
    assert first == second
    upload.unlink()
    assert store.open(first.sha256).read() == b"content"


@pytest.mark.parametrize("sha256", ["", "../../etc/passwd", "A" * 64, "0" * 63])
def test_only_hashes_are_paths(tmp_path: Path, sha256: str) -> None:
    """Nothing else reaches the disk."""
    with pytest.raises(NotFound):
        BlobStore(tmp_path).path(sha256)


def test_old_drafts_are_swept(tmp_path: Path) -> None:
    """A killed upload leaves its draft; a day later it is gone, a fresh one stays."""
    store = BlobStore(tmp_path / "blobs")
    with store.draft(10) as old, store.draft(10) as fresh:
        paths = sorted((Path(store.place) / "drafts").iterdir())
        os.utime(paths[0], (0, 0))
        store.sweep()
        assert list((Path(store.place) / "drafts").iterdir()) == [paths[1]]
        assert (old.bytes, fresh.bytes) == (0, 0)
