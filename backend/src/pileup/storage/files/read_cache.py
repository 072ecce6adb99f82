"""Read cache: local copies of stored objects, up to a size; the longest unused go first.

Copies that nobody used for a day go too: their object may be purged by now.

A copy is checked before it gets its name, so what is in the cache is whole. Copies used within
``_IN_USE_S`` stay although the cache is full: somebody may read them now.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from pileup.storage.errors import NoSpace
from pileup.storage.files.objects import check_space, disk_words, sweep_drafts
from pileup.storage.ids import new_id

_IN_USE_S = 900.0
_TOUCH_S = 60.0
_FILLED = 0.9
_UNUSED_S = 86_400.0
_READS_LEAVE = 4
"""A copy leaves this part of the disk's reserve: a quarter."""


class ReadCache:
    """A folder of copies, shared by the processes of a machine."""

    def __init__(self, root: Path, max_bytes: int, *, min_free_bytes: int = 0) -> None:
        self.root = root
        self._max_bytes = max_bytes
        self._min_free_bytes = min_free_bytes
        self._drafts = root / "drafts"
        self._lock = threading.Lock()
        self._added = max_bytes  # unknown: the first copy looks at all
        """Bytes added since this process last measured the cache."""

    def file(self, name: str, fill: Callable[[BinaryIO], object], bytes_wanted: int = 0) -> Path:
        """Return the copy with this name; ``fill`` writes it when there is none.

        fill: writes and checks the content; what it raises leaves no copy.
        """
        path = self.root / name
        try:
            if time.time() - path.stat().st_mtime > _TOUCH_S:
                os.utime(path)
            return path
        except FileNotFoundError:
            pass
        self._make_space(bytes_wanted)
        self._drafts.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self._drafts / new_id()
        try:
            with disk_words(self.root), draft.open("xb") as out:
                fill(out)
                out.flush()
                os.fsync(out.fileno())  # a crash must not leave a name without its bytes
                size = out.tell()
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        self._count(size)
        return path

    def forget(self, name: str) -> None:
        """Delete a copy."""
        (self.root / name).unlink(missing_ok=True)

    def _make_space(self, wanted: int) -> None:
        """Give up copies before a read fails on a full disk; a read may use most of the reserve."""
        reserve = self._min_free_bytes // _READS_LEAVE
        try:
            check_space(self.root, wanted, reserve)
        except NoSpace:
            self.trim(0)
            check_space(self.root, wanted, reserve)

    def _count(self, size: int) -> None:
        with self._lock:
            self._added += size
            full = self._added > self._max_bytes // 16
            if full:
                self._added = 0
        if full:
            self.trim()

    def trim(self, most_bytes: int | None = None) -> None:
        """Delete the longest unused copies until the cache has its size, or this one, again."""
        most = self._max_bytes if most_bytes is None else most_bytes
        sweep_drafts(self._drafts, 86_400.0)
        copies: list[tuple[float, int, Path]] = []
        for folder, names, files in os.walk(self.root):
            if Path(folder) == self.root and "drafts" in names:
                names.remove("drafts")
            for name in files:
                path = Path(folder) / name
                with suppress(FileNotFoundError):  # another process trims too
                    status = path.stat()
                    copies.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in copies)
        wanted = total if total <= most else most * _FILLED
        now = time.time()
        for used, size, path in sorted(copies):
            if now - used < _IN_USE_S or (total <= wanted and now - used < _UNUSED_S):
                break
            path.unlink(missing_ok=True)
            total -= size
