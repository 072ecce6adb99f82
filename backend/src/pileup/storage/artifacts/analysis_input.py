"""Convert stored artifacts into analysis input: description, frame key, clock overrides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from pileup.analysis.evidence.evidence import ClockOverride, EvidenceArtifact, bundle_of
from pileup.records import Problem
from pileup.storage.artifacts.artifacts import Artifact, Given
from pileup.storage.files.frames import FrameKey


def describe(artifact: Artifact, problems: Sequence[Problem] = ()) -> EvidenceArtifact:
    """Describe the artifact for the analysis, without its records."""
    return EvidenceArtifact(
        sha256=artifact.sha256,
        path=artifact.path,
        bytes=artifact.bytes,
        format=artifact.format,
        bundle=bundle_of(artifact.path),
        problems=tuple(problems),
        records=dict(artifact.records),
    )


def frame_key(artifact: Artifact) -> FrameKey | None:
    """Return the key of the artifact's frames; None when no parser read it."""
    if artifact.format is None or artifact.parser_version is None:
        return None
    return FrameKey(artifact.sha256, artifact.format, artifact.parser_version)


def clock_overrides(artifacts: Iterable[Artifact]) -> dict[str, ClockOverride]:
    """Return the clock settings that people made, by SHA-256."""
    return {
        artifact.sha256: ClockOverride(
            zone=artifact.zone,
            offset_s=artifact.offset_s or 0.0,
            at_us=_microseconds(artifact.given_at) if artifact.given_at else None,
            within_s=artifact.given_within_s or 0.0,
            host=artifact.given_host,
        )
        for artifact in artifacts
        if artifact.zone is not None or artifact.offset_s is not None or artifact.given != Given()
    }


def _microseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
