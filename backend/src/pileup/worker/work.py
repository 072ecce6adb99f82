"""Run one job from claim to finish; errors end as a state and a sentence."""

from __future__ import annotations

import time
from datetime import timedelta

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from pileup import tracing
from pileup.process_limits import bound_process, memory_bound
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.errors import (
    Conflict,
    Contended,
    Damaged,
    NoSpace,
    NotFound,
    StoreUnreachable,
    disk_is_full,
)
from pileup.storage.incidents.webhooks import announce
from pileup.storage.queue.jobs import MAX_LOSSES, Job, Jobs
from pileup.storage.queue.turns import Quota
from pileup.worker.identity import gone, owner
from pileup.worker.intake import read_artifact
from pileup.worker.lease import LeaseKeeper
from pileup.worker.runtime import Runtime
from pileup.worker.webhooks import deliver

_LONGEST_PAUSE_S = 30.0
_AGAIN_S = 0.5

log = structlog.get_logger()


def run_due(runtime: Runtime, slice_s: float) -> bool:
    """Run the jobs whose turn it is for so long; return False when none is due any more."""
    until = time.monotonic() + slice_s
    settings = runtime.settings
    if not _has_space(runtime):
        return False  # jobs wait; sweepers ring again
    quota = Quota(settings.incident_jobs, settings.user_jobs)
    while time.monotonic() < until:
        with runtime.database.unit() as unit:
            job = Jobs(unit).take(owner(), _lease(runtime), quota)
            _announce_start(unit, job)
        if job is None:
            return False
        _execute(runtime, job)
    return True


def run(runtime: Runtime, job_id: str) -> None:
    """Claim the job, do it, finish it; do nothing when it is not free."""
    with runtime.database.unit() as unit:
        job = Jobs(unit).claim(job_id, owner(), _lease(runtime), gone)
        _announce_start(unit, job)
    if job is not None:
        _execute(runtime, job)


def _lease(runtime: Runtime) -> timedelta:
    return timedelta(seconds=runtime.settings.job_lease_s)


def _announce_start(unit: Unit, job: Job | None) -> None:
    if job is not None and job.kind == "analyse":
        unit.notify(job.incident_id, "analysis")


def _execute(runtime: Runtime, job: Job) -> None:
    """Do the job and finish it; its id is in every log line of the meantime."""
    facts = {"job_id": job.id, "incident_id": job.incident_id}
    with (
        structlog.contextvars.bound_contextvars(**facts),
        tracing.span(f"job {job.kind}", job.trace, **facts, attempt=job.attempt),
    ):
        _do(runtime, job)


def _do(runtime: Runtime, job: Job) -> None:
    started = time.monotonic()
    if job.kind != "webhook":
        settings = runtime.settings
        bound_process(memory_bound(settings.job_memory_bytes), settings.job_cpu_s)
    try:
        with LeaseKeeper(runtime.database, job, _lease(runtime)) as keeper:
            if job.kind == "artifact":
                read_artifact(runtime, job, keeper)
            elif job.kind == "webhook":
                deliver(runtime, job)
            elif job.kind == "run":
                from pileup.worker.runs import analyse_run  # rules and knowledge

                analyse_run(runtime, job)
            else:
                from pileup.worker.analysis import analyse_incident

                analyse_incident(runtime, job)
    except (OperationalError, Contended) as error:  # the database went away, or is crowded
        log.warning("job.interrupted", error=str(error.__cause__ or error).strip())
        if job.attempt >= MAX_LOSSES:
            _fail(runtime, job, error)
        else:
            _give_back(runtime, job, job.attempt - 1)
    except StoreUnreachable as error:
        _postpone(runtime, job, error)
    except SoftTimeLimitExceeded as error:
        if job.kind not in ("analyse", "run") or not _try_again(runtime, job):
            _fail(runtime, job, error)
    except Exception as error:  # noqa: BLE001  (the edge: the work is marked failed, with a reason)
        if disk_is_full(error) and job.attempt < MAX_LOSSES:
            _postpone(runtime, job, error)
        else:
            _fail(runtime, job, error)
    elapsed_ms = round(1000 * (time.monotonic() - started))
    log.info("job.ended", kind=job.kind, attempt=job.attempt, elapsed_ms=elapsed_ms)


def _has_space(runtime: Runtime) -> bool:
    try:
        runtime.blobs.check_space()
    except (NoSpace, OSError) as error:
        log.warning("worker.no_space", error=str(error))
        return False
    return True


def _postpone(runtime: Runtime, job: Job, error: Exception) -> None:
    """Queue the job again, each time for longer: it waits for a store or for space."""
    log.warning("job.postponed", kind=job.kind, why=str(error))
    _give_back(runtime, job, min(_LONGEST_PAUSE_S, 2.0**job.attempt))


def _give_back(runtime: Runtime, job: Job, delay_s: float) -> None:
    """Queue the job again as soon as the database answers; after the lease others do that."""
    until = time.monotonic() + runtime.settings.job_lease_s
    while time.monotonic() < until:
        try:
            with runtime.database.unit() as unit:
                Jobs(unit).postpone(job, delay_s)
            return
        except (SQLAlchemyError, Conflict):
            time.sleep(_AGAIN_S)


def _try_again(runtime: Runtime, job: Job) -> bool:
    """Queue the job again: the next attempt of an analysis looks for the artifact at fault."""
    with runtime.database.unit() as unit:
        return Jobs(unit).retry(job)


def _fail(runtime: Runtime, job: Job, error: Exception) -> None:
    sentence = _sentence(runtime, error)
    known = isinstance(error, Damaged | NotFound | NoSpace | SoftTimeLimitExceeded)
    log.error("job.failed", error=sentence, exc_info=None if known else error)
    tracing.fail(sentence)
    with runtime.database.unit() as unit:
        if not Jobs(unit).finish(job, sentence):
            return
        if job.kind == "artifact":
            Artifacts(unit).fail(job.target, sentence)
            Jobs(unit).request_analysis(job.incident_id, runtime.settings.analysis_debounce_s)
        elif job.kind == "analyse":
            announce(unit, "analysis.finished", job.incident_id, state="failed", error=sentence)
            unit.notify(job.incident_id, "analysis")


def _sentence(runtime: Runtime, error: Exception) -> str:
    if isinstance(error, SoftTimeLimitExceeded):
        return (
            f"it took longer than {runtime.settings.task_time_limit_s} s "
            "(PILEUP_TASK_TIME_LIMIT_S) and was stopped; the file itself is kept. Split it, or "
            "raise the limit and re-parse"
        )
    if isinstance(error, Damaged | NotFound | NoSpace):
        return str(error)
    return (
        f"a defect in Pileup: {type(error).__name__}: {str(error)[:300]}. The file itself is kept; "
        "re-parse it after an update, and please report this"
    )
