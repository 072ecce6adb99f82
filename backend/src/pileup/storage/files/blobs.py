"""Blob store: every upload once, under its SHA-256, stored before the upload is acknowledged.

Keys: ``ab/<sha256>`` as it came, or ``ab/<sha256>.zst`` where compression (Zstandard) pays. Bytes
go to a local draft, are hashed while written, and the finished draft becomes the object. A blob
never changes afterwards. Whoever reads it gets the bytes that have its SHA-256, or Damaged.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import zstandard

from pileup.storage.errors import Damaged, NotFound, TooLarge
from pileup.storage.files.objects import (
    CHUNK,
    Entry,
    FolderObjects,
    Objects,
    check_space,
    copy_hashed,
    disk_words,
)
from pileup.storage.files.read_cache import ReadCache
from pileup.storage.ids import new_id

_COMPRESSED = ".zst"
_LEVEL = 1
_SMALL = 16 * 1024
"""Smaller blobs stay as they are: a compressed one is read through a copy."""
_PAYS = 0.8
"""The beginning of a blob must shrink to this share."""
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Blob:
    sha256: str
    bytes: int


class BlobStore:
    """Blobs in a folder or a bucket."""

    def __init__(
        self,
        root: Path | Objects,
        cache: ReadCache | None = None,
        *,
        min_free_bytes: int = 0,
        compress: bool = False,
    ) -> None:
        """Open the store.

        cache: for copies of compressed and of distant blobs; beside a folder by default.
        """
        if isinstance(root, Path):
            cache = cache or ReadCache(root.parent / "cache", 1 << 30)
            root = FolderObjects(root)
        assert cache is not None
        self.objects: Objects = root
        self._cache = cache
        self._min_free_bytes = min_free_bytes
        self._compress = compress
        self._checked: dict[str, tuple[int, int, int]] = {}
        """Files whose bytes this process has compared with their SHA-256, and which they were."""

    @property
    def place(self) -> str:
        """Where the blobs are, for messages."""
        return self.objects.place

    def draft(self, max_bytes: int) -> Draft:
        """Open a new blob for writing, as a context manager; ``keep()`` stores it."""
        return Draft(self, self.objects.drafts / new_id(), max_bytes, compress=self._compress)

    def store(self, stream: BinaryIO, max_bytes: int) -> Blob:
        """Store all bytes of a stream as a blob."""
        with self.draft(max_bytes) as draft:
            while chunk := stream.read(CHUNK):
                draft.write(chunk)
            return draft.keep()

    def adopt(self, path: Path) -> Blob:
        """Store a finished file of the same disk as a blob.

        The file stays until its owner has committed the result to the database.
        """
        with path.open("rb") as stream:
            if self._compress and _shrinks(stream.read(_SMALL)):
                stream.seek(0)
                return self.store(stream, path.stat().st_size)
            stream.seek(0)
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell()
        draft = self.objects.drafts / new_id()
        os.link(path, draft)
        try:
            self._place(draft, sha256, compressed=False)
        finally:
            draft.unlink(missing_ok=True)
        return Blob(sha256, size)

    def path(self, sha256: str) -> Path:
        """Return a local file with the bytes of a blob; raise NotFound when it is missing.

        Compressed and distant blobs are copied into the cache. Raises Damaged when the stored
        bytes have another SHA-256.
        """
        key = self._key(sha256)
        if (own := self.objects.local(key)) is not None and own.is_file():
            self._check(own, sha256)
            return own
        return self._cache.file(f"blobs/{key}", lambda out: self._copy(sha256, out))

    def open(self, sha256: str) -> BinaryIO:
        """Open a blob for reading; raise NotFound when it is missing."""
        return self.path(sha256).open("rb")

    def holds(self, sha256: str) -> bool:
        """Return whether the blob is stored."""
        return self.find(sha256) is not None

    def digest(self, sha256: str) -> Blob:
        """Read a blob and return what its bytes are in fact; raise NotFound when it is missing."""
        digest = hashlib.sha256()
        size = 0
        try:
            for chunk in self._stored_chunks(sha256):
                digest.update(chunk)
                size += len(chunk)
        except zstandard.ZstdError:
            return Blob(f"unreadable {digest.hexdigest()}", size)
        return Blob(digest.hexdigest(), size)

    def check_space(self, wanted: int = 0) -> None:
        """Raise NoSpace when ``wanted`` more bytes would use the disk's reserve."""
        check_space(self.objects.drafts, wanted, self._min_free_bytes)

    def remove(self, sha256: str, *, untouched_s: float, now: float) -> bool:
        """Remove an unreferenced blob unless it was stored recently; return whether removed."""
        found = self.find(sha256)
        if found is None or now - found.modified < untouched_s:
            return False
        key = self._key(sha256)
        self.objects.remove([key, key + _COMPRESSED])
        self._cache.forget(f"blobs/{key}")
        return True

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """Yield the SHA-256 and entry of every stored blob; None of them is a draft."""
        for entry in self.objects.entries():
            name = entry.key.rpartition("/")[2].removesuffix(_COMPRESSED)
            if len(name) == 64 and set(name) <= _HEX:
                yield name, entry

    def sweep(self, older_than_s: float = 86_400.0) -> None:
        """Remove drafts that a killed process left; recent ones may be in use."""
        self.objects.sweep_drafts(older_than_s)

    def _key(self, sha256: str) -> str:
        if len(sha256) != 64 or not set(sha256) <= _HEX:
            raise NotFound(f"{sha256[:80]!r} is not a SHA-256")
        return f"{sha256[:2]}/{sha256}"

    def find(self, sha256: str) -> Entry | None:
        """Return the entry of a blob as it is stored; None when there is none."""
        key = self._key(sha256)
        return self.objects.find(key) or self.objects.find(key + _COMPRESSED)

    def _stored_chunks(self, sha256: str) -> Iterator[bytes]:
        """Yield the bytes of a blob from the store, unchecked."""
        found = self.find(sha256)
        if found is None:
            raise NotFound(
                f"the bytes of {sha256[:12]} are not in the blob store {self.place}; "
                "was it restored without them?"
            )
        chunks = self.objects.chunks(found.key)
        return _decompressed(chunks) if found.key.endswith(_COMPRESSED) else chunks

    def _copy(self, sha256: str, out: BinaryIO) -> None:
        try:
            copied = copy_hashed(self._stored_chunks(sha256), out)
        except zstandard.ZstdError as error:
            raise self._damaged(sha256) from error
        if copied != sha256:
            raise self._damaged(sha256)

    def _check(self, file: Path, sha256: str) -> None:
        """Compare a file with its SHA-256, once per process and version of the file."""
        status = file.stat()
        version = (status.st_ino, status.st_size, status.st_mtime_ns)
        if self._checked.get(sha256) == version:
            return
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if digest != sha256:
            raise self._damaged(sha256)
        if len(self._checked) > 100_000:
            self._checked.clear()
        self._checked[sha256] = version

    def _damaged(self, sha256: str) -> Damaged:
        return Damaged(
            f"the stored bytes of {sha256[:12]} in {self.place} are damaged: they have another "
            "SHA-256. Restore them from a backup"
        )

    def _place(self, draft: Path, sha256: str, *, compressed: bool) -> None:
        key = self._key(sha256)
        if self.objects.renew(key) or self.objects.renew(key + _COMPRESSED):
            draft.unlink()
            return
        self.objects.put(key + _COMPRESSED if compressed else key, draft)


