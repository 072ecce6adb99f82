"""Copies of an incident's files for a bundle, without passwords.

A file without passwords travels as it is. The copy of another has every byte where it was, but
asterisks in place of passwords. An archive whose content changed is packed again from its files;
what cannot be searched (an encrypted archive) is replaced by a note. All files and rows are read
first: a password that one names goes from every other.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from pileup.formats.errors import ArchiveError
from pileup.formats.reading import archive
from pileup.formats.reading.text import encoding_of
from pileup.report.redaction.document_redaction import Leak
from pileup.report.redaction.masked_files import learn_passwords, masked_blocks, passwords_left
from pileup.report.redaction.redactor import Redactor
from pileup.storage.errors import TooLarge
from pileup.storage.files.blobs import BlobStore
from pileup.storage.lifecycle.bundle import Copy

_HEAD = 1 << 12
_SEALED = (b"7z\xbc\xaf", b"Rar!")
"""What begins an archive that no reader opens."""
_NOTE = (
    b"Pileup left this file out of the bundle. It is packed in a way that Pileup does not open,\n"
    b"so passwords in it could not be found. The installation that made the bundle has it.\n"
)

Row = dict[str, Any]


class BundleFiles:
    """The files of one bundle; copies are in ``folder``, which belongs to the caller."""

    def __init__(self, blobs: BlobStore, folder: Path, redactor: Redactor) -> None:
        """``redactor`` masks in place, and shares its known values with that of the rows."""
        self._blobs = blobs
        self._folder = folder
        self._redactor = redactor
        self._copies: dict[str, Copy] = {}
        self._counts: dict[str, int] = {}
        self._taken: set[str] = set()

    def copies(self, rows: list[Row]) -> dict[str, Copy]:
        """Return the copy of each file that may not travel as it is, by its SHA-256.

        rows: of the artifacts. Raises Leak when a password is left in a copy.
        """
        by_sha = {str(row["sha256"]): row for row in rows}
        self._taken = set(by_sha)
        inside: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if row.get("parent_id"):
                inside[row["parent_id"]].append(row)
        packed = {sha for sha in by_sha if self._is_packed(sha)}
        plain = [sha for sha in by_sha if sha not in packed]
        for sha in plain:
            with self._blobs.open(sha) as source:
                self._counts[sha] = self._learn(source)
        for sha in plain:
            if self._counts[sha] or len(self._redactor.known):
                with self._blobs.open(sha) as source:
                    self._mask(sha, by_sha[sha], source)
        for row in sorted((by_sha[sha] for sha in packed), key=lambda row: -row["depth"]):
            self._pack(row, inside[row["id"]])
        return self._copies

    def _is_packed(self, sha256: str) -> bool:
        path = self._blobs.path(sha256)
        with path.open("rb") as file:
            sealed = file.read(8).startswith(_SEALED)
        return sealed or archive.detect_container(path) is not None

    def _learn(self, source: BinaryIO) -> int:
        return learn_passwords(source, _encoding(source), self._redactor)

    def _mask(self, sha256: str, row: Row, source: BinaryIO) -> None:
        """Write the masked copy of a file, unless nothing of it changes."""
        encoding = _encoding(source)
        before = _replaced(self._redactor)
        path = self._folder / sha256
        with path.open("wb") as copy:
            for block in masked_blocks(source, encoding, self._redactor):
                copy.write(block)
        count = _replaced(self._redactor) - before
        if not count:
            path.unlink()
            return
        with path.open("rb") as copy_again:
            left = passwords_left(copy_again, _encoding(copy_again), self._redactor)
        if left:
            raise Leak(
                f"Passwords are left in {row['path']} ({left} places), so the bundle was not made."
            )
        self._add(sha256, path, count, "passwords masked")

    def _pack(self, row: Row, files: list[Row]) -> None:
        """Pack an archive again when a file of it changed, or one of its files is not known."""
        sha256 = str(row["sha256"])
        path = self._blobs.path(sha256)
        if not files:
            self._unpacked(row, path)
            return
        known = {name for file in files for name in (file["path"], *(file["also_at"] or ()))}
        unknown = [name for name in _names(path, row) if name not in known]
        changed = any(file["sha256"] in self._copies for file in files)
        if not changed and not unknown:
            return
        packed = self._folder / sha256
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as target:
            for file in files:
                copy = self._copies.get(file["sha256"])
                source = copy.path if copy else self._blobs.path(file["sha256"])
                target.write(source, file["path"].removeprefix(f"{row['path']}/"))
        why = f"packed again from {len(files)} files"
        if unknown:
            why += f", without {len(unknown)} that the incident does not have"
        self._add(sha256, packed, 0, why)

    def _unpacked(self, row: Row, path: Path) -> None:
        """Search a single compressed file; what is no such is replaced by a note."""
        sha256 = str(row["sha256"])
        copy = self._folder / sha256
        if archive.detect_container(path) == "compressed":
            plain = self._folder / f"{sha256}.plain"
            try:
                with archive.open_plain(path) as source, plain.open("wb") as target:
                    while chunk := source.read(1 << 20):
                        target.write(chunk)
                with plain.open("rb") as source:
                    if self._learn(source) or len(self._redactor.known):
                        source.seek(0)
                        self._mask(sha256, row, source)
                return
            except (ArchiveError, OSError, EOFError, TooLarge):
                pass  # what follows
            finally:
                plain.unlink(missing_ok=True)
        copy.write_bytes(_NOTE)
        self._add(sha256, copy, 0, "left out: its content could not be searched")

    def _add(self, sha256: str, path: Path, passwords: int, why: str) -> None:
        """Add a copy; two files that differ by a password only stay two files."""
        with path.open("r+b") as file:
            digest = hashlib.file_digest(file, "sha256")
            while digest.hexdigest() in self._taken:
                file.write(b"\n")
                digest.update(b"\n")
            size = file.tell()
        self._taken.add(digest.hexdigest())
        self._copies[sha256] = Copy(path, digest.hexdigest(), size, passwords, why)


def _names(path: Path, row: Row) -> Iterable[str]:
    """Yield the paths of the files in an archive; what cannot be read has a name of its own."""
    refusals: list[archive.Refusal] = []
    try:
        for member in archive.members(path, None, refusals, str(row["path"]).rpartition("/")[2]):
            yield f"{row['path']}/{member.path}"
    except ArchiveError:
        yield ""
    yield from ("" for _ in refusals)


def _encoding(source: BinaryIO) -> str:
    encoding = encoding_of(source.read(_HEAD))
    source.seek(0)
    return encoding


def _replaced(redactor: Redactor) -> int:
    return sum(row.occurrences for row in redactor.replaced())
