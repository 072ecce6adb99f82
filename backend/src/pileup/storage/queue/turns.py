"""Turns: which incident and which person's work runs next.

Waiting jobs form one line for each incident and requester. The next turn goes to the line whose
team, incident and requester were all served the longest time ago; running work counts as served a
few seconds later. So an archive of 20,000 files, a person with fifty incidents, an incident with
fifty people, or a team with fifty of both, each get one share, and a long job delays the others of
its line by seconds only. An incident that several teams share counts for each of them.
Within a line, analyses go first, then small files before large ones (``turn_at``). An analysis does
not yield, so all of them leave one process of the workers to the files that come.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, Select, bindparam, func, or_, select, text
from sqlalchemy.orm import Session, aliased

from pileup.storage import models
from pileup.storage.advisory_locks import AdvisoryLock, lock


@dataclass(frozen=True, slots=True)
class Quota:
    """Jobs that may run at once; 0: any number."""

    incident: int = 0
    requester: int = 0


@dataclass(frozen=True, slots=True)
class Head:
    """One line of waiting jobs."""

    incident_id: str
    requester: str


_PAUSE = timedelta(seconds=5)
"""A line with running work counts as served so much later, for each running job."""

_RECENT = timedelta(seconds=10)
"""Teams that were served longer ago are due alike."""

_LONG = ("analyse", "run")
"""Kinds of jobs that may take minutes and do not yield."""
_ALIVE = timedelta(minutes=1)
"""A worker that was seen this recently counts."""

# The lines are found by jumping over the index, so 20,000 waiting jobs of one line cost as much
# as one.
_HEADS = text("""
with recursive heads(incident_id, requester) as (
    (select incident_id, requester from jobs where state = 'queued'
     order by incident_id, requester limit 1)
    union all
    select following.incident_id, following.requester from heads cross join lateral (
        select incident_id, requester from jobs
        where state = 'queued'
        and (incident_id, requester) > (heads.incident_id, heads.requester)
        order by incident_id, requester limit 1
    ) following
), running as (
    select incident_id, requester, count(*) as jobs, max(started_at) as at
    from jobs where state = 'running' group by 1, 2
), recent as (
    select incident_id, max(started_at) as at from jobs
    where finished_at > now() - :recent and exists (
        select from incident_members where team_id is not null
    ) group by 1
    union all select incident_id, at + :pause from running
), teams as (
    select members.team_id, max(recent.at) as at
    from recent join incident_members members using (incident_id)
    where members.team_id is not null group by 1
), shares as (
    select heads.incident_id, heads.requester,
    coalesce((select sum(jobs) from running where running.incident_id = heads.incident_id), 0)
        as of_incident,
    coalesce((select sum(jobs) from running
        where running.requester = heads.requester and heads.requester <> ''), 0) as of_requester,
    (select max(started_at) from jobs where jobs.incident_id = heads.incident_id) as incident_at,
    case when heads.requester <> '' then
        (select max(started_at) from jobs where jobs.requester = heads.requester)
    end as requester_at,
    (select max(teams.at) from teams join incident_members members using (team_id)
        where members.incident_id = heads.incident_id) as team_at
    from heads
), due as (
    select *, incident_at + of_incident * :pause as incident_due,
    requester_at + of_requester * :pause as requester_due
    from shares
)
select incident_id, requester from due
where (:incident = 0 or of_incident < :incident)
and (:requester = 0 or of_requester < :requester)
order by greatest(team_at, incident_due, requester_due) nulls first,
    greatest(incident_due, requester_due) nulls first,
    incident_due nulls first, requester_at nulls first, requester, incident_id
""")


def heads(session: Session, quota: Quota) -> Iterator[Head]:
    """Yield the lines of waiting jobs in the order of their turns, without those over quota."""
    if quota.incident or quota.requester:
        # Two workers at once would each see the other's place as free.
        lock(session, AdvisoryLock.TURNS)
    values = {
        "incident": quota.incident,
        "requester": quota.requester,
        "pause": _PAUSE,
        "recent": _RECENT,
    }
    for row in session.execute(_HEADS, values).all():
        yield Head(row.incident_id, row.requester)


def _process_is_left() -> ColumnElement[bool]:
    """Return whether one process is left for files when an analysis starts."""
    job, worker = aliased(models.Job), models.Worker
    running = select(func.count()).where(job.state == text("'running'"), job.kind.in_(_LONG))
    processes = select(func.coalesce(func.sum(worker.concurrency), 0)).where(
        worker.last_seen > func.now() - _ALIVE
    )
    return running.scalar_subquery() < func.greatest(processes.scalar_subquery() - 1, 1)


def _first_due(*conditions: ColumnElement[bool]) -> Select[str, str]:
    job = models.Job
    return (
        select(job.id, job.kind)
        .where(
            job.state == text("'queued'"),
            job.incident_id == bindparam("incident_id"),
            job.requester == bindparam("requester"),
            job.not_before <= func.now(),
            *conditions,
        )
        .order_by(job.turn_at, job.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )


_FIRST_DUE = _first_due(or_(models.Job.kind.not_in(_LONG), _process_is_left()))
"""Built once: its aliases cost a worker more than the query costs the database."""
_FIRST_SHORT = _first_due(models.Job.kind.not_in(_LONG))
_IS_LEFT = select(_process_is_left())


def first_due(session: Session, head: Head) -> str | None:
    """Find, and lock, the first due job of a line that no other worker is about to take."""
    line = {"incident_id": head.incident_id, "requester": head.requester}
    found = session.execute(_FIRST_DUE, line).first()
    if found is not None and found.kind in _LONG:
        # Two workers at once would each take the last place of an analysis.
        lock(session, AdvisoryLock.TURNS)
        if not session.scalar(_IS_LEFT):
            found = session.execute(_FIRST_SHORT, line).first()
    return found.id if found is not None else None
