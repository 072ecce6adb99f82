"""Stream the members of zip and tar archives, and single compressed files, within limits.

Archives come from strangers. A member is refused, with a sentence, when it is not a plain file
(link, device), when its path would leave a folder, when it is encrypted, or when reading it would
exceed a limit; the other members are still read. Nothing is ever extracted to a path here.

An archive inside an archive is a member like any other: the caller expands it, counting the depth.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

import zstandard

from pileup.formats.errors import ArchiveError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Kind = Literal["zip", "tar", "compressed"]

_MAGIC = {
    b"\x1f\x8b": "gz",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zst",
}
_SUFFIXES = {"gz", "bz2", "xz", "zst", "zstd"}
_READ = 64 * 1024
_XZ_MEMORY = 256 * 1024 * 1024
_ZST_WINDOW = 128 * 1024 * 1024
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on what one archive may contain, in bytes and members."""

    total_bytes: int = 20 * 1024**3
    member_bytes: int = 8 * 1024**3
    members: int = 20_000
    ratio: int = 500
    """Bytes out per byte in, beyond the first 64 MiB; real dumps compress 10 to 60 times."""
    ratio_floor_bytes: int = 64 * 1024**2
    depth: int = 4
    """Levels of archives within archives; the caller, who expands them, applies it."""
    uploaded_bytes: int | None = None
    """Size of the outermost archive, which all levels together are compared with; None: this."""
    given_bytes: int = 0
    """What came out of the outermost archive before: bytes, all levels."""
    given_members: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """A member (or the rest of an archive, with an empty path) that was not read, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Position:
    """Where a member begins, for whoever goes on reading the archive later."""

    members: int = 0
    """Members before it."""
    at: int = 0
    """Bytes of the unpacked tar, or entries of the zip, before it."""
    given: int = 0
    """Bytes that this archive yielded before it."""


@dataclass(frozen=True, slots=True)
class Member:
    """A plain file in an archive. Call ``open`` at most once, before the next member is taken."""

    path: str
    """Relative, with forward slashes."""
    open: Callable[[], BinaryIO]
    size: int | None
    """As the archive states it; None for a single compressed file."""
    position: Position = Position()


def detect_container(path: Path) -> Kind | None:
    """Detect the kind of container by a file's content; None for a file that is not one."""
    first = b""
    try:
        with path.open("rb") as file:
            first = file.read(512)
            if first.startswith((b"PK\x03\x04", b"PK\x05\x06")):
                return "zip"
            if _is_tar(first):
                return "tar"
            if _compression(first) is None:
                return None
            file.seek(0)
            with closing(_decompressed(file, first)) as plain:
                return "tar" if _is_tar(_up_to(plain, 512)) else "compressed"
    except _BROKEN:
        return "compressed" if _compression(first) else None


def open_plain(path: Path) -> BinaryIO:
    """Open a file's content, decompressed when it is a single compressed file."""
    file = path.open("rb")
    first = file.read(512)
    file.seek(0)
    if _compression(first) is None:
        return file
    total = path.stat().st_size
    return _Bounded(_decompressed(file, first), _Budget(Limits(), total), path.name)


def plain_name(name: str) -> str:
    """Strip the compression suffix from a file name."""
    stem, _, suffix = name.rpartition(".")
    return stem if stem and suffix.lower() in _SUFFIXES else name


def members(
    path: Path,
    limits: Limits | None = None,
    refusals: list[Refusal] | None = None,
    name: str | None = None,
    begin: Position = Position(),
) -> Iterator[Member]:
    """Yield the plain files of an archive in its order; append what is refused to ``refusals``.

    ``name`` is the archive's own name, when that of ``path`` is not. ``begin``: of the first member
    to yield, as an earlier call yielded it. Reading a member may
    raise ArchiveError when it exceeds a limit or is damaged; a single compressed file that is cut
    off or damaged ends there instead, and a refusal explains it. Raises ArchiveError for a file
    that is not an archive.
    """
    limits = limits or Limits()
    refusals = refusals if refusals is not None else []
    kind = detect_container(path)
    budget = _Budget(limits, path.stat().st_size)
    budget.given += begin.given
    if kind == "compressed":
        inner = plain_name(name or path.name)
        yield Member(inner, lambda: _bounded_plain(path, budget, inner, refusals), None)
        return
    if kind is None:
        raise ArchiveError(f"{path.name} is not an archive that can be opened: upload it as it is.")
    walk = _zip_members if kind == "zip" else _tar_members
    for before, member in enumerate(walk(path, budget, refusals, begin.at), start=begin.members):
        if before >= limits.members - limits.given_members:
            why = f"only the first {limits.members} files were read; upload the rest on its own"
            refusals.append(Refusal("", why))
            return
        yield replace(member, position=replace(member.position, members=before))


