"""The stores of an installation, as its settings name them."""

from __future__ import annotations

from dataclasses import dataclass

from pileup.settings import Settings
from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.bucket import Bucket, BucketObjects, open_bucket
from pileup.storage.files.file_sets import open_sets
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.malware import Scanner
from pileup.storage.files.objects import FolderObjects
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.files.read_cache import ReadCache
from pileup.storage.files.upload_bytes import BucketUploads, FolderUploads, UploadBytes


@dataclass(frozen=True, slots=True)
class Stores:
    blobs: BlobStore
    """Uploaded bytes."""
    frames: FrameStore
    """Parsed records, per artifact."""
    placed: PlacedStore
    """Placed evidence, per incident."""
    uploads: UploadBytes
    """Bytes of uploads in progress."""
    scanner: Scanner
    """What files are scanned by before they leave."""


class HasStores:
    """Base of what holds the stores among its services."""

    __slots__ = ()

    stores: Stores

    @property
    def blobs(self) -> BlobStore:
        """The store of uploaded bytes."""
        return self.stores.blobs

    @property
    def frames(self) -> FrameStore:
        """The store of parsed records."""
        return self.stores.frames

    @property
    def placed(self) -> PlacedStore:
        """The store of placed evidence."""
        return self.stores.placed

    @property
    def uploads(self) -> UploadBytes:
        """The bytes of uploads in progress."""
        return self.stores.uploads


def open_stores(settings: Settings) -> Stores:
    """Open the stores that the settings name: folders of the data folder, or a bucket.

    Call it in each process: what talks to a bucket does not survive a fork.
    """
    cache = ReadCache(
        settings.cache_dir, settings.cache_bytes, min_free_bytes=settings.min_free_bytes
    )

    def objects(part: str) -> FolderObjects | BucketObjects:
        if settings.s3_bucket is None:
            return FolderObjects(settings.home / part)
        return open_bucket(_bucket(settings), part, settings.home / "drafts" / part)

    uploads = objects("uploads")
    return Stores(
        blobs=BlobStore(
            objects("blobs"),
            cache,
            min_free_bytes=settings.min_free_bytes,
            compress=settings.compress_uploads,
        ),
        frames=FrameStore(open_sets(objects("frames"), cache)),
        placed=PlacedStore(open_sets(objects("placed"), cache)),
        uploads=(
            FolderUploads(settings.uploads_dir)
            if isinstance(uploads, FolderObjects)
            else BucketUploads(uploads)
        ),
        scanner=Scanner(settings.clamd),
    )


def _bucket(settings: Settings) -> Bucket:
    assert settings.s3_bucket is not None
    secret = settings.s3_secret_key
    return Bucket(
        name=settings.s3_bucket,
        prefix=settings.s3_prefix,
        endpoint=settings.s3_endpoint,
        region=settings.s3_region,
        access_key=settings.s3_access_key,
        secret_key=secret.get_secret_value() if secret is not None else None,
        path_style=settings.s3_path_style,
        timeout_s=settings.s3_timeout_s,
        retry_s=settings.s3_retry_s,
    )
