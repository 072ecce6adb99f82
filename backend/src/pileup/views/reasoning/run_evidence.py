"""Gather the evidence of an experiment's run: its artifacts alone, placed on one clock."""

from __future__ import annotations

import msgspec

from pileup.analysis.evidence.evidence import ClockOverride, Evidence, EvidenceArtifact
from pileup.analysis.isolation import gathered
from pileup.json_values import resolve_types
from pileup.storage.artifacts.analysis_input import clock_overrides, describe_each, frame_key
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict
from pileup.storage.files.frames import FrameKey, FrameStore
from pileup.storage.reasoning.experiments import ExperimentRecord


class NothingToCompare(Conflict):
    """Raised when no artifact of the experiment was parsed."""


class RunFiles(msgspec.Struct, frozen=True):
    """Files of a run, and all that decides where they are placed."""

    read: list[tuple[FrameKey, EvidenceArtifact]]
    clocks: dict[str, ClockOverride]

    def gather(self, frames: FrameStore) -> tuple[Evidence, bool]:
        """Place the files, and return whether the records of all of them were there."""
        loaded = [(described, frames.load(key)) for key, described in self.read]
        placed, _ = gathered(
            [(described, found or {}) for described, found in loaded], overrides=self.clocks
        )
        return placed, all(found is not None for _, found in loaded)


resolve_types(RunFiles)


def run_files(unit: Unit, experiment: ExperimentRecord) -> RunFiles:
    """List what was attached to the experiment and read, and the members of attached archives.

    Raises NothingToCompare when none of them was read.
    """
    wanted = {artifact.id for artifact in experiment.artifacts}
    members = [
        artifact
        for artifact in Artifacts(unit).of_incident(experiment.incident_id)
        if not wanted.isdisjoint((artifact.id, *artifact.within)) and frame_key(artifact)
    ]
    if not members:
        raise NothingToCompare(
            f"experiment {experiment.number} has no parsed artifact: attach its files"
        )
    return RunFiles(
        read=[
            (key, described)
            for artifact, described in describe_each(members, {})
            if (key := frame_key(artifact))
        ],
        clocks=clock_overrides(members),
    )


def run_evidence(unit: Unit, frames: FrameStore, experiment: ExperimentRecord) -> Evidence:
    """Gather what the files of a run hold.

    They are no part of the incident's analysis, so this places them by themselves, without those
    that cannot be placed. Raises NothingToCompare when none of them was read.
    """
    return run_files(unit, experiment).gather(frames)[0]
