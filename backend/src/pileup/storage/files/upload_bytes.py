"""The bytes of resumable uploads in progress: a growing file in a folder, or pieces in a bucket.

Whatever was acknowledged is stored: each append ends with ``Appender.sync``. One request at a time
appends to an upload, across all API processes; another raises InUse or Conflict.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from pileup.storage.errors import Conflict, InUse, NotFound
from pileup.storage.files.blobs import Blob, BlobStore
from pileup.storage.files.bucket import BucketObjects
from pileup.storage.files.objects import disk_words, make_folder, sync_folder

_PIECE = 8 * 1024 * 1024
_MOST_PIECES = 50_000


class Appender(Protocol):
    """An upload that a request appends to."""

    offset: int
    """Bytes so far; those since the last ``sync`` may be lost by a crash."""

    def write(self, chunk: bytes) -> bool:
        """Append bytes; return whether ``sync`` should be called before more come."""
        ...

    def sync(self) -> None:
        """Store what was written."""
        ...


class UploadBytes(Protocol):
    """Bytes of uploads by their id."""

    def create(self, upload_id: str) -> None:
        """Begin an upload without bytes."""
        ...

    def received(self, upload_id: str) -> int:
        """Return how many bytes are stored; 0 when the upload has none."""
        ...

    def append(self, upload_id: str) -> AbstractContextManager[Appender]:
        """Open an upload for more bytes; raise InUse while another request does."""
        ...

    def keep(self, upload_id: str, blobs: BlobStore) -> Blob:
        """Store the bytes as a blob; they stay here until ``remove``."""
        ...

    def remove(self, upload_id: str) -> None:
        """Delete the bytes of an upload."""
        ...

    def stored(self) -> Iterator[tuple[str, float]]:
        """Yield the id of each upload with bytes, and when they changed last (Unix seconds)."""
        ...


class FolderUploads:
    """A file for each upload."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def create(self, upload_id: str) -> None:
        """Create an empty file, whose name survives a power cut as the bytes do."""
        with disk_words(self.root):
            make_folder(self.root)
            (self.root / upload_id).touch(mode=0o600)
            sync_folder(self.root)

    def received(self, upload_id: str) -> int:
        """Return the size of the file."""
        try:
            return (self.root / upload_id).stat().st_size
        except FileNotFoundError:
            return 0

    @contextmanager
    def append(self, upload_id: str) -> Iterator[Appender]:
        """Open the file and lock it."""
        try:
            file = (self.root / upload_id).open("ab")
        except FileNotFoundError:
            raise _gone() from None
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InUse("another request is appending to this upload") from None
            yield _FileAppender(file, self.root)

    def keep(self, upload_id: str, blobs: BlobStore) -> Blob:
        """Adopt the file."""
        try:
            with disk_words(self.root):
                return blobs.adopt(self.root / upload_id)
        except FileNotFoundError:
            raise _gone() from None

    def remove(self, upload_id: str) -> None:
        """Delete the file."""
        (self.root / upload_id).unlink(missing_ok=True)

    def stored(self) -> Iterator[tuple[str, float]]:
        """Yield the files."""
        for path in self.root.glob("*"):
            try:
                yield path.name, path.stat().st_mtime
            except FileNotFoundError:
                continue


class _FileAppender:
    def __init__(self, file: BinaryIO, root: Path) -> None:
        self._file = file
        self._root = root
        self.offset = file.seek(0, os.SEEK_END)

    def write(self, chunk: bytes) -> bool:
        with disk_words(self._root):
            self._file.write(chunk)
        self.offset += len(chunk)
        return False

    def sync(self) -> None:
        with disk_words(self._root):
            self._file.flush()
            os.fsync(self._file.fileno())


class BucketUploads:
    """Objects ``<id>/<first byte>``, each the continuation of those before it.

    A key is created once and never replaced, so of two requests that continue at the same byte one
    fails, and the pieces from byte 0 on are one file whoever wrote them.
    """

    def __init__(self, objects: BucketObjects) -> None:
        self._objects = objects

    def create(self, upload_id: str) -> None:
        """Do nothing: the first piece begins it."""

    def received(self, upload_id: str) -> int:
        """Return where the pieces end."""
        return sum(size for _, size in self._pieces(upload_id))

    @contextmanager
    def append(self, upload_id: str) -> Iterator[Appender]:
        """Continue after the last piece."""
        pieces = self._pieces(upload_id)
        if len(pieces) >= _MOST_PIECES:
            raise Conflict(
                f"this upload came in {_MOST_PIECES} pieces: start again, and send larger ones"
            )
        offset = sum(size for _, size in pieces)
        yield _PieceAppender(self._objects, upload_id, offset)

    def keep(self, upload_id: str, blobs: BlobStore) -> Blob:
        """Read the pieces one after the other."""
        with blobs.draft(1 << 62) as draft:
            for key, _ in self._pieces(upload_id):
                for chunk in self._objects.chunks(key):
                    draft.write(chunk)
            return draft.keep()

    def remove(self, upload_id: str) -> None:
        """Delete the pieces."""
        self._objects.remove_below(f"{upload_id}/")

    def stored(self) -> Iterator[tuple[str, float]]:
        """Yield the uploads that have pieces."""
        newest: dict[str, float] = {}
        for entry in self._objects.entries():
            upload_id = entry.key.partition("/")[0]
            newest[upload_id] = max(entry.modified, newest.get(upload_id, 0.0))
        yield from newest.items()

    def _pieces(self, upload_id: str) -> list[tuple[str, int]]:
        """Return key and length of the pieces from byte 0 on, as far as they are whole."""
        pieces: list[tuple[str, int]] = []
        offset = 0
        by_key = {entry.key: entry.bytes for entry in self._objects.entries(f"{upload_id}/")}
        while (size := by_key.get(_piece_key(upload_id, offset))) is not None and size:
            pieces.append((_piece_key(upload_id, offset), size))
            offset += size
        return pieces


class _PieceAppender:
    def __init__(self, objects: BucketObjects, upload_id: str, offset: int) -> None:
        self._objects = objects
        self._upload_id = upload_id
        self._buffer = bytearray()
        self._first = offset
        self.offset = offset

    def write(self, chunk: bytes) -> bool:
        self._buffer += chunk
        self.offset += len(chunk)
        return len(self._buffer) >= _PIECE

    def sync(self) -> None:
        if self._buffer:
            key = _piece_key(self._upload_id, self._first)
            try:
                self._objects.create(key, bytes(self._buffer))
            except Conflict:
                raise InUse("another request is appending to this upload") from None
            self._first = self.offset
            self._buffer.clear()


def _piece_key(upload_id: str, first: int) -> str:
    return f"{upload_id}/{first:020d}"


def _gone() -> NotFound:
    return NotFound("the bytes of this upload are gone; start it again")
