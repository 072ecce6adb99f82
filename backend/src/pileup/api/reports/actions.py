"""Routes for action items: change, owner, due date, and the experiment that verifies it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, status
from pydantic import Field, StringConstraints

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, UnitDep
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.storage.reports.actions import Actions

router = APIRouter(tags=["actions"])

ActionStatus = Literal["open", "started", "done", "dropped"]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
Link = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=2000, pattern=r"^$|^https?://\S+$")
]
"""An address that a browser may open; empty for none."""
CheckOutcome = Literal["", "held", "not_held"]
Result = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)]
Owner = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]


class TicketAndCheck(In):
    """The vendor's ticket and the follow-up check of an action."""

    ticket_tracker: Line | None = None
    ticket_number: Line | None = None
    ticket_url: Link | None = None
    ticket_state: Line | None = None
    ticket_fixed_in: Line | None = None
    check_what: Line | None = None
    """The follow-up check: 'still fine after four weeks'."""
    check_due: date | None = None
    check_outcome: CheckOutcome | None = None
    check_result: Result | None = None
    checked_on: date | None = None


class NewAction(TicketAndCheck):
    text: Text
    owner: Owner = ""
    due: date | None = None
    status: ActionStatus = "open"
    experiment_id: Annotated[str, Field(max_length=60)] | None = None
    """The experiment that shows that it works."""


class ActionChange(TicketAndCheck):
    text: Text | None = None
    owner: Owner | None = None
    due: date | None = None
    status: ActionStatus | None = None
    experiment_id: Annotated[str, Field(max_length=60)] | None = None


class Action(Out):
    id: str
    text: str
    owner: str
    """A name; empty when nobody took it."""
    due: date | None
    status: ActionStatus
    experiment_id: str | None
    experiment_number: int | None
    experiment_verdict: str | None
    ticket_tracker: str
    """Tracker of the vendor's ticket; these are empty without a ticket."""
    ticket_number: str
    ticket_url: str
    ticket_state: str
    ticket_fixed_in: str
    check_what: str
    """The follow-up check; empty for none."""
    check_due: date | None
    check_outcome: CheckOutcome
    """Empty until it was checked."""
    check_result: str
    checked_on: date | None
    revision: int
    created_at: datetime


@router.get("/incidents/{incident_id}/actions")
@by_version()
def list_actions(incident: IncidentDep, unit: UnitDep) -> list[Action]:
    """List the action items in the order in which they were added."""
    return [Action.model_validate(action) for action in Actions(unit).of_incident(incident.id)]


@router.post("/incidents/{incident_id}/actions", status_code=status.HTTP_201_CREATED)
def add_action(incident: IncidentDep, body: NewAction, unit: UnitDep, caller: Caller) -> Action:
    fields = body.model_dump(exclude_none=True)
    made = Actions(unit).create(incident.id, fields, by=caller.actor)
    return Action.model_validate(made)


@router.patch("/actions/{action_id}")
def change_action(
    action_id: str, body: ActionChange, unit: UnitDep, caller: Caller, revision: RevisionDep
) -> Action:
    """Change the fields that are sent; dates and experiment_id may be null."""
    sent = body.model_dump(exclude_unset=True)
    nullable = {"due", "experiment_id", "check_due", "checked_on"}
    changes = {name: value for name, value in sent.items() if value is not None or name in nullable}
    changed = Actions(unit).edit(action_id, changes, revision=revision, by=caller.actor)
    return Action.model_validate(changed)


@router.delete("/actions/{action_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_action(action_id: str, unit: UnitDep, caller: Caller) -> None:
    """Move an action item to the bin."""
    Actions(unit).delete(action_id, by=caller.actor)
