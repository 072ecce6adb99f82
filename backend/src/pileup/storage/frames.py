"""The frame store: parsed records as Parquet, named by what they were parsed from and by what.

Layout: ``<root>/ab/<sha256>/<format>-v<version>/<kind>.parquet``. A folder is written aside and
renamed as a whole, so a reader sees all kinds or none. Everything here can be made again.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pileup.storage.blobs import disk_words
from pileup.storage.ids import new_id

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class FrameKey:
    """What a set of frames was made of."""

    sha256: str
    format: str
    version: int


class FrameStore:
    """A folder of frames."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def replace(self, key: FrameKey, frames: Mapping[str, pl.DataFrame]) -> None:
        """Write the frames of one parse, instead of what was there."""
        target = self._folder(key)
        draft = self.root / "drafts" / new_id()
        draft.mkdir(parents=True)
        try:
            with disk_words(self.root):
                for kind, frame in frames.items():
                    if not _NAME.fullmatch(kind):
                        raise ValueError(f"not a record kind: {kind!r}")
                    frame.write_parquet(draft / f"{kind}.parquet", compression="zstd")
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
        """The frames of one parse by kind; None when they are not (or no longer) there."""
        folder = self._folder(key)
        if not folder.is_dir():
            return None
        return {path.stem: pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))}

    def load_kind(self, key: FrameKey, kind: str) -> pl.DataFrame | None:
        """One kind of one parse; None when there are no such records."""
        path = self._folder(key) / f"{kind}.parquet"
        return pl.read_parquet(path) if path.is_file() else None

    def has(self, key: FrameKey) -> bool:
        """Whether this was parsed already, by this version."""
        return self._folder(key).is_dir()

    def _folder(self, key: FrameKey) -> Path:
        if not _NAME.fullmatch(key.format):
            raise ValueError(f"not a format: {key.format!r}")
        return self.root / key.sha256[:2] / key.sha256 / f"{key.format}-v{key.version}"
