"""Jobs: the table that decides what runs. State, attempt, lease, heartbeat.

A job is claimed by a conditional UPDATE and finished by another that names the attempt, so that a
task that is delivered twice, or whose worker was wrongly thought dead, can neither run twice at
once nor overwrite a newer result. A lease that is not renewed, or whose process is gone from this
machine, frees the job again; after MAX_ATTEMPTS the job fails with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, cast

from sqlalchemy import exists, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from pileup.storage import models
from pileup.storage.database import Unit, clean, to_record

Kind = Literal["artifact", "analyse", "run", "webhook"]
State = Literal["none", "queued", "running", "done", "failed"]

MAX_ATTEMPTS = 3
RESEND_AFTER = timedelta(seconds=30)
"""A message that nobody took for this long is sent once more (the broker may have lost it)."""


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    kind: Kind
    target: str
    incident_id: str
    state: str
    attempt: int
    owner: str | None
    error: str | None


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
        send: bool = True,
    ) -> str:
        """Queue a job for this target and return its id; an equal waiting job is returned instead.

        A second request moves the time of a delayed job: that is the debounce. With ``send`` the
        caller hands the id to the broker after the commit; without it a sweeper does when it is
        due. It is marked as sent beforehand: a later mark would collide with the worker.
        """
        sent_at = func.now() if send else None
        statement = (
            insert(models.Job)
            .values(
                kind=kind,
                target=target,
                incident_id=incident_id,
                not_before=func.now() + delay,
                sent_at=sent_at,
            )
            .on_conflict_do_update(
                index_elements=["kind", "target"],
                # Literal: a bound value cannot be matched to the index once psycopg prepares this.
                index_where=text("state = 'queued'"),
                set_={"not_before": func.now() + delay, "sent_at": sent_at},
            )
            .returning(models.Job.id)
        )
        job_id = self._db.scalar(statement)
        assert job_id is not None
        return job_id

    def request_analysis(self, incident_id: str, debounce_s: float) -> bool:
        """Queue the incident's analysis, unless artifacts still wait or run; return whether.

        Two artifacts that end at once must not each leave the request to the other: the incident's
        row is locked first.
        """
        self._db.execute(
            select(models.Incident.id).where(models.Incident.id == incident_id).with_for_update()
        )
        open_artifacts = self._db.scalar(
            select(func.count())
            .select_from(models.Job)
            .where(
                models.Job.incident_id == incident_id,
                models.Job.kind == "artifact",
                models.Job.state.in_(("queued", "running")),
            )
        )
        if open_artifacts:
            return False
        delay = timedelta(seconds=debounce_s)
        self.enqueue("analyse", incident_id, incident_id, delay=delay, send=False)
        self._unit.notify(incident_id, "analysis")
        return True

    # ---- running

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
        if self._sibling_runs(row):
            row.sent_at = None  # the sweeper sends it again
            row.not_before = func.now() + timedelta(seconds=1)
            self._db.flush()
            return None
        row.state = "running"
        row.attempt += 1
        row.owner = owner
        row.started_at = row.heartbeat_at = func.now()
        row.lease_until = func.now() + lease
        self._db.flush()
        self._db.refresh(row)
        return to_record(Job, row)

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

    def retry(self, job: Job) -> bool:
        """Queue this attempt's job again; False: it had its attempts, or is no longer ours."""
        row = self._db.scalar(
            select(models.Job)
            .where(
                models.Job.id == job.id,
                models.Job.attempt == job.attempt,
                models.Job.state == "running",
            )
            .with_for_update()
        )
        if row is None or job.attempt >= MAX_ATTEMPTS:
            return False
        self._queue_again(row)
        self._db.flush()
        return True

    # ---- sweeping

    def due(self, limit: int = 500) -> list[str]:
        """Return due jobs that are unsent, or whose message seems lost; mark them as sent."""
        waiting = (
            select(models.Job.id)
            .where(
                models.Job.state == "queued",
                models.Job.not_before <= func.now(),
                or_(
                    models.Job.sent_at.is_(None),
                    models.Job.sent_at < func.now() - RESEND_AFTER,
                ),
            )
            .order_by(models.Job.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return list(
            self._db.scalars(
                update(models.Job)
                .where(models.Job.id.in_(waiting))
                .values(sent_at=func.now())
                .returning(models.Job.id)
            )
        )

    def unsent(self, job_ids: Sequence[str]) -> None:
        """Mark jobs as unsent, as the broker did not take them: a sweeper sends them."""
        self._db.execute(
            update(models.Job)
            .where(models.Job.id.in_(job_ids), models.Job.state == "queued")
            .values(sent_at=None)
        )

    def resend(self) -> None:
        """Resend messages that a dead worker had taken but not begun.

        Messages that another worker holds are then sent twice, which costs one read of the table.
        """
        self._db.execute(
            update(models.Job).where(models.Job.state == "queued").values(sent_at=None)
        )

    def abandoned(self, gone: Callable[[str], bool]) -> list[Job]:
        """Free every running job whose worker is gone; those with too many attempts fail.

        Returns the jobs that were freed or failed.
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
            if row.attempt >= MAX_ATTEMPTS:
                row.state = "failed"
                row.finished_at = func.now()
                row.error = (
                    f"the worker died {row.attempt} times while it worked on this; it is not "
                    "tried again by itself (re-parse to try once more)"
                )
            else:
                self._queue_again(row)
            self._db.flush()
            freed.append(to_record(Job, row))
        return freed

    # ---- queries

    def analysis_state(self, incident_id: str) -> AnalysisState:
        """Return the state of the incident's analysis; parsing artifacts count as queued."""
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
            parsing = self._db.scalar(
                select(
                    exists().where(
                        models.Job.incident_id == incident_id,
                        models.Job.kind == "artifact",
                        models.Job.state.in_(("queued", "running")),
                    )
                )
            )
            return AnalysisState("queued" if parsing else "none", None, None, finished_at)
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

    def _abandoned(self, row: models.Job, gone: Callable[[str], bool]) -> bool:
        now = self._db.scalar(select(func.clock_timestamp()))
        assert now is not None
        late = row.lease_until is None or row.lease_until < now
        return late or (row.owner is not None and gone(row.owner))

    def _sibling_runs(self, row: models.Job) -> bool:
        other = aliased(models.Job)
        return bool(
            self._db.scalar(
                select(
                    exists().where(
                        other.kind == row.kind,
                        other.target == row.target,
                        other.id != row.id,
                        other.state == "running",
                        other.lease_until > func.now(),
                    )
                )
            )
        )

    def _queue_again(self, row: models.Job) -> None:
        if self._queued_twin(row):
            row.state = "done"  # a newer request waits and will do the work
            row.finished_at = func.now()
        else:
            row.state = "queued"
            row.sent_at = None

    def _queued_twin(self, row: models.Job) -> bool:
        other = aliased(models.Job)
        return bool(
            self._db.scalar(
                select(
                    exists().where(
                        other.kind == row.kind,
                        other.target == row.target,
                        other.id != row.id,
                        other.state == "queued",
                    )
                )
            )
        )