class Draft:
    """A blob being written; removed unless ``keep()`` is called."""

    def __init__(self, store: BlobStore, path: Path, max_bytes: int, *, compress: bool) -> None:
        self._store = store
        self._path = path
        self._max_bytes = max_bytes
        self._digest = hashlib.sha256()
        self._begin: bytearray | None = bytearray() if compress else None
        """The first bytes, until it is decided whether to compress."""
        self._packer: zstandard.ZstdCompressionObj | None = None
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
        self._digest.update(chunk)
        if self._begin is None:
            self._append(chunk)
            return
        self._begin += chunk
        if len(self._begin) >= _SMALL:
            begin, self._begin = bytes(self._begin), None
            if _shrinks(begin):
                self._packer = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
            self._append(begin)

    def keep(self) -> Blob:
        """Store the draft under its SHA-256, and return the blob."""
        with disk_words(self._path.parent):
            if self._begin is not None:
                self._file.write(self._begin)
            if self._packer is not None:
                self._file.write(self._packer.flush())
            self._file.flush()
        blob = Blob(self._digest.hexdigest(), self.bytes)
        self._store._place(self._path, blob.sha256, compressed=self._packer is not None)
        return blob

    def _append(self, chunk: bytes | memoryview) -> None:
        with disk_words(self._path.parent):
            self._file.write(self._packer.compress(chunk) if self._packer is not None else chunk)


def _shrinks(begin: bytes) -> bool:
    """Return whether a blob that begins so is worth compressing."""
    if len(begin) < _SMALL:
        return False
    return len(zstandard.compress(begin, _LEVEL)) < _PAYS * len(begin)


def _decompressed(chunks: Iterator[bytes]) -> Iterator[bytes]:
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    for chunk in chunks:
        for at in range(0, len(chunk), 64 * 1024):  # a small piece may unpack to much
            if piece := unpacker.decompress(chunk[at : at + 64 * 1024]):
                yield piece
    if not unpacker.eof:
        raise zstandard.ZstdError("the compressed bytes end too early")
