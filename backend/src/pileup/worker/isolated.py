"""Run the analysis of stored artifacts so that one of them can neither stop it nor the worker.

What makes an analysis fail is found by trials in other processes (``trial.py``) and left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import structlog

from pileup.analysis import isolation
from pileup.analysis.evidence.compact_samples import compact_frames
from pileup.analysis.evidence.evidence import EvidenceArtifact
from pileup.analysis.isolation import Request
from pileup.process_limits import memory_bound
from pileup.storage.artifacts.analysis_input import frame_key
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.database import Unit
from pileup.storage.queue.jobs import Job, Jobs
from pileup.worker.runtime import Runtime
from pileup.worker.trial import TrialRequest, why_it_fails

READ = ("done", "done_with_problems")
_TRIALS = 6
"""One trial of an analysis may take this share of the time limit."""

log = structlog.get_logger()

Member = tuple[Artifact, EvidenceArtifact]


def isolated(
    runtime: Runtime, job: Job, members: Sequence[Member], request: Request
) -> isolation.Result:
    """Analyse the members without those that make the analysis fail."""
    left_out = _find_deadly(runtime, job, members, request) if job.crashes else {}
    return isolation.analyse_incident(lambda: _load(runtime, members), request, left_out)


def _load(runtime: Runtime, members: Sequence[Member]) -> list[isolation.Parsed]:
    """Load the frames of artifacts."""
    return [(description, _frames(runtime, artifact)) for artifact, description in members]


def _frames(runtime: Runtime, artifact: Artifact) -> dict[str, pl.DataFrame]:
    key = frame_key(artifact)
    return compact_frames((runtime.frames.load(key) or {}) if key else {})


def _files(runtime: Runtime, artifact: Artifact) -> dict[str, list[str]]:
    """Return the local files of an artifact's frames, by kind."""
    key = frame_key(artifact)
    files = runtime.frames.files(key) if key else None
    return {kind: [str(path) for path in paths] for kind, paths in (files or {}).items()}


def _find_deadly(
    runtime: Runtime, job: Job, members: Sequence[Member], request: Request
) -> dict[str, str]:
    """Find, after an attempt that did not end, the artifacts that end the analysis's process.

    Each trial runs in another process, so this one survives. Returns SHA-256 to sentence.
    """
    settings = runtime.settings
    memory_bytes = memory_bound(settings.job_memory_bytes)

    def why(some: Sequence[Member]) -> str | None:
        return why_it_fails(
            TrialRequest(
                artifacts=[
                    (description, _files(runtime, artifact)) for artifact, description in some
                ],
                overrides=dict(request.overrides),
                corrections=list(request.corrections),
                memory_bytes=memory_bytes,
                cpu_s=settings.job_cpu_s,
                time_s=settings.task_time_limit_s / _TRIALS,
                knowledge=str(settings.knowledge_dir) if settings.knowledge_dir else None,
            )
        )

    found = isolation.culprits(members, why)
    for (artifact, _), reason in found:
        log.error("analysis.left_out", job_id=job.id, artifact_id=artifact.id, why=reason)
    return {
        description.sha256: isolation.left_out_sentence(reason)
        for (_, description), reason in found
    }


def name_culprits(unit: Unit, artifacts: Sequence[Artifact], left_out: dict[str, str]) -> None:
    """Mark the artifacts that the analysis did without; a re-parse includes them again."""
    for artifact in artifacts:
        if artifact.sha256 in left_out:
            Artifacts(unit).fail(artifact.id, left_out[artifact.sha256])


def read_again(runtime: Runtime, job: Job, artifacts: Sequence[Artifact]) -> bool:
    """Queue the parsing of artifacts whose frames are gone, and end the job if there are any.

    The analysis runs after it.
    """
    missing = [
        artifact
        for artifact in artifacts
        if (key := frame_key(artifact)) is not None and not runtime.frames.holds(key)
    ]
    if not missing:
        return False
    with runtime.database.unit() as unit:
        for artifact in missing:
            Artifacts(unit).reparse(artifact.id)
        Jobs(unit).finish(job)
        unit.notify(job.incident_id, "analysis")
    return True
