"""Routes for stack samples and sessions at a moment, grouped and explained."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, status

from pileup.analysis.contract import FlameDoc, StackHeatDoc
from pileup.analysis.evidence.context import Span
from pileup.api.auth import Caller
from pileup.api.deps import AnalysedDep, IncidentDep, SourceDep, UnitDep
from pileup.api.documents import Document
from pileup.api.errors import ApiError
from pileup.api.schema import In
from pileup.api.versioned import NOTES, by_version
from pileup.storage.reasoning.stack_verdicts import StackVerdicts
from pileup.views.evidence import stacks as view
from pileup.views.evidence.nearest_sessions import NO_SESSIONS, Sessions, sessions_near
from pileup.views.evidence.stacks import StackMoment, Stacks
from pileup.views.window import instant_of

router = APIRouter(tags=["stacks"])


class NewStackPile(In):
    pile: Literal["unreviewed", "benign", "suspicious"]


@router.get("/incidents/{incident_id}/stacks/moments")
@by_version(ignoring=NOTES)
def stack_moments(records: SourceDep) -> list[StackMoment]:
    """List every stack sample, in time order; those of unknown time last."""
    return view.stack_moments(records)


@router.get("/incidents/{incident_id}/stacks")
@by_version(ignoring=NOTES)
def stacks(
    incident: IncidentDep,
    records: AnalysedDep,
    unit: UnitDep,
    artifact: Annotated[str, Query(pattern=r"^[0-9a-f]{64}$")],
    snapshot: Annotated[int, Query(ge=0)] = 0,
) -> Stacks:
    """Return one sample: identical stacks counted once, each with its meaning and verdict."""
    verdicts = StackVerdicts(unit).of_incident(incident.id)
    return view.stack_sample(records, artifact, snapshot, verdicts)


@router.put(
    "/incidents/{incident_id}/stacks/{stack_key}/verdict", status_code=status.HTTP_204_NO_CONTENT
)
def judge_stack(
    incident: IncidentDep,
    stack_key: Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")],
    body: NewStackPile,
    unit: UnitDep,
    caller: Caller,
) -> None:
    """Mark a stack as benign or suspicious; unreviewed clears the mark."""
    pile = None if body.pile == "unreviewed" else body.pile
    StackVerdicts(unit).put(incident.id, stack_key, pile, by=caller.actor)


@router.get("/incidents/{incident_id}/stacks/flame")
@by_version(ignoring=NOTES)
def stack_flame(
    records: AnalysedDep,
    start: datetime | None = None,
    end: datetime | None = None,
    b_start: datetime | None = None,
    b_end: datetime | None = None,
    idle: bool = False,
    event: str | None = None,
) -> Document[FlameDoc]:
    """Merge the stacks of a window into a tree; with a second window, compare both."""
    second, first = _window(b_start, b_end), _window(start, end)
    return Document(view.stack_flame(records, first, second, idle, event))


@router.get("/incidents/{incident_id}/stacks/heat")
@by_version(ignoring=NOTES)
def stack_heat(records: AnalysedDep, idle: bool = False) -> Document[StackHeatDoc]:
    """Count the threads in each function per sample, to help choose a window."""
    return Document(view.stack_heat(records, idle))


@router.get("/incidents/{incident_id}/sessions")
@by_version(ignoring=NOTES)
def sessions(records: AnalysedDep, at: datetime) -> Sessions:
    """Return the processlist nearest to an instant, grouped by state."""
    return NO_SESSIONS if at.tzinfo is None else sessions_near(records, instant_of(at))


def _window(start: datetime | None, end: datetime | None) -> Span | None:
    """Return the window; None when neither of its ends is given."""
    if start is None and end is None:
        return None
    if start is None or end is None or start.tzinfo is None or end.tzinfo is None or start > end:
        raise ApiError(
            422, "Not a window", "a window needs a start before its end, ISO 8601 with a zone"
        )
    return Span(int(start.timestamp() * 1e6), int(end.timestamp() * 1e6))
