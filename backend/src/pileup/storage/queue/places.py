"""Places: how much of each incident's work waits, whose turn is next, and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text

from pileup.storage.database import Unit
from pileup.storage.queue.turns import Quota, heads


@dataclass(frozen=True, slots=True)
class Place:
    """Place of one incident in the queue."""

    waiting: int
    """Jobs of this incident that wait."""
    ahead: int
    """Jobs of other incidents that start before its next one."""
    total: int
    """Jobs of all incidents that wait."""
    estimate_s: float | None
    """Until all of its waiting jobs are done; None while nothing shows how fast work goes."""


NOWHERE = Place(0, 0, 0, 0.0)

_WAITING = text("""
    select incident_id, count(*) as jobs from jobs
    where state = 'queued' and not_before <= now() group by incident_id
""")
_RATE = text("""
    select count(*) / greatest(1, extract(epoch from now() - min(started_at))) as per_s
    from jobs where finished_at > now() - interval '1 minute' and kind = 'artifact'
    having count(*) >= 3
""")


def places(unit: Unit) -> dict[str, Place]:
    """Return the place of each incident that has waiting jobs."""
    session = unit.session
    waiting = {row.incident_id: int(row.jobs) for row in session.execute(_WAITING)}
    if not waiting:
        return {}
    per_s = session.scalar(_RATE)
    order: dict[str, int] = {}
    for head in heads(session, Quota()):
        if head.incident_id in waiting:
            order.setdefault(head.incident_id, len(order))
    return {
        incident: Place(
            jobs,
            order.get(incident, len(order)),
            sum(waiting.values()),
            _before_the_last(jobs, waiting) / float(per_s) if per_s else None,
        )
        for incident, jobs in waiting.items()
    }


def _before_the_last(jobs: int, waiting: dict[str, int]) -> int:
    """Count the jobs that end before the last of so many: each incident has as many turns."""
    return sum(min(jobs, others) for others in waiting.values())
