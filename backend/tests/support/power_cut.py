"""What a disk holds after a power cut, at every moment of what a program did.

`PowerCut` watches a folder while code works in it. It notes when a file or folder is synced, and
after every sync, rename, link and removal it can lay out what a disk may hold if the power failed
then. Two disks are possible:

strict    only what was synced is there: the entries of a folder as of its last sync, the bytes of
          a file as of its last sync. POSIX promises no more.
journal   names are there as they were, as journaling file systems write them; bytes that were not
          synced are gone, so the file is empty. This is how files of length zero come about.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import pileup

_SYNCS = ("fsync", "sync_folder", "make_folder")
_CALLS = ("fsync", "replace", "rename", "link", "unlink", "rmdir", "mkdir")

Listing = dict[str, int]
"""The entries of a folder: what each name is, by a number that is never used again."""


@dataclass(frozen=True, slots=True)
class Moment:
    """After one call: what was acknowledged, and what the disk may hold."""

    after: str
    acknowledged: tuple[str, ...]
    _listings: dict[int, Listing]
    _synced_listings: dict[int, Listing]
    _synced_bytes: dict[int, bytes]
    _folders: frozenset[int]

    def lay_out(self, target: Path, *, strict: bool) -> None:
        """Write the files of this moment into an empty folder."""
        self._write(0, target, self._synced_listings if strict else self._listings)

    def _write(self, number: int, target: Path, listings: dict[int, Listing]) -> None:
        target.mkdir(parents=True)
        for name, inner in listings.get(number, {}).items():
            if inner in self._folders:
                self._write(inner, target / name, listings)
            else:
                (target / name).write_bytes(self._synced_bytes.get(inner, b""))


@dataclass(frozen=True, slots=True)
class Site:
    """A call in the source that syncs a file or a folder."""

    file: str
    """Within the backend: ``storage/files/objects.py``."""
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.file}:{self.first}"

    def is_running(self) -> bool:
        """Return whether this thread is inside the call."""
        frame = sys._getframe(1)
        while frame.f_back is not None:
            frame = frame.f_back
            if self.first <= frame.f_lineno <= self.last and frame.f_code.co_filename == str(
                _SOURCE / self.file
            ):
                return True
        return False


_SOURCE = Path(pileup.__file__).parent


def sync_sites(package: str) -> list[Site]:
    """Return every call of a package that syncs."""
    return [
        Site(path.relative_to(_SOURCE).as_posix(), node.lineno, node.end_lineno or node.lineno)
        for path in sorted((_SOURCE / package).rglob("*.py"))
        if any(name in (text := path.read_text(encoding="utf-8")) for name in _SYNCS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _SYNCS
    ]


@dataclass
class PowerCut:
    """Watches a folder; the folder itself counts as synced.

    without: a call that syncs nothing, to show that a test notices when it is missing.
    """

    root: Path
    without: Site | None = None
    moments: list[Moment] = field(default_factory=list)
    _acknowledged: list[str] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)
    _next: int = 1
    _synced_listings: dict[int, Listing] = field(default_factory=dict)
    _synced_bytes: dict[int, bytes] = field(default_factory=dict)
    _folders: set[int] = field(default_factory=lambda: {0})

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch what happens inside; a fresh `MonkeyPatch` puts the calls of `os` back."""
        with pytest.MonkeyPatch.context() as patch:
            for name in _CALLS:
                patch.setattr(os, name, self._noting(name, getattr(os, name)))
            yield

    def acknowledge(self, what: str) -> None:
        """Note that from here on ``what`` must survive."""
        self._acknowledged.append(what)
        self._keep(f"acknowledged {what}")

    def _noting(self, name: str, call: Callable[..., object]) -> Callable[..., object]:
        def noting(*arguments: object, **named: object) -> object:
            result = call(*arguments, **named)
            if name == "fsync" and not (self.without and self.without.is_running()):
                assert isinstance(arguments[0], int)
                self._sync(arguments[0])
            self._keep(name)
            return result

        return noting

    def _sync(self, descriptor: int) -> None:
        live = self._look()
        inode = os.fstat(descriptor).st_ino
        number = 0 if inode == self.root.stat().st_ino else self._numbers.get(inode)
        if number is None:
            return  # elsewhere, or without a name
        if number in self._folders:
            self._synced_listings[number] = live[0][number]
        else:
            self._synced_bytes[number] = live[1][number].read_bytes()

    def _keep(self, after: str) -> None:
        listings, _ = self._look()
        self.moments.append(
            Moment(
                f"{len(self.moments)}: {after}",
                tuple(self._acknowledged),
                listings,
                dict(self._synced_listings),
                dict(self._synced_bytes),
                frozenset(self._folders),
            )
        )

    def _look(self) -> tuple[dict[int, Listing], dict[int, Path]]:
        """Return the entries of every folder as they are, and the path of every file."""
        listings: dict[int, Listing] = {}
        files: dict[int, Path] = {}
        numbers: dict[int, int] = {}

        def look(folder: Path, number: int) -> None:
            listings[number] = {}
            for entry in os.scandir(folder):
                inner = self._number(entry.inode())
                numbers[entry.inode()] = inner
                listings[number][entry.name] = inner
                if entry.is_dir():
                    self._folders.add(inner)
                    look(folder / entry.name, inner)
                else:
                    files[inner] = folder / entry.name

        look(self.root, 0)
        self._numbers = numbers  # what has no name any more may give its inode to another file
        return listings, files

    def _number(self, inode: int) -> int:
        if inode not in self._numbers:
            self._numbers[inode] = self._next
            self._next += 1
        return self._numbers[inode]
