"""Analysis of an experiment's run: its files alone, on its own clock."""

from __future__ import annotations

from celery.exceptions import SoftTimeLimitExceeded

from pileup import __version__
from pileup.analysis.isolation import Request
from pileup.storage.artifacts.analysis_input import clock_overrides, describe_each
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.queue.jobs import Job, Jobs
from pileup.storage.reasoning.run_analyses import RunAnalyses, input_hash
from pileup.views.reasoning.run_analysis import run_document
from pileup.worker.isolated import READ, isolated, name_culprits, read_again
from pileup.worker.runtime import Runtime


def queue_runs(runtime: Runtime, incident_id: str) -> None:
    """Queue the analysis of each run whose files changed since its last one."""
    with runtime.database.unit() as unit:
        for experiment_id in RunAnalyses(unit).outdated(incident_id, __version__):
            Jobs(unit).enqueue("run", experiment_id, incident_id)


def analyse_run(runtime: Runtime, job: Job) -> None:
    """Analyse the files of this job's run and store the result; forget it when there are none."""
    with runtime.database.unit() as unit:
        files = RunAnalyses(unit).files(job.incident_id).get(job.target, [])
        problems = Artifacts(unit).problems(job.incident_id) if files else {}
    read = sorted((a for a in files if a.state in READ), key=lambda artifact: artifact.id)
    if read_again(runtime, job, read):
        return
    if not read:
        with runtime.database.unit() as unit:
            if Jobs(unit).finish(job):
                RunAnalyses(unit).forget(job.incident_id, job.target)
        return
    request = Request(overrides=clock_overrides(read), interrupts=(SoftTimeLimitExceeded,))
    result = isolated(runtime, job, describe_each(read, problems), request)
    document = run_document(result.document, result.evidence)
    used = [artifact for artifact in files if artifact.sha256 not in result.left_out]
    with runtime.database.unit() as unit:
        if not Jobs(unit).finish(job):
            return  # a newer attempt has the job
        name_culprits(unit, read, result.left_out)
        if job.target in RunAnalyses(unit).files(job.incident_id):  # not deleted meanwhile
            stored = input_hash(used, __version__)
            RunAnalyses(unit).replace(job.incident_id, job.target, document, stored)
