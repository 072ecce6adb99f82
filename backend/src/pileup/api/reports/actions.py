"""Routes for action items: change, owner, due date, and the experiment that verifies it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, status
from pydantic import Field, StringConstraints

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, UnitDep
from pileup.api.schema import In, Out
from pileup.storage.reports.actions import Actions

router = APIRouter(tags=["actions"])

ActionStatus = Literal["open", "started", "done", "dropped"]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Owner = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]


class NewAction(In):
    text: Text
    owner: Owner = ""
    due: date | None = None
    status: ActionStatus = "open"
    experiment_id: Annotated[str, Field(max_length=60)] | None = None
    """The experiment that shows that it works."""


class ActionChange(In):
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
    revision: int
    created_at: datetime


@router.get("/incidents/{incident_id}/actions")
def list_actions(incident: IncidentDep, unit: UnitDep) -> list[Action]:
    """List the action items in the order in which they were added."""
    return [Action.model_validate(action) for action in Actions(unit).of_incident(incident.id)]


@router.post("/incidents/{incident_id}/actions", status_code=status.HTTP_201_CREATED)
def add_action(incident: IncidentDep, body: NewAction, unit: UnitDep, caller: Caller) -> Action:
    made = Actions(unit).create(incident.id, body.model_dump(), by=caller.actor)
    return Action.model_validate(made)


@router.patch("/actions/{action_id}")
def change_action(
    action_id: str, body: ActionChange, unit: UnitDep, caller: Caller, revision: RevisionDep
) -> Action:
    """Change the fields that are sent; due and experiment_id may be null."""
    sent = body.model_dump(exclude_unset=True)
    nullable = {"due", "experiment_id"}
    changes = {name: value for name, value in sent.items() if value is not None or name in nullable}
    changed = Actions(unit).edit(action_id, changes, revision=revision, by=caller.actor)
    return Action.model_validate(changed)


@router.delete("/actions/{action_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_action(action_id: str, unit: UnitDep, caller: Caller) -> None:
    """Move an action item to the bin."""
    Actions(unit).delete(action_id, by=caller.actor)
