"""Purge: remove expired items of the bin for good, and uploads that nobody finished.

Incidents whose retention is over go into the bin first.

Rows first; then the files that no row names any more, whatever left them there. A recently stored
one stays until a later round: somebody may be uploading the same bytes now.

``python -m pileup.worker.purge`` runs a round in a process of its own.
"""

from __future__ import annotations

import sys
from datetime import timedelta

import structlog

from pileup.settings import Settings, get_settings
from pileup.storage.artifacts.uploads import Uploads
from pileup.storage.database import Database
from pileup.storage.lifecycle.bin import Bin
from pileup.storage.lifecycle.garbage import Garbage
from pileup.storage.lifecycle.retention import Retention
from pileup.views.stores import Stores, open_stores

log = structlog.get_logger()


def purge(
    settings: Settings,
    database: Database,
    stores: Stores,
) -> None:
    """Run one round; bounded, so that a full bin takes several."""
    garbage = Garbage(database, stores.blobs, stores.frames, stores.placed, stores.uploads)
    with database.unit() as unit:
        expired = Retention(unit).expire()
    with database.unit() as unit:
        gone = Bin(unit).purge(timedelta(days=settings.bin_days))
        abandoned = Uploads(unit).expire(timedelta(days=settings.upload_days))
    for upload_id in abandoned:
        stores.uploads.remove(upload_id)
    for incident_id in gone.incidents:
        stores.placed.forget(incident_id)
    removed = garbage.remove_blobs(gone.shas)
    orphans = garbage.collect()
    if expired:
        log.info("retention.expired", incidents=len(expired))
    if orphans:
        log.info("garbage.collected", files=orphans)
    if gone.incidents or gone.shas or abandoned:
        log.info(
            "bin.purged",
            incidents=len(gone.incidents),
            blobs=removed,
            uploads=len(abandoned),
        )


def main() -> int:
    """Run one round with the settings of the environment."""
    settings = get_settings()
    assert settings.database_url is not None
    database = Database(settings.database_url, pool_size=1)
    try:
        purge(settings, database, open_stores(settings))
    finally:
        database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
