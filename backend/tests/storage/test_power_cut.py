"""A power cut at any moment: what was acknowledged is there, and nothing is there in part."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from cryptography.fernet import Fernet

from pileup.storage import encryption
from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.frames import FrameKey, FrameStore
from pileup.storage.files.objects import FolderObjects, make_folder
from pileup.storage.files.read_cache import ReadCache
from pileup.storage.files.upload_bytes import FolderUploads
from tests.support.power_cut import Moment, PowerCut, Site, sync_sites

_LONG = b"time,x\n" + b"2026-11-20T22:00:00Z,1\n" * 5_000
_FIRST = FrameKey("ab" * 32, "gdb", 1)


def _blobs(root: Path, cut: PowerCut) -> None:
    store = BlobStore(root / "blobs", compress=True)
    for content in (b"a few bytes", _LONG, b"other bytes", b"a few bytes"):
        cut.acknowledge(store.store(io.BytesIO(content), 1 << 30).sha256)
    file = root / "upload"
    file.write_bytes(b"adopted")
    cut.acknowledge(store.adopt(file).sha256)


def _check_blobs(root: Path, moment: Moment) -> None:
    store = BlobStore(root / "blobs", compress=True)
    stored = {sha256 for sha256, _ in store.entries()}
    assert set(moment.acknowledged) <= stored, "an acknowledged blob is lost"
    assert all(store.digest(sha256).sha256 == sha256 for sha256 in stored), "one is there in part"


def _frames(root: Path, cut: PowerCut) -> None:
    store = FrameStore(root / "frames")
    for number in range(4):  # the third run removes the first
        store.replace(_FIRST, {"events": pl.DataFrame({"number": [number] * 50})})
        cut.acknowledge(str(number))


def _check_frames(root: Path, moment: Moment) -> None:
    """Frames can be derived again: they may be missing, and are never there in part."""
    store = FrameStore(root / "frames")
    frames = store.load(_FIRST)
    assert store.holds(_FIRST) == (frames is not None)
    if frames is not None:
        assert frames.keys() == {"events"}
        (number,) = frames["events"]["number"].unique()
        assert frames["events"].height == 50
        assert number <= len(moment.acknowledged)


def _uploads(root: Path, cut: PowerCut) -> None:
    uploads = FolderUploads(root / "uploads")
    uploads.create("one")
    with uploads.append("one") as appender:
        for chunk in (b"abc", b"defg", b"h" * 100_000):
            appender.write(chunk)
            appender.sync()
            cut.acknowledge(str(appender.offset))


def _check_uploads(root: Path, moment: Moment) -> None:
    content = (b"abcdefg" + b"h" * 100_000)[: max(map(int, moment.acknowledged), default=0)]
    assert FolderUploads(root / "uploads").received("one") >= len(content), "bytes are lost"
    if content:
        assert (root / "uploads/one").read_bytes().startswith(content)


def _objects(root: Path, cut: PowerCut) -> None:
    objects = FolderObjects(root / "objects")
    for number in range(3):
        objects.write("a/b/pointer", str(number).encode())
        cut.acknowledge(str(number))


def _check_objects(root: Path, moment: Moment) -> None:
    found = FolderObjects(root / "objects").read("a/b/pointer")
    if moment.acknowledged:
        assert found is not None, "an acknowledged object is lost"
        assert int(found) >= int(moment.acknowledged[-1])
    else:
        assert found in (None, b"0")


def _key(root: Path, cut: PowerCut) -> None:
    encryption._create(root / "secret.key")
    cut.acknowledge((root / "secret.key").read_text())


def _check_key(root: Path, moment: Moment) -> None:
    """What was encrypted with a key that is lost cannot be read any more."""
    file = root / "secret.key"
    if moment.acknowledged:
        assert file.read_text() == moment.acknowledged[-1]
    elif file.exists():
        Fernet(file.read_text().strip())


def _copies(root: Path, cut: PowerCut) -> None:
    cache = ReadCache(root / "copies", 1 << 20)
    for name in ("one", "two"):
        cache.file(name, lambda out: out.write(b"the stored bytes"))
        cut.acknowledge(name)


def _check_copies(root: Path, moment: Moment) -> None:
    """A copy can be fetched again: it may be missing, and is never there in part."""
    for path in (root / "copies").glob("[!d]*"):
        assert path.read_bytes() == b"the stored bytes", "a copy is there in part"


def _twice(root: Path, cut: PowerCut) -> None:
    """Another process has just given the same bytes their name, and not synced the folder yet."""
    content = b"bytes that two people send"
    other = BlobStore(root / "other", compress=False)
    key = other._key(other.store(io.BytesIO(content), 1 << 30).sha256)
    make_folder((root / "blobs" / key).parent)
    (root / "other" / key).rename(root / "blobs" / key)
    store = BlobStore(root / "blobs", compress=False)
    cut.acknowledge(store.store(io.BytesIO(content), 1 << 30).sha256)


Work = Callable[[Path, PowerCut], None]
Check = Callable[[Path, Moment], None]
_CASES: list[tuple[Work, Check]] = [
    (_blobs, _check_blobs),
    (_twice, _check_blobs),
    (_frames, _check_frames),
    (_uploads, _check_uploads),
    (_objects, _check_objects),
    (_key, _check_key),
    (_copies, _check_copies),
]


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "journal"])
@pytest.mark.parametrize(("work", "check"), _CASES)
def test_a_power_cut_at_any_moment_loses_nothing_acknowledged(
    work: Work, check: Check, tmp_path: Path, strict: bool
) -> None:
    _survives(work, check, tmp_path, strict=strict)


@pytest.mark.parametrize("site", sync_sites("storage"), ids=str)
def test_each_sync_of_the_source_is_needed(site: Site, tmp_path: Path) -> None:
    """Leaving out any call that syncs loses something in a case above; so will a new one."""
    for number, (work, check) in enumerate(_CASES):
        for strict in (True, False):
            try:
                _survives(work, check, tmp_path / f"{number}-{strict}", strict=strict, without=site)
            except AssertionError:
                return
    pytest.fail(f"no power cut here loses anything without {site}")


def _survives(
    work: Work, check: Check, tmp_path: Path, *, strict: bool, without: Site | None = None
) -> None:
    root = tmp_path / "disk"
    root.mkdir(parents=True)
    cut = PowerCut(root, without)
    with cut.watched():
        work(root, cut)
    assert cut.moments[-1].acknowledged
    for number, moment in enumerate(cut.moments):
        after = tmp_path / f"after-{number}"
        moment.lay_out(after, strict=strict)
        try:
            check(after, moment)
        except Exception as error:
            raise AssertionError(f"power cut after {moment.after}") from error


def test_what_is_not_synced_is_gone(tmp_path: Path) -> None:
    """The disk of these tests is one that can lose something."""
    root = tmp_path / "disk"
    root.mkdir()
    cut = PowerCut(root)
    with cut.watched():
        (root / "draft").write_bytes(b"bytes")
        (root / "draft").rename(root / "name")
        with (root / "name").open("rb") as stream:
            os.fsync(stream.fileno())
    renamed, synced = cut.moments
    for number, (moment, strict, content) in enumerate(
        (
            (renamed, True, None),
            (renamed, False, b""),
            (synced, True, None),
            (synced, False, b"bytes"),
        )
    ):
        target = tmp_path / str(number)
        moment.lay_out(target, strict=strict)
        found = target / "name"
        assert (found.read_bytes() if found.exists() else None) == content
