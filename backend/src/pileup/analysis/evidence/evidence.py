"""The evidence of one incident: the frames of all artifacts on one clock.

Frames keep the columns of ``records.frame_schema`` and gain ``artifact`` (SHA-256), ``time``
(Int64 UTC µs, null when not known), a filled ``host``, and for samples ``id``, the series id
``name{labels}@host``. The text of samples is categorical (``compact``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import polars as pl

from pileup.analysis.contract import ClockDoc
from pileup.records import Problem

_STAMP = re.compile(r"\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d(?=[-_.])")

OBSERVES = frozenset({
    "sample", "snapshot", "session", "stack", "semaphore_wait", "transaction", "lock_wait",
    "trx_lock", "metadata_lock", "event_wait",
})  # fmt: skip
"""Kinds of record that observe a server at a moment."""


@dataclass(frozen=True)
class RepeatedDumps:
    """The moments of a file whose dumps are all in other files too."""

    first_us: int
    """UTC µs of its first dump."""
    last_us: int
    host: str | None


@dataclass(frozen=True)
class EvidenceArtifact:
    sha256: str
    path: str
    """As uploaded, with the archive's path: 'bundle.tar.gz/folder/file'."""
    bytes: int
    format: str | None
    bundle: str | None = None
    """Folder and trigger stamp shared by the files of one pt-stalk capture."""
    problems: tuple[Problem, ...] = ()
    records: dict[str, int] = field(default_factory=dict)
    copies: tuple[str, ...] = ()
    """Other paths of the same bytes: the rows count once, and each path has its own capture."""
    repeated: RepeatedDumps | None = None
    """When its dumps were taken, if other files hold each of them: its own rows do not count."""

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path, *self.copies)

    def at(self, path: str) -> EvidenceArtifact:
        """Return the artifact under one of its paths, without the others."""
        return replace(self, path=path, bundle=bundle_of(path) or self.bundle, copies=())


@dataclass(frozen=True)
class ClockOverride:
    """A person's correction of an artifact's clock; it overrides everything derived."""

    zone: str | None = None
    """IANA name or '-08:00'."""
    offset_s: float = 0.0
    """Added after the zone."""
    at_us: int | None = None
    """UTC µs of the moment that a person gave to a file that prints no time of its own."""
    within_s: float = 0.0
    """How far ``at_us`` may be off, in seconds."""
    host: str | None = None
    """The host that a person named."""


@dataclass(frozen=True)
class Evidence:
    artifacts: tuple[EvidenceArtifact, ...]
    frames: dict[str, pl.DataFrame]
    clocks: dict[str, ClockDoc]
    """SHA-256 to the placement of the artifact's times."""

    def frame(self, kind: str) -> pl.DataFrame | None:
        """Return the records of one kind, or None if there are none."""
        frame = self.frames.get(kind)
        return None if frame is None or frame.is_empty() else frame

    def having(self, kinds: Iterable[str]) -> set[str]:
        """Return the artifacts with any record of these kinds."""
        frames = [self.frames[kind] for kind in kinds if kind in self.frames]
        return {sha for frame in frames for sha in frame["artifact"].unique().to_list()}

    def path(self, sha256: str | None) -> str | None:
        return next(
            (artifact.path for artifact in self.artifacts if artifact.sha256 == sha256), None
        )


def bundle_of(path: str) -> str | None:
    """Return the pt-stalk capture of a file by its name: 'folder/2026_11_20_22_19_52', or None."""
    folder, _, name = path.rpartition("/")
    stamp = _STAMP.match(name)
    if stamp is None:
        return None
    return f"{folder}/{stamp[0]}" if folder else stamp[0]


__all__ = ["ClockOverride", "Evidence", "EvidenceArtifact", "RepeatedDumps", "bundle_of"]
