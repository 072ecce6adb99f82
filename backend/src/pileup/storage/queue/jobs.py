"""Jobs: the table that decides what runs. State, attempt, lease, heartbeat.

A worker takes the job whose turn it is (``turns``) by a conditional UPDATE and finishes it by
another that names the attempt, so that a worker that was wrongly thought dead can neither run a job
twice at once nor overwrite a newer result. A lease that is not renewed, or whose process is gone
from this machine, frees the job again. A job that ended its own process MAX_ATTEMPTS times fails
with a sentence; a machine or worker that died counts for nothing until MAX_LOSSES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any, Literal, cast

from sqlalchemy import delete, exists, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from pileup import tracing
from pileup.storage import models
from pileup.storage.database import Unit, clean, to_record
from pileup.storage.queue.turns import Quota, first_due, heads

Kind = Literal["artifact", "analyse", "run", "webhook"]
State = Literal["none", "queued", "running", "done", "failed"]

MAX_ATTEMPTS = 3
"""Attempts that a job may end by itself: by killing its process, or by taking too long."""
MAX_LOSSES = 20
"""Attempts of any kind: a job that takes its whole machine along every time must end too."""

JOBS_CHANNEL = "pileup_jobs"
"""PostgreSQL notifies workers here when a job was queued."""

_EARLY_AFTER = timedelta(seconds=10)
"""When reading takes longer than this after the first file, what was read so far is analysed."""
_EARLY_PAUSE = timedelta(seconds=30)
_EARLY_SHARE = 5
"""Early analyses take at most one in this many seconds of the time."""

_LAST = aliased(models.Job)
"""The job before, in a statement that writes jobs; an alias is costly to make."""

_BYTES_PER_S = 1_000_000
"""A file goes behind one that is uploaded later and smaller: by a second for every so many bytes,
so that small files go first and a large one does not wait for ever."""


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    kind: Kind
    target: str
    incident_id: str
    state: str
    requester: str
    attempt: int
    crashes: int
    owner: str | None
    error: str | None
    trace: str | None
    resume_from: dict[str, Any] | None
    """Where the part of the work before this job ended; None: at the beginning."""


@dataclass(frozen=True, slots=True)
class AnalysisState:
    state: State
    error: str | None
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class QueueLength:
    queued: int
    running: int


# Statements of every file: built once, as building costs a worker more than they cost the database.
_START = text(
    """
