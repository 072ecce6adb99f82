"""Sets of files that appear and are replaced as a whole: the frames of a parse, a placed incident.

Layout: ``<key>/<run>/<name>``, and ``<key>/current``, which names the current run and the one
before it; that one stays for readers that still use it. ``current`` is replaced last, so a reader
sees one run or the other. ``<key>/<run>/files.json`` lists the files: with their lengths in a
folder, where a run that a power cut left in part counts as missing, for all content can be derived
again; with length and SHA-256 in a bucket, whose files are read through the cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec

from pileup.json_values import resolve_types
from pileup.storage.errors import Damaged, NotFound
from pileup.storage.files.bucket import BucketObjects
from pileup.storage.files.objects import FolderObjects, Objects, copy_hashed, disk_words
from pileup.storage.files.read_cache import ReadCache
from pileup.storage.ids import new_id

CURRENT = "current"
_INDEX = "files.json"
_ABANDONED_S = 86_400.0


@dataclass(frozen=True, slots=True)
class FileSet:
    """One run of a set."""

    run: str
    names: frozenset[str]
    _local: Callable[[str], Path]

    def path(self, name: str) -> Path | None:
        """Return a local file with this name; None when the set has none."""
        return self._local(name) if name in self.names else None

    def parts(self, kind: str) -> list[Path]:
        """Return ``<kind>.parquet``, ``<kind>.1.parquet`` and so on, as far as they exist."""
        paths: list[Path] = []
        name = f"{kind}.parquet"
        while name in self.names:
            paths.append(self._local(name))
            name = f"{kind}.{len(paths)}.parquet"
        return paths

    def kinds(self) -> list[str]:
        """Return the kinds of its Parquet files, sorted."""
        return sorted({name.split(".")[0] for name in self.names if name.endswith(".parquet")})


class FileSets(Protocol):
    """Sets of files by key."""

    place: str

    @property
    def drafts(self) -> Path:
        """The local folder for sets that are being written."""
        ...

    def publish(self, key: str, draft: Path) -> str:
        """Make a finished folder of ``drafts`` the current run of a set; return the run's id."""
        ...

    def current(self, key: str) -> str | None:
        """Return the id of the current run; None when there is no set."""
        ...

    def open(self, key: str, run: str | None = None) -> FileSet | None:
        """Open a run, the current one by default; None when it is not there."""
        ...

    def stored(self) -> Iterator[tuple[str, float]]:
        """Yield the key of every set, and when its files changed last (Unix seconds)."""
        ...

    def remove(self, key: str) -> None:
        """Delete every set at or below a key."""
        ...

    def sweep_drafts(self, older_than_s: float = _ABANDONED_S) -> None:
        """Remove drafts that a killed process left; recent ones may be in use."""
        ...

    def sweep(self, older_than_s: float = _ABANDONED_S) -> int:
        """Remove old runs that were never published; return how many."""
        ...


def open_sets(objects: Objects, cache: ReadCache) -> FileSets:
    """Return the sets of these objects."""
    if isinstance(objects, FolderObjects):
        return FolderSets(objects)
    assert isinstance(objects, BucketObjects)
    return BucketSets(objects, cache)


def _runs(pointer: bytes | None) -> tuple[str | None, str | None]:
    """Return the current run and the one before it, by the content of ``current``."""
    words = (pointer or b"").decode("ascii", "replace").split()
    return (words[0] if words else None), (words[1] if len(words) > 1 else None)


