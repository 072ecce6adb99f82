"""Review flags of hypotheses that a pin's withdrawal or return sets and clears.

A withdrawal flags every hypothesis that used the pin and notes in its audit entry which of them
were not flagged before. A restore undoes only the effects of that withdrawal. It keeps a flag with
another reason, and flags hypotheses that were reviewed meanwhile, without the pin.
"""

from __future__ import annotations

from sqlalchemy import func, select, union, update
from sqlalchemy.orm import Session

from pileup.storage.models import (
    Audit,
    ConfidenceStep,
    Evidence,
    Hypothesis,
    Pin,
    Rating,
)

_USES = (Evidence, ConfidenceStep, Rating)


def flag(session: Session, pin_id: str) -> list[str]:
    """Flag every hypothesis that uses the pin; return the ids that were not flagged before."""
    fresh = [user.id for user in _users(session, pin_id) if not user.needs_review]
    _set(session, fresh, needed=True)
    return fresh


def clear_flags(session: Session, incident_id: str, pin_id: str) -> tuple[list[str], list[str]]:
    """After a restore, return labels of hypotheses that no longer need a review and that now do."""
    settled: list[Hypothesis] = []
    again: list[Hypothesis] = []
    for user in _users(session, pin_id):
        if not user.needs_review:
            again.append(user)  # reviewed meanwhile, as if the pin were not
        elif _only_withdrawn(session, incident_id, user.id):
            settled.append(user)
    _set(session, [hypothesis.id for hypothesis in settled], needed=False)
    _set(session, [hypothesis.id for hypothesis in again], needed=True)
    return _labels(settled), _labels(again)


def _only_withdrawn(session: Session, incident_id: str, hypothesis_id: str) -> bool:
    """Return whether its flag had withdrawn pins as only reason, and all of them are back."""
    used = union(*(select(t.pin_id).where(t.hypothesis_id == hypothesis_id) for t in _USES))
    pins = select(used.subquery().c.pin_id)
    away = select(Pin.id).where(Pin.id.in_(pins), Pin.deleted_at.is_not(None)).limit(1)
    if session.scalar(away) is not None:
        return False
    flagged = session.scalar(
        select(func.max(Audit.id)).where(
            Audit.incident_id == incident_id,
            Audit.action == "pin.withdrawn",
            Audit.detail["flagged"].contains([hypothesis_id]),
        )
    )
    if flagged is None:
        return False  # it was flagged before, or before this was noted
    since = select(Audit.id).where(Audit.incident_id == incident_id, Audit.id > flagged)
    removed = since.where(
        Audit.action == "hypothesis.evidence_removed", Audit.target == hypothesis_id
    )
    accepted = since.where(Audit.action == "pin.value_accepted", Audit.target.in_(pins))
    return all(session.scalar(item.limit(1)) is None for item in (removed, accepted))


def _users(session: Session, pin_id: str) -> list[Hypothesis]:
    used = union(*(select(t.hypothesis_id).where(t.pin_id == pin_id) for t in _USES))
    users = select(Hypothesis).where(Hypothesis.id.in_(select(used.subquery().c.hypothesis_id)))
    return list(session.scalars(users.order_by(Hypothesis.number).with_for_update()))


def _set(session: Session, ids: list[str], *, needed: bool) -> None:
    session.execute(
        update(Hypothesis)
        .where(Hypothesis.id.in_(ids))
        .values(needs_review=needed)
        .execution_options(synchronize_session="fetch")
    )


def _labels(hypothesises: list[Hypothesis]) -> list[str]:
    return [f"H{hypothesis.number}" for hypothesis in hypothesises]
