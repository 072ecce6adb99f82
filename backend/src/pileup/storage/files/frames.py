"""Frame store: parsed records as Parquet, by blob, parser and parser version.

Layout: ``<root>/ab/<sha256>/<format>-v<version>/<kind>.parquet``; records too large for one frame
in memory continue in ``<kind>.1.parquet`` and so on. A folder is written as a draft and renamed
as a whole, so a reader sees all kinds or none. All content can be derived again.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import polars as pl

from pileup.storage.files.blobs import disk_words
from pileup.storage.ids import new_id

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


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
    """A folder of parsed frames."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def replace(self, key: FrameKey, frames: Mapping[str, pl.DataFrame]) -> None:
        """Write the frames of one parse, replacing earlier ones."""
        target = self._folder(key)
        draft = self.drafts() / new_id()
        draft.mkdir()
        try:
            with disk_words(self.root):
                for kind in frames:
                    if not _NAME.fullmatch(kind):
                        raise ValueError(f"not a record kind: {kind!r}")
                    parts = frames.parts(kind) if isinstance(frames, InParts) else [frames[kind]]
                    for at, frame in enumerate(parts):
                        name = f"{kind}.{at}.parquet" if at else f"{kind}.parquet"
                        frame.write_parquet(draft / name, compression="zstd")
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                aside = self.root / "drafts" / new_id()
                target.rename(aside)
                draft.rename(target)
                shutil.rmtree(aside, ignore_errors=True)
            else:
                draft.rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def load(self, key: FrameKey) -> dict[str, pl.DataFrame] | None:
        """Return the frames of one parse by kind; None when they are missing."""
        folder = self._folder(key)
        if not folder.is_dir():
            return None
        kinds = sorted({path.name.split(".")[0] for path in folder.glob("*.parquet")})
        return {kind: pl.read_parquet(list(_parts(folder, kind))) for kind in kinds}

    def holds(self, key: FrameKey) -> bool:
        """Return whether the frames of this parse are stored."""
        return self._folder(key).is_dir()

    def load_kind(self, key: FrameKey, kind: str) -> pl.DataFrame | None:
        """Return the frame of one kind; None when the parse has no such records."""
        parts = list(_parts(self._folder(key), kind))
        return pl.read_parquet(parts) if parts else None

    def scan_kind(self, key: FrameKey, kind: str) -> pl.LazyFrame | None:
        """Scan the frame of one kind lazily: a page of a large frame reads a few row groups."""
        parts = list(_parts(self._folder(key), kind))
        return pl.scan_parquet(parts) if parts else None

    def lines(self, key: FrameKey, first: int, last: int) -> dict[str, pl.DataFrame]:
        """Return the records that touch these lines, by kind; kinds without any are left out."""
        folder = self._folder(key)
        frames: dict[str, pl.DataFrame] = {}
        for kind in sorted({path.name.split(".")[0] for path in folder.glob("*.parquet")}):
            scan = pl.scan_parquet(list(_parts(folder, kind)))
            end = "line_last" if "line_last" in scan.collect_schema() else "line_first"
            frame = scan.filter(pl.col("line_first") <= last, pl.col(end) >= first).collect()
            if frame.height:
                frames[kind] = frame
        return frames

    def drafts(self) -> Path:
        """Return the folder of drafts, on the same disk."""
        folder = self.root / "drafts"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def sweep(self, older_than_s: float = 86_400.0) -> None:
        """Remove drafts that a killed process left; recent ones may be in use."""
        for draft in self.drafts().iterdir():
            with suppress(FileNotFoundError):  # another worker sweeps too
                if time.time() - draft.stat().st_mtime > older_than_s:
                    shutil.rmtree(draft, ignore_errors=True)

    def forget(self, sha256: str) -> None:
        """Delete all frames of a blob."""
        shutil.rmtree(self.root / sha256[:2] / sha256, ignore_errors=True)

    def has(self, key: FrameKey) -> bool:
        """Return whether this version of the parser parsed the blob already."""
        return self._folder(key).is_dir()

    def _folder(self, key: FrameKey) -> Path:
        if not _NAME.fullmatch(key.format):
            raise ValueError(f"not a format: {key.format!r}")
        return self.root / key.sha256[:2] / key.sha256 / f"{key.format}-v{key.version}"


def _parts(folder: Path, kind: str) -> Iterator[Path]:
    """Yield the files of a kind, in order; none when there are no such records."""
    path = folder / f"{kind}.parquet"
    at = 0
    while path.is_file():
        yield path
        at += 1
        path = folder / f"{kind}.{at}.parquet"
