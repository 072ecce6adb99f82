"""Keep the garbage collection away from blobs until the rows that name them are committed.

A transaction that adds such a row holds the lock, shared, and looks whether the blob is there; the
collection takes it alone while it looks for rows and removes what has none (``lifecycle/garbage``).
"""

from __future__ import annotations

from collections.abc import Collection

from pileup.storage.advisory_locks import AdvisoryLock, lock_shared, try_lock
from pileup.storage.database import Unit
from pileup.storage.errors import StoreUnreachable
from pileup.storage.files.blobs import BlobStore


def hold_blobs(unit: Unit, blobs: BlobStore, sha256s: Collection[str]) -> None:
    """Hold stored blobs until the transaction ends; raise StoreUnreachable when one is gone."""
    lock_shared(unit.session, AdvisoryLock.BLOBS)
    for sha256 in sha256s:
        if not blobs.holds(sha256):
            raise StoreUnreachable(
                f"the bytes of {sha256[:12]} were removed as unused just now: send them again"
            )


def lock_out_holders(unit: Unit) -> bool:
    """Return whether no other transaction holds blobs, until this one ends."""
    return try_lock(unit.session, AdvisoryLock.BLOBS)
