"""Gather the evidence of an experiment's run: its artifacts alone, placed on one clock."""

from __future__ import annotations

from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.isolation import gathered
from pileup.storage.artifacts.analysis_input import clock_overrides, describe_each, frame_key
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict
from pileup.storage.files.frames import FrameStore
from pileup.storage.reasoning.experiments import ExperimentRecord


class NothingToCompare(Conflict):
    """Raised when no artifact of the experiment was parsed."""


def run_evidence(unit: Unit, frames: FrameStore, experiment: ExperimentRecord) -> Evidence:
    """Gather what the attached artifacts (and the members of attached archives) hold.

    They are no part of the incident's analysis, so this places them by themselves, without those
    that cannot be placed. Raises NothingToCompare when none of them was read.
    """
    wanted = {artifact.id for artifact in experiment.artifacts}
    members = [
        artifact
        for artifact in Artifacts(unit).of_incident(experiment.incident_id)
        if not wanted.isdisjoint((artifact.id, *artifact.within)) and frame_key(artifact)
    ]
    parsed = [
        (described, (frames.load(key) or {}) if (key := frame_key(artifact)) else {})
        for artifact, described in describe_each(members, {})
    ]
    if not parsed:
        raise NothingToCompare(
            f"experiment {experiment.number} has no parsed artifact: attach its files"
        )
    return gathered(parsed, overrides=clock_overrides(members))[0]
