"""Archives of strangers: every container is read, and no trick in one does harm."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from pileup.formats.driver import parse_path, parse_stream
from pileup.formats.errors import ArchiveError
from pileup.formats.reading import archive
from pileup.formats.reading.archive import Limits, Refusal, members

_COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


def _tar(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def _read(path: Path, limits: Limits | None = None) -> tuple[dict[str, bytes], list[Refusal]]:
    refusals: list[Refusal] = []
    found = {}
    for member in members(path, limits, refusals):
        with member.open() as stream:
            found[member.path] = stream.read()
    return found, refusals


@pytest.mark.parametrize("suffix", ["", *_COMPRESS])
def test_tar_in_every_compression(tmp_path: Path, suffix: str) -> None:
    data = _tar({"b/2026-vmstat": b"procs\n", "b/2026-hostname": b"db-1\n"})
    path = tmp_path / "bundle"
    path.write_bytes(_COMPRESS[suffix](data) if suffix else data)
    assert archive.detect_container(path) == "tar"
    assert _read(path) == ({"b/2026-vmstat": b"procs\n", "b/2026-hostname": b"db-1\n"}, [])


@pytest.mark.parametrize("suffix", list(_COMPRESS))
def test_a_single_compressed_file_is_one_member_and_is_parsed_as_it_is(
    tmp_path: Path, suffix: str
) -> None:
    text = b"Thread 1 (LWP 7):\n#0  main () at m.c:1\n" * 3
    path = tmp_path / f"stacks.txt.{suffix}"
    path.write_bytes(
        _COMPRESS[suffix](text) + (_COMPRESS[suffix](b"\n") if suffix != "zst" else b"")
    )
    assert archive.detect_container(path) == "compressed"
    assert list(_read(path)[0]) == ["stacks.txt"]
    parsed = parse_path(path)
    assert parsed.format == "gdb"
    assert parsed.receipt.bytes_read >= len(text)


def test_a_plain_file_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "plain"
    path.write_bytes(b"text\n" * 500)
    assert archive.detect_container(path) is None
    with pytest.raises(ArchiveError):
        list(members(path))


def test_paths_that_lead_out_links_and_devices_are_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in ("../up", "/etc/passwd", "a/../../up", "C:\\x", "ok"):
            info = tarfile.TarInfo(name)
            info.size = 1
            tar.addfile(info, io.BytesIO(b"1"))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"kind-{kind.decode()}")
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
    path = tmp_path / "evil.tar"
    path.write_bytes(buffer.getvalue())
    found, refusals = _read(path)
    assert found == {"ok": b"1"}
    assert len(refusals) == 8


def test_zip_members_links_and_encryption(tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a/my.cnf", "[mysqld]\n")
        file.writestr("../up", "x")
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        file.writestr(link, "/etc/passwd")
        file.mkdir("empty")
    found, refusals = _read(path)
    assert found == {"a/my.cnf": b"[mysqld]\n"}
    assert {refusal.path for refusal in refusals} == {"../up", "link"}


def test_a_bomb_stops_at_the_ratio(tmp_path: Path) -> None:
    limits = Limits(ratio=20, ratio_floor_bytes=100_000)
    inside = zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED)
    with inside as file:
        file.writestr("zeros", bytes(5_000_000))
    with pytest.raises(ArchiveError, match="unpacks to more than"):
        _read(tmp_path / "bomb.zip", limits)
    path = tmp_path / "bomb.tar.gz"
    path.write_bytes(gzip.compress(_tar({"zeros": bytes(5_000_000), "next": b"1"})))
    with pytest.raises(ArchiveError, match="unpacks to more than"):
        _read(path, limits)


def test_the_levels_of_an_upload_share_one_budget(tmp_path: Path) -> None:
    """What came out before counts, and the ratio is that to the bytes of the upload."""
    path = tmp_path / "inner.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("zeros", bytes(50_000))
    first = Limits(ratio=20, ratio_floor_bytes=100_000, uploaded_bytes=1000)
    assert len(_read(path, first)[0]["zeros"]) == 50_000
    with pytest.raises(ArchiveError, match="unpacks to more than"):
        _read(path, replace(first, given_bytes=60_000))
    assert len(_read(path, replace(first, uploaded_bytes=10_000, given_bytes=60_000))[0]) == 1
    _, refusals = _read(path, replace(first, members=5, given_members=5))
    assert refusals[0].why.startswith("only the first 5 files")


def test_a_compressed_file_is_no_tar_without_a_checksum(tmp_path: Path) -> None:
    """Signed, these bytes sum up to what tarfile wants of a header whose checksum is empty."""
    path = tmp_path / "zeros.gz"
    path.write_bytes(b"\x1f\x8b\x80\xd6".ljust(512, b"\0"))
    assert archive.detect_container(path) == "compressed"


@pytest.mark.parametrize("kind", ["zip", "", "gz", "xz", "zst"])
def test_reading_goes_on_at_any_member(tmp_path: Path, kind: str) -> None:
    """From each member on, the rest is what one reading gives, with its refusals and its budget."""
    files = {
        "a": b"1",
        "../out": b"2",
        "n" * 150: b"3" * 700,
        "\u00e9": bytes(200_000),
        "d/e": b"5",
    }
    path = tmp_path / "bundle"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, data in files.items():
                packed.writestr(name, data)
    else:
        path.write_bytes(_COMPRESS.get(kind, bytes)(_tar(files)))
    limits = Limits(members=4, given_members=1, given_bytes=10_000)
    for total in (300_000, 120_000):
        limits = replace(limits, total_bytes=total)
        whole, position = [], []
        refusals: list[Refusal] = []

        def outcome(member: archive.Member) -> tuple[str, bytes]:
            try:
                with member.open() as stream:
                    return member.path, stream.read()
            except ArchiveError as error:
                return member.path, str(error).encode()

        for member in members(path, limits, refusals):
            position.append((member.position, list(refusals)))
            whole.append(outcome(member))
        assert len(whole) == 3
        for begin, (at, before) in enumerate(position):
            later = before
            rest = [outcome(member) for member in members(path, limits, later, None, at)]
            assert (rest, later) == (whole[begin:], refusals)


def test_members_past_the_count_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.tar"
    path.write_bytes(_tar({f"f{number}": b"1" for number in range(10)}))
    found, refusals = _read(path, Limits(members=4))
    assert len(found) == 4
    assert len(refusals) == 1


@pytest.mark.parametrize("suffix", list(_COMPRESS))
def test_a_truncated_archive_gives_what_stands_before_the_cut(tmp_path: Path, suffix: str) -> None:
    import random

    noise = random.Random(1).randbytes(300_000)
    data = _COMPRESS[suffix](_tar({"first": b"1\n", "second": noise}))
    path = tmp_path / "cut"
    path.write_bytes(data[: len(data) // 2])
    found: list[str] = []
    refusals: list[Refusal] = []
    with_error = False
    for member in members(path, None, refusals):
        found.append(member.path)
        try:
            member.open().read()
        except ArchiveError:
            with_error = True
    if suffix != "bz2":  # which gives nothing before its first whole block of 900 kB
        assert found[0] == "first"
        assert "the rest of the archive cannot be read" in refusals[0].why
    assert with_error


def test_the_member_that_a_cut_tar_ends_in_keeps_its_lines(tmp_path: Path) -> None:
    """What the library raises there is the archive's damage, not a defect of the reader."""
    lines = b"".join(b"[%d.000001] usb 1-1: message\n" % second for second in range(10_000))
    path = tmp_path / "cut.tar"
    path.write_bytes(_tar({"dmesg": lines})[:200_000])
    member = next(members := archive.members(path))
    with member.open() as stream:
        parsed = parse_stream(stream, name=member.path)
    assert list(members) == []
    assert not parsed.crashed
    assert "Reading stopped after line" in (parsed.failed or "")
    assert parsed.format == "kernel-log"
    assert parsed.receipt.records["event"] > 5000


def test_a_truncated_single_file_keeps_the_lines_above_the_cut(tmp_path: Path) -> None:
    import random

    dice = random.Random(2)
    text = b"".join(
        b"Thread %d (LWP %d):\n#0  f%d () at m.c:1\n" % (n, n, dice.getrandbits(60))
        for n in range(20_000, 0, -1)
    )
    path = tmp_path / "stacks.gz"
    path.write_bytes(gzip.compress(text)[:-20_000])
    parsed = parse_path(path)
    assert parsed.failed
    assert not parsed.crashed
    assert parsed.receipt.lines > 1000
