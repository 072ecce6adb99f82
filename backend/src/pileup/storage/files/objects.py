"""Objects by key, in a folder: what blobs, frames, placed evidence and uploads are stored in.

``Objects`` is the interface. Here is its implementation for a folder of this machine; the one for
an S3 bucket is in ``bucket.py``. An object appears whole or not at all, and what was acknowledged
survives a crash: a file is synced before it is renamed into place, then its folder is synced.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from pileup.storage.errors import NoSpace, NotFound
from pileup.storage.ids import new_id

CHUNK = 1024 * 1024
DRAFTS = "drafts"


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored object."""

    key: str
    bytes: int
    modified: float
    """Unix seconds."""


class Objects(Protocol):
    """Objects by key ('ab/cd.parquet'); each appears whole or not at all."""

    place: str
    """Where they are, for messages."""

    @property
    def drafts(self) -> Path:
        """The local folder for files that are being written."""
        ...

    def put(self, key: str, draft: Path) -> None:
        """Store a finished file of ``drafts``; the draft is gone afterwards."""
        ...

    def write(self, key: str, data: bytes) -> None:
        """Store a few bytes, replacing earlier ones."""
        ...

    def read(self, key: str) -> bytes | None:
        """Return a small object; None when there is none."""
        ...

    def chunks(self, key: str) -> Iterator[bytes]:
        """Yield the bytes of an object; raise NotFound when there is none."""
        ...

    def local(self, key: str) -> Path | None:
        """Return the object's own file on this machine; None when it has none."""
        ...

    def find(self, key: str) -> Entry | None:
        """Return the entry of an object; None when there is none."""
        ...

    def renew(self, key: str) -> bool:
        """Let an object count as just stored; False when it has to be stored again for that."""
        ...

    def entries(self, prefix: str = "") -> Iterator[Entry]:
        """Yield every object below a prefix ('ab/'), in no order."""
        ...

    def remove(self, keys: Iterable[str]) -> None:
        """Delete objects; those that are not there are left out."""
        ...

    def remove_below(self, prefix: str) -> None:
        """Delete every object below a prefix ('ab/')."""
        ...

    def sweep_drafts(self, older_than_s: float = 86_400.0) -> None:
        """Remove drafts that a killed process left; recent ones may be in use."""
        ...


class FolderObjects:
    """Objects in a folder: the key is the path below it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.place = str(root)

    @property
    def drafts(self) -> Path:
        """The folder of drafts, on the same disk."""
        folder = self.root / DRAFTS
        make_folder(folder)
        return folder

    def put(self, key: str, draft: Path) -> None:
        """Sync a draft, rename it to its place, and sync the folder."""
        target = self.root / key
        with disk_words(self.root):
            with draft.open("rb+") as stream:
                os.fsync(stream.fileno())
            make_folder(target.parent)
            draft.replace(target)
            sync_folder(target.parent)

    def write(self, key: str, data: bytes) -> None:
        """Write to a draft, and rename it to its place."""
        draft = self.drafts / new_id()
        try:
            with disk_words(self.root):
                draft.write_bytes(data)
            self.put(key, draft)
        finally:
            draft.unlink(missing_ok=True)

    def read(self, key: str) -> bytes | None:
        """Return the bytes of a file; None when there is none."""
        try:
            return (self.root / key).read_bytes()
        except FileNotFoundError:
            return None

    def chunks(self, key: str) -> Iterator[bytes]:
        """Yield the bytes of a file."""
        try:
            stream = (self.root / key).open("rb")
        except FileNotFoundError:
            raise NotFound(f"{key} is not in {self.place}") from None
        with stream:
            while chunk := stream.read(CHUNK):
                yield chunk

    def local(self, key: str) -> Path | None:
        """Return the file."""
        return self.root / key

    def find(self, key: str) -> Entry | None:
        """Return the entry of a file."""
        try:
            status = (self.root / key).stat()
        except FileNotFoundError:
            return None
        return Entry(key, status.st_size, status.st_mtime)

    def renew(self, key: str) -> bool:
        """Set the time of a file to now; False when there is none."""
        try:
            os.utime(self.root / key)
            sync_folder((self.root / key).parent)  # another process may be about to do it
        except FileNotFoundError:
            return False
        return True

    def entries(self, prefix: str = "") -> Iterator[Entry]:
        """Yield the files below a folder, without drafts; what is deleted meanwhile is left out."""
        for folder, names, files in os.walk(self.root / prefix):
            here = Path(folder)
            if here == self.root and DRAFTS in names:
                names.remove(DRAFTS)
            for name in files:
                key = (here / name).relative_to(self.root).as_posix()
                if (entry := self.find(key)) is not None:
                    yield entry

    def remove(self, keys: Iterable[str]) -> None:
        """Delete files; their folder stays, as another file may be on its way into it."""
        for key in keys:
            (self.root / key).unlink(missing_ok=True)

    def remove_below(self, prefix: str) -> None:
        """Delete a folder."""
        shutil.rmtree(self.root / prefix, ignore_errors=True)

    def sweep_drafts(self, older_than_s: float = 86_400.0) -> None:
        """Remove old drafts."""
        sweep_drafts(self.drafts, older_than_s)


def sweep_drafts(folder: Path, older_than_s: float) -> None:
    """Remove files and folders of drafts that are older."""
    for draft in folder.glob("*"):
        with suppress(FileNotFoundError):  # another worker sweeps too
            if time.time() - draft.stat().st_mtime > older_than_s:
                if draft.is_dir():
                    shutil.rmtree(draft, ignore_errors=True)
                else:
                    draft.unlink()


def check_space(folder: Path, wanted: int, reserve: int) -> None:
    """Raise NoSpace when ``wanted`` more bytes would use the reserve of the folder's disk."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    free = shutil.disk_usage(folder).free
    if free - wanted < reserve:
        raise NoSpace(
            f"the disk that holds {folder} has {free // 1024**2} MiB free; "
            f"{wanted // 1024**2} MiB more would leave less than the reserve of "
            f"{reserve // 1024**2} MiB. Free some space and send it again"
        )


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


def copy_hashed(chunks: Iterable[bytes], out: BinaryIO) -> str:
    """Write chunks to a file; return their SHA-256."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
        out.write(chunk)
    return digest.hexdigest()


def make_folder(folder: Path) -> None:
    """Create a folder and those above it, and sync the name of each that was not there."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Sync the entries of a folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