def _zip_members(
    path: Path, budget: _Budget, refusals: list[Refusal], begin: int
) -> Iterator[Member]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        refusals.append(Refusal("", f"the zip file cannot be read: {error}"))
        return
    with archive:
        for at, info in enumerate(archive.infolist()[begin:], start=begin):
            if info.is_dir():
                continue
            mode = info.external_attr >> 16
            name = _safe_path(info.filename)
            if name is None:
                refusals.append(Refusal(info.filename, "its path leads out of the archive"))
            elif stat.S_ISLNK(mode):
                refusals.append(Refusal(name, "it is a link, not a file"))
            elif info.flag_bits & 1:
                refusals.append(Refusal(name, "it is encrypted; upload it decrypted"))
            else:
                position = Position(at=at, given=budget.given - budget.limits.given_bytes)
                yield Member(name, _zip_opener(archive, info, budget), info.file_size, position)


def _zip_opener(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: _Budget
) -> Callable[[], BinaryIO]:
    def opener() -> BinaryIO:
        try:
            stream = archive.open(info)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
            raise ArchiveError(f"{info.filename} cannot be read: {error}") from error
        return _Bounded(cast(BinaryIO, stream), budget, info.filename)

    return opener


def _tar_members(
    path: Path, budget: _Budget, refusals: list[Refusal], begin: int
) -> Iterator[Member]:
    with path.open("rb") as file:
        first = file.read(512)
        file.seek(0)
        plain = file if _is_tar(first) else _decompressed(file, first)
        try:
            _pass_over(plain, begin)
            # "r|": never seeks back, so memory and disk stay flat whatever the size.
            with tarfile.open(fileobj=_Bounded(plain, budget, path.name), mode="r|") as archive:
                for info in archive:
                    archive.members = []  # type: ignore[attr-defined]  # not in typeshed; else it remembers every header
                    if member := _tar_member(archive, info, budget, refusals):
                        at = begin + info.offset
                        yield replace(member, position=Position(at=at, given=at))
        except (tarfile.TarError, ArchiveError, *_BROKEN) as error:
            why = f"the rest of the archive cannot be read: {error}"
            refusals.append(Refusal("", why))


def _tar_member(
    archive: tarfile.TarFile, info: tarfile.TarInfo, budget: _Budget, refusals: list[Refusal]
) -> Member | None:
    if info.isdir():
        return None
    name = _safe_path(info.name)
    if name is None:
        refusals.append(Refusal(info.name, "its path leads out of the archive"))
    elif not info.isfile():
        what = "a link" if info.issym() or info.islnk() else "a device or pipe"
        refusals.append(Refusal(name, f"it is {what}, not a file"))
    elif info.size > budget.limits.member_bytes:
        refusals.append(Refusal(name, f"it claims to hold {info.size} bytes: too large"))
    else:
        return Member(name, lambda: _tar_open(archive, info, budget.limits), info.size)
    return None


def _tar_open(archive: tarfile.TarFile, info: tarfile.TarInfo, limits: Limits) -> BinaryIO:
    stream = archive.extractfile(info)
    assert stream is not None  # only plain files get here
    # Its bytes were counted when they were unpacked: the budget here is its own.
    return _Bounded(cast(BinaryIO, stream), _Budget(limits, info.size), info.name)


def _bounded_plain(path: Path, budget: _Budget, name: str, refusals: list[Refusal]) -> BinaryIO:
    file = path.open("rb")
    first = file.read(512)
    file.seek(0)
    return _Bounded(_decompressed(file, first), budget, name, refusals)


def _safe_path(name: str) -> str | None:
    """Normalise a member's path; None for an absolute path or one that leaves its folder."""
    name = name.replace("\\", "/")
    if "\0" in name or name.startswith("/") or (len(name) > 1 and name[1] == ":"):
        return None
    parts = PurePosixPath(name).parts
    return None if not parts or ".." in parts else "/".join(parts)


