"""Frame store: parsed records as Parquet, by blob, parser and parser version.

A parse is a set of files (``file_sets.py``) with the key ``ab/<sha256>/<format>-v<version>``:
``<kind>.parquet`` for each kind; records too large for one frame in memory continue in
``<kind>.1.parquet`` and so on. A reader sees all kinds or none. All content can be derived again.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import polars as pl

from pileup.storage.files.file_sets import FileSet, FileSets, FolderSets
from pileup.storage.files.objects import FolderObjects, disk_words
from pileup.storage.ids import new_id

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_COMPLETE = "complete"
"""An empty file of each parse, so that one without records has a file too."""


@dataclass(frozen=True, slots=True)
class FrameKey:
    """Identity of a set of frames: the blob, the parser and its version."""

    sha256: str
    format: str
    version: int


@runtime_checkable
class InParts(Protocol):
    """Frames that need not be in memory as a whole: the result of a parse."""

    def parts(self, kind: str, /) -> Iterable[pl.DataFrame]: ...


class FrameStore:
    """Parsed frames in a folder or a bucket."""

    def __init__(self, root: Path | FileSets) -> None:
        self._sets = FolderSets(FolderObjects(root)) if isinstance(root, Path) else root

    def replace(self, key: FrameKey, frames: Mapping[str, pl.DataFrame]) -> None:
        """Write the frames of one parse, replacing earlier ones."""
        name = _name(key)
        draft = self.drafts() / new_id()
        draft.mkdir()
        try:
            with disk_words(draft.parent):
                for kind in frames:
                    if not _NAME.fullmatch(kind):
                        raise ValueError(f"not a record kind: {kind!r}")
                    parts = frames.parts(kind) if isinstance(frames, InParts) else [frames[kind]]
                    for at, frame in enumerate(parts):
                        file = f"{kind}.{at}.parquet" if at else f"{kind}.parquet"
                        frame.write_parquet(draft / file, compression="zstd")
                (draft / _COMPLETE).touch()
            self._sets.publish(name, draft)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def load(self, key: FrameKey) -> dict[str, pl.DataFrame] | None:
        """Return the frames of one parse by kind; None when they are missing."""
        files = self._sets.open(_name(key))
        if files is None:
            return None
        return {kind: pl.read_parquet(files.parts(kind)) for kind in files.kinds()}

    def holds(self, key: FrameKey) -> bool:
        """Return whether the frames of this parse are stored."""
        return self._sets.open(_name(key)) is not None

    def files(self, key: FrameKey) -> dict[str, list[Path]] | None:
        """Return the local files of each kind; None when the frames are missing."""
        files = self._sets.open(_name(key))
        return None if files is None else {kind: files.parts(kind) for kind in files.kinds()}

    def load_kind(self, key: FrameKey, kind: str) -> pl.DataFrame | None:
        """Return the frame of one kind; None when the parse has no such records."""
        parts = self._parts(key, kind)
        return pl.read_parquet(parts) if parts else None

    def scan_kind(self, key: FrameKey, kind: str) -> pl.LazyFrame | None:
        """Scan the frame of one kind lazily: a page of a large frame reads a few row groups."""
        parts = self._parts(key, kind)
        return pl.scan_parquet(parts) if parts else None

    def lines(self, key: FrameKey, first: int, last: int) -> dict[str, pl.DataFrame]:
        """Return the records that touch these lines, by kind; kinds without any are left out."""
        files = self._sets.open(_name(key))
        frames: dict[str, pl.DataFrame] = {}
        for kind in files.kinds() if files is not None else ():
            scan = pl.scan_parquet(_parts(files, kind))
            end = "line_last" if "line_last" in scan.collect_schema() else "line_first"
            frame = scan.filter(pl.col("line_first") <= last, pl.col(end) >= first).collect()
            if frame.height:
                frames[kind] = frame
        return frames

    def drafts(self) -> Path:
        """Return the local folder of drafts."""
        return self._sets.drafts

    def sweep_drafts(self, older_than_s: float = 86_400.0) -> None:
        """Remove drafts that a killed process left; recent ones may be in use."""
        self._sets.sweep_drafts(older_than_s)

    def sweep(self) -> int:
        """Remove parses that were never published; return how many."""
        return self._sets.sweep()

    def forget(self, sha256: str) -> None:
        """Delete all frames of a blob."""
        self._sets.remove(f"{sha256[:2]}/{sha256}")

    def blobs(self) -> Iterator[tuple[str, float]]:
        """Yield the SHA-256 of each blob with frames, and when they changed last."""
        for key, modified in self._sets.stored():
            yield (key + "/").split("/")[1], modified

    def _parts(self, key: FrameKey, kind: str) -> list[Path]:
        return _parts(self._sets.open(_name(key)), kind)


def _name(key: FrameKey) -> str:
    if not _NAME.fullmatch(key.format):
        raise ValueError(f"not a format: {key.format!r}")
    return f"{key.sha256[:2]}/{key.sha256}/{key.format}-v{key.version}"


def _parts(files: FileSet | None, kind: str) -> list[Path]:
    """Return the files of a kind, in order; none when there are no such records."""
    return files.parts(kind) if files is not None else []