class FolderSets:
    """Sets in a folder."""

    def __init__(self, objects: FolderObjects) -> None:
        self._objects = objects
        self._root = objects.root
        self.place = objects.place

    @property
    def drafts(self) -> Path:
        """The folder of drafts, on the same disk."""
        return self._objects.drafts

    def publish(self, key: str, draft: Path) -> str:
        """Rename a draft to its place, then replace ``current``."""
        run = new_id()
        home = self._root / key
        with disk_words(self._root):
            home.mkdir(parents=True, exist_ok=True)
            before, older = _runs(self._objects.read(f"{key}/{CURRENT}"))
            (draft / _INDEX).write_bytes(msgspec.json.encode(_lengths(draft)))
            draft.rename(home / run)
            pointer = home / f"{CURRENT}.{run}"
            pointer.write_text(f"{run} {before or ''}".strip())
            os.replace(pointer, home / CURRENT)
        if older is not None:
            shutil.rmtree(home / older, ignore_errors=True)
        if before is None:  # files that an earlier version left in the folder itself
            for file in home.glob("*.parquet"):
                file.unlink(missing_ok=True)
        return run

    def current(self, key: str) -> str | None:
        """Return the run that ``current`` names."""
        run, _ = _runs(self._objects.read(f"{key}/{CURRENT}"))
        return run if run is not None and (self._root / key / run).is_dir() else None

    def open(self, key: str, run: str | None = None) -> FileSet | None:
        """Open a run; one that an earlier version wrote has its files in the folder itself."""
        home = self._root / key
        run = run or self.current(key)
        folder = home / run if run is not None else home
        try:
            lengths = _lengths(folder)
        except FileNotFoundError:
            return None
        if run is None:
            lengths = {name: size for name, size in lengths.items() if name.endswith(".parquet")}
        elif lengths.pop(_INDEX, None) is not None and not _whole(folder / _INDEX, lengths):
            return None
        return FileSet(run or "", frozenset(lengths), folder.joinpath) if lengths else None

    def stored(self) -> Iterator[tuple[str, float]]:
        """Yield each folder that has a set."""
        for folder, names, files in os.walk(self._root):
            here = Path(folder)
            if here == self._root and self._objects.drafts.name in names:
                names.remove(self._objects.drafts.name)
            if CURRENT in files or (files and not (here.parent / CURRENT).exists()):
                names.clear()
                try:
                    changed = here.stat().st_mtime
                except FileNotFoundError:
                    continue
                yield here.relative_to(self._root).as_posix(), changed

    def remove(self, key: str) -> None:
        """Delete a folder."""
        self._objects.remove_below(f"{key}/")

    def sweep_drafts(self, older_than_s: float = _ABANDONED_S) -> None:
        """Remove old drafts."""
        self._objects.sweep_drafts(older_than_s)

    def sweep(self, older_than_s: float = _ABANDONED_S) -> int:
        """Remove old runs that ``current`` does not name."""
        before, removed = time.time() - older_than_s, 0
        for key, _ in self.stored():
            kept = _runs(self._objects.read(f"{key}/{CURRENT}"))
            with suppress(FileNotFoundError):  # another worker sweeps too
                for run in os.scandir(self._root / key):
                    if run.is_dir() and run.name not in kept and run.stat().st_mtime < before:
                        shutil.rmtree(run.path, ignore_errors=True)
                        removed += 1
        return removed


def _lengths(folder: Path) -> dict[str, int]:
    return {entry.name: entry.stat().st_size for entry in os.scandir(folder) if entry.is_file()}


def _whole(index: Path, lengths: dict[str, int]) -> bool:
    """Return whether the files are those that were written, as the index says."""
    try:
        return msgspec.json.decode(index.read_bytes(), type=dict[str, int]) == lengths
    except (FileNotFoundError, msgspec.DecodeError):
        return False


class _Stored(msgspec.Struct, frozen=True):
    """A file of a run."""

    bytes: int
    sha256: str


_Index = dict[str, _Stored]
resolve_types(_Index)


