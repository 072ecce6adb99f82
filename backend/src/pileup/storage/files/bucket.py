"""Objects in an S3 bucket, or in what speaks its protocol. The interface is in ``objects.py``.

A large object is sent in parts, which the server puts together as the last step: until then nobody
sees it. Requests are tried again for a bounded time; then StoreUnreachable says so, and whoever
called answers 503 or queues the work again.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import S3Store

from pileup.storage.errors import Conflict, NotFound, StoreUnreachable
from pileup.storage.files.objects import Entry, disk_words, sweep_drafts

_PART = 8 * 1024 * 1024
_AT_ONCE = 4
_LISTED = 1000
_FRESH_S = 1800.0

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Bucket:
    """Address and credentials of a bucket; without credentials, those of the environment."""

    name: str
    prefix: str = ""
    endpoint: str | None = None
    region: str = "us-east-1"
    access_key: str | None = None
    secret_key: str | None = None
    path_style: bool = True
    timeout_s: float = 30.0
    """Of one request."""
    retry_s: float = 20.0
    """How long a failed request is tried again."""

    @property
    def place(self) -> str:
        """Return its address for messages, without credentials."""
        return f"s3://{self.name}/{self.prefix}".rstrip("/")


def open_bucket(bucket: Bucket, part: str, scratch: Path) -> BucketObjects:
    """Open the objects of one part ('blobs') of the bucket."""
    config: dict[str, Any] = {
        "region": bucket.region,
        "virtual_hosted_style_request": not bucket.path_style,
    }
    if bucket.endpoint is not None:
        config["endpoint"] = bucket.endpoint
    if bucket.access_key is not None:
        config |= {"access_key_id": bucket.access_key, "secret_access_key": bucket.secret_key}
    store = S3Store(
        bucket.name,
        prefix=f"{bucket.prefix}/{part}".strip("/"),
        client_options={
            "allow_http": (bucket.endpoint or "").startswith("http://"),
            "connect_timeout": timedelta(seconds=5),
            "timeout": timedelta(seconds=bucket.timeout_s),
        },
        retry_config={
            "max_retries": 10,
            "retry_timeout": timedelta(seconds=bucket.retry_s),
            "backoff": {"init_backoff": timedelta(milliseconds=200), "base": 2},
        },
        **config,
    )
    return BucketObjects(store, f"{bucket.place}/{part}", scratch)


@contextmanager
def _bucket_words(place: str) -> Iterator[None]:
    """Turn the errors of requests into StoreUnreachable."""
    try:
        yield
    except (NotFoundError, FileNotFoundError, AlreadyExistsError, StoreUnreachable):
        raise
    except (BaseError, OSError, ValueError) as error:
        raise StoreUnreachable(
            f"{place} does not answer as it should ({_first_line(error)}); try again in a moment "
            "(`pileup doctor` says more)"
        ) from error


def _spoken(method: Callable[P, R]) -> Callable[P, R]:
    """Turn the errors of a method's requests into StoreUnreachable."""

    @functools.wraps(method)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        with _bucket_words(str(getattr(args[0], "place", ""))):
            return method(*args, **kwargs)

    return wrapped


class BucketObjects:
    """Objects below a prefix of a bucket."""

    def __init__(self, store: S3Store, place: str, scratch: Path) -> None:
        self._store = store
        self._scratch = scratch
        self.place = place

    @property
    def drafts(self) -> Path:
        """The local folder of drafts."""
        self._scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._scratch

    def put(self, key: str, draft: Path) -> None:
        """Send a file, in parts when it is large, and check the length of what is there now."""
        size = draft.stat().st_size
        with _bucket_words(self.place), disk_words(self._scratch):
            obstore.put(self._store, key, draft, chunk_size=_PART, max_concurrency=_AT_ONCE)
            stored = int(obstore.head(self._store, key)["size"])
        if stored != size:
            raise StoreUnreachable(
                f"{self.place} holds {stored} bytes of {key}, and {size} were sent: send it again"
            )
        draft.unlink(missing_ok=True)

    @_spoken
    def write(self, key: str, data: bytes) -> None:
        """Store a few bytes, replacing earlier ones."""
        obstore.put(self._store, key, data, use_multipart=False)

    @_spoken
    def create(self, key: str, data: bytes) -> None:
        """Store bytes under a key that has none; raise Conflict when it has others."""
        try:
            obstore.put(self._store, key, data, mode="create")
        except AlreadyExistsError:
            # perhaps by this very request, whose answer was lost
            if self.read(key) != data:
                raise Conflict("another request has stored other bytes here") from None

    @_spoken
    def read(self, key: str) -> bytes | None:
        """Return a small object; None when there is none."""
        try:
            return bytes(obstore.get(self._store, key).bytes())
        except FileNotFoundError:
            return None

    def chunks(self, key: str) -> Iterator[bytes]:
        """Yield the bytes of an object."""
        try:
            with _bucket_words(self.place):
                answer = obstore.get(self._store, key)
                size = int(answer.meta["size"])
                stream = iter(answer.stream(min_chunk_size=1024 * 1024))
            read = 0
            while True:
                with _bucket_words(self.place):
                    chunk = next(stream, None)
                if chunk is None:
                    break
                read += len(chunk)
                yield bytes(chunk)
        except FileNotFoundError:
            raise NotFound(f"{key} is not in {self.place}") from None
        if read != size:
            raise StoreUnreachable(f"{self.place} sent {read} of the {size} bytes of {key}")

    def local(self, key: str) -> Path | None:  # noqa: ARG002  (the interface's)
        """Return None: the object is not on this machine."""
        return None

    @_spoken
    def find(self, key: str) -> Entry | None:
        """Return the entry of an object."""
        try:
            meta = obstore.head(self._store, key)
        except FileNotFoundError:
            return None
        return Entry(key, int(meta["size"]), meta["last_modified"].timestamp())

    def renew(self, key: str) -> bool:
        """Return whether the object was stored lately: nothing but storing it sets its time."""
        found = self.find(key)
        return found is not None and time.time() - found.modified < _FRESH_S

    def entries(self, prefix: str = "") -> Iterator[Entry]:
        """Yield every object below a prefix."""
        with _bucket_words(self.place):
            for page in obstore.list(self._store, prefix.rstrip("/") or None, chunk_size=_LISTED):
                for meta in page:
                    modified = meta["last_modified"].timestamp()
                    yield Entry(str(meta["path"]), int(meta["size"]), modified)

    @_spoken
    def remove(self, keys: Iterable[str]) -> None:
        """Delete objects, a thousand in one request."""
        wanted = list(keys)
        for at in range(0, len(wanted), _LISTED):
            obstore.delete(self._store, wanted[at : at + _LISTED])

    def remove_below(self, prefix: str) -> None:
        """Delete every object below a prefix."""
        self.remove([entry.key for entry in self.entries(prefix)])

    def sweep_drafts(self, older_than_s: float = 86_400.0) -> None:
        """Remove old drafts of this machine."""
        sweep_drafts(self.drafts, older_than_s)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
