"""The evidence of one incident: every artifact's frames, put together on one clock.

Frames keep the columns of ``records.frame_schema`` and gain ``artifact`` (SHA-256), ``time``
(Int64 UTC µs, null when not known), a filled ``host``, and for samples ``id``, the series id
``name{labels}@host``. The text of samples stands as categories (``compact``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.compact import compact
from pileup.analysis.contract import ClockDoc
from pileup.records import SAMPLE, Problem, frame_schema, with_all_columns

_STAMP = re.compile(r"\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d(?=[-_.])")


@dataclass(frozen=True)
class EvidenceArtifact:
    sha256: str
    path: str
    """As uploaded, with the archive's path: 'bundle.tar.gz/folder/file'."""
    bytes: int
    format: str | None
    bundle: str | None = None
    """Folder and trigger stamp that the files of one pt-stalk capture share."""
    problems: tuple[Problem, ...] = ()
    records: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ClockOverride:
    """What a person says of an artifact's clock; it wins over everything that is derived."""

    zone: str | None = None
    """IANA name or '-08:00'."""
    offset_s: float = 0.0
    """Added after the zone."""


@dataclass(frozen=True)
class Evidence:
    artifacts: tuple[EvidenceArtifact, ...]
    frames: dict[str, pl.DataFrame]
    clocks: dict[str, ClockDoc]
    """SHA-256 to how the artifact's times were placed."""

    def frame(self, kind: str) -> pl.DataFrame | None:
        """The records of one kind, or None when there are none."""
        frame = self.frames.get(kind)
        return None if frame is None or frame.is_empty() else frame

    def path(self, sha256: str | None) -> str | None:
        return next((one.path for one in self.artifacts if one.sha256 == sha256), None)


def gather(
    parsed: Iterable[tuple[EvidenceArtifact, Mapping[str, pl.DataFrame]]],
    *,
    timezones: Mapping[str, str] | None = None,
    overrides: Mapping[str, ClockOverride] | None = None,
) -> Evidence:
    """Put the frames of all artifacts together and place them on UTC.

    timezones: host to IANA zone, as a person says. overrides: SHA-256 to a clock correction.
    The same file under two names counts once, under the first. In which order artifacts come makes
    no difference: they are put together by path, so that the same uploads give the same document.
    """
    from pileup.analysis import clock, repeats  # they take Evidence's types from here
    from pileup.analysis.cumulative import with_counters

    artifacts: dict[str, EvidenceArtifact] = {}
    parts: dict[str, dict[str, pl.DataFrame]] = {}
    for artifact, frames in parsed:
        known = artifacts.get(artifact.sha256)
        if known is not None:
            artifacts[artifact.sha256] = min(known, artifact, key=_order)
            continue
        artifacts[artifact.sha256] = artifact
        for kind, frame in frames.items():
            if frame.height:
                whole = with_all_columns(kind, frame).select(*frame_schema(kind))
                tagged = whole.with_columns(pl.lit(artifact.sha256).alias("artifact"))
                small = with_counters(compact(tagged)) if kind == SAMPLE else tagged
                parts.setdefault(kind, {})[artifact.sha256] = small
    ordered = sorted(artifacts.values(), key=_order)
    # one kind at a time, so that its parts are gone before the next is put together
    together: dict[str, pl.DataFrame] = {}
    for kind in sorted(parts):
        of_kind = parts.pop(kind)
        some = [of_kind.pop(one.sha256) for one in ordered if one.sha256 in of_kind]
        together[kind] = pl.concat(some, rechunk=True)
    placed, clocks = clock.place(ordered, together, timezones or {}, overrides or {})
    return Evidence(tuple(ordered), repeats.without(placed), clocks)


def _order(artifact: EvidenceArtifact) -> tuple[str, str]:
    return artifact.path, artifact.sha256


def bundle_of(path: str) -> str | None:
    """The pt-stalk capture that a file belongs to by its name: 'folder/2026_11_20_22_19_52'."""
    folder, _, name = path.rpartition("/")
    stamp = _STAMP.match(name)
    if stamp is None:
        return None
    return f"{folder}/{stamp[0]}" if folder else stamp[0]


__all__ = ["ClockOverride", "Evidence", "EvidenceArtifact", "bundle_of", "gather"]
