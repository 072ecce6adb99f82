"""Load an incident folder as if its files had been uploaded, for samples and `pileup import`."""

from __future__ import annotations

from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.artifacts.blob_holds import hold_blobs
from pileup.storage.audit import Actor
from pileup.storage.database import Database, Unit
from pileup.storage.errors import Overtaken
from pileup.storage.files.blobs import Blob, BlobStore
from pileup.storage.incidents.incidents import Incident, Incidents
from pileup.storage.lifecycle.samples import Sample, SampleFile
from pileup.storage.reasoning.experiments import Experiments


def load_sample(
    database: Database, blobs: BlobStore, sample: Sample, by: Actor, max_bytes: int
) -> Incident:
    """Load a sample and return its incident; workers parse its files.

    A sample that was loaded already opens its incident. The bytes are stored first, then incident
    and artifacts appear in one transaction, so there is never half of a sample. Of two loads at
    once the unique index lets one succeed, and the other opens that incident.
    """
    with database.unit() as unit:
        known = Incidents(unit).by_sample(sample.id)
    if known is not None:
        return known
    blobs.check_space(sample.bytes)
    stored: list[tuple[SampleFile, Blob]] = []
    for file in sample.files():
        with file.source.open("rb") as stream:
            stored.append((file, blobs.store(stream, max_bytes)))
    try:
        with database.unit() as unit:
            hold_blobs(unit, blobs, [blob.sha256 for _, blob in stored])
            incident = Incidents(unit).create(
                by,
                sample.title,
                service=sample.service,
                severity=sample.severity,
                summary=sample.description,
                sample_id=sample.id,
            )
            attached: dict[str, list[str]] = {}
            for file, blob in stored:
                planned = {experiment.folder for experiment in sample.experiments}
                artifact, _ = Artifacts(unit).add(
                    incident.id,
                    file.path,
                    blob,
                    by,
                    # until the case is recorded; what a plan has attached is left out without it
                    excluded=file.experiment is not None and file.experiment not in planned,
                )
                if file.experiment is not None:
                    attached.setdefault(file.experiment, []).append(artifact.id)
            _plan(unit, incident.id, sample, attached, by)
    except Overtaken:
        with database.unit() as unit:
            known = Incidents(unit).by_sample(sample.id)
        if known is None:
            raise
        return known
    return incident


def _plan(
    unit: Unit, incident_id: str, sample: Sample, attached: dict[str, list[str]], by: Actor
) -> None:
    """Plan the sample's experiments, each with the files captured while it ran."""
    experiments = Experiments(unit)
    for experiment in sample.experiments:
        values = {
            "title": experiment.title,
            "change": experiment.change,
            "prediction": {"text": experiment.expect, "falsifier": ""},
        }
        made = experiments.create(incident_id, values, by=by)
        experiments.attach_artifacts(made.id, attached.get(experiment.folder, []), by=by)
