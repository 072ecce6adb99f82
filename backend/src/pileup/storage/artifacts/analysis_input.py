"""Convert stored artifacts into analysis input: description, frame key, clock overrides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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
        copies=artifact.also_at,
    )


def describe_each(
    artifacts: Iterable[Artifact], problems: Mapping[str, Sequence[Problem]]
) -> list[tuple[Artifact, EvidenceArtifact]]:
    """Describe every content once, by its first artifact, with the paths of all.

    problems: by artifact id.
    """
    found: dict[str, tuple[Artifact, EvidenceArtifact]] = {}
    for artifact in artifacts:
        first, described = found.get(artifact.sha256) or (artifact, None)
        if described is None:
            described = describe(artifact, problems.get(artifact.id, ()))
        else:
            copies = (*described.copies, artifact.path, *artifact.also_at)
            described = replace(described, copies=copies)
        found[artifact.sha256] = first, described
    return list(found.values())


def frame_key(artifact: Artifact) -> FrameKey | None:
    """Return the key of the artifact's frames; None when no parser read it."""
    if artifact.format is None or artifact.parser_version is None:
        return None
    return FrameKey(artifact.sha256, artifact.format, artifact.parser_version)


def clock_overrides(artifacts: Iterable[Artifact]) -> dict[str, ClockOverride]:
    """Return the clock settings that people made, by SHA-256.

    A host that is not the one of every copy of a file is left out: each copy has that of the files
    around it.
    """
    every = list(artifacts)
    hosts: dict[str, set[str | None]] = {}
    for artifact in every:
        hosts.setdefault(artifact.sha256, set()).add(artifact.given_host)
    return {
        artifact.sha256: ClockOverride(
            zone=artifact.zone,
            offset_s=artifact.offset_s or 0.0,
            at_us=_microseconds(artifact.given_at) if artifact.given_at else None,
            within_s=artifact.given_within_s or 0.0,
            host=artifact.given_host if len(hosts[artifact.sha256]) == 1 else None,
        )
        for artifact in every
        if artifact.zone is not None or artifact.offset_s is not None or artifact.given != Given()
    }


def _microseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
