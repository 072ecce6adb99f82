"""The stores of an installation that views read."""

from __future__ import annotations

from dataclasses import dataclass

from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore


@dataclass(frozen=True, slots=True)
class Stores:
    blobs: BlobStore
    """Uploaded bytes."""
    frames: FrameStore
    """Parsed records, per artifact."""
    placed: PlacedStore
    """Placed evidence, per incident."""