update jobs set state = 'running', attempt = attempt + 1, owner = :owner, started_at = now(),
heartbeat_at = now(), lease_until = now() + :lease
where id = :job_id and state in ('queued', 'running') and not exists (
    select from jobs other where other.kind = jobs.kind and other.target = jobs.target
    and other.id <> jobs.id and other.state = 'running' and other.lease_until > now()
)
returning """
    + ", ".join(field.name for field in fields(Job))
)
_LATER = text("update jobs set not_before = now() + interval '1 second' where id = :job_id")
_READING = text(
    "select exists (select from jobs where incident_id = :incident_id and kind = 'artifact'"
    " and state = 'running') or exists (select from jobs where incident_id = :incident_id"
    " and kind = 'artifact' and state = 'queued')"
)
_ANALYSIS_WAITS = text(
    "select exists (select from jobs where kind = 'analyse' and target = :incident_id"
    " and state = 'queued')"
)


class Jobs:
    """Repository of jobs."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    # ---- creating

    def enqueue(
        self,
        kind: Kind,
        target: str,
        incident_id: str,
        *,
        delay: timedelta = timedelta(0),
        requester: str | None = None,
    ) -> str:
        """Queue a job for this target and return its id; an equal waiting job is returned instead.

        A second request moves the time of a delayed job: that is the debounce. requester: the user
        whose turn it takes; for an artifact's job by default the user who uploaded the file.
        Workers are notified at commit.
        """
        statement = (
            insert(models.Job)
            .values(
                kind=kind,
                target=target,
                incident_id=incident_id,
                not_before=func.now() + delay,
                trace=tracing.current(),
                **_order(kind, target, requester),
            )
            .on_conflict_do_update(
                index_elements=["kind", "target"],
                # Literal: a bound value cannot be matched to the index once psycopg prepares this.
                index_where=text("state = 'queued'"),
                set_={"not_before": func.now() + delay},
            )
            .returning(models.Job.id)
        )
        job_id = self._db.scalar(statement)
        assert job_id is not None
        if not delay:
            self._wake()
        return job_id

    def request_analysis(self, incident_id: str, debounce_s: float) -> bool:
        """Queue the incident's analysis, unless artifacts still wait or run; return whether.

        While they do, an analysis of what was read so far runs now and then. Two artifacts that
        end at once must not each leave the request to the other: the incident's row is locked
        first, in a way that does not wait for those who add artifacts to the incident.
        """
        row = select(models.Incident.id).where(models.Incident.id == incident_id)
        self._db.execute(row.with_for_update(key_share=True))
        if self.reading(incident_id):
            self._request_early(incident_id)
            return False
        self.enqueue("analyse", incident_id, incident_id, delay=timedelta(seconds=debounce_s))
        self._unit.notify(incident_id, "analysis")
        return True

    def reading(self, incident_id: str) -> bool:
        """Return whether any artifact of the incident waits for a worker or is being read."""
        return bool(self._db.scalar(_READING, {"incident_id": incident_id}))

    def cancel(self, incident_id: str) -> None:
        """Delete the incident's open jobs; the result of a running one counts for nothing."""
        self._db.execute(
            delete(models.Job).where(
                models.Job.incident_id == incident_id, models.Job.state.in_(("queued", "running"))
            )
        )

    def cancel_artifacts(self, artifact_ids: Sequence[str]) -> None:
        """Delete the open jobs of these artifacts."""
        self._db.execute(
            delete(models.Job).where(
                models.Job.kind == "artifact",
                models.Job.target.in_(artifact_ids),
                models.Job.state.in_(("queued", "running")),
            )
        )

    def _request_early(self, incident_id: str) -> None:
        """Queue an analysis of what was read so far, unless one waits already."""
        job = models.Job
        if self._db.scalar(_ANALYSIS_WAITS, {"incident_id": incident_id}):
            return
        last = _LAST
        elapsed_s = func.extract("epoch", last.finished_at - last.started_at)
        elapsed = elapsed_s * _EARLY_SHARE * literal(timedelta(seconds=1))
        again = (
            select(last.finished_at + func.greatest(elapsed, literal(_EARLY_PAUSE)))
            .where(last.incident_id == incident_id, last.kind == "analyse", last.state == "done")
            .order_by(last.created_at.desc(), last.id.desc())
            .limit(1)
        )
        self._db.execute(
            insert(job)
            .values(
                kind="analyse",
                target=incident_id,
                incident_id=incident_id,
                not_before=func.greatest(func.now() + _EARLY_AFTER, again.scalar_subquery()),
                **_order("analyse", incident_id, None),
            )
            .on_conflict_do_nothing(
                index_elements=["kind", "target"], index_where=text("state = 'queued'")
            )
        )

    def _wake(self) -> None:
        """Notify the workers at commit, once for all jobs of a transaction."""
        self._unit.send_to(JOBS_CHANNEL)

    # ---- running

    def take(
        self,
        owner: str,
        lease: timedelta,
        quota: Quota = Quota(),  # noqa: B008  (frozen)
    ) -> Job | None:
        """Claim the job whose turn it is. None: no job is due, or others took them all."""
        for head in heads(self._db, quota):
            while (job_id := first_due(self._db, head)) is not None:
                job = self._start(job_id, owner, lease)
                if job is not None:
                    return job
        return None

    def claim(
        self, job_id: str, owner: str, lease: timedelta, gone: Callable[[str], bool]
    ) -> Job | None:
        """Claim a job that is queued and due, or whose lease expired, or whose owner is gone.

        One job of a kind runs for a target at a time. None: another worker has it, or it is over.
        """
        row = self._db.scalar(select(models.Job).where(models.Job.id == job_id).with_for_update())
        if row is None or row.state not in ("queued", "running"):
            return None
        if row.state == "running" and not self._abandoned(row, gone):
            return None
        self._db.expire(row)
        return self._start(job_id, owner, lease)

    def _start(self, job_id: str, owner: str, lease: timedelta) -> Job | None:
        """Start an attempt at a job that this unit locked; None: its target's other job runs."""
        values = {"job_id": job_id, "owner": owner, "lease": lease}
        row = self._db.execute(_START, values).one_or_none()
        if row is None:
            self._db.execute(_LATER, values)
        return to_record(Job, row) if row is not None else None

    def renew(self, job: Job, lease: timedelta) -> bool:
        """Renew the lease. False: the job is no longer ours, stop."""
        return (
            self._db.scalar(
                update(models.Job)
                .where(
                    models.Job.id == job.id,
                    models.Job.attempt == job.attempt,
                    models.Job.state == "running",
                )
                .values(heartbeat_at=func.now(), lease_until=func.now() + lease)
                .returning(models.Job.id)
            )
            is not None
        )

    def finish(self, job: Job, error: str | None = None) -> bool:
        """End this attempt. False: a newer attempt has the job; discard this result."""
        return (
            self._db.scalar(
                update(models.Job)
                .where(
                    models.Job.id == job.id,
                    models.Job.attempt == job.attempt,
                    models.Job.state == "running",
                )
                .values(
                    state="failed" if error else "done",
                    error=clean(error) if error else None,
                    finished_at=func.now(),
                    lease_until=None,
                )
                .returning(models.Job.id)
            )
            is not None
        )

    def go_on(self, job: Job, resume_from: dict[str, Any]) -> bool:
        """End this part of the work, and queue the next behind what waits; False: not ours.

        The next part is a job of its own, with its own attempts.
        """
        if not self.finish(job):
            return False
        self._db.execute(
            insert(models.Job)
            .values(
                kind=job.kind,
                target=job.target,
                incident_id=job.incident_id,
                requester=job.requester,
                trace=job.trace,
                resume_from=resume_from,
            )
            # A newer request that waits does all of the work again.
            .on_conflict_do_nothing(
                index_elements=["kind", "target"], index_where=text("state = 'queued'")
            )
        )
        self._wake()
        return True

    def retry(self, job: Job) -> bool:
        """Queue a job that took too long again; False: its attempts are over, or it is not ours."""
        row = self._ours(job)
        if row is None or job.crashes + 1 >= MAX_ATTEMPTS:
            return False
        row.crashes += 1
        self._queue_again(row)
        self._db.flush()
        return True

    def postpone(self, job: Job, delay_s: float) -> bool:
        """Queue a running job again for later, through no fault of its own; False: not ours."""
        row = self._ours(job)
        if row is None:
            return False
        row.not_before = func.now() + timedelta(seconds=delay_s)
        self._queue_again(row)
        self._db.flush()
        return True

    # ---- sweeping

    def due(self, limit: int) -> int:
        """Count the jobs that could start now, up to the limit."""
        waiting = (
            select(models.Job.id)
            .where(models.Job.state == "queued", models.Job.not_before <= func.now())
            .limit(limit)
        )
        return self._db.scalar(select(func.count()).select_from(waiting.subquery())) or 0

    def abandoned(
        self, gone: Callable[[str], bool], crashed: Callable[[str], bool] = lambda _: True
    ) -> list[Job]:
        """Free every running job whose process is gone or whose lease ran out.

        gone: whether that owner certainly ended; crashed: whether it ended alone, while its worker
        lives, so that the job is the cause. Jobs with too many crashes fail. Returns the jobs that
        were freed or failed.
        """
        rows = self._db.scalars(
            select(models.Job)
            .where(models.Job.state == "running")
            .with_for_update(skip_locked=True)
        )
        freed: list[Job] = []
        for row in rows:
            if not self._abandoned(row, gone):
                continue
            if row.owner is not None and gone(row.owner) and crashed(row.owner):
                row.crashes += 1
            if row.crashes >= MAX_ATTEMPTS or row.attempt >= MAX_LOSSES:
                row.state = "failed"
                row.finished_at = func.now()
                row.error = _given_up(row)
            else:
                self._queue_again(row)
            self._db.flush()
            freed.append(to_record(Job, row))
        return freed

    # ---- queries

    def analysis_state(self, incident_id: str) -> AnalysisState:
        """Return the state of the incident's analysis; it is not done while artifacts are read."""
        row = self._db.scalar(
            select(models.Job)
            .where(models.Job.incident_id == incident_id, models.Job.kind == "analyse")
            .order_by(models.Job.created_at.desc(), models.Job.id.desc())
            .limit(1)
        )
        finished_at = self._db.scalar(
            select(models.Analysis.finished_at).where(models.Analysis.incident_id == incident_id)
        )
        if row is None:
            reading = self.reading(incident_id)
            return AnalysisState("queued" if reading else "none", None, None, finished_at)
        if row.state == "done" and self.reading(incident_id):  # it was an early one
            return AnalysisState("queued", None, row.started_at, finished_at)
        return AnalysisState(cast(State, row.state), row.error, row.started_at, finished_at)

    def length(self) -> QueueLength:
        """Count the waiting and the running jobs."""
        rows = self._db.execute(
            select(models.Job.state, func.count())
            .where(models.Job.state.in_(("queued", "running")))
            .group_by(models.Job.state)
        )
        counts = {row[0]: row[1] for row in rows}
        return QueueLength(counts.get("queued", 0), counts.get("running", 0))

    def open_by_kind(self) -> dict[tuple[str, str], int]:
        """Count the waiting and running jobs by kind and state."""
        rows = self._db.execute(
            select(models.Job.kind, models.Job.state, func.count())
            .where(models.Job.state.in_(("queued", "running")))
            .group_by(models.Job.kind, models.Job.state)
        )
        return {(row[0], row[1]): row[2] for row in rows}

    def longest_wait_s(self) -> float:
        """Return for how long the job that waits longest has been due; 0 without one."""
        since = self._db.scalar(
            select(func.extract("epoch", func.now() - func.min(models.Job.not_before))).where(
                models.Job.state == "queued", models.Job.not_before <= func.now()
            )
        )
        return float(since or 0.0)

    def _abandoned(self, row: models.Job, gone: Callable[[str], bool]) -> bool:
        now = self._db.scalar(select(func.clock_timestamp()))
        assert now is not None
        late = row.lease_until is None or row.lease_until < now
        return late or (row.owner is not None and gone(row.owner))

    def _ours(self, job: Job) -> models.Job | None:
        """Lock the job's row, if this attempt still has it."""
        found: models.Job | None = self._db.scalar(
            select(models.Job)
            .where(
                models.Job.id == job.id,
                models.Job.attempt == job.attempt,
                models.Job.state == "running",
            )
            .with_for_update()
        )
        return found

    def _queue_again(self, row: models.Job) -> None:
        if self._queued_twin(row):
            row.state = "done"  # a newer request waits and will do the work
            row.finished_at = func.now()
        else:
            row.state = "queued"
            self._wake()

    def _queued_twin(self, row: models.Job) -> bool:
        job = models.Job
        return bool(
            self._db.scalar(
                select(
                    exists().where(
                        job.kind == row.kind,
                        job.target == row.target,
                        job.id != row.id,
                        job.state == "queued",
                    )
                )
            )
        )


def _order(kind: Kind, target: str, requester: str | None) -> dict[str, Any]:
    """Return the columns that decide when the job has its turn."""
    if kind != "artifact":
        return {"requester": requester or "", "turn_at": func.to_timestamp(0)}
    artifact = models.Artifact
    uploader = select(artifact.uploaded_by_id).where(artifact.id == target).scalar_subquery()
    size = select(artifact.bytes).where(artifact.id == target).scalar_subquery()
    return {
        "requester": func.coalesce(requester, uploader, ""),
        "turn_at": func.now()
        + func.coalesce(size, 0) / float(_BYTES_PER_S) * literal(timedelta(seconds=1)),
    }


def _given_up(row: models.Job) -> str:
    if row.crashes >= MAX_ATTEMPTS:
        how = f"the worker died {row.crashes} times while it worked on this"
    else:
        how = f"workers or their machines disappeared {row.attempt} times during this work"
    return f"{how}; it is not tried again by itself (re-parse to try once more)"
