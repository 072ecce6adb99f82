"""Combine all artifacts of an incident: one frame per kind, on one clock, without duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from pileup.analysis.clock import placement
from pileup.analysis.evidence import duplicate_dumps
from pileup.analysis.evidence.compact_samples import compact
from pileup.analysis.evidence.evidence import ClockOverride, Evidence, EvidenceArtifact
from pileup.analysis.evidence.level_counters import with_counters
from pileup.records import SAMPLE, frame_schema, with_all_columns


def gather(
    parsed: Iterable[tuple[EvidenceArtifact, Mapping[str, pl.DataFrame]]],
    *,
    timezones: Mapping[str, str] | None = None,
    overrides: Mapping[str, ClockOverride] | None = None,
) -> Evidence:
    """Combine the frames of all artifacts and place them on UTC.

    timezones: host to IANA zone, set by a person. overrides: SHA-256 to a clock correction.
    The same file under two names counts once, under the first. The order of artifacts makes no
    difference: they are combined by path, so that the same uploads give the same document.
    """
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
    # one kind at a time, so that its parts are freed before the next is combined
    combined: dict[str, pl.DataFrame] = {}
    for kind in sorted(parts):
        of_kind = parts.pop(kind)
        frames_of_kind = [
            of_kind.pop(artifact.sha256) for artifact in ordered if artifact.sha256 in of_kind
        ]
        combined[kind] = pl.concat(frames_of_kind, rechunk=True)
    placed, clocks = placement.place(ordered, combined, timezones or {}, overrides or {})
    return Evidence(tuple(ordered), duplicate_dumps.without(placed), clocks)


def _order(artifact: EvidenceArtifact) -> tuple[str, str]:
    return artifact.path, artifact.sha256
