"""Define what a guarded child process does without."""

from __future__ import annotations

import msgspec


class Plan(msgspec.Struct, frozen=True):
    """What a child does without."""

    without: dict[str, str] = {}
    """SHA-256 of files that are not read, with the reason as a sentence."""
    only: list[str] | None = None
    """SHA-256 of the only files to read; None: all."""
    marks: str | None = None
    """Folder with an empty file for each file that is being read: its SHA-256."""
    reads_only: bool = False
    """End after the reading."""
    processes: int | None = None
    """The most processes that read; None: as many as there are processors."""
