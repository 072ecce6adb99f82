"""Routes for the matrix of competing hypotheses: view, rate, weigh, open, calibrate."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, status
from pydantic import AwareDatetime, Field

from pileup.analysis.reasoning.matrix import Level, Rating
from pileup.api.auth import Caller, Principal
from pileup.api.deps import IncidentDep, RevisionDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.storage.incidents.incidents import Incident
from pileup.storage.reasoning.calibration import Calibration, compute_calibration
from pileup.storage.reasoning.ratings import Ratings
from pileup.views.reasoning.matrix import Asker, Matrix, Mode, matrix_for

router = APIRouter(tags=["matrix"])


class NewRating(In):
    pin_id: str
    hypothesis_id: str
    rating: Rating | None
    """None takes one's own rating back."""
    proposed_by: str | None = Field(default=None, max_length=200)
    """The rule whose proposal this accepts, as the cell named it."""


class NewWeight(In):
    credibility: Level
    relevance: Level


class WeightOut(Out):
    pin_id: str
    credibility: Level
    relevance: Level
    revision: int


class Opening(In):
    """The cell, row or column to open; without ids: everything."""

    pin_id: str | None = None
    hypothesis_id: str | None = None


@router.get("/incidents/{incident_id}/matrix")
@by_version()
def get_matrix(
    incident: IncidentDep,
    unit: UnitDep,
    caller: Caller,
    mode: Mode = "consensus",
    at: Annotated[AwareDatetime | None, Query()] = None,
) -> Matrix:
    """Return the matrix as you may see it: others' ratings only of cells that you rated."""
    return matrix_for(unit, incident, asker_of(incident, caller), mode=mode, at=at)


@router.put("/incidents/{incident_id}/matrix/ratings", status_code=status.HTTP_204_NO_CONTENT)
def rate(incident: IncidentDep, body: NewRating, unit: UnitDep, caller: Caller) -> None:
    """Set your own rating of one cell; it overwrites nobody else's."""
    Ratings(unit).rate(
        incident.id,
        body.pin_id,
        body.hypothesis_id,
        body.rating,
        by=caller.actor,
        proposed_by=body.proposed_by,
    )


@router.put("/incidents/{incident_id}/matrix/weights/{pin_id}")
def weigh(
    incident: IncidentDep,
    pin_id: str,
    body: NewWeight,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> WeightOut:
    """Set how credible and relevant the team considers a piece of evidence."""
    now = Ratings(unit).weigh(
        incident.id,
        pin_id,
        credibility=body.credibility,
        relevance=body.relevance,
        revision=revision,
        by=caller.actor,
    )
    return WeightOut.model_validate(
        {
            "pin_id": pin_id,
            "credibility": now.credibility,
            "relevance": now.relevance,
            "revision": now.revision,
        }
    )


@router.post("/incidents/{incident_id}/matrix/openings", status_code=status.HTTP_204_NO_CONTENT)
def open_cells(incident: IncidentDep, body: Opening, unit: UnitDep, caller: Caller) -> None:
    """End the blind rating of some cells, as the incident's owner or an admin."""
    if not asker_of(incident, caller).may_open:
        owner = incident.owner.name if incident.owner else "an admin"
        raise ApiError(
            403,
            "For the facilitator",
            f"only {owner} or an admin opens cells that you did not rate",
        )
    Ratings(unit).open(incident.id, body.pin_id, body.hypothesis_id, by=caller.actor)


@router.get("/incidents/{incident_id}/calibration")
@by_version()
def calibration(incident: IncidentDep, unit: UnitDep) -> Calibration:
    """Compare each person's last confidence in decided hypotheses with the decision."""
    return compute_calibration(unit, incident.id)


def asker_of(incident: Incident, caller: Principal) -> Asker:
    """Build the asker from the caller: who asks, and whether they lead the discussion."""
    owns = incident.owner is not None and incident.owner.id == caller.user.id
    return Asker(caller.user.id, may_open=owns or caller.user.role == "admin")
