"""Garbage: stored files that no row names.

`pileup doctor --orphans` lists them, and workers remove them.
A round walks over all stored files and looks for the rows that name them. What changed within the
last hour stays: its row may be on its way. Bytes of uploads in progress have a row from the
beginning. A file is removed only after a second look that excludes every transaction that is adding
such a row (``artifacts/blob_holds``).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.artifacts.blob_holds import lock_out_holders
from pileup.storage.database import Database, Unit
from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.files.upload_bytes import UploadBytes

GRACE_S = 3600.0
_PAGE = 500

Kind = Literal["blob", "frames", "placed", "upload"]
_KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Orphan:
    """A stored file, or set of files, that no row names."""

    kind: Kind
    name: str
    """SHA-256 of a blob and of frames, id of an incident or upload."""
    modified: float
    """Unix seconds."""


@dataclass(frozen=True, slots=True)
class Garbage:
    """Finder and remover of orphans."""

    database: Database
    blobs: BlobStore
    frames: FrameStore
    placed: PlacedStore
    uploads: UploadBytes

    def find(self, grace_s: float = GRACE_S) -> Iterator[Orphan]:
        """Yield every orphan that did not change for ``grace_s``."""
        before = time.time() - grace_s
        for kind, stored in self._stored():
            old = (Orphan(kind, name, at) for name, at in stored if at < before)
            while page := list(islice(old, _PAGE)):
                with self.database.unit() as unit:
                    known = _named(unit, kind, [orphan.name for orphan in page])
                yield from (orphan for orphan in page if orphan.name not in known)

    def collect(self, grace_s: float = GRACE_S) -> int:
        """Remove the orphans and runs that were never published; return how many."""
        removed = 0
        orphans = self.find(grace_s)
        while page := list(islice(orphans, _PAGE)):
            removed += self._remove(page, grace_s)
        return removed + self.frames.sweep() + self.placed.sweep()

    def remove_blobs(self, sha256s: Iterable[str]) -> int:
        """Remove those of these blobs that no row names; recent ones stay for a later round."""
        known = {name: entry.modified for name in sha256s if (entry := self.blobs.find(name))}
        return self._remove([Orphan("blob", name, at) for name, at in known.items()], GRACE_S)

    def _remove(self, orphans: Sequence[Orphan], grace_s: float) -> int:
        """Remove what still has no row, while nobody adds one."""
        removed = 0
        with self.database.unit() as unit:
            if not lock_out_holders(unit):
                return 0  # the next round comes
            for kind in _KINDS:
                names = [orphan.name for orphan in orphans if orphan.kind == kind]
                known = _named(unit, kind, names)
                for name in names:
                    if name not in known and self._remove_one(kind, name, grace_s):
                        removed += 1
        return removed

    def _remove_one(self, kind: Kind, name: str, grace_s: float) -> bool:
        if kind == "blob":
            if not self.blobs.remove(name, untouched_s=grace_s, now=time.time()):
                return False
            self.frames.forget(name)
        elif kind == "frames":
            self.frames.forget(name)
        elif kind == "placed":
            self.placed.forget(name)
        else:
            self.uploads.remove(name)
        return True

    def _stored(self) -> Iterator[tuple[Kind, Iterable[tuple[str, float]]]]:
        yield "blob", ((sha256, entry.modified) for sha256, entry in self.blobs.entries())
        yield "frames", _newest(self.frames.blobs())
        yield "placed", _newest(self.placed.incidents())
        yield "upload", self.uploads.stored()


def _newest(stored: Iterable[tuple[str, float]]) -> Iterable[tuple[str, float]]:
    """Return each name once, with the last of its times."""
    newest: dict[str, float] = {}
    for name, at in stored:
        newest[name] = max(at, newest.get(name, 0.0))
    return newest.items()


def _named(unit: Unit, kind: Kind, names: Sequence[str]) -> set[str]:
    """Return the names that rows name: deleted items in the bin too, finished uploads not."""
    if not names:
        return set()
    if kind in ("blob", "frames"):
        query = select(models.Artifact.sha256).where(models.Artifact.sha256.in_(names))
    elif kind == "placed":
        query = select(models.Incident.id).where(models.Incident.id.in_(names))
    else:
        query = select(models.Upload.id).where(
            models.Upload.id.in_(names), models.Upload.artifact_id.is_(None)
        )
    return set(unit.session.scalars(query))