def _is_tar(first: bytes) -> bool:
    # tarfile takes bytes whose signed sum is zero for a header without a checksum: one in five
    # hundred compressed runs of zeros begins so. A header has a checksum, of at least 256.
    if len(first) < 512 or not first[148:156].strip(b" \0"):
        return False
    try:
        tarfile.TarInfo.frombuf(first[:512], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _compression(first: bytes) -> str | None:
    return next((name for magic, name in _MAGIC.items() if first.startswith(magic)), None)


def _decompressed(file: BinaryIO, first: bytes) -> BinaryIO:
    match _compression(first):
        case "gz":
            return cast(BinaryIO, gzip.GzipFile(fileobj=file))
        case "bz2":
            return cast(BinaryIO, bz2.BZ2File(file))
        case "xz":
            return cast(BinaryIO, io.BufferedReader(_Xz(file), _READ))
        case _:
            machine = zstandard.ZstdDecompressor(max_window_size=_ZST_WINDOW)
            return cast(BinaryIO, machine.stream_reader(file, read_across_frames=True))


def _pass_over(stream: BinaryIO, size: int) -> None:
    while size and (passed := len(stream.read(min(size, _READ)))):
        size -= passed


def _up_to(stream: BinaryIO, size: int) -> bytes:
    data = b""
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


class _Xz(io.RawIOBase):
    """Decompresses like lzma.LZMAFile, with a memory limit: a small header can claim gigabytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._machine = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        while True:
            data = b""
            if self._machine.eof:
                data = self._machine.unused_data.lstrip(b"\0") or self._file.read(_READ)
                if not data.strip(b"\0"):
                    return 0
                self._machine = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
            elif self._machine.needs_input:
                data = self._file.read(_READ)
                if not data:
                    raise EOFError("the xz stream ends early")
            plain = self._machine.decompress(data, max_length=len(view))
            if plain:
                view[: len(plain)] = plain
                return len(plain)


class _Budget:
    """The bytes that an upload has yielded so far, all levels of it, against its limits."""

    def __init__(self, limits: Limits, compressed: int) -> None:
        self.limits = limits
        self.given = limits.given_bytes
        uploaded = compressed if limits.uploaded_bytes is None else limits.uploaded_bytes
        of_this, of_all = (
            max(size * limits.ratio, limits.ratio_floor_bytes) for size in (compressed, uploaded)
        )
        self.most = min(limits.total_bytes, of_all, self.given + of_this)

    def take(self, size: int, name: str) -> None:
        self.given += size
        if self.given > self.most:
            raise ArchiveError(
                f"{name} unpacks to more than {self.most // 1_000_000} MB, which no real "
                "capture of its size does. "
                "Unpack it yourself and upload what you need."
            )


class _Bounded(io.BufferedReader):
    """A decompressed stream that counts the bytes it yields and turns damage into ArchiveError."""

    def __init__(
        self,
        stream: BinaryIO,
        budget: _Budget,
        name: str,
        cut: list[Refusal] | None = None,
    ) -> None:
        super().__init__(_Counted(stream, budget, name, cut), buffer_size=_READ)


class _Counted(io.RawIOBase):
    """Raw stream behind ``_Bounded``.

    ``cut``: when given, damage past the first bytes is reported to it and ends the stream.
    """

    def __init__(
        self, stream: BinaryIO, budget: _Budget, name: str, cut: list[Refusal] | None
    ) -> None:
        self._stream = stream
        self._budget = budget
        self._name = name
        self._cut = cut
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        try:
            # With its error, read() would lose the bytes unpacked before the damage.
            data = cast(io.BufferedReader, self._stream).read1(len(view))
        except (zipfile.BadZipFile, tarfile.TarError, *_BROKEN) as error:
            if self._cut is None or not self._given:
                raise ArchiveError(f"{self._name} is damaged: {error}") from error
            why = f"it is damaged or cut off after {self._given} bytes, which were read: {error}"
            self._cut.append(Refusal(self._name, why))
            self._stream = io.BytesIO()
            return 0
        self._given += len(data)
        self._budget.take(len(data), self._name)
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
