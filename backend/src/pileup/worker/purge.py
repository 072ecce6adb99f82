"""Purge: remove expired items of the bin for good, and uploads that nobody finished.

Rows first; then blobs that no row names any more. A recently touched blob stays until the next
round: somebody may be uploading the same bytes now.
"""

from __future__ import annotations

import time
from datetime import timedelta

import structlog

from pileup.settings import Settings
from pileup.storage.artifacts.uploads import Uploads
from pileup.storage.database import Database
from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.lifecycle.bin import Bin

_TOUCHED_S = 3600.0

log = structlog.get_logger()


def purge(
    settings: Settings,
    database: Database,
    blobs: BlobStore,
    frames: FrameStore,
    placed: PlacedStore,
) -> None:
    """Run one round; bounded, so that a full bin takes several."""
    with database.unit() as unit:
        gone = Bin(unit).purge(timedelta(days=settings.bin_days))
        abandoned = Uploads(unit).expire(timedelta(days=settings.upload_days))
    for upload_id in abandoned:
        (settings.uploads_dir / upload_id).unlink(missing_ok=True)
    for incident_id in gone.incidents:
        placed.forget(incident_id)
    with database.unit() as unit:
        unused = Bin(unit).unused(gone.shas)
    removed = 0
    for sha in unused:
        if blobs.remove(sha, untouched_s=_TOUCHED_S, now=time.time()):
            frames.forget(sha)
            removed += 1
    if gone.incidents or gone.shas or abandoned:
        log.info(
            "bin.purged",
            incidents=len(gone.incidents),
            blobs=removed,
            uploads=len(abandoned),
        )
