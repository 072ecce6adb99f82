"""The stored analysis of each run, and which runs need another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from pileup.storage import models
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.database import Unit, clean_json


class RunAnalyses:
    """Repository of the last analysis of each run: a JSON document, replaced as a whole."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def document(self, experiment_id: str) -> dict[str, Any] | None:
        """Return the stored document; None before the first analysis."""
        return self._db.scalar(
            select(models.RunAnalysis.document).where(
                models.RunAnalysis.experiment_id == experiment_id
            )
        )

    def documents(self, incident_id: str) -> dict[str, dict[str, Any]]:
        """Map the incident's experiments that were analysed to their documents."""
        rows = self._db.execute(
            select(models.RunAnalysis.experiment_id, models.RunAnalysis.document)
            .join(models.Experiment, models.Experiment.id == models.RunAnalysis.experiment_id)
            .where(models.Experiment.incident_id == incident_id)
        )
        return {row.experiment_id: row.document for row in rows}

    def replace(
        self, incident_id: str, experiment_id: str, document: dict[str, Any], input_hash: str
    ) -> None:
        values = {
            "document": clean_json(document),
            "input_hash": input_hash,
            "finished_at": func.now(),
        }
        self._db.execute(
            insert(models.RunAnalysis)
            .values(experiment_id=experiment_id, **values)
            .on_conflict_do_update(index_elements=["experiment_id"], set_=values)
        )
        self._unit.notify(incident_id, "experiments")

    def forget(self, incident_id: str, experiment_id: str) -> None:
        row = self._db.get(models.RunAnalysis, experiment_id)
        if row is not None:
            self._db.delete(row)
            self._unit.notify(incident_id, "experiments")

    def outdated(self, incident_id: str, engine: str) -> list[str]:
        """List the experiments whose files, or the engine, changed since the last analysis."""
        rows = self._db.execute(
            select(models.RunAnalysis.experiment_id, models.RunAnalysis.input_hash)
            .join(models.Experiment, models.Experiment.id == models.RunAnalysis.experiment_id)
            .where(models.Experiment.incident_id == incident_id)
        )
        known: dict[str, str] = {row.experiment_id: row.input_hash for row in rows}
        files = self.files(incident_id)
        return sorted(
            run_id
            for run_id in files.keys() | known.keys()
            if known.get(run_id) != input_hash(files.get(run_id, ()), engine)
        )

    def files(self, incident_id: str) -> dict[str, list[Artifact]]:
        """Map each experiment with files to them, members of archives included, by path."""
        attached = self._db.execute(
            select(models.ExperimentArtifact.artifact_id, models.Experiment.id)
            .select_from(models.Experiment)
            .join(models.ExperimentArtifact)
            .where(
                models.Experiment.incident_id == incident_id,
                models.Experiment.deleted_at.is_(None),
            )
        )
        runs: dict[str, set[str]] = {}
        for artifact_id, experiment_id in attached:
            runs.setdefault(artifact_id, set()).add(experiment_id)
        files: dict[str, list[Artifact]] = {}
        for artifact in Artifacts(self._unit).of_incident(incident_id) if runs else ():
            around = (artifact.id, *artifact.within)
            for run_id in set[str]().union(*(runs.get(each, ()) for each in around)):
                files.setdefault(run_id, []).append(artifact)
        return files


def input_hash(artifacts: Iterable[Artifact], engine: str) -> str:
    """Return the hash of what the analysis of these artifacts depends on."""
    inputs = sorted(
        [
            *(each.sha256, each.path, *each.also_at, each.format or "", each.parser_version or 0),
            *(each.zone or "", each.offset_s or 0.0, str(each.given)),
        ]
        for each in artifacts
        if each.state in ("done", "done_with_problems")
    )
    return hashlib.sha256(json.dumps([engine, inputs]).encode()).hexdigest()
