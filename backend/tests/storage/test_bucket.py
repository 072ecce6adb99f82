"""An S3 bucket instead of folders: whole or not at all, whatever the server does meanwhile."""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from pileup import records
from pileup.settings import Settings
from pileup.storage.errors import Conflict, Damaged, InUse, NotFound, StoreUnreachable
from pileup.storage.files import bucket, upload_bytes
from pileup.storage.files.file_sets import BucketSets
from pileup.storage.files.frames import FrameKey
from pileup.views.stores import Stores, open_stores
from tests.support.s3_server import Faults, bucket_settings, faulty, moto_in_process

KEY = FrameKey("ab" * 32, "x", 1)
TEXT = b"".join(b"line %d of a log that compresses well\n" % at for at in range(40_000))


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with moto_in_process() as address:
        yield address


@pytest.fixture
def prefix(request: pytest.FixtureRequest) -> str:
    return hashlib.sha256(request.node.name.encode()).hexdigest()[:12]


def opened(home: Path, endpoint: str, prefix: str) -> Stores:
    """Open the stores of a machine with its own data folder."""
    home.mkdir(exist_ok=True)
    more = bucket_settings(endpoint, s3_prefix=prefix)
    return open_stores(Settings(home=home, min_free_bytes=0, **more))


def noise(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def events(count: int) -> pl.DataFrame:
    lines = list(range(1, count + 1))
    return records.build_frame("event", {"line_first": lines, "kind": "log", "message": "text"})


def test_a_blob_is_the_same_on_every_machine(tmp_path: Path, endpoint: str, prefix: str) -> None:
    """Compressed where it pays, read through the cache, checked, and gone when removed."""
    first, two = (opened(tmp_path / name, endpoint, prefix) for name in "ab")
    stored = {}
    for content in (b"", b"small", TEXT, noise(100_000)):
        blob = first.blobs.store(io.BytesIO(content), 1 << 30)
        assert (blob.sha256, blob.bytes) == (hashlib.sha256(content).hexdigest(), len(content))
        assert two.blobs.open(blob.sha256).read() == content
        assert two.blobs.digest(blob.sha256) == blob
        stored[blob.sha256] = content
    sizes = {name: entry.bytes for name, entry in two.blobs.entries()}
    assert sizes.keys() == stored.keys()
    assert sizes[hashlib.sha256(TEXT).hexdigest()] < len(TEXT) / 4
    for sha256 in stored:
        assert two.blobs.remove(sha256, untouched_s=-10, now=0.0) is False
        assert two.blobs.remove(sha256, untouched_s=-10, now=9e9)
    with pytest.raises(NotFound):
        two.blobs.path(hashlib.sha256(b"small").hexdigest())


def test_changed_bytes_are_not_handed_out(tmp_path: Path, endpoint: str, prefix: str) -> None:
    first, two = (opened(tmp_path / name, endpoint, prefix) for name in "ab")
    for content in (b"small", TEXT):
        blob = first.blobs.store(io.BytesIO(content), 1 << 30)
        entry = first.blobs.find(blob.sha256)
        assert entry is not None
        data = first.blobs.objects.read(entry.key)
        assert data is not None
        for changed in (data[:-1], bytes([data[0] ^ 1]) + data[1:]):
            first.blobs.objects.write(entry.key, changed)
            with pytest.raises(Damaged):
                two.blobs.path(blob.sha256)
            assert two.blobs.digest(blob.sha256) != blob


def test_an_upload_continues_on_another_machine(tmp_path: Path, endpoint: str, prefix: str) -> None:
    """Of two requests at the same byte one fails; what was acknowledged is one file."""
    single, two = (opened(tmp_path / name, endpoint, prefix) for name in "ab")
    content = noise(300_000)
    for at, stores in ((0, single), (100_000, two), (200_000, single)):
        with stores.uploads.append("u1") as appender:
            assert appender.offset == at
            appender.write(content[at : at + 60_000])
            appender.sync()
            appender.write(content[at + 60_000 : at + 100_000])
            appender.sync()
    with single.uploads.append("u1") as first, two.uploads.append("u1") as second:
        first.write(b"end")
        first.sync()
        second.write(b"other")
        with pytest.raises(InUse):
            second.sync()
    assert two.uploads.received("u1") == 300_003
    assert [name for name, _ in two.uploads.stored()] == ["u1"]
    blob = two.uploads.keep("u1", two.blobs)
    assert single.blobs.open(blob.sha256).read() == content + b"end"
    two.uploads.remove("u1")
    assert single.uploads.received("u1") == 0


def test_frames_are_replaced_as_a_whole(tmp_path: Path, endpoint: str, prefix: str) -> None:
    first, two = (opened(tmp_path / name, endpoint, prefix) for name in "ab")
    assert two.frames.load(KEY) is None
    for count in (3, 0, 5, 7):
        first.frames.replace(KEY, {"event": events(count)} if count else {})
        loaded = two.frames.load(KEY)
        assert loaded is not None
        assert [frame.height for frame in loaded.values()] == ([count] if count else [])
    assert next(iter(two.frames.blobs()))[0] == KEY.sha256
    two.frames.forget(KEY.sha256)
    assert first.frames.load(KEY) is None
    assert list(first.frames.blobs()) == []


@pytest.mark.parametrize(
    ("matching", "fault"),
    [
        (b"PUT", {"answer": 500}),
        (b"PUT", {"answer": 503, "skip": 1}),
        (b"partNumber=2", {"cut_after": 100_000}),
        (b"POST", {"answer": 503, "skip": 1}),
    ],
    ids=["refused", "refused-later", "cut-in-a-part", "not-completed"],
)
def test_a_failed_store_shows_nothing(
    tmp_path: Path, endpoint: str, prefix: str, matching: bytes, fault: dict[str, int]
) -> None:
    """Neither half of a blob nor half of a set; the same again succeeds when the fault is over."""
    quick = {"s3_retry_s": 0.0}
    with faulty(endpoint) as (address, faults):
        more = bucket_settings(address, s3_prefix=prefix, **quick)
        stores = open_stores(Settings(home=tmp_path / "a", min_free_bytes=0, **more))
        other = opened(tmp_path / "b", endpoint, prefix)
        stores.frames.replace(KEY, {"event": events(3)})
        content = noise(9 * 1024 * 1024)
        faults.matching = matching
        _set(faults, fault)
        with pytest.raises(StoreUnreachable):
            stores.blobs.store(io.BytesIO(content), 1 << 30)
        assert faults.seen
        assert list(other.blobs.entries()) == []
        if matching == b"PUT":
            _set(faults, fault)
            with pytest.raises(StoreUnreachable):
                stores.frames.replace(KEY, {"event": events(5), "setting": events(1)})
            assert {
                kind: frame.height for kind, frame in (other.frames.load(KEY) or {}).items()
            } == {"event": 3}
        faults.clear()
        blob = stores.blobs.store(io.BytesIO(content), 1 << 30)
        assert other.blobs.open(blob.sha256).read() == content
        assert not list((tmp_path / "a" / "drafts" / "blobs").iterdir())


def test_what_is_not_whole_in_the_bucket_is_refused(
    tmp_path: Path, endpoint: str, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each sentence names the object and the bucket, so that an admin finds it."""
    stores = opened(tmp_path / "a", endpoint, prefix)
    objects = stores.blobs.objects
    assert isinstance(objects, bucket.BucketObjects)
    with pytest.raises(NotFound, match=f"none is not in {objects.place}"):
        list(objects.chunks("none"))
    draft = objects.drafts / "draft"
    draft.write_bytes(b"evidence")
    with monkeypatch.context() as patch:
        patch.setattr(bucket.obstore, "head", lambda *_: {"size": 7})
        with pytest.raises(StoreUnreachable, match="holds 7 bytes of key, and 8 were sent"):
            objects.put("key", draft)
    assert draft.exists()
    objects.put("key", draft)
    with monkeypatch.context() as patch:
        short = SimpleNamespace(meta={"size": 9}, stream=lambda **_: iter([b"evidence"]))
        patch.setattr(bucket.obstore, "get", lambda *_: short)
        with pytest.raises(StoreUnreachable, match="sent 8 of the 9 bytes of key"):
            list(objects.chunks("key"))


def test_a_set_with_changed_bytes_is_refused_and_one_without_an_index_is_none(
    tmp_path: Path, endpoint: str, prefix: str
) -> None:
    first = opened(tmp_path / "a", endpoint, prefix)
    first.frames.replace(KEY, {"event": events(3)})
    sets = first.frames._sets
    assert isinstance(sets, BucketSets)
    names = [entry.key for entry in sets._objects.entries()]
    (index,) = (name for name in names if name.endswith("files.json"))
    (part,) = (name for name in names if name.endswith((".arrow", ".parquet")))
    sets._objects.write(part, b"another part")
    with pytest.raises(Damaged, match=f"{part} in .* is damaged: it has another SHA-256"):
        opened(tmp_path / "b", endpoint, prefix).frames.load(KEY)
    sets._objects.remove([index])
    assert opened(tmp_path / "c", endpoint, prefix).frames.load(KEY) is None


def test_an_upload_in_too_many_pieces(
    tmp_path: Path, endpoint: str, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_bytes, "_MOST_PIECES", 2)
    uploads = opened(tmp_path / "a", endpoint, prefix).uploads
    for _ in range(2):
        with uploads.append("u1") as appender:
            appender.write(b"piece")
            appender.sync()
    with pytest.raises(Conflict, match="this upload came in 2 pieces"), uploads.append("u1"):
        pass


def _set(faults: Faults, fault: dict[str, int]) -> None:
    for name, value in fault.items():
        setattr(faults, name, value)
