"""Routes for comments, and for the mentions that notify people."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, status
from pydantic import Field, StringConstraints

from pileup.api.auth import Caller, Principal
from pileup.api.deps import IncidentDep, RevisionDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In
from pileup.storage.reasoning.comments import Colleague, Comment, CommentMention, Comments

router = APIRouter(tags=["comments"])
own = APIRouter(tags=["comments"])
"""Routes about oneself, which viewers may use too."""

Subject = Annotated[str, StringConstraints(max_length=200, pattern=r"^[a-z]+:\S+$")]
Body = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]


class NewComment(In):
    subject: Subject
    """'hypothesis:ID', 'pin:ID', 'cell:PIN/HYPOTHESIS', 'experiment:ID' or 'report:KEY'."""
    body: Body
    """Plain text; @Name notifies that person."""


class CommentChange(In):
    body: Body


class Seen(In):
    ids: list[str] | None = Field(default=None, max_length=1000)
    """None: all of them."""


@router.get("/incidents/{incident_id}/comments")
def list_comments(
    incident: IncidentDep, unit: UnitDep, subject: Annotated[Subject, Query()]
) -> list[Comment]:
    """List the comments on one subject, oldest first."""
    return Comments(unit).of_subject(incident.id, subject)


@router.post("/incidents/{incident_id}/comments", status_code=status.HTTP_201_CREATED)
def create_comment(
    incident: IncidentDep, body: NewComment, unit: UnitDep, caller: Caller
) -> Comment:
    """Add a comment and notify everybody named after an @."""
    return Comments(unit).create(incident.id, body.subject, body.body, by=caller.actor)


@router.patch("/comments/{comment_id}")
def change_comment(
    comment_id: str, body: CommentChange, unit: UnitDep, caller: Caller, revision: RevisionDep
) -> Comment:
    """Change a comment of your own."""
    return Comments(unit).edit(comment_id, body.body, revision=revision, by=caller.actor)


@router.delete("/comments/{comment_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_comment(comment_id: str, unit: UnitDep, caller: Caller) -> None:
    """Delete a comment of your own."""
    Comments(unit).delete(comment_id, by=caller.actor)


@router.get("/people")
def list_people(unit: UnitDep) -> list[Colleague]:
    """List who can be mentioned or assigned: ids, names and who is an admin, nothing else."""
    return Comments(unit).people()


@own.get("/mentions")
def list_mentions(unit: UnitDep, caller: Caller) -> list[CommentMention]:
    """List the last fifty comments that mention you, newest first."""
    _no_token(caller)
    return Comments(unit).mentions(caller.user.id)


@own.post("/mentions/seen", status_code=status.HTTP_204_NO_CONTENT)
def mark_seen(body: Seen, unit: UnitDep, caller: Caller) -> None:
    """Mark mentions as seen."""
    _no_token(caller)
    Comments(unit).seen(caller.user.id, body.ids)


def _no_token(caller: Principal) -> None:
    if caller.via == "token" and not ({"read", "comment"} <= caller.verbs and caller.is_whole):
        raise ApiError(403, "Not with this token", "your mentions are for you, not for a token")
