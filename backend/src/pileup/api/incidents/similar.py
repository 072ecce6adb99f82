"""Past incidents that looked the same, with what they share and what was refuted there."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter

from pileup.analysis.reasoning.similar import LEAST, likeness
from pileup.api.deps import IncidentDep, UnitDep
from pileup.api.schema import Out
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.reasoning.hypotheses import Hypotheses

router = APIRouter(tags=["findings"])

MOST = 5
_FEATURES = 12


class PastHypothesis(Out):
    statement: str
    status: str
    confidence: int | None


class SimilarIncident(Out):
    id: str
    title: str
    onset: datetime | None
    score: float
    """Weighted share of the features that both have, 0..1."""
    shared: list[str]
    only_here: list[str]
    only_there: list[str]
    refuted: list[PastHypothesis]
    """What was tried there and refuted: a dead end that need not be walked twice."""
    supported: list[PastHypothesis]


@router.get("/incidents/{incident_id}/similar")
def similar_incidents(incident: IncidentDep, unit: UnitDep) -> list[SimilarIncident]:
    """Incidents with the same symptoms, the most alike first."""
    signatures = Incidents(unit).signatures()
    mine = signatures.pop(incident.id, None)
    if mine is None or not mine.features:
        return []
    ranked = sorted(
        ((likeness(mine.features, other.features), other) for other in signatures.values()),
        key=lambda pair: (-pair[0].score, pair[1].id),
    )
    found = []
    for alike, other in ranked[:MOST]:
        if alike.score < LEAST:
            break
        past = [
            PastHypothesis(statement=h.statement, status=h.status, confidence=h.confidence)
            for h in Hypotheses(unit).of_incident(other.id)
        ]
        found.append(
            SimilarIncident(
                id=other.id,
                title=other.title,
                onset=datetime.fromisoformat(other.onset) if other.onset else None,
                score=alike.score,
                shared=list(alike.shared[:_FEATURES]),
                only_here=list(alike.only_here[:_FEATURES]),
                only_there=list(alike.only_there[:_FEATURES]),
                refuted=[h for h in past if h.status == "refuted"],
                supported=[h for h in past if h.status == "supported"],
            )
        )
    return found