class BucketSets:
    """Sets in a bucket."""

    def __init__(self, objects: BucketObjects, cache: ReadCache) -> None:
        self._objects = objects
        self._cache = cache
        self._part = objects.place.rpartition("/")[2]
        self.place = objects.place

    @property
    def drafts(self) -> Path:
        """The local folder of drafts."""
        return self._objects.drafts

    def publish(self, key: str, draft: Path) -> str:
        """Send the files, then their index, then replace ``current``."""
        run = new_id()
        index: _Index = {}
        for file in sorted(draft.iterdir()):
            with file.open("rb") as stream:
                sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
                index[file.name] = _Stored(stream.tell(), sha256)
            self._objects.put(f"{key}/{run}/{file.name}", file)
        shutil.rmtree(draft, ignore_errors=True)
        self._objects.write(f"{key}/{run}/{_INDEX}", msgspec.json.encode(index))
        before, older = _runs(self._objects.read(f"{key}/{CURRENT}"))
        self._objects.write(f"{key}/{CURRENT}", f"{run} {before or ''}".strip().encode())
        if older is not None:
            self._objects.remove_below(f"{key}/{older}/")
        return run

    def current(self, key: str) -> str | None:
        """Return the run that ``current`` names."""
        return _runs(self._objects.read(f"{key}/{CURRENT}"))[0]

    def open(self, key: str, run: str | None = None) -> FileSet | None:
        """Open a run."""
        run = run or self.current(key)
        if run is None:
            return None
        folder = f"{key}/{run}"
        try:
            path = self._cache.file(f"{self._part}/{folder}/{_INDEX}", self._index_copy(folder))
        except NotFound:
            return None
        index = msgspec.json.decode(path.read_bytes(), type=_Index)

        def local(name: str) -> Path:
            stored = index[name]
            return self._cache.file(
                f"{self._part}/{folder}/{name}",
                lambda out: self._copy(f"{folder}/{name}", stored, out),
                stored.bytes,
            )

        return FileSet(run, frozenset(index), local)

    def stored(self) -> Iterator[tuple[str, float]]:
        """Yield each key that has runs, published or not."""
        changed: dict[str, float] = {}
        for entry in self._objects.entries():
            folder, _, name = entry.key.rpartition("/")
            key = folder if name == CURRENT else folder.rpartition("/")[0]
            changed[key] = max(entry.modified, changed.get(key, 0.0))
        yield from changed.items()

    def remove(self, key: str) -> None:
        """Delete every object below a key."""
        self._objects.remove_below(f"{key}/")

    def sweep_drafts(self, older_than_s: float = _ABANDONED_S) -> None:
        """Remove old drafts of this machine."""
        self._objects.sweep_drafts(older_than_s)

    def sweep(self, older_than_s: float = _ABANDONED_S) -> int:
        """Remove old runs that no ``current`` names."""
        abandoned = self._unpublished(time.time() - older_than_s)
        for key, run in abandoned:
            self._objects.remove_below(f"{key}/{run}/")
        return len(abandoned)

    def _unpublished(self, before: float) -> list[tuple[str, str]]:
        newest: dict[tuple[str, str], float] = {}
        for entry in self._objects.entries():
            folder, _, name = entry.key.rpartition("/")
            if name != CURRENT:
                key, _, run = folder.rpartition("/")
                newest[key, run] = max(entry.modified, newest.get((key, run), 0.0))
        return [
            (key, run)
            for (key, run), modified in newest.items()
            if modified < before and run not in _runs(self._objects.read(f"{key}/{CURRENT}"))
        ]

    def _index_copy(self, folder: str) -> Callable[[BinaryIO], object]:
        def fill(out: BinaryIO) -> None:
            data = self._objects.read(f"{folder}/{_INDEX}")
            if data is None:
                raise NotFound(f"{folder} is not in {self.place}")
            out.write(data)

        return fill

    def _copy(self, key: str, stored: _Stored, out: BinaryIO) -> None:
        if copy_hashed(self._objects.chunks(key), out) != stored.sha256:
            raise Damaged(f"{key} in {self.place} is damaged: it has another SHA-256")


__all__ = ["FileSet", "FileSets", "open_sets"]
