"""Analysis of one incident: load the frames of its artifacts, place, analyse, store.

Everything is replaced as a whole; running it twice gives the same rows.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import polars as pl

from pileup.analysis import StallCorrection, analyse, gather
from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.compact_samples import compact_frames
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import EvidenceArtifact
from pileup.analysis.waits.first_view import first_waits
from pileup.storage.artifacts.analysis_input import clock_overrides, describe, frame_key
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.database import Unit
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.incidents.stall_corrections import StallCorrections
from pileup.storage.incidents.webhooks import announce
from pileup.storage.queue.jobs import Job, Jobs
from pileup.storage.reasoning.pin_values import check_pins
from pileup.worker.digest import compute_digest
from pileup.worker.runtime import Runtime

_READ = ("done", "done_with_problems")


def analyse_incident(runtime: Runtime, job: Job) -> None:
    """Analyse the incident's parsed artifacts that are not excluded, and store the result."""
    started = time.monotonic()
    parsed, artifacts, missing = _load(runtime, job.incident_id)
    if missing:
        _read_again(runtime, job, missing)
        return
    if not parsed:
        _forget(runtime, job)
        return
    evidence = gather(parsed, overrides=clock_overrides(artifacts))
    parsed.clear()  # the evidence holds it all
    document = analyse(evidence, _corrections(runtime, job.incident_id))
    runtime.placed.replace(job.incident_id, evidence, first_waits(evidence, document))
    digest = compute_digest(document, evidence)
    with runtime.database.unit() as unit:
        if not Jobs(unit).finish(job):
            return  # a newer attempt has the job
        elapsed_s = time.monotonic() - started
        Analyses(unit).replace(job.incident_id, msgspec.to_builtins(document), elapsed_s)
        _place(unit, artifacts, document)
        Incidents(unit).digest(job.incident_id, digest)
        # in the same transaction: nobody ever sees a new analysis with an unchecked pin
        check_pins(unit, runtime.placed, runtime.frames, job.incident_id)
        unit.notify(job.incident_id, "analysis")
        announce(unit, "analysis.finished", job.incident_id, state="done", error=None)


def _load(
    runtime: Runtime, incident_id: str
) -> tuple[list[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]], list[Artifact], list[Artifact]]:
    """Load the frames of included artifacts; return them, the artifacts, and those without."""
    with runtime.database.unit() as unit:
        artifacts = [
            artifact
            for artifact in Artifacts(unit).of_incident(incident_id)
            if artifact.state in _READ and not artifact.excluded
        ]
        problems = Artifacts(unit).problems(incident_id)
    parsed: list[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]] = []
    missing: list[Artifact] = []
    for artifact in artifacts:
        frames: dict[str, pl.DataFrame] | None = {}
        if (key := frame_key(artifact)) is not None:
            frames = runtime.frames.load(key)
        if frames is None:
            missing.append(artifact)
            continue
        description = describe(artifact, problems.get(artifact.id, ()))
        parsed.append((description, compact_frames(frames)))
    return parsed, artifacts, missing


def _corrections(runtime: Runtime, incident_id: str) -> list[StallCorrection]:
    """Return people's corrections of stall times."""
    with runtime.database.unit() as unit:
        records = StallCorrections(unit).of_incident(incident_id)
    return [
        StallCorrection(
            host=record.host,
            computed_onset=_us(record.computed_onset),
            by=record.by,
            onset=_us(record.onset) if record.onset else None,
            end=_us(record.end) if record.end else None,
            baseline=Span(_us(record.baseline_start), _us(record.baseline_end))
            if record.baseline_start and record.baseline_end
            else None,
        )
        for record in records
    ]


def _us(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)


def _read_again(runtime: Runtime, job: Job, missing: Sequence[Artifact]) -> None:
    """Queue the parsing of artifacts whose frames are gone; the analysis runs after it."""
    with runtime.database.unit() as unit:
        for artifact in missing:
            runtime.send_after_commit(unit, Artifacts(unit).reparse(artifact.id))
        Jobs(unit).finish(job)
        unit.notify(job.incident_id, "analysis")


def _forget(runtime: Runtime, job: Job) -> None:
    runtime.placed.forget(job.incident_id)
    with runtime.database.unit() as unit:
        if Jobs(unit).finish(job):
            Analyses(unit).forget(job.incident_id)
            Incidents(unit).digest(job.incident_id, {})


def _place(unit: Unit, artifacts: Sequence[Artifact], document: Analysis) -> None:
    """Store host, range and clock of each artifact, as the analysis placed them."""
    placed = {artifact.sha256: artifact for artifact in document.artifacts}
    for artifact in artifacts:
        placement = placed.get(artifact.sha256)
        if placement is None:
            continue
        clock: dict[str, Any] | None = (
            msgspec.to_builtins(placement.clock) if placement.clock else None
        )
        before = (artifact.host, artifact.first, artifact.last, artifact.clock, artifact.bundle)
        after = (
            placement.host,
            _time(placement.first),
            _time(placement.last),
            clock,
            placement.bundle,
        )
        if before != after:
            Artifacts(unit).place(
                artifact.id,
                host=placement.host,
                first=_time(placement.first),
                last=_time(placement.last),
                clock=clock,
                bundle=placement.bundle,
            )
            unit.notify(artifact.incident_id, "artifact", artifact.id)


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))
