"""Services of the tasks: settings, database, blobs, frames. One set per process, after the fork."""

from __future__ import annotations

import os
from dataclasses import dataclass

import structlog

from pileup import knowledge
from pileup.settings import Settings, get_settings
from pileup.storage.database import Database
from pileup.storage.encryption import Keys
from pileup.storage.errors import StorageError
from pileup.views.stores import HasStores, Stores, open_stores

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Runtime(HasStores):
    settings: Settings
    database: Database
    stores: Stores


def make_runtime(settings: Settings) -> Runtime:
    """Build the services from the settings."""
    if settings.database_url is None:
        raise StorageError("no database is configured: set PILEUP_DATABASE_URL")
    return Runtime(
        settings=settings,
        database=Database(settings.database_url, pool_size=3, keys=Keys.of(settings)),
        stores=open_stores(settings),
    )


def process_runtime() -> Runtime:
    """Return the services of this process; connections never cross a fork."""
    pid = os.getpid()
    if pid not in _runtimes:
        settings = get_settings()
        if settings.knowledge_dir is not None:
            for text in knowledge.use(settings.knowledge_dir, lenient=True):
                log.error("knowledge.left_out", why=text)
        _runtimes[pid] = make_runtime(settings)
    return _runtimes[pid]


_runtimes: dict[int, Runtime] = {}
