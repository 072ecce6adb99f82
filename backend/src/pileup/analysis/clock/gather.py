"""Combine all artifacts of an incident: one frame per kind, on one clock, without duplicates."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from pileup.analysis.clock import placement, transaction_numbers
from pileup.analysis.clock.zone_evidence import refused_zones
from pileup.analysis.evidence import duplicate_dumps, lock_places, unnumbered
from pileup.analysis.evidence.admission import admit, without_refused_moments
from pileup.analysis.evidence.answers import DEFECTS
from pileup.analysis.evidence.compact_samples import compact
from pileup.analysis.evidence.evidence import ClockOverride, Evidence, EvidenceArtifact
from pileup.analysis.evidence.folders import recording_of
from pileup.analysis.evidence.level_counters import with_counters
from pileup.records import SAMPLE, Problem, frame_schema, with_all_columns


def gather(
    parsed: Iterable[tuple[EvidenceArtifact, Mapping[str, pl.DataFrame]]],
    *,
    timezones: Mapping[str, str] | None = None,
    overrides: Mapping[str, ClockOverride] | None = None,
) -> Evidence:
    """Combine the frames of all artifacts and place them on UTC.

    timezones: host to IANA zone, set by a person. overrides: SHA-256 to a clock correction.
    The same file under two names counts once, under the first; it keeps the others as its copies.
    The order of artifacts makes no difference: they are combined by path, so that the same uploads
    give the same document.
    """
    artifacts: dict[str, EvidenceArtifact] = {}
    parts: dict[str, dict[str, pl.DataFrame]] = {}
    for artifact, frames in parsed:
        known = artifacts.get(artifact.sha256)
        if known is not None:
            artifacts[artifact.sha256] = _with_copies(known, artifact)
            continue
        try:
            admitted, problems = _admitted(artifact, frames)
        except DEFECTS as error:
            admitted, problems = {}, [left_out(artifact.path, error)]
        artifacts[artifact.sha256] = with_problems(artifact, problems)
        for kind, frame in admitted.items():
            parts.setdefault(kind, {})[artifact.sha256] = frame
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
    frames = transaction_numbers.with_times(duplicate_dumps.without(placed))
    frames = lock_places.with_tables(unnumbered.by_session(frames), recording_of(ordered))
    repeated = duplicate_dumps.repeated(placed, frames)
    return Evidence(
        tuple(dataclasses.replace(each, repeated=repeated.get(each.sha256)) for each in ordered),
        frames,
        clocks,
    )


def _admitted(
    artifact: EvidenceArtifact, frames: Mapping[str, pl.DataFrame]
) -> tuple[dict[str, pl.DataFrame], list[Problem]]:
    """Return the frames of one artifact as the evidence keeps them, and what was left out."""
    known: dict[str, pl.DataFrame] = {}
    problems: list[Problem] = []
    for kind, frame in frames.items():
        if not frame.height:
            continue
        whole, refused = admit(kind, with_all_columns(kind, frame).select(*frame_schema(kind)))
        problems += refused
        known[kind] = whole
    if "stack" in known:
        known = without_refused_moments(known, frames["stack"])
    admitted: dict[str, pl.DataFrame] = {}
    for kind, whole in known.items():
        if whole.is_empty():
            continue
        tagged = whole.with_columns(pl.lit(artifact.sha256).alias("artifact"))
        admitted[kind] = with_counters(compact(tagged)) if kind == SAMPLE else tagged
    problems += refused_zones(admitted.get("setting"))
    return admitted, problems


def left_out(path: str, error: BaseException) -> Problem:
    """Build the problem of an artifact that the analysis cannot use."""
    why = " ".join(str(error).split())[:200]
    return Problem(
        None,
        f"{path} was left out of the analysis: {type(error).__name__}: {why}. "
        "This is a defect in Pileup: please report it with the file",
        severity="error",
    )


def with_problems(artifact: EvidenceArtifact, problems: Sequence[Problem]) -> EvidenceArtifact:
    """Return the artifact with further problems."""
    if not problems:
        return artifact
    return dataclasses.replace(artifact, problems=(*artifact.problems, *problems))


def _with_copies(known: EvidenceArtifact, other: EvidenceArtifact) -> EvidenceArtifact:
    """Return the first by path, with the paths of both."""
    first = min(known, other, key=_order)
    paths = {*known.paths, *other.paths} - {first.path}
    return dataclasses.replace(first, copies=tuple(sorted(paths)), problems=known.problems)


def _order(artifact: EvidenceArtifact) -> tuple[str, str]:
    return artifact.path, artifact.sha256
