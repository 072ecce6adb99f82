"""Blob store: every upload once, under its SHA-256, on disk before the upload is acknowledged.

Layout: ``<root>/ab/<sha256>``. Bytes go to a draft in the same folder, are hashed while written,
synced, and renamed into place; then the folder is synced. A blob never changes afterwards.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from pileup.storage.errors import NoSpace, NotFound, TooLarge
from pileup.storage.ids import new_id

_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Blob:
    sha256: str
    bytes: int


class BlobStore:
    """A folder of blobs."""

    def __init__(self, root: Path, *, min_free_bytes: int = 0) -> None:
        self.root = root
        self._drafts = root / "drafts"
        self._min_free_bytes = min_free_bytes

    def draft(self, max_bytes: int) -> Draft:
        """Open a new blob for writing, as a context manager; ``keep()`` stores it."""
        self._drafts.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Draft(self, self._drafts / new_id(), max_bytes)

    def store(self, stream: BinaryIO, max_bytes: int) -> Blob:
        """Store all bytes of a stream as a blob."""
        with self.draft(max_bytes) as draft:
            while chunk := stream.read(_CHUNK):
                draft.write(chunk)
            return draft.keep()

    def adopt(self, path: Path) -> Blob:
        """Store a finished file of the same disk as a blob: hashed, synced, hard-linked.

        The file stays until its owner has committed the result to the database.
        """
        digest = hashlib.sha256()
        size = 0
        with path.open("rb+") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
            os.fsync(stream.fileno())
        blob = Blob(digest.hexdigest(), size)
        self._drafts.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self._drafts / new_id()
        os.link(path, draft)
        self._place(draft, blob.sha256)
        return blob

    def path(self, sha256: str) -> Path:
        """Return the path of a blob."""
        if len(sha256) != 64 or not all(c in "0123456789abcdef" for c in sha256):
            raise NotFound(f"{sha256[:80]!r} is not a SHA-256")
        return self.root / sha256[:2] / sha256

    def open(self, sha256: str) -> BinaryIO:
        """Open a blob for reading; raise NotFound when it is missing."""
        try:
            return self.path(sha256).open("rb")
        except FileNotFoundError:
            raise NotFound(
                f"the bytes of {sha256[:12]} are not in the blob store {self.root}; "
                "was the data folder restored without them?"
            ) from None

    def digest(self, sha256: str) -> Blob:
        """Read a blob and return what its bytes are in fact; raise NotFound when it is missing."""
        digest = hashlib.sha256()
        size = 0
        with self.open(sha256) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
        return Blob(digest.hexdigest(), size)

    def check_space(self, wanted: int = 0) -> None:
        """Raise NoSpace when ``wanted`` more bytes would use the disk's reserve."""
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        free = shutil.disk_usage(self.root).free
        if free - wanted < self._min_free_bytes:
            raise NoSpace(
                f"the disk that holds {self.root} has {free // 1024**2} MiB free; "
                f"{wanted // 1024**2} MiB more would leave less than the reserve of "
                f"{self._min_free_bytes // 1024**2} MiB. Free some space and send it again"
            )

    def remove(self, sha256: str, *, untouched_s: float, now: float) -> bool:
        """Remove an unreferenced blob unless it was stored recently; return whether removed."""
        path = self.path(sha256)
        try:
            if now - path.stat().st_mtime < untouched_s:
                return False
            path.unlink()
        except FileNotFoundError:
            return False
        return True

    def sweep(self, older_than_s: float = 86_400.0) -> None:
        """Remove drafts that a killed process left; recent ones may be in use."""
        for draft in self._drafts.glob("*"):
            with suppress(FileNotFoundError):  # another worker sweeps too
                if time.time() - draft.stat().st_mtime > older_than_s:
                    draft.unlink()

    def _place(self, draft: Path, sha256: str) -> None:
        target = self.path(sha256)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if target.exists():
            os.utime(target)  # a purge skips recently touched blobs
            draft.unlink()
        else:
            draft.replace(target)  # two writers of the same bytes: either is right
        _sync_folder(target.parent)


class Draft:
    """A blob being written; removed unless ``keep()`` is called."""

    def __init__(self, store: BlobStore, path: Path, max_bytes: int) -> None:
        self._store = store
        self._path = path
        self._max_bytes = max_bytes
        self._digest = hashlib.sha256()
        self.bytes = 0

    def __enter__(self) -> Self:
        self._file = self._path.open("xb")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the draft and remove it unless it was kept."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def write(self, chunk: bytes | memoryview) -> None:
        """Append bytes; raise TooLarge over the limit and NoSpace on a full disk."""
        self.bytes += len(chunk)
        if self.bytes > self._max_bytes:
            raise TooLarge(
                f"the file is larger than the limit of {self._max_bytes // 1024**2} MiB "
                "(PILEUP_MAX_UPLOAD_BYTES); nothing was stored"
            )
        with disk_words(self._store.root):
            self._file.write(chunk)
        self._digest.update(chunk)

    def keep(self) -> Blob:
        """Sync the draft, rename it to its place, and return the blob."""
        with disk_words(self._store.root):
            self._file.flush()
            os.fsync(self._file.fileno())
        blob = Blob(self._digest.hexdigest(), self.bytes)
        self._store._place(self._path, blob.sha256)
        return blob


@contextmanager
def disk_words(folder: Path) -> Iterator[None]:
    """Turn the error of a full disk into NoSpace, which says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NoSpace(
                f"the disk that holds {folder} is full; nothing of this file was stored. "
                "Free some space and send it again"
            ) from error
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
