"""Numbers within an incident: E7 of a pin, H2 of a hypothesis, 3 of an experiment.

People write them into reports, comments and tickets, so a number is never reused, also after its
row is withdrawn, purged from the bin, or left out of a bundle.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from pileup.numerals import grouped
from pileup.storage.errors import Refused
from pileup.storage.models import Experiment, Hypothesis, Incident, Pin

_LAST: dict[type[Any], Any] = {
    Pin: Incident.last_pin,
    Hypothesis: Incident.last_hypothesis,
    Experiment: Incident.last_experiment,
}
NUMBERED = tuple(model.__tablename__ for model in _LAST)
"""Tables whose rows have a number within their incident."""
_MOST = 1_000_000


def next_number(session: Session, incident_id: str, model: type[Any]) -> int:
    """Return the next unused number; locks the incident's row, so that numbers are unique."""
    last = _LAST[model]
    return int(
        session.execute(
            update(Incident)
            .where(Incident.id == incident_id)
            .values({last: last + 1})
            .returning(last)
            .execution_options(synchronize_session=False)
        ).scalar_one()
    )


def raise_counters(session: Session, incident_id: str) -> None:
    """After an import, raise the incident's counters to the highest number of its rows.

    Raises:
        Refused: a number is outside the possible range.
    """
    for model, last in _LAST.items():
        rows = select(func.min(model.number), func.max(model.number)).where(
            model.incident_id == incident_id
        )
        least, most = session.execute(rows).one()
        count = session.scalar(select(last).where(Incident.id == incident_id)) or 0
        highest = max(count, most or 0)
        if min(count, 1 if least is None else least - 1) < 0 or highest > _MOST:
            raise Refused(
                f"The bundle numbers its {model.__tablename__} up to {grouped(highest)}, "
                "or below 1."
            )
        session.execute(
            update(Incident)
            .where(Incident.id == incident_id)
            .values({last: highest})
            .execution_options(synchronize_session=False)
        )
